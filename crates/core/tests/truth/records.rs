//! One memory: what a capture does to what is there, and what people decide.

use forge_memory_core::history::RecordState;
use forge_memory_core::resolve::Resolution;
use forge_memory_core::{CaptureInput, EditInput, Memory, RecallOptions};

use super::common::{Workshop, capture_of, list_all, times_recalled};

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
        assert_eq!(
            (retirement.by.as_str(), retirement.why.as_str()),
            (new.as_str(), "number")
        );
        assert_eq!(state(&mut memory, &old), RecordState::Retired);
        memory.settle().unwrap();
    }
    assert_eq!(times_recalled(&mut workshop.open(), OLD), 0);
}

#[test]
fn the_past_answers_as_it_was() {
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
fn what_is_kept_comes_back_and_no_rule_retires_it_again() {
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
fn a_fact_that_holds_again_is_stored_again() {
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
fn a_named_predecessor_is_told_and_comes_back_as_a_revision() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (old, _, _) = capture(&workshop, &mut memory, "Deploys are done by hand");
    let input = CaptureInput {
        supersedes: Some(old.clone()),
        ..capture_of("lesson", "Deploys are done by the pipeline")
    };
    let outcome = memory.capture(input).unwrap();
    assert_eq!(
        (outcome.retired[0].id.as_str(), outcome.retired[0].rule),
        (old.as_str(), "supersedes")
    );
    let kept = memory.resolver().keep(&old).unwrap();
    assert!(kept.kept && kept.id != old);
    assert_eq!(times_recalled(&mut memory, "Deploys are done by hand"), 1);
    assert_eq!(times_recalled(&mut memory, "Deploys are done by the pipeline"), 0);
}

/// Two records that a rule cannot decide about.
fn contested(workshop: &Workshop, memory: &mut Memory) -> (String, String) {
    let (older, _, _) = capture(
        workshop,
        memory,
        "Deploy on Tuesday. Ask Ann first. The runbook is in the wiki.",
    );
    let (newer, _, conflicts) = capture(workshop, memory, "We deploy on Thursday");
    assert_eq!(conflicts, std::slice::from_ref(&older));
    (older, newer)
}

#[test]
fn a_note_that_says_more_is_not_lost_with_its_fact() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (older, newer) = contested(&workshop, &mut memory);
    let hits = memory.recall("deploy", &RecallOptions::default()).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| &hit.id).collect::<Vec<_>>(), [&newer, &older]);
    assert_eq!(hits[0].contradicted_by[0].id, older);
    assert_eq!(hits[1].contradicted_by[0].id, newer);
    let pairs = memory.resolver().conflicts();
    assert_eq!(
        (pairs.len(), &pairs[0].newer.id, &pairs[0].older.id),
        (1, &newer, &older)
    );
}

#[test]
fn a_conflict_is_settled_in_four_ways() {
    for (name, text, states) in [
        ("newer", None, [RecordState::Retired, RecordState::Current]),
        ("older", None, [RecordState::Current, RecordState::Retired]),
        ("both", None, [RecordState::Current, RecordState::Current]),
        (
            "merge",
            Some("Deploy on Thursday, ask Ann first"),
            [RecordState::Retired, RecordState::Current],
        ),
    ] {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        let (older, newer) = contested(&workshop, &mut memory);
        workshop.clock.advance(1000);
        let resolution = Resolution::parse(name, text.map(str::to_owned)).unwrap();
        let outcome = memory.resolver().resolve(&older, &newer, resolution).unwrap();
        assert!(memory.resolver().conflicts().is_empty(), "{name}");
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
        assert!(other.resolver().conflicts().is_empty(), "{name}");
    }
}

#[test]
fn somebody_may_change_their_mind_whatever_the_clock_says() {
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
fn an_edit_and_a_tombstone_count_more_than_a_ruling() {
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
    assert!(memory.resolver().keep(&edited.id).is_err());
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
