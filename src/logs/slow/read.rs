//! From a frame to an event: values of the header, account, times.

use crate::event::{Attribute, Event, Kind as EventKind, Span, Value};
use crate::flavor::Family;
use crate::logs::frame::{Batch, Frame};
use crate::logs::slow::{header, lines, names_the_time};
use crate::metric::{self, Kind, MetricId, Registry};
use crate::problem::{self, Origin, Problem, Problems};
use crate::time::{self, SECOND, Timestamp, Zone};

/// Ten years of one statement: more is the mark of a clock that was set back, or of a counter
/// that ran below zero.
const IMPOSSIBLE_TIME: i128 = 10 * 366 * 86_400 * SECOND as i128;
/// More of anything than a signed counter holds.
const IMPOSSIBLE_COUNT: i128 = i64::MAX as i128;

/// How times and values are taken.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// As pt-query-digest takes them: the time that `# Time:` prints, and every number.
    pub as_peer: bool,
    /// The zone of times without a mark, if the user names it.
    pub zone: Option<Zone>,
}

/// Reads events one after the other; keeps what it can use for the next one.
#[derive(Debug)]
pub struct Reader {
    /// Names of attributes met so far.
    pub registry: Registry,
    reading: Reading,
    attributes: Vec<Attribute>,
    joined: Vec<u8>,
    layouts: Vec<Layout>,
    /// The layout used last; lines come in the same order in each header.
    layout: usize,
    /// Values that could not be read or believed.
    pub problems: Problems,
    seen: u128,
}

/// How a line that began the same was laid out. Servers print the same names in the same order
/// again and again, so the next line is compared with it before the grammar is asked.
#[derive(Debug, Default)]
struct Layout {
    beginning: Beginning,
    parts: Vec<Part>,
    /// The attributes, a bit for each.
    attributes: u128,
}

/// Layouts that are kept. A server has a dozen.
const LAYOUTS: usize = 32;

/// The first bytes of a line: enough to tell the lines of one server apart, and few enough to have
/// no value in them but a short name's.
type Beginning = [u8; 12];

#[inline]
fn beginning(text: &[u8], at: usize, end: usize) -> Beginning {
    let line = &text[at..end];
    match line.first_chunk() {
        Some(beginning) => *beginning,
        None => {
            let mut beginning = Beginning::default();
            beginning[..line.len()].copy_from_slice(line);
            beginning
        }
    }
}

#[derive(Debug)]
struct Part {
    /// What stands in front of the value, from the end of the last one.
    literal: Literal,
    form: Form,
    metric: MetricId,
    role: Role,
}

/// How a value is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    SixDecimals,
    Whole,
    Flag,
    Word,
    /// A name of a database, with two blanks behind it or at the end.
    Schema,
}

/// What else a value tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Nothing,
    Thread,
    Started,
    Ended,
    Maria,
}

impl Role {
    fn of(name: &[u8]) -> Role {
        match name {
            b"Thread_id" | b"Conn_ID" => Role::Thread,
            b"Start" => Role::Started,
            b"End" => Role::Ended,
            b"QC_hit" => Role::Maria,
            _ => Role::Nothing,
        }
    }
}

/// A text that is compared by two whole words where it is short.
#[derive(Debug)]
struct Literal {
    text: Box<[u8]>,
    words: [u128; 2],
    masks: [u128; 2],
}

impl Literal {
    fn new(text: &[u8]) -> Literal {
        let word = |from: usize| {
            let mut bytes = ([0; 16], [0; 16]);
            for (place, byte) in text.iter().skip(from).take(16).enumerate() {
                (bytes.0[place], bytes.1[place]) = (*byte, 0xff);
            }
            (u128::from_le_bytes(bytes.0), u128::from_le_bytes(bytes.1))
        };
        let ((first, first_mask), (second, second_mask)) = (word(0), word(16));
        let masks = [first_mask, second_mask];
        Literal { text: text.into(), words: [first, second], masks }
    }

