//! The lexemes of a text, and how each is compared.

use super::is_abbreviation;

/// A sign between lexemes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbol {
    pub hash: u64,
    /// The number of lexemes before it.
    pub at: usize,
    /// True if it belongs to the lexeme behind it, and not to the one before it.
    pub is_ahead: bool,
    /// True if it only decorates a text that begins or ends with it.
    pub may_decorate: bool,
}

/// How a lexeme is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A word of prose, in any inflection.
    Word,
    /// A word with the form of an identifier.
    Code,
    /// A number, a path, an operator: only in the same spelling.
    Exact,
}

/// The gap between a lexeme and the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    Space,
    /// A slash between two words: of a path, or of alternatives.
    Slash,
    Comma,
    Break,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexeme {
    start: usize,
    end: usize,
    pub sentence: u32,
    pub shape: Shape,
    pub gap: Gap,
    /// True if it is capitalized inside a sentence.
    pub is_capital: bool,
    /// Whether it is written in capitals.
    pub case: Case,
    /// Its position in a word with hyphens.
    pub part: Part,
    /// The form of the run of letters and signs that it is from.
    pub form: Form,
    /// The number of the quotation between backticks that it is in; 0 outside.
    pub quote: u16,
    /// True if a colon or an equals sign is before it.
    pub is_defined: bool,
}

impl Lexeme {
    /// True if it has a form that only occurs in code.
    pub fn is_code(&self) -> bool {
        self.shape == Shape::Code
    }
}

/// How an abbreviation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Plain,
    /// `HTTPS`
    Capitals,
    /// `PRs`
    CapitalsWithS,
}

#[inline]
fn case_of(word: &[u8]) -> Case {
    match word {
        [first, second, rest @ ..] if first.is_ascii_uppercase() && second.is_ascii_uppercase() => case_behind(rest),
        _ => Case::Plain,
    }
}

/// The case of a word that begins with two capitals.
fn case_behind(rest: &[u8]) -> Case {
    match rest.iter().position(|byte| !byte.is_ascii_uppercase()) {
        None => Case::Capitals,
        Some(at) if rest.get(at..) == Some(b"s") => Case::CapitalsWithS,
        Some(_) => Case::Plain,
    }
}

/// The form of a run without spaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Plain,
    /// `--all`
    Flag,
    /// `https://...`
    Url,
    /// `src/main.rs`, `config.yml`
    Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Inner,
    Outer,
}

/// The lexemes of a text, folded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lexemes {
    pub bytes: Vec<u8>,
    pub list: Vec<Lexeme>,
    /// The signs between the lexemes that are no punctuation, in order.
    pub symbols: Vec<Symbol>,
    pub sentence: u32,
    /// True behind the first word of a sentence.
    pub is_inside: bool,
    pub gap: Option<Gap>,
    /// Bit `n` is set when sentence `n` is a question.
    pub questions: u64,
    pub form: Form,
    pub quote: u16,
    pub is_defined: bool,
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

    /// True if a lexeme is the letter A as a name, and not the article in a title.
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
            is_capital: self.is_inside && word.first().is_some_and(u8::is_ascii_uppercase),
            case: case_of(word),
            part: Part::Whole,
            form: self.form,
            quote: self.quote,
            is_defined: std::mem::take(&mut self.is_defined),
        });
        self.is_inside = true;
    }

    /// Removes all lexemes.
    pub fn clear(&mut self) {
        let before = std::mem::take(self);
        (self.bytes, self.list, self.symbols) = (before.bytes, before.list, before.symbols);
        self.bytes.clear();
        self.list.clear();
        self.symbols.clear();
    }

    pub fn note_gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(Some(gap));
    }

    /// Ends what the signs behind a word end: a sentence, a clause, or an item of a list.
    pub fn close(&mut self, signs: &str, word: &str) {
        if signs.is_empty() {
            return;
        }
        if signs.contains('?') {
            self.questions |= 1 << self.sentence.min(63);
            self.end_sentence();
        } else if signs.contains(['!', ';']) || (signs.contains('.') && !is_abbreviation(word)) {
            self.end_sentence();
        } else if signs.contains([':', ')', ']', '}']) {
            self.is_inside &= !signs.contains(':');
            self.is_defined |= signs.contains(':');
            self.note_gap(Gap::Break);
        } else if signs.contains(',') {
            self.note_gap(Gap::Comma);
        }
    }

    pub fn end_sentence(&mut self) {
        if self.list.last().is_some_and(|last| last.sentence == self.sentence) {
            self.sentence += 1;
        }
        self.is_inside = false;
        self.note_gap(Gap::Break);
    }
}

pub(super) const OPERATORS: [&str; 14] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+=", "-=", "^", "~",
];
