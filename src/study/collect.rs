//! What is to be gathered on a server: for a log, the tables that it touches and the plans of the
//! classes that take most of its time.

mod explainable;

use std::collections::BTreeMap;
use std::collections::HashSet;

use crate::digest::class::ClassDigest;
use crate::digest::sample::Sample;
use crate::digest::tables_in;
use crate::metric;
use crate::report::Report;
use crate::report::collect::{Explained, Table};

use explainable::explainable;

/// Tables that are asked for one by one.
const MOST_TABLES: usize = 1_000;

/// What a log tells to gather.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfLog {
    /// Its tables, those of the greatest classes first.
    pub tables: Vec<Table>,
    /// The worst statement of each class that is shown.
    pub statements: Vec<Explained>,
    /// What is left out: why, and of how many classes or tables.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// Looks at the classes of a report; without `explains` at their tables only.
#[must_use]
pub fn of_log(report: &Report, explains: bool) -> OfLog {
    let mut of_log = OfLog::default();
    let mut seen = HashSet::new();
    let shown = report.profile.shown.iter().map(|ranked| ranked.class);
    let rest = (0..report.digest.classes.len()).filter(|place| report.has_statement(*place));
    for place in shown.clone().chain(rest) {
        let Some(class) = report.digest.classes.get(place).filter(|_| report.has_statement(place))
        else {
            continue;
        };
        of_log.add_tables(report, class, &mut seen);
    }
    for place in shown.filter(|place| explains && report.has_statement(*place)) {
        match explained(report, place) {
            Ok(statement) => of_log.statements.push(statement),
            Err(why) => *of_log.left_out.entry(why).or_default() += 1,
        }
    }
    of_log
}

impl OfLog {
    fn add_tables(
        &mut self,
        report: &Report,
        class: &ClassDigest,
        seen: &mut HashSet<(Option<Vec<u8>>, Vec<u8>)>,
    ) {
        let Some(sample) = &class.samples.worst else { return };
        let tables = match &sample.whole {
            Some(whole) => whole.tables.clone(),
            None => tables_in(&sample.statement, report.rules),
        };
        for table in tables {
            let db = table.database.or_else(|| sample.database.as_deref().map(<[u8]>::to_vec));
            if !seen.insert((db.clone(), table.name.clone())) {
                continue;
            }
            let refused = match db {
                _ if self.tables.len() >= MOST_TABLES => Some("tables: there are too many"),
                None => Some("tables: the log does not tell their database"),
                Some(db) if is_system(&db) => None,
                Some(db) => match Table::new(&db, &table.name) {
                    Some(table) => {
                        self.tables.push(table);
                        None
                    }
                    None => Some("tables: their names have quotes or control characters"),
                },
            };
            if let Some(why) = refused {
                *self.left_out.entry(why).or_default() += 1;
            }
        }
    }
}

/// Whether a database is the server's own.
fn is_system(db: &[u8]) -> bool {
    crate::report::collect::SYSTEM.iter().any(|own| db.eq_ignore_ascii_case(own.as_bytes()))
}

/// The statement that stands for a class: the worst, or one near the median where that is cut.
fn explained(report: &Report, place: usize) -> Result<Explained, &'static str> {
    let class = report.digest.classes.get(place).ok_or("it has no statement")?;
    let figures = report.order_figures(class, report.rules);
    let near = figures.map(|figures| [figures.pct_95, figures.median]).into_iter().flatten();
    let near = near.filter_map(|value| class.samples.near(value));
    let mut samples = class.samples.worst.clone().into_iter().chain(near);
    let whole = samples.find(|it: &Sample| !it.is_cut()).ok_or("it is cut")?;
    let text = explainable(&whole.statement)?;
    let names_all = || {
        let tables = tables_in(&whole.statement, report.rules);
        tables.iter().all(|table| table.database.is_some())
    };
    let database = match whole.database.as_deref() {
        Some(name) => Some(
            crate::report::collect::name(name)
                .ok_or("the name of its database has quotes or control characters")?,
        ),
        None if names_all() => None,
        None => return Err("the log does not tell its database"),
    };
    let totals = class.totals(&report.digest.places, metric::QUERY_TIME);
    let micros = totals.and_then(|totals| u64::try_from(totals.sum).ok());
    Ok(Explained { id: report.id_of(place), micros, database, text })
}
