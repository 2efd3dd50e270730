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
    /// The rule that speaks of it.
    pub rule: &'static str,
    /// The variable that it is about.
    pub variable: &'static str,
    /// What it means.
    pub means: &'static str,
    /// What to do.
    pub todo: &'static str,
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
    Row { parts, rule, variable, means, todo }
}

const PACKET: &str = "A client that has been idle longer than wait_timeout is cut off; one that takes or sends a result slowly by net_write_timeout or net_read_timeout.";
const PACKET_TODO: &str = "Compare the gap in the message with wait_timeout first: if they are near, validate connections in the pool, or close them sooner. Else raise net_write_timeout (60 to 120 s) for slow readers.";
const QUERY_CACHE: &str = "Sessions wait for the one lock of the query cache, which each lookup, each store and each write to a cached table takes.";
const QUERY_CACHE_TODO: &str = "One sample proves little: count the states in three or more process lists. If 5 % of the active threads or more are in them, switch the query cache off (type OFF and size 0), or use DEMAND.";

/// All of them. The first row whose parts stand in the text counts.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    row(&["[2002]", "connection timed out"], "VAR023", "back_log", "Connection requests are dropped before the server takes them: its queue, or that of the kernel, is full; or the network loses them.", "See whether the kernel counts overflows (nstat -az TcpExtListenOverflows). If so, raise back_log together with net.core.somaxconn, and pool connections. If not, look at the network."),
    row(&["can't connect", "(110)"], "VAR023", "back_log", "The connection timed out: the queue for connections is full, or the network loses requests.", "See whether the kernel counts overflows (nstat -az TcpExtListenOverflows). If so, raise back_log together with net.core.somaxconn, and pool connections."),
    row(&["too many connections"], "VAR003", "max_connections", "All connections are taken: error 1040.", "Pool connections first; raise max_connections where memory allows, see VAR002."),
    row(&["auto-inc waiting"], "VAR022", "innodb_autoinc_lock_mode", "A bulk insert holds the lock for auto-increment values to its end, and others wait for it.", "Set innodb_autoinc_lock_mode to 2 where the binary log is off or of format ROW."),
    row(&["lock mode auto-inc"], "VAR022", "innodb_autoinc_lock_mode", "A bulk insert holds the lock for auto-increment values to its end.", "Set innodb_autoinc_lock_mode to 2 where the binary log is off or of format ROW."),
    row(&["last packet successfully received"], "VAR024", "net_write_timeout", PACKET, PACKET_TODO),
    row(&["last packet sent successfully"], "VAR024", "net_write_timeout", PACKET, PACKET_TODO),
    row(&["got timeout writing communication packets"], "VAR024", "net_write_timeout", PACKET, PACKET_TODO),
    row(&["got timeout reading communication packets"], "VAR024", "net_read_timeout", PACKET, PACKET_TODO),
    row(&["waiting for query cache lock"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["checking query cache for query"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["storing result in query cache"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["invalidating query cache entries"], "QC004", "query_cache_type", QUERY_CACHE, QUERY_CACHE_TODO),
    row(&["max_statement_time exceeded"], "VAR025", "max_statement_time", "A statement ran longer than max_statement_time: milliseconds in MySQL 5.7.4 to 5.7.7, Percona Server and clouds of 5.6 (error 3006), seconds in MariaDB (error 1969).", "Mend the statement first. Check the unit before the limit is raised."),
    row(&["maximum statement execution time exceeded"], "VAR025", "max_execution_time", "A SELECT ran longer than max_execution_time, which is in milliseconds: error 3024.", "Mend the statement first. Check the unit before the limit is raised."),
    row(&["error 3006"], "VAR025", "max_statement_time", "A statement ran longer than max_statement_time, which is in milliseconds here.", "Mend the statement first. Check the unit before the limit is raised."),
    row(&["error 3024"], "VAR025", "max_execution_time", "A SELECT ran longer than max_execution_time, which is in milliseconds.", "Mend the statement first. Check the unit before the limit is raised."),
    row(&["error 1969"], "VAR025", "max_statement_time", "A statement ran longer than max_statement_time, which is in seconds in MariaDB.", "Mend the statement first. Check the unit before the limit is raised."),
    row(&["unauthenticated user"], "VAR026", "skip_name_resolve", "A session waits for its login: as a rule for the name of its address from a DNS server that does not answer.", "Set skip_name_resolve to ON where no grant uses a host name, or mend the DNS server."),
    row(&["local temporary space limit reached"], "VAR038", "max_tmp_session_space_usage", "A session took more space for temporary tables and files than it may: MariaDB 11.5 and later, error 201.", "Mend the statement first: its plan has a temporary table or a large sort. Then raise max_tmp_session_space_usage or max_tmp_total_space_usage."),
    row(&["the table", "#sql", "is full"], "VAR038", "tmpdir", "A temporary table of a statement fills the space that temporary files may take: the disk of tmpdir, rds_max_tmp_disk_space, or the end of innodb_temp_data_file_path.", "Mend the statement first, by an index or by fewer columns: its plan has a temporary table. Then raise the cap, if the disk allows it."),
    row(&["got a packet bigger than"], "VAR028", "max_allowed_packet", "A statement or a row is longer than max_allowed_packet: error 1153.", "Raise max_allowed_packet at the server and at the client."),
    row(&["larger than max_allowed_packet"], "VAR028", "max_allowed_packet", "A result of a function is longer than max_allowed_packet: warning 1301.", "Raise max_allowed_packet at the server and at the client."),
    row(&["lock wait timeout exceeded"], "VAR037", "innodb_lock_wait_timeout", "A statement waited for a row longer than innodb_lock_wait_timeout: error 1205.", "Find the transaction that holds the row (sys.innodb_lock_waits, or INNODB_TRX) and shorten it. A longer timeout only makes the queue longer."),
    row(&["too many open files"], "VAR007", "open_files_limit", "The server has as many files open as the system lets it: errno 24.", "Raise LimitNOFILE of the service and open_files_limit together."),
    row(&["errno: 24"], "VAR007", "open_files_limit", "The server has as many files open as the system lets it.", "Raise LimitNOFILE of the service and open_files_limit together."),
    row(&["out of memory"], "VAR002", "innodb_buffer_pool_size", "The server asked for more memory than there is.", "Give --memory SIZE: the sum of the buffers is compared with it. Lower the buffers of connections first."),
];

/// Lines of symptoms that are looked at: a log given by mistake is no symptom.
const MOST: usize = 100_000;
/// Bytes of a line that are looked at.
const LONGEST: usize = 16 * 1024;

/// Reads symptoms: the first line that a row explains, once for each row.
pub fn read(texts: &[String]) -> Vec<Sign<'_>> {
    let mut signs: Vec<Sign<'_>> = Vec::new();
    for line in texts.iter().flat_map(|text| text.lines()).take(MOST) {
        let head = line.char_indices().nth(LONGEST).map_or(line, |(at, _)| &line[..at]);
        let small = head.to_lowercase();
        let found = ROWS.iter().find(|row| row.parts.iter().all(|part| small.contains(part)));
        if let Some(row) = found.filter(|row| signs.iter().all(|sign| sign.row.rule != row.rule)) {
            signs.push(Sign { row, text: head.trim() });
        }
    }
    signs
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

    #[test]
    fn texts_lead_to_their_rules() {
        check("SQLSTATE[HY000] [2002] Connection timed out", &["VAR023"]);
        check("TABLE LOCK table `a`.`b` trx id 77 lock mode AUTO-INC waiting", &["VAR022"]);
        check(
            "| 7 | app | Waiting for query cache lock |\n| 8 | app | Waiting for query cache lock |",
            &["QC004"],
        );
        check(
            "The last packet successfully received from the server was 9,004 milliseconds ago",
            &["VAR024"],
        );
        check(
            "ERROR 3006 (HY000): Query execution was interrupted, max_statement_time exceeded",
            &["VAR025"],
        );
        check("The table '/tmp/#sql_77_1' is full", &["VAR038"]);
        check(
            "ERROR 1040 (HY000): Too many connections\nERROR 1205 Lock wait timeout exceeded",
            &["VAR003", "VAR037"],
        );
    }

    #[test]
    fn other_texts_lead_to_none() {
        check("", &[]);
        check("The table is full of guests", &[]);
        check("Connection timed out", &[]);
        check("Sending data", &[]);
    }

    #[test]
    fn a_long_line_is_cut() {
        check(&"é".repeat(1_000_000), &[]);
    }
}
