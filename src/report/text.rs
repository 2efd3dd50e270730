//! The report as text, in the layout that users of pt-query-digest know.
//!
//! 80 columns where the rows are ours; a statement is as long as it is. No number and no query
//! ID is ever cut.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Padding, Style as TableStyle};

use crate::digest::Digest;
use crate::digest::Group;
use crate::digest::class::ClassDigest;
use crate::digest::sample::Sample;
use crate::digest::spread;
use crate::digest::stat::{Rules, factor};
use crate::metric::{self, Kind};
use crate::report::advice::script;
use crate::report::cell;
use crate::report::plans;
use crate::report::profile::Ranked;
use crate::report::{FINGERPRINT_RULES, Input, Look, PEER_RULES, Quantity, Report, Texts};
use crate::report::{as_select, is_select, reason};
use crate::sql::{distill::TableName, pt};
use crate::time::Zone;

/// Width of the lines that are ours.
const WIDTH: usize = 74;
/// Width of a label.
const LABEL: usize = 12;
/// Characters of a host name in a list.
const HOST: usize = 10;

/// Writes the report.
pub fn write(report: &Report, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Text { report, look, zone: report.zone(look), out };
    text.input()?;
    text.header()?;
    text.profile()?;
    for ranked in &report.profile.shown {
        writeln!(text.out)?;
        text.class(ranked)?;
    }
    if report.timeline {
        text.timeline()?;
    }
    text.changes()
}

struct Text<'a> {
    report: &'a Report,
    look: &'a Look,
    zone: Zone,
    out: &'a mut dyn Write,
}

