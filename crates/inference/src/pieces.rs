//! The vocabulary of a Unigram model (Kudo 2018, "Subword regularization"; SentencePiece) in little memory. A model of many languages has 250,000
//! pieces. The library keeps them in a tree with a hash table in each node, 240 MiB; here they are one sorted array, 10 MiB, and what a text's
//! beginning has in common with it is found by binary search, byte after byte. The tokens are the library's.

use std::collections::HashMap;
use std::ops::Range;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use tokenizers::Token;

/// By how much an unknown character is worse than the worst piece.
const UNKNOWN_PENALTY: f64 = 10.0;

/// Pieces with their scores; the place of one in the file is its id.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The bytes of all, one after the other in the order of the file.
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
    scores: Vec<f64>,
    /// The ids in the order of the bytes; of those with the same bytes the last one.
    sorted: Vec<u32>,
    /// Where in `sorted` the pieces begin with each first byte, and at the end its length.
    firsts: Vec<u32>,
    unknown: u32,
    worst: f64,
}

/// The best way to a place of a text.
#[derive(Clone, Copy, Default)]
struct Step {
    score: f64,
    /// Where its last piece begins; `None` where no way leads.
    start: Option<usize>,
    is_unknown: bool,
}

type Outcome<T> = Result<T, String>;

impl Pieces {
    fn push(&mut self, piece: &str, score: f64) -> Outcome<()> {
        self.bytes.extend_from_slice(piece.as_bytes());
        let end = u32::try_from(self.bytes.len()).map_err(|_| "its pieces are too long".to_owned())?;
        self.ends.push(end);
        self.scores.push(score);
        Ok(())
    }

