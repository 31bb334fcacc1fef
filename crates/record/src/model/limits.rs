//! The limits of arguments, and the functions that enforce them.

use crate::error::{Error, Result};
use crate::model::thought::{CATEGORIES, DEFAULT_CONFIDENCE, ROUTED_TYPES, is_id};
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};
use forge_memory_redact::hidden::is_blank;

/// The maximum length of a captured text, in bytes of UTF-8.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// The maximum length of a pattern, in bytes of UTF-8: patterns are compact lessons, not dumps.
pub const PATTERN_BYTES_MAX: usize = 1024;
/// The maximum number of tags.
pub const TAGS_MAX: usize = 32;
/// The maximum length of a name: of a type, tag, project or author.
pub const NAME_BYTES_MAX: usize = 128;

/// Returns the canonical spelling of a built-in type, ignoring case; other types are returned unchanged.
pub fn fold_kind(kind: String) -> String {
    let known = ROUTED_TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(&kind));
    known.map_or(kind, |(name, _)| (*name).to_owned())
}

/// Returns a text that is present, shows something and at most `bytes_max` bytes long.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_text(field: &'static str, text: Option<String>, bytes_max: usize) -> Result<String> {
    let text = text.ok_or_else(|| Error::invalid(field, "is required"))?;
    if is_blank(&text) {
        return Err(Error::invalid(field, "is empty"));
    }
    if text.len() > bytes_max {
        return Err(Error::invalid(
            field,
            format!("has {} bytes of UTF-8; at most {bytes_max} are allowed", text.len()),
        ));
    }
    if text.contains('\0') {
        return Err(Error::invalid(field, "contains a NUL character"));
    }
    Ok(text)
}

/// Validates a type, which consists of letters, digits, `_`, `-` and `.`.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_kind(field: &'static str, kind: Option<String>) -> Result<String> {
    let kind = fold_kind(kind.ok_or_else(|| Error::invalid(field, "is required"))?);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if kind.is_empty() || kind.len() > NAME_BYTES_MAX || !kind.chars().all(plain) {
        let reason = format!(
            "{} is not a valid type: expected letters, digits, `_`, `-` and `.`, at most {NAME_BYTES_MAX} bytes",
            quote(&kind)
        );
        return Err(Error::invalid(field, reason));
    }
    Ok(kind)
}

/// Returns one of the categories of patterns.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_category(field: &'static str, category: Option<String>) -> Result<String> {
    let category = category.ok_or_else(|| Error::invalid(field, "is required"))?;
    if let Some(known) = CATEGORIES.iter().find(|known| known.eq_ignore_ascii_case(&category)) {
        return Ok((*known).to_owned());
    }
    Err(Error::invalid(
        field,
        format!("{} is not one of {}", quote(&category), CATEGORIES.join(", ")),
    ))
}

/// Returns the tags, each once.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_tags(tags: Vec<String>) -> Result<Vec<String>> {
    if tags.len() > TAGS_MAX {
        return Err(Error::invalid(
            "tags",
            format!("has {} tags; at most {TAGS_MAX} are allowed", tags.len()),
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

/// Validates a name, which is short and on one line.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_name(field: &'static str, name: String) -> Result<String> {
    if is_blank(&name) {
        return Err(Error::invalid(field, "is empty"));
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::invalid(
            field,
            format!("has {} bytes; at most {NAME_BYTES_MAX} are allowed", name.len()),
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid(field, "contains a control character"));
    }
    Ok(name)
}

/// Returns a number from 0 to 1; the default confidence when the value is absent.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_confidence(confidence: Option<f64>) -> Result<f64> {
    match confidence {
        None => Ok(DEFAULT_CONFIDENCE),
        Some(number) if (0.0..=1.0).contains(&number) => Ok(number),
        Some(number) => Err(Error::invalid(
            "confidence",
            format!("{number} is not a number from 0 to 1"),
        )),
    }
}

/// Returns a whole number of a range; the usual one when the value is absent.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked here")]
pub fn check_whole(field: &'static str, number: Option<f64>, usual: usize, least: f64, most: f64) -> Result<usize> {
    match number {
        None => Ok(usual),
        Some(number) if number.fract() == 0.0 && (least..=most).contains(&number) => Ok(number as usize),
        Some(number) => Err(Error::invalid(
            field,
            format!("{number} is not a whole number from {least} to {most}"),
        )),
    }
}

/// Parses an ISO 8601 time.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_expiry(text: &str) -> Result<Millis> {
    parse_iso(text).ok_or_else(|| Error::invalid("expiresAt", format!("{} is not a valid ISO 8601 time", quote(text))))
}

/// Refuses an expiry that has passed: such a record would be stored, and no search would ever return it.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_lasts(expires_ms: Option<Millis>, now: Millis) -> Result<()> {
    match expires_ms.filter(|at| *at <= now) {
        Some(at) => Err(Error::invalid("expiresAt", format!("{} has passed", format_iso(at)))),
        None => Ok(()),
    }
}

/// Validates the id of a record.
///
/// # Errors
/// `INVALID_INPUT` that names the field.
pub fn check_id(field: &'static str, id: String) -> Result<String> {
    if is_id(&id) {
        Ok(id)
    } else {
        Err(Error::invalid(field, format!("{} is not a valid id", quote(&id))))
    }
}

/// The maximum number of records that one write replaces.
pub const REPLACED_MAX: usize = 100;

/// Checks a list of ids, or of pieces of ids.
///
/// # Errors
/// `INVALID_INPUT` when there are too many, or one is not valid.
pub fn check_ids(field: &'static str, ids: Vec<String>) -> Result<Vec<String>> {
    if ids.len() > REPLACED_MAX {
        return Err(Error::invalid(
            field,
            format!("has {} ids: at most {REPLACED_MAX} are allowed", ids.len()),
        ));
    }
    ids.into_iter().map(|id| check_id(field, id)).collect()
}

/// Quotes a given text for a message: at most 60 characters, control characters escaped.
pub fn quote(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "..." } else { "" };
    format!("`{}{more}`", short.escape_debug())
}
