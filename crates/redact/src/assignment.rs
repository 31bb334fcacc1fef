//! Finds `name = value` in the syntaxes that people and programs write: environment files, YAML, JSON, TOML, XML, source
//! code, command lines, query strings and sentences. This module only locates the value; [`verdict`](super::verdict)
//! decides by its shape whether it is a secret.

use super::assigned::{Assigned, STOPS, Style};
use super::bytes::{any_at, before, count, has, head, is_any, rest, skip_blanks};
use super::key::Key;
use super::separator::{self, Separator};
use super::told;
use super::value::{quoted, unquoted};

pub(super) fn value_of(text: &[u8], key: &Key) -> Option<Assigned> {
    if text.get(..key.range.start)?.ends_with(b"://") {
        // the user in a URL
        return None;
    }
    let after_key = key.range.end + closers_len(text, key.range.end);
    let at = skip_blanks(text, after_key);
    let spaced = at > after_key;
    if let Some(separator) = Separator::at(text, at, key) {
        return separator::value_after(text, key, at, separator, spaced);
    }
    if let Some(from) = attribute_value(text, key.range.end) {
        return quoted_or_plain(text, from, Style::Literal);
    }
    if !spaced {
        return beside(text, key, after_key, at);
    }
    let after_word = if after_key == key.range.end {
        word_before(text, key)
    } else {
        None
    };
    if let Some(style) = after_word {
        return flag_value(text, at, style);
    }
    match sentence_verb(text, at) {
        Some((from, style)) => told::value_after(text, from, style),
        // `password 'x'` in SQL and prose
        None => quoted(text, at).map(|value| Assigned {
            value,
            style: Style::Prose,
        }),
    }
}

/// `setPassword("x")`, `setenv("API_KEY", "x")`
fn beside(text: &[u8], key: &Key, after_key: usize, at: usize) -> Option<Assigned> {
    let is_argument = match text.get(at)? {
        b'(' => true,
        b',' => after_key > key.range.end && opens_call(text, key),
        _ => false,
    };
    let value = quoted(text, skip_blanks(text, at + 1)).filter(|_| is_argument)?;
    Some(Assigned {
        value,
        style: Style::Literal,
    })
}

/// True if the name is the first argument of a call, and not an element of a list of words.
fn opens_call(text: &[u8], key: &Key) -> bool {
    let head = head(text, key.range.start, 4);
    head.iter()
        .rev()
        .take_while(|b| !b.is_ascii_alphanumeric())
        .any(|b| *b == b'(')
}

/// `name: DB_PASSWORD` and `value: x` on the next line; `key="password" value="x"`; `"name": "TOKEN", "value": "x"`.
fn attribute_value(text: &[u8], from: usize) -> Option<usize> {
    let gap = count(text, from, 40, |b| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b',' | b'\\')
    });
    let is_apart = rest(text, from).iter().take(gap).any(|b| *b != b' ');
    let word = any_at(text, from + gap, &["value"]).filter(|_| is_apart)?;
    let after = from + gap + word.len();
    let at = skip_blanks(text, after + closers_len(text, after));
    matches!(text.get(at), Some(b':' | b'=')).then(|| skip_blanks(text, at + 1))
}

fn quoted_or_plain(text: &[u8], at: usize, style: Style) -> Option<Assigned> {
    let value = quoted(text, at).or_else(|| unquoted(text, at, STOPS))?;
    Some(Assigned { value, style })
}

fn flag_value(text: &[u8], at: usize, style: Style) -> Option<Assigned> {
    if text.get(at) == Some(&b'-') {
        return None;
    }
    quoted_or_plain(text, at, style)
}

/// Recognises syntax in which a value follows after a space: `--name VALUE`, `set NAME VALUE`, and `login WHO password
/// VALUE` of a .netrc file.
fn word_before(text: &[u8], key: &Key) -> Option<Style> {
    if key.is_flag {
        return Some(Style::Literal);
    }
    let head = head(text, key.range.start, 80);
    let mut words = head.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let last = words.next()?;
    if words.next() == Some(b"login") {
        return Some(Style::Literal);
    }
    let is_set = is_any(
        last,
        &[
            "set", "setx", "-x", "-gx", "-Ux", "config", "--global", "--local", "ENV", "ARG",
        ],
    );
    is_set.then_some(if key.is_upper { Style::Literal } else { Style::Prose })
}

/// Finds the password in `mysql -pVALUE`, `sshpass -p VALUE`, `docker login -p VALUE`; `end` is the end of the flag.
pub(super) fn short_flag(text: &[u8], end: usize) -> Option<Assigned> {
    let line = head(text, end, 160)
        .rsplit(|b| matches!(b, b'\n' | b';' | b'|'))
        .next()?;
    let names = |words: &[&str]| words.iter().any(|word| has(line, word));
    match text.get(end)? {
        _ if before(text, end) != b'p' => None,
        b' ' if names(&["sshpass", "login"]) => flag_value(text, skip_blanks(text, end), Style::Literal),
        b' ' | b'-' => None,
        _ if names(&["mysql", "mariadb", "sshpass"]) => quoted_or_plain(text, end, Style::Literal),
        _ => None,
    }
}

/// Finds the password in `redis-cli -a VALUE`; `end` is the end of the flag.
pub(super) fn redis_flag(text: &[u8], end: usize) -> Option<Assigned> {
    let line = head(text, end, 160)
        .rsplit(|b| matches!(b, b'\n' | b';' | b'|'))
        .next()?;
    let is_redis = text.get(end) == Some(&b' ') && (has(line, "redis-cli") || has(line, "redis-benchmark"));
    is_redis.then(|| flag_value(text, skip_blanks(text, end), Style::Literal))?
}

/// Recognises `is`, `was` or `to` between a name and its value in a sentence. After `to`, a place or a person is more
/// likely than a secret.
fn sentence_verb(text: &[u8], at: usize) -> Option<(usize, Style)> {
    let verb = any_at(
        text,
        at,
        &["is set to ", "was set to ", "set to ", "is: ", "is ", "was ", "to "],
    )?;
    let style = if verb == "to " { Style::Code } else { Style::Prose };
    Some((skip_blanks(text, at + verb.len()), style))
}

/// Returns the length of the signs that close a quoted or bracketed name: `"`, `']`, `\"`, `**`, `%5D`.
fn closers_len(text: &[u8], at: usize) -> usize {
    if let Some(closer) = any_at(text, at, &["%5D", "”", "’", "»", "」", "“"]) {
        return closer.len();
    }
    let len = count(text, at, 4, |b| {
        matches!(b, b'"' | b'\'' | b'`' | b']' | b'*' | b'\\' | b')')
    });
    // a single backslash belongs to the text behind it
    if before(text, at + len) == b'\\' {
        len.saturating_sub(1)
    } else {
        len
    }
}
