//! Leftmost-prefix questions: which index serves a query, which covers it, which does nothing
//! that another does not do.
//!
//! A lookup can use the leading parts of an index as long as each is compared for equality, one
//! range behind them, or the order of what follows. With `KEY k (a, b, c)`:
//!
//! ```text
//! a = 1 AND b = 2 ORDER BY c      two equalities, in order
//! b = 2 AND a > 1                 a range on a; b is only filtered
//! b = 2                           not served
//! ```

use std::collections::HashSet;

use crate::sql::definition::{IndexKind, Method, Part, PartOf, same_name};

use super::Index;
use super::table::Table;
pub use super::table::supports;

/// What a query asks of one table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Columns compared for equality.
    pub equal: &'a [&'a str],
    /// Columns compared by a range.
    pub ranges: &'a [&'a str],
    /// Columns of ORDER BY, with whether each is descending.
    pub order: &'a [(&'a str, bool)],
}

/// How far an index serves a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Service {
    /// Leading parts that are compared for equality.
    pub equal: usize,
    /// Whether a range follows them.
    pub has_range: bool,
    /// Whether rows come in the order wanted; false where none is.
    pub is_ordered: bool,
}

/// An index that another makes needless, or longer than it need be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redundant<'t> {
    /// The index in question.
    pub index: &'t Index,
    /// The one that serves all that it serves.
    pub by: &'t Index,
    /// In which way.
    pub kind: Redundancy,
    /// A foreign key needs `index` and cannot use `by`.
    pub is_needed_by_foreign_key: bool,
}

/// In which way an index is redundant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redundancy {
    /// The same parts.
    Duplicate,
    /// Its parts are the first ones of the other.
    LeftPrefix,
    /// It ends in all parts of the clustering key, which InnoDB appends anyway: it could be
    /// shorter by so many parts.
    PrimarySuffix(usize),
}

/// Most indexes that are compared with each other; servers allow 64, or 128.
const MOST_COMPARED: usize = 256;

/// How far an index serves what is wanted.
///
/// An invisible index serves nothing, nor does a FULLTEXT or SPATIAL one; a HASH serves only
/// equality on all of its parts. An order needs whole columns, every part behind the equalities
/// in the directions wanted, or all reversed; columns that are compared for equality are skipped.
#[must_use]
pub fn service(table: &Table, index: &Index, wanted: Wanted<'_>) -> Service {
    let is_wanted = |list: &[&str], part: &Part| {
        part.column_name().is_some_and(|name| list.iter().any(|own| same_name(own, name)))
    };
    let method = table.method(index);
    if !index.is_visible || !matches!(method, Some(Method::BTree | Method::Hash)) {
        return Service::default();
    }
    let equal = index.parts.iter().take_while(|part| is_wanted(wanted.equal, part)).count();
    if method == Some(Method::Hash) {
        let equal = if equal == index.parts.len() { equal } else { 0 };
        return Service { equal, ..Service::default() };
    }
    let next = index.parts.get(equal);
    Service {
        equal,
        has_range: next.is_some_and(|part| is_wanted(wanted.ranges, part)),
        is_ordered: gives_order(table, index, wanted),
    }
}

/// The visible index that serves best: most equalities, then a range or the order, then the first
/// one of the table. `None` where none serves at all.
#[must_use]
pub fn best<'t>(table: &'t Table, wanted: Wanted<'_>) -> Option<(&'t Index, Service)> {
    let served = table.indexes.iter().map(|index| (index, service(table, index, wanted)));
    // `max_by` takes the last of equals; the first one of the table is meant.
    served.rev().max_by_key(|(_, service)| *service).filter(|(_, it)| *it != Service::default())
}

/// Whether an index alone finds all rows that match: each equality is used, and a range too where
/// one is wanted.
#[must_use]
pub fn is_served(table: &Table, index: &Index, wanted: Wanted<'_>) -> bool {
    let service = service(table, index, wanted);
    let distinct = |list: &[&str]| -> HashSet<String> {
        list.iter().map(|name| name.to_lowercase()).collect()
    };
    service.equal >= distinct(wanted.equal).len()
        && (wanted.ranges.is_empty() || service.has_range)
        && (wanted.order.is_empty() || service.is_ordered)
        && service != Service::default()
}

