//! The frame around recalled text.

use forge_memory_core::frame::{Framed, Unframed, check_budget, clean, frame, unframe};
use forge_memory_core::text::bygone::{FACTOR, asks_for_bygone, is_bygone};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::Result;
use crate::input::{read, read_or_empty, refused};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameOptions {
    budget: Option<f64>,
}

/// Frames recalled notes for an agent: as many of the first ones as fit into the token budget (100 to 100,000; 2,000 when
/// absent). Control characters are removed and hidden characters are shown, so that no text can end its frame. Throws
/// `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "notes: Array<string>, options?: { budget?: number }",
    ts_return_type = "FramedNotes"
)]
pub fn frame_notes(notes: Unknown, options: Unknown) -> Result<Answer<Framed>> {
    let notes: Vec<String> = read("notes", &notes)?;
    let FrameOptions { budget } = read_or_empty("options", &options)?;
    let budget = check_budget(budget).map_err(|error| refused(&options, &error))?;
    Ok(Answer(frame(&notes, budget)))
}

/// Removes framed notes from a text, so that recalled text is not stored again. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string", ts_return_type = "UnframedText")]
pub fn drop_framed_notes(given: Unknown) -> Result<Answer<Unframed<'static>>> {
    let given: String = read("text", &given)?;
    let unframed = unframe(&given);
    let text = unframed.text.into_owned().into();
    Ok(Answer(Unframed { text, ..unframed }))
}

/// Sanitizes a text for display: escape sequences and control characters are removed, and characters that hide or reorder
/// text are shown as escapes such as `\\u{200b}`. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn clean_text(given: Unknown) -> Result<String> {
    let given: String = read("text", &given)?;
    Ok(clean(&given))
}

/// For answers of stores that are no index of ours: whether a query asks for what was before, and which texts say of themselves that they do not
/// hold. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, texts: Array<string>",
    ts_return_type = "{ asksForPast: boolean, over: Array<boolean>, factor: number }"
)]
pub fn over_among(query: Unknown, texts: Unknown) -> Result<Answer<OverAmong>> {
    let query: String = read("query", &query)?;
    let texts: Vec<String> = read("texts", &texts)?;
    Ok(Answer(OverAmong {
        asks_for_past: asks_for_bygone(&query),
        over: texts.iter().map(|text| is_bygone(text)).collect(),
        factor: FACTOR,
    }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverAmong {
    asks_for_past: bool,
    over: Vec<bool>,
    /// By which recall multiplies the score of such a text, when the query is about the present.
    factor: f64,
}
