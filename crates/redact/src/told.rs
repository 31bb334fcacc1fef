//! Secrets told in a sentence: "my password for staging is ...", "... is my password", "with password ...", "admin key ...".
//!
//! This module only finds the words between a name and its value; [`verdict`](super::verdict) decides by the shape of the
//! value, so that sentences about passwords stay.

use super::assigned::{Assigned, STOPS, Style};
use super::bytes::{any_at, before, count, count_back, head, is_any, skip_blanks};
use super::key::{Class, Key};
use super::shape::{Shape, is_hex, is_name};
use super::value::{Value, quoted, unquoted};
use std::ops::Range;

/// How many words may be between a name and its value.
const WORDS_MAX: usize = 14;
const WORD_BYTES_MAX: usize = 40;

/// Words that begin the phrase behind a name: "for staging", "of the CI user", "that opens the vault".
const OPENERS: [&str; 52] = [
    "for",
    "of",
    "on",
    "to",
    "at",
    "in",
    "from",
    "into",
    "by",
    "with",
    "inside",
    "behind",
    "used",
    "needed",
    "that",
    "which",
    "i",
    "we",
    "you",
    "they",
    "he",
    "she",
    "für",
    "fuer",
    "von",
    "vom",
    "auf",
    "zum",
    "zur",
    "am",
    "im",
    "der",
    "des",
    "de",
    "del",
    "do",
    "da",
    "du",
    "sur",
    "pour",
    "para",
    "di",
    "per",
    "en",
    "van",
    "voor",
    "there",
    "here",
    "got",
    "has",
    "changed",
    "protecting",
];

/// Words after which the value comes.
const VERBS: [&str; 23] = [
    "is", "was", "are", "remains", "became", "=", "ist", "war", "lautet", "bleibt", "es", "era", "est", "était", "é",
    "è", "to", "reads", "-", "–", "—", "→", "->",
];

/// Those after which something else is as likely.
const UNSURE: [&str; 6] = ["to", "-", "–", "—", "→", "->"];

/// Words between such a word and the value.
const FILLERS: [&str; 25] = [
    "now",
    "still",
    "currently",
    "just",
    "simply",
    "always",
    "again",
    "temporarily",
    "probably",
    "actually",
    "only",
    "really",
    "set",
    "to",
    "called",
    "literally",
    "jetzt",
    "nun",
    "noch",
    "weiterhin",
    "immer",
    "maintenant",
    "ahora",
    "the",
    "following:",
];

/// A word of the text, in lower case as far as it is ASCII, without its comma.
struct Word {
    range: Range<usize>,
    lower: [u8; WORD_BYTES_MAX],
    len: usize,
    has_comma: bool,
}

impl Word {
    /// Reads the word at `at`, which ends at white space.
    fn at(text: &[u8], at: usize) -> Option<Self> {
        let whole = count(text, at, WORD_BYTES_MAX, |b| b > b' ');
        let has_comma = whole > 1 && before(text, at + whole) == b',';
        let len = whole - usize::from(has_comma);
        let mut lower = [0; WORD_BYTES_MAX];
        lower.get_mut(..len)?.copy_from_slice(text.get(at..at + len)?);
        lower.make_ascii_lowercase();
        (len > 0).then_some(Self {
            range: at..at + whole,
            lower,
            len,
            has_comma,
        })
    }

    fn bytes(&self) -> &[u8] {
        self.lower.get(..self.len).unwrap_or_default()
    }

    fn is(&self, words: &[&str]) -> bool {
        is_any(self.bytes(), words)
    }

    fn ends_sentence(&self) -> bool {
        matches!(self.bytes().last(), Some(b'.' | b';' | b'!' | b'?'))
    }
}

