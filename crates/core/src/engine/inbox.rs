//! The inbox: what waits for a decision. A question without an answer is no memory, so what was found in past sessions does not wait for ever.

use std::collections::{BTreeMap, BTreeSet};

use crate::clock::{Millis, format_iso};
use crate::engine::offer::{Asked, Offered, Reader, offer};
use crate::engine::review::{Waiting, WaitingFor, proposal_in};
use crate::engine::standing::{record_with, ruling_at};
use crate::engine::writer::Writer;
use crate::index::{Store, Stores};
use crate::journal::clean;
use crate::judgement::request::{Change, Request};
use crate::judgement::standing::{Act, Review};
use crate::model::said::{Author, Door};
use crate::model::scope::{Home, Scope, ScopeFilter};
use crate::model::thought::{Fields, LineKind, NEVER, RulingKind, id_hash, read_line};

/// How long a finding of past sessions waits for a review.
const UNTOUCHED_MS: Millis = 30 * 86_400_000;
/// So many of a kind in a row are rejected before no more of it is proposed.
const REJECTED_IN_A_ROW: usize = 3;
/// The maximum number of records in the inbox for which related ones are searched.
const NEAR_FOR_MAX: usize = 200;

impl Writer<'_> {
    /// Returns the first tags of what a source proposes of which the last three decisions were rejections.
    pub fn unwanted(&mut self, source: &str) -> BTreeSet<String> {
        self.stores.refresh();
        let mut decided: Vec<(Millis, String, Review)> = Vec::new();
        for home in Home::RULED {
            let store = self.stores.of_mut(home);
            let standings = store.journal_index.standings();
            for id in standings.ids() {
                let review = standings.review_of(id, None);
                if matches!(review, Review::None | Review::Proposed(_)) {
                    continue;
                }
                let line = record_with(store, *id).unwrap_or_default();
                if let LineKind::Record(fields) = read_line(clean(&line))
                    && fields.source.starts_with(source)
                    && let (Some(tag), Some(at)) = (fields.tags.first(), standings.latest_of_review(id))
                {
                    decided.push((at, tag.to_string(), review));
                }
            }
        }
        decided.sort_by_key(|of| std::cmp::Reverse(of.0));
        // How many were rejected since one of the tag was accepted.
        let mut rejected: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        for (_, tag, review) in decided {
            let (count, ends) = rejected.entry(tag).or_default();
            *ends |= matches!(review, Review::Accepted(_));
            *count += usize::from(!*ends);
        }
        rejected.retain(|_, (count, _)| *count >= REJECTED_IN_A_ROW);
        rejected.into_keys().collect()
    }

    /// Lists the inbox, the oldest first.
    pub fn inbox(&mut self) -> Vec<Waiting> {
        let now = self.project.now();
        let mut waiting = all_waiting(self.stores, now).0;
        waiting.sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        let projects = self.project.names().to_vec();
        for one in waiting.iter_mut().filter(|one| one.why != WaitingFor::Disputed) {
            one.retires = self.retired_by_accepting(one.scope, &one.id, one.request.as_ref());
        }
        let records = waiting.iter_mut().filter(|one| one.request.is_none());
        for one in records.take(NEAR_FOR_MAX) {
            one.near = near_to(self.stores, &projects, one, now);
        }
        waiting
    }
}

/// Finds the requests that wait in a journal. Returns `None` when the index is out of date.
fn waiting_requests(store: &Store) -> Option<Vec<Request>> {
    let standings = store.journal_index.standings();
    let mut found: Vec<Request> = Vec::new();
    for (id, act) in standings.of_kind(RulingKind::Request) {
        let is_open = matches!(standings.review_of(id, None), Review::Proposed(_));
        if !is_open || found.iter().any(|known| id_hash(&known.id) == *id) {
            continue;
        }
        let request =
            ruling_at(&store.journal, act.span, RulingKind::Request).filter(|ruling| id_hash(&ruling.id) == *id)?;
        found.extend(Request::read(request));
    }
    Some(found)
}

/// Lists what waits for a decision, without what is near to it, and counts the findings that waited too long. Every surface counts these.
pub(crate) fn all_waiting(stores: &mut Stores, now: Millis) -> (Vec<Waiting>, usize) {
    stores.refresh();
    let (mut waiting, mut lapsed) = (Vec::new(), 0);
    for home in Home::RULED {
        let mut found = waiting_in(stores.of_mut(home), home.scope(), now);
        if found.is_none() {
            // A journal was rewritten in place, so the spans in the index are out of date.
            stores.rebuild();
            found = waiting_in(stores.of_mut(home), home.scope(), now);
        }
        let (found, too_old) = found.unwrap_or_default();
        waiting.extend(found);
        lapsed += too_old;
    }
    (waiting, lapsed)
}

