//! The frame around recalled text.

use forge_memory_core::frame::{check_budget, clean, frame, unframe};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::count;
use crate::error::Result;
use crate::input::{read, read_or_empty, refused};

/// Notes within their frame.
#[napi(object, object_from_js = false)]
pub struct FramedNotes {
    /// The text for an agent. It says that the following notes are not instructions.
    pub text: String,
    /// The number of notes in it.
    pub shown: u32,
    /// How many of those are truncated.
    pub shortened: u32,
    /// The estimated number of tokens.
    pub tokens: u32,
}

/// A text without its recalled notes.
#[napi(object, object_from_js = false)]
pub struct UnframedText {
    pub text: String,
    /// The number of removed frames.
    pub frames: u32,
}

/// The options of framing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameOptions {
    budget: Option<f64>,
}

/// Frames recalled notes for an agent: as many of the first ones as fit into the token budget (100 to 100,000; 2,000 when
/// absent). Control characters are removed and hidden characters are shown, so that no text can end its frame. Throws
/// `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "notes: Array<string>, options?: { budget?: number }")]
pub fn frame_notes(notes: Unknown, options: Unknown) -> Result<FramedNotes> {
    let notes: Vec<String> = read("notes", &notes)?;
    let FrameOptions { budget } = read_or_empty("options", &options)?;
    let budget = check_budget(budget).map_err(|error| refused(&options, &error))?;
    let framed = frame(&notes, budget);
    Ok(FramedNotes {
        text: framed.text,
        shown: count(framed.shown),
        shortened: count(framed.shortened),
        tokens: count(framed.tokens),
    })
}

/// Removes framed notes from a text, so that recalled text is not stored again. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn drop_framed_notes(given: Unknown) -> Result<UnframedText> {
    let given: String = read("text", &given)?;
    let unframed = unframe(&given);
    Ok(UnframedText {
        frames: count(unframed.frames),
        text: unframed.text.into_owned(),
    })
}

/// Sanitizes a text for display: escape sequences and control characters are removed, and characters that hide or reorder
/// text are shown as escapes such as `\\u{200b}`. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn clean_text(given: Unknown) -> Result<String> {
    let given: String = read("text", &given)?;
    Ok(clean(&given))
}
