//! Error texts and process states, and the rule that explains each.

use crate::advice::{
    Action, Category, Confidence, Fact, Finding, Recommendation, Severity, Subject,
};

use crate::plan::Amount;

use super::case::Case;

/// A text that people see, and what it means.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Parts that all stand in the text, in small letters.
    pub parts: &'static [&'static str],
    /// What stands there besides.
    pub besides: Besides,
    /// The rule that speaks of it.
    pub rule: &'static str,
    /// The variable that it is about.
    pub variable: &'static str,
    /// What it means.
    pub means: &'static str,
    /// What to do.
    pub todo: &'static str,
}

/// What stands in a text besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Besides {
    /// Nothing that counts.
    Nothing,
    /// The number of an error.
    Code(&'static str),
    /// A count behind the last of the words, of more than none.
    Count,
}

/// A symptom that is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign<'a> {
    /// What it means.
    pub row: &'static Row,
    /// The line as given.
    pub text: &'a str,
}

const fn row(
    parts: &'static [&'static str],
    rule: &'static str,
    variable: &'static str,
    means: &'static str,
    todo: &'static str,
) -> Row {
    Row { parts, besides: Besides::Nothing, rule, variable, means, todo }
}

const fn coded(code: &'static str, row: Row) -> Row {
    Row { besides: Besides::Code(code), ..row }
}

const fn counted(row: Row) -> Row {
    Row { besides: Besides::Count, ..row }
}

const PACKET: &str = "A client that has been idle longer than wait_timeout is cut off; one that takes or sends a result slowly by net_write_timeout or net_read_timeout.";
const PACKET_TODO: &str = "Compare the gap in the message with wait_timeout first: if they are near, validate connections in the pool, or close them sooner. Else raise net_write_timeout (60 to 120 s) for slow readers.";
const QUEUE: &str = "Connection requests are dropped before the server takes them: its queue, or that of the kernel, is full; or the network loses them.";
const QUEUE_TODO: &str = "See whether the kernel counts overflows (nstat -az TcpExtListenOverflows). If so, raise back_log together with net.core.somaxconn, and pool connections. If not, look at the network.";
const MODE_TODO: &str =
    "Set innodb_autoinc_lock_mode to 2 where the binary log is off or of format ROW.";
const LIMIT_TODO: &str = "Mend the statement first. Check the unit before the limit is raised.";
const PACKET_LENGTH_TODO: &str = "Raise max_allowed_packet at the server and at the client.";
const FILES: &str = "The server has as many files open as the system lets it: errno 24.";
const FILES_TODO: &str = "Raise LimitNOFILE of the service and open_files_limit together.";
const MEMORY: &str = "The server asked for more memory than there is.";
const MEMORY_TODO: &str = "Give --memory SIZE: the sum of the buffers is compared with it. Lower the buffers of connections first.";
const ROW_WAIT: &str =
    "A statement waited for a row longer than innodb_lock_wait_timeout: error 1205.";
const ROW_WAIT_TODO: &str = "Find the transaction that holds the row (sys.innodb_lock_waits, or INNODB_TRX) and shorten it. A longer timeout only makes the queue longer.";
const QUERY_CACHE: &str = "Sessions wait for the one lock of the query cache, which each lookup, each store and each write to a cached table takes.";
const QUERY_CACHE_TODO: &str = "One sample proves little: count the states in three or more process lists. If 5 % of the active threads or more are in them, switch the query cache off (type OFF and size 0), or use DEMAND.";

