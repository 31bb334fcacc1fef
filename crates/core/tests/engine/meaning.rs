//! Semantic recall: near records are returned if they are current, and search works without a model.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::common::{Workshop, capture_of, save_of};
use forge_memory_core::index::index_folder;
use forge_memory_core::journal::OsDisk;
use forge_memory_core::recall::Mode;
use forge_memory_core::{
    EditInput, Environment, Error, Memory, RecallOptions, RecallOutcome, Result, ScopeFilter, TextEmbedder,
};

const DIMENSIONS: usize = 1024;
/// Words that mean the same to the model of these tests.
const ALIKE: [&[&str]; 4] = [
    &["boat", "ship", "vessel", "ferry"],
    &["sank", "foundered", "submerged"],
    &["invoice", "bill", "receipt"],
    &["slow", "sluggish", "crawling"],
];

/// An embedding model that knows a few synonyms: every word is a direction, and a text the sum of its words.
#[derive(Debug, Default)]
struct Synonyms {
    is_missing: AtomicBool,
    is_broken: AtomicBool,
    /// True if only queries have vectors.
    is_busy: AtomicBool,
    texts: AtomicUsize,
}

impl TextEmbedder for Synonyms {
    fn model(&self) -> &str {
        "test:synonyms"
    }

    fn is_installed(&self) -> bool {
        !self.is_missing.load(Ordering::Relaxed)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(Error::Corrupt {
                path: PathBuf::from("model"),
                reason: "a bit flipped".into(),
            });
        }
        if self.is_busy.load(Ordering::Relaxed) {
            return Err(Error::Corrupt {
                path: PathBuf::from("model"),
                reason: "it makes no vectors of texts now".into(),
            });
        }
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    }

    fn embed_query(&self, query: &str) -> Result<Vec<Vec<f32>>> {
        if self.is_broken.load(Ordering::Relaxed) {
            return self.embed(&[query]);
        }
        self.texts.fetch_add(1, Ordering::Relaxed);
        Ok(vec![vector_of(query)])
    }
}

/// Words unknown to this model, such as those with digits.
const EMPTY: [&str; 12] = [
    "the", "was", "that", "which", "every", "off", "for", "with", "and", "when", "never", "from",
];

fn vector_of(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    // No text is without a direction.
    vector[0] = 0.01;
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| word.len() > 2 && !word.contains(char::is_numeric) && !EMPTY.contains(word)) {
        let meaning = ALIKE
            .iter()
            .find(|alike| alike.contains(&word))
            .map_or(word, |alike| alike[0]);
        let hash = meaning.bytes().fold(7_usize, |hash, byte| {
            hash.wrapping_mul(131).wrapping_add(usize::from(byte))
        });
        vector[1 + hash % (DIMENSIONS - 1)] += 1.0;
    }
    vector
}

struct Place {
    workshop: Workshop,
    model: Arc<Synonyms>,
}

impl Place {
    fn new() -> Self {
        Place::in_workshop(Workshop::new())
    }

    fn in_workshop(workshop: Workshop) -> Self {
        Place {
            workshop,
            model: Arc::default(),
        }
    }

    fn open(&self) -> Memory {
        Memory::open(Environment {
            embedder: Some(Arc::clone(&self.model) as Arc<dyn TextEmbedder>),
            ..self.workshop.environment_on(Arc::new(OsDisk))
        })
    }

    fn vectors(&self) -> PathBuf {
        self.workshop.forge().join("index/vectors")
    }
}

/// Captures relevant records, and unrelated ones.
fn capture_notes(memory: &mut Memory) {
    for text in NOTES {
        assert!(memory.capture(capture_of("lesson", text)).unwrap().captured);
    }
}

const NOTES: [&str; 6] = [
    "The ferry foundered off the northern coast",
    "Every receipt needs a number that is never used again",
    "The report page is crawling when the cache is cold",
    "Jest needs runInBand on the windows runner",
    "Rotate the signing key twice a year",
    "The staging database is restored every monday morning",
];

fn ask(memory: &mut Memory, query: &str, mode: Mode) -> RecallOutcome {
    let options = RecallOptions {
        mode,
        ..RecallOptions::default()
    };
    memory.recall(query, &options).unwrap()
}

fn texts(outcome: &RecallOutcome) -> Vec<&str> {
    outcome.hits.iter().map(|hit| hit.text.as_str()).collect()
}

fn embed_all(memory: &mut Memory) {
    let pass = memory.vectors().embed_missing(10_000).unwrap();
    assert_eq!(pass.coverage.covered, pass.coverage.total);
}

