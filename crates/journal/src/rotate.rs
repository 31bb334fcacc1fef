//! Size-based log rotation, for files that would otherwise grow without bound: events and telemetry.

use std::path::{Path, PathBuf};

use super::{Held, Journal, Look, Span, temporary_path, write_file};
use crate::error::{Error, Result};

/// Returns where the previous generation of a rotated file is kept: `events.jsonl` becomes `events.1.jsonl`.
pub fn rotated_path(path: &Path) -> PathBuf {
    generation_path(path, 1)
}

/// Returns where a generation of a rotated file is; 1 is the youngest.
pub fn generation_path(path: &Path, age: usize) -> PathBuf {
    let stem = path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let extension = path
        .extension()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    path.with_file_name(format!("{stem}.{age}.{extension}"))
}

/// What is to be done with a file that has reached its size.
#[derive(Debug)]
pub enum Rotation {
    /// It becomes the previous generation, and the new file begins with this line, if any.
    Now(Option<Vec<u8>>),
    /// It keeps growing; the caller is asked again at the next append.
    PutOff,
}

/// Decides about a file that has reached its size.
pub type OnRotation<'c, E> = dyn FnMut(&mut Held<'_>) -> Result<Rotation, E> + 'c;

impl Journal {
    /// Appends a record that is composed under the lock. When the file has reached `bytes_max`, it first becomes the
    /// previous generation (the one before that goes) and `carry` may open the new file with a line of its own, or put
    /// that off.
    ///
    /// # Errors
    /// As [`Journal::append`], and whatever `compose` or `carry` answers.
    pub fn append_rotating<E: From<Error>>(
        &mut self,
        bytes_max: u64,
        carry: &mut OnRotation<'_, E>,
        compose: &mut dyn FnMut(&mut Held<'_>) -> Result<Vec<u8>, E>,
    ) -> Result<Span, E> {
        let mut held = self.hold_rotating(bytes_max, carry)?;
        let record = compose(&mut held)?;
        Ok(held.append(&record)?)
    }

    /// Appends whole lines with their line ends, after a rotation that is due.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_lines_rotating(&mut self, bytes_max: u64, lines: &[u8]) -> Result<Span> {
        self.hold_rotating::<Error>(bytes_max, &mut |_| Ok(Rotation::Now(None)))?
            .append_lines(lines)
    }

    /// Takes the journal's lock as [`Journal::hold`] does, and rotates first when the file has reached `bytes_max`, unless
    /// `carry` puts that off.
    ///
    /// # Errors
    /// As [`Journal::hold`], and whatever `carry` answers.
    pub fn hold_rotating<E: From<Error>>(
        &mut self,
        bytes_max: u64,
        carry: &mut OnRotation<'_, E>,
    ) -> Result<Held<'_>, E> {
        let mut held = self.hold_by(Look::Brief)?;
        if held.len() >= bytes_max {
            // Another process may have rotated it already, and what is open here is the previous generation.
            held.look_up()?;
        }
        if held.is_empty() {
            held.undo_rotation(bytes_max)?;
        }
        if held.len() >= bytes_max && !held.is_empty() {
            match carry(&mut held)? {
                Rotation::Now(first) => held.rotate(first)?,
                Rotation::PutOff => {}
            }
        }
        Ok(held)
    }
}

impl Held<'_> {
    /// Takes the file that the path leads to now.
    fn look_up(&mut self) -> Result<()> {
        self.journal.lookup_in = 0;
        self.state = self
            .journal
            .open_for_append(Look::Brief)
            .inspect_err(|_| self.journal.open = None)?;
        Ok(())
    }

    /// Makes the file the previous generation, and one that begins with `first` the file. Without room for that line
    /// everything stays as it is.
    fn rotate(&mut self, first: Option<Vec<u8>>) -> Result<()> {
        let path = &self.journal.path;
        let next = match first {
            None => None,
            Some(mut line) => {
                line.push(b'\n');
                let next = temporary_path(path);
                write_file(self.journal.disk.as_ref(), &next, &line)?;
                Some(next)
            }
        };
        let (path, previous) = (path.clone(), rotated_path(path));
        self.move_over(&path, &previous)?;
        if let Some(next) = next {
            self.move_over(&next, &path)?;
        }
        self.state = self.journal.reopen_for_append()?;
        Ok(())
    }

    /// Takes the previous generation back when a process died between making it and making the next file.
    fn undo_rotation(&mut self, bytes_max: u64) -> Result<()> {
        let (path, previous) = (self.journal.path.clone(), rotated_path(&self.journal.path));
        if self
            .journal
            .disk
            .stat(&previous)
            .is_ok_and(|state| state.len >= bytes_max)
        {
            self.move_over(&previous, &path)?;
            self.state = self.journal.reopen_for_append()?;
        }
        Ok(())
    }

    /// Moves the file elsewhere and begins another one.
    ///
    /// # Errors
    /// `IO` when it cannot be moved; it stays then.
    pub fn set_aside(&mut self, to: &Path) -> Result<()> {
        let path = self.journal.path.clone();
        self.move_over(&path, to)?;
        self.state = self.journal.reopen_for_append()?;
        Ok(())
    }

    fn move_over(&mut self, from: &Path, to: &Path) -> Result<()> {
        // Windows does not move a file that is open for appending.
        self.journal.open = None;
        self.journal.disk.rename(from, to).map_err(Error::io("rotate", from))
    }
}
