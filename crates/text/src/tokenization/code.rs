//! Forms that only occur in code: names, paths, calls, operators.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::lexeme::{Lexemes, OPERATORS, Shape};
use super::number::{number_end, take_number};
use super::sign::is_sign;
use crate::lexicon::words;

/// Folders by which two words with a slash in between are recognised as a path.
static FOLDERS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("folder"));

/// True if a run without spaces has a form that does not occur in prose.
pub(super) fn is_code(body: &str, closing: &str) -> bool {
    let bytes = body.as_bytes();
    let is_call = body.ends_with('(') && closing.starts_with(')');
    let is_sign = |byte: &u8| matches!(byte, b'\\' | b'@' | b'=' | b'{' | b'[');
    let is_joint = |pair: &[u8]| pair == b"::" || pair == b":/";
    if is_call || bytes.iter().any(is_sign) || bytes.windows(2).any(is_joint) {
        return true;
    }
    let inner = bytes.windows(2).enumerate().any(|(at, pair)| match pair {
        [b'_', after] => after.is_ascii_alphanumeric() || at > 0,
        [before, after] if before.is_ascii_lowercase() => after.is_ascii_uppercase(),
        [b'.', after] if after.is_ascii_alphabetic() => {
            at == 0
                || bytes
                    .iter()
                    .take(at)
                    .any(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'/'))
        }
        _ => false,
    });
    inner || is_path(body) || has_operator(body)
}

pub(super) fn is_path(body: &str) -> bool {
    let parts = body.split('/').count();
    let folder = |part: &str| FOLDERS.contains(part.as_bytes());
    parts > 2 && !body.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
        || (parts == 2
            && (body.starts_with(['/', '~', '.', '*']) || body.ends_with('*') || body.split('/').any(folder)))
}

fn has_operator(body: &str) -> bool {
    let inner = body.as_bytes().get(1..body.len().saturating_sub(1)).unwrap_or_default();
    let doubled = |sign: u8| inner.windows(2).any(|pair| pair == [sign, sign]);
    inner.iter().any(|byte| matches!(byte, b'<' | b'>' | b'!')) || doubled(b'&') || doubled(b'|')
}

const BORDERS: u128 = bits_of(b"=:;,(){}[]<>\"'`|&!?");
const EDGES: u128 = bits_of(b"./\\-~+%^@#$");

/// A set of ASCII bytes: each byte of a name is looked up.
const fn bits_of(mut signs: &[u8]) -> u128 {
    let mut bits = 0;
    while let [sign, rest @ ..] = signs {
        bits |= 1 << *sign;
        signs = rest;
    }
    bits
}

fn is_in(byte: u8, bits: u128) -> bool {
    byte.is_ascii() && bits >> byte & 1 == 1
}

/// Takes the parts of code: names, paths, numbers, operators.
pub(super) fn take_code(body: &[u8], lexemes: &mut Lexemes) {
    let is_border = |byte: u8| is_in(byte, BORDERS);
    for part in body.chunk_by(|one, next| is_border(*one) == is_border(*next)) {
        if part.first().is_some_and(|first| is_border(*first)) {
            lexemes.is_defined |= part == b"=";
            let operator = std::str::from_utf8(part).unwrap_or("");
            if OPERATORS.contains(&operator) {
                lexemes.push(part, Shape::Exact);
            } else if part.iter().any(|byte| matches!(byte, b'<' | b'>' | b'|' | b'&')) {
                lexemes.sign(operator, false);
            }
        } else {
            take_name(part, lexemes);
        }
    }
}

fn take_name(part: &[u8], lexemes: &mut Lexemes) {
    let is_edge = |byte: &u8| is_in(*byte, EDGES);
    let mut name = part;
    while let Some((_, rest)) = name.split_first().filter(|(first, _)| is_edge(first)) {
        name = rest;
    }
    let lead = part.get(..part.len() - name.len()).unwrap_or_default();
    let named = name;
    while let Some((_, rest)) = name.split_last().filter(|(last, _)| is_edge(last)) {
        name = rest;
    }
    let Some(first) = name.first() else { return };
    // `./src` is `src`, and "#12" is "12".
    if !lead.is_empty() && lead != b"./" && !(lead == b"#" && first.is_ascii_digit()) {
        lexemes.sign(std::str::from_utf8(lead).unwrap_or_default(), true);
    }
    let tail = named.get(name.len()..).unwrap_or_default();
    if name.iter().all(u8::is_ascii_alphabetic) {
        lexemes.push(name, Shape::Code);
    } else if first.is_ascii_digit() && number_end(name, 0) == name.len() {
        take_number(name, lexemes);
    } else {
        lexemes.push(name, Shape::Exact);
    }
    if tail.iter().any(|byte| is_sign(*byte)) {
        lexemes.sign(std::str::from_utf8(tail).unwrap_or_default(), false);
    }
}
