//! Slot filling: splits one sentence into a subject and values.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::aside::{end_of, is_past};
use super::change::change_in;
use super::claim::{Claim, Value, ValueKind};
use super::extent::{Change, ChangeKind, is_addition};
use super::lexicon::{BE, traits};
use super::roles::Role;
use super::token::{Shape, Token, is_at, traits_of, unit_of, within};
use super::words::{Words, words};
use crate::text::stem;

/// Reads a sentence.
pub(super) fn claim_of(tokens: &[Token<'_>], is_question: bool) -> Option<Claim> {
    let end = end_of(tokens);
    let tokens = within(tokens, (0, end));
    let traits = traits_of(tokens);
    // "add: src/a.ts", as the watcher captures it, reports an event; "see docs/a.md" asserts nothing about the file.
    let is_event = |first: &Token<'_>| first.defines && first.is(words!["add", "change", "unlink"]);
    let is_pointer = |first: &Token<'_>| first.is(words!["see", "read", "look", "check", "open", "view", "inspect"]);
    let says_nothing = tokens.first().is_some_and(|first| is_event(first) || is_pointer(first));
    if says_nothing || traits & traits::EPISODE != 0 {
        return None;
    }
    let mut sentence = Sentence::of(tokens);
    let is_tentative = traits & (traits::TENTATIVE | traits::STILL) != 0 || is_addition(tokens);
    sentence.claim.is_tentative = is_question || is_tentative || is_past(tokens);
    sentence.claim.is_hearsay = traits & traits::HEARSAY != 0;
    sentence.take_change();
    sentence.take_owner();
    sentence.take_setting();
    sentence.take_rest();
    sentence.finish()
}

const SUBJECT_WORDS_MAX: usize = 12;
const OWNS: &Words = words!["owns", "maintains", "leads"];
const OWNED: &Words = words!["owned", "maintained", "led"];
const OWNER: &Words = words![
    "owner",
    "maintainer",
    "contact",
    "lead",
    "responsible",
    "charge",
    "reviewer",
    "on-call",
    "oncall",
    "owners",
];
const PREPOSITIONS: &Words = words!["with", "via", "on", "to", "by", "through", "in", "at"];
/// The family of *required* and *optional*.
const REQUIRED: u8 = 3;
/// The family of *on* and *off*.
const SWITCH: u8 = 1;
/// The owner of something, in any wording.
const OWN: &[u8] = b"own";

/// Words that say that something was so before, but not what.
const AGAIN: &Words = words!["again", "back", "went", "reverted", "rolled"];

/// Words that repeat the type of a value, by their roots.
static TOOL_NOUNS: LazyLock<Vec<u64>> =
    LazyLock::new(|| roots_of("package manager runner framework bundler linter formatter tool"));
static DAY_NOUNS: LazyLock<Vec<u64>> = LazyLock::new(|| roots_of("day"));
static VERSION_NOUNS: LazyLock<Vec<u64>> = LazyLock::new(|| roots_of("version"));

fn roots_of(words: &str) -> Vec<u64> {
    words.split(' ').map(|word| xxh3_64(stem(word).as_bytes())).collect()
}

struct Sentence<'a, 't> {
    tokens: &'a [Token<'t>],
    /// Which tokens are consumed.
    done: Vec<bool>,
    has_state: bool,
    claim: Claim,
    change: Option<Change>,
    families: Vec<u8>,
}

