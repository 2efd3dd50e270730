//! Where output goes and how it looks: destination, colour, progress, warnings.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adagio::problem::Problem;
use adagio::report::cell::shown;
use adagio::report::plans::{self, PlanWithoutClass};
use adagio::report::{Input, Report};
use adagio::study::Progress;
use anyhow::Context;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Always, never, or where it makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

/// Messages and progress.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Manners {
    /// Show progress on standard error
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    progress: When,

    /// No warnings
    #[arg(short, long)]
    quiet: bool,

    /// Each warning in full
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,
}

/// How warnings are printed.
#[derive(Debug, Clone, Copy)]
pub struct Warnings {
    /// Not at all.
    pub quiet: bool,
    /// Each one in full.
    pub verbose: bool,
    /// Without text of the input.
    pub redact: bool,
}

/// Prints a warning. A terminal would obey control characters of the input.
pub fn warn(text: &str) {
    eprintln!("adagio: {}", shown(text.as_bytes()));
}

/// Says on standard error what is odd about files with plans.
pub fn warn_of_plans(inputs: &[plans::Input], manners: Warnings) {
    for input in inputs {
        let name = &input.name;
        if input.plans == 0 && input.bytes > 0 {
            warn(&format!("{name}: no EXPLAIN output: {}", input.looks));
        }
        warn_of_problems(name, &input.problems, manners);
    }
}

/// Says what could not be read of an input: the first piece, or all of them.
pub fn warn_of_problems(name: &str, problems: &[Problem], manners: Warnings) {
    let most = if manners.verbose { problems.len() } else { 1 };
    for problem in problems.iter().take(most) {
        warn(&format!("{name}: {}", problem.told(manners.redact)));
    }
    let more = problems.len().saturating_sub(most);
    if more > 0 {
        warn(&format!("{name}: {more} more of the kind (-v tells where)"));
    }
}

/// Says which plans belong to nothing.
pub fn warn_of_lost_plans(plans: &[PlanWithoutClass]) {
    for plan in plans {
        let PlanWithoutClass { source, line, reason } = plan;
        warn(&format!("{source}: line {line}: this plan is not shown: {reason}"));
    }
}

/// Says what is odd about a log.
pub fn warn_of_log(input: &Input, manners: Warnings) {
    if let Some(line) = oddities(input) {
        warn(&format!("{}: {line}", input.name));
    }
    if manners.verbose {
        for problem in &input.problems {
            let offset = problem.origin.offset;
            warn(&format!("{}: byte {offset}: {}", input.name, problem.told(manners.redact)));
        }
    }
}

impl Manners {
    /// Whether all is asked for.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// How warnings are to be printed.
    pub fn warnings(&self, redact: bool) -> Warnings {
        Warnings { quiet: self.quiet, verbose: self.verbose, redact }
    }

    /// Says on standard error what is odd about the inputs.
    pub fn warn(&self, report: &Report, redact: bool) {
        if self.quiet {
            return;
        }
        let manners = self.warnings(redact);
        report.inputs.iter().for_each(|input| warn_of_log(input, manners));
        warn_of_plans(&report.plan_inputs, manners);
        warn_of_lost_plans(&report.plans_without_class);
    }

    /// Shows how far a run has come until the guard is dropped.
    pub fn show(&self, progress: Progress) -> Shown {
        let wanted = match self.progress {
            When::Auto => io::stderr().is_terminal() && !self.quiet,
            When::Always => true,
            When::Never => false,
        };
        if !wanted {
            return Shown { ended: Arc::default(), thread: None };
        }
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            let bar = bar(progress.total);
            while !flag.load(Ordering::Relaxed) {
                bar.set_position(progress.taken());
                std::thread::park_timeout(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        });
        Shown { ended, thread: Some(thread) }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::with_draw_target(Some(total), target),
            "{bar:24} {percent:>3}%  {bytes} of {total_bytes}  {bytes_per_sec}  {eta} left",
        ),
        None => (
            ProgressBar::with_draw_target(None, target),
            "{spinner} {bytes} read  {bytes_per_sec}  {elapsed}",
        ),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// Progress on the screen; cleared when dropped.
#[derive(Debug)]
pub struct Shown {
    ended: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The bar is gone with its thread, however that ended.
            let _ = thread.join();
        }
    }
}

