//! Whether what the log shows explains what a monitor showed.

use super::{Ground, Link, Verdict};
use crate::advice::workload::case::{Case, ranged, seconds, short};
use crate::advice::workload::coverage;
use crate::advice::{Class, Fact, Severity};
use crate::plan::{Amount, Plan};
use crate::server::monitor::{Figure, Range};
use crate::sql::fingerprint::ClassId;
use crate::sql::token::{Kind, tokens};

/// Percent of the least figure from which on it counts as explained.
const ENOUGH: u64 = 80;
/// Seconds between two samples that tell a rate.
const LEAST_INTERVAL: u64 = 10;

/// A figure of a monitor, or of two samples of counters added up.
fn seen(case: &Case<'_>, figure: Figure, counters: &[&str]) -> Option<Range> {
    case.facts.monitor.get(figure).or_else(|| {
        let window = case.facts.status.window().filter(|it| it.is_interval())?;
        coverage::are_of_log(case).then_some(())?;
        let length = Some(window.seconds).filter(|it| *it >= LEAST_INTERVAL)?;
        let grown = counters.iter().map(|name| window.grown(name));
        let sum = { grown }.try_fold(0_u64, |sum, own| Some(sum.saturating_add(own?)))?;
        Some(Range::of(Amount::whole(sum).ratio(Amount::whole(length))?))
    })
}

/// Whether a class sorts, and how many rows in all: by the log, or else by its plans.
struct Sorting {
    id: ClassId,
    /// Sorts of all calls.
    sorts: u64,
    /// Rows sorted by all calls, where that is told.
    rows: Option<Amount>,
    /// Only a plan says so.
    is_planned: bool,
}

fn sorting(class: &Class<'_>) -> Option<Sorting> {
    let id = class.id;
    let measured = class.measured.as_ref();
    if let Some(sorts) = measured.and_then(|own| own.sorts) {
        let rows = measured.and_then(|own| own.sorted_rows).map(Amount::whole);
        return (sorts > 0).then_some(Sorting { id, sorts, rows, is_planned: false });
    }
    let plan = class.plans.iter().find(|plan| has_sort(plan))?;
    let calls = Amount::whole(class.calls);
    let rows = plan.estimate().map(|estimate| estimate.rows_sorted.times(calls));
    Some(Sorting { id, sorts: class.calls, rows, is_planned: true })
}

fn has_sort(plan: &Plan) -> bool {
    plan.all_nodes().iter().any(|node| {
        let is_step = node.operation.as_deref().is_some_and(|step| step.starts_with("Sort"));
        is_step || node.extra.iter().any(|extra| extra.contains("filesort"))
    })
}

/// Whether a statement has words that may make a sort.
fn may_sort(text: &str) -> bool {
    let text = text.as_bytes();
    let words: [&[u8]; 3] = [b"order", b"group", b"distinct"];
    tokens(text).any(|token| {
        let own = token.of(text);
        token.kind == Kind::Word && words.iter().any(|word| word.eq_ignore_ascii_case(own))
    })
}

/// What is known of the sorts of a log.
struct Sorts {
    /// Classes that sort, most first.
    known: Vec<Sorting>,
    /// Calls of classes that may, by their words.
    may: u64,
}

impl Sorts {
    fn of(case: &Case<'_>) -> Sorts {
        let mut sorts = Sorts { known: Vec::new(), may: 0 };
        for class in &case.workload.classes {
            let is_told = class.measured.as_ref().is_some_and(|own| own.sorts.is_some());
            match sorting(class) {
                Some(own) => sorts.known.push(own),
                None if !is_told && class.plans.is_empty() && may_sort(class.sample()) => {
                    sorts.may = sorts.may.saturating_add(class.calls);
                }
                None => {}
            }
        }
        sorts.known.sort_by_key(|own| (std::cmp::Reverse(own.sorts), own.id));
        sorts
    }
}

/// Whether the classes of the log make the sorts that were seen.
pub fn sorts(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let told = seen(case, Figure::Sorts, &["sort_range", "sort_scan"])?;
    let Sorts { known, may } = Sorts::of(case);
    let all = known.iter().map(|own| own.sorts).fold(0, u64::saturating_add);
    let (rate, may_rate) = (case.per_second(all)?, case.per_second(may)?);
    let claim = format!("The log explains {} sorts a second", ranged(told));
    let each = known
        .iter()
        .take(LISTED)
        .filter_map(|own| Some(format!("0x{} {}", own.id, short(case.per_second(own.sorts)?))));
    let each: Vec<String> = each.collect();
    let mut because = match known.is_empty() {
        true => "no class of the log is known to sort".to_owned(),
        false => format!(
            "the classes that sort do so {} times a second ({})",
            short(rate),
            each.join(", ")
        ),
    };
    if may > 0 {
        because
            .push_str(&format!("; those that may, by their words, run {} times", short(may_rate)));
    }
    let facts = |link: Link| {
        link.with([
            Fact::number("sorts_per_second_least", told.low),
            Fact::number("sorts_per_second_most", told.high),
            Fact::number("sorts_per_second_of_log", rate),
        ])
    };
    let enough = told.low.percent(Amount::whole(ENOUGH));
    if rate >= enough {
        return Some(facts(Link::new(Verdict::Holds, claim, because)));
    }
    if rate.plus(may_rate) >= enough {
        let link = Link::new(Verdict::Open, claim, because);
        return Some(facts(
            link.then("EXPLAIN of the classes with ORDER BY, GROUP BY or DISTINCT (--plans)"),
        ));
    }
    let part = percent_of(rate.plus(may_rate), told.low);
    let because = format!("{because}: {part} of them at most");
    let link = Link::new(Verdict::Fails, claim, because)
        .ruling_out("a remedy for these sorts as a remedy for that figure")
        .then("statements that are not in this log: log all of some minutes");
    Some(facts(link))
}

