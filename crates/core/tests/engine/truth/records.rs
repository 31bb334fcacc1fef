//! One memory: the effects of captures on existing records, and decisions of people.

use std::fs;

use forge_memory_core::clock::{Clock, format_iso};
use forge_memory_core::history::RecordState;
use forge_memory_core::resolve::Resolution;
use forge_memory_core::{CaptureInput, EditInput, Memory, RecallOptions, SaveInput};

use crate::common::{Workshop, capture_of, list_all, times_recalled};

const OLD: &str = "The API rate limit is 100 requests per minute";
const NEW: &str = "The API rate limit is 250 requests per minute";

fn capture(workshop: &Workshop, memory: &mut Memory, text: &str) -> (String, Vec<String>, Vec<String>) {
    workshop.clock.advance(1000);
    let outcome = memory.capture(capture_of("lesson", text)).unwrap();
    assert!(outcome.captured, "{text}");
    let ids = |list: &[forge_memory_core::judge::Contradicted]| list.iter().map(|one| one.id.clone()).collect();
    (outcome.thought.id, ids(&outcome.retired), ids(&outcome.conflicts))
}

fn state(memory: &mut Memory, id: &str) -> RecordState {
    memory.history(id).unwrap().unwrap().state()
}

#[test]
fn a_corrected_fact_is_no_longer_recalled_and_says_why() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, OLD);
    let (new, retired, conflicts) = capture(&workshop, &mut memory, NEW);
    assert_eq!((retired, conflicts), (vec![old.clone()], vec![]));
    // In this process, in another one, and from segments.
    for mut memory in [memory, workshop.open()] {
        assert_eq!(times_recalled(&mut memory, OLD), 0);
        let hits = memory.recall("rate limit", &RecallOptions::default()).unwrap().hits;
        assert_eq!(hits[0].supersedes[0].id, old);
        let history = memory.history(&old).unwrap().unwrap();
        let retirement = history.retired.unwrap();
        assert_eq!((retirement.by.as_str(), &*retirement.why.0), (new.as_str(), "number"));
        assert_eq!(state(&mut memory, &old), RecordState::Retired);
        memory.settle().unwrap();
    }
    assert_eq!(times_recalled(&mut workshop.open(), OLD), 0);
}

#[test]
fn an_as_of_query_answers_from_the_past_state() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, OLD);
    workshop.clock.advance(60_000);
    capture(&workshop, &mut memory, NEW);
    workshop.clock.advance(60_000);
    memory.resolver().keep(&old).unwrap();
    let moment = |back: i64| forge_memory_core::clock::format_iso(memory.now_ms() - back);
    let moments = [moment(100_000), moment(30_000), moment(0)];
    for (at, wanted) in moments.into_iter().zip([true, false, true]) {
        let options = RecallOptions {
            at: Some(at.clone()),
            ..RecallOptions::default()
        };
        for mut memory in [workshop.open(), settled(&workshop)] {
            let hits = memory.recall(OLD, &options).unwrap().hits;
            assert_eq!(hits.iter().any(|hit| hit.id == old), wanted, "{at}");
        }
    }
}

fn settled(workshop: &Workshop) -> Memory {
    let mut memory = workshop.open();
    list_all(&mut memory);
    memory.settle().unwrap();
    workshop.open()
}

#[test]
fn a_kept_record_is_current_again_and_no_rule_retires_it() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, OLD);
    let (new, _, _) = capture(&workshop, &mut memory, NEW);
    assert!(memory.resolver().keep(&old[old.len() - 8..]).unwrap().kept);
    assert!(!memory.resolver().keep(&old).unwrap().kept);
    assert_eq!(
        (times_recalled(&mut memory, OLD), times_recalled(&mut memory, NEW)),
        (1, 1)
    );
    let (_, retired, conflicts) = capture(&workshop, &mut memory, "The API rate limit is 500 requests per minute");
    assert_eq!((retired, conflicts), (vec![new], vec![old.clone()]));
    assert_eq!(state(&mut memory, &old), RecordState::Current);
}

#[test]
fn a_fact_that_is_true_again_is_stored_again() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (first, _, _) = capture(&workshop, &mut memory, OLD);
    let (second, _, _) = capture(&workshop, &mut memory, NEW);
    let (third, retired, _) = capture(&workshop, &mut memory, OLD);
    assert_eq!(retired, [second]);
    assert_ne!(first, third);
    assert_eq!(times_recalled(&mut memory, OLD), 1);
}

#[test]
fn the_type_may_differ_and_the_project_may_not() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, OLD);
    let elsewhere = CaptureInput {
        project: Some("another".into()),
        ..capture_of("decision", NEW)
    };
    assert!(memory.capture(elsewhere).unwrap().retired.is_empty());
    let outcome = memory.capture(capture_of("decision", NEW)).unwrap();
    assert_eq!(outcome.retired[0].id, old);
}

