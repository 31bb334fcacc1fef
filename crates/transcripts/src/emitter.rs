//! Passes events from a reader to a sink. Secrets are redacted here, before anything leaves the reader, and texts are truncated afterwards.

use std::collections::BTreeMap;

use forge_memory_core::text::lines::{head, tail};
use forge_memory_redact::redact;

use crate::event::{Event, Kind, Session};
use crate::human_text;

/// The most bytes of a text that are scanned for secrets. It is larger than [`TEXT_MAX`], so a secret that this limit splits is cut off.
const LOOKED_MAX: usize = 24 * 1024;
/// The most bytes kept of a text by a person or an agent.
const TEXT_MAX: usize = 16 * 1024;
/// The most bytes kept of a tool's result: its beginning and its end.
const RESULT_MAX: usize = 4 * 1024;
const PATHS_MAX: usize = 50;

/// Receives the events of sessions.
pub trait Sink {
    /// A session begins, or its metadata changed.
    fn session(&mut self, session: &Session);
    /// The next event of the session.
    fn event(&mut self, event: Event);
    /// Returns true if the events of a session are wanted.
    fn wants(&self, session: &Session) -> bool {
        let _ = session;
        true
    }
    /// Returns true if an event is wanted; called before redaction, which is expensive.
    fn takes(&self, event: &Event) -> bool {
        let _ = event;
        true
    }
}

/// Counts of the lines and records that a reader skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines that are not JSON, or incomplete.
    pub invalid: u64,
    /// Lines and documents that are too long.
    pub oversized: u64,
    /// Records of unknown types, by type.
    pub unknown: BTreeMap<String, u64>,
}

impl Skipped {
    /// Adds the counts of another reader.
    pub fn add(&mut self, other: &Skipped) {
        self.invalid += other.invalid;
        self.oversized += other.oversized;
        for (name, count) in &other.unknown {
            self.note_unknown(name, *count);
        }
    }

    fn note_unknown(&mut self, name: &str, count: u64) {
        const NAMES_MAX: usize = 64;
        if self.unknown.len() < NAMES_MAX || self.unknown.contains_key(name) {
            *self.unknown.entry(name.chars().take(40).collect()).or_default() += count;
        }
    }
}

/// Selects sessions by their working directory; events of all others are not read.
pub type Wants<'s> = &'s (dyn Fn(Option<&str>) -> bool + Sync);

/// The only way out of a reader: filters, redacts and truncates events.
pub struct Emitter<'s> {
    sink: &'s mut dyn Sink,
    wants: Wants<'s>,
    /// True if the current session is selected.
    is_wanted: bool,
    /// Lines and records that were skipped.
    pub skipped: Skipped,
}

impl std::fmt::Debug for Emitter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emitter")
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}

impl<'s> Emitter<'s> {
    /// Returns an emitter for a sink.
    pub fn new(sink: &'s mut dyn Sink, wants: Wants<'s>) -> Self {
        Emitter {
            sink,
            wants,
            is_wanted: true,
            skipped: Skipped::default(),
        }
    }

    /// Passes on the metadata of a session, which becomes the current one.
    pub(crate) fn session(&mut self, session: &Session) {
        self.is_wanted = (self.wants)(session.cwd.as_deref()) && self.sink.wants(session);
        self.sink.session(session);
    }

    /// Returns true if the current session is selected; records of others need not be read.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Counts a record of an unknown type.
    pub(crate) fn unknown(&mut self, kind: &str) {
        self.skipped.note_unknown(kind, 1);
    }

    /// Passes on the text that a person typed, without the parts that programs inserted.
    pub(crate) fn human(&mut self, mut event: Event) {
        if !self.is_wanted || !self.sink.takes(&event) {
            return;
        }
        if let Some(typed) = human_text::human(&event.text) {
            event.text = typed;
            self.event(event);
        }
    }

    /// Passes on an event, redacted.
    pub(crate) fn event(&mut self, mut event: Event) {
        if !self.is_wanted || !self.sink.takes(&event) {
            return;
        }
        let max = if event.kind == Kind::Result {
            RESULT_MAX
        } else {
            TEXT_MAX
        };
        event.text = clean(&human_text::without_private(&event.text), max);
        if event.kind == Kind::Text && event.text.trim().is_empty() {
            return;
        }
        event.command = event
            .command
            .map(|command| clean(&command, TEXT_MAX))
            .filter(|command| !command.is_empty());
        event.paths.truncate(PATHS_MAX);
        event.paths = event.paths.iter().map(|path| clean(path, 1024)).collect();
        self.sink.event(event);
    }
}

/// Redacts, then truncates: the other way round, half of a secret could escape redaction.
fn clean(text: &str, max: usize) -> String {
    let looked = if text.len() > LOOKED_MAX {
        ends(text, LOOKED_MAX / 2)
    } else {
        text.to_owned()
    };
    let redacted = redact(&looked).text;
    if redacted.len() > max {
        ends(&redacted, max / 2)
    } else {
        redacted.into_owned()
    }
}

/// Returns the first and the last bytes of a text.
fn ends(text: &str, bytes: usize) -> String {
    format!("{}\n…\n{}", head(text, bytes), tail(text, bytes))
}
