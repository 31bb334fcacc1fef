//! Removes frames of recalled notes from a text.
//!
//! The lines of a frame start at the left margin and everything inside is indented, so that no text can end its frame. A line of recalled notes that
//! was copied alone is recognised by its own beginning: type, confidence, a dash.

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// The beginning of a frame.
pub const OPENING: &str = "[recorded notes]";
/// The end of a frame.
pub const CLOSING: &str = "[end of recorded notes";
/// The indentation inside of a frame.
pub const INDENT: &str = "  ";

/// What stands between the confidence of a recalled note and its text.
const DASH: &str = " \u{2014} ";

/// True if a line is one of a recalled note: `[gotcha] 0.9 — text`.
fn is_recalled(line: &str) -> bool {
    let told = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '>'));
    let head = told
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(DASH))
        .map(|(head, _)| head);
    let Some((kind, confidence)) = head.and_then(|head| head.split_once("] ")) else {
        return false;
    };
    let is_kind = !kind.is_empty() && kind.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    is_kind && kind != "remember" && confidence.parse().is_ok_and(|share: f64| (0.0..=1.0).contains(&share))
}

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
    let has_line = text.contains(DASH) && text.lines().any(is_recalled);
    if !has_line && !text.contains(OPENING) {
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
        } else if !inside && is_recalled(line) {
            frames += 1;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_copied_line_of_a_recall_is_recalled() {
        let copied = "Found this:\n- [gotcha] 0.9 \u{2014} The build needs Node 20. (3d, 1a2b3c4d)\nSo I did.";
        let found = unframe(copied);
        assert_eq!((found.text.as_ref(), found.frames), ("Found this:\nSo I did.", 1));
        for own in [
            "[x] done \u{2014} see below",
            "[remember] 0.5 \u{2014} that is the share",
            "Version 0.9 \u{2014} out",
            "[note] 12 \u{2014} twelve",
        ] {
            assert_eq!(unframe(own).frames, 0, "{own}");
        }
    }
}
