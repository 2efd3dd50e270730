//! One run of advice: a log, or plain statements, or no input at all; what is known besides; and
//! out of that what there is to say.

mod cached;
mod given;
mod logged;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Looked, Progress, Request, Study, look_at, plans_of};
use crate::advice::mask::mask;
use crate::advice::plan::{self as plan_rules, Case};
use crate::advice::query_cache::{self, Simulated};
use crate::advice::{
    self, Action, Advice, Category, Confidence, Fact, Finding, NotChecked, OnLoad, OnServer,
    Severity, Value, Workload,
};
use crate::digest::stat::Rules;
use crate::error::Error;
use crate::logs::guess;
use crate::plan::Plan;
use crate::problem::{Kind as ProblemKind, Origin, Problem};
use crate::report::Report;
use crate::report::advice::{Advised, Counsel, Evidence, Line, Source, Statements};
use crate::report::plans::{PlanWithoutClass, Review};
use crate::schema::{Schema, Server};
use crate::server::ServerFacts;
use crate::source::Compression;
use crate::sql::fingerprint::ClassId;

pub use cached::Cached;
use given::{Pile, WITHOUT_STATEMENT};

/// Bytes of statements that are read of an input. This many are a dump given by mistake.
const MOST: usize = 256 * 1024 * 1024;

/// What the inputs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Told by their content.
    #[default]
    Auto,
    /// Slow query logs.
    SlowLog,
    /// Plain statements.
    Statements,
}

/// Classes of a digest that get advice: those shown first. A report of more is no longer read.
const MOST_OF_DIGEST: usize = 1_000;

/// What is asked of a run.
#[derive(Debug, Default)]
pub struct Ask {
    /// Which events count, plans, schema, threads; everything is grouped by fingerprint.
    pub request: Request,
    /// What the inputs are.
    pub kind: Kind,
    /// What is known of the server.
    pub facts: ServerFacts,
    /// Statements are reviewed that have not run yet.
    pub is_review: bool,
    /// Kinds of advice; none is all.
    pub only: Vec<Category>,
    /// What is asked of the query cache.
    pub cached: Cached,
    /// Is set once all is read: from then on a run cannot be stopped and still say something.
    pub judging: Arc<AtomicBool>,
}

/// Inputs that are open and what is asked.
#[derive(Debug)]
pub struct Consultation {
    inputs: Inputs,
    asked: Asked,
    stop: Arc<AtomicBool>,
}

/// What is asked besides of the inputs.
#[derive(Debug)]
struct Asked {
    facts: ServerFacts,
    is_review: bool,
    only: Vec<Category>,
    redact: bool,
    cached: Cached,
    judging: Arc<AtomicBool>,
}

impl Asked {
    /// Whether advice of this kind is asked for.
    fn is_asked(&self, category: Category) -> bool {
        self.only.is_empty() || self.only.contains(&category)
    }

    /// The server, where variables tell it.
    fn server(&self) -> Option<Server> {
        Server::of_version(self.facts.variables.text("version")?.trim())
    }
}

#[derive(Debug)]
enum Inputs {
    Log(Box<Study>),
    /// Statements, also none.
    Statements {
        inputs: Vec<Looked>,
        request: Box<Request>,
        plans: Review,
    },
}

impl Consultation {
    /// Opens the inputs; `None` reads none, an empty list is standard input.
    ///
    /// Errors: an input that is not there, not readable or a directory; inputs of two kinds.
    pub fn open(
        paths: Option<&[PathBuf]>,
        ask: Ask,
        stop: Arc<AtomicBool>,
    ) -> Result<Consultation, Error> {
        let Ask { request, kind, facts, is_review, only, cached, judging } = ask;
        let redact = request.redact;
        let plans = plans_of(&request, &stop)?;
        let looked = match paths {
            Some(paths) => look_at(paths, request.readers(), &stop)?,
            None => Vec::new(),
        };
        let is_log = match kind {
            _ if paths.is_none() => false,
            Kind::SlowLog => true,
            Kind::Statements => false,
            Kind::Auto => is_log(&looked)?,
        };
        let inputs = if is_log {
            let study = Study::of(looked, request, plans, Arc::clone(&stop));
            Inputs::Log(Box::new(study))
        } else {
            Inputs::Statements { inputs: looked, request: Box::new(request), plans }
        };
        let asked = Asked { facts, is_review, only, redact, cached, judging };
        Ok(Consultation { inputs, asked, stop })
    }

