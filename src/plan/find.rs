//! Finds the plans in a text, whatever is printed around them.
//!
//! A plan begins with a print of rows whose columns are those of EXPLAIN, with a line that begins
//! with `{`, or with one that begins with `-> `; the two latter also as the one value of a print.

use super::json::{self, Json};
use super::{Format, Node, Note, Plan, json_maria, json_v1, json_v2, query, tabular, tree};
use crate::flavor::Family;
use crate::problem::{Kind, Origin, Problem, Problems};
use crate::rowset::lines::quote;
use crate::rowset::tsv::unescaped;
use crate::rowset::{self, Lines, Print, RowSet};

/// What a text has.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The plans, in order.
    pub plans: Vec<Plan>,
    /// What could not be read.
    pub problems: Problems,
}

/// Reads all plans of a text; `source` is the number of the input.
pub fn read(text: &[u8], source: u32) -> Found {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines = Lines::new(text);
    let places = Places {
        lines: &lines,
        source,
        fixed: None,
        quoted: 0,
        indent: 0,
        problems: Problems::default(),
    };
    let mut finder =
        Finder { lines: &lines, places, plans: Vec::new(), behind_prompt: false, free: 0 };
    let mut at = 0;
    while at < lines.len() {
        at = finder.line(at).max(at + 1);
    }
    Found { plans: finder.plans, problems: finder.places.problems }
}

/// The plan in the `# explain:` lines of an entry of a MariaDB slow log.
pub fn of_log_lines(header: &[u8]) -> Option<Plan> {
    read(header, 0).plans.into_iter().next()
}

/// Whether a text holds a plan, by a look at each line.
pub fn looks_like_plan(text: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    has(b"select_type")
        || has(b"\"query_block\"")
        || has(b"\"query_plan\"")
        || has(b"-> ") && (has(b"(cost=") || has(b"(actual time="))
}

/// Where problems are told, by line.
pub(super) struct Places<'a> {
    lines: &'a Lines<'a>,
    source: u32,
    /// The line of the input that all lines of an escaped value come from, where the value begins
    /// in it, and the value with its escapes.
    fixed: Option<(usize, usize, &'a [u8])>,
    /// Bytes that quote each line and are not part of what is read.
    quoted: usize,
    /// Those of them that are blanks and nothing else.
    indent: usize,
    problems: Problems,
}

impl Places<'_> {
    /// A value that cannot be read.
    pub fn unread(&mut self, line: usize, expected: &str, text: &str) {
        let column = self.column_of(line, text);
        // The line of an escaped value is that of the print: the place in it was looked for.
        let fixed = self.fixed.take();
        let (line, column) = match fixed {
            Some((at, start, _)) => (at, start.saturating_add(column)),
            None => (line, column),
        };
        self.tell(line, column, Kind::UnreadValue, expected, text);
        self.fixed = fixed;
    }

    /// Blanks that stand before each line of what is read.
    pub fn indent(&self) -> usize {
        self.indent
    }

    /// A plan that ends too early, or has something else where it goes on.
    fn broken(&mut self, line: usize, column: usize, expected: &str, is_end: bool) {
        let kind = if is_end { Kind::CutTail } else { Kind::UnreadValue };
        let text = self.lines.get(line).map(String::from_utf8_lossy).unwrap_or_default();
        let text: String = text.chars().take(80).collect();
        self.tell(line, column.saturating_add(self.quoted), kind, expected, &text);
    }

    /// The same for other readers of this room.
    pub fn cut(&mut self, line: usize, expected: &str) {
        let column = self.lines.get(line).map_or(0, <[u8]>::len);
        self.tell(line, column, Kind::CutTail, expected, "");
    }

    fn tell(&mut self, line: usize, column: usize, kind: Kind, expected: &str, text: &str) {
        let (line, column) = match self.fixed {
            Some((at, start, text)) => {
                (at, start.saturating_add(escaped_place(text, line.saturating_sub(at), column)))
            }
            None => (line, column),
        };
        let offset = self.lines.offset(line).saturating_add(column);
        let detail = format!("line {}, column {}: expected {expected}", line + 1, column + 1);
        let origin = Origin { source: self.source, offset: offset as u64 };
        self.problems.add(Problem { origin, kind, detail, text: text.to_owned() });
    }

    /// Where a value stands: figures are at the end of a line, names before them.
    fn column_of(&self, line: usize, text: &str) -> usize {
        if let Some((_, _, value)) = self.fixed {
            return memchr::memmem::rfind(value, text.as_bytes()).unwrap_or(0);
        }
        let line = self.lines.get(line).unwrap_or_default();
        memchr::memmem::rfind(line, text.as_bytes()).unwrap_or(0)
    }
}