const QUERY: &str = "which ship sank";

#[test]
fn an_offer_compares_meaning_and_without_a_working_model_words() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    let offered = |memory: &mut Memory, text: &str| -> Vec<String> {
        let found = memory.related(text, ScopeFilter::Project, &[]);
        found.into_iter().map(|one| one.text).collect()
    };
    let (paraphrase, other_words) = (
        "A ship sank off that coast",
        "The ferry off the northern coast was raised",
    );
    assert_eq!(offered(&mut memory, paraphrase), [NOTES[0]]);
    for fault in [&place.model.is_broken, &place.model.is_missing] {
        fault.store(true, Ordering::Relaxed);
        for mut memory in [place.open(), place.open()] {
            assert_eq!(offered(&mut memory, other_words), [NOTES[0]], "by words");
        }
        fault.store(false, Ordering::Relaxed);
    }
    // Its vectors go away in between.
    fs::remove_dir_all(place.vectors()).unwrap();
    assert_eq!(offered(&mut memory, other_words), [NOTES[0]]);
}

#[test]
fn a_paraphrase_is_found_by_meaning() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    assert!(ask(&mut memory, QUERY, Mode::Auto).hits.is_empty());
    embed_all(&mut memory);
    for mode in [Mode::Auto, Mode::Meaning] {
        let found = ask(&mut memory, QUERY, mode);
        assert_eq!(texts(&found)[0], NOTES[0]);
        assert_eq!(found.mode, mode);
        assert!(found.hits[0].cosine.unwrap() > 0.4, "{:?}", found.hits[0]);
    }
    let by_words = ask(&mut memory, QUERY, Mode::Words);
    assert!(by_words.hits.is_empty() && by_words.mode == Mode::Words);
}

#[test]
fn hits_have_score_cosine_and_words_and_the_best_of_both_is_first() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    let found = ask(&mut memory, "rotate the key for every bill", Mode::Auto);
    let first = &found.hits[0];
    assert_eq!(first.text, NOTES[4]);
    assert_eq!(first.matched, ["rotate", "key"]);
    assert!(first.score <= 1.0 && first.cosine.is_some() && !first.is_weak);
    assert!(found.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn without_a_model_or_vectors_search_is_lexical_and_says_so() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    let plain = ask(&mut memory, "signing key", Mode::Auto);
    assert_eq!((plain.mode, plain.message), (Mode::Words, None));
    let said = |memory: &mut Memory| ask(memory, "signing key", Mode::Meaning).message.unwrap();
    assert!(said(&mut memory).contains("no vectors yet"), "{}", said(&mut memory));
    embed_all(&mut memory);
    place.model.is_missing.store(true, Ordering::Relaxed);
    let found = ask(&mut memory, "signing key", Mode::Meaning);
    assert_eq!((found.mode, texts(&found)[0]), (Mode::Words, NOTES[4]));
    assert!(found.message.unwrap().contains("model install"));
    place.model.is_missing.store(false, Ordering::Relaxed);
    place.model.is_broken.store(true, Ordering::Relaxed);
    let found = ask(&mut memory, "signing key", Mode::Auto);
    assert_eq!((found.mode, texts(&found)[0]), (Mode::Words, NOTES[4]));
    assert!(found.message.unwrap().contains("a bit flipped"));
}

