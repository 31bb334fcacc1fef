//! Tokens without a prefix, recognised by their inner structure.

use super::bytes::{before, count, count_back, has, head};
use super::pattern::{
    ALNUM, BASE64, BASE64_ANY, BASE64_URL_ENCODED, HEX, IDENT, NUM, WORD, is_left_edge, is_right_edge, run_len,
    run_len_back,
};
use super::placeholder;
use super::shape::Shape;
use std::ops::Range;

const LONGEST: usize = 16 * 1024;

/// The minimum length of a header or of claims.
const PART_BYTES_MIN: usize = 10;

/// Finds a JSON web token (or an encrypted one, with five parts) whose header starts at `start` with `eyJ`.
///
/// One part alone is only the base64 of a JSON object. With claims after it, again an object, it is a token even without
/// its signature; otherwise the signature must be there.
pub(super) fn jwt(text: &[u8], start: usize) -> Option<Range<usize>> {
    if matches!(before(text, start), b'.' | b'-' | b'_') || !is_left_edge(text, start) {
        return None;
    }
    let header = run_len(text, start, WORD, LONGEST);
    if header < PART_BYTES_MIN || text.get(start + header) != Some(&b'.') {
        return None;
    }
    let second = start + header + 1;
    let mut end = second + run_len(text, second, WORD, LONGEST);
    let is_long = end - second >= PART_BYTES_MIN;
    let has_claims = is_long && text.get(second..)?.starts_with(b"eyJ");
    let mut signature = 0;
    for _ in 0..3 {
        let len = run_len(text, end + 1, WORD, LONGEST);
        if text.get(end) != Some(&b'.') || len == 0 {
            break;
        }
        signature += len;
        end += 1 + len;
    }
    (has_claims || signature >= 16).then_some(start..end)
}

/// Finds a Telegram bot token around the `:AA` at `colon`: eight to ten digits, a colon, 35 characters.
pub(super) fn telegram(text: &[u8], colon: usize) -> Option<Range<usize>> {
    let digits = run_len_back(text, colon, NUM, 11);
    let secret = run_len(text, colon + 1, WORD, 64);
    let end = colon + 1 + secret;
    ((8..=10).contains(&digits) && (33..=36).contains(&secret)).then_some(colon - digits..end)
}

/// Finds a Discord bot token around the dot at `dot`: an encoded user id, a time of six characters, and a signature.
pub(super) fn discord(text: &[u8], dot: usize) -> Option<Range<usize>> {
    let id = run_len_back(text, dot, ALNUM, 32);
    let start = dot - id;
    let first = *text.get(start)?;
    if !(23..=28).contains(&id) || !matches!(first, b'M' | b'N' | b'O') || run_len(text, dot + 1, WORD, 7) != 6 {
        return None;
    }
    let signature = run_len(text, dot + 8, WORD, 64);
    ((27..=40).contains(&signature) && is_left_edge(text, start)).then_some(start..dot + 8 + signature)
}

/// Finds a Mailchimp key whose `-us` is at `dash`: 32 hex digits and the data centre.
pub(super) fn mailchimp(text: &[u8], dash: usize) -> Option<Range<usize>> {
    let start = dash
        .checked_sub(32)
        .filter(|_| run_len_back(text, dash, HEX, 33) == 32)?;
    let number = run_len(text, dash + 3, NUM, 3);
    let end = dash + 3 + number;
    let whole = (1..=2).contains(&number) && is_left_edge(text, start) && is_right_edge(text, end, NUM);
    whole.then_some(start..end)
}

/// Finds a Terraform Cloud token around the `.atlasv1.` at `dot`.
pub(super) fn terraform(text: &[u8], dot: usize) -> Option<Range<usize>> {
    let id = run_len_back(text, dot, ALNUM, 15);
    let from = dot + ".atlasv1.".len();
    let secret = run_len(text, from, WORD, 128);
    (id == 14 && secret >= 50).then_some(dot - id..from + secret)
}

/// Finds an Entra ID client secret around the `Q~` at `mark`: three characters and a digit before it, 31 to 34 after.
pub(super) fn azure_client_secret(text: &[u8], mark: usize) -> Option<Range<usize>> {
    let start = mark.checked_sub(4)?;
    let is_digit = before(text, mark).is_ascii_digit();
    let secret = count(text, mark + 2, 40, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'~' | b'.' | b'-')
    });
    let end = mark + 2 + secret;
    let shape = Shape::of(text.get(start..end)?);
    (is_digit && (31..=34).contains(&secret) && shape.is_random() && is_left_edge(text, start)).then_some(start..end)
}

/// Finds a Microsoft key in the common annotated format around its fixed `JQQJ99` at `mark`.
pub(super) fn azure_annotated_key(text: &[u8], mark: usize) -> Option<Range<usize>> {
    let first = run_len_back(text, mark, ALNUM, 53);
    let after = run_len(text, mark, BASE64, 64);
    let padding = count(text, mark + after, 2, |b| b == b'=');
    (first == 52 && after >= 20).then_some(mark - first..mark + after + padding)
}