    /// How far the run has come; valid while it runs.
    pub fn progress(&self) -> Progress {
        match &self.inputs {
            Inputs::Log(study) => study.progress(),
            Inputs::Statements { inputs, .. } => Progress {
                taken: inputs.iter().map(|input| Arc::clone(&input.taken)).collect(),
                total: inputs.iter().map(|input| input.size).sum(),
            },
        }
    }

    /// Reads the inputs and says what there is to say.
    ///
    /// Errors: not one event or statement in inputs that are not empty.
    pub fn run(self) -> Result<Advised, Error> {
        let Consultation { inputs, asked, stop } = self;
        let mut advised = match inputs {
            Inputs::Log(study) => on_log(*study, &asked)?,
            Inputs::Statements { inputs, request, plans } => {
                on_statements(inputs, &request, plans, &asked, &stop)?
            }
        };
        advised.partial = stop.load(Ordering::Relaxed);
        Ok(advised)
    }
}

/// Whether inputs are logs; plain statements are told by their look.
fn is_log(inputs: &[Looked]) -> Result<bool, Error> {
    let named = |are_statements: bool| {
        let of_kind = |it: &&Looked| guess::is_sql(it.blocks.beginning()) == are_statements;
        inputs.iter().find(of_kind).map(|it| it.name.as_str())
    };
    match (named(true), named(false)) {
        (Some(statements), Some(log)) => Err(Error::Usage(format!(
            "{statements} has plain statements and {log} is a log: give one kind at a time"
        ))),
        (statements, _) => Ok(statements.is_none()),
    }
}

fn on_log(study: Study, asked: &Asked) -> Result<Advised, Error> {
    let evidence = Evidence {
        has_input: true,
        has_schema: study.request.schema.is_some(),
        has_rows: has_rows(study.request.schema.as_ref()),
        has_plans: study.request.has_plans(),
    };
    let variables = asked.cached.is_wanted.then_some(&asked.facts.variables);
    let (mut report, request, replayed) = match asked.is_asked(Category::Workload) {
        false if variables.is_none() => {
            let (report, request) = study.run_with_request()?;
            (report, request, None)
        }
        _ => {
            let (report, request, replayed) = cached::read(study, variables)?;
            (report, request, Some(replayed))
        }
    };
    let (seen, cached) = replayed.map_or((None, None), |it| (Some(it.seen), it.cached));
    let query_cache = cached.map(|(log, settings)| {
        let Cached { sizes, traces, .. } = &asked.cached;
        query_cache::simulate(log, settings, sizes, *traces)
    });
    let schema = request.schema.as_ref();
    let server = asked.server().or_else(|| schema.and_then(Schema::server).cloned());
    let server = server.or_else(|| logged::server(&report));
    let places = logged::places(&report, usize::MAX);
    let mut workload = logged::workload(&report, places.values().copied(), server);
    workload.seen = seen;
    let of_plans = report.plans.iter().flat_map(|of| of.findings.iter().cloned()).collect();
    let mut advice = judge(&workload, schema, of_plans, asked);
    if let Some(simulated) = &query_cache {
        add_cached(&mut advice, simulated, &workload, asked);
    }
    if asked.is_asked(Category::Workload)
        && let Some(case) = advice::workload::Case::of(&workload, &asked.facts, schema)
    {
        advice.chain = advice::chain::chain(case, &advice.findings, query_cache.as_ref());
    }
    let lines = workload.classes.iter().filter_map(|class| {
        let place = places.get(&class.id)?;
        Some(logged::line(&report, class, *place))
    });
    let counsel = Counsel::new(advice, lines.collect());
    let (window_micros, whole) = (workload.window_micros, whole_time(&report));
    drop(workload);
    Ok(Advised {
        plan_inputs: std::mem::take(&mut report.plan_inputs),
        plans_without_class: std::mem::take(&mut report.plans_without_class),
        inputs: report.inputs.into_iter().map(|input| Source::Log(Box::new(input))).collect(),
        counsel,
        evidence,
        whole_micros: whole,
        window_micros,
        rules: report.rules,
        is_review: asked.is_review,
        partial: report.partial,
        query_cache,
    })
}

