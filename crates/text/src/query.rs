//! Parses a query into words and their index terms.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::common::{COMMON_WEIGHT, common_among};
use super::fold;
use super::identifier::parts_of;
use super::lexicon::{is_stop_word, pairs};
use super::numerals::{Numerals, currency_behind, is_code, is_digits, is_month, is_unit, spellings_of, split_unit};
use super::snowball::{stem, transliterate};
use super::terms::{TermHash, number_text, pair_term, second_term, spelling_term, stem_term};
use super::tokenization::{Token, each_token, is_spaceless, normalize};

/// The weight of the spelling, in addition to that of the stem.
pub const SPELLING_WEIGHT: f32 = 0.3;
/// The weight of a part of an identifier in the query.
const PART_WEIGHT: f32 = 0.7;
/// The weights of numbers: with signs between the digits, the parts of those, codes, and others with their units and months.
struct Numbers {
    whole: f32,
    part: f32,
    code: f32,
    digits: f32,
}

impl Numbers {
    /// True of the numbers of a question.
    fn are_asked(&self) -> bool {
        self.code > 1.0
    }

    /// Returns the weight of a run that is no part of a number with signs, by itself and by the run before it.
    fn weight_of(&self, run: &str, before: &Before<'_>) -> f32 {
        if self.are_asked() && run.len() > 1 && run.bytes().all(|byte| byte == b'0') {
            return self.part;
        }
        if is_code(run) || before.names(run) {
            return self.code;
        }
        if is_digits(run) && run.len() > 1 {
            self.digits
        } else {
            1.0
        }
    }
}

/// What stands before a run.
#[derive(Debug, Clone, Default)]
struct Before<'q> {
    /// Folded.
    run: String,
    /// What is between the two.
    gap: &'q str,
}

impl Before<'_> {
    /// True if both are one name: `OPS-1347`, `db-17`, `worker.go:212`.
    fn names(&self, run: &str) -> bool {
        is_digits(run) && !is_digits(&self.run) && matches!(self.gap, "-" | ":" | "#" | ".")
    }

    /// Returns the number of both, the other one where it says what the number is of, and whether it is told with the number: a name, a unit, a
    /// month, and not what is counted.
    fn number_with<'r>(&'r self, run: &'r str) -> Option<(&'r str, &'r str, bool)> {
        let (number, word) = if is_digits(run) {
            (run, self.run.as_str())
        } else {
            (self.run.as_str(), run)
        };
        if !is_digits(number) || is_digits(word) {
            return None;
        }
        let is_told = self.names(run) || is_month(word) || (word == run && (self.gap == "-" || is_unit(word)));
        (is_told || (word == run && matches!(self.gap, "" | " ") && !is_stop_word(word)))
            .then_some((number, word, is_told))
    }
}

/// The parentheses of a text, in which numbers are named in passing: `fix the export (OPS-1347)`.
#[derive(Debug, Default)]
struct Parens {
    read: usize,
    open: usize,
}