/// Finds the value of a shared access signature whose `sig=` starts at `start`.
pub(super) fn azure_signature(text: &[u8], start: usize) -> Option<Range<usize>> {
    let from = start + "sig=".len();
    let len = run_len(text, from, BASE64_URL_ENCODED, 256);
    let value = text.get(from..from + len)?;
    let is_name = matches!(
        before(text, start),
        b'?' | b'&' | b';' | b' ' | b'"' | b'\'' | b'=' | b'\n'
    );
    (is_name && len >= 40 && Shape::of(value).is_random()).then_some(from..from + len)
}

/// How far from an access key id its secret is searched: two lines of a credentials file, or a table row.
const AWS_SECRET_REACH: usize = 160;

/// Finds the 40-character secret near an AWS access key id, with or without a name.
pub(super) fn aws_secret_near(text: &[u8], id: &Range<usize>) -> Option<Range<usize>> {
    let from = id.start.saturating_sub(AWS_SECRET_REACH);
    let to = text.len().min(id.end + AWS_SECRET_REACH);
    let mut at = from;
    while at < to {
        let len = run_len(text, at, BASE64, 64);
        let range = at..at + len;
        if len == 40 && run_len_back(text, at, BASE64, 1) == 0 && text.get(range.end) != Some(&b'=') {
            let shape = Shape::of(text.get(range.clone())?);
            if shape.lower > 0 && shape.upper > 0 && shape.digit > 0 && shape.is_random() {
                return Some(range);
            }
        }
        at += len + 1;
    }
    None
}

/// Finds base64 text from `start` on that encodes a PEM private key, as in a kubeconfig.
pub(super) fn encoded_private_key(text: &[u8], start: usize) -> Option<Range<usize>> {
    if run_len_back(text, start, BASE64, 1) > 0 {
        return None;
    }
    let len = run_len(text, start, BASE64, usize::MAX);
    let value = text.get(start..start + len)?;
    let head = super::base64::decode(value.get(..64)?)?;
    let padding = count(text, start + len, 2, |b| b == b'=');
    has(&head, "PRIVATE KEY").then_some(start..start + len + padding)
}

/// Names before a key of a wallet; other numbers of that length are transactions and hashes.
const WALLET_KEYS: [&str; 7] = [
    "private key",
    "privatekey",
    "private_key",
    "privkey",
    "secret key",
    "deployer key",
    "wallet key",
];
const WALLET_REACH: usize = 48;

/// Finds the key of a wallet whose `0x` is at `start`: 32 bytes, named as such on its line.
pub(super) fn wallet_key(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end = start + 2 + run_len_hex(text, start + 2);
    let line = head(text, start, WALLET_REACH).rsplit(|b| *b == b'\n').next()?;
    let line = line.to_ascii_lowercase();
    let is_named = || WALLET_KEYS.iter().any(|name| has(&line, name));
    let is_key =
        end - start == 66 && is_left_edge(text, start) && !text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let is_shown = || Shape::of(text.get(start + 2..end).unwrap_or_default()).distinct < 6;
    (is_key && is_named() && !is_shown()).then_some(start..end)
}

fn run_len_hex(text: &[u8], at: usize) -> usize {
    count(text, at, 65, |b| b.is_ascii_hexdigit())
}

/// Finds the password in `echo VALUE | sudo -S ...`, `printf '%s' VALUE | docker login --password-stdin` and `sudo -S <<< VALUE`. The option is at
/// `start..end`.
pub(super) fn piped(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let here = end + count(text, end, 2, |b| b == b' ');
    if text.get(here..here + 3) == Some(b"<<<") {
        return plain_word(text, here + 3 + count(text, here + 3, 2, |b| b == b' '));
    }
    let head = head(text, start, 240);
    let line = head.rsplit(|b| *b == b'\n').next()?;
    let pipe = start - line.len() + memchr::memrchr(b'|', line)?;
    let stop = pipe - count_back(text, pipe, 4, |b| b == b' ');
    let before = text.get(start - line.len()..stop)?;
    let command = before
        .rsplit(|b| matches!(b, b';' | b'&' | b'|'))
        .next()?
        .trim_ascii_start();
    if !command.starts_with(b"echo ") && !command.starts_with(b"printf ") {
        return None;
    }
    let quote = *before.last()?;
    let from = if matches!(quote, b'"' | b'\'') {
        let open = memchr::memrchr(quote, before.get(..before.len() - 1)?)?;
        start - line.len() + open
    } else {
        stop - count_back(text, stop, FIELD_BYTES_MAX, |b| b > b' ')
    };
    plain_word(text, from)
}

/// The word at `from`, quoted or not, unless it stands for something.
fn plain_word(text: &[u8], from: usize) -> Option<Range<usize>> {
    let quote = text.get(from).copied().filter(|b| matches!(b, b'"' | b'\''));
    let from = from + usize::from(quote.is_some());
    let len = count(text, from, FIELD_BYTES_MAX, |b| match quote {
        Some(quote) => b != quote && b != b'\n',
        None => b > b' ' && b != b';',
    });
    let value = text.get(from..from + len)?;
    let is_shown = len < 3
        || value.iter().any(|b| b"$`%<".contains(b))
        || placeholder::is_syntactic(value)
        || placeholder::is_password_word(value);
    (!is_shown).then_some(from..from + len)
}