/// What there is to say on the classes of a digest that are shown. Without schema and plans it is
/// what their statements alone prove, and the plans that stand in the log.
pub(super) fn of_digest(report: &Report, request: &Request) -> Counsel {
    let Request { schema, redact, .. } = request;
    let has_evidence = schema.is_some() || request.has_plans();
    let is_peer = report.rules == Rules::Peer;
    let most = if is_peer && !has_evidence { 0 } else { MOST_OF_DIGEST };
    let places = logged::places(report, most);
    let server = schema.as_ref().and_then(Schema::server).cloned();
    let server = server.or_else(|| logged::server(report));
    let workload = logged::workload(report, places.values().copied(), server);
    let mut advice = match has_evidence {
        true => advice::advise(&workload, schema.as_ref()),
        // Cheap, for it is done for every digest.
        false => {
            let findings = advice::read_statements(&workload, None);
            Advice { findings, ..Advice::default() }
        }
    };
    advice.findings.retain(|it| schema.is_some() || is_proved(it, has_evidence));
    let shown: HashSet<usize> = report.profile.shown.iter().map(|ranked| ranked.class).collect();
    let of_plans = report.plans.iter().filter(|of| shown.contains(&of.class));
    merge(&mut advice.findings, of_plans.flat_map(|of| of.findings.iter().cloned()).collect());
    advice::in_order(&mut advice.findings, &workload);
    if *redact {
        mask(&mut advice, &workload);
    }
    let lines = workload.classes.iter().filter_map(|class| {
        let place = places.get(&class.id)?;
        Some(logged::line(report, class, *place))
    });
    Counsel::new(advice, lines.collect())
}

/// Whether a finding holds without a schema: the statement alone shows it, or a plan does.
fn is_proved(finding: &Finding, has_plans: bool) -> bool {
    finding.confidence >= Confidence::Medium
        && (has_plans || matches!(finding.category, Category::Sql | Category::Workload))
        && finding.severity > Severity::Info
}

/// Whether a schema tells how many rows a table has.
fn has_rows(schema: Option<&Schema>) -> bool {
    schema.is_some_and(|schema| schema.tables().any(|table| table.facts.rows.is_some()))
}

/// The time of all events.
fn whole_time(report: &Report) -> Option<u64> {
    let time = report.time_of(&report.digest.total)?;
    u64::try_from(time.sum).ok()
}

fn on_statements(
    inputs: Vec<Looked>,
    request: &Request,
    review: Review,
    asked: &Asked,
    stop: &AtomicBool,
) -> Result<Advised, Error> {
    let evidence = Evidence {
        has_input: !inputs.is_empty(),
        has_schema: request.schema.is_some(),
        has_rows: has_rows(request.schema.as_ref()),
        has_plans: request.has_plans(),
    };
    let mut pile = Pile::default();
    let sources = read_all(inputs, &mut pile, request, stop)?;
    let schema = request.schema.as_ref();
    let server = asked.server().or_else(|| schema.and_then(Schema::server).cloned());
    if !evidence.has_input {
        let queries = review.plans.iter().filter_map(|of| of.plan.query.as_deref());
        queries.for_each(|query| pile.add_explained(query, &request.options));
    }
    let Review { inputs: plan_inputs, plans, .. } = review;
    let mut plans_without_class = Vec::new();
    let mut placed: Vec<(ClassId, &Plan)> = Vec::new();
    let by_place = plans.len() == pile.statements();
    for (place, reviewed) in plans.iter().enumerate() {
        let class = match pile.class_of(&reviewed.plan, &request.options) {
            Err(WITHOUT_STATEMENT) if by_place => pile.class_at(place).ok_or(WITHOUT_STATEMENT),
            class => class,
        };
        match class {
            Ok(class) => placed.push((class, &reviewed.plan)),
            Err(reason) => {
                let source = plan_inputs.get(reviewed.input);
                plans_without_class.push(PlanWithoutClass {
                    source: source.map_or(String::new(), |input| input.name.clone()),
                    line: reviewed.plan.line,
                    reason,
                });
            }
        }
    }
    let mut workload = pile.workload(&placed, asked.is_review);
    workload.server = server;
    let of_plans = workload.classes.iter().flat_map(|class| {
        let whole = class.plans.iter().filter(|plan| !plan.is_cut());
        let optimizer_switch = asked.facts.variables.text("optimizer_switch");
        let case =
            |plan| Case { schema, load: Some(&class.load), optimizer_switch, ..Case::new(plan) };
        whole.flat_map(move |plan| plan_rules::review(&case(plan))).collect::<Vec<Finding>>()
    });
    let of_plans = of_plans.collect();
    let advice = judge(&workload, schema, of_plans, asked);
    let classes = pile.lines(request.options.rules, asked.is_review);
    let micros =
        |sum: Option<u64>, line: &Line| Some(sum.unwrap_or(0).saturating_add(line.micros?));
    let whole_micros = classes.iter().fold(None, |sum, line| micros(sum, line).or(sum));
    Ok(Advised {
        inputs: sources,
        plan_inputs,
        plans_without_class,
        counsel: Counsel::new(advice, classes),
        evidence,
        whole_micros,
        window_micros: None,
        rules: request.options.rules,
        is_review: asked.is_review,
        partial: false,
        query_cache: None,
    })
}

