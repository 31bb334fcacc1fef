//! The event log: an append-only file from which other processes, and those that were restarted, learn of events.

use std::sync::Arc;

use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{FileId, Journal, JournalWriter, Rotation, Span, clean, read_file, rotated_path};
use crate::model::canonical::write_string;
use crate::project::Project;
use crate::project::ownership::Marks;
use followed::Followed;
use generations::{UNREAD_BYTES_MAX, event_files, kept_age, make_room};
use own::Ownership;
use readers::Readers;

mod followed;
mod generations;
mod head;
mod own;
mod place;
mod position;
mod publish;
mod readers;
mod tail;

pub use position::{EventFilter, Position, Start};
pub use publish::EVENT_BYTES_MAX;
pub use tail::{EventTail, TailBatch, TailEvent, TailOptions, TailReadOptions};

/// How many bytes from the end of a file are searched for the newest sequence number, at first and at most. Other tools
/// write to the same file, and their events have no number.
const TAIL_BYTES: u64 = 1 << 16;
const TAIL_BYTES_MAX: u64 = 1 << 24;

const EVENTS_FILE: &str = "hub-events.jsonl";
/// How every line begins: with the version of records, [`crate::model::thought::FORMAT_VERSION`].
const EVENT_HEAD: &str = "{\"_v\":1,\"version\":";

/// The event log. Every line has a sequence number, which increases strictly, also across rotations.
#[derive(Debug)]
pub struct EventLog {
    journal: Journal,
    /// The file of our last event, the length of the file after it, and its number.
    last: Option<(FileId, u64, u64)>,
    ownership: Ownership,
    /// The file that is known to be own.
    own: Option<FileId>,
    readers: Readers,
    /// The file whose rotation is postponed, and the length at which the live readers are checked again.
    postponed: Option<(FileId, u64)>,
    /// The last event that followed another one by itself.
    followed: Option<Followed>,
}

impl EventLog {
    /// Returns the event log in a journal.
    pub fn new(journal: Journal, marks: &Arc<Marks>) -> Self {
        EventLog {
            ownership: Ownership::of(journal.path(), Arc::clone(marks)),
            readers: Readers::of(Arc::clone(journal.disk()), journal.path()),
            postponed: None,
            journal,
            last: None,
            own: None,
            followed: None,
        }
    }

    /// Follows the events from `start` on; see [`EventTail::open`]. Events that a live tail has not read are not rotated away while
    /// its process lives, within the bound in docs/reference/hub.md.
    pub fn follow(
        &self,
        marks: &Arc<Marks>,
        start: Start,
        filter: &EventFilter,
        until: Option<Position>,
        is_live: bool,
    ) -> Result<EventTail> {
        let reader = is_live.then(|| self.readers.enter());
        let path = self.journal.path().to_path_buf();
        let disk = Arc::clone(self.journal.disk());
        let mut tail = EventTail::open(disk, path, marks, start, filter, until)?;
        if let Some(reader) = reader {
            tail.live_by(reader);
        }
        Ok(tail)
    }

    /// Appends an event. `fields` are the members of a JSON object beyond `_v`, `version`, `timestamp`, `type` and `seq`.
    pub fn push(&mut self, kind: &str, fields: &str, now: Millis, bytes_max: u64) -> Result<u64> {
        self.push_all(&[NewEvent::new(kind, fields)], now, bytes_max)
    }

    /// Appends events under one lock and in one write, and returns the number of the last one.
    pub fn push_all(&mut self, events: &[NewEvent<'_>], now: Millis, bytes_max: u64) -> Result<u64> {
        let last = self.last.take();
        let mut rotated = None;
        let (ownership, readers, postponed) = (&self.ownership, &self.readers, &mut self.postponed);
        let mut on_rotation = |writer: &mut JournalWriter<'_>| {
            let Some(kept) = kept_for(writer, readers, postponed, bytes_max) else {
                return Ok(Rotation::Postponed);
            };
            let is_own = ownership.is_own_held(writer)?;
            rotated = Some(if is_own { newest_number(writer, ownership)? } else { 0 });
            let journal = writer.journal();
            let (disk, path) = (journal.disk().as_ref(), journal.path());
            make_room(disk, path, &event_files(disk, path), kept);
            Ok(Rotation::Now(None))
        };
        let mut carried = Vec::new();
        let mut writer = self.journal.rotating_writer::<Error>(bytes_max, &mut on_rotation)?;
        if self.own != Some(writer.state().id) && !writer.is_empty() && !ownership.is_own_held(&mut writer)? {
            carried = ownership.set_aside(&mut writer, bytes_max / 2)?;
        }
        let file = writer.state().id;
        let mut number = match (rotated, last) {
            (Some(newest), _) => newest,
            (None, Some((id, len, newest))) if (id, len) == (file, writer.len()) => newest,
            _ => newest_number(&mut writer, ownership)?,
        };
        let now = format_iso(now);
        let mut lines = carried;
        lines.reserve(events.iter().map(|event| event.fields.len() + 96).sum());
        for event in events {
            number += 1;
            event.write(number, &now, &mut lines)?;
        }
        if writer.is_empty() {
            let disk = Arc::clone(writer.journal().disk());
            ownership.begin(disk.as_ref(), &lines)?;
        }
        let span = writer.append_lines(&lines)?;
        self.own = Some(file);
        self.last = Some((file, end_of(span), number));
        Ok(number)
    }
}

