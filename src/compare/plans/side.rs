//! One of two plans as it is compared: what each of its steps is, whatever the form.
//!
//! A table of the statement is one by its name. A derived table is `<derived2>` in one form and has
//! its alias in another: it is known by the tables inside. An index merge is one step of lines and
//! several operations of TREE.

use std::collections::{HashMap, HashSet};
use std::ptr;

use super::words;
use crate::plan::{Amount, Node, Plan};

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It reads a table of the statement.
    Table,
    /// It reads what a SELECT has put into a temporary table.
    Derived,
    /// It says of a SELECT why it reads no table, or is any other line without a table.
    Line,
    /// An operation of TREE on the rows of other steps.
    Operation,
    /// It is not there in other forms.
    Hidden,
}

/// By what a step is known again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    pub select: Option<u64>,
    pub text: String,
}

/// One of the plans. All lists are by the place of a node in the plan.
pub struct Side<'p> {
    pub nodes: Vec<&'p Node>,
    pub read: Vec<Option<Amount>>,
    pub tells_ids: bool,
    /// Whether nodes hold each other.
    pub is_tree: bool,
    pub kinds: Vec<Kind>,
    /// Tables inside of a derived one.
    pub inside: Vec<Vec<&'p str>>,
    /// The algorithm by which a table is joined to those before it, where it is told.
    pub joins: Vec<Option<&'static str>>,
    /// The index, or all those of an index merge, in the order of the alphabet.
    pub keys: Vec<Vec<&'p str>>,
    /// The access type in words that all forms share.
    pub access: Vec<Option<&'p str>>,
    /// The place in the order of a join.
    pub ranks: Vec<usize>,
    /// The SELECT, where lines tell it.
    pub selects: Vec<usize>,
}

/// Operations that fill the temporary table which the step above them reads.
const FILLS: &[&str] = &[
    "Materialize",
    "Union materialize",
    "Intersect materialize",
    "Except materialize",
    "Temporary table",
];

/// Operations of TREE that are an index merge.
const MERGES: &[&str] =
    &["Intersect rows sorted", "Deduplicate rows sorted", "Sort-deduplicate by row ID"];

/// Tables that are looked at to tell one derived table from another.
const INSIDE: usize = 16;

impl<'p> Side<'p> {
    /// `as_lines` leaves out what lines do not tell.
    pub fn of(plan: &'p Plan, as_lines: bool) -> Side<'p> {
        let nodes = plan.all_nodes();
        let is_tree = plan.blocks.is_empty();
        let mut side = Side {
            read: plan.work().into_iter().map(|work| work.read).collect(),
            // The line of a UNION RESULT has no number in any form.
            tells_ids: nodes.iter().any(|node| node.id.is_some()),
            is_tree,
            kinds: nodes.iter().map(|node| kind(node)).collect(),
            inside: vec![Vec::new(); nodes.len()],
            joins: nodes.iter().map(|node| words::join(node)).collect(),
            keys: nodes.iter().map(|node| words::key(node).map_or(Vec::new(), keys)).collect(),
            access: nodes.iter().map(|node| words::access(node)).collect(),
            ranks: (0..nodes.len()).collect(),
            selects: vec![0; nodes.len()],
            nodes,
        };
        match is_tree {
            true => side.look_into_tree(as_lines),
            false => side.look_into_blocks(plan, as_lines),
        }
        side.note_first(plan);
        side
    }

    /// A join begins with the first table of each SELECT; of TREE that of the whole is known.
    fn note_first(&mut self, plan: &Plan) {
        let of_tree = (0..self.nodes.len())
            .filter(|place| self.nodes.get(*place).is_some_and(|node| node.table.is_some()))
            .filter(|_| self.is_tree)
            .min_by_key(|place| self.ranks.get(*place).copied());
        let of_blocks = plan.blocks.iter().filter_map(|block| block.nodes.first().copied());
        for place in of_blocks.chain(of_tree) {
            if let Some(join) = self.joins.get_mut(place)
                && *join == Some(words::NESTED_LOOP)
            {
                *join = Some(words::FIRST);
            }
        }
    }

    /// Names of the nodes; those that are not to be compared have none.
    pub fn names(&self, with_ids: bool) -> Vec<Option<Name>> {
        let name = |(node, kind): (&&Node, &Kind)| {
            let text = match kind {
                Kind::Hidden => return None,
                Kind::Table | Kind::Derived => node.table.clone()?,
                Kind::Operation => node.operation.as_ref()?.replace('`', ""),
                Kind::Line => {
                    let extra = node.operation.clone().unwrap_or_else(|| node.extra.join("; "));
                    words::line(&extra).to_owned()
                }
            };
            Some(Name { select: node.id.filter(|_| with_ids), text })
        };
        self.nodes.iter().zip(&self.kinds).map(name).collect()
    }

    /// The access type of a step in words that all forms share.
    pub fn access_of(&self, place: usize) -> Option<&'p str> {
        self.access.get(place).copied().flatten()
    }