/// Reads the statements of all inputs.
fn read_all(
    inputs: Vec<Looked>,
    pile: &mut Pile,
    request: &Request,
    stop: &AtomicBool,
) -> Result<Vec<Source>, Error> {
    let mut sources = Vec::new();
    let mut without = Vec::new();
    for (number, mut input) in inputs.into_iter().enumerate() {
        let looks = guess::looks(input.blocks.beginning());
        let (text, is_cut) = text_of(&mut input, stop);
        let number = number as u32;
        let (statements, problems) = pile.add(&text, number, &request.options);
        let mut problems: Vec<Problem> = problems.of(number).cloned().collect();
        let mut problem = |kind, detail: String| {
            let origin = Origin { source: number, offset: text.len() as u64 };
            problems.push(Problem { origin, kind, detail, text: String::new() });
        };
        if let Some(failure) = input.blocks.failure() {
            problem(ProblemKind::Unreadable, failure.to_string());
        }
        if is_cut {
            problem(ProblemKind::TooLong, "what is behind 256 MiB was not read".to_owned());
        }
        if statements == 0 && !text.is_empty() {
            without.push(format!("no statement in {}: {looks}", input.name));
        }
        let packed = input.compression != Compression::None;
        sources.push(Source::Statements(Statements {
            name: input.name,
            compression: packed.then(|| input.compression.to_string()),
            bytes: text.len() as u64,
            statements,
            problems,
        }));
    }
    let has_none = |source: &Source| source.events() == 0;
    if !without.is_empty() && sources.iter().all(has_none) && !stop.load(Ordering::Relaxed) {
        return Err(Error::NoEvent(without.join("; ")));
    }
    if let (Some(mixed), Some(Source::Statements(first))) = (pile.is_mixed(), sources.first_mut()) {
        first.problems.push(Problem {
            origin: Origin::default(),
            kind: ProblemKind::UnreadValue,
            detail: mixed,
            text: String::new(),
        });
    }
    Ok(sources)
}

/// The text of an input, without a byte order mark, and whether there is more of it.
fn text_of(input: &mut Looked, stop: &AtomicBool) -> (Vec<u8>, bool) {
    const PIECE: usize = 1024 * 1024;
    let mut text = Vec::new();
    loop {
        let at = text.len();
        text.resize(at + PIECE, 0);
        let count = input.blocks.read(&mut text[at..]);
        text.truncate(at + count);
        if count == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        if text.len() > MOST {
            text.truncate(MOST);
            return (without_mark(text), true);
        }
    }
    (without_mark(text), false)
}

fn without_mark(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    text
}

/// What rules say of a workload and of its plans, each thing once, and of the kinds asked for.
fn judge(
    workload: &Workload<'_>,
    schema: Option<&Schema>,
    of_plans: Vec<Finding>,
    asked: &Asked,
) -> Advice {
    asked.judging.store(true, Ordering::Relaxed);
    let mut advice = advice::advise(workload, schema);
    merge(&mut advice.findings, of_plans);
    let on_load = advice::advise_on_load(workload, &asked.facts, schema);
    add_load(&mut advice, on_load, workload.whole.is_some(), asked);
    advice::in_order(&mut advice.findings, workload);
    let kinds = [Category::Variables, Category::QueryCache];
    let is_server_asked =
        !asked.facts.is_empty() || kinds.iter().any(|kind| asked.only.contains(kind));
    // Rules of the server see what is said of plans, whatever kinds are shown.
    let on_server = is_server_asked
        .then(|| advice::advise_on_server(&asked.facts, workload, schema, &advice.findings));
    advice.findings.retain(|finding| asked.is_asked(finding.category));
    if !asked.is_asked(Category::Index) {
        advice.rejected.clear();
    }
    if asked.redact {
        mask(&mut advice, workload);
    }
    if let Some(on_server) = on_server {
        add_server(&mut advice, on_server, asked);
    }
    advice
}

/// Adds what there is to say on the load as a whole.
fn add_load(advice: &mut Advice, on_load: OnLoad, is_log: bool, asked: &Asked) {
    let OnLoad { findings, facts, not_checked } = on_load;
    advice.findings.extend(findings);
    advice.facts.extend(facts);
    // Whoever asks for all kinds and gives no log knows that it is not looked at.
    let is_told = is_log || asked.only.contains(&Category::Workload);
    let is_wanted = is_told && asked.is_asked(Category::Workload);
    advice.not_checked.extend(not_checked.into_iter().filter(|_| is_wanted));
}

