//! The statement of the first sentence of a text: a subject, and values of it with a type.
//!
//! Two texts are only compared when everything but the value is the same, so whatever is not understood becomes part of the subject: a
//! word too many prevents a rule and never makes one.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::words::Word;
use crate::lexicon::traits::{
    ADDITION, BE, COUNTED, EPISODE, GENERIC, HEADING, LEADS_VALUE, MEASURED, PAST, PERSONAL, PROBLEM, QUALIFIES,
    REASON, REFERS, RELATION, SINCE, TENTATIVE, TURNED, VERSIONED,
};
use crate::lexicon::{Phrases, Role, SWITCHED, family};
use crate::tokenization::{Form, Lexeme};

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// A number, with its family of units.
    Number(u8),
    /// A version of something that has versions.
    Version,
    /// A path, or the name of a file.
    Path,
    /// An address.
    Url,
    /// A flag of a command.
    Flag,
    /// A command or a name between backticks.
    Command,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    /// Its type.
    pub kind: ValueKind,
    /// A key that is the same for all spellings of the value.
    pub key: u64,
}

/// The statement of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// The words of the label before a colon, hashed; 0 without one. It is the context of the statement and not its subject.
    pub context: u64,
    /// The subject: hashes of the roots of its words, sorted.
    pub subject: Vec<u64>,
    /// The values, sorted.
    pub values: Vec<Value>,
    /// True if it is negated, or gives the negative one of two states.
    pub is_denied: bool,
    /// True if a word alone negates it: "does not support", and not "no longer supports".
    pub is_bare_denial: bool,
    /// True if its value is one of several that hold side by side: "supports Python 3.12", "blocks port 25".
    pub collects: bool,
}

/// The maximum number of words of a subject: a longer sentence says more than one thing.
const SUBJECT_MAX: usize = 12;
/// The maximum number of words of a label.
const LABEL_MAX: usize = 5;
/// A remark behind a comma with at most this many content words may qualify the statement, and is part of it.
const QUALIFIER_MAX: usize = 2;

/// Words that say of a value that others may be beside it.
static COLLECTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "collects"));

/// True if a row of words has one of those.
fn collects(words: &[Word<'_>]) -> bool {
    let mut rows = (0..words.len()).filter_map(|at| words.get(at..)?.split_first());
    rows.any(|(word, rest)| {
        let mut found = COLLECTS.at(word.text, |ahead| rest.get(ahead).map(|word| word.text));
        found.next().is_some()
    })
}

/// The words of a sentence that make its statement, without its introduction and explanation.
pub(super) struct Sentence<'a, 's> {
    pub label: &'a [Word<'s>],
    pub words: &'a [Word<'s>],
}

impl<'a, 's> Sentence<'a, 's> {
    pub fn of(words: &'a [Word<'s>]) -> Self {
        let (label, words) = split_label(words);
        let reason = words.iter().skip(1).position(|word| word.has(REASON));
        let words = words.get(..reason.map_or(words.len(), |at| at + 1)).unwrap_or_default();
        Sentence { label, words }
    }

    /// True if somebody tells of themselves or of another person, asks, plans or adds something.
    pub fn states_nothing(&self) -> bool {
        let says = |traits: u32| self.words.iter().any(|word| word.lexeme.quote == 0 && word.has(traits));
        says(PERSONAL | TENTATIVE | ADDITION)
    }
}

/// Splits "Label: statement"; a heading ("Decision:") is left out.
fn split_label<'a, 's>(words: &'a [Word<'s>]) -> (&'a [Word<'s>], &'a [Word<'s>]) {
    let mut beginning = words.iter().take(LABEL_MAX + 1).skip(1);
    let colon = beginning.position(|word| word.lexeme.is_defined);
    let Some((label, rest)) = colon.and_then(|at| words.split_at_checked(at + 1)) else {
        return (&[], words);
    };
    let may_head = |word: &Word<'_>| word.has(HEADING) || !word.is_content() || word.is_number();
    if label.iter().any(|word| word.has(HEADING)) && label.iter().all(may_head) {
        return split_label(rest);
    }
    // "API port: 8080" gives a value, and "PORT=8080" as well.
    let mut behind = rest.iter().take(3);
    let says_value = !behind.any(|word| word.is_content() && !is_value_word(word));
    let is_sentence = label.iter().any(|word| word.has(BE));
    if says_value || is_sentence {
        (&[], words)
    } else {
        (label, rest)
    }
}

