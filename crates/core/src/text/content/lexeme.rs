//! The lexemes of a text, and how each is compared.

/// How a lexeme is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A word of prose, in any inflection.
    Word,
    /// A word with the form of an identifier.
    Code,
    /// A number, a path, an operator: only in the same spelling.
    Exact,
}

/// What separates a lexeme from the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    Space,
    Comma,
    Break,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Lexeme {
    start: usize,
    end: usize,
    pub sentence: u32,
    pub shape: Shape,
    pub gap: Gap,
    /// Whether it is capitalized inside a sentence.
    pub is_capital: bool,
    /// Its position in a word with hyphens.
    pub part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Inner,
    Outer,
}

/// The lexemes of a text, folded.
#[derive(Debug, Default, Clone)]
pub(super) struct Lexemes {
    pub bytes: Vec<u8>,
    pub list: Vec<Lexeme>,
    pub sentence: u32,
    pub starts_sentence: bool,
    pub gap: Option<Gap>,
}

impl Lexemes {
    pub fn word(&self, number: usize) -> &[u8] {
        let lexeme = self.list.get(number);
        let bytes = lexeme.and_then(|lexeme| self.bytes.get(lexeme.start..lexeme.end));
        bytes.unwrap_or_default()
    }

    /// Returns a plain word of the sentence, if the lexeme is one.
    pub fn word_in_sentence(&self, number: usize, sentence: u32) -> Option<&[u8]> {
        let lexeme = self.list.get(number)?;
        (lexeme.sentence == sentence && lexeme.shape == Shape::Word).then(|| self.word(number))
    }

    /// Tells whether a lexeme is the letter A as a name, and not the article in a title.
    pub fn is_name(&self, number: usize) -> bool {
        let is_capital = |at: usize| self.list.get(at).is_some_and(|lexeme| lexeme.is_capital);
        self.word(number) == b"a" && is_capital(number) && !is_capital(number + 1)
    }

    pub fn push(&mut self, word: &[u8], shape: Shape) {
        let start = self.bytes.len();
        self.bytes.extend(word.iter().map(u8::to_ascii_lowercase));
        self.list.push(Lexeme {
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
