//! What the hub has to know of an event's line; everything else is passed on as it is.

use std::borrow::Cow;

use serde::Deserialize;

use crate::clock::{Millis, parse_iso};
use crate::journal::LINE_BYTES_MAX;

/// Numbers above this one are not exact in other languages and count as none.
const NUMBER_MAX: u64 = 1 << 53;

/// The fields of an event that matter on its way.
#[derive(Debug)]
pub(super) struct Head<'a> {
    pub kind: Cow<'a, str>,
    pub number: Option<u64>,
    pub at: Millis,
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    seq: Option<serde_json::Value>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
}

/// Reads a line; `None` when it is no JSON object or has no type.
pub(super) fn read_head(line: &[u8]) -> Option<Head<'_>> {
    if line.first() != Some(&b'{') || line.len() > LINE_BYTES_MAX {
        return None;
    }
    // Passing over a text is no check of its bytes, and what is no UTF-8 cannot be a frame.
    let line = std::str::from_utf8(line).ok()?;
    let fields: Fields<'_> = serde_json::from_str(line).ok()?;
    let number = fields.seq.as_ref().and_then(serde_json::Value::as_u64);
    Some(Head {
        kind: fields.kind.filter(|kind| !kind.is_empty())?,
        number: number.filter(|number| *number <= NUMBER_MAX),
        at: fields.timestamp.and_then(|at| parse_iso(&at)).unwrap_or(0),
    })
}
