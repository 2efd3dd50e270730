//! All that is said of a workload, as a page.
//!
//! A block is one cause: a finding, and below it what else was found on the same classes. Blocks
//! stand in the order of the findings, those first that may save most. What needs nothing is one
//! list at the end: "nothing to do, and why" is an answer, and no alarm.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Advised, Line, Source, script};
use crate::advice::{Action, Category, Fact, Finding, Severity, Value};
use crate::plan::Amount;
use crate::report::cell::{seconds, shown, thousands, three_digits};
use crate::report::plans::Depth;
use crate::report::plans::figures::percent;
use crate::report::plans::page::{Note, Piece, Tone};
use crate::report::plans::review::{evidence, index, tone, verify};
use crate::report::plans::wrap::{cut, one_line};
use crate::sql::fingerprint::ClassId;

/// Classes that a finding serves and that are listed.
const SERVED: usize = 5;
/// Lines of a list that are shown if not all is asked for.
const LISTED: usize = 40;
/// Columns of a line of a list.
const WIDE: usize = 76;

/// How a page is to be.
#[derive(Debug, Clone, Copy)]
pub struct Want {
    /// Blocks that are shown in full.
    pub limit: usize,
    /// How much is said.
    pub depth: Depth,
}

/// The page.
pub fn page(advised: &Advised, want: Want) -> Vec<Piece> {
    let Blocks { blocks, quiet } = Blocks::of(&advised.counsel.advice.findings);
    let links = &advised.counsel.advice.chain;
    let mut page = head(advised, &blocks);
    page.extend(super::chain::pieces(advised));
    if !blocks.is_empty() {
        page.push(Piece::Section("What to do"));
    }
    let shown = blocks.iter().take(want.limit).enumerate();
    page.extend(shown.map(|(place, block)| item(advised, place + 1, block, want.depth)));
    if blocks.len() > want.limit {
        page.push(Piece::Section("Further findings"));
        let rest = blocks.iter().skip(want.limit).flatten();
        page.extend(list(rest.filter_map(|at| Some(line_of(finding(advised, *at)?))), want.depth));
    }
    // A single change stands in its block already.
    let counsel = &advised.counsel;
    if let Some(text) = script::of(counsel).filter(|_| script::changes(counsel) > 1) {
        page.push(Piece::Section("All changes of indexes, as one script"));
        page.push(Piece::Script(text));
    }
    let quiet = quiet.iter().filter_map(|at| finding(advised, *at));
    let (of_load, quiet): (Vec<&Finding>, Vec<&Finding>) = quiet.partition(|it| is_of_load(it));
    // What a link of the chain says is not said again.
    let is_new = |it: &&Finding| links.iter().all(|link| link.rule != Some(it.rule));
    let of_load: Vec<&Finding> = of_load.into_iter().filter(is_new).collect();
    page.extend(load_at_large(&of_load));
    page.extend(nothing_to_do(quiet, advised, want.depth));
    page.extend(rejected(advised, want.depth));
    page.extend(unread(advised, want.depth));
    if let Some(simulated) = &advised.query_cache {
        page.extend(super::query_cache::pieces(simulated));
    }
    page.extend(not_checked(advised));
    page.extend(more(advised));
    page
}

fn finding(advised: &Advised, place: usize) -> Option<&Finding> {
    advised.counsel.advice.findings.get(place)
}

/// Findings by cause, by their places.
struct Blocks {
    blocks: Vec<Vec<usize>>,
    /// What needs nothing.
    quiet: Vec<usize>,
}

