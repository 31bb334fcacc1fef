//! Clears the entries of one loop or of all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde_json::value::RawValue;

use super::element::Element;
use super::entry::date_of;
use super::place::Place;
use super::reading::{Checked, RalphFilter, Reading, adopt, is_of_loop, loop_titles, names_loop};
use super::splice::{find_lists, part_of, push_remaining, span_in};
use super::store::{not_json, rewrite};
use crate::Lessons;
use crate::place::Choice;
use forge_memory_core::error::Result;

/// Selects the entries to clear.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "RalphClearOptions")]
pub struct ClearOptions {
    /// Only lessons of this loop, by its exact id; all when absent.
    pub loop_id: Option<String>,
    /// When absent: with a loop all stores, without one `.aiwg/ralph/memory.json` alone.
    pub store: Option<Choice>,
    /// Whether entries are only counted.
    pub dry_run: bool,
    /// Only those of the selected entries with these keys, which a dry run has returned, so that later entries stay.
    pub only: Option<Vec<String>>,
}

/// The entries of one loop.
#[derive(Debug, Clone, PartialEq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RalphLoopCount")]
pub struct LoopCount {
    /// The loop; empty for entries that name none.
    pub loop_id: String,
    /// How many there are.
    pub entries: usize,
    /// The title of the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The day of its newest entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// The outcome of clearing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RalphClearOutcome")]
pub struct ClearOutcome {
    /// The number of selected entries.
    pub counted: usize,
    /// How many were deleted; 0 in a dry run.
    pub deleted: usize,
    /// The number of entries left in the shared stores of all loops; in a dry run, how many would be left.
    pub remaining: usize,
    /// The number of selected entries that are kept because they were added after the dry run.
    pub arrived: usize,
    /// The entries by loop, the one with the newest first.
    pub loops: Vec<LoopCount>,
    /// The keys of the selected entries, for `only`.
    pub keys: Vec<String>,
    /// The stores that were changed; in a dry run, those that would be.
    pub stores: Vec<String>,
    /// True when no store exists.
    pub missing: bool,
    /// Warnings about invalid parts, which were skipped.
    pub warnings: Vec<String>,
}

impl Lessons<'_> {
    /// Deletes entries, or counts those that would be deleted. Everything is read before anything is written: when a
    /// store cannot be read, nothing is deleted.
    ///
    /// # Errors
    /// As [`Lessons::list`], and `LOCKED` or `IO` when a store cannot be rewritten.
    pub fn clear(&mut self, options: &ClearOptions) -> Result<ClearOutcome> {
        let filter = RalphFilter {
            loop_id: options.loop_id.clone(),
            since: None,
            store: options.store,
            days: false,
        };
        let checked = filter.check(self.memory.now_ms())?;
        let titles = if options.dry_run {
            loop_titles(self.memory.disk().as_ref(), self.memory.project_dir())
        } else {
            Vec::new()
        };
        let (mut outcome, places) = self.read_stores(&checked, |reading| Ok(count(reading, titles)))?;
        if options.dry_run {
            outcome.remaining = self.count_left(&checked)?.saturating_sub(outcome.remaining);
            return Ok(outcome);
        }
        let mut allowed = options.only.as_ref().map(|keys| {
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for key in keys {
                *counts.entry(key).or_default() += 1;
            }
            counts
        });
        outcome.stores.clear();
        for place in &places {
            let deleted = self.thin(place, &checked, allowed.as_mut())?;
            outcome.deleted += deleted;
            if deleted > 0 {
                outcome.stores.push(place.shown.clone());
            }
        }
        outcome.remaining = self.count_left(&checked)?;
        outcome.arrived = self
            .read_stores(&checked, |reading| Ok(reading.found.len()))
            .unwrap_or(0);
        Ok(outcome)
    }

    /// Counts the entries of the shared stores of all loops.
    fn count_left(&self, filter: &Checked) -> Result<usize> {
        let all = Checked {
            loop_id: None,
            ..filter.clone()
        };
        self.read_stores(&all, |reading| Ok(reading.found.len()))
    }

    /// Deletes the selected entries of one store, limited to the `allowed` keys.
    fn thin(&self, place: &Place, filter: &Checked, mut allowed: Option<&mut HashMap<&str, usize>>) -> Result<usize> {
        let before = allowed.as_deref().cloned();
        rewrite(self.memory.disk(), &place.path, |text| {
            // When the store is read again, the counts start over.
            if let (Some(allowed), Some(before)) = (allowed.as_deref_mut(), &before) {
                allowed.clone_from(before);
            }
            let Some(text) = text else { return Ok((None, 0)) };
            without_removed(text, place, filter, allowed.as_deref_mut()).map_err(|e| not_json(&place.path, &e))
        })
    }
}

