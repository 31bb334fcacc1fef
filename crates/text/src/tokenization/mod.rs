//! Tokenization: the one place that splits texts. Its views:
//!
//! - [`each_token`], for search: runs of letters and digits, characters of scripts without spaces, emoji. Terms of the index are made of them.
//! - [`lexemes`], for duplicates and statements: words, numbers and code, with the gaps between them and the ends of sentences.
//! - [`spoken_words`] and [`sentences_of`], for what people say: words with the signs inside of them.
//! - [`runs_of`], for phrases of the lexicon in short texts, and [`written_words`], where names are compared as they are written.

mod code;
mod lexeme;
mod lexemes;
mod number;
mod sign;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::lexicon::{entries, words};
use super::lines::head;
pub(crate) use lexeme::Symbol;
pub(crate) use lexeme::{Case, Form, Gap, Lexeme, Lexemes, Part, Shape};
pub(super) use lexemes::split_text;

/// The length at which long runs of word characters (hashes, base64) are cut; their beginning identifies them.
pub(super) const WORD_BYTES_MAX: usize = 128;
/// The maximum length of a name with `++` or `#` after it, or a dot before it: `C++`, `F#`, `.net`, `.gitignore`.
const SIGNED_BYTES_MAX: usize = 16;

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter, digit, mark or underscore.
    Word,
    /// A letter of a script that is written without spaces between words.
    Spaceless,
    /// Everything else.
    Other,
}

pub(super) fn class_of(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() || c == '_' {
            Class::Word
        } else {
            Class::Other
        };
    }
    if is_spaceless(c) {
        Class::Spaceless
    } else if c.is_alphanumeric() || is_combining_mark(c) {
        Class::Word
    } else {
        Class::Other
    }
}

/// True if a character belongs to Han, Kana, Hangul, Thai, Lao, Khmer or Myanmar. (Korean has spaces, but its endings
/// are matched better by pairs of syllables.)
pub fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0E4E | 0x0E81..=0x0ECF | 0x1000..=0x109F | 0x1780..=0x17D3
        | 0x3005..=0x3007 | 0x3041..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF66..=0xFF9D | 0x2_0000..=0x3_FFFF)
        && (c.is_alphanumeric() || is_combining_mark(c))
}

/// The maximum length of a number with signs.
pub(super) const NUMBER_BYTES_MAX: usize = 40;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A maximal run of letters, digits, marks and underscores.
    Run {
        text: &'t str,
        /// The run with the sign that belongs to the name: `C++`, `c#`, `.net`.
        signed: Option<&'t str>,
    },
    /// A character of a script without spaces, and the one directly before it.
    Spaceless { before: Option<char>, c: char },
    /// A number with signs between its digits, before the runs that it consists of: `1.4.2`, `2026-03-04`, `10.0.0.12`, `2.0.0-rc.1`, `1,5`.
    Number(&'t str),
    /// A pictograph.
    Emoji(char),
}

/// Normalizes a text to NFKC: half-width and full-width forms, ligatures, combining accents.
pub(super) fn normalize(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// Calls `visit` with the tokens of a text, and where each begins. A text is normalized first where its terms are meant.
pub(super) fn each_token<'t>(text: &'t str, mut visit: impl FnMut(usize, Token<'t>)) {
    if text.is_ascii() {
        each_ascii(text, visit);
        return;
    }
    let mut runs = Runs { text, number_end: 0 };
    let mut run: Option<usize> = None;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let class = if is_selector(c) { Class::Other } else { class_of(c) };
        if class == Class::Word {
            run.get_or_insert(at);
            before = None;
            continue;
        }
        if let Some(start) = run.take() {
            runs.visit(start, at, &mut visit);
        }
        match class {
            Class::Spaceless => {
                visit(at, Token::Spaceless { before, c });
                before = Some(c);
            }
            _ => {
                before = None;
                if is_emoji(c) {
                    visit(at, Token::Emoji(c));
                }
            }
        }
    }
    if let Some(start) = run {
        runs.visit(start, text.len(), &mut visit);
    }
}