#[test]
fn without_an_embedder_in_the_settings_search_is_lexical() {
    let place = Place::in_workshop(Workshop::with_config(r#"{"embedder":{"kind":"none"}}"#));
    let mut memory = place.open();
    capture_notes(&mut memory);
    assert_eq!(memory.vectors().embed_missing(10).unwrap_err().code(), "UNSUPPORTED");
    assert_eq!(memory.vectors().coverage(), None);
    assert_eq!(ask(&mut memory, "signing key", Mode::Auto).mode, Mode::Words);
}

#[test]
fn forgotten_superseded_and_expired_records_are_not_found_by_their_vectors() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    let mut short = capture_of("lesson", "The old vessel sank in the harbour");
    short.expires_at = Some("2096-11-21T10:00:00.000Z".into());
    memory.capture(short).unwrap();
    embed_all(&mut memory);
    let ids: Vec<String> = ask(&mut memory, QUERY, Mode::Meaning)
        .hits
        .into_iter()
        .map(|hit| hit.id)
        .collect();
    let found = ask(&mut memory, QUERY, Mode::Meaning);
    assert!(texts(&found)[0].contains("sank") || texts(&found)[0] == NOTES[0]);
    place.workshop.clock.advance(48 * 3_600_000);
    let found = ask(&mut memory, QUERY, Mode::Meaning);
    assert!(texts(&found).iter().all(|text| !text.contains("harbour")), "expired");
    let ferry = ids
        .iter()
        .find(|id| found.hits.iter().any(|hit| hit.id == **id && hit.text == NOTES[0]))
        .unwrap();
    let changes = EditInput {
        body: Some("The train was late".into()),
        ..EditInput::default()
    };
    let revision = memory.edit(ferry, changes).unwrap();
    assert!(
        ask(&mut memory, QUERY, Mode::Meaning)
            .hits
            .iter()
            .all(|hit| hit.text != NOTES[0]),
        "superseded"
    );
    embed_all(&mut memory);
    assert_eq!(
        texts(&ask(&mut memory, "the train was late", Mode::Meaning))[0],
        "The train was late"
    );
    memory.forget(&revision.id).unwrap();
    let found = ask(&mut memory, "the train was late", Mode::Meaning);
    assert!(texts(&found).iter().all(|text| !text.contains("train")), "forgotten");
}

#[test]
fn vectors_stay_valid_after_an_index_rebuild_and_moved_records() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    memory
        .save(save_of(
            "global",
            "convention",
            "A bill is sent on the first of the month",
        ))
        .unwrap();
    embed_all(&mut memory);
    memory.settle().unwrap();
    let before = ask(&mut memory, QUERY, Mode::Auto);
    let folder = index_folder(&place.workshop.forge(), "memory-captures");
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    let other = ask(&mut memory, "rotate keys", Mode::Words).hits[0].id.clone();
    memory.forget(&other).unwrap();
    memory.compact(false).unwrap();
    let made = place.model.texts.load(Ordering::Relaxed);
    let mut memory = place.open();
    let pass = memory.vectors().embed_missing(100).unwrap();
    assert_eq!((pass.made, pass.coverage.covered), (0, NOTES.len()));
    assert_eq!(place.model.texts.load(Ordering::Relaxed), made);
    let after = ask(&mut memory, QUERY, Mode::Auto);
    assert_eq!(texts(&after)[0], texts(&before)[0]);
    assert_eq!(after.hits[0].cosine, before.hits[0].cosine);
    let found = ask(&mut memory, "which invoice", Mode::Meaning);
    let scopes: Vec<&str> = found.hits.iter().take(2).map(|hit| hit.scope.name()).collect();
    assert_eq!(scopes, ["global", "project"], "{:?}", texts(&found));
}

#[test]
fn a_repair_keeps_the_vectors() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    memory.settle().unwrap();
    let covered = memory.vectors().coverage().map(|coverage| coverage.covered);
    assert_eq!(covered, Some(NOTES.len()));
    let made = place.model.texts.load(Ordering::Relaxed);
    assert!(memory.repair().unwrap().reindexed);
    for mut memory in [memory, place.open()] {
        assert_eq!(memory.vectors().coverage().map(|coverage| coverage.covered), covered);
    }
    assert_eq!(
        place.model.texts.load(Ordering::Relaxed),
        made,
        "no text was embedded again"
    );
}

#[test]
fn an_embedding_pass_is_bounded_and_the_next_one_continues() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    let covered: Vec<usize> = (0..4)
        .map(|_| memory.vectors().embed_missing(2).unwrap().coverage.covered)
        .collect();
    assert_eq!(covered, [2, 4, 6, 6]);
    assert_eq!(place.model.texts.load(Ordering::Relaxed), NOTES.len());
    // Another process takes over what there is.
    assert_eq!(texts(&ask(&mut place.open(), QUERY, Mode::Auto))[0], NOTES[0]);
    memory
        .capture(capture_of("lesson", "The newest note is embedded first"))
        .unwrap();
    assert_eq!(memory.vectors().embed_missing(1).unwrap().coverage.covered, 7);
}

#[test]
fn a_sentence_deep_in_a_long_note_is_found() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    let filler = |from: usize| -> String { (from..from + 300).map(|number| format!("entry{number} ")).collect() };
    let long = format!("{}the vessel was submerged at noon {}", filler(0), filler(500));
    memory.capture(capture_of("lesson", &long)).unwrap();
    let ferry = ask(&mut memory, "ferry coast", Mode::Words).hits[0].id.clone();
    memory.forget(&ferry).unwrap();
    embed_all(&mut memory);
    let found = ask(&mut memory, "a ship that sank", Mode::Meaning);
    assert!(found.hits[0].text.starts_with("entry0 "), "{:?}", texts(&found));
}

