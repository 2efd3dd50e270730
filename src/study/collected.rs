//! What the script of `adagio collect` printed, read back: variables, counters, samples, tables,
//! plans.
//!
//! ```text
//! +-------------------+      adagio                 *************** 1. row ***************
//! | adagio            |      adagio: variables      adagio: adagio: variables
//! +-------------------+
//! | adagio: variables |      Variable_name  Value   *************** 1. row ***************
//! +-------------------+      back_log       80      Variable_name: back_log
//! ```
//!
//! Each part begins with its mark, a row of one value, and goes on up to the next mark. The mark of
//! a plan is `-- query_id: 0x…`. With `-v` the client also repeats each statement between two lines
//! of dashes: these are passed. A part that was lost or cannot be read costs itself; of a file that
//! is cut the last part is not used, for half a number looks like a number.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::advice;
use crate::logs::guess;
use crate::plan;
use crate::rowset::{self, Lines};
use crate::schema::{Problem, Schema};
use crate::server::status::Sample;
use crate::server::{self, States, Variables};

use super::server_facts::Text;

/// Process lists from which on their states tell something: a single one proves little.
const LEAST_LISTS: u64 = 3;

/// The states of a rule count where together they have this share of the sessions: one in so many.
const LEAST_SHARE: u64 = 20;

/// Most things that are told of a file, and states that are counted: a script has fewer marks and a
/// server fewer states.
const MOST_TOLD: usize = 10_000;
const MOST_STATES: usize = 1_000;

/// What was gathered.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    /// What SHOW GLOBAL VARIABLES printed.
    pub variables: Variables,
    /// What SHOW GLOBAL STATUS printed, before and after.
    pub status: Vec<Sample>,
    /// Threads_running, again and again between them.
    pub running: Vec<u64>,
    /// How many process lists there are.
    pub process_lists: u64,
    /// States of sessions that are more than an exception, a text each.
    pub states: Vec<String>,
    /// The same in numbers.
    pub seen: States,
    /// The tables, if any.
    pub schema: Option<Schema>,
    /// What could not be read of the tables.
    pub schema_problems: Vec<Problem>,
    /// The plans with the IDs of their classes, on the lines where they stand in the file.
    pub plans: Option<Text>,
    /// What is missing or odd, with its place.
    pub told: Vec<String>,
}

/// A part, by what its mark says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Server,
    Variables,
    Before,
    Sample,
    After,
    /// Rows of information_schema.
    Tables,
    /// One table: its database and its name.
    Table(String, String),
    /// The plan of a class.
    Plan(String),
    End,
}

impl Part {
    /// Reads what a mark says.
    fn of(mark: &str) -> Option<Part> {
        if let Some(id) = mark.strip_prefix("-- query_id: 0x") {
            let is_id = id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
            return is_id.then(|| Part::Plan(id.to_owned()));
        }
        let name = mark.strip_prefix("adagio: ")?;
        if let Some(table) = name.strip_prefix("table `") {
            let (db, table) = table.strip_suffix('`')?.split_once("`.`")?;
            return Some(Part::Table(db.to_owned(), table.to_owned()));
        }
        Some(match name {
            "server" => Part::Server,
            "variables" => Part::Variables,
            "status before" => Part::Before,
            "status after" => Part::After,
            "tables" => Part::Tables,
            "end" => Part::End,
            _ if name.starts_with("sample ") => Part::Sample,
            _ => return None,
        })
    }

    /// What stands below the mark.
    fn expected(&self) -> String {
        match self {
            Part::Server => "a print of VERSION()".to_owned(),
            Part::Variables => "a print of SHOW GLOBAL VARIABLES".to_owned(),
            Part::Before | Part::After => "a print of SHOW GLOBAL STATUS".to_owned(),
            Part::Sample => "prints of Threads_running and of process states".to_owned(),
            Part::Tables => "prints of TABLES, COLUMNS and STATISTICS".to_owned(),
            Part::Table(db, table) => format!("a print of SHOW CREATE TABLE `{db}`.`{table}`"),
            Part::Plan(id) => format!("a print of EXPLAIN for query ID 0x{id}"),
            Part::End => "nothing".to_owned(),
        }
    }
}

