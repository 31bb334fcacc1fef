//! Indexes new lines: those that other processes appended, and our own appends.

use super::{BULK_BYTES, JournalIndex};
use crate::clock::Millis;
use crate::error::Result;
use crate::index::MEMORY_SEGMENT_DOCS;
use crate::index::catalog::{mutation_of, renewal_by, span_of, trace_of_ring};
use crate::index::entry::Entry;
use crate::index::memory_segment::{MemorySegment, Mutation, MutationKind};
use crate::index::ruled::HashedRuling;
use crate::journal::{FileId, FileState, Journal, LINE_BYTES_MAX, Line, Span, clean};
use crate::model::thought::{ActionKind, LineKind, Ruling, read_line};

impl JournalIndex {
    /// Indexes the part of the journal after the covered bytes.
    pub(super) fn catch_up(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        self.unended = MemorySegment::default();
        if state.len - self.covered().min(state.len) > BULK_BYTES {
            self.index_bulk(journal, state.len)?;
        }
        if state.len > self.covered() {
            let from = self.covered();
            let mut scratch = std::mem::take(&mut self.scratch);
            let end = journal.scan(from, state.len, &mut |line| self.take_line(&line, &mut scratch))?;
            self.scratch = scratch;
            self.cover(journal, end)?;
            self.take_unended(journal, state.len)?;
        }
        let covered = self.covered();
        self.rings.look(journal, covered)?;
        self.standings.settle();
        self.followed.see(state);
        Ok(())
    }

    /// Makes the record of a last line without line end visible, because some tools never write one. It is kept separately, because the
    /// line may still grow. A record that supersedes another one is not applied until the line is ended.
    fn take_unended(&mut self, journal: &Journal, len: u64) -> Result<()> {
        let span = Span {
            offset: self.covered(),
            len: len.saturating_sub(self.covered()),
        };
        if span.len == 0 || span.len > LINE_BYTES_MAX as u64 {
            return Ok(());
        }
        let line = journal.read(span)?;
        if let LineKind::Record(fields) = read_line(clean(&line)) {
            self.scratch.take_words(&fields, self.family);
            if self.scratch.supersedes.is_none() && self.find_id(self.scratch.id).is_none() {
                self.unended.add(&self.scratch, span);
                for mutation in self.early.get(&self.scratch.id).into_iter().flatten() {
                    self.unended.mutation(*mutation);
                }
            }
        }
        Ok(())
    }

    pub(super) fn cover(&mut self, journal: &Journal, end: u64) -> Result<()> {
        self.active_memtable.advance(end);
        Ok(self.followed.advance_in(journal, end)?)
    }

    pub(super) fn take_line(&mut self, line: &Line<'_>, scratch: &mut Entry) {
        match read_line(line.bytes) {
            LineKind::Record(fields) => {
                scratch.take_words(&fields, self.family);
                self.add_again(scratch, span_of(line));
            }
            LineKind::Action(action) => self.note(mutation_of(action.kind, &action.id, action.at_ms)),
            LineKind::Ruling(ruling) => {
                self.rule(HashedRuling::of(&ruling, span_of(line)));
                self.renew(&ruling);
                self.active_memtable.advance(line.offset + line.span);
            }
            LineKind::Other => {
                if let Some(trace) = trace_of_ring(line.bytes) {
                    self.rings.mark_likely();
                    self.note(trace);
                }
                self.active_memtable.advance(line.offset + line.span);
            }
            LineKind::Unparsable => self.active_memtable.advance(line.offset + line.span),
        }
    }

    fn renew(&mut self, ruling: &Ruling) {
        if let Some(renewal) = renewal_by(ruling) {
            self.note(renewal);
        }
    }

    /// Adds a record that may also exist in an older part.
    pub(super) fn add_again(&mut self, entry: &Entry, span: Span) {
        let older = self.find_older(entry.id);
        self.add(entry, span);
        if let Some((place, gone, confirmed)) = older {
            let repeated = Mutation {
                target: entry.id,
                at: entry.created,
                kind: MutationKind::Repeated,
            };
            let newest = self
                .immutable_memtables
                .last_mut()
                .filter(|_| self.active_memtable.docs() == 0)
                .unwrap_or(&mut self.active_memtable);
            newest.mutations.push(repeated);
            newest.inherit_newest(gone, confirmed);
            self.lay_over(place, repeated);
        }
    }

    pub(super) fn add(&mut self, entry: &Entry, span: Span) {
        if let Some(target) = entry.supersedes {
            self.note(Mutation {
                target,
                at: entry.created,
                kind: MutationKind::Gone,
            });
        }
        self.active_memtable.add(entry, span);
        for mutation in self.early.remove(&entry.id).unwrap_or_default() {
            if mutation.kind == MutationKind::Gone && entry.supersedes.is_some() {
                self.rings.mark_likely();
            }
            self.active_memtable.mutation(mutation);
        }
        if self.active_memtable.docs() >= MEMORY_SEGMENT_DOCS {
            self.freeze();
        }
    }

    pub(super) fn freeze(&mut self) {
        if self.active_memtable.docs() > 0 {
            let end = self.active_memtable.end();
            self.immutable_memtables.push(std::mem::take(&mut self.active_memtable));
            self.active_memtable.advance(end);
        }
    }

    pub(super) fn note(&mut self, mutation: Mutation) {
        if self.active_memtable.find_id(mutation.target).is_some() {
            self.active_memtable.mutation(mutation);
        } else {
            self.active_memtable.mutations.push(mutation);
            self.overlay(mutation, self.segments.len() + self.immutable_memtables.len());
        }
    }

    /// Adds a record that was appended `now` at `span`, whose line ends with `line`. The index must have been refreshed under the same
    /// lock.
    pub fn append(&mut self, entry: &Entry, now: Millis, span: Span, line: &[u8], id: FileId) {
        self.add(entry, span);
        // Not the time of the record: imported ones may be years old.
        self.appended(now, span, line, id);
    }

    /// Applies a mutation that was just appended, likewise.
    pub fn append_mutation(&mut self, kind: ActionKind, target: &str, at: Millis, span: Span, line: &[u8], id: FileId) {
        self.note(mutation_of(kind, target, at));
        self.appended(at, span, line, id);
    }

    /// Applies a ruling that was just appended, likewise.
    pub fn append_ruling(&mut self, ruling: &Ruling, now: Millis, span: Span, line: &[u8], id: FileId) {
        self.rule(HashedRuling::of(ruling, span));
        self.standings.settle();
        self.renew(ruling);
        self.appended(now, span, line, id);
    }

    fn appended(&mut self, at: Millis, span: Span, line: &[u8], id: FileId) {
        self.appended_before = std::mem::replace(&mut self.appended_at, at);
        // 0 means that the modification time is unknown.
        let state = FileState {
            id,
            len: span.offset + span.len,
            modified_ns: 0,
            links: 1,
        };
        self.active_memtable.advance(state.len);
        self.followed.append(state, line);
    }
}
