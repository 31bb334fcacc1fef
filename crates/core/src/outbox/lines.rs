//! The lines of the queue that a drain knows: each one in one [`LineState`], and the order in which those about one thought take their turns.
//!
//! Of a settled line only its key is kept, so that another copy of it is recognised.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Key;
use super::log::{Settled, WaitingLine};
use super::state::{LineEvent, LineState};
use crate::clock::Millis;
use crate::journal::{FileId, Span};
use crate::model::thought::id_hash;

/// How far the queue was scanned.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The queue file to which the offsets refer; `None` before the first scan and after a foreign change.
    pub file: Option<FileId>,
    /// The offset up to which the queue was scanned, and a hash of the bytes before it.
    pub cursor: u64,
    pub tail: u64,
    /// The length of the queue at the last complete scan.
    pub seen: u64,
    /// Lines before this offset are due at once, whatever their back-off says: the user asked for a retry.
    pub retry_before: u64,
    /// Set when a span belonged to another line: the spans in the log are then ignored.
    pub distrusts_spans: bool,
    /// True if settled lines are counted during the scan.
    pub counts_done: bool,
}

/// A line that is not settled.
#[derive(Debug)]
pub(super) struct Line {
    pub state: LineState,
    /// Where it is, how often it was tried, and when it is due: its entry in the log while it waits.
    pub entry: WaitingLine,
    pub is_logged: bool,
    /// The id hashes of its thoughts, and where it stands among the lines about them; `None` while only the log knows it.
    names: Vec<u64>,
    turn: Option<u64>,
    /// Its bytes, while it is leased.
    pub bytes: Vec<u8>,
}

impl Line {
    /// True if the log has to know that it waits.
    pub fn has_waited(&self) -> bool {
        self.is_logged || self.state == LineState::Waiting
    }

    pub fn is_leased(&self) -> bool {
        self.state == LineState::Leased
    }
}

/// A step of one line, which a settlement writes before it is made.
#[derive(Debug)]
pub(super) struct Step {
    pub key: Key,
    pub event: LineEvent,
    /// The entry of a line that waits afterwards.
    pub entry: Option<WaitingLine>,
}

/// The lines about one thought: where the unsettled ones are, and which of them wait for an earlier one.
#[derive(Debug, Default)]
struct Turns {
    open: Vec<u64>,
    blocked: Vec<Key>,
}

/// All lines that a drain knows.
#[derive(Debug, Default)]
pub(super) struct Lines {
    live: FxHashMap<Key, Line>,
    pub settled: FxHashSet<Key>,
    /// The waiting lines by the time of their next attempt. May have some that do not wait any more.
    due: BinaryHeap<Reverse<(Millis, u64, Key)>>,
    turns: FxHashMap<u64, Turns>,
    /// Held lines whose turn may have come, in the order of the file.
    freed: BTreeSet<(u64, Key)>,
}

impl Lines {
    pub fn get(&self, key: Key) -> Option<&Line> {
        self.live.get(&key)
    }

    pub fn all(&self) -> impl Iterator<Item = (&Key, &Line)> {
        self.live.iter()
    }

    pub fn leased(&self) -> impl Iterator<Item = &Line> {
        self.live.values().filter(|line| line.is_leased())
    }

    /// Makes the step that an event means for a line. Returns the state afterwards; `None`, and nothing changes, when the table has no such step.
    pub fn step(&mut self, key: Key, event: LineEvent) -> Option<LineState> {
        let line = self.live.get_mut(&key)?;
        line.state = line.state.after(event)?;
        if !line.is_leased() {
            line.bytes.clear();
        }
        Some(line.state)
    }

    /// Forgets lines of a file that is another one now; the leases stay, with places that the next scan finds.
    pub fn forget(&mut self) {
        let live = std::mem::take(&mut self.live).into_iter();
        *self = Lines::default();
        for (key, mut line) in
            live.filter(|(_, line)| line.state.after(LineEvent::Rewritten) == Some(LineState::Leased))
        {
            (line.turn, line.is_logged, line.entry.at) = (None, false, 0);
            let names = std::mem::take(&mut line.names);
            self.live.insert(key, line);
            self.open(key, names);
        }
    }

    /// Takes over the contents of the log. Its places are those in this file only when it is about it.
    pub fn load(&mut self, log: Settled, is_about: bool) {
        self.settled = log.done;
        for (key, entry) in log.waiting {
            if self.live.contains_key(&key) {
                continue;
            }
            let names = names_of(&entry);
            self.note(key, entry);
            if is_about {
                self.open(key, names);
                self.wait(key);
            }
            self.live.entry(key).and_modify(|line| line.is_logged = true);
        }
    }

    /// True if a line that the scan finds is known already: a copy of another one, or a lease whose place is then known again.
    pub fn has_read(&mut self, key: Key, at: u64) -> bool {
        let line = self.live.get_mut(&key).filter(|line| line.turn.is_some());
        line.is_some_and(|line| {
            if line.is_leased() {
                line.entry.at = at;
            }
            true
        })
    }

    /// Notes a line that the scan has found, or the log.
    pub fn note(&mut self, key: Key, entry: WaitingLine) {
        if let Some(line) = self.live.get_mut(&key) {
            line.entry = entry;
            return;
        }
        let line = Line {
            state: LineState::Unread,
            entry,
            is_logged: false,
            names: Vec::new(),
            turn: None,
            bytes: Vec::new(),
        };
        self.live.insert(key, line);
    }

