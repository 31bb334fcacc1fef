//! Whether a record counts and which others it is held against, read from the rulings of its journal.

use crate::clock::{Millis, format_iso};
use crate::index::{Place, Store};
use crate::journal::{Journal, Span, clean};
use crate::judgement::reason::Reason;
use crate::judgement::standing::Review;
use crate::model::said::SpokenBy;
use crate::model::thought::{Action, Fields, LineKind, Ruling, RulingKind, id_hash, read_line};
use crate::model::wire::{is_false, iso};
use crate::outbox::QueueLine;
use crate::project::ownership::{Checker, MARK};
use schemars::JsonSchema;
use serde::Serialize;

/// The machine that wrote a record into this folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Machine {
    /// This one.
    This,
    /// Another one, or this one before the folder was moved.
    Another,
}

impl Machine {
    /// Reads it from the mark of a line, by those of this machine for this folder; nothing of a line without one.
    pub(crate) fn of(line: &str, check: &Checker) -> Option<Self> {
        let (record, mark) = marked(line)?;
        Some(if check.is_own_record(record.as_bytes(), Some(&mark)) {
            Machine::This
        } else {
            Machine::Another
        })
    }
}

/// Returns the record of a line, and the mark of the machine that wrote it for this folder.
pub(super) fn marked(line: &str) -> Option<(String, String)> {
    let read = QueueLine::read(line.as_bytes())?;
    Some((read.record(), read.text(MARK)?.into_owned()))
}

/// Why a record is no longer current.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RetiredBy")]
pub struct Retirement {
    /// The id of the record that holds instead; empty when none does.
    #[serde(rename = "id")]
    pub by: String,
    /// When it was retired.
    #[serde(rename = "at", serialize_with = "iso")]
    #[schemars(with = "String")]
    pub at_ms: Millis,
    /// The rule, or who did it and why.
    #[serde(flatten)]
    pub why: Reason,
    /// Who retired it.
    #[serde(flatten)]
    pub voice: SpokenBy,
}

/// When and by whom a record was rejected or forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EndedBy")]
pub struct Ended {
    /// When.
    #[serde(rename = "at", serialize_with = "iso")]
    #[schemars(with = "String")]
    pub at_ms: Millis,
    /// By whom.
    #[serde(flatten)]
    pub voice: SpokenBy,
}

impl From<&Action<'_>> for Ended {
    fn from(action: &Action<'_>) -> Self {
        Ended {
            at_ms: action.at_ms,
            voice: action.said.voice(),
        }
    }
}

/// Another record about the same subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RelatedMemory")]
pub struct Related {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// When it was made, as written.
    pub created_at: String,
    /// The rule by which the two were found to disagree.
    #[serde(flatten)]
    pub why: Reason,
    /// Who said it.
    #[serde(flatten)]
    pub voice: SpokenBy,
    /// True when another one said it and a person has vouched for it; absent otherwise.
    #[serde(rename = "vouched", skip_serializing_if = "is_false")]
    pub is_vouched: bool,
}

/// The maximum number of related records returned with one record.
const RELATED_MAX: usize = 5;
/// The maximum number of rulings on a record, the last ones, whose other records are read for that: older versions may have written thousands.
const RULINGS_MAX: usize = 64;

/// Returns why a record is retired, if it is.
pub(crate) fn retirement_of(store: &Store, id: &str) -> Option<Retirement> {
    let act = store.journal_index.standings().retiring_act(&id_hash(id))?;
    let ruling = ruling_at(&store.journal, act.span, RulingKind::Retire)?;
    Some(Retirement {
        by: ruling.other.unwrap_or_default(),
        why: ruling.why.into(),
        at_ms: ruling.at_ms,
        voice: ruling.said.voice(),
    })
}

/// Returns when and by whom a record was rejected, if it is.
pub(crate) fn rejection_of(store: &Store, id: &u64) -> Option<Ended> {
    let standings = store.journal_index.standings();
    let Review::Rejected(at_ms) = standings.review_of(id, None) else {
        return None;
    };
    let rejecting = standings
        .of_record(id, RulingKind::Reject)
        .find(|act| act.at == at_ms)?;
    let ruling = ruling_at(&store.journal, rejecting.span, RulingKind::Reject)?;
    Some(Ended {
        at_ms,
        voice: ruling.said.voice(),
    })
}