#[test]
fn a_named_predecessor_is_superseded_and_shown_as_a_revision() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, "Deploys are done by hand");
    let input = CaptureInput {
        supersedes: vec![old.clone()],
        ..capture_of("lesson", "Deploys are done by the pipeline")
    };
    let outcome = memory.capture(input).unwrap();
    assert_eq!(
        (outcome.retired[0].id.as_str(), &*outcome.retired[0].why.0),
        (old.as_str(), "supersedes")
    );
    let kept = memory.resolver().keep(&old).unwrap();
    assert!(kept.kept && kept.id != old);
    assert_eq!(times_recalled(&mut memory, "Deploys are done by hand"), 1);
    assert_eq!(times_recalled(&mut memory, "Deploys are done by the pipeline"), 0);
}

fn said_by(author: &str, text: &str) -> CaptureInput {
    CaptureInput {
        author: Some(author.into()),
        ..capture_of("lesson", text)
    }
}

/// What a person said, and what an agent says against it.
fn contested(workshop: &Workshop, memory: &mut Memory) -> (String, String) {
    workshop.clock.advance(1000);
    let older = memory.capture(said_by("person", OLD)).unwrap().thought.id;
    let (newer, retired, conflicts) = capture(workshop, memory, NEW);
    assert_eq!((retired, conflicts), (vec![], vec![older.clone()]));
    (older, newer)
}

#[test]
fn what_a_person_said_is_only_retired_by_a_person() {
    for author in ["agent", "import", "watcher"] {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        let decision = memory.capture(said_by("person", OLD)).unwrap().thought.id;
        let changes = [
            NEW.to_owned(),
            "The API rate limit is no longer 100 requests per minute".to_owned(),
            format!("{OLD}, since the load test"),
        ];
        for text in &changes {
            workshop.clock.advance(1000);
            let outcome = memory.capture(said_by(author, text)).unwrap();
            assert!(outcome.retired.iter().all(|one| one.id != decision), "{author}: {text}");
        }
        let supersedes = CaptureInput {
            supersedes: vec![decision.clone()],
            ..said_by(author, "There is no rate limit any more")
        };
        workshop.clock.advance(1000);
        let outcome = memory.capture(supersedes).unwrap();
        assert_eq!(
            (outcome.retired.len(), outcome.conflicts[0].id.as_str()),
            (0, decision.as_str())
        );
        assert_eq!(outcome.thought.supersedes, None);
        for mut memory in [memory, workshop.open()] {
            assert_eq!(state(&mut memory, &decision), RecordState::Current, "{author}");
            let pairs = memory.conflicts();
            assert!(pairs.iter().any(|pair| pair.older.id == decision), "{author}");
        }
        let mut memory = workshop.open();
        let outcome = memory
            .capture(said_by("person", "The API rate limit is 300 requests per minute"))
            .unwrap();
        assert!(outcome.retired.iter().any(|one| one.id == decision), "{author}");
    }
}

#[test]
fn what_a_person_said_is_edited_by_a_person() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let id = memory.capture(said_by("person", OLD)).unwrap().thought.id;
    let changes = |author: &str| EditInput {
        body: Some(NEW.into()),
        author: Some(author.into()),
        ..EditInput::default()
    };
    for author in ["agent", "import", "watcher"] {
        let error = memory.edit(&id, changes(author)).unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT", "{author}");
    }
    assert_eq!(times_recalled(&mut memory, OLD), 1);
    memory.edit(&id, changes("person")).unwrap();
    assert_eq!(times_recalled(&mut memory, NEW), 1);
}

#[test]
fn a_conflict_passes_to_the_record_that_retires_the_newer_side() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (first, second) = contested(&workshop, &mut memory);
    let input = CaptureInput {
        supersedes: vec![second.clone()],
        ..capture_of("lesson", "Requests to the API are limited per customer")
    };
    workshop.clock.advance(1000);
    let outcome = memory.capture(input).unwrap();
    let ids = |list: &[forge_memory_core::judge::Contradicted]| -> Vec<String> {
        list.iter().map(|one| one.id.clone()).collect()
    };
    assert_eq!(
        (ids(&outcome.retired), ids(&outcome.conflicts)),
        (vec![second], vec![first.clone()])
    );
    let hits = memory.recall("rate limit", &RecallOptions::default()).unwrap().hits;
    let older = hits.iter().find(|hit| hit.id == first).unwrap();
    assert_eq!(older.contradicted_by[0].id, outcome.thought.id);
}

