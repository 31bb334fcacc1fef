//! Rotation, for the files that would otherwise grow for ever: events and telemetry.

use std::path::{Path, PathBuf};

use super::{Held, Journal, Span};
use crate::error::{Error, Result};

/// Returns where the previous generation of a rotated file is kept: `events.jsonl` becomes `events.1.jsonl`.
pub fn rotated_path(path: &Path) -> PathBuf {
    let stem = path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let extension = path
        .extension()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    path.with_file_name(format!("{stem}.1.{extension}"))
}

impl Journal {
    /// Appends a record that is composed under the lock. When the file has reached `bytes_max`, it first becomes the
    /// previous generation (the one before that goes) and `carry` may open the new file with a line of its own.
    ///
    /// # Errors
    /// As [`Journal::append`], and whatever `compose` or `carry` answers.
    pub fn append_rotating(
        &mut self,
        bytes_max: u64,
        carry: &mut dyn FnMut(&mut Held<'_>) -> Result<Option<Vec<u8>>>,
        compose: &mut dyn FnMut(&mut Held<'_>) -> Result<Vec<u8>>,
    ) -> Result<Span> {
        let mut held = self.hold()?;
        if held.len() >= bytes_max && !held.is_empty() {
            let first = carry(&mut held)?;
            held.rotate()?;
            if let Some(first) = first {
                held.append(&first)?;
            }
        }
        let record = compose(&mut held)?;
        held.append(&record)
    }
}

impl Held<'_> {
    fn rotate(&mut self) -> Result<()> {
        let journal = &mut *self.journal;
        let previous = rotated_path(&journal.path);
        // Windows does not move a file that is open for appending.
        journal.open = None;
        journal
            .disk
            .rename(&journal.path, &previous)
            .map_err(Error::io("rotate", &journal.path))?;
        self.state = journal.reopen_for_append()?;
        Ok(())
    }
}
