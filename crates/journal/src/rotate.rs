//! Size-based log rotation, for files that would otherwise grow without bound: events and telemetry.

use std::path::{Path, PathBuf};

use super::{Journal, JournalWriter, Span, StatDetail, temporary_path, write_file};
use crate::error::{Error, Result};

/// Returns where the previous generation of a rotated file is kept: `events.jsonl` becomes `events.1.jsonl`.
pub fn rotated_path(path: &Path) -> PathBuf {
    generation_path(path, 1)
}

/// Returns the path of a generation of a rotated file; 1 is the newest.
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

/// The treatment of a file that has reached its maximum size.
#[derive(Debug)]
pub enum Rotation {
    /// The file becomes the previous generation, and the new file begins with this line, if any.
    Now(Option<Vec<u8>>),
    /// The file keeps growing, and the caller is asked again at the next append.
    Postponed,
}

/// Decides what happens to a file that has reached its maximum size.
pub type OnRotation<'c, E> = dyn FnMut(&mut JournalWriter<'_>) -> Result<Rotation, E> + 'c;

impl Journal {
    /// Appends a record that `compose` makes under the lock. When the file has reached `bytes_max`, it first becomes
    /// the previous generation, and the one before that is deleted. `on_rotation` may begin the new file with a line,
    /// or postpone the rotation.
    ///
    /// # Errors
    /// As [`Journal::append`], and the errors of `compose` and `on_rotation`.
    pub fn append_rotating<E: From<Error>>(
        &mut self,
        bytes_max: u64,
        on_rotation: &mut OnRotation<'_, E>,
        compose: &mut dyn FnMut(&mut JournalWriter<'_>) -> Result<Vec<u8>, E>,
    ) -> Result<Span, E> {
        let mut writer = self.rotating_writer(bytes_max, on_rotation)?;
        let record = compose(&mut writer)?;
        Ok(writer.append(&record)?)
    }

    /// Appends complete lines, after a rotation when one is due.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_lines_rotating(&mut self, bytes_max: u64, lines: &[u8]) -> Result<Span> {
        self.rotating_writer::<Error>(bytes_max, &mut |_| Ok(Rotation::Now(None)))?
            .append_lines(lines)
    }

    /// Takes the journal's lock like [`Journal::writer`]. When the file has reached `bytes_max`, it is rotated first,
    /// unless `on_rotation` postpones that.
    ///
    /// # Errors
    /// As [`Journal::writer`], and the errors of `on_rotation`.
    pub fn rotating_writer<E: From<Error>>(
        &mut self,
        bytes_max: u64,
        on_rotation: &mut OnRotation<'_, E>,
    ) -> Result<JournalWriter<'_>, E> {
        let mut writer = self.writer_with(StatDetail::WithoutTimes)?;
        if writer.len() >= bytes_max {
            // Another process may have rotated the file, and the open one is the previous generation by now.
            writer.reopen()?;
        }
        if writer.is_empty() {
            writer.undo_rotation(bytes_max)?;
        }
        if writer.len() >= bytes_max && !writer.is_empty() {
            match on_rotation(&mut writer)? {
                Rotation::Now(first) => writer.rotate(first)?,
                Rotation::Postponed => {}
            }
        }
        Ok(writer)
    }
}

impl JournalWriter<'_> {
    /// Opens the file that the path leads to now.
    fn reopen(&mut self) -> Result<()> {
        self.journal.path_check_in = 0;
        self.state = self
            .journal
            .open_for_append(StatDetail::WithoutTimes)
            .inspect_err(|_| self.journal.open = None)?;
        Ok(())
    }

    /// Renames the file to the previous generation, and starts a new one with `first`. When that line cannot be
    /// written, nothing changes.
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

    /// Undoes a rotation that a crash interrupted between its two renames.
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

    /// Moves the file to another path, and starts a new one.
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
