//! Names of settings that hold a secret, recognised by their last words.

use super::bytes::{before, count, count_back, head, is_any};
use std::ops::Range;

/// The kind of value that a name announces; it decides how much the value must look like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Chosen by people: short and guessable values count.
    Password,
    /// Called a secret: made by people or machines.
    Secret,
    /// Made by machines: a token.
    Token,
    /// Made by machines: a key.
    ApiKey,
    /// An encoded login (`auth`, `_auth`).
    Login,
    /// Only `key`: as often the name of an entry as a secret.
    Weak,
}

impl Class {
    /// Returns the kind that is reported for a secret after this name.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Class::Password => "password",
            Class::Secret => "secret",
            Class::Token => "token",
            Class::ApiKey | Class::Weak => "api-key",
            Class::Login => "basic-auth",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) range: Range<usize>,
    pub(super) class: Class,
    /// Written `LIKE_THIS`, as environment variables are.
    pub(super) is_upper: bool,
    /// Written `--like-this`.
    pub(super) is_flag: bool,
    /// In a non-Latin script, in which names do not occur in paths.
    pub(super) is_foreign: bool,
}

/// The word for password in a language whose setting names are not ASCII, or in a sentence.
pub(super) fn foreign(range: Range<usize>) -> Key {
    Key {
        range,
        class: Class::Password,
        is_upper: false,
        is_flag: false,
        is_foreign: true,
    }
}

const NAME_BYTES_MAX: usize = 64;
/// The maximum length of a name: a bound on either side of the longest word.
const LOWER_BYTES_MAX: usize = 2 * NAME_BYTES_MAX + 16;
const PARTS_MAX: usize = 12;

/// Returns the name around the word at `start..end`, if it names a secret.
pub(super) fn at(text: &[u8], start: usize, end: usize) -> Option<Key> {
    let left = count_back(text, start, NAME_BYTES_MAX, is_name_byte);
    let right = count(text, end, NAME_BYTES_MAX, is_name_byte);
    let mut range = start - left..end + right;
    let name = text.get(range.clone())?;
    let dashes = name.iter().take_while(|b| matches!(b, b'-' | b'.')).count();
    let tail = name.iter().rev().take_while(|b| matches!(b, b'-' | b'.')).count();
    range = range.start + dashes..(range.end - tail).max(range.start + dashes);
    let is_flag = dashes > 0 && before(text, range.start) == b'-';
    let name = text.get(range.clone())?;
    let class = match classify(name)? {
        Class::Weak if follows_key_word(text, range.start) => Class::ApiKey,
        class => class,
    };
    let is_upper = !name.iter().any(u8::is_ascii_lowercase);
    Some(Key {
        range,
        class,
        is_upper,
        is_flag,
        is_foreign: false,
    })
}

