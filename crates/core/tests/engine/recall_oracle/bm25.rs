//! The reference implementation of ranking: textbook BM25 over every record and word in double precision, followed by the position bonuses
//! of the best fifty.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use forge_memory_core::clock::Millis;
use forge_memory_core::text::bygone::{asks_for_bygone, is_bygone, tells_of_change};
use forge_memory_core::text::intent::says_all;
use forge_memory_core::text::speaker::speaker_of;
use forge_memory_core::text::{QueryWord, Statement, Terms, asked_words, fold, is_title, tag_term};
use forge_memory_core::{RecallHit, RecallOptions, Scope, ScopeFilter};

const K1: f64 = 1.2;
const B: f64 = 0.75;
const LENGTH_MAX: f64 = 3.0;
const QUERY_WORDS_MAX: usize = 32;
const RERANKED: usize = 50;
const PAIR_DISTANCE_MAX: usize = 5;
const PAIR_WEIGHT: f64 = 0.3;
const SAME_NUMBER_WEIGHT: f64 = 3.0;
const LEAD_WORDS: usize = 12;
const LEAD_WEIGHT: f64 = 0.2;
const STOP_WEIGHT: f64 = 0.1;
const STOP_SHARE_MAX: f64 = 0.5;
const PLACED_WORDS_MAX: usize = 16;
const SPARE: usize = 8;
const VARIED_MAX: usize = 100;
const LIKE: f64 = 0.9;
/// The number of answers that are compared for the newer one of two about the same.
pub const COMPARED: usize = 10;

/// A record as it was written.
#[derive(Debug, Clone)]
pub struct Written {
    pub id: String,
    pub scope: Scope,
    /// Which of the four files.
    pub file: usize,
    pub kind: String,
    pub source: String,
    pub project: String,
    pub text: String,
    pub tags: Vec<String>,
    pub confidence: f64,
    pub created: Millis,
    pub expires: Option<Millis>,
    /// From when on a tombstone or a revision hides it.
    pub gone: Option<Millis>,
}

pub struct Document {
    pub written: Written,
    terms: HashMap<u64, f64>,
    places: Vec<u64>,
    length: f64,
}

impl Document {
    pub fn new(written: Written) -> Self {
        let mut terms = Terms::default();
        terms.add(&written.text);
        let length = terms.words.len() as f64;
        let places = terms.words.clone();
        terms.add(&written.kind);
        terms.add(&written.source);
        for tag in &written.tags {
            terms.add(tag);
            terms.extras.push(tag_term(tag));
        }
        let mut counts: HashMap<u64, f64> = HashMap::new();
        for term in terms.words.iter().chain(&terms.extras).chain(&terms.spellings) {
            *counts.entry(*term).or_default() += 1.0;
        }
        Document {
            written,
            terms: counts,
            places,
            length,
        }
    }

    fn admits(&self, options: &RecallOptions, since: Option<Millis>, at: Option<Millis>, now: Millis) -> bool {
        let written = &self.written;
        let seen = match at {
            None => written.gone.is_none(),
            Some(at) => written.gone.is_none_or(|gone| gone > at) && written.created <= at,
        };
        let moment = at.unwrap_or(now);
        let tag = |wanted: &String| written.tags.iter().any(|tag| fold(tag.trim()) == fold(wanted.trim()));
        seen && (options.include_expired || written.expires.is_none_or(|expires| expires > moment))
            && since.is_none_or(|since| written.created >= since)
            && options
                .min_confidence
                .is_none_or(|least| written.confidence as f32 >= least as f32)
            && (options.types.is_empty() || options.types.contains(&written.kind))
            && options.tags.iter().all(tag)
    }
}

/// Returns a query without the words that no record of the scope has: what recall makes of those is tested elsewhere.
pub fn known_words(documents: &[Document], query: &str, scope: ScopeFilter) -> String {
    let is_searched = |document: &&Document| match scope {
        ScopeFilter::All => true,
        ScopeFilter::Project => document.written.scope == Scope::Project,
        ScopeFilter::Global => document.written.scope == Scope::Global,
    };
    let searched: Vec<&Document> = documents.iter().filter(is_searched).collect();
    let is_known = |run: &&str| {
        asked_words(run).iter().all(|word| {
            let mut lists = word.lists();
            lists.any(|(term, _)| searched.iter().any(|document| document.terms.contains_key(&term)))
        })
    };
    query.split(' ').filter(is_known).collect::<Vec<_>>().join(" ")
}

/// A record that answers.
pub struct Answer<'a> {
    pub written: &'a Written,
    pub score: f64,
    pub matched: Vec<String>,
    position: usize,
    document: &'a Document,
    /// What the places of the words may add, if the record is among the first.
    pub bonus: f64,
    /// So near the border of the first that rounding may have put it on the other side.
    pub is_on_border: bool,
}

