//! The vocabulary of a tokenizer: one of Unigram is kept in little memory ([`Pieces`]), every other one by the library.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::{Model, ModelWrapper, Token};

use crate::pieces::Pieces;

/// What a text is split by.
#[derive(Debug)]
pub(crate) enum Vocabulary {
    Pieces(Box<Pieces>),
    Library(Box<ModelWrapper>),
}

impl Model for Vocabulary {
    type Trainer = TrainerWrapper;

    fn tokenize(&self, sequence: &str) -> tokenizers::Result<Vec<Token>> {
        match self {
            Vocabulary::Pieces(pieces) => Ok(pieces.tokenize(sequence)?),
            Vocabulary::Library(model) => model.tokenize(sequence),
        }
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        match self {
            Vocabulary::Pieces(pieces) => pieces.id(token),
            Vocabulary::Library(model) => model.token_to_id(token),
        }
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        match self {
            Vocabulary::Pieces(pieces) => pieces.text(id).map(str::to_owned),
            Vocabulary::Library(model) => model.id_to_token(id),
        }
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        match self {
            Vocabulary::Pieces(pieces) => pieces.all(),
            Vocabulary::Library(model) => model.get_vocab(),
        }
    }

    fn get_vocab_size(&self) -> usize {
        match self {
            Vocabulary::Pieces(pieces) => pieces.len(),
            Vocabulary::Library(model) => model.get_vocab_size(),
        }
    }

    /// Vocabularies are only read here.
    fn save(&self, _folder: &Path, _prefix: Option<&str>) -> tokenizers::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn get_trainer(&self) -> TrainerWrapper {
        UnigramTrainer::default().into()
    }
}

impl<'de> Deserialize<'de> for Vocabulary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(VocabularyVisitor)
    }
}

struct VocabularyVisitor;

impl<'de> Visitor<'de> for VocabularyVisitor {
    type Value = Vocabulary;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a vocabulary")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocabulary, A::Error> {
        let mut first = serde_json::Map::new();
        // The type stands first in published files, so nothing of a large vocabulary is read twice.
        if let Some((key, value)) = map.next_entry::<String, serde_json::Value>()? {
            if key == "type" && value == "Unigram" {
                return Pieces::read(map).map(|pieces| Vocabulary::Pieces(Box::new(pieces)));
            }
            first.insert(key, value);
        }
        first.extend(serde_json::Map::deserialize(MapAccessDeserializer::new(map))?);
        let model = serde_json::from_value(first.into()).map_err(A::Error::custom)?;
        Ok(Vocabulary::Library(Box::new(model)))
    }
}
