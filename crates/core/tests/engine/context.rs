//! Records of one session are each other's context, in every state of the index.

use std::collections::BTreeMap;
use std::fs;

use crate::common::dice::{Dice, seed};
use crate::common::other::OtherShelf;
use crate::common::{Workshop, capture_of, delete_index};
use forge_memory_core::{CaptureInput, EditInput, Memory, RecallHit, RecallOptions};

const QUESTION: &str = "Which port does the gateway of the shop listen on?";
const ANSWER: &str = "8443, since March.";
const OTHERS: [&str; 4] = [
    "Lunch is at noon",
    "The cat sleeps in my suitcase",
    "I handed in my notice on Friday",
    "Pierogi after the recipe of an aunt",
];

fn said(session: &str, text: &str) -> CaptureInput {
    CaptureInput {
        session_id: Some(session.to_owned()),
        ..capture_of("lesson", text)
    }
}

/// Two conversations that alternate: what stands beside a record in the file is of the other one.
fn conversations(workshop: &Workshop) -> Memory {
    let mut memory = workshop.open();
    for (one, other) in [(OTHERS[0], OTHERS[1]), (QUESTION, OTHERS[2]), (ANSWER, OTHERS[3])] {
        memory.capture(said("shop", one)).unwrap();
        memory.capture(said("home", other)).unwrap();
    }
    memory
}

fn ask(memory: &mut Memory, query: &str, options: RecallOptions) -> Vec<RecallHit> {
    memory.recall(query, &options).unwrap().hits
}

fn texts(hits: &[RecallHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.text.as_str()).collect()
}

#[test]
fn what_was_said_next_is_found_with_what_was_asked() {
    let workshop = Workshop::new();
    let check = |memory: &mut Memory, state: &str| {
        let hits = ask(memory, "port of the gateway", RecallOptions::default());
        assert_eq!(texts(&hits), [QUESTION, ANSWER, OTHERS[0]], "{state}");
        let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
        assert!(scores[0] > scores[1] && scores[1] >= scores[2], "{state}: {scores:?}");
        assert!(hits[1].matched.is_empty(), "{state}: it has none of the words");
    };
    let mut memory = conversations(&workshop);
    check(&mut memory, "in memory");
    OtherShelf::of(workshop.raw_log()).persist();
    check(&mut workshop.open(), "persisted");
    memory.capture(said("home", "A later note about trains")).unwrap();
    check(&mut memory, "partly persisted");
    delete_index(&workshop.forge());
    check(&mut workshop.open(), "without an index");
}

#[test]
fn neighbours_meet_across_the_parts_of_an_index() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(said("shop", QUESTION)).unwrap();
    OtherShelf::of(workshop.raw_log()).persist();
    let mut memory = workshop.open();
    memory.capture(said("shop", ANSWER)).unwrap();
    let hits = ask(&mut memory, "port of the gateway", RecallOptions::default());
    assert_eq!(texts(&hits), [QUESTION, ANSWER]);
}

#[test]
fn a_record_without_a_session_has_no_context() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for text in [QUESTION, ANSWER] {
        memory.capture(capture_of("lesson", text)).unwrap();
    }
    let hits = ask(&mut memory, "port of the gateway", RecallOptions::default());
    assert_eq!(texts(&hits), [QUESTION]);
}

#[test]
fn of_two_equal_records_the_one_in_the_conversation_about_it_is_first() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let same = |place: &str| format!("We restart it twice, said the {place}");
    memory.capture(said("far", &same("baker"))).unwrap();
    memory.capture(said("far", "The oven is new")).unwrap();
    memory.capture(said("near", "The importer hangs at night")).unwrap();
    memory.capture(said("near", &same("plumber"))).unwrap();
    let hits = ask(&mut memory, "restart of the importer", RecallOptions::default());
    let restarts: Vec<&str> = texts(&hits)
        .into_iter()
        .filter(|text| text.contains("restart"))
        .collect();
    assert_eq!(restarts, [same("plumber"), same("baker")], "{:?}", texts(&hits));
}

