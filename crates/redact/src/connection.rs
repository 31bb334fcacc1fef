//! Passwords in URLs (`scheme://user:PASSWORD@host`), and tokens in the place of the user name.

use super::bytes::{any_at, count, count_back, has};
use super::placeholder;
use super::shape::{Shape, is_hex};
use std::ops::Range;

const SCHEME_BYTES_MAX: usize = 24;
const USERINFO_BYTES_MAX: usize = 2048;
/// How far the `@` is searched past an unescaped `/` in a password.
const LOOSE_BYTES_MAX: usize = 160;

/// Finds the password of the URL whose `://` is at `colon`.
pub(super) fn password(text: &[u8], colon: usize) -> Option<(&'static str, Range<usize>)> {
    let scheme = scheme_before(text, colon)?;
    let from = colon + 3;
    let at = userinfo_end(text, from, scheme)?;
    let userinfo = text.get(from..at)?;
    if has(userinfo, "[redacted") || is_digest(text, at + 1) {
        return None;
    }
    let Some(split) = memchr::memchr(b':', userinfo) else {
        let shape = Shape::of(userinfo);
        let is_token = shape.len >= 20 && shape.is_random() || shape.len >= 32 && is_hex(userinfo);
        return (is_token && !is_public_key_of_host(text, at + 1)).then_some(("url-token", from..at));
    };
    let (user, password) = (userinfo.get(..split)?, userinfo.get(split + 1..)?);
    let hidden = password.is_empty()
        || placeholder::is_syntactic(password)
        || placeholder::is_password_word(password)
        || user.eq_ignore_ascii_case(b"user") && password == b"pass"
        // guest:guest and postgres:postgres are documented defaults, not secrets
        || user == password;
    (!hidden).then_some(("password", from + split + 1..at))
}

fn scheme_before(text: &[u8], colon: usize) -> Option<&[u8]> {
    let is_scheme = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-');
    let len = count_back(text, colon, SCHEME_BYTES_MAX, is_scheme);
    text.get(colon - len..colon).filter(|scheme| scheme.len() >= 2)
}

/// Returns the position of the `@` that ends user and password.
fn userinfo_end(text: &[u8], from: usize, scheme: &[u8]) -> Option<usize> {
    let len = count(text, from, USERINFO_BYTES_MAX, |b| !ends_address(b));
    let address = text.get(from..from + len)?;
    let authority = count(address, 0, len, |b| !matches!(b, b'/' | b'?' | b'#'));
    if starts_with_host(address) {
        return None;
    }
    if let Some(at) = memchr::memrchr(b'@', address.get(..authority)?) {
        return Some(from + at);
    }
    // People forget to escape a slash in a database password; in a web URL such an `@` would be part of the path.
    let near = address.get(..LOOSE_BYTES_MAX).unwrap_or(address);
    let at = memchr::memrchr(b'@', near).filter(|_| is_store(scheme))?;
    let colon = memchr::memchr(b':', near.get(..authority)?)?;
    let port = near.get(colon + 1..authority)?;
    let has_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    (colon < at && !has_port).then_some(from + at)
}

/// Recognises `host:1433;database=...`: a host and a port, without a user.
fn starts_with_host(address: &[u8]) -> bool {
    let host = count(address, 0, 256, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-')
    });
    let port = count(address, host + 1, 6, |b| b.is_ascii_digit());
    address.get(host) == Some(&b':') && port > 0 && matches!(address.get(host + 1 + port), Some(b';' | b','))
}

/// The URL schemes of databases and brokers, with any suffix (`mongodb+srv`, `rediss`, `mysql2`).
const STORES: [&str; 10] = [
    "postgres",
    "mysql",
    "maria",
    "mongo",
    "redis",
    "amqp",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroach",
];

fn is_store(scheme: &[u8]) -> bool {
    any_at(scheme, 0, &STORES).is_some()
}

fn ends_address(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'|')
}

/// True if an image digest follows, as in `docker://alpine:3.19@sha256:...`, where the `@` ends no login.
fn is_digest(text: &[u8], host: usize) -> bool {
    any_at(text, host, &["sha256:", "sha512:"]).is_some()
}

/// Sentry URLs have a public key where others have a secret.
fn is_public_key_of_host(text: &[u8], host: usize) -> bool {
    let len = count(text, host, 128, |b| !ends_address(b) && b != b'/');
    text.get(host..host + len).is_some_and(|host| has(host, "sentry"))
}

/// Finds the password in `-u name:PASSWORD` or `--user name:PASSWORD`; `end` is the end of the flag.
pub(super) fn command_login(text: &[u8], end: usize) -> Option<Range<usize>> {
    let gap = count(text, end, 2, |b| matches!(b, b' ' | b'=' | b'"' | b'\''));
    let from = end + gap;
    let login = text.get(from..from + count(text, from, 256, |b| !ends_address(b)))?;
    let split = memchr::memchr(b':', login)?;
    let (user, password) = (login.get(..split)?, login.get(split + 1..)?);
    let shape = Shape::of(password);
    // `docker run -u 1000:1000` names a user and a group
    let is_named = user.iter().any(|b| !b.is_ascii_digit());
    let is_user = user.iter().all(|b| b.is_ascii_alphanumeric() || b"._-@+".contains(b));
    let is_shown = placeholder::is_syntactic(password) || placeholder::is_password_word(password) || user == password;
    let is_varied = shape.digit > 0 || shape.strong_sign > 0 || shape.is_random();
    let is_secret = gap > 0 && is_named && is_user && !is_shown && is_varied && password.len() >= 6;
    is_secret.then_some(from + split + 1..from + login.len())
}
