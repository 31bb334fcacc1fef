//! The review inbox: proposed and disputed records, the decisions about them, and the feedback of sessions on records.

use std::collections::BTreeSet;

use crate::clock::{Millis, format_iso};
pub use crate::engine::acceptance::{AcceptOptions, Retires};
use crate::engine::offer::{Asked, Offered, Reader, offer};
use crate::engine::standing::{record_with, ruling_at};
use crate::engine::writer::{Writer, named_by};
use crate::error::{Error, Result};
use crate::index::{Store, Stores};
use crate::journal::clean;
use crate::judgement::reason::SUPERSEDES;
use crate::judgement::request::{Change, PREFIX, Request, ToldRequest};
use crate::judgement::standing::Act;
pub use crate::judgement::standing::{Review, Verdicts};
use crate::model::author::{Author, Speaker, WriteOptions};
use crate::model::input::EditInput;
use crate::model::said::Door;
use crate::model::scope::{Home, Scope, ScopeFilter};
use crate::model::thought::{Fields, LineKind, NEVER, Ruling, RulingKind, id_hash, read_line};
use forge_memory_sorting::Arrange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a finding of past sessions waits for somebody: a question that nobody answers is no memory.
const UNTOUCHED_MS: Millis = 30 * 86_400_000;
/// So many of a kind in a row are rejected before no more of it is proposed.
const REJECTED_IN_A_ROW: usize = 3;
/// The maximum number of records in the inbox for which related ones are searched.
const NEAR_FOR_MAX: usize = 200;

/// A record in the inbox.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WaitingMemory")]
pub struct Waiting {
    /// Its scope.
    pub scope: Scope,
    /// Its id.
    pub id: String,
    /// Type or category.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub text: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// Its source.
    pub source: String,
    /// Its time of creation, as written.
    pub created_at: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The author of the proposal; of a disputed record, its own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// The session that proposed it, as journals name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why it waits.
    pub why: WaitingFor,
    /// The verdicts of sessions.
    pub verdicts: Verdicts,
    /// Similar current records, the nearest first.
    pub near: Vec<Offered>,
    /// The records that are no longer current once it is accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retires: Vec<Retires>,
    /// The requested change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ToldRequest>")]
    pub request: Option<Request>,
}

/// Why a record is in the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitingFor {
    /// It is proposed: searches do not return it.
    Proposed,
    /// Sessions have found it wrong; searches return it until a person decides.
    Disputed,
    /// Somebody who may not change it asks for that; `id` is the request's then.
    Requested,
}

/// The other record of a contradiction.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReopenOptions {
    /// The record that contradicts it.
    pub with: Option<String>,
    /// Who does it: a person when absent.
    #[schemars(with = "Option<Author>")]
    pub author: Option<String>,
    /// The surface; `api` when absent.
    pub door: Option<Door>,
}

impl ReopenOptions {
    /// Returns who takes the decision back.
    ///
    /// # Errors
    /// As [`WriteOptions::speaker`].
    pub fn decider(&self) -> Result<Speaker> {
        let options = WriteOptions {
            author: self.author.clone(),
            door: self.door,
            ..WriteOptions::default()
        };
        options.decider()
    }
}

/// The feedback of a session on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It was useful.
    Useful,
    /// It was wrong.
    Wrong,
    /// The session takes back that it was useful.
    Withdraw,
}

impl Verdict {
    fn ruling(self) -> RulingKind {
        match self {
            Verdict::Useful => RulingKind::Useful,
            Verdict::Wrong => RulingKind::Wrong,
            Verdict::Withdraw => RulingKind::Withdraw,
        }
    }
}

/// The result of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewOutcome")]
pub struct Reviewed {
    /// The id of the record, or of the revision when a new text was stored.
    pub id: String,
    /// Its state.
    pub state: ReviewState,
}

/// The state of a record after a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewState {
    /// It is current.
    Accepted,
    /// Searches do not return it.
    Rejected,
    /// It waits again.
    Waiting,
}

/// The result of feedback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RateOutcome")]
pub struct Counted {
    /// The record.
    pub id: String,
    /// False when this session had given the verdict before, or the maximum is reached.
    pub counted: bool,
    /// The verdicts of sessions now.
    pub verdicts: Verdicts,
    /// True when enough sessions found it wrong, so that a person should review it.
    #[serde(rename = "inReview")]
    pub is_in_inbox: bool,
}

