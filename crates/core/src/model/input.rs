//! The arguments of the write paths, and their validation.

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::model::author::{Author, Speaker, conversation_key};
use crate::model::hallmark::Origin;
use crate::model::limits::{
    BODY_BYTES_MAX, PATTERN_BYTES_MAX, check_category, check_confidence, check_expiry, check_ids, check_kind,
    check_name, check_tags, check_text, quote,
};
use crate::model::scope::Scope;
use crate::model::thought::DEFAULT_CONFIDENCE;
use crate::text::unframe::unframe;

/// The input of a capture.
#[derive(Debug, Clone, Default)]
pub struct CaptureInput {
    /// The capturing tool.
    pub tool: Option<String>,
    /// The type; required.
    pub kind: Option<String>,
    /// What was learned; required.
    pub body: Option<String>,
    /// `<tool>` or `<tool>/<subsystem>`.
    pub source: Option<String>,
    /// The project, if it is not the memory's own.
    pub project: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// The confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// The author.
    pub created_by: Option<String>,
    /// When it expires, in ISO 8601.
    pub expires_at: Option<String>,
    /// The ids of the records that it supersedes.
    pub supersedes: Vec<String>,
    /// The conversation that it is a part of; the session of the agent that captures it when absent.
    pub session_id: Option<String>,
    /// The code that it is about.
    pub origin: Origin,
    /// Who captures: `person`, `agent`, `import` or `watcher`.
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`.
    pub session: Option<String>,
    /// Whether it waits for a review, whatever the settings say; they decide when nothing is given.
    pub waits: Option<bool>,
    /// Whether the outcome names current records that it may replace.
    pub related: bool,
}

/// A validated capture.
#[derive(Debug, Clone)]
pub(crate) struct CheckedCapture {
    pub tool: Option<String>,
    pub kind: String,
    pub body: String,
    pub source: Option<String>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub confidence: f64,
    pub created_by: Option<String>,
    pub expires_ms: Option<Millis>,
    pub supersedes: Vec<String>,
    pub session: Option<String>,
    pub origin: Origin,
    pub speaker: Speaker,
}

impl CaptureInput {
    pub(crate) fn check(self) -> Result<CheckedCapture> {
        let speaker = Speaker {
            waits: self.waits,
            ..Speaker::read(self.author.as_deref(), self.session.as_deref())?
        };
        let confidence = self.confidence.unwrap_or_else(|| default_confidence(speaker.author));
        let session = match self.session_id {
            Some(name) => Some(conversation_key(&name)?),
            None => speaker.conversation().map(str::to_owned),
        };
        Ok(CheckedCapture {
            session,
            kind: check_kind("type", self.kind)?,
            body: check_new_text("body", self.body, BODY_BYTES_MAX)?,
            project: self.project.map(|name| check_name("project", name)).transpose()?,
            tags: check_tags(self.tags)?,
            confidence: check_confidence(Some(confidence))?,
            created_by: self.created_by.map(|name| check_name("createdBy", name)).transpose()?,
            expires_ms: self.expires_at.as_deref().map(check_expiry).transpose()?,
            supersedes: check_ids("supersedes", self.supersedes)?,
            tool: self
                .tool
                .filter(|tool| !tool.is_empty())
                .map(|tool| check_name("tool", tool))
                .transpose()?,
            source: self.source,
            origin: self.origin.check()?,
            speaker,
        })
    }
}

/// The input of a pattern.
#[derive(Debug, Clone, Default)]
pub struct SaveInput {
    /// What was learned; required, at most [`PATTERN_BYTES_MAX`].
    pub pattern: Option<String>,
    /// One of the seven categories; required.
    pub category: Option<String>,
    /// The confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// `project` or `global`.
    pub scope: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// Who saves: `person`, `agent`, `import` or `watcher`.
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`.
    pub session: Option<String>,
    /// Whether it waits for a review, whatever the settings say; they decide when nothing is given.
    pub waits: Option<bool>,
    /// Whether the outcome names current records that it may replace.
    pub related: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct CheckedSave {
    pub pattern: String,
    pub category: String,
    pub confidence: f64,
    pub scope: Scope,
    pub tags: Vec<String>,
    pub speaker: Speaker,
}

impl SaveInput {
    pub(crate) fn check(self) -> Result<CheckedSave> {
        let speaker = Speaker {
            waits: self.waits,
            ..Speaker::read(self.author.as_deref(), self.session.as_deref())?
        };
        let confidence = self.confidence.unwrap_or_else(|| default_confidence(speaker.author));
        Ok(CheckedSave {
            pattern: check_new_text("pattern", self.pattern, PATTERN_BYTES_MAX)?,
            category: check_category("category", self.category)?,
            confidence: check_confidence(Some(confidence))?,
            scope: match self.scope.as_deref() {
                None | Some("project") => Scope::Project,
                Some("global") => Scope::Global,
                Some(other) => {
                    return Err(Error::invalid(
                        "scope",
                        format!("{} is neither project nor global", quote(other)),
                    ));
                }
            },
            tags: check_tags(self.tags)?,
            speaker,
        })
    }
}

/// Changes of a record; absent fields stay.
#[derive(Debug, Clone, Default)]
pub struct EditInput {
    /// The new text.
    pub body: Option<String>,
    /// The new type or category.
    pub kind: Option<String>,
    /// The new labels, all of them.
    pub tags: Option<Vec<String>>,
    /// The new confidence.
    pub confidence: Option<f64>,
    /// The new expiry, in ISO 8601.
    pub expires_at: Option<String>,
    /// Who edits: `person`, `agent`, `import` or `watcher`.
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`.
    pub session: Option<String>,
}

/// Removes recalled notes from a text before it is stored, because they are stored already.
fn check_new_text(field: &'static str, text: Option<String>, bytes_max: usize) -> Result<String> {
    let Some(text) = text else {
        return check_text(field, None, bytes_max);
    };
    let unframed = unframe(&text);
    if unframed.frames == 0 {
        return check_text(field, Some(text), bytes_max);
    }
    let rest = unframed.text.trim();
    if rest.is_empty() {
        return Err(Error::invalid(
            field,
            "contains only recalled notes, which are already stored",
        ));
    }
    check_text(field, Some(rest.to_owned()), bytes_max)
}

/// Returns the default confidence of an author's records.
pub fn default_confidence(author: Option<Author>) -> f64 {
    match author {
        Some(Author::Person) => 0.8,
        Some(Author::Import | Author::Watcher) => 0.6,
        Some(Author::Agent) | None => DEFAULT_CONFIDENCE,
    }
}
