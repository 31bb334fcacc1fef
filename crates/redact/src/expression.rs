//! Values that are not secrets: code, paths, references, quantities, names of algorithms.

use super::bytes::{any_at, count, has};
use super::shape::{Shape, is_name, is_uuid};

/// True if a value is an expression: `user.password`, `next_token()`, `*args`.
pub(super) fn is_code(value: &[u8], shape: &Shape, next: u8) -> bool {
    let first = value.first().copied().unwrap_or(b' ');
    let is_bracket = |b: u8| matches!(b, b'(' | b'[' | b'{');
    let is_called = is_bracket(next) || value.iter().any(|b| is_bracket(*b));
    let is_pointer = matches!(first, b'&' | b'*');
    let is_marked = matches!(first, b'@' | b'!' | b'-' | b'/' | b'.' | b'~') && shape.digit + shape.upper < 2;
    is_called && !(shape.is_random() && shape.strong_sign > 0)
        || is_pointer
        || is_marked
        || has(value, "::")
        || has(value, "->")
        || is_dotted_path(value)
}

/// Recognises `config.auth.token2`: identifiers joined by dots, each of which reads like words.
fn is_dotted_path(value: &[u8]) -> bool {
    let is_identifier = |part: &[u8]| {
        let shape = Shape::of(part);
        let is_start = part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        let is_plain = part
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'?' | b'!'));
        is_start && is_plain && !shape.is_random() && shape.surprise() < 0.3
    };
    value.contains(&b'.') && value.split(|b| *b == b'.').all(is_identifier)
}

/// True if `value` is a path, a mail address or the name of an algorithm.
pub(super) fn is_other(value: &[u8], shape: &Shape) -> bool {
    is_path(value, shape) || is_email(value) || is_algorithm(value, shape)
}

/// Recognises `/run/secrets/db`, `./token.json`, `prod/shop/database`.
pub(super) fn is_path(value: &[u8], shape: &Shape) -> bool {
    let is_rooted = any_at(value, 0, &["/", "./", "../", "~/", "C:\\", "\\\\", "@/"]).is_some();
    let slashes = value.iter().filter(|b| matches!(b, b'/' | b'\\')).count();
    (is_rooted || slashes >= 2) && shape.surprise() < 0.3 || slashes >= 1 && is_name(value)
}

fn is_email(value: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'@', value) else {
        return false;
    };
    let host = value.get(at + 1..).unwrap_or_default();
    let is_host = host
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    let ending = host.rsplit(|b| *b == b'.').next().unwrap_or_default();
    let is_ending = (2..host.len()).contains(&ending.len()) && ending.iter().all(u8::is_ascii_lowercase);
    at > 0 && is_host && is_ending
}

/// The first letters of names of algorithms, encodings and types, which contain digits too.
const ALGORITHMS: [&str; 51] = [
    "sha1",
    "sha2",
    "sha3",
    "sha5",
    "md5",
    "base6",
    "base3",
    "base5",
    "bcrypt",
    "argon2",
    "pbkdf2",
    "scrypt",
    "aes1",
    "aes2",
    "aes-",
    "rsa-",
    "rsa2",
    "rsa4",
    "oauth",
    "oidc",
    "hs256",
    "hs512",
    "rs256",
    "rs512",
    "es256",
    "ps256",
    "ed25519",
    "x25519",
    "x509",
    "utf8",
    "utf-",
    "utf16",
    "latin",
    "http",
    "ipv",
    "nvarchar",
    "varchar",
    "int3",
    "int6",
    "uint",
    "float",
    "string",
    "tls1",
    "totp",
    "secp",
    "p256",
    "hmac",
    "curve",
    "pkcs",
    "localhost",
    "k8s",
];

pub(super) fn is_algorithm(value: &[u8], shape: &Shape) -> bool {
    shape.strong_sign == 0 && shape.len <= 20 && any_at(value, 0, &ALGORITHMS).is_some()
}

/// Recognises `D3dkmtPresentHistoryToken0`: at least half of it are capitalized words.
pub(super) fn is_camel_case(value: &[u8]) -> bool {
    let (mut at, mut worded) = (0, 0);
    while at < value.len() {
        let tail = count(value, at + 1, value.len(), |b| b.is_ascii_lowercase());
        let word = value.get(at..=at + tail).unwrap_or_default();
        if tail >= 3 && value.get(at).is_some_and(u8::is_ascii_uppercase) && Shape::of(word).is_written() {
            worded += word.len();
        }
        at += 1 + tail;
    }
    worded * 2 >= value.len()
}

/// Recognises several parts that are each a name: `my-app-2`, `v1.2.3`, `db_password_2`.
pub(super) fn is_parts(value: &[u8]) -> bool {
    value.iter().any(|b| b"-_./:,=".contains(b)) && is_name(value)
}

/// Words of source code that are often numbered: `param1`, `value2`.
const NUMBERED: [&str; 28] = [
    "value", "arg", "param", "string", "field", "password", "passwd", "pwd", "pass", "token", "key", "secret", "user",
    "foo", "bar", "option", "type", "level", "step", "input", "item", "line", "column", "version", "text", "hashed",
    "result", "data",
];

/// True if `value` is one of them with one digit.
pub(super) fn is_numbered_word(value: &[u8]) -> bool {
    let Some((last, word)) = value.split_last() else {
        return false;
    };
    last.is_ascii_digit() && NUMBERED.iter().any(|one| word.eq_ignore_ascii_case(one.as_bytes()))
}

/// Recognises a number with a unit: `12-character`, `32bytes`, `8chars`.
pub(super) fn is_quantity(value: &[u8]) -> bool {
    let digits = count(value, 0, value.len(), |b| b.is_ascii_digit());
    digits > 0 && value.iter().skip(digits).all(|b| b.is_ascii_alphabetic() || *b == b'-')
}

/// Recognises a number: `0x0b96`, `10_000`, `1.5e9`; short enough to be an amount or a constant.
pub(super) fn is_amount(value: &[u8]) -> bool {
    if let Some(prefix) = any_at(value, 0, &["0x"]) {
        let digits = value.iter().skip(prefix.len());
        return value.len() <= 18 && digits.clone().all(|b| b.is_ascii_hexdigit() || *b == b'_');
    }
    let signs = value.iter().filter(|b| b"_.,e-+".contains(b)).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    signs > 0 && digits + signs == value.len() && !is_uuid(value)
}

/// Recognises a URL, which has a rule of its own, and references of secret stores such as `id=npm,src=.npmrc`.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let name = count(value, 0, 9, |b| b.is_ascii_lowercase());
    let is_pair = (2..=8).contains(&name) && value.get(name) == Some(&b'=') && name + 1 < value.len();
    is_pair || has(value, "://")
}