/// Whether rows come out of the index in the order wanted, given its equalities.
fn gives_order(table: &Table, index: &Index, wanted: Wanted<'_>) -> bool {
    let is_equal = |name: &str| wanted.equal.iter().any(|own| same_name(own, name));
    let mut order = wanted.order.iter().filter(|(name, _)| !is_equal(name)).peekable();
    if order.peek().is_none() {
        return !wanted.order.is_empty();
    }
    let parts = table.key_parts(index);
    let mut is_reversed = None;
    for part in &parts {
        let Some(name) = part.column else { return false };
        let Some((column, is_descending)) = order.peek() else { break };
        if same_name(column, name) {
            let reversed = part.is_descending != *is_descending;
            if part.prefix.is_some() || *is_reversed.get_or_insert(reversed) != reversed {
                return false;
            }
            order.next();
        } else if !is_equal(name) {
            return false;
        }
    }
    order.next().is_none()
}

/// Whether an index holds all of these columns, so that its rows need not be looked up. In InnoDB
/// every index holds the clustering key, and the clustering key holds the row; a prefix holds
/// nothing.
#[must_use]
pub fn covers(table: &Table, index: &Index, columns: &[&str]) -> bool {
    let clustering = table.clustering_key().filter(|_| table.is_innodb());
    if clustering.is_some_and(|clustering| clustering.name == index.name) {
        return true;
    }
    if !matches!(table.method(index), Some(Method::BTree)) {
        return false;
    }
    let appended = clustering.map_or(&[][..], |clustering| &clustering.parts);
    let held: HashSet<String> = index
        .parts
        .iter()
        .chain(appended)
        .filter(|part| part.prefix.is_none())
        .filter_map(|part| part.column_name().map(str::to_lowercase))
        .collect();
    columns.iter().all(|column| held.contains(&column.to_lowercase()))
}

/// The indexes that could go, or be shorter, in the order of the table.
///
/// PRIMARY and UNIQUE indexes hold a promise about the rows: they are redundant only to an equal
/// one. Both must be visible and of the same kind of tree; of FULLTEXT indexes only those over the
/// same columns are compared, in whatever order. `by` is never itself needless.
#[must_use]
pub fn redundant(table: &Table) -> Vec<Redundant<'_>> {
    let indexes: Vec<&Index> =
        table.indexes.iter().take(MOST_COMPARED).filter(|index| index.is_visible).collect();
    let mut found: Vec<Redundant<'_>> = Vec::new();
    let goes: Vec<bool> = indexes
        .iter()
        .enumerate()
        .map(|(at, index)| {
            indexes.iter().enumerate().any(|(other, by)| {
                other != at && makes_needless(table, (at, index), (other, by)).is_some()
            })
        })
        .collect();
    for (at, index) in indexes.iter().enumerate() {
        let mut stays = indexes.iter().enumerate().filter(|(other, _)| !goes[*other]);
        let by = stays.find_map(|(other, by)| {
            makes_needless(table, (at, index), (other, by)).map(|kind| (*by, kind))
        });
        if let Some((by, kind)) = by.filter(|_| goes[at]) {
            let mut keys = table.foreign_keys.iter();
            let is_needed_by_foreign_key =
                keys.any(|key| supports(index, &key.columns) && !supports(by, &key.columns));
            found.push(Redundant { index, by, kind, is_needed_by_foreign_key });
        } else if let Some((by, parts)) = primary_suffix(table, index) {
            let kind = Redundancy::PrimarySuffix(parts);
            found.push(Redundant { index, by, kind, is_needed_by_foreign_key: false });
        }
    }
    found
}

/// Whether the first index does nothing that the second does not do. Of equal ones the one that
/// promises less goes, or else the later one.
fn makes_needless(
    table: &Table,
    (at, index): (usize, &Index),
    (other, by): (usize, &Index),
) -> Option<Redundancy> {
    let is_full_text = index.kind == IndexKind::FullText;
    let same_kind = table.method(index) == table.method(by)
        && is_full_text == (by.kind == IndexKind::FullText)
        && (index.kind == IndexKind::Vector) == (by.kind == IndexKind::Vector);
    if !same_kind {
        return None;
    }
    let is_duplicate = match is_full_text {
        true => same_columns(index, by),
        false => index.parts.len() == by.parts.len() && begins(by, index, false),
    };
    if is_duplicate {
        let rank = |index: &Index, at: usize| {
            let promise = match index.kind {
                IndexKind::Primary => 0,
                IndexKind::Unique => 1,
                _ => 2,
            };
            (promise, at)
        };
        return (rank(index, at) > rank(by, other)).then_some(Redundancy::Duplicate);
    }
    let may_be_shorter =
        index.kind == IndexKind::Plain && table.method(index) == Some(Method::BTree);
    (may_be_shorter && begins(by, index, true)).then_some(Redundancy::LeftPrefix)
}

