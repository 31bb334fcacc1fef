//! Records as lines of JSON.

use crate::error::{Error, Result};

/// Most records are shorter.
const LINE_BYTES_USUAL: usize = 1000;

/// Encodes a record; our records are made of text and numbers only, so that this does not fail.
pub(crate) fn encode<T: serde::Serialize>(record: &T) -> Result<Vec<u8>> {
    let mut line = Vec::with_capacity(LINE_BYTES_USUAL);
    serde_json::to_writer(&mut line, record).map_err(|e| Error::invalid("record", e.to_string()))?;
    Ok(line)
}

/// Returns an encoded record as text.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|e| Error::invalid("record", e.to_string()))
}
