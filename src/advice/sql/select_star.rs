//! All columns of a wide table are asked for.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::schema::{Table, TypeName};
use crate::sql::shape::{ItemKind, Role, Verb};

use super::statement::{Statement, recommend};

rule! {
    /// All columns of a wide table are asked for.
    ///
    /// **Costs.** Each row is read whole, TEXT and BLOB from pages of their own, and sent over the
    /// network; no index can hold all that is asked for.
    /// **Wrong when.** All of it is needed, or it is one row. Silent where EXISTS, COUNT(*) or INSERT …
    /// SELECT asks, and where * stands for a subquery that lists its columns.
    /// **Verify.** Bytes_sent of a call, and EXPLAIN: Using index where an index holds the columns.
    /// **Source.** MySQL manual, optimizing data size.
    ///
    /// ```sql schema
    /// CREATE TABLE articles (id int PRIMARY KEY, slug varchar(60) NOT NULL, made date, body mediumtext, KEY ix_made (made),
    ///   UNIQUE KEY ux_slug (slug));
    /// CREATE TABLE tags (id int PRIMARY KEY, name varchar(20), article int);
    /// ```
    /// ```sql finding
    /// SELECT * FROM articles WHERE made = '2026-02-01';
    /// ```
    /// ```sql finding
    /// SELECT t.name, a.* FROM tags t JOIN articles a ON a.id = t.article;
    /// ```
    /// ```sql clean
    /// SELECT * FROM tags;
    /// ```
    /// ```sql clean
    /// SELECT t.* FROM tags t JOIN articles a ON a.id = t.article WHERE a.made = '2026-02-01';
    /// ```
    /// ```sql clean
    /// SELECT name FROM tags WHERE EXISTS (SELECT * FROM articles WHERE articles.id = tags.article);
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM articles;
    /// ```
    /// ```sql clean
    /// SELECT * FROM articles WHERE slug = 'about';
    /// ```
    /// ```sql clean
    /// SELECT * FROM (SELECT id, made FROM articles) a;
    /// ```
    /// ```sql clean
    /// INSERT INTO articles SELECT * FROM articles WHERE made = '2026-02-01';
    /// ```
    /// ```sql clean
    /// SELECT id, slug FROM articles WHERE made = '2026-02-01';
    /// ```
    Sql "SQL005" "select-star"
}

/// Bytes of a row from which on it is wide.
const WIDE: u64 = 1_024;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    if statement.shape.verb != Verb::Select || statement.shape.is_into {
        return Vec::new();
    }
    let mut blocks = statement.blocks().filter(|(_, block)| block.role == Role::Statement);
    blocks.find_map(|(place, block)| {
        block.items.iter().find_map(|item| {
            let ItemKind::Star(of) = item.kind else { return None };
            let mut sources = (0..block.sources.len()).filter(|at| of.is_none_or(|of| of == *at));
            let (at, why) = sources.find_map(|source| {
                let at = (place, source);
                let table = statement.table(at)?;
                // One row is a look-up, whatever it holds.
                let is_one = statement.fixes_row(at) || statement.sent().is_some_and(|it| it <= 1);
                wide(table).filter(|_| !is_one).map(|why| (at, why))
            })?;
            let table = statement.full_name(at)?;
            let title = format!("All columns of `{table}` are asked for, which has {}", why.words);
            let mut finding = statement.of_source(
                &RULE,
                at,
                Severity::Low,
                Confidence::Medium,
                &title,
                &[&item.span],
            );
            finding.evidence.extend(why.bytes.map(|it| Fact::number("row_bytes", Amount::whole(it))));
            finding.evidence.push(Fact::list("wide_columns", why.columns));
            recommend(
                &mut finding,
                "List the columns that are used. Where an index holds them all, the rows themselves are not read; a column \
                 that is added later does not change the result."
                    .to_owned(),
                None,
            );
            finding.verify = "Compare Bytes_sent, or the time of the statement with the columns listed.".to_owned();
            Some(finding)
        })
    })
    .into_iter()
    .collect()
}

struct Wide {
    words: String,
    columns: Vec<String>,
    bytes: Option<u64>,
}

/// What makes a row wide, if it is.
fn wide(table: &Table) -> Option<Wide> {
    let is_far = |name: TypeName| {
        use TypeName::{Blob, Json, LongBlob, LongText, MediumBlob, MediumText, Text};
        matches!(name, Text | MediumText | LongText | Blob | MediumBlob | LongBlob | Json)
    };
    let types = || {
        table
            .columns
            .iter()
            .filter(|it| !it.is_invisible)
            .filter_map(|column| Some((column.name.clone(), column.data_type.as_ref()?)))
    };
    let large: Vec<String> =
        types().filter(|it| is_far(it.1.name)).map(|it| it.0).take(8).collect();
    if !large.is_empty() {
        let words = "columns of TEXT, BLOB or JSON".to_owned();
        return Some(Wide { words, columns: large, bytes: None });
    }
    let measured =
        table.data_bytes.zip(table.facts.rows).and_then(|(bytes, rows)| bytes.checked_div(rows));
    // A text of one byte a character that is half full: no more than a guess.
    let declared = || types().map(|it| u64::from(it.1.length.unwrap_or(8)) / 2).sum();
    let bytes = measured.unwrap_or_else(declared);
    let strings = types().filter(|it| it.1.has_charset() && it.1.length >= Some(100));
    (bytes >= WIDE).then(|| Wide {
        words: format!("about {} bytes a row", Amount::whole(bytes).grouped()),
        columns: strings.map(|it| it.0).take(8).collect(),
        bytes: Some(bytes),
    })
}