    /// Queues a line among those about the same thoughts, once.
    pub fn open(&mut self, key: Key, names: Vec<u64>) {
        if let Some(line) = self.live.get_mut(&key).filter(|line| line.turn.is_none()) {
            for name in &names {
                self.turns.entry(*name).or_default().open.push(line.entry.at);
            }
            (line.turn, line.names) = (Some(line.entry.at), names);
        }
    }

    /// Returns the thought about which an earlier line is not settled: one of the line's own, or another one that it concerns.
    pub fn blocking(&self, key: Key, concerned: Option<u64>) -> Option<u64> {
        let line = self.live.get(&key)?;
        let is_taken = |name: &&u64| {
            let turns = self.turns.get(name);
            turns.is_some_and(|turns| turns.open.iter().any(|at| *at < line.entry.at))
        };
        line.names.iter().chain(&concerned).find(is_taken).copied()
    }

    pub fn hold(&mut self, key: Key, name: u64) {
        if self.step(key, LineEvent::Blocked).is_some() {
            self.turns.entry(name).or_default().blocked.push(key);
        }
    }

    /// Lets a line wait until its entry says.
    pub fn wait(&mut self, key: Key) {
        if self.step(key, LineEvent::Early).is_some() {
            self.note_due(key);
        }
    }

    fn note_due(&mut self, key: Key) {
        if let Some(line) = self.live.get(&key).filter(|line| line.state == LineState::Waiting) {
            self.due.push(Reverse((line.entry.due(), line.entry.at, key)));
        }
    }

    pub fn lease(&mut self, key: Key, ids: Vec<String>, bytes: &[u8]) {
        if self.step(key, LineEvent::Due).is_some()
            && let Some(line) = self.live.get_mut(&key)
        {
            (line.entry.ids, line.bytes) = (ids, bytes.to_vec());
        }
    }

    /// Ends all leases without an outcome.
    pub fn return_all(&mut self) {
        let leased: Vec<Key> = self.live.keys().copied().collect();
        for key in leased {
            self.step(key, LineEvent::Returned);
        }
    }

    /// Takes the next held line whose turn may have come.
    pub fn next_freed(&mut self) -> Option<(Key, Span)> {
        while let Some((_, key)) = self.freed.pop_first() {
            if let Some(line) = self.live.get(&key).filter(|line| line.state == LineState::Held) {
                return Some((key, line.entry.span()));
            }
        }
        None
    }

    /// Takes the next waiting line that is due.
    pub fn next_due(&mut self, now: Millis) -> Option<(Key, Span)> {
        let key = self.first_waiting().filter(|(due, _)| *due <= now)?.1;
        self.due.pop();
        Some((key, self.live.get(&key)?.entry.span()))
    }

    /// Returns when the next line that is known is due: at once when the turn of a held one may have come.
    pub fn due_at(&mut self, now: Millis) -> Option<Millis> {
        if self.freed.is_empty() {
            self.first_waiting().map(|(due, _)| due)
        } else {
            Some(now)
        }
    }

    /// Returns the waiting line that is due first. Entries of lines that do not wait any more, or for another moment, are dropped.
    fn first_waiting(&mut self) -> Option<(Millis, Key)> {
        while let Some(Reverse((due, _, key))) = self.due.peek().copied() {
            let line = self.live.get(&key).filter(|line| line.state == LineState::Waiting);
            if line.is_some_and(|line| line.entry.due() == due) {
                return Some((due, key));
            }
            self.due.pop();
        }
        None
    }

    /// Makes steps that are written. The log knows of all that waits then.
    pub fn commit(&mut self, steps: Vec<Step>) {
        for Step { key, event, entry } in steps {
            match self.step(key, event) {
                None if self.live.contains_key(&key) => {}
                Some(state) if !state.is_settled() => {
                    if let (Some(line), Some(entry)) = (self.live.get_mut(&key), entry) {
                        (line.entry, line.is_logged) = (entry, true);
                        self.note_due(key);
                    }
                }
                _ => {
                    self.close(key);
                    self.settled.insert(key);
                }
            }
        }
        self.live
            .values_mut()
            .for_each(|line| line.is_logged = line.has_waited());
    }

    /// Forgets a line that is settled: those that it blocked may have their turn.
    fn close(&mut self, key: Key) {
        let Some(line) = self.live.remove(&key) else { return };
        for name in line.names {
            let Some(turns) = self.turns.get_mut(&name) else {
                continue;
            };
            if let Some(found) = turns.open.iter().position(|at| Some(*at) == line.turn) {
                turns.open.swap_remove(found);
            }
            let spans = turns
                .blocked
                .drain(..)
                .filter_map(|key| Some((self.live.get(&key)?.entry.at, key)));
            self.freed.extend(spans);
            if turns.open.is_empty() {
                self.turns.remove(&name);
            }
        }
    }

    /// Forgets all lines but the leased ones.
    pub fn keep_leases(&mut self) {
        self.settled.clear();
        self.live.retain(|_, line| line.is_leased());
    }
}

/// Returns the id hashes of the thoughts that an entry of the log is about.
fn names_of(line: &WaitingLine) -> Vec<u64> {
    let ids = line.ids.iter().map(|id| id_hash(id));
    ids.chain(line.named.as_deref().map(hash_name)).collect()
}

/// Returns the hash of a name that a thought has besides its id.
pub(super) fn hash_name(name: &str) -> u64 {
    id_hash(&format!("key {name}"))
}
