//! What is told of a rule itself: its code, its name, and the text that people read.

use super::Category;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The short form that users type: `PLAN001`.
    pub code: &'static str,
    /// What is wrong: `full-table-scan`.
    pub name: &'static str,
    /// What its findings are about.
    pub category: Category,
    /// What it costs, when it is wrong, how to verify: the comment above the rule.
    pub doc: &'static str,
}

/// Makes the comment above a rule its text as well.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ $category:ident $code:literal $name:literal) => {
        $(#[doc = $doc])+
        pub(in crate::advice) const RULE: $crate::advice::Rule = $crate::advice::Rule {
            code: $code,
            name: $name,
            category: $crate::advice::Category::$category,
            doc: concat!($($doc, "\n"),+),
        };
    };
}

pub(super) use rule;