/// Whether the first parts of `long` are those of `short`, in the same directions or all reversed.
/// If `may_shorten`, the last one of `short` may be a shorter prefix.
fn begins(long: &Index, short: &Index, may_shorten: bool) -> bool {
    if short.parts.is_empty() || short.parts.len() > long.parts.len() {
        return false;
    }
    let is_reversed = short.parts[0].is_descending != long.parts[0].is_descending;
    let last = short.parts.len() - 1;
    short.parts.iter().zip(&long.parts).enumerate().all(|(at, (own, other))| {
        let same = match (&own.on, &other.on) {
            (PartOf::Column(own), PartOf::Column(other)) => same_name(own, other),
            (PartOf::Expression(own), PartOf::Expression(other)) => own == other,
            _ => false,
        };
        let is_shorter =
            own.prefix.is_some() && other.prefix.is_none_or(|it| own.prefix < Some(it));
        same && (own.is_descending != other.is_descending) == is_reversed
            && (own.prefix == other.prefix || (may_shorten && at == last && is_shorter))
    })
}

fn same_columns(one: &Index, other: &Index) -> bool {
    let names = |index: &Index| -> HashSet<String> {
        index.parts.iter().filter_map(|part| part.column_name().map(str::to_lowercase)).collect()
    };
    one.parts.len() == other.parts.len() && names(one) == names(other)
}

/// The clustering key, if the index ends in all of its parts, and how many those are.
fn primary_suffix<'t>(table: &'t Table, index: &Index) -> Option<(&'t Index, usize)> {
    let clustering = table.clustering_key().filter(|_| table.is_innodb())?;
    let parts = clustering.parts.len();
    if index.kind != IndexKind::Plain || index.parts.len() <= parts {
        return None;
    }
    let tail = &index.parts[index.parts.len() - parts..];
    let is_same = tail.iter().zip(&clustering.parts).all(|(own, part)| {
        part.column_name().is_some_and(|name| own.is_column(name))
            && own.prefix == part.prefix
            && own.is_descending == part.is_descending
    });
    is_same.then_some((clustering, parts))
}

#[cfg(test)]
mod tests {
    use super::super::Schema;
    use super::*;

    fn table(elements: &str) -> Table {
        let text = format!("CREATE TABLE t ({elements});");
        let (schema, problems) = Schema::read(text.as_bytes(), "t.sql");
        assert_eq!(problems, [], "{text}");
        schema.table(None, "t").unwrap().clone()
    }

    const COLUMNS: &str = "id int not null primary key, a int, b int, c int, s varchar(99), t text";

    #[track_caller]
    fn served(keys: &str, wanted: Wanted<'_>, want: Option<(&str, usize, bool, bool)>) {
        let table = table(&format!("{COLUMNS}, {keys}"));
        let got = best(&table, wanted);
        let got =
            got.map(|(index, it)| (index.name.as_str(), it.equal, it.has_range, it.is_ordered));
        assert_eq!(got, want, "{keys}");
    }

    #[test]
    fn equalities_come_in_any_order_and_without_gap() {
        let ab = Wanted { equal: &["B", "a"], ..Wanted::default() };
        served("key k (a, b, c), key l (b)", ab, Some(("k", 2, false, false)));
        served("key k (a, c, b), key l (c)", ab, Some(("k", 1, false, false)));
        served("key k (c, a, b)", ab, None);
        served("key k (a, b) invisible, key l (a)", ab, Some(("l", 1, false, false)));
        served("key k ((a + b)), fulltext f (t)", ab, None);
    }

    #[test]
    fn a_range_or_an_order_follows() {
        let range = Wanted { equal: &["a"], ranges: &["b"], order: &[] };
        served("key k (a, b), key l (a)", range, Some(("k", 1, true, false)));
        served("key k (b, a)", range, Some(("k", 0, true, false)));
        let order = Wanted { equal: &["a"], ranges: &[], order: &[("b", true), ("c", true)] };
        served("key k (a, b, c)", order, Some(("k", 1, false, true)));
        served("key k (a, b desc, c)", order, Some(("k", 1, false, false)));
        served("key k (b, c)", order, Some(("k", 0, false, true)));
        served("key k (b, a, c)", order, Some(("k", 0, false, true)));
        // InnoDB appends the primary key.
        let by_id = Wanted { equal: &["a"], ranges: &[], order: &[("id", true)] };
        served("key k (a)", by_id, Some(("k", 1, false, true)));
        let text = Wanted { equal: &[], ranges: &[], order: &[("s", false)] };
        served("key k (s(10))", text, None);
    }