impl Answer<'_> {
    /// The documented order: score, confidence, the newer; then by file, and further down first.
    fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self.written, other.written);
        other
            .score
            .total_cmp(&self.score)
            .then((b.confidence as f32).total_cmp(&(a.confidence as f32)))
            .then(b.created.cmp(&a.created))
            .then(a.file.cmp(&b.file))
            .then(other.position.cmp(&self.position))
    }
}

fn chosen(query: &str) -> Vec<QueryWord> {
    let words = asked_words(query);
    let all_common = words.iter().all(|word| word.common);
    words
        .into_iter()
        .filter(|word| all_common || !word.common)
        .take(QUERY_WORDS_MAX)
        .collect()
}

/// Returns all records that answer, best first, copies of one lesson once.
pub fn rank<'a>(
    documents: &'a [Document],
    query: &str,
    options: &RecallOptions,
    (since, at, now): (Option<Millis>, Option<Millis>, Millis),
) -> Vec<Answer<'a>> {
    let searched: Vec<(usize, &Document)> = documents
        .iter()
        .enumerate()
        .filter(|(_, document)| match options.scope {
            ScopeFilter::All => true,
            ScopeFilter::Project => document.written.scope == Scope::Project,
            ScopeFilter::Global => document.written.scope == Scope::Global,
        })
        .collect();
    let count = searched.len() as f64;
    let length: f64 = searched.iter().map(|(_, document)| document.length).sum();
    let average = (length / count.max(1.0)).max(1.0);
    let words = chosen(query);
    let weights: Vec<Vec<f64>> = words.iter().map(|word| weights_of(word, &searched, count)).collect();
    let mut answers: Vec<Answer<'_>> = searched
        .iter()
        .filter(|(_, document)| document.admits(options, since, at, now))
        .filter_map(|(position, document)| {
            let (mut score, mut matched) = (0.0, Vec::new());
            for (word, weights) in words.iter().zip(&weights) {
                let worth = worth_of(word, weights, document, average);
                score += worth;
                if worth > 0.0 {
                    matched.push(word.text.clone());
                }
            }
            (score > 0.0).then_some(Answer {
                written: &document.written,
                score,
                matched,
                position: *position,
                document,
                bonus: 0.0,
                is_on_border: false,
            })
        })
        .collect();
    answers.sort_by(Answer::order);
    let border = answers
        .get(RERANKED.min(answers.len()).saturating_sub(1))
        .map_or(0.0, |answer| answer.score);
    let placed = placed_words(query, &searched, count);
    for (at, answer) in answers.iter_mut().enumerate() {
        answer.bonus = bonus_of(&placed, answer.document, average);
        answer.is_on_border = (answer.score - border).abs() <= SLACK * border;
        if at < RERANKED {
            answer.score += answer.bonus;
        }
    }
    answers.sort_by(Answer::order);
    let mut seen = BTreeSet::new();
    answers.retain(|answer| {
        let written = answer.written;
        let captured = written.file == 0;
        let key = (
            written.scope.name(),
            captured,
            written.kind.clone(),
            if captured {
                written.project.clone()
            } else {
                String::new()
            },
            fold(&written.text),
        );
        seen.insert(key)
    });
    answers
}

/// Moves repetitions after distinct hits: among the page and eight more, within the first hundred.
pub fn vary<'a>(ranked: Vec<Answer<'a>>, limit: usize) -> Vec<Answer<'a>> {
    let looked_at = ranked.len().min(limit + SPARE);
    let mut kept: Vec<(Statement, Answer<'a>)> = Vec::new();
    let (mut repeats, mut rest) = (Vec::new(), Vec::new());
    for (at, answer) in ranked.into_iter().enumerate() {
        if at >= looked_at {
            rest.push(answer);
            continue;
        }
        let statement = Statement::of(&answer.written.text);
        let is_like = |(other, _): &(Statement, Answer<'_>)| other.likeness(&statement, LIKE).is_some();
        if at < VARIED_MAX && kept.iter().any(is_like) {
            repeats.push(answer);
        } else {
            kept.push((statement, answer));
        }
    }
    let kept = kept.into_iter().map(|(_, answer)| answer);
    kept.chain(repeats).chain(rest).collect()
}

/// Moves the newer of two answers about the same before the older one, among the first ten.
pub fn newest_first<'a>(query: &str, mut ranked: Vec<Answer<'a>>) -> Vec<Answer<'a>> {
    let asks_what_holds = !is_title(query) && !asks_for_bygone(query);
    for at in 1..ranked.len().min(COMPARED) {
        let newer = &ranked[at];
        let place = ranked[..at]
            .iter()
            .position(|older| comes_after(older, newer, asks_what_holds));
        if let Some(place) = place {
            ranked[place..=at].rotate_right(1);
        }
    }
    ranked
}