    /// Whether `text` begins with it.
    #[inline]
    fn begins(&self, text: &[u8]) -> bool {
        let Some((chunks, _)) = text.split_first_chunk::<32>().filter(|_| self.text.len() <= 32)
        else {
            return text.starts_with(&self.text);
        };
        let (first, second) = chunks.split_at(16);
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u128::from_le_bytes);
        let odd = ((word(first) ^ self.words[0]) & self.masks[0])
            | ((word(second) ^ self.words[1]) & self.masks[1]);
        odd == 0
    }
}

/// What the lines of a header say beside the attributes.
#[derive(Debug, Default)]
pub struct Said {
    statement: Span,
    ts: Option<Timestamp>,
    start: Option<Timestamp>,
    account: header::Account,
    has_account: bool,
    database: Option<Span>,
    thread_id: Option<Span>,
    started: Option<Span>,
    ended: Option<Span>,
    plan: Option<Span>,
    query_time: Option<i128>,
    maria: bool,
    anomalies: u32,
    /// The last line had a value that could not be read.
    unread: bool,
}

impl Said {
    fn note(&mut self, role: Role, span: Span) {
        match role {
            Role::Thread => self.thread_id = Some(span),
            Role::Started => self.started = Some(span),
            Role::Ended => self.ended = Some(span),
            Role::Nothing | Role::Maria => {}
        }
    }
}

impl Reader {
    /// A reader that knows the table of attributes.
    pub fn new(reading: Reading) -> Reader {
        Reader {
            registry: Registry::new(),
            reading,
            attributes: Vec::new(),
            joined: Vec::new(),
            layouts: Vec::new(),
            layout: 0,
            problems: Problems::default(),
            seen: 0,
        }
    }

    /// Reads the header of one frame of a batch; [`event`](Reader::event) gives the event.
    pub fn read(&mut self, batch: &Batch, frame: &Frame) -> Said {
        let text = batch.text();
        self.attributes.clear();
        self.seen = 0;
        let mut said = self.header(text, batch, frame);
        said.statement = self.statement(text, frame);
        let mut length = said.statement.len();
        if self.reading.as_peer {
            // It takes the `#` of a leading comment for the end of the entry before, and leaves
            // the line end of a blank last line with the statement.
            length -= usize::from(said.statement.of(text).starts_with(b"#"));
            length += usize::from(frame.before_last_blank);
        }
        self.add(metric::QUERY_LENGTH, Value::Number(length as i128));
        let query_time = self.attributes.iter().find(|a| a.metric == metric::QUERY_TIME);
        said.query_time = query_time.and_then(|attribute| match attribute.value {
            Value::Number(number) => Some(number),
            _ => None,
        });
        let query_time = said.query_time.and_then(|time| i64::try_from(time).ok());
        (said.ts, said.start) = self.times(text, frame, &said, query_time);
        if self.reading.as_peer && frame.kind == EventKind::Administrator {
            self.clear_rows();
        }
        said
    }

    /// Where the statement stands. A `use` behind `SET timestamp` is a statement; the peer takes
    /// it for a header line where it can, which is in front of a `# Time:` line.
    fn statement(&self, text: &[u8], frame: &Frame) -> Span {
        let Span { start, .. } = frame.statement;
        let is_use = frame.statement.of(text).starts_with(b"use ") && frame.before_time;
        if self.reading.as_peer && is_use { Span { start, end: start } } else { frame.statement }
    }

    /// The peer counts no rows of administrator commands.
    fn clear_rows(&mut self) {
        for attribute in &mut self.attributes {
            let name = self.registry.name(attribute.metric);
            if matches!(name, b"Rows_sent" | b"Rows_examined" | b"Rows_read" | b"Rows_affected") {
                attribute.value = Value::Number(0);
            }
        }
    }