#[test]
fn a_neighbour_that_the_question_excludes_or_that_was_forgotten_is_not_returned() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(said("shop", QUESTION)).unwrap();
    let answer = CaptureInput {
        kind: Some("gotcha".to_owned()),
        ..said("shop", ANSWER)
    };
    let id = memory.capture(answer).unwrap().thought.id;
    let lessons = || RecallOptions {
        types: vec!["lesson".to_owned()],
        ..RecallOptions::default()
    };
    assert_eq!(texts(&ask(&mut memory, "gateway port", lessons())), [QUESTION]);
    assert_eq!(
        texts(&ask(&mut memory, "gateway port", RecallOptions::default())),
        [QUESTION, ANSWER]
    );
    memory.forget(&id).unwrap();
    assert_eq!(
        texts(&ask(&mut memory, "gateway port", RecallOptions::default())),
        [QUESTION]
    );
}

#[test]
fn a_revision_stays_in_its_conversation() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(said("shop", QUESTION)).unwrap();
    let id = memory.capture(said("shop", ANSWER)).unwrap().thought.id;
    let changes = EditInput {
        body: Some("8444, since May.".to_owned()),
        ..EditInput::default()
    };
    memory.edit(&id, changes).unwrap();
    let hits = ask(&mut memory, "gateway port", RecallOptions::default());
    assert_eq!(texts(&hits), [QUESTION, "8444, since May."]);
}

#[test]
fn the_explanation_shows_what_comes_from_the_session() {
    let workshop = Workshop::new();
    let mut memory = conversations(&workshop);
    let options = RecallOptions {
        explain: true,
        ..RecallOptions::default()
    };
    let hits = ask(&mut memory, "port of the gateway", options);
    let parts: Vec<_> = hits.iter().map(|hit| hit.explained.unwrap()).collect();
    assert!(parts[0].words > parts[0].context && parts[0].context > 0.0);
    assert_eq!(parts[1].words, 0.0, "the answer has no word of the question");
    assert!((hits[1].score - parts[1].context).abs() < 1e-6);
}

#[test]
fn only_a_hash_of_the_name_is_stored() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let secret = "the private name of a conversation";
    let stored = memory.capture(said(secret, QUESTION)).unwrap().thought.session.unwrap();
    assert!(
        stored.starts_with("session.") && stored.len() == "session.".len() + 16,
        "{stored}"
    );
    let raw = fs::read_to_string(workshop.raw_log()).unwrap();
    assert!(raw.contains(&stored) && !raw.contains(secret), "{raw}");
}

#[test]
fn an_agent_s_captures_have_its_session_and_those_of_people_have_none() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let mut by = |author: Option<&str>, text: &str| {
        let input = CaptureInput {
            author: author.map(str::to_owned),
            session: Some("mcp:42".to_owned()),
            ..capture_of("lesson", text)
        };
        memory.capture(input).unwrap().thought.session
    };
    assert!(by(Some("agent"), "An agent says so").unwrap().starts_with("mcp."));
    assert!(by(None, "A program says so").is_some());
    for author in ["person", "import", "watcher"] {
        assert_eq!(by(Some(author), &format!("{author} told it")), None, "{author}");
    }
}

#[test]
fn a_name_that_is_empty_or_too_long_is_refused() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for name in ["", "  ", &"x".repeat(513)] {
        let error = memory.capture(said(name, QUESTION)).unwrap_err();
        assert!(error.to_string().contains("sessionId"), "{error}");
    }
    assert!(!workshop.raw_log().exists(), "nothing was written");
}

/// A record as the brute force knows it: its text, its session, and whether it was forgotten.
struct Said {
    text: String,
    session: usize,
    is_gone: bool,
}

/// Captures the records with their sessions, or without.
fn told(workshop: &Workshop, records: &[Said], has_sessions: bool) -> Memory {
    let mut memory = workshop.open();
    for record in records {
        let input = if has_sessions {
            said(&format!("talk {}", record.session), &record.text)
        } else {
            capture_of("lesson", &record.text)
        };
        let id = memory.capture(input).unwrap().thought.id;
        if record.is_gone {
            memory.forget(&id).unwrap();
        }
    }
    memory
}