    /// Whether a step reads a table of the statement.
    pub fn is_table(&self, place: usize) -> bool {
        self.kinds.get(place) == Some(&Kind::Table)
    }

    /// Whether another form may say nothing of a step: one row of the table was fetched before.
    pub fn may_be_left_out(&self, place: usize) -> bool {
        let Some(node) = self.nodes.get(place) else { return false };
        let text = node.operation.clone().unwrap_or_else(|| node.extra.join("; "));
        let is_known = matches!(node.access_type.as_deref(), Some("const" | "system"));
        is_known || node.table.is_none() && words::is_fetched_before(&text)
    }

    fn hide(&mut self, place: usize) {
        if let Some(kind) = self.kinds.get_mut(place) {
            *kind = Kind::Hidden;
        }
    }

    fn look_into_blocks(&mut self, plan: &'p Plan, as_lines: bool) {
        let mut filled: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut parts: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, block) in plan.blocks.iter().enumerate() {
            for node in &block.nodes {
                if let Some(select) = self.selects.get_mut(*node) {
                    *select = at;
                }
            }
            if let Some(first) = block.first_part {
                parts.entry(first).or_default().push(at);
            } else if let Some(reader) = block.reader {
                filled.entry(reader).or_default().push(at);
            }
        }
        let none = Vec::new();
        for (reader, blocks) in &filled {
            let is_subquery =
                self.nodes.get(*reader).and_then(|node| node.table.as_deref()).is_none();
            if is_subquery {
                continue;
            }
            let mut rest: Vec<usize> = blocks.iter().rev().copied().collect();
            let mut names: Vec<&str> = Vec::new();
            // A block is put here once by what holds it; the bound is for plans of many parts.
            for _ in 0..INSIDE * 4 {
                let Some(at) = rest.pop() else { break };
                let places = plan.blocks.get(at).map_or(&none, |block| &block.nodes);
                for place in places.iter().take(INSIDE) {
                    let table = self.nodes.get(*place).and_then(|node| node.table.as_deref());
                    match filled.get(place) {
                        Some(inner) => rest.extend(inner.iter().take(INSIDE)),
                        None => names.extend(table.filter(|table| !table.starts_with('<'))),
                    }
                }
                rest.extend(parts.get(&at).unwrap_or(&none).iter().take(INSIDE));
            }
            self.put_inside(*reader, names);
        }
        if !as_lines {
            return;
        }
        for (place, node) in self.nodes.clone().into_iter().enumerate() {
            if is_of_server(node) {
                self.hide(place);
            }
        }
    }

    fn look_into_tree(&mut self, as_lines: bool) {
        let nodes = self.nodes.clone();
        let places: HashMap<*const Node, usize> =
            nodes.iter().enumerate().map(|(place, node)| (ptr::from_ref(*node), place)).collect();
        let place_of = |node: &Node| places.get(&ptr::from_ref(node)).copied();
        self.rank(&place_of);
        let mut hidden: HashSet<*const Node> = HashSet::new();
        for (place, node) in nodes.iter().enumerate() {
            let operation = node.operation.as_deref().unwrap_or_default();
            let begins = |words: &[&str]| words.iter().any(|words| operation.starts_with(words));
            // Nodes come before those below them.
            if hidden.contains(&ptr::from_ref(*node)) {
                self.hide(place);
                hidden.extend(node.children.iter().map(ptr::from_ref));
                continue;
            }
            let first = joined(node).and_then(|below| first_table(below, &place_of));
            if let Some(join) = first.and_then(|first| self.joins.get_mut(first)) {
                *join = words::join(node);
            }
            let is_filled = |child: &Node| {
                let text = child.operation.as_deref().unwrap_or_default();
                FILLS.iter().any(|words| text.starts_with(words))
            };
            if node.table.is_some() && node.children.iter().any(is_filled) {
                self.put_inside(place, tables_below(node));
            }
            if !as_lines {
                continue;
            }
            if begins(MERGES) {
                self.merge(place, node, &mut hidden, &place_of);
            } else if operation.starts_with("Alternative plans") {
                // Which one is taken is told by the row; lines tell the first.
                hidden.extend(node.children.iter().skip(1).map(ptr::from_ref));
            }
            let is_line = operation.starts_with("Zero ") || words::is_fetched_before(operation);
            match self.kinds.get_mut(place) {
                Some(kind) if is_line => *kind = Kind::Line,
                Some(kind) if *kind == Kind::Operation => *kind = Kind::Hidden,
                _ => {}
            }
            if node.table.as_deref().is_some_and(|table| table.ends_with("temporary>")) {
                self.hide(place);
            }
        }
    }

    /// The order of a join as lines have it: those of the hash come first.
    fn rank(&mut self, place_of: &impl Fn(&Node) -> Option<usize>) {
        let is_below: HashSet<*const Node> =
            self.nodes.iter().flat_map(|node| &node.children).map(ptr::from_ref).collect();
        let top = self.nodes.iter().filter(|node| !is_below.contains(&ptr::from_ref(**node)));
        let mut rest: Vec<&Node> = top.rev().copied().collect();
        let mut rank = 0;
        while let Some(node) = rest.pop() {
            if let Some(slot) = place_of(node).and_then(|place| self.ranks.get_mut(place)) {
                *slot = rank;
            }
            rank += 1;
            let operation = node.operation.as_deref().unwrap_or_default();
            if operation.starts_with("Inner hash join") {
                rest.extend(node.children.iter());
            } else {
                rest.extend(node.children.iter().rev());
            }
        }
    }

    /// Makes one step of an index merge: the first of its scans, with the indexes of all.
    fn merge(
        &mut self,
        place: usize,
        node: &'p Node,
        hidden: &mut HashSet<*const Node>,
        place_of: &impl Fn(&Node) -> Option<usize>,
    ) {
        let mut keys: Vec<&str> = Vec::new();
        let mut first = None;
        let mut rest: Vec<&'p Node> = node.children.iter().rev().collect();
        while let Some(scan) = rest.pop() {
            if scan.table.is_some() && first.is_none() {
                first = place_of(scan);
            } else {
                hidden.insert(ptr::from_ref(scan));
            }
            keys.extend(scan.key.as_deref());
            rest.extend(scan.children.iter().rev());
        }
        keys.sort_unstable();
        let Some(first) = first else { return };
        self.hide(place);
        if let Some(slot) = self.keys.get_mut(first) {
            *slot = keys;
        }
        if let Some(slot) = self.access.get_mut(first) {
            *slot = Some("index_merge");
        }
        // What one of the scans reads is not what they read together.
        if let Some(slot) = self.read.get_mut(first) {
            *slot = None;
        }
    }

    fn put_inside(&mut self, place: usize, mut tables: Vec<&'p str>) {
        tables.sort_unstable();
        tables.dedup();
        tables.truncate(INSIDE);
        if let Some(kind) = self.kinds.get_mut(place).filter(|kind| **kind == Kind::Table) {
            *kind = Kind::Derived;
        }
        if let Some(slot) = self.inside.get_mut(place) {
            *slot = tables;
        }
    }
}

