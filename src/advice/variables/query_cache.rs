//! The query cache, as far as variables and counters tell: rules that need no replay of a log.

use crate::advice::{Confidence, Finding, Severity};
use crate::plan::Amount;

use super::case::{Case, DAY, HOUR, Rates, is_percent, percent};
use super::facts::{has_query_cache, lookups};
use super::rule_of_symptom;
use super::say::{When, bytes, say, size, up_to, word};

const MIB: u64 = 1_024 * 1_024;

macro_rules! rules {
    ($($module:ident: $(#[doc = $doc:literal])+ $category:ident $code:literal $name:literal;)+) => {
        $(
            pub(in crate::advice) mod $module {
                crate::advice::rule::rule! { $(#[doc = $doc])+ $category $code $name }
            }
        )+
    };
}

rules! {
    seldom_hit:
    /// The query cache answers too seldom to pay for its lock.
    ///
    /// **Costs.** Each SELECT asks the cache and each write clears it, under one lock. Results are
    /// stored that nobody asks for again.
    /// **Wrong when.** The few hits save the most expensive statements: a replay of a log tells.
    /// **Verify.** Statements a second and processor time, before and after.
    /// **Source.** MySQL 5.7 manual, query cache; hits are not counted as Com_select in MySQL, and
    /// are in MariaDB (MDEV-4981).
    QueryCache "QC003" "query-cache-seldom-hit";

    lock_states:
    /// Sessions wait for the lock of the query cache.
    ///
    /// **Costs.** All sessions go through one lock, for each look-up and each write.
    /// **Wrong when.** A single process list shows it: count the states in three or more.
    /// **Verify.** The states are gone from the process list.
    /// **Source.** MySQL 5.7 manual, query cache thread states.
    QueryCache "QC004" "query-cache-lock";

    too_large:
    /// The query cache is so large that clearing it holds its lock.
    ///
    /// **Costs.** Clearing and pruning walk through entries under the one lock: sessions stall.
    /// **Wrong when.** There are few, large results.
    /// **Verify.** Fewer query cache states in the process list.
    /// **Source.** MySQL 5.7 manual, query cache configuration.
    QueryCache "QC005" "query-cache-large";

    too_small:
    /// Results are thrown out of the query cache for want of room, and it is hit.
    ///
    /// **Costs.** A result is stored and pruned before it is asked for again.
    /// **Wrong when.** Memory is free and broken into pieces (QC007).
    /// **Verify.** Qcache_lowmem_prunes a second; the share of hits.
    /// **Source.** MySQL 5.7 manual, query cache status.
    QueryCache "QC006" "query-cache-small";

    fragmented:
    /// The memory of the query cache is free and in pieces too small to use.
    ///
    /// **Costs.** Results are pruned though there is room.
    /// **Wrong when.** The cache is less than an hour old.
    /// **Verify.** Qcache_free_blocks against Qcache_total_blocks.
    /// **Source.** MySQL 5.7 manual, query_cache_min_res_unit and FLUSH QUERY CACHE.
    QueryCache "QC007" "query-cache-fragmented";

    setting:
    /// A setting of the query cache does nothing, or keeps the server from starting.
    ///
    /// **Costs.** MySQL 8.0 and later do not know the variables and do not start.
    /// **Wrong when.** The option is written `loose_…`: then it is passed over.
    /// **Verify.** mysqld --validate-config (8.0.16 and later).
    /// **Source.** MySQL 8.0 release notes; measured on MariaDB 10.11: sizes below some 50 kB
    /// become 0.
    QueryCache "QC009" "query-cache-setting";
}

/// What there is to say on a cache that is on.
pub fn read(case: &Case<'_>) -> Vec<Finding> {
    if !has_query_cache(case) {
        return Vec::new();
    }
    if let Some(finding) = share(case) {
        return vec![finding];
    }
    let of_size = large(case).or_else(|| broken(case)).or_else(|| small(case));
    match of_size.or_else(|| keep(case)) {
        Some(finding) => vec![finding],
        None => Vec::new(),
    }
}

/// What several process lists show of the lock.
pub fn waits(case: &Case<'_>) -> Option<Finding> {
    let states = &case.facts.states;
    let is_known = |state: &str| rule_of_symptom(state) == Some(lock_states::RULE.code);
    let of_lock = states.sessions.iter().filter(|(state, _)| is_known(state));
    let sessions = of_lock.map(|(_, sessions)| *sessions).reduce(u64::saturating_add)?;
    let lists = case.facts.process_lists;
    let title = format!(
        "{sessions} of {} active sessions, over {lists} process lists, are at the one lock of the query cache",
        states.active
    );
    Some(
        say(case, &lock_states::RULE, Severity::High, Confidence::High, title)
            .about("query_cache_type")
            .seen("sessions_in_states", sessions)
            .seen("active_sessions", states.active)
            .seen("process_lists", lists)
            .advise(
                "Each look-up, each store and each write to a cached table takes that lock. Switch the \
                 query cache off (type OFF and size 0), or use DEMAND.",
            )
            .verify("The states are gone from the process list.")
            .end(),
    )
}

/// Hits, look-ups and inserts over a stretch long enough.
fn use_of<'a>(case: &Case<'a>) -> Option<(u64, u64, u64, Rates<'a>)> {
    /// Look-ups from which on the share of hits tells something.
    const LEAST: u64 = 100_000;
    let rates = case.rates().filter(|it| it.window.is_interval() || it.seconds() >= DAY)?;
    let (hits, asked) = lookups(case, &|name| rates.grown(name))?;
    let inserts = rates.grown("qcache_inserts")?;
    (asked >= LEAST).then_some((hits, asked, inserts, rates))
}

fn share(case: &Case<'_>) -> Option<Finding> {
    let (hits, asked, inserts, rates) = use_of(case)?;
    if is_percent(hits, asked, 20) && inserts <= hits {
        return None;
    }
    let title = format!(
        "the query cache answers {} % of the look-ups and stores {inserts} results for {hits} hits",
        percent(hits, asked)
    );
    Some(
        say(case, &seldom_hit::RULE, Severity::Medium, Confidence::High, title)
            .about("query_cache_size")
            .seen("qcache_hits", hits)
            .seen("lookups", asked)
            .seen("qcache_inserts", inserts)
            .over(&rates)
            .advise(
                "Switch it off: type OFF and size 0, both in the option file as well, so that its lock is \
                 passed by. Where the few hits save the most expensive statements, a replay of a log \
                 with all statements tells (adagio advise FILE).",
            )
            .set("query_cache_size", bytes(0), When::Now)
            .set("query_cache_type", word("OFF"), When::Now)
            .verify("Statements a second and processor time, before and after, under the same load.")
            .end(),
    )
}

fn large(case: &Case<'_>) -> Option<Finding> {
    const TO: u64 = 64 * MIB;
    let bytes_of = case.number("query_cache_size").filter(|it| *it > 128 * MIB)?;
    let severity = if bytes_of > 256 * MIB { Severity::High } else { Severity::Medium };
    let title = format!("the query cache has {}: clearing it holds its lock", size(bytes_of));
    let mut said =
        say(case, &too_large::RULE, severity, Confidence::Medium, title).about("query_cache_size");
    if let Some(entries) = case.count("qcache_queries_in_cache") {
        said = said.seen("qcache_queries_in_cache", entries);
    }
    Some(
        said.advise(format!("{} hold some 60,000 small results, and are cleared fast.", size(TO)))
            .set("query_cache_size", bytes(TO), When::Now)
            .verify("Fewer sessions in query cache states; the share of hits stays.")
            .end(),
    )
}

fn broken(case: &Case<'_>) -> Option<Finding> {
    let rates = case.rates()?;
    let prunes = rates.grown("qcache_lowmem_prunes").filter(|prunes| *prunes >= rates.seconds())?;
    let room = case.number("query_cache_size")?;
    let free = case.count("qcache_free_memory")?;
    let (loose, blocks) = (case.count("qcache_free_blocks")?, case.count("qcache_total_blocks")?);
    if case.facts.status.uptime() < Some(HOUR) || !is_percent(free, room, 20) || loose <= blocks / 4
    {
        return None;
    }
    let results = case.count("qcache_queries_in_cache").filter(|it| *it > 0);
    let mean = results.map(|results| room.saturating_sub(free) / results);
    let unit = case.number("query_cache_min_res_unit");
    let title = format!(
        "{} results a second are pruned while {} % of the query cache is free, in {loose} pieces",
        rates.a_second(prunes),
        percent(free, room)
    );
    let mean_told = mean.map_or(String::new(), |mean| {
        format!(
            " The mean result takes {mean} bytes; query_cache_min_res_unit near to it breaks less."
        )
    });
    let mut said = say(case, &fragmented::RULE, Severity::Low, Confidence::High, title)
        .about("query_cache_min_res_unit")
        .seen("qcache_lowmem_prunes", prunes)
        .seen("qcache_free_memory", free)
        .seen("qcache_free_blocks", loose)
        .seen("qcache_total_blocks", blocks)
        .over(&rates)
        .advise(format!("FLUSH QUERY CACHE puts the pieces together; it holds the lock meanwhile, so run it at a quiet hour.{mean_told}"));
    let to = mean.map(|mean| up_to(mean, 512).clamp(1_024, 16_384));
    if let Some(to) = to.filter(|to| {
        unit.is_some_and(|unit| unit > to.saturating_mul(2) || unit.saturating_mul(2) < *to)
    }) {
        said = said.set("query_cache_min_res_unit", bytes(to), When::Now);
    }
    Some(
        said.verify(
            "Qcache_free_blocks falls below a quarter of Qcache_total_blocks; fewer prunes.",
        )
        .end(),
    )
}

fn small(case: &Case<'_>) -> Option<Finding> {
    const MOST: u64 = 64 * MIB;
    let rates = case.rates()?;
    let (prunes, inserts) = (rates.grown("qcache_lowmem_prunes")?, rates.grown("qcache_inserts")?);
    let (hits, asked) = lookups(case, &|name| rates.grown(name))?;
    let room = case.number("query_cache_size").filter(|room| *room < MOST)?;
    let free = case.count("qcache_free_memory")?;
    let is_short = is_percent(prunes, inserts, 20) && !is_percent(free, room, 20);
    if !is_short || !is_percent(hits, asked, 20) {
        return None;
    }
    let to = up_to(room.saturating_mul(2), MIB).min(MOST);
    let title = format!(
        "{} % of the results are pruned for want of room, at a share of hits of {} %",
        percent(prunes, inserts),
        percent(hits, asked)
    );
    Some(
        say(case, &too_small::RULE, Severity::Medium, Confidence::Medium, title)
            .about("query_cache_size")
            .seen("qcache_lowmem_prunes", prunes)
            .seen("qcache_inserts", inserts)
            .seen("qcache_hits", hits)
            .seen("lookups", asked)
            .seen("qcache_free_memory", free)
            .over(&rates)
            .advise(format!(
                "Twice {}, at most {}, is {}. A replay of a log (adagio advise FILE) gives the size where more no longer helps.",
                size(room),
                size(MOST),
                size(to)
            ))
            .set("query_cache_size", bytes(to), When::Now)
            .verify("Qcache_lowmem_prunes a second falls and the share of hits rises; else set it back.")
            .end(),
    )
}

/// A cache that pays is told as well: silence would be no answer.
fn keep(case: &Case<'_>) -> Option<Finding> {
    let (hits, asked, inserts, rates) = use_of(case)?;
    let prunes = rates.grown("qcache_lowmem_prunes");
    let title = format!(
        "the query cache answers {} % of the look-ups: keep it as it is",
        percent(hits, asked)
    );
    let mut said = say(case, &seldom_hit::RULE, Severity::Info, Confidence::Medium, title)
        .about("query_cache_size")
        .seen("qcache_hits", hits)
        .seen("lookups", asked)
        .seen("qcache_inserts", inserts);
    if let Some(prunes) = prunes {
        let day = Amount::whole(prunes).times(Amount::whole(DAY));
        let day = day.ratio(Amount::whole(rates.seconds())).unwrap_or_default().rounded();
        said = said.amount("query_cache_prunes_per_day", day);
    }
    Some(
        said.over(&rates)
            .advise("Look again when the share falls below 20 %, or when sessions wait in query cache states. MySQL 8.0 has no query cache: an application cache takes its place there.")
            .verify("Qcache_hits against look-ups, now and then.")
            .end(),
    )
}

/// Settings in the option file.
pub fn settings(case: &Case<'_>) -> Vec<Finding> {
    let Some(config) = &case.facts.config else { return Vec::new() };
    let options = || config.options.iter().filter(|it| it.name.starts_with("query_cache_"));
    if case.is_mysql_from(8, 0, 0) {
        let fatal = options().filter(|it| !it.is_loose);
        let mut found: Vec<Finding> = Vec::new();
        for option in fatal {
            let title = format!(
                "line {} sets {}, which this server does not know: it will not start",
                option.line, option.written
            );
            let finding = say(case, &setting::RULE, Severity::High, Confidence::High, title)
                .text("option", option.written.as_str())
                .seen("line", option.line as u64)
                .advise(format!("Take line {} out. MySQL 8.0 has no query cache.", option.line))
                .verify("mysqld --validate-config")
                .end();
            found.push(finding);
        }
        return found;
    }
    let is_off = config
        .values()
        .text("query_cache_type")
        .map(|it| ["OFF", "0"].iter().any(|off| it.eq_ignore_ascii_case(off)));
    let Some(room) = config.values().number("query_cache_size") else { return Vec::new() };
    let (title, todo) = match is_off {
        Some(true) if room > MIB => (
            format!("query_cache_size of {} does nothing: query_cache_type is OFF", size(room)),
            "Take the size out or set it to 0: MySQL up to 5.7 keeps the memory for nothing.",
        ),
        Some(false) if (1..50_000).contains(&room) => (
            format!("query_cache_size of {} is too small and becomes 0", size(room)),
            "Give it a size that holds results, 1 MiB at least, or switch it off.",
        ),
        _ => return Vec::new(),
    };
    vec![
        say(case, &setting::RULE, Severity::Low, Confidence::High, title)
            .about("query_cache_size")
            .seen("query_cache_size_in_option_file", room)
            .advise(todo)
            .verify("SHOW GLOBAL VARIABLES LIKE 'query_cache_size'; SHOW WARNINGS.")
            .end(),
    ]
}