/// True if a file of `.forge/` has events, as they are written or rotated.
pub(crate) fn is_event_file(name: &str) -> bool {
    let middle = name
        .strip_prefix("hub-events")
        .and_then(|rest| rest.strip_suffix(".jsonl"));
    middle.is_some_and(|age| age.is_empty() || age.strip_prefix('.').is_some_and(|age| age.parse::<u32>().is_ok()))
}

/// Marks an event file of this machine that is about to be rewritten: the mark covers the first line.
///
/// # Errors
/// `IO` when the marks cannot be read or written.
pub(crate) fn renew_mark(project: &Project, name: &str, old: &[u8], fresh: &[u8]) -> Result<()> {
    if !is_event_file(name) {
        return Ok(());
    }
    let ownership = Ownership::of(&project.layout.path_of(EVENTS_FILE), Arc::clone(&project.marks));
    ownership.renew(project.disk(), old, fresh)
}

/// An event before it gets its number.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    /// The type.
    pub kind: &'a str,
    /// The members of a JSON object beyond those that every event has, as text without the braces.
    pub fields: &'a str,
    /// When it happened; the current time when absent.
    pub timestamp: Option<&'a str>,
    /// The version of its format; `1.0` when absent.
    pub version: Option<&'a str>,
}

impl<'a> NewEvent<'a> {
    /// Returns an event with the current time.
    pub fn new(kind: &'a str, fields: &'a str) -> Self {
        NewEvent {
            kind,
            fields,
            timestamp: None,
            version: None,
        }
    }

    fn write(&self, number: u64, now: &str, lines: &mut Vec<u8>) -> Result<()> {
        if memchr::memchr(b'\n', self.fields.as_bytes()).is_some() {
            return Err(Error::invalid("event", "expected a single line"));
        }
        let mut head = String::with_capacity(128);
        for (name, value) in [
            (EVENT_HEAD, self.version.unwrap_or("1.0")),
            (",\"timestamp\":", self.timestamp.unwrap_or(now)),
            (",\"type\":", self.kind),
        ] {
            head.push_str(name);
            write_string(value, &mut head);
        }
        let comma = if self.fields.is_empty() { "" } else { "," };
        let seq = number.to_string();
        for part in [&head, ",\"seq\":", &seq, comma, self.fields, "}\n"] {
            lines.extend_from_slice(part.as_bytes());
        }
        Ok(())
    }
}

/// Returns the age of the oldest generation that a rotation keeps; `None` when it would remove unread events of a live reader and
/// the file may still grow.
fn kept_for(
    writer: &mut JournalWriter<'_>,
    readers: &Readers,
    postponed: &mut Option<(FileId, u64)>,
    bytes_max: u64,
) -> Option<usize> {
    /// Checking the readers costs more than an append, so it is not done at each.
    const ASKED_EVERY_BYTES: u64 = 64 * 1024;
    let (id, len) = (writer.state().id, writer.len());
    let may_grow = len < bytes_max.saturating_add(UNREAD_BYTES_MAX);
    if may_grow && postponed.is_some_and(|(file, until)| file == id && len < until) {
        return None;
    }
    let journal = writer.journal();
    let files = event_files(journal.disk().as_ref(), journal.path());
    let kept = kept_age(&files);
    if may_grow && readers.oldest_needed(&files) > kept {
        *postponed = Some((id, len + ASKED_EVERY_BYTES.min(bytes_max)));
        return None;
    }
    *postponed = None;
    Some(kept)
}

fn end_of(span: Span) -> u64 {
    span.offset + span.len
}

/// Returns the newest sequence number in the file, or in the generation before it.
fn newest_number(writer: &mut JournalWriter<'_>, ownership: &Ownership) -> Result<u64> {
    let len = writer.len();
    let journal = writer.journal();
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
    let previous = rotated_path(journal.path());
    let disk = journal.disk().as_ref();
    let io = Error::io("read", &previous);
    if ownership.open_read(disk, &previous).map_err(io)?.is_none() {
        return Ok(0);
    }
    let bytes = read_file(disk, &previous)?.unwrap_or_default();
    Ok(newest_in(&bytes).unwrap_or(0))
}

fn newest_in(bytes: &[u8]) -> Option<u64> {
    bytes
        .rsplit(|b| *b == b'\n')
        .find_map(|line| head::read_head(clean(line))?.number)
}

#[cfg(test)]
mod tests;
