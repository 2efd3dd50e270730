//! Pages for a terminal: no line wider than it, but for statements that are copied.

use std::io::{self, Write};

use anstyle::{AnsiColor, Color, Style};

use super::page::{Note, Piece, Row, Table, Tone};
use super::steps::Steps;
use super::wrap::{columns, cut, one_line, wrap};
use super::{Depth, Look, Review, review};
use crate::plan::Plan;

pub use super::figures::count;

/// Lines of a statement that are shown if not all is asked for.
const STATEMENT_LINES: usize = 2;
/// The least width.
const LEAST: usize = 80;

/// Writes all plans.
pub fn write(review: &Review, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    write_page(&review::page(review, look.depth), look, out)
}

/// Columns that the report of a log puts before a line.
const MARGIN: usize = 5;

/// The steps of a plan for the block of its class, each in a line of its own.
pub fn lines_of(plan: &Plan) -> io::Result<Vec<String>> {
    let table = review::table(plan, &Steps::of(plan), &[]);
    Ok(lines(&table, LEAST - MARGIN).into_iter().map(|(_, line)| line).collect())
}

/// Writes a page.
pub(in crate::report) fn write_page(
    page: &[Piece],
    look: &Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut text = Text { width: look.width.max(LEAST), look, out };
    for (place, piece) in page.iter().enumerate() {
        if place > 0 && matches!(piece, Piece::Title(_) | Piece::Section(_) | Piece::Tree(_)) {
            writeln!(text.out)?;
        }
        text.piece(piece)?;
    }
    Ok(())
}

struct Text<'a> {
    width: usize,
    look: &'a Look,
    out: &'a mut dyn Write,
}

impl Text<'_> {
    fn piece(&mut self, piece: &Piece) -> io::Result<()> {
        match piece {
            Piece::Title(text) => self.wrapped(Tone::Strong, "# ", "#   ", text),
            Piece::Section(text) => self.line(Tone::Strong, text),
            Piece::Statement(text) => self.statement(text),
            Piece::Words(tone, text) => self.wrapped(*tone, "", "  ", text),
            Piece::Item { label, tone, text, notes } => self.item(label, *tone, text, notes),
            Piece::Tree(table) => self.tree(table),
            Piece::Script(text) => text.lines().try_for_each(|line| self.line(Tone::Plain, line)),
        }
    }

    /// A line that is not too wide as it is.
    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let style = style(tone);
        if self.look.colour && style != Style::new() {
            writeln!(self.out, "{style}{text}{style:#}")
        } else {
            writeln!(self.out, "{text}")
        }
    }

    /// A text in lines, with what stands before the first one and before the others.
    fn wrapped(&mut self, tone: Tone, first: &str, others: &str, text: &str) -> io::Result<()> {
        let room = self.width.saturating_sub(columns(first).max(columns(others)));
        for (place, line) in wrap(text, room).iter().enumerate() {
            let head = if place == 0 { first } else { others };
            self.line(tone, &format!("{head}{line}"))?;
        }
        Ok(())
    }

    fn statement(&mut self, text: &str) -> io::Result<()> {
        let text = one_line(text);
        let room = self.width - 2;
        let mut lines = wrap(&text, room);
        if self.look.depth != Depth::Full && lines.len() > STATEMENT_LINES {
            lines.truncate(STATEMENT_LINES);
            if let Some(last) = lines.last_mut() {
                *last = cut(&format!("{last} …"), room);
                if !last.ends_with('…') {
                    last.push('…');
                }
            }
        }
        lines.iter().try_for_each(|line| self.line(Tone::Dim, &format!("  {line}")))
    }

    fn item(&mut self, label: &str, tone: Tone, text: &str, notes: &[Note]) -> io::Result<()> {
        let head = format!("{label:<3} ");
        let hang = "    ";
        self.wrapped(tone, &head, hang, text)?;
        for note in notes {
            match note {
                Note::Words(tone, text) => self.wrapped(*tone, hang, "      ", text)?,
                Note::Code(text) => {
                    text.lines()
                        .try_for_each(|line| self.line(Tone::Plain, &format!("      {line}")))?;
                }
            }
        }
        Ok(())
    }

    fn tree(&mut self, table: &Table) -> io::Result<()> {
        for (tone, line) in lines(table, self.width) {
            self.line(tone, &line)?;
        }
        Ok(())
    }
}

fn style(tone: Tone) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(Color::Ansi(colour)));
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => Style::new().bold(),
        Tone::Dim => Style::new().dimmed(),
        Tone::Good => colour(AnsiColor::Green),
        Tone::Warn => colour(AnsiColor::Yellow),
        Tone::Bad => colour(AnsiColor::Red).bold(),
    }
}

/// Heads of the columns that every tree has.
const HEADS: [&str; 3] = ["#", "step", "table, index"];
/// Columns of a step beside its rails, at least.
const LEAST_STEP: usize = 12;
/// Lines of a step in a row.
const STEP_LINES: usize = 3;

/// The lines of a tree.
pub(super) fn lines(table: &Table, width: usize) -> Vec<(Tone, String)> {
    let layout = Layout::new(table, width);
    let mut lines = vec![(Tone::Dim, layout.head(table))];
    lines.extend(table.rows.iter().flat_map(|row| layout.row(row)));
    lines
}