    /// The event of the frame that was read last.
    pub fn event<'a>(&'a self, batch: &'a Batch, frame: &Frame, said: &Said) -> Event<'a> {
        let text = batch.text();
        let (database, database_inherited) = database(batch, frame, said);
        let of = |span: Span| Some(span.of(text));
        let account = said.account;
        let host = if account.host.is_empty() { account.ip } else { account.host };
        let thread_id = match said.thread_id {
            Some(id) => Some(id),
            None => (!account.id.is_empty()).then_some(account.id),
        };
        let statement = self.without_arguments(said.statement.of(text));
        let outline = frame.outline.filter(|_| statement.len() == frame.statement.len());
        Event {
            buffer: text,
            source: batch.source,
            offset: frame.offset,
            length: frame.length,
            ts: said.ts,
            start: said.start,
            database,
            database_inherited,
            user: said.has_account.then(|| of(account.user)).flatten(),
            host: said.has_account.then(|| of(host)).flatten(),
            ip: said.has_account.then(|| of(account.ip)).flatten(),
            thread_id: thread_id.and_then(of),
            kind: frame.kind,
            text: said.statement.of(text),
            statement,
            outline: outline.map(|span| span.of(&batch.outlines)),
            query_time: said.query_time,
            present: self.seen,
            attributes: &self.attributes,
            plan: said.plan.and_then(of),
            anomalies: said.anomalies,
        }
    }

