//! How many memories have which tag, or were made when, without their texts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::RecallOptions;
use super::reading::{HitReader, OnMismatch};
use super::{ask, found_newest, has_damage, refresh};
use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::index::{Filter, Stores};
use crate::model::scope::ScopeFilter;

/// The length of a time that is counted. Days begin at different times, but everywhere at such a quarter of an hour.
const QUARTER_MS: Millis = 15 * 60 * 1000;

/// What memories are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountedBy {
    /// Each of their labels.
    Tag,
    /// The quarter of an hour in which they were made.
    Quarter,
}

/// A number of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryCount {
    /// The label, or when the quarter of an hour begins.
    pub key: String,
    /// How many have it; copies of one text count once.
    pub count: usize,
}

/// Counts all memories that the options admit, in the order of their keys.
///
/// # Errors
/// As [`super::list`].
pub(crate) fn count(
    stores: &mut Stores,
    by: CountedBy,
    options: &RecallOptions,
    now: Millis,
) -> Result<Vec<MemoryCount>> {
    let filter = options.filter(now)?;
    refresh(stores)?;
    Ok(ask(stores, |stores, on_mismatch| {
        counted(stores, by, &filter, options.scope, on_mismatch)
    }))
}

fn counted(
    stores: &Stores,
    by: CountedBy,
    filter: &Filter,
    scope: ScopeFilter,
    on_mismatch: OnMismatch,
) -> Option<Vec<MemoryCount>> {
    let stores = stores.in_scope(scope);
    let (found, _) = found_newest(&stores, filter, usize::MAX);
    let mut reader = HitReader::new(&stores, &found, &[], on_mismatch);
    let counts = match by {
        CountedBy::Tag => by_tag(&mut reader)?,
        CountedBy::Quarter => by_quarter(&mut reader),
    };
    (!has_damage(&stores)).then(|| {
        counts
            .into_iter()
            .map(|(key, count)| MemoryCount { key, count })
            .collect()
    })
}

type Counts = BTreeMap<String, usize>;

/// ISO 8601 sorts by time.
fn by_quarter(reader: &mut HitReader<'_>) -> Counts {
    let mut counts: BTreeMap<Millis, usize> = BTreeMap::new();
    while let Some(found) = reader.next_text() {
        *counts.entry(found.created.div_euclid(QUARTER_MS)).or_default() += 1;
    }
    let quarters = counts.into_iter();
    quarters
        .map(|(quarter, count)| (format_iso(quarter * QUARTER_MS), count))
        .collect()
}

fn by_tag(reader: &mut HitReader<'_>) -> Option<Counts> {
    let mut counts = Counts::new();
    while let Some(tags) = reader.next_tags().ok()? {
        for tag in tags {
            *counts.entry(tag).or_default() += 1;
        }
    }
    Some(counts)
}
