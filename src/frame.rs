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
    /// The text to hand over: it says that notes follow and that they are no instructions.
    pub text: String,
    /// How many of the notes are in it.
    pub shown: u32,
    /// How many of those are shortened.
    pub shortened: u32,
    /// About how many tokens the text takes.
    pub tokens: u32,
}

/// What is left of a text without recalled notes.
#[napi(object, object_from_js = false)]
pub struct UnframedText {
    pub text: String,
    /// How many frames were in it.
    pub frames: u32,
}

/// How notes are framed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameOptions {
    budget: Option<f64>,
}

/// Frames recalled notes for an agent, as many from the first on as fit into the budget (100 to 100,000 tokens; 2,000
/// when absent). Control characters go, and what hides text is shown; no text can end its frame. Throws `INVALID_INPUT`.
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

/// Takes framed notes out of a text: what was recalled is not to be stored again. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn drop_framed_notes(given: Unknown) -> Result<UnframedText> {
    let given: String = read("text", &given)?;
    let unframed = unframe(&given);
    Ok(UnframedText {
        frames: count(unframed.frames),
        text: unframed.text.into_owned(),
    })
}

/// Takes out of a text what steers a terminal, escape sequences and control characters, and shows what hides or reorders
/// text as an escape such as `\\u{200b}`. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn clean_text(given: Unknown) -> Result<String> {
    let given: String = read("text", &given)?;
    Ok(clean(&given))
}
