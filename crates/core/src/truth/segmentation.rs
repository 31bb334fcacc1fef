//! Clause segmentation: which spans of a text are read as statements.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::TOPICS_MAX;
use super::aside::end_of;
use super::change::change_in;
use super::claim::{Claim, Value, ValueKind};
use super::claims::Claims;
use super::extent::{Change, is_addition};
use super::lexicon::{BE, traits};
use super::opening::{len_of_dateline, len_of_opening};
use super::outline::Outline;
use super::phrase::Clause;
use super::roles::Role;
use super::sentence::{claim_of, named_in};
use super::token::{Shape, Token, Tokens, is_at, tokens_of, traits_of, unit_of, within};
use super::words::{Words, words};
use crate::text::stem;

/// Longer texts, in bytes, are notes with several statements, none of which stands for the whole text.
pub const STATEMENT_BYTES_MAX: usize = 480;
const SENTENCES_MAX: u16 = 4;
/// The prefix of a text that is read for weak evidence.
const CLAUSE_TEXT_BYTES_MAX: usize = 1024;
const CLAUSES_MAX: usize = 24;

impl Claims {
    /// Returns what a text asserts.
    pub fn of(text: &str) -> Self {
        let is_long = text.len() > STATEMENT_BYTES_MAX;
        let mut end = text.len().min(CLAUSE_TEXT_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or(text);
        let lowered = text.to_ascii_lowercase();
        let tokens = tokens_of(text, &lowered);
        let mut claims = Claims {
            sentences: usize::from(tokens.sentences),
            ..Claims::default()
        };
        let is_note = is_long || tokens.sentences > SENTENCES_MAX;
        let Tokens { list, questions, .. } = &tokens;
        let dateline = len_of_dateline(list);
        // An entry of a log reports what happened on a day. It contradicts nothing, and nothing contradicts it.
        let first = list.get(dateline).map(|token| token.sentence);
        if dateline > 0 && first != list.last().map(|token| token.sentence) {
            return claims;
        }
        for sentence in list.chunk_by(|one, next| one.sentence == next.sentence) {
            let number = sentence.first().map_or(0, |token| token.sentence.min(63));
            let is_question = questions >> number & 1 == 1;
            if !is_note {
                claims.take_sentence(sentence, is_question);
            }
            claims.take_clauses(sentence, is_question);
        }
        claims.has_order = list
            .iter()
            .any(|token| token.is(words!["over", "than", "before", "after"]));
        claims.is_about_problem = list.iter().any(|token| token.word.is_problem);
        claims.words = claims.clauses.iter().flat_map(Clause::words).collect();
        claims.words.sort_unstable();
        claims.words.dedup();
        claims.outline = Outline::of(&tokens);
        claims.is_long = is_long;
        claims.topics.clone_from(&claims.words);
        claims.topics.extend(claims.outline.terms.iter().map(|term| term.key));
        claims.topics.sort_unstable();
        claims.topics.dedup();
        claims.topics.truncate(TOPICS_MAX);
        claims
    }

    fn take_clauses(&mut self, sentence: &[Token<'_>], is_question: bool) {
        // "Before Ann, Bob owned billing" tells the past.
        if is_at(
            sentence,
            0,
            words![
                "before",
                "until",
                "formerly",
                "previously",
                "originally",
                "historically"
            ],
        ) {
            return;
        }
        let first = self.clauses.len();
        let statement = statement_of(sentence);
        for clause in clauses_of(&statement) {
            if self.clauses.len() < CLAUSES_MAX {
                self.clauses.extend(Clause::of(&clause, is_question));
            }
        }
        let said = self.clauses.get_mut(first..).unwrap_or_default();
        let says_since = |pair: &[Token<'_>]| {
            let [one, next] = pair else { return false };
            (one.is(words!["as"]) && next.is(words!["of"]))
                || (one.is(words!["from"]) && next.is(words!["now"]))
                || is_onward(one, next)
        };
        let tells_change = said.iter().any(|clause| clause.tells_change) || sentence.windows(2).any(says_since);
        said.iter_mut().for_each(|clause| clause.tells_change = tells_change);
    }
}

impl Claims {
    /// Extracts the claim of a whole sentence and those of its clauses, because a comma often separates a comment.
    pub(super) fn take_sentence(&mut self, tokens: &[Token<'_>], is_question: bool) {
        let tokens = without_since(tokens.get(len_of_opening(tokens)..).unwrap_or_default());
        let tokens = tokens.as_ref();
        self.add(claim_of(tokens, is_question), true);
        let clauses: Vec<&[Token<'_>]> = tokens.chunk_by(|one, _| !one.breaks || one.defines).collect();
        if clauses.len() > 1 {
            for (at, clause) in clauses.iter().enumerate() {
                self.add(claim_of(clause, is_question), at == 0);
            }
        }
        if let Some(first) = clauses.first() {
            self.take_predicates(first, is_question);
        }
        // "We had to: the app targets SDK 35"
        let colon = tokens.iter().position(|token| token.defines).filter(|at| *at > 1);
        if let Some(behind) = colon.and_then(|colon| tokens.get(colon + 1..)) {
            let clause = behind.split_inclusive(|token| token.breaks).next();
            self.add(claim_of(clause.unwrap_or_default(), is_question), false);
        }
    }

    fn take_predicates(&mut self, tokens: &[Token<'_>], is_question: bool) {
        let clause = Predicated::of(tokens);
        let relations = tokens.iter().enumerate().rev().filter(|(_, token)| is_relation(token));
        for (relation, _) in relations
            .take(RELATIONS_MAX)
            .filter(|(relation, _)| clause.may_relate(*relation))
        {
            self.add(clause.predicate_of(relation, is_question), true);
        }
    }

    fn add(&mut self, claim: Option<Claim>, is_main: bool) {
        let Some(claim) = claim else { return };
        let claim = Claim { is_main, ..claim };
        if !self.list.contains(&claim) {
            self.list.push(claim);
        }
    }
}

/// Returns a sentence without introductory phrases and time expressions.
fn statement_of<'a, 't>(sentence: &'a [Token<'t>]) -> Cow<'a, [Token<'t>]> {
    let end = len_of_opening(sentence);
    let mut opening = sentence.iter().take(end);
    let renamed = opening.position(|token| token.is(words!["renamed"]) && !token.defines);
    let start = renamed.unwrap_or(end);
    without_since(sentence.get(start..).unwrap_or_default())
}

/// Returns the clauses of a statement. An enumeration stays in one clause, and so does a leading circumstance: "On battery, the indexer has
/// one thread".
fn clauses_of<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<Cow<'a, [Token<'t>]>> {
    let mut clauses: Vec<Cow<'a, [Token<'t>]>> = Vec::new();
    // The range of the clause that is read.
    let (mut from, mut to) = (0, 0);
    for chunk in tokens.chunk_by(|one, _| !one.breaks || one.defines) {
        to += chunk.len();
        let is_item = chunk.len() <= 2
            && !chunk
                .iter()
                .any(|token| is_relation(token) || token.role() == Some(Role::Negation));
        // "are cached again, 30 s, and purged on every change"
        let is_measure = match chunk {
            [number] => matches!(number.shape, Shape::Number(_, 1..)),
            [number, unit] => matches!(number.shape, Shape::Number(..)) && unit_of(unit.lower).is_some(),
            _ => false,
        };
        let list = clauses.last_mut().filter(|before| {
            let is_listed = before.iter().any(|token| token.defines) || is_measure;
            is_item && before.last().is_some_and(|last| last.breaks) && is_listed
        });
        if let Some(list) = list {
            list.to_mut().extend_from_slice(chunk);
        } else if from == 0 && to == chunk.len() && to < tokens.len() && is_circumstance(chunk) {
            continue;
        } else {
            let (clause, behind_colon) = split_at_colon(within(tokens, (from, to)));
            clauses.push(Cow::Borrowed(clause));
            clauses.extend(behind_colon.map(Cow::Borrowed));
        }
        from = to;
    }
    let Some((first, others)) = clauses.split_first_mut() else {
        return clauses;
    };
    for clause in others {
        // "React Compiler was rolled back, it is disabled", "the log is generated, don't write it by hand"
        let is_short = clause.len() <= 5
            && (is_at(clause, 0, words!["we"]) && is_at(clause, 1, BE) || is_at(clause, 0, words!["we're"]));
        let refers = clause
            .iter()
            .any(|token| token.is(words!["it", "it's", "they", "them"]));
        if refers || is_short || is_at(clause, 0, words!["that", "this"]) {
            let mut whole = head_of(first);
            whole.extend_from_slice(clause);
            *clause = Cow::Owned(whole);
        }
    }
    clauses
}

fn is_circumstance(clause: &[Token<'_>]) -> bool {
    // "For releases ask Ann" is a statement.
    let is_asked = clause
        .iter()
        .any(|token| token.is(words!["ask", "ping", "contact", "call", "message"]));
    clause.len() <= 5
        && !is_asked
        && is_at(
            clause,
            0,
            words![
                "on", "in", "for", "as", "at", "when", "with", "without", "under", "during",
            ],
        )
}

/// The subject of a clause: the words before its predicate.
fn head_of<'t>(clause: &[Token<'t>]) -> Vec<Token<'t>> {
    let is_verb = |token: &Token<'t>| {
        token.is(BE)
            || token.is(RELATIONS)
            || token.defines
            || (token.is_filler() && !token.is(ARTICLES))
            || token.role() == Some(Role::Negation)
    };
    let start = clause.iter().position(|token| !is_verb(token)).unwrap_or(0);
    let head = clause
        .get(start..)
        .unwrap_or_default()
        .iter()
        .take_while(|token| !is_verb(token));
    head.copied()
        .map(|token| Token {
            breaks: false,
            defines: false,
            ..token
        })
        .collect()
}

