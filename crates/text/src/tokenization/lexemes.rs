//! Splits a text into lexemes: words, numbers, and forms that only occur in code.

use std::borrow::Cow;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::code::{is_code, is_path, take_code};
use super::lexeme::{Form, Gap, Lexemes, OPERATORS, Part, Shape};
use super::number::{number_end, take_number};
use super::sign::{is_punctuation, is_sign, take_alone, take_signs, take_symbol};
use super::{Class, class_of, is_selector};
use crate::fold;
use crate::lexicon::entries;

/// Prefixes that are written with a hyphen or without, and the same for endings.
static PREFIXES: LazyLock<Vec<&str>> = LazyLock::new(|| entries("prefix").collect());
static PARTICLES: LazyLock<Vec<&str>> = LazyLock::new(|| entries("particle").collect());
/// Names that end with a sign, and those that are written with and without the ending `.js`.
static SIGNED: LazyLock<Vec<&str>> = LazyLock::new(|| entries("signed").collect());
static WITH_JS: LazyLock<Vec<&str>> = LazyLock::new(|| entries("with-js").collect());

fn is_among(names: &[&str], name: &[u8]) -> bool {
    names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// Splits a text into lexemes.
pub(crate) fn split_text(text: &str, lexemes: &mut Lexemes) {
    lexemes.clear();
    let text = simplify(text);
    let mut starts_line = true;
    let (mut quotes, mut is_in_quote) = (0_u16, false);
    let mut rest = text.as_ref();
    loop {
        let start = rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (space, word) = rest.split_at(start);
        starts_line |= space.contains('\n');
        if word.is_empty() {
            return;
        }
        let end = word.find(|c: char| c.is_ascii_whitespace()).unwrap_or(word.len());
        let (chunk, behind) = word.split_at(end);
        let ticks = chunk.bytes().filter(|byte| *byte == b'`').count();
        if ticks > 0 && !is_in_quote {
            quotes = quotes.saturating_add(1);
        }
        lexemes.quote = if ticks > 0 || is_in_quote { quotes } else { 0 };
        is_in_quote ^= ticks % 2 == 1;
        take_chunk(chunk, starts_line, lexemes);
        starts_line = false;
        rest = behind;
    }
}

/// Replaces typographic and non-ASCII punctuation by its ASCII form.
fn simplify(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.nfc() {
        match c {
            '\u{2018}'..='\u{201a}' | '\u{2032}' | '\u{ff07}' => plain.push('\''),
            '\u{201c}'..='\u{201e}' | '\u{ab}' | '\u{bb}' | '\u{300c}'..='\u{300f}' => plain.push('"'),
            '\u{2010}'..='\u{2012}' | '\u{2212}' => plain.push('-'),
            '\u{2013}' | '\u{2014}' | '\u{2015}' => plain.push_str(" - "),
            '\u{2026}' => plain.push_str("..."),
            '\u{2264}' => plain.push_str("<="),
            '\u{2265}' => plain.push_str(">="),
            '\u{2260}' => plain.push_str("!="),
            '\u{3002}' => plain.push_str(". "),
            '\u{ff01}' => plain.push_str("! "),
            '\u{ff1f}' => plain.push_str("? "),
            '\u{ff1b}' => plain.push_str("; "),
            '\u{ff0c}' | '\u{3001}' => plain.push_str(", "),
            '\u{ff1a}' => plain.push_str(": "),
            '\u{2022}' => plain.push('*'),
            c if c.is_whitespace() && !c.is_ascii() => plain.push(' '),
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

fn take_chunk(chunk: &str, starts_line: bool, lexemes: &mut Lexemes) {
    if chunk == "[x]" && lexemes.begins_sentence() {
        return lexemes.sign(chunk, true);
    }
    if starts_line && is_bullet(chunk) {
        return lexemes.end_sentence();
    }
    if chunk.is_ascii() {
        return take_ascii(chunk, take_alone, lexemes);
    }
    // Scripts without spaces, possibly mixed with code.
    let mut run = 0;
    for (at, c) in chunk.char_indices() {
        let class = if is_selector(c) { Class::Other } else { class_of(c) };
        if class == Class::Spaceless || (class == Class::Other && !c.is_ascii()) {
            take_run(chunk.get(run..at).unwrap_or_default(), lexemes);
            run = at + c.len_utf8();
            if class == Class::Spaceless {
                lexemes.push(c.encode_utf8(&mut [0; 4]).as_bytes(), Shape::Word);
            } else {
                take_symbol(chunk, at, c, starts_line, lexemes);
            }
        }
    }
    take_run(chunk.get(run..).unwrap_or_default(), lexemes);
}

fn take_run(run: &str, lexemes: &mut Lexemes) {
    if run.is_ascii() {
        return take_ascii(run, take_signs, lexemes);
    }
    for part in run.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '\'' && c != '_') {
        if part.is_empty() {
            continue;
        }
        let is_capital = lexemes.is_inside && part.chars().next().is_some_and(char::is_uppercase);
        let shape = if part.bytes().any(|byte| byte.is_ascii_digit()) {
            Shape::Exact
        } else {
            Shape::Word
        };
        lexemes.push(fold(part.trim_matches('\'')).as_bytes(), shape);
        if let Some(last) = lexemes.list.last_mut() {
            last.is_capital = is_capital;
        }
    }
    for signs in run
        .split(|c: char| c == '*' || !u8::try_from(c).is_ok_and(is_sign))
        .filter(|signs| !signs.is_empty())
    {
        lexemes.sign(signs, false);
    }
    let word = run.trim_end_matches(['?', '.', '!', ';', ',']);
    let signs = run.strip_prefix(word).unwrap_or_default();
    lexemes.close(signs.get(signs.len().saturating_sub(1)..).unwrap_or_default(), run);
}

/// True if a chunk is a list bullet, a heading mark or a quotation mark at the start of a line.
fn is_bullet(chunk: &str) -> bool {
    let is_number = |text: &str| matches!(text.len(), 1..=3) && text.bytes().all(|byte| byte.is_ascii_digit());
    matches!(chunk, "-" | "*" | "+" | ">" | "[ ]" | "[x]")
        || chunk.bytes().all(|byte| byte == b'#')
        || chunk.strip_suffix(['.', ')']).is_some_and(is_number)
}

/// Takes a run that consists of letters with at most one punctuation mark at its end, as most do. Returns true if it is
/// one.
fn take_letters(chunk: &str, lexemes: &mut Lexemes) -> bool {
    let mut is_lower = false;
    let is_letter = |byte: &u8| {
        let is_hump = is_lower && byte.is_ascii_uppercase();
        is_lower = byte.is_ascii_lowercase();
        byte.is_ascii_alphabetic() && !is_hump
    };
    let (word, signs) = chunk.split_at(chunk.bytes().take_while(is_letter).count());
    let is_one = matches!(signs.as_bytes(), [] | [b'.' | b',' | b';' | b':' | b'!' | b'?']);
    if is_one && !word.is_empty() {
        lexemes.push(word.as_bytes(), Shape::Word);
        lexemes.close(signs, word);
    }
    is_one && !word.is_empty()
}

/// Takes an ASCII run, and by `take` the one sign that one without letters and digits is.
fn take_ascii(run: &str, take: fn(&str, &mut Lexemes), lexemes: &mut Lexemes) {
    if take_letters(run, lexemes) {
        return;
    }
    if !is_punctuation(run) {
        return take_mixed(run, lexemes);
    }
    take(run, lexemes);
    let taken = lexemes.symbols.len();
    take_mixed(run, lexemes);
    lexemes.symbols.truncate(taken);
}

fn take_mixed(chunk: &str, lexemes: &mut Lexemes) {
    if OPERATORS.contains(&chunk) {
        return lexemes.push(chunk.as_bytes(), Shape::Exact);
    }
    let body = chunk.trim_start_matches(['"', '\'', '`', '(', '[', '{', ',']);
    let opening = chunk.strip_suffix(body).unwrap_or_default();
    if opening.contains(['(', '[', '{']) {
        lexemes.note_gap(Gap::Break);
    }
    let is_quoted = chunk.starts_with('`') || chunk.starts_with("(`");
    let closed = body.trim_end_matches(['"', '\'', '`', ')', ']', '}', '.', ',', ';', ':', '!', '?']);
    let closing = body.strip_prefix(closed).unwrap_or_default();
    let is_quoted = is_quoted && closing.contains('`') && !closed.contains('`');
    let body = trim_stars(closed);
    lexemes.form = form_of(body);
    take_body(body, is_quoted, closing, lexemes);
    lexemes.form = Form::Plain;
    lexemes.close(closing, body);
}

fn form_of(body: &str) -> Form {
    let bytes = body.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    match bytes.first() {
        Some(b'-') if is_letter(1) || (body.starts_with("--") && is_letter(2)) => Form::Flag,
        _ if body.contains("://") => Form::Url,
        _ if is_path(body) || has_extension(body) => Form::Path,
        _ => Form::Plain,
    }
}

/// True if a run ends like the name of a file: "config.yml", but not "3.5" or "e.g".
fn has_extension(body: &str) -> bool {
    let Some((name, extension)) = body.rsplit_once('.') else {
        return false;
    };
    name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && (1..=6).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !is_dotted_letters(body)
}

/// Removes emphasis marks, but not the `*` of file patterns.
fn trim_stars(body: &str) -> &str {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let start = body.trim_start_matches('*');
    let start = if letter(start.as_bytes().first()) { start } else { body };
    let end = start.trim_end_matches('*');
    if letter(end.as_bytes().last()) { end } else { start }
}

fn take_body(body: &str, is_quoted: bool, closing: &str, lexemes: &mut Lexemes) {
    let Some(first) = body.bytes().next() else {
        return match body.len() + closing.len() {
            0 => {}
            _ => lexemes.note_gap(Gap::Break),
        };
    };
    let second = body.as_bytes().get(1).copied().unwrap_or(0);
    match first {
        b'-' | b'+' if body.bytes().all(|byte| byte == first) => return lexemes.note_gap(Gap::Break),
        b'-' if second.is_ascii_digit() => {
            let (number, rest) = body.as_bytes().split_at(number_end(body.as_bytes(), 1));
            lexemes.push(number, Shape::Exact);
            return take_plain(rest, lexemes);
        }
        b'-' | b'@' | b'#' | b'$' if second.is_ascii_alphabetic() || second == b'-' => {
            return take_code(body.as_bytes(), lexemes);
        }
        b'!' if second.is_ascii_alphabetic() => {
            lexemes.push(b"!", Shape::Exact);
            return take_body(body.get(1..).unwrap_or_default(), is_quoted, "", lexemes);
        }
        b'$' | b'^' | b'~' | b'<' | b'>' | b'=' => {
            let operator = body.find(|c: char| !"$^~<>=!".contains(c)).unwrap_or(body.len());
            let follows = body.as_bytes().get(operator).is_some_and(u8::is_ascii_digit);
            let (operator, operand) = body.split_at(operator);
            if follows {
                lexemes.push(operator.as_bytes(), Shape::Exact);
            } else if !operand.is_empty() && operator != "=" {
                lexemes.sign(operator, true);
            }
            if !operator.is_empty() && !operand.is_empty() {
                return take_body(operand, is_quoted, "", lexemes);
            }
        }
        b'&' if body.len() == 1 => return lexemes.push(b"&", Shape::Word),
        _ => {}
    }
    if body.ends_with(['+', '#']) && is_among(&SIGNED, body.as_bytes()) {
        lexemes.push(body.as_bytes(), Shape::Exact);
    } else if let Some(name) = name_with_js(body) {
        lexemes.push(name.as_bytes(), Shape::Word);
    } else if is_dotted_letters(body) {
        lexemes.push(body.as_bytes(), Shape::Word);
    } else if is_quoted || is_code(body, closing) {
        take_code(body.as_bytes(), lexemes);
    } else {
        take_plain(body.as_bytes(), lexemes);
    }
}

fn name_with_js(body: &str) -> Option<&str> {
    let (name, ending) = body.split_at_checked(body.len().checked_sub(3)?)?;
    (ending.eq_ignore_ascii_case(".js") && is_among(&WITH_JS, name.as_bytes())).then_some(name)
}

/// Recognises `e.g`, `U.S`.
fn is_dotted_letters(body: &str) -> bool {
    body.contains('.')
        && body
            .split('.')
            .all(|part| matches!(part.as_bytes(), [letter] if letter.is_ascii_alphabetic()))
}

/// Takes the words and numbers of a run that is not code.
fn take_plain(body: &[u8], lexemes: &mut Lexemes) {
    let first = lexemes.list.len();
    let hyphens = take_parts(body, lexemes);
    let parts = lexemes.list.get_mut(first..).unwrap_or_default();
    if let [first, inner @ .., last] = parts
        && hyphens
    {
        (first.part, last.part) = (Part::Outer, Part::Outer);
        inner.iter_mut().for_each(|lexeme| lexeme.part = Part::Inner);
    }
}

/// Takes the parts of a run; returns true if they are separated by hyphens.
fn take_parts(body: &[u8], lexemes: &mut Lexemes) -> bool {
    let mut hyphens = false;
    let mut at = 0;
    while let Some(byte) = body.get(at) {
        if is_sign(*byte) {
            take_joint(body, at, lexemes);
        }
        if byte.is_ascii_digit() {
            let end = number_end(body, at);
            take_number(body.get(at..end).unwrap_or_default(), lexemes);
            at = end;
        } else if matches!(byte, b'v' | b'V') && body.get(at + 1).is_some_and(u8::is_ascii_digit) {
            // v20 equals 20.
            at += 1;
        } else if byte.is_ascii_alphabetic() {
            let end = word_end(body, at);
            take_word(body.get(at..end).unwrap_or_default(), lexemes);
            at = end;
        } else {
            match byte {
                b'%' if at
                    .checked_sub(1)
                    .and_then(|at| body.get(at))
                    .is_some_and(u8::is_ascii_digit) =>
                {
                    lexemes.push(b"%", Shape::Word)
                }
                b'/' => lexemes.note_gap(Gap::Slash),
                b',' | b'+' | b'&' => lexemes.note_gap(Gap::Comma),
                _ => {
                    hyphens |= *byte == b'-';
                    lexemes.note_gap(Gap::Break);
                }
            }
            at += 1;
        }
    }
    hyphens
}

/// Takes the signs that begin at a position of a run with words, unless they are marks of emphasis or of a number.
fn take_joint(body: &[u8], start: usize, lexemes: &mut Lexemes) {
    let before = start
        .checked_sub(1)
        .and_then(|at| body.get(at))
        .copied()
        .unwrap_or(b' ');
    let rest = body.get(start..).unwrap_or_default();
    let (signs, behind) = rest.split_at(rest.iter().take_while(|byte| is_sign(**byte)).count());
    if is_sign(before) {
        return;
    }
    let behind = behind.first().copied().unwrap_or(b' ');
    let says = match signs {
        b"#" => !behind.is_ascii_digit(),
        // A lexeme of its own behind a number
        b"%" => !before.is_ascii_digit(),
        b"*" => before.is_ascii_alphanumeric() && behind.is_ascii_alphanumeric(),
        _ => signs.iter().any(|sign| *sign != b'*'),
    };
    if says {
        let text = std::str::from_utf8(signs).unwrap_or_default();
        lexemes.sign(text, start == 0 && behind.is_ascii_alphanumeric());
    }
}

/// True if the hyphen of a word that begins at `start` is optional.
fn stands_at_joint(body: &[u8], start: usize, hyphen: usize) -> bool {
    let sides = body.get(start..hyphen).zip(body.get(hyphen + 1..));
    sides.is_some_and(|(before, behind)| {
        is_among(&PREFIXES, before) || (before.iter().all(u8::is_ascii_alphabetic) && is_among(&PARTICLES, behind))
    })
}

fn word_end(body: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = body.get(at) {
        let next_is_letter = body.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        let goes_on = match byte {
            byte if byte.is_ascii_alphanumeric() => true,
            b'\'' => next_is_letter,
            b'-' => next_is_letter && stands_at_joint(body, start, at),
            _ => false,
        };
        if !goes_on {
            break;
        }
        at += 1;
    }
    at
}

fn take_word(word: &[u8], lexemes: &mut Lexemes) {
    let possessed = word
        .strip_suffix(b"'s")
        .filter(|_| !word.eq_ignore_ascii_case(b"let's"));
    let word = possessed.unwrap_or(word);
    if word.iter().any(u8::is_ascii_digit) {
        lexemes.push(word, Shape::Exact);
    } else if let Some(hyphen) = word.iter().position(|byte| *byte == b'-') {
        let (before, behind) = word.split_at(hyphen);
        lexemes.push(&[before, behind.get(1..).unwrap_or_default()].concat(), Shape::Word);
    } else {
        lexemes.push(word, Shape::Word);
    }
}
