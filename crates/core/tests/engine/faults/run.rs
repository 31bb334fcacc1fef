//! A memory on a faulty disk, and what it has acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use forge_memory_core::journal::{Disk, Journal};
use forge_memory_core::{EditInput, Error, Memory};

use super::findings::Findings;
use crate::common::{Workshop, capture_of, save_of};

/// What was tried with a text.
#[derive(Debug, Clone)]
pub enum Attempt {
    Capture(String),
    Save(String),
    Forget,
}

/// The outcomes of one run.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Text and id of what was acknowledged and must be there.
    pub kept: BTreeMap<String, String>,
    /// What was acknowledged as forgotten or replaced.
    pub gone: BTreeSet<String>,
    /// What failed: it may be there, once.
    pub unsure: BTreeMap<String, Attempt>,
    /// Edits that failed: the old text or the new one is there.
    pub torn_edits: Vec<(String, String)>,
    /// Tiers that took a capture: file and id.
    pub tiers: Vec<(&'static str, String)>,
    /// How many changes were acknowledged.
    pub acknowledged: usize,
}

pub struct Run<'a> {
    pub workshop: &'a Workshop,
    pub memory: Memory,
    pub disk: Arc<dyn Disk>,
    pub ledger: Ledger,
    pub findings: Findings,
}

const QUEUE: &str = "openbrain-queue.jsonl";

fn type_file(kind: &str) -> Option<&'static str> {
    match kind {
        "lesson" => Some("lessons.jsonl"),
        "gotcha" => Some("gotchas.jsonl"),
        "decision" => Some("decisions.jsonl"),
        _ => None,
    }
}

impl Run<'_> {
    pub fn capture(&mut self, kind: &str, text: &str) {
        let outcome = self.memory.capture(capture_of(kind, text)).unwrap();
        let id = outcome.thought.id.clone();
        if outcome.captured {
            self.ledger.acknowledged += 1;
            self.ledger.kept.insert(text.into(), id.clone());
            if outcome.tiers.openbrain.is_ok() {
                self.ledger.tiers.push((QUEUE, id.clone()));
            }
            if outcome.tiers.files.is_ok() {
                self.ledger.tiers.extend(type_file(kind).map(|file| (file, id)));
            }
        } else {
            self.findings
                .check(!outcome.deduped, || format!("{text:?} was taken for a duplicate"));
            let told = !outcome.tiers.files.is_ok();
            self.findings
                .check(told, || format!("the failure with {text:?} is silent"));
            let stored = crate::common::lines::times_stored(&self.workshop.raw_log(), &id) > 0;
            // A record that reached the file whole before the failure may be there; a refused one may not be hidden.
            if !stored || !self.is_excused() {
                self.findings
                    .check(!stored, || format!("{text:?} is stored and reported as lost"));
            }
            self.ledger.unsure.insert(text.into(), Attempt::Capture(kind.into()));
        }
    }

    /// True if the failed operation was the writing of bytes, all of which may have arrived.
    fn is_excused(&self) -> bool {
        self.findings.bytes_may_have_arrived
    }

    /// Captures what the memory has already.
    pub fn capture_again(&mut self, kind: &str, text: &str, like: &str) {
        let had = self.ledger.kept.contains_key(like);
        let outcome = self.memory.capture(capture_of(kind, text)).unwrap();
        if had {
            self.findings
                .check(!outcome.captured, || format!("{text:?} was taken in beside {like:?}"));
        } else if outcome.captured {
            self.ledger.unsure.remove(like);
            self.ledger.kept.insert(text.into(), outcome.thought.id);
        } else if !outcome.deduped {
            self.ledger.unsure.insert(text.into(), Attempt::Capture(kind.into()));
        }
    }

    pub fn save(&mut self, scope: &str, text: &str) {
        match self.memory.save(save_of(scope, "test_command", text)) {
            Ok(outcome) => {
                self.ledger.acknowledged += 1;
                self.ledger.kept.insert(text.into(), outcome.id);
            }
            Err(_) => {
                self.ledger.unsure.insert(text.into(), Attempt::Save(scope.into()));
            }
        }
    }

    pub fn edit(&mut self, text: &str, changed: &str) {
        let Some(id) = self.ledger.kept.remove(text) else {
            return;
        };
        let changes = EditInput {
            body: Some(changed.into()),
            ..EditInput::default()
        };
        match self.memory.edit(&id, changes) {
            Ok(thought) => {
                self.ledger.acknowledged += 1;
                self.ledger.gone.insert(text.into());
                self.ledger.kept.insert(changed.into(), thought.id);
            }
            Err(_) => self.ledger.torn_edits.push((text.into(), changed.into())),
        }
    }

    pub fn forget(&mut self, text: &str) {
        let Some(id) = self.ledger.kept.remove(text) else {
            return;
        };
        match self.memory.forget(&id) {
            Ok(removed) => {
                self.ledger.acknowledged += 1;
                self.findings
                    .check(removed, || format!("{text:?} was not there to be forgotten"));
                self.ledger.gone.insert(text.into());
            }
            Err(_) => {
                self.ledger.unsure.insert(text.into(), Attempt::Forget);
            }
        }
    }

    /// Whatever the disk does, a recall answers.
    pub fn recall(&mut self, text: &str) {
        self.memory.recall(text, &Default::default()).unwrap();
    }

    /// Rewrites the raw log as a compaction would: everything stays, a line is added.
    pub fn rewrite(&mut self) {
        let forge = self.workshop.forge();
        let lock = forge.join("locks/memory-captures.lock");
        let mut journal = Journal::new(Arc::clone(&self.disk), forge.join("memory-captures.jsonl"), lock);
        let note = b"{\"_v\":1,\"_action\":\"note\"}\n";
        // A torn tail is not ours to join with a line.
        let whole = |old: &[u8]| old.last().is_none_or(|last| *last == b'\n');
        let _ = journal.replace::<Error>(|old| Ok(whole(old).then(|| [old, note].concat())));
    }
}