/// Calls `judge` with each value that a sentence may assign to `key`, until it accepts one.
pub(super) fn each_value(text: &[u8], key: &Key, judge: &mut dyn FnMut(&Assigned) -> bool) {
    if key.is_flag || each_after_phrase(text, key.range.end, judge) {
        return;
    }
    let found = [beside(text, key), before_name(text, key)];
    for assigned in found.iter().flatten() {
        if judge(assigned) {
            return;
        }
    }
}

/// Finds "for staging is VALUE" and "on the build box: VALUE" at `end`, the end of a name.
fn each_after_phrase(text: &[u8], end: usize, judge: &mut dyn FnMut(&Assigned) -> bool) -> bool {
    let mut at = end + count(text, end, 2, |b| matches!(b, b'"' | b'`' | b',' | b'*'));
    let mut is_wrapped = false;
    for index in 0..WORDS_MAX {
        let from = skip_gap(text, at, index > 0 && !is_wrapped);
        is_wrapped |= from > skip_blanks(text, at);
        let Some(word) = Word::at(text, from).filter(|_| from > at) else {
            return false;
        };
        let opens = word.is(&OPENERS) || word.bytes().starts_with(b"(") || before(text, at) == b',';
        if index == 0 && !opens && !word.is(&VERBS) {
            return false;
        }
        at = word.range.end;
        // a first "to" tells the purpose of the name, and a colon on the next line is a setting
        let is_verb = word.is(&VERBS) && (index > 0 || !word.is(&["to"]));
        let is_colon = word.bytes().last() == Some(&b':') && !is_wrapped;
        if is_verb || is_colon {
            let style = match () {
                () if is_colon => Style::Open,
                () if word.is(&UNSURE) => Style::Code,
                () => Style::Prose,
            };
            if value_after(text, at, style).is_some_and(|assigned| judge(&assigned)) {
                return true;
            }
        }
        if word.ends_sentence() || is_colon {
            return false;
        }
    }
    false
}

/// Reads the value after a verb or a colon at `at`.
pub(super) fn value_after(text: &[u8], at: usize, style: Style) -> Option<Assigned> {
    let mut from = skip_blanks(text, at);
    for _ in 0..3 {
        match Word::at(text, from).filter(|word| word.is(&FILLERS) && style != Style::Open) {
            Some(word) => from = skip_blanks(text, word.range.end),
            None => break,
        }
    }
    let start = from;
    from = skip_gap(text, from, style == Style::Prose);
    let style = if from > start { Style::Code } else { style };
    let emphasis = count(text, from, 2, |b| b == b'*');
    let from = from + emphasis;
    let mut value = quoted(text, from).or_else(|| unquoted(text, from, STOPS))?;
    value.range.end -= count_back(text, value.range.end, emphasis.min(value.range.len()), |b| b == b'*');
    let style = told_style(text, &value, style);
    Some(Assigned { value, style })
}

/// Skips blanks and, when `may_wrap`, one line end, as in a wrapped sentence.
fn skip_gap(text: &[u8], at: usize, may_wrap: bool) -> usize {
    let at = skip_blanks(text, at);
    let line_end = any_at(text, at, &["\n", "\r\n"]).filter(|_| may_wrap);
    line_end.map_or(at, |end| skip_blanks(text, at + end.len()))
}

/// A number is a password only where the sentence ends, and not an amount of something.
pub(super) fn told_style(text: &[u8], value: &Value, style: Style) -> Style {
    let is_number = text
        .get(value.range.clone())
        .is_some_and(|value| value.len() >= 6 && value.iter().all(u8::is_ascii_digit));
    match style {
        Style::Prose if is_number && ends_clause(text, value.range.end) => Style::Open,
        style => style,
    }
}

fn ends_clause(text: &[u8], at: usize) -> bool {
    let at = at + count(text, at, 3, |b| matches!(b, b'"' | b'\'' | b'`' | b'*'));
    match text.get(at) {
        None | Some(b'\n' | b'\r' | b',' | b';' | b')') => true,
        Some(b'.' | b'!' | b'?') => text.get(at + 1).is_none_or(u8::is_ascii_whitespace),
        _ => false,
    }
}

