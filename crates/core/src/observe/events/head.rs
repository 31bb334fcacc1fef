//! The fields of an event's line that the hub needs; the rest is passed on unparsed.

use std::borrow::Cow;

use serde::Deserialize;

use crate::clock::{Millis, parse_iso};
use crate::journal::LINE_BYTES_MAX;

/// Integers up to 2^53 are exact in a double, which other languages use; larger numbers count as missing.
const NUMBER_MAX: u64 = 1 << 53;

/// Marks an event that came with the file of another tool: it is there for the readers of that tool only.
pub(super) const CARRIED: &str = "_carried";

/// The parsed fields of an event.
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
    #[serde(rename = "_carried")]
    carried: Option<serde::de::IgnoredAny>,
}

/// Reads a line; `None` when it is not a JSON object, has no type, or is another tool's.
pub(super) fn read_head(line: &[u8]) -> Option<Head<'_>> {
    if line.first() != Some(&b'{') || line.len() > LINE_BYTES_MAX {
        return None;
    }
    // Skipping a text does not validate its bytes, and a WebSocket text frame must be UTF-8.
    let line = std::str::from_utf8(line).ok()?;
    let fields: Fields<'_> = serde_json::from_str(line).ok()?;
    if fields.carried.is_some() {
        return None;
    }
    let number = fields.seq.as_ref().and_then(serde_json::Value::as_u64);
    Some(Head {
        kind: fields.kind.filter(|kind| !kind.is_empty())?,
        number: number.filter(|number| *number <= NUMBER_MAX),
        at: fields.timestamp.and_then(|at| parse_iso(&at)).unwrap_or(0),
    })
}