impl Writer<'_> {
    /// Returns the first tags of what a source proposes of which the last three decisions were rejections.
    pub fn unwanted(&mut self, source: &str) -> BTreeSet<String> {
        self.stores.refresh();
        let mut decided: Vec<(Millis, String, bool)> = Vec::new();
        for home in Home::RULED {
            let store = self.stores.of_mut(home);
            let standings = store.journal_index.standings();
            for id in standings.ids() {
                let is_rejected = match standings.review_of(id, None) {
                    Review::Rejected(_) => true,
                    Review::Accepted(_) => false,
                    Review::None | Review::Proposed(_) => continue,
                };
                let line = record_with(store, *id).unwrap_or_default();
                if let LineKind::Record(fields) = read_line(clean(&line))
                    && fields.source.starts_with(source)
                    && let (Some(tag), Some(at)) = (fields.tags.first(), standings.latest_of_review(id))
                {
                    decided.push((at, tag.to_string(), is_rejected));
                }
            }
        }
        decided.arrange_by(|a, b| b.0.cmp(&a.0));
        let tags: BTreeSet<String> = decided.iter().map(|(_, tag, _)| tag.clone()).collect();
        let is_unwanted = |tag: &String| {
            let of_tag = decided.iter().filter(|(_, of, _)| of == tag);
            of_tag.take_while(|(.., is_rejected)| *is_rejected).count() >= REJECTED_IN_A_ROW
        };
        tags.into_iter().filter(is_unwanted).collect()
    }

    /// Lists the inbox, the oldest first.
    pub fn inbox(&mut self) -> Vec<Waiting> {
        let now = self.project.now();
        let mut waiting = all_waiting(self.stores, now).0;
        waiting.arrange_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
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

    /// Accepts a record, which becomes current, or a request, which is carried out. Returns its id.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such record or it is forgotten, `LOCKED` or `IO`.
    pub fn accept(&mut self, id: &str, session: Option<&str>) -> Result<String> {
        self.finish()?;
        let person = self.decider(session)?;
        if let Some((home, request)) = self.request(id) {
            return self.carry_out(home, request, person);
        }
        let (home, history, _lock) = self.find_held(id)?;
        let record = history.current();
        self.check_persons(home.scope(), &record.id)?;
        self.accept_record(home, record, &person)?;
        Ok(record.id.clone())
    }

    /// Returns who decides about what waits, under a session. What agents propose, no agent accepts.
    fn decider(&self, session: Option<&str>) -> Result<Speaker> {
        let speaker = &self.speaker;
        // A user's threshold for past sessions decides as an import.
        let is_threshold = speaker.author == Some(Author::Import) && speaker.door == Some(Door::Backfill);
        if let Some(author) = speaker
            .author
            .filter(|author| *author != Author::Person && !is_threshold)
        {
            let wanted = format!(
                "is {}: only a person accepts or rejects what others propose",
                author.name()
            );
            return Err(Error::invalid("author", wanted));
        }
        let author = speaker.author.unwrap_or(Author::Person);
        Ok(Speaker {
            door: speaker.door,
            session: Speaker::read(Some(author.name()), session)?
                .session
                .or(speaker.session.clone()),
            author: Some(author),
            waits: None,
        })
    }

    fn request(&mut self, id: &str) -> Option<(Home, Request)> {
        self.stores.refresh();
        Home::RULED
            .into_iter()
            .find_map(|home| Some((home, request_with(self.stores.of_mut(home), id)?)))
    }

    /// Carries out a request, as a person. After a crash in between, the request waits again, and repeating it changes nothing.
    fn carry_out(&mut self, home: Home, request: Request, person: Speaker) -> Result<String> {
        let Request { id, of, change, why } = request;
        match change {
            Change::Forget => drop(self.forget(&of, &person)?),
            Change::Retire(by) => {
                let why = Some(why).filter(|why| !why.is_empty());
                self.replace(vec![of], by, why, &person)?;
            }
            Change::Keep => drop(self.keep(&of)?),
            Change::Hold(other) => {
                for id in [&of, &other] {
                    self.find(id)?;
                }
                self.rule(home, person.said(), |judge| Ok(judge.hold(&of, &other)))?;
            }
            Change::Useful => self.count_for(home, &id, &of, Verdict::Useful)?,
            Change::Wrong => self.count_for(home, &id, &of, Verdict::Wrong)?,
        }
        self.rule(home, person.said(), |judge| {
            Ok([judge.accept(&id, person.session.as_deref(), "")])
        })?;
        Ok(id)
    }

    /// Counts feedback for the session that asked for it.
    fn count_for(&mut self, home: Home, request: &str, of: &str, verdict: Verdict) -> Result<()> {
        let session = proposal_in(self.stores.of_mut(home), request).and_then(|proposal| proposal.other);
        let speaker = Speaker {
            session,
            ..self.speaker.clone()
        };
        self.count(of, verdict, &speaker).map(drop)
    }

    /// Rejects a record, which is excluded from answers, or a request, which changes nothing; the same is not captured or asked for again.
    /// Returns its id.
    ///
    /// # Errors
    /// As [`Writer::accept`].
    pub fn reject(&mut self, id: &str, session: Option<&str>) -> Result<String> {
        let (home, id, _) = self.reviewed(id)?;
        home.check_writable()?;
        let person = self.decider(session)?;
        self.rule(home, person.said(), |judge| {
            Ok([judge.reject(&id, person.session.as_deref())])
        })?;
        Ok(id)
    }

    /// Takes back the decision about a record that was proposed, or about a request: it waits again, as it was proposed. A change that an
    /// acceptance has carried out is not taken back. Returns its id.
    ///
    /// # Errors
    /// As [`Writer::accept`], and `INVALID_INPUT` when it was never proposed.
    pub fn propose_again(&mut self, id: &str) -> Result<String> {
        let (home, id, proposal) = self.reviewed(id)?;
        home.check_writable()?;
        self.rule(home, self.speaker.said(), |judge| {
            Ok([judge.propose_again(&id, proposal)?])
        })?;
        Ok(id)
    }

    /// Finds the subject of a decision, a record or a request, and the ruling that proposed it, if one did.
    fn reviewed(&mut self, id: &str) -> Result<(Home, String, Option<Ruling>)> {
        if let Some((home, request)) = self.request(id) {
            let proposal = proposal_in(self.stores.of_mut(home), &request.id);
            return Ok((home, request.id, proposal));
        }
        let (home, history) = self.find(id)?;
        let store = &*self.stores.of_mut(home);
        let proposal = history
            .revisions()
            .find_map(|(revision, _)| proposal_in(store, &revision.id));
        Ok((home, history.current().id.clone(), proposal))
    }

    /// Replaces a proposed record by a revision with another text, which becomes current. Returns the id of the revision.
    ///
    /// # Errors
    /// As [`Writer::accept`], and `INVALID_INPUT` when the text is wrong.
    pub fn accept_as(&mut self, id: &str, text: String) -> Result<String> {
        if self.request(id).is_some() {
            return Err(Error::invalid("text", "a request has no text: accept or reject it"));
        }
        let (home, history) = self.find(id)?;
        let changes = EditInput {
            body: Some(text),
            author: Some(Author::Person.name().to_owned()),
            door: self.speaker.door,
            ..EditInput::default()
        };
        let old = history.current().id.clone();
        self.check_persons(home.scope(), &old)?;
        let store = self.stores.of_mut(home);
        let named = named_by(&store.journal, &store.journal_index, &old);
        let (thought, _) = self.edit(&old, changes)?;
        self.rule(home, self.speaker.said(), |judge| {
            let retire = |older: &String| judge.replace(RulingKind::Retire, older, Some(&thought.id), SUPERSEDES);
            Ok(named.iter().map(retire).collect::<Vec<_>>())
        })?;
        Ok(thought.id)
    }

    /// Records the feedback of a session on a current record, or takes back that it was useful to it.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such record, it is forgotten or waits for its review, `INVALID_INPUT` without a session,
    /// `PROPOSED` when the speaker may only ask for it, `LOCKED` or `IO`.
    pub fn count(&mut self, id: &str, verdict: Verdict, speaker: &Speaker) -> Result<Counted> {
        let session = speaker
            .session
            .clone()
            .ok_or_else(|| Error::invalid("session", "is required: each session counts once"))?;
        let (home, history) = self.find(id)?;
        home.check_writable()?;
        let (record, by) = (history.current().subject(), self.who(speaker));
        let counted = self.rule(home, speaker.said(), |judge| {
            judge.count(&record, verdict.ruling(), &session, by)
        })?;
        Ok(self.verdicts_of(home, record.id, counted))
    }

    pub(super) fn verdicts_of(&mut self, home: Home, id: String, counted: bool) -> Counted {
        let standings = self.stores.of_mut(home).journal_index.standings();
        let verdicts = standings.verdicts_on(&id_hash(&id), None);
        Counted {
            id,
            counted,
            verdicts,
            is_in_inbox: verdicts.are_disputed(),
        }
    }

    /// Completes acceptances that a crash interrupted.
    ///
    /// # Errors
    /// `LOCKED` or `IO`.
    pub fn finish(&mut self) -> Result<()> {
        if !self.destinations.has_acceptances() {
            return Ok(());
        }
        let _lock = self.stores.captures.journal.guard()?;
        self.stores.captures.refresh()?;
        let index = &self.stores.captures.journal_index;
        self.destinations.finish_acceptances(index, self.project.now())
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

/// Finds a request by its id, whatever became of it.
fn request_with(store: &Store, id: &str) -> Option<Request> {
    id.strip_prefix(PREFIX)?;
    let standings = store.journal_index.standings();
    let span = standings
        .of_kind(RulingKind::Request)
        .find(|(known, _)| **known == id_hash(id))
        .map(|(_, act)| act.span)?;
    Request::read(ruling_at(&store.journal, span, RulingKind::Request)?).filter(|request| request.id == id)
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
                let is_finding = fields.said.door == Some(Door::Backfill);
                if is_finding && fields.at_ms.saturating_add(UNTOUCHED_MS) <= now {
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

/// Returns the ruling that proposed a record, or a request.
fn proposal_in(store: &Store, id: &str) -> Option<Ruling> {
    let act = store.journal_index.standings().proposer_of(&id_hash(id))?;
    ruling_at(&store.journal, act.span, RulingKind::Propose)
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