    /// TiDB writes the values bound to a prepared statement behind it: they are no SQL.
    fn without_arguments<'a>(&self, statement: &'a [u8]) -> &'a [u8] {
        if self.reading.as_peer || !statement.ends_with(b"]") {
            return statement;
        }
        match memchr::memmem::rfind(statement, b" [arguments: ") {
            Some(at) => &statement[..at],
            None => statement,
        }
    }

    fn header(&mut self, text: &[u8], batch: &Batch, frame: &Frame) -> Said {
        let mut said = Said::default();
        let mut at = frame.header.start;
        for end in &batch.line_ends[frame.lines.start..frame.lines.end] {
            let end = *end as usize;
            let line = &text[at..end];
            if line.first() != Some(&b'#') {
                if self.reading.as_peer {
                    self.last_insert_id(line);
                }
                at = end + 1;
                continue;
            }
            let before = said.anomalies;
            if lines::is_user(line) {
                self.account(text, at, end, &mut said);
            } else if lines::is_time(line) {
                if lines::has_user(line) {
                    self.account(text, at, end, &mut said);
                }
                if self.reading.as_peer && !lines::is_time_of_peer(line) {
                    self.pairs(text, at, end, &mut said);
                }
            } else if line.starts_with(b"# explain:") {
                let start = said.plan.map_or(at, |plan| plan.start);
                said.plan = Some(Span { start, end });
            } else {
                // A name of a database may hold line ends: what goes on is no `#` line.
                let end = if frame.is_usual { end } else { continued(text, end, frame.header.end) };
                self.pairs(text, at, end, &mut said);
            }
            let origin = Origin { source: batch.source, offset: frame.offset };
            if said.anomalies > before {
                let what = "an impossible value, left out of all totals";
                self.note_problem(&text[at..end], origin, problem::Kind::ImpossibleValue, what);
            }
            if std::mem::take(&mut said.unread) {
                let what = "a value that should be a number, left out";
                self.note_problem(&text[at..end], origin, problem::Kind::UnreadValue, what);
            }
            at = end + 1;
        }
        said
    }

    /// The one value of a `SET` line that the peer adds up.
    fn last_insert_id(&mut self, line: &[u8]) {
        const NAME: &[u8] = b"last_insert_id=";
        let Some(at) = memchr::memmem::find(line, NAME) else { return };
        let rest = &line[at + NAME.len()..];
        let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = header::number(Kind::Number, &rest[..length]);
        if let Some((number, metric)) = number.zip(self.registry.id(b"last_insert_id")) {
            self.add(metric, Value::Number(number));
        }
    }

    fn note_problem(&mut self, line: &[u8], origin: Origin, kind: problem::Kind, what: &str) {
        if self.problems.wants(origin) {
            let text = String::from_utf8_lossy(&line[..line.len().min(160)]).into_owned();
            self.problems.add(Problem { origin, kind, detail: what.to_owned(), text });
        }
    }

    fn account(&mut self, text: &[u8], at: usize, end: usize, said: &mut Said) {
        if said.has_account {
            return;
        }
        let Some(account) = header::account(&text[at..end]) else { return };
        let moved = |span: Span| Span { start: span.start + at, end: span.end + at };
        said.has_account = true;
        said.account = header::Account {
            user: moved(account.user),
            host: moved(account.host),
            ip: moved(account.ip),
            id: moved(account.id),
            rest: moved(account.rest),
        };
        if !account.rest.of(&text[at..end]).trim_ascii().is_empty() {
            // Some servers go on with attributes on this line.
            let rest = moved(account.rest);
            self.joined.clear();
            self.joined.extend_from_slice(b"# ");
            self.joined.extend_from_slice(rest.of(text).trim_ascii_start());
            let shift = rest.end - self.joined.len();
            let line = std::mem::take(&mut self.joined);
            for pair in header::pairs(&line) {
                let value = Span { start: pair.value.start + shift, end: pair.value.end + shift };
                self.pair(pair.name.of(&line), text, value, said);
            }
            self.joined = line;
        }
    }

    /// The pairs of one line, by the layout of one that began the same or by the grammar.
    fn pairs(&mut self, text: &[u8], at: usize, end: usize, said: &mut Said) {
        let beginning = beginning(text, at, end);
        let place = self.layout_of(beginning);
        let layout = std::mem::take(&mut self.layouts[place]);
        let done = self.by_layout(&layout, text, at, end, said);
        self.layouts[place] = layout;
        if done {
            return;
        }
        let line = &text[at..end];
        let mut parts = Vec::new();
        let mut usable = true;
        let mut behind = 0;
        for pair in header::pairs(line) {
            let value = Span { start: pair.value.start + at, end: pair.value.end + at };
            let name = pair.name.of(line);
            // The peer wants a blank behind the colon.
            if self.reading.as_peer && pair.value.start == pair.name.end + 1 && !value.is_empty() {
                usable = false;
            } else {
                let metric = self.pair(name, text, value, said);
                let form = match name {
                    b"Schema" => Some((NO_METRIC, Form::Schema)),
                    _ => metric.and_then(|metric| Some((metric, self.form(metric)?))),
                };
                if let Some((metric, form)) = form {
                    let literal = Literal::new(&line[behind..pair.value.start]);
                    parts.push(Part { literal, form, metric, role: Role::of(name) });
                } else {
                    usable = false;
                }
            }
            behind = pair.value.end;
        }
        let mut attributes = 0;
        for part in &parts {
            let bit = bit(part.metric);
            // A name that comes twice, or is not among the first, is for the grammar.
            usable &= matches!(part.form, Form::Schema) || (bit != 0 && attributes & bit == 0);
            attributes |= bit;
        }
        if !usable {
            parts.clear();
        }
        self.layouts[place] = Layout { beginning, parts, attributes };
    }

    /// The place of the layout of lines that begin like this; an empty one for a new beginning.
    #[inline]
    fn layout_of(&mut self, beginning: Beginning) -> usize {
        let next = self.layout + 1;
        let guess = if next < self.layouts.len() { next } else { 0 };
        let is_guess = self.layouts.get(guess).is_some_and(|known| known.beginning == beginning);
        self.layout = if is_guess { guess } else { self.find_layout(beginning) };
        self.layout
    }

    fn find_layout(&mut self, beginning: Beginning) -> usize {
        let known = self.layouts.iter().position(|known| known.beginning == beginning);
        known.unwrap_or_else(|| {
            let new = Layout { beginning, ..Layout::default() };
            if self.layouts.len() < LAYOUTS {
                self.layouts.push(new);
                return self.layouts.len() - 1;
            }
            let oldest = (self.layout + 1) % LAYOUTS;
            self.layouts[oldest] = new;
            oldest
        })
    }

    /// How values of an attribute are written, if they can be read without the grammar.
    fn form(&self, metric: MetricId) -> Option<Form> {
        match Registry::kind(metric)? {
            Kind::Time => Some(Form::SixDecimals),
            Kind::Count | Kind::Bytes | Kind::Code => Some(Form::Whole),
            Kind::Flag => Some(Form::Flag),
            Kind::Identifier if !self.reading.as_peer => Some(Form::Word),
            _ => None,
        }
    }

    /// Reads a line that is laid out as the last one was; false, and nothing taken, if it is not.
    fn by_layout(
        &mut self,
        layout: &Layout,
        text: &[u8],
        at: usize,
        end: usize,
        said: &mut Said,
    ) -> bool {
        if layout.parts.is_empty() || self.seen & layout.attributes != 0 {
            return false;
        }
        let count = self.attributes.len();
        let Some(database) = self.parts(&layout.parts, text, at, end) else {
            self.attributes.truncate(count);
            return false;
        };
        self.seen |= layout.attributes;
        said.database = database.or(said.database);
        let values = self.attributes[count..].iter().map(|attribute| attribute.value);
        let told = layout.parts.iter().filter(|part| !matches!(part.form, Form::Schema));
        for (part, value) in told.zip(values) {
            match (part.role, value) {
                (Role::Nothing, _) => {}
                (Role::Maria, _) => said.maria = true,
                (role, Value::Text(span)) => said.note(role, span),
                _ => {}
            }
        }
        true
    }

    /// Reads the values between the literals of a layout; gives that of `Schema`.
    #[inline]
    fn parts(
        &mut self,
        parts: &[Part],
        text: &[u8],
        at: usize,
        end: usize,
    ) -> Option<Option<Span>> {
        let mut place = at;
        let mut database = None;
        for part in parts {
            // A literal has no line end, so it does not reach past this line.
            let start = place + part.literal.text.len();
            if !part.literal.begins(&text[place..]) || start > end {
                return None;
            }
            let rest = &text[start..end];
            let (value, length) = match part.form {
                Form::SixDecimals => six_decimals(rest),
                Form::Whole => whole(rest),
                Form::Flag => flag(rest),
                Form::Word => word(rest, start),
                Form::Schema => {
                    let length = schema(rest)?;
                    place = start + length;
                    database = Some(Span { start, end: place });
                    continue;
                }
            }?;
            place = start + length;
            self.attributes.push(Attribute { metric: part.metric, value });
        }
        (place == end).then_some(database)
    }

    /// One pair by the grammar. Gives the attribute if the next line of this layout can be read
    /// the short way.
    fn pair(&mut self, name: &[u8], text: &[u8], span: Span, said: &mut Said) -> Option<MetricId> {
        if matches!(name, b"Schema" | b"DB") {
            said.database = Some(span);
            return None;
        }
        let bytes = span.of(text);
        let unblanked;
        let name = if name.contains(&b' ') {
            unblanked = name.iter().map(|b| if *b == b' ' { b'_' } else { *b }).collect::<Vec<_>>();
            &unblanked
        } else {
            name
        };
        if matches!(name, b"user" | b"host" | b"db" | b"bytes" | b"ip") {
            return None;
        }
        said.maria |= Role::of(name) == Role::Maria;
        let metric = self.registry.id(name)?;
        let kind = Registry::kind(metric);
        let value = match kind {
            Some(kind) if kind.is_quantity() || kind == Kind::Code => {
                let Some(number) = self.number(kind, bytes) else {
                    said.unread |= !bytes.is_empty();
                    return None;
                };
                if !self.reading.as_peer && is_impossible(kind, number) {
                    said.anomalies += 1;
                    return None;
                }
                Value::Number(number)
            }
            Some(Kind::Flag) => match flag(bytes) {
                Some((value, length)) if length == bytes.len() => value,
                _ => return None,
            },
            Some(Kind::Identifier) => {
                said.note(Role::of(name), span);
                match header::number(Kind::Number, bytes).filter(|_| self.reading.as_peer) {
                    Some(number) if counts_for_peer(name) => Value::Number(number),
                    _ => Value::Text(span),
                }
            }
            Some(_) => Value::Text(span),
            None => untold(bytes, span),
        };
        self.add(metric, value);
        Some(metric)
    }

    /// A number; the peer cuts what is behind the microsecond.
    fn number(&self, kind: Kind, bytes: &[u8]) -> Option<i128> {
        let point =
            memchr::memchr(b'.', bytes).filter(|_| self.reading.as_peer && kind == Kind::Time);
        match point {
            Some(point) => header::number(kind, &bytes[..bytes.len().min(point + 7)]),
            None => header::number(kind, bytes),
        }
    }

    /// Adds an attribute; a name that came before is overwritten.
    fn add(&mut self, metric: MetricId, value: Value) {
        if !self.add_new(metric, value)
            && let Some(known) = self.attributes.iter_mut().find(|known| known.metric == metric)
        {
            known.value = value;
        }
    }

    /// Adds an attribute unless its name came before.
    fn add_new(&mut self, metric: MetricId, value: Value) -> bool {
        let bit = bit(metric);
        let known = match bit {
            0 => self.attributes.iter().any(|known| known.metric == metric),
            bit => self.seen & bit != 0,
        };
        self.seen |= bit;
        if !known {
            self.attributes.push(Attribute { metric, value });
        }
        !known
    }

    /// When the statement ended and began.
    fn times(
        &self,
        text: &[u8],
        frame: &Frame,
        said: &Said,
        query_time: Option<i64>,
    ) -> (Option<Timestamp>, Option<Timestamp>) {
        let carry = &frame.carry;
        let earlier = |end: Option<Timestamp>| end?.plus(-query_time?);
        let unmarked = |civil: Timestamp| match (&self.reading.zone, carry.offset) {
            (Some(zone), _) => zone.instant_of(civil),
            (None, Some(offset)) => Timestamp(civil.0 - i64::from(offset) * SECOND),
            (None, None) => civil,
        };
        if self.reading.as_peer {
            let ts = carry.time.map(|time| match (time.instant(), frame.set_timestamp) {
                // Servers that mark the zone print a time for every entry; one without has
                // lost its line, and `SET timestamp` tells better than the entry before.
                (Some(last), Some(set)) if !frame.own_time => last.max(set),
                (Some(own), _) => own,
                (None, _) => {
                    let zone = &self.reading.zone;
                    zone.as_ref().map_or(time.civil, |zone| zone.instant_of(time.civil))
                }
            });
            return (ts, earlier(ts));
        }
        let day = 86_400 * SECOND;
        let stamp = match (carry.time, frame.set_timestamp) {
            (Some(time), _) if time.offset.is_some() && frame.own_time => time.instant(),
            // Servers that mark the zone print a time for every entry, so the line of this one
            // is lost. `SET timestamp` may be its start, or what a session made of it.
            (Some(time), Some(set)) if time.offset.is_some() => time.instant().max(Some(set)),
            (Some(time), Some(set)) if frame.own_time && !names_the_time(time, set) => {
                Some(unmarked(time.civil))
            }
            (Some(time), Some(set)) if (unmarked(time.civil).0 - set.0).abs() > day => {
                Some(unmarked(time.civil))
            }
            (_, Some(set)) => Some(set),
            (Some(time), None) => Some(time.instant().unwrap_or_else(|| unmarked(time.civil))),
            (None, None) => None,
        };
        let instant = |span: Option<Span>| {
            time::log_time(span?.of(text)).ok().and_then(|(_, time)| time.instant())
        };
        let stamp = if frame.own_time { stamp } else { instant(said.ended).or(stamp) };
        let maria = match carry.family {
            Family::Unknown => said.maria,
            family => family.stamps_the_start(),
        };
        if maria {
            return (stamp.zip(query_time).and_then(|(start, took)| start.plus(took)), stamp);
        }
        (stamp, instant(said.started).or_else(|| earlier(stamp)))
    }
}

