//! The frame around recalled text.

use forge_memory_core::frame::{check_budget, clean, frame, unframe};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::{Result, to_js};
use crate::reader::{Fields, text, texts};

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

/// Frames recalled notes for an agent, as many from the first on as fit into the budget (100 to 100,000 tokens; 2,000
/// when absent). Control characters go, and what hides text is shown; no text can end its frame. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "notes: Array<string>, options?: { budget?: number }")]
pub fn frame_notes(notes: Unknown, options: Unknown) -> Result<FramedNotes> {
    let notes = texts("notes", &notes)?;
    let options = Fields::optional("options", &options)?;
    options.only(&[c"budget"])?;
    let budget = options.number(c"budget")?;
    let framed = frame(&notes, check_budget(budget).map_err(to_js)?);
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
    let given = text("text", &given)?;
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
    Ok(clean(&text("text", &given)?))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
