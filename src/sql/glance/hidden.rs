//! Comparisons that keep a column from its index: `DATE(c) = '2026-01-02'`, `c + 0 = 5`,
//! `c LIKE '%x'`.

use super::walk::Look;
use super::{ColumnName, Hidden, Hides, KEPT, Op};
use crate::sql::token::Kind;

/// Tokens of one expression that are looked at.
const NEAR: usize = 256;
/// Functions that an index of another kind may serve: spatial, full-text, multi-valued.
const SERVED: &[&str] = &["ST_", "MBR", "JSON_", "MATCH"];

impl Look<'_> {
    /// Notes the only column in the parentheses of the function at `name`, if it is compared.
    pub(super) fn function(&mut self, name: usize) {
        let function = String::from_utf8_lossy(self.bytes(name)).to_ascii_uppercase();
        let is_served = SERVED.iter().any(|head| function.starts_with(head));
        if is_served || !self.may_begin(name) {
            return;
        }
        if let Some((column, end)) = self.argument(name + 2) {
            let function = if self.casts_to_date(name, end) { "DATE".to_owned() } else { function };
            self.hide(Hides::Function(function), column, name, end + 1);
        }
    }

    /// The only column between `from` and the parenthesis that closes, and the place of that.
    fn argument(&self, from: usize) -> Option<(ColumnName, usize)> {
        let mut found: Option<ColumnName> = None;
        let mut depth = 0_usize;
        let mut at = from;
        while at < from + NEAR {
            if self.is_sign(at, b')') {
                if depth == 0 {
                    return found.map(|column| (column, at));
                }
                depth -= 1;
            } else if self.is_sign(at, b'(') {
                depth += 1;
            } else if self.is_word(at, "SELECT") {
                return None;
            } else if self.is_one_of(at, &["AS", "USING"]) {
                // A type or a character set.
                at += 1;
            } else if let Some((column, end)) = self.column(at).filter(|_| !self.is_unit(at)) {
                if !self.is_sign(end, b'(') {
                    if found.as_ref().is_some_and(|own| *own != column) {
                        return None;
                    }
                    found = Some(column);
                }
                at = end;
                continue;
            }
            at += 1;
        }
        None
    }

    /// `CAST(c AS DATE)`, as servers print `DATE(c)`.
    fn casts_to_date(&self, name: usize, end: usize) -> bool {
        self.is_word(name, "CAST")
            && end >= 2
            && self.is_word(end - 1, "DATE")
            && self.is_word(end - 2, "AS")
    }

    /// Notes the column from `at` to `end` if numbers or intervals are added to it.
    pub(super) fn arithmetic(&mut self, column: &ColumnName, at: usize, end: usize) {
        let mut behind = end;
        while behind < end + NEAR {
            let Some(next) = self.added(behind) else { break };
            behind = next;
        }
        if behind == end {
            return;
        }
        let mut first = at;
        while first > 0 && self.is_sign(first - 1, b'(') && self.is_sign(behind, b')') {
            (first, behind) = (first - 1, behind + 1);
        }
        self.hide(Hides::Arithmetic, column.clone(), first, behind);
    }

    /// Behind `+ 5` or `- INTERVAL 1 DAY`.
    fn added(&self, at: usize) -> Option<usize> {
        let is_sign = matches!(self.bytes(at), b"+" | b"-" | b"*" | b"/" | b"%")
            || self.is_one_of(at, &["DIV", "MOD"]);
        let is_literal = |at: usize| self.kind(at) == Some(Kind::Literal);
        if !is_sign {
            return None;
        }
        if self.is_word(at + 1, "INTERVAL") {
            return is_literal(at + 2).then_some(at + 4);
        }
        is_literal(at + 1).then_some(at + 2)
    }

    fn hide(&mut self, hides: Hides, column: ColumnName, first: usize, end: usize) {
        if self.glance.hidden.len() >= KEPT || !self.may_begin(first) {
            return;
        }
        let Some((op, _, last)) = self.behind(end) else { return };
        let is_sign = self.op(end).is_some();
        if matches!(op, Op::Not | Op::IsNull) || is_sign && !self.is_constant(end + 1) {
            return;
        }
        // `c = DATE '2026-01-02'`
        let typed = self.is_word(end + 1, "DATE") && self.kind(end + 2) == Some(Kind::Literal);
        let last = if is_sign && typed { end + 2 } else { last };
        let is_alone = is_sign && self.kind(last) == Some(Kind::Literal) && self.may_end(last + 1);
        let value = is_alone.then(|| String::from_utf8_lossy(self.bytes(last)).into_owned());
        let text = self.text_of(first, last);
        self.glance.hidden.push(Hidden { column, hides, op, value, text });
    }

    /// Whether what a comparison is made with begins as a constant does.
    fn is_constant(&self, at: usize) -> bool {
        const CLOCK: &[&str] = &["NOW", "CURDATE", "CURRENT_DATE", "CURRENT_TIMESTAMP"];
        let is_value = |at: usize| matches!(self.kind(at), Some(Kind::Literal | Kind::Variable));
        is_value(at)
            || self.is_minus(at) && is_value(at + 1)
            || self.is_one_of(at, CLOCK)
            || self.is_word(at, "DATE") && is_value(at + 1)
    }

    /// Notes the column from `at` to `end` if it is compared with a pattern that begins with any.
    pub(super) fn wildcard(&mut self, column: &ColumnName, at: usize, end: usize) {
        if self.glance.hidden.len() >= KEPT || !self.is_word(end, "LIKE") {
            return;
        }
        let pattern = self.bytes(end + 1);
        let is_any = |b: &u8| *b == b'%';
        let inside = match pattern {
            [b'\'' | b'"', inside @ .., b'\'' | b'"'] => inside,
            _ => return,
        };
        // LIKE '%' is always true.
        if !matches!(inside, [b'%' | b'_', ..]) || inside.iter().all(is_any) {
            return;
        }
        let text = self.text_of(at, end + 1);
        self.glance.hidden.push(Hidden {
            column: column.clone(),
            hides: Hides::Wildcard,
            op: Op::Like,
            value: None,
            text,
        });
    }
}
