//! Analysis: from the fields of a record to the terms it is found by, and the places of its words.

use super::terms::{TermHash, Terms, Vocabulary, tag_term};

/// A word in the list of a text's words, in sixteen bits: enough to find the words of a query in their places, once the
/// posting lists have told that the text has them.
pub type Fingerprint = u16;

/// The places of words behind this one are not kept: what a long text says so late does not make its rank.
pub const PLACES_MAX: usize = 2048;

/// Returns the fingerprint of a term.
#[inline]
pub fn fingerprint_of(term: TermHash) -> Fingerprint {
    (term >> 48) as Fingerprint
}

/// What analysis makes of a record.
#[derive(Debug, Default, Clone)]
pub struct Analysis {
    /// How many words the text has, the parts of identifiers included.
    pub length: u16,
    /// The words of the text in order.
    pub places: Vec<Fingerprint>,
    /// Every term of text, type, tags and origin with its count, sorted.
    pub terms: Vec<(TermHash, u16)>,
    scratch: Terms,
}

impl Analysis {
    /// Analyses a record. Only the text has a length and places: a label must not make a short note a long one.
    pub fn take(&mut self, text: &str, kind: &str, origin: &str, tags: &mut dyn Iterator<Item = &str>) {
        let scratch = &mut self.scratch;
        scratch.clear();
        scratch.add(text);
        self.length = u16::try_from(scratch.words.len()).unwrap_or(u16::MAX);
        self.places.clear();
        self.places
            .extend(scratch.words.iter().take(PLACES_MAX).map(|term| fingerprint_of(*term)));
        scratch.add(kind);
        scratch.add(origin);
        for tag in tags {
            scratch.add(tag);
            scratch.extras.push(tag_term(tag));
        }
        scratch.words.append(&mut scratch.extras);
        scratch.words.append(&mut scratch.spellings);
        scratch.words.sort_unstable();
        self.terms.clear();
        for term in &scratch.words {
            match self.terms.last_mut() {
                Some((last, count)) if last == term => *count = count.saturating_add(1),
                _ => self.terms.push((*term, 1)),
            }
        }
    }

    /// Returns one that keeps the spellings it meets.
    pub fn with_vocabulary() -> Self {
        Analysis {
            scratch: Terms::with_vocabulary(),
            ..Analysis::default()
        }
    }

    /// Returns the spellings that were met so far, if they are kept.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.scratch.vocabulary()
    }
}

impl Analysis {
    /// Returns how often the text has a term.
    pub fn count_of(&self, term: TermHash) -> u16 {
        let at = self.terms.binary_search_by_key(&term, |(other, _)| *other);
        at.ok().and_then(|at| self.terms.get(at)).map_or(0, |(_, count)| *count)
    }
}