/// True if an older answer is about the same as a newer one of about the same score, or the newer one says that the older one is over.
fn comes_after(older: &Answer<'_>, newer: &Answer<'_>, asks_what_holds: bool) -> bool {
    let (ours, theirs) = (newer.written, older.written);
    let (both, [our_words, their_words]) = shared(&ours.text, &theirs.text);
    let is_about_as_good = newer.score > 0.9 * older.score
        && older.matched.iter().all(|word| newer.matched.contains(word))
        && both >= 0.5 * our_words.max(their_words).max(1.0);
    let replaces = asks_what_holds
        && newer.score > 0.5 * older.score
        && says_all(&newer.matched, &older.matched)
        && both >= 0.66 * their_words.max(1.0)
        && tells_of_change(&ours.text)
        && speaker_of(&ours.text).is_none();
    let is_newer = (ours.created, &ours.id) > (theirs.created, &theirs.id);
    ours.scope == theirs.scope
        && is_newer
        && (is_bygone(&theirs.text) || !is_bygone(&ours.text))
        && (is_about_as_good || replaces)
}

/// The number of words that two texts have in common, by their first letters, without stop words, and how many each has.
fn shared(one: &str, other: &str) -> (f64, [f64; 2]) {
    let beginnings = |text: &str| -> std::collections::BTreeSet<Vec<u8>> {
        let words = asked_words(text);
        let stop: Vec<&str> = words
            .iter()
            .filter(|word| word.common)
            .map(|word| word.text.as_str())
            .collect();
        let text = text.to_lowercase();
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| word.len() > 1 && !stop.contains(word));
        let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
        let beginning = |word: &str| if has_digit(word) { word.len() } else { 4 };
        words.map(|word| word.bytes().take(beginning(word)).collect()).collect()
    };
    let (one, other) = (beginnings(one), beginnings(other));
    let both = one.intersection(&other).count() as f64;
    (both, [one.len() as f64, other.len() as f64])
}

/// A word that is looked for in the places of texts: its stems, its rarity, its weight, whether it is a stop word.
struct Placed {
    stems: Vec<u64>,
    rarity: f64,
    weight: f64,
    is_stop: bool,
    /// What it is a number of.
    number_of: Option<u64>,
}

fn placed_words(query: &str, searched: &[(usize, &Document)], count: f64) -> Vec<Placed> {
    let words = asked_words(query);
    let all_common = words.iter().all(|word| word.common);
    let telling = words
        .iter()
        .filter(|word| all_common || !word.common)
        .take(QUERY_WORDS_MAX);
    let stops = words.iter().filter(|word| word.common && !all_common);
    let stops = stops.filter(|word| frequency_of(word, searched) <= count * STOP_SHARE_MAX);
    let placed = |word: &QueryWord, is_stop| Placed {
        stems: word.stems.clone(),
        rarity: rarity_of(frequency_of(word, searched), count),
        weight: f64::from(word.weight),
        is_stop,
        number_of: word.number_of,
    };
    let telling: Vec<Placed> = telling.map(|word| placed(word, false)).collect();
    let stops = stops.map(|word| placed(word, true));
    telling.into_iter().chain(stops).take(PLACED_WORDS_MAX).collect()
}

fn bonus_of(placed: &[Placed], document: &Document, average: f64) -> f64 {
    let places_of = |word: &Placed| -> Vec<usize> {
        // The index stores sixteen bits per word; the terms determine which words a text contains.
        let has = word.is_stop || word.stems.iter().any(|stem| document.terms.contains_key(stem));
        let is_one = |term: &u64| has && word.stems.iter().any(|stem| stem >> 48 == term >> 48);
        let places = document.places.iter().enumerate();
        places.filter(|(_, term)| is_one(term)).map(|(at, _)| at).collect()
    };
    let places: Vec<Vec<usize>> = placed.iter().map(places_of).collect();
    let mut bonus = 0.0;
    for (at, word) in placed.iter().enumerate() {
        if word.is_stop {
            bonus += STOP_WEIGHT * word.rarity * saturated(places[at].len() as f64, document, average);
            continue;
        }
        if places[at].iter().any(|place| *place < LEAD_WORDS) {
            bonus += LEAD_WEIGHT * word.weight * word.rarity;
        }
        let is_of = |other: &Placed| word.number_of.is_some_and(|of| other.stems[0] >> 48 == of >> 48);
        let is_beside = |one: &usize, other: usize| places[other].iter().any(|place| place.abs_diff(*one) == 1);
        let mut of = placed.iter().enumerate().filter(|(_, other)| is_of(other));
        if of.any(|(other, _)| places[at].iter().any(|place| is_beside(place, other))) {
            bonus += SAME_NUMBER_WEIGHT * word.weight * word.rarity;
        }
        for (other_at, other) in placed
            .iter()
            .enumerate()
            .skip(at + 1)
            .filter(|(_, other)| !other.is_stop)
        {
            let distances = places[at]
                .iter()
                .flat_map(|one| places[other_at].iter().map(|two| one.abs_diff(*two)));
            let near = distances.filter(|distance| *distance <= PAIR_DISTANCE_MAX);
            let times: f64 = near.map(|distance| 1.0 / (distance * distance) as f64).sum();
            let weight = PAIR_WEIGHT * word.weight.min(other.weight) * word.rarity.min(other.rarity);
            bonus += weight * saturated(times, document, average);
        }
    }
    bonus
}