/// A part: the line of its mark, and the lines behind the mark up to the next one.
#[derive(Debug)]
struct Section {
    part: Part,
    mark: usize,
    from: usize,
    to: usize,
}

/// Reads a file. If there is no mark in it at all, the error tells what it looks like. With `redact`
/// nothing that is told holds a message of the server, which quotes the statement.
pub fn read(text: &Text, redact: bool) -> Result<Collected, &'static str> {
    let lines = Lines::new(&text.bytes);
    let mut sections = sections(&lines);
    if sections.is_empty() {
        return Err(guess::looks(&text.bytes));
    }
    let mut reader = Reader {
        name: &text.name,
        lines: &lines,
        echoed: echoed(&lines),
        redact,
        got: Collected::default(),
    };
    let is_whole = sections.last().is_some_and(|last| last.part == Part::End);
    if !is_whole && let Some(last) = sections.pop() {
        reader.tell(
            last.mark,
            &format!(
                "`adagio: end` expected behind this part: it is cut, or the client stopped at an error \
                 for want of --force; the part is not used ({} expected)",
                last.part.expected()
            ),
        );
    }
    reader.server(&sections);
    reader.tables(&sections);
    reader.plans(&sections);
    reader.lost(&sections, is_whole);
    Ok(reader.got)
}

/// The parts of a text, in order.
fn sections(lines: &Lines<'_>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for at in 0..lines.len() {
        let Some((part, first, behind)) = mark(lines, at) else { continue };
        if let Some(last) = sections.last_mut() {
            last.to = first.max(last.from);
        }
        sections.push(Section { part, mark: at, from: behind, to: lines.len() });
    }
    sections
}

/// The part whose mark is the value in a line, its first line, and the line behind its print.
fn mark(lines: &Lines<'_>, at: usize) -> Option<(Part, usize, usize)> {
    let line = |at: usize| lines.get(at).map(<[u8]>::trim_ascii);
    let above = |by: usize| at.checked_sub(by).and_then(line).unwrap_or_default();
    let is_rule = |line: &[u8]| line.starts_with(b"+-") && line.ends_with(b"+");
    let cell =
        |line| Some(<[u8]>::strip_suffix(<[u8]>::strip_prefix(line, b"|")?, b"|")?.trim_ascii());
    let whole = line(at)?;
    let (value, first, behind, has_header) = if let Some(value) = cell(whole) {
        let has_header =
            is_rule(above(1)) && cell(above(2)) == Some(b"adagio") && is_rule(above(3));
        let first = at - if has_header { 3 } else { usize::from(is_rule(above(1))) };
        (value, first, at + 1 + usize::from(line(at + 1).is_some_and(is_rule)), has_header)
    } else if above(1).starts_with(b"***") && above(1).ends_with(b"***") {
        (whole.strip_prefix(b"adagio: ")?, at - 1, at + 1, true)
    } else {
        let has_header = above(1) == b"adagio";
        (whole, at - usize::from(has_header), at + 1, has_header)
    };
    let value = std::str::from_utf8(value).ok()?;
    // Without a header, as with `-N`, a comment may be anybody's.
    let is_ours = has_header || value.starts_with("adagio: ");
    let part = Part::of(value).filter(|_| is_ours)?;
    Some((part, first, behind))
}

