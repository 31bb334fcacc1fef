//! Reads the stores that a filter selects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;

use super::document::{Document, Elements};
use super::element::Element;
use super::entry::{RalphEntry, RalphRecord};
use super::place::{Choice, Place, loop_places};
use super::scan::read;
use super::store::{not_json, read_contents, text_of};
use crate::Lessons;
use forge_memory_core::error::{Error, Result};
use forge_memory_core::limits::check_name;
use forge_memory_journal::Disk;
use forge_memory_journal::clock::{Millis, parse_when};

pub(super) const LIMIT_MAX: f64 = 100_000.0;

/// Selects entries of agent loops.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RalphFilter {
    /// Only lessons of this loop, by its exact id. Its own store is read as well.
    pub loop_id: Option<String>,
    /// Only newer: an ISO date, or an age such as `30m`, `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Which store (default: global; with a loop all). `.aiwg/ralph/memory.json` is the global one, `.aiwg/ralph-external/memory.json` the
    /// external one.
    pub store: Option<Choice>,
    /// Whether each entry contains its calendar day.
    pub days: bool,
}

/// The filter and the limit of a search.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RalphQueryOptions {
    /// Only lessons of this loop, by its exact id.
    pub loop_id: Option<String>,
    /// Only newer: an ISO date, or an age such as `30m`, `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Which store (default: global; with a loop all).
    pub store: Option<Choice>,
    /// Whether each entry contains its calendar day.
    pub days: bool,
    /// Maximum number of results (default: 10).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
}

/// The entries of the stores.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RalphList")]
pub struct ListOutcome {
    /// The entries, newest first, those without a time last; ties are ordered by id.
    pub entries: Vec<RalphRecord>,
    /// True when no store exists.
    pub missing: bool,
    /// Warnings about invalid parts, which were skipped.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub loop_id: Option<String>,
    pub since: Option<Millis>,
    pub choice: Choice,
}

impl RalphFilter {
    /// Returns an entry as it is asked for.
    pub(super) fn shown(&self, entry: RalphRecord) -> RalphRecord {
        RalphRecord {
            day: entry.day.filter(|_| self.days),
            ..entry
        }
    }

    pub(super) fn check(&self, now: Millis) -> Result<Checked> {
        Ok(Checked {
            loop_id: self.loop_id.clone().map(|id| check_name("loopId", id)).transpose()?,
            since: self
                .since
                .as_deref()
                .map(|text| parse_when("since", text, now))
                .transpose()?,
            choice: Choice::of(self.store, self.loop_id.is_some()),
        })
    }
}

#[derive(Debug)]
pub(super) struct Found<'a> {
    pub entry: Box<RalphEntry<'a>>,
    /// Index in [`Reading::places`].
    pub place: usize,
    /// A copy of the entry's time, which keeps sorting within the cache.
    pub created_ms: Option<Millis>,
}

#[derive(Debug)]
pub(super) struct Reading<'a> {
    /// In the order of the stores, and within one in the order of the file.
    pub found: Vec<Found<'a>>,
    /// The existing stores.
    pub places: Vec<Place>,
    pub warnings: Vec<String>,
}

impl<'a> Reading<'a> {
    /// True if no store exists.
    pub fn is_missing(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the entries newest first, ties ordered by id. The entries themselves stay in the order of the file,
    /// which is their order in memory.
    pub fn sorted(&self) -> Vec<&Found<'a>> {
        let mut sorted: Vec<&Found<'a>> = self.found.iter().collect();
        sorted.sort_by(|a, b| {
            Reverse(a.created_ms)
                .cmp(&Reverse(b.created_ms))
                .then_with(|| a.entry.id.cmp(&b.entry.id))
        });
        sorted
    }
}

/// Orders newest first, those without a time last, ties by id.
pub(super) fn newest_first(a: &RalphEntry<'_>, b: &RalphEntry<'_>) -> std::cmp::Ordering {
    // `None` is less than every time.
    Reverse(a.created_ms)
        .cmp(&Reverse(b.created_ms))
        .then_with(|| a.id.cmp(&b.id))
}