/// Returns the records that contradict this one and count themselves, the newest first.
pub(crate) fn conflicts_of(store: &Store, id: &str, now: Millis) -> Vec<Related> {
    let standings = store.journal_index.standings();
    if standings.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Related> = Vec::new();
    for act in standings.conflicts_of(&id_hash(id)).into_iter().rev().take(RULINGS_MAX) {
        let why =
            || ruling_at(&store.journal, act.span, RulingKind::Conflict).map_or_else(String::new, |ruling| ruling.why);
        let Some(other) = act.other else { continue };
        let here = related(store, other, Some(now), why);
        found.extend(here.or_else(|| elsewhere(store, id, other, act.span)));
    }
    newest_first(found)
}

/// Returns the records that this one has retired.
pub(crate) fn retired_by(store: &Store, id: &str) -> Vec<Related> {
    let standings = store.journal_index.standings();
    if standings.is_empty() {
        return Vec::new();
    }
    let retired = standings.retired_by(&id_hash(id)).into_iter().rev().take(RULINGS_MAX);
    let told = retired.filter_map(|other| {
        let span = standings.retiring_act(&other)?.span;
        let why = || ruling_at(&store.journal, span, RulingKind::Retire).map_or_else(String::new, |ruling| ruling.why);
        related(store, other, None, why)
    });
    newest_first(told.collect())
}

fn newest_first(mut found: Vec<Related>) -> Vec<Related> {
    found.sort_by(|a, b| (&b.created_at, &b.id).cmp(&(&a.created_at, &a.id)));
    found.truncate(RELATED_MAX);
    found
}

/// Reads a record by the hash of its id; only one that counts at `now`, when that is given.
fn related(store: &Store, id: u64, now: Option<Millis>, why: impl FnOnce() -> String) -> Option<Related> {
    let place = store.journal_index.find_id(id)?;
    if now.is_some_and(|now| !store.journal_index.is_live(place, now)) {
        return None;
    }
    let line = read_place(store, place)?;
    let LineKind::Record(fields) = read_line(clean(&line)) else {
        return None;
    };
    (id_hash(&fields.id) == id).then(|| Related {
        is_vouched: store.journal_index.standings().vouches_for(&id, fields.author),
        ..related_to(&fields, why())
    })
}

/// Returns a record that contradicts another one and that only a shared store has, as the ruling names it: without its text.
fn elsewhere(store: &Store, id: &str, other: u64, span: Span) -> Option<Related> {
    let over = store.journal_index.standings().hidden_since(&other, None);
    if store.journal_index.find_id(other).is_some() || over.is_some() {
        return None;
    }
    let ruling = ruling_at(&store.journal, span, RulingKind::Conflict)?;
    let voice = ruling.said.voice();
    let named = [Some(ruling.id), ruling.other];
    Some(Related {
        id: named.into_iter().flatten().find(|named| named != id)?,
        text: String::new(),
        created_at: format_iso(ruling.at_ms),
        why: ruling.why.into(),
        voice,
        is_vouched: false,
    })
}

/// Returns a record that counts at `now`, by the hash of its id.
pub(crate) fn record_of(store: &Store, id: u64, now: Millis) -> Option<Related> {
    related(store, id, Some(now), String::new)
}

/// Returns a record as a relation of another one.
pub(crate) fn related_to(fields: &Fields<'_>, why: String) -> Related {
    Related {
        id: fields.id.to_string(),
        text: fields.text.to_string(),
        why: why.into(),
        voice: fields.voice(),
        is_vouched: false,
        created_at: if fields.at.is_empty() {
            format_iso(fields.at_ms)
        } else {
            fields.at.to_string()
        },
    }
}

/// Reads the line of a record by the hash of its id, whether it counts or not.
pub(crate) fn record_with(store: &Store, id: u64) -> Option<Vec<u8>> {
    let place = store.journal_index.find_id(id)?;
    read_place(store, place)
}

fn read_place(store: &Store, place: Place) -> Option<Vec<u8>> {
    let span = store.journal_index.parts().get(place.part)?.span(place.doc);
    store.journal.read(span).ok()
}

/// Reads the line of a ruling; `None` when the file was rewritten in place.
pub(crate) fn ruling_at(journal: &Journal, span: Span, kind: RulingKind) -> Option<Ruling> {
    let line = journal.read(span).ok()?;
    match read_line(clean(&line)) {
        LineKind::Ruling(ruling) if ruling.kind == kind => Some(ruling),
        _ => None,
    }
}