/// Widths of the columns of a tree.
struct Layout {
    gap: usize,
    number: usize,
    step: usize,
    place: usize,
    figures: Vec<usize>,
    /// Levels that are drawn; deeper ones say their level.
    levels: usize,
}

impl Layout {
    fn new(table: &Table, width: usize) -> Layout {
        let widest = |cells: &mut dyn Iterator<Item = usize>, head: &str| {
            cells.max().unwrap_or(0).max(columns(head))
        };
        let number = widest(&mut table.rows.iter().map(|row| columns(&row.number)), HEADS[0]);
        let step = widest(
            &mut table.rows.iter().map(|row| 2 * row.rails.len() + columns(&row.step)),
            HEADS[1],
        );
        let places = table.rows.iter().map(|row| columns(&row.place)).max().unwrap_or(0);
        let place = if places == 0 { 0 } else { places.max(columns(HEADS[2])) };
        let figures: Vec<usize> = table
            .heads
            .iter()
            .enumerate()
            .map(|(at, head)| {
                let cells = table
                    .rows
                    .iter()
                    .map(|row| row.figures.get(at).map_or(0, |cell| columns(cell)));
                cells.max().unwrap_or(0).max(columns(head))
            })
            .collect();
        let fixed = number + figures.iter().sum::<usize>();
        let gaps = 1 + usize::from(place > 0) + figures.len();
        let natural = fixed + step + place;
        let gap = if natural + 2 * gaps <= width { 2 } else { 1 };
        let room = width.saturating_sub(fixed + gap * gaps);
        let words = table.rows.iter().flat_map(|row| row.place.split(' '));
        let longest = words.map(columns).max().unwrap_or(0);
        let widest_step = step;
        let (step, place) = shared(step, (place, longest), room);
        // Where all steps have the room they need, there is no level to say in words.
        let levels =
            if step >= widest_step { usize::MAX } else { step.saturating_sub(LEAST_STEP) / 2 };
        Layout { gap, number, step, place, figures, levels }
    }

    fn head(&self, table: &Table) -> String {
        let figures: Vec<String> = table.heads.iter().map(|head| (*head).to_owned()).collect();
        self.line(HEADS[0], HEADS[1], HEADS[2], &figures)
    }

    /// The lines of a row: step and place take as many as they need.
    fn row(&self, row: &Row) -> Vec<(Tone, String)> {
        let (first, others) = self.rails(row);
        let level = row.rails.len();
        let step = if level > self.levels {
            format!("(level {level}) {}", row.step)
        } else {
            row.step.clone()
        };
        let room = self.step.saturating_sub(columns(&first));
        let mut steps = wrap(&step, room);
        if steps.len() > STEP_LINES {
            steps.truncate(STEP_LINES);
            if let Some(last) = steps.last_mut() {
                *last = format!("{}…", cut(last, room.saturating_sub(1)).trim_end_matches('…'));
            }
        }
        let places = wrap(&row.place, self.place.max(2));
        let count = steps.len().max(places.len()).max(1);
        let none = Vec::new();
        let lines = (0..count).map(|at| {
            let rails = if at == 0 { &first } else { &others };
            let step = format!("{rails}{}", steps.get(at).map_or("", String::as_str));
            let place = places.get(at).map_or("", String::as_str);
            let (number, figures) =
                if at == 0 { (row.number.as_str(), &row.figures) } else { ("", &none) };
            (row.tone, self.line(number, &step, place, figures))
        });
        lines.collect()
    }

    /// What stands before the first line of a step, and before its others.
    fn rails(&self, row: &Row) -> (String, String) {
        let Some((own, above)) = row.rails.split_last() else {
            return (String::new(), if row.has_below { "│ ".to_owned() } else { String::new() });
        };
        let drawn = above.len().min(self.levels.saturating_sub(1));
        let mut rails: String =
            above.iter().take(drawn).map(|is_last| if *is_last { "  " } else { "│ " }).collect();
        let mut others = rails.clone();
        rails.push_str(if *own { "└ " } else { "├ " });
        others.push_str(if *own { "  " } else { "│ " });
        (rails, others)
    }

    fn line(&self, number: &str, step: &str, place: &str, figures: &[String]) -> String {
        let gap = " ".repeat(self.gap);
        let mut line = format!("{}{gap}{}", right(number, self.number), left(step, self.step));
        if self.place > 0 {
            line.push_str(&gap);
            line.push_str(&left(place, self.place));
        }
        for (figure, width) in figures.iter().zip(&self.figures) {
            line.push_str(&gap);
            line.push_str(&right(figure, *width));
        }
        line.trim_end().to_owned()
    }
}

/// Shares room between steps and places, each of which gets what it needs if it can be. Steps are
/// sentences and can be cut into lines; names are longer than what is between their blanks.
fn shared(step: usize, (place, longest): (usize, usize), room: usize) -> (usize, usize) {
    if step + place <= room {
        return (step, place);
    }
    let least = place.min((room / 3).max(longest)).min(room / 2);
    let step = step.min(room - least);
    (step, place.min(room - step))
}

fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}