fn is_value_word(word: &Word<'_>) -> bool {
    word.is_number() || word.known.unit.is_some() || word.lexeme.form != Form::Plain || word.lexeme.quote > 0
}

/// Returns the statements of the first sentence of a text: the whole of it, and its first clause, because a remark often follows a
/// comma.
pub(super) fn claims_of(sentence: &Sentence<'_, '_>) -> Vec<Claim> {
    let words = sentence.words;
    let lead = words.iter().find(|word| !word.is_filler() || word.has(REFERS));
    let is_past = words.iter().any(|word| word.has(PAST) && word.lexeme.quote == 0);
    if sentence.states_nothing() || is_past || lead.is_none_or(|word| word.has(EPISODE | REFERS)) {
        return Vec::new();
    }
    let label = sentence.label.iter().filter(|word| !word.is_filler());
    let context = match sentence.label {
        [] => 0,
        _ => label.fold(1, |sum: u64, word| sum.rotate_left(9) ^ word.key),
    };
    let among_others = collects(sentence.label) || collects(words);
    let main = len_of_main(words).and_then(|main| words.get(..main));
    let mut claims: Vec<Claim> = Vec::new();
    for claim in [Some(words), main]
        .into_iter()
        .flatten()
        .filter_map(|words| claim_of(words, context))
    {
        let claim = Claim {
            collects: among_others && !measures(&claim, words),
            ..claim
        };
        if !claims.contains(&claim) {
            claims.push(claim);
        }
    }
    claims
}

