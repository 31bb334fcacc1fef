//! What callers hand in, and its limits.

use crate::clock::{Millis, parse_iso};
use crate::error::{Error, Result};
use crate::frame::unframe;
use crate::hallmark::Origin;
use crate::memory::Scope;
use crate::thought::{CATEGORIES, DEFAULT_CONFIDENCE, ROUTED_TYPES, is_id};

/// The longest text of a capture, in bytes of UTF-8.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// The longest text of a pattern, in bytes of UTF-8: patterns are compact lessons, not dumps.
pub const PATTERN_BYTES_MAX: usize = 1024;
/// The most tags a record has.
pub const TAGS_MAX: usize = 32;
/// The longest name: of a type, tag, project or creator.
pub const NAME_BYTES_MAX: usize = 128;

/// A capture as it comes in.
#[derive(Debug, Clone, Default)]
pub struct CaptureInput {
    /// The tool that captures.
    pub tool: Option<String>,
    /// The type; required.
    pub kind: Option<String>,
    /// What was learned; required.
    pub body: Option<String>,
    /// `<tool>` or `<tool>/<subsystem>`.
    pub source: Option<String>,
    /// The project, when it is not the one the memory belongs to.
    pub project: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// How sure it is, 0 to 1.
    pub confidence: Option<f64>,
    /// Who wrote it.
    pub created_by: Option<String>,
    /// When it expires, in ISO 8601.
    pub expires_at: Option<String>,
    /// The id of the revision that it takes the place of.
    pub supersedes: Option<String>,
    /// Which code it came from.
    pub origin: Origin,
}

/// A capture that may be stored.
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
    pub supersedes: Option<String>,
    pub origin: Origin,
}

impl CaptureInput {
    pub(crate) fn check(self) -> Result<CheckedCapture> {
        Ok(CheckedCapture {
            kind: check_kind("type", self.kind)?,
            body: check_new_text("body", self.body, BODY_BYTES_MAX)?,
            project: self.project.map(|name| check_name("project", name)).transpose()?,
            tags: check_tags(self.tags)?,
            confidence: check_confidence(self.confidence)?,
            created_by: self.created_by.map(|name| check_name("createdBy", name)).transpose()?,
            expires_ms: self.expires_at.as_deref().map(check_expiry).transpose()?,
            supersedes: self.supersedes.map(|id| check_id("supersedes", id)).transpose()?,
            tool: self
                .tool
                .filter(|tool| !tool.is_empty())
                .map(|tool| check_name("tool", tool))
                .transpose()?,
            source: self.source,
            origin: self.origin.check()?,
        })
    }
}

/// A pattern as it comes in.
#[derive(Debug, Clone, Default)]
pub struct SaveInput {
    /// What was learned; required, at most [`PATTERN_BYTES_MAX`].
    pub pattern: Option<String>,
    /// One of the seven categories; required.
    pub category: Option<String>,
    /// How sure it is, 0 to 1.
    pub confidence: Option<f64>,
    /// `project` or `global`.
    pub scope: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct CheckedSave {
    pub pattern: String,
    pub category: String,
    pub confidence: f64,
    pub scope: Scope,
    pub tags: Vec<String>,
}

impl SaveInput {
    pub(crate) fn check(self) -> Result<CheckedSave> {
        Ok(CheckedSave {
            pattern: check_new_text("pattern", self.pattern, PATTERN_BYTES_MAX)?,
            category: check_category("category", self.category)?,
            confidence: check_confidence(self.confidence)?,
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
        })
    }
}

/// Changes to a record; what is absent stays.
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
}

/// What was recalled is stored already: it is taken out of a text before that is stored.
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
            "holds nothing but recalled notes, which are stored already",
        ));
    }
    check_text(field, Some(rest.to_owned()), bytes_max)
}

pub(crate) fn check_text(field: &'static str, text: Option<String>, bytes_max: usize) -> Result<String> {
    let text = text.ok_or_else(|| Error::invalid(field, "is required"))?;
    if text.trim().is_empty() {
        return Err(Error::invalid(field, "is empty"));
    }
    if text.len() > bytes_max {
        return Err(Error::invalid(
            field,
            format!("has {} bytes of UTF-8, {bytes_max} are allowed", text.len()),
        ));
    }
    if text.contains('\0') {
        return Err(Error::invalid(field, "holds a NUL character"));
    }
    Ok(text)
}

/// Returns a type under the name that it is known by, whatever its case: one lesson must not be of two types. A type of
/// somebody's own stays as it is.
pub(crate) fn fold_kind(kind: String) -> String {
    let known = ROUTED_TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(&kind));
    known.map_or(kind, |(name, _)| (*name).to_owned())
}

pub(crate) fn check_kind(field: &'static str, kind: Option<String>) -> Result<String> {
    let kind = fold_kind(kind.ok_or_else(|| Error::invalid(field, "is required"))?);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if kind.is_empty() || kind.len() > NAME_BYTES_MAX || !kind.chars().all(plain) {
        let reason = format!(
            "{} is no type: letters, digits, `_`, `-` and `.`, at most {NAME_BYTES_MAX} bytes",
            quote(&kind)
        );
        return Err(Error::invalid(field, reason));
    }
    Ok(kind)
}

pub(crate) fn check_category(field: &'static str, category: Option<String>) -> Result<String> {
    let category = category.ok_or_else(|| Error::invalid(field, "is required"))?;
    if let Some(known) = CATEGORIES.iter().find(|known| known.eq_ignore_ascii_case(&category)) {
        return Ok((*known).to_owned());
    }
    Err(Error::invalid(
        field,
        format!("{} is none of {}", quote(&category), CATEGORIES.join(", ")),
    ))
}

pub(crate) fn check_tags(tags: Vec<String>) -> Result<Vec<String>> {
    if tags.len() > TAGS_MAX {
        return Err(Error::invalid(
            "tags",
            format!("there are {}, {TAGS_MAX} are allowed", tags.len()),
        ));
    }
    let mut kept: Vec<String> = Vec::with_capacity(tags.len());
    for tag in tags {
        let tag = check_name("tags", tag)?;
        if !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    Ok(kept)
}

pub(crate) fn check_name(field: &'static str, name: String) -> Result<String> {
    if name.trim().is_empty() {
        return Err(Error::invalid(field, "is empty"));
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::invalid(
            field,
            format!("has {} bytes, {NAME_BYTES_MAX} are allowed", name.len()),
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid(field, "holds a control character"));
    }
    Ok(name)
}

pub(crate) fn check_confidence(confidence: Option<f64>) -> Result<f64> {
    match confidence {
        None => Ok(DEFAULT_CONFIDENCE),
        Some(number) if (0.0..=1.0).contains(&number) => Ok(number),
        Some(number) => Err(Error::invalid("confidence", format!("{number} is not from 0 to 1"))),
    }
}

pub(crate) fn check_expiry(text: &str) -> Result<Millis> {
    parse_iso(text).ok_or_else(|| Error::invalid("expiresAt", format!("{} is no ISO 8601 time", quote(text))))
}

pub(crate) fn check_id(field: &'static str, id: String) -> Result<String> {
    if is_id(&id) {
        Ok(id)
    } else {
        Err(Error::invalid(field, format!("{} is no id", quote(&id))))
    }
}

/// Shows what was given, short and without control characters.
pub(crate) fn quote(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "..." } else { "" };
    format!("`{}{more}`", short.escape_debug())
}