/// The byte of a value with escapes at which a byte of one of its lines stands.
fn escaped_place(text: &[u8], line: usize, column: usize) -> usize {
    let (mut lines, mut columns, mut at) = (line, column, 0);
    while let Some(byte) = text.get(at).filter(|_| lines > 0 || columns > 0) {
        let is_escape = *byte == b'\\';
        if lines > 0 {
            lines -= usize::from(is_escape && text.get(at + 1) == Some(&b'n'));
        } else {
            columns -= 1;
        }
        at += 1 + usize::from(is_escape);
    }
    at.min(text.len())
}

struct Finder<'a> {
    lines: &'a Lines<'a>,
    places: Places<'a>,
    plans: Vec<Plan>,
    /// Whether the line above is a statement at a prompt: `    -> ` then goes on with it.
    behind_prompt: bool,
    /// The line behind the last plan: a statement above a plan is looked for from there.
    free: usize,
}

impl<'a> Finder<'a> {
    /// Looks at a line; gives the one to look at next.
    fn line(&mut self, at: usize) -> usize {
        let Some(line) = self.lines.get(at) else { return at };
        let wanted = |columns: &[String]| {
            tabular::is_plan(columns) || is_document(columns) || is_warnings(columns)
        };
        if let Some(set) = rowset::begins(self.lines, at, &wanted) {
            self.behind_prompt = false;
            return self.rows(set);
        }
        let text = &line[quote(line).len()..];
        let goes_on = self.behind_prompt && is_continued(text);
        self.behind_prompt = goes_on || query::has_prompt(text);
        if !goes_on && (text.starts_with(b"{") || text.starts_with(b"-> ")) {
            return self.bare(at, line.len() - text.len());
        }
        at
    }

    /// A print of rows.
    fn rows(&mut self, set: RowSet) -> usize {
        if is_warnings(&set.columns) {
            self.notes(&set);
        } else if is_document(&set.columns) {
            let known = self.plans.len();
            for row in &set.rows {
                let value = row.cells.first().and_then(Option::as_deref).unwrap_or_default();
                // Blanks before the value do not count: a tree keeps to its own.
                let value = value.trim_start();
                // Below the stars a name stands before it, on the first line.
                let is_vertical = set.print == Print::Vertical;
                let line = row.line + usize::from(is_vertical);
                self.value(value.as_bytes(), line, set.line);
            }
            if let Some(line) = set.cut {
                self.places.cut(line, "the end of the box");
                if let Some(plan) = self.plans.get_mut(known..).and_then(<[Plan]>::last_mut) {
                    plan.is_cut = true;
                }
            }
        } else {
            let plan = tabular::read(&set, &mut self.places);
            let missing = plan.missing_columns();
            if let Some(line) = set.cut.or((!missing.is_empty()).then_some(set.line)) {
                let what = match (missing, set.rows.is_empty()) {
                    (_, true) => "the rows of the plan".to_owned(),
                    ([], _) => "the rest of the print".to_owned(),
                    ([name], _) => format!("the column {name}"),
                    (names, _) => format!("the columns {}", names.join(", ")),
                };
                self.places.cut(line, &what);
            }
            if !plan.nodes.is_empty() {
                self.keep(plan, set.line, set.end);
            }
        }
        self.free = set.end;
        set.end
    }

