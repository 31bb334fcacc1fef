//! The queue of the outbox: the write side. [`super::Drain`] is the read side.

use std::path::Path;
use std::sync::Arc;

use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{Journal, Span};
use crate::model::thought::{ActionKind, LineKind, Ruling, read_line};
use crate::outbox::{CONFIRMED_AT, QueueLine, is_own, moment, quoted};
use crate::project::ownership::{MARK, Marks};

/// The queue file. Every line carries the mark of this machine; lines without it are never delivered.
#[derive(Debug)]
pub struct Queue {
    journal: Journal,
    marks: Arc<Marks>,
}

impl Queue {
    /// Returns the queue in a journal.
    pub fn new(journal: Journal, marks: Arc<Marks>) -> Self {
        Queue { journal, marks }
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }

    /// Returns the journal, for records that are queued again.
    pub(crate) fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// Appends a new thought, given as the record that was just appended to the raw log, with its mark.
    ///
    /// # Errors
    /// As [`Journal::append`], and as [`Marks::seal`]: the line is set aside then.
    pub fn push_thought(&mut self, line: &str, mark: Result<String>, now: Millis) -> Result<Span> {
        self.push(mark, |mark| thought_record(line, mark, now))
    }

    /// Appends a thought, given as its line in the raw log.
    ///
    /// # Errors
    /// As [`Queue::push_thought`].
    pub fn push_record(&mut self, line: &str, now: Millis) -> Result<()> {
        match QueueLine::read(line.as_bytes()) {
            Some(read) => {
                let record = read.record();
                let mark = self.marks.of_record(record.as_bytes());
                self.push_thought(&record, mark, now).map(|_| ())
            }
            None => Ok(()),
        }
    }

    /// Appends a thought again, given as its line in the raw log, because the same text was captured again: its lifetime in
    /// the shared store restarts.
    ///
    /// # Errors
    /// As [`Queue::push_thought`].
    pub fn push_confirmation(&mut self, line: &[u8], id: &str, now: Millis) -> Result<()> {
        let Some(record) = record_named(line, id) else {
            return Ok(());
        };
        let mark = self.marks.of_record(record.as_bytes());
        self.push(mark, |mark| confirmed_record(&record, mark, Some(now), now))
            .map(|_| ())
    }

    /// Appends the order to forget a thought.
    ///
    /// # Errors
    /// As [`Queue::push_thought`].
    pub fn push_delete(&mut self, id: &str, now: Millis) -> Result<Span> {
        let record = delete_order(id);
        let mark = self.marks.of_record(record.as_bytes());
        self.push(mark, |mark| thought_record(&record, mark, now))
    }

