//! One run over EXPLAIN output: inputs, statements and a schema in, a review of their plans out.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::advice::plan::{self as advice, Case, key_parts};
use crate::digest::{Options, fingerprint_of};
use crate::error::Error;
use crate::logs::guess;
use crate::logs::statements::statements;
use crate::plan::{self, Plan};
use crate::problem::{Kind, Origin, Problem, Problems};
use crate::report::Report;
use crate::report::plans::{ClassPlan, Input, PlanWithoutClass, Review, Reviewed};
use crate::schema::Schema;
use crate::source::{self, Compression};
use crate::sql::token::tokens;

use super::server_facts::Text;

/// Bytes of an input that are read. A plan has some kilobytes; this is a log given by mistake.
const MOST: u64 = 256 * 1024 * 1024;

/// What is given besides the plans.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// Text of the statements that the plans belong to, in order.
    pub statements: Option<&'a [u8]>,
    /// The tables.
    pub schema: Option<&'a Schema>,
}

/// Reads the plans of all inputs and judges them; no input is standard input.
///
/// Errors: an input that is not there, not readable or a directory; not one plan in inputs that
/// are not empty.
pub fn review(
    paths: &[PathBuf],
    given: Given<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<Review, Error> {
    let standard_input = [PathBuf::from("-")];
    let paths = if paths.is_empty() { &standard_input } else { paths };
    let mut review = Review::default();
    let mut without = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let (input, text) = read(path, number as u32, stop)?;
        without.extend(add(&mut review, input, &text));
    }
    if review.plans.is_empty() && !without.is_empty() {
        return Err(Error::NoEvent(without.join("; ")));
    }
    if let Some(text) = given.statements {
        name_statements(&mut review, text);
    }
    judge(&mut review, given.schema);
    Ok(review)
}

/// Judges the plans of a text that was read already.
pub(super) fn review_text(text: &Text, given: Given<'_>) -> Review {
    let mut review = Review::default();
    let input = Input {
        name: text.name.clone(),
        compression: None,
        bytes: text.bytes.len() as u64,
        plans: 0,
        problems: Vec::new(),
        looks: "",
    };
    add(&mut review, input, &text.bytes);
    judge(&mut review, given.schema);
    review
}

/// Adds the plans of an input; says what it is where it holds something else.
fn add(review: &mut Review, mut input: Input, text: &[u8]) -> Option<String> {
    let number = review.inputs.len();
    let found = plan::read(text, number as u32);
    input.plans = found.plans.len();
    input.problems.extend(found.problems.of(number as u32).cloned());
    let is_other = found.plans.is_empty() && !text.is_empty();
    if is_other {
        input.looks = looks(text);
    }
    let without =
        is_other.then(|| format!("no EXPLAIN output in {}: {}", input.name, told(&input, text)));
    let reviewed = |plan| Reviewed { input: number, plan, findings: Vec::new() };
    review.plans.extend(found.plans.into_iter().map(reviewed));
    review.inputs.push(input);
    without
}

/// Fills in what the schema tells of each plan, and lets the rules look at it.
fn judge(review: &mut Review, schema: Option<&Schema>) {
    for Reviewed { input, plan, findings } in &mut review.plans {
        if let (Some(schema), Some(input)) = (schema, review.inputs.get_mut(*input)) {
            let refusals = key_parts::fill(plan, schema);
            let room = Problems::MOST.saturating_sub(input.problems.len());
            input.problems.extend(refusals.into_iter().take(room).map(|(line, refusal)| Problem {
                origin: Origin::default(),
                kind: Kind::UnreadValue,
                detail: format!("line {line}: {refusal}"),
                text: String::new(),
            }));
        }
        // What is missing of a cut print might be what speaks for the plan, or against it.
        if !plan.is_cut() {
            *findings = advice::review(&Case { schema, ..Case::new(plan) });
        }
    }
}

/// The plain text of an input, as far as it can be read.
fn read(path: &Path, number: u32, stop: &Arc<AtomicBool>) -> Result<(Input, Vec<u8>), Error> {
    let source = source::open(path, stop, 1)?;
    let mut text = Vec::new();
    let failure = source.reader.take(MOST).read_to_end(&mut text).err();
    if let (Some(failure), true) = (&failure, text.is_empty()) {
        let failure = std::io::Error::new(failure.kind(), failure.to_string());
        return Err(Error::Read { name: source.name, offset: 0, source: failure });
    }
    let offset = text.len() as u64;
    let problem = |kind, detail: String| Problem {
        origin: Origin { source: number, offset },
        kind,
        detail,
        text: String::new(),
    };
    let mut problems = Vec::new();
    problems.extend(failure.map(|failure| problem(Kind::Unreadable, failure.to_string())));
    if offset == MOST {
        problems.push(problem(Kind::TooLong, "what is behind 256 MiB was not read".to_owned()));
    }
    let compression = match source.compression {
        Compression::None => None,
        other => Some(other.to_string()),
    };
    let input =
        Input { name: source.name, compression, bytes: offset, plans: 0, problems, looks: "" };
    Ok((input, text))
}

