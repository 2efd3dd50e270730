//! What a review or a comparison shows, before it has a format: every format writes all pieces.

/// How a piece of text is meant. Colour shows it where there is colour; the words say it always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As any text.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// A lesser fact.
    Dim,
    /// Good news.
    Good,
    /// Worth a look.
    Warn,
    /// What is to be changed first.
    Bad,
}

/// A line of a list below an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Words, wrapped.
    Words(Tone, String),
    /// A statement to run, on lines of its own and never wrapped: it is copied.
    Code(String),
}

/// A piece of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// What the page, or a plan on it, is about.
    Title(String),
    /// The heading of a part.
    Section(&'static str),
    /// A statement that was read.
    Statement(String),
    /// A paragraph.
    Words(Tone, String),
    /// An item of a list: its label, its text, and what is said further.
    Item {
        /// `1.`, `HIGH`.
        label: String,
        /// How it is meant.
        tone: Tone,
        /// One or more sentences.
        text: String,
        /// What is said further.
        notes: Vec<Note>,
    },
    /// A tree with figures.
    Tree(Table),
    /// Statements with comments between them, to be pasted as they are.
    Script(String),
}

/// A tree with figures in columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Heads of the columns of figures, behind those of number, step and place.
    pub heads: Vec<&'static str>,
    /// Rows from the top of the tree.
    pub rows: Vec<Row>,
}

/// A row of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Number of the step, with `!` where it is worth a look.
    pub number: String,
    /// For each level above, and for its own, whether it is the last one there.
    pub rails: Vec<bool>,
    /// Whether rows below belong to it.
    pub has_below: bool,
    /// What is done.
    pub step: String,
    /// Where: table and index.
    pub place: String,
    /// Figures, one for each head; "" where there is none.
    pub figures: Vec<String>,
    /// How it is meant.
    pub tone: Tone,
}
