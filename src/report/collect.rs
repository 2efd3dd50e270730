//! The script of `adagio collect`: SQL that gathers evidence on a server, to be run by hand.
//!
//! ```text
//! -- What the server is set to. For VAR001, VAR002, …
//! SELECT 'adagio: variables' AS adagio;
//! SHOW GLOBAL VARIABLES;
//! ```
//!
//! It only reads. Every statement is one that MySQL 5.7 to 9 and MariaDB 10 to 11 take; what one of
//! them alone has stands in a version comment. What the client prints is read back by
//! [`study::collected`](crate::study::collected): the marks are a contract between the two.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::advice::{Gathered, wanting};
use crate::sql::fingerprint::ClassId;

/// Databases that are the server's own.
pub const SYSTEM: [&str; 4] = ["information_schema", "mysql", "performance_schema", "sys"];

/// Columns of a comment.
const WIDTH: usize = 100;

/// The server that a script is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// Whichever it is.
    #[default]
    Any,
    /// MySQL, Percona Server, Aurora.
    MySql,
    /// MariaDB.
    MariaDb,
}

/// A table: its database and its name, which can be quoted without an escape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    db: String,
    name: String,
}

impl Table {
    /// `None` where a name cannot be written as [`name`] wants it.
    #[must_use]
    pub fn new(db: &[u8], table: &[u8]) -> Option<Table> {
        Some(Table { db: name(db)?, name: name(table)? })
    }
}

/// A name that means the same in any quotes: 1 to 64 letters, none of them a quote, a backslash or
/// a control character.
#[must_use]
pub fn name(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_plain = |c: char| !c.is_control() && !"'\"`\\".contains(c);
    let is_name = (1..=64).contains(&text.chars().count()) && text.chars().all(is_plain);
    is_name.then(|| text.to_owned())
}

/// A statement whose plan is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The ID of its class.
    pub id: ClassId,
    /// Microseconds of all its calls, if the log tells them.
    pub micros: Option<u64>,
    /// The database that it runs in; `None` where each table names its own.
    pub database: Option<String>,
    /// Its text, on one line and safe behind EXPLAIN.
    pub text: String,
}

/// Databases whose tables are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Databases {
    /// None.
    None,
    /// All but the server's own.
    All,
    /// These.
    These(Vec<String>),
}

/// What a script gathers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The server.
    pub target: Target,
    /// How often Threads_running and the process states are looked at.
    pub samples: u32,
    /// Seconds between the two looks at the counters.
    pub interval: u32,
    /// Databases whose tables are told by information_schema.
    pub databases: Databases,
    /// Tables that are told by SHOW CREATE TABLE.
    pub tables: Vec<Table>,
    /// Statements whose plans are told.
    pub statements: Vec<Explained>,
    /// What is left out of the log: why, and how often.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// Writes a script.
pub fn write(script: &Script, out: &mut dyn Write) -> io::Result<()> {
    let mut pen = Pen { out };
    script.head(&mut pen)?;
    script.server(&mut pen)?;
    script.databases(&mut pen)?;
    script.tables(&mut pen)?;
    script.plans(&mut pen)?;
    pen.comment("Without this mark the output is cut, and its last part is not used.", &[])?;
    pen.mark("adagio: end")
}