#[test]
fn a_longer_note_is_not_retired_with_one_of_its_facts() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let note = "The API listens on port 8080. Ask Ann for the certificate first. The runbook is in the wiki.";
    let (older, ..) = capture(&workshop, &mut memory, note);
    let (newer, retired, conflicts) = capture(&workshop, &mut memory, "The API listens on port 9090");
    assert_eq!((retired, conflicts), (vec![], vec![]));
    let hits = memory.recall("API port", &RecallOptions::default()).unwrap().hits;
    assert_eq!(hits.len(), 2, "{older} {newer}");
}

#[test]
fn conflicts_are_marks_and_move_no_hit() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (older, newer) = contested(&workshop, &mut memory);
    for query in [
        "the API rate limit is 100 requests per minute",
        "API rate limit",
        "250 requests",
    ] {
        let hits = memory.recall(query, &RecallOptions::default()).unwrap().hits;
        let order: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
        assert!(order.is_sorted_by(|one, next| *next <= one / 0.9), "{query}: {order:?}");
        let of = |id: &str| hits.iter().find(|hit| hit.id == id).unwrap();
        assert_eq!(of(&older).contradicted_by[0].id, newer, "{query}");
        assert_eq!(of(&newer).contradicted_by[0].id, older, "{query}");
    }
    // Nothing is brought in that the query does not find.
    let one = RecallOptions {
        limit: Some(1.0),
        ..RecallOptions::default()
    };
    let hits = memory.recall("250", &one).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| &hit.id).collect::<Vec<_>>(), [&newer]);
}

#[test]
fn a_conflict_is_settled_in_four_ways() {
    for (name, text, states) in [
        ("newer", None, [RecordState::Retired, RecordState::Current]),
        ("older", None, [RecordState::Current, RecordState::Retired]),
        ("both", None, [RecordState::Current, RecordState::Current]),
        (
            "merge",
            Some("The rate limit of the API depends on the customer"),
            [RecordState::Retired, RecordState::Current],
        ),
    ] {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        let (older, newer) = contested(&workshop, &mut memory);
        workshop.clock.advance(1000);
        let resolution = Resolution::of(serde_json::from_value(name.into()).unwrap(), text.map(str::to_owned)).unwrap();
        let outcome = memory.resolver().resolve(&older, &newer, resolution).unwrap();
        assert!(memory.conflicts().is_empty(), "{name}");
        assert_eq!(
            [state(&mut memory, &older), state(&mut memory, &newer)],
            states,
            "{name}"
        );
        if let Some(text) = text {
            assert_eq!(times_recalled(&mut memory, text), 1);
            assert_ne!(outcome.current, [newer]);
        }
        let mut other = workshop.open();
        assert!(other.conflicts().is_empty(), "{name}");
    }
}

#[test]
fn a_decision_that_is_repeated_writes_nothing() {
    let text = "The rate limit of the API depends on the customer".to_owned();
    for decision in [
        Resolution::Newer,
        Resolution::Older,
        Resolution::Both,
        Resolution::Merge(text),
    ] {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        let (old, new) = contested(&workshop, &mut memory);
        workshop.clock.advance(1000);
        let once = memory.resolver().resolve(&old, &new, decision.clone()).unwrap();
        let bytes = std::fs::read(workshop.raw_log()).unwrap();
        workshop.clock.advance(1000);
        let twice = memory.resolver().resolve(&old, &new, decision.clone()).unwrap();
        assert_eq!(once, twice, "{decision:?}");
        assert_eq!(std::fs::read(workshop.raw_log()).unwrap(), bytes, "{decision:?}");
    }
}

#[test]
fn a_query_in_the_words_of_a_retired_fact_finds_its_successor() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture(&workshop, &mut memory, "The storefront database is MySQL 8");
    let (middle, retired, _) = capture(
        &workshop,
        &mut memory,
        "We migrated the storefront database from MySQL to PostgreSQL",
    );
    assert_eq!(retired.len(), 1);
    let (new, ..) = capture(
        &workshop,
        &mut memory,
        "PostgreSQL was replaced by CockroachDB for the storefront database",
    );
    let texts = |memory: &mut Memory, query: &str| -> Vec<String> {
        let hits = memory.recall(query, &RecallOptions::default()).unwrap().hits;
        hits.into_iter().map(|hit| hit.id).collect()
    };
    for mut memory in [memory, workshop.open()] {
        let found = texts(&mut memory, "MySQL 8");
        assert_eq!(found.first(), Some(&new), "{middle} {found:?}");
        memory.settle().unwrap();
    }
    let at = RecallOptions {
        types: vec!["lesson".into()],
        ..RecallOptions::default()
    };
    let hits = workshop.open().recall("MySQL 8", &at).unwrap().hits;
    assert!(hits.iter().all(|hit| !hit.text.contains("MySQL 8")));
}