/// Adds what there is to say on the server, of the kinds asked for.
fn add_server(advice: &mut Advice, on_server: OnServer, asked: &Asked) {
    let OnServer { findings, facts, not_checked } = on_server;
    advice.findings.extend(findings.into_iter().filter(|it| asked.is_asked(it.category)).map(
        |mut it| {
            // Error texts name values of the application.
            it.evidence.retain(|fact| !asked.redact || fact.name != "symptom");
            it
        },
    ));
    advice.facts.extend(facts);
    let category = |code: &str| advice::rules().into_iter().find(|it| it.code == code);
    let is_wanted =
        |it: &NotChecked| category(it.rule).is_some_and(|rule| asked.is_asked(rule.category));
    advice.not_checked.extend(not_checked.into_iter().filter(is_wanted));
}

/// Adds what a replayed log says of the query cache. It knows better than counters whether the cache
/// pays: where it saves much, few hits are no reason to switch it off.
fn add_cached(advice: &mut Advice, simulated: &Simulated, workload: &Workload<'_>, asked: &Asked) {
    if !asked.is_asked(Category::QueryCache) {
        return;
    }
    let cores = asked.facts.machine.cores;
    let case = query_cache::Case { settings: &simulated.settings, simulated, cores };
    if case.saves_much() {
        advice.findings.retain(|finding| finding.rule != "QC003");
    }
    for finding in query_cache::advise(&case) {
        let sets = |it: &Finding, name: &str| {
            it.recommendation.variables.iter().any(|change| change.name == name)
        };
        let names = finding.recommendation.variables.iter().map(|it| it.name.as_str());
        let mut names = names.peekable();
        let is_set = names.any(|name| advice.findings.iter().any(|other| sets(other, name)));
        let is_said = advice.findings.iter().any(|it| it.rule == finding.rule);
        if !is_set && (!is_said || finding.subject.query_id.is_some()) {
            advice.findings.push(finding);
        }
    }
    advice::in_order(&mut advice.findings, workload);
}

/// Adds findings about plans that say what no finding about the workload says. That a step reads
/// too much is evidence for the index that mends it.
fn merge(findings: &mut Vec<Finding>, of_plans: Vec<Finding>) {
    const EFFECTS: &[&str] = &["PLAN001", "PLAN002", "PLAN006", "PLAN010", "PLAN017"];
    let of_workload: HashSet<(&'static str, Key)> =
        findings.iter().map(|it| (it.rule, key(it))).collect();
    // A class may have several plans, and a plan several steps on one table.
    let mut of_steps = HashSet::new();
    let mut mended: HashMap<Key, usize> = HashMap::new();
    let is_new = |it: &Finding| {
        // Without a schema an index only "should exist".
        let is_told = it.severity > Severity::Info && it.recommendation.index.is_some();
        it.category == Category::Index && is_told && it.recommendation.action != Action::Drop
    };
    for (place, finding) in findings.iter().enumerate().filter(|(_, it)| is_new(it)) {
        let (_, table) = key(finding);
        for id in &finding.queries {
            mended.entry((Some(*id), table.clone())).or_insert(place);
        }
    }
    for finding in of_plans {
        let key = key(&finding);
        let (is_said, step) =
            (of_workload.contains(&(finding.rule, key.clone())), finding.subject.step);
        if is_said || !of_steps.insert((finding.rule, key.clone(), step)) {
            continue;
        }
        let cause = mended.get(&key).filter(|_| EFFECTS.contains(&finding.rule));
        match cause.and_then(|place| findings.get_mut(*place)) {
            Some(cause) => add_evidence(cause, &finding),
            None => findings.push(finding),
        }
    }
}

/// Says in the evidence of a finding what another one is about.
fn add_evidence(cause: &mut Finding, effect: &Finding) {
    const MOST: usize = 5;
    let title = format!("{}: {}", effect.rule, effect.title);
    match cause.evidence.iter_mut().find(|fact| fact.name == "also") {
        Some(Fact { value: Value::List(titles), .. }) if titles.len() < MOST => titles.push(title),
        Some(_) => {}
        None => cause.evidence.push(Fact::list("also", vec![title])),
    }
}

/// A class and a table.
type Key = (Option<ClassId>, Option<String>);

/// The class and the table, by its own name, that a finding is about.
fn key(finding: &Finding) -> Key {
    let table =
        finding.subject.table.as_deref().map(|table| {
            table.rsplit('.').next().unwrap_or(table).trim_matches('`').to_lowercase()
        });
    (finding.subject.query_id, table)
}