/// Classes that are told one by one.
const LISTED: usize = 3;

fn percent_of(part: Amount, whole: Amount) -> String {
    let share = part.ratio(whole).map(|it| it.times(Amount::whole(100)));
    share.map_or(String::new(), |share| format!("{} %", short(share)))
}

/// Whether the classes of the log sort the rows that were seen.
pub fn sorted_rows(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let told = seen(case, Figure::SortedRows, &["sort_rows"])?;
    let Sorts { known, may } = Sorts::of(case);
    let claim = format!("The log explains {} sorted rows a second", ranged(told));
    // A sum with an unknown part is no sum.
    let mut rows = known.iter().map(|own| own.rows);
    let rows = rows.try_fold(Amount::ZERO, |sum, rows| Some(sum.plus(rows?)));
    let Some(rows) = rows else {
        let because = "how many rows each class sorts is not in the log";
        let link = Link::new(Verdict::Open, claim, because);
        return Some(link.then("EXPLAIN of the classes that sort (--plans)"));
    };
    let rate = rows.ratio(seconds(case.active_micros()?))?;
    let is_planned = known.iter().any(|own| own.is_planned);
    let by = if is_planned { ", by their plans" } else { "" };
    let because = match known.is_empty() {
        true => "no class of the log is known to sort".to_owned(),
        false => format!("its sorts take {} rows a second{by}", short(rate)),
    };
    let facts = |link: Link| {
        link.with([
            Fact::number("sorted_rows_per_second_least", told.low),
            Fact::number("sorted_rows_per_second_most", told.high),
            Fact::number("sorted_rows_per_second_of_log", rate),
        ])
    };
    if rate >= told.low.percent(Amount::whole(ENOUGH)) {
        return Some(facts(Link::new(Verdict::Holds, claim, because)));
    }
    let because = match known.is_empty() {
        true => because,
        false => format!("{because}: {} of them", percent_of(rate, told.low)),
    };
    let sorts = seen(case, Figure::Sorts, &["sort_range", "sort_scan"]);
    let each = sorts.and_then(|sorts| told.high.ratio(sorts.high));
    let each = each.map_or(String::new(), |it| {
        format!("; those that were seen take some {} rows each", short(it))
    });
    let because = format!("{because}{each}");
    let verdict = if may > 0 { Verdict::Open } else { Verdict::Fails };
    let link = Link::new(verdict, claim, because);
    Some(facts(match verdict {
        Verdict::Open => {
            link.then("EXPLAIN of the classes with ORDER BY, GROUP BY or DISTINCT (--plans)")
        }
        _ => link.then("statements that are not in this log: log all of some minutes"),
    }))
}

/// What busy processors mean, given what the log says of locks.
pub fn processors(ground: &Ground<'_>) -> Option<Link> {
    const BUSY: u64 = 90;
    const IDLE: u64 = 50;
    let case = &ground.case;
    let told = case.facts.monitor.get(Figure::Cpu)?;
    let at_once = Amount::whole(case.micros_outside_routines()?);
    let at_once = at_once.ratio(Amount::whole(case.active_micros()?))?;
    let mut of_locks = ground.findings.iter().filter(|finding| finding.rule == "WORK006");
    let is_locked = of_locks.clone().any(|finding| finding.severity > Severity::Info);
    let is_ruled_out = of_locks.any(super::time::counts_rows);
    let locks = if is_ruled_out { ", locks ruled out" } else { "" };
    let because =
        format!("processors {} % busy, {} statements at once{locks}", ranged(told), short(at_once));
    let facts = [Fact::number("cpu_percent_least", told.low), Fact::number("concurrency", at_once)];
    if told.low >= Amount::whole(BUSY) && !is_locked {
        let link =
            Link::new(Verdict::Holds, "Statements compute or queue for a processor", because)
                .ruling_out("faster disks and more memory as a first remedy")
                .then("fewer rows examined: indexes and rewrites of the classes above");
        return Some(link.with(facts));
    }
    let waits = told.high < Amount::whole(IDLE) && at_once >= Amount::whole(2) && is_ruled_out;
    waits.then(|| {
        Link::new(Verdict::Holds, "Statements wait, and not for locks or processors", because)
            .ruling_out("more processors as a remedy")
            .then("disk and network: InnoDB read waits in the log, vmstat, the size of results")
            .with(facts)
    })
}
