//! What a digest knows of a query class, as far as rules of plans ask for it.

use crate::advice::plan::{Load, PerCall};
use crate::digest::Digest;
use crate::digest::class::ClassDigest;
use crate::metric::{self, MetricId};
use crate::plan::Amount;
use crate::sql::fingerprint::ClassId;

/// Attributes of servers that name one thing differently.
const SORT_ROWS: MetricId = metric::known("Sort_rows");
const MERGE_PASSES: [MetricId; 2] =
    [metric::known("Merge_passes"), metric::known("Sort_merge_passes")];
const PRIORITY_QUEUE: MetricId = metric::known("Priority_queue");
const TABLE_ON_DISK: MetricId = metric::known("Tmp_table_on_disk");
const TABLES_ON_DISK: [MetricId; 2] =
    [metric::known("Tmp_disk_tables"), metric::known("Created_tmp_disk_tables")];
const TABLE_SIZES: MetricId = metric::known("Tmp_table_sizes");
const BYTES_SENT: MetricId = metric::known("Bytes_sent");
const ROW_LOCK_WAIT: MetricId = metric::known("InnoDB_rec_lock_wait");

/// What the log says of a class; that of classes past the bound, which are many, is nothing.
pub fn of_class(digest: &Digest, place: usize) -> Load {
    if digest.is_further(place) {
        return Load::default();
    }
    let class = &digest.classes[place];
    let places = &digest.places;
    let flagged = |metric| match class.flags(places, metric) {
        (0, 0) => None,
        (yes, no) => percent(yes, yes + no),
    };
    let most = |metric| u64::try_from(class.totals(places, metric)?.max).ok();
    let per_call = |metric| {
        Some(PerCall { mean: mean(class, digest, metric)?, most: Amount::whole(most(metric)?) })
    };
    let on_disk = || {
        let tables = TABLES_ON_DISK.iter();
        let (count, some) =
            tables.filter_map(|metric| class.occurrences(places, *metric)).next()?;
        percent(some, count)
    };
    let merges = MERGE_PASSES.iter().filter_map(|metric| class.totals(places, *metric));
    let whole = digest.total.totals(places, metric::QUERY_TIME);
    let share = class.totals(places, metric::QUERY_TIME).zip(whole).and_then(|(own, whole)| {
        percent(u64::try_from(own.sum).ok()?, u64::try_from(whole.sum).ok()?)
    });
    Load {
        query_id: Some(ClassId::of(&digest.keys[place])),
        calls: Some(class.count),
        share,
        rows_examined: per_call(metric::ROWS_EXAMINED),
        rows_sent: per_call(metric::ROWS_SENT),
        sort_rows: mean(class, digest, SORT_ROWS),
        merge_passes: merges.filter_map(|totals| u64::try_from(totals.sum).ok()).next(),
        priority_queue: flagged(PRIORITY_QUEUE),
        disk_tables: flagged(TABLE_ON_DISK).or_else(on_disk),
        temporary_bytes: mean(class, digest, TABLE_SIZES),
        longest_micros: most(metric::QUERY_TIME),
        longest_statement: most(metric::QUERY_LENGTH),
        bytes_sent: per_call(BYTES_SENT),
        row_lock_micros: class
            .totals(places, ROW_LOCK_WAIT)
            .and_then(|totals| u64::try_from(totals.sum).ok()),
        // The digest forgets the order of events.
        shift: None,
    }
}

fn mean(class: &ClassDigest, digest: &Digest, metric: MetricId) -> Option<Amount> {
    let totals = class.totals(&digest.places, metric)?;
    let sum = u64::try_from(totals.sum).ok()?;
    Amount::whole(sum).ratio(Amount::whole(totals.count))
}

fn percent(part: u64, whole: u64) -> Option<Amount> {
    Some(Amount::whole(part).ratio(Amount::whole(whole))?.times(Amount::whole(100)))
}
