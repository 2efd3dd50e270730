//! Memory on disk.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::say;

rule! {
    /// The host moves memory to disk and back, or is inclined to.
    ///
    /// **Costs.** A page of the buffer pool in swap is slower than a page on disk.
    /// **Wrong when.** A few pages that nobody uses lie there: what counts is si and so, not the
    /// space in use.
    /// **Verify.** si and so of vmstat are 0.
    /// **Source.** Linux, vm.swappiness; MySQL manual, memory use.
    Variables "VAR039" "swap-in-use"
}

/// Lines of a print that are looked at.
const MOST: usize = 100_000;

/// Samples below which there is nothing to say.
const SAMPLES: u64 = 3;

/// Samples of a print of `vmstat 1`, and how many of them moved memory; `None` of another text.
fn print(text: &str) -> Option<(u64, u64)> {
    let mut columns: Option<(usize, usize)> = None;
    let (mut lines, mut moved) = (0_u64, 0_u64);
    for line in text.lines().take(MOST) {
        let words: Vec<&str> = line.split_whitespace().take(32).collect();
        let place = |name: &str| words.iter().position(|word| *word == name);
        if let (Some(into), Some(out), Some(_)) = (place("si"), place("so"), place("swpd")) {
            columns = Some((into, out));
            continue;
        }
        let number = |at: usize| words.get(at)?.parse::<u64>().ok();
        if let Some((Some(into), Some(out))) =
            columns.map(|(into, out)| (number(into), number(out)))
        {
            lines += 1;
            // The first line of a print is the mean since the host started.
            moved += u64::from(lines > 1 && (into > 0 || out > 0));
        }
    }
    columns.map(|_| (lines.saturating_sub(1), moved))
}

/// The same of all symptoms that are such prints, where they are enough.
fn swapping(texts: &[String]) -> Option<(u64, u64)> {
    let prints = texts.iter().filter_map(|text| print(text));
    let sum = |(lines, moved): (u64, u64), own: (u64, u64)| (lines + own.0, moved + own.1);
    Some(prints.fold((0, 0), sum)).filter(|(lines, _)| *lines >= SAMPLES)
}

/// What `sysctl vm.swappiness` prints, where a symptom is such a line.
fn swappiness(texts: &[String]) -> Option<u64> {
    texts.iter().flat_map(|text| text.lines()).take(MOST).find_map(|line| {
        let (_, value) = line.split_once("swappiness")?;
        value.trim_start_matches([' ', '\t', '=', ':']).trim_end().parse().ok()
    })
}

/// Whether a text is a print that the rule reads.
pub fn knows(text: &str) -> bool {
    print(text).is_some() || swappiness(&[text.to_owned()]).is_some()
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    moving(case).or_else(|| inclined(case))
}

/// A host that is more inclined to swap than is good for a server that fills its memory.
fn inclined(case: &Case<'_>) -> Option<Finding> {
    /// What keeps the memory of programs before the cache of files.
    const ENOUGH: u64 = 10;
    let value = swappiness(&case.facts.symptoms).filter(|value| *value > ENOUGH)?;
    let memory = case.facts.machine.memory?;
    let pool = case.number("innodb_buffer_pool_size")?;
    if !is_percent(pool, memory, 50) {
        return None;
    }
    let title = format!(
        "vm.swappiness is {value}, and the buffer pool has {} % of the memory",
        percent(pool, memory)
    );
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about("innodb_buffer_pool_size")
            .seen("swappiness", value)
            .seen("memory_bytes", memory)
            .advise("The host may move pages of the buffer pool to disk to cache files. Set vm.swappiness between 1 and 10: sysctl -w, and a line below /etc/sysctl.d.")
            .verify("si and so of vmstat 1 are 0 under the usual load.")
            .end(),
    )
}

fn moving(case: &Case<'_>) -> Option<Finding> {
    let (lines, moved) = swapping(&case.facts.symptoms)?;
    if !is_percent(moved, lines, 50) || moved < 3 {
        return None;
    }
    let title = format!("the host moved memory to disk or back in {moved} of {lines} samples");
    Some(
        say(case, &RULE, Severity::High, Confidence::High, title)
            .about("innodb_buffer_pool_size")
            .seen("samples", lines)
            .seen("samples_with_swap", moved)
            .advise("Make the buffers fit (VAR002, with --memory SIZE), look what else runs on the host, and set vm.swappiness between 1 and 10.")
            .verify("si and so of vmstat 1 are 0 under the usual load.")
            .end(),
    )
}
