//! WordPiece tokenization (Schuster and Nakajima 2012; Wu et al. 2016): a text as token ids.
//!
//! The `tokenizers` library does the work under the rules of the published `tokenizer.json`; here padding is switched off and the
//! length limited to what the model was trained with.

use tokenizers::{Tokenizer, TruncationParams};

use crate::model::TOKENS_MAX;

/// Longer texts are truncated before tokenization. No captured text is longer, and the tokens that count are nearly
/// always within the first thousand characters.
const BYTES_MAX: usize = 65_536;

/// The published vocabulary and its rules.
#[derive(Debug)]
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
}

impl TextTokenizer {
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|e| e.to_string())?;
        // The published file pads every text to 128 tokens and truncates it there; neither is part of the model.
        tokenizer.with_padding(None);
        let truncation = TruncationParams {
            max_length: TOKENS_MAX,
            ..TruncationParams::default()
        };
        tokenizer.with_truncation(Some(truncation)).map_err(|e| e.to_string())?;
        Ok(TextTokenizer { tokenizer })
    }

    /// Returns the token ids of a text, between `[CLS]` and `[SEP]`.
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self
            .tokenizer
            .encode_fast(truncated(text), true)
            .map_err(|e| e.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }
}

fn truncated(text: &str) -> &str {
    let mut ends = (0..=text.len().min(BYTES_MAX)).rev();
    // There is no text up to the middle of a character.
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_truncated_between_characters() {
        assert_eq!(truncated("short"), "short");
        assert_eq!(truncated(&"a".repeat(BYTES_MAX + 1)).len(), BYTES_MAX);
        // A character of three bytes straddles the limit.
        assert_eq!(truncated(&"教".repeat(BYTES_MAX)).len(), BYTES_MAX / 3 * 3);
    }

    #[test]
    fn an_invalid_vocabulary_is_refused() {
        assert!(TextTokenizer::read(b"{}").is_err());
        assert!(TextTokenizer::read(b"\0").is_err());
    }
}
