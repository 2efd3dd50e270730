//! What the JSON of query blocks has in common on MySQL and MariaDB: blocks hold tables, tables
//! hold blocks; what Extra says in a table is keys here.

use super::json::Json;
use super::{Amount, Aside, Block, Format, Node, Plan, Role};
use crate::flavor::Family;

/// Puts a plan together, block by block.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    prefixes: Vec<Option<&'static str>>,
    pub asides: Vec<Aside>,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub role: Role,
    /// How its `select_type` begins: `DEPENDENT`, `UNCACHEABLE`, `LATERAL`, `RECURSIVE`.
    pub prefix: Option<&'static str>,
    pub under: Option<usize>,
    pub reader: Option<usize>,
    pub first_part: Option<usize>,
}

impl Place {
    /// The statement itself.
    pub const MAIN: Place =
        Place { role: Role::Main, prefix: None, under: None, reader: None, first_part: None };
}

impl Builder {
    /// What the server says in place of a table.
    pub fn message(&mut self, block: usize, text: &Json) {
        let extra = text.text().map(str::to_owned).into_iter().collect();
        self.push(block, Node { extra, ..Node::default() });
    }

    /// Begins a block.
    pub fn block(&mut self, id: Option<u64>, place: Place) -> usize {
        let mut block = Block::new(id, place.role);
        block.is_dependent = is_run_anew(place.prefix);
        block.under = place.under;
        block.reader = place.reader;
        block.first_part = place.first_part;
        self.blocks.push(block);
        self.prefixes.push(place.prefix);
        self.blocks.len() - 1
    }

    /// Adds a node to a block.
    pub fn push(&mut self, block: usize, mut node: Node) -> usize {
        let place = self.nodes.len();
        if let Some(block) = self.blocks.get_mut(block) {
            node.id = block.id;
            block.nodes.push(place);
        }
        self.nodes.push(node);
        place
    }

    /// A node that was added.
    pub fn node(&mut self, place: usize) -> Option<&mut Node> {
        self.nodes.get_mut(place)
    }

    /// Nodes so far.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Names of the tables of a block.
    pub fn tables_of(&self, block: usize) -> Vec<&str> {
        let nodes = self.blocks.get(block).map_or(&[][..], |block| &block.nodes);
        nodes.iter().filter_map(|node| self.nodes.get(*node)?.table.as_deref()).collect()
    }

    /// Says a fact of the first table from `from` on that is read for more than one row, as the
    /// server prints `Using temporary` and `Using filesort` of a whole join.
    pub fn say_of_first(&mut self, block: usize, from: usize, words: &str) {
        let Some(block) = self.blocks.get(block) else { return };
        let of_block = || block.nodes.iter().copied().filter(|place| *place >= from);
        let is_one = |place: &usize| {
            let access = self.nodes.get(*place).and_then(|node| node.access_type.as_deref());
            matches!(access, Some("const" | "system"))
        };
        let first = of_block().find(|place| !is_one(place)).or_else(|| of_block().next());
        if let Some(node) = first.and_then(|place| self.nodes.get_mut(place)) {
            node.say(words);
        }
    }

    /// The tables of which duplicates are removed: Extra says where they begin and end.
    pub fn say_of_ends(&mut self, from: usize) {
        let last = self.nodes.len().saturating_sub(1);
        if let Some(node) = self.node(from) {
            node.say("Start temporary");
        }
        if let Some(node) = self.node(last).filter(|_| last >= from) {
            node.say("End temporary");
        }
    }

    /// The plan.
    pub fn plan(mut self, format: Format, flavor: Family) -> Plan {
        // MariaDB says PRIMARY of a subquery that it has turned into a join.
        let is_semijoin = |node: &Node| {
            ["FirstMatch", "LooseScan", "Start temporary"].iter().any(|words| node.says(words))
        };
        let was_subquery = flavor == Family::MariaDb && self.nodes.iter().any(is_semijoin);
        let is_alone = !was_subquery
            && self.blocks.iter().all(|block| {
                block.role == Role::Main
                    || block.role == Role::Materialized && flavor == Family::MySql
            });
        for (block, prefix) in self.blocks.iter().zip(&self.prefixes) {
            for place in &block.nodes {
                if let Some(node) = self.nodes.get_mut(*place)
                    && node.select_type.is_none()
                {
                    node.select_type = Some(select_type(block, *prefix, is_alone, node));
                }
            }
        }
        Plan {
            format,
            flavor,
            nodes: self.nodes,
            blocks: self.blocks,
            asides: self.asides,
            ..Plan::default()
        }
    }
}

/// What a table would say under `select_type`.
fn select_type(block: &Block, prefix: Option<&str>, is_alone: bool, node: &Node) -> String {
    let word = match block.role {
        Role::Main if is_alone => "SIMPLE",
        Role::Main => "PRIMARY",
        Role::Derived => "DERIVED",
        Role::Materialized => "MATERIALIZED",
        Role::Subquery => "SUBQUERY",
        Role::Union => "UNION",
        Role::Intersect => "INTERSECT",
        Role::Except => "EXCEPT",
        Role::Result => result_word(node.table.as_deref().unwrap_or_default()),
    };
    let can_begin = matches!(block.role, Role::Derived | Role::Subquery | Role::Union);
    match prefix.filter(|_| can_begin) {
        Some(prefix) => format!("{prefix} {word}"),
        None => word.to_owned(),
    }
}