impl Blocks {
    fn of(findings: &[Finding]) -> Blocks {
        let mut by_class: HashMap<ClassId, Vec<usize>> = HashMap::new();
        let loud = |it: &&Finding| !is_quiet(it) && it.subject.query_id.is_some();
        for (place, finding) in findings.iter().enumerate().filter(|(_, it)| loud(it)) {
            classes(finding).for_each(|id| by_class.entry(id).or_default().push(place));
        }
        let mut taken: Vec<bool> = findings.iter().map(is_quiet).collect();
        // A class that has something to be changed is no class with nothing to do.
        let is_loud = |finding: &Finding| classes(finding).any(|id| by_class.contains_key(&id));
        let quiet = findings.iter().enumerate();
        let quiet = quiet.filter(|(_, it)| is_quiet(it) && !is_loud(it)).map(|(at, _)| at);
        let quiet = quiet.collect();
        let mut blocks = Vec::new();
        for (place, cause) in findings.iter().enumerate() {
            if taken.get(place) != Some(&false) {
                continue;
            }
            let near = classes(cause).filter_map(|id| by_class.get(&id)).flatten().copied();
            let mut block: Vec<usize> = near
                .filter(|at| *at > place && taken.get(*at) == Some(&false))
                .filter(|at| findings.get(*at).is_some_and(|other| belongs(cause, other)))
                .collect();
            block.push(place);
            block.sort_unstable();
            block.dedup();
            for at in &block {
                taken.iter_mut().skip(*at).take(1).for_each(|taken| *taken = true);
            }
            blocks.push(block);
        }
        Blocks { blocks, quiet }
    }
}

/// Whether a finding says that there is nothing to do. An index that should exist where no schema
/// was given has no statement either, but it matters.
fn is_quiet(finding: &Finding) -> bool {
    finding.recommendation.action == Action::None && finding.severity == Severity::Info
}

/// Whether a finding is about the load as a whole.
fn is_of_load(finding: &Finding) -> bool {
    finding.category == Category::Workload && finding.subject.query_id.is_none()
}

/// What is good to know of the load as a whole, in full: there is little of it.
fn load_at_large(findings: &[&Finding]) -> Vec<Piece> {
    let told = findings.iter().map(|it| {
        let (title, text) = (one_line(&it.title), one_line(&it.recommendation.text));
        format!("{}: {}. {text}", it.rule, title.trim_end_matches('.')).trim_end().to_owned()
    });
    let head = (!findings.is_empty()).then_some(Piece::Section("The load at large"));
    head.into_iter().chain(list(told, Depth::Full)).collect()
}

fn classes(finding: &Finding) -> impl Iterator<Item = ClassId> {
    let own = finding.subject.query_id.filter(|id| !finding.queries.contains(id));
    finding.queries.iter().copied().chain(own)
}