const ARTICLES: &Words = words!["the", "a", "an", "our", "this", "that"];

/// "Redux is out: the state lives in Zustand" are two clauses, "Default branch: main" is one.
fn split_at_colon<'a, 't>(chunk: &'a [Token<'t>]) -> (&'a [Token<'t>], Option<&'a [Token<'t>]>) {
    let colon = chunk.iter().position(|token| token.defines);
    let is_sentence = |left: &[Token<'t>], right: &[Token<'t>]| {
        left.iter().any(|token| token.is(BE) || token.is(REPORTS)) || is_at(right, 0, words!["the", "we", "it", "our"])
    };
    // "After the outage we rebuilt all of it: images are based on debian"
    let is_introduction = |left: &[Token<'t>], right: &[Token<'t>]| {
        let refers = is_at(
            right,
            0,
            words!["they", "it", "that", "this", "these", "those", "there"],
        );
        let is_denial = left.iter().any(|token| token.role() == Some(Role::Negation));
        left.len() > 4 && !refers && !is_denial && right.iter().skip(1).any(|token| token.is(BE))
    };
    match colon.and_then(|at| chunk.split_at_checked(at + 1)) {
        Some((left, right)) if !right.is_empty() && is_sentence(left, right) => (left, Some(right)),
        Some((left, right)) if is_introduction(left, right) => (right, None),
        _ => (chunk, None),
    }
}

