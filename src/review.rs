//! The review inbox, and the feedback of sessions on records.

use forge_memory_core::author::Speaker;
use forge_memory_core::request::Request;
use forge_memory_core::review::{Counted, Verdict, Verdicts, Waiting};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, count};
use crate::error::Result;
use crate::input::read;
use crate::projects::{names_project, with_memory, with_options};
use crate::types::scope_name;

/// A project and an author. The surface that receives a text determines the author, not the text.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteOptions {
    pub project_dir: Option<String>,
    /// The author; an agent when absent. Records of other authors than people may require a review.
    #[napi(ts_type = "'person' | 'agent' | 'import' | 'watcher'")]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// Whether it only proposes: a capture or pattern waits for a review then, whatever `review` in `.forge.json` says.
    pub propose: Option<bool>,
}

names_project!(WriteOptions);

impl WriteOptions {
    pub(crate) fn speaker(&self) -> forge_memory_core::Result<Speaker> {
        Speaker::read(self.author.as_deref(), self.session.as_deref())
    }
}

/// A project, and a new text for a proposed record.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptOptions {
    pub project_dir: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// The text that replaces it.
    pub text: Option<String>,
}

names_project!(AcceptOptions);

/// The verdicts of sessions on a record; each session counts once, and at most 8 count.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
pub struct MemoryVerdicts {
    pub useful: u32,
    pub wrong: u32,
}

impl From<Verdicts> for MemoryVerdicts {
    fn from(from: Verdicts) -> Self {
        MemoryVerdicts {
            useful: count(from.useful),
            wrong: count(from.wrong),
        }
    }
}

/// A record with a similar text.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearMemory {
    pub id: String,
    pub text: String,
    pub created_at: String,
}

/// A record in the inbox.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingMemory {
    pub id: String,
    #[napi(ts_type = "'project' | 'global'")]
    pub scope: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub text: String,
    pub tags: Vec<String>,
    pub source: String,
    pub created_at: String,
    pub confidence: f64,
    /// `proposed`: not returned by searches. `disputed`: sessions have found it wrong, and searches return it until a
    /// person decides. `requested`: somebody who may not change it asks for that; `id` is the request's then.
    #[napi(ts_type = "'proposed' | 'disputed' | 'requested'")]
    pub why: String,
    /// The author of the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The session that proposed it, as journals name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub verdicts: MemoryVerdicts,
    /// Similar current records, the nearest first.
    pub near: Vec<NearMemory>,
    /// What is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestedChange>,
}

/// A change that others than a person ask for. `acceptMemory` carries it out, and `rejectMemory` refuses it for good.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestedChange {
    /// `keep`: to make a retired or forgotten record current again. `hold`: it and `other` do not contradict each other. `useful` and
    /// `wrong`: feedback of a session.
    #[napi(ts_type = "'forget' | 'retire' | 'keep' | 'hold' | 'useful' | 'wrong'")]
    pub change: String,
    /// The same as a sentence about the record.
    pub says: String,
    /// The id of the record.
    pub of: String,
    /// The other record: the one that replaces it, or does not contradict it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The reason that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl From<Request> for RequestedChange {
    fn from(from: Request) -> Self {
        RequestedChange {
            change: from.change.name().to_owned(),
            says: from.says(),
            other: from.change.other().map(str::to_owned),
            of: from.of,
            why: Some(from.why).filter(|why| !why.is_empty()),
        }
    }
}

impl From<Waiting> for WaitingMemory {
    fn from(from: Waiting) -> Self {
        WaitingMemory {
            id: from.id,
            scope: scope_name(from.scope),
            kind: from.kind,
            text: from.text,
            tags: from.tags,
            source: from.source,
            created_at: from.created_at,
            confidence: from.confidence,
            why: match (&from.request, from.is_disputed) {
                (Some(_), _) => "requested",
                (None, true) => "disputed",
                (None, false) => "proposed",
            }
            .to_owned(),
            author: Some(from.author).filter(|author| !author.is_empty()),
            session: from.session,
            verdicts: from.verdicts.into(),
            near: from
                .near
                .into_iter()
                .map(|near| NearMemory {
                    id: near.id,
                    text: near.text,
                    created_at: near.created_at,
                })
                .collect(),
            request: from.request.map(Into::into),
        }
    }
}

