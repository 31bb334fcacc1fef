//! Words: what recall finds a text by, and in `content` what dedup compares texts by.
//!
//! A *word* is a maximal run of letters, digits, marks and underscores, folded; a character of a script that is
//! written without spaces is a word of its own. Recall also knows the *extras*: the parts of identifiers, pairs of neighbouring characters in scripts without spaces, and stems.

mod chars;
mod content;
pub mod controls;
mod fold;
pub(crate) mod markup;
mod stem;
pub mod unframe;

pub use content::{Reading, Statement, cosine, cosine_needed, extra_max, says_the_same};
pub use fold::{fold, fold_into};

use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;
use xxhash_rust::xxh3::xxh3_64;

use chars::{Class, class_of};
use stem::stem_len;

/// A term's name in the index: a hash of its folded form.
pub type TermHash = u64;

/// Keeps stems apart from the words they look like.
const STEM_SALT: u64 = 0x53_74_65_6d_53_74_65_6d;
/// Keeps whole tags, which filters ask for, apart from the words in them.
const TAG_SALT: u64 = 0x54_61_67_54_61_67_54_61;

/// Longer runs of word characters (hashes, base64) are cut here; they identify themselves well before.
const WORD_BYTES_MAX: usize = 128;

/// The terms of one text. Reuse one value for many texts: its buffers stay.
#[derive(Debug, Default, Clone)]
pub struct Terms {
    /// Words in the order of the text.
    pub words: Vec<TermHash>,
    /// What recall knows besides: identifier parts, character pairs, stems.
    pub extras: Vec<TermHash>,
    buffer: Vec<u8>,
}

impl Terms {
    /// Forgets the terms, keeps the buffers.
    pub fn clear(&mut self) {
        self.words.clear();
        self.extras.clear();
    }

    /// Adds the terms of `text`.
    pub fn add(&mut self, text: &str) {
        if text.is_ascii() {
            self.add_ascii(text.as_bytes());
        } else {
            self.add_unicode(text);
        }
    }

    fn add_ascii(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            if !is_ascii_word(text[at]) {
                at += 1;
                continue;
            }
            let start = at;
            while at < text.len() && is_ascii_word(text[at]) {
                at += 1;
            }
            let end = at.min(start + WORD_BYTES_MAX);
            self.add_ascii_word(&text[start..end]);
        }
    }

    fn add_ascii_word(&mut self, raw: &[u8]) {
        self.buffer.clear();
        let mut plain = true;
        self.buffer.extend(raw.iter().map(|byte| {
            plain &= byte.is_ascii_lowercase();
            byte.to_ascii_lowercase()
        }));
        self.words.push(xxh3_64(&self.buffer));
        if let Some(stem) = stem_len(&self.buffer) {
            self.extras.push(xxh3_64(&self.buffer[..stem]) ^ STEM_SALT);
        }
        if plain || !is_compound(raw) {
            return;
        }
        let mut parts = Parts::new(raw);
        while let Some((from, to)) = parts.next_part() {
            let part = &self.buffer[from..to];
            self.extras.push(xxh3_64(part));
            if let Some(stem) = stem_len(part) {
                self.extras.push(xxh3_64(&part[..stem]) ^ STEM_SALT);
            }
        }
    }

    fn add_unicode(&mut self, text: &str) {
        let mut word = String::new();
        let mut before: Option<char> = None;
        for c in text.nfc() {
            match class_of(c) {
                Class::Word => {
                    before = None;
                    if word.len() < WORD_BYTES_MAX {
                        word.push(c);
                    }
                    continue;
                }
                Class::Spaceless => {
                    self.add_unicode_word(&mut word);
                    self.add_spaceless(before, c);
                    before = Some(c);
                }
                Class::Other => {
                    self.add_unicode_word(&mut word);
                    before = None;
                }
            }
        }
        self.add_unicode_word(&mut word);
    }

    fn add_unicode_word(&mut self, word: &mut String) {
        if word.is_empty() {
            return;
        }
        if word.is_ascii() {
            self.add_ascii_word(word.as_bytes());
        } else {
            let folded = fold(word);
            self.words.push(xxh3_64(folded.as_bytes()));
            // Without its accents a word is found by those whose keyboard has none.
            let plain = chars::strip_marks(&folded);
            let stem = if plain.is_ascii() {
                stem_len(plain.as_bytes()).unwrap_or(plain.len())
            } else {
                plain.len()
            };
            if plain != folded {
                self.extras.push(xxh3_64(plain.as_bytes()));
            }
            if stem < plain.len() {
                self.extras.push(xxh3_64(&plain.as_bytes()[..stem]) ^ STEM_SALT);
            }
        }
        word.clear();
    }

    fn add_spaceless(&mut self, before: Option<char>, c: char) {
        let mut bytes = [0_u8; 8];
        self.words.push(xxh3_64(c.encode_utf8(&mut bytes).as_bytes()));
        if let Some(before) = before {
            let first = before.encode_utf8(&mut bytes).len();
            let second = c.encode_utf8(&mut bytes[first..]).len();
            self.extras.push(xxh3_64(&bytes[..first + second]));
        }
    }
}

