//! The pieces of a text: what a text is cut into, and how each is compared.

/// How a piece is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A word of a language, in any inflection.
    Word,
    /// A word in the shape of an identifier.
    Code,
    /// A number, a path, an operator: in this spelling and no other.
    Exact,
}

/// What stands between a piece and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    Space,
    Comma,
    Break,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    start: usize,
    end: usize,
    pub sentence: u32,
    pub shape: Shape,
    pub gap: Gap,
    /// It has a capital where no sentence begins.
    pub is_capital: bool,
    /// Where it stands in a word of several parts with hyphens between them.
    pub part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Inner,
    Outer,
}

/// The pieces of a text, folded.
#[derive(Debug, Default, Clone)]
pub(super) struct Pieces {
    pub bytes: Vec<u8>,
    pub list: Vec<Piece>,
    pub sentence: u32,
    pub starts_sentence: bool,
    pub gap: Option<Gap>,
}

impl Pieces {
    pub fn word(&self, number: usize) -> &[u8] {
        let piece = self.list.get(number);
        let bytes = piece.and_then(|piece| self.bytes.get(piece.start..piece.end));
        bytes.unwrap_or_default()
    }

    /// Returns a plain word, if that piece is one and belongs to the sentence.
    pub fn word_in_sentence(&self, number: usize, sentence: u32) -> Option<&[u8]> {
        let piece = self.list.get(number)?;
        (piece.sentence == sentence && piece.shape == Shape::Word).then(|| self.word(number))
    }

    /// Tells whether a piece is the letter A as a name, and not the article in a title.
    pub fn is_name(&self, number: usize) -> bool {
        let is_capital = |at: usize| self.list.get(at).is_some_and(|piece| piece.is_capital);
        self.word(number) == b"a" && is_capital(number) && !is_capital(number + 1)
    }

    pub fn push(&mut self, word: &[u8], shape: Shape) {
        let start = self.bytes.len();
        self.bytes.extend(word.iter().map(u8::to_ascii_lowercase));
        self.list.push(Piece {
            start,
            end: self.bytes.len(),
            sentence: self.sentence,
            shape,
            gap: self.gap.take().unwrap_or(Gap::Space),
            is_capital: !self.starts_sentence && word.first().is_some_and(u8::is_ascii_uppercase),
            part: Part::Whole,
        });
        self.starts_sentence = false;
    }

    pub fn note_gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(Some(gap));
    }

    pub fn end_sentence(&mut self) {
        if self.list.last().is_some_and(|last| last.sentence == self.sentence) {
            self.sentence += 1;
        }
        self.starts_sentence = true;
        self.note_gap(Gap::Break);
    }
}

pub(super) const OPERATORS: [&str; 14] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+=", "-=", "^", "~",
];