#[test]
fn damaged_vectors_only_lose_their_own_hits_and_are_embedded_again() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    let path = fs::read_dir(place.vectors())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "vec"))
        .unwrap();
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(61) {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        for damage in [changed, whole[..at].to_vec()] {
            fs::write(&path, damage).unwrap();
            let found = ask(&mut place.open(), "signing key of the ship", Mode::Auto);
            assert_eq!(texts(&found)[0], NOTES[4], "at {at}");
        }
    }
    let mut memory = place.open();
    assert_eq!(memory.vectors().coverage().unwrap().covered, 0);
    embed_all(&mut memory);
    assert_eq!(texts(&ask(&mut memory, QUERY, Mode::Auto))[0], NOTES[0]);
}

#[test]
fn vectors_from_a_copied_project_are_not_trusted() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    let clone = Place::new();
    copy(&place.workshop.forge(), &clone.workshop.forge());
    let found = ask(&mut clone.open(), "signing key", Mode::Auto);
    assert_eq!((found.mode, texts(&found)[0]), (Mode::Words, NOTES[4]));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(std::result::Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// A model to which all texts are alike.
#[derive(Debug)]
struct Blind;

impl TextEmbedder for Blind {
    fn model(&self) -> &str {
        "test:blind"
    }

    fn is_installed(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|_| vec![1.0; DIMENSIONS]).collect())
    }
}

#[test]
fn without_semantic_evidence_lexical_scores_decide_in_every_process() {
    let workshop = Workshop::new();
    let open = || {
        Memory::open(Environment {
            embedder: Some(Arc::new(Blind)),
            ..workshop.environment_on(Arc::new(OsDisk))
        })
    };
    let mut memory = open();
    for number in 0..300 {
        let text = format!(
            "note{number} tells cache{} and queue{} and worker{}",
            number % 7,
            number % 11,
            number % 3
        );
        memory.capture(capture_of("lesson", &text)).unwrap();
    }
    embed_all(&mut memory);
    for query in ["cache3 queue5", "worker1 cache2 queue9 note77", "tells", "worker2"] {
        let order = |memory: &mut Memory, mode| -> Vec<String> {
            ask(memory, query, mode).hits.into_iter().map(|hit| hit.id).collect()
        };
        let by_words = order(&mut memory, Mode::Words);
        assert_eq!(order(&mut memory, Mode::Auto), by_words, "{query}");
        let _ = fs::remove_dir_all(index_folder(&workshop.forge(), "memory-captures"));
        assert_eq!(order(&mut open(), Mode::Auto), by_words, "{query}");
    }
}

#[test]
fn a_query_about_an_unknown_topic_has_no_hits() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    let found = ask(
        &mut memory,
        "recipe for potato soup with heavy cream and leek",
        Mode::Auto,
    );
    assert!(found.hits.is_empty(), "{:?}", texts(&found));
    assert!(found.message.unwrap().starts_with("No match"));
    // A record that contains the query verbatim is never dropped.
    assert_eq!(texts(&ask(&mut memory, "runInBand", Mode::Auto))[0], NOTES[3]);
}

#[test]
fn odd_queries_and_limits_are_answered() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    let long = "word ".repeat(12_000);
    let mixed = "деплой mit Größe 部署 \u{1F680} keepAliveTimeout";
    for text in ["\u{1F680}\u{1F680}\u{1F384}", mixed, long.as_str()] {
        assert!(memory.capture(capture_of("lesson", text)).unwrap().captured);
    }
    embed_all(&mut memory);
    for query in [
        "",
        " ",
        "a",
        "\0",
        "(.*)",
        "'; drop table",
        "\u{1F680}",
        mixed,
        long.as_str(),
    ] {
        for mode in [Mode::Auto, Mode::Words, Mode::Meaning] {
            ask(&mut memory, query, mode);
        }
    }
    for limit in [1.0, 2.0, 1000.0] {
        let options = RecallOptions {
            limit: Some(limit),
            mode: Mode::Meaning,
            ..RecallOptions::default()
        };
        let hits = memory.recall(QUERY, &options).unwrap().hits;
        assert!(!hits.is_empty() && hits.len() <= limit as usize);
    }
}

#[test]
fn filters_apply_to_semantic_hits() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    for number in 0..150 {
        memory
            .capture(capture_of("decision", &format!("ship number{number} sank")))
            .unwrap();
    }
    embed_all(&mut memory);
    let options = RecallOptions {
        types: vec!["lesson".into()],
        limit: Some(1.0),
        mode: Mode::Meaning,
        ..RecallOptions::default()
    };
    let hits = memory.recall(QUERY, &options).unwrap().hits;
    assert_eq!(hits[0].text, NOTES[0]);
}