impl<'a, 't> Sentence<'a, 't> {
    fn of(tokens: &'a [Token<'t>]) -> Self {
        Sentence {
            done: vec![false; tokens.len()],
            has_state: tokens
                .iter()
                .any(|token| matches!(token.role(), Some(Role::State(0..=1, _)))),
            claim: Claim::default(),
            change: None,
            families: Vec::new(),
            tokens,
        }
    }

    fn consume(&mut self, (from, to): (usize, usize)) {
        let range = self.done.iter_mut().take(to).skip(from);
        range.for_each(|done| *done = true);
    }

    fn is_done(&self, at: usize) -> bool {
        self.done.get(at).is_none_or(|done| *done)
    }

    /// Returns whether there is a content word at a position that is not consumed.
    fn is_open(&self, at: usize) -> bool {
        !self.is_done(at) && self.tokens.get(at).is_some_and(|token| !token.is_filler())
    }

    fn before(&self, at: usize) -> Option<&'a Token<'t>> {
        self.tokens.get(at.checked_sub(1)?)
    }

    fn take_change(&mut self) {
        let Some(change) = change_in(self.tokens).filter(|change| change.kind != ChangeKind::Gone) else {
            return;
        };
        self.claim.before = named_in(within(self.tokens, change.before));
        change.cues.iter().for_each(|range| self.consume(*range));
        if let Some(now) = change.now {
            // What is current now is a value in any form, unless a more specific rule applies.
            let is_plain = within(self.tokens, now)
                .iter()
                .all(|token| token.shape == Shape::Word && token.role().is_none());
            if is_plain {
                self.push_words(ValueKind::Setting, now);
            }
        }
        self.change = Some(change);
    }

    /// "Ann owns billing", "billing is owned by Ann", "the owner of billing is Ann", "contact Ann for billing"
    fn take_owner(&mut self) {
        let tokens = self.tokens;
        let range = if let Some(verb) = tokens.iter().position(|token| token.is(OWNS)) {
            self.person_before(verb).map(|person| (person, (verb, verb + 1)))
        } else if let Some(verb) = tokens.iter().position(|token| token.is(OWNED)) {
            let by = tokens.get(verb + 1).filter(|token| token.is(words!["by"]));
            by.and_then(|_| self.person_behind(verb + 2))
                .map(|person| (person, (verb, verb + 1)))
        } else {
            self.owner_by_name()
        };
        let Some((person, word)) = range else { return };
        self.claim.values.retain(|value| value.kind != ValueKind::Setting);
        self.push_words(ValueKind::Owner, person);
        self.consume(word);
        self.claim.subject.push(xxh3_64(OWN));
    }

    fn owner_by_name(&self) -> Option<((usize, usize), (usize, usize))> {
        let tokens = self.tokens;
        let word = tokens.iter().position(|token| token.is(OWNER))?;
        if word == 0 && is_at(tokens, word, words!["contact"]) {
            return Some((self.person_behind(1)?, (0, 1)));
        }
        let mut places = tokens.iter().enumerate();
        let (be, copula) = places.find(|(_, token)| token.is(BE) || token.defines)?;
        let person = if be < word && !copula.defines {
            self.person_before(be)?
        } else {
            self.person_behind(be + 1)?
        };
        Some((person, (word, word + 1)))
    }

    /// The words from the beginning to `at` that name a person or team.
    fn person_before(&self, at: usize) -> Option<(usize, usize)> {
        let start = (0..at).find(|at| self.is_open(*at))?;
        let end = (start..at).rfind(|at| self.is_open(*at))? + 1;
        (end - start <= 3).then_some((start, end))
    }

    fn person_behind(&self, at: usize) -> Option<(usize, usize)> {
        let start = (at..self.tokens.len()).find(|at| self.is_open(*at))?;
        let mut end = start + 1;
        while end - start < 3 && self.goes_on_with_name(end) {
            end += 1;
        }
        Some((start, end))
    }

    fn goes_on_with_name(&self, at: usize) -> bool {
        let is_name = |token: &Token<'_>| token.is(words!["team"]) || (!token.is_filler() && token.is_capital());
        !self.is_done(at)
            && self.before(at).is_some_and(|before| !before.breaks)
            && self.tokens.get(at).is_some_and(is_name)
    }

    /// "the default branch is main", "main is the default branch"
    fn take_setting(&mut self) {
        let tokens = self.tokens;
        if self.claim.values.iter().any(|value| value.kind == ValueKind::Owner) {
            return;
        }
        let Some(setting) = tokens.iter().position(|token| token.word.is_setting) else {
            return;
        };
        let is_copula =
            |token: &Token<'_>| token.is(words!["is", "are", "to", "called", "named", "be"]) || token.defines;
        let mut places = tokens.iter().enumerate().skip(setting);
        let behind = places.find(|(at, token)| is_copula(token) && !self.is_done(*at));
        let range = match behind {
            Some((copula, _)) => self.value_range(copula + 1, tokens.len()),
            None => {
                let Some(copula) = (1..setting).find(|at| is_at(tokens, *at, words!["is", "are"])) else {
                    return;
                };
                self.value_range(0, copula)
            }
        };
        let Some((from, to)) = range else { return };
        let is_plain = |token: &Token<'_>| {
            !matches!(token.shape, Shape::Number(..) | Shape::Version | Shape::Time)
                && !matches!(token.role(), Some(Role::Tool(_) | Role::Day | Role::State(..)))
        };
        if from != setting && within(tokens, (from, to)).iter().all(is_plain) {
            self.push_words(ValueKind::Setting, (from, to));
        }
    }

    /// The content of a range, if it has only one or two words besides fillers.
    fn value_range(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let is_negation = |at: usize| self.tokens.get(at).and_then(Token::role) == Some(Role::Negation);
        let mut content = (from..to).filter(|at| self.is_open(*at) && !is_negation(*at));
        let first = content.next()?;
        let last = content.next_back().unwrap_or(first);
        (last - first < 2).then_some((first, last + 1))
    }

    fn push_words(&mut self, kind: ValueKind, range: (usize, usize)) {
        let words: Vec<&str> = within(self.tokens, range)
            .iter()
            .filter(|token| !token.is_filler())
            .map(|token| {
                token
                    .lower
                    .trim_start_matches('@')
                    .trim_start_matches("./")
                    .trim_end_matches('/')
            })
            .collect();
        self.consume(range);
        let key = xxh3_64(words.join(" ").as_bytes());
        self.claim.values.push(Value {
            kind,
            key,
            text: key,
            family: None,
        });
    }

    fn take_rest(&mut self) {
        let mut content = 0;
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let mut used = 1;
            if !self.is_done(at) {
                match token.role() {
                    _ if is_number(token) => {
                        used = self.take_number(at, token, content);
                        content += 1;
                    }
                    _ if self.switch_at(at, token).is_some() => {
                        self.claim.values.extend(self.switch_at(at, token));
                        content += 1;
                    }
                    _ if token.shape == Shape::Word && token.is(AGAIN) => {}
                    Some(Role::Negation) => self.claim.is_denied = !self.claim.is_denied,
                    Some(
                        Role::Filler
                        | Role::Since
                        | Role::Use
                        | Role::Tentative
                        | Role::Hearsay
                        | Role::Aside
                        | Role::Episode,
                    ) => {}
                    _ => {
                        self.take_word(at, token, content);
                        content += 1;
                    }
                }
            }
            at += used;
        }
    }

    /// "is on", "are off in production", "yes", "no", directly after the subject.
    fn switch_at(&self, at: usize, token: &Token<'_>) -> Option<Value> {
        let key = match token.lower {
            "on" | "yes" => 0,
            "off" | "no" => 1,
            _ => return None,
        };
        let before = self.before(at)?;
        let is_set = before.is(BE) || before.defines || before.breaks || before.is(words!["turned", "switched"]);
        let next = self.tokens.get(at + 1);
        let ends = token.breaks || next.is_none_or(|next| next.is(words!["in", "at", "for", "again", "by", "now"]));
        (is_set && ends).then_some(Value {
            kind: ValueKind::State(SWITCH),
            key,
            text: key,
            family: None,
        })
    }

    /// Returns whether a number is part of a name: "test 4", "server 2", "lesson 12: ...". This is a whole number without a unit directly
    /// after a noun that is not measured ("port 8080" and "PostgreSQL 15" are values, and so is "limit is 100").
    fn is_name_behind(&self, before: &Token<'_>, number: &Token<'_>, at: usize) -> bool {
        if before.word.is_measured || before.defines || before.breaks {
            return false;
        }
        let next = self.tokens.get(at + 1);
        let has_unit = next.is_some_and(|next| unit_of(next.lower).is_some());
        let is_whole = matches!(number.shape, Shape::Number(value, 0) if value.fract() == 0.0);
        before.word.is_numbered || (is_whole && !has_unit && matches!(before.role(), None | Some(Role::FormOf(_))))
    }

    /// Consumes a number with its unit. Returns the number of tokens.
    fn take_number(&mut self, at: usize, token: &Token<'_>, content: usize) -> usize {
        let is_name = self
            .before(at)
            .is_some_and(|before| self.is_name_behind(before, token, at))
            || (content == 0 && !self.tokens.get(at + 1).is_some_and(|next| next.is(BE)));
        // A claim that is limited to a circumstance may differ under another one.
        let is_circumstance = self.has_state;
        if is_name || is_circumstance {
            self.claim.subject.push(xxh3_64(token.lower.as_bytes()));
            return 1;
        }
        let text = xxh3_64(token.lower.as_bytes());
        let (kind, key, used) = match token.shape {
            Shape::Number(number, 0) => match self.tokens.get(at + 1).and_then(|next| unit_of(next.lower)) {
                Some((family, size)) if !token.breaks => {
                    (ValueKind::Number(family), (number * f64::from(size)).to_bits(), 2)
                }
                _ => (ValueKind::Number(0), number.to_bits(), 1),
            },
            Shape::Number(number, family) => (ValueKind::Number(family), number.to_bits(), 1),
            Shape::Version => match token.lower.trim_start_matches('v').parse::<f64>() {
                Ok(number) => (ValueKind::Number(0), number.to_bits(), 1),
                Err(_) => (
                    ValueKind::Number(0),
                    xxh3_64(token.lower.trim_start_matches('v').as_bytes()),
                    1,
                ),
            },
            _ => (ValueKind::Time, text, 1),
        };
        self.claim.values.push(Value {
            kind,
            key,
            text,
            family: None,
        });
        used
    }

    fn take_word(&mut self, at: usize, token: &Token<'_>, content: usize) {
        let value = |kind, family| Value {
            kind,
            key: xxh3_64(token.lower.trim_start_matches("./").trim_end_matches('/').as_bytes()),
            text: xxh3_64(token.lower.as_bytes()),
            family,
        };
        let found = match (token.shape, token.role()) {
            (_, Some(Role::State(family, which))) => Some(Value {
                key: u64::from(which),
                ..value(ValueKind::State(family), None)
            }),
            (_, Some(Role::Day)) if !self.has_state => Some(Value {
                key: xxh3_64(token.lower.trim_end_matches('s').as_bytes()),
                ..value(ValueKind::Day, None)
            }),
            (_, Some(Role::Tool(family))) if !self.has_state && self.is_used(at) => {
                Some(value(ValueKind::Tool, Some(family)))
            }
            (Shape::Path, _) if content > 0 && !self.has_state => Some(value(ValueKind::Path, None)),
            (Shape::Url, _) if content > 0 && !self.has_state => Some(value(ValueKind::Url, None)),
            (Shape::Flag, _) if content > 0 && !self.has_state => Some(value(ValueKind::Flag, None)),
            (Shape::Command, _) if content > 0 && !self.has_state => Some(value(ValueKind::Command, None)),
            (Shape::Word | Shape::Code, None) if self.is_object_of_use(at, token) && !self.has_state => {
                Some(value(ValueKind::Tool, None))
            }
            _ => None,
        };
        match found {
            Some(value) => {
                self.families.extend(value.family);
                self.claim.values.push(value);
            }
            None => self.claim.subject.push(token.root),
        }
    }

    /// Returns whether a tool is the value that is used, as opposed to the topic of a lesson.
    fn is_used(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).and_then(|at| self.tokens.get(at));
        let is_open =
            |back: usize| (1..=back).all(|back| before(back).is_some_and(|token| !token.breaks || token.defines));
        let uses =
            (1..=3).any(|back| is_open(back) && before(back).is_some_and(|token| token.role() == Some(Role::Use)));
        let leads =
            before(1).is_some_and(|token| token.is(PREPOSITIONS) || token.is(words!["is", "are"]) || token.defines);
        let is_now = self
            .change
            .as_ref()
            .and_then(|change| change.now)
            .is_some_and(|now| (now.0..now.1).contains(&at));
        let next = |ahead: usize| self.tokens.get(at + ahead);
        let is_said_to_be = next(1).is_some_and(|token| token.is(words!["is", "are"]))
            && next(2).is_some_and(|token| token.is(words!["used", "our", "the"]));
        uses || leads || is_now || is_said_to_be
    }

    fn is_object_of_use(&self, at: usize, object: &Token<'_>) -> bool {
        for (place, token) in self.tokens.iter().enumerate().take(at).rev() {
            if token.breaks || !(token.is(words!["a", "an", "the", "our", "only"]) || token.role() == Some(Role::Use)) {
                return false;
            }
            if token.role() == Some(Role::Use) {
                // "is used": what follows is a purpose.
                let passive = self.before(place).is_some_and(|before| before.is(BE));
                let is_named = object.shape == Shape::Code || object.is_capital();
                let is_for = self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.is(words!["for", "as", "to", "in", "on", "when"]));
                return !passive && (is_named || is_for);
            }
        }
        false
    }

    fn finish(mut self) -> Option<Claim> {
        let drop = |words: &[u64], subject: &mut Vec<u64>| subject.retain(|word| !words.contains(word));
        let has = |kind: ValueKind, values: &[Value]| values.iter().any(|value| value.kind == kind);
        let subject = &mut self.claim.subject;
        if !self.families.is_empty() {
            drop(&TOOL_NOUNS, subject);
        }
        // "Node 20 is required" gives a version and not a state.
        if self
            .claim
            .values
            .iter()
            .any(|value| !matches!(value.kind, ValueKind::State(_)))
        {
            self.claim
                .values
                .retain(|value| value.kind != ValueKind::State(REQUIRED));
        }
        if has(ValueKind::Day, &self.claim.values) {
            drop(&DAY_NOUNS, subject);
        }
        if subject.len() > 1 {
            drop(&VERSION_NOUNS, subject);
        }
        subject.sort_unstable();
        subject.dedup();
        self.claim.values.sort_unstable();
        let says_nothing = self.claim.values.is_empty() && self.claim.before.is_empty() && self.claim.subject.len() < 2;
        (!says_nothing && self.claim.subject.len() <= SUBJECT_WORDS_MAX).then_some(self.claim)
    }
}

fn is_number(token: &Token<'_>) -> bool {
    matches!(token.shape, Shape::Number(..) | Shape::Version | Shape::Time)
}

/// The words of the previous state, by which older records are found: the values among them, otherwise all.
pub(super) fn named_in(tokens: &[Token<'_>]) -> Vec<u64> {
    // "Schema" at the beginning of a sentence is not a name.
    let is_name = |token: &Token<'_>| token.is_capital() && !token.word.is_setting;
    let is_value = |token: &&Token<'_>| {
        token.shape != Shape::Word || matches!(token.role(), Some(Role::Tool(_) | Role::Day)) || is_name(token)
    };
    let content = || tokens.iter().filter(|token| !token.is_filler());
    let hash = |token: &Token<'_>| xxh3_64(token.spelling().as_bytes());
    let values: Vec<u64> = content().filter(is_value).map(hash).collect();
    if !values.is_empty() {
        return values;
    }
    let mut words: Vec<u64> = content().map(hash).collect();
    let joined: Vec<&str> = content().map(|token| token.lower).collect();
    if joined.len() > 1 {
        words.push(xxh3_64(joined.join(" ").as_bytes()));
    }
    words
}
