//! Stretches of a log: where nothing was logged for long, and where the least time of an event
//! changes, as it does when somebody sets another threshold.
//!
//! How long a pause has to be follows from the median time between events, which is known at the
//! end only. So each pause of a minute begins a stretch, and those that were too short are joined
//! again.

use crate::digest::spread;
use crate::time::SECOND;

/// Microseconds without an event from which on there may be a pause.
const LEAST_PAUSE: i64 = 60 * SECOND;
/// A pause is so many times the median time between events.
const MEDIANS: i64 = 20;
/// Stretches that are kept apart while events come; the shortest pause goes first.
const MOST: usize = 512;
/// Events without which a median says nothing.
const LEAST_EVENTS: u64 = 30;
/// Events that one side of a change would have to have below the least time of it, if nothing had
/// changed: chance has none of 30 once in 10^13.
const SURPRISE: u128 = 30;
/// Events are counted in thousandths where parts of them decide.
const THOUSAND: u128 = 1_000;
/// The least time of one side is so many times that of the other.
const FACTOR: u64 = 4;
/// Percent of the events of one side that are below the least of the other.
const LEAST_PERCENT: u128 = 5;

/// Collects stretches.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    stretches: Vec<Stretch>,
    /// Counts of idle times between events, by bucket.
    pauses: Vec<u32>,
    events: u64,
    /// Counts of times, by bucket.
    times: Vec<u64>,
    /// Where the least time so far falls: number of the event, its end, its bucket.
    falls: Vec<Place>,
    /// From each of these on no event is below it; times rise.
    floors: Vec<Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    event: u64,
    end: Option<i64>,
    bucket: usize,
}

/// Events without a pause between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// When the first event began, in microseconds.
    pub start: i64,
    /// When the last one ended.
    pub end: i64,
    /// Events.
    pub events: u64,
    /// Microseconds of them.
    pub micros: u64,
    /// The shortest event, in microseconds.
    pub least: Option<u64>,
}

/// The least time of an event changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Events before it.
    pub before: u64,
    /// Events from it on.
    pub after: u64,
    /// When the first event from it on ended, in microseconds.
    pub at: Option<i64>,
    /// Whether events of the later side are shorter.
    pub is_lowered: bool,
    /// No event of one side is shorter, in microseconds.
    pub least: u64,
    /// Events of the other side that are.
    pub shorter: u64,
}

/// Stretches and what parts them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regimes {
    /// In the order of the log.
    pub stretches: Vec<Stretch>,
    /// Half of the times from the end of all before to the next start are no longer, in
    /// microseconds; absent with too few events.
    pub median_pause: Option<u64>,
    /// A change of the least time.
    pub change: Option<Change>,
}

impl Regimes {
    /// Microseconds of all stretches: the time in which something was logged.
    pub fn active_micros(&self) -> u64 {
        let lengths = self.stretches.iter().map(|it| it.end.saturating_sub(it.start));
        lengths.filter_map(|length| u64::try_from(length).ok()).fold(0, u64::saturating_add)
    }
}

impl Collector {
    /// Takes an event: its start and end, and how long it took, in microseconds.
    pub fn add(&mut self, span: Option<(i64, i64)>, micros: Option<u64>) {
        if let Some(micros) = micros {
            self.note_time(micros, span.map(|(_, end)| end));
        }
        let Some((start, end)) = span else { return };
        let fresh = Stretch { start, end, events: 1, micros: micros.unwrap_or(0), least: micros };
        let Some(last) = self.stretches.last_mut() else {
            self.stretches.push(fresh);
            return;
        };
        let pause = start.saturating_sub(last.end);
        // A long statement began long ago; the log is in the order of ends.
        let is_back = end < last.end.saturating_sub(LEAST_PAUSE);
        let bucket = spread::narrow_bucket(u64::try_from(pause).unwrap_or(0));
        if bucket >= self.pauses.len() {
            self.pauses.resize(bucket + 1, 0);
        }
        if let Some(count) = self.pauses.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
        if pause < LEAST_PAUSE && !is_back {
            last.join(fresh);
            self.bridge();
            return;
        }
        self.stretches.push(fresh);
        if self.stretches.len() > MOST {
            self.join_nearest();
        }
    }

    /// Joins stretches that the last one reaches back to: what runs through a pause is none.
    fn bridge(&mut self) {
        while let [.., before, last] = self.stretches.as_mut_slice()
            && before.end <= last.end
            && before.start <= last.end
            && last.start < before.end.saturating_add(LEAST_PAUSE)
        {
            let last = *last;
            before.join(last);
            self.stretches.pop();
        }
    }

