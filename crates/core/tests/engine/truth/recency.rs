//! Of two hits of about the same score that say something about the same, the newer one comes first; nothing else moves.

use forge_memory_core::author::Speaker;
use forge_memory_core::review::Verdict;
use forge_memory_core::{Memory, RecallHit, RecallOptions};

use crate::common::{Workshop, capture_of};

const QUERY: &str = "mobile builds signed certificate";
const OLD: &str = "The mobile builds are signed with the certificate on the laptop of Anna";
const NEW: &str = "The mobile builds are signed with the certificate in the vault of the farm";
const ASIDE: &str =
    "A certificate is signed by the registrar before mobile builds begin, which may take weeks in summer";

fn capture(workshop: &Workshop, memory: &mut Memory, text: &str) -> String {
    workshop.clock.advance(1000);
    let outcome = memory.capture(capture_of("lesson", text)).unwrap();
    assert!(
        outcome.captured && outcome.retired.is_empty() && outcome.conflicts.is_empty(),
        "{text}"
    );
    outcome.thought.id
}

fn hits(memory: &mut Memory, query: &str) -> Vec<RecallHit> {
    memory.recall(query, &RecallOptions::default()).unwrap().hits
}

fn ids(hits: &[RecallHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.id.as_str()).collect()
}

#[test]
fn of_equals_about_the_same_the_newer_one_comes_first() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    // In this process, and from segments.
    for mut memory in [memory, workshop.open()] {
        assert_eq!(ids(&hits(&mut memory, QUERY)), [&newer, &older]);
        memory.settle().unwrap();
    }
    let again = capture_of("lesson", OLD);
    workshop.clock.advance(1000);
    let mut memory = workshop.open();
    assert!(!memory.capture(again).unwrap().captured);
    // What is captured again is as new as that.
    assert_eq!(ids(&hits(&mut memory, QUERY)), [&older, &newer]);
}

#[test]
fn a_newer_hit_with_a_lower_score_or_about_something_else_stays_behind() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let older = capture(&workshop, &mut memory, OLD);
    let newer = capture(&workshop, &mut memory, NEW);
    let found = hits(
        &mut memory,
        "mobile builds signed with the certificate on a laptop of Anna",
    );
    assert_eq!(ids(&found), [&older, &newer]);
    assert!(found[1].score < 0.9 * found[0].score);
    let aside = capture(&workshop, &mut memory, ASIDE);
    let found = hits(&mut memory, QUERY);
    assert_eq!(ids(&found), [&newer, &older, &aside]);
}

/// What is decided about an older and a newer record.
type Decision<'d> = dyn Fn(&mut Memory, &str, &str) + 'd;

#[test]
fn a_verdict_and_a_decision_to_keep_the_older_one_end_it() {
    let speaker = Speaker::read(Some("agent"), Some("mcp:1")).unwrap();
    let decisions: [&Decision<'_>; 2] = [
        &|memory, _, newer| {
            memory.reviewer().count(newer, Verdict::Wrong, &speaker).unwrap();
        },
        &|memory, older, newer| {
            let (old, by) = (vec![older.to_owned()], Some(newer.to_owned()));
            memory.resolver().replace(old, by, None, &Speaker::person()).unwrap();
            memory.resolver().keep(older).unwrap();
        },
    ];
    for decide in decisions {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        let older = capture(&workshop, &mut memory, OLD);
        let newer = capture(&workshop, &mut memory, NEW);
        decide(&mut memory, &older, &newer);
        let found = hits(&mut memory, "mobile builds signed certificate laptop");
        assert_eq!(found[0].id, older);
        assert!(hits(&mut memory, QUERY).is_sorted_by(|one, next| one.score >= next.score));
    }
}
