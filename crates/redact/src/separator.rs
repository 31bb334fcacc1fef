//! The separator between a name and its value, and the start of the value after it.

use super::assigned::{Assigned, STOPS, Style};
use super::bytes::{any_at, before, count, head, is_any, rest, skip_blanks};
use super::key::{Class, Key};
use super::value::{Value, quoted, unquoted, within_element};

#[derive(Debug, Clone, Copy)]
pub(super) struct Separator {
    len: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Equals,
    Colon,
    /// The end of an opening tag.
    Tag,
    /// Percent-encoded, so that `%26` ends the value.
    Encoded,
}

const SIGNS: [(&str, Kind); 16] = [
    (":=", Kind::Equals),
    ("===", Kind::Equals),
    ("==", Kind::Equals),
    ("=>", Kind::Equals),
    ("!==", Kind::Equals),
    ("!=", Kind::Equals),
    ("?=", Kind::Equals),
    ("->", Kind::Colon),
    ("=", Kind::Equals),
    (":", Kind::Colon),
    ("：", Kind::Colon),
    ("＝", Kind::Equals),
    ("%3D", Kind::Encoded),
    ("%3A", Kind::Colon),
    ("</key><string>", Kind::Tag),
    (">", Kind::Tag),
];

impl Separator {
    /// Returns the separator at `at`, if there is one for `key`.
    pub(super) fn at(text: &[u8], at: usize, key: &Key) -> Option<Self> {
        let follows = rest(text, at);
        let (sign, kind) = SIGNS.iter().find(|(sign, _)| follows.starts_with(sign.as_bytes()))?;
        let opened = before(text, key.range.start);
        let is_tight = at == key.range.end;
        let is_other = match kind {
            // `a > b` compares
            Kind::Tag => *sign == ">" && opened != b'<' && is_tight,
            // `Token::new` is a path, `token://` a URL, and in `arn:...:secret:name` the name is part of
            // something else
            Kind::Colon => {
                let is_part = is_tight && !key.is_foreign && matches!(opened, b':' | b'/');
                follows.starts_with(b"::") || follows.starts_with(b"://") || is_part
            }
            Kind::Equals | Kind::Encoded => false,
        };
        (!is_other).then_some(Self {
            len: sign.len(),
            kind: *kind,
        })
    }
}

/// Finds the value after a separator at `at`; `spaced` says whether a space precedes it.
pub(super) fn value_after(text: &[u8], key: &Key, at: usize, separator: Separator, spaced: bool) -> Option<Assigned> {
    let from = at + separator.len;
    if separator.kind == Kind::Tag {
        return Some(Assigned {
            value: within_element(text, from)?,
            style: Style::Literal,
        });
    }
    let start = value_start(text, key, from, separator.kind);
    if let Some(value) = quoted(text, start).or_else(|| wrapped(text, start)) {
        return Some(Assigned {
            value,
            style: Style::Literal,
        });
    }
    let is_tight = !spaced && start == from && separator.kind != Kind::Colon;
    let is_query = is_query(text, key);
    let stops: &[u8] = match (is_query, is_tight && starts_line(text, key)) {
        (true, _) => b"&#,;)]}",
        (_, true) => b"",
        _ => STOPS,
    };
    let mut value = unquoted(text, start, stops)?;
    if separator.kind == Kind::Encoded
        && let Some(end) = memchr::memmem::find(text.get(value.range.clone())?, b"%26")
    {
        value.range.end = value.range.start + end;
    }
    // `const KEY: Type = ...`
    let is_type = text.get(skip_blanks(text, value.range.end)) == Some(&b'=');
    let style = match separator.kind {
        Kind::Colon if is_type => Style::Code,
        Kind::Colon => Style::Open,
        _ if is_query || is_tight && (key.is_upper || key.is_flag || !is_argument(text, start)) => Style::Literal,
        _ => Style::Code,
    };
    Some(Assigned { value, style })
}

/// Skips parts that may precede the value: emphasis, a type, a block indicator, a tag, an authentication scheme.
fn value_start(text: &[u8], key: &Key, from: usize, kind: Kind) -> usize {
    let mut at = skip_blanks(text, from + count(text, from, 2, |b| b == b'*'));
    if kind == Kind::Colon {
        at = block_start(text, after_type(text, at).unwrap_or(at));
    }
    after_scheme(text, after_tag(text, at), key.class)
}

