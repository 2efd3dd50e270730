//! What a connection has set: part of the key of each result, section 9.2 of the rules.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use foldhash::fast::FixedState as Fast;

use crate::sql::token::{Kind, tokens};

use super::settings::{Settings, Type};

/// Session variables that are part of the key.
const KEYED: &[&str] = &[
    "character_set_client",
    "character_set_results",
    "collation_connection",
    "default_week_format",
    "div_precision_increment",
    "group_concat_max_len",
    "lc_time_names",
    "max_sort_length",
    "sql_mode",
    "sql_select_limit",
    "time_zone",
];

/// How transactions see each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    /// Each statement sees what is committed, or more.
    Each,
    /// The first read decides.
    #[default]
    Repeatable,
    /// Reads lock.
    Serializable,
}

impl Isolation {
    fn read(text: &str) -> Option<Isolation> {
        let plain: String = text.chars().filter(char::is_ascii_alphabetic).collect();
        match plain.to_ascii_lowercase().as_str() {
            "readcommitted" | "readuncommitted" => Some(Isolation::Each),
            "repeatableread" => Some(Isolation::Repeatable),
            "serializable" => Some(Isolation::Serializable),
            _ => None,
        }
    }
}

/// A connection.
#[derive(Debug, Clone)]
pub struct Session {
    /// Without a transaction of its own each statement is one.
    pub is_autocommit: bool,
    /// Behind BEGIN, or without autocommit behind a statement that reached tables.
    pub has_begun: bool,
    /// Holds LOCK TABLES.
    pub holds_tables: bool,
    /// `query_cache_type` of the session.
    pub kind: Type,
    /// Isolation of its transactions.
    pub isolation: Isolation,
    /// Isolation of the next one only.
    once: Option<Isolation>,
    /// Its temporary tables, by their own names in lower case.
    pub temporary: HashSet<Vec<u8>, Fast>,
    /// What it has set of the key.
    pub keyed: Arc<Keyed>,
    /// Number of that.
    pub flags: u32,
}

/// Variables of the key that differ from those of the server.
pub type Keyed = BTreeMap<&'static str, String>;

/// What a SET does besides to the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effect {
    /// What is set of the key is another one now.
    pub changes_key: bool,
    /// An open transaction is committed: autocommit is switched on.
    pub commits: bool,
}

impl Session {
    /// A connection as it begins.
    pub fn new(settings: &Settings) -> Session {
        let value = |name: &str| settings.session.text(name);
        let isolation = value("transaction_isolation").or(value("tx_isolation"));
        Session {
            is_autocommit: value("autocommit").and_then(Type::read) != Some(Type::Off),
            has_begun: false,
            holds_tables: false,
            kind: settings.kind.filter(|kind| *kind != Type::Off).unwrap_or_default(),
            isolation: isolation.and_then(Isolation::read).unwrap_or_default(),
            once: None,
            temporary: HashSet::default(),
            keyed: Arc::default(),
            flags: 0,
        }
    }

    /// Whether a statement runs in a transaction of several.
    pub fn is_in_transaction(&self) -> bool {
        self.has_begun || !self.is_autocommit
    }

    /// The isolation that holds now.
    pub fn isolation(&self) -> Isolation {
        self.once.unwrap_or(self.isolation)
    }

    /// Begins a transaction, which ends the one before. SET TRANSACTION is meant for this one.
    pub fn begin(&mut self) {
        if self.has_begun {
            self.once = None;
        }
        self.has_begun = true;
    }

    /// Ends the transaction. One that AND CHAIN begins has the isolation of the one before.
    pub fn end(&mut self, begins: bool) {
        self.has_begun = begins;
        if !begins {
            self.once = None;
        }
    }

    /// Takes in that the server reached tables: a statement outside of a transaction is one itself,
    /// and without autocommit it begins one.
    pub fn reach(&mut self) {
        if !self.is_autocommit {
            self.has_begun = true;
        } else if !self.has_begun {
            self.once = None;
        }
    }

