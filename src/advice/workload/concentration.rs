//! WORK004.

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Fact, Finding, Severity};
use crate::amount::Amount;

use super::case::{Case, finding, percent, short};
use super::coverage::Coverage;

rule! {
    /// A few classes are most of the time.
    ///
    /// **Costs.** Nothing; it says where to begin, and how much each remedy can bring at most.
    /// **Wrong when.** The log shows less than half of the load: the classes that matter may not be
    /// in it.
    /// **Verify.** Shares of the classes in a log after the change.
    /// **Source.** Amdahl: without a part of the time the rest is left.
    Workload "WORK004" "few-classes-most-time"
}

/// Classes that may be most of the time, and percent that is most.
const FEW: usize = 3;
const MOST: u64 = 80;
/// Without so many classes and events nothing is concentrated.
const LEAST_CLASSES: u64 = 10;
const LEAST_EVENTS: u64 = 100;

/// Classes that are most of the time.
#[derive(Debug, Clone)]
pub struct Few<'a> {
    /// They, and their microseconds.
    pub classes: Vec<(&'a Class<'a>, u64)>,
    /// Percent of the time.
    pub share: Amount,
}

impl<'a> Few<'a> {
    /// The fewest classes that are most of the time, if they are few.
    pub fn of(case: &Case<'a>) -> Option<Few<'a>> {
        let is_small =
            case.whole.classes < LEAST_CLASSES || case.whole.measured.events < LEAST_EVENTS;
        if is_small {
            return None;
        }
        let whole = case.micros()?;
        let timed = case.workload.classes.iter().filter_map(|class| Some((class, class.micros?)));
        let mut classes: Vec<(&Class<'_>, u64)> = timed.collect();
        classes.sort_by_key(|(class, micros)| (std::cmp::Reverse(*micros), class.id));
        classes.truncate(FEW);
        let share = |count| {
            let some = classes.iter().take(count).map(|(_, micros)| *micros);
            percent(some.fold(0, u64::saturating_add), whole)
        };
        let most = Amount::whole(MOST);
        let (count, share) = (1..=FEW)
            .filter_map(|count| Some((count, share(count)?)))
            .find(|(_, share)| *share >= most)?;
        classes.truncate(count);
        Some(Few { classes, share })
    }

    /// `2 of 30 classes are 96.8 % of the logged time`; `of` says which time it is.
    pub fn title(&self, all: u64, of: &str) -> String {
        let count = self.classes.len();
        format!(
            "{count} of {} classes {} {} % of the{of} time",
            Amount::whole(all).grouped(),
            if count == 1 { "is" } else { "are" },
            short(self.share)
        )
    }

    /// What each class can bring at most.
    pub fn gains(&self, whole: u64) -> Vec<String> {
        let gain = |(class, micros): &(&Class<'_>, u64)| {
            let own = percent(*micros, whole)?;
            let left = Amount::whole(100).minus(own);
            let times = Amount::whole(whole).ratio(Amount::whole(whole.saturating_sub(*micros)));
            let times = times.map_or(String::new(), |it| format!(", {} times less", short(it)));
            Some(format!(
                "0x{}: {} % of the time; without it {} % is left{times}",
                class.id,
                short(own),
                short(left)
            ))
        };
        self.classes.iter().filter_map(gain).collect()
    }
}

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let is_hidden = Coverage::of(case).is_some_and(|it| it.hides_most());
    let few = Few::of(case).filter(|_| !is_hidden).zip(case.micros());
    let told = few.map(|(few, whole)| {
        let evidence = vec![
            Fact::number("time_percent", few.share),
            Fact::number("classes", Amount::whole(few.classes.len() as u64)),
            Fact::number("of_classes", Amount::whole(case.whole.classes)),
            Fact::list("at_most", few.gains(whole)),
        ];
        let advice = "Begin with these, in this order; whatever is done to the others, the time falls \
                      by what they are together at most.";
        let verify = "The shares of these classes in a log after the change.";
        let title = few.title(case.whole.classes, "");
        let graded = (Severity::Info, Confidence::High);
        let mut finding = finding(&RULE, graded, title, evidence, (advice, verify));
        finding.queries = few.classes.iter().map(|(class, _)| class.id).collect();
        finding
    });
    told.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::workload::fixture::Load;

    /// Classes of a second a call: these, and nine of a call.
    fn load(calls: &[u64]) -> Load {
        let classes: Vec<(u64, u64)> =
            calls.iter().chain(&[1; 9]).map(|calls| (*calls, 1_000_000)).collect();
        Load::new(&classes, 600)
    }

    #[track_caller]
    fn check(load: &Load, want: Option<&str>) {
        let told = look(&load.case());
        assert_eq!(told.first().map(|it| it.title.as_str()), want);
    }

    #[test]
    fn the_fewest_that_are_most_are_told() {
        // 91 of 100 seconds.
        check(&load(&[91]), Some("1 of 10 classes is 91 % of the time"));
        // 100, 60 and 9 s: the greater one is 59 %, both are 160 of 169.
        check(&load(&[100, 60]), Some("2 of 11 classes are 94.7 % of the time"));
        // Four alike: three of them are 75 of 109.
        check(&load(&[25; 4]), None);
    }

    #[test]
    fn little_is_not_concentrated() {
        check(&load(&[90]), None);
        check(&Load::new(&[(500, 1_000_000), (1, 1_000_000)], 600), None);
    }

    #[test]
    fn nothing_is_said_by_share_of_what_is_mostly_hidden() {
        check(&load(&[91]).seen("qps=100"), None);
        check(&load(&[91]).seen("qps=0.2"), Some("1 of 10 classes is 91 % of the time"));
    }

    #[test]
    fn a_class_brings_its_own_time_at_most() {
        let load = load(&[91]);
        let few = Few::of(&load.case()).unwrap();
        // 9 of 100 s are left: 11.1 times less.
        assert!(
            few.gains(100_000_000)[0]
                .ends_with("91 % of the time; without it 9 % is left, 11.1 times less")
        );
    }
}