/// What stands for no attribute.
const NO_METRIC: MetricId = MetricId(u16::MAX);

/// The bit of an attribute among the first 128; none for others.
fn bit(metric: MetricId) -> u128 {
    1u128.checked_shl(u32::from(metric.0)).unwrap_or(0)
}

/// The end of a line that goes on behind a line end, because a name on it has one.
fn continued(text: &[u8], end: usize, header_end: usize) -> usize {
    let mut end = end;
    while end + 1 < header_end && text[end] == b'\n' {
        let next = &text[end + 1..header_end];
        let line = &next[..memchr::memchr(b'\n', next).unwrap_or(next.len())];
        let header = lines::is_header(line)
            || lines::use_line(line).is_some()
            || lines::set_line(line).is_some()
            || line.trim_ascii().is_empty()
            || lines::is_foreign(line);
        if header {
            break;
        }
        end += 1 + line.len();
    }
    end
}

fn is_impossible(kind: Kind, number: i128) -> bool {
    match kind {
        Kind::Time | Kind::Millis => !(0..IMPOSSIBLE_TIME).contains(&number),
        _ => !(0..=IMPOSSIBLE_COUNT).contains(&number),
    }
}

/// Identifiers that pt-query-digest takes for quantities.
fn counts_for_peer(name: &[u8]) -> bool {
    !matches!(name, b"Thread_id" | b"Id" | b"timestamp" | b"insert_id" | b"InnoDB_trx_id")
}

