//! The records that were retired lately, and whose record took their place.

use crate::engine::standing::Retirement;
use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::history::{History, RecordState, find_history};
use super::standing::{record_with, retirement_of};
use crate::clock::Millis;
use crate::error::Result;
use crate::index::dedup::{find_ended, find_under_names};
use crate::index::{Entry, Fate, Store, Stores};
use crate::journal::clean;
use crate::judgement::reason::{Reason, SUPERSEDES};
use crate::model::author::Author;
use crate::model::said::{Door, SpokenBy};
use crate::model::scope::{Home, Scope};
use crate::model::thought::{Fields, LineKind, id_hash, read_line};

/// A record that is no longer current, because another one took its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RetiredMemory")]
pub struct RetiredRecord {
    /// Its id.
    pub id: String,
    /// Its scope.
    pub scope: Scope,
    /// Type or category.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub text: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// When it was made, as written.
    pub created_at: String,
    /// Why it is no longer current.
    pub retired: Retirement,
    /// Who retired it.
    #[serde(flatten)]
    pub voice: SpokenBy,
}

/// Lists the records that were retired since a moment, the newest first.
///
/// # Errors
/// `IO` when a journal cannot be read.
pub(crate) fn list_retired(stores: &mut Stores, since: Millis, now: Millis) -> Result<Vec<RetiredRecord>> {
    stores.refresh();
    let mut found = Vec::new();
    for home in Home::RULED {
        let store = &*stores.of_mut(home);
        let mut superseded = FxHashSet::default();
        for id in store.with_fate(Fate::Retired, now) {
            let act = store.journal_index.standings().retiring_act(&id);
            match act {
                Some(act) if act.at < since => {}
                Some(_) => found.extend(retired(store, home.scope(), id, |id| retirement_of(store, id))),
                None => {
                    superseded.insert(id);
                }
            }
        }
        superseding(store, home.scope(), since, &superseded, &mut found)?;
    }
    for one in &mut found {
        one.retired.voice = voice_of(stores, &one.retired);
        one.voice = one.retired.voice;
    }
    found.sort_by(|a, b| (b.retired.at_ms, &b.id).cmp(&(a.retired.at_ms, &a.id)));
    Ok(found)
}

/// Returns who retired a record. A line of an older version names no speaker: what a record retired by a rule, its author did.
fn voice_of(stores: &mut Stores, retired: &Retirement) -> SpokenBy {
    let mut voice = retired.voice;
    if voice == SpokenBy::default() && retired.why.is_of_record() {
        voice.author = author_of(stores, &retired.by);
    }
    voice
}

/// Returns who ended a revision of a record: whoever said a later one, or has forgotten or retired the record. One person among them counts.
pub(super) fn ended_by(stores: &mut Stores, history: &History, id: &str) -> Option<Author> {
    let person = Some(Author::Person);
    let revisions = history.revisions().skip_while(|(revision, _)| revision.id != id);
    let mut later = revisions.skip(1).map(|(revision, _)| revision.author).peekable();
    if later.peek().is_some() && (history.said_by == person || later.any(|author| author == person)) {
        return person;
    }
    match (history.state(), &history.retired) {
        (RecordState::Forgotten, _) => history.ended.and_then(|ended| ended.voice.author),
        (_, Some(retired)) => voice_of(stores, retired).author,
        (_, None) => None,
    }
}

/// Returns a record with the same text that a person has ended.
pub(crate) fn ended_by_person(
    stores: &mut Stores,
    home: Home,
    words: &mut Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<Option<String>> {
    let store = stores.of_mut(home);
    store.refresh()?;
    let (index, journal) = (&store.journal_index, &store.journal);
    let found = find_under_names(names, words, fields, index.family(), |words, fields| {
        let ended = find_ended(index, journal, words, fields, now)?;
        Ok(Some(ended).filter(|ended| !ended.is_empty()))
    })?;
    for id in found.unwrap_or_default() {
        // A command that was taken back says nothing of its text.
        if let Some((_, history)) = find_history(stores, &id, now)?
            && history.ended.and_then(|ended| ended.voice.door) != Some(Door::Undo)
            && ended_by(stores, &history, &id) == Some(Author::Person)
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Returns the author of a record.
fn author_of(stores: &mut Stores, id: &str) -> Option<Author> {
    stores.written().into_iter().find_map(|store| {
        let line = record_with(store, id_hash(id))?;
        match read_line(clean(&line)) {
            LineKind::Record(fields) => fields.author,
            _ => None,
        }
    })
}

/// Returns a retired record.
fn retired(
    store: &Store,
    scope: Scope,
    id: u64,
    why: impl FnOnce(&str) -> Option<Retirement>,
) -> Option<RetiredRecord> {
    let line = record_with(store, id)?;
    let LineKind::Record(fields) = read_line(clean(&line)) else {
        return None;
    };
    Some(RetiredRecord {
        scope,
        retired: why(&fields.id)?,
        id: fields.id.into_owned(),
        kind: fields.kind.into_owned(),
        text: fields.text.into_owned(),
        tags: fields.tags.into_iter().map(Into::into).collect(),
        created_at: fields.at.into_owned(),
        voice: SpokenBy::default(),
    })
}

/// Adds the records of a set that newer ones supersede: these name them themselves.
fn superseding(
    store: &Store,
    scope: Scope,
    since: Millis,
    superseded: &FxHashSet<u64>,
    found: &mut Vec<RetiredRecord>,
) -> Result<()> {
    let parts = store.journal_index.parts();
    let late = parts
        .iter()
        .flat_map(|part| (0..part.docs()).map(move |doc| (part, doc)));
    let late = late.filter(|(part, doc)| part.created(*doc) >= since);
    let from = late.map(|(part, doc)| part.span(doc).offset).min();
    let Some(from) = from.filter(|_| !superseded.is_empty()) else {
        return Ok(());
    };
    let link = memmem::Finder::new("\"supersedes\"");
    // Of several records that supersede one, the first has retired it.
    let mut links: FxHashMap<u64, (String, Millis, SpokenBy)> = FxHashMap::default();
    store.journal.scan(from, store.journal_index.covered(), &mut |line| {
        if link.find(line.bytes).is_some()
            && let LineKind::Record(fields) = read_line(line.bytes)
            && let Some(older) = fields.supersedes
            && superseded.contains(&id_hash(&older))
        {
            links
                .entry(id_hash(&older))
                .or_insert_with(|| (fields.id.into_owned(), fields.at_ms, fields.said.voice()));
        }
    })?;
    for (older, (by, at_ms, voice)) in links.into_iter().filter(|(_, (_, at_ms, _))| *at_ms >= since) {
        let why = Reason::of(SUPERSEDES);
        let retirement = Retirement { by, at_ms, why, voice };
        found.extend(retired(store, scope, older, |_| Some(retirement)));
    }
    Ok(())
}
