//! The outline of a text: its content words in order, its values, and what it says about itself. It does not depend on the structure of the
//! sentences, so that texts in different words can be compared.

use super::keys::{hash, key_of};
use super::lexicon::{BE, traits};
use super::roles::{Mark, Relation, Role};
use super::token::{Shape, Token, Tokens, unit_of, within};
use super::words::{Words, words};

/// The maximum number of content words; the rest of a longer text is ignored.
const TERMS_MAX: usize = 48;
/// The maximum number of words of the subject.
const HEAD_MAX: usize = 4;
/// The distance in tokens within which a word of change is about a content word.
const NEAR_MAX: usize = 4;

/// A content word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term {
    pub key: u64,
    /// The hash of its first letters, which are mostly the same for all forms of a word; 0 for a short word or a name.
    pub stub: u64,
    /// The hash of its letters, for a name with digits: "E1021"; 0 for others.
    pub mask: u64,
    /// How much it identifies what the text is about.
    pub weight: f32,
    /// Whether it is one of the words before the first verb or colon.
    pub is_head: bool,
    /// Whether it distinguishes two things of one kind: "staging".
    pub is_qualifier: bool,
    /// Whether words nearby say that it has ended or was replaced.
    pub is_ended: bool,
    /// Whether it follows "for" or "of".
    pub is_foot: bool,
}

/// A value with its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Given {
    /// The type: values of the same type can replace each other.
    pub kind: u16,
    pub key: u64,
    /// The content word before it.
    pub after: u64,
}

impl Given {
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, KIND_NUMBER | KIND_VERSION)
    }

    pub(super) fn has_unit(&self) -> bool {
        (KIND_NUMBER + 1..KIND_TOOL).contains(&self.kind) || self.kind == KIND_TIME
    }

    pub(super) fn is_typed(&self) -> bool {
        matches!(self.kind, KIND_DAY | KIND_PLACE | KIND_FLAG | KIND_COMMAND) || self.kind >= KIND_TOOL
    }

    pub(super) fn is_name(&self) -> bool {
        self.kind == KIND_NAME
    }
}

/// The outline of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    pub(super) terms: Vec<Term>,
    pub(super) values: Vec<Given>,
    /// Names that consist of a word and a number or letter: "server 2", "node C".
    pub(super) numbered: Vec<(u64, u64)>,
    /// Whether it says that something has changed.
    pub(super) tells_change: bool,
    /// Whether it says that something is true in addition.
    pub(super) adds: bool,
    /// Whether it is a plan or a question.
    pub(super) is_open: bool,
    /// Whether it looks back.
    pub(super) is_past: bool,
    /// Whether it reports a single event.
    pub(super) is_event: bool,
    /// Whether it is hearsay.
    pub(super) is_hearsay: bool,
    /// Whether it contains a negation.
    pub(super) is_denied: bool,
    /// Whether it says that something is unchanged.
    pub(super) is_restated: bool,
    /// Whether it refers to the future.
    pub(super) is_ahead: bool,
    /// Whether it is true under a condition.
    pub(super) is_conditional: bool,
}

impl Outline {
    /// Returns the outline of a text.
    pub(super) fn of(tokens: &Tokens<'_>) -> Self {
        let list = &tokens.list;
        let mut outline = Outline {
            is_open: tokens.questions & 1 == 1,
            ..Outline::default()
        };
        outline.take_traits(list);
        let mut is_head = true;
        let mut before = 0;
        for (at, token) in list.iter().enumerate() {
            is_head &= token.sentence == 0 && outline.terms.len() < HEAD_MAX && !is_verb(token, at);
            if let Some(given) = given_by(list, at, before) {
                outline.take_value(list, at, given);
            }
            if let Some(term) = term_of(token) {
                let is_ended = is_ended(list, at);
                if outline.terms.len() < TERMS_MAX {
                    outline.terms.push(Term {
                        is_head,
                        is_ended,
                        is_foot: is_foot(list, at),
                        ..term
                    });
                }
                before = term.key;
            }
            is_head &= !token.defines;
        }
        outline
    }

    /// Whether it says nothing that changes another text: an addition, a plan, a question, a look back, a single event.
    pub(super) fn asserts_nothing(&self) -> bool {
        let is_open = self.is_open && !self.is_hearsay;
        self.adds || self.is_past || self.is_event || self.is_restated || self.is_ahead || is_open
    }