/// The result of a review.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
pub struct ReviewOutcome {
    /// The id of the record, or of the revision when a new text was stored.
    pub id: String,
    #[napi(ts_type = "'accepted' | 'rejected' | 'waiting'")]
    pub state: String,
}

/// The result of feedback.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RateOutcome {
    pub id: String,
    /// False when this session had given the verdict before, or the maximum is reached.
    pub counted: bool,
    pub verdicts: MemoryVerdicts,
    /// True when enough sessions found it wrong, so that a person should review it.
    pub in_review: bool,
}

impl From<Counted> for RateOutcome {
    fn from(from: Counted) -> Self {
        RateOutcome {
            id: from.id,
            counted: from.counted,
            verdicts: from.verdicts.into(),
            in_review: from.is_in_inbox,
        }
    }
}

/// Lists the inbox, the oldest first: proposed records, those that sessions found wrong, and changes that are asked for.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<WaitingMemory>"
)]
pub fn list_review(env: &Env, options: Unknown) -> Result<Answer<Vec<WaitingMemory>>> {
    let found = with_memory(env, &options, |memory| Ok(memory.reviewer().inbox()))?;
    Ok(Answer(found.into_iter().map(Into::into).collect()))
}

/// Accepts a proposed or rejected record: it becomes current and is queued for the shared store. A request is carried out.
/// Throws `NOT_FOUND`, also when it is forgotten, `INVALID_INPUT` when the text is wrong, `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: AcceptOptions")]
pub fn accept_memory(env: &Env, id: Unknown, options: Unknown) -> Result<ReviewOutcome> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: AcceptOptions| match options.text {
        Some(text) => memory.reviewer().edit(&id, text),
        None => memory.reviewer().accept(&id, options.session.as_deref()),
    })?;
    Ok(ReviewOutcome {
        id,
        state: "accepted".to_owned(),
    })
}

/// Rejects a record: searches exclude it, and the same text is not stored again unless a person captures it.
/// `acceptMemory` undoes it. Throws `NOT_FOUND`, `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: WriteOptions")]
pub fn reject_memory(env: &Env, id: Unknown, options: Unknown) -> Result<ReviewOutcome> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: WriteOptions| {
        memory.reviewer().reject(&id, options.session.as_deref())
    })?;
    Ok(ReviewOutcome {
        id,
        state: "rejected".to_owned(),
    })
}

/// A project, and the other record of a contradiction.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenOptions {
    pub project_dir: Option<String>,
    /// The record that contradicts it.
    pub with: Option<String>,
}

names_project!(ReopenOptions);

/// Takes back a decision: a record that was accepted or rejected, or a request, waits for a review again. With `with`, two records
/// contradict each other again, whatever was decided about them. What an accepted request has changed stays changed. Throws `NOT_FOUND`,
/// `INVALID_INPUT` when it was never proposed, `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: ReopenOptions")]
pub fn reopen_memory(env: &Env, id: Unknown, options: Unknown) -> Result<ReviewOutcome> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: ReopenOptions| match options.with {
        Some(other) => memory.resolver().reopen(&id, &other).map(|()| id),
        None => memory.reviewer().reopen(&id),
    })?;
    Ok(ReviewOutcome {
        id,
        state: "waiting".to_owned(),
    })
}

/// Counts the feedback of a session on a record: useful or wrong. When two sessions find it wrong, it enters the review
/// inbox. Throws `NOT_FOUND`, `INVALID_INPUT` without a session, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, verdict: 'useful' | 'wrong', options: WriteOptions"
)]
pub fn rate_memory(env: &Env, id: Unknown, verdict: Unknown, options: Unknown) -> Result<RateOutcome> {
    let id: String = read("id", &id)?;
    let verdict: String = read("verdict", &verdict)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let speaker = Speaker::read(options.author.as_deref(), options.session.as_deref())?;
        memory.reviewer().count(&id, Verdict::parse(&verdict)?, &speaker)
    })?;
    Ok(outcome.into())
}
