//! Advice without the literals of the statements that it is on.
//!
//! A statement loses every literal. Words lose what stands in quotes and what the statements have
//! as a literal; figures that were measured stay.

use std::collections::{HashMap, HashSet};

use crate::plan::Plan;
use crate::sql::fingerprint::ClassId;
use crate::sql::token::{Kind, tokens};

use super::{Action, Advice, Finding, Value, Workload};

/// Masks all that advice says.
pub fn mask(advice: &mut Advice, workload: &Workload<'_>) {
    let mut secrets = Secrets { workload, of_class: HashMap::new() };
    for finding in &mut advice.findings {
        let own = finding.subject.query_id.into_iter().chain(finding.queries.iter().copied());
        let literals = secrets.of(own);
        of_finding(finding, &literals);
    }
    for rejected in &mut advice.rejected {
        let literals = secrets.of(rejected.queries.iter().copied());
        rejected.reason = words(&rejected.reason, &literals);
    }
    for unread in &mut advice.unread {
        let literals = secrets.of(std::iter::once(unread.query_id));
        unread.reason = words(&unread.reason, &literals);
    }
}

fn of_finding(finding: &mut Finding, literals: &HashSet<String>) {
    let prose = |text: &mut String| *text = words(text, literals);
    prose(&mut finding.title);
    prose(&mut finding.recommendation.text);
    finding.verify = match is_statement(&finding.verify) {
        true => statement(&finding.verify),
        false => words(&finding.verify, literals),
    };
    // Definitions have numbers that are lengths, and are needed.
    let todo = &mut finding.recommendation;
    let is_definition = matches!(todo.action, Action::Create | Action::Drop | Action::Replace);
    let statements = todo.sql.iter_mut().chain(&mut todo.undo);
    statements.for_each(|sql| {
        *sql = if is_definition { without_strings(sql) } else { statement(sql) };
    });
    let piece = |text: &mut String| {
        *text = if is_condition(text) { statement(text) } else { words(text, literals) };
    };
    finding.evidence.retain_mut(|fact| {
        match &mut fact.value {
            Value::Text(text) => piece(text),
            Value::List(texts) => texts.iter_mut().for_each(piece),
            // An offset, say, is a literal and not a measure.
            Value::Number(number) => return !literals.contains(&number.to_string()),
            Value::Flag(_) => {}
        }
        true
    });
}

/// Literals of classes.
struct Secrets<'w> {
    workload: &'w Workload<'w>,
    of_class: HashMap<ClassId, HashSet<String>>,
}

impl Secrets<'_> {
    fn of(&mut self, classes: impl Iterator<Item = ClassId>) -> HashSet<String> {
        let mut all = HashSet::new();
        for id in classes {
            let own = self.of_class.entry(id).or_insert_with(|| {
                let class = self.workload.classes.iter().find(|class| class.id == id);
                let mut literals = HashSet::new();
                for class in class.into_iter() {
                    class.samples.iter().for_each(|text| collect(text, &mut literals));
                    class.plans.iter().for_each(|plan| of_plan(plan, &mut literals));
                }
                literals
            });
            all.extend(own.iter().cloned());
        }
        all
    }
}

/// A plan may be that of another statement of the class.
fn of_plan(plan: &Plan, literals: &mut HashSet<String>) {
    plan.query.iter().for_each(|text| collect(text, literals));
    for node in plan.all_nodes() {
        node.condition.iter().for_each(|text| collect(text, literals));
    }
}

/// Adds the literals of a statement: strings without their quotes, numbers as they stand.
fn collect(text: &str, literals: &mut HashSet<String>) {
    for token in tokens(text.as_bytes()).filter(|token| token.kind == Kind::Literal) {
        let literal = text.get(token.range()).unwrap_or_default();
        let inner = literal.trim_matches(['\'', '"']);
        let is_word =
            ["null", "true", "false", "?", "\\n"].contains(&inner.to_lowercase().as_str());
        if !inner.is_empty() && !is_word {
            literals.insert(inner.to_owned());
            literals.insert(literal.to_owned());
        }
    }
}

/// A statement without literals and without comments.
fn statement(text: &str) -> String {
    masked(text, |_| true)
}

/// A statement without strings and without comments.
fn without_strings(text: &str) -> String {
    masked(text, |literal| literal.contains(['\'', '"']))
}

fn masked(text: &str, is_masked: impl Fn(&str) -> bool) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for token in tokens(text.as_bytes()) {
        if token.start > end && !masked.is_empty() {
            masked.push(' ');
        }
        end = token.end;
        let word = text.get(token.range()).unwrap_or_default();
        let is_kept = ["null", "true", "false"].iter().any(|kept| word.eq_ignore_ascii_case(kept));
        let is_hidden = token.kind == Kind::Literal && !is_kept && is_masked(word);
        masked.push_str(if is_hidden { "?" } else { word });
    }
    masked
}