    /// A document or tree that is the one value of a print, which begins at line `print`.
    fn value(&mut self, value: &[u8], line: usize, print: usize) {
        let lines = Lines::new(value);
        let line_of = |at: usize| at.checked_sub(line).and_then(|at| lines.get(at));
        if value.starts_with(b"{") {
            self.document(line, 0, print, line_of);
        } else if value.starts_with(b"-> ") {
            self.tree(line, 0, print, line_of);
        } else if !value.is_empty() {
            self.places.broken(line, 0, "a plan in JSON or as a tree", false);
        }
    }

    /// A document or tree that stands by itself.
    fn bare(&mut self, at: usize, column: usize) -> usize {
        let lines = self.lines;
        let Some(line) = lines.get(at) else { return at };
        let (quote, text) = line.split_at(column);
        // Batch mode prints the whole document as one line, with escapes.
        let is_escaped = text.starts_with(b"{\\n") || is_escaped_tree(text);
        if is_escaped {
            self.places.fixed = Some((at, column, text));
            let value = unescaped(text);
            let inner = Lines::new(&value);
            let line_of = |line: usize| line.checked_sub(at).and_then(|line| inner.get(line));
            if text.starts_with(b"{") {
                self.document(at, 0, at, line_of);
            } else {
                self.tree(at, 0, at, line_of);
            }
            self.places.fixed = None;
            self.free = at + 1;
            return at + 1;
        }
        // Blanks mean nothing in JSON: they need not be the same on each line.
        let is_blank = quote.trim_ascii().is_empty();
        self.places.quoted = quote.len();
        let end = if text.starts_with(b"{") && is_blank {
            self.places.quoted = 0;
            self.document(at, column, at, |line| lines.get(line))
        } else if text.starts_with(b"{") {
            self.document(at, 0, at, |line| lines.unquoted(line, quote))
        } else {
            // A line that a terminal has broken goes on without what indents the others.
            self.places.indent = if is_blank { quote.len() } else { 0 };
            let bare = |line| lines.get(line).filter(|_| is_blank);
            self.tree(at, 0, at, |line| lines.unquoted(line, quote).or_else(|| bare(line)))
        };
        self.places.quoted = 0;
        self.places.indent = 0;
        end
    }

    /// Reads a JSON document; gives the line behind it.
    fn document<'t>(
        &mut self,
        line: usize,
        column: usize,
        print: usize,
        line_of: impl Fn(usize) -> Option<&'t [u8]>,
    ) -> usize {
        let read = json::read(line, column, line_of);
        let Some(mut plan) = of_document(&read.value, line) else {
            if let Some(wrong) = read.wrong.filter(|_| mentions_plan(&read.value)) {
                self.places.broken(wrong.line, wrong.column, wrong.expected, wrong.is_end);
            }
            return read.line + 1;
        };
        let is_whole = read.wrong.is_none();
        plan.is_cut |= !is_whole;
        if let Some(wrong) = read.wrong {
            self.places.broken(wrong.line, wrong.column, wrong.expected, wrong.is_end);
        }
        if plan.nodes.is_empty() {
            if is_whole {
                self.places.broken(line, column, "a plan with a table or a message", false);
            }
            return read.line + 1;
        }
        plan.line = self.places.fixed.map_or(line, |(at, _, _)| at) + 1;
        self.keep(plan, print, read.line + 1);
        self.free = read.line + 1;
        read.line + 1
    }

    fn tree<'t>(
        &mut self,
        line: usize,
        column: usize,
        print: usize,
        line_of: impl Fn(usize) -> Option<&'t [u8]>,
    ) -> usize {
        let is_value = print != line || self.places.fixed.is_some();
        let (plan, end) = tree::read(line, column, is_value, line_of, &mut self.places);
        if let Some(plan) = plan {
            self.keep(plan, print, end);
        }
        end
    }

    /// Keeps a plan, with the statement that stands above it.
    fn keep(&mut self, mut plan: Plan, print: usize, end: usize) {
        // In a log the statement stands below, that of another entry above.
        let line = self.lines.get(print).unwrap_or_default();
        let is_logged = line.trim_ascii_start().starts_with(b"# explain:");
        if plan.query.is_none() && !is_logged {
            plan.query = query::above(self.lines, self.free, print);
        }
        plan.query_id = query::id_above(self.lines, self.free, print);
        self.plans.push(plan);
        self.free = end;
    }

    /// Messages of the server belong to the plan above them.
    fn notes(&mut self, set: &RowSet) {
        let Some(plan) = self.plans.last_mut() else { return };
        for row in &set.rows {
            let text = |name| set.cell(row, name).unwrap_or_default();
            let (level, message) = (text("Level").to_owned(), text("Message").to_owned());
            let code = text("Code").parse().ok();
            if plan.flavor == Family::Unknown && message.starts_with("/* select#") {
                plan.flavor = Family::MySql;
            }
            plan.notes.push(Note { level, code, message });
        }
    }
}

