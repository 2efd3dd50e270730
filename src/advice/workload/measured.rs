//! What a log measured of a class, or of all classes together.

use crate::digest::Digest;
use crate::digest::class::ClassDigest;
use crate::digest::spread;
use crate::digest::stat::factor;
use crate::digest::tally::Tally;
use crate::metric::{self, METRICS, MetricId};
use crate::time::Timestamp;

const ERRNO: [MetricId; 2] = [metric::known("Errno"), metric::known("Last_errno")];
const SORTS: [MetricId; 2] = [metric::known("Sort_range_count"), metric::known("Sort_scan_count")];
const FILESORT: MetricId = metric::known("Filesort");
const SORT_ROWS: MetricId = metric::known("Sort_rows");
const KILLED: MetricId = metric::known("Killed");
const QC_HIT: [MetricId; 2] = [metric::known("QC_hit"), metric::known("QC_Hit")];
const ROW_LOCKS: MetricId = metric::known("InnoDB_rec_lock_wait");
const ROUTINE: &[u8] = b"Stored_routine";
const READ_WAIT: MetricId = metric::known("InnoDB_IO_r_wait");

/// Sums and spreads. What no event has is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Events.
    pub events: u64,
    /// The first and the last end of a statement.
    pub range: Option<(Timestamp, Timestamp)>,
    /// Query_time.
    pub time: Option<Times>,
    /// Microseconds of Lock_time.
    pub lock_micros: Option<u64>,
    /// Microseconds of these that it waited for row locks of InnoDB, where the log tells them apart.
    pub row_lock_micros: Option<u64>,
    /// Microseconds that InnoDB waited for reads.
    pub read_wait_micros: Option<u64>,
    /// Rows_examined.
    pub rows_examined: Option<u64>,
    /// Rows_sent.
    pub rows_sent: Option<u64>,
    /// Sorts, where the log tells; an event that says only that it sorts has one.
    pub sorts: Option<u64>,
    /// Rows that they sorted.
    pub sorted_rows: Option<u64>,
    /// Events with and without an error, where the log tells.
    pub errors: Option<(u64, u64)>,
    /// Events that were killed, and the others.
    pub killed: Option<(u64, u64)>,
    /// Events inside of stored routines. MariaDB counts their Query_time and Lock_time from the start
    /// of the routine.
    pub in_routines: u64,
    /// Events answered by the query cache, and the others.
    pub cached: Option<(u64, u64)>,
}

/// Times of events, in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times {
    /// Events with a time.
    pub count: u64,
    /// All of them together.
    pub sum: u64,
    /// The shortest one.
    pub least: u64,
    /// The longest one.
    pub most: u64,
    /// Counts by bucket: the least time of a bucket, a twentieth above that of the one before.
    pub buckets: Vec<(u64, u64)>,
}

impl Times {
    /// Events below a time; those of the bucket that it falls into are not among them.
    pub fn below(&self, micros: u64) -> u64 {
        // Buckets without an event are left out, so that the next one may be far.
        let end = |low| spread::range(spread::narrow_bucket(low)).1;
        let whole = self
            .buckets
            .iter()
            .filter(|(low, _)| end(*low).is_some_and(|end| end <= u128::from(micros)));
        whole.map(|(_, count)| *count).sum()
    }
}

impl Measured {
    /// What is known of a class of a digest.
    pub fn of(digest: &Digest, class: &ClassDigest) -> Measured {
        let places = &digest.places;
        let sum = |metric| {
            let totals = class.totals(places, metric)?;
            u64::try_from(totals.sum).ok()
        };
        let sum_of = |metrics: &[MetricId]| {
            metrics
                .iter()
                .map(|metric| sum(*metric))
                .try_fold(0_u64, |sum, own| Some(sum.saturating_add(own?)))
        };
        let flagged = |metrics: &[MetricId]| {
            let counts = metrics.iter().map(|metric| class.flags(places, *metric));
            counts.into_iter().find(|counts| *counts != (0, 0))
        };
        Measured {
            events: class.count,
            range: class.first().zip(class.last()),
            time: times(digest, class),
            lock_micros: sum(metric::LOCK_TIME),
            row_lock_micros: sum(ROW_LOCKS),
            read_wait_micros: sum(READ_WAIT),
            rows_examined: sum(metric::ROWS_EXAMINED),
            rows_sent: sum(metric::ROWS_SENT),
            sorts: sum_of(&SORTS).or_else(|| Some(flagged(&[FILESORT])?.0)),
            sorted_rows: sum(SORT_ROWS),
            errors: flagged(&ERRNO),
            killed: flagged(&[KILLED]),
            in_routines: in_routines(digest, class),
            cached: flagged(&QC_HIT),
        }
    }

    /// Microseconds from the first to the last end; none where that is no time.
    pub fn window(&self) -> Option<u64> {
        let (first, last) = self.range?;
        u64::try_from(last.0 - first.0).ok().filter(|micros| *micros > 0)
    }
}

/// Events with a Stored_routine, which MariaDB and Percona Server print inside of one only.
fn in_routines(digest: &Digest, class: &ClassDigest) -> u64 {
    let own = METRICS.len()..digest.registry.len();
    let numbers = own.filter_map(|number| u16::try_from(number).ok().map(MetricId));
    let named = numbers.filter(|metric| digest.registry.name(*metric) == ROUTINE);
    let tallies = named.filter_map(|metric| class.texts(&digest.places, metric));
    tallies.map(Tally::total).sum()
}

fn times(digest: &Digest, class: &ClassDigest) -> Option<Times> {
    let stat = class.stat(&digest.places, metric::QUERY_TIME)?;
    let micros = |value: i128| u64::try_from(value.max(0)).unwrap_or(u64::MAX);
    let bucket = |(bucket, count): (usize, u64)| {
        let (low, _) = spread::range(bucket);
        (u64::try_from(low).unwrap_or(u64::MAX), count)
    };
    Some(Times {
        count: stat.count,
        sum: micros(stat.sum),
        least: micros(stat.min),
        most: micros(stat.max),
        buckets: stat
            .spread
            .buckets(factor(metric::QUERY_TIME_KIND))
            .into_iter()
            .map(bucket)
            .collect(),
    })
}