/// The neighbours of a record: the nearest live ones of its session, with at most 64 records in between.
fn neighbours(records: &[Said], at: usize) -> Vec<usize> {
    let is_near = |other: &usize| records[*other].session == records[at].session && !records[*other].is_gone;
    let back = (at.saturating_sub(64)..at).rev().find(is_near);
    let forth = (at + 1..records.len().min(at + 65)).find(is_near);
    back.into_iter().chain(forth).collect()
}

/// Adds to the scores without sessions, best first, what the records gain from theirs. None passes by its gain a record that has a word of the
/// query that it lacks.
fn supported(records: &[Said], base: &[(usize, f64)]) -> BTreeMap<String, f64> {
    let mut scores: BTreeMap<usize, f64> = base.iter().copied().collect();
    for (leader, _) in base.iter().take(20) {
        for neighbour in neighbours(records, *leader) {
            scores.entry(neighbour).or_insert(0.0);
        }
    }
    let lacks = |at: usize, other: usize| {
        let has = |at: usize, word: &str| records[at].text.split(' ').any(|own| own == word);
        ["gateway", "port"]
            .iter()
            .any(|word| has(other, word) && !has(at, word))
    };
    let total = |at: usize, own: f64| {
        let of_session = |other: &&usize| records[**other].session == records[at].session;
        let mut best: Vec<f64> = scores.keys().filter(of_session).map(|other| scores[other]).collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let near = neighbours(records, at).into_iter();
        let nearest = near.filter_map(|other| scores.get(&other).copied()).fold(0.0, f64::max);
        let gain = 0.225 * nearest + 0.3 * best.iter().take(3).sum::<f64>() / 3.0;
        let not_passed = scores.iter().filter(|(other, score)| {
            let is_between = **score > own && **score <= own + gain;
            is_between && lacks(at, **other)
        });
        let first = not_passed.map(|(_, score)| *score).reduce(f64::min);
        own + first.map_or(gain, |score| 0.999 * (score - own))
    };
    let all = scores
        .iter()
        .map(|(at, own)| (records[*at].text.clone(), total(*at, *own)));
    all.collect()
}

#[test]
fn the_context_is_what_brute_force_makes_of_the_scores_without_it() {
    let mut dice = Dice::new(seed("context", 7));
    for round in 0..12 {
        let records: Vec<Said> = (0..300)
            .map(|number| {
                let words = ["gateway", "port", "queue"].iter().filter(|_| dice.percent(5));
                let text: Vec<&str> = words.copied().collect();
                Said {
                    // Numbers alone keep the texts apart, so that none is a duplicate or a contradiction.
                    text: format!("n{number:04} x{:06} {}", number * 7919, text.join(" ")),
                    session: dice.roll(6) * dice.roll(4),
                    is_gone: dice.percent(10),
                }
            })
            .collect();
        let (plain, with_sessions) = (Workshop::new(), Workshop::new());
        let mut without = told(&plain, &records, false);
        let mut memory = told(&with_sessions, &records, true);
        let most = || RecallOptions {
            limit: Some(1000.0),
            ..RecallOptions::default()
        };
        let place_of = |text: &str| records.iter().position(|record| record.text == text).unwrap();
        let base: Vec<(usize, f64)> = ask(&mut without, "port of the gateway", most())
            .iter()
            .map(|hit| (place_of(&hit.text), hit.score))
            .collect();
        assert!((10..50).contains(&base.len()), "{} records have a word", base.len());
        let expected = supported(&records, &base);
        if round % 3 == 1 {
            OtherShelf::of(with_sessions.raw_log()).persist();
            memory = with_sessions.open();
        }
        let hits = ask(&mut memory, "port of the gateway", most());
        assert_eq!(hits.len(), expected.len(), "round {round}");
        for hit in &hits {
            let score = expected[&hit.text];
            assert!(
                (hit.score - score).abs() < 1e-4 * score.max(1.0),
                "round {round}: {hit:?}, {score}"
            );
        }
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "round {round}");
    }
}
