//! The catalogue of rules for people: a line each, or the page of one.

use crate::advice::Rule;

use super::plans::wrap::wrap;

/// Columns of a page.
const WIDTH: usize = 80;
/// Names that are told where one is not known.
const MOST_NEAREST: usize = 3;

/// A line for each rule: its code, its name, what it is about, what is wrong.
#[must_use]
pub fn list(rules: &[&Rule]) -> String {
    let widest =
        |text: fn(&Rule) -> &str| rules.iter().map(|rule| text(rule).len()).max().unwrap_or(0);
    let (code, name) = (widest(|rule| rule.code), widest(|rule| rule.name));
    let about = widest(|rule| rule.category.word());
    let lines = rules.iter().map(|rule| {
        let word = rule.category.word();
        format!("{:code$}  {:name$}  {word:about$}  {}\n", rule.code, rule.name, head(rule))
    });
    lines.collect()
}

/// What is wrong: the first paragraph of the text of a rule, on one line.
fn head(rule: &Rule) -> String {
    let lines = rule.doc.lines().map(str::trim).take_while(|line| !line.is_empty());
    plain(&lines.collect::<Vec<_>>().join(" "))
}

/// The page of a rule, in lines of at most 80 columns.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut page = format!("{}  {}  ({})\n", rule.code, rule.name, rule.category.word());
    let mut paragraph = String::new();
    let mut block: Option<Block<'_>> = None;
    for line in rule.doc.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(kind)) => {
                tell(&mut page, &mut paragraph);
                block = Some(Block { kind, lines: Vec::new() });
            }
            (Some(open), Some(_)) => {
                open.tell(&mut page);
                block = None;
            }
            (Some(open), None) => open.lines.push(line),
            (None, None) => {
                // A bold word opens a paragraph of its own.
                if line.is_empty() || line.starts_with("**") {
                    tell(&mut page, &mut paragraph);
                }
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line.trim());
            }
        }
    }
    tell(&mut page, &mut paragraph);
    page
}

/// Writes a paragraph below an empty line.
fn tell(page: &mut String, paragraph: &mut String) {
    let text = plain(&std::mem::take(paragraph));
    if !text.is_empty() {
        page.push('\n');
        for line in wrap(&text, WIDTH) {
            page.push_str(&line);
            page.push('\n');
        }
    }
}

/// Text without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace("**", "")
}

/// A block of SQL.
struct Block<'a> {
    kind: &'a str,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    fn tell(&self, page: &mut String) {
        let head = match self.kind {
            "sql schema" => "Tables:",
            "sql finding" => "It speaks of:",
            "sql clean" => "It is silent on:",
            _ => "",
        };
        // Several of one kind stand below one head.
        let last = page.rfind("\n\n").and_then(|at| page.get(at + 2..)).unwrap_or_default();
        if !last.starts_with(head) || head.is_empty() || self.kind == "sql schema" {
            page.push('\n');
            if !head.is_empty() {
                page.push_str(head);
                page.push('\n');
            }
        }
        for line in &self.lines {
            let depth = 4 + line.len() - line.trim_start().len();
            for (place, part) in wrap(line.trim(), WIDTH - depth - 4).iter().enumerate() {
                // What did not fit on its line is indented once more.
                let depth = if place == 0 { depth } else { depth + 4 };
                page.push_str(&" ".repeat(depth));
                page.push_str(part);
                page.push('\n');
            }
        }
    }
}

/// The rule of a code or a name, letter case aside.
#[must_use]
pub fn find<'a>(rules: &[&'a Rule], called: &str) -> Option<&'a Rule> {
    let is_it = |rule: &&&Rule| {
        rule.code.eq_ignore_ascii_case(called) || rule.name.eq_ignore_ascii_case(called)
    };
    rules.iter().find(is_it).copied()
}

/// Codes or names that come nearest to one that is not known, the nearest first.
#[must_use]
pub fn nearest<'a>(rules: &[&'a Rule], called: &str) -> Vec<&'a str> {
    // Nobody means so much by a name.
    let called: String = called.chars().take(64).collect::<String>().to_ascii_lowercase();
    let mut names: Vec<(usize, &str)> = rules
        .iter()
        .flat_map(|rule| [rule.code, rule.name])
        .map(|name| (distance(&called, &name.to_ascii_lowercase()), name))
        .collect();
    names.sort();
    names.into_iter().take(MOST_NEAREST).map(|(_, name)| name).collect()
}

/// How many characters must be changed, put in or taken out to make one text of another.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, c) in one.chars().enumerate() {
        let mut next = vec![above + 1];
        for (place, pair) in row.windows(2).enumerate() {
            let &[diagonal, up] = pair else { continue };
            let change = diagonal + usize::from(other.get(place) != Some(&c));
            let left = next.last().copied().unwrap_or(0);
            next.push(change.min(up + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Category;
    use crate::report::plans::wrap::columns;

    const RULE: Rule = Rule {
        code: "SQL099",
        name: "made-up",
        category: Category::Sql,
        doc: " Something is wrong with\n it.\n\n **Costs.** Time.\n **Verify.** Look.\n\n ```sql schema\n CREATE TABLE t (a int,\n   b int);\n ```\n ```sql clean\n SELECT 1;\n ```\n ```sql clean\n SELECT 2;\n ```\n",
    };

    #[test]
    fn a_page_has_paragraphs_and_blocks() {
        let want = "SQL099  made-up  (sql)\n\nSomething is wrong with it.\n\nCosts. Time.\n\nVerify. Look.\n\nTables:\n    \
            CREATE TABLE t (a int,\n      b int);\n\nIt is silent on:\n    SELECT 1;\n    SELECT 2;\n";
        assert_eq!(page(&RULE), want);
    }

    #[test]
    fn the_list_has_a_line_for_each_rule() {
        assert_eq!(list(&[&RULE]), "SQL099  made-up  sql  Something is wrong with it.\n");
    }

    #[test]
    fn pages_of_all_rules_are_narrow() {
        for rule in crate::advice::rules() {
            let page = page(rule);
            assert!(!page.contains("**") && !page.contains("```"), "{page}");
            for line in page.lines() {
                assert!(columns(line) <= WIDTH, "{}: {line}", rule.code);
            }
        }
    }

    #[test]
    fn rules_are_found_by_code_and_name() {
        let rules = [&RULE];
        for called in ["SQL099", "sql099", "Made-Up"] {
            assert_eq!(find(&rules, called).map(|it| it.code), Some("SQL099"), "{called}");
        }
        assert_eq!(find(&rules, "SQL09"), None);
        let all = crate::advice::rules();
        assert_eq!(nearest(&all, "function-on-colum").first(), Some(&"function-on-column"));
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