impl Lessons<'_> {
    /// Lists the entries of the stores, newest first.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the filter is wrong, `NOT_FOUND` for an unknown loop, `CORRUPT`,
    /// `UNSUPPORTED` or `IO` when a store cannot be read.
    pub fn list(&mut self, filter: &RalphFilter) -> Result<ListOutcome> {
        let checked = filter.check(self.memory.now_ms())?;
        self.read_stores(&checked, |reading| {
            Ok(ListOutcome {
                entries: reading
                    .sorted()
                    .iter()
                    .map(|found| filter.shown(found.entry.to_record()))
                    .collect(),
                missing: reading.is_missing(),
                warnings: reading.warnings,
            })
        })
    }

    /// Reads the stores and passes the entries that match the filter to `work`.
    pub(super) fn read_stores<T>(&self, filter: &Checked, work: impl FnOnce(Reading<'_>) -> Result<T>) -> Result<T> {
        let project_dir = self.memory.project_dir();
        let mut places = filter.choice.common_places(project_dir);
        if filter.choice == Choice::All && filter.loop_id.is_some() {
            places.append(&mut loop_places(self.memory.disk().as_ref(), project_dir));
        }
        read_once(self.memory.disk().as_ref(), &mut places);
        let mut stores = Vec::new();
        let mut warnings = Vec::new();
        for place in places {
            match read_contents(self.memory.disk().as_ref(), &place.path) {
                Ok(Some(contents)) => stores.push((place, contents)),
                Ok(None) => {}
                Err(error) => warn_of_other_loop(&place, filter, error, &mut warnings)?,
            }
        }
        let mut reading = Reading {
            found: Vec::new(),
            places: Vec::new(),
            warnings,
        };
        let mut is_known = stores.is_empty() && reading.warnings.is_empty();
        for (place, contents) in &stores {
            let document =
                text_of(contents, &place.path).and_then(|text| read(text).map_err(|e| not_json(&place.path, &e)));
            match document {
                Ok(document) => is_known |= take(&mut reading, place, document, filter),
                Err(error) => warn_of_other_loop(place, filter, error, &mut reading.warnings)?,
            }
        }
        match &filter.loop_id {
            Some(id) if !is_known => {
                let error = Error::NotFound {
                    kind: "loop with a memory",
                    id: id.clone(),
                };
                Err(error.advised("forge-memory ralph list shows the loops that have stored lessons"))
            }
            _ => work(reading),
        }
    }
}

/// Leaves out a path that leads to the file of an earlier one: the state of the only loop is a link to that in the folder of the loop.
fn read_once(disk: &dyn Disk, places: &mut Vec<Place>) {
    let mut known = HashSet::new();
    places.retain(|place| disk.stat(&place.path).map_or(true, |state| known.insert(state.id)));
}

/// When the store of another loop cannot be read, that is only a warning.
fn warn_of_other_loop(place: &Place, filter: &Checked, error: Error, warnings: &mut Vec<String>) -> Result<()> {
    if place.loop_name.is_none() || place.loop_name == filter.loop_id {
        return Err(error);
    }
    warnings.push(format!("{} was skipped: {error}", place.shown));
    Ok(())
}

/// Adds the entries that match the filter; returns true if the wanted loop occurs in this store.
fn take<'a>(reading: &mut Reading<'a>, place: &Place, document: Document<'a, Elements<'a>>, filter: &Checked) -> bool {
    let names_loop = names_loop(place, document.loop_id.as_deref(), filter);
    if place.loop_name.is_some() && !names_loop {
        return false;
    }
    let place_at = reading.places.len();
    let mut known = names_loop || filter.loop_id.is_none();
    let mut counts = InvalidEntries::default();
    let owner = document
        .loop_id
        .clone()
        .or_else(|| place.loop_name.clone().map(Cow::Owned));
    for list in document.lists {
        let Some(elements) = list.items.0 else {
            counts.no_list += 1;
            continue;
        };
        reading.found.reserve(elements.len());
        for element in elements {
            let Element::Entry(mut entry) = element else {
                counts.others += 1;
                continue;
            };
            adopt(&mut entry, owner.as_ref(), list.iteration, list.created_at.as_ref());
            if !is_of_loop(&entry, names_loop, filter) {
                continue;
            }
            known = true;
            counts.note(&entry);
            if is_since(&entry, filter) {
                reading.found.push(Found {
                    created_ms: entry.created_ms,
                    entry,
                    place: place_at,
                });
            }
        }
    }
    counts.tell(&place.shown, &mut reading.warnings);
    reading.places.push(place.clone());
    known
}

