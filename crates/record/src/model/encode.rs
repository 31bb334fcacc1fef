//! Serializes records as lines of JSON.

use crate::error::{Error, Result};

/// The typical length of a record.
const LINE_BYTES_USUAL: usize = 1000;

/// Serializes a record. Records consist of texts and finite numbers, so this does not fail.
pub fn encode<T: serde::Serialize>(record: &T) -> Result<Vec<u8>> {
    let mut line = Vec::with_capacity(LINE_BYTES_USUAL);
    serde_json::to_writer(&mut line, record).map_err(Error::internal("encode the record"))?;
    Ok(line)
}

/// Returns a record as a line.
pub fn text_of<T: serde::Serialize>(record: &T) -> Result<String> {
    String::from_utf8(encode(record)?).map_err(Error::internal("encode the record"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::encode;

    #[test]
    fn a_record_that_cannot_be_encoded_is_an_internal_error() {
        let no_json = HashMap::from([((1, 2), "a key that JSON does not have")]);
        let error = encode(&no_json).expect_err("JSON has no such keys");
        assert_eq!(error.code(), "INTERNAL");
        assert!(error.hint().contains("report"), "{}", error.hint());
    }
}
