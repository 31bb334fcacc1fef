//! Chunking for weak evidence: splits a clause into content words and values, each with the relation to the previous one.

use xxhash_rust::xxh3::xxh3_64;

use super::change::joins;
use super::claim::ValueKind;
use super::extent::Change;
use super::keys::{hash, name_key, time_key, version_key};
use super::lexicon::word_of;
use super::phrase::{Bound, Clause, Phrase};
use super::roles::{ALWAYS, Mark, Relation, Role};
use super::token::{Shape, Token, is_at, unit_of};
use super::words::{Words, words};

/// Whether a word makes the clause hypothetical; "if" and "the team plan" do not.
pub(super) fn is_tentative(tokens: &[Token<'_>], at: usize, token: &Token<'_>) -> bool {
    let is_noun = token.is(words!["plan"]) && !is_at(tokens, at + 1, words!["to"]);
    token.role() == Some(Role::Tentative) && !(token.is(words!["if"]) && at > 0) && !is_noun
}

/// Chunks the words of a clause.
pub(super) fn read_phrases(tokens: &[Token<'_>], change: Option<Change>, clause: &mut Clause) {
    clause.phrases.reserve_exact(tokens.len().min(PHRASES_MAX));
    let reader = Reader {
        tokens,
        change,
        clause,
        relation: Relation::Start,
        at: 0,
        linked: 0,
    };
    reader.read();
}

struct Reader<'a, 't> {
    tokens: &'a [Token<'t>],
    change: Option<Change>,
    clause: &'a mut Clause,
    relation: Relation,
    /// Where it is.
    at: usize,
    /// The position after the last phrase.
    linked: usize,
}

/// Words that do not belong to the relation of two phrases.
const UNLINKED: &Words = words![
    "a",
    "an",
    "the",
    "our",
    "now",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "has",
    "have",
    "again",
    "back",
    "currently",
    "just",
    "still",
];
const FREQUENCIES: &Words = words![
    "night", "morning", "evening", "week", "weekend", "month", "quarter", "year", "day"
];
const PREPOSITIONS: &Words = words![
    "in", "on", "at", "to", "by", "with", "from", "under", "below", "via", "through", "over", "as", "after"
];
const PLAIN_LINKS: &Words = words![
    "in", "at", "on", "to", "with", "by", "from", "of", "for", "as", "via", "through", "over", "under", "and", "per",
    "into", "onto", "then", "so", "very", "not", "all", "every", "each", "any",
];

/// The maximum number of phrases; the rest of a longer clause is ignored.
const PHRASES_MAX: usize = 24;
/// The family of *open* and *closed*, behind "is".
const OPEN: u8 = 40;
/// The family of durations.
const TIME: u8 = 1;
/// The family of repetitions.
const TIMES: u8 = 6;

impl Reader<'_, '_> {
    fn read(mut self) {
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            if self.clause.phrases.len() == PHRASES_MAX {
                return;
            }
            self.at = at;
            let used = if self.is_said(at) { 1 } else { self.take(at, token) };
            let last = self.tokens.get(at + used - 1).unwrap_or(token);
            if last.defines {
                self.relation = Relation::Is;
                if self.clause.label == 0 {
                    self.clause.label = self.clause.phrases.len();
                }
            }
            at += used;
        }
    }

    fn is_said(&self, at: usize) -> bool {
        let said = |change: &Change| change.cues.iter().any(|(from, to)| (*from..*to).contains(&at));
        self.change.as_ref().is_some_and(said)
    }

    /// Consumes a token. Returns the number of tokens consumed.
    fn take(&mut self, at: usize, token: &Token<'_>) -> usize {
        let is_now = self
            .change
            .as_ref()
            .and_then(|change| change.now)
            .is_some_and(|now| now.0 == at);
        if is_now {
            self.relation = Relation::Is;
        }
        let behind_be = at
            .checked_sub(1)
            .is_some_and(|before| is_at(self.tokens, before, words!["is", "are", "was"]));
        if behind_be && token.is(words!["open", "closed"]) {
            let key = u64::from(token.is(words!["closed"]));
            self.push(key, Some(ValueKind::State(OPEN)), token, None);
            return 1;
        }
        match token.role() {
            Some(Role::Negation) => {
                self.clause.is_denied = !self.clause.is_denied;
                return 1;
            }
            Some(Role::Use) => {
                self.clause.is_used_for |= behind_be;
                self.relation = Relation::With;
                return 1;
            }
            Some(Role::Tentative) if token.is(words!["plan"]) && !is_tentative(self.tokens, at, token) => {
                self.push(token.root, None, token, None);
                return 1;
            }
            Some(Role::Hearsay) if token.raw == "May" && at > 0 => {
                self.push(hash(token.lower), None, token, None);
                return 1;
            }
            Some(Role::Episode) if token.is(words!["reverted"]) && behind_be && !self.has_from(at, "to") => {
                self.clause.is_denied = !self.clause.is_denied;
                return 1;
            }
            Some(Role::Tentative | Role::Hearsay | Role::Since | Role::Aside | Role::Episode) => return 1,
            _ => {}
        }
        let is_turned = || {
            self.tokens
                .iter()
                .take(at)
                .any(|before| before.is(words!["turned", "switched"]))
        };
        let switch =
            token.is(words!["on", "off", "yes", "no"]) && (self.relation == Relation::Is || behind_be || is_turned());
        let ends = token.breaks
            || self
                .tokens
                .get(at + 1)
                .is_none_or(|next| next.is_filler() || next.word.mark == Mark::Change);
        let is_turn = token.is(words!["turned", "switched"]);
        if is_turn && (at == 0 || is_at(self.tokens, at + 1, words!["on", "off"])) {
            self.clause.tells_change |= at == 0;
            return 1;
        }
        let is_turned_here = token.is(words!["on", "off"])
            && at
                .checked_sub(1)
                .is_some_and(|before| is_at(self.tokens, before, words!["turned", "switched"]));
        if (switch && ends) || is_turned_here {
            let key = u64::from(token.is(words!["off", "no"]));
            self.push(key, Some(ValueKind::State(1)), token, None);
            return 1;
        }
        if token.is(words!["undone", "rolled"]) && behind_be && !self.has_from(at, "to") {
            self.clause.is_denied = !self.clause.is_denied;
        }
        if token.is(words!["down", "up"]) && is_at(self.tokens, at + 1, words!["to"]) {
            self.clause.tells_change = true;
            return 1;
        }
        if self.take_relation(token) || matches!(token.word.mark, Mark::Change | Mark::Addition) {
            return 1;
        }
        // "every minute" is every 1 minute.
        if token.is(words!["every"])
            && let Some((TIME, size)) = self.tokens.get(at + 1).and_then(|next| unit_of(next.lower))
        {
            self.push(f64::from(size).to_bits(), Some(ValueKind::Number(TIME)), token, None);
            return 2;
        }
        if token.is(words!["time", "times", "timed"]) && is_at(self.tokens, at + 1, words!["out"]) {
            self.push(word_of("timeout").root, None, token, None);
            return 2;
        }
        if token.is(FREQUENCIES) && self.is_behind(words!["every", "each"]) {
            self.push(hash(token.lower), Some(ValueKind::Day), token, None);
            return 1;
        }
        let next_is_number = || {
            self.tokens
                .get(at + 1)
                .is_some_and(|next| matches!(next.shape, Shape::Number(..) | Shape::Version))
        };
        let is_language = token.is(words!["go"]) && (next_is_number() || (token.raw == "Go" && at > 0));
        let next_is_day = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.role() == Some(Role::Day));
        let is_around =
            token.word.is_around && (at > 0 || token.is(words!["max"])) && (next_is_number() || next_is_day);
        // "the team plan", "cache A"
        let is_name = token.is(words!["team", "project", "new", "current", "latest"]) || (token.raw == "A" && at > 0);
        let is_ours = token.is(words!["store", "keep", "save", "put", "run"])
            && at
                .checked_sub(1)
                .is_some_and(|before| is_at(self.tokens, before, words!["we"]));
        if is_around || is_ours {
            self.relation = Relation::Has;
        }
        let is_only = at == 0 && token.is(words!["only"]);
        let is_besides = is_around || is_ours || is_only || token.word.is_besides;
        if (token.role() == Some(Role::Filler) && !is_language && !is_name) || is_besides {
            return 1;
        }
        self.take_content(at, token)
    }

    fn has_from(&self, at: usize, word: &str) -> bool {
        self.tokens.iter().skip(at).any(|token| token.lower == word)
    }

    fn take_relation(&mut self, token: &Token<'_>) -> bool {
        let Some(relation) = token.word.relation else {
            return false;
        };
        // "set to", "is at": the last word decides, except that "equal to" means "is".
        let stays = self.relation == Relation::Is && token.is(words!["to"]);
        if !stays {
            self.relation = relation;
        }
        true
    }

    fn take_content(&mut self, at: usize, token: &Token<'_>) -> usize {
        let is_pronoun = token.is(words!["one"]) && (token.breaks || at + 1 == self.tokens.len());
        let number = token.word.number.filter(|_| !is_pronoun).map(f64::from);
        match (token.shape, token.role()) {
            (Shape::Number(number, 0), _) => return self.take_number(at, token, number),
            (Shape::Word, None) if number.is_some() => return self.take_number(at, token, number.unwrap_or(0.0)),
            (Shape::Number(number, family), _) => {
                self.push(number.to_bits(), Some(ValueKind::Number(family)), token, None)
            }
            (Shape::Version, _) => self.push(version_key(token.lower), Some(ValueKind::Number(0)), token, None),
            (Shape::Time, _) => {
                let is_late = is_at(self.tokens, at + 1, words!["pm"]) || token.lower.ends_with("pm");
                self.push(time_key(token.lower, is_late), Some(ValueKind::Time), token, None);
                return 1 + usize::from(is_at(self.tokens, at + 1, words!["am", "pm"]));
            }
            (_, Some(Role::State(ALWAYS, which))) => self.clause.is_denied ^= which == 1,
            (_, Some(Role::State(family, which))) => {
                self.push(u64::from(which), Some(ValueKind::State(family)), token, None);
            }
            (_, Some(Role::Day)) => self.push(
                hash(token.lower.trim_end_matches('s')),
                Some(ValueKind::Day),
                token,
                None,
            ),
            (_, Some(Role::Tool(family))) => self.push(token.root, Some(ValueKind::Tool), token, Some(family)),
            (Shape::Flag, _) => self.take_flag(token),
            // "Fly.io" is a name.
            (Shape::Path | Shape::Url, _) if token.is_capital() && !token.lower.contains('/') => {
                self.push(name_key(token.lower), None, token, None);
            }
            (Shape::Path, _) => self.push(name_key(token.lower), Some(ValueKind::Path), token, None),
            (Shape::Url, _) => self.push(name_key(token.lower), Some(ValueKind::Url), token, None),
            (Shape::Command, _) => self.push(name_key(token.lower), Some(ValueKind::Command), token, None),
            (Shape::Code, _) => self.push(name_key(token.lower), None, token, None),
            (Shape::Arrow, _) if joins(self.tokens, at) => {}
            (Shape::Arrow, _) => self.relation = Relation::Is,
            _ if pinned(token.lower).is_some() => self.take_pinned(token),
            _ => self.push(token.root, None, token, None),
        }
        1
    }

    fn take_number(&mut self, at: usize, token: &Token<'_>, number: f64) -> usize {
        if token.word.is_times {
            self.push(number.to_bits(), Some(ValueKind::Number(TIMES)), token, None);
            return 1;
        }
        let unit = self.tokens.get(at + 1).and_then(|next| unit_of(next.lower));
        match unit.filter(|_| !token.breaks) {
            Some((family, size)) => {
                let key = (number * f64::from(size)).to_bits();
                self.push(key, Some(ValueKind::Number(family)), token, None);
                2
            }
            None => {
                self.push(number.to_bits(), Some(ValueKind::Number(0)), token, None);
                1
            }
        }
    }

    /// "actions/checkout@v4" is a name and its version.
    fn take_pinned(&mut self, token: &Token<'_>) {
        let Some((name, version)) = pinned(token.lower) else {
            return;
        };
        self.push(hash(name), None, token, None);
        self.relation = Relation::Is;
        self.push(version_key(version), Some(ValueKind::Number(0)), token, None);
    }

    /// "--concurrency=4" is a name and its value.
    fn take_flag(&mut self, token: &Token<'_>) {
        let Some((name, value)) = token.lower.split_once('=') else {
            self.push(hash(token.lower), Some(ValueKind::Flag), token, None);
            return;
        };
        self.push(hash(name), None, token, None);
        self.relation = Relation::Is;
        let (key, kind) = match value.parse::<f64>() {
            Ok(number) => (number.to_bits(), Some(ValueKind::Number(0))),
            Err(_) => (hash(value), None),
        };
        self.push(key, kind, token, None);
    }

    fn push(&mut self, key: u64, kind: Option<ValueKind>, token: &Token<'_>, family: Option<u8>) {
        let relation = match self.relation {
            Relation::Start if !self.clause.phrases.is_empty() => Relation::Next,
            relation => relation,
        };
        let before = self.clause.phrases.last();
        let is_listed = before.is_some_and(|_| self.breaks_before());
        let opens = match relation {
            Relation::Is | Relation::With | Relation::Place => Some(relation),
            Relation::Other if self.is_behind(words!["per"]) => Some(Relation::With),
            // "a cap of 20 connections"
            Relation::Other if self.is_behind(words!["of"]) && matches!(kind, Some(ValueKind::Number(_))) => {
                Some(Relation::With)
            }
            _ if matches!(kind, Some(ValueKind::Day | ValueKind::State(_))) => Some(Relation::Is),
            // A date after a title is when it was written.
            _ if kind == Some(ValueKind::Time) && token.lower.contains(':') => Some(Relation::Is),
            Relation::Has if matches!(kind, Some(ValueKind::Number(_))) => Some(Relation::With),
            _ if matches!(kind, Some(ValueKind::Number(1..))) => Some(Relation::Is),
            // "Two reviewers are needed"
            Relation::Start if matches!(kind, Some(ValueKind::Number(0))) => Some(Relation::With),
            Relation::Next if is_listed => before.and_then(|before| before.opens),
            Relation::Next => {
                let is_second = self.clause.phrases.len() > 1;
                before.and_then(|before| opening_behind(before, is_second, kind, token))
            }
            _ => None,
        };
        let salted = match kind {
            Some(ValueKind::State(family)) => xxh3_64(&[family, u8::try_from(key).unwrap_or(u8::MAX), 0x73]),
            _ => key,
        };
        let (link, is_acted) = self.link();
        self.clause.phrases.push(Phrase {
            key: salted,
            link,
            is_acted,
            is_problem: token.word.is_problem,
            is_slashed: token.lower.contains('/') && token.shape == Shape::Word,
            preposition: self.preposition(),
            bound: self.token_before().and_then(Bound::of),
            program: match kind {
                Some(ValueKind::Command) => hash(token.lower.split(' ').next().unwrap_or_default()),
                _ => 0,
            },
            is_constant: token.raw.len() > 3 && token.raw.bytes().all(|byte| byte.is_ascii_uppercase()),
            text: hash(token.spelling()),
            kind,
            family,
            relation,
            opens,
            mark: if kind.is_none() { token.word.mark } else { Mark::None },
            is_distinct: is_distinct(token),
            is_quality: is_quality(token) && !self.is_defined(),
            is_name: token.is_capital(),
            is_definite: relation == Relation::Is && self.is_behind(words!["the"]),
            is_attribute: token.word.is_setting || token.word.is_measured,
            is_numbered: token.word.is_numbered,
            is_measured: token.word.is_measured && !token.is(words!["port"]) || token.is(words!["go"]),
            is_acronym: token.raw.len() > 1 && token.raw.bytes().all(|byte| byte.is_ascii_uppercase()),
            is_verb: kind.is_none()
                && token.lower.ends_with('s')
                && !token.lower.ends_with("ss")
                && !token.word.is_numbered,
            is_office: token.role() == Some(Role::FormOf("own")) || token.word.is_office,
        });
        self.relation = Relation::Next;
        self.linked = self.at + 1;
    }

    fn preposition(&self) -> u64 {
        let between = self.tokens.get(self.linked..self.at).unwrap_or_default();
        between
            .iter()
            .rfind(|token| token.is(PREPOSITIONS))
            .map_or(0, |token| hash(token.lower))
    }

    /// The words since the previous phrase, and whether they contain a verb.
    fn link(&self) -> (u64, bool) {
        let between = self.tokens.get(self.linked..self.at).unwrap_or_default();
        let (mut joined, mut is_acted) = (0_u64, false);
        for token in between.iter().filter(|token| !token.is(UNLINKED)) {
            joined = joined.rotate_left(5) ^ hash(token.lower);
            is_acted |= !token.is(PLAIN_LINKS) && token.role() != Some(Role::Use);
        }
        (joined, is_acted)
    }

    /// "cdn: fastly"
    fn is_defined(&self) -> bool {
        self.token_before().is_some_and(|before| before.defines)
    }

    fn is_behind(&self, words: &Words) -> bool {
        self.token_before().is_some_and(|before| before.is(words))
    }

    fn token_before(&self) -> Option<&Token<'_>> {
        self.tokens.get(self.at.checked_sub(1)?)
    }

    fn breaks_before(&self) -> bool {
        self.token_before()
            .is_some_and(|before| before.breaks || before.is(words!["and", "+", "&"]))
    }
}

