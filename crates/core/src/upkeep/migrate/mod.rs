//! Migration: converts every record of `.forge/` to the latest `_v`, and moves records of older tools' files to the
//! files of this tool.
//!
//! Each file is converted atomically under the lock of its journal, after its original was copied into the backup. Migration is
//! idempotent: a run that was killed is simply repeated.

mod convert;
mod files;
mod moves;
mod steps;
mod unmigrated;

pub(crate) use unmigrated::{Unsearched, unmigrated_files};

pub use convert::{Conversion, convert};
pub use files::{FileFate, FileMigration, RecordShape};

use crate::error::{Error, Result};
use crate::model::thought::FORMAT_VERSION;
use crate::observe::events::renew_mark;
use crate::project::Project;
use crate::upkeep::backup::Backup;
use crate::upkeep::progress::Progress;
use schemars::JsonSchema;
use serde::Serialize;

/// The result of a migration, or of its dry run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MigrationReport {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The latest version of the record format.
    pub version: u32,
    /// How many records changed.
    pub changed: u64,
    /// The folder with the originals, when something was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// The files.
    pub files: Vec<FileMigration>,
}

/// Migrates every record under `.forge/` to the latest version.
///
/// # Errors
/// `LOCKED` or `IO`; the current file is unchanged then, those before it are done, and the next run continues.
pub(crate) fn migrate(project: &Project, progress: &Progress, dry_run: bool) -> Result<MigrationReport> {
    let (layout, now, redacts) = (&project.layout, project.now(), project.config().settings.redact);
    if !dry_run {
        Backup::remove_old(layout, now);
    }
    let mut backup = Backup::new(layout, now);
    let names = files::journals_in(layout.disk().as_ref(), layout.forge());
    let moves = moves::moves_in(layout.disk().as_ref(), layout.forge());
    progress.begin((names.len() + moves.len()) as u64);
    let mut files = Vec::new();
    for name in names {
        files.push(migrate_file(project, &name, redacts, dry_run, &mut backup)?);
        progress.advance(1);
    }
    for plan in moves {
        let mut moving = moves::Moving {
            layout,
            redacts,
            now,
            dry_run,
            backup: &mut backup,
        };
        files.extend(moving.migrate(&plan)?);
        progress.advance(1);
    }
    Ok(MigrationReport {
        dry_run,
        version: FORMAT_VERSION,
        changed: files.iter().map(|file| file.changed).sum(),
        backup: backup.made(),
        files,
    })
}

fn migrate_file(
    project: &Project,
    name: &str,
    redacts: bool,
    dry_run: bool,
    backup: &mut Backup,
) -> Result<FileMigration> {
    let layout = &project.layout;
    let shape = RecordShape::of(name);
    let seen = layout.read(name)?;
    let mut found = convert(&seen, shape).redacted(redacts);
    if !dry_run && found.bytes.is_some() {
        layout.journal_of(name).replace::<Error>(|old| {
            if old != seen {
                // The file was written to since.
                found = convert(old, shape).redacted(redacts);
            }
            if let Some(fresh) = &found.bytes {
                backup.keep(name, old)?;
                renew_mark(project, name, old, fresh)?;
            }
            Ok(found.bytes.take().inspect(|_| found.rewritten = true))
        })?;
    }
    Ok(found.into_file(name))
}