/// Finds the key after `wandb login` at `end`, past its options.
pub(super) fn wandb(text: &[u8], end: usize) -> Option<Range<usize>> {
    let mut at = end + count(text, end, 8, |b| b == b' ');
    for _ in 0..4 {
        if text.get(at) != Some(&b'-') {
            break;
        }
        at += count(text, at, 128, |b| b > b' ');
        at += count(text, at, 8, |b| b == b' ');
    }
    let is_key = run_len(text, at, HEX, 41) == 40 && is_right_edge(text, at + 40, HEX);
    is_key.then_some(at..at + 40)
}

/// Finds the `user:password` for a gem server in `BUNDLE_GEMS__ACME__COM=user:password`, whose name starts at `start`.
pub(super) fn bundler(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end = start + run_len(text, start, IDENT, 128);
    let name = text.get(start..end)?;
    // only the name of a host has two underscores for each dot
    let is_host = has(name, "__") && !has(name, "MIRROR") && !name.starts_with(b"BUNDLE_BUILD__");
    let sign = count(text, end, 4, |b| matches!(b, b'=' | b':' | b' ' | b'"' | b'\''));
    let from = end + sign;
    let len = count(text, from, FIELD_BYTES_MAX, |b| b > b' ' && !b"\"'`".contains(&b));
    let value = text.get(from..from + len)?;
    let is_login = memchr::memchr(b':', value).is_some_and(|colon| colon > 0 && value.len() - colon > 6);
    let is_address = has(value, "://");
    (is_host && sign > 0 && is_login && !is_address && !placeholder::is_syntactic(value)).then_some(from..from + len)
}

/// Finds a MaxMind licence key that ends with the `_mmk` at `mark`.
pub(super) fn maxmind(text: &[u8], mark: usize) -> Option<Range<usize>> {
    let secret = run_len_back(text, mark, ALNUM, 30);
    let line = mark
        .checked_sub(30)
        .filter(|at| secret == 29 && text.get(*at) == Some(&b'_'))?;
    let id = run_len_back(text, line, ALNUM, 7);
    let end = mark + "_mmk".len();
    (id == 6 && is_right_edge(text, end, WORD)).then_some(line - 6..end)
}

/// The names before the first part of an Authress key.
const AUTHRESS: [&[u8]; 4] = [b"sc", b"ext", b"scauth", b"authress"];

/// Finds an Authress access key around the `.acc` at `dot`: `sc_id.key.acc_account.secret`.
pub(super) fn authress(text: &[u8], dot: usize) -> Option<Range<usize>> {
    let key = run_len_back(text, dot, ALNUM, 7);
    let id_end = dot
        .checked_sub(key + 1)
        .filter(|at| (4..=6).contains(&key) && text.get(*at) == Some(&b'.'))?;
    let id = run_len_back(text, id_end, ALNUM, 31);
    let line = id_end
        .checked_sub(id + 1)
        .filter(|at| (5..=30).contains(&id) && text.get(*at) == Some(&b'_'))?;
    let name = run_len_back(text, line, ALNUM, 9);
    let account = dot + ".acc_".len();
    let account_end = account + run_len(text, account, WORD, 33);
    let secret = run_len(text, account_end + 1, BASE64_ANY, 121);
    let is_key = matches!(text.get(account - 1), Some(b'_' | b'-'))
        && (10..=32).contains(&(account_end - account))
        && text.get(account_end) == Some(&b'.')
        && (30..=120).contains(&secret)
        && AUTHRESS.contains(&text.get(line - name..line)?);
    is_key.then_some(line - name..account_end + 1 + secret)
}

/// The maximum length of a field in a password file.
const FIELD_BYTES_MAX: usize = 256;

/// Finds the password in a line `host:port:database:user:password`; its port, or a `*`, is next to `colon`.
pub(super) fn password_file_entry(text: &[u8], colon: usize) -> Option<Range<usize>> {
    let is_of_field = |b: u8| b.is_ascii_alphanumeric() || b"._-*/@".contains(&b);
    let start = colon - count_back(text, colon, FIELD_BYTES_MAX, is_of_field);
    if start == colon || !matches!(before(text, start), b'\n' | b'\r' | b' ' | b'\t' | b'"' | b'\'' | b'`') {
        return None;
    }
    let mut at = colon;
    for _ in 0..3 {
        let len = count(text, at + 1, FIELD_BYTES_MAX, is_of_field);
        at += 1 + len;
        if len == 0 || text.get(at) != Some(&b':') {
            return None;
        }
    }
    let from = at + 1;
    let len = count(text, from, FIELD_BYTES_MAX, |b| b > b' ' && !b"\"'`".contains(&b));
    let value = text.get(from..from + len)?;
    let is_shown = len < 4 || placeholder::is_syntactic(value) || placeholder::is_password_word(value);
    // `0.0.0.0:5432:5432:...` maps ports, and times consist of numbers only
    let is_number = value.iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'));
    (!is_shown && !is_number).then_some(from..from + len)
}
