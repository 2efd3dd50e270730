//! Events that are about the connection and not about data, by kind; and how many events write.

use crate::event::Event;

use super::traits::{Talk, Traits};

/// Counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Talked {
    /// Events of classes.
    pub events: u64,
    /// Events by kind: their number and microseconds, by the number of [`Talk`].
    pub kinds: [(u64, u64); Talk::COUNT],
    /// Events that write.
    pub writes: u64,
}

impl Talked {
    /// Takes an event of a class.
    pub fn add(&mut self, event: &Event<'_>, traits: &Traits) {
        self.events += 1;
        self.writes += u64::from(traits.writes());
        if let Some(kind) = traits.talk
            && let Some((count, micros)) = self.kinds.get_mut(kind as usize)
        {
            *count += 1;
            let own = event.query_time.and_then(|micros| u64::try_from(micros).ok());
            *micros = micros.saturating_add(own.unwrap_or(0));
        }
    }

    /// Events of a kind.
    pub fn count(&self, kind: Talk) -> u64 {
        self.kinds.get(kind as usize).map_or(0, |(count, _)| *count)
    }

    /// Microseconds of a kind.
    pub fn micros(&self, kind: Talk) -> u64 {
        self.kinds.get(kind as usize).map_or(0, |(_, micros)| *micros)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};
    use super::*;

    #[test]
    fn kinds_are_told_by_their_words() {
        let mut log = Log::default();
        for (text, times) in [
            ("SET NAMES utf8mb4", 1),
            ("/* c */ set autocommit=0", 1),
            ("SELECT @@session.transaction_isolation", 3),
            ("SELECT 1", 4),
            ("select 'x' AS a", 1),
            ("SHOW VARIABLES LIKE 'sql_mode'", 6),
            ("COMMIT", 7),
            ("rollback", 1),
            // Work, all of it.
            ("SELECT SLEEP(2)", 9),
            ("SELECT * FROM t WHERE a = 1", 9),
            ("UPDATE t SET a = 1", 5),
        ] {
            (0..times).for_each(|_| log.add(entry(text)));
        }
        log.add(entry("administrator command: Ping").command());
        log.add(entry("administrator command: Quit;").command());
        log.add(entry("administrator command: Close stmt").command());
        let talked = log.watch().finish().talked;
        let kinds = [Talk::Set, Talk::Variable, Talk::Constant, Talk::Show, Talk::Commit];
        assert_eq!(kinds.map(|kind| talked.count(kind)), [2, 3, 5, 6, 8]);
        let kinds = [Talk::Ping, Talk::Quit, Talk::Prepare, Talk::Connect];
        assert_eq!(kinds.map(|kind| talked.count(kind)), [1, 1, 1, 0]);
        assert_eq!(talked.writes, 5);
    }
}
