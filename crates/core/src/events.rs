//! Events: how one process tells the others, and a dashboard after a restart, what happened.

use std::cell::Cell;

use serde_json::Value;

use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::journal::{FileId, Held, Journal, Span, rotated_path};

/// How much of a file's end is looked at for the newest sequence number, at first and at most. Older tools share the
/// file, and their events have none.
const TAIL_BYTES: u64 = 1 << 16;
const TAIL_BYTES_MAX: u64 = 1 << 24;

/// The event file. Every line has a sequence number, which only ever rises, also across rotation.
#[derive(Debug)]
pub struct EventLog {
    journal: Journal,
    /// The file with our own last event, its length behind it, and its number.
    last: Option<(FileId, u64, u64)>,
}

impl EventLog {
    /// Returns the event log in a journal.
    pub fn new(journal: Journal) -> Self {
        EventLog { journal, last: None }
    }

    /// Appends an event. `fields` are the members of a JSON object beyond `version`, `timestamp`, `type` and `seq`.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn push(&mut self, kind: &str, fields: &str, now: Millis, bytes_max: u64) -> Result<u64> {
        let last = self.last.take();
        let mut number = 0;
        let mut file = FileId::default();
        let rotated = Cell::new(None);
        let mut carry = |held: &mut Held<'_>| {
            rotated.set(Some(newest_number(held)?));
            Ok(None)
        };
        let mut compose = |held: &mut Held<'_>| {
            file = held.state().id;
            number = 1 + match (rotated.get(), last) {
                (Some(newest), _) => newest,
                (None, Some((id, len, newest))) if (id, len) == (file, held.len()) => newest,
                _ => newest_number(held)?,
            };
            let (kind, time) = (Value::from(kind), format_iso(now));
            let head = format!("\"version\":\"1.0\",\"timestamp\":\"{time}\",\"type\":{kind},\"seq\":{number}");
            Ok(format!("{{{head},{fields}}}").into_bytes())
        };
        let span = self.journal.append_rotating(bytes_max, &mut carry, &mut compose)?;
        self.last = Some((file, end_of(span), number));
        Ok(number)
    }
}

fn end_of(span: Span) -> u64 {
    span.offset + span.len
}

/// Returns the newest sequence number in the file, or in the generation before it.
fn newest_number(held: &mut Held<'_>) -> Result<u64> {
    let len = held.len();
    let journal = held.journal();
    let mut bytes = TAIL_BYTES;
    loop {
        let tail = journal.read(Span {
            offset: len.saturating_sub(bytes),
            len: len.min(bytes),
        })?;
        if let Some(number) = newest_in(&tail) {
            return Ok(number);
        }
        if bytes >= len.min(TAIL_BYTES_MAX) {
            break;
        }
        bytes *= 4;
    }
    let previous = std::fs::read(rotated_path(journal.path())).unwrap_or_default();
    Ok(newest_in(&previous).unwrap_or(0))
}

fn newest_in(bytes: &[u8]) -> Option<u64> {
    bytes
        .rsplit(|b| *b == b'\n')
        .find_map(|line| serde_json::from_slice::<Value>(line).ok()?.get("seq")?.as_u64())
}