fn oddities(input: &Input) -> Option<String> {
    let tally = &input.tally;
    if tally.events == 0 && tally.bytes > 0 {
        return Some(format!("no slow-log entry: {}", input.looks));
    }
    let parts = input.not_counted();
    let hint = if input.problems.is_empty() { "" } else { " (-v tells where)" };
    (!parts.is_empty()).then(|| format!("not counted: {}{hint}", parts.join(", ")))
}

/// Whether a report on standard output is coloured.
pub fn is_coloured(when: When, to_file: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            !to_file && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
        }
    }
}

/// Columns of the terminal that standard output is; `None` if it is none, or does not tell.
///
/// clap asks the terminal for its own help texts, so its answer is measured. With words of one
/// letter a line ends at an odd column; the word of two makes the first one end at an even one.
pub fn width() -> Option<usize> {
    const MOST: usize = 400;
    if !io::stdout().is_terminal() {
        return None;
    }
    let words = format!("xx {}", "x ".repeat(MOST));
    let help = clap::Command::new("x").max_term_width(MOST).about(words).render_help().to_string();
    help.lines().map(str::len).max()
}

/// Writes to standard output, or to a file that is there whole or not at all.
pub fn write(
    file: Option<&PathBuf>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    match file {
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
            Ok(())
        }
        Some(path) => {
            // A link is followed; a pipe or a device cannot be replaced and is written to.
            let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            if std::fs::metadata(&place).is_ok_and(|meta| !meta.is_file()) {
                let failed = || format!("cannot write {}", path.display());
                let mut out = BufWriter::new(File::create(&place).with_context(failed)?);
                write(&mut out).and_then(|()| out.flush()).with_context(failed)?;
                return Ok(());
            }
            whole(&place, |out| write(out).context("write the report"))
        }
    }
}

/// Writes a file beside its place and moves it there once it is whole.
pub fn whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut pending = Pending::create(path)?;
    write(&mut pending.out)?;
    pending.keep()
}

/// A file that is written and not in its place yet.
#[derive(Debug)]
pub struct Pending {
    /// Where to write.
    pub out: BufWriter<tempfile::NamedTempFile>,
    path: PathBuf,
}

impl Pending {
    /// Begins a file beside `path`.
    pub fn create(path: &Path) -> anyhow::Result<Pending> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".adagio-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any other file: for whom the user's mask lets it be.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|error| {
            // The name of the temporary file would only confuse.
            let why = match error.kind() {
                io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
                kind => kind.to_string(),
            };
            anyhow::anyhow!("cannot write {}: {why}", path.display())
        })?;
        if let Ok(known) = std::fs::metadata(path) {
            // One that is replaced keeps what its owner gave it; failing that, the mask decides.
            let _ = file.as_file().set_permissions(known.permissions());
        }
        Ok(Pending { out: BufWriter::new(file), path: path.to_owned() })
    }

    /// Moves the file to its place.
    pub fn keep(self) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error);
        let file = file.with_context(failed)?;
        file.persist(&self.path).map_err(|error| error.error).with_context(failed)?;
        Ok(())
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub fn stop_flag() -> Arc<AtomicBool> {
    stop_flag_until(Arc::default())
}

/// A flag that Ctrl-C sets; a second one, or one after the other flag is set, ends the program at
/// once: there is nothing left to stop in an orderly way.
pub fn stop_flag_until(judging: Arc<AtomicBool>) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program, as it does any other.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) || judging.load(Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stop
}
