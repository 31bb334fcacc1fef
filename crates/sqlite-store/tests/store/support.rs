//! A store in a temporary folder, and thoughts to put into it.

use std::path::PathBuf;

use forge_memory_core::clock::{Millis, parse_iso};
use forge_memory_core::journal::OsDisk;
use forge_memory_sqlite_store::{EmbeddedStore, Meaning, PutOutcome, StoreAnswer, StoreFilter, StoredThought};

use super::dice::Dice;

/// The model with which the limits of relevance were measured: what is near by chance is no answer.
pub const MODEL: &str = "local:all-MiniLM-L6-v2";

pub struct Shop {
    pub folder: tempfile::TempDir,
}

impl Shop {
    pub fn new() -> Self {
        Shop {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("home/openbrain.db")
    }

    pub fn open(&self) -> EmbeddedStore {
        EmbeddedStore::open(&OsDisk, &self.path()).unwrap()
    }
}

pub fn noon() -> Millis {
    parse_iso("2026-11-20T12:00:00.000Z").unwrap()
}

pub fn thought(id: &str, content: &str) -> StoredThought {
    StoredThought {
        id: id.into(),
        content: content.into(),
        project: "shop".into(),
        kind: "lesson".into(),
        source: "forge_sweep".into(),
        created_by: "forge-memory".into(),
        captured_at: "2026-11-20T10:00:00.000Z".into(),
        confidence: 0.7,
        metadata: "{}".into(),
        ..StoredThought::default()
    }
}

pub fn put(store: &mut EmbeddedStore, thought: StoredThought) -> PutOutcome {
    store.put(&[(thought, None)]).unwrap()[0]
}

pub fn put_with(store: &mut EmbeddedStore, thought: StoredThought, vector: &[f32]) -> PutOutcome {
    store.put(&[(thought, Some(meaning(vector)))]).unwrap()[0]
}

pub fn meaning(vector: &[f32]) -> Meaning {
    Meaning {
        model: MODEL.into(),
        vector: vector.to_vec(),
    }
}

pub fn filter(limit: usize) -> StoreFilter {
    StoreFilter {
        limit,
        now: noon(),
        ..StoreFilter::default()
    }
}

pub fn ids(answer: &StoreAnswer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.thought.id.as_str()).collect()
}

pub fn found(store: &mut EmbeddedStore, text: &str) -> Vec<String> {
    let answer = store.search(text, None, &filter(10)).unwrap();
    assert!(!answer.semantic);
    ids(&answer).into_iter().map(str::to_owned).collect()
}

/// A vector of length 1 in a random direction.
pub fn direction(dice: &mut Dice, dimensions: usize) -> Vec<f32> {
    (0..dimensions).map(|_| (dice.unit() - 0.5) as f32).collect()
}
