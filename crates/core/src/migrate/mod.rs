//! Migration: every record of `.forge/` to the latest `_v`, and the older tools' files to where their records belong.
//!
//! Each file is converted under its journal's lock, in one step, after its original was copied into the backup. What is
//! done once is found done by the next run, so that a run that was killed is simply run again.

mod convert;
mod files;
mod moves;
mod steps;

use std::path::PathBuf;
use std::sync::Arc;

pub use convert::{Conversion, convert};
pub use files::RecordShape;

use crate::backup::Backup;
use crate::error::{Error, Result};
use crate::journal::{Journal, LockFile};
use crate::memory::Memory;
use crate::thought::FORMAT_VERSION;

/// What became of a file, or would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFate {
    /// All its records are of the latest version.
    Current,
    /// It is rewritten.
    Migrated,
    /// Its records go to another file.
    Moved,
    /// A newer forge-memory wrote it; it is left alone.
    Newer,
    /// It is not what its name says; it is left alone.
    Foreign,
}

impl FileFate {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            FileFate::Current => "current",
            FileFate::Migrated => "migrated",
            FileFate::Moved => "moved",
            FileFate::Newer => "newer",
            FileFate::Foreign => "foreign",
        }
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileMigration {
    /// Its name within `.forge/`.
    pub name: String,
    /// What became of it.
    pub fate: FileFate,
    /// Where its records go, when they move.
    pub target: Option<String>,
    /// Its records.
    pub records: u64,
    /// Those that change or move.
    pub changed: u64,
    /// Lines that are no JSON objects; they are kept as they are.
    pub unparsable: u64,
    /// What else changes, or why it is left alone.
    pub notes: Vec<String>,
}

/// What a migration did, or would do.
#[derive(Debug, Clone, PartialEq)]
pub struct MigrationReport {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The latest version.
    pub version: u32,
    /// Where the originals are, if anything was rewritten.
    pub backup: Option<String>,
    /// The files.
    pub files: Vec<FileMigration>,
}

impl MigrationReport {
    /// Returns how many records changed.
    pub fn changed(&self) -> u64 {
        self.files.iter().map(|file| file.changed).sum()
    }
}

impl Memory {
    /// Brings every record under `.forge/` to the latest version.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, those before it are done, and the next run goes on.
    pub fn migrate(&mut self, dry_run: bool) -> Result<MigrationReport> {
        let now = self.surroundings.clock.now_ms();
        let forge = self.forge_dir();
        let mut backup = Backup::new(Arc::clone(&self.surroundings.disk), &forge, now);
        let names = files::journals_in(self.surroundings.disk.as_ref(), &forge);
        let moves = moves::moves_in(self.surroundings.disk.as_ref(), &forge);
        self.progress.begin((names.len() + moves.len()) as u64);
        let mut files = Vec::new();
        for name in names {
            files.push(self.migrate_file(&name, dry_run, &mut backup)?);
            self.progress.advance(1);
        }
        for plan in moves {
            files.extend(self.migrate_by_moving(&plan, dry_run, &mut backup)?);
            self.progress.advance(1);
        }
        Ok(MigrationReport {
            dry_run,
            version: FORMAT_VERSION,
            backup: backup.made(),
            files,
        })
    }

    fn migrate_file(&mut self, name: &str, dry_run: bool, backup: &mut Backup) -> Result<FileMigration> {
        let shape = RecordShape::of(name);
        let path = self.forge_dir().join(name);
        let disk = Arc::clone(&self.surroundings.disk);
        let seen = crate::journal::read_file(disk.as_ref(), &path)?.unwrap_or_default();
        let mut found = convert(&seen, shape);
        if !dry_run && found.bytes.is_some() {
            self.journal_of(name).replace::<Error>(|old| {
                if old != seen {
                    // Somebody has written since.
                    found = convert(old, shape);
                }
                if found.bytes.is_some() {
                    backup.keep(name, old)?;
                }
                Ok(found.bytes.take().inspect(|_| found.rewritten = true))
            })?;
        }
        Ok(found.into_file(name))
    }

    /// Returns a journal for any file of `.forge/`, under the lock that its other writers take.
    pub(crate) fn journal_of(&self, name: &str) -> Journal {
        let disk = Arc::clone(&self.surroundings.disk);
        let path: PathBuf = self.forge_dir().join(name);
        let lock = match files::own_lock(name) {
            Some(lock) => LockFile::new(Arc::clone(&disk), self.forge_dir().join("locks").join(lock)),
            None => self.capture_lock.clone(),
        };
        Journal::under(disk, path, lock)
    }
}
