//! Explicit changes of a name: "Y is now called X", "Y became X", "Y has a new name: X", "y.rb is now x.rb".

use super::extent::{Change, ChangeKind, find, value_at, value_before};
use super::lexicon::BE;
use super::token::{Shape, Token, is_at, within};
use super::words::{Words, words};

/// Verbs that give a name again.
const RENAMES: &Words = words!["renamed", "rebranded", "retitled", "rechristened"];
/// Verbs that give a name, for the first time or again.
const NAMES: &Words = words!["called", "named", "known", "titled"];
const BECOMES: &Words = words!["became", "becomes"];
/// Words between a verb of naming and the name.
const BETWEEN: &Words = words!["to", "as", "into", "now", "it's", "its", "by", "internally", "simply"];

/// Returns the change of a name that a sentence states.
pub(super) fn named_anew(tokens: &[Token<'_>]) -> Option<Change> {
    called(tokens).or_else(|| new_name(tokens)).or_else(|| became(tokens))
}

/// "Y is now called X", "Y was rebranded as X", "Y renamed: it's X"
fn called(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = tokens
        .iter()
        .skip(1)
        .position(|token| token.is(RENAMES) || token.is(NAMES))?
        + 1;
    let is_again = is_at(tokens, verb, RENAMES)
        || tokens
            .iter()
            .any(|token| token.is(words!["now", "since", "nowadays", "henceforth"]));
    let be = tokens.iter().take(verb).position(|token| token.is(COPULA));
    let end = be.unwrap_or(verb);
    // "app.yaml: `a` is now called `b`" names `a` again.
    let label = tokens.iter().take(end).rposition(|token| token.defines);
    let subject = value_at(tokens.get(..end)?, label.map_or(0, |label| label + 1))?;
    let found = change(tokens, subject, verb)?;
    let is_code = |at: usize| {
        let token = tokens.get(at);
        token.is_some_and(|token| matches!(token.shape, Shape::Path | Shape::Code))
    };
    // What is a name already is given another one.
    let is_one = |range: (usize, usize)| range.1 - range.0 == 1 && within(tokens, range).iter().all(is_unique);
    let is_name = is_one(subject) && found.now.is_some_and(is_one)
        || is_code(subject.1 - 1) && found.now.is_some_and(|now| is_code(now.0));
    (is_again || is_name).then_some(found)
}

/// "Y has a new name: X", "Y got the new name X"
fn new_name(tokens: &[Token<'_>]) -> Option<Change> {
    let phrase = find(tokens, &["new", "name"])?;
    let verb = (0..phrase).find(|at| is_at(tokens, *at, words!["has", "got", "have", "gets"]))?;
    change(tokens, value_before(tokens, verb)?, phrase + 1)
}

/// "github.com/a/b became github.com/a/c", "user_sessions is now auth_sessions"
fn became(tokens: &[Token<'_>]) -> Option<Change> {
    let is_now = |at: usize| is_at(tokens, at, words!["is", "are"]) && is_at(tokens, at + 1, words!["now"]);
    let is_last = |at: usize| {
        is_at(tokens, at, words!["is"]) && is_at(tokens, at + 2, words!["now", "since"]) && !is_broken(tokens, at + 1)
    };
    let verb = (1..tokens.len()).find(|at| is_at(tokens, *at, BECOMES) || is_now(*at) || is_last(*at))?;
    let subject = value_before(tokens, verb)?;
    let verb = verb + usize::from(is_now(verb));
    let found = change(tokens, subject, verb)?;
    let is_name = |range: (usize, usize)| within(tokens, range).iter().all(is_unique);
    let now = found
        .now
        .filter(|now| is_at(tokens, now.0, words!["the"]) || is_name((now.0, now.0 + 1)))?;
    // "the event user.signed_up"
    let is_one = subject.1 - subject.0 <= 3 && is_name((subject.1 - 1, subject.1));
    let is_alike = tokens.get(subject.1 - 1).map(|token| token.shape) == tokens.get(now.0).map(|token| token.shape);
    (is_one && is_alike).then_some(found)
}

const COPULA: &Words = words![
    "is", "are", "be", "was", "were", "been", "got", "has", "have", "goes", "now"
];

fn is_broken(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.breaks)
}

fn is_unique(token: &Token<'_>) -> bool {
    matches!(token.shape, Shape::Path | Shape::Code | Shape::Url)
        || (token.is_capital() && token.shape == Shape::Word && !token.is(BE))
}

/// The change from the name in `subject` to the one after the token `verb`.
fn change(tokens: &[Token<'_>], subject: (usize, usize), verb: usize) -> Option<Change> {
    let behind = (verb + 1..tokens.len()).find(|at| !is_at(tokens, *at, BETWEEN))?;
    let now = value_at(tokens, behind)?;
    (subject.1 <= verb).then(|| Change {
        before: subject,
        cues: vec![subject, (subject.1, now.0)],
        now: Some(now),
        kind: ChangeKind::Renamed,
    })
}
