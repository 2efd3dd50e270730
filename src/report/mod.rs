//! What a run found, complete and unformatted, and the formats in which it is written.

pub mod advice;
pub mod cell;
pub mod collect;
pub mod findings;
pub mod json;
pub mod ndjson;
pub mod plans;
pub mod profile;
pub mod rules;
pub mod text;

use std::borrow::Cow;

use crate::advice::plan::{Case, review};
use crate::advice::{Finding, load};
use crate::digest::class::{ClassDigest, Estimate, RATE_TYPE, quantity_kind};
use crate::digest::names::USUAL;
use crate::digest::stat::{Figures, Rules, Stat};
use crate::digest::tally::Tally;
use crate::digest::{Digest, Group, SourceTally, item_of, tables_in};
use crate::logs::slow::{Offsets, Tally as InputTally};
use crate::metric::{self, Kind, MetricId};
use crate::plan::of_log_lines;
use crate::problem::{Problem, Problems};
use crate::schema::Schema;
use crate::sql::distill::TableName;
use crate::sql::fingerprint::{ClassId, collapse_digits};
use crate::sql::pt;
use crate::time::{Timestamp, Zone};

use plans::{ClassPlan, PlanWithoutClass};
use profile::{Order, Profile, Rates, Why};

/// Version of the fingerprint rules of the default mode.
pub const FINGERPRINT_RULES: &str = "1";
/// What stands in its place with `--compat pt`.
pub const PEER_RULES: &str = "pt-3.7.1";

/// One input.
#[derive(Debug)]
pub struct Input {
    /// As the user gave it.
    pub name: String,
    /// What it is: `slowlog`.
    pub kind: &'static str,
    /// How it was packed, if it was.
    pub compression: Option<String>,
    /// What its bytes were.
    pub tally: InputTally,
    /// What it looks like, for an input without an event.
    pub looks: &'static str,
    /// What its events told.
    pub events: SourceTally,
    /// What could not be read, first ones first.
    pub problems: Vec<Problem>,
}

/// How the report is to look.
#[derive(Debug, Clone)]
pub struct Look {
    /// Figures and layout as the peer's.
    pub rules: Rules,
    /// Samples are shown as fingerprints.
    pub redact: bool,
    /// Digits of a query ID that are shown: 32 or 16.
    pub id_length: usize,
    /// Zone of printed times.
    pub zone: Zone,
    /// Whether charts are drawn.
    pub histogram: bool,
    /// Whether colour is used.
    pub colour: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            rules: Rules::Default,
            redact: false,
            id_length: 32,
            zone: Zone::UTC,
            histogram: true,
            colour: false,
        }
    }
}

/// Everything a reader may see.
#[derive(Debug)]
pub struct Report {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The classes and their names.
    pub digest: Digest,
    /// Which are shown.
    pub profile: Profile,
    /// By what they are ordered.
    pub order: Order,
    /// By what events are grouped.
    pub group: Group,
    /// The run was stopped before its end.
    pub partial: bool,
    /// Classes that would be left if digits of names were folded, where that is fewer.
    pub folded: Option<usize>,
    /// Whether runs of classes are listed.
    pub timeline: bool,
    /// How figures are computed.
    pub rules: Rules,
    /// Attributes that were left out because the log has too many.
    pub forgotten_names: usize,
    /// Files that plans were read from.
    pub plan_inputs: Vec<plans::Input>,
    /// Plans of classes.
    pub plans: Vec<ClassPlan>,
    /// Plans that were given and belong to no class.
    pub plans_without_class: Vec<PlanWithoutClass>,
    /// What there is to say on the classes that are shown.
    pub counsel: advice::Counsel,
}

/// A numeric attribute of a class or of all.
#[derive(Debug, Clone)]
pub struct Quantity<'a> {
    /// Which.
    pub metric: MetricId,
    /// As the log spells it.
    pub name: &'a [u8],
    /// What its values are.
    pub kind: Kind,
    /// The sums.
    pub stat: Stat,
    /// The figures.
    pub figures: Figures,
}

/// A flag of a class or of all.
#[derive(Debug, Clone, Copy)]
pub struct Flag<'a> {
    /// As the log spells it.
    pub name: &'a [u8],
    /// Events with `Yes`, or with a code that is not zero.
    pub yes: u64,
    /// The others.
    pub no: u64,
}

/// A text attribute of a class.
#[derive(Debug, Clone)]
pub struct Texts<'a> {
    /// Which.
    pub metric: MetricId,
    /// As the log spells it.
    pub name: &'a [u8],
    /// The values.
    pub tally: Cow<'a, Tally>,
}

