//! The clauses of a query block.

use std::ops::Range;

use super::{Edits, Words};

/// A clause by its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    /// SELECT, UPDATE or DELETE.
    Verb,
    From,
    Set,
    Where,
    Group,
    Having,
    Order,
    Limit,
    /// FOR UPDATE, LOCK IN SHARE MODE, INTO, PROCEDURE, WINDOW.
    Tail,
}

/// The clauses of a block, outside of parentheses.
pub struct Clauses<'t> {
    /// The words of the block.
    pub words: Words<'t>,
    found: Vec<(Clause, usize)>,
    end: usize,
}

impl<'t> Clauses<'t> {
    /// Finds the clauses in the text of a block. None where its words are not read, where another
    /// SELECT stands beside it, or a clause comes twice.
    pub fn of(text: &'t str, span: &Range<usize>) -> Option<Clauses<'t>> {
        let words = Words::of(text, span)?;
        let end = (0..words.len()).find(|at| words.at(*at) == ";").unwrap_or(words.len());
        let mut found: Vec<(Clause, usize)> = Vec::new();
        for place in 0..end {
            // A name behind a dot, or in quotes, is no word.
            if words.depth(place) != Some(0) {
                continue;
            }
            let Some(clause) = opens(&words, place, &found) else { continue };
            if found.iter().any(|(own, _)| *own == clause) {
                return None;
            }
            found.push((clause, place));
        }
        let is_alone = (0..end).all(|at| !COMBINES.iter().any(|word| words.is(at, word)));
        (is_alone && found.first().is_some_and(|it| it.0 == Clause::Verb)).then_some(Clauses {
            words,
            found,
            end,
        })
    }

    /// The places of the words of a clause, its first word included.
    pub fn places(&self, clause: Clause) -> Option<Range<usize>> {
        let at = self.found.iter().position(|(own, _)| *own == clause)?;
        let (_, start) = self.found.get(at)?;
        let end = self.found.get(at + 1).map_or(self.end, |(_, next)| *next);
        Some(*start..end)
    }

    /// Where a clause stands, its first word included.
    pub fn span(&self, clause: Clause) -> Option<Range<usize>> {
        self.words.span(self.places(clause)?)
    }

    /// The text of a clause, its first word included; empty where there is none.
    pub fn text(&self, clause: Clause) -> &'t str {
        self.places(clause).map(|places| self.words.text(&places)).unwrap_or_default()
    }

    /// Where the condition of WHERE or HAVING stands.
    pub fn condition(&self, clause: Clause) -> Option<Range<usize>> {
        let places = self.places(clause)?;
        self.words.span(places.start + 1..places.end)
    }

    /// Where the clauses behind FROM and WHERE begin: GROUP BY and those that follow it.
    pub fn behind_where(&self) -> Option<usize> {
        use Clause::{Group, Having, Limit, Order, Tail};
        let behind = [Group, Having, Order, Limit, Tail];
        let next = self.found.iter().find(|(clause, _)| behind.contains(clause));
        let last = match next {
            Some((_, place)) => *place,
            None => self.end,
        };
        self.words.range(last.checked_sub(1)?).map(|it| it.end)
    }

    /// Adds a condition to WHERE.
    pub fn demand(&self, condition: &str, edits: &mut Edits) -> Option<()> {
        let Some(own) = self.condition(Clause::Where) else {
            let at = self.behind_where()?;
            edits.replace(at..at, format!(" WHERE {condition}"));
            return Some(());
        };
        let places = self.places(Clause::Where)?;
        let has_or = places.clone().any(|at| {
            self.words.depth(at) == Some(0)
                && (self.words.at(at) == "||"
                    || ["OR", "XOR"].iter().any(|word| self.words.is(at, word)))
        });
        if has_or {
            edits.replace(own.start..own.start, "(");
            edits.replace(own.end..own.end, format!(") AND {condition}"));
        } else {
            edits.replace(own.end..own.end, format!(" AND {condition}"));
        }
        Some(())
    }