/// A value of a name outside the table: a number, a flag, or a text.
fn untold(bytes: &[u8], span: Span) -> Value {
    if let Some(number) = header::number(Kind::Number, bytes) {
        return Value::Number(number);
    }
    match bytes {
        b"Yes" | b"true" => Value::Flag(true),
        b"No" | b"false" => Value::Flag(false),
        _ => Value::Text(span),
    }
}

/// `1.500213`: the time that servers print, with exactly six decimals.
#[inline]
fn six_decimals(text: &[u8]) -> Option<(Value, usize)> {
    let (whole, point) = digits(text)?;
    let (decimals, count) = digits(text.get(point..)?.strip_prefix(b".")?)?;
    let end = point + 7;
    // More than eight digits may be past what is possible.
    let is_known = count == 6 && point <= 8 && text.get(end).is_none_or(|b| *b == b' ');
    is_known.then(|| (Value::Number(i128::from(whole * 1_000_000 + decimals)), end))
}

#[inline]
fn whole(text: &[u8]) -> Option<(Value, usize)> {
    let (number, count) = digits(text)?;
    let ends = text.get(count).is_none_or(|b| *b == b' ');
    ends.then_some((Value::Number(i128::from(number)), count))
}

/// Up to 18 digits and how many there are.
#[inline]
fn digits(text: &[u8]) -> Option<(u64, usize)> {
    match text.first_chunk::<8>().map(|chunk| digits_of_word(u64::from_le_bytes(*chunk))) {
        Some((number, count @ 1..=7)) => Some((number, count)),
        Some((_, 0)) => None,
        _ => digits_by_steps(text),
    }
}

