//! Tokenization: splits a text into token ids, by WordPiece (Schuster and Nakajima 2012; Wu et al. 2016) or sentence pieces.
//!
//! The `tokenizers` library does the work by the rules of the published `tokenizer.json`; here padding is switched off, and the length
//! is limited to that of the model's training.

use forge_memory_embed::recipe::Recipe;
use tokenizers::{
    DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl, TruncationParams,
};

use crate::vocabulary::Vocabulary;

type Tokenizer =
    TokenizerImpl<Vocabulary, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// The maximum length of a text before tokenization. No captured text is longer, and the tokens that count are nearly
/// always within the first thousand characters.
const BYTES_MAX: usize = 65_536;

/// The published vocabulary and its rules.
#[derive(Debug)]
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
}

impl TextTokenizer {
    pub fn read(json: &[u8], recipe: &Recipe) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|e| e.to_string())?;
        // Published files often contain settings for padding and truncation, which are not part of the model.
        tokenizer.with_padding(None);
        let truncation = TruncationParams {
            max_length: recipe.tokens_max,
            ..TruncationParams::default()
        };
        tokenizer.with_truncation(Some(truncation)).map_err(|e| e.to_string())?;
        Ok(TextTokenizer { tokenizer })
    }

    /// Returns true if its vocabulary is one of sentence pieces.
    pub fn has_pieces(&self) -> bool {
        matches!(self.tokenizer.get_model(), Vocabulary::Pieces(_))
    }

    /// Returns the number of tokens of its vocabulary.
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab_size(false)
    }

    /// Returns the ids of the tokens of a prefix and a text, between the special tokens.
    pub fn tokens(&self, prefix: &str, text: &str) -> Result<Vec<u32>, String> {
        let text = format!("{prefix}{}", truncated(text));
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|e| e.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }
}

fn truncated(text: &str) -> &str {
    let mut ends = (0..=text.len().min(BYTES_MAX)).rev();
    // `get` fails in the middle of a character.
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge_memory_embed::Manifest;

    #[test]
    fn a_long_text_is_truncated_between_characters() {
        assert_eq!(truncated("short"), "short");
        assert_eq!(truncated(&"a".repeat(BYTES_MAX + 1)).len(), BYTES_MAX);
        // A character of three bytes straddles the limit.
        assert_eq!(truncated(&"教".repeat(BYTES_MAX)).len(), BYTES_MAX / 3 * 3);
    }

    #[test]
    fn an_invalid_vocabulary_is_refused() {
        let recipe = Manifest::known().recipe;
        assert!(TextTokenizer::read(b"{}", &recipe).is_err());
        assert!(TextTokenizer::read(b"\0", &recipe).is_err());
    }
}
