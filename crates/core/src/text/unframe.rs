//! Recalled text that comes back: how a frame of notes looks, and a text without the frames in it.
//!
//! The frame's own lines begin at the left edge, everything inside is indented: no text can end its frame.

use std::borrow::Cow;

/// How a frame begins.
pub(crate) const OPENING: &str = "[recorded notes]";
/// How a frame ends.
pub(crate) const CLOSING: &str = "[end of recorded notes";
/// What everything inside of a frame begins with.
pub(crate) const INDENT: &str = "  ";

/// What is left of a text without the frames in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unframed<'a> {
    /// The text outside of all frames.
    pub text: Cow<'a, str>,
    /// How many frames were in it.
    pub frames: usize,
}

/// Takes the frames out of a text. A frame without an end reaches as far as its indentation.
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
