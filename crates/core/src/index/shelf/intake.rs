//! Taking lines in: what other processes appended, and what we have just appended ourselves.

use super::{BULK_BYTES, Shelf};
use crate::clock::Millis;
use crate::error::Result;
use crate::index::CHUNK_DOCS;
use crate::index::catalog::{remark_of, trace_of_ring};
use crate::index::chunk::{Chunk, Remark, RemarkKind};
use crate::index::entry::Entry;
use crate::journal::{FileId, FileState, Journal, LINE_BYTES_MAX, Line, Span, clean};
use crate::model::thought::{ActionKind, LineKind, read_line};

impl Shelf {
    /// Reads what the journal has beyond the covered bytes.
    pub(super) fn catch_up(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        self.unended = Chunk::default();
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
        self.followed.see(state);
        Ok(())
    }

    /// Makes the record of a last line without a line end visible: some tools never write one. It stays apart, because
    /// more may come to that line. One that takes the place of another record waits until the line is ended.
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
                for remark in self.early.get(&self.scratch.id).into_iter().flatten() {
                    self.unended.remark(*remark);
                }
            }
        }
        Ok(())
    }

    pub(super) fn cover(&mut self, journal: &Journal, end: u64) -> Result<()> {
        self.young.advance(end);
        Ok(self.followed.advance_in(journal, end)?)
    }

    pub(super) fn take_line(&mut self, line: &Line<'_>, scratch: &mut Entry) {
        match read_line(line.bytes) {
            LineKind::Record(fields) => {
                scratch.take_words(&fields, self.family);
                self.add_again(
                    scratch,
                    Span {
                        offset: line.offset,
                        len: line.span,
                    },
                );
            }
            LineKind::Action(action) => self.note(remark_of(action.kind, &action.id, action.at_ms)),
            LineKind::Other => {
                if let Some(trace) = trace_of_ring(line.bytes) {
                    self.rings.expect();
                    self.note(trace);
                }
                self.young.advance(line.offset + line.span);
            }
            LineKind::Unparsable => self.young.advance(line.offset + line.span),
        }
    }

    /// Takes in a record that may stand in an older part as well.
    pub(super) fn add_again(&mut self, entry: &Entry, span: Span) {
        let older = self.find_older(entry.id);
        self.add(entry, span);
        if let Some((place, gone, confirmed)) = older {
            let repeated = Remark {
                target: entry.id,
                at: entry.created,
                kind: RemarkKind::Repeated,
            };
            let newest = self
                .frozen
                .last_mut()
                .filter(|_| self.young.docs() == 0)
                .unwrap_or(&mut self.young);
            newest.remarks.push(repeated);
            newest.inherit_newest(gone, confirmed);
            self.lay_over(place, repeated);
        }
    }

    pub(super) fn add(&mut self, entry: &Entry, span: Span) {
        if let Some(target) = entry.supersedes {
            self.note(Remark {
                target,
                at: entry.created,
                kind: RemarkKind::Gone,
            });
        }
        self.young.add(entry, span);
        for remark in self.early.remove(&entry.id).unwrap_or_default() {
            if remark.kind == RemarkKind::Gone && entry.supersedes.is_some() {
                self.rings.expect();
            }
            self.young.remark(remark);
        }
        if self.young.docs() >= CHUNK_DOCS {
            self.freeze();
        }
    }

    pub(super) fn freeze(&mut self) {
        if self.young.docs() > 0 {
            let end = self.young.end();
            self.frozen.push(std::mem::take(&mut self.young));
            self.young.advance(end);
        }
    }

    /// Takes in what happened to a record.
    pub(super) fn note(&mut self, remark: Remark) {
        if self.young.find_id(remark.target).is_some() {
            self.young.remark(remark);
        } else {
            self.young.remarks.push(remark);
            self.overlay(remark, self.segments.len() + self.frozen.len());
        }
    }

    /// Takes in a record that was appended `now` at `span`, whose line ends with `line`. The shelf must have been
    /// refreshed under the same lock.
    pub fn append(&mut self, entry: &Entry, now: Millis, span: Span, line: &[u8], id: FileId) {
        self.add(entry, span);
        // Not the time of the record: what is imported may be years old.
        self.appended(now, span, line, id);
    }

    /// Takes in what just happened to a record, likewise.
    pub fn append_remark(&mut self, kind: ActionKind, target: &str, at: Millis, span: Span, line: &[u8], id: FileId) {
        self.note(remark_of(kind, target, at));
        self.appended(at, span, line, id);
    }

    fn appended(&mut self, at: Millis, span: Span, line: &[u8], id: FileId) {
        self.appended_before = std::mem::replace(&mut self.appended_at, at);
        // The time of the change is not looked up; 0 says so.
        let state = FileState {
            id,
            len: span.offset + span.len,
            modified_ns: 0,
            links: 1,
        };
        self.young.advance(state.len);
        self.followed.append(state, line);
    }
}