fn is_query(text: &[u8], key: &Key) -> bool {
    matches!(before(text, key.range.start), b'?' | b'&') || head(text, key.range.start, 5) == b"&amp;"
}

/// True if the value at `at` is followed like an argument of a call: `connect(password=pwd2)`.
fn is_argument(text: &[u8], at: usize) -> bool {
    let len = count(text, at, 128, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
    matches!(text.get(at + len), Some(b')' | b',' | b'(' | b'[' | b'}'))
}

/// True if the name is the first on its line, after at most `export`, `set`, `ENV`, `ARG` or `-e`.
fn starts_line(text: &[u8], key: &Key) -> bool {
    let mut lines = head(text, key.range.start, 64).rsplit(|b| matches!(b, b'\n' | b'"' | b'\''));
    let line = lines.next().unwrap_or_default().trim_ascii();
    let is_opening = is_any(line, &["", "export", "set", "ENV", "ARG", "-", "-e", "--env"]);
    is_opening || line.ends_with(b" -e") || line.ends_with(b" --env")
}

/// In `apiKey: string = "..."` and `let key: &str = "..."` the value comes after the type, and is quoted.
fn after_type(text: &[u8], at: usize) -> Option<usize> {
    let len = count(text, at, 48, |b| {
        b.is_ascii_alphanumeric() || b"_&<>[].|?' ".contains(&b)
    });
    if len == 0 || text.get(at + len) != Some(&b'=') {
        return None;
    }
    let from = skip_blanks(text, at + len + 1);
    quoted(text, from).map(|_| from)
}

/// Skips the indicator of a YAML block (`key: |`), or the line end before a value on the next line.
fn block_start(text: &[u8], at: usize) -> usize {
    let sign = count(text, at, 3, |b| matches!(b, b'|' | b'>' | b'-' | b'+'));
    match any_at(text, at + sign, &["\n", "\r\n"]) {
        Some(end) => skip_blanks(text, at + sign + end.len()),
        None => at,
    }
}

/// Skips a YAML tag such as `!!str`.
fn after_tag(text: &[u8], at: usize) -> usize {
    match any_at(text, at, &["!!"]) {
        Some(tag) => skip_blanks(
            text,
            at + tag.len() + count(text, at + tag.len(), 16, |b| b.is_ascii_alphanumeric()),
        ),
        None => at,
    }
}

const SCHEMES: [&str; 9] = [
    "bearer ", "basic ", "token ", "apikey ", "api-key ", "bot ", "key ", "splunk ", "ssws ",
];

/// Skips the scheme after `Authorization:`, which is not part of the secret.
fn after_scheme(text: &[u8], at: usize, class: Class) -> usize {
    let open = at + count(text, at, 4, |b| matches!(b, b'"' | b'\'' | b'\\' | b'`'));
    match any_at(text, open, &SCHEMES) {
        Some(scheme) if matches!(class, Class::Token | Class::Login) => open + scheme.len(),
        _ => at,
    }
}

/// Finds the quoted value in `SecretString::from("...")`, `new Secret('...')`, `b"..."`.
fn wrapped(text: &[u8], at: usize) -> Option<Value> {
    let len = count(text, at, 48, |b| b.is_ascii_alphanumeric() || b"_.:! ".contains(&b));
    let callee = text.get(at..at + len)?;
    match text.get(at + len)? {
        b'(' if is_constructor(callee) => quoted(text, skip_blanks(text, at + len + 1)),
        b'"' | b'\'' if matches!(len, 1 | 2) && callee.iter().all(|b| b"brfuBRFU".contains(b)) => {
            quoted(text, at + len)
        }
        _ => None,
    }
}

/// Recognises functions that make a value from a literal: `Secret::new`, `SecretStr`, `Buffer.from`. `password.encode` does
/// not.
fn is_constructor(callee: &[u8]) -> bool {
    let last = callee
        .rsplit(|b| matches!(b, b'.' | b':' | b' '))
        .next()
        .unwrap_or_default();
    let makers = [
        "from",
        "of",
        "new",
        "secret",
        "from_str",
        "fromString",
        "unsafePlainText",
        "str",
        "string",
    ];
    last.first().is_some_and(u8::is_ascii_uppercase) || is_any(last, &makers)
}