    fn note_time(&mut self, micros: u64, end: Option<i64>) {
        let bucket = spread::narrow_bucket(micros);
        let place = Place { event: self.events, end, bucket };
        self.events += 1;
        if bucket >= self.times.len() {
            self.times.resize(bucket + 1, 0);
        }
        if let Some(count) = self.times.get_mut(bucket) {
            *count += 1;
        }
        if self.falls.last().is_none_or(|last| bucket < last.bucket) {
            self.falls.push(place);
        }
        while self.floors.last().is_some_and(|last| last.bucket >= bucket) {
            self.floors.pop();
        }
        self.floors.push(place);
    }

    fn join_nearest(&mut self) {
        let pauses = self.stretches.iter().zip(self.stretches.iter().skip(1));
        let pauses = pauses.map(|(one, next)| next.start.abs_diff(one.end));
        let Some((place, _)) = pauses.enumerate().min_by_key(|(_, pause)| *pause) else { return };
        let next = self.stretches.remove(place + 1);
        if let Some(own) = self.stretches.get_mut(place) {
            own.join(next);
        }
    }

    /// What the log is made of.
    pub fn finish(self) -> Regimes {
        let median_pause = self.median_pause();
        let change = self.change();
        let wanted = median_pause.map(|median| {
            LEAST_PAUSE.max(i64::try_from(median).unwrap_or(i64::MAX).saturating_mul(MEDIANS))
        });
        let mut stretches: Vec<Stretch> = Vec::new();
        for next in self.stretches {
            let is_near = |last: &Stretch| {
                let pause = next.start.saturating_sub(last.end);
                // Without a median there is no pause to speak of.
                next.end >= last.start && wanted.is_none_or(|wanted| pause < wanted)
            };
            match stretches.last_mut() {
                Some(last) if is_near(last) => last.join(next),
                _ => stretches.push(next),
            }
        }
        Regimes { stretches, median_pause, change }
    }

    fn median_pause(&self) -> Option<u64> {
        let all: u64 = self.pauses.iter().map(|count| u64::from(*count)).sum();
        if all + 1 < LEAST_EVENTS {
            return None;
        }
        let mut sum = 0;
        let bucket = self.pauses.iter().position(|count| {
            sum += u64::from(*count);
            sum * 2 >= all
        })?;
        u64::try_from(spread::range(bucket).0).ok()
    }

    /// The change that chance explains least.
    fn change(&self) -> Option<Change> {
        let all = self.events;
        let below = |bucket: usize| self.times.iter().take(bucket).sum::<u64>();
        let low = |bucket: usize| u64::try_from(spread::range(bucket).0).unwrap_or(u64::MAX);
        let least = low(self.times.iter().position(|count| *count > 0)?);
        let is_far = |bucket: usize| low(bucket) >= least.saturating_mul(FACTOR).max(1_000);
        // All events before a fall are at least as long as the least one of them.
        let lowered = self.falls.iter().zip(self.falls.iter().skip(1)).map(|(own, next)| Change {
            before: next.event,
            after: all - next.event,
            at: next.end,
            is_lowered: true,
            least: low(own.bucket),
            shorter: below(own.bucket),
        });
        // All events from a floor on are at least as long as it.
        let raised = self.floors.iter().zip(self.floors.iter().skip(1)).map(|(own, next)| Change {
            before: own.event + 1,
            after: all - own.event - 1,
            at: next.end,
            is_lowered: false,
            least: low(next.bucket),
            shorter: below(next.bucket),
        });
        let surprise = |it: &Change| {
            let (silent, other) =
                if it.is_lowered { (it.before, it.after) } else { (it.after, it.before) };
            let (silent, shorter, other) =
                (u128::from(silent), u128::from(it.shorter), u128::from(other.max(1)));
            (silent * shorter * THOUSAND / other, shorter * 100 / other)
        };
        let is_told = |it: &Change| {
            let (expected, percent) = surprise(it);
            expected >= SURPRISE * THOUSAND && percent >= LEAST_PERCENT
        };
        let buckets = |it: &Change| is_far(spread::narrow_bucket(it.least));
        lowered.chain(raised).filter(is_told).filter(buckets).max_by_key(|it| surprise(it).0)
    }
}