/// The order in which the peer lists quantities; all others follow by name.
const FIRST: [&[u8]; 14] = [
    b"Query_time",
    b"Exec_orig_time",
    b"Transmit_time",
    b"Lock_time",
    b"Rows_sent",
    b"Rows_examined",
    b"Rows_affected",
    b"Rows_read",
    b"Bytes_sent",
    b"Merge_passes",
    b"Tmp_tables",
    b"Tmp_disk_tables",
    b"Tmp_table_sizes",
    b"bytes",
];

impl Report {
    /// Puts a report together.
    pub fn new(
        mut digest: Digest,
        inputs: Vec<Input>,
        group: Group,
        order: Order,
        rules: Rules,
        choice: impl FnOnce(&Digest) -> Profile,
    ) -> Report {
        digest.sources.resize_with(inputs.len().max(digest.sources.len()), SourceTally::default);
        let profile = choice(&digest);
        let mut report = Report {
            inputs,
            profile,
            order,
            group,
            partial: false,
            folded: None,
            timeline: false,
            rules,
            forgotten_names: 0,
            plan_inputs: Vec::new(),
            plans: Vec::new(),
            plans_without_class: Vec::new(),
            counsel: advice::Counsel::default(),
            digest,
        };
        if report.group == Group::Fingerprint {
            let classes = report.profile.shown.iter().map(|ranked| ranked.class);
            report.plans = classes.filter_map(|class| report.logged_plan(class)).collect();
            report.judge_plans(None);
        }
        report
    }

    /// Lets the rules look at the plans of classes, with what the log knows of these.
    pub fn judge_plans(&mut self, schema: Option<&Schema>) {
        // What is missing of a cut plan would be judged as if it were not there.
        for of in self.plans.iter_mut().filter(|of| !of.plan.is_cut()) {
            let load = load::of_class(&self.digest, of.class);
            let case = Case { schema, load: Some(&load), ..Case::new(&of.plan) };
            of.findings = review(&case);
        }
    }

    /// The plan that the server wrote into the log with the sample of a class.
    fn logged_plan(&self, class: usize) -> Option<ClassPlan> {
        let sample = self.digest.classes[class].samples.worst.as_ref()?;
        Some(ClassPlan {
            class,
            source: self.inputs.get(sample.origin.source as usize)?.name.clone(),
            logged_at: Some(sample.origin.offset),
            plan: of_log_lines(sample.plan.as_ref()?)?,
            findings: Vec::new(),
        })
    }

    /// Counts the classes that would be left with `--collapse-digits`.
    pub fn count_folded(&mut self) {
        let mut keys: Vec<Vec<u8>> =
            self.digest.keys.iter().map(|key| collapse_digits(key)).collect();
        keys.sort_unstable();
        keys.dedup();
        self.folded = (keys.len() < self.digest.keys.len()).then_some(keys.len());
    }

    /// The quantities of a class, in the order in which they are listed.
    pub fn quantities<'a>(&'a self, class: &'a ClassDigest, rules: Rules) -> Vec<Quantity<'a>> {
        let metrics = self.digest.places.metrics().iter().copied();
        let mut rows: Vec<Quantity<'a>> = metrics
            .filter_map(|metric| {
                let stat = class.stat(&self.digest.places, metric)?;
                let kind = quantity_kind(metric);
                let figures = stat.figures(rules, kind)?;
                Some(Quantity {
                    metric,
                    name: self.digest.registry.name(metric),
                    kind,
                    stat,
                    figures,
                })
            })
            .collect();
        rows.sort_by_key(|row| {
            let place = FIRST.iter().position(|name| *name == row.name).unwrap_or(FIRST.len());
            (place, row.name)
        });
        rows
    }

    /// The flags of a class, by name.
    pub fn flags<'a>(&'a self, class: &'a ClassDigest) -> Vec<Flag<'a>> {
        let metrics = self.digest.places.metrics().iter().copied();
        let mut rows: Vec<Flag<'a>> = metrics
            .map(|metric| (metric, class.flags(&self.digest.places, metric)))
            .filter(|(_, flags)| *flags != (0, 0))
            .map(|(metric, (yes, no))| Flag { name: self.digest.registry.name(metric), yes, no })
            .collect();
        rows.sort_by_key(|row| (row.name.to_ascii_lowercase(), row.name));
        rows
    }

    /// The texts of a class, by name.
    pub fn texts<'a>(&'a self, class: &'a ClassDigest) -> Vec<Texts<'a>> {
        let columns = self.digest.places.metrics().iter().copied();
        let columns = columns.filter(|metric| *metric != RATE_TYPE && !USUAL.contains(metric));
        let mut rows: Vec<Texts<'a>> = columns
            .chain(USUAL)
            .filter_map(|metric| {
                let tally = self.digest.tally(class, metric)?;
                Some(Texts { metric, name: self.digest.registry.name(metric), tally })
            })
            .collect();
        rows.sort_by_key(|row| (row.name.to_ascii_lowercase(), row.name));
        rows
    }

