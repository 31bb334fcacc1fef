//! Cutting a text into pieces: words, numbers, and the shapes that only code has.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::code::{is_code, take_code};
use super::number::{number_end, take_number};
use super::piece::{Gap, OPERATORS, Part, Pieces, Shape};
use crate::text::chars::{Class, class_of};
use crate::text::fold;

/// Cuts a text into pieces.
pub(super) fn split_text(text: &str, pieces: &mut Pieces) {
    pieces.bytes.clear();
    pieces.list.clear();
    (pieces.sentence, pieces.starts_sentence, pieces.gap) = (0, true, None);
    let text = simplify(text);
    let mut starts_line = true;
    let mut rest = text.as_ref();
    loop {
        let word = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        starts_line |= rest[..rest.len() - word.len()].contains('\n');
        if word.is_empty() {
            return;
        }
        let end = word.find(|c: char| c.is_ascii_whitespace()).unwrap_or(word.len());
        take_chunk(&word[..end], starts_line, pieces);
        starts_line = false;
        rest = &word[end..];
    }
}

/// Writes punctuation of other scripts, and what typesetting made of it, as a keyboard has it.
fn simplify(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.nfc() {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{ff07}' => plain.push('\''),
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => plain.push('"'),
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

fn take_chunk(chunk: &str, starts_line: bool, pieces: &mut Pieces) {
    if starts_line && is_bullet(chunk) {
        return pieces.end_sentence();
    }
    if chunk.is_ascii() {
        return take_ascii(chunk, pieces);
    }
    // Scripts without spaces, and code in the middle of them.
    let mut run = 0;
    for (at, c) in chunk.char_indices() {
        let class = class_of(c);
        if class == Class::Spaceless || (class == Class::Other && !c.is_ascii()) {
            take_run(&chunk[run..at], pieces);
            run = at + c.len_utf8();
            if class == Class::Spaceless {
                pieces.push(c.encode_utf8(&mut [0; 4]).as_bytes(), Shape::Word);
            }
        }
    }
    take_run(&chunk[run..], pieces);
}

fn take_run(run: &str, pieces: &mut Pieces) {
    if run.is_ascii() {
        return take_ascii(run, pieces);
    }
    for part in run.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '\'' && c != '_') {
        if part.is_empty() {
            continue;
        }
        let is_capital = !pieces.starts_sentence && part.chars().next().is_some_and(char::is_uppercase);
        let shape = if part.bytes().any(|byte| byte.is_ascii_digit()) {
            Shape::Exact
        } else {
            Shape::Word
        };
        pieces.push(fold(part.trim_matches('\'')).as_bytes(), shape);
        if let Some(last) = pieces.list.last_mut() {
            last.is_capital = is_capital;
        }
    }
    if run.ends_with(['.', '!', '?', ';']) {
        pieces.end_sentence();
    } else if run.ends_with(',') {
        pieces.note_gap(Gap::Comma);
    }
}

/// Signs that begin the line of a list, a heading, a quotation.
fn is_bullet(chunk: &str) -> bool {
    matches!(chunk, "-" | "*" | "+" | ">" | "[ ]" | "[x]")
        || chunk.bytes().all(|byte| byte == b'#')
        || (chunk.len() <= 4
            && chunk.ends_with(['.', ')'])
            && chunk.len() > 1
            && chunk[..chunk.len() - 1].bytes().all(|byte| byte.is_ascii_digit()))
}

/// Takes a run that is nothing but letters, with one sign behind it at the most, as nearly all are. Answers whether it is.
fn take_letters(chunk: &[u8], pieces: &mut Pieces) -> bool {
    let mut is_lower = false;
    let mut letters = 0;
    for byte in chunk {
        if !byte.is_ascii_alphabetic() || (is_lower && byte.is_ascii_uppercase()) {
            break;
        }
        is_lower = byte.is_ascii_lowercase();
        letters += 1;
    }
    let (word, behind) = chunk.split_at(letters);
    let sign = match behind {
        _ if letters == 0 => return false,
        [] => None,
        [sign] if b".,;:!?".contains(sign) => Some(*sign),
        _ => return false,
    };
    pieces.push(word, Shape::Word);
    match sign {
        Some(b',') => pieces.note_gap(Gap::Comma),
        Some(b':') => {
            pieces.starts_sentence = true;
            pieces.note_gap(Gap::Break);
        }
        Some(b'.') if is_abbreviation(std::str::from_utf8(word).unwrap_or_default()) => {}
        Some(_) => pieces.end_sentence(),
        None => {}
    }
    true
}