    /// Appends delete records for several thoughts, all or none.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push_deletes<'i>(&mut self, ids: impl Iterator<Item = &'i str>, now: Millis) -> Result<()> {
        self.push_all(ids.map(delete_order), now)
    }

    fn push_all(&mut self, records: impl Iterator<Item = String>, now: Millis) -> Result<()> {
        let mut lines = String::new();
        let mut problem = None;
        for record in records {
            let (mark, error) = split(self.marks.of_record(record.as_bytes()));
            lines.push_str(&thought_record(&record, mark.as_deref(), now));
            lines.push('\n');
            problem = problem.or(error);
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.journal.append_lines(lines.as_bytes())?;
        problem.map_or(Ok(()), Err)
    }

    /// Appends rulings on thoughts, as far as they are for the shared store, all or none.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push_rulings<'r>(&mut self, rulings: impl Iterator<Item = &'r Ruling>, now: Millis) -> Result<()> {
        let shared = rulings.filter(|ruling| ruling.kind.is_shared());
        self.push_all(shared.map(Ruling::line), now)
    }

    /// True if the order to forget a thought waits in the file.
    ///
    /// # Errors
    /// `IO` when the file exists but cannot be read.
    pub fn has_delete(&mut self, id: &str) -> Result<bool> {
        let Some(state) = self.journal.look()? else {
            return Ok(false);
        };
        let check = self.marks.checker();
        let mut found = false;
        self.journal.scan(0, state.len, &mut |line| {
            found |= matches!(read_line(line.bytes), LineKind::Action(action)
                if action.kind == ActionKind::Delete && action.id == id)
                && is_own(line.bytes, &check);
        })?;
        Ok(found)
    }

    /// True if a thought waits in the file.
    ///
    /// # Errors
    /// `IO` when the file exists but cannot be read.
    pub fn has_thought(&mut self, id: &str) -> Result<bool> {
        Ok(self.own_thoughts()?.iter().any(|(known, _, _)| known == id))
    }

    /// Returns the thoughts in the file that this machine wrote: the id, the type and the line of each.
    ///
    /// # Errors
    /// `IO` when the file exists but cannot be read.
    pub(crate) fn own_thoughts(&mut self) -> Result<Vec<(String, String, Vec<u8>)>> {
        let Some(state) = self.journal.look()?.filter(|state| state.len > 0) else {
            return Ok(Vec::new());
        };
        let check = self.marks.checker();
        let mut found = Vec::new();
        self.journal.scan(0, state.len, &mut |line| {
            if let LineKind::Record(fields) = read_line(line.bytes)
                && is_own(line.bytes, &check)
            {
                found.push((fields.id.into_owned(), fields.kind.into_owned(), line.bytes.to_vec()));
            }
        })?;
        Ok(found)
    }

    /// Empties the file, if there is anything in it.
    pub(crate) fn clear(&mut self) -> Result<()> {
        match self.journal.look()? {
            Some(state) if state.len > 0 => {
                self.journal.replace::<Error>(|_| Ok(Some(Vec::new())))?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A record that could not be marked is stored too; the error says that it requires approval.
    fn push(&mut self, mark: Result<String>, compose: impl Fn(Option<&str>) -> String) -> Result<Span> {
        let (mark, problem) = split(mark);
        let span = self.journal.append(compose(mark.as_deref()).as_bytes())?;
        problem.map_or(Ok(span), Err)
    }
}

fn split(mark: Result<String>) -> (Option<String>, Option<Error>) {
    match mark {
        Ok(mark) => (Some(mark), None),
        Err(error) => (None, Some(error)),
    }
}

/// Composes the line of a record that waits, given its line without the queue's own fields.
pub(crate) fn thought_record(line: &str, mark: Option<&str>, now: Millis) -> String {
    let fields = line
        .strip_prefix("{\"_v\":1,")
        .unwrap_or_else(|| line.trim_start_matches('{'));
    let now: &str = &format_iso(now);
    let (name, mark, end) = match mark {
        Some(mark) => (MARK_MEMBER, mark, "\","),
        None => ("", "", ","),
    };
    let parts = [
        "{\"_v\":1,\"_status\":\"pending\",\"_attempts\":0,\"_enqueuedAt\":\"",
        now,
        "\",\"_nextAttemptAt\":\"",
        now,
        "\"",
        name,
        mark,
        end,
        fields,
    ];
    parts.concat()
}

/// The same, of a thought that was captured again: its lifetime restarts then.
pub(super) fn confirmed_record(line: &str, mark: Option<&str>, confirmed: Option<Millis>, now: Millis) -> String {
    let line = thought_record(line, mark, now);
    match confirmed.and_then(moment) {
        Some(at) => line.replacen("{\"_v\":1,", &format!("{{\"_v\":1,\"{CONFIRMED_AT}\":{at},"), 1),
        None => line,
    }
}

/// Returns a record without the queue's own fields, under its id: lines of Plan Forge have none of their own.
pub(super) fn record_named(line: &[u8], id: &str) -> Option<String> {
    let named = QueueLine::read(line)?.with(&[("id", quoted(id))]);
    Some(QueueLine::read(&named)?.record())
}

/// Returns a record as it is in the raw log: with the mark by which a record that no queue has is known as own.
pub(crate) fn marked(record: &str, mark: Option<&str>) -> String {
    match (record.strip_suffix('}'), mark) {
        (Some(open), Some(mark)) => [open, MARK_MEMBER, mark, "\"}"].concat(),
        _ => record.to_owned(),
    }
}

/// Composes the order to forget a thought, without the queue's own fields.
pub(crate) fn delete_order(id: &str) -> String {
    let id = serde_json::Value::from(id);
    format!("{{\"_v\":1,\"_action\":\"delete\",\"id\":{id}}}")
}

/// [`MARK`] as a member of a line.
const MARK_MEMBER: &str = ",\"_mark\":\"";
const _: () = assert!(MARK.len() == MARK_MEMBER.len() - 5);