fn without_removed(
    text: &str,
    place: &Place,
    filter: &Checked,
    mut allowed: Option<&mut HashMap<&str, usize>>,
) -> serde_json::Result<(Option<String>, usize)> {
    let (document, found) = find_lists(text)?;
    let names_loop = names_loop(place, document.loop_id.as_deref(), filter);
    let owner = document
        .loop_id
        .clone()
        .or_else(|| place.loop_name.clone().map(Cow::Owned));
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let (mut deleted, mut kept) = (0, 0);
    for (list, list_text) in document.lists.iter().zip(&found) {
        let Some(list_text) = list_text else { continue };
        let stays: Vec<bool> = list_text
            .items
            .iter()
            .map(|item| {
                let Element::Entry(entry) = &item.element else {
                    return true;
                };
                let mut entry = entry.clone();
                adopt(&mut entry, owner.as_ref(), list.iteration, list.created_at.as_ref());
                !(is_of_loop(&entry, names_loop, filter) && takes(allowed.as_deref_mut(), &entry.key()))
            })
            .collect();
        let gone = stays.iter().filter(|stays| !**stays).count();
        kept += stays.len() - gone;
        if gone > 0 {
            let mut list = String::with_capacity(list_text.span.len());
            push_remaining(&mut list, text, list_text, &stays)?;
            edits.push((list_text.span.clone(), list));
            deleted += gone;
        }
    }
    if names_loop && deleted > 0 && kept == 0 {
        edits.extend(accumulated(text).map(|span| (span, "\"\"".to_owned())));
    }
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, fresh) in edits {
        out.push_str(part_of(text, at..span.start)?);
        out.push_str(&fresh);
        at = span.end;
    }
    out.push_str(part_of(text, at..text.len())?);
    Ok(((deleted > 0).then_some(out), deleted))
}

/// Finds the text in which the state of a loop repeats the lessons of all its iterations.
fn accumulated(text: &str) -> Option<Range<usize>> {
    #[derive(serde::Deserialize)]
    struct State<'a> {
        #[serde(borrow, rename = "accumulatedLearnings")]
        learnings: Option<&'a RawValue>,
    }
    let object = text.trim_start_matches('\u{feff}');
    // A list would be read as the fields of the state, in their order.
    let state: State<'_> = serde_json::from_str(object)
        .ok()
        .filter(|_| object.trim_start().starts_with('{'))?;
    let raw = state.learnings.map(RawValue::get).filter(|raw| raw.starts_with('"'))?;
    Some(span_in(text, raw))
}

/// Consumes one of the allowed occurrences of a key; everything is allowed without a list.
fn takes(allowed: Option<&mut HashMap<&str, usize>>, key: &str) -> bool {
    let Some(allowed) = allowed else { return true };
    match allowed.get_mut(key) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

fn count(reading: Reading<'_>, titles: Vec<(String, String)>) -> (ClearOutcome, Vec<Place>) {
    let mut loops: Vec<LoopCount> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut holding: HashSet<usize> = HashSet::new();
    for found in reading.sorted() {
        holding.insert(found.place);
        let id = found.entry.loop_id.as_ref();
        // Entries are sorted newest first, so the first one of a loop is its newest.
        let at = *index.entry(id).or_insert_with(|| {
            loops.push(LoopCount {
                loop_id: id.to_owned(),
                entries: 0,
                title: titles
                    .iter()
                    .find(|(known, _)| known == id)
                    .map(|(_, title)| title.clone()),
                date: found.entry.created_ms.map(date_of),
            });
            loops.len() - 1
        });
        if let Some(counted) = loops.get_mut(at) {
            counted.entries += 1;
        }
    }
    let stores = reading.places.iter().enumerate().filter(|(at, _)| holding.contains(at));
    let in_common = |place: usize| reading.places.get(place).is_some_and(|place| place.loop_name.is_none());
    let outcome = ClearOutcome {
        counted: reading.found.len(),
        deleted: 0,
        // The entries to be deleted are subtracted below: this counts those in the shared stores.
        remaining: reading.found.iter().filter(|found| in_common(found.place)).count(),
        arrived: 0,
        loops,
        keys: reading.found.iter().map(|found| found.entry.key()).collect(),
        stores: stores.map(|(_, place)| place.shown.clone()).collect(),
        missing: reading.is_missing(),
        warnings: reading.warnings.clone(),
    };
    let places = reading.places.clone();
    (outcome, places)
}