/// Whether a line is about a temporary table of the server itself, or about no stored table at all.
pub fn is_of_server(node: &Node) -> bool {
    const RESULTS: &[&str] = &["<union", "<intersect", "<except", "<temporary"];
    let table = node.table.as_deref().unwrap_or_default();
    RESULTS.iter().any(|begin| table.starts_with(begin)) || node.says("Table function:")
}

fn kind(node: &Node) -> Kind {
    match (node.table.as_deref(), &node.operation) {
        (Some(table), _) if table.starts_with('<') => Kind::Derived,
        (Some(_), _) => Kind::Table,
        (None, Some(_)) => Kind::Operation,
        (None, None) => Kind::Line,
    }
}

/// The names of `a,b`, sorted.
fn keys(text: &str) -> Vec<&str> {
    let mut keys: Vec<&str> = text.split(',').map(str::trim).collect();
    keys.sort_unstable();
    keys
}

/// What is below a join and holds the table of which lines say that it uses a join buffer: of an
/// inner hash join what is read against the hash, of others what is put into it.
fn joined(node: &Node) -> Option<&Node> {
    if !node.says("Using join buffer") {
        return None;
    }
    let is_inner = node.operation.as_deref()?.starts_with("Inner hash join");
    if is_inner { node.children.first() } else { node.children.last() }
}

/// The first table that is read in a step or below it.
fn first_table(node: &Node, place_of: &impl Fn(&Node) -> Option<usize>) -> Option<usize> {
    let mut next = Some(node);
    while let Some(node) = next {
        if node.table.is_some() {
            return place_of(node);
        }
        let is_inner =
            node.operation.as_deref().is_some_and(|text| text.starts_with("Inner hash join"));
        next = if is_inner { node.children.last() } else { node.children.first() };
    }
    None
}

/// Tables of the statement that are read below a step.
fn tables_below(node: &Node) -> Vec<&str> {
    let mut tables = Vec::new();
    let mut rest: Vec<&Node> = node.children.iter().rev().collect();
    for _ in 0..INSIDE * 8 {
        let Some(node) = rest.pop() else { break };
        let is_filled = !node.children.is_empty();
        tables.extend(node.table.as_deref().filter(|table| !is_filled && !table.starts_with('<')));
        rest.extend(node.children.iter().rev());
    }
    tables
}
