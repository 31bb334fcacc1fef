//! Duplicate detection over the whole history.
//!
//! *Exact*: the same folded text, type and project (for patterns: category). *Near*: within the same type and project, the cosine of the
//! content words reaches the threshold, and no content word was replaced ([`Statement::likeness`]). The index only proposes candidates; the
//! decision compares the texts in the journal.

use crate::clock::Millis;
use crate::error::Result;
use crate::index::{Entry, Family, JournalIndex, Part, Place, for_each_exact, for_each_near};
use crate::journal::{Journal, JournalWriter, clean};
use crate::model::thought::{Fields, LineKind, read_line};
use crate::text::{Statement, fold};

/// A duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Duplicate {
    /// Its place in the index.
    pub place: Place,
    /// Its id.
    pub id: String,
    /// Its line in the journal.
    pub line: Vec<u8>,
    /// The cosine of the two; 1 for exact duplicates.
    pub similarity: f64,
    /// Whether it is proposed or was rejected.
    pub is_withheld: bool,
}

/// The records that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Those that are current at this time.
    Current(Millis),
    /// Those that are proposed or were rejected.
    Withheld,
}

impl Among {
    fn has(self, journal_index: &JournalIndex, place: Place) -> bool {
        match self {
            Among::Current(now) => journal_index.is_live(place, now),
            Among::Withheld => journal_index.is_withheld(place),
        }
    }
}

/// Finds the record that `fields` duplicates: the exact duplicate, otherwise the nearest. Records that are forgotten, superseded or
/// expired at `now` are ignored.
pub fn find_duplicate(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    fields: &Fields<'_>,
    threshold: f64,
    now: Millis,
) -> Result<Option<Duplicate>> {
    find_among(journal_index, journal, entry, fields, threshold, Among::Current(now))
}

fn find_among(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    fields: &Fields<'_>,
    threshold: f64,
    among: Among,
) -> Result<Option<Duplicate>> {
    let parts = journal_index.parts();
    if let Some(exact) = find_exact(journal_index, &parts, journal, entry, fields, among)? {
        return Ok(Some(exact));
    }
    if journal_index.family() == Family::Patterns || entry.statement.words().is_empty() {
        return Ok(None);
    }
    find_near(journal_index, &parts, journal, entry, fields, threshold, among)
}

