//! The review inbox: proposed and disputed records, the decisions about them, and the feedback of sessions on records.

pub use crate::engine::acceptance::{AcceptOptions, Retires};
use crate::engine::history::{RecordState, find_history};
use crate::engine::offer::Offered;
use crate::engine::standing::ruling_at;
use crate::engine::writer::{Writer, named_by};
use crate::error::{Error, Result};
use crate::index::Store;
use crate::judgement::reason::SUPERSEDES;
use crate::judgement::request::{Change, PREFIX, Request, ToldRequest};
pub use crate::judgement::standing::{Review, Verdicts};
use crate::model::author::{Author, Speaker};
use crate::model::input::EditInput;
use crate::model::said::Door;
use crate::model::scope::{Home, Scope};
use crate::model::thought::{Ruling, RulingKind, id_hash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// As [`Speaker::read`].
    pub fn speaker(&self) -> Result<Speaker> {
        Speaker::of_caller(self.author.as_deref(), None, self.door)
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
    /// The records that are no longer current because of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retired: Vec<Retires>,
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

    /// Accepts as [`Writer::accept`] does, or with another text as [`Writer::accept_as`] does, and returns what that retired as well.
    ///
    /// # Errors
    /// As these.
    pub fn accept_telling(&mut self, id: &str, text: Option<String>) -> Result<Reviewed> {
        let request = self.request(id).map(|(_, request)| request);
        let found = self.find(id).ok();
        let (scope, full) = found.map_or((Scope::Project, id.to_owned()), |(home, history)| {
            (home.scope(), history.current().id.clone())
        });
        let mut retired = self.retired_by_accepting(scope, &full, request.as_ref());
        let id = match text {
            Some(text) => self.accept_as(id, text)?,
            None => self.accept(id, None)?,
        };
        let now = self.project.now();
        retired.retain(|one| {
            let found = find_history(self.stores, &one.id, now).ok().flatten();
            found.is_none_or(|(_, history)| history.state() != RecordState::Current)
        });
        let state = ReviewState::Accepted;
        Ok(Reviewed { id, state, retired })
    }

    /// Returns who decides about what waits, under a session. What agents propose, no agent accepts.
    pub(super) fn decider(&self, session: Option<&str>) -> Result<Speaker> {
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
        let person = self.decider(None)?;
        let (home, id, proposal) = self.reviewed(id)?;
        home.check_writable()?;
        self.rule(home, person.said(), |judge| Ok([judge.propose_again(&id, proposal)?]))?;
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

/// Returns the ruling that proposed a record, or a request.
pub(crate) fn proposal_in(store: &Store, id: &str) -> Option<Ruling> {
    let act = store.journal_index.standings().proposer_of(&id_hash(id))?;
    ruling_at(&store.journal, act.span, RulingKind::Propose)
}