impl Script {
    fn head(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        let client = if self.target == Target::MySql { "mysql" } else { "mariadb" };
        let families = match self.target {
            Target::Any => "MySQL 5.7 to 9 and MariaDB 10 to 11",
            Target::MySql => "MySQL 5.7 to 9",
            Target::MariaDb => "MariaDB 10 to 11",
        };
        pen.line("-- Gathers what the advice of adagio rests on. Read it, then run it:")?;
        pen.line("--")?;
        pen.line(&format!(
            "--   {client} --force --table --default-character-set=utf8mb4 < collect.sql > collected.txt"
        ))?;
        pen.line("--   adagio advise slow.log --collected collected.txt")?;
        pen.line("--")?;
        for text in [
            format!(
                "It only reads, by SHOW, SELECT and EXPLAIN, on {families}. It takes {} s and more: it looks at \
                 the counters twice, and waits between.",
                self.interval
            ),
            "Where a privilege is missing a statement fails: --force goes on with the next one. PROCESS shows the \
             sessions of others, SELECT on the tables is needed for their definitions, and the privilege to change \
             rows for the plan of a statement that changes them."
                .to_owned(),
            "Any form of the client is read back: --table, --batch, --vertical. Look at the output before you pass it \
             on: it has names of hosts, paths, databases and tables. It has no text of running statements."
                .to_owned(),
        ] {
            pen.words(&text)?;
        }
        if !self.statements.is_empty() {
            let text = "This script holds statements of the log with their literals. Without them, and without plans: \
                        adagio collect --redact.";
            pen.words(text)?;
        }
        if !self.left_out.is_empty() {
            pen.line("--")?;
            pen.line("-- Left out of the log:")?;
        }
        for (why, count) in &self.left_out {
            let what = if why.starts_with("tables: ") { "" } else { "plans: " };
            pen.line(&format!("--   {what}{why} ({count})"))?;
        }
        Ok(())
    }

    /// Variables, counters, and what runs.
    fn server(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        pen.comment("Which server it is.", &[])?;
        pen.mark("adagio: server")?;
        pen.line("SELECT VERSION() AS version, @@version_comment AS version_comment;")?;
        pen.comment("What the server is set to.", &rules(&[Gathered::Variables]))?;
        pen.mark("adagio: variables")?;
        pen.line("SHOW GLOBAL VARIABLES;")?;
        let text = format!(
            "The counters, the first time. What they grow by in {} s tells the load of now.",
            self.interval
        );
        pen.comment(&text, &rules(&[Gathered::Status]))?;
        pen.mark("adagio: status before")?;
        pen.line("SHOW GLOBAL STATUS;")?;
        if self.samples == 0 {
            pen.line(&format!("SELECT SLEEP({}) AS slept;", self.interval))?;
        } else {
            let text = format!(
                "How many statements run at once, this connection among them, and the states of the sessions \
                 without their statements: {} times.",
                self.samples
            );
            pen.comment(&text, &rules(&[Gathered::Running, Gathered::States]))?;
        }
        let millis = u64::from(self.interval) * 1_000;
        let samples = u64::from(self.samples);
        for number in 1..=samples {
            let nap = millis * number / samples - millis * (number - 1) / samples;
            pen.line(&format!("SELECT SLEEP({}.{:03}) AS slept;", nap / 1_000, nap % 1_000))?;
            pen.mark(&format!("adagio: sample {number}"))?;
            pen.line("SHOW GLOBAL STATUS LIKE 'Threads_%';")?;
            pen.line("SELECT CASE WHEN COMMAND = 'Sleep' THEN 'idle'")?;
            pen.line(
                "  WHEN COMMAND IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID') THEN 'of the server'",
            )?;
            pen.line("  WHEN USER = 'unauthenticated user' THEN USER ELSE STATE END AS state,")?;
            pen.line("  SUM(ID <> CONNECTION_ID()) AS sessions FROM information_schema.PROCESSLIST GROUP BY 1;")?;
        }
        pen.comment("The counters, the second time.", &rules(&[Gathered::Status]))?;
        pen.mark("adagio: status after")?;
        pen.line("SHOW GLOBAL STATUS;")
    }

