//! One settlement: the rows for the archive and the dead letters, and the entry of the log. The log is the commit point and is written
//! last: after a crash before it nothing is settled, and the outcomes are settled again.

use super::line::{FRESH, QueueLine, moment, quoted};
use super::lines::Step;
use super::log::{DrainState, WaitingLine};
use super::state::{LineEvent, LineState};
use super::{Key, LeasedThought};
use crate::clock::{Millis, format_iso};

/// The archive is rotated at this size; one previous generation is kept.
pub(super) const ARCHIVE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The approximate number of bytes that a row adds to a line.
const ROW_BYTES: usize = 64;

/// The outcomes of some lines, before they are written.
#[derive(Debug)]
pub(super) struct Settlement {
    now: Millis,
    /// The same as ISO 8601.
    pub at: String,
    pub archive: Vec<u8>,
    pub dead: Vec<u8>,
    pub steps: Vec<Step>,
    /// The drain afterwards.
    pub state: DrainState,
}

impl Settlement {
    pub fn new(state: &DrainState, now: Millis) -> Self {
        Settlement {
            now,
            at: format_iso(now),
            archive: Vec::new(),
            dead: Vec::new(),
            steps: Vec::new(),
            state: state.clone(),
        }
    }

    /// Reserves memory for the rows of records with this total size.
    pub fn reserve(&mut self, records: usize, bytes: usize) {
        self.archive.reserve(bytes + records * ROW_BYTES);
        self.steps.reserve(records);
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Settles a line, and writes its row where the table of states says. `reason` is why, where there is a reason.
    pub fn settle(
        &mut self,
        (key, state, event): (Key, LineState, LineEvent),
        (line, len): (&[u8], u64),
        attempts: u32,
        reason: Option<&str>,
    ) {
        match (event, state.after(event)) {
            (LineEvent::DeliveredElsewhere, Some(_)) => {
                self.state.moved_delivered += 1;
                push_line(&mut self.archive, line);
            }
            (LineEvent::FailedElsewhere, Some(_)) => {
                self.state.moved_failed += 1;
                push_line(&mut self.dead, line);
            }
            (_, Some(LineState::Delivered)) => push_archived(&mut self.archive, line, attempts, reason, &self.at),
            (_, Some(LineState::Dead)) => {
                push_dead(&mut self.dead, line, attempts, reason.unwrap_or_default(), self.now);
            }
            _ => return,
        }
        self.state.done += 1;
        self.state.done_bytes += len;
        let entry = None;
        self.steps.push(Step { key, event, entry });
    }

    /// Lets a line wait for another attempt.
    pub fn put_off(&mut self, key: Key, event: LineEvent, entry: WaitingLine) {
        let entry = Some(entry);
        self.steps.push(Step { key, event, entry });
    }
}

/// The lines that one lease gathers.
#[derive(Debug)]
pub(super) struct Batch {
    pub max: usize,
    pub given: Vec<(Key, LeasedThought)>,
    /// The lines that do not have to be delivered.
    pub settlement: Settlement,
}

impl Batch {
    pub fn is_full(&self) -> bool {
        self.given.len() >= self.max
    }
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    out.push(b'\n');
}

/// Returns the rest of a line after its first fields, when these are only the time of queueing and the due time.
fn behind_fresh(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(FRESH)?;
    let mut own = memchr::memmem::find_iter(rest, b"\"_");
    let starts_with_at = |at: usize, name: &[u8]| rest.get(at..).is_some_and(|field| field.starts_with(name));
    let is_plain = own.next() == Some(0)
        && rest.starts_with(b"\"_enqueuedAt\":\"")
        && own
            .next()
            .is_some_and(|at| starts_with_at(at, b"\"_nextAttemptAt\":\""))
        && own.next().is_none_or(|at| starts_with_at(at, b"\"_mark\":\""))
        && own.next().is_none();
    rest.strip_suffix(b"}").filter(|_| is_plain)
}

pub(super) fn push_archived(out: &mut Vec<u8>, line: &[u8], attempts: u32, reason: Option<&str>, at: &str) {
    if let (Some(rest), None) = (behind_fresh(line), reason) {
        // The common case: the line is not parsed again.
        out.extend_from_slice(b"{\"_v\":1,\"_status\":\"delivered\",\"_attempts\":");
        out.extend_from_slice(attempts.to_string().as_bytes());
        out.push(b',');
        out.extend_from_slice(rest);
        out.extend_from_slice(b",\"_deliveredAt\":\"");
        out.extend_from_slice(at.as_bytes());
        out.extend_from_slice(b"\"}\n");
        return;
    }
    if let Some(line) = QueueLine::read(line) {
        let mut changes = vec![
            ("_status", quoted("delivered")),
            ("_attempts", Some(attempts.to_string())),
            ("_failedAt", None),
            ("_deliveredAt", quoted(at)),
        ];
        if let Some(reason) = reason {
            changes.push(("_reason", quoted(reason)));
        }
        push_line(out, &line.with(&changes));
    }
}

fn push_dead(out: &mut Vec<u8>, line: &[u8], attempts: u32, reason: &str, now: Millis) {
    if let Some(line) = QueueLine::read(line) {
        let changes = [
            ("_status", quoted("failed")),
            ("_attempts", Some(attempts.to_string())),
            ("_lastError", quoted(reason)),
            ("_failedAt", moment(now)),
            ("_reason", quoted(reason)),
        ];
        push_line(out, &line.with(&changes));
    }
}

#[cfg(test)]
mod tests {
    use super::{QueueLine, behind_fresh, format_iso, moment, push_archived, quoted};
    use serde_json::Value;

    const WHEN: &str = "\"_enqueuedAt\":\"2026-11-20T10:00:00.000Z\",\"_nextAttemptAt\":\"2026-11-20T10:00:00.000Z\"";

    #[test]
    fn a_row_of_the_archive_is_the_same_with_and_without_rereading_its_line() {
        let fields = [
            "\"id\":\"mem_1\",\"content\":\"a_b\",\"tags\":[\"ci\"]",
            "\"id\":\"mem_1\",\"content\":\"a \\\"_status\\\": b\"",
            "\"content\":\"x\",\"_failedAt\":\"2026-11-20T10:00:00.000Z\"",
            "\"content\":\"x\",\"_status\":\"pending\"",
            "\"content\":\"\\u0022_status\",\"tags\":[\"_private\"]",
            "\"content\":\"x\",\"_confirmedAt\":\"2026-11-20T10:00:00.000Z\"",
            "\"_mark\":\"00\",\"id\":\"mem_1\",\"content\":\"x\"",
        ];
        let mut quick = 0;
        for fields in fields {
            let line = format!("{{\"_v\":1,\"_status\":\"pending\",\"_attempts\":0,{WHEN},{fields}}}");
            quick += usize::from(behind_fresh(line.as_bytes()).is_some());
            let changes = [
                ("_status", quoted("delivered")),
                ("_attempts", Some("2".to_owned())),
                ("_failedAt", None),
                ("_deliveredAt", moment(0)),
            ];
            let read = QueueLine::read(line.as_bytes()).unwrap_or_else(|| unreachable!("{line}"));
            let mut row = Vec::new();
            push_archived(&mut row, line.as_bytes(), 2, None, &format_iso(0));
            let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
            assert_eq!(value(&row), value(&read.with(&changes)), "{line}");
            assert!(row.ends_with(b"}\n"));
        }
        assert_eq!(quick, 2, "lines with more of the queue's own fields are read again");
    }
}
