//! Two records about the same, whose contradiction no rule sees: the newer one comes first, and the older one is marked.

use forge_memory_core::author::Speaker;
use forge_memory_core::resolve::Resolution;
use forge_memory_core::review::Verdict;
use forge_memory_core::{Memory, RecallHit, RecallOptions};

use crate::common::{Workshop, capture_of};

const QUERY: &str = "where do mobile builds get signed";
const OLD: &str = "The mobile builds are signed with the certificate on Anna's laptop.";
const NEW: &str = "Signing of the mobile builds happens in the build farm, nobody has the certificate locally.";

const OTHER: &str = "Rotation of the runner token: gitlab runner token rotation is on the first of the month.";

fn capture(workshop: &Workshop, memory: &mut Memory, text: &str) -> String {
    workshop.clock.advance(1000);
    let outcome = memory.capture(capture_of("lesson", text)).unwrap();
    assert!(outcome.captured, "{text}");
    assert!(
        outcome.retired.is_empty() && outcome.conflicts.is_empty(),
        "a rule sees {text}"
    );
    outcome.thought.id
}

fn hits(memory: &mut Memory, query: &str) -> Vec<RecallHit> {
    memory.recall(query, &RecallOptions::default()).unwrap().hits
}

fn ids(hits: &[RecallHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.id.as_str()).collect()
}

fn outdated_by(hit: &RecallHit) -> Option<&str> {
    hit.possibly_outdated_by.as_ref().map(|newer| newer.id.as_str())
}

#[test]
fn the_newer_record_comes_first_although_the_older_one_has_the_better_score() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    capture(
        &workshop,
        &mut memory,
        "The mobile importer writes its receipts at night.",
    );
    let newer = capture(&workshop, &mut memory, NEW);
    // In this process, and from segments.
    for mut memory in [memory, workshop.open()] {
        let hits = hits(&mut memory, QUERY);
        assert_eq!(ids(&hits)[..2], [&newer, &older]);
        assert!(hits[0].score < hits[1].score, "{hits:?}");
        assert_eq!(outdated_by(&hits[1]), Some(newer.as_str()));
        assert!(hits[0].possibly_outdated_by.is_none());
        assert!(hits[2..].iter().all(|hit| hit.possibly_outdated_by.is_none()));
        memory.settle().unwrap();
    }
}

#[test]
fn a_record_that_lacks_a_word_of_the_query_stays_behind() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    let hits = hits(&mut memory, "signed mobile builds on a laptop");
    assert_eq!(ids(&hits), [&older, &newer]);
    assert!(hits.iter().all(|hit| hit.possibly_outdated_by.is_none()));
}

#[test]
fn a_clear_change_needs_half_of_the_score_of_the_older_one_only() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let best = capture(&workshop, &mut memory, OTHER);
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(
        &workshop,
        &mut memory,
        "The release server has the certificate for the mobile builds now, in its own vault.",
    );
    let hits = hits(&mut memory, "gitlab runner token rotation for mobile builds");
    assert_eq!(ids(&hits), [&best, &newer, &older]);
    assert!(hits[1].score < hits[2].score && hits[1].score < 0.5 * hits[0].score);
}

#[test]
fn other_cases_additions_and_plans_are_not_moved() {
    for other in [
        "The mobile builds of the Windows client are signed in the build farm, with its certificate.",
        "The mobile builds are also signed in the build farm, with a second certificate.",
        "The mobile builds might be signed in the build farm, with a certificate of its own.",
        "We plan to have the mobile builds signed in the build farm, with a certificate of its own.",
    ] {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        capture(&workshop, &mut memory, OLD);
        capture(&workshop, &mut memory, other);
        let hits = hits(&mut memory, "signed mobile builds");
        assert!(hits.is_sorted_by(|one, next| one.score >= next.score), "{other}");
        assert!(hits.iter().all(|hit| hit.possibly_outdated_by.is_none()), "{other}");
    }
}

#[test]
fn a_decision_that_both_hold_ends_it() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    memory.resolver().resolve(&older, &newer, Resolution::Both).unwrap();
    for mut memory in [memory, workshop.open()] {
        let hits = hits(&mut memory, QUERY);
        assert_eq!(ids(&hits), [&older, &newer]);
        assert!(hits.iter().all(|hit| hit.possibly_outdated_by.is_none()));
    }
}

#[test]
fn a_record_that_is_captured_again_is_as_new_as_that() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    workshop.clock.advance(1000);
    assert!(!memory.capture(capture_of("lesson", OLD)).unwrap().captured);
    let hits = hits(&mut memory, QUERY);
    assert_eq!(ids(&hits), [&older, &newer]);
    assert!(outdated_by(&hits[0]).is_none());
}

#[test]
fn long_notes_are_left_where_they_are() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let rest = "The rest of this note is about the release of the next month. ".repeat(8);
    let newer = capture(&workshop, &mut memory, &format!("{NEW} {rest}"));
    let hits = hits(&mut memory, QUERY);
    assert_eq!(ids(&hits), [&older, &newer]);
    assert!(outdated_by(&hits[0]).is_none() && outdated_by(&hits[1]).is_none());
}

#[test]
fn a_single_hit_is_the_newer_one() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    let options = RecallOptions {
        limit: Some(1.0),
        ..RecallOptions::default()
    };
    let hits = memory.recall(QUERY, &options).unwrap().hits;
    assert_eq!(ids(&hits), [&newer]);
}

#[test]
fn a_newer_record_that_was_found_wrong_is_not_put_first() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    let speaker = Speaker::read(Some("agent"), Some("mcp:1")).unwrap();
    memory.reviewer().count(&newer, Verdict::Wrong, &speaker).unwrap();
    let hits = hits(&mut memory, QUERY);
    assert_eq!(ids(&hits), [&older, &newer]);
    assert!(outdated_by(&hits[0]).is_none());
}