/// The relation of a value directly after a word: "port 8080", "Node 20", "webpack 5.1", "--jobs 4", "binds 5000".
fn opening_behind(before: &Phrase, is_second: bool, kind: Option<ValueKind>, token: &Token<'_>) -> Option<Relation> {
    let is_number = matches!(kind, Some(ValueKind::Number(_)));
    let is_release = token.shape == Shape::Version || token.lower.contains('.');
    let is_verb = token.role() == Some(Role::FormOf("own")) || token.word.is_office;
    // "the cache key contains"
    let is_act = kind.is_none()
        && token.lower.len() > 5
        && token.lower.ends_with('s')
        && !token.is_capital()
        && token.lower.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_noun = (before.is_attribute || (before.mark == Mark::Generic && !before.is_office))
        && !is_verb
        && !is_act
        && !before.is_numbered
        && is_second;
    let is_measured = is_number
        && (is_release
            || before.family.is_some()
            || before.is_measured
            || ((before.is_verb || before.is_acronym) && is_second && !before.is_numbered));
    // "needs Helm 3"
    let is_release_of =
        is_number && before.is_name && before.relation != Relation::Start && is_second && !before.is_numbered;
    let is_flag = before.kind == Some(ValueKind::Flag) && kind != Some(ValueKind::Flag);
    let is_part = is_number && before.opens.is_some();
    (is_noun || is_measured || is_release_of || is_flag || is_part).then(|| before.opens.unwrap_or(Relation::Is))
}

fn pinned(lower: &str) -> Option<(&str, &str)> {
    let (name, version) = lower.rsplit_once('@')?;
    let digits = version.trim_start_matches('v');
    (!name.is_empty() && digits.starts_with(|c: char| c.is_ascii_digit())).then_some((name, version))
}

fn is_quality(token: &Token<'_>) -> bool {
    const ENDINGS: [&str; 12] = [
        "ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ish", "ly", "ant", "ent",
    ];
    let is_plain = token.shape == Shape::Word && !token.is_capital();
    let ends = |ending: &&str| token.lower.len() > ending.len() + 2 && token.lower.ends_with(*ending);
    is_plain && (token.word.is_quality || ENDINGS.iter().any(ends))
}

fn is_distinct(token: &Token<'_>) -> bool {
    match token.shape {
        Shape::Path | Shape::Url | Shape::Command | Shape::Code => token.lower.len() > 3,
        Shape::Flag => true,
        _ => false,
    }
}