impl Parens {
    /// True if a place is within some; places are ascending.
    fn are_around(&mut self, text: &str, at: usize) -> bool {
        for byte in text.as_bytes().get(self.read..at).unwrap_or_default() {
            match byte {
                b'(' => self.open += 1,
                b')' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
        self.read = self.read.max(at);
        self.open > 0
    }
}

/// In a text that is compared with others, a number is a word.
const AS_WORDS: Numbers = Numbers {
    whole: 1.0,
    part: PART_WEIGHT,
    code: 1.0,
    digits: 1.0,
};

/// Who asks for a number wants that one, and not its neighbour with the same words. Measured on sets of cases that were written without a look at the
/// rule (eval/data/exact-*.jsonl): each record alone with its neighbours, 357 of 391 come first, and 331 among all of a set; without the weights
/// 65 and 21 of the first 143. Titles of commits name numbers that their texts do not have: of these .532 have the right one first instead of .537
/// (eval, set `commits`).
const AS_ASKED: Numbers = Numbers {
    whole: 12.0,
    part: 0.1,
    code: 6.0,
    digits: 3.0,
};

/// The weight of what an abbreviation stands for, and of the abbreviation of a word: less than that of the word itself.
const ALIAS_WEIGHT: f32 = 0.6;
/// The weight of a word that was joined from two neighbours.
const JOINED_WEIGHT: f32 = 0.3;

/// The number of other words in a question from which on a number in it weighs less.
const ASKED_WORDS: f32 = 6.0;
/// The maximum number of words before the colon of a title.
const LABEL_WORDS_MAX: usize = 3;

/// The maximum number of words in a query.
const WORDS_MAX: usize = 32;

/// A word of the query, with the posting lists to read.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryWord {
    /// The word as it was typed, folded, to show the matching words.
    pub text: String,
    /// The terms of the word: its stem, and the stem of its alternative spelling. No text has several of them for one
    /// word.
    pub stems: Vec<TermHash>,
    /// The terms of the spellings, where they differ from the stem.
    pub spellings: Vec<TermHash>,
    /// The terms of what means the same by convention (`k8s`, Kubernetes), each with its weight relative to that of the word.
    pub aliases: Vec<(TermHash, f32)>,
    /// The weight of the word: 1, or less for a part of an identifier and for a replacement.
    pub weight: f32,
    /// True if it is a stop word.
    pub common: bool,
    /// True if it is an identifier whose parts are words of the query as well.
    pub has_parts: bool,
    /// False of what was made from others: joined from two neighbours, or a date as a number. It counts when it is found, and is not missed.
    pub is_typed: bool,
    /// The stem of the word beside it that says what its number is of: `KB` of `512 KB`.
    pub number_of: Option<TermHash>,
}

impl QueryWord {
    /// Returns the query word for a folded spelling.
    pub fn of(text: &str, weight: f32) -> Self {
        let stem = stem(text);
        let mut stems = vec![stem_term(&stem)];
        stems.extend(transliterate(text).map(|second| stem_term(&second)));
        if ["ae", "oe", "ue", "aa"].iter().any(|vowels| text.contains(vowels)) {
            stems.push(second_term(&stem));
        }
        let spellings = if stem == text {
            Vec::new()
        } else {
            vec![spelling_term(text)]
        };
        QueryWord {
            text: text.to_owned(),
            stems,
            spellings,
            aliases: Vec::new(),
            weight,
            common: is_stop_word(text),
            has_parts: false,
            is_typed: true,
            number_of: None,
        }
    }

    /// Returns the query word for what has no other forms: a pair of characters, a sign, a name with one.
    fn of_term(text: String, term: impl Fn(&str) -> TermHash) -> Self {
        QueryWord {
            stems: vec![term(&text)],
            text,
            spellings: Vec::new(),
            aliases: Vec::new(),
            weight: 1.0,
            common: false,
            has_parts: false,
            is_typed: true,
            number_of: None,
        }
    }

    /// Returns the query word that two neighbours make together.
    pub fn joined(text: &str) -> Self {
        QueryWord {
            is_typed: false,
            ..QueryWord::of(text, JOINED_WEIGHT)
        }
    }

    /// Returns the query word for other spellings of a number.
    fn spelled(spellings: &[String], weight: f32) -> Option<Self> {
        let mut terms = spellings.iter().map(|spelling| stem_term(spelling));
        let first = terms.next()?;
        let mut word = QueryWord::of_term(spellings.first()?.clone(), |_| first);
        word.stems.extend(terms);
        Some(QueryWord {
            weight,
            is_typed: false,
            ..word
        })
    }

    /// Returns every term of the word with its weight.
    pub fn lists(&self) -> impl Iterator<Item = (TermHash, f32)> + '_ {
        let stems = self.stems.iter().map(|term| (*term, self.weight));
        let spellings = self.spellings.iter();
        let aliases = self.aliases.iter().map(|(term, weight)| (*term, self.weight * weight));
        stems
            .chain(spellings.map(|term| (*term, self.weight * SPELLING_WEIGHT)))
            .chain(aliases)
    }

    /// Returns the terms of which a text that has the word, or what means the same, has one.
    pub fn meant(&self) -> impl Iterator<Item = TermHash> + '_ {
        self.stems
            .iter()
            .copied()
            .chain(self.aliases.iter().map(|(term, _)| *term))
    }

    fn add_alias(&mut self, text: &str) {
        let words = text.split_ascii_whitespace();
        let weight = ALIAS_WEIGHT / words.clone().count().max(1) as f32;
        for word in words {
            let stems = QueryWord::of(word, 1.0).stems.into_iter();
            for term in stems.filter(|term| !self.stems.contains(term)) {
                if self.aliases.iter().all(|(known, _)| *known != term) {
                    self.aliases.push((term, weight));
                }
            }
        }
    }
}

/// Abbreviations and what they stand for, by either of the two: the words of the one, and the text of the other.
static ALIASES: LazyLock<FxHashMap<&str, Vec<Alias>>> = LazyLock::new(|| {
    let mut aliases: FxHashMap<&str, Vec<Alias>> = FxHashMap::default();
    for (short, long) in pairs("alias") {
        for (one, other) in [(short, long), (long, short)] {
            let words: Vec<&str> = one.split_ascii_whitespace().collect();
            let first = words.first().copied().unwrap_or_default();
            aliases.entry(first).or_default().push((words, other));
        }
    }
    aliases
});