    fn take_traits(&mut self, list: &[Token<'_>]) {
        let bits = list.iter().fold(0, |bits, token| bits | token.word.traits);
        let any = |words: &Words| list.iter().any(|token| token.is(words));
        self.tells_change = bits & traits::CHANGE != 0
            || bits & traits::OUTLINE_CHANGE != 0
            || list
                .iter()
                .any(|token| token.role() == Some(Role::Since) || token.shape == Shape::Arrow);
        self.is_ahead = bits & traits::OUTLINE_AHEAD != 0;
        self.is_conditional = list
            .iter()
            .any(|token| token.word.relation == Some(Relation::When) && !token.is(words!["before", "after"]))
            || any(words!["during", "unless", "last"]);
        self.is_restated = bits & traits::RESTATED != 0;
        self.adds = list
            .iter()
            .any(|token| token.is(words!["zusätzlich", "ebenfalls", "both", "rejected", "too"]))
            || bits & traits::ADDITION != 0;
        self.is_hearsay = bits & traits::HEARSAY != 0;
        self.is_open |= bits & traits::TENTATIVE != 0;
        let year =
            |token: &Token<'_>| matches!(token.shape, Shape::Number(year, 0) if (1990.0..2100.0).contains(&year));
        let in_year = |pair: &[Token<'_>]| matches!(pair, [one, next] if one.is(words!["in"]) && year(next));
        let was_number = |pair: &[Token<'_>]| matches!(pair, [one, next] if one.is(words!["was", "were"]) && matches!(next.shape, Shape::Number(..)));
        let is_measured_then = !self.tells_change && list.windows(2).any(was_number);
        self.is_past = is_measured_then
            || list.windows(2).any(in_year)
            || list.first().is_some_and(|first| {
                first.is(words![
                    "history",
                    "historically",
                    "formerly",
                    "originally",
                    "previously"
                ])
            });
        self.is_event = list.first().is_some_and(|first| {
            first.is(words![
                "fixed",
                "released",
                "deployed",
                "todo",
                "met",
                "see",
                "read",
                "incident",
                "tried",
                "post-mortem",
                "postmortem",
                "considered",
                "benchmark",
                "finding",
                "ticket",
                "bug"
            ]) || (first.shape == Shape::Time)
        });
        self.is_denied = list.iter().any(|token| token.role() == Some(Role::Negation));
    }

    fn take_value(&mut self, list: &[Token<'_>], at: usize, given: Given) {
        // "server 2", "test 4", "node C"
        let is_numbered = at
            .checked_sub(1)
            .and_then(|before| list.get(before))
            .is_some_and(|noun| {
                noun.shape == Shape::Word
                    && !noun.defines
                    && !noun.is_filler()
                    && !noun.word.is_measured
                    && noun.word.relation.is_none()
                    && noun.word.mark != Mark::Change
                    && (noun.word.is_numbered || at < 3)
            });
        let goes_on =
            |token: &Token<'_>| !token.breaks && list.get(at + 1).is_some_and(|next| next.sentence == token.sentence);
        let is_short = given.kind == KIND_NUMBER
            && list
                .get(at)
                .is_some_and(|token| token.lower.len() <= 4 && goes_on(token));
        let is_letter = given.kind == KIND_LETTER;
        if is_numbered && (is_short || is_letter) {
            self.numbered.push((given.after, given.key));
        }
        if !is_letter {
            self.values.push(given);
        }
    }
}

/// A number: the family of its unit is added.
const KIND_NUMBER: u16 = 0x100;
const KIND_VERSION: u16 = 1;
const KIND_TIME: u16 = 3;
const KIND_PLACE: u16 = 4;
const KIND_FLAG: u16 = 6;
const KIND_COMMAND: u16 = 7;
const KIND_DAY: u16 = 2;
const KIND_NAME: u16 = 8;
const KIND_LETTER: u16 = 9;
/// A tool or a state: its family is added.
const KIND_TOOL: u16 = 0x200;
const KIND_STATE: u16 = 0x400;

/// The value that a token gives.
fn given_by(list: &[Token<'_>], at: usize, after: u64) -> Option<Given> {
    let token = list.get(at)?;
    let given = |kind: u16, key: u64| Some(Given { kind, key, after });
    match token.shape {
        Shape::Number(value, 0) => {
            let unit = list.get(at + 1).and_then(|next| unit_of(next.lower));
            match unit {
                Some((family, size)) => given(KIND_NUMBER + u16::from(family), (value * f64::from(size)).to_bits()),
                None => given(KIND_NUMBER, value.to_bits()),
            }
        }
        Shape::Number(value, family) => given(KIND_NUMBER + u16::from(family), value.to_bits()),
        Shape::Version => given(KIND_VERSION, hash(token.lower)),
        Shape::Time => given(KIND_TIME, hash(token.lower)),
        Shape::Path | Shape::Url => given(KIND_PLACE, key_of(token)),
        Shape::Flag => given(KIND_FLAG, key_of(token)),
        Shape::Command => given(KIND_COMMAND, key_of(token)),
        Shape::Word => match token.role() {
            Some(Role::Day) => given(KIND_DAY, token.root),
            Some(Role::State(family, which)) => given(KIND_STATE + u16::from(family), u64::from(which)),
            Some(Role::Tool(family)) => given(KIND_TOOL + u16::from(family), token.root),
            _ if token.lower.len() == 1 && token.is_capital() => given(KIND_LETTER, token.root),
            None if token.is_capital() && at > 0 => given(KIND_NAME, token.root),
            _ => None,
        },
        Shape::Code | Shape::Arrow => None,
    }
}

/// The content word that a token is.
fn term_of(token: &Token<'_>) -> Option<Term> {
    let is_word = token.shape == Shape::Word;
    let is_number = matches!(token.shape, Shape::Number(..) | Shape::Time | Shape::Arrow);
    let is_function = is_word
        && (token.is_filler()
            || matches!(
                token.role(),
                Some(
                    Role::Negation
                        | Role::Aside
                        | Role::Hearsay
                        | Role::Tentative
                        | Role::Unit(..)
                        | Role::State(..)
                        | Role::Use
                )
            )
            || token.word.relation.is_some()
            || matches!(token.word.mark, Mark::Change | Mark::Addition)
            || token.word.traits & traits::EMPTY != 0
            || token.lower.len() < 2);
    if is_number || is_function {
        return None;
    }
    let weight = match token.word.mark {
        _ if !is_word => 1.5,
        Mark::Generic => 0.4,
        _ if token.word.is_quality || token.word.is_besides || token.word.is_of_change => 0.3,
        _ if token.role() == Some(Role::Episode) => 0.3,
        _ => 1.0,
    };
    Some(Term {
        key: key_of(token),
        stub: stub_of(token),
        mask: mask_of(token),
        weight,
        is_head: false,
        is_qualifier: token.word.mark == Mark::Qualifier,
        is_ended: false,
        is_foot: false,
    })
}

/// The letters of a word that its forms have in common.
const STUB_BYTES: usize = 5;

fn stub_of(token: &Token<'_>) -> u64 {
    let stub = token.lower.get(..STUB_BYTES);
    let is_plain = token.shape == Shape::Word && token.lower.len() > STUB_BYTES;
    stub.filter(|_| is_plain).map_or(0, hash)
}

fn mask_of(token: &Token<'_>) -> u64 {
    let is_coded =
        matches!(token.shape, Shape::Code | Shape::Path) && token.lower.bytes().any(|byte| byte.is_ascii_digit());
    if !is_coded {
        return 0;
    }
    let letters: String = token.lower.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    if letters.is_empty() { 0 } else { hash(&letters) }
}

/// Whether the subject ends at a token.
fn is_verb(token: &Token<'_>, at: usize) -> bool {
    at > 0
        && (token.is(BE)
            || token.role() == Some(Role::Use)
            || matches!(token.word.relation, Some(Relation::Has | Relation::When))
            || token.word.is_office
            || token.is(words![
                "lives", "sits", "goes", "go", "happens", "starts", "stands", "located", "points", "must", "should",
                "can", "cannot", "does", "do"
            ]))
}

/// "for Oracle", "of the store"
fn is_foot(list: &[Token<'_>], at: usize) -> bool {
    let back = |by: usize| at.checked_sub(by).and_then(|before| list.get(before));
    let links = |token: &Token<'_>| token.is(words!["for", "of", "für", "pour", "para"]);
    let is_article = |token: &Token<'_>| token.is(words!["the", "a", "an", "our", "customer", "all"]);
    back(1).is_some_and(|before| links(before) || (is_article(before) && back(2).is_some_and(links)))
}

/// Whether a word nearby says that something has ended.
fn is_ended(list: &[Token<'_>], at: usize) -> bool {
    let sentence = list.get(at).map_or(0, |token| token.sentence);
    let near = within(list, (at.saturating_sub(NEAR_MAX), (at + NEAR_MAX + 1).min(list.len())));
    near.iter()
        .any(|token| token.sentence == sentence && token.word.traits & traits::ENDS != 0)
}