    /// Takes conditions out of WHERE or HAVING: the clause goes where none is left. None where one
    /// of them is no part of an AND.
    pub fn drop_conditions(
        &self,
        clause: Clause,
        spans: &[Range<usize>],
        edits: &mut Edits,
    ) -> Option<()> {
        let places = self.places(clause)?;
        let depth = Some(0);
        let is_and = |at: usize| {
            self.words.depth(at) == depth && (self.words.is(at, "AND") || self.words.at(at) == "&&")
        };
        let parts = self.parts(places.start + 1..places.end);
        let spans_of: Vec<Range<usize>> =
            parts.iter().filter_map(|part| self.words.span(part.clone())).collect();
        if spans_of.len() != parts.len() {
            return None;
        }
        let inside = |part: &Range<usize>, span: &Range<usize>| {
            part.start <= span.start && span.end <= part.end
        };
        let mut gone: Vec<usize> = Vec::new();
        for span in spans {
            let at = spans_of.iter().position(|part| inside(part, span))?;
            // No more than the condition and parentheses around it.
            let own = Words::of(self.words.text, spans_of.get(at)?)?;
            let inner = own.span(own.inner())?;
            let is_whole = inner == *span || spans_of.get(at) == Some(span);
            if !is_whole || gone.contains(&at) {
                return None;
            }
            gone.push(at);
        }
        if gone.len() == parts.len() {
            edits.remove(self.span(clause)?);
            return Some(());
        }
        // The first that stays has no AND before it any more.
        let first = (0..parts.len()).find(|at| !gone.contains(at))?;
        if first > 0 {
            edits.remove(spans_of.first()?.start..spans_of.get(first)?.start);
        }
        for at in gone.into_iter().filter(|at| *at > first) {
            let part = parts.get(at)?;
            let and = part.start.checked_sub(1).filter(|at| is_and(*at))?;
            edits.remove(self.words.span(and..part.end)?);
        }
        Some(())
    }

    /// The parts of an AND; one where OR stands outside of parentheses.
    fn parts(&self, places: Range<usize>) -> Vec<Range<usize>> {
        let words = &self.words;
        let outer = |at: &usize| words.depth(*at) == Some(0);
        let is_or = |at: usize| words.at(at) == "||" || words.is(at, "OR") || words.is(at, "XOR");
        if places.clone().filter(outer).any(is_or) {
            return vec![places];
        }
        let mut parts = Vec::new();
        let (mut start, mut is_between) = (places.start, false);
        for at in places.clone().filter(outer) {
            if words.is(at, "BETWEEN") {
                is_between = true;
            } else if words.is(at, "AND") || words.at(at) == "&&" {
                // The AND of BETWEEN parts nothing.
                if !std::mem::take(&mut is_between) {
                    parts.push(start..at);
                    start = at + 1;
                }
            }
        }
        parts.push(start..places.end);
        parts
    }
}

/// Words between blocks.
const COMBINES: &[&str] = &["UNION", "EXCEPT", "INTERSECT", "MINUS"];