fn is_statement(text: &str) -> bool {
    const VERBS: &[&str] = &["EXPLAIN", "ANALYZE", "SELECT", "SHOW", "UPDATE", "DELETE", "WITH"];
    let first = text.split_whitespace().next().unwrap_or_default();
    VERBS.contains(&first) && !text.trim_end().ends_with('.') && !text.contains(": ")
}

/// Whether a piece of evidence is quoted from a statement.
fn is_condition(text: &str) -> bool {
    text.contains(['=', '<', '>'])
        || [" LIKE ", " IN (", " IN(", " BETWEEN ", " REGEXP "]
            .iter()
            .any(|word| text.to_uppercase().contains(word))
}

/// Words without what is quoted in them and without the literals.
fn words(text: &str, literals: &HashSet<String>) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    // Behind the last end of a quote nothing is quoted: no need to look for its end again.
    let last = ['\'', '"'].map(|quote| closings(text, quote).last().unwrap_or(0));
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let is_open = match first {
            '\'' => at < last[0],
            '"' => at < last[1],
            _ => false,
        };
        let is_inside = before.is_some_and(is_letter);
        let length = if is_inside {
            // An introducer stands before a string: `_utf8mb4'x'`.
            whole(rest, literals)
        } else {
            // A letter may stand right behind a string: `'b c'and`.
            whole(rest, literals)
                .or_else(|| string(rest, is_open))
                .or_else(|| literal(rest, literals))
        };
        match length {
            Some(length) => {
                masked.push('?');
                before = Some('?');
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                masked.push(first);
                before = Some(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    masked
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Bytes of what is quoted at the beginning of a text. An apostrophe opens nothing: a letter stands
/// before it.
fn string(text: &str, is_open: bool) -> Option<usize> {
    let quote = text.chars().next().filter(|_| is_open)?;
    closings(text, quote).find(|end| *end > 0).map(|end| end + 1)
}

/// Where a quote may end what is quoted: neither a letter nor the same quote is behind it.
fn closings(text: &str, quote: char) -> impl Iterator<Item = usize> {
    text.match_indices(quote).map(|(at, _)| at).filter(move |at| {
        let behind = text.get(at + 1..).and_then(|rest| rest.chars().next());
        behind.is_none_or(|c| !is_letter(c) && c != quote)
    })
}

/// Bytes of a text up to the next quote of the kind that it begins with; none where it begins with
/// no quote.
fn until_quote(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    Some(text.get(1..)?.find(quote)? + 2)
}

/// Bytes of the string that a text begins with, if it is one of the literals as it stands.
fn whole(text: &str, literals: &HashSet<String>) -> Option<usize> {
    let all = text.get(..until_quote(text)?)?;
    literals.contains(all).then_some(all.len())
}

/// Bytes of the literal that a text begins with.
fn literal(text: &str, literals: &HashSet<String>) -> Option<usize> {
    let number: &str = {
        let digits = text.bytes().take_while(|b| b.is_ascii_digit()).count();
        let decimals = match text.get(digits..).map(str::as_bytes) {
            Some([b'.', rest @ ..]) => rest.iter().take_while(|b| b.is_ascii_digit()).count(),
            _ => 0,
        };
        let length = if decimals > 0 { digits + 1 + decimals } else { digits };
        text.get(..length).unwrap_or_default()
    };
    if !number.is_empty() {
        let behind = text.get(number.len()..).and_then(|rest| rest.chars().next());
        // `59,520 rows` is a figure, whatever `59` may be.
        let next = text.get(number.len() + 1..).and_then(|rest| rest.chars().next());
        let goes_on = behind.is_some_and(is_letter)
            || behind == Some(',') && next.is_some_and(|c| c.is_ascii_digit());
        if !goes_on {
            return literals.contains(number).then_some(number.len());
        }
    }
    // `0x1F`, `1.5e3`, `x'1F'`: as it stands.
    let run: usize =
        text.chars().take_while(|c| is_letter(*c) || *c == '.').map(char::len_utf8).sum();
    let run = text.get(..run).map(|run| run.trim_end_matches('.')).unwrap_or_default();
    if run.starts_with(|c: char| c.is_ascii_digit()) {
        let is_more = run.len() > number.len();
        return (is_more && literals.contains(run)).then_some(run.len());
    }
    if let Some(behind) = text.get(run.len()..)
        && let Some(end) = until_quote(behind)
        && let Some(all) = text.get(..run.len() + end)
        && literals.contains(all)
    {
        return Some(all.len());
    }
    let word: usize = text.chars().take_while(|c| is_letter(*c)).map(char::len_utf8).sum();
    let word = text.get(..word).filter(|word| word.chars().count() > 2)?;
    literals.contains(word).then_some(word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(text: &str) -> HashSet<String> {
        let mut literals = HashSet::new();
        collect(text, &mut literals);
        literals
    }

    #[test]
    fn a_statement_loses_all_literals_and_comments() {
        let check = |text: &str, want: &str| assert_eq!(statement(text), want);
        check(
            "SELECT a FROM t /* key 7 */ WHERE b = 'x''y' AND c IN (1,-2.5) -- 9\n AND d IS NULL",
            "SELECT a FROM t WHERE b = ? AND c IN (?,-?) AND d IS NULL",
        );
        check("SELECT `5`.t1 FROM db2.t1 LIMIT 5", "SELECT `5`.t1 FROM db2.t1 LIMIT ?");
        assert_eq!(
            without_strings("ALTER TABLE t ADD INDEX j ((a->'$.b'), c(20))"),
            "ALTER TABLE t ADD INDEX j ((a->?), c(20))"
        );
    }

    #[test]
    fn words_lose_literals_of_every_spelling() {
        let text = "SELECT a FROM t WHERE b = 0x7E5 AND c = 1.5e3 AND d = x'DEADBEEF00' \
                    AND e = _utf8mb4'ann smith secret' AND f = 'b c'";
        let own = literals(text);
        assert_eq!(
            words("b = 0x7E5 and c = 1.5e3 and d = x'DEADBEEF00'", &own),
            "b = ? and c = ? and d = ?"
        );
        assert_eq!(
            words("e = _utf8mb4'ann smith secret' and f='b c'and", &own),
            "e = _utf8mb4? and f=?and"
        );
    }

    #[test]
    fn words_lose_what_is_quoted_and_what_is_a_literal() {
        let own = literals(
            "SELECT * FROM t WHERE mail = 'ann@x.test' AND n = 42 AND s = 'paid' AND k = 59",
        );
        let check = |text: &str, want: &str| assert_eq!(words(text, &own), want);
        check("`n = 42` reads 59,520 rows of t2", "`n = ?` reads 59,520 rows of t2");
        check("what's in 'another' doesn't count", "what's in ? doesn't count");
        check("rows with paid are 4242 of 420", "rows with ? are 4242 of 420");
        check("the server's value", "the server's value");
        check("42", "?");
        check(&"'".repeat(200_000), "?");
        check(&"'a".repeat(200_000), &"'a".repeat(200_000));
        check("it is \"a 'b' c\".", "it is ?.");
    }

    #[test]
    fn a_finding_keeps_its_figures() {
        let text = "SELECT a FROM t WHERE DATE(b) = '2026-02-01' LIMIT 10 OFFSET 90000";
        let class = crate::advice::workload::fixture(text);
        let mut finding = crate::advice::finding::fixture("SQL001");
        finding.title = "DATE(b) = '2026-02-01' hides b: 90000 rows passed, 5 kept".to_owned();
        finding.subject.query_id = Some(class.id);
        finding.evidence = vec![
            crate::advice::Fact::text("fragment", "DATE(b) = '2026-02-01'"),
            crate::advice::Fact::number("offset", crate::plan::Amount::whole(90000)),
            crate::advice::Fact::number("rows_examined_avg", crate::plan::Amount::whole(90010)),
        ];
        finding.recommendation.action = Action::Rewrite;
        finding.recommendation.sql =
            vec!["SELECT a FROM t WHERE b >= '2026-02-01' AND b < '2026-02-02'".to_owned()];
        finding.verify = "EXPLAIN SELECT a FROM t WHERE DATE(b) = '2026-02-01'".to_owned();
        let workload = Workload { classes: vec![class], ..Workload::default() };
        let mut advice = Advice { findings: vec![finding], ..Advice::default() };
        mask(&mut advice, &workload);
        let finding = &advice.findings[0];
        assert_eq!(finding.title, "DATE(b) = ? hides b: ? rows passed, 5 kept");
        assert_eq!(finding.recommendation.sql, ["SELECT a FROM t WHERE b >= ? AND b < ?"]);
        assert_eq!(finding.verify, "EXPLAIN SELECT a FROM t WHERE DATE(b) = ?");
        let names: Vec<&str> = finding.evidence.iter().map(|fact| fact.name).collect();
        assert_eq!(names, ["fragment", "rows_examined_avg"]);
        assert_eq!(finding.evidence[0].value, Value::Text("DATE(b) = ?".to_owned()));
    }
}
