//! Settings that do nothing, or keep the server from starting.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::case::{Case, bytes, close, finding, seen, set, shown};
use super::settings::{LEAST, Type};

rule! {
    /// A setting of the query cache does nothing, or keeps the server from starting.
    ///
    /// **Costs.** MySQL 8 does not know query_cache_size and its kin and does not start with them in the
    /// option file. A size with the type OFF is memory taken (MySQL 5) or just misleading (MariaDB); a size
    /// below 50 kB is made 0.
    /// **Wrong when.** The option has the prefix `loose_`: then an unknown one is passed over.
    /// **Verify.** The server starts; SHOW WARNINGS behind SET.
    /// **Source.** MySQL 8.0 manual, removed variables; measured on MariaDB 10.11 and MySQL 9.
    QueryCache "QC009" "query-cache-setting-idle"
}

/// The size that MariaDB and MySQL have from the start: nobody set it.
const DEFAULT: u64 = 1 << 20;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let settings = case.settings;
    let mut findings = Vec::new();
    let is_removed =
        !settings.is_mariadb() && settings.version.is_some_and(|(major, _)| major >= 8);
    if is_removed {
        findings.extend(unknown(case));
        return findings;
    }
    let is_off = settings.kind == Some(Type::Off) && settings.has_cache();
    if let Some(size) = settings.size.filter(|size| is_off && *size > DEFAULT) {
        let title = format!("query_cache_size is {} with query_cache_type = OFF", shown(size));
        let mut finding = finding(&RULE, Severity::Low, Confidence::High, title);
        seen(&mut finding, "query_cache_size", size);
        finding.recommendation.text = match settings.is_mariadb() {
            true => "The cache is off, so the size does nothing. Set it to 0, so that nobody takes it for a cache.",
            false => "The cache is off, and MySQL takes the memory all the same. Set the size to 0.",
        }
        .to_owned();
        set(&mut finding, "query_cache_size", Some(bytes(size)), bytes(0), false);
        finding.verify = "SHOW VARIABLES LIKE 'query_cache%'".to_owned();
        findings.push(close(finding));
    }
    // The server shows 0; what was written stands in the option file.
    let written = case.config.and_then(|it| it.values().number("query_cache_size"));
    let is_asked = settings.kind.is_some_and(|kind| kind != Type::Off);
    if let Some(size) = written.filter(|size| is_asked && *size > 0 && *size < LEAST) {
        let title = format!("query_cache_size = {size} is below 50 kB: the server makes it 0");
        let mut finding = finding(&RULE, Severity::Low, Confidence::High, title);
        finding.subject.variable = Some("query_cache_size".to_owned());
        seen(&mut finding, "query_cache_size", size);
        finding.recommendation.text =
            "Give it a mebibyte at least, or take the line out.".to_owned();
        finding.verify = "SHOW WARNINGS behind SET GLOBAL query_cache_size".to_owned();
        findings.push(finding);
    }
    findings
}

/// Lines of an option file that MySQL 8 does not start with.
fn unknown(case: &Case<'_>) -> Option<Finding> {
    let options = &case.config?.options;
    let is_of_cache = |name: &str| name.starts_with("query_cache_") || name == "have_query_cache";
    let lines = options.iter().filter(|it| is_of_cache(&it.name) && !it.is_loose);
    let lines: Vec<String> = lines.map(|it| format!("line {}: {}", it.line, it.written)).collect();
    if lines.is_empty() {
        return None;
    }
    let title =
        "the option file sets the query cache, which MySQL 8 does not know: it will not start"
            .to_owned();
    let mut finding = finding(&RULE, Severity::High, Confidence::High, title);
    finding.evidence.push(Fact::list("options", lines));
    finding.recommendation.text = "Take these lines out before the next start.".to_owned();
    finding.verify = "mysqld --validate-config".to_owned();
    Some(finding)
}
