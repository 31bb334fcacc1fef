//! Values that stand for a secret without being one: variables, templates, masks and "your key here".

use super::bytes::{any_at, has};
use super::shape::{Shape, is_hex};

/// Signs of templates, and of text that was truncated or masked.
const SIGNS: [&str; 9] = ["${", "$(", "{{", "#{", "<%", "[redacted", "...", "…", "•"];

/// Tells by punctuation alone whether `value` is a variable, a template, a mask or already redacted.
pub(super) fn is_syntactic(value: &[u8]) -> bool {
    let ends = (
        value.first().copied().unwrap_or(b' '),
        value.last().copied().unwrap_or(b' '),
    );
    let is_wrapped = matches!(
        ends,
        (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')') | (b'%', b'%')
    );
    let is_format = matches!(value, b"%s" | b"%v" | b"%q" | b"?") || value.starts_with(b"%(");
    is_wrapped || is_format || is_variable(value) || is_mask(value) || SIGNS.iter().any(|sign| has(value, sign))
}

/// Recognises `$NAME`, `$name.field`, `%NAME%`, `@@NAME@@`, `__NAME__`.
fn is_variable(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        let is_start = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        is_start
            && name
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
    };
    let is_fenced = |fence: &[u8]| {
        let inner = value.strip_prefix(fence).and_then(|inner| inner.strip_suffix(fence));
        inner.is_some_and(is_name)
    };
    value.strip_prefix(b"$").is_some_and(is_name) || is_fenced(b"%") || is_fenced(b"@@") || is_fenced(b"__")
}

/// Recognises `********`, `xxxxxxxx`, `----`, `abc****xyz`.
fn is_mask(value: &[u8]) -> bool {
    let is_sign = |b: &u8| matches!(b, b'*' | b'x' | b'X' | b'.' | b'-' | b'_' | b'#');
    has(value, "***") || value.iter().all(is_sign) || value.windows(6).any(|w| w.eq_ignore_ascii_case(b"xxxxxx"))
}

/// Words that documentation uses in the place of a password.
const PASSWORD_WORDS: [&str; 12] = [
    "password",
    "passwd",
    "pwd",
    "passwort",
    "changeme",
    "change-me",
    "change_me",
    "yourpassword",
    "your-password",
    "your_password",
    "x-oauth-basic",
    "x-token-auth",
];

/// True if `value` only says that a password belongs here.
pub(super) fn is_password_word(value: &[u8]) -> bool {
    PASSWORD_WORDS
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Words that mean "not the real one" inside a value that reads like words, or that name the place where the secret is
/// stored.
const STAND_INS: [&str; 27] = [
    "your",
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "replace",
    "dummy",
    "insert",
    "fake",
    "sample",
    "todo",
    "undefined",
    "redacted",
    "process.env",
    "environ",
    "getenv",
    "secrets.",
    "env.",
    "env:",
    "vault:",
    "op://",
    "ref+",
    "arn:",
    "file:",
    "ssm:",
    "kms:",
];

/// True if `value` is a placeholder by its words, or a reference to where the secret is stored.
pub(super) fn is_stand_in(value: &[u8], shape: &Shape) -> bool {
    let lower = value.to_ascii_lowercase();
    !shape.is_random() && STAND_INS.iter().any(|word| has(&lower, word))
}

/// Prefixes of the public halves of key pairs.
const PUBLIC: [&str; 8] = [
    "pk_live_",
    "pk_test_",
    "phc_",
    "pk-lf-",
    "pk.eyJ",
    "sb_publishable_",
    "ssh-",
    "ecdsa-",
];

const DIGESTS: [&str; 7] = ["sha1", "sha224", "sha256", "sha384", "sha512", "md5", "blake3"];

/// True if `value` identifies content and grants no access: a digest, a memory id, a public key, embedded data.
pub(super) fn is_content_id(value: &[u8]) -> bool {
    let is_digest =
        any_at(value, 0, &DIGESTS).is_some_and(|name| matches!(value.get(name.len()), Some(b':' | b'-' | b'=')));
    let is_memory = value.strip_prefix(b"mem_").is_some_and(is_hex);
    is_digest || is_memory || any_at(value, 0, &PUBLIC).is_some() || value.starts_with(b"data:")
}

/// Example keys in the documentation of AWS, which guides and tests repeat.
const PUBLISHED: [&str; 5] = [
    concat!("AKIA", "IOSFODNN7EXAMPLE"),
    concat!("ASIA", "IOSFODNN7EXAMPLE"),
    concat!("AKIA", "I44QH8DHBEXAMPLE"),
    concat!("wJalrXUtnFEMI/", "K7MDENG/bPxRfiCYEXAMPLEKEY"),
    concat!("je7MtGbClwBF/", "2Zp9Utk/h3yCo8nvbEXAMPLEKEY"),
];

pub(super) fn is_published(value: &str) -> bool {
    PUBLISHED.contains(&value)
}