fn each_ascii<'t>(text: &'t str, mut visit: impl FnMut(usize, Token<'t>)) {
    let mut runs = Runs { text, number_end: 0 };
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        if is_ascii_word(byte) {
            start.get_or_insert(at);
        } else if let Some(start) = start.take() {
            runs.visit(start, at, &mut visit);
        }
    }
    if let Some(start) = start {
        runs.visit(start, text.len(), &mut visit);
    }
}

/// The runs of a text while they are visited in order.
struct Runs<'t> {
    text: &'t str,
    /// Where the last number ends.
    number_end: usize,
}

impl<'t> Runs<'t> {
    /// Visits a run, and before it the number that begins with it.
    fn visit(&mut self, start: usize, end: usize, visit: &mut impl FnMut(usize, Token<'t>)) {
        let text = self.text;
        let number = (start >= self.number_end).then(|| number_range(text.as_bytes(), start));
        if let Some(range) = number.flatten() {
            self.number_end = range.end;
            visit(range.start, Token::Number(text.get(range).unwrap_or_default()));
        }
        let signed = signed_end(text.as_bytes(), start, end).and_then(|(from, to)| text.get(from..to));
        let text = head(text.get(start..end).unwrap_or_default(), WORD_BYTES_MAX);
        visit(start, Token::Run { text, signed });
    }
}

/// Returns the end of the bytes from a position on that are all of a kind.
fn end_of(text: &[u8], from: usize, is_of: fn(&u8) -> bool) -> usize {
    from + text.iter().skip(from).take_while(|byte| is_of(byte)).count()
}

/// Returns the range of a number with one kind of sign between its digits, whose first digits are at the beginning of a run, behind a `v` or not.
fn number_range(text: &[u8], start: usize) -> Option<Range<usize>> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let digits = |from: usize| end_of(text, from, u8::is_ascii_digit);
    let from = start + usize::from(matches!(byte(start), b'v' | b'V'));
    let first = digits(from);
    let sign = byte(first);
    if first == from || !matches!(sign, b'.' | b'-' | b':' | b'/' | b',') {
        return None;
    }
    let mut end = first;
    while byte(end) == sign && byte(end + 1).is_ascii_digit() && end - from < NUMBER_BYTES_MAX {
        end = digits(end + 1);
    }
    // A decimal comma, and not a list.
    let (ahead, behind) = (start.checked_sub(1).map_or(b' ', byte), text.get(first + 1..end));
    if sign == b',' && (ahead == sign || behind.unwrap_or_default().contains(&sign)) {
        return None;
    }
    if sign == b'.' && end > first {
        end = stage_end(text, end);
    }
    (end > first).then_some(from..end)
}

static STAGES: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("stage"));

/// Returns the end of the stage behind a version, `rc.1` of `2.0.0-rc.1`, or that of the version when it has none.
fn stage_end(text: &[u8], version: usize) -> usize {
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let from = version + usize::from(matches!(byte(version), b'-' | b'.' | b'+'));
    let letters = end_of(text, from, u8::is_ascii_alphabetic);
    let name = text.get(from..letters).unwrap_or_default().to_ascii_lowercase();
    if !STAGES.contains(name.as_slice()) {
        return version;
    }
    let is_joined = matches!(byte(letters), b'.' | b'-') && byte(letters + 1).is_ascii_digit();
    end_of(text, letters + usize::from(is_joined), u8::is_ascii_digit)
}