/// Applies the defaults of the document to an entry.
pub(super) fn adopt<'a>(
    entry: &mut RalphEntry<'a>,
    owner: Option<&Cow<'a, str>>,
    iteration: Option<f64>,
    created_at: Option<&Cow<'a, str>>,
) {
    if entry.loop_id.is_empty()
        && let Some(owner) = owner
    {
        entry.loop_id = owner.clone();
    }
    entry.iteration = entry.iteration.or(iteration);
    if entry.created_at.is_empty()
        && let Some(at) = created_at
    {
        entry.set_created(at.clone());
    }
    entry.complete_id();
}

/// True if the whole store belongs to the wanted loop. The folder of a loop and the state in it may have different
/// ids, either of which matches.
pub(super) fn names_loop(place: &Place, own_id: Option<&str>, filter: &Checked) -> bool {
    let Some(id) = filter.loop_id.as_deref() else {
        return false;
    };
    place.loop_name.is_some() && (place.loop_name.as_deref() == Some(id) || own_id == Some(id))
}

pub(super) fn is_of_loop(entry: &RalphEntry<'_>, names_loop: bool, filter: &Checked) -> bool {
    names_loop || filter.loop_id.as_deref().is_none_or(|id| entry.loop_id == id)
}

fn is_since(entry: &RalphEntry<'_>, filter: &Checked) -> bool {
    filter
        .since
        .is_none_or(|since| entry.created_ms.is_some_and(|at| at >= since))
}

#[derive(Default)]
struct InvalidEntries {
    others: usize,
    no_list: usize,
    wrong: usize,
    first_wrong: String,
}

impl InvalidEntries {
    fn note(&mut self, entry: &RalphEntry<'_>) {
        if entry.wrong.is_empty() {
            return;
        }
        if self.wrong == 0 {
            self.first_wrong = format!("{} ({})", entry.id, entry.wrong.names().join(", "));
        }
        self.wrong += 1;
    }

    fn tell(&self, shown: &str, warnings: &mut Vec<String>) {
        match self.wrong {
            0 => {}
            1 => warnings.push(format!(
                "{shown}: one entry has values of the wrong type, which count as missing: {}",
                self.first_wrong
            )),
            count => warnings.push(format!(
                "{shown}: {count} entries have values of the wrong type, which count as missing; the first is {}",
                self.first_wrong
            )),
        }
        match self.others {
            0 => {}
            1 => warnings.push(format!("{shown}: one element is not an entry and was skipped")),
            count => warnings.push(format!("{shown}: {count} elements are not entries and were skipped")),
        }
        if self.no_list > 0 {
            warnings.push(format!("{shown}: the list of lessons is not a list"));
        }
    }
}

/// Returns the title of each loop, by each of its ids.
pub(super) fn loop_titles(disk: &dyn Disk, project_dir: &Path) -> Vec<(String, String)> {
    let mut titles = Vec::new();
    for place in loop_places(disk, project_dir) {
        let Ok(Some(contents)) = read_contents(disk, &place.path) else {
            continue;
        };
        let Some(document) = contents.text().ok().and_then(|text| read(text).ok()) else {
            continue;
        };
        let Some(title) = document.title else { continue };
        let own = document.loop_id.map(Cow::into_owned);
        for id in own.into_iter().chain(place.loop_name.filter(|name| !name.is_empty())) {
            titles.push((id, title.to_string()));
        }
    }
    titles
}