    /// Takes in a SET.
    pub fn set(&mut self, statement: &[u8], settings: &Settings) -> Effect {
        let mut effect = Effect::default();
        for assignment in assignments(statement) {
            let Assignment { name, value, is_global } = assignment;
            if is_global {
                continue;
            }
            let is_default = value == "default";
            let of_server = settings.session.text(&name).map(str::to_lowercase);
            let meant = match is_default {
                true => of_server.clone().unwrap_or_default(),
                false => value.clone(),
            };
            match name.as_str() {
                "autocommit" => {
                    let is_on = is_default || Type::read(&meant) != Some(Type::Off);
                    effect.commits |= is_on && !self.is_autocommit;
                    self.is_autocommit = is_on;
                }
                "query_cache_type" => self.kind = Type::read(&meant).unwrap_or(self.kind),
                "tx_isolation" | "transaction_isolation" => {
                    self.isolation = Isolation::read(&meant).unwrap_or_default();
                }
                "next isolation" => self.once = Isolation::read(&value),
                "names" | "character set" | "charset" => {
                    let (charset, collation) =
                        value.split_once(" collate ").unwrap_or((&value, ""));
                    let charset = charset_name(charset.trim());
                    effect.changes_key |= self.keep("character_set_client", charset.clone(), None);
                    effect.changes_key |= self.keep("character_set_results", charset.clone(), None);
                    let collation = match name.as_str() {
                        "names" => collation_name(&charset, collation.trim()),
                        _ => "of the database".to_owned(),
                    };
                    effect.changes_key |= self.keep("collation_connection", collation, None);
                }
                _ => {
                    let Some(keyed) = KEYED.iter().find(|keyed| **keyed == name) else { continue };
                    let value = if is_default { None } else { Some(value) };
                    effect.changes_key |= self.keep_or_drop(keyed, value, of_server);
                }
            }
        }
        effect
    }

    fn keep(&mut self, name: &'static str, value: String, of_server: Option<String>) -> bool {
        self.keep_or_drop(name, Some(value), of_server)
    }

    /// Notes what a variable is; true if that is new.
    fn keep_or_drop(
        &mut self,
        name: &'static str,
        value: Option<String>,
        of_server: Option<String>,
    ) -> bool {
        let value = value.filter(|value| Some(value) != of_server.as_ref());
        if self.keyed.get(name) == value.as_ref() {
            return false;
        }
        let keyed = Arc::make_mut(&mut self.keyed);
        match value {
            Some(value) => keyed.insert(name, value),
            None => keyed.remove(name),
        };
        true
    }
}

fn charset_name(name: &str) -> String {
    match name {
        "utf8mb3" => "utf8".to_owned(),
        name => name.to_owned(),
    }
}

/// A collation; that which a character set has of itself has no name, for servers differ in it.
fn collation_name(charset: &str, collation: &str) -> String {
    let of_charset = match charset {
        "latin1" => "latin1_swedish_ci".to_owned(),
        charset => format!("{charset}_general_ci"),
    };
    match collation {
        "" => of_charset,
        collation => collation.replace("utf8mb3", "utf8"),
    }
}

/// One variable that is set.
struct Assignment {
    name: String,
    value: String,
    is_global: bool,
}

/// Most variables of a statement that are looked at.
const MOST: usize = 64;
/// Most bytes of a value that are kept.
const LONGEST: usize = 512;

/// The variables that SET sets, in lower case and without quotes.
fn assignments(statement: &[u8]) -> Vec<Assignment> {
    let mut found = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut is_global = false;
    let mut depth = 0usize;
    let mut flush = |words: &mut Vec<String>, is_global: &mut bool| {
        found.extend(assignment(words, *is_global));
        words.clear();
        *is_global = false;
    };
    let stream =
        tokens(statement).filter(|it| !matches!(it.kind, Kind::HintOpen | Kind::HintClose));
    for (count, token) in stream.skip(1).enumerate() {
        if count > MOST * 16 {
            break;
        }
        let bytes = token.of(statement);
        match bytes {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            b"," if depth == 0 => {
                flush(&mut words, &mut is_global);
                continue;
            }
            b";" if depth == 0 => break,
            _ => {}
        }
        let mut word =
            String::from_utf8_lossy(bytes.get(..LONGEST).unwrap_or(bytes)).to_lowercase();
        if token.kind == Kind::Literal || token.kind == Kind::Quoted {
            word = word.trim_matches(['\'', '"', '`']).to_owned();
        }
        words.push(word);
    }
    flush(&mut words, &mut is_global);
    found.truncate(MOST);
    found
}

