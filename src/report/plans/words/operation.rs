//! The operations of TREE and of MySQL's JSON version 2 that read no table, in words.

/// How an operation begins, and the sentence for it. `{rest}` is what is behind its words,
/// `{first}` and `{second}` are the steps that it takes its rows from.
///
/// Source: `explain_access_path.cc` of MySQL 8.0 to 9.x. Narrow beginnings stand before wide ones.
#[rustfmt::skip]
const OPERATIONS: &[(&str, &str)] = &[
    ("Filter: ",                              "Keeps the rows for which {rest} holds"),
    ("Sort row IDs: ",                        "Sorts row ids by {rest}, then fetches the rows"),
    ("Sort with duplicate removal: ",         "Sorts by {rest} and drops rows that come twice"),
    ("Sort: ",                                "Sorts by {rest}"),
    ("Limit/Offset: ",                        "Drops the rows of the offset and stops at the limit, {rest} (limit/offset)"),
    ("Limit table size: ",                    "Stops filling the table: {rest}"),
    ("Limit: ",                               "Stops after {rest}"),
    ("Group aggregate with rollup: ",         "Sums up groups of rows that come in order, with totals: {rest}"),
    ("Group aggregate: ",                     "Sums up groups of rows that come in order: {rest}"),
    ("Group ",                                "Gives one row for each group of rows that come in order {rest}"),
    ("Group",                                 "Gives one row for each group of rows that come in order"),
    ("Aggregate using temporary table",       "Sums up groups in a temporary table"),
    ("Aggregate: ",                           "Sums all rows up to one: {rest}"),
    ("Aggregate",                             "Sums all rows up to one"),
    ("Nested loop inner join",                "Joins: {second} runs for each row of {first} {rest}"),
    ("Nested loop left join",                 "Joins: {second} runs for each row of {first}; a row without a partner stays, with NULLs {rest}"),
    ("Nested loop semijoin",                  "Keeps each row of {first} once that has a partner; {second} runs for each of them and stops at the first {rest}"),
    ("Nested loop antijoin",                  "Keeps the rows of {first} that have no partner; {second} runs for each of them {rest}"),
    ("Nested loop",                           "Joins: {second} runs for each row of {first} {rest}"),
    ("Inner hash join (no condition)",        "Joins each row of {first} with each row of {second}"),
    ("Inner hash join",                       "Joins {first} with {second} by a hash table, {rest}"),
    ("Left hash join",                        "Joins {first} with {second} by a hash table; a row without a partner stays, with NULLs, {rest}"),
    ("Hash semijoin",                         "Keeps the rows of {first} that have a partner in {second}, by a hash table, {rest}"),
    ("Hash antijoin",                         "Keeps the rows of {first} that have no partner in {second}, by a hash table, {rest}"),
    ("Batched key access inner join",         "Joins {first} with {second}, which looks up many keys in one go"),
    ("Batched key access left join",          "Joins {first} with {second}, which looks up many keys in one go; a row without a partner stays, with NULLs"),
    ("Batched key access",                    "Joins {first} with {second}, which looks up many keys in one go"),
    ("Batch input rows",                      "Collects rows, for their keys to be looked up in one go"),
    ("Hash",                                  "Puts rows into a hash table"),
    ("Stream results",                        "Hands rows on without storing them"),
    ("Materialize recursive CTE",             "Stores the rows of the recursive CTE {rest} in a temporary table"),
    ("Materialize table function",            "Makes rows of a table function and stores them"),
    ("Materialize CTE",                       "Stores the rows of the CTE {rest} in a temporary table"),
    ("Materialize with deduplication",        "Stores the rows in a temporary table, each once"),
    ("Materialize union CTE",                 "Stores the rows of the UNION in the CTE {rest} in a temporary table"),
    ("Materialize",                           "Stores the rows in a temporary table"),
    ("Union materialize with deduplication",  "Puts the parts of the UNION into a temporary table, each row once"),
    ("Union all materialize",                 "Puts the parts of the UNION ALL into a temporary table"),
    ("Union materialize",                     "Puts the parts of the UNION into a temporary table"),
    ("Intersect materialize",                 "Puts the rows that all parts of the INTERSECT have into a temporary table"),
    ("Except materialize",                    "Puts the rows of the first part of the EXCEPT that no other one has into a temporary table"),
    ("Append",                                "Gives the rows of its parts, one part behind the other"),
    ("Temporary table with deduplication",    "Stores the rows in a temporary table, each once"),
    ("Temporary table",                       "Stores the rows in a temporary table"),
    ("Remove duplicates from input",          "Drops repeats from rows that come in order: {rest}"),
    ("Remove duplicate",                      "Drops rows that come twice, by a temporary table of row ids"),
    ("Rows fetched before execution",         "Gives what was read while the plan was made, or stands in the statement"),
    ("Zero input rows",                       "No row comes in, so aggregates are of none {rest}"),
    ("Zero rows",                             "Gives no row {rest}"),
    ("Window aggregate with buffering",       "Computes window functions and keeps the rows of a frame for it {rest}"),
    ("Window multi-pass aggregate",           "Computes window functions and reads the rows of a frame several times for it {rest}"),
    ("Window aggregate",                      "Computes window functions {rest}"),
    ("Repeat until convergence",              "Repeats the recursive part until a round adds no row"),
    ("Scan new records on ",                  "Reads the rows that the last round added to {rest}"),
    ("Invalidate materialized tables",        "Has the lateral derived table made anew for each row {rest}"),
    ("Alternative plans for IN subquery",     "Searches by index where the outer value is not NULL, and scans where it is {rest}"),
    ("Intersect rows sorted by row ID",       "Keeps the rows that each of these scans finds"),
    ("Deduplicate rows sorted by row ID",     "Keeps the rows that any of these scans finds, each once"),
    ("Sort-deduplicate by row ID",            "Keeps the rows that any of these scans finds, each once, and fetches them in the order of their ids"),
    ("Count rows in ",                        "Asks the engine for the number of rows of {rest}; InnoDB counts by reading a whole index"),
    ("Insert into ",                          "Inserts rows into {rest}"),
    ("Replace into ",                         "Inserts rows into {rest}; rows with the same key are deleted first"),
    ("Delete from ",                          "Deletes rows from {rest}"),
    ("Update ",                               "Updates rows of {rest}"),
    ("Select #",                              "Gives the result of SELECT {rest}"),
    ("<not executable",                       "The server does not tell the steps of this statement in this form; plain EXPLAIN does"),
    ("Index range scan on ",                  "Reads ranges of {rest}"),
];