fn take_ascii(chunk: &str, pieces: &mut Pieces) {
    if take_letters(chunk.as_bytes(), pieces) {
        return;
    }
    if OPERATORS.contains(&chunk) {
        return pieces.push(chunk.as_bytes(), Shape::Exact);
    }
    let body = chunk.trim_start_matches(['"', '\'', '`', '(', '[', '{', ',']);
    if chunk[..chunk.len() - body.len()].contains(['(', '[', '{']) {
        pieces.note_gap(Gap::Break);
    }
    let is_quoted = chunk.starts_with('`') || chunk.starts_with("(`");
    let closed = body.trim_end_matches(['"', '\'', '`', ')', ']', '}', '.', ',', ';', ':', '!', '?']);
    let closing = &body[closed.len()..];
    let is_quoted = is_quoted && closing.contains('`') && !closed.contains('`');
    let body = trim_stars(closed);
    take_body(body, is_quoted, closing, pieces);
    if closing.contains(['!', '?', ';']) || (closing.contains('.') && !is_abbreviation(body)) {
        pieces.end_sentence();
    } else if closing.contains([':', ')', ']', '}']) {
        pieces.starts_sentence |= closing.contains(':');
        pieces.note_gap(Gap::Break);
    } else if closing.contains(',') {
        pieces.note_gap(Gap::Comma);
    }
}

/// Takes the marks of emphasis away, but leaves what matches files.
fn trim_stars(body: &str) -> &str {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let start = body.trim_start_matches('*');
    let start = if letter(start.as_bytes().first()) { start } else { body };
    let end = start.trim_end_matches('*');
    if letter(end.as_bytes().last()) { end } else { start }
}

fn is_abbreviation(body: &str) -> bool {
    matches!(
        body,
        "etc" | "vs" | "approx" | "resp" | "cf" | "e.g" | "i.e" | "incl" | "e" | "i"
    )
}

fn take_body(body: &str, is_quoted: bool, closing: &str, pieces: &mut Pieces) {
    let Some(first) = body.bytes().next() else {
        return match body.len() + closing.len() {
            0 => {}
            _ => pieces.note_gap(Gap::Break),
        };
    };
    let second = body.as_bytes().get(1).copied().unwrap_or(0);
    match first {
        b'-' | b'+' if body.bytes().all(|byte| byte == first) => return pieces.note_gap(Gap::Break),
        b'-' if second.is_ascii_digit() => {
            let (number, rest) = body.as_bytes().split_at(number_end(body.as_bytes(), 1));
            pieces.push(number, Shape::Exact);
            return take_plain(rest, pieces);
        }
        b'-' | b'@' | b'#' | b'$' if second.is_ascii_alphabetic() || second == b'-' => {
            return take_code(body.as_bytes(), pieces);
        }
        b'!' if second.is_ascii_alphabetic() => {
            pieces.push(b"!", Shape::Exact);
            return take_body(&body[1..], is_quoted, "", pieces);
        }
        b'$' | b'^' | b'~' | b'<' | b'>' | b'=' => {
            let operator = body.find(|c: char| !"$^~<>=!".contains(c)).unwrap_or(body.len());
            let follows = body.as_bytes().get(operator).is_some_and(u8::is_ascii_digit);
            let (operator, operand) = body.split_at(operator);
            if follows {
                pieces.push(operator.as_bytes(), Shape::Exact);
            }
            if !operator.is_empty() && !operand.is_empty() {
                return take_body(operand, is_quoted, "", pieces);
            }
        }
        b'&' if body.len() == 1 => return pieces.push(b"&", Shape::Word),
        _ => {}
    }
    if body.ends_with(['+', '#']) && LANGUAGES.iter().any(|name| name.eq_ignore_ascii_case(body)) {
        pieces.push(body.as_bytes(), Shape::Exact);
    } else if let Some(name) = name_with_js(body) {
        pieces.push(name.as_bytes(), Shape::Word);
    } else if is_dotted_letters(body) {
        pieces.push(body.as_bytes(), Shape::Word);
    } else if is_quoted || is_code(body, closing) {
        take_code(body.as_bytes(), pieces);
    } else {
        take_plain(body.as_bytes(), pieces);
    }
}