    /// The sum of an attribute over all classes.
    pub fn total_of(&self, metric: MetricId) -> i128 {
        self.digest.total.totals(&self.digest.places, metric).map_or(0, |totals| totals.sum)
    }

    /// `Query_time` of a class.
    pub fn time_of(&self, class: &ClassDigest) -> Option<Stat> {
        class.stat(&self.digest.places, metric::QUERY_TIME)
    }

    /// What a class stands for with what sampling left out; `None` where that is nothing.
    pub fn estimate_of(&self, class: &ClassDigest) -> Option<Estimate> {
        let estimate = class.estimate(&self.digest.places);
        (estimate.events != u128::from(class.count)).then_some(estimate)
    }

    /// Rates of a class.
    pub fn rates_of(&self, class: &ClassDigest) -> Option<Rates> {
        profile::rates(class, class.totals(&self.digest.places, metric::QUERY_TIME), self.rules)
    }

    /// Figures of the attribute by which samples were chosen.
    pub fn order_figures(&self, class: &ClassDigest, rules: Rules) -> Option<Figures> {
        let metric =
            profile::metric_of(&self.digest, &self.order.attribute).unwrap_or(metric::QUERY_TIME);
        class.stat(&self.digest.places, metric)?.figures(rules, quantity_kind(metric))
    }

    /// The query ID of a class.
    pub fn id_of(&self, class: usize) -> ClassId {
        ClassId::of(&self.digest.keys[class])
    }

    /// The ID that pt-query-digest gives to the sample of a class.
    pub fn peer_id_of(&self, class: usize, rules: Rules) -> Option<ClassId> {
        if !self.has_statement(class) {
            return None;
        }
        if rules == Rules::Peer {
            return Some(self.id_of(class));
        }
        let sample = self.digest.classes[class].samples.worst.as_ref()?;
        Some(match &sample.whole {
            Some(whole) => whole.peer_id,
            None => ClassId::of(&crate::digest::fingerprint_as_peer(&sample.statement)),
        })
    }

    /// Whether the events of a class are those of one statement.
    pub fn has_statement(&self, class: usize) -> bool {
        self.group == Group::Fingerprint && !self.digest.is_further(class)
    }

    /// The distilled item of a class, or what it is grouped by.
    pub fn item_of(&self, class: usize, rules: Rules) -> Vec<u8> {
        let sample = self.digest.classes[class].samples.worst.as_ref();
        match (&self.group, sample) {
            (Group::Fingerprint, Some(sample)) if !self.digest.is_further(class) => {
                match &sample.whole {
                    Some(whole) => whole.item.clone(),
                    None => item_of(&sample.statement, rules),
                }
            }
            _ => self.digest.keys[class].to_vec(),
        }
    }

    /// The plans of a class.
    pub fn plans_of(&self, class: usize) -> impl Iterator<Item = &ClassPlan> {
        self.plans.iter().filter(move |plan| plan.class == class)
    }

    /// What is found on a class, also where it is found on others as well. What is about a table
    /// alone is of no class.
    pub fn advice_of(&self, class: usize) -> impl Iterator<Item = &Finding> {
        let id = self.has_statement(class).then(|| self.id_of(class));
        self.counsel.advice.findings.iter().filter(move |finding| {
            let (own, all) = (finding.subject.query_id, &finding.queries);
            id.is_some_and(|id| own == Some(id) || own.is_some() && all.contains(&id))
        })
    }

    /// The tables of a class: those of its sample.
    pub fn tables_of(&self, class: usize, rules: Rules) -> Vec<TableName> {
        let digest = &self.digest.classes[class];
        let Some(sample) = digest.samples.worst.as_ref().filter(|_| self.has_statement(class))
        else {
            return Vec::new();
        };
        let tables = match &sample.whole {
            Some(whole) => whole.tables.clone(),
            None => tables_in(&sample.statement, rules),
        };
        let known = self.digest.tally(digest, metric::DATABASE);
        let only = known.and_then(|tally| match tally.ranked().0.as_slice() {
            [(only, _), ..] => Some((*only).into()),
            [] => None,
        });
        let database = sample.database.clone().or(only);
        tables
            .into_iter()
            .map(|table| TableName {
                database: table.database.or_else(|| database.as_deref().map(<[u8]>::to_vec)),
                name: table.name,
            })
            .collect()
    }

    /// The classes that are not shown, as one.
    pub fn rest(&self) -> ClassDigest {
        self.digest.sum(self.profile.rest.iter().map(|class| &self.digest.classes[*class]))
    }

    /// The shortest `Query_time` of an event: what the log left out was shorter.
    pub fn threshold(&self) -> Option<i128> {
        self.time_of(&self.digest.total).map(|stat| stat.min)
    }