/// True if a statement measures something, of which there is one amount: "accepts 5 connections", and not "blocks port 25".
fn measures(claim: &Claim, words: &[Word<'_>]) -> bool {
    let mut kinds = claim.values.iter().map(|value| value.kind);
    kinds.any(|kind| matches!(kind, ValueKind::Number(_))) && !words.iter().any(|word| word.is(&["port", "ports"]))
}

/// Returns the number of words of the first clause, when all that follows is a remark.
fn len_of_main(words: &[Word<'_>]) -> Option<usize> {
    let main = words.iter().position(|word| word.breaks)? + 1;
    let (first, behind) = words.split_at_checked(main)?;
    let has_content = first.iter().filter(|word| word.is_content()).count() > 1;
    let is_defined = behind.first().is_some_and(|word| word.lexeme.is_defined);
    let is_remark = behind.chunk_by(|word, _| !word.breaks).all(|remark| {
        let content = remark.iter().filter(|word| word.is_content()).count();
        content > QUALIFIER_MAX && !remark.first().is_some_and(|word| word.has(QUALIFIES))
    });
    (!behind.is_empty() && has_content && !is_defined && is_remark).then_some(main)
}

/// Returns the statement of a clause.
fn claim_of(words: &[Word<'_>], context: u64) -> Option<Claim> {
    let mut claim = Claim {
        context,
        ..Claim::default()
    };
    let has_problem = words.iter().any(|word| word.has(PROBLEM));
    let mut specific = 0;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let value = value_at(words, at).filter(|(value, _)| !is_circumstance(words, at, value.kind, has_problem));
        if let Some((value, used)) = value {
            claim.values.push(value);
            at += used;
            continue;
        }
        at += 1;
        if is_unsaid(words, at - 1) || is_version_of_number(words, at - 1) {
            continue;
        }
        if is_denial(words, at - 1) {
            claim.is_denied = !claim.is_denied;
            claim.is_bare_denial ^= !says_no_more(words, at - 1);
            continue;
        }
        if let Some((family, is_negative)) = state_at(words, at - 1) {
            claim.subject.push(u64::from(family) << 8 | 0xff);
            claim.is_denied ^= is_negative;
            continue;
        }
        let key = match word.known.role {
            Some(Role::Member(family, group)) if is_kept(family, group, word) => {
                u64::from(family) << 16 | u64::from(group) << 8 | 1
            }
            Some(Role::Member(..)) => continue,
            Some(Role::Limit) => xxh3_64(word.text),
            _ if word.lexeme.quote == 0 && word.has(GENERIC) => continue,
            Some(Role::Filler) if !word.lexeme.is_capital => continue,
            _ => {
                specific += usize::from(!word.has(MEASURED));
                word.key
            }
        };
        claim.subject.push(key);
    }
    claim.subject.sort_unstable();
    claim.subject.dedup();
    claim.values.sort_unstable();
    let has_version = claim.values.iter().any(|value| value.kind == ValueKind::Version);
    let is_said_of_something = if claim.values.is_empty() {
        // The negation of a single word says too little.
        specific > 1
    } else {
        specific > 0 && (claim.subject.len() > 1 || has_version || context != 0)
    };
    (is_said_of_something && claim.subject.len() <= SUBJECT_MAX).then_some(claim)
}

/// The least content words behind a version for it to be what they are said of: "Python 3.12 everywhere" only gives it.
const TOLD_MIN: usize = 2;

/// True if a value says where or under what a statement holds, so that another one may hold beside it: a fault is in several places and versions,
/// and what begins with a version is about it ("on Node 20.11 the watcher stops").
fn is_circumstance(words: &[Word<'_>], at: usize, kind: ValueKind, has_problem: bool) -> bool {
    match kind {
        ValueKind::Path | ValueKind::Url | ValueKind::Command => has_problem,
        ValueKind::Version => {
            let mut ahead = words.iter().take(at.saturating_sub(1));
            let told = words.iter().skip(at + 1).filter(|word| word.is_content()).count();
            let next = words.get(at + 1).filter(|next| !next.has(BE));
            has_problem
                || (next.is_some() && told >= TOLD_MIN && !ahead.any(|word| word.is_content() || word.has(GENERIC)))
        }
        ValueKind::Number(_) | ValueKind::Flag => false,
    }
}

/// True unless a member of a family says nothing about the subject: "must" and "should", "on" and "off", "and", "by", "to", "always".
fn is_kept(of: u8, group: u8, word: &Word<'_>) -> bool {
    match of {
        family::MODAL | family::SWITCH | family::AGENT | family::UP_DOWN => false,
        family::QUANTITY => !word.is(&["always"]),
        family::INSIDE => !word.is(&["in"]),
        family::JOINT => !word.is(&["and", "&"]),
        family::DIRECTION => group == 0,
        _ => true,
    }
}

/// "now", "currently"; the "no" and "longer" of a negation are counted once, and "at all" only stresses it.
fn is_unsaid(words: &[Word<'_>], at: usize) -> bool {
    let is = |at: usize, text: &[&str]| words.get(at).is_some_and(|word| word.is(text));
    let word = words.get(at);
    word.is_some_and(|word| word.lexeme.quote == 0 && word.has(SINCE))
        || at.checked_sub(1).is_some_and(|before| {
            (is(at, &["longer"]) && is(before, &["no"])) || (is(at, &["all"]) && is(before, &["at"]))
        })
}

/// The word "version" before a number, which may as well be left out.
fn is_version_of_number(words: &[Word<'_>], at: usize) -> bool {
    let is_number = || words.get(at + 1).is_some_and(Word::is_number);
    words
        .get(at)
        .is_some_and(|word| word.is(&["version", "v"]) && !word.breaks)
        && is_number()
}

fn is_denial(words: &[Word<'_>], at: usize) -> bool {
    let word = words.get(at);
    word.is_some_and(|word| word.lexeme.quote == 0 && word.is_negation())
}

/// True of a negation that says that something was so before: "no longer", "not ... any more".
fn says_no_more(words: &[Word<'_>], at: usize) -> bool {
    words.get(at..).unwrap_or_default().windows(2).any(ends_it)
        || words.iter().skip(at).any(|word| word.is(&["anymore"]))
}

/// "no longer", "any more"
fn ends_it(pair: &[Word<'_>]) -> bool {
    matches!(pair, [first, second] if first.is(&["no", "any"]) && second.is(&["more", "longer"]))
}

/// Returns the state that a word gives: "is enabled", "is off".
fn state_at(words: &[Word<'_>], at: usize) -> Option<(u8, bool)> {
    let word = words.get(at)?;
    let (family, is_negative) = word.known.state?;
    if family == SWITCHED {
        let before = words.get(at.checked_sub(1)?)?;
        let is_set = before.has(BE | TURNED);
        let ends = word.breaks || words.get(at + 1).is_none_or(|next| next.has(QUALIFIES));
        return (is_set && ends).then_some((family, is_negative));
    }
    Some((family, is_negative))
}

/// Returns the value at a position, and the number of words it consists of.
fn value_at(words: &[Word<'_>], at: usize) -> Option<(Value, usize)> {
    let word = words.get(at)?;
    let lexeme = word.lexeme;
    let as_number = |word: &&Word<'_>| word.text.first().is_some_and(u8::is_ascii_digit);
    let run = |is_part: &dyn Fn(&Lexeme) -> bool| {
        let words = words.get(at..).unwrap_or_default();
        words.iter().take_while(|word| is_part(word.lexeme)).count()
    };
    let (kind, used) = match lexeme.form {
        _ if lexeme.quote > 0 => {
            let used = run(&|other| other.quote == lexeme.quote);
            let kind = match lexeme.form {
                Form::Flag => ValueKind::Flag,
                Form::Path if used == 1 => ValueKind::Path,
                _ => ValueKind::Command,
            };
            (kind, used)
        }
        Form::Flag => (ValueKind::Flag, run(&|other| other.form == Form::Flag)),
        Form::Url => (ValueKind::Url, run(&|other| other.form == Form::Url)),
        Form::Path => (ValueKind::Path, 1),
        Form::Plain if word.is_number() => return number_at(words, at),
        Form::Plain => return None,
    };
    let range = words.get(at..at + used)?;
    let is_value = follows_relation(words, at) && !(lexeme.quote > 0 && range.iter().all(|word| as_number(&word)));
    let texts = || range.iter().map(|word| word.text).collect::<Vec<_>>().join(&b' ');
    is_value.then(|| {
        (
            Value {
                kind,
                key: xxh3_64(&texts()),
            },
            used,
        )
    })
}

/// True if a word that a value follows is directly before a position: "is", "in", "with", a colon.
fn follows_relation(words: &[Word<'_>], at: usize) -> bool {
    if words.get(at).is_some_and(|word| word.lexeme.is_defined) {
        return true;
    }
    let mut before = words.iter().take(at).rev();
    let near = before.find(|word| !word.has(LEADS_VALUE));
    near.is_some_and(|word| word.has(RELATION) && !word.breaks)
}

/// Returns the number at a position, when it is a value and not a part of a name.
fn number_at(words: &[Word<'_>], at: usize) -> Option<(Value, usize)> {
    let word = words.get(at)?;
    let next = words.get(at + 1).filter(|_| !word.breaks);
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let before = before.filter(|before| !before.breaks || word.lexeme.is_defined);
    let digits = std::str::from_utf8(word.text).ok()?;
    let number = digits.parse::<f64>().ok().map(f64::to_bits);
    let value = |kind, key, used| Some((Value { kind, key }, used));
    if let (Some(number), Some((family, size))) = (number.map(f64::from_bits), next.and_then(|next| next.known.unit)) {
        return value(ValueKind::Number(family), (number * size).to_bits(), 2);
    }
    // "The notes for 0.4.20" are about that version.
    let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'x');
    // "needs OpenVPN 2.6"
    let is_needed = at.checked_sub(1).is_some_and(|name| follows_need(words, name)) && ends_there(next);
    if before.is_some_and(|before| before.has(VERSIONED) || (is_needed && before.is_name()) || is_pinned(words, at))
        && digits.bytes().all(is_digit)
    {
        let plain = digits.trim_end_matches(".x");
        let number = plain.parse::<f64>().map(f64::to_bits);
        return value(
            ValueKind::Version,
            number.unwrap_or_else(|_| xxh3_64(plain.as_bytes())),
            1,
        );
    }
    // "Port 8080 belongs to the proxy" is about that port.
    let is_behind_subject = || words.iter().take(at.saturating_sub(1)).any(|word| word.is_content());
    let is_measured = before.is_some_and(|before| before.has(MEASURED) && !before.breaks) && is_behind_subject()
        || next.is_some_and(|next| next.has(COUNTED))
        || (ends_there(next) && follows_relation(words, at));
    value(ValueKind::Number(0), number?, 1).filter(|_| is_measured)
}

/// True if a version is at a position by its form: "is pinned to 3.7", "is at 3.7.4".
fn is_pinned(words: &[Word<'_>], at: usize) -> bool {
    let word = |before: usize| at.checked_sub(before).and_then(|at| words.get(at));
    let is_pinned = word(1).is_some_and(|word| word.is(&["to", "at"]))
        && word(2).is_some_and(|word| word.is(&["pinned", "locked"]));
    let dots = word(0).map_or(0, |word| word.text.iter().filter(|byte| **byte == b'.').count());
    let next = words.get(at + 1).filter(|_| word(0).is_some_and(|word| !word.breaks));
    is_pinned || (dots > 1 && ends_there(next) && follows_relation(words, at))
}

/// True if a statement ends before a word, or says only since when it holds.
fn ends_there(next: Option<&Word<'_>>) -> bool {
    next.is_none_or(|next| next.lexeme.quote == 0 && next.has(SINCE))
}

/// True if a verb by which something needs another thing is directly before a position.
fn follows_need(words: &[Word<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    before.is_some_and(|word| word.is(&["needs", "need", "requires", "require", "supports", "support"]) && !word.breaks)
}
