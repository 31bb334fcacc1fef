//! The arguments of the write paths, and their validation.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result};
use crate::facts;
use crate::model::author::{Author, Speaker, conversation_key};
use crate::model::hallmark::Origin;
use crate::model::limits::{
    BODY_BYTES_MAX, PATTERN_BYTES_MAX, TAGS_MAX, check_category, check_confidence, check_expiry, check_ids, check_kind,
    check_name, check_tags, check_text, quote,
};
use crate::model::said::Door;
use crate::model::scope::Scope;
use crate::model::thought::{CATEGORIES, DEFAULT_CONFIDENCE, Facts};
use forge_memory_journal::clock::Millis;
use forge_memory_text::chatter::is_chatter;
use forge_memory_text::unframe::unframe;

facts! {
/// The input of a capture.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "Capture")]
#[schemars(extend("required" = ["type"]))]
pub struct CaptureInput {
    /// The tool that learned it, for example `forge_run_plan`; its source when none is given.
    pub tool: Option<String>,
    /// gotcha, lesson, decision, pattern, convention, or your own. Those five also go to a file of their own.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub kind: Option<String>,
    /// What was learned, at most 65,536 bytes. Required, under this name or as `content`.
    #[schemars(length(min = 1))]
    pub body: Option<String>,
    /// What was learned, at most 65,536 bytes. Another name for `body`.
    #[schemars(length(min = 1))]
    pub content: Option<String>,
    /// Where it comes from: `<tool>` or `<tool>/<subsystem>`. Anything else is stored as `unknown`.
    pub source: Option<String>,
    /// The project, if it is not the memory's own.
    pub project: Option<String>,
    /// Tags, at most 32.
    #[schemars(length(max = TAGS_MAX))]
    pub tags: Vec<String>,
    /// Confidence, 0 to 1 (default: 0.8, 0.7 for an agent). That of an import or the watcher is 0.6.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// Who learned it.
    pub created_by: Option<String>,
    /// Until when it is recalled, ISO 8601 (default: by its type).
    pub expires_at: Option<String>,
    /// Ids of what it replaces. Pieces of at least six characters of them do. What a person said is superseded by a person only; otherwise
    /// the two are in conflict.
    #[serde(deserialize_with = "one_or_many")]
    #[schemars(with = "OneOrMany")]
    pub supersedes: Vec<String>,
    /// The conversation that it is a part of; only a hash of the name is stored. Recall finds records of one conversation together,
    /// in the order in which they were captured. When absent, the session of the agent that captures.
    pub session_id: Option<String>,
    /// The file that it is about. It is one of the project; `verifyMemory` reports when that file has changed.
    pub source_file: Option<String>,
    /// The range of bytes in that file: the first offset, and the one after the last.
    pub byte_range: Option<[u64; 2]>,
    /// `sha256:` and 64 hexadecimal digits; computed when there is a source file.
    pub code_hash: Option<String>,
    /// The version of the tool.
    pub tool_version: Option<String>,
    /// Whether the outcome names up to three current records that this one may replace.
    pub related: bool,
    /// Who does it: `person`, `agent`, `import` or `watcher`.
    #[serde(skip)]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`.
    #[serde(skip)]
    pub session: Option<String>,
    /// The surface through which it comes.
    #[serde(skip)]
    pub door: Option<Door>,
    /// Whether it waits for a review, whatever the settings say; they decide when nothing is given.
    #[serde(skip)]
    pub waits: Option<bool>,
    /// Whether no event tells of it.
    #[serde(skip)]
    pub unannounced: bool,
    /// Whether an agent stores what a person said: which records it replaces, only the agent says.
    #[serde(skip)]
    pub is_quoted: bool,
}
}

/// A text, or a list of texts.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Any number.
    Many(Vec<String>),
}

/// Reads a text or a list of texts as a list.
///
/// # Errors
/// Those of the deserializer.
pub fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<String>, D::Error> {
    struct Texts;
    impl<'de> Visitor<'de> for Texts {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string or a list of strings")
        }

        fn visit_str<E>(self, text: &str) -> std::result::Result<Vec<String>, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<Vec<String>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list))
        }
    }
    deserializer.deserialize_any(Texts)
}

/// A validated capture.
#[derive(Debug, Clone)]
pub struct CheckedCapture {
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
    pub facts: Facts,
    pub speaker: Speaker,
    pub unannounced: bool,
    pub is_quoted: bool,
}

impl CaptureInput {
    pub fn check(self) -> Result<CheckedCapture> {
        let speaker = Speaker {
            waits: self.waits,
            door: self.door,
            ..Speaker::read(self.author.as_deref(), self.session.as_deref())?
        };
        let confidence = self.confidence.unwrap_or_else(|| default_confidence(speaker.author));
        let facts = self.facts();
        let session = match self.session_id {
            Some(name) => Some(conversation_key(&name)?),
            None => speaker.conversation().map(str::to_owned),
        };
        Ok(CheckedCapture {
            facts: check_facts(facts)?,
            session,
            kind: check_kind("type", self.kind)?,
            body: check_new_text("body", self.body.or(self.content), BODY_BYTES_MAX, &speaker)?,
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
            origin: Origin {
                source_file: self.source_file,
                byte_range: self.byte_range,
                code_hash: self.code_hash,
                tool_version: self.tool_version,
            }
            .check()?,
            speaker,
            unannounced: self.unannounced,
            is_quoted: self.is_quoted,
        })
    }
}

