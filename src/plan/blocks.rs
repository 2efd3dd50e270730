//! The SELECTs of a plan and how they hang together: which one a derived table comes from, which
//! ones a UNION joins, which ones run anew for each row of another.

use std::collections::HashMap;

use super::Node;

/// What a SELECT is to the one it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The statement itself.
    Main,
    /// Its rows fill a temporary table that the other one reads.
    Derived,
    /// The same for the subquery of a semijoin.
    Materialized,
    /// A subquery that gives values to the other one.
    Subquery,
    /// A further part of a UNION.
    Union,
    /// A further part of an INTERSECT.
    Intersect,
    /// A further part of an EXCEPT.
    Except,
    /// The temporary table of a UNION, INTERSECT or EXCEPT.
    Result,
}

/// One SELECT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub id: Option<u64>,
    /// What it is to the one it belongs to. A further part of a UNION belongs to the same one as
    /// the first part.
    pub role: Role,
    /// Whether it runs anew for each row of the one it belongs to.
    pub is_dependent: bool,
    /// The block it belongs to.
    pub under: Option<usize>,
    /// The node that reads its rows.
    pub reader: Option<usize>,
    /// The first part of its UNION, where it is a further part or the result.
    pub first_part: Option<usize>,
    /// Its nodes, in the order in which they are read.
    pub nodes: Vec<usize>,
}

impl Block {
    pub(super) fn new(id: Option<u64>, role: Role) -> Block {
        Block {
            id,
            role,
            is_dependent: false,
            under: None,
            reader: None,
            first_part: None,
            nodes: Vec::new(),
        }
    }
}

/// The blocks of tabular lines.
///
/// Which SELECT a subquery belongs to is not printed. The server prints a SELECT, then those
/// inside it, and numbers them as it reads the statement. So a subquery belongs to the last SELECT
/// above it that has a lesser number and is no subquery; where its `ref` names a table, to the
/// last SELECT above it that has this table.
pub fn of_lines(nodes: &[Node]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        let role = role_of(node);
        let goes_on = node.id.is_some() && role != Role::Result;
        let last = blocks
            .iter_mut()
            .rev()
            .take(NEAR)
            .find(|block| goes_on && block.id == node.id && block.role != Role::Result);
        match last {
            Some(block) => block.nodes.push(place),
            None => {
                let mut block = Block::new(node.id, role);
                block.is_dependent = is_dependent(node);
                block.nodes.push(place);
                blocks.push(block);
            }
        }
    }
    attach_readers(nodes, &mut blocks);
    attach_subqueries(nodes, &mut blocks);
    attach_parts(nodes, &mut blocks);
    blocks
}

/// How far back a line may belong: what is further has other numbers in any print of a server.
const NEAR: usize = 256;

fn role_of(node: &Node) -> Role {
    let word = node.select_type.as_deref().unwrap_or_default();
    if word.ends_with("RESULT") {
        Role::Result
    } else if word.ends_with("DERIVED") {
        Role::Derived
    } else if word.ends_with("MATERIALIZED") {
        Role::Materialized
    } else if word.ends_with("SUBQUERY") {
        Role::Subquery
    } else if word.ends_with("UNION") {
        Role::Union
    } else if word.ends_with("INTERSECT") {
        Role::Intersect
    } else if word.ends_with("EXCEPT") {
        Role::Except
    } else {
        Role::Main
    }
}

/// Whether a SELECT runs anew for each row around it. An `index_subquery` looks up what the row
/// gives, also where MariaDB calls it a plain `SUBQUERY`.
fn is_dependent(node: &Node) -> bool {
    let word = node.select_type.as_deref().unwrap_or_default();
    let access = node.access_type.as_deref().unwrap_or_default();
    ["DEPENDENT", "UNCACHEABLE", "LATERAL"].iter().any(|begin| word.starts_with(begin))
        || access.ends_with("_subquery")
}

/// The number in `<derived2>` or `<subquery2>`.
fn number_in(table: &str) -> Option<u64> {
    let inner = table.strip_prefix('<')?.strip_suffix('>')?;
    let digits = inner.strip_prefix("derived").or_else(|| inner.strip_prefix("subquery"))?;
    digits.parse().ok()
}

/// The numbers in `<union1,2>`. Of many the server prints `<union1,2,...,9>`.
pub(super) fn numbers_in(table: &str) -> Vec<u64> {
    let inner = table.trim_start_matches('<').trim_end_matches('>');
    let digits = inner.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    digits.split(',').filter_map(|digits| digits.parse().ok()).collect()
}