impl Text<'_> {
    fn rules(&self) -> Rules {
        self.look.rules
    }

    fn is_peer(&self) -> bool {
        self.rules() == Rules::Peer
    }

    /// A line of ours, in colour if there is colour.
    fn styled(&mut self, style: Style, line: &str) -> io::Result<()> {
        if self.look.colour {
            writeln!(self.out, "{style}{line}{style:#}")
        } else {
            writeln!(self.out, "{line}")
        }
    }

    // What was read, and what was not counted.
    fn input(&mut self) -> io::Result<()> {
        let rules = if self.is_peer() { PEER_RULES } else { FINGERPRINT_RULES };
        let version = env!("CARGO_PKG_VERSION");
        writeln!(self.out, "# adagio {version}, fingerprint rules {rules}")?;
        if self.report.partial {
            let warning = Style::new().fg_color(Some(AnsiColor::Yellow.into())).bold();
            self.styled(warning, "# PARTIAL: the run was stopped, this is what was read so far")?;
        }
        let names: Vec<&str> = self.report.inputs.iter().map(|input| input.name.as_str()).collect();
        self.list("# Files: ", &names)?;
        for input in &self.report.inputs {
            let several = self.report.inputs.len() > 1;
            let name = if several { format!("{}: ", input.name) } else { String::new() };
            self.wrapped("# Read: ", &format!("{name}{}", read(input)))?;
            let dropped = input.not_counted();
            if !dropped.is_empty() {
                let style = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
                self.wrapped_in(style, "# Not counted: ", &dropped.join(", "))?;
            }
            if let Some(sampling) = input.sampling() {
                let kind = cell::shown(&sampling.kind);
                let limit = sampling.limit;
                let note = if sampling.differs { " (other rates too)" } else { "" };
                let events = cell::three_digits(sampling.estimated_events as f64, 1000.0);
                let time = cell::seconds(sampling.estimated_query_time as f64 / 1e6);
                let line = format!(
                    "1 in {limit} by {kind}{note}; figures below are of what was logged, \
                     about {events} events and {time} were run"
                );
                self.wrapped("# Sampled: ", &line)?;
            }
        }
        if let Some(threshold) = self.report.threshold() {
            let shortest = cell::seconds(threshold as f64 / 1e6);
            let line = format!("the shortest Query_time logged is {shortest}");
            self.wrapped("# Effective threshold: ", &line)?;
        }
        if self.report.forgotten_names > 0 {
            let line = format!("{} attributes beyond the first 1,000", self.report.forgotten_names);
            self.wrapped("# Left out: ", &line)?;
        }
        let Digest { further_events: further, most_classes: most, .. } = self.report.digest;
        if further > 0 {
            let line = format!(
                "{} events are of classes beyond the first {} of the log; they are counted in rows \
                 by item, marked (further classes)",
                cell::thousands(further),
                cell::thousands(most as u64)
            );
            self.wrapped("# Further classes: ", &line)?;
        }
        // Of further classes nobody knows how many they would be.
        if let Some(folded) = self.report.folded.filter(|_| further == 0) {
            let classes = self.report.digest.classes.len();
            let line = format!(
                "{classes} classes would be {folded} if digits in table and database names did \
                 not count; see --collapse-digits"
            );
            self.wrapped("# Names: ", &line)?;
        }
        Ok(())
    }

    fn wrapped(&mut self, head: &str, text: &str) -> io::Result<()> {
        self.wrapped_in(Style::new(), head, text)
    }

    fn wrapped_in(&mut self, style: Style, head: &str, text: &str) -> io::Result<()> {
        let mut line = head.to_owned();
        let mut is_empty = true;
        for word in text.split(' ') {
            if !is_empty && line.chars().count() + word.chars().count() > 79 {
                self.styled(style, line.trim_end())?;
                line = "#   ".to_owned();
            }
            line.push_str(word);
            line.push(' ');
            is_empty = false;
        }
        self.styled(style, line.trim_end())
    }

    fn list(&mut self, head: &str, names: &[&str]) -> io::Result<()> {
        self.wrapped(head, &names.join(", "))
    }

    // The whole log.
    fn header(&mut self) -> io::Result<()> {
        let report = self.report;
        let rates = report.rates_of(&report.digest.total);
        let events = report.digest.total.count;
        let classes = report.digest.kept_classes() as u64;
        let more = if report.digest.further_events > 0 { "more than " } else { "" };
        let mut line = match self.rules() {
            Rules::Peer => format!(
                "# Overall: {} total, {} unique, {} QPS, {}x concurrency ",
                cell::shorten(events as f64, 1000.0),
                cell::shorten(classes as f64, 1000.0),
                cell::shorten(rates.map_or(0.0, |r| r.queries_per_second), 1000.0),
                cell::shorten(rates.map_or(0.0, |r| r.concurrency), 1000.0),
            ),
            Rules::Default => format!(
                "# Overall: {} total, {more}{} unique, {} ",
                cell::thousands(events),
                cell::thousands(classes),
                rate_text(rates, report.range().is_some()),
            ),
        };
        let bold = Style::new().bold();
        while line.chars().count() < WIDTH {
            line.push('_');
        }
        self.styled(bold, &line)?;
        if let Some((first, last)) = report.range() {
            let range = self.range(first, last);
            writeln!(self.out, "# Time range: {range}")?;
        } else {
            let is_filtered = report.inputs.iter().any(|input| input.events.filtered > 0);
            let why = match is_filtered && report.digest.total.count == 0 {
                true => "no event passed the filters",
                false => "the log has no times",
            };
            writeln!(self.out, "# Time range: not known, {why}")?;
        }
        let active = report.digest.active_seconds();
        if active > 0 && !self.is_peer() {
            let rate = cell::three_digits(events as f64 / active as f64, 1000.0);
            let active = cell::thousands(active);
            writeln!(self.out, "# Active time: {active} s had an event; {rate} QPS in those")?;
        }
        let (rows, zeros) = parted(report, &report.digest.total, self.rules());
        self.table_head("")?;
        let mut labels = Labels::new(self.rules(), rows.iter().map(|row| row.name));
        let (innodb, plain) = rows.iter().partition::<Vec<&Quantity<'_>>, _>(is_innodb);
        for row in plain {
            self.quantity(&labels.of(row.name), None, row)?;
        }
        if !innodb.is_empty() {
            writeln!(self.out, "# InnoDB:")?;
            for row in innodb {
                self.quantity(&labels.of(row.name), None, row)?;
            }
        }
        self.zeros(&zeros)?;
        self.flags(&report.digest.total)
    }

    fn zeros(&mut self, names: &[String]) -> io::Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        self.wrapped("# Zero: ", &names.join(", "))
    }

    fn range(&self, first: crate::time::Timestamp, last: crate::time::Timestamp) -> String {
        let (from, to) = (self.zone.print(first), self.zone.print(last));
        if first == last {
            return format!("all events occurred at {from}");
        }
        // The date is said once.
        let short = match (from.split_once(' '), to.split_once(' ')) {
            (Some((day, _)), Some((other, time))) if day == other => time,
            _ => &to,
        };
        format!("{from} to {short}")
    }

    fn table_head(&mut self, pct: &str) -> io::Result<()> {
        let rule = if pct.is_empty() { "" } else { "===" };
        if self.is_peer() {
            writeln!(
                self.out,
                "# Attribute    {pct:>3}   total     min     max     avg     95%  stddev  median\n\
                 # ============ {rule:>3} ======= ======= ======= ======= ======= ======= ======="
            )
        } else {
            writeln!(
                self.out,
                "# Attribute    {pct:>3}   total    min    max    avg    95%    99% stddev median\n\
                 # ============ {rule:>3} ======= ====== ====== ====== ====== ====== ====== ======"
            )
        }
    }

    fn quantity(&mut self, label: &str, pct: Option<u64>, row: &Quantity<'_>) -> io::Result<()> {
        let rules = self.rules();
        let unit = cell::unit(row.name, row.kind, rules);
        let cell = |value: f64| cell::quantity(cell::printed(value, row.kind, rules), unit, rules);
        let pct = pct.map_or(String::new(), |pct| pct.to_string());
        let (stat, figures) = (&row.stat, &row.figures);
        let (sum, min, max) = (cell(stat.sum as f64), cell(stat.min as f64), cell(stat.max as f64));
        let avg = cell(figures.avg);
        let (p95, stddev, median) =
            (cell(figures.pct_95), cell(figures.stddev), cell(figures.median));
        if self.is_peer() {
            writeln!(
                self.out,
                "# {label:<LABEL$} {pct:>3} {sum:>7} {min:>7} {max:>7} {avg:>7} {p95:>7} \
                 {stddev:>7} {median:>7}"
            )
        } else {
            let p99 = cell(figures.pct_99);
            writeln!(
                self.out,
                "# {label:<LABEL$} {pct:>3} {sum:>7} {min:>6} {max:>6} {avg:>6} {p95:>6} {p99:>6} \
                 {stddev:>6} {median:>6}"
            )
        }
    }

    fn flags(&mut self, class: &ClassDigest) -> io::Result<()> {
        let rows = self.report.flags(class);
        // Error numbers are told one by one among the texts.
        let is_code = |name: &[u8]| matches!(name, b"Errno" | b"Last_errno" | b"Killed");
        let shown: Vec<_> = rows
            .iter()
            .filter(|row| row.yes > 0 && (self.is_peer() || !is_code(row.name)))
            .collect();
        if shown.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "# Boolean:")?;
        let mut labels = Labels::new(self.rules(), shown.iter().map(|row| row.name));
        for row in shown {
            let whole = (row.yes + row.no) as f64;
            let label = labels.of(row.name);
            let yes = cell::percent(row.yes as f64, whole, self.rules());
            match self.rules() {
                Rules::Peer => {
                    let no = cell::percent(row.no as f64, whole, Rules::Peer);
                    writeln!(self.out, "# {label:<LABEL$} {yes:>3}% yes, {no:>3}% no")?;
                }
                Rules::Default => {
                    let no = 100 - yes;
                    let count = cell::thousands(row.yes);
                    writeln!(
                        self.out,
                        "# {label:<LABEL$} {yes:>3}% yes, {no:>3}% no ({count} yes)"
                    )?;
                }
            }
        }
        Ok(())
    }

    // The ranking.
    fn profile(&mut self) -> io::Result<()> {
        let report = self.report;
        writeln!(self.out, "\n# Profile")?;
        let mut rows = vec![self.record(
            ["Rank", "Query ID", "Response time", "Calls", "R/Call", "V/M"],
            "Why",
            "Item",
        )];
        let whole = report.total_of(metric::QUERY_TIME);
        for ranked in &report.profile.shown {
            let class = &report.digest.classes[ranked.class];
            let by_fingerprint = report.group == Group::Fingerprint;
            // The peer shows what is left of an ID without digits.
            let none = if self.is_peer() { "0x" } else { "-" };
            let id = if by_fingerprint { self.id(ranked.class) } else { none.to_owned() };
            let scores =
                report.time_of(class).and_then(|stat| super::profile::scores(&stat, self.rules()));
            let score = scores.map_or("-".to_owned(), |(ratio, _)| format!("{ratio:.2}"));
            // The peer's column is five characters wide and cuts what is longer.
            let score = match score.get(..2) {
                Some(head) if self.is_peer() && score.len() > 5 => format!("{head}..."),
                _ => score,
            };
            let [time, calls, each] = self.times([class], whole);
            let item = one_line(&report.item_of(ranked.class, self.rules()));
            let rank = ranked.rank.to_string();
            rows.push(self.record(
                [&rank, &id, &time, &calls, &each, &score],
                ranked.why.word(),
                &item,
            ));
        }
        let rest = report.profile.rest.iter().map(|class| &report.digest.classes[*class]);
        let [time, calls, each] = self.times(rest, whole);
        let rest = format!("<{} ITEMS>", report.profile.rest.len());
        rows.push(self.record(["MISC", "0xMISC", &time, &calls, &each, "0.0"], "rest", &rest));
        self.ranking(rows)
    }

    /// A row of the ranking; the peer has no column for the reason.
    fn record(&self, figures: [&str; 6], why: &str, item: &str) -> Vec<String> {
        let why = (!self.is_peer()).then_some(why);
        figures.into_iter().chain(why).chain([item]).map(str::to_owned).collect()
    }

    /// Response time of classes with its share, calls, and time a call.
    fn times<'a>(
        &self,
        classes: impl IntoIterator<Item = &'a ClassDigest>,
        whole: i128,
    ) -> [String; 3] {
        let (mut sum, mut count) = (0, 0);
        for class in classes {
            let time = class.totals(&self.report.digest.places, metric::QUERY_TIME);
            sum += time.map_or(0, |time| time.sum);
            count += match self.rules() {
                Rules::Peer => time.map_or(0, |time| time.count),
                Rules::Default => class.count,
            };
        }
        let sum = sum as f64 / 1e6;
        let share = if whole == 0 { 0.0 } else { sum * 1e8 / whole as f64 };
        let each = if count == 0 { 0.0 } else { sum / count as f64 };
        [format!("{sum:.4} {share:>5.1}%"), count.to_string(), format!("{each:.4}")]
    }

    /// Lays the ranking out under its titles.
    fn ranking(&mut self, mut rows: Vec<Vec<String>>) -> io::Result<()> {
        let last = rows[0].len() - 1;
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let rule =
            (0..=last).map(|column| "=".repeat(if column == last { 4 } else { width(column) }));
        let rule: Vec<String> = rule.collect();
        rows.insert(1, rule);
        let mut table = Builder::from_iter(rows).build();
        table.with(TableStyle::empty()).with(Padding::new(0, 1, 0, 0));
        for column in [0, 2, 3, 4, 5] {
            table.modify(Columns::one(column), Alignment::right());
        }
        for line in table.to_string().lines() {
            writeln!(self.out, "# {}", line.trim_end())?;
        }
        Ok(())
    }

    fn id(&self, class: usize) -> String {
        shown_id(&self.report.id_of(class).to_string(), self.look.id_length)
    }

    // One class.
    fn class(&mut self, ranked: &Ranked) -> io::Result<()> {
        let report = self.report;
        let class = &report.digest.classes[ranked.class];
        let by_fingerprint = report.group == Group::Fingerprint;
        let word = if by_fingerprint { "Query" } else { "Item" };
        let rates = report.rates_of(class);
        let worst = class.samples.worst.as_ref();
        let at = worst.map_or(0, |sample| sample.origin.offset);
        let file = match (worst, report.inputs.len()) {
            (Some(sample), 2..) => report
                .inputs
                .get(sample.origin.source as usize)
                .map_or(String::new(), |input| format!(" of {}", input.name)),
            _ => String::new(),
        };
        let rate = match self.rules() {
            Rules::Peer => format!(
                "{} QPS, {}x concurrency",
                cell::shorten(rates.map_or(0.0, |r| r.queries_per_second), 1000.0),
                cell::shorten(rates.map_or(0.0, |r| r.concurrency), 1000.0)
            ),
            Rules::Default => rate_text(rates, class.first().is_some()),
        };
        let id = self.id(ranked.class);
        let bold = Style::new().fg_color(Some(AnsiColor::Cyan.into())).bold();
        self.styled(
            bold,
            &format!("# {word} {}: {rate}, ID {id} at byte {at}{file}", ranked.rank),
        )?;
        writeln!(self.out, "# {}", reason(ranked.why))?;
        if let Some(peer) = report.peer_id_of(ranked.class, self.rules())
            && peer != report.id_of(ranked.class)
        {
            let peer = shown_id(&peer.to_string(), self.look.id_length);
            writeln!(self.out, "# ID in pt-query-digest 3.7.1: {peer}")?;
        }
        let scores =
            report.time_of(class).and_then(|stat| super::profile::scores(&stat, self.rules()));
        match scores {
            Some((ratio, _)) if self.is_peer() => {
                writeln!(self.out, "# Scores: V/M = {ratio:.2}")?;
            }
            Some((ratio, coefficient)) => {
                writeln!(self.out, "# Scores: V/M = {ratio:.2}, CV = {coefficient:.2}")?;
            }
            None => {}
        }
        match class.first().zip(class.last()) {
            Some((first, last)) => {
                let range = self.range(first, last);
                writeln!(self.out, "# Time range: {range}")?;
            }
            None if report.range().is_some() => writeln!(self.out, "# Time range: unknown")?,
            None => {}
        }
        self.estimate(class)?;
        self.rows(class)?;
        self.text_rows(class)?;
        if self.look.histogram {
            self.chart(class)?;
        }
        if report.has_statement(ranked.class) {
            self.typical(class)?;
            self.tables(ranked.class)?;
            self.plans(ranked.class)?;
            self.advice(ranked.class)?;
            self.sample(ranked.class, worst)
        } else {
            writeln!(self.out, "{}", cell::shown(&report.digest.keys[ranked.class]))
        }
    }

    fn estimate(&mut self, class: &ClassDigest) -> io::Result<()> {
        let Some(estimate) = self.report.estimate_of(class).filter(|_| !self.is_peer()) else {
            return Ok(());
        };
        let events = cell::three_digits(estimate.events as f64, 1000.0);
        let time = cell::seconds(estimate.query_time as f64 / 1e6);
        writeln!(self.out, "# Estimate: about {events} calls and {time} with what was not logged")
    }

    fn rows(&mut self, class: &ClassDigest) -> io::Result<()> {
        let report = self.report;
        let rules = self.rules();
        self.table_head("pct")?;
        let pct = cell::percent(class.count as f64, report.digest.total.count as f64, rules);
        writeln!(self.out, "# {:<LABEL$} {pct:>3} {:>7}", "Count", class.count)?;
        let (rows, zeros) = parted(report, class, rules);
        let mut labels = Labels::new(rules, rows.iter().map(|row| row.name));
        let (innodb, plain) = rows.iter().partition::<Vec<&Quantity<'_>>, _>(is_innodb);
        let share = |row: &Quantity<'_>| {
            cell::percent(row.stat.sum as f64, report.total_of(row.metric) as f64, rules)
        };
        for row in plain {
            self.quantity(&labels.of(row.name), Some(share(row)), row)?;
        }
        if !innodb.is_empty() {
            writeln!(self.out, "# InnoDB:")?;
            for row in innodb {
                self.quantity(&labels.of(row.name), Some(share(row)), row)?;
            }
        }
        self.zeros(&zeros)?;
        self.flags(class)
    }

    fn text_rows(&mut self, class: &ClassDigest) -> io::Result<()> {
        let rows = self.report.texts(class);
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "# String:")?;
        let mut labels = Labels::new(self.rules(), rows.iter().map(|row| row.name));
        for row in rows {
            let list = text_list(&row, class.count, self.rules());
            writeln!(self.out, "# {:<LABEL$} {list}", labels.of(row.name))?;
        }
        Ok(())
    }

    fn chart(&mut self, class: &ClassDigest) -> io::Result<()> {
        let Some(stat) = self.report.time_of(class) else { return Ok(()) };
        let rows = match self.rules() {
            Rules::Default => class.decades,
            Rules::Peer => peer_chart(&stat.spread.buckets(factor(Kind::Time))),
        };
        writeln!(self.out, "# Query_time distribution")?;
        let most = rows.iter().copied().max().unwrap_or(0);
        let a_mark = if most == 0 { 1.0 } else { most as f64 / 64.0 };
        for (label, count) in CHART.iter().zip(rows) {
            let marks = ((count as f64 / a_mark) as usize).max(usize::from(count > 0));
            let line = format!("# {label:>5}  {}", "#".repeat(marks));
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Where events near the median and the 95 % stand; the worst one is printed whole.
    fn typical(&mut self, class: &ClassDigest) -> io::Result<()> {
        let figures = self.report.order_figures(class, self.rules());
        let (Some(figures), false) = (figures, self.is_peer() || class.count < 3) else {
            return Ok(());
        };
        let near = |value: f64| {
            let sample = class.samples.near(value)?;
            let took = cell::seconds(sample.query_time? as f64 / 1e6);
            Some(format!("{took} at byte {}", sample.origin.offset))
        };
        match (near(figures.median), near(figures.pct_95)) {
            (Some(median), Some(high)) => {
                let line = format!("median {median}, 95% {high}");
                self.wrapped("# Typical: ", &line)
            }
            _ => Ok(()),
        }
    }

    fn tables(&mut self, class: usize) -> io::Result<()> {
        let tables = self.report.tables_of(class, self.rules());
        if tables.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "# Tables")?;
        for table in tables {
            let [status, create] = table_statements(&table);
            writeln!(self.out, "#    {status}\n#    {create}")?;
        }
        Ok(())
    }

    /// The plans of a class, and what they expect beside what the log has.
    fn plans(&mut self, class: usize) -> io::Result<()> {
        if self.is_peer() {
            return Ok(());
        }
        let report = self.report;
        let places = &report.digest.places;
        for of in report.plans_of(class) {
            let place = match of.logged_at {
                Some(offset) => format!("byte {offset}"),
                None => format!("line {}", of.plan.line),
            };
            writeln!(self.out, "# Plan in {}, {place}", cell::shown(of.source.as_bytes()))?;
            if self.look.redact {
                writeln!(self.out, "#    (not shown: a plan has literals of its statement)")?;
                continue;
            }
            for line in plans::text::lines_of(&of.plan)? {
                writeln!(self.out, "#    {line}")?;
            }
            let logged = report.digest.classes[class].totals(places, metric::ROWS_EXAMINED);
            if let (Some(estimate), Some(logged)) = (of.plan.estimate(), logged) {
                let expected = plans::text::count(estimate.rows_examined);
                let average = logged.sum as f64 / logged.count as f64;
                let average = match average {
                    0.0..10.0 => format!("{average:.2}"),
                    _ => cell::thousands(average.round() as u64),
                };
                let line = format!("the plan expects {expected}, the log has {average} on average");
                self.wrapped("# Rows examined: ", &line)?;
            }
        }
        Ok(())
    }

    /// What is found on a class, in a line each.
    fn advice(&mut self, class: usize) -> io::Result<()> {
        if self.is_peer() {
            return Ok(());
        }
        let report = self.report;
        for finding in report.advice_of(class) {
            let severity = finding.severity.word();
            let title = one_line(finding.title.as_bytes());
            self.wrapped("# Advice: ", &format!("{} ({severity}): {title}", finding.rule))?;
        }
        Ok(())
    }

    /// The changes of indexes as one page.
    fn changes(&mut self) -> io::Result<()> {
        let counsel = &self.report.counsel;
        let Some(script) = script::of(counsel).filter(|_| !self.is_peer()) else {
            return Ok(());
        };
        let bold = Style::new().bold();
        let changes = match script::changes(counsel) {
            1 => "1 change".to_owned(),
            count => format!("{} changes", cell::thousands(count as u64)),
        };
        writeln!(self.out)?;
        self.styled(bold, &format!("# Indexes for the classes above: {changes}"))?;
        for line in script.lines() {
            writeln!(self.out, "{}", format!("# {line}").trim_end())?;
        }
        Ok(())
    }

    fn sample(&mut self, class: usize, sample: Option<&Sample>) -> io::Result<()> {
        let Some(sample) = sample else { return Ok(()) };
        let key = &self.report.digest.keys[class];
        if self.look.redact {
            return writeln!(self.out, "{}\\G", cell::shown(key));
        }
        if sample.is_cut() {
            writeln!(
                self.out,
                "# The first {} of {} bytes:",
                sample.statement.len(),
                sample.length
            )?;
        }
        let whole = sample.statement.trim_ascii_end();
        let shown = pt::shorten_sample(if self.is_peer() { &sample.statement } else { whole });
        if shown.is_empty() {
            return writeln!(self.out, "# (no statement text)");
        }
        let explain = if self.is_peer() { "# EXPLAIN /*!50100 PARTITIONS*/" } else { "# EXPLAIN" };
        let select = is_select(key, self.rules());
        if select {
            writeln!(self.out, "{explain}")?;
        }
        writeln!(self.out, "{}\\G", cell::shown(&shown))?;
        if let Some(read) = as_select(&shown, key, self.rules()) {
            writeln!(self.out, "# Converted for EXPLAIN\n{explain}")?;
            writeln!(self.out, "{}\\G", cell::shown(&read))?;
        }
        Ok(())
    }

    // The order of classes.
    fn timeline(&mut self) -> io::Result<()> {
        let rule = "#".repeat(72);
        let group = self.report.group.word();
        writeln!(self.out, "\n# {rule}\n# {group} report\n# {rule}")?;
        let timeline = self.report.digest.timeline();
        for run in &timeline.runs {
            let first = run.first.map_or(String::new(), |ts| self.zone.print(ts));
            let length = match (run.first, run.last) {
                (Some(first), Some(last)) => clock((last.0 - first.0).max(0) / 1_000_000),
                _ => String::new(),
            };
            let key = one_line(&self.report.digest.keys[run.class as usize]);
            writeln!(self.out, "# {first:>19} {length:>7} {:>3} {key}", run.count)?;
        }
        if timeline.more > 0 {
            writeln!(self.out, "# … and {} more", timeline.more)?;
        }
        Ok(())
    }
}