    /// Sorts what was pushed.
    fn arrange(mut self) -> Outcome<Self> {
        let count = u32::try_from(self.ends.len()).map_err(|e| e.to_string())?;
        if self.unknown >= count {
            return Err("its unknown token is not one of its pieces".to_owned());
        }
        let mut sorted: Vec<u32> = (0..count).collect();
        sorted.sort_unstable_by(|a, b| self.piece(*a).cmp(self.piece(*b)).then(b.cmp(a)));
        sorted.dedup_by(|one, kept| self.piece(*one) == self.piece(*kept));
        let starts_below = |byte: usize| {
            sorted.partition_point(|id| self.piece(*id).first().is_none_or(|own| usize::from(*own) < byte))
        };
        let firsts = (0..=256).map(|byte| starts_below(byte) as u32).collect();
        self.worst = self.scores.iter().copied().fold(f64::INFINITY, f64::min);
        self.firsts = firsts;
        self.sorted = sorted;
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.scores.shrink_to_fit();
        Ok(self)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the text of a piece.
    pub fn text(&self, id: u32) -> Option<&str> {
        let piece = (id as usize) < self.len();
        piece.then(|| std::str::from_utf8(self.piece(id)).unwrap_or_default())
    }

    fn piece(&self, id: u32) -> &[u8] {
        let end_of = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let id = id as usize;
        let start = id.checked_sub(1).map_or(0, end_of);
        self.bytes.get(start..end_of(id)).unwrap_or_default()
    }

    fn sorted_piece(&self, at: usize) -> &[u8] {
        self.sorted.get(at).map_or(&[], |id| self.piece(*id))
    }

    /// Returns the id of a piece.
    pub fn id(&self, text: &str) -> Option<u32> {
        let found = self.sorted.binary_search_by(|id| self.piece(*id).cmp(text.as_bytes()));
        found.ok().and_then(|at| self.sorted.get(at).copied())
    }

    /// Calls `found` with the length and the id of every piece that a text begins with, shortest first.
    fn each_prefix(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        let mut range: Range<usize> = 0..0;
        for (depth, byte) in text.iter().enumerate() {
            range = match depth {
                0 => {
                    let first = |at: usize| self.firsts.get(at).map_or(0, |start| *start as usize);
                    first(usize::from(*byte))..first(usize::from(*byte) + 1)
                }
                _ => self.narrowed(range, depth, *byte),
            };
            if range.is_empty() {
                return;
            }
            // Of pieces with the same beginning, the shortest stands first.
            if self.sorted_piece(range.start).len() == depth + 1
                && let Some(id) = self.sorted.get(range.start)
            {
                found(depth + 1, *id);
            }
        }
    }

    /// Returns which of a range of pieces with the same first bytes have this byte next.
    fn narrowed(&self, range: Range<usize>, depth: usize, byte: u8) -> Range<usize> {
        let within = self.sorted.get(range.clone()).unwrap_or_default();
        let next = |id: &u32| self.piece(*id).get(depth).copied();
        let from = within.partition_point(|id| next(id).is_none_or(|own| own < byte));
        let same = within.get(from..).unwrap_or_default();
        let count = same.partition_point(|id| next(id) == Some(byte));
        range.start + from..range.start + from + count
    }

    /// Returns the tokens of the best way through a text. Unknown characters beside each other are one token.
    pub fn tokenize(&self, text: &str) -> Outcome<Vec<Token>> {
        let mut tokens = Vec::new();
        for range in self.best_way(text)? {
            let own = text.get(range.clone()).unwrap_or_default();
            let offsets = (range.start, range.end);
            tokens.push(Token::new(
                self.id(own).unwrap_or(self.unknown),
                own.to_owned(),
                offsets,
            ));
        }
        Ok(tokens)
    }

    /// Returns the pieces of the way with the best sum of scores (Viterbi).
    fn best_way(&self, text: &str) -> Outcome<Vec<Range<usize>>> {
        let bytes = text.as_bytes();
        let mut steps = vec![Step::default(); bytes.len() + 1];
        for (start, character) in text.char_indices() {
            let so_far = steps.get(start).map_or(0.0, |step| step.score);
            let mut reach = |length: usize, score: f64, is_unknown: bool| {
                let score = so_far + score;
                if let Some(step) = steps.get_mut(start + length)
                    && (step.start.is_none() || score > step.score)
                {
                    *step = Step {
                        score,
                        start: Some(start),
                        is_unknown,
                    };
                }
            };
            let one = character.len_utf8();
            let mut has_one = false;
            self.each_prefix(bytes.get(start..).unwrap_or_default(), |length, id| {
                has_one |= length == one;
                let score = self.scores.get(id as usize).copied().unwrap_or(self.worst);
                reach(length, score, self.unknown == id);
            });
            if !has_one {
                reach(one, self.worst - UNKNOWN_PENALTY, true);
            }
        }
        let mut way: Vec<(Range<usize>, bool)> = Vec::new();
        let mut end = bytes.len();
        while end > 0 {
            let step = steps.get(end).copied().unwrap_or_default();
            let start = step.start.ok_or("no pieces lead through a text")?;
            match way.last_mut() {
                Some((after, true)) if step.is_unknown => after.start = start,
                _ => way.push((start..end, step.is_unknown)),
            }
            end = start;
        }
        Ok(way.into_iter().rev().map(|(range, _)| range).collect())
    }

    /// Returns all pieces with their ids.
    pub fn all(&self) -> HashMap<String, u32> {
        let ids = self.sorted.iter();
        ids.filter_map(|id| Some((self.text(*id)?.to_owned(), *id))).collect()
    }

    /// Reads the rest of a model of this type.
    pub fn read<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut pieces: Option<Pieces> = None;
        let mut unknown: Option<u32> = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "vocab" => pieces = Some(map.next_value::<List>()?.0),
                "unk_id" => unknown = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let mut pieces = pieces.ok_or_else(|| A::Error::missing_field("vocab"))?;
        pieces.unknown = unknown.ok_or_else(|| A::Error::missing_field("unk_id"))?;
        pieces.arrange().map_err(A::Error::custom)
    }
}

/// The list of pieces in the file: `[["▁the", -3.5], ...]`.
struct List(Pieces);

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = List;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of pieces with their scores")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List, A::Error> {
        let mut pieces = Pieces::default();
        while let Some((piece, score)) = list.next_element::<(std::borrow::Cow<'de, str>, f64)>()? {
            pieces.push(&piece, score).map_err(<A::Error as de::Error>::custom)?;
        }
        Ok(List(pieces))
    }
}