/// The one column of a plan in JSON or as a tree; of MariaDB's SHOW EXPLAIN and SHOW ANALYZE too.
fn is_document(columns: &[String]) -> bool {
    let [name] = columns else { return false };
    // In capitals: a slow log has lines that begin with `# explain: `.
    ["EXPLAIN", "ANALYZE", "SHOW EXPLAIN", "SHOW ANALYZE"].contains(&name.as_str())
}

fn is_warnings(columns: &[String]) -> bool {
    columns.len() == 3
        && ["Level", "Code", "Message"]
            .iter()
            .all(|name| columns.iter().any(|column| column == name))
}

/// A line that goes on with the statement at a prompt.
fn is_continued(text: &[u8]) -> bool {
    [&b"->"[..], b"'>", b"\">", b"`>", b"/*>", b"-->"].iter().any(|mark| text.starts_with(mark))
}

/// The plan of a document, by its keys.
fn of_document(value: &Json, line: usize) -> Option<Plan> {
    let has = |key: &str| value.get(key).is_some();
    // Until MySQL 8.3 the first iterator is the document itself.
    let is_iterator = value.get("operation").is_some_and(|step| step.text().is_some())
        && ["access_type", "inputs", "query"].iter().any(|key| has(key));
    let mut plan = if has("query_plan") || is_iterator {
        json_v2::read(value)
    } else if has("query_block") {
        // MySQL puts the message of a SELECT without tables beside its number.
        let has_message =
            value.get("query_block").is_some_and(|block| block.get("message").is_some());
        match json_maria::writer(value) {
            Family::Unknown if has_message => json_v1::read(value),
            Family::MySql => json_v1::read(value),
            writer => json_maria::read(value, writer),
        }
    } else {
        return None;
    };
    set_line(&mut plan.nodes, line + 1);
    Some(plan)
}

/// The depth of nodes is bounded where they are read.
fn set_line(nodes: &mut [Node], line: usize) {
    for node in nodes {
        node.line = line;
        set_line(&mut node.children, line);
    }
}

/// Whether a line is a whole tree of batch mode: behind a `\\n` there is a step, or nothing. A
/// literal in a condition may hold one as well.
fn is_escaped_tree(text: &[u8]) -> bool {
    text.starts_with(b"-> ")
        && memchr::memmem::find_iter(text, b"\\n").any(|at| {
            let rest = text[at + 2..].trim_ascii_start();
            rest.is_empty() || rest.starts_with(b"-> ")
        })
}

/// Whether a broken document was to be a plan.
fn mentions_plan(value: &Json) -> bool {
    value.pairs().any(|(key, _)| matches!(key, "query_optimization" | "query"))
        || *value == Json::Null
        || *value == Json::Object(Vec::new())
}

/// The format by its word, for those that print plans.
impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