/// Returns the words that [`Terms`] has of a text, folded, in the order in which they come first, each with how often it is there.
pub fn counted_words(text: &str) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut take = |raw: &str| {
        let word = fold(raw);
        match places.get(&word).and_then(|at| found.get_mut(*at)) {
            Some((_, count)) => *count += 1,
            None => {
                places.insert(word.clone(), found.len());
                found.push((word, 1));
            }
        }
    };
    let mut run = String::new();
    // The end mark flushes the last word.
    for c in text.nfc().chain(std::iter::once('\0')) {
        match class_of(c) {
            // Cut where the words of texts are cut.
            Class::Word if run.len() < WORD_BYTES_MAX => run.push(c),
            Class::Word => {}
            class => {
                if !run.is_empty() {
                    take(&run);
                    run.clear();
                }
                if class == Class::Spaceless {
                    take(c.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }
    found
}

/// Returns how many words [`Terms`] has of a text.
pub fn count_words(text: &str) -> usize {
    let mut in_word = false;
    let mut count = 0;
    let mut take = |class: Class| {
        count += usize::from(class == Class::Spaceless || (class == Class::Word && !in_word));
        in_word = class == Class::Word;
    };
    if text.is_ascii() {
        text.bytes()
            .for_each(|byte| take(if is_ascii_word(byte) { Class::Word } else { Class::Other }));
    } else {
        text.nfc().for_each(|c| take(class_of(c)));
    }
    count
}

/// Returns the beginning of a lower-case ASCII word that its other forms share with it.
pub(crate) fn stem(word: &str) -> &str {
    word.get(..stem_len(word.as_bytes()).unwrap_or(word.len()))
        .unwrap_or(word)
}

/// Returns the term a filter on `tag` asks for.
pub fn tag_term(tag: &str) -> TermHash {
    xxh3_64(fold(tag.trim()).as_bytes()) ^ TAG_SALT
}

/// One word of a query and the posting lists it reads.
#[derive(Debug, Clone)]
pub struct QueryWord {
    /// The word as the user typed it, for showing what matched.
    pub text: String,
    /// Terms and how much a hit in each counts: the word itself first, then its other forms.
    pub lists: Vec<(TermHash, f32)>,
    /// How much a text with the word itself has through the other forms.
    pub again: f32,
    /// The parts of an identifier, which are words of the query as well.
    pub parts: Vec<TermHash>,
    /// True for words that nearly every text has.
    pub common: bool,
}

/// How much a hit on another inflection of a word counts.
const STEM_WEIGHT: f32 = 0.45;
/// How much the part of an identifier counts when the whole identifier was asked for.
const PART_WEIGHT: f32 = 0.5;
/// The least share of its worth that an identifier has beside its parts.
const WHOLE_MIN: f32 = 0.25;

impl QueryWord {
    /// Returns how much a hit on the word itself counts, on top of what the same text has through other forms and parts:
    /// all together it is the rarity of the word, and no more. `forms` is the rarity of the word in all of its forms,
    /// `parts` the sum of those of its parts.
    pub fn own_weight(&self, rarity: f32, forms: f32, parts: f32) -> f32 {
        let weight = self.lists.first().map_or(0.0, |(_, weight)| *weight);
        let alone = weight * rarity - self.again * forms;
        (alone - PART_WEIGHT * parts).max(alone * WHOLE_MIN)
    }
}

/// Returns the words of a query, each once, in order.
pub fn query_words(query: &str) -> Vec<QueryWord> {
    let mut found: Vec<QueryWord> = Vec::new();
    let mut before: Option<char> = None;
    let mut run = String::new();
    let mut pairs_of_run = 0;
    // The end mark flushes the last word and a run of one spaceless character.
    for c in query.nfc().chain(std::iter::once('\0')) {
        let class = class_of(c);
        if class != Class::Spaceless {
            if let (Some(single), 0) = (before, pairs_of_run) {
                push(&mut found, single.encode_utf8(&mut [0; 4]), 1.0);
            }
            before = None;
            pairs_of_run = 0;
        }
        if class == Class::Word {
            // Cut where the words of texts are cut.
            if run.len() < WORD_BYTES_MAX {
                run.push(c);
            }
            continue;
        }
        if !run.is_empty() {
            push_with_parts(&mut found, &run);
            run.clear();
        }
        if class == Class::Spaceless {
            if let Some(first) = before {
                push(&mut found, &format!("{first}{c}"), 1.0);
                pairs_of_run += 1;
            }
            before = Some(c);
        }
    }
    found
}

/// Tells whether a text has a word by which it could be found.
pub fn has_words(text: &str) -> bool {
    text.nfc().any(|c| class_of(c) != Class::Other)
}

fn push(found: &mut Vec<QueryWord>, text: &str, weight: f32) {
    if found.iter().all(|word| word.text != text) {
        found.push(query_word(text, weight));
    }
}

fn push_with_parts(found: &mut Vec<QueryWord>, run: &str) {
    let at = found.len();
    push(found, &fold(run), 1.0);
    if run.is_ascii() && is_compound(run.as_bytes()) {
        let mut parts = Parts::new(run.as_bytes());
        while let Some((from, to)) = parts.next_part() {
            push(found, &run[from..to].to_ascii_lowercase(), PART_WEIGHT);
        }
        let telling = found.iter().skip(at + 1).filter(|part| !part.common);
        let parts: Vec<TermHash> = telling.filter_map(|part| Some(part.lists.first()?.0)).collect();
        if let Some(whole) = found.get_mut(at) {
            whole.parts = parts;
        }
    }
}

fn query_word(text: &str, weight: f32) -> QueryWord {
    let hash = xxh3_64(text.as_bytes());
    let plain = if text.is_ascii() {
        text.to_owned()
    } else {
        chars::strip_marks(text)
    };
    let (mut lists, mut again) = (vec![(hash, weight)], 0.0);
    if plain != text {
        lists.push((xxh3_64(plain.as_bytes()), weight * 0.9));
    }
    if plain.is_ascii() {
        let stem = stem_len(plain.as_bytes());
        let root = &plain.as_bytes()[..stem.unwrap_or(plain.len())];
        // Texts with the word itself are in the list of its stem as well.
        if stem.is_some() {
            again = weight * STEM_WEIGHT;
            lists.push((xxh3_64(root), weight * STEM_WEIGHT));
        }
        lists.push((xxh3_64(root) ^ STEM_SALT, weight * STEM_WEIGHT));
    }
    QueryWord {
        text: text.to_owned(),
        lists,
        again,
        parts: Vec::new(),
        common: is_common(text),
    }
}

/// Words that say nothing about what a lesson is about. A query of nothing else still searches for them.
fn is_common(word: &str) -> bool {
    const COMMON: [&str; 48] = [
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for", "from", "had",
        "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "of", "on", "or", "our", "should", "so",
        "that", "the", "their", "then", "there", "this", "to", "was", "we", "were", "what", "when", "which", "with",
        "you", "your",
    ];
    COMMON.binary_search(&word).is_ok()
}

#[inline]
fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Tells whether an identifier has more than one part: `snake_case`, `camelCase`, `E1042`, `HTTPServer`.
fn is_compound(raw: &[u8]) -> bool {
    let acronym = |w: &[u8]| w[0].is_ascii_uppercase() && w[1].is_ascii_uppercase() && w[2].is_ascii_lowercase();
    raw.contains(&b'_') || raw.windows(2).any(|pair| is_border(pair[0], pair[1])) || raw.windows(3).any(acronym)
}

fn is_border(a: u8, b: u8) -> bool {
    (a.is_ascii_lowercase() && b.is_ascii_uppercase())
        || (a.is_ascii_digit() != b.is_ascii_digit() && b != b'_' && a != b'_')
}

/// The parts of an ASCII identifier, as ranges.
struct Parts<'a> {
    raw: &'a [u8],
    at: usize,
}

impl<'a> Parts<'a> {
    fn new(raw: &'a [u8]) -> Self {
        Parts { raw, at: 0 }
    }

    fn next_part(&mut self) -> Option<(usize, usize)> {
        let raw = self.raw;
        while self.at < raw.len() && raw[self.at] == b'_' {
            self.at += 1;
        }
        let start = self.at;
        if start == raw.len() {
            return None;
        }
        let mut end = start + 1;
        while end < raw.len() && raw[end] != b'_' && !is_border(raw[end - 1], raw[end]) && !self.ends_acronym(end) {
            end += 1;
        }
        self.at = end;
        Some((start, end))
    }

    /// `HTTPServer`: the last capital of a row belongs to the word behind it.
    fn ends_acronym(&self, at: usize) -> bool {
        let raw = self.raw;
        raw[at - 1].is_ascii_uppercase()
            && raw[at].is_ascii_uppercase()
            && raw.get(at + 1).is_some_and(u8::is_ascii_lowercase)
    }
}

#[cfg(test)]
mod tests;