#[test]
fn a_later_decision_wins_even_with_a_clock_that_went_back() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (older, newer) = contested(&workshop, &mut memory);
    // All of it within one millisecond, and with a clock that goes back.
    for turn in 0..4 {
        let (resolution, loser) = match turn % 2 {
            0 => (Resolution::Newer, &older),
            _ => (Resolution::Older, &newer),
        };
        memory.resolver().resolve(&older, &newer, resolution).unwrap();
        let states = [state(&mut memory, &older), state(&mut memory, &newer)];
        let retired = if *loser == older { 0 } else { 1 };
        assert_eq!(states[retired], RecordState::Retired, "{turn}");
        assert_eq!(states[1 - retired], RecordState::Current, "{turn}");
        workshop.clock.advance(-1000);
    }
    memory.resolver().keep(&newer).unwrap();
    memory.resolver().keep(&older).unwrap();
    assert_eq!(list_all(&mut memory).len(), 2);
}

#[test]
fn an_edit_and_a_tombstone_take_precedence_over_a_ruling() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, OLD);
    capture(&workshop, &mut memory, NEW);
    let changes = EditInput {
        body: Some("The old rate limit of the API is told in the changelog".into()),
        ..EditInput::default()
    };
    let edited = memory.edit(&old, changes).unwrap();
    assert_eq!(times_recalled(&mut memory, &edited.content), 1);
    assert!(memory.forget(&edited.id).unwrap());
    assert_eq!(list_all(&mut memory).len(), 1);
}

#[test]
fn compaction_and_repair_keep_what_is_retired() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, OLD);
    capture(&workshop, &mut memory, NEW);
    memory.compact(false).unwrap();
    memory.repair().unwrap();
    let mut memory = workshop.open();
    assert_eq!(state(&mut memory, &old), RecordState::Retired);
    assert!(memory.resolver().keep(&old).unwrap().kept);
    assert_eq!(times_recalled(&mut memory, OLD), 1);
}

#[test]
fn a_line_that_is_dated_ahead_dates_no_other_and_the_doctor_names_it() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture(&workshop, &mut memory, "Builds run on Linux");
    let line = r#"{"_v":1,"id":"mem_ahead","content":"From the future","type":"lesson","captured_at":"9999-12-31T00:00:00.000Z"}"#;
    let mut log = fs::read_to_string(workshop.raw_log()).unwrap();
    log.push_str(&format!("{line}\n"));
    fs::write(workshop.raw_log(), log).unwrap();
    for (mut memory, text) in [
        (memory, "Releases are signed"),
        (workshop.open(), "Tests run in one process"),
    ] {
        let outcome = memory.capture(capture_of("lesson", text)).unwrap();
        assert_eq!(outcome.thought.captured_at, format_iso(workshop.clock.now_ms()));
        assert_eq!(outcome.clock_behind_ms, None);
    }
    let findings = workshop.open().diagnose();
    let named = findings.iter().find(|finding| finding.code == "DATED_AHEAD").unwrap();
    assert!(named.message.contains("mem_ahead 9999-12-31"), "{}", named.message);
}

#[test]
fn a_clock_that_is_behind_hides_nothing() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    // One line that is dated ahead would say nothing.
    for fact in ["Builds run on Linux", "Releases are signed"] {
        capture(&workshop, &mut memory, fact);
    }
    let (old, ..) = capture(&workshop, &mut memory, "The API listens on port 8080");
    let years = 6 * 365 * 24 * 3_600_000;
    workshop.clock.advance(-years);
    // In this process, and in one that opens the memory with the wrong clock.
    for (mut memory, port) in [(memory, 9090), (workshop.open(), 7070)] {
        let outcome = memory
            .capture(capture_of("lesson", &format!("The API listens on port {port}")))
            .unwrap();
        assert_eq!(outcome.retired.len(), 1);
        assert!(
            outcome.clock_behind_ms.is_some_and(|behind| behind > years - 60_000),
            "{outcome:?}"
        );
    }
    let mut memory = workshop.open();
    memory
        .save(SaveInput {
            pattern: Some("The ports are in the wiki".into()),
            category: Some("convention".into()),
            ..SaveInput::default()
        })
        .unwrap();
    workshop.clock.advance(years);
    let mut memory = workshop.open();
    let hits = memory.recall("API port", &RecallOptions::default()).unwrap().hits;
    assert_eq!(hits[0].text, "The API listens on port 7070");
    assert_eq!(state(&mut memory, &old), RecordState::Retired);
    let (.., retired, _) = capture(&workshop, &mut memory, "The API listens on port 6060");
    assert_eq!(retired.len(), 1);
}

#[test]
fn a_text_may_state_two_claims_that_differ_only_in_a_negation() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for number in 0..2000 {
        let text = format!("The importer reads invoice{number} nightly, not importer invoice{number} reads nightly");
        capture(&workshop, &mut memory, &text);
    }
    memory.settle().unwrap();
    assert_eq!(workshop.open().record_counts().memories, 2000);
}
