//! A text as the numbers of its pieces.

use tokenizers::{Tokenizer, TruncationParams};

use crate::model::TOKENS_MAX;

/// Longer texts are cut before they are taken apart. No captured text is longer, and the tokens that count are nearly
/// always within the first thousand characters.
const BYTES_MAX: usize = 65_536;

/// The published vocabulary with its rules.
#[derive(Debug)]
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
}

impl Tokens {
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|e| e.to_string())?;
        // The published file fills every text up to 128 tokens and cuts it there; neither is part of the model.
        tokenizer.with_padding(None);
        let truncation = TruncationParams {
            max_length: TOKENS_MAX,
            ..TruncationParams::default()
        };
        tokenizer.with_truncation(Some(truncation)).map_err(|e| e.to_string())?;
        Ok(Tokens { tokenizer })
    }

    /// Returns the numbers of the pieces of a text, between those of its beginning and its end.
    pub fn of(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(cut(text), true).map_err(|e| e.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }
}

fn cut(text: &str) -> &str {
    let mut ends = (0..=text.len().min(BYTES_MAX)).rev();
    // There is no text up to the middle of a character.
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"a".repeat(BYTES_MAX + 1)).len(), BYTES_MAX);
        // A character of three bytes straddles the limit.
        assert_eq!(cut(&"教".repeat(BYTES_MAX)).len(), BYTES_MAX / 3 * 3);
    }

    #[test]
    fn a_vocabulary_that_is_none_is_refused() {
        assert!(Tokens::read(b"{}").is_err());
        assert!(Tokens::read(b"\0").is_err());
    }
}