/// The quantities of a class, and the names of those that are zero throughout: they would be many
/// lines that say nothing. The peer prints them.
fn parted<'a>(
    report: &'a Report,
    class: &'a ClassDigest,
    rules: Rules,
) -> (Vec<Quantity<'a>>, Vec<String>) {
    let is_zero = |row: &Quantity<'_>| {
        rules == Rules::Default
            && row.metric != metric::QUERY_TIME
            && (row.stat.min, row.stat.max) == (0, 0)
    };
    let (zeros, rows): (Vec<Quantity<'a>>, _) =
        report.quantities(class, rules).into_iter().partition(is_zero);
    (rows, zeros.iter().map(|row| cell::shown(row.name)).collect())
}

fn is_innodb(row: &&Quantity<'_>) -> bool {
    row.name.starts_with(b"InnoDB_")
}

/// Labels of the rows of the chart.
const CHART: [&str; 8] = ["1us", "10us", "100us", "1ms", "10ms", "100ms", "1s", "10s+"];

/// The chart of the peer, whose rows begin at buckets.
pub fn peer_chart(buckets: &[(usize, u64)]) -> [u64; 8] {
    const FIRST: [usize; 8] = [1, 48, 95, 142, 189, 236, 284, 331];
    let mut rows = [0; 8];
    for (bucket, count) in
        buckets.iter().filter(|(bucket, _)| *bucket > 0 && *bucket < spread::BUCKETS)
    {
        let row = FIRST.partition_point(|first| first <= bucket) - 1;
        rows[row] += count;
    }
    rows
}

