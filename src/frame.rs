//! The frame around recalled text.

use forge_memory_core::frame::{Framed, Unframed, check_budget, clean, frame, unframe};
use forge_memory_core::text::intent::{Place, places_of};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

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

/// For answers of stores that are no index of ours: what of each hit its place depends on, as recall sees it. Whether its text says of itself that it
/// does not hold, and its score behind hits that are wanted more. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, hits: Array<{ text: string, score: number }>",
    ts_return_type = "Array<{ over: boolean, score: number }>"
)]
pub fn places_among(query: Unknown, hits: Unknown) -> Result<Answer<Vec<Place>>> {
    let query: String = read("query", &query)?;
    let hits: Vec<GivenHit> = read("hits", &hits)?;
    let hits = hits.into_iter().map(|hit| (hit.text, hit.score));
    Ok(Answer(places_of(&query, hits)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenHit {
    text: String,
    score: f64,
}