#[test]
fn a_few_new_records_are_embedded_by_the_next_search_and_many_are_left_to_a_pass() {
    let place = Place::new();
    let mut memory = place.open();
    capture_notes(&mut memory);
    embed_all(&mut memory);
    memory
        .capture(capture_of("lesson", "The old vessel sank in the harbour"))
        .unwrap();
    let made = place.model.texts.load(Ordering::Relaxed);
    assert_eq!(ask(&mut memory, QUERY, Mode::Words).hits.len(), 1);
    assert_eq!(
        place.model.texts.load(Ordering::Relaxed),
        made,
        "a search by words embeds nothing"
    );
    let found = ask(&mut memory, QUERY, Mode::Auto);
    assert!(found.hits.iter().all(|hit| hit.cosine.is_some()), "{found:?}");
    assert_eq!(found.message, None);
    assert_eq!(memory.vectors().coverage().unwrap().covered, NOTES.len() + 1);
    for number in 0..40 {
        let text = format!(
            "The ferry number {number} was painted blue in the year {}",
            1900 + number
        );
        memory.capture(capture_of("lesson", &text)).unwrap();
    }
    let found = ask(&mut memory, QUERY, Mode::Auto);
    let coverage = memory.vectors().coverage().unwrap();
    assert!(coverage.covered < 25, "{coverage:?}");
    let said = format!("Only {} of {} texts have vectors", coverage.covered, coverage.total);
    assert!(found.message.clone().unwrap().contains(&said), "{:?}", found.message);
    embed_all(&mut memory);
    assert_eq!(ask(&mut memory, QUERY, Mode::Auto).message, None);
}

/// Notes about the same few things, so that many share words with a query.
fn shared_notes() -> Vec<String> {
    let things = ["cache", "queue", "worker", "gateway", "ledger"];
    let done = [
        "restarts",
        "drops messages",
        "is slow",
        "leaks memory",
        "needs a lock",
        "fails on windows",
    ];
    let when = ["at night", "after a deploy", "under load"];
    let all = things
        .iter()
        .flat_map(|thing| done.iter().map(move |done| (thing, done)));
    all.enumerate()
        .map(|(at, (thing, done))| format!("The {thing} {done} {} since build b{at}", when[at % 3]))
        .collect()
}

#[test]
fn at_every_coverage_a_record_without_a_vector_is_ranked_as_by_words() {
    let notes = shared_notes();
    for quarter in 0..=4 {
        let place = Place::new();
        let mut memory = place.open();
        let (covered, others): (Vec<(usize, &String)>, _) =
            notes.iter().enumerate().partition(|(at, _)| (at * 7) % 4 < quarter);
        // At least one vector, or there is nothing to compare with.
        memory
            .capture(capture_of("lesson", "Rotate the signing key twice a year"))
            .unwrap();
        for (_, text) in covered {
            memory.capture(capture_of("lesson", text)).unwrap();
        }
        embed_all(&mut memory);
        place.model.is_busy.store(true, Ordering::Relaxed);
        for (_, text) in &others {
            memory.capture(capture_of("lesson", text)).unwrap();
        }
        for (_, text) in &others {
            let query = text.replace(" since build ", " ");
            let rank = |memory: &mut Memory, mode| {
                let found = ask(memory, &query, mode);
                found.hits.iter().position(|hit| hit.text == **text)
            };
            assert_eq!(rank(&mut memory, Mode::Words), Some(0), "{query}");
            assert_eq!(rank(&mut memory, Mode::Auto), Some(0), "{query} at {quarter} quarters");
        }
    }
}

#[test]
fn a_foreign_topic_keeps_what_was_not_compared_and_nothing_else() {
    let place = Place::new();
    let mut memory = place.open();
    for number in 0..60 {
        let text = format!("Entry{number} of the ledger names account{number} and branch{number}");
        memory.capture(capture_of("lesson", &text)).unwrap();
    }
    embed_all(&mut memory);
    let query = "who painted the night watch in amsterdam, and which account paid";
    assert!(ask(&mut memory, query, Mode::Auto).hits.is_empty());
    place.model.is_busy.store(true, Ordering::Relaxed);
    let text = "The night watch of the data centre calls the manager";
    memory.capture(capture_of("lesson", text)).unwrap();
    let found = ask(&mut memory, query, Mode::Auto);
    assert_eq!(texts(&found), [text], "{found:?}");
}