    #[test]
    fn a_hash_needs_all_parts() {
        let table = |wanted: Wanted<'_>| {
            let text = "CREATE TABLE t (a int, b int, KEY k (a, b)) ENGINE=MEMORY;";
            let schema = Schema::read(text.as_bytes(), "t.sql").0;
            best(schema.table(None, "t").unwrap(), wanted).map(|(_, service)| service.equal)
        };
        assert_eq!(table(Wanted { equal: &["a"], ..Wanted::default() }), None);
        assert_eq!(table(Wanted { equal: &["a", "b"], ..Wanted::default() }), Some(2));
    }

    #[test]
    fn what_is_held_is_covered() {
        let table = table(&format!("{COLUMNS}, key k (a, b), key s (s(10)), unique u (c)"));
        let index = |name| table.index(name).unwrap();
        for (name, columns, want) in [
            ("k", &["A", "b"][..], true),
            ("k", &["a", "id"], true),
            ("u", &["c", "id"], true),
            ("k", &["c"], false),
            ("s", &["s"], false),
            ("PRIMARY", &["a", "b", "t"], true),
        ] {
            assert_eq!(covers(&table, index(name), columns), want, "{name} {columns:?}");
        }
    }

    /// Each finding as `index < by`, `=` for duplicates, `~` for a suffix.
    #[track_caller]
    fn needless(keys: &str, want: &[&str]) {
        let table = table(&format!("{COLUMNS}, {keys}"));
        let line = |it: &Redundant<'_>| {
            let sign = match it.kind {
                Redundancy::Duplicate => "=",
                Redundancy::LeftPrefix => "<",
                Redundancy::PrimarySuffix(_) => "~",
            };
            let guard = if it.is_needed_by_foreign_key { " needed" } else { "" };
            format!("{} {sign} {}{guard}", it.index.name, it.by.name)
        };
        assert_eq!(redundant(&table).iter().map(line).collect::<Vec<_>>(), want, "{keys}");
    }

    #[test]
    fn left_prefixes_are_redundant_unless_unique() {
        needless("key k (a), key l (a, b)", &["k < l"]);
        needless("key k (a), key l (a, b), key m (a, b, c)", &["k < m", "l < m"]);
        needless("unique u (a), key l (a, b)", &[]);
        needless("key k (b), key l (a, b)", &[]);
        needless("key k (a desc), key l (a, b)", &["k < l"]);
        needless("key k (a, b), key l (a desc, b, c)", &[]);
        needless("key k (a) invisible, key l (a, b)", &[]);
    }

    #[test]
    fn prefixes_of_columns_count() {
        needless("key k (s(10)), key l (s)", &["k < l"]);
        needless("key k (s(10)), key l (s(20), a)", &["k < l"]);
        needless("key k (s(20)), key l (s(10), a)", &[]);
        needless("key k (s(10), a), key l (s, a, b)", &[]);
        needless("key k (s(99)), key l (s)", &["l = k"]);
    }

    #[test]
    fn of_equal_ones_the_later_or_the_weaker_goes() {
        needless("key k (a), key l (a)", &["l = k"]);
        needless("key k (a), unique u (a)", &["k = u"]);
        needless("unique u (id)", &["u = PRIMARY"]);
        needless("key k (a), key l (a), key m (a)", &["l = k", "m = k"]);
        needless("fulltext f (s, t), fulltext g (t, s)", &["g = f"]);
        needless("fulltext f (s), fulltext g (s, t)", &[]);
        needless("key k ((a + 1)), key l ((a + 1), b)", &["k < l"]);
    }

    #[test]
    fn the_primary_key_is_appended_anyway() {
        needless("key k (a, id)", &["k ~ PRIMARY"]);
        needless("key k (a, id), key l (a, id, b)", &["k < l"]);
        needless("key k (id, a)", &[]);
    }

    #[test]
    fn every_index_that_goes_has_one_that_stays() {
        // k goes for l, l goes for u: k must name one that stays.
        needless("key k (a), key l (a, b), unique u (a, b)", &["k < u", "l = u"]);
    }
}
