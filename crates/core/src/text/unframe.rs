//! Removes frames of recalled notes from a text.
//!
//! The lines of a frame start at the left margin and everything inside is indented, so that no text can end its frame.

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// The beginning of a frame.
pub(crate) const OPENING: &str = "[recorded notes]";
/// The end of a frame.
pub(crate) const CLOSING: &str = "[end of recorded notes";
/// The indentation inside of a frame.
pub(crate) const INDENT: &str = "  ";

/// A text without its recalled notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnframedText")]
pub struct Unframed<'a> {
    /// The text outside of all frames.
    pub text: Cow<'a, str>,
    /// The number of removed frames.
    pub frames: usize,
}

/// Removes the frames from a text. A frame without an end extends as far as its indentation.
pub fn unframe(text: &str) -> Unframed<'_> {
    if !text.contains(OPENING) {
        return Unframed {
            text: Cow::Borrowed(text),
            frames: 0,
        };
    }
    let mut kept = String::with_capacity(text.len());
    let (mut frames, mut inside) = (0, false);
    for line in text.split_inclusive('\n') {
        if line.starts_with(OPENING) {
            inside = true;
            frames += 1;
        } else if inside && line.starts_with(CLOSING) {
            inside = false;
        } else if !inside || !(line.starts_with(INDENT) || line.trim().is_empty()) {
            inside = false;
            kept.push_str(line);
        }
    }
    Unframed {
        text: Cow::Owned(kept),
        frames,
    }
}