/// Finds a value directly after its name: "with password VALUE", "admin key VALUE". Without a verb between them, prose is
/// more likely, so the value has to look like nothing else.
fn beside(text: &[u8], key: &Key) -> Option<Assigned> {
    let at = skip_blanks(text, key.range.end);
    let value = unquoted(text, at, STOPS).filter(|_| at > key.range.end)?;
    let found = text.get(value.range.clone())?;
    let shape = Shape::of(found);
    let is_made = match key.class {
        Class::Password => shape.digit > 0 && !is_package(found),
        Class::Weak | Class::Login => false,
        _ => is_compound(text, key) && (found.len() >= 32 && is_hex(found) || found.len() >= 20 && shape.is_random()),
    };
    is_made.then_some(Assigned {
        value,
        style: Style::Code,
    })
}

/// Recognises `bcrypt@5.1.1`.
fn is_package(value: &[u8]) -> bool {
    let Some(at) = memchr::memrchr(b'@', value) else {
        return false;
    };
    let (name, version) = (
        value.get(..at).unwrap_or_default(),
        value.get(at + 1..).unwrap_or_default(),
    );
    let is_named = name
        .iter()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"@/-_.".contains(b));
    is_named && version.first().is_some_and(u8::is_ascii_digit)
}

/// Words before `token`, `secret` and `key` that tell its purpose.
const KINDS: [&str; 22] = [
    "access ",
    "admin ",
    "api ",
    "auth ",
    "bearer ",
    "bot ",
    "ci ",
    "client ",
    "deploy ",
    "master ",
    "personal ",
    "refresh ",
    "secret ",
    "service ",
    "session ",
    "webhook ",
    "signing ",
    "encryption ",
    "license ",
    "account ",
    "private ",
    "app ",
];

fn is_compound(text: &[u8], key: &Key) -> bool {
    let name = text.get(key.range.clone()).unwrap_or_default();
    let before = head(text, key.range.start, 12).to_ascii_lowercase();
    name.iter().any(|b| matches!(b, b'_' | b'-')) || KINDS.iter().any(|word| before.ends_with(word.as_bytes()))
}

/// Words between a value and its name.
const JOINTS: [&str; 7] = ["is", "was", "as", "ist", "war", "als", "est"];

/// Finds "VALUE is my password", "use VALUE as the sudo password".
fn before_name(text: &[u8], key: &Key) -> Option<Assigned> {
    if key.class != Class::Password || !ends_name(text, key.range.end) {
        return None;
    }
    let mut end = key.range.start;
    for _ in 0..4 {
        let word = word_before(text, end)?;
        if is_any(&text.get(word.clone())?.to_ascii_lowercase(), &JOINTS) {
            let value = word_before(text, word.start)?;
            let is_mark = |b: u8| matches!(b, b'"' | b'\'' | b'`' | b'*' | b'(' | b',');
            let marks = count(text, value.start, 3, is_mark);
            let start = value.start + marks;
            let to = value.end - count_back(text, value.end, marks.min(value.end - start), is_mark);
            let is_quoted = marks > 0;
            return Some(Assigned {
                value: Value {
                    range: start..to,
                    is_quoted,
                },
                style: Style::Prose,
            });
        }
        end = word.start;
    }
    None
}

/// True if the name is not the first part of another one, as in "password manager".
fn ends_name(text: &[u8], end: usize) -> bool {
    let next = Word::at(text, skip_blanks(text, end));
    ends_clause(text, end) || next.is_some_and(|word| word.is(&OPENERS) || word.is(&["until", "since", "now"]))
}

/// Returns the word before `end` on the same line.
fn word_before(text: &[u8], end: usize) -> Option<Range<usize>> {
    let end = end - count_back(text, end, 4, |b| matches!(b, b' ' | b'\t'));
    let len = count_back(text, end, 128, |b| b > b' ');
    (len > 0 && len < 128).then_some(end - len..end)
}

