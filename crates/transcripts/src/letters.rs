//! Statements of people, compared letter by letter.

use std::collections::{BTreeMap, BTreeSet};

use forge_memory_core::text::fold;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::learn::{Candidate, Finding, FindingKind};

/// Statements of people by their letters. One that is in several sessions to the letter is no statement of theirs: a program or a template wrote it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Letters {
    /// The session and the record in which a text was first, by hashes.
    first: BTreeMap<u64, (u64, u64)>,
    templates: BTreeSet<u64>,
}

/// The most texts that are remembered.
const LETTERS_MAX: usize = 50_000;
/// From this confidence on a statement counts although it repeats: its author says that it holds.
const EXPLICIT: f64 = 0.7;

impl Letters {
    pub(crate) fn note(&mut self, candidate: &Candidate) {
        let of = |text: &str| xxh3_64(text.as_bytes());
        let seen = &candidate.seen;
        let here = (of(&seen.session), of(candidate.record.as_deref().unwrap_or_default()));
        if self.first.len() >= LETTERS_MAX {
            self.first.pop_first();
        }
        let text = letters_of(&candidate.text);
        let (session, record) = *self.first.entry(text).or_insert(here);
        // A session that goes on in another file repeats its records.
        let is_copy = candidate.record.is_some() && record == here.1;
        if session != here.0 && !is_copy && candidate.confidence < EXPLICIT {
            self.templates.insert(text);
        }
    }

    pub(crate) fn is_template(&self, finding: &Finding) -> bool {
        let is_of_person = !matches!(finding.kind, FindingKind::Fix | FindingKind::Command);
        is_of_person && self.templates.contains(&letters_of(&finding.text))
    }
}

fn letters_of(text: &str) -> u64 {
    xxh3_64(fold(text).as_bytes())
}
