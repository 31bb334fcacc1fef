//! A journal that is being written, under its lock.

use std::io;

use super::{Durability, FileState, Journal, Span, write_whole};
use crate::error::{Error, Result};

/// A journal whose lock is held until this is dropped.
#[derive(Debug)]
pub struct JournalWriter<'a> {
    pub(super) journal: &'a mut Journal,
    pub(super) state: FileState,
}

impl JournalWriter<'_> {
    /// Returns the length of the file.
    pub fn len(&self) -> u64 {
        self.state.len
    }

    /// True if the file is empty.
    pub fn is_empty(&self) -> bool {
        self.state.len == 0
    }

    /// Returns the state of the file: its current length, and its modification time when the lock was taken.
    pub fn state(&self) -> FileState {
        self.state
    }

    /// Returns the journal, to read from.
    pub fn journal(&mut self) -> &mut Journal {
        self.journal
    }

    /// Ends a torn tail, which a crashed writer left, with a line end: the fragment becomes a line of its own. This
    /// must be called before records are searched under the lock, because the fragment may be a complete record.
    ///
    /// # Errors
    /// `IO` when the file cannot be written.
    pub fn close_tail(&mut self) -> Result<()> {
        if self.ends_torn()? {
            self.write(b"\n")?;
            self.state.len += 1;
            // The modification time is not read again, as after an append.
            self.state.modified_ns = 0;
            self.journal.whole_at = Some(self.state.len);
        }
        Ok(())
    }

    /// Appends one record as one line, after ending a torn tail.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the record contains a line end, `IO` when the file cannot be written. The record is not
    /// acknowledged then, and the next append ends a fragment of it.
    pub fn append(&mut self, record: &[u8]) -> Result<Span> {
        if memchr::memchr(b'\n', record).is_some() {
            return Err(Error::invalid("record", "expected a single line"));
        }
        let mut line = Vec::with_capacity(record.len() + 1);
        line.extend_from_slice(record);
        line.push(b'\n');
        self.append_lines(&line)
    }

    /// Appends complete lines in one write. After a crash a prefix of them may be in the file.
    ///
    /// # Errors
    /// As [`JournalWriter::append`]; `INVALID_INPUT` when the last line has no end.
    pub fn append_lines(&mut self, lines: &[u8]) -> Result<Span> {
        if lines.last() != Some(&b'\n') {
            return Err(Error::invalid("record", "expected complete lines"));
        }
        self.close_tail()?;
        if let Some(copy) = &mut self.journal.copy {
            copy.append(lines)?;
        }
        self.write(lines)?;
        let span = Span {
            offset: self.state.len,
            len: lines.len() as u64,
        };
        self.state.len += lines.len() as u64;
        self.journal.whole_at = Some(self.state.len);
        Ok(span)
    }

    fn write(&mut self, line: &[u8]) -> Result<()> {
        let journal = &mut *self.journal;
        let durable = journal.durability == Durability::Disk;
        let path = &journal.path;
        let Some(open) = &mut journal.open else {
            return Err(Error::io("append to", path)(io::ErrorKind::NotFound.into()));
        };
        let mut outcome = write_whole(open.file.as_mut(), line);
        if outcome.is_ok() && durable {
            outcome = open.file.sync();
        }
        let outcome = outcome.map_err(Error::io("append to", path));
        if outcome.is_err() {
            // The state of the file is unknown: the next writer opens it again.
            journal.open = None;
            journal.whole_at = None;
        }
        outcome
    }

    fn ends_torn(&self) -> Result<bool> {
        if self.state.len == 0 || self.journal.whole_at == Some(self.state.len) {
            return Ok(false);
        }
        let last = self.journal.read_range(self.state.len - 1, self.state.len)?;
        Ok(last.first().is_some_and(|b| *b != b'\n'))
    }
}

impl Drop for JournalWriter<'_> {
    fn drop(&mut self) {
        self.journal.lock.release();
    }
}