const LANGUAGES: [&str; 5] = ["c++", "g++", "c#", "f#", "clang++"];

fn name_with_js(body: &str) -> Option<&str> {
    let name = body.get(..body.len().checked_sub(3)?)?;
    let has_ending = body[name.len()..].eq_ignore_ascii_case(".js");
    (has_ending && NAMES_WITH_JS.iter().any(|known| known.eq_ignore_ascii_case(name))).then_some(name)
}

/// What is called with and without the ending.
const NAMES_WITH_JS: [&str; 8] = ["node", "next", "vue", "nuxt", "react", "express", "nest", "three"];

/// `e.g`, `U.S`
fn is_dotted_letters(body: &str) -> bool {
    body.contains('.')
        && body
            .split('.')
            .all(|part| matches!(part.as_bytes(), [letter] if letter.is_ascii_alphabetic()))
}

/// Takes the words and numbers of a run that is no code.
fn take_plain(body: &[u8], pieces: &mut Pieces) {
    let first = pieces.list.len();
    let hyphens = take_parts(body, pieces);
    let parts = pieces.list.get_mut(first..).unwrap_or_default();
    if let [first, inner @ .., last] = parts
        && hyphens
    {
        (first.part, last.part) = (Part::Outer, Part::Outer);
        inner.iter_mut().for_each(|piece| piece.part = Part::Inner);
    }
}

/// Answers whether there are hyphens between the parts.
fn take_parts(body: &[u8], pieces: &mut Pieces) -> bool {
    let mut hyphens = false;
    let mut at = 0;
    while let Some(byte) = body.get(at) {
        if byte.is_ascii_digit() {
            let end = number_end(body, at);
            take_number(body.get(at..end).unwrap_or_default(), pieces);
            at = end;
        } else if matches!(byte, b'v' | b'V') && body.get(at + 1).is_some_and(u8::is_ascii_digit) {
            // v20 is 20.
            at += 1;
        } else if byte.is_ascii_alphabetic() {
            let end = word_end(body, at);
            take_word(body.get(at..end).unwrap_or_default(), pieces);
            at = end;
        } else {
            match byte {
                b'%' if at
                    .checked_sub(1)
                    .and_then(|at| body.get(at))
                    .is_some_and(u8::is_ascii_digit) =>
                {
                    pieces.push(b"%", Shape::Word)
                }
                b',' | b'/' | b'+' | b'&' => pieces.note_gap(Gap::Comma),
                _ => {
                    hyphens |= *byte == b'-';
                    pieces.note_gap(Gap::Break);
                }
            }
            at += 1;
        }
    }
    hyphens
}

/// Beginnings that are written with a hyphen or without.
const PREFIXES: [&[u8]; 8] = [b"re", b"pre", b"un", b"co", b"de", b"sub", b"multi", b"auto"];

/// The same for endings.
const PARTICLES: [&[u8]; 8] = [b"off", b"up", b"in", b"out", b"down", b"back", b"over", b"book"];

/// Tells whether a hyphen stands where others write none.
fn is_joint(before: &[u8], behind: &[u8]) -> bool {
    PREFIXES.iter().any(|prefix| before.eq_ignore_ascii_case(prefix))
        || (before.iter().all(u8::is_ascii_alphabetic)
            && PARTICLES.iter().any(|particle| behind.eq_ignore_ascii_case(particle)))
}

/// Tells whether the hyphen of a word that begins at `start` stands where others write none.
fn stands_at_joint(body: &[u8], start: usize, hyphen: usize) -> bool {
    let sides = body.get(start..hyphen).zip(body.get(hyphen + 1..));
    sides.is_some_and(|(before, behind)| is_joint(before, behind))
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

fn take_word(word: &[u8], pieces: &mut Pieces) {
    let possessed = word
        .strip_suffix(b"'s")
        .filter(|_| !word.eq_ignore_ascii_case(b"let's"));
    let word = possessed.unwrap_or(word);
    if word.iter().any(u8::is_ascii_digit) {
        pieces.push(word, Shape::Exact);
    } else if word.contains(&b'-') {
        let mut sides = word.splitn(2, |byte| *byte == b'-');
        let (before, behind) = (sides.next(), sides.next());
        let joined = [before.unwrap_or_default(), behind.unwrap_or_default()].concat();
        pieces.push(&joined, Shape::Word);
    } else {
        pieces.push(word, Shape::Word);
    }
}