/// Returns the range of a name with a sign. It has only one sign: a name after a dot has no plus.
fn signed_end(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    if end - start > SIGNED_BYTES_MAX || !byte(start).is_ascii_alphabetic() {
        return None;
    }
    let is_word = |at: usize| is_ascii_word(byte(at)) || !byte(at).is_ascii();
    match byte(end) {
        b'+' if byte(end + 1) == b'+' && !is_word(end + 2) => return Some((start, end + 2)),
        b'#' if !is_word(end + 1) => return Some((start, end + 1)),
        _ => {}
    }
    let dot = start.checked_sub(1).filter(|dot| byte(*dot) == b'.')?;
    let is_free = dot == 0 || matches!(byte(dot - 1), b' ' | b'\t' | b'\n' | b'(' | b'"' | b'\'' | b'`' | b'/');
    is_free.then_some((dot, end))
}

#[inline]
fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True if a character is a variation selector or the keycap, which only change how the previous character looks.
fn is_selector(c: char) -> bool {
    matches!(u32::from(c), 0xfe00..=0xfe0f | 0x20e3)
}

/// True if a character is in the blocks of pictographs, without skin tone modifiers.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27bf | 0x2b50 | 0x2b55 | 0x231a..=0x231b | 0x23e9..=0x23fa
        | 0x1_f004 | 0x1_f0cf | 0x1_f18e..=0x1_f19a | 0x1_f1e6..=0x1_f1ff | 0x1_f300..=0x1_f3fa | 0x1_f400..=0x1_faff)
}

/// Returns the runs of letters and digits of a text.
pub(super) fn runs_of(text: &str) -> Vec<&str> {
    let mut runs = Vec::with_capacity(text.len() / 5);
    let parts = text.split(|c| class_of(c) != Class::Word);
    runs.extend(parts.filter(|run| !run.is_empty()));
    runs
}

/// Returns the words of a text as they are written: runs of letters, digits and the signs that belong to words for the caller.
pub fn written_words<'t>(text: &'t str, signs: &'t str) -> impl Iterator<Item = &'t str> + Clone {
    let words = text.split(move |c: char| !c.is_alphanumeric() && !signs.contains(c));
    words.filter(|word| !word.is_empty())
}

/// Returns the words of a line as somebody says them, in lower case: with the signs inside of them, and those of names, paths and options
/// around them (`don't`, `--all`, `.env`, `src/main.rs`).
pub fn spoken_words(line: &str) -> Vec<String> {
    let is_edge = |c: char| !(c.is_alphanumeric() || is_combining_mark(c) || "/_+#@-~$".contains(c));
    let words = line.split_whitespace().map(|word| {
        let word = word.trim_start_matches(|c| is_edge(c) && c != '.');
        let is_name = word.len() > 1;
        word.trim_end_matches(is_edge)
            .trim_start_matches(|c| is_edge(c) && !is_name)
    });
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Ends of sentences in scripts of which some write no space behind them.
const FULL_STOPS: [char; 6] = ['\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{ff61}', '\u{964}', '\u{61f}'];

fn may_end_a_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';') || FULL_STOPS.contains(&c)
}

/// Splits a line after the end of a sentence: after `.`, `!`, `?` and `;` at the end of a word that is no abbreviation.
pub fn sentences_of(line: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, sign) in line.match_indices(may_end_a_sentence) {
        let said = line.get(from..at).unwrap_or_default();
        let word = said.rsplit([' ', '\t', '(', ',']).next().unwrap_or_default();
        let behind = at + sign.len();
        let is_end = sign.len() > 1 || line.as_bytes().get(behind).is_none_or(u8::is_ascii_whitespace);
        if is_end && !(sign == "." && is_abbreviation(word)) {
            parts.extend(line.get(from..behind));
            from = behind;
        }
    }
    parts.extend(line.get(from..));
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

static ABBREVIATIONS: LazyLock<Vec<&str>> = LazyLock::new(|| entries("abbreviation").collect());

