//! Signs that say something: units, currencies, operators, arrows, check marks, and punctuation that is the value itself. All other punctuation
//! only ends or separates what is said.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::is_emoji;
use super::lexeme::{Lexemes, OPERATORS, Symbol};
use crate::lexicon::{entries, words};

impl Lexemes {
    /// Adds a sign.
    pub(super) fn sign(&mut self, text: &str, is_ahead: bool) {
        self.add_sign(xxh3_64(text.as_bytes()), is_ahead, false);
    }

    /// True if the sentence has no lexeme yet.
    pub(super) fn begins_sentence(&self) -> bool {
        self.list.last().is_none_or(|last| last.sentence != self.sentence)
    }

    fn add_sign(&mut self, hash: u64, is_ahead: bool, may_decorate: bool) {
        self.symbols.push(Symbol {
            hash,
            at: self.list.len(),
            is_ahead: is_ahead || self.begins_sentence(),
            may_decorate,
        });
    }
}

/// True if an ASCII sign between letters or alone is no punctuation.
pub(super) fn is_sign(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'+' | b'%' | b'^' | b'~' | b'|' | b'<' | b'>' | b'\\' | b'$' | b'@' | b'#'
    )
}

/// Words behind which a sign that stands alone is what is said: "the delimiter is ;".
static LEADS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("leads-sign"));
/// Check marks, by what they say: that something is so, or is not so.
static VERDICTS: LazyLock<FxHashMap<char, u64>> = LazyLock::new(|| {
    let groups = (0..).zip(entries("verdict-sign"));
    let signs = groups.flat_map(|(group, signs)| signs.chars().map(move |sign| (sign, group)));
    signs.filter(|(sign, _)| !sign.is_whitespace()).collect()
});
/// The group of those that say it is not so.
const DENIES: u64 = 1;

/// Takes the sign that a run between spaces consists of: punctuation that ends nothing is what is said.
pub(super) fn take_alone(run: &str, lexemes: &mut Lexemes) {
    // In French, a space is before some.
    let last = lexemes.list.len().wrapping_sub(1);
    match run {
        "," | "." => lexemes.sign(run, false),
        ";" | ":" | "!" | "?" | "/" | "'" | "`" if LEADS.contains(lexemes.word(last)) => lexemes.sign(run, false),
        _ => take_signs(run, lexemes),
    }
}

/// True if an ASCII run has neither letters nor digits.
pub(super) fn is_punctuation(run: &str) -> bool {
    run.bytes().all(|byte| byte.is_ascii_punctuation())
}

/// Takes the sign that a run without letters and digits consists of, unless it is a rule, a fence or dots.
pub(super) fn take_signs(run: &str, lexemes: &mut Lexemes) {
    let first = run.bytes().next();
    if run.len() > 2 && run.bytes().all(|byte| Some(byte) == first) {
        return;
    }
    let plain = run.trim_matches([
        '"', '\'', '`', '(', ')', '[', ']', '{', '}', ',', ';', ':', '.', '!', '?',
    ]);
    let quoted = quoted(run);
    let sign = quoted.unwrap_or(plain);
    // Dashes and the like are punctuation, and operators are lexemes.
    if (quoted.is_some() || !matches!(sign, "" | "-" | "--" | "=" | "&" | "/")) && !OPERATORS.contains(&sign) {
        lexemes.sign(sign, false);
    }
}

/// Returns what is between quotation marks.
fn quoted(run: &str) -> Option<&str> {
    let start = run.find(['"', '\'', '`'])?;
    let mark = run.get(start..=start)?;
    let end = run.rfind(mark)?;
    run.get(start + 1..end).filter(|inner| !inner.is_empty())
}

/// Takes a character that is neither a letter nor a digit, if it says something.
pub(super) fn take_symbol(chunk: &str, at: usize, c: char, starts_line: bool, lexemes: &mut Lexemes) {
    let verdict = VERDICTS.get(&c);
    let (before, behind) = chunk.split_at_checked(at).unwrap_or_default();
    let glued = behind.chars().nth(1).is_some_and(char::is_alphanumeric);
    // What begins a line is a bullet.
    if verdict.is_none() && (!is_symbol(c) || (starts_line && at == 0 && !glued)) {
        return;
    }
    let hash = match c {
        '\u{2192}' => xxh3_64(b"->"),
        '\u{2190}' => xxh3_64(b"<-"),
        '\u{21d2}' => xxh3_64(b"=>"),
        c => xxh3_64(c.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    let may_decorate = is_emoji(c) && verdict != Some(&DENIES);
    lexemes.add_sign(
        verdict.copied().unwrap_or(hash),
        glued && !before.ends_with(char::is_alphanumeric),
        may_decorate,
    );
}

/// True if a character is a currency, an operator, an arrow, a unit or a pictograph.
fn is_symbol(c: char) -> bool {
    match u32::from(c) {
        // Only the look of the character before
        0x1_f3fb..=0x1_f3ff => false,
        0xa2..=0xa5
        | 0xac
        | 0xb0
        | 0xb1
        | 0xd7
        | 0xf7
        | 0x2030..=0x2031
        | 0x20a0..=0x20cf
        | 0x2190..=0x23ff
        | 0x25a0..=0x2bff => true,
        0xff04..=0xff05 | 0xff0a..=0xff0b | 0xff1c..=0xff1e | 0xffe0..=0xffe6 => true,
        _ => is_emoji(c),
    }
}