/// All of them. Of two rows that fit a text, or two texts of one rule, the first row counts.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    row(&["[2002]", "connection timed out"], "VAR023", "back_log", QUEUE, QUEUE_TODO),
    row(&["can't connect", "(110)"], "VAR023", "back_log", QUEUE, QUEUE_TODO),
    row(&["listen queue of a socket overflowed"], "VAR023", "back_log", QUEUE, QUEUE_TODO),
    counted(row(&["tcpextlistenoverflows"], "VAR023", "back_log", QUEUE, QUEUE_TODO)),
    row(&["too many connections"], "VAR003", "max_connections", "All connections are taken: error 1040.", "Pool connections first; raise max_connections where memory allows, see VAR002."),
    row(&["auto-inc waiting"], "VAR022", "innodb_autoinc_lock_mode", "A bulk insert holds the lock for auto-increment values to its end, and others wait for it.", MODE_TODO),
    row(&["lock mode auto-inc"], "VAR022", "innodb_autoinc_lock_mode", "A bulk insert holds the lock for auto-increment values to its end.", MODE_TODO),
    row(&["lock_mode x insert intention waiting"], "VAR022", "innodb_autoinc_lock_mode", "An insert waits for a gap that another transaction holds. Beside `lock mode AUTO-INC waiting` bulk inserts block each other; alone it is a lock on a range.", "Look in the same print for AUTO-INC. If it is there, set innodb_autoinc_lock_mode to 2 where the binary log is off or of format ROW. If not, shorten the transaction that locks the range."),
    row(&["last packet successfully received"], "VAR024", "net_write_timeout", PACKET, PACKET_TODO),
    row(&["last packet sent successfully"], "VAR024", "net_write_timeout", PACKET, PACKET_TODO),
    row(&["got timeout writing communication packets"], "VAR024", "net_write_timeout", PACKET, PACKET_TODO),
    row(&["got timeout reading communication packets"], "VAR024", "net_read_timeout", PACKET, PACKET_TODO),
    row(&["waiting for query cache lock"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["checking query cache for query"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["storing result in query cache"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["invalidating query cache entries"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["max_statement_time exceeded"], "VAR025", "max_statement_time", "A statement ran longer than max_statement_time: milliseconds in MySQL 5.7.4 to 5.7.7, Percona Server and clouds of 5.6 (error 3006), seconds in MariaDB (error 1969).", LIMIT_TODO),
    row(&["maximum statement execution time exceeded"], "VAR025", "max_execution_time", "A SELECT ran longer than max_execution_time, which is in milliseconds: error 3024.", LIMIT_TODO),
    row(&["unauthenticated user"], "VAR026", "skip_name_resolve", "A session waits for its login: as a rule for the name of its address from a DNS server that does not answer.", "Set skip_name_resolve to ON where no grant uses a host name, or mend the DNS server."),
    row(&["local temporary space limit reached"], "VAR038", "max_tmp_session_space_usage", "A session took more space for temporary tables and files than it may: MariaDB 11.5 and later, error 201.", "Mend the statement first: its plan has a temporary table or a large sort. Then raise max_tmp_session_space_usage or max_tmp_total_space_usage."),
    row(&["the table", "#sql", "is full"], "VAR038", "tmpdir", "A temporary table of a statement fills the space that temporary files may take: the disk of tmpdir, rds_max_tmp_disk_space, or the end of innodb_temp_data_file_path.", "Mend the statement first, by an index or by fewer columns: its plan has a temporary table. Then raise the cap, if the disk allows it."),
    row(&["got a packet bigger than"], "VAR028", "max_allowed_packet", "A statement or a row is longer than max_allowed_packet: error 1153.", PACKET_LENGTH_TODO),
    row(&["larger than max_allowed_packet"], "VAR028", "max_allowed_packet", "A result of a function is longer than max_allowed_packet: warning 1301.", PACKET_LENGTH_TODO),
    row(&["lock wait timeout exceeded"], "VAR037", "innodb_lock_wait_timeout", ROW_WAIT, ROW_WAIT_TODO),
    row(&["too many open files"], "VAR007", "open_files_limit", FILES, FILES_TODO),
    row(&["out of memory", "mysqld"], "VAR002", "innodb_buffer_pool_size", MEMORY, MEMORY_TODO),
    row(&["out of memory", "mariadbd"], "VAR002", "innodb_buffer_pool_size", MEMORY, MEMORY_TODO),
    row(&["out of memory (needed"], "VAR002", "innodb_buffer_pool_size", MEMORY, MEMORY_TODO),
    // Servers of other languages translate the text; the number stays.
    coded("1040", row(&[], "VAR003", "max_connections", "All connections are taken: error 1040.", "Pool connections first; raise max_connections where memory allows, see VAR002.")),
    coded("1153", row(&[], "VAR028", "max_allowed_packet", "A statement or a row is longer than max_allowed_packet: error 1153.", PACKET_LENGTH_TODO)),
    coded("1301", row(&[], "VAR028", "max_allowed_packet", "A result of a function is longer than max_allowed_packet: warning 1301.", PACKET_LENGTH_TODO)),
    coded("1205", row(&[], "VAR037", "innodb_lock_wait_timeout", ROW_WAIT, ROW_WAIT_TODO)),
    coded("3024", row(&[], "VAR025", "max_execution_time", "A SELECT ran longer than max_execution_time, which is in milliseconds.", LIMIT_TODO)),
    coded("1969", row(&[], "VAR025", "max_statement_time", "A statement ran longer than max_statement_time, which is in seconds in MariaDB.", LIMIT_TODO)),
    // From MySQL 5.7 on the number is another error.
    coded("3006", row(&["interrupted"], "VAR025", "max_statement_time", "A statement ran longer than max_statement_time, which is in milliseconds here.", LIMIT_TODO)),
];

/// Whether the number of an error stands in a text: as a whole, behind a word that says so.
fn has_code(text: &str, code: &str) -> bool {
    const WORDS: [&str; 6] = ["error", "errno", "errcode", "code", "warning", "number"];
    text.match_indices(code).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let behind = rest.get(code.len()..).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
        let is_whole = !before.ends_with(is_part)
            && !behind.starts_with(|c: char| c.is_alphanumeric())
            && !behind.trim_start_matches(['.', ',']).starts_with(|c: char| c.is_ascii_digit());
        let words = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        is_whole && WORDS.iter().any(|word| words.ends_with(word))
    })
}

/// Whether a counter stands behind its name and is not 0.
fn has_count(text: &str, name: &str) -> bool {
    let behind = text.split_once(name).map_or("", |(_, behind)| behind);
    let number = behind.trim_start_matches([' ', ':', '=']).split(' ').next();
    number.and_then(|number| number.parse::<u64>().ok()).is_some_and(|count| count > 0)
}

impl Row {
    fn fits(&self, text: &str) -> bool {
        self.parts.iter().all(|part| text.contains(part))
            && match self.besides {
                Besides::Nothing => true,
                Besides::Code(code) => has_code(text, code),
                Besides::Count => self.parts.last().is_some_and(|part| has_count(text, part)),
            }
    }
}

/// Lines of symptoms that are looked at: a log given by mistake is no symptom.
const MOST: usize = 100_000;
/// Bytes of a line that are looked at.
const LONGEST: usize = 16 * 1024;

/// A line as rows spell it: small letters, single blanks, plain apostrophes.
fn plain(line: &str) -> String {
    let head = line.char_indices().nth(LONGEST).map_or(line, |(at, _)| &line[..at]);
    let words: Vec<&str> = head.split_whitespace().collect();
    words.join(" ").to_lowercase().replace('\u{2019}', "'")
}

/// Reads symptoms: for each rule the line that the first of its rows explains.
pub fn read(texts: &[String]) -> Vec<Sign<'_>> {
    let mut signs: Vec<(usize, Sign<'_>)> = Vec::new();
    for line in texts.iter().flat_map(|text| text.lines()).take(MOST) {
        let text = plain(line);
        let Some((place, row)) = ROWS.iter().enumerate().find(|(_, row)| row.fits(&text)) else {
            continue;
        };
        let head = line.char_indices().nth(LONGEST).map_or(line, |(at, _)| &line[..at]);
        let sign = Sign { row, text: head.trim() };
        match signs.iter_mut().find(|(_, sign)| sign.row.rule == row.rule) {
            Some(told) if place < told.0 => *told = (place, sign),
            Some(_) => {}
            None => signs.push((place, sign)),
        }
    }
    signs.into_iter().map(|(_, sign)| sign).collect()
}

/// What a symptom means, where its rule has nothing to say on the variables.
pub fn explain(case: &Case<'_>, sign: &Sign<'_>, category: Category) -> Finding {
    let row = sign.row;
    let shown: String = sign.text.chars().take(200).collect();
    let mut evidence = vec![Fact::text("symptom", shown)];
    evidence.extend(case.text(row.variable).map(|value| match case.number(row.variable) {
        Some(number) => Fact::number(row.variable, Amount::whole(number)),
        None => Fact::text(row.variable, value),
    }));
    Finding {
        rule: row.rule,
        category,
        severity: Severity::Medium,
        confidence: Confidence::Low,
        title: row.means.to_owned(),
        subject: Subject { variable: Some(row.variable.to_owned()), ..Subject::default() },
        evidence,
        recommendation: Recommendation {
            action: Action::None,
            text: row.todo.to_owned(),
            ..Recommendation::default()
        },
        benefit: None,
        verify: "The text does not come again.".to_owned(),
        queries: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let texts = [text.to_owned()];
        let rules: Vec<&str> = read(&texts).iter().map(|sign| sign.row.rule).collect();
        assert_eq!(rules, want, "{text}");
    }

    /// The texts of the catalogue and of the parameter tables of providers, as servers, drivers and
    /// people write them.
    #[test]
    fn texts_lead_to_their_rules() {
        for (text, rule) in [
            ("SQLSTATE[HY000] [2002] Connection timed out", "VAR023"),
            ("Can\u{2019}t connect to MySQL server on '10.1.2.3' (110)", "VAR023"),
            ("    1234 times the listen queue of a socket overflowed", "VAR023"),
            ("TcpExtListenOverflows           1234               0.0", "VAR023"),
            ("ERROR 1040 (HY000): Too many connections", "VAR003"),
            ("ERROR 1040 (08004): Zu viele Verbindungen", "VAR003"),
            ("TABLE LOCK table `a`.`b` trx id 77 lock mode AUTO-INC waiting", "VAR022"),
            ("TABLE LOCK table `x` trx id 8F lock mode AUTO-INC", "VAR022"),
            ("RECORD LOCKS space id 26 page no 5 lock_mode X insert intention waiting", "VAR022"),
            (
                "The last packet successfully received from the server was 9,004 milliseconds ago",
                "VAR024",
            ),
            ("The last packet sent successfully to the server was 0 milliseconds ago.", "VAR024"),
            (
                "Aborted connection 9 to db: 'a' (Got timeout writing communication packets)",
                "VAR024",
            ),
            ("| 7 | app | Waiting for query cache lock |", "QC004"),
            ("checking query cache for query", "QC004"),
            ("storing result in query  cache", "QC004"),
            ("invalidating query cache entries (table)", "QC004"),
            (
                "ERROR 3006 (HY000): Query execution was interrupted, max_statement_time exceeded",
                "VAR025",
            ),
            (
                "ERROR 3024 (HY000): Query execution was interrupted, maximum statement execution time exceeded",
                "VAR025",
            ),
            (
                "ERROR 1969 (70100): Query execution was interrupted (max_statement_time exceeded)",
                "VAR025",
            ),
            ("SQLSTATE[HY000]: General error: 3024 Exekution abgebrochen", "VAR025"),
            (
                "| 12 | unauthenticated user | 10.0.0.7:33110 | NULL | Connect | NULL | login |",
                "VAR026",
            ),
            ("Got a packet bigger than 'max_allowed_packet' bytes", "VAR028"),
            ("Error Code: 1153. Empfangenes Paket ist zu lang", "VAR028"),
            (
                "Result of repeat() was larger than max_allowed_packet (4194304) - truncated",
                "VAR028",
            ),
            ("Warning (Code 1301): zu lang", "VAR028"),
            ("Lock wait timeout exceeded; try restarting transaction", "VAR037"),
            ("(1205, 'Lock wait timeout exceeded; try restarting transaction')", "VAR037"),
            ("The table '/home/mysql/data3011/tmp/#sql_2db3_1' is full", "VAR038"),
            ("ERROR 1114 (HY000): The table 'C:\\\\tmp\\\\#sql1f8_7_0' is full", "VAR038"),
            ("Local temporary space limit reached", "VAR038"),
            ("Can't open file: './a/b.frm' (errno: 24 - Too many open files)", "VAR007"),
            ("Out of memory: Killed process 912 (mysqld) total-vm:9000000kB", "VAR002"),
            ("ERROR 5 (HY000): Out of memory (Needed 268435456 bytes)", "VAR002"),
        ] {
            check(text, &[rule]);
            check(&text.to_uppercase(), &[rule]);
            check(&text.to_lowercase(), &[rule]);
            // Other numbers and paths in it change nothing; those of errors are no others.
            let other: String =
                format!("2026-03-04T05:06:07 97 [Note] /opt/x9/y: {text} at line 77");
            check(&other, &[rule]);
        }
        check(
            "| 7 | app | Waiting for query cache lock |\n| 8 | app | Waiting for query cache lock |",
            &["QC004"],
        );
        check(
            "ERROR 1040 (HY000): Too many connections\nERROR 1205 Lock wait timeout exceeded",
            &["VAR003", "VAR037"],
        );
    }

    #[test]
    fn of_two_lines_the_more_telling_one_counts() {
        let texts = ["lock_mode X insert intention waiting\nlock mode AUTO-INC waiting".to_owned()];
        assert_eq!(read(&texts)[0].text, "lock mode AUTO-INC waiting");
    }

    #[test]
    fn other_texts_lead_to_none() {
        for text in [
            "",
            "The table is full of guests",
            "The table 'orders' is full",
            "Connection timed out",
            "TcpExtListenOverflows           0                  0.0",
            "TcpExtListenOverflows",
            "Sending data",
            "Out of memory: Killed process 7 (java)",
            "Out of sort memory, consider increasing server sort buffer size",
            "ERROR 3006 (HY000): The statement is unsafe because it uses a fulltext parser plugin.",
            "ERROR 1146 (42S02): Table 'a.t1153' doesn't exist",
            "ERROR 11530",
            "order 1205 was paid",
            "error 1205.5",
            "process ended, code 24",
            "数据库连接太多了",
            "Превышено время ожидания",
            "\u{0}\u{1}\u{fffd}",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        check(&"é".repeat(1_000_000), &[]);
    }
}
