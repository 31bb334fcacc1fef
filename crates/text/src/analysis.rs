//! Text analysis: from the fields of a record to its terms, and to the positions of its words.

use super::terms::{TermHash, Terms, Vocabulary, tag_term};

/// A truncated hash of a word in the list of positions. Sixteen bits are enough to locate the words of a query once the
/// posting lists have shown that the text contains them.
pub type Fingerprint = u16;

/// The maximum number of positions per text: later words of a long text do not affect its rank.
pub const PLACES_MAX: usize = 2048;

/// Returns the fingerprint of a term.
#[inline]
pub fn fingerprint_of(term: TermHash) -> Fingerprint {
    (term >> 48) as Fingerprint
}

/// The result of analysing a record.
#[derive(Debug, Default, Clone)]
pub struct Analysis {
    /// The number of words in the text, including the parts of identifiers.
    pub length: u16,
    /// The words of the text in order of position.
    pub places: Vec<Fingerprint>,
    /// Every term of text, type, tags and origin with its count, sorted.
    pub terms: Vec<(TermHash, u16)>,
    scratch: Terms,
}

impl Analysis {
    /// Analyses a record. Only the text has a length and positions, so that a label does not make a short note long.
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

    /// Returns an analysis that also collects spellings.
    pub fn with_vocabulary() -> Self {
        Analysis {
            scratch: Terms::with_vocabulary(),
            ..Analysis::default()
        }
    }

    /// Returns the collected spellings, if it collects them.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.scratch.vocabulary()
    }
}

impl Analysis {
    /// Returns the count of a term in the text.
    pub fn count_of(&self, term: TermHash) -> u16 {
        let at = self.terms.binary_search_by_key(&term, |(other, _)| *other);
        at.ok().and_then(|at| self.terms.get(at)).map_or(0, |(_, count)| *count)
    }
}
