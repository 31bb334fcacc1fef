//! Takes secrets out of a text before it is stored or sent.
//!
//! There are two kinds of evidence. Some secrets are recognisable by themselves: a provider's prefix, a PEM header, the
//! three parts of a JSON web token, a password in a URL. All others are recognised by the name before them, and there **the
//! shape of the value decides, not the name**: `password: required`, `token = next_token()` and `PASSWORD=changeme` stay,
//! because redacting them would protect nothing.
//!
//! Deliberately kept: passwords made of plain words only, which no shape distinguishes from names or prose; placeholders of
//! documentation (`<your key>`, `changeme`, `user:password@`, `guest:guest@`, rows of `x`); variables and references to
//! where a secret is stored; the public half of a key pair; a UUID after nothing more specific than `token`; digests and
//! memory ids; bare hex such as a commit, unless the name before it says that it is a token or a key. A recognisable token
//! is removed even in an example, because a reader loses nothing by that; but the example keys in the documentation of AWS
//! are public, and stay.
//!
//! One Aho-Corasick automaton searches for everything that can start a secret; a text without any of it costs only that
//! pass. Each hit is checked by hand-written matchers that read a bounded window around it, so the work is linear in the
//! length of the text and no regular expression has to be compiled at startup.
//!
//! ```
//! use forge_memory_redact::{find_secrets, redact};
//!
//! let text = "psql postgres://app:hunter2@db.internal/shop";
//! let redacted = redact(text);
//! assert_eq!(redacted.text, "psql postgres://app:[redacted:password]@db.internal/shop");
//! assert_eq!(redacted.count, 1);
//!
//! let secret = find_secrets(text).remove(0);
//! assert_eq!((secret.kind, &text[secret.start..secret.end]), ("password", "hunter2"));
//! ```

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod assigned;
mod assignment;
mod base64;
mod bytes;
mod connection;
mod encoded;
mod expression;
mod header;
pub mod hidden;
mod key;
mod passphrase;
mod pattern;
mod phrase;
mod placeholder;
mod private_key;
mod providers;
mod scan;
mod separator;
mod shape;
mod structured;
mod told;
mod trigger;
mod value;
mod verdict;
mod view;
mod work;

#[cfg(test)]
mod tests;

use scan::Finding;
use std::borrow::Cow;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, borrowed when there was nothing to remove.
    pub text: Cow<'a, str>,
    /// The number of secrets removed.
    pub count: usize,
}

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// Its kind, as in `[redacted:<kind>]`: lower-case letters, digits and dashes.
    pub kind: &'static str,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
}

/// Replaces every secret in `text` by `[redacted:<kind>]`.
///
/// It is idempotent: the content of such a marker, or a value that is one, is not a secret.
pub fn redact(text: &str) -> Redacted<'_> {
    let secrets = find_secrets(text);
    let text = if secrets.is_empty() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(replace(text, &secrets))
    };
    Redacted {
        text,
        count: secrets.len(),
    }
}

/// Returns the secrets in `text` in order of their positions, without overlaps.
pub fn find_secrets(text: &str) -> Vec<Secret> {
    let mut secrets = merge(all_findings(text));
    // After a redaction the words on both sides are closer together, and may now be recognised as a name and its value.
    for _ in 0..ROUNDS_MAX {
        if secrets.is_empty() {
            break;
        }
        let more = all_findings(&replace(text, &secrets));
        if more.is_empty() {
            break;
        }
        let known = secrets
            .iter()
            .map(|secret| Finding::certain(secret.kind, secret.start..secret.end));
        let mapped = more
            .into_iter()
            .map(|finding| finding.map(|at| position_before(at, &secrets)));
        secrets = merge(
            known
                .chain(mapped)
                .filter(|finding| !finding.range.is_empty())
                .collect(),
        );
    }
    secrets
}

/// Finds secrets in the text as it is, in its normalized view, and in text that it encodes.
fn all_findings(text: &str) -> Vec<Finding> {
    let mut found = scan::findings(text);
    found.extend(view::findings(text));
    found.extend(encoded::findings(text));
    found.extend(phrase::findings(text));
    found.retain(|finding| !placeholder::is_published(text.get(finding.range.clone()).unwrap_or_default()));
    found
}

/// The maximum number of rounds. One repetition was enough for every text so far.
const ROUNDS_MAX: usize = 6;

fn replace(text: &str, secrets: &[Secret]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        out.push_str(text.get(from..secret.start).unwrap_or_default());
        out.push_str(trigger::MARKER);
        out.push_str(secret.kind);
        out.push(']');
        from = secret.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Maps an offset of the redacted text to the original; within a marker, to the end of its secret.
fn position_before(at: usize, secrets: &[Secret]) -> usize {
    let (mut before, mut after) = (0, 0);
    for secret in secrets {
        let kept = secret.start - before;
        if at <= after + kept {
            break;
        }
        after += kept + trigger::MARKER.len() + secret.kind.len() + 1;
        before = secret.end;
        if at < after {
            return before;
        }
    }
    before + (at - after)
}

/// Merges overlapping findings. The kind is that of the strongest evidence.
fn merge(mut findings: Vec<Finding>) -> Vec<Secret> {
    findings.sort_by_key(|finding| finding.range.start);
    let mut secrets: Vec<Secret> = Vec::with_capacity(findings.len());
    let mut strength = 0;
    for finding in findings {
        match secrets.last_mut() {
            Some(last) if finding.range.start < last.end => {
                last.end = last.end.max(finding.range.end);
                if finding.strength > strength {
                    (last.kind, strength) = (finding.kind, finding.strength);
                }
            }
            _ => {
                secrets.push(Secret {
                    kind: finding.kind,
                    start: finding.range.start,
                    end: finding.range.end,
                });
                strength = finding.strength;
            }
        }
    }
    secrets
}