/// Finds the line that reads the rows of a block.
fn attach_readers(nodes: &[Node], blocks: &mut [Block]) {
    let place_of = places(blocks);
    let mut block_of = vec![None; nodes.len()];
    for (place, block) in blocks.iter().enumerate() {
        for node in &block.nodes {
            block_of[*node] = Some(place);
        }
    }
    for (place, node) in nodes.iter().enumerate() {
        let Some(id) = node.table.as_deref().and_then(number_in) else { continue };
        let Some(read) = find(&place_of, id) else { continue };
        // A recursive part reads the rows of the whole: it is not what the whole belongs to.
        if Some(read) == block_of[place] || blocks[read].reader.is_some() {
            continue;
        }
        blocks[read].reader = Some(place);
        blocks[read].under = block_of[place];
    }
}

/// Blocks by their numbers, sorted.
fn places(blocks: &[Block]) -> Vec<(u64, usize)> {
    let of_id = |(place, block): (usize, &Block)| Some((block.id?, place));
    let mut places: Vec<(u64, usize)> = blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.role != Role::Result)
        .filter_map(of_id)
        .collect();
    places.sort_unstable();
    places
}

fn find(places: &[(u64, usize)], id: u64) -> Option<usize> {
    let at = places.partition_point(|(other, _)| *other < id);
    places.get(at).filter(|(other, _)| *other == id).map(|(_, place)| *place)
}

fn attach_subqueries(nodes: &[Node], blocks: &mut [Block]) {
    for place in 0..blocks.len() {
        if blocks[place].role != Role::Subquery || blocks[place].under.is_some() {
            continue;
        }
        let above = &blocks[place.saturating_sub(NEAR)..place];
        let start = place - above.len();
        let named = referred(nodes, &blocks[place]);
        let has = |block: &Block| {
            let near = block.nodes.iter().take(NEAR);
            let mut tables = near.filter_map(|node| nodes[*node].table.as_deref());
            block.role != Role::Result && tables.any(|table| named.contains(&table))
        };
        let is_host = |block: &Block| {
            !matches!(block.role, Role::Subquery | Role::Result) && block.id < blocks[place].id
        };
        let host = above.iter().rposition(has).or_else(|| above.iter().rposition(is_host));
        blocks[place].under = host.map(|host| start + host).or((place > 0).then_some(0));
    }
}

/// Tables that `ref` names and the block itself does not have.
fn referred<'a>(nodes: &'a [Node], block: &Block) -> Vec<&'a str> {
    let near = || block.nodes.iter().take(NEAR);
    let own: Vec<&str> = near().filter_map(|node| nodes[*node].table.as_deref()).collect();
    let columns = near().filter_map(|node| nodes[*node].reference.as_deref());
    let mut tables = Vec::new();
    for column in columns.flat_map(|columns| columns.split(',')) {
        let mut parts = column.rsplit('.').skip(1);
        tables.extend(parts.next().filter(|table| !own.contains(table)));
    }
    tables
}

/// Finds the first part of each UNION: `<union1,4>` says which SELECTs it joins. A UNION ALL has no
/// result that says so; its further parts belong to the last SELECT above that is no further part
/// and is as dependent as they are.
///
/// Since MySQL 8.0.31 a result has a number too and may be a part of another one, `<except4,3>`;
/// it stands above that one. In its place is the first SELECT of it.
fn attach_parts(nodes: &[Node], blocks: &mut [Block]) {
    let places = places(blocks);
    let mut firsts: HashMap<u64, usize> = HashMap::new();
    for result in
        (0..blocks.len()).filter(|place| blocks[*place].role == Role::Result).collect::<Vec<_>>()
    {
        let node = blocks[result].nodes.first().and_then(|node| nodes.get(*node));
        let parts = numbers_in(node.and_then(|node| node.table.as_deref()).unwrap_or_default());
        let found = |id: &u64| find(&places, *id).or_else(|| firsts.get(id).copied());
        let Some(first) = parts.first().and_then(found) else { continue };
        let others: Vec<usize> = parts.iter().skip(1).filter_map(found).collect();
        blocks[result].first_part = Some(first);
        firsts.extend(blocks[result].id.map(|id| (id, first)));
        for part in others {
            if is_part(blocks[part].role) && blocks[part].first_part.is_none() {
                blocks[part].first_part = Some(first);
            }
        }
    }
    for part in 0..blocks.len() {
        if is_part(blocks[part].role) && blocks[part].first_part.is_none() {
            blocks[part].first_part = first_above(blocks, part);
        }
    }
    for part in 0..blocks.len() {
        let Some(first) = blocks[part].first_part else { continue };
        blocks[part].under = blocks[first].under;
        blocks[part].reader = blocks[first].reader;
        blocks[part].is_dependent |= blocks[first].is_dependent;
    }
}