/// The clause that a word opens.
fn opens(words: &Words<'_>, place: usize, found: &[(Clause, usize)]) -> Option<Clause> {
    let is = |word: &str| words.is(place, word);
    let followed_by = |word: &str| words.is_word(place + 1, word);
    let has = |clause: Clause| found.iter().any(|(own, _)| *own == clause);
    let is_function = words.at(place + 1) == "(";
    if is("SELECT") || !has(Clause::Verb) && (is("UPDATE") || is("DELETE")) {
        return Some(Clause::Verb);
    }
    if !has(Clause::Verb) {
        return None;
    }
    let clause = if is("FROM") {
        Clause::From
    } else if is("SET") {
        Clause::Set
    } else if is("WHERE") {
        Clause::Where
    } else if is("GROUP") && followed_by("BY") {
        Clause::Group
    } else if is("HAVING") {
        Clause::Having
    } else if is("ORDER") && followed_by("BY") {
        Clause::Order
    } else if is("LIMIT") {
        Clause::Limit
    } else if !has(Clause::Tail)
        && (is("FOR") && (followed_by("UPDATE") || followed_by("SHARE"))
            || is("LOCK") && followed_by("IN")
            || is("INTO") && has(Clause::From)
            || is("RETURNING")
            || (is("WINDOW") || is("PROCEDURE")) && !is_function)
    {
        Clause::Tail
    } else {
        return None;
    };
    Some(clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(text: &str) -> Clauses<'_> {
        Clauses::of(text, &(0..text.len())).unwrap()
    }

    #[test]
    fn clauses_are_found_outside_of_parentheses() {
        let found = clauses(
            "SELECT a, (SELECT b FROM u LIMIT 1) FROM t WHERE t.`order` = 1 GROUP BY a ORDER BY a LIMIT 3 FOR UPDATE;",
        );
        assert_eq!(found.text(Clause::From), "FROM t");
        assert_eq!(found.text(Clause::Where), "WHERE t.`order` = 1");
        assert_eq!(found.text(Clause::Limit), "LIMIT 3");
        assert_eq!(found.text(Clause::Tail), "FOR UPDATE");
        assert_eq!(found.text(Clause::Having), "");
        assert!(Clauses::of("SELECT 1 UNION SELECT 2", &(0..23)).is_none());
    }

    #[track_caller]
    fn drops(text: &str, gone: &[&str], want: Option<&str>) {
        let spans: Vec<Range<usize>> = gone
            .iter()
            .map(|it| {
                let at = text.find(it).unwrap();
                at..at + it.len()
            })
            .collect();
        let mut edits = Edits::default();
        let got = clauses(text)
            .drop_conditions(Clause::Where, &spans, &mut edits)
            .and_then(|()| edits.apply(text));
        assert_eq!(got.as_deref(), want, "{text}");
    }

    #[test]
    fn conditions_are_taken_out_with_their_and() {
        let text = "SELECT 1 FROM t WHERE a = 1 AND b BETWEEN 2 AND 3 AND (c = 4) LIMIT 1";
        drops(
            text,
            &["a = 1"],
            Some("SELECT 1 FROM t WHERE b BETWEEN 2 AND 3 AND (c = 4) LIMIT 1"),
        );
        drops(
            text,
            &["b BETWEEN 2 AND 3"],
            Some("SELECT 1 FROM t WHERE a = 1 AND (c = 4) LIMIT 1"),
        );
        drops(text, &["c = 4"], Some("SELECT 1 FROM t WHERE a = 1 AND b BETWEEN 2 AND 3 LIMIT 1"));
        drops(text, &["a = 1", "b BETWEEN 2 AND 3", "c = 4"], Some("SELECT 1 FROM t LIMIT 1"));
        drops(text, &["a = 1", "b BETWEEN 2 AND 3"], Some("SELECT 1 FROM t WHERE (c = 4) LIMIT 1"));
        drops(text, &["b BETWEEN 2"], None);
        drops("SELECT 1 FROM t WHERE a = 1 OR b = 2", &["a = 1"], None);
    }

    #[test]
    fn conditions_are_added() {
        let add = |text: &str| {
            let mut edits = Edits::default();
            clauses(text).demand("x = 1", &mut edits);
            edits.apply(text).unwrap()
        };
        assert_eq!(add("SELECT 1 FROM t"), "SELECT 1 FROM t WHERE x = 1");
        assert_eq!(add("SELECT 1 FROM t LIMIT 1;"), "SELECT 1 FROM t WHERE x = 1 LIMIT 1");
        assert_eq!(
            add("SELECT 1 FROM t WHERE a OR b GROUP BY c"),
            "SELECT 1 FROM t WHERE (a OR b) AND x = 1 GROUP BY c"
        );
    }
}
