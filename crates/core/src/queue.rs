//! The outbox: what waits to be delivered to the shared store. Its drain is not this module's business.

use std::path::Path;

use crate::anvil::{CONFIRMED_AT, QueueLine, moment, quoted};
use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::journal::{Journal, Span};
use crate::thought::{ActionKind, LineKind, read_line};

/// The queue file.
#[derive(Debug)]
pub struct Queue {
    journal: Journal,
}

impl Queue {
    /// Returns the queue in a journal.
    pub fn new(journal: Journal) -> Self {
        Queue { journal }
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }

    /// Returns the journal, for records that come back.
    pub(crate) fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// Appends a thought, given as its line in the raw log.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push_thought(&mut self, line: &str, now: Millis) -> Result<Span> {
        self.journal.append(thought_record(line, now).as_bytes())
    }

    /// Appends a thought once more, given as its line in the raw log, because somebody captured the same again: its
    /// life in the shared store is to begin anew.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push_confirmation(&mut self, line: &[u8], id: &str, now: Millis) -> Result<()> {
        let Some(read) = QueueLine::read(line) else {
            return Ok(());
        };
        // Lines of the older tools have no id of their own.
        let changes = [("id", quoted(id)), (CONFIRMED_AT, moment(now))];
        let line = String::from_utf8_lossy(&read.with(&changes)).into_owned();
        self.push_thought(&line, now).map(|_| ())
    }

    /// Appends the order to forget a thought.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push_delete(&mut self, id: &str, now: Millis) -> Result<Span> {
        self.journal.append(delete_record(id, now).as_bytes())
    }

    /// Appends the orders to forget several thoughts, all or none.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push_deletes<'i>(&mut self, ids: impl Iterator<Item = &'i str>, now: Millis) -> Result<()> {
        let lines: String = ids.map(|id| delete_record(id, now) + "\n").collect();
        if lines.is_empty() {
            return Ok(());
        }
        self.journal.append_lines(lines.as_bytes()).map(|_| ())
    }

    /// Tells whether the order to forget a thought waits in the file.
    ///
    /// # Errors
    /// `IO` when the file is there but cannot be read.
    pub fn has_delete(&mut self, id: &str) -> Result<bool> {
        let Some(state) = self.journal.look()? else {
            return Ok(false);
        };
        let mut found = false;
        self.journal.scan(0, state.len, &mut |line| {
            found |= matches!(read_line(line.bytes), LineKind::Action(action)
                if action.kind == ActionKind::Delete && action.id == id);
        })?;
        Ok(found)
    }
}

/// Composes the line of a thought that waits, given its line in the raw log.
pub(crate) fn thought_record(line: &str, now: Millis) -> String {
    let fields = line
        .strip_prefix("{\"_v\":1,")
        .unwrap_or_else(|| line.trim_start_matches('{'));
    let parts = ["{\"_v\":1,", &bookkeeping(now), ",", fields];
    parts.concat()
}

/// Composes the line of an order to forget.
pub(crate) fn delete_record(id: &str, now: Millis) -> String {
    let id = serde_json::Value::from(id);
    format!("{{\"_v\":1,\"_action\":\"delete\",\"id\":{id},{}}}", bookkeeping(now))
}

fn bookkeeping(now: Millis) -> String {
    let now: &str = &format_iso(now);
    let parts = [
        "\"_status\":\"pending\",\"_attempts\":0,\"_enqueuedAt\":\"",
        now,
        "\",\"_nextAttemptAt\":\"",
        now,
        "\"",
    ];
    parts.concat()
}