/// True if a dot behind a word belongs to it.
fn is_abbreviation(word: &str) -> bool {
    ABBREVIATIONS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_token(&normalize(text), |_, token| {
            found.push(match token {
                Token::Run { text, signed } => format!("{text}{}", signed.map(|s| format!("={s}")).unwrap_or_default()),
                Token::Spaceless { before, c } => before.map(String::from).unwrap_or_default() + &c.to_string(),
                Token::Number(number) => format!("number {number}"),
                Token::Emoji(c) => format!("emoji {c}"),
            });
        });
        found
    }

    #[test]
    fn texts_are_cut_where_words_end() {
        for (text, wanted) in [
            ("Use src/auth/jwt.ts:12, now!", "Use|src|auth|jwt|ts|12|now"),
            (
                "C++ and c# with .NET, not issue #12 or a.b",
                "C=C++|and|c=c#|with|NET=.NET|not|issue|12|or|a|b",
            ),
            ("see C++17, x#y", "see|C|17|x|y"),
            ("ﾃﾞｰﾀ", "デ|デー|ータ"),
            ("ｆｕｌｌ ﬁne", "full|fine"),
            ("done ✅ 🚀\u{fe0f}!", "done|emoji ✅|emoji 🚀"),
            ("größe .größe", "größe|größe=.größe"),
            (
                "v1.4.2, or 10.0.0.12:80",
                "number 1.4.2|v1|4|2|or|number 10.0.0.12|10|0|0|12|80",
            ),
            ("版本1.1.1的", "版|版本|number 1.1.1|1|1|1|的"),
            ("５．１ s", "number 5.1|5|1|s"),
            ("2026-03-04T10", "number 2026-03-04|2026|03|04T10"),
            (
                "2.0.0-RC.1 1.2.3b4-x",
                "number 2.0.0-RC.1|2|0|0|RC|1|number 1.2.3b4|1|2|3b4|x",
            ),
            ("1.2.3-based 1. 2 -3- a1.2", "number 1.2.3|1|2|3|based|1|2|3|a1|2"),
            ("1,5, 1,2,3 4, 5", "number 1,5|1|5|1|2|3|4|5"),
            ("", ""),
        ] {
            assert_eq!(tokens(text).join("|"), wanted, "{text}");
        }
    }

    #[test]
    fn lines_are_cut_where_sentences_end() {
        let line = " Use v1.2; see src/a.rs, e.g. this (etc.) or that! Then stop? Yes";
        let wanted = [
            "Use v1.2;",
            "see src/a.rs, e.g. this (etc.) or that!",
            "Then stop?",
            "Yes",
        ];
        assert_eq!(sentences_of(line), wanted);
        assert_eq!(sentences_of("größe. größe"), ["größe.", "größe"]);
        assert_eq!(
            sentences_of("先迁移。再发布！好吗？"),
            ["先迁移。", "再发布！", "好吗？"]
        );
        assert_eq!(sentences_of("पहले माइग्रेशन। फिर रिलीज़।"), ["पहले माइग्रेशन।", "फिर रिलीज़।"]);
        assert_eq!(sentences_of("هل نبدأ؟ نعم."), ["هل نبدأ؟", "نعم."]);
        assert_eq!(sentences_of(""), Vec::<&str>::new());
    }

    #[test]
    fn spoken_words_keep_the_signs_that_belong_to_them() {
        let line = "Don't touch (src/gen), `--all`: .env, C++ and #12; it's \"done\" ... - !";
        let wanted = [
            "don't", "touch", "src/gen", "--all", ".env", "c++", "and", "#12", "it's", "done", "-",
        ];
        assert_eq!(spoken_words(line), wanted);
    }

    #[test]
    fn long_runs_are_cut_between_characters() {
        for text in ["x".repeat(1000), "é".repeat(1000), format!("a{}", "é".repeat(1000))] {
            let found = tokens(&text);
            assert_eq!(found.len(), 1);
            assert!(found[0].len() <= WORD_BYTES_MAX && found[0].len() >= WORD_BYTES_MAX - 1);
        }
    }
}
