//! UNION: an arm that repeats the one before it is dropped.
//!
//! ```text
//! (select a from t where b = ?) union (select a from t where b = ?) limit ?
//! ^ arm                               ^ the same arm               ^ tail
//! (select a from t where b = ?) /*repeat union*/ limit ?
//! ```
//!
//! Works on the finished text. It is cut into segments wherever an arm could begin or end; the
//! segments form a list, so that an arm is dropped by one link. Arms in parentheses are done
//! before those around them, on an explicit stack. Two arms are compared in the time of the
//! shorter one, which makes the whole `n log n` at worst, however deep the nesting.

use crate::sql::token::{Kind, tokens};

/// Drops repeated arms at every depth and marks the arm that stays.
pub(super) fn collapse(text: Vec<u8>) -> Vec<u8> {
    let mut list = List { text: &text, segments: Vec::new() };
    list.cut(0);
    let mut frames = vec![Frame::default()];
    let mut tokens = tokens(&text);
    let mut end = 0;
    while let Some(token) = tokens.next() {
        let before = std::mem::replace(&mut end, token.end);
        // The base frame is never popped.
        let depth = frames.len() - 1;
        let frame = &mut frames[depth];
        let expects_arm = std::mem::take(&mut frame.expects_arm);
        match (token.kind, tokens.text(token)) {
            (Kind::Byte, b"(") => {
                let start = list.cut(token.start);
                let next = tokens.peek().map(|next| tokens.text(next));
                match next {
                    Some(b"select" | b"(") => frame.arm_begins(start, Arm::Paren, expects_arm),
                    _ if expects_arm => frame.prior = None,
                    _ => {}
                }
                frames.push(Frame::default());
            }
            (Kind::Byte, b")") => {
                let close = list.cut(before);
                frame.finish(close, &mut list);
                if depth > 0 {
                    frames.pop();
                }
            }
            (Kind::Byte, b";") => {
                let close = list.cut(before);
                frame.finish(close, &mut list);
            }
            (Kind::Word, b"select") => {
                let start = list.cut(token.start);
                frame.arm_begins(start, Arm::Select, expects_arm);
            }
            (Kind::Word, b"union") => {
                let close = list.cut(before);
                frame.arm_ends(close, &mut list);
                let mut ahead = tokens.clone();
                frame.words = Words::Union;
                if let Some(next) = ahead.next() {
                    frame.words = match ahead.text(next) {
                        b"all" => Words::All,
                        b"distinct" => Words::Distinct,
                        _ => Words::Union,
                    };
                    if frame.words != Words::Union {
                        (tokens, end) = (ahead, next.end);
                    }
                }
                frame.expects_arm = true;
            }
            (Kind::Word, word) if is_tail(word, tokens.peek().map(|next| tokens.text(next))) => {
                let tail = list.cut(before);
                frame.tail.get_or_insert(tail);
            }
            _ if expects_arm => frame.prior = None,
            _ => {}
        }
    }
    let close = list.cut(text.len());
    while let Some(mut frame) = frames.pop() {
        frame.finish(close, &mut list);
    }
    list.print()
}

/// Words behind the last arm that belong to the whole UNION.
fn is_tail(word: &[u8], next: Option<&[u8]>) -> bool {
    match word {
        b"order" => next == Some(b"by"),
        b"limit" | b"for" | b"lock" | b"into" => true,
        _ => false,
    }
}

/// The words that joined a dropped arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Words {
    #[default]
    Union,
    All,
    Distinct,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arm {
    Select,
    Paren,
}

/// The UNION of one depth, as far as it was read. Positions are indexes of segments.
#[derive(Debug, Default)]
struct Frame {
    /// The arm that is open, and what it began with.
    arm: Option<(usize, Arm)>,
    /// The last arm that stayed.
    prior: Option<(usize, usize)>,
    /// First tail word in the open arm.
    tail: Option<usize>,
    words: Words,
    expects_arm: bool,
}

impl Frame {
    /// Behind UNION an arm begins at once; the first arm begins at the first SELECT, or without
    /// one at the last parenthesis (`INSERT INTO t (a) (SELECT …) UNION …`).
    fn arm_begins(&mut self, start: usize, kind: Arm, expected: bool) {
        let is_first = self.prior.is_none() && !matches!(self.arm, Some((_, Arm::Select)));
        if expected || is_first {
            self.arm = Some((start, kind));
            self.tail = None;
        }
    }

    fn arm_ends(&mut self, end: usize, list: &mut List<'_>) {
        self.tail = None;
        let Some((start, _)) = self.arm.take() else {
            self.prior = None;
            return;
        };
        let same = self.prior.and_then(|prior| list.same(prior, (start, end)));
        match (same, self.prior) {
            (Some(last), Some((prior, _))) => {
                list.segments[last].next = end;
                list.segments[last].mark = Some(self.words);
                self.prior = Some((prior, end));
            }
            _ => self.prior = Some((start, end)),
        }
    }

    /// Ends the UNION; its last arm ends before its tail.
    fn finish(&mut self, end: usize, list: &mut List<'_>) {
        let end = self.tail.unwrap_or(end);
        self.arm_ends(end, list);
        *self = Self::default();
    }
}

struct Segment {
    start: usize,
    end: usize,
    next: usize,
    /// Arms like the one that ends here were dropped.
    mark: Option<Words>,
}

/// The text as a list of segments.
struct List<'a> {
    text: &'a [u8],
    segments: Vec<Segment>,
}

impl List<'_> {
    /// Begins a segment at `at` and ends the one before; gives its index.
    fn cut(&mut self, at: usize) -> usize {
        let index = self.segments.len();
        if let Some(last) = self.segments.last_mut() {
            last.end = at;
        }
        let end = self.text.len();
        self.segments.push(Segment { start: at, end, next: index + 1, mark: None });
        index
    }

    /// The last segment of the first arm, if both arms (start, end) have the same text.
    fn same(&self, first: (usize, usize), second: (usize, usize)) -> Option<usize> {
        let (mut left, mut right) = (first.0, second.0);
        let mut last = None;
        while left != first.1 && right != second.1 {
            let (a, b) = (&self.segments[left], &self.segments[right]);
            // A mark at the end of the first arm counts arms dropped before, it is not its text.
            let is_marked_alike = a.mark == b.mark || a.next == first.1;
            if !is_marked_alike || self.text[a.start..a.end] != self.text[b.start..b.end] {
                return None;
            }
            last = Some(left);
            (left, right) = (a.next, b.next);
        }
        last.filter(|_| left == first.1 && right == second.1)
    }

    fn print(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len());
        let mut index = 0;
        while let Some(segment) = self.segments.get(index) {
            out.extend_from_slice(&self.text[segment.start..segment.end]);
            out.extend_from_slice(match segment.mark {
                None => b"",
                Some(Words::Union) => b" /*repeat union*/",
                Some(Words::All) => b" /*repeat union all*/",
                Some(Words::Distinct) => b" /*repeat union distinct*/",
            });
            index = segment.next;
        }
        out
    }
}