/// "Reverted: ..."
const REPORTS: &Words = words![
    "reverted",
    "reverting",
    "back",
    "reversed",
    "undo",
    "rollback",
    "moved",
    "switched",
];

/// Removes time expressions: "as of v3", "from now on", "starting with 2.0". A comma or a colon after one stays.
fn without_since<'a, 't>(tokens: &'a [Token<'t>]) -> Cow<'a, [Token<'t>]> {
    let Some(first) = (0..tokens.len()).find(|at| len_of_since(tokens, *at) > 0) else {
        return Cow::Borrowed(tokens);
    };
    let mut kept = Vec::with_capacity(tokens.len());
    kept.extend_from_slice(within(tokens, (0, first)));
    let mut at = first;
    while let Some(token) = tokens.get(at) {
        let left_out = len_of_since(tokens, at);
        if left_out == 0 {
            kept.push(*token);
        } else if let Some((before, last)) = kept.last_mut().zip(tokens.get(at + left_out - 1)) {
            before.breaks |= last.breaks;
            before.defines |= last.defines;
        }
        at += left_out.max(1);
    }
    Cow::Owned(kept)
}

/// Returns the number of tokens of the time expression at a position; 0 when there is none.
fn len_of_since(tokens: &[Token<'_>], at: usize) -> usize {
    let next_is = |words: &Words| is_at(tokens, at + 1, words);
    let is_here = |words: &Words| is_at(tokens, at, words);
    if is_here(words!["as"]) && next_is(words!["of"]) {
        2 + len_of_moment(tokens.get(at + 2..).unwrap_or_default())
    } else if is_here(words!["from"]) && next_is(words!["now"]) {
        3
    } else if is_here(words!["starting"]) {
        2 + usize::from(next_is(words!["with", "from", "in"]))
    } else if matches!(within(tokens, (at, at + 2)), [one, next] if is_onward(one, next))
        || (is_here(words!["these"]) && next_is(words!["days"]))
    {
        2
    } else if is_here(words!["last", "this"]) && next_is(PERIODS) {
        // "on Monday of last week" keeps the day.
        2
    } else {
        0
    }
}

/// "going forward", "effective immediately"
fn is_onward(one: &Token<'_>, next: &Token<'_>) -> bool {
    (one.is(words!["going", "moving"]) && next.is(words!["forward"]))
        || (one.is(words!["effective"]) && next.is(words!["immediately", "today"]))
}

const PERIODS: &Words = words![
    "week", "weekend", "month", "year", "quarter", "sprint", "night", "spring", "summer", "autumn", "winter",
];

/// The number of words of a point in time: "v3", "the 2.0 release", "release 5.0".
fn len_of_moment(tokens: &[Token<'_>]) -> usize {
    let mut first = tokens.iter().take(4);
    let has_digit = |token: &Token<'_>| token.lower.bytes().any(|byte| byte.is_ascii_digit());
    let Some(number) = first.position(has_digit) else {
        return 1;
    };
    number + 1 + usize::from(is_at(tokens, number + 1, words!["release", "version"]))
}

/// A clause that may have a predicate after its last relation word.
struct Predicated<'a, 't> {
    tokens: &'a [Token<'t>],
    end: usize,
    change: Option<Change>,
    /// The only token that is not an ordinary word, if there is one; the predicate must contain it.
    odd: Option<usize>,
    has_several_odd: bool,
}

impl<'a, 't> Predicated<'a, 't> {
    fn of(tokens: &'a [Token<'t>]) -> Self {
        let mut clause = Predicated {
            tokens,
            end: end_of(tokens),
            change: change_in(tokens).filter(|change| change.now.is_none()),
            odd: None,
            has_several_odd: false,
        };
        let is_odd = |at: &usize| !clause.is_said(*at) && !tokens.get(*at).is_some_and(is_plain_or_use);
        let mut odd = (0..clause.end).filter(is_odd);
        (clause.odd, clause.has_several_odd) = (odd.next(), odd.next().is_some());
        clause
    }

    fn is_said(&self, at: usize) -> bool {
        let mut said = self.change.iter().flat_map(|change| &change.cues);
        said.any(|range| (range.0..range.1).contains(&at))
    }

    fn may_relate(&self, relation: usize) -> bool {
        let is_plain = !self.has_several_odd && self.odd.is_none_or(|odd| odd == relation);
        relation < self.end && is_plain && !self.is_said(relation)
    }

    /// Reads "feature flags come from X": a subject, a relation word, and a predicate after it.
    fn predicate_of(&self, relation: usize, is_question: bool) -> Option<Claim> {
        let Predicated { tokens, end, .. } = *self;
        let related = tokens.get(relation)?;
        let is_said = |at: &usize| self.is_said(*at);
        let behind: Vec<usize> = (relation + 1..end).filter(|at| !is_said(at)).collect();
        let next = behind
            .iter()
            .position(|at| {
                tokens
                    .get(*at)
                    .is_some_and(|token| is_relation(token) || token.is(words!["for"]))
            })
            .unwrap_or(behind.len());
        let (tail, behind) = behind.split_at_checked(next)?;
        let tail = tail.iter().filter_map(|at| tokens.get(*at));
        let tail: Vec<&Token<'_>> = tail.filter(|token| !token.is_filler()).collect();
        let is_plain = |token: &Token<'_>| {
            !matches!(
                token.shape,
                Shape::Number(..) | Shape::Version | Shape::Time | Shape::Arrow
            ) && !matches!(
                token.role(),
                Some(Role::State(..) | Role::Negation | Role::Day | Role::Use | Role::Episode)
            )
        };
        if !(1..=3).contains(&tail.len()) || !tail.iter().all(|token| is_plain(token)) {
            return None;
        }
        // "CI uses self-hosted runners", "CI uses a shared cache": a kind of thing is one of several.
        let is_name = |token: &&Token<'_>| token.is_capital() || token.shape != Shape::Word || token.role().is_some();
        if related.role() == Some(Role::Use) && tail.len() > 1 && !tail.iter().any(is_name) {
            return None;
        }
        let is_content = related.defines && !related.is_filler();
        let before = (0..relation + usize::from(is_content)).filter(|at| !is_said(at));
        let rest = before.chain(behind.iter().copied());
        let rest: Vec<&Token<'_>> = rest.filter_map(|at| tokens.get(at)).collect();
        if !rest.iter().all(|token| is_plain_or_use(token)) {
            return None;
        }
        let mut claim = Claim::default();
        let head = rest
            .iter()
            .filter(|token| !token.is_filler() && token.role() != Some(Role::Use));
        claim.subject = head.map(|token| token.root).collect();
        let is_use = related.role() == Some(Role::Use);
        if claim.subject.len() < 2 - usize::from(is_use) {
            return None;
        }
        if related.is_filler() && !related.is(BE) {
            claim.subject.push(xxh3_64(related.lower.as_bytes()));
        }
        claim.subject.sort_unstable();
        claim.subject.dedup();
        let words: Vec<&str> = tail
            .iter()
            .map(|token| stem(token.lower.trim_start_matches('@')))
            .collect();
        let spelt: Vec<&str> = tail.iter().map(|token| token.lower.trim_start_matches('@')).collect();
        claim.values = vec![Value {
            kind: ValueKind::Predicate,
            key: xxh3_64(words.join(" ").as_bytes()),
            text: xxh3_64(spelt.join(" ").as_bytes()),
            family: None,
        }];
        claim.before = self
            .change
            .as_ref()
            .map_or_else(Vec::new, |change| named_in(within(tokens, change.before)));
        let traits = traits_of(tokens);
        claim.is_tentative = is_question || traits & traits::TENTATIVE != 0 || is_addition(tokens);
        claim.is_hearsay = traits & traits::HEARSAY != 0;
        Some(claim)
    }
}

fn is_plain_or_use(token: &Token<'_>) -> bool {
    !matches!(token.role(), Some(Role::State(..) | Role::Negation | Role::Episode))
        && !matches!(
            token.shape,
            Shape::Number(..) | Shape::Version | Shape::Time | Shape::Arrow
        )
}

/// Relation words that introduce a predicate.
const RELATIONS: &Words = words![
    "is", "are", "from", "with", "in", "on", "by", "through", "via", "to", "at", "follow", "follows", "use", "uses",
    "using", "as", "goes", "go", "under", "behind",
];

/// The number of relation words that are tried, from the last one on.
const RELATIONS_MAX: usize = 3;

fn is_relation(token: &Token<'_>) -> bool {
    token.defines || token.is(RELATIONS)
}