impl Stretch {
    fn join(&mut self, next: Stretch) {
        self.start = self.start.min(next.start);
        self.end = self.end.max(next.end);
        self.events += next.events;
        self.micros = self.micros.saturating_add(next.micros);
        self.least = match (self.least, next.least) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads events of a start in seconds and a time in microseconds.
    fn regimes(events: impl IntoIterator<Item = (i64, u64)>) -> Regimes {
        let mut collector = Collector::default();
        for (start, micros) in events {
            let start = start * SECOND;
            collector.add(Some((start, start + micros as i64)), Some(micros));
        }
        collector.finish()
    }

    #[test]
    fn pauses_part_stretches_by_the_median_time_between_events() {
        // 50 events a second apart, ten minutes of nothing, 50 more.
        let told = regimes((0..50).chain(650..700).map(|start| (start, 1_000)));
        let ends: Vec<(i64, u64)> =
            told.stretches.iter().map(|it| (it.start / SECOND, it.events)).collect();
        assert_eq!(ends, [(0, 50), (650, 50)]);
        // 49 seconds and a thousandth each.
        assert_eq!(told.active_micros(), 98_002_000);
        // An event each ten minutes, and a pause of an hour: six times the median is none.
        let told = regimes((0..40).map(|n| (n * 600 + i64::from(n > 20) * 3_000, 1_000)));
        assert_eq!(told.stretches.len(), 1);
        // Too few to speak of.
        let told = regimes((0..10).chain(10_000..10_010).map(|start| (start, 1_000)));
        assert_eq!((told.stretches.len(), told.median_pause), (1, None));
    }

    #[test]
    fn what_runs_is_no_pause() {
        let told = regimes(
            (0..40)
                .map(|n| (n, if n == 20 { 300 * 1_000_000 } else { 1_000 }))
                .chain((200..240).map(|n| (n, 1_000))),
        );
        assert_eq!(told.stretches.len(), 1);
        // In the order of ends, as logs are: one statement runs from second 20 to second 320.
        let short = |second: i64| (second, 1_000);
        let told = regimes(
            (0..20).chain(200..240).map(short).chain([(20, 300 * 1_000_000)]).chain([short(321)]),
        );
        assert_eq!((told.stretches.len(), told.active_micros()), (1, 321_001_000));
        // A statement of five minutes near the begin is no time that goes back.
        let told = regimes((300..340).map(short).chain([(50, 300 * 1_000_000)]));
        assert_eq!((told.stretches.len(), told.active_micros()), (1, 300 * 1_000_000));
    }

    #[test]
    fn times_that_go_back_begin_a_stretch() {
        let told = regimes((1_000..1_050).chain(0..50).map(|start| (start, 1_000)));
        assert_eq!(told.stretches.len(), 2);
    }

    #[test]
    fn another_threshold_is_seen_to_the_event() {
        // 280 events of 12 s and more, then most are shorter than a second.
        let slow = |n: i64| (n, 12_000_000 + (n as u64 % 7) * 1_000_000);
        let fast = |n: i64| (n, 100 + (n as u64 * 7_919) % 900_000);
        let told = regimes((0..280).map(slow).chain((280..2_000).map(fast)));
        let change = told.change.unwrap();
        assert_eq!((change.before, change.after, change.is_lowered), (280, 1_720, true));
        assert_eq!(change.shorter, 1_720);
        assert_eq!(change.at, Some(280 * SECOND + fast(280).1 as i64));
        // 12 s or the start of its bucket, at most a twentieth below.
        assert!((11_400_000..=12_000_000).contains(&change.least), "{change:?}");
        let told = regimes((0..1_720).map(fast).chain((1_720..2_000).map(slow)));
        let change = told.change.unwrap();
        assert_eq!((change.before, change.after, change.is_lowered), (1_720, 280, false));
    }

    #[test]
    fn chance_is_no_other_threshold() {
        // Spread evenly on a logarithmic scale from 100 us to 10 s, by Knuth's generator.
        let mut state = 1_u64;
        let told = regimes((0..20_000).map(|n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let part = (state >> 40) as f64 / (1_u64 << 24) as f64;
            (n, (100.0 * 100_000_f64.powf(part)) as u64)
        }));
        assert_eq!(told.change, None);
    }

    #[test]
    fn stretches_have_a_bound() {
        // The median is a second, each second pause an hour: 5,000 stretches.
        let starts = (0..10_000).map(|n: i64| (n / 2 * 3_600 + n % 2, 1_000));
        let told = regimes(starts);
        assert!(told.stretches.len() <= MOST, "{}", told.stretches.len());
        let events: u64 = told.stretches.iter().map(|it| it.events).sum();
        assert_eq!(events, 10_000);
    }
}