/// The number that the digits at the beginning of eight bytes make, and how many there are.
#[inline]
fn digits_of_word(word: u64) -> (u64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // Bytes of digits become their values, all others get their top bit set.
    let values = word ^ (EACH * b'0' as u64);
    let others = (values | values.wrapping_add(EACH * 0x76)) & (EACH * 0x80);
    // Carries run upwards from bytes that are no digits, so all below the first one are right.
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Leading zeros in front, so that eight digits are there; then neighbours join.
    let digits = values << (64 - 8 * count);
    let pairs = digits.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(1 + (10_000 << 32)) >> 32, count)
}

fn digits_by_steps(text: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0u64;
    let mut count = 0;
    while let Some(byte) = text.get(count) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (1..=18).contains(&count).then_some((number, count))
}

fn flag(text: &[u8]) -> Option<(Value, usize)> {
    let length = text.iter().position(|b| *b == b' ').unwrap_or(text.len());
    match &text[..length] {
        b"Yes" => Some((Value::Flag(true), length)),
        b"No" => Some((Value::Flag(false), length)),
        _ => None,
    }
}

fn word(text: &[u8], start: usize) -> Option<(Value, usize)> {
    let length = text.iter().position(|b| matches!(b, b' ' | b'\t' | b'\r')).unwrap_or(text.len());
    // Lists and values that look like names are for the grammar.
    let word = &text[..length];
    (length > 0 && word[0] != b'[' && word[length - 1] != b':')
        .then_some((Value::Text(Span { start, end: start + length }), length))
}