/// The sentence for an operation, without its full stop; `None` for one that is not known.
pub fn sentence(operation: &str, first: &str, second: &str) -> Option<String> {
    let known = OPERATIONS
        .iter()
        .find_map(|(begin, template)| Some((operation.strip_prefix(begin)?, template)));
    let (rest, template) = known?;
    let said = fill(
        template,
        &[
            ("rest", rest.trim_start_matches([':', ' ']).trim_end()),
            ("first", first),
            ("second", second),
        ],
    );
    Some(said.trim_end_matches([' ', ',', ':']).to_owned())
}

/// A template with its places filled; what is put in is not looked into.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (name, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let value = values.iter().find(|(known, _)| *known == name);
        text.push_str(value.map_or("", |(_, value)| value));
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(operation: &str, want: Option<&str>) {
        assert_eq!(sentence(operation, "step 1", "step 2").as_deref(), want);
    }

    #[test]
    fn operations_are_sentences() {
        check("Filter: (t.a = '{x}')", Some("Keeps the rows for which (t.a = '{x}') holds"));
        check("Nested loop inner join", Some("Joins: step 2 runs for each row of step 1"));
        check("Limit: 20 row(s)", Some("Stops after 20 row(s)"));
        check("Hash", Some("Puts rows into a hash table"));
        check("Zero rows (Impossible WHERE)", Some("Gives no row (Impossible WHERE)"));
        check(
            "Group (no aggregates)",
            Some("Gives one row for each group of rows that come in order (no aggregates)"),
        );
        check("Teleport rows", None);
    }

    #[test]
    fn no_beginning_hides_a_later_one() {
        for (place, (begin, _)) in OPERATIONS.iter().enumerate() {
            let hidden = OPERATIONS[..place].iter().find(|(wide, _)| begin.starts_with(wide));
            assert_eq!(hidden, None, "{begin}");
        }
    }
}