fn rate_text(rates: Option<super::profile::Rates>, has_times: bool) -> String {
    match rates {
        Some(rates) => format!(
            "{} QPS, {}x concurrency",
            cell::three_digits(rates.queries_per_second, 1000.0),
            cell::three_digits(rates.concurrency, 1000.0)
        ),
        None if has_times => "no rates (all within a second)".to_owned(),
        None => "no rates (times not known)".to_owned(),
    }
}

/// `0:05`, `02:13`, `01:02:03`, `1+02:03:04`.
fn clock(seconds: i64) -> String {
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) if seconds == 0 => "0:00".to_owned(),
        (0, 0) => format!("{minutes:02}:{rest:02}"),
        (0, _) => format!("{hours:02}:{minutes:02}:{rest:02}"),
        _ => format!("{days}+{hours:02}:{minutes:02}:{rest:02}"),
    }
}

/// `0x` and the digits of an ID, or its last ones.
pub fn shown_id(digits: &str, length: usize) -> String {
    format!("0x{}", &digits[digits.len() - length.min(digits.len())..])
}

fn one_line(text: &[u8]) -> String {
    cell::shown(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What an input held.
fn read(input: &Input) -> String {
    let tally = &input.tally;
    let bytes = cell::three_digits(tally.bytes as f64, 1024.0);
    let events = match tally.events {
        1 => "1 event".to_owned(),
        count => format!("{} events", cell::thousands(count)),
    };
    let server = match (&tally.version, tally.family) {
        (_, crate::flavor::Family::Unknown) => String::new(),
        (Some(version), family) => format!(" of {family} {version}"),
        (None, family) => format!(" of {family}"),
    };
    let packed = input.compression.as_ref().map_or(String::new(), |kind| format!(" ({kind})"));
    let plans = match tally.embedded_plans {
        0 => String::new(),
        count => format!(", {} with a plan", cell::thousands(count)),
    };
    format!("{bytes} bytes{packed}, {}{server}, {events}{plans}", input.kind)
}

/// Labels of rows, each of them once.
struct Labels {
    rules: Rules,
    taken: Vec<String>,
    repeated: Vec<Vec<u8>>,
}

impl Labels {
    fn new<'a>(rules: Rules, names: impl Iterator<Item = &'a [u8]>) -> Labels {
        let names: Vec<&[u8]> = names.collect();
        let short: Vec<String> = names.iter().map(|name| label(name)).collect();
        let repeated = names
            .iter()
            .zip(&short)
            .filter(|(_, label)| short.iter().filter(|other| other == label).count() > 1)
            .map(|(name, _)| name.to_vec())
            .collect();
        Labels { rules, taken: Vec::new(), repeated }
    }

    fn of(&mut self, name: &[u8]) -> String {
        let known = (self.rules == Rules::Default).then(|| short_label(name)).flatten();
        let mut text = match known {
            Some(label) => label.to_owned(),
            None if self.repeated.iter().any(|repeated| repeated == name) => {
                // Two names with one beginning: spelled in full.
                cell::shown(name).replace('_', " ")
            }
            None => label(name),
        };
        while self.taken.contains(&text) {
            text.push('+');
        }
        self.taken.push(text.clone());
        text
    }
}

/// The label of an attribute as the peer makes it: blanks for `_`, twelve characters.
fn label(name: &[u8]) -> String {
    match name {
        b"user" => return "Users".to_owned(),
        b"db" => return "Databases".to_owned(),
        b"host" => return "Hosts".to_owned(),
        b"Query_time" => return "Exec time".to_owned(),
        b"bytes" => return "Query size".to_owned(),
        b"Error_no" => return "Errors".to_owned(),
        b"Tmp_disk_tables" => return "Tmp disk tbl".to_owned(),
        b"Tmp_table_sizes" => return "Tmp tbl size".to_owned(),
        b"InnoDB_trx_id" => return "InnoDB trxID".to_owned(),
        _ => {}
    }
    let text = cell::shown(name).replace('_', " ");
    let text = text.strip_prefix("InnoDB ").unwrap_or(&text);
    text.chars().take(LABEL).collect()
}

/// Labels that say more than the first twelve characters do.
fn short_label(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"Rows_affected" => "Rows affect",
        b"Bytes_received" => "Bytes recvd",
        b"Created_tmp_disk_tables" => "Tmp disk tbl",
        b"Created_tmp_tables" => "Tmp tables",
        b"Read_rnd_next" => "Read rnd nxt",
        b"Sort_merge_passes" => "Sort merges",
        b"Sort_range_count" => "Sort ranges",
        b"Sort_scan_count" => "Sort scans",
        b"Tmp_table_on_disk" => "Tmp tbl disk",
        b"Filesort_on_disk" => "Filesrt disk",
        b"Priority_queue" => "Prio queue",
        b"InnoDB_rec_lock_wait" => "rec lock wt",
        b"InnoDB_pages_distinct" => "pages dist",
        b"Pages_prefetched" => "Pages prefet",
        b"Pages_read_time" => "Pages rd tm",
        b"Errno" | b"Last_errno" => "Errors",
        _ => return None,
    })
}