fn saturated(times: f64, document: &Document, average: f64) -> f64 {
    let longest = LENGTH_MAX * average;
    let (length, times) = if document.length > longest {
        let share = times * longest / document.length;
        (LENGTH_MAX, if times > 1.0 { share.max(1.0) } else { times })
    } else {
        (document.length / average, times)
    };
    times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
}

fn having(term: u64, searched: &[(usize, &Document)]) -> f64 {
    searched.iter().filter(|(_, d)| d.terms.contains_key(&term)).count() as f64
}

/// How many records have one of the stems of a word; no record has two.
fn frequency_of(word: &QueryWord, searched: &[(usize, &Document)]) -> f64 {
    word.stems.iter().map(|term| having(*term, searched)).sum()
}

fn rarity_of(common: f64, count: f64) -> f64 {
    (1.0 + (count - common + 0.5).max(0.0) / (common + 0.5)).ln()
}

/// What a hit on each term of a word counts: on a stem what the stems together tell, on a spelling what that one tells.
fn weights_of(word: &QueryWord, searched: &[(usize, &Document)], count: f64) -> Vec<f64> {
    let stems = rarity_of(frequency_of(word, searched), count);
    let rarity = |term: u64| rarity_of(having(term, searched), count);
    let weight = |(term, weight): (u64, f32)| {
        let is_stem = word.stems.contains(&term);
        f64::from(weight) * if is_stem { stems } else { rarity(term) }
    };
    word.lists().map(weight).collect()
}

fn worth_of(word: &QueryWord, weights: &[f64], document: &Document, average: f64) -> f64 {
    let lists = word.lists().zip(weights);
    lists
        .filter_map(|((term, _), weight)| Some(weight * saturated(*document.terms.get(&term)?, document, average)))
        .sum()
}

/// How much single floats may differ.
const SLACK: f64 = 2e-5;

/// Tells what is wrong with an answer. Scores are single floats there: what differs less may change places.
pub fn compare(hits: &[RecallHit], ranked: &[Answer<'_>], limit: usize) -> Result<(), String> {
    let wanted = ranked.len().min(limit);
    if hits.len() != wanted {
        return Err(format!("{} hits, not {wanted}", hits.len()));
    }
    for (at, (hit, answer)) in hits.iter().zip(ranked).enumerate() {
        let twin = ranked
            .iter()
            .find(|answer| answer.written.id == hit.id && answer.written.scope == hit.scope);
        let Some(twin) = twin else {
            return Err(format!("hit {at} is no answer: {hit:?}"));
        };
        let differs = |score: f64| (score - hit.score).abs() > SLACK * score;
        if twin.is_on_border && differs(twin.score) {
            // On the other side of the border it has the bonus, or has it not; and so the places of others may differ.
            if differs(twin.score + twin.bonus) && differs(twin.score - twin.bonus) {
                return Err(format!(
                    "hit {at} scores {}, not about {}: {hit:?}",
                    hit.score, twin.score
                ));
            }
            return Ok(());
        }
        if differs(twin.score) {
            return Err(format!("hit {at} scores {}, not {}: {hit:?}", hit.score, twin.score));
        }
        if twin.matched != hit.matched {
            return Err(format!("hit {at} matched {:?}, not {:?}", hit.matched, twin.matched));
        }
        let misplaced = twin.written.id != answer.written.id;
        // Texts that score the same stand in the documented order, whatever rounding puts before or between them.
        let there = hits.iter().position(|hit| hit.id == answer.written.id);
        let is_same_score = there.is_some_and(|there| hits[there].score == hit.score);
        let expected = ranked.iter().position(|answer| answer.written.id == hit.id);
        let is_tie = twin.score == answer.score && is_same_score && (expected < Some(at)) != (Some(at) < there);
        // Of three neighbours whose scores differ by less than rounding the first and the last may differ by more.
        if misplaced && (is_tie || (twin.score - answer.score).abs() > 4.0 * SLACK * answer.score) {
            return Err(format!(
                "hit {at} is {:?} ({}), not {:?} ({})",
                twin.written, twin.score, answer.written, answer.score
            ));
        }
    }
    Ok(())
}
