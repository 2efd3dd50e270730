//! Input that could not be read. It is counted, located and reported; the run goes on.

/// Where something stands: which input, and at which byte of its plain text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Number of the input, in the order given.
    pub source: u32,
    /// Byte offset.
    pub offset: u64,
}

/// What was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An entry whose beginning is not in the file.
    CutHead,
    /// An entry whose end is not in the file.
    CutTail,
    /// A statement or command without a `Query_time`.
    NoQueryTime,
    /// Lines of another program between entries.
    ForeignLines,
    /// A value that no server can have measured.
    ImpossibleValue,
    /// A value that could not be read.
    UnreadValue,
    /// A statement longer than what is kept of one.
    TooLong,
    /// The input could not be read to its end.
    Unreadable,
}

impl Kind {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Kind::CutHead => "cut_head",
            Kind::CutTail => "cut_tail",
            Kind::NoQueryTime => "no_query_time",
            Kind::ForeignLines => "foreign_lines",
            Kind::ImpossibleValue => "impossible_value",
            Kind::UnreadValue => "unread_value",
            Kind::TooLong => "too_long",
            Kind::Unreadable => "unreadable",
        }
    }
}

/// A piece of input that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub origin: Origin,
    /// What.
    pub kind: Kind,
    /// In words, with what was expected.
    pub detail: String,
    /// The beginning of the text in question; it may hold literals.
    pub text: String,
}

impl Problem {
    /// The detail and the text, or the detail alone where no literal may be shown.
    pub fn told(&self, redact: bool) -> String {
        if redact || self.text.is_empty() {
            self.detail.clone()
        } else {
            format!("{}: {}", self.detail, self.text)
        }
    }
}

/// Problems of a run: the first ones in full. Which are kept does not depend on the order in
/// which they are reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Problem>,
}

impl Problems {
    /// How many are kept of each input.
    pub const MOST: usize = 100;

    /// Whether a problem at this place would be kept; asked before a text is made for it.
    pub fn wants(&self, origin: Origin) -> bool {
        let mut of_source = self.kept.iter().filter(|p| p.origin.source == origin.source);
        of_source.clone().count() < Problems::MOST || of_source.any(|p| p.origin >= origin)
    }

    /// Keeps the problem if it is among the first ones of its input.
    pub fn add(&mut self, problem: Problem) {
        if !self.wants(problem.origin) {
            return;
        }
        let source = problem.origin.source;
        let place = self.kept.partition_point(|kept| *kept < problem);
        self.kept.insert(place, problem);
        let of_source = self.kept.iter().filter(|p| p.origin.source == source).count();
        if of_source > Problems::MOST
            && let Some(last) = self.kept.iter().rposition(|p| p.origin.source == source)
        {
            self.kept.remove(last);
        }
    }

    /// Joins the problems of two parts of one run.
    pub fn merge(&mut self, other: Problems) {
        other.kept.into_iter().for_each(|problem| self.add(problem));
    }

    /// The kept problems of one input, first ones first.
    pub fn of(&self, source: u32) -> impl Iterator<Item = &Problem> {
        self.kept.iter().filter(move |problem| problem.origin.source == source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(source: u32, offset: u64) -> Problem {
        let origin = Origin { source, offset };
        Problem { origin, kind: Kind::CutHead, detail: String::new(), text: String::new() }
    }

    #[test]
    fn the_first_of_each_input_are_kept_in_any_order() {
        let mut there = Problems::default();
        let mut back = Problems::default();
        for offset in 0..300 {
            for source in 0..2 {
                there.add(problem(source, offset));
                back.add(problem(source, 299 - offset));
            }
        }
        assert_eq!(there, back);
        assert_eq!(
            there.of(1).map(|p| p.origin.offset).collect::<Vec<_>>(),
            Vec::from_iter(0..100)
        );
    }
}