/// The values of a text attribute in one line.
fn text_list(row: &Texts<'_>, count: u64, rules: Rules) -> String {
    const ROOM: usize = WIDTH - 27;
    let (values, unlisted) = row.tally.ranked();
    if let ([(only, times)], 0) = (values.as_slice(), unlisted)
        && (*times >= count || rules == Rules::Peer)
    {
        let text = cell::shown(only);
        let short: String = text.chars().take(44).collect();
        return if short.len() < text.len() { format!("{short}...") } else { text };
    }
    let mut list = String::new();
    for (place, (value, times)) in values.iter().enumerate() {
        let mut text = cell::shown(value);
        let may_cut = rules == Rules::Peer || row.metric == metric::HOST;
        if may_cut && text.chars().count() > HOST && !holds_an_address(&text) {
            text = text.chars().take(HOST).collect::<String>() + "...";
        }
        let entry =
            format!("{text} ({times}/{}%)", cell::percent(*times as f64, count as f64, rules));
        if !list.is_empty() && list.len() + 2 + entry.len() > ROOM || entry.len() > ROOM {
            let more = values.len() - place;
            let comma = if list.is_empty() { "" } else { "... " };
            return format!("{list}{comma}{more} more");
        }
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(&entry);
    }
    if unlisted > 0 {
        list.push_str(&format!("... and more ({unlisted})"));
    }
    list
}

/// Whether a name holds a dotted quad.
fn holds_an_address(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let digit = |c: char| c.is_ascii_digit();
    parts.windows(4).any(|quad| {
        quad[0].ends_with(digit)
            && quad[1..3].iter().all(|part| !part.is_empty() && part.chars().all(digit))
            && quad[3].starts_with(digit)
    })
}

/// `SHOW TABLE STATUS …` and `SHOW CREATE TABLE …` of a table.
pub fn table_statements(table: &TableName) -> [String; 2] {
    let name = cell::shown(&table.name);
    let quoted = format!("`{}`", name.replace('`', "``"));
    let literal = name.replace('\\', "\\\\").replace('\'', "''");
    match &table.database {
        Some(database) => {
            let database = format!("`{}`", cell::shown(database).replace('`', "``"));
            [
                format!("SHOW TABLE STATUS FROM {database} LIKE '{literal}'\\G"),
                format!("SHOW CREATE TABLE {database}.{quoted}\\G"),
            ]
        }
        None => [
            format!("SHOW TABLE STATUS LIKE '{literal}'\\G"),
            format!("SHOW CREATE TABLE {quoted}\\G"),
        ],
    }
}