/// Words between "login" and the pair of a user and a password.
const TO_PAIR: [&str; 12] = [
    "with", "as", "using", "via", "is", "are", "mit", "als", "ist", "sind", "=", "-",
];

/// How many words may be between "login" and the pair.
const PAIR_WORDS_MAX: usize = 10;

/// Finds the password in "login with nina / VALUE", "creds: admin:VALUE"; `end` is the end of the word that announces it.
///
/// After "account" and "user", which announce other things as well, only a password that looks like nothing else counts.
pub(super) fn login(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let is_vague = any_at(text, start, &["account", "user"]).is_some();
    let end = end + usize::from(any_at(text, end, &["s"]).is_some());
    let mut is_announced = text.get(end) == Some(&b':');
    let mut at = end + usize::from(is_announced);
    if before(text, start).is_ascii_alphanumeric() || matches!(before(text, start), b'_' | b'-' | b'.' | b'/') {
        return None;
    }
    for index in 0..PAIR_WORDS_MAX {
        let from = skip_blanks(text, at);
        let word = Word::at(text, from).filter(|_| from > at)?;
        if (is_announced || index == 0)
            && let Some(range) = pair(text, &word, is_vague || !is_announced)
        {
            return Some(range);
        }
        is_announced = word.is(&TO_PAIR) || word.bytes().last() == Some(&b':');
        if word.ends_sentence() {
            return None;
        }
        at = word.range.end;
    }
    None
}

/// Finds the password of "nina / VALUE", "nina/VALUE", "nina:VALUE" and "nina and VALUE", where `user` is the first word.
fn pair(text: &[u8], user: &Word, is_vague: bool) -> Option<Range<usize>> {
    let name = text.get(user.range.start..user.range.start + user.len)?;
    let is_of_name = |b: u8| b.is_ascii_alphanumeric() || b"._@+-".contains(&b);
    let len = count(text, user.range.start, WORD_BYTES_MAX, is_of_name);
    let sign = text.get(user.range.start + len).copied().unwrap_or(b' ');
    if len < 2 {
        return None;
    }
    if matches!(sign, b':' | b'/') && len + 1 < name.len() {
        return password_of(
            text,
            user.range.start + len + 1,
            name.get(..len)?,
            sign == b':' && !is_vague,
        );
    }
    let joint = Word::at(text, skip_blanks(text, user.range.end)).filter(|_| len == name.len() && !user.has_comma)?;
    let is_joint = joint.is(&["/", ":", "|", "and", "und", "with", "mit"]);
    let from = skip_blanks(text, joint.range.end);
    is_joint.then(|| password_of(text, from, name, joint.is(&["/", ":", "|"]) && !is_vague))?
}

/// Reads the password of `user` at `from`. `is_marked` says that the sign before it stands between users and passwords.
fn password_of(text: &[u8], from: usize, user: &[u8], is_marked: bool) -> Option<Range<usize>> {
    let value = quoted(text, from).or_else(|| unquoted(text, from, STOPS))?;
    let found = text.get(value.range.clone())?;
    let is_strong = has_strong_sign(found);
    // names of products and protocols begin with a capital letter
    let is_named =
        is_marked && user.first().is_some_and(u8::is_ascii_lowercase) && !user.iter().any(u8::is_ascii_digit);
    let key = super::key::foreign(from..from);
    let style = if is_strong || is_named {
        Style::Prose
    } else {
        Style::Code
    };
    if style == Style::Code && is_name(found) {
        return None;
    }
    let next = text.get(value.range.end).copied().unwrap_or(b'\n');
    super::verdict::is_secret(found, value.is_quoted, &key, b"login", style, next).then_some(value.range)
}

/// True if there are a digit and a sign that neither names nor paths have.
pub(super) fn has_strong_sign(value: &[u8]) -> bool {
    value.iter().any(|b| b"!#$%^&*".contains(b)) && value.iter().any(u8::is_ascii_digit)
}