facts! {
/// A pattern to save.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "Save")]
#[schemars(extend("required" = ["pattern", "category"]))]
pub struct SaveInput {
    /// One or two sentences, at most 1,024 bytes.
    #[schemars(with = "String")]
    pub pattern: Option<String>,
    /// Its category.
    #[schemars(with = "String", extend("enum" = CATEGORIES))]
    pub category: Option<String>,
    /// Confidence, 0 to 1 (default: 0.8, 0.7 for an agent).
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// For this project, or for all projects of this user (default: project).
    #[schemars(extend("enum" = ["project", "global"]))]
    pub scope: Option<String>,
    /// Tags, at most 32.
    #[schemars(length(max = TAGS_MAX))]
    pub tags: Vec<String>,
    /// Whether the outcome names up to three current records of its scope that this one may replace.
    pub related: bool,
    /// Who does it: `person`, `agent`, `import` or `watcher`.
    #[serde(skip)]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`.
    #[serde(skip)]
    pub session: Option<String>,
    /// The surface through which it comes.
    #[serde(skip)]
    pub door: Option<Door>,
    /// Whether it waits for a review, whatever the settings say; they decide when nothing is given.
    #[serde(skip)]
    pub waits: Option<bool>,
}
}

#[derive(Debug, Clone)]
pub struct CheckedSave {
    pub pattern: String,
    pub category: String,
    pub confidence: f64,
    pub scope: Scope,
    pub tags: Vec<String>,
    pub facts: Facts,
    pub speaker: Speaker,
}

impl SaveInput {
    pub fn check(self) -> Result<CheckedSave> {
        let speaker = Speaker {
            waits: self.waits,
            door: self.door,
            ..Speaker::read(self.author.as_deref(), self.session.as_deref())?
        };
        let confidence = self.confidence.unwrap_or_else(|| default_confidence(speaker.author));
        Ok(CheckedSave {
            facts: check_facts(self.facts())?,
            pattern: check_new_text("pattern", self.pattern, PATTERN_BYTES_MAX, &speaker)?,
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

facts! {
/// Changes of a record; absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "Edit")]
pub struct EditInput {
    /// The new text.
    pub body: Option<String>,
    /// Another name for `body`.
    pub content: Option<String>,
    /// The new type or category.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The new tags, all of them.
    #[schemars(length(max = TAGS_MAX))]
    pub tags: Option<Vec<String>>,
    /// The new confidence, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// The new expiry, ISO 8601.
    pub expires_at: Option<String>,
    /// Who does it: `person`, `agent`, `import` or `watcher`.
    #[serde(skip)]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`.
    #[serde(skip)]
    pub session: Option<String>,
    /// The surface through which it comes.
    #[serde(skip)]
    pub door: Option<Door>,
}
}

impl EditInput {
    /// Returns who edits.
    ///
    /// # Errors
    /// As [`Speaker::read`].
    pub fn speaker(&self) -> Result<Speaker> {
        Ok(Speaker {
            door: self.door,
            ..Speaker::read(self.author.as_deref(), self.session.as_deref())?
        })
    }
}

/// Checks a text that is to be stored, without recalled notes, which are stored already. What an agent says in passing is none.
fn check_new_text(field: &'static str, text: Option<String>, bytes_max: usize, speaker: &Speaker) -> Result<String> {
    let mut text = check_text(field, text, usize::MAX)?;
    let unframed = unframe(&text);
    if unframed.frames > 0 {
        text = unframed.text.trim().to_owned();
        if text.is_empty() {
            let reason = "contains only recalled notes, which are already stored";
            return Err(Error::invalid(field, reason));
        }
    }
    if speaker.author == Some(Author::Agent) && is_chatter(&text) {
        let reason = "says what is done now: store what a later session needs to know";
        return Err(Error::invalid(field, reason));
    }
    check_text(field, Some(text), bytes_max)
}

/// Checks the facts, each of which is one line.
pub fn check_facts(mut facts: Facts) -> Result<Facts> {
    for (name, text) in facts.texts() {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        *text = check_text(name, Some(line), PATTERN_BYTES_MAX)?;
    }
    Ok(facts)
}

/// The default confidence of a record of a person.
pub const PERSONS_CONFIDENCE: f64 = 0.8;

/// Returns the default confidence of an author's records.
pub fn default_confidence(author: Option<Author>) -> f64 {
    match author {
        Some(Author::Person | Author::Script) => PERSONS_CONFIDENCE,
        Some(Author::Import | Author::Watcher) => 0.6,
        Some(Author::Agent | Author::Tool) | None => DEFAULT_CONFIDENCE,
    }
}