    /// The tables of whole databases.
    fn databases(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        let list = |names: &mut dyn Iterator<Item = &str>| {
            names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
        };
        let which = match &self.databases {
            Databases::None => return Ok(()),
            Databases::All => format!("NOT IN ({})", list(&mut SYSTEM.into_iter())),
            Databases::These(names) => {
                format!("IN ({})", list(&mut names.iter().map(String::as_str)))
            }
        };
        pen.comment(
            "The tables with their rows, columns and indexes. Before MySQL 8 each table is opened once. Where \
             innodb_stats_on_metadata is ON leave this part out. From MySQL 8 on rows and cardinality may be a day old.",
            &of_tables(),
        )?;
        pen.mark("adagio: tables")?;
        let from = |table: &str, order: &str| {
            format!(
                "  FROM information_schema.{table} WHERE TABLE_SCHEMA {which} ORDER BY {order};"
            )
        };
        pen.line(TABLES)?;
        pen.line(&from("TABLES", "TABLE_SCHEMA, TABLE_NAME"))?;
        pen.line("SELECT TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE,")?;
        pen.line("  CHARACTER_SET_NAME, COLLATION_NAME, EXTRA")?;
        pen.line(&from("COLUMNS", "TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION"))?;
        pen.line("SELECT TABLE_SCHEMA, TABLE_NAME, NON_UNIQUE, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, COLLATION,")?;
        pen.line("  CARDINALITY, SUB_PART, INDEX_TYPE")?;
        if self.target != Target::MariaDb {
            pen.line("  /*!80013 , EXPRESSION, IS_VISIBLE */")?;
        }
        if self.target != Target::MySql {
            pen.line("  /*M!100600 , IGNORED */")?;
        }
        pen.line(&from("STATISTICS", "TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX"))
    }

    /// The tables that the log touches. What fails stands last, for it is last that a definition of
    /// several lines has its end.
    fn tables(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        for (number, Table { db, name }) in self.tables.iter().enumerate() {
            let text = format!("Table {} of {} in the log.", number + 1, self.tables.len());
            pen.comment(&text, &of_tables())?;
            pen.mark(&format!("adagio: table `{db}`.`{name}`"))?;
            pen.line(TABLES)?;
            pen.line(&format!(
                "  FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{db}' AND TABLE_NAME = '{name}';"
            ))?;
            pen.line(&format!("SHOW INDEX FROM `{db}`.`{name}`;"))?;
            pen.line(&format!("SHOW CREATE TABLE `{db}`.`{name}`;"))?;
        }
        Ok(())
    }

    /// The plans of the log's statements.
    fn plans(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        if self.statements.is_empty() {
            return Ok(());
        }
        pen.comment(
            "The plans of the statements that take most of the time. EXPLAIN runs none of them. Before MySQL 5.6 \
             and MariaDB 10.0 it does run derived tables, and takes SELECT only.",
            &[],
        )?;
        // Where a USE fails, no table of another database may be taken for one of this.
        const NOWHERE: &str = "USE information_schema;";
        pen.line(NOWHERE)?;
        let mut current: Option<&str> = None;
        for (number, statement) in self.statements.iter().enumerate() {
            let Explained { id, micros, database, text } = statement;
            let time = micros.map_or(String::new(), |micros| {
                format!(", {}.{:06} s in all", micros / 1_000_000, micros % 1_000_000)
            });
            let text_of = format!("Class {} of {}{time}.", number + 1, self.statements.len());
            pen.comment(&text_of, &["PLAN rules", "IDX rules"].map(str::to_owned))?;
            if let Some(database) = database.as_deref().filter(|it| current != Some(*it)) {
                if current.is_some() {
                    pen.line(NOWHERE)?;
                }
                pen.line(&format!("USE `{database}`;"))?;
                current = Some(database);
            }
            pen.mark(&format!("-- query_id: 0x{id}"))?;
            pen.line(&format!("EXPLAIN {text};"))?;
        }
        Ok(())
    }
}

const TABLES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, ROW_FORMAT, TABLE_ROWS, DATA_LENGTH, \
                      INDEX_LENGTH, AUTO_INCREMENT, TABLE_COLLATION";

/// The codes of the rules that want some parts.
fn rules(parts: &[Gathered]) -> Vec<String> {
    let mut codes: Vec<String> =
        parts.iter().flat_map(|part| wanting(*part)).map(str::to_owned).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// The rules that want tables: all about indexes and statements, and some about variables.
fn of_tables() -> Vec<String> {
    let kinds = ["IDX rules", "SQL rules", "PLAN rules"].map(str::to_owned);
    kinds.into_iter().chain(rules(&[Gathered::Tables])).collect()
}

struct Pen<'o> {
    out: &'o mut dyn Write,
}

