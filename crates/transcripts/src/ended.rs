//! Learning from one session at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::journal::{LockFile, OsDisk};
use forge_memory_core::project::layout::FORGE_FOLDER;
use forge_memory_core::{Memory, Result};

use crate::backfill::{Backfill, Filter, Finding};
use crate::known_texts::KnownTexts;
use crate::store::{Stored, store};

/// The most new bytes of a transcript that are read at the end of a session.
const BYTES_MAX: u64 = 64 << 20;

/// What became of the findings of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionLearned {
    /// New findings in the review inbox.
    pub proposed: u64,
    /// Findings that the memory had already.
    pub duplicates: u64,
    /// Whether another process was learning, or the file is not in the store of an agent, or has too much new text.
    pub is_skipped: bool,
}

/// Reads what is new in the transcript of an ended session, and puts the findings into the review inbox. It does not wait for another process
/// that is learning. `store_in` stores the findings of one project, and returns nothing while the folder of that project is missing.
///
/// # Errors
/// `IO` or `LOCKED`; what was stored before stays stored.
pub fn learn_session(
    backfill: &Backfill<'_>,
    memory_dir: &Path,
    transcript: PathBuf,
    mut store_in: impl FnMut(&Path, &[&Finding]) -> Result<Option<Stored>>,
) -> Result<SessionLearned> {
    let skipped = |is_skipped| SessionLearned {
        is_skipped,
        ..SessionLearned::default()
    };
    let lock = LockFile::new(Arc::new(OsDisk), backfill.home.join("backfill/lock"));
    if !lock.try_acquire()? {
        return Ok(skipped(true));
    }
    let _held = lock.into_guard();
    let filter = Filter {
        file: Some(transcript),
        bytes_max: Some(BYTES_MAX),
        ..Filter::default()
    };
    let texts = KnownTexts::read(backfill.disk, &memory_dir.join(FORGE_FOLDER))?;
    let plan = backfill.plan(&filter, &texts)?;
    if plan.read == 0 {
        return Ok(skipped(plan.unchanged == 0));
    }
    let mut by_project: BTreeMap<&Path, Vec<&Finding>> = BTreeMap::new();
    for finding in &plan.findings {
        by_project.entry(&finding.project).or_default().push(finding);
    }
    let mut settled = BTreeSet::new();
    let mut learned = SessionLearned::default();
    let outcome = by_project.into_iter().try_for_each(|(folder, findings)| {
        if let Some(stored) = store_in(folder, &findings)? {
            learned.proposed += stored.proposed;
            learned.duplicates += stored.duplicates;
            settled.extend(findings.iter().map(|finding| finding.key.clone()));
        }
        Ok(())
    });
    plan.commit(backfill.disk, &settled)?;
    outcome.map(|()| learned)
}

/// Stores the findings of a project whose texts the plan has not compared, as far as they are new.
///
/// # Errors
/// As [`store`].
pub fn store_new(memory: &mut Memory, findings: &[&Finding]) -> Result<Stored> {
    let texts = KnownTexts::read(memory.disk().as_ref(), &memory.forge_dir())?;
    let fresh: Vec<&Finding> = findings
        .iter()
        .copied()
        .filter(|finding| !texts.has(&finding.text))
        .collect();
    store(memory, &fresh, None)
}
