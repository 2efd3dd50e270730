//! All changes of indexes as one script: what is not a statement is a comment, so that the whole
//! can be pasted into a client.

use super::Counsel;
use super::page::{effect, ended, is_cost, share_of};
use crate::advice::{Action, Finding};
use crate::report::plans::Depth;
use crate::report::plans::page::Note;
use crate::report::plans::review::{evidence, verify};
use crate::report::plans::wrap::{one_line, wrap};

/// Columns of a comment.
const WIDTH: usize = 77;
/// Classes that are named.
const NAMED: usize = 3;

/// Whether a finding changes indexes by statements.
fn is_change(finding: &Finding) -> bool {
    let todo = &finding.recommendation;
    !todo.sql.is_empty() && matches!(todo.action, Action::Create | Action::Drop | Action::Replace)
}

/// How many findings change indexes.
pub fn changes(counsel: &Counsel) -> usize {
    counsel.advice.findings.iter().filter(|it| is_change(it)).count()
}

/// The script; `None` where no index is to be changed.
pub fn of(counsel: &Counsel) -> Option<String> {
    let changes = counsel.advice.findings.iter().filter(|finding| is_change(finding));
    let parts: Vec<String> =
        changes.enumerate().map(|(number, finding)| change(counsel, number + 1, finding)).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

fn change(counsel: &Counsel, number: usize, finding: &Finding) -> String {
    let mut text = String::new();
    let mut comment = |words: &str| {
        for (at, line) in wrap(&one_line(words), WIDTH - 3).iter().enumerate() {
            text.push_str(if at == 0 { "-- " } else { "--   " });
            text.push_str(line);
            text.push('\n');
        }
    };
    comment(&format!("{number}. {} {}: {}", finding.rule, finding.severity.word(), finding.title));
    comment(&serves(counsel, finding));
    let effect = effect(finding);
    if !effect.is_empty() {
        comment(&format!("effect: {effect}"));
    }
    let costs = finding.evidence.iter().filter(|fact| is_cost(fact));
    let costs: Vec<String> = costs.map(|fact| evidence(fact, Depth::Usual)).collect();
    if !costs.is_empty() {
        comment(&format!("costs: {}", costs.join("; ")));
    }
    for sql in &finding.recommendation.sql {
        text.push_str(&ended(sql));
        text.push('\n');
    }
    // What is copied out of a comment stays on one line.
    let line = |text: &mut String, head: &str, words: &str| {
        text.push_str(&format!("-- {head}: {}\n", one_line(words)));
    };
    let check = verify(&finding.verify);
    match check.last() {
        Some(Note::Code(sql)) => line(&mut text, "check", &ended(sql)),
        Some(Note::Words(..)) => line(&mut text, "check", &finding.verify),
        None => {}
    }
    finding.recommendation.undo.iter().for_each(|sql| line(&mut text, "undo", &ended(sql)));
    text
}

/// The classes that gain, or why it is done.
fn serves(counsel: &Counsel, finding: &Finding) -> String {
    let mut named: Vec<String> = Vec::new();
    let mut served: Vec<_> = finding.queries.iter().map(|id| (*id, counsel.line(*id))).collect();
    served.sort_by_key(|(id, line)| (std::cmp::Reverse(line.and_then(|line| line.share)), *id));
    for (id, line) in served.iter().take(NAMED) {
        let item = line.map_or(String::new(), |line| format!(" {}", one_line(&line.item)));
        let share = line.and_then(|line| line.share);
        let share = share.map_or(String::new(), |share| format!(" ({})", share_of(share)));
        named.push(format!("0x{id}{item}{share}"));
    }
    let head = match finding.recommendation.action {
        Action::Drop => "the table is used by",
        _ => "serves",
    };
    match (named.is_empty(), served.len().saturating_sub(NAMED)) {
        (true, _) => one_line(&finding.recommendation.text),
        (false, 0) => format!("{head} {}", named.join(", ")),
        (false, more) => format!("{head} {} and {more} more", named.join(", ")),
    }
}