type Alias = (Vec<&'static str>, &'static str);

/// Adds to words what means the same. Several words that stand for one have to stand side by side.
fn add_aliases(words: &mut [QueryWord]) {
    for at in 0..words.len() {
        let known = words.get(at).and_then(|word| ALIASES.get(word.text.as_str()));
        for (phrase, other) in known.into_iter().flatten() {
            let Some(said) = words.get_mut(at..at + phrase.len()) else {
                continue;
            };
            if said.iter().zip(phrase).all(|(word, wanted)| word.text == *wanted) {
                said.iter_mut().for_each(|word| word.add_alias(other));
            }
        }
    }
}

/// Returns the words of a text in order, words with the same stem once.
pub fn query_words(text: &str) -> Vec<QueryWord> {
    words_of(text, &AS_WORDS)
}

/// Returns the common words of the language of a question, where it is another one than English.
pub(super) fn common_in(words: &[QueryWord]) -> Option<&'static FxHashSet<String>> {
    let in_english = words.iter().filter(|word| word.common).count();
    common_among(words.iter().map(|word| word.text.as_str()), in_english)
}

/// Returns the words of a question, in which a number weighs more than a word. In a longer text it is not what is asked for.
pub fn asked_words(query: &str) -> Vec<QueryWord> {
    let numbers = if is_title(query) { &AS_WORDS } else { &AS_ASKED };
    let mut words = words_of(query, numbers);
    let plain = words.iter().filter(|word| !word.common && word.weight == 1.0);
    // Each letter of a script without spaces begins a pair.
    let plain: f32 = plain
        .map(|word| if word.text.starts_with(is_spaceless) { 0.5 } else { 1.0 })
        .sum();
    let share = ASKED_WORDS / plain.max(ASKED_WORDS);
    for word in words.iter_mut().filter(|word| word.weight > 1.0) {
        word.weight = 1.0 + (word.weight - 1.0) * share * share;
    }
    words
}

/// True of the title of a change, which names numbers that its text does not have: `fix(export): bump netkit to 1.4.2`.
pub fn is_title(query: &str) -> bool {
    let label = query.split_once(": ").map(|(label, _)| label);
    label.is_some_and(|label| label.split_whitespace().count() <= LABEL_WORDS_MAX)
}

fn words_of(query: &str, numbers: &Numbers) -> Vec<QueryWord> {
    let mut found: Vec<QueryWord> = Vec::new();
    // A character of a script without spaces is searched alone only when it has no neighbour.
    let mut alone: Option<char> = None;
    let single = |c: char| QueryWord::of_term(String::from(c), stem_term);
    let mut number_end = 0;
    let mut parens = Parens::default();
    let mut before = Before::default();
    let mut numerals = Numerals::default();
    let mut run_end = 0;
    let query = normalize(query);
    let asked = numbers.are_asked();
    each_token(&query, |at, token| {
        let numbers = if parens.are_around(&query, at) {
            &AS_WORDS
        } else {
            numbers
        };
        let lonely = alone.take();
        let lonely = lonely.filter(|_| !matches!(token, Token::Spaceless { before: Some(_), .. }));
        lonely.into_iter().for_each(|c| push(&mut found, single(c)));
        match token {
            Token::Run { text, signed } => {
                before.gap = query.get(run_end..at).unwrap_or_default();
                let weight = if at < number_end {
                    numbers.part
                } else {
                    numbers.weight_of(text, &before)
                };
                let folded = fold(text);
                push_run(&mut found, text, &folded, signed, weight);
                if asked {
                    if at >= number_end && numbers.are_asked() {
                        bind(&mut found, &before, &folded, numbers.digits);
                    }
                    // The parts of a number are told with it, and not what stands directly behind the last of them.
                    let behind = number_end.saturating_sub(at);
                    if let Some(word) = folded.get(behind..).filter(|word| !word.is_empty()) {
                        push_spelled(
                            &mut found,
                            &numerals.take(word, behind > 0 || before.gap == " "),
                            numbers,
                        );
                    }
                }
                (run_end, before.run) = (at + text.len(), folded);
            }
            Token::Number(number) => {
                number_end = at + number.len();
                let number = number_text(number);
                if asked {
                    numerals.take_number(&number);
                    push_spelled(&mut found, &spellings_of(&number), numbers);
                }
                let mut whole = QueryWord::of_term(number, stem_term);
                whole.weight = numbers.whole;
                push(&mut found, whole);
            }
            Token::Spaceless { before, c } => {
                if asked {
                    push_spelled(&mut found, &numerals.take_letter(c, behind(&query, at, c)), numbers);
                }
                match before {
                    None => alone = Some(c),
                    Some(first) => push(
                        &mut found,
                        QueryWord::of_term(format!("{first}{c}"), |_| pair_term(first, c)),
                    ),
                }
            }
            Token::Emoji(c) => push(&mut found, single(c)),
        }
    });
    alone.into_iter().for_each(|c| push(&mut found, single(c)));
    if let Some(common) = common_in(&found) {
        for word in found.iter_mut().filter(|word| common.contains(&word.text)) {
            word.weight *= COMMON_WEIGHT;
        }
    }
    add_aliases(&mut found);
    found
}