/// Lines in which the client repeats a statement, in order.
fn echoed(lines: &Lines<'_>) -> Vec<Range<usize>> {
    const DASHES: &[u8] = b"--------------";
    const BEGINS: [&[u8]; 5] = [b"SELECT ", b"SHOW ", b"EXPLAIN ", b"USE ", b"-- "];
    let is_dashes = |at: usize| lines.get(at).is_some_and(|line| line.trim_ascii() == DASHES);
    let begins = |at: usize| {
        lines.get(at).is_some_and(|line| BEGINS.iter().any(|word| line.starts_with(word)))
    };
    let mut echoed = Vec::new();
    let mut open: Option<usize> = None;
    for at in (0..lines.len()).filter(|at| is_dashes(*at)) {
        match open {
            Some(first) => {
                echoed.push(first..at + 1);
                open = None;
            }
            None => open = begins(at + 1).then_some(at),
        }
    }
    echoed
}

struct Reader<'a> {
    name: &'a str,
    lines: &'a Lines<'a>,
    echoed: Vec<Range<usize>>,
    redact: bool,
    got: Collected,
}

impl<'a> Reader<'a> {
    fn tell(&mut self, line: usize, what: &str) {
        if self.got.told.len() >= MOST_TOLD {
            return;
        }
        self.got.told.push(format!("{}, line {}: {what}", self.name, line + 1));
    }

    /// Says that a part has nothing below its mark, with what the server said instead.
    fn missing(&mut self, section: &Section) {
        let said = (section.from..section.to)
            .filter_map(|at| self.lines.get(at))
            .find(|line| line.starts_with(b"ERROR "));
        let said = said.map(|line| if self.redact { number_of(line) } else { line });
        let said = said.map(|line| {
            let line: String = String::from_utf8_lossy(line).chars().take(200).collect();
            format!("; there is: {line}")
        });
        let what = format!("{} expected{}", section.part.expected(), said.unwrap_or_default());
        self.tell(section.mark, &what);
    }

    /// The lines of a part, without the statements repeated in it.
    fn lines_of(&self, section: &Section) -> impl Iterator<Item = (usize, &'a [u8])> {
        let is_kept = |at: &usize| {
            let before = self.echoed.partition_point(|echo| echo.end <= *at);
            self.echoed.get(before).is_none_or(|echo| !echo.contains(at))
        };
        (section.from..section.to).filter(is_kept).filter_map(|at| Some((at, self.lines.get(at)?)))
    }

    fn text_of(&self, section: &Section) -> Vec<u8> {
        let mut text = Vec::new();
        for (_, line) in self.lines_of(section) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        text
    }