/// The length of a database's name with nothing odd about it.
fn schema(text: &[u8]) -> Option<usize> {
    let length = text.iter().position(|b| matches!(b, b' ' | b'\t' | b'\r' | b':'));
    let length = length.unwrap_or(text.len());
    let behind = &text[length..];
    (length > 0 && (behind.is_empty() || behind.starts_with(b"  "))).then_some(length)
}

/// The default database, and whether it was carried over.
fn database<'a>(batch: &'a Batch, frame: &Frame, said: &Said) -> (Option<&'a [u8]>, bool) {
    let text = batch.text();
    if let Some(own) = frame.database.and_then(|place| batch.databases.get(place)) {
        return (Some(own), false);
    }
    if let Some(schema) = said.database {
        return (Some(schema.of(text)), false);
    }
    match frame.carry.database.and_then(|place| batch.databases.get(place)) {
        Some(database) => (Some(database), true),
        None => (None, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_read_as_one_by_one(text in "[0-9]{0,20}[^0-9]?.{0,9}") {
            prop_assert_eq!(digits(text.as_bytes()), digits_by_steps(text.as_bytes()), "{}", text);
        }
    }

    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[0-9]{1,3}\\.[0-9]{6}",
            4 => "[0-9]{1,8}",
            1 => "[0-9]{9,21}(\\.[0-9]{5,7})?",
            2 => "Yes|No|shop|my shop|\\[a b\\]||2026-03-06T17:01:40Z|-1|x:|Killed: 1",
        ]
    }

    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "Query_time", "Lock_time", "Rows_sent", "Schema", "QC_hit", "Thread_id", "Start", "Errno", "Full_scan",
        "Created_tmp_disk_tables", "A_name_of_no_server_that_is_longer_than_others", "Rows_sent",
    ];

    /// What one line says: attributes, anomalies and what else is noted of it.
    fn said(reader: &mut Reader, line: &str) -> (Vec<(Vec<u8>, Value)>, u32, String) {
        reader.attributes.clear();
        reader.seen = 0;
        let mut said = Said::default();
        // Something must stand behind the line, as in a log.
        let text = [line.as_bytes(), b"\nSET timestamp=1772816400;\nSELECT 1;\n"].concat();
        reader.pairs(&text, 0, line.len(), &mut said);
        let named =
            reader.attributes.iter().map(|a| (reader.registry.name(a.metric).to_vec(), a.value));
        (named.collect(), reader.seen.count_ones(), format!("{said:?}"))
    }

    proptest! {
        #[test]
        fn the_layout_and_the_grammar_agree(
            names in prop::collection::vec((prop::sample::select(NAMES), " {1,2}"), 1..6),
            values in prop::collection::vec(prop::collection::vec(value(), 6), 2..5),
            as_peer in any::<bool>(),
        ) {
            let reading = Reading { as_peer, zone: None };
            let mut reader = Reader::new(reading.clone());
            for values in &values {
                let pairs = names.iter().zip(values);
                let line: String =
                    pairs.map(|((name, gap), value)| format!("{name}: {value}{gap}")).collect();
                let line = format!("# {}", line.trim_end());
                // A reader without a layout asks the grammar.
                let want = said(&mut Reader::new(reading.clone()), &line);
                prop_assert_eq!(said(&mut reader, &line), want, "{}", line);
            }
        }
    }
}