/// Things that a PIN in lower case must belong to; otherwise it pins a version.
const LOCKED: [&str; 30] = [
    "vault",
    "safe",
    "card",
    "sim",
    "phone",
    "door",
    "alarm",
    "lock",
    "gate",
    "garage",
    "bank",
    "account",
    "token",
    "yubikey",
    "smartcard",
    "voicemail",
    "device",
    "tablet",
    "laptop",
    "screen",
    "box",
    "tresor",
    "karte",
    "handy",
    "tür",
    "konto",
    "admin",
    "user",
    "vault's",
    "terminal",
];

/// Units after a number that is no PIN.
const UNITS: [&str; 34] = [
    "digit",
    "digits",
    "characters",
    "chars",
    "bytes",
    "bits",
    "ms",
    "s",
    "seconds",
    "minutes",
    "hours",
    "days",
    "times",
    "attempts",
    "tries",
    "users",
    "rounds",
    "iterations",
    "rpm",
    "words",
    "lines",
    "px",
    "m",
    "km",
    "mm",
    "hz",
    "mhz",
    "kb",
    "mb",
    "gb",
    "of",
    "percent",
    "requests",
    "entries",
];

/// Finds the digits of a PIN whose name is at `start..end`.
pub(super) fn pin(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let is_apart = |b: u8| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-' | b'.' | b'/');
    let after = text.get(end).copied().unwrap_or(b' ');
    if !is_apart(before(text, start)) || !is_apart(after) {
        return None;
    }
    let end = end + any_at(text, end, &[" code", " number"]).map_or(0, str::len);
    let owner = word_before(text, start)
        .and_then(|word| text.get(word))
        .unwrap_or_default();
    let is_owned = is_any(
        &owner.to_ascii_lowercase(),
        &["my", "your", "our", "his", "her", "their", "meine"],
    );
    let is_owned = is_owned || is_any(&owner.to_ascii_lowercase(), &LOCKED);
    let mut is_known = is_owned || text.get(start..end)? != b"pin" && text.get(start..end)? != b"Pin";
    let mut at = end;
    for index in 0..WORDS_MAX {
        let is_sign = matches!(text.get(at), Some(b':' | b'=')) && index == 0;
        let from = skip_blanks(text, at + usize::from(is_sign));
        let word = Word::at(text, from).filter(|_| from > at)?;
        let is_used = is_any(&owner.to_ascii_lowercase(), &["with", "using", "enter", "use"]) || is_owned;
        let is_direct = index == 0 && is_used && text.get(from).is_some_and(u8::is_ascii_digit);
        if is_sign || is_direct {
            return digits(text, from).filter(|_| is_known);
        }
        if index == 0 && !word.is(&OPENERS) && !word.is(&VERBS) {
            return None;
        }
        at = word.range.end;
        is_known = is_known || is_any(word.bytes().strip_suffix(b":").unwrap_or(word.bytes()), &LOCKED);
        if word.is(&VERBS) && !word.is(&UNSURE) || word.bytes().last() == Some(&b':') {
            let assigned = value_after(text, at, Style::Prose)?;
            return digits(text, assigned.value.range.start).filter(|_| is_known);
        }
        if word.ends_sentence() {
            return None;
        }
    }
    None
}

fn digits(text: &[u8], from: usize) -> Option<Range<usize>> {
    let len = count(text, from, 13, |b| b.is_ascii_digit());
    let end = from + len;
    let next = text.get(end).copied().unwrap_or(b' ');
    let is_part = next.is_ascii_alphanumeric()
        || matches!(next, b'_' | b'-' | b'%' | b'/' | b':')
        || matches!(next, b'.' | b',') && text.get(end + 1).is_some_and(u8::is_ascii_digit);
    let unit = Word::at(text, skip_blanks(text, end)).is_some_and(|word| word.is(&UNITS));
    ((4..=12).contains(&len) && !is_part && !unit).then_some(from..end)
}