/// What a text without a plan looks like.
fn looks(text: &[u8]) -> &'static str {
    let is_log = memchr::memmem::find(text, b"# Query_time: ").is_some();
    match plan::looks_like_plan(text) {
        _ if is_log => "it looks like a slow query log; see `adagio digest`",
        true => "it looks like EXPLAIN output that is cut or changed",
        false => guess::looks(text),
    }
}

fn told(input: &Input, text: &[u8]) -> String {
    match input.problems.first().filter(|_| plan::looks_like_plan(text)) {
        Some(problem) => problem.detail.clone(),
        None => input.looks.to_owned(),
    }
}

/// Gives plans to the classes of a log, by the statement or the query ID that stands with them.
pub(super) fn attach(
    report: &mut Report,
    review: Review,
    options: &Options,
    schema: Option<&Schema>,
) {
    let names_ids = review.plans.iter().any(|reviewed| reviewed.plan.query_id.is_some());
    let by_id = if names_ids { by_id(report) } else { ById::new() };
    for Reviewed { input, plan, findings } in review.plans {
        let source = review.inputs.get(input).map_or(String::new(), |input| input.name.clone());
        match class_of(report, &by_id, &plan, options) {
            Ok(class) => {
                report.plans.push(ClassPlan { class, source, logged_at: None, plan, findings });
            }
            Err(reason) => {
                let line = plan.line;
                report.plans_without_class.push(PlanWithoutClass { source, line, reason });
            }
        }
    }
    if let Some(schema) = schema {
        // What does not add up is told of the files, above; a log has many plans of few forms.
        for of in report.plans.iter_mut().filter(|of| of.logged_at.is_some()) {
            key_parts::fill(&mut of.plan, schema);
        }
    }
    report.plan_inputs = review.inputs;
    report.judge_plans(schema);
}

/// Classes by the last 16 digits of their IDs.
type ById = HashMap<String, usize>;

fn by_id(report: &Report) -> ById {
    let classes = 0..report.digest.keys.len();
    classes.map(|class| (report.id_of(class).to_string().split_off(16), class)).collect()
}

/// The class of a plan, or why it has none.
fn class_of(
    report: &Report,
    by_id: &ById,
    plan: &Plan,
    options: &Options,
) -> Result<usize, &'static str> {
    if let Some(id) = &plan.query_id {
        let class = by_id.get(id.get(id.len().saturating_sub(16)..).unwrap_or_default()).copied();
        let is_meant = |class: &usize| report.id_of(*class).to_string().ends_with(id.as_str());
        return class.filter(is_meant).ok_or("no class has its query ID");
    }
    let Some(query) = &plan.query else { return Err("no statement or query ID stands with it") };
    let key = fingerprint_of(query.as_bytes(), options);
    report.digest.class_of(&key).ok_or("no event has its statement")
}

/// Whether a statement has the name of at least one table of a plan, or the plan names none. What
/// is read through a view bears the name that the table has there.
fn mentions(statement: &[u8], plan: &Plan) -> bool {
    let words: HashSet<String> = tokens(statement)
        .map(|token| {
            let word = String::from_utf8_lossy(token.of(statement));
            word.trim_matches(['`', '"']).replace("``", "`").to_lowercase()
        })
        .collect();
    let nodes = plan.all_nodes();
    let mut tables = nodes.iter().filter_map(|node| node.table.as_deref());
    let mut tables = tables.by_ref().filter(|table| !table.starts_with('<')).peekable();
    tables.peek().is_none() || tables.any(|table| words.contains(&table.to_lowercase()))
}

/// Gives each plan its statement. Statements that no plan is made of do not count.
fn name_statements(review: &mut Review, text: &[u8]) {
    // The first word: comments may stand before it.
    let is_word = |statement: &[u8], words: &[&str]| {
        let word = tokens(statement).next().map_or(&[][..], |token| token.of(statement));
        words.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes()))
    };
    let mut set_switch: Option<String> = None;
    let mut given = statements(text).filter_map(|statement| {
        if is_word(statement, &["set"]) {
            let set = String::from_utf8_lossy(statement).into_owned();
            if set.to_ascii_lowercase().contains("optimizer_switch") {
                set_switch = Some(set);
            }
            return None;
        }
        (!is_word(statement, &["use", "show"])).then(|| (statement, set_switch.clone()))
    });
    for Reviewed { plan, .. } in &mut review.plans {
        match given.next() {
            Some((statement, _)) if !mentions(statement, plan) => review.statements_of_others += 1,
            Some((statement, set_switch)) => {
                plan.set_switch = set_switch;
                let statement = plan::without_explain(statement);
                plan.query = Some(String::from_utf8_lossy(statement).into_owned());
            }
            None => review.plans_without_statement += 1,
        }
    }
    review.statements_without_plan = given.count();
}
