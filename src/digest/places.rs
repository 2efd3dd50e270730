//! Where a class keeps what: attributes by place, names by number.

use crate::digest::names::{Names, Numbers};
use crate::digest::stat::Rules;
use crate::metric::MetricId;

/// What is what where classes of another digest are joined.
#[derive(Debug, Clone, Default)]
pub struct Translation {
    /// The attributes, by their places there.
    pub metrics: Vec<MetricId>,
    /// Their places here, in the same order.
    pub places: Vec<usize>,
    /// Names by their numbers there.
    pub names: Numbers,
    /// How figures are computed, here as there.
    pub rules: Rules,
}

impl Translation {
    /// Classes of the same digest.
    pub fn own(places: &Places, names: &Names, rules: Rules) -> Translation {
        Translation {
            metrics: places.metrics().to_vec(),
            places: (0..places.metrics().len()).collect(),
            names: names.own_numbers(),
            rules,
        }
    }
}

/// Places of attributes: each attribute that any event has gets the next free one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    of_metric: Vec<u16>,
    metrics: Vec<MetricId>,
}

const NO_PLACE: u16 = u16::MAX;

impl Places {
    /// The place of an attribute, given when it is asked for the first time.
    #[inline]
    pub fn place(&mut self, metric: MetricId) -> usize {
        let number = usize::from(metric.0);
        if number >= self.of_metric.len() {
            self.of_metric.resize(number + 1, NO_PLACE);
        }
        if self.of_metric[number] == NO_PLACE {
            self.of_metric[number] = self.metrics.len() as u16;
            self.metrics.push(metric);
        }
        usize::from(self.of_metric[number])
    }

    /// The place of an attribute, if it has one.
    pub fn find(&self, metric: MetricId) -> Option<usize> {
        let place = *self.of_metric.get(usize::from(metric.0))?;
        (place != NO_PLACE).then_some(usize::from(place))
    }

    /// The attributes in order of their places.
    pub fn metrics(&self) -> &[MetricId] {
        &self.metrics
    }
}