/// Returns the text behind a letter.
fn behind(text: &str, at: usize, letter: char) -> &str {
    text.get(at + letter.len_utf8()..).unwrap_or_default()
}

/// Notes what the numbers of two neighbours are of.
fn bind(found: &mut Vec<QueryWord>, before: &Before<'_>, run: &str, weight: f32) {
    if let Some((number, unit)) = split_unit(run) {
        bind_to(found, number, unit, true, weight);
    }
    if let Some(words) = currency_behind(before.gap).filter(|_| is_digits(run)) {
        QueryWord::spelled(&words, weight)
            .into_iter()
            .for_each(|word| push(found, word));
        bind_to(found, run, words.first().map_or("", String::as_str), true, weight);
    }
    if let Some((number, word, is_told)) = before.number_with(run) {
        bind_to(found, number, word, is_told, weight);
    }
}

/// Notes that a number is of a word. What is told with it, as its unit, has the weight of a number; a month may be a stop word otherwise.
fn bind_to(found: &mut [QueryWord], number: &str, word: &str, is_told: bool, weight: f32) {
    let Some(word) = found.iter_mut().find(|known| known.text == word) else {
        return;
    };
    if is_told {
        (word.weight, word.common) = (word.weight.max(weight), false);
    }
    let stem = word.stems.first().copied();
    if let Some(number) = found.iter_mut().find(|known| known.text == number)
        && (is_told || number.number_of.is_none())
    {
        number.number_of = stem;
        number.weight = number.weight.max(weight);
    }
}

/// Adds the other spellings of a number of a question. What several words make has the weight of all.
fn push_spelled(found: &mut Vec<QueryWord>, spellings: &[String], numbers: &Numbers) {
    let word = QueryWord::spelled(spellings, 2.0 * numbers.whole).filter(|_| numbers.are_asked());
    word.into_iter().for_each(|word| push(found, word));
}

fn push_run(found: &mut Vec<QueryWord>, run: &str, folded: &str, signed: Option<&str>, mut weight: f32) {
    if let Some(name) = signed {
        push(found, QueryWord::of_term(fold(name), stem_term));
        weight = PART_WEIGHT;
    }
    let mut whole = QueryWord::of(folded, weight);
    let parts = parts_of(run);
    whole.has_parts = parts.is_some();
    push(found, whole);
    for (from, to) in parts.into_iter().flatten() {
        let part = folded.get(from..to).unwrap_or_default();
        push(found, QueryWord::of(part, PART_WEIGHT));
    }
}

fn push(found: &mut Vec<QueryWord>, word: QueryWord) {
    // Another form of a known word adds only its spelling.
    let Some(same) = found.iter_mut().find(|other| other.stems.first() == word.stems.first()) else {
        found.push(word);
        return;
    };
    same.weight = same.weight.max(word.weight);
    for spelling in word.spellings {
        if !same.spellings.contains(&spelling) {
            same.spellings.push(spelling);
        }
    }
}

/// Returns the words to search with their numbers: all except stop words, unless there are no others.
pub fn searched_words(words: &[QueryWord]) -> Vec<(usize, &QueryWord)> {
    let all_common = words.iter().all(|word| word.common);
    let searched = words.iter().filter(|word| all_common || !word.common);
    searched.take(WORDS_MAX).enumerate().collect()
}

/// Returns the words that each two neighbouring words of a query make together, the first one as it was typed and in its stem:
/// `shut down` is also `shutdown`, `times out` also `timeout`.
pub fn joined_neighbours(query: &str) -> Vec<String> {
    let (mut joined, mut before) = (Vec::new(), String::new());
    each_token(&normalize(query), |_, token| {
        let Token::Run { text, .. } = token else {
            before.clear();
            return;
        };
        let word = fold(text);
        if !word.chars().all(char::is_alphabetic) {
            before.clear();
            return;
        }
        if !before.is_empty() && joined.len() < 2 * WORDS_MAX && !(is_stop_word(&before) || is_stop_word(&word)) {
            let stem = stem(&before);
            joined.push(format!("{before}{word}"));
            if stem != before {
                joined.push(format!("{stem}{word}"));
            }
        }
        before = word;
    });
    joined
}