    /// The whole text with nothing in it but some parts, each line where it was: so places that
    /// are told of it hold in the file. `mark` gives the line for a mark; all prints end before it.
    fn only(
        &self,
        sections: &[Section],
        mark: impl Fn(&Part) -> Option<String>,
    ) -> Option<Vec<u8>> {
        // What a client says when a result is over: a value of several lines ends there.
        const OVER: &[u8] = b"Empty set;";
        let mut text = Vec::new();
        let mut next = 0;
        let mut put = |at: usize, line: &[u8]| {
            if let Some(between) = at.checked_sub(next) {
                text.extend(std::iter::repeat_n(b'\n', between));
                text.extend_from_slice(line);
                text.push(b'\n');
                next = at + 1;
            }
        };
        let mut behind = sections.iter().skip(1);
        for section in sections {
            let next_mark = behind.next().map(|section| section.mark);
            let Some(mark) = mark(&section.part) else { continue };
            put(section.mark, mark.as_bytes());
            self.lines_of(section).for_each(|(at, line)| put(at, line));
            if next_mark != Some(section.to) {
                put(section.to, OVER);
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// Variables, counters and samples.
    fn server(&mut self, sections: &[Section]) {
        let mut sessions = Sessions::default();
        for section in sections {
            match &section.part {
                Part::Variables => {
                    let read = server::read(&self.text_of(section));
                    match read.variables.is_empty() {
                        true => self.missing(section),
                        false => self.got.variables = read.variables,
                    }
                }
                Part::Before | Part::After => {
                    let mut read = server::read(&self.text_of(section));
                    match read.samples.pop() {
                        None => self.missing(section),
                        Some(sample) => self.got.status.push(sample),
                    }
                }
                Part::Sample => {
                    let text = self.text_of(section);
                    let samples = server::read(&text).samples;
                    let count = |name| samples.iter().find_map(|it| it.count(name));
                    let running = count("threads_running");
                    let is_listed = sessions.add(&text, count("threads_connected"));
                    self.got.running.extend(running);
                    if running.is_none() || !is_listed {
                        self.missing(section);
                    }
                }
                _ => {}
            }
        }
        if sessions.is_partial() {
            let first = sections.iter().find(|it| it.part == Part::Sample).map_or(0, |it| it.mark);
            let what = "the process lists lack most sessions: the privilege PROCESS expected; their states are not used";
            self.tell(first, what);
        } else {
            self.got.process_lists = sessions.lists;
            self.got.states = sessions.told();
            self.got.seen = sessions.seen();
        }
    }

    /// Tables, of whatever the file has.
    fn tables(&mut self, sections: &[Section]) {
        let mark = |part: &Part| match part {
            Part::Table(db, _) => Some(format!("-- Database: `{db}`")),
            Part::Tables => Some(String::new()),
            _ => None,
        };
        let Some(text) = self.only(sections, mark) else { return };
        let mut schema = Schema::default();
        let server = sections.iter().find(|it| it.part == Part::Server);
        if let Some(version) = server.and_then(|section| version_in(&self.text_of(section))) {
            // As a dump tells it.
            schema.add(format!("-- Server version\t{version}\n").as_bytes(), self.name);
        }
        let problems = schema.add(&text, self.name);
        for section in sections {
            match &section.part {
                Part::Table(db, table)
                    if schema.table(Some(db), table).is_none_or(|it| !it.is_defined) =>
                {
                    self.missing(section);
                }
                Part::Tables if schema.tables().len() == 0 => self.missing(section),
                _ => {}
            }
        }
        if schema.tables().len() > 0 {
            self.got.schema = Some(schema);
            self.got.schema_problems = problems;
        }
    }

    /// Plans, each with the ID of its class.
    fn plans(&mut self, sections: &[Section]) {
        let mark = |part: &Part| match part {
            Part::Plan(id) => Some(format!("-- query_id: 0x{id}")),
            _ => None,
        };
        let Some(text) = self.only(sections, mark) else { return };
        let plans = plan::read(&text, 0).plans;
        let ids: HashSet<&str> = plans.iter().filter_map(|it| it.query_id.as_deref()).collect();
        for section in sections {
            match &section.part {
                Part::Plan(id) if !ids.contains(id.to_ascii_uppercase().as_str()) => {
                    self.missing(section);
                }
                _ => {}
            }
        }
        self.got.plans =
            (!plans.is_empty()).then(|| Text { name: self.name.to_owned(), bytes: text });
    }

    /// Says which of the parts that every file has are not there.
    fn lost(&mut self, sections: &[Section], is_whole: bool) {
        const ALWAYS: [(&str, Part); 3] = [
            ("variables", Part::Variables),
            ("status before", Part::Before),
            ("status after", Part::After),
        ];
        let is_lost = |part: &Part| sections.iter().all(|section| section.part != *part);
        let lost: Vec<String> = ALWAYS
            .iter()
            .filter(|(_, part)| is_lost(part))
            .map(|(name, _)| format!("`adagio: {name}`"))
            .collect();
        if !lost.is_empty() {
            let last = self.lines.len().saturating_sub(1);
            let place = if is_whole { sections.last().map_or(last, |it| it.mark) } else { last };
            self.tell(place, &format!("expected above: {}", lost.join(", ")));
        }
    }
}

/// The head of an error line that is the same for all statements: `ERROR 1064 (42000)`.
fn number_of(line: &[u8]) -> &[u8] {
    const WORD: &[u8] = b"ERROR";
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = line.strip_prefix(WORD).and_then(|it| it.strip_prefix(b" ")).unwrap_or_default();
    let number = digits(behind);
    if number == 0 {
        return WORD;
    }
    let state = behind.get(number..).and_then(|it| it.strip_prefix(b" (")).unwrap_or_default();
    let length = state.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let has_state = length == 5 && state.get(length) == Some(&b')');
    let end = WORD.len() + 1 + number + if has_state { length + 3 } else { 0 };
    line.get(..end).unwrap_or(WORD)
}

/// The version in a print of VERSION().
fn version_in(text: &[u8]) -> Option<String> {
    let wanted = |columns: &[String]| columns.iter().any(|name| name == "version");
    let sets = rowset::find(text, &wanted);
    let set = sets.first()?;
    set.cell(set.rows.first()?, "version").map(str::to_owned)
}

/// Process states over all process lists.
#[derive(Debug, Default)]
struct Sessions {
    lists: u64,
    /// Lists that have less than half of the sessions that the counter tells.
    partial: u64,
    /// Active sessions of all lists.
    active: u64,
    /// Sessions and lists of each state.
    states: BTreeMap<String, (u64, u64)>,
}

impl Sessions {
    /// Adds the list in a text; false if there is none. `connected` is what the counter tells.
    fn add(&mut self, text: &[u8], connected: Option<u64>) -> bool {
        let wanted = |columns: &[String]| columns == ["state", "sessions"];
        let sets = rowset::find(text, &wanted);
        let Some(set) = sets.first() else { return false };
        self.lists += 1;
        // The connection that looks counts in no row.
        let mut visible = 1_u64;
        for row in &set.rows {
            let sessions = set.cell(row, "sessions").and_then(|it| it.trim().parse::<u64>().ok());
            let Some(sessions) = sessions.filter(|it| *it > 0) else { continue };
            let state = set.cell(row, "state").unwrap_or_default().trim();
            if state == "of the server" {
                continue;
            }
            visible = visible.saturating_add(sessions);
            if state == "idle" {
                continue;
            }
            self.active = self.active.saturating_add(sessions);
            let is_room = self.states.len() < MOST_STATES || self.states.contains_key(state);
            if !state.is_empty() && is_room {
                let (all, lists) = self.states.entry(state.to_owned()).or_default();
                *all = all.saturating_add(sessions);
                *lists += 1;
            }
        }
        self.partial += u64::from(connected.is_some_and(|it| visible.saturating_mul(2) < it));
        true
    }

    /// Whether whoever looked may not see the sessions of others. Sessions come and go between the
    /// counter and the list, so one list is no proof.
    fn is_partial(&self) -> bool {
        self.partial * 2 > self.lists
    }

    /// States that are no exception, with their sessions and lists. A rule may know several.
    fn often(&self) -> Vec<(&str, u64, u64)> {
        if self.lists < LEAST_LISTS {
            return Vec::new();
        }
        let mut of_rules: BTreeMap<&str, u64> = BTreeMap::new();
        for (state, (sessions, _)) in &self.states {
            let Some(rule) = advice::rule_of_symptom(state) else { continue };
            let all = of_rules.entry(rule).or_default();
            *all = all.saturating_add(*sessions);
        }
        let is_often = |state: &str, sessions: u64| {
            let together =
                advice::rule_of_symptom(state).and_then(|rule| of_rules.get(rule)).copied();
            let together = u128::from(together.unwrap_or(sessions));
            together * u128::from(LEAST_SHARE) >= u128::from(self.active)
        };
        let states = self.states.iter().map(|(state, (all, lists))| (state.as_str(), *all, *lists));
        states.filter(|(state, sessions, _)| is_often(state, *sessions)).collect()
    }

    fn seen(&self) -> States {
        let often = self.often().into_iter();
        States {
            active: self.active,
            sessions: often.map(|(state, sessions, _)| (state.to_owned(), sessions)).collect(),
        }
    }

    /// The same as texts.
    fn told(&self) -> Vec<String> {
        let told = self.often().into_iter().map(|(state, sessions, lists)| {
            format!(
                "{state} ({sessions} of {} active sessions, in {lists} of {} process lists)",
                self.active, self.lists
            )
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Collected {
        read(&named(text), false).unwrap()
    }

    fn named(text: &str) -> Text {
        Text { name: "c".to_owned(), bytes: text.as_bytes().to_vec() }
    }

    const HEAD: &str = "adagio\nadagio: variables\nVariable_name\tValue\nversion\t8.4.2\n\
        adagio\nadagio: status before\nVariable_name\tValue\nUptime\t60\n";
    const TAIL: &str =
        "adagio\nadagio: status after\nVariable_name\tValue\nUptime\t120\nadagio\nadagio: end\n";

    fn list(states: &str) -> String {
        format!(
            "adagio\nadagio: sample 1\nVariable_name\tValue\nThreads_running\t7\nstate\tsessions\n{states}"
        )
    }

    #[test]
    fn states_count_where_they_are_no_exception() {
        let lists = |count: usize, states: &str| {
            let text = format!("{HEAD}{}{TAIL}", list(states).repeat(count));
            let collected = of(&text);
            assert_eq!(collected.told, [""; 0], "{text}");
            assert_eq!(collected.running, vec![7; count]);
            collected.states
        };
        let lock = "Waiting for query cache lock";
        // 1 of 20 is a twentieth; the session that looks is none.
        let told =
            "Waiting for query cache lock (3 of 60 active sessions, in 3 of 3 process lists)";
        let rest = "executing (57 of 60 active sessions, in 3 of 3 process lists)";
        let often = format!("{lock}\t1\nexecuting\t19\ninit\t0\nidle\t99\nof the server\t2\n");
        assert_eq!(lists(3, &often), [told, rest]);
        assert_eq!(lists(2, &often), [""; 0]);
        let seldom = lists(3, &format!("{lock}\t1\nexecuting\t20\nNULL\t3\n\t2\n"));
        assert!(seldom.iter().all(|it| !it.contains(lock)), "{seldom:?}");
    }

    /// 4 of 100 in each of four states is 16 of 100 at one lock; 1 of 100 in each is 4 of 100.
    #[test]
    fn states_of_one_rule_count_together() {
        const STATES: [&str; 4] = [
            "Waiting for query cache lock",
            "checking query cache for query",
            "storing result in query cache",
            "invalidating query cache entries (table)",
        ];
        let told_of_lock = |each: u64| {
            let of_lock = STATES.map(|state| format!("{state}\t{each}\n")).concat();
            let rest = 100 - 4 * each;
            let states = format!("{of_lock}executing\t{rest}\n");
            let told = of(&format!("{HEAD}{}{TAIL}", list(&states).repeat(4))).states;
            told.into_iter().filter(|it| it.contains("query cache")).collect::<Vec<_>>()
        };
        let seen = told_of_lock(4);
        assert_eq!(seen.len(), 4, "{seen:?}");
        assert!(
            seen[0].ends_with("(16 of 400 active sessions, in 4 of 4 process lists)"),
            "{seen:?}"
        );
        assert_eq!(told_of_lock(1), [""; 0]);
    }

    #[test]
    fn who_sees_no_other_session_has_seen_no_state() {
        let of_sample = |connected: u64| {
            let sample = list("executing\t0\n").replace(
                "Threads_running\t7",
                &format!("Threads_connected\t{connected}\nThreads_running\t7"),
            );
            of(&format!("{HEAD}{sample}{TAIL}"))
        };
        let alone = of_sample(2);
        assert_eq!((alone.process_lists, alone.told.len()), (1, 0));
        let blind = of_sample(3);
        assert_eq!((blind.process_lists, blind.running.as_slice()), (0, &[7][..]));
        assert!(blind.told[0].starts_with("c, line 10: ") && blind.told[0].contains("PROCESS"));
    }

    #[test]
    fn what_is_missing_is_told_with_its_line() {
        let told = |text: &str| of(text).told;
        assert_eq!(told(&format!("{HEAD}{TAIL}")), [""; 0]);
        assert_eq!(
            told(&format!("{HEAD}adagio\nadagio: table `shop`.`t`\nERROR 1146 at line 9\n{TAIL}")),
            [
                "c, line 10: a print of SHOW CREATE TABLE `shop`.`t` expected; there is: ERROR 1146 at line 9"
            ]
        );
        let id = "0123456789ABCDEF0123456789ABCDEF";
        assert_eq!(
            told(&format!("{HEAD}adagio\n-- query_id: 0x{id}\nid\tselect\n{TAIL}")),
            [format!("c, line 10: a print of EXPLAIN for query ID 0x{id} expected")]
        );
        assert_eq!(
            told(TAIL),
            ["c, line 6: expected above: `adagio: variables`, `adagio: status before`"]
        );
        let cut = of(HEAD);
        assert!(cut.told[0].starts_with("c, line 6: `adagio: end` expected"), "{:?}", cut.told);
        // Half a number looks like a number.
        assert_eq!((cut.variables.len(), cut.status.len()), (1, 0));
        assert!(read(&named("version\t8.4.2\n"), false).is_err());
    }

    #[test]
    fn a_message_of_the_server_is_not_told_where_literals_are_to_be_hidden() {
        for (line, want) in [
            ("ERROR 1064 (42000) at line 9: near 'secret' at line 1", "ERROR 1064 (42000)"),
            ("ERROR 2013 at line 9: secret", "ERROR 2013"),
            ("ERROR 1064 (secret) at line 9", "ERROR 1064"),
            ("ERROR at line 9: Unknown command 'secret'", "ERROR"),
        ] {
            let text = format!("{HEAD}adagio\nadagio: table `shop`.`t`\n{line}\n{TAIL}");
            let told = read(&named(&text), true).unwrap().told;
            let end = format!("expected; there is: {want}");
            assert!(told.len() == 1 && told[0].ends_with(&end), "{told:?}");
        }
    }

    #[test]
    fn places_are_those_of_the_file() {
        let table = "adagio\nadagio: table `shop`.`t`\nTable\tCreate Table\n\
            t\tCREATE TABLE `t` (\\n  `a` int wibble\\n)\n";
        let collected = of(&format!("{HEAD}{table}{TAIL}"));
        let lines: Vec<u64> = collected.schema_problems.iter().map(|it| it.line).collect();
        assert_eq!(lines, [12], "{:?}", collected.schema_problems);
        let schema = collected.schema.unwrap();
        assert!(schema.table(Some("shop"), "t").unwrap().is_defined);
    }

    proptest! {
        /// Whatever is given, pieces of output or not, is read without breaking.
        #[test]
        fn pieces_in_any_order_break_nothing(pieces in proptest::collection::vec(0..PIECES.len(), 0..40)) {
            let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
            let _ = read(&named(&text), pieces.len() % 2 == 0);
        }
    }

    const PIECES: &[&str] = &[
        "adagio\n",
        "adagio: variables\n",
        "adagio: status after\n",
        "adagio: table `a`.`b`\n",
        "adagio: table `\n",
        "adagio: tables\n",
        "adagio: sample 1\n",
        "adagio: end\n",
        "-- query_id: 0x0123456789ABCDEF0123456789ABCDEF\n",
        "+--------+\n",
        "| adagio |\n",
        "| adagio: server |\n",
        "********** 1. row **********\n",
        "adagio: adagio: server\n",
        "--------------\n",
        "SELECT 1\n",
        "version\t8.0.1\n",
        "Variable_name\tValue\n",
        "Table\tCreate Table\n",
        "t\tCREATE TABLE t (a int)\n",
        "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n",
        "1\tSIMPLE\tt\tALL\tNULL\tNULL\tNULL\tNULL\t9\t\n",
        "\n",
        "\t",
        "|",
        "é",
    ];
}