/// Finds the record that one that is about to be appended repeats, among these in turn and under all names of its project. When the index turns
/// out to be out of date, it is repaired and queried again.
pub(crate) fn find_same(
    held: &mut JournalWriter<'_>,
    index: &mut JournalIndex,
    (entry, fields): (&mut Entry, &Fields<'_>),
    names: &[String],
    threshold: f64,
    among: impl Iterator<Item = Among> + Clone,
) -> Result<Option<Duplicate>> {
    loop {
        let mut found = None;
        for among in among.clone() {
            // Nothing is withheld where nobody has ruled, as in most journals.
            if found.is_none() && (among != Among::Withheld || !index.standings().is_empty()) {
                found = find_under_names(names, entry, fields, index.family(), |entry, fields| {
                    find_among(index, held.journal(), entry, fields, threshold, among)
                })?;
            }
        }
        let state = held.state();
        if !index.heal(held.journal(), state)? {
            return Ok(found);
        }
    }
}

/// Searches under the project that the record names, then under other names of that project. The entry is unchanged afterwards.
pub fn find_under_names<T>(
    names: &[String],
    entry: &mut Entry,
    fields: &Fields<'_>,
    family: Family,
    mut find: impl FnMut(&Entry, &Fields<'_>) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let mut found = find(entry, fields);
    if names.is_empty() {
        return found;
    }
    let mut renamed = fields.clone();
    for name in names {
        if !matches!(found, Ok(None)) {
            break;
        }
        renamed.project = name.as_str().into();
        entry.take_project(&renamed, family);
        found = find(entry, &renamed);
    }
    entry.take_project(fields, family);
    found
}

/// True if a record with the same text counts no more, as the index knows it.
pub(crate) fn has_ended(
    journal_index: &JournalIndex,
    entry: &mut Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<bool> {
    let found = find_under_names(names, entry, fields, journal_index.family(), |entry, _| {
        Ok((!ended_places(journal_index, entry, now).is_empty()).then_some(()))
    })?;
    Ok(found.is_some())
}

fn ended_places(journal_index: &JournalIndex, entry: &Entry, now: Millis) -> Vec<Place> {
    let mut places = Vec::new();
    for_each_exact(&journal_index.parts(), entry.exact, |place| places.push(place));
    places.retain(|place| !journal_index.is_live(*place, now) && !journal_index.is_withheld(*place));
    places
}

/// Returns the records that say exactly the same and count no more: they are forgotten, superseded or retired.
pub(crate) fn find_ended(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    fields: &Fields<'_>,
    now: Millis,
) -> Result<Vec<String>> {
    let (parts, mut ended) = (journal_index.parts(), Vec::new());
    for place in ended_places(journal_index, entry, now) {
        ended.extend(same_at(journal_index, &parts, journal, place, fields)?.map(|(id, _)| id));
    }
    Ok(ended)
}

/// Finds the exact duplicate.
pub fn find_exact_duplicate(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    fields: &Fields<'_>,
    now: Millis,
) -> Result<Option<Duplicate>> {
    find_exact(
        journal_index,
        &journal_index.parts(),
        journal,
        entry,
        fields,
        Among::Current(now),
    )
}

fn find_exact(
    journal_index: &JournalIndex,
    parts: &[Part<'_>],
    journal: &Journal,
    entry: &Entry,
    fields: &Fields<'_>,
    among: Among,
) -> Result<Option<Duplicate>> {
    let mut places = Vec::new();
    for_each_exact(parts, entry.exact, |place| places.push(place));
    for place in places {
        if !among.has(journal_index, place) {
            continue;
        }
        if let Some((id, line)) = same_at(journal_index, parts, journal, place, fields)? {
            return Ok(Some(Duplicate {
                place,
                id,
                line,
                similarity: 1.0,
                is_withheld: among == Among::Withheld,
            }));
        }
    }
    Ok(None)
}

/// Returns the id and the line of the record at a place, if it says exactly the same.
fn same_at(
    journal_index: &JournalIndex,
    parts: &[Part<'_>],
    journal: &Journal,
    place: Place,
    fields: &Fields<'_>,
) -> Result<Option<(String, Vec<u8>)>> {
    let Some(part) = parts.get(place.part) else {
        return Ok(None);
    };
    let line = journal.read(part.span(place.doc))?;
    let id = match read_line(clean(&line)) {
        LineKind::Record(other) => (is_comparable(journal_index.family(), &other, fields)
            && fold(&other.text) == fold(&fields.text))
        .then(|| other.id.into_owned()),
        _ => None,
    };
    Ok(id.map(|id| (id, line)))
}

fn find_near(
    journal_index: &JournalIndex,
    parts: &[Part<'_>],
    journal: &Journal,
    entry: &Entry,
    fields: &Fields<'_>,
    threshold: f64,
    among: Among,
) -> Result<Option<Duplicate>> {
    let mut places = Vec::new();
    for_each_near(parts, entry, threshold, |place| places.push(place));
    if places.is_empty() {
        return Ok(None);
    }
    places.sort_unstable_by_key(|place| (place.part, place.doc));
    places.dedup();
    let mut best: Option<Duplicate> = None;
    let mut statement = Statement::default();
    for place in places {
        if !among.has(journal_index, place) {
            continue;
        }
        let Some(part) = parts.get(place.part) else { continue };
        let line = journal.read(part.span(place.doc))?;
        let LineKind::Record(other) = read_line(clean(&line)) else {
            continue;
        };
        if !is_comparable(Family::Thoughts, &other, fields) {
            continue;
        }
        statement.take(&other.text);
        let Some(similarity) = entry.statement.likeness(&statement, threshold) else {
            continue;
        };
        if best.as_ref().is_none_or(|best| similarity > best.similarity) {
            best = Some(Duplicate {
                place,
                id: other.id.to_string(),
                line,
                similarity,
                is_withheld: among == Among::Withheld,
            });
        }
    }
    Ok(best)
}

fn is_comparable(family: Family, a: &Fields<'_>, b: &Fields<'_>) -> bool {
    a.kind == b.kind && (family == Family::Patterns || a.project == b.project)
}
