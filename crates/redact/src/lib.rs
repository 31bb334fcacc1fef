//! Takes secrets out of a text before it is stored or sent.
//!
//! Two kinds of evidence count. Some secrets announce themselves: a provider's prefix, a PEM header, three dotted
//! parts of a web token, a password in an address. All others are only known by the name in front of them, and there
//! **the shape of the value decides, never the name**: `password: required`, `token = next_token()` and
//! `PASSWORD=changeme` stay as they are, because nothing would be hidden by hiding them.
//!
//! Left alone on purpose: a password or secret made of plain words only (no shape tells it from a name or prose);
//! values of documentation (`<your key>`, `changeme`, `user:password@`, `guest:guest@`, rows of `x`); variables and
//! references to where a secret is kept; the public half of a key pair; a UUID behind nothing more than `token`;
//! digests and memory ids; bare hex such as a commit, unless the name before it says that it is a token or a key. A
//! recognisable token is taken out even where it is only an example, since a reader loses nothing by that; but the keys
//! that the documentation of AWS prints are public, and stay.
//!
//! One automaton looks for everything that can start a secret; a text without any of it costs that one pass. What
//! it points at is checked by hand-written matchers that read a bounded stretch around the place, so the work is
//! linear in the text and nothing else has to be compiled when a process starts.
//!
//! ```
//! use forge_memory_redact::redact;
//!
//! let redacted = redact("psql postgres://app:hunter2@db.internal/shop");
//! assert_eq!(redacted.text, "psql postgres://app:[redacted:password]@db.internal/shop");
//! assert_eq!(redacted.count, 1);
//! ```

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]

mod assignment;
mod base64;
mod bytes;
mod connection;
mod encoded;
mod expression;
mod header;
pub mod hidden;
mod key;
mod pattern;
mod phrase;
mod placeholder;
mod private_key;
mod providers;
mod scan;
mod separator;
mod shape;
mod structured;
mod trigger;
mod value;
mod verdict;
mod view;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod work;

#[cfg(test)]
use work::add as count_work;
/// Counts bytes read where a test wants to know.
#[cfg(not(test))]
const fn count_work(_bytes: usize) {}

use scan::Finding;
use std::borrow::Cow;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, borrowed when there was nothing to take out.
    pub text: Cow<'a, str>,
    /// How many secrets were taken out.
    pub count: usize,
}

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// What it is, as it appears in `[redacted:<kind>]`: lower case letters, digits and dashes.
    pub kind: &'static str,
    /// The byte at which it starts.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
}

/// Returns `text` with every secret replaced by `[redacted:<kind>]`.
///
/// Doing it again changes nothing: what stands in such a marker, or is assigned one, is no secret.
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

/// Returns the secrets in `text` by position, without overlaps.
pub fn find_secrets(text: &str) -> Vec<Secret> {
    let mut secrets = merge(all_findings(text));
    // Without a secret the words on both sides of it are closer together, and may now read as a name and its value.
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

/// What stands there, what it stands for, and what it encodes.
fn all_findings(text: &str) -> Vec<Finding> {
    let mut found = scan::findings(text);
    found.extend(view::findings(text));
    found.extend(encoded::findings(text));
    found.extend(phrase::findings(text));
    found.retain(|finding| !placeholder::is_published(text.get(finding.range.clone()).unwrap_or_default()));
    found
}

/// One more look has been enough for every text seen so far.
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

/// Where the byte `at` of the replaced text was before the replacement; inside a marker, where its secret ended.
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

/// Joins what overlaps; the strongest evidence names the kind.
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