    /// The zone in which times are printed: that of the log, where figures are the peer's and the
    /// log has one zone; else the one asked for.
    pub fn zone(&self, look: &Look) -> Zone {
        let offsets = self.inputs.iter().map(|input| input.tally.offsets);
        match offsets.fold(Offsets::None, Offsets::join) {
            Offsets::One(Some(offset)) if look.rules == Rules::Peer => Zone::of_offset(offset),
            _ => look.zone.clone(),
        }
    }

    /// First and last end of a statement.
    pub fn range(&self) -> Option<(Timestamp, Timestamp)> {
        self.digest.total.first().zip(self.digest.total.last())
    }
}

impl Input {
    /// What of the input is in no total, in words.
    pub fn not_counted(&self) -> Vec<String> {
        let count = |count: u64, one: &str, many: &str| {
            let word = if count == 1 { one } else { many };
            (count > 0).then(|| format!("{} {word}", cell::thousands(count)))
        };
        let tally = &self.tally;
        let broken = tally.failure.as_ref().map(|failure| format!("what follows {failure}"));
        [
            count(tally.fragments, "fragment (cut entry)", "fragments (cut entries)"),
            count(self.events.anomalies, "impossible value", "impossible values"),
            count(tally.foreign_lines, "foreign line", "foreign lines"),
            count(tally.skipped_bytes, "byte skipped", "bytes skipped"),
            count(self.events.filtered, "event filtered out", "events filtered out"),
            count(
                self.events.ungrouped,
                "event without what is grouped by",
                "events without what is grouped by",
            ),
            broken,
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Joins what framing and reading found of one input.
    pub fn problems_of(source: u32, framing: &Problems, reading: &Problems) -> Vec<Problem> {
        let mut problems: Vec<Problem> =
            framing.of(source).chain(reading.of(source)).cloned().collect();
        problems.sort();
        problems.truncate(Problems::MOST);
        problems
    }

    /// Type and limit of sampling, if the log names one above 1.
    pub fn sampling(&self) -> Option<Sampling> {
        let sampled = self.events.rates.iter().filter(|((_, limit), _)| *limit > 1);
        let (kind, limit) = sampled.max_by_key(|(_, (events, _))| *events).map(|(rate, _)| rate)?;
        let logged: u64 = self.events.rates.values().map(|(events, _)| events).sum();
        let plain = u128::from(self.events.events.saturating_sub(logged));
        let logged_time: i128 = self.events.rates.values().map(|(_, time)| time).sum();
        let weighed = |each: fn(&(u64, i128)) -> i128| {
            let sums = self.events.rates.iter();
            sums.map(|((_, limit), sum)| each(sum) * (*limit).max(1)).sum::<i128>()
        };
        Some(Sampling {
            kind: kind.clone(),
            limit: *limit,
            differs: self.events.rates.len() > 1,
            estimated_events: weighed(|sum| i128::from(sum.0)) as u128 + plain,
            estimated_query_time: weighed(|sum| sum.1) + self.events.query_time - logged_time,
        })
    }
}

/// How a log was sampled, and what that makes of its totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampling {
    /// `query` or `session`.
    pub kind: Vec<u8>,
    /// One in so many was logged.
    pub limit: i128,
    /// Whether other limits were met too.
    pub differs: bool,
    /// Events with those that were not logged.
    pub estimated_events: u128,
    /// Their `Query_time` in microseconds.
    pub estimated_query_time: i128,
}

/// Whether a class may be explained as it stands: it reads, by its fingerprint.
pub fn is_select(fingerprint: &[u8], rules: Rules) -> bool {
    let text = fingerprint.iter().position(|b| !matches!(b, b'(' | b' '));
    text.is_some_and(|start| fingerprint[start..].starts_with(b"select"))
        // The peer knows no WITH.
        || rules == Rules::Default
            && fingerprint.starts_with(b"with ")
            && item_of(fingerprint, rules).starts_with(b"SELECT")
}

/// A statement that writes as a SELECT of the same rows, for servers that explain nothing else.
pub fn as_select(statement: &[u8], fingerprint: &[u8], rules: Rules) -> Option<Vec<u8>> {
    let begins = |word: &[u8]| fingerprint.starts_with(word);
    let stays = begins(b"insert")
        || begins(b"replace")
        || rules == Rules::Default && begins(b"with ")
        || is_select(fingerprint, rules);
    if stays { None } else { pt::as_select(statement) }
}

/// Why a class is shown, in the words of the peer.
pub fn reason(why: Why) -> &'static str {
    match why {
        Why::Top => "This item is included in the report because it matches --limit.",
        Why::Outlier => "This item is included in the report because it matches --outliers.",
    }
}