/// Returns `None` when the span of a record or a proposal in the index is out of date.
fn waiting_in(store: &Store, scope: Scope, now: Millis) -> Option<(Vec<Waiting>, usize)> {
    let standings = store.journal_index.standings();
    let is_in_place = |(id, act): (&u64, &Act<u64>)| {
        let line = store.journal.read(act.span).unwrap_or_default();
        matches!(read_line(clean(&line)), LineKind::Ruling(ruling) if id_hash(&ruling.id) == *id)
    };
    // A journal that was rewritten in place may contain records that are not in the index.
    if !standings.of_kind(RulingKind::Propose).all(is_in_place) {
        return None;
    }
    let (mut found, mut lapsed) = (Vec::new(), 0);
    for request in waiting_requests(store)? {
        let line = record_with(store, id_hash(&request.of));
        if let Some(line) = line.filter(|_| is_about_current(store, &request, now))
            && let LineKind::Record(fields) = read_line(clean(&line))
        {
            found.push(requested(store, scope, &fields, request));
        }
    }
    for id in standings.ids() {
        let Some(line) = line_waiting(store, *id, now) else {
            continue;
        };
        match read_line(clean(&line)) {
            LineKind::Record(fields) if id_hash(&fields.id) == *id => {
                if fields.said.door == Some(Door::Backfill) && fields.at_ms.saturating_add(UNTOUCHED_MS) <= now {
                    lapsed += 1;
                } else {
                    found.push(waiting_of(store, scope, &fields));
                }
            }
            _ => return None,
        }
    }
    Some((found, lapsed))
}

fn waiting_of(store: &Store, scope: Scope, fields: &Fields<'_>) -> Waiting {
    let standings = store.journal_index.standings();
    let id = id_hash(&fields.id);
    let is_proposed = matches!(standings.review_of(&id, None), Review::Proposed(_));
    let proposal = is_proposed.then(|| proposal_in(store, &fields.id)).flatten();
    Waiting {
        scope,
        id: fields.id.to_string(),
        kind: fields.kind.to_string(),
        text: fields.text.to_string(),
        tags: fields.tags.iter().map(|tag| tag.to_string()).collect(),
        source: fields.source.to_string(),
        created_at: if fields.at.is_empty() {
            format_iso(fields.at_ms)
        } else {
            fields.at.to_string()
        },
        confidence: fields.confidence,
        author: match &proposal {
            Some(ruling) => ruling.why.clone(),
            None => fields.voice().author.map_or("", Author::name).to_owned(),
        },
        session: proposal.and_then(|ruling| ruling.other),
        why: if is_proposed {
            WaitingFor::Proposed
        } else {
            WaitingFor::Disputed
        },
        verdicts: standings.verdicts_on(&id, None),
        near: Vec::new(),
        retires: Vec::new(),
        request: None,
    }
}

/// Returns a request, with the record that it is about.
fn requested(store: &Store, scope: Scope, fields: &Fields<'_>, request: Request) -> Waiting {
    let proposal = proposal_in(store, &request.id);
    Waiting {
        id: request.id.clone(),
        author: proposal.as_ref().map_or_else(String::new, |ruling| ruling.why.clone()),
        created_at: proposal
            .as_ref()
            .map_or_else(String::new, |ruling| format_iso(ruling.at_ms)),
        session: proposal.and_then(|ruling| ruling.other),
        why: WaitingFor::Requested,
        request: Some(request),
        ..waiting_of(store, scope, fields)
    }
}

/// Returns true if there is still something to decide: a record that is gone is not forgotten or retired again.
fn is_about_current(store: &Store, request: &Request, now: Millis) -> bool {
    let place = store.journal_index.find_id(id_hash(&request.of));
    place.is_some_and(|place| request.change == Change::Keep || store.journal_index.is_live(place, now))
}

fn near_to(stores: &mut Stores, projects: &[String], one: &Waiting, now: Millis) -> Vec<Offered> {
    let asked = Asked {
        text: &one.text,
        is_stored: true,
        scope: match one.scope {
            Scope::Project => ScopeFilter::Project,
            Scope::Global => ScopeFilter::Global,
        },
        projects,
        except: &[&one.id],
        reader: Reader::Reviewing,
    };
    offer(stores, None, &asked, now)
}

/// Returns the line of a record in the inbox unless it is forgotten, superseded or expired.
fn line_waiting(store: &Store, id: u64, now: Millis) -> Option<Vec<u8>> {
    if !is_waiting(store, id, now) {
        return None;
    }
    let place = store.journal_index.find_id(id)?;
    let parts = store.journal_index.parts();
    let part = *parts.get(place.part)?;
    let base = parts.iter().take(place.part).map(|part| part.docs()).sum();
    let (gone, expires) = store
        .journal_index
        .gone_and_expires_with_proposed(part, base, place.doc);
    if gone != NEVER || expires <= now {
        return None;
    }
    store.journal.read(part.span(place.doc)).ok()
}

/// Returns true if a record is in the inbox.
fn is_waiting(store: &Store, id: u64, now: Millis) -> bool {
    let standings = store.journal_index.standings();
    match standings.review_of(&id, None) {
        Review::Proposed(_) => true,
        Review::Rejected(_) => false,
        Review::None | Review::Accepted(_) => {
            let place = store.journal_index.find_id(id);
            standings.verdicts_on(&id, None).are_disputed()
                && place.is_some_and(|place| store.journal_index.is_live(place, now))
        }
    }
}