impl Pen<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// The row that begins a part.
    fn mark(&mut self, mark: &str) -> io::Result<()> {
        // A name of a table has no quote in it.
        self.line(&format!("SELECT '{mark}' AS adagio;"))
    }

    /// What the next statement is for, and who wants it.
    fn comment(&mut self, text: &str, rules: &[String]) -> io::Result<()> {
        self.line("")?;
        match rules {
            [] => self.words(text),
            rules => self.words(&format!("{text} For {}.", rules.join(", "))),
        }
    }

    /// A comment, in lines.
    fn words(&mut self, text: &str) -> io::Result<()> {
        let mut line = "--".to_owned();
        for word in text.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.line(&line)?;
                line = "--".to_owned();
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        Script {
            target: Target::Any,
            samples: 7,
            interval: 60,
            databases: Databases::None,
            tables: Vec::new(),
            statements: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    fn written(script: &Script) -> String {
        let mut out = Vec::new();
        write(script, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn naps_are_the_interval_together() {
        for (samples, interval) in [(0, 60), (1, 60), (7, 60), (10, 1), (13, 86_400)] {
            let text = written(&Script { samples, interval, ..script() });
            let naps = text.lines().filter_map(|line| line.strip_prefix("SELECT SLEEP("));
            let millis: Vec<u64> = naps
                .map(|rest| {
                    let (number, _) = rest.split_once(')').unwrap();
                    let (seconds, decimals) = number.split_once('.').unwrap_or((number, "0"));
                    seconds.parse::<u64>().unwrap() * 1_000 + decimals.parse::<u64>().unwrap()
                })
                .collect();
            assert_eq!(millis.len(), samples.max(1) as usize);
            assert_eq!(millis.iter().sum::<u64>(), u64::from(interval) * 1_000, "{millis:?}");
        }
    }

    #[test]
    fn a_plan_is_asked_for_in_its_database_and_no_other() {
        let statement = |database: Option<&str>, text: &str| Explained {
            id: ClassId::of(text.as_bytes()),
            micros: Some(1_500_000),
            database: database.map(str::to_owned),
            text: text.to_owned(),
        };
        let statements = vec![
            statement(Some("depot"), "SELECT a FROM t"),
            statement(Some("depot"), "SELECT b FROM t"),
            statement(None, "SELECT c FROM yard.t"),
            statement(Some("yard"), "SELECT d FROM t"),
        ];
        let text = written(&Script { statements, ..script() });
        let lines =
            text.lines().filter(|line| line.starts_with("USE") || line.starts_with("EXPLAIN"));
        let want = [
            "USE information_schema;",
            "USE `depot`;",
            "EXPLAIN SELECT a FROM t;",
            "EXPLAIN SELECT b FROM t;",
            "EXPLAIN SELECT c FROM yard.t;",
            // If there is no yard, the table of depot is not taken for it.
            "USE information_schema;",
            "USE `yard`;",
            "EXPLAIN SELECT d FROM t;",
        ];
        assert_eq!(lines.collect::<Vec<_>>(), want);
        assert!(text.contains("Class 1 of 4, 1.500000 s in all."), "{text}");
        assert!(text.contains("--redact"), "{text}");
    }

    #[test]
    fn names_mean_the_same_in_any_quotes() {
        for (bytes, want) in [
            ("depot", Some("depot")),
            ("far yard", Some("far yard")),
            ("größe;", Some("größe;")),
            ("", None),
            ("a'b", None),
            ("a`b", None),
            ("a\\b", None),
            ("a\nb", None),
        ] {
            assert_eq!(name(bytes.as_bytes()).as_deref(), want, "{bytes:?}");
        }
        assert_eq!(name(b"\xff"), None);
        assert_eq!(name("x".repeat(65).as_bytes()), None);
    }

    #[test]
    fn comments_hold_nothing_that_ends_a_statement() {
        let databases = Databases::These(vec!["a".to_owned(), "b".to_owned()]);
        let text = written(&Script { databases, ..script() });
        let mut comments = text.lines().filter(|line| line.starts_with("--"));
        // A client that is simple cuts at every `;` and opens at every quote.
        assert!(comments.all(|line| !line.contains([';', '\'', '"', '`'])), "{text}");
        assert!(text.contains("IN ('a', 'b')"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 160), "{text}");
    }
}