/// Whether a finding is told below another one on the same class.
fn belongs(cause: &Finding, other: &Finding) -> bool {
    // What is about a table alone is not the cause of what a class suffers from.
    if cause.subject.query_id.is_none() || other.subject.query_id.is_none() {
        return false;
    }
    // What is said of several classes at once is not what is wrong with one of them.
    if cause.category == Category::Workload && classes(cause).count() > 1 {
        return false;
    }
    let is_index = |finding: &Finding| finding.category == Category::Index;
    let table = |finding: &Finding| {
        let table = finding.subject.table.as_deref()?;
        Some(table.rsplit('.').next().unwrap_or(table).to_lowercase())
    };
    let is_same_table = match (table(cause), table(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    match (is_index(cause), is_index(other)) {
        // Each index is a decision of its own.
        (true, true) => false,
        // An index for this class alone is about what is wrong with the class.
        (false, true) => classes(other).count() == 1 && is_same_table,
        (true, false) => is_same_table,
        (false, false) => true,
    }
}

/// What was read, and what was found.
fn head(advised: &Advised, blocks: &[Vec<usize>]) -> Vec<Piece> {
    let mut page = vec![Piece::Title(format!("Advice: {}", sum(advised, blocks)))];
    if advised.partial {
        let told = "PARTIAL: the run was stopped, this is of what was read so far";
        page.push(Piece::Words(Tone::Warn, told.to_owned()));
    }
    for input in &advised.inputs {
        page.push(Piece::Words(Tone::Plain, format!("Read: {}", read(input))));
        if let Source::Log(log) = input
            && !log.not_counted().is_empty()
        {
            let told = format!("Not counted: {}", log.not_counted().join(", "));
            page.push(Piece::Words(Tone::Warn, told));
        }
    }
    if advised.inputs.is_empty() {
        let told = if advised.counsel.classes.is_empty() {
            "Read: no log and no statements"
        } else {
            "Read: no log; the statements are those of the plans"
        };
        page.push(Piece::Words(Tone::Plain, told.to_owned()));
    }
    if !advised.counsel.classes.is_empty() {
        page.push(Piece::Words(Tone::Plain, format!("Classes: {}", load(advised))));
    }
    let unread = &advised.counsel.advice.unread;
    if !unread.is_empty() {
        let shares = unread.iter().filter_map(|it| advised.counsel.line(it.query_id)?.share);
        let share = shares.reduce(Amount::plus).map_or(String::new(), |share| {
            let of = if advised.whole_micros.is_some() { "the time" } else { "the weight" };
            format!(", {} of {of}", percent(share))
        });
        let classes = count(unread.len() as u64, "class", "classes");
        let told = format!("Not understood: {classes}{share}");
        page.push(Piece::Words(Tone::Warn, told));
    }
    page
}

/// The first line: how many changes of which kind.
fn sum(advised: &Advised, blocks: &[Vec<usize>]) -> String {
    const KINDS: [(&str, &str); 7] = [
        ("new index", "new indexes"),
        ("index to replace", "indexes to replace"),
        ("index that should exist", "indexes that should exist"),
        ("index to drop", "indexes to drop"),
        ("rewrite", "rewrites"),
        ("setting", "settings"),
        ("other finding", "other findings"),
    ];
    let kind = |finding: &Finding| {
        let todo = &finding.recommendation;
        match (todo.action, finding.category == Category::Index) {
            (Action::Create, true) => 0,
            (Action::Replace, true) => 1,
            (Action::None, true) if todo.index.is_some() => 2,
            (Action::Drop, true) => 3,
            (Action::Rewrite, _) if !todo.sql.is_empty() => 4,
            (Action::Set, _) => 5,
            _ => 6,
        }
    };
    let findings = blocks.iter().flatten().filter_map(|at| finding(advised, *at));
    let kinds: Vec<usize> = findings.map(kind).collect();
    let told = KINDS.iter().enumerate().filter_map(|(place, (one, many))| {
        let all = kinds.iter().filter(|kind| **kind == place).count() as u64;
        (all > 0).then(|| count(all, one, many))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { "nothing to change".to_owned() } else { told.join(", ") }
}

/// `1 class`, `1,200 classes`.
fn count(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

fn read(input: &Source) -> String {
    let name = match input.name() {
        "-" => "standard input".to_owned(),
        name => one_line(name),
    };
    let bytes = three_digits(input.bytes() as f64, 1024.0);
    let told = match input {
        Source::Log(log) => {
            let version = log.tally.version.as_deref().map_or(String::new(), |version| {
                format!(" of {} {}", log.tally.family, one_line(version))
            });
            format!("{}{version}, {}", log.kind, count(log.tally.events, "event", "events"))
        }
        Source::Statements(it) => count(it.statements, "statement", "statements"),
    };
    format!("{name}: {bytes} bytes, {told}")
}

/// Classes, time and window.
fn load(advised: &Advised) -> String {
    let mut text = thousands(advised.counsel.classes.len() as u64);
    if let Some(micros) = advised.whole_micros {
        text.push_str(&format!(", {} in all", seconds(micros as f64 / 1e6)));
    }
    if let Some(micros) = advised.window_micros.filter(|micros| *micros > 0) {
        text.push_str(&format!(", within {}", seconds(micros as f64 / 1e6)));
    }
    if advised.whole_micros.is_none() {
        text.push_str(if advised.is_review {
            ", under review: not run yet"
        } else {
            ", no times known: they count by their weights and plans"
        });
    }
    text
}

/// A block.
fn item(advised: &Advised, number: usize, block: &[usize], depth: Depth) -> Piece {
    let findings: Vec<&Finding> = block.iter().filter_map(|at| finding(advised, *at)).collect();
    let worst = findings.iter().map(|it| it.severity).max();
    let mut notes = Vec::new();
    let mut text = String::new();
    for it in findings {
        if text.is_empty() {
            text = heading(it);
        } else {
            notes.push(Note::Words(tone(it.severity), format!("also {}", heading(it))));
        }
        notes.extend(notes_of(advised, it, depth));
    }
    let tone = worst.map_or(Tone::Plain, tone);
    Piece::Item { label: format!("{number}."), tone, text, notes }
}

/// Severity, code, title, confidence.
fn heading(finding: &Finding) -> String {
    let title = one_line(&finding.title);
    let end = if title.ends_with(['.', '!', '?']) { "" } else { "." };
    let severity = finding.severity.word().to_ascii_uppercase();
    let confidence = finding.confidence.word();
    format!("{severity} {}: {title}{end} (confidence {confidence})", finding.rule)
}

/// What is said further of a finding.
fn notes_of(advised: &Advised, finding: &Finding, depth: Depth) -> Vec<Note> {
    let mut notes = Vec::new();
    let words = |tone, head: &str, text: &str| {
        (!text.is_empty()).then(|| Note::Words(tone, format!("{head}: {text}")))
    };
    let (costs, seen): (Vec<&Fact>, Vec<&Fact>) =
        finding.evidence.iter().partition(|it| is_cost(it));
    let told = |facts: &[&Fact]| {
        facts.iter().map(|fact| evidence(fact, depth)).collect::<Vec<String>>().join("; ")
    };
    notes.extend(words(Tone::Dim, "seen", &told(&seen)));
    let todo = &finding.recommendation;
    notes.extend(words(Tone::Plain, "do", &one_line(&todo.text)));
    if todo.sql.is_empty() {
        let proposal = todo.index.as_ref().map_or(String::new(), index);
        notes.extend(words(Tone::Plain, "index", &proposal));
    }
    if !todo.sql.is_empty() {
        let head = if todo.action == Action::Rewrite { "instead:" } else { "run:" };
        notes.push(Note::Words(Tone::Plain, head.to_owned()));
        notes.extend(todo.sql.iter().map(|sql| Note::Code(ended(sql))));
    }
    // Of a server that somebody else runs the text tells where the lines go.
    let lines = todo.variables.iter().map(|it| &it.option_line);
    let lines: Vec<&String> = lines.filter(|line| !todo.text.contains(*line)).collect();
    if !lines.is_empty() {
        let head = "in the option file, below [mysqld]:".to_owned();
        notes.push(Note::Words(Tone::Plain, head));
        notes.extend(lines.into_iter().map(|line| Note::Code(line.clone())));
    }
    if !todo.undo.is_empty() {
        notes.push(Note::Words(Tone::Dim, "undo:".to_owned()));
        notes.extend(todo.undo.iter().map(|sql| Note::Code(ended(sql))));
    }
    notes.extend(serves(advised, finding));
    notes.extend(words(Tone::Plain, "effect", &effect(finding)));
    notes.extend(words(Tone::Plain, "costs", &told(&costs)));
    notes.extend(verify(&finding.verify).into_iter().map(|note| match note {
        Note::Code(text) => Note::Code(ended(&text)),
        note => note,
    }));
    notes
}

/// What a change costs is told apart from what was seen.
pub fn is_cost(fact: &Fact) -> bool {
    ["percent_of_gain_paid", "write", "index_bytes"].iter().any(|head| fact.name.starts_with(head))
}

/// A statement that can be pasted.
pub fn ended(sql: &str) -> String {
    let sql = shown(sql.trim_end().as_bytes());
    let sql = sql.trim_end_matches(';');
    // A comment at the end of a line would hide the end of the statement.
    let last = sql.lines().last().unwrap_or_default();
    let end = if last.contains("--") || last.contains('#') { "\n;" } else { ";" };
    format!("{sql}{end}")
}

/// The classes that gain.
fn serves(advised: &Advised, finding: &Finding) -> Vec<Note> {
    let mut served: Vec<(ClassId, Option<&Line>)> =
        classes(finding).map(|id| (id, advised.counsel.line(id))).collect();
    served.sort_by_key(|(id, line)| (Reverse(line.and_then(|line| line.share)), *id));
    let head = match finding.recommendation.action {
        Action::Drop => "of the table",
        _ if finding.category == Category::Index => "serves",
        _ => "of",
    };
    let told = |(place, (id, line)): (usize, &(ClassId, Option<&Line>))| {
        let head = if place == 0 { format!("{head}: ") } else { "and ".to_owned() };
        Note::Words(Tone::Plain, format!("{head}{}", class(*id, *line)))
    };
    let mut notes: Vec<Note> = served.iter().take(SERVED).enumerate().map(told).collect();
    if served.len() > SERVED {
        let more = thousands((served.len() - SERVED) as u64);
        notes.push(Note::Words(Tone::Plain, format!("and {more} more")));
    }
    notes
}

/// ID, item, share and calls of a class.
fn class(id: ClassId, line: Option<&Line>) -> String {
    let Some(line) = line else { return format!("0x{id}") };
    let mut text = format!("0x{id} {}", one_line(&line.item));
    if let Some(share) = line.share {
        text.push_str(&format!(", {}", share_of(share)));
    }
    if line.calls > 1 {
        text.push_str(&format!(", {} calls", thousands(line.calls)));
    }
    text
}

/// A share in percent with one decimal.
pub fn share_of(percent: Amount) -> String {
    let tenths = percent.times(Amount::whole(10)).rounded().floor();
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// What a change is expected to do: what time it saves, or where times are not known which rows
/// are read.
pub fn effect(finding: &Finding) -> String {
    saves(finding).or_else(|| rows_read(finding)).unwrap_or_default()
}

/// Rows that a call reads, before and after.
fn rows_read(finding: &Finding) -> Option<String> {
    let number = |name: &str| {
        let fact = finding.evidence.iter().find(|fact| fact.name == name)?;
        match fact.value {
            Value::Number(amount) => Some(amount),
            _ => None,
        }
    };
    let (now, then) = (number(ROWS[0])?, number(ROWS[1])?);
    Some(format!("a call reads ~{} rows, now ~{}", then.grouped(), now.grouped()))
}

/// Facts that tell an effect.
const ROWS: [&str; 2] = ["rows_read_now", "rows_read_then"];

/// What may be saved, as a range: what is computed is its upper end.
fn saves(finding: &Finding) -> Option<String> {
    let benefit = finding.benefit.filter(|it| it.of_micros > 0)?;
    // The model tells what may be saved at most; half of it is what one may count on.
    let least = benefit.micros / 2;
    let time = |micros: u64| seconds(micros as f64 / 1e6);
    let part = Amount::whole(benefit.micros).ratio(Amount::whole(benefit.of_micros));
    let part = part.map_or(String::new(), |part| {
        format!(" (up to {})", percent(part.times(Amount::whole(100)).rounded()))
    });
    let (most, all) = (time(benefit.micros), time(benefit.of_micros));
    Some(format!("saves ~{} to ~{most} of {all}{part}", time(least)))
}

/// A finding in a line.
fn line_of(finding: &Finding) -> String {
    let severity = finding.severity.word().to_ascii_uppercase();
    format!("{severity} {}: {}", finding.rule, one_line(&finding.title))
}

/// The greatest share of the classes that a finding is about.
fn share_served(advised: &Advised, finding: &Finding) -> Option<Amount> {
    classes(finding).filter_map(|id| advised.counsel.line(id)?.share).max()
}

/// Findings that want nothing, a line each, those first that are about most of the time.
fn nothing_to_do(mut findings: Vec<&Finding>, advised: &Advised, depth: Depth) -> Vec<Piece> {
    if findings.is_empty() {
        return Vec::new();
    }
    findings.sort_by_key(|it| Reverse(share_served(advised, it)));
    let told = findings.iter().map(|it| quiet_line(advised, it, depth));
    std::iter::once(Piece::Section("Nothing to do, and why")).chain(list(told, depth)).collect()
}

/// Why there is nothing to do; at length if all is asked for.
fn quiet_line(advised: &Advised, finding: &Finding, depth: Depth) -> String {
    let id = finding.subject.query_id.or(finding.queries.first().copied());
    let of = id.map(|id| {
        let item = advised.counsel.line(id).map_or(String::new(), |line| one_line(&line.item));
        format!(" 0x{id} {item}:")
    });
    let text = one_line(&finding.recommendation.text);
    let title = one_line(&finding.title);
    let why = match depth {
        Depth::Full if !text.is_empty() => format!("{}. {text}", title.trim_end_matches('.')),
        _ => title,
    };
    format!("{}{} {why}", finding.rule, of.unwrap_or(":".to_owned()))
}

/// Lines of a list, the first ones if not all is asked for.
fn list(lines: impl Iterator<Item = String>, depth: Depth) -> Vec<Piece> {
    let mut page = Vec::new();
    let mut more = 0_u64;
    let item =
        |text| Piece::Item { label: "-".to_owned(), tone: Tone::Plain, text, notes: Vec::new() };
    for line in lines {
        match depth {
            Depth::Full => page.push(item(line)),
            _ if page.len() < LISTED => page.push(item(cut(&line, 2 * WIDE))),
            _ => more += 1,
        }
    }
    if more > 0 {
        page.push(item(format!("and {} more (-v shows all)", thousands(more))));
    }
    page
}

/// Indexes that were thought of, if all is asked for.
fn rejected(advised: &Advised, depth: Depth) -> Vec<Piece> {
    let rejected = &advised.counsel.advice.rejected;
    if depth != Depth::Full || rejected.is_empty() {
        return Vec::new();
    }
    let told = rejected.iter().map(|it| {
        let of: Vec<String> = it.queries.iter().take(SERVED).map(|id| format!("0x{id}")).collect();
        let of = if of.is_empty() { String::new() } else { format!(" [{}]", of.join(", ")) };
        format!("{}: {}{of}", index(&it.index), one_line(&it.reason))
    });
    std::iter::once(Piece::Section("Thought of and not proposed"))
        .chain(list(told, depth))
        .collect()
}

/// Classes that are not understood.
fn unread(advised: &Advised, depth: Depth) -> Vec<Piece> {
    let mut unread: Vec<_> = advised.counsel.advice.unread.iter().collect();
    if unread.is_empty() {
        return Vec::new();
    }
    let share = |id| advised.counsel.line(id).and_then(|line| line.share);
    unread.sort_by_key(|it| (Reverse(share(it.query_id)), it.query_id));
    let told = unread.iter().map(|it| {
        format!(
            "{}: {}",
            class(it.query_id, advised.counsel.line(it.query_id)),
            one_line(&it.reason)
        )
    });
    std::iter::once(Piece::Section("Not understood")).chain(list(told, depth)).collect()
}

/// Rules of the server that had no evidence, by what they want.
fn not_checked(advised: &Advised) -> Vec<Piece> {
    let lost = &advised.counsel.advice.not_checked;
    if lost.is_empty() {
        return Vec::new();
    }
    // What rules want of one option stands together, with what each asks for.
    let parts = |wants: &'_ str| -> (String, String) {
        let cut = [" with ", ": "].iter().find_map(|mark| {
            let is_own = wants.starts_with("--status FILE with") || wants.starts_with("--symptom");
            wants.split_once(mark).filter(|_| is_own && !wants.contains(';'))
        });
        let (head, own) = cut.unwrap_or((wants, ""));
        (head.to_owned(), own.to_owned())
    };
    let mut heads: Vec<(String, Vec<String>)> = Vec::new();
    for it in lost {
        let (head, own) = parts(&it.wants);
        let own = if own.is_empty() { String::new() } else { format!(" ({own})") };
        let told = format!("{}{own}", it.rule);
        match heads.iter_mut().find(|(other, _)| *other == head) {
            Some((_, rules)) => rules.push(told),
            None => heads.push((head, vec![told])),
        }
    }
    heads.sort();
    let told = heads.into_iter().map(|(head, rules)| format!("{head}: for {}", rules.join(", ")));
    let gather = lost.iter().any(|it| it.is_gathered).then(|| {
        let text = "Statements gather part of it: adagio collect > collect.sql; mariadb --force --table \
                    --default-character-set=utf8mb4 < collect.sql > collected.txt; adagio advise … --collected collected.txt";
        Piece::Words(Tone::Plain, text.to_owned())
    });
    std::iter::once(Piece::Section("Not checked, and what would tell"))
        // A line that is cut would not say what to give.
        .chain(list(told, Depth::Full))
        .chain(gather)
        .collect()
}

/// What evidence would tell more.
fn more(advised: &Advised) -> Vec<Piece> {
    let given = &advised.evidence;
    let mut parts = Vec::new();
    if !given.has_schema {
        parts.push(
            "--schema FILE (mysqldump --no-data, or SHOW CREATE TABLE) tells types and present \
             indexes: without it no index is written down as a statement",
        );
    } else if !given.has_rows {
        parts.push(
            "--schema with SHOW INDEX or SHOW TABLE STATUS, or a comment `-- rows: N; distinct: \
             column N`, tells how many rows there are: now they are guessed",
        );
    }
    if !given.has_plans && !advised.counsel.classes.is_empty() {
        parts.push("--plans FILE (EXPLAIN of these statements) raises the confidence");
    }
    if !given.has_input {
        parts.push("a slow log or --type sql FILE tells which statements run and how long");
    }
    if parts.is_empty() {
        return Vec::new();
    }
    let text = parts.join("; ");
    vec![Piece::Section("To get more"), Piece::Words(Tone::Plain, format!("{text}."))]
}