#[cfg(test)]
mod tests {
    use tokenizers::Model;
    use tokenizers::models::unigram::Unigram;

    use super::*;

    fn both(vocabulary: &[(&str, f64)], unknown: u32) -> (Pieces, Unigram) {
        let mut own = Pieces {
            unknown,
            ..Pieces::default()
        };
        for (piece, score) in vocabulary {
            own.push(piece, *score).unwrap();
        }
        let list = vocabulary
            .iter()
            .map(|(piece, score)| ((*piece).to_owned(), *score))
            .collect();
        let library = Unigram::from(list, Some(unknown as usize), false).unwrap();
        (own.arrange().unwrap(), library)
    }

    fn told(tokens: Vec<Token>) -> Vec<(u32, String, (usize, usize))> {
        tokens
            .into_iter()
            .map(|token| (token.id, token.value, token.offsets))
            .collect()
    }

    #[test]
    fn tokens_are_those_of_the_library() {
        let words = [
            ("<unk>", 0.0),
            ("▁", -2.0),
            ("a", -3.0),
            ("b", -3.5),
            ("ab", -4.0),
            ("abc", -4.5),
            ("▁ab", -5.0),
            ("教", -6.0),
            ("教会", -7.0),
            ("é", -5.5),
            ("ab", -4.2),
            ("", -1.0),
            ("\u{1F980}", -8.0),
        ];
        let texts = [
            "",
            "ab",
            "▁abcab",
            "xyzab",
            "教会教会abxü",
            "éé\u{1F980}z",
            "ü",
            "bbbbbbb",
            "cab",
            "\u{1F600}\u{1F980}",
            "  ab ",
            "▁▁教",
        ];
        let (own, library) = both(&words, 0);
        for text in texts {
            let theirs = library.tokenize(text).unwrap();
            assert_eq!(told(own.tokenize(text).unwrap()), told(theirs), "{text}");
        }
        assert_eq!(own.all(), library.get_vocab());
        assert_eq!(own.id("ab"), Some(10), "the last of two alike");
    }

    #[test]
    fn tokens_of_random_vocabularies_are_those_of_the_library() {
        let mut state = 7_u64;
        let mut next = move |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let letters: Vec<char> = "abcé教会\u{1F980}▁".chars().collect();
        let mut word = move |most: u64| -> (String, f64) {
            let text = (0..1 + next(most)).map(|_| letters[next(8) as usize]).collect();
            (text, -((next(900) + 1) as f64) / 100.0)
        };
        for _ in 0..60 {
            let made: Vec<(String, f64)> = (0..40).map(|_| word(4)).collect();
            let vocabulary: Vec<(&str, f64)> = made.iter().map(|(piece, score)| (&piece[..], *score)).collect();
            let (own, library) = both(&vocabulary, 3);
            for _ in 0..40 {
                let (text, _) = word(30);
                let theirs = library.tokenize(&text).unwrap();
                assert_eq!(told(own.tokenize(&text).unwrap()), told(theirs), "{text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let read = |json: &str| {
            serde_json::from_str::<crate::vocabulary::Vocabulary>(json)
                .map(|_| ())
                .map_err(|e| e.to_string())
        };
        assert!(read(r#"{"type":"Unigram","unk_id":0,"vocab":[["a",-1]],"more":{"is":"ignored"}}"#).is_ok());
        for (json, reason) in [
            (r#"{"type":"Unigram","unk_id":1,"vocab":[["a",-1]]}"#, "unknown token"),
            (r#"{"type":"Unigram","unk_id":0,"vocab":[]}"#, "unknown token"),
            (r#"{"type":"Unigram","unk_id":0}"#, "vocab"),
            (r#"{"type":"Unigram","vocab":[["a",-1]]}"#, "unk_id"),
            (r#"{"type":"Unigram","vocab":[["a"]]}"#, "tuple"),
            (r#"{"type":"Unigram","vocab":{"a":1}}"#, "list of pieces"),
        ] {
            assert!(read(json).unwrap_err().contains(reason), "{json}: {:?}", read(json));
        }
    }
}