fn result_word(table: &str) -> &'static str {
    if table.starts_with("<intersect") {
        "INTERSECT RESULT"
    } else if table.starts_with("<except") {
        "EXCEPT RESULT"
    } else if table.starts_with("<unit") {
        "UNIT RESULT"
    } else {
        "UNION RESULT"
    }
}

/// How the value of a key becomes words.
#[derive(Debug, Clone, Copy)]
pub enum Words {
    /// These, if the value is there and not false.
    Are(&'static str),
    /// The text of the value in the place of `{}`; these words alone if the value has none.
    With(&'static str, &'static str),
}

/// A key and its words.
pub type Fact = (&'static str, Words);

/// The facts of a table, in the order of the list.
pub fn facts(table: &Json, list: &[Fact]) -> Vec<String> {
    let fact = |(key, words): &Fact| {
        let value = table.get(key)?;
        let is_there = !matches!(value, Json::Truth(false) | Json::Null);
        let text = value.text().map(str::to_owned).or_else(|| match value {
            Json::Number(number) => Some(number.clone()),
            _ => None,
        });
        is_there.then(|| match (words, text) {
            (Words::Are(words), _) => (*words).to_owned(),
            (Words::With(words, _), Some(text)) => words.replace("{}", &text),
            (Words::With(_, words), None) => (*words).to_owned(),
        })
    };
    list.iter().filter_map(fact).collect()
}

/// What both servers say of a table under the same keys.
pub fn table(value: &Json) -> Node {
    let text = |key: &str| value.get(key).and_then(Json::text).map(str::to_owned);
    Node {
        table: text("table_name"),
        partitions: joined(value, "partitions"),
        access_type: text("access_type"),
        possible_keys: joined(value, "possible_keys"),
        key: text("key"),
        key_len: text("key_length"),
        reference: joined(value, "ref"),
        used_key_parts: texts(value, "used_key_parts"),
        filtered: value.get("filtered").and_then(Json::amount),
        condition: text("attached_condition").or_else(|| text("index_condition")),
        ..Node::default()
    }
}

/// The texts of a list.
pub fn texts(value: &Json, key: &str) -> Vec<String> {
    let list = value.get(key).map_or(&[][..], Json::each);
    list.iter().filter_map(Json::text).map(str::to_owned).collect()
}

fn joined(value: &Json, key: &str) -> Option<String> {
    let texts = texts(value, key);
    (!texts.is_empty()).then(|| texts.join(","))
}

/// Milliseconds under the first of these keys that is there.
pub fn amount(value: &Json, keys: &[&str]) -> Option<Amount> {
    keys.iter().find_map(|key| value.get(key)).and_then(Json::amount)
}

impl Builder {
    /// Reads the parts of a UNION in the place of a block, which becomes that of the result. Gives
    /// the first part.
    pub fn union<'j>(
        &mut self,
        parts: impl Iterator<Item = (&'j Json, Place)>,
        around: usize,
        mut read: impl FnMut(&mut Builder, &'j Json, Place) -> usize,
    ) -> Option<usize> {
        let outer = self.around(around);
        let mut first = None;
        for (part, own) in parts {
            let place = Place {
                role: if first.is_some() { own.role } else { outer.role },
                prefix: own.prefix.or(outer.prefix),
                first_part: first.or(outer.first_part),
                ..outer
            };
            let block = read(self, part, place);
            // Of a UNION within a UNION what counts is its own first part.
            let is_result = self.blocks.get(block).is_some_and(|block| block.role == Role::Result);
            let inner = self.blocks.get(block).filter(|_| is_result);
            first = first.or(inner.and_then(|block| block.first_part)).or(Some(block));
        }
        if let Some(block) = self.blocks.get_mut(around) {
            block.role = Role::Result;
            block.first_part = first;
        }
        first
    }

    /// Gives the block of a result its number.
    pub fn name(&mut self, block: usize, id: Option<u64>) {
        let Some(block) = self.blocks.get_mut(block) else { return };
        block.id = id;
        for place in &block.nodes {
            if let Some(node) = self.nodes.get_mut(*place) {
                node.id = id;
            }
        }
    }

    /// Where a block stands.
    pub fn around(&self, at: usize) -> Place {
        self.blocks.get(at).map_or(Place::MAIN, |block| Place {
            role: block.role,
            prefix: self.prefixes.get(at).copied().flatten(),
            under: block.under,
            reader: block.reader,
            first_part: block.first_part,
        })
    }
}

/// Whether a SELECT that is called so runs anew for each row around it.
fn is_run_anew(prefix: Option<&str>) -> bool {
    matches!(prefix, Some("DEPENDENT" | "UNCACHEABLE" | "LATERAL"))
}