fn assignment(words: &[String], is_global: bool) -> Option<Assignment> {
    let is = |place: usize, word: &str| words.get(place).is_some_and(|it| it == word);
    let rest = |from: usize| words.get(from..).unwrap_or_default().join(" ");
    let first = words.first()?;
    if first == "names" || first == "charset" {
        return Some(Assignment { name: first.clone(), value: rest(1), is_global });
    }
    if first == "character" && is(1, "set") {
        return Some(Assignment { name: "character set".to_owned(), value: rest(2), is_global });
    }
    if let Some(at) = words.iter().take(2).position(|it| it == "transaction") {
        let level = words.iter().position(|it| it == "level")?;
        let name = match (at, first.as_str()) {
            (0, _) => "next isolation",
            _ => "tx_isolation",
        };
        let is_global = first == "global";
        return Some(Assignment { name: name.to_owned(), value: rest(level + 1), is_global });
    }
    let equals = words.iter().position(|it| it == "=" || it == ":=")?;
    let named: String = words.get(..equals)?.iter().map(|it| format!("{it} ")).collect();
    if named.starts_with('@') && !named.starts_with("@@") {
        return None;
    }
    let parts: Vec<&str> = named
        .split([' ', '.'])
        .map(|part| part.trim_start_matches("@@"))
        .filter(|part| !part.is_empty())
        .collect();
    let scope = if parts.len() > 1 { parts.first().copied().unwrap_or_default() } else { "" };
    let is_global = is_global || matches!(scope, "global" | "persist" | "persist_only");
    let name = (*parts.last()?).to_owned();
    Some(Assignment { name, value: rest(equals + 1), is_global })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(statements: &[&str]) -> Session {
        let settings = Settings::default();
        let mut session = Session::new(&settings);
        for text in statements {
            session.set(text.as_bytes(), &settings);
        }
        session
    }

    fn keyed(statements: &[&str]) -> String {
        let session = session(statements);
        session.keyed.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
    }

    #[test]
    fn what_is_set_is_part_of_the_key_and_default_takes_it_back() {
        assert_eq!(keyed(&[]), "");
        assert_eq!(keyed(&["SET time_zone = '+02:00'"]), "time_zone=+02:00\n");
        assert_eq!(keyed(&["SET time_zone = '+02:00'", "SET time_zone=DEFAULT"]), "");
        assert_eq!(keyed(&["SET SESSION optimizer_switch = 'mrr=on'"]), "");
        assert_eq!(keyed(&["SET GLOBAL sql_mode = 'ANSI'"]), "");
        assert_eq!(
            keyed(&["SET @x = 1, SESSION sql_mode = 'ANSI', @@max_sort_length = 8"]),
            "max_sort_length=8\nsql_mode=ansi\n"
        );
    }

    #[test]
    fn names_that_mean_the_same_are_one_key() {
        let plain = keyed(&["SET NAMES utf8mb4"]);
        assert_eq!(keyed(&["set names 'utf8mb4' collate 'utf8mb4_general_ci'"]), plain);
        assert_ne!(keyed(&["SET NAMES latin1"]), plain);
        assert_eq!(keyed(&["SET NAMES latin1", "SET NAMES utf8mb4"]), plain);
    }

    #[test]
    fn transactions_are_followed() {
        assert!(!session(&["SET @@session.autocommit = OFF"]).is_autocommit);
        assert!(session(&["SET autocommit=0", "SET autocommit=1"]).is_autocommit);
        let level = |text| session(&[text]).isolation();
        assert_eq!(
            level("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
            Isolation::Serializable
        );
        assert_eq!(level("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"), Isolation::Each);
        assert_eq!(level("SET tx_isolation = 'READ-COMMITTED'"), Isolation::Each);
        assert_eq!(session(&["SET SESSION query_cache_type = OFF"]).kind, Type::Off);
    }
}