/// True if `key` is the second word of "api key" and the like.
fn follows_key_word(text: &[u8], start: usize) -> bool {
    let before = head(text, start, 11).to_ascii_lowercase();
    let words = [
        "api ",
        "access ",
        "secret ",
        "license ",
        "account ",
        "signing ",
        "admin ",
        "master ",
        "encryption ",
    ];
    words.iter().any(|word| before.ends_with(word.as_bytes()))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Classifies a name by its last words: `DB_PASSWORD` holds a password, `password_file` says where one is.
pub(super) fn classify(name: &[u8]) -> Option<Class> {
    let mut lower = [0; LOWER_BYTES_MAX];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    let mut bounds = [(0, 0); PARTS_MAX];
    let parts = split(name, &mut bounds);
    let part = |back: usize| {
        let index = parts.checked_sub(back + 1)?;
        bounds.get(index).and_then(|(from, to)| lower.get(*from..*to))
    };
    for back in 0..parts {
        let last = part(back)?;
        let class = class_of(last, part(back + 1).unwrap_or_default(), name);
        if class.is_some() || !says_nothing(last) {
            return class;
        }
    }
    None
}

/// True if a last word says which copy it is, not what it is.
fn says_nothing(part: &[u8]) -> bool {
    part.iter().all(u8::is_ascii_digit) || is_any(part, &COPIES)
}

const COPIES: [&str; 26] = [
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "live",
    "test",
    "old",
    "new",
    "current",
    "primary",
    "secondary",
    "backup",
    "default",
    "plain",
    "plaintext",
    "raw",
    "value",
    "base64",
    "b64",
    "base",
    "literal",
    "env",
    "main",
    "root",
];

/// Words that mean a password at the end of a name, whatever comes before.
const PASSWORD_ENDS: [&str; 6] = ["password", "passwd", "passphrase", "passwort", "pwd", "pw"];
const PASSWORDS: [&str; 10] = [
    "psw",
    "passcode",
    "passe",
    "kennwort",
    "senha",
    "clave",
    "wachtwoord",
    "heslo",
    "parola",
    "salasana",
];
/// Words that end in "pass" and do not name a password.
const NO_PASSWORDS: [&str; 6] = ["bypass", "compass", "surpass", "trespass", "underpass", "overpass"];
const KEY_ENDS: [&str; 12] = [
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "accountkey",
    "masterkey",
    "signingkey",
    "encryptionkey",
    "sharedkey",
    "sessionkey",
    "licensekey",
];

fn class_of(last: &[u8], before: &[u8], name: &[u8]) -> Option<Class> {
    let ends = |words: &[&str]| words.iter().any(|word| last.ends_with(word.as_bytes()));
    if ends(&PASSWORD_ENDS) || is_any(last, &PASSWORDS) || ends(&["pass"]) && !ends(&NO_PASSWORDS) {
        return Some(Class::Password);
    }
    if ends(&["secret"]) || is_any(last, &["credential", "credentials", "creds", "secrets"]) {
        return Some(Class::Secret);
    }
    if ends(&KEY_ENDS) {
        return Some(Class::ApiKey);
    }
    if ends(&["token"]) {
        return (!is_any(before, &TOKENS_OF_TEXT)).then_some(Class::Token);
    }
    match last {
        b"jwt" | b"authorization" => Some(Class::Token),
        // a personal access token: `GITHUB_PAT`, `azure-devops-pat`
        b"pat" if !before.is_empty() => Some(Class::Token),
        b"auth" => Some(Class::Login),
        b"key" => key_class(before, name),
        _ => None,
    }
}

/// Words before `token` that make it a piece of text or an index.
const TOKENS_OF_TEXT: [&str; 25] = [
    "next",
    "page",
    "continuation",
    "pagination",
    "cancellation",
    "cancel",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "sep",
    "cls",
    "stop",
    "eof",
    "end",
    "start",
    "first",
    "last",
    "prev",
    "previous",
    "lookahead",
    "syntax",
    "sync",
    "resume",
];

/// Words before `key` that make it a secret.
const SECRET_KEYS: [&str; 41] = [
    "api",
    "secret",
    "access",
    "private",
    "auth",
    "account",
    "shared",
    "master",
    "signing",
    "sign",
    "encryption",
    "encrypt",
    "service",
    "brain",
    "openbrain",
    "app",
    "application",
    "client",
    "subscription",
    "admin",
    "hmac",
    "aes",
    "jwt",
    "webhook",
    "deploy",
    "role",
    "fernet",
    "sas",
    "storage",
    "consumer",
    "bot",
    "openai",
    "anthropic",
    "stripe",
    "preshared",
    "license",
    "ingest",
    "crypto",
    "cipher",
    "functions",
    "host",
];

/// Words before `key` that make it the name of an entry, or the public half of a pair.
const KNOWN_KEYS: [&str; 38] = [
    "public",
    "pub",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "row",
    "object",
    "idempotency",
    "lookup",
    "dedup",
    "message",
    "translation",
    "i18n",
    "registry",
    "index",
    "group",
    "hash",
    "range",
    "map",
    "react",
    "query",
    "storage_key",
    "sitekey",
    "site",
    "publishable",
    "anon",
    "host_key",
    "composite",
    "unique",
    "lock",
    "sequence",
    "natural",
    "surrogate",
    "config",
    "state",
    "checksum",
];

fn key_class(before: &[u8], name: &[u8]) -> Option<Class> {
    let is_header = name.len() > 5 && name.get(..2).is_some_and(|x| x.eq_ignore_ascii_case(b"x-"));
    if is_any(before, &SECRET_KEYS) || is_header {
        Some(Class::ApiKey)
    } else {
        (!is_any(before, &KNOWN_KEYS)).then_some(Class::Weak)
    }
}

/// Splits a name at punctuation and camel case; when there are too many parts, the last ones are kept.
fn split(name: &[u8], bounds: &mut [(usize, usize); PARTS_MAX]) -> usize {
    let (mut count, mut from) = (0, 0);
    let mut push = |from: usize, to: usize| {
        if to <= from {
            return;
        }
        if count == PARTS_MAX {
            bounds.rotate_left(1);
            count -= 1;
        }
        if let Some(part) = bounds.get_mut(count) {
            *part = (from, to);
            count += 1;
        }
    };
    for (i, &byte) in name.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|p| name.get(p)).copied().unwrap_or(b'_');
        let next = name.get(i + 1).copied().unwrap_or(b'_');
        let hump = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next.is_ascii_lowercase());
        let number = byte.is_ascii_digit() && before.is_ascii_alphabetic();
        if !byte.is_ascii_alphanumeric() {
            push(from, i);
            from = i + 1;
        } else if hump || number {
            push(from, i);
            from = i;
        }
    }
    push(from, name.len());
    count
}