fn is_part(role: Role) -> bool {
    matches!(role, Role::Union | Role::Intersect | Role::Except)
}

fn first_above(blocks: &[Block], part: usize) -> Option<usize> {
    let from = part.saturating_sub(NEAR);
    let above = blocks.get(from..part)?;
    let is_host = |block: &Block| {
        !is_part(block.role) && block.role != Role::Result && block.id < blocks[part].id
    };
    let fits = |block: &Block| is_host(block) && block.is_dependent == blocks[part].is_dependent;
    let found = above.iter().rposition(fits).or_else(|| above.iter().rposition(is_host));
    found.map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(lines: &[(Option<u64>, &str, &str, &str)]) -> Vec<Block> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let nodes: Vec<Node> = lines
            .iter()
            .map(|(id, select_type, table, reference)| Node {
                id: *id,
                select_type: text(select_type),
                table: text(table),
                reference: text(reference),
                ..Node::default()
            })
            .collect();
        of_lines(&nodes)
    }

    /// Lines, and for each block `number < number it belongs to`, with the first part in brackets.
    #[track_caller]
    fn check(lines: &[(Option<u64>, &str, &str, &str)], want: &str) {
        let blocks = blocks(lines);
        let name = |place: Option<usize>| {
            let id = place.map(|place| blocks[place].id.unwrap_or(0));
            id.map_or("-".to_owned(), |id| id.to_string())
        };
        let got: Vec<String> = blocks
            .iter()
            .map(|block| {
                let part =
                    block.first_part.map_or(String::new(), |at| format!("[{}]", name(Some(at))));
                format!("{}<{}{part}", block.id.unwrap_or(0), name(block.under))
            })
            .collect();
        assert_eq!(got.join(" "), want);
    }

    #[test]
    fn derived_tables_belong_to_what_reads_them() {
        check(
            &[
                (Some(1), "PRIMARY", "<derived2>", ""),
                (Some(1), "PRIMARY", "c", "d.x"),
                (Some(2), "DERIVED", "<derived3>", ""),
                (Some(3), "DERIVED", "o", ""),
            ],
            "1<- 2<1 3<2",
        );
    }

    #[test]
    fn subqueries_belong_to_the_select_that_holds_them() {
        // SELECT (SELECT … WHERE f.a = d.a) FROM (SELECT …) d
        // UNION SELECT (SELECT …) FROM (SELECT (SELECT …) FROM …) e
        check(
            &[
                (Some(1), "PRIMARY", "<derived3>", ""),
                (Some(3), "DERIVED", "a", ""),
                (Some(2), "DEPENDENT SUBQUERY", "f", "d.a"),
                (Some(4), "UNION", "<derived6>", ""),
                (Some(6), "DERIVED", "m", ""),
                (Some(7), "SUBQUERY", "s", ""),
                (Some(5), "UNCACHEABLE SUBQUERY", "r", ""),
                (None, "UNION RESULT", "<union1,4>", ""),
            ],
            "1<- 3<1 2<1 4<-[1] 6<4 7<6 5<4 0<-[1]",
        );
        // A subquery within a subquery is told by the table it refers to.
        check(
            &[
                (Some(1), "PRIMARY", "o", ""),
                (Some(2), "DEPENDENT SUBQUERY", "c", "shop.o.customer_id"),
                (Some(3), "DEPENDENT SUBQUERY", "n", "shop.c.country"),
            ],
            "1<- 2<1 3<2",
        );
    }

    #[test]
    fn parts_of_a_union_belong_to_what_its_first_part_belongs_to() {
        check(
            &[
                (Some(1), "PRIMARY", "o", ""),
                (Some(2), "DEPENDENT SUBQUERY", "n", "func"),
                (Some(3), "DEPENDENT UNION", "", ""),
                (None, "UNION RESULT", "<union2,3>", ""),
            ],
            "1<- 2<1 3<1[2] 0<1[2]",
        );
        // A recursive part reads the rows of the whole.
        check(
            &[
                (Some(1), "PRIMARY", "<derived2>", ""),
                (Some(2), "DERIVED", "g", ""),
                (Some(3), "RECURSIVE UNION", "<derived2>", ""),
                (Some(3), "RECURSIVE UNION", "g", ""),
                (None, "UNION RESULT", "<union2,3>", ""),
            ],
            "1<- 2<1 3<1[2] 0<1[2]",
        );
    }
}
