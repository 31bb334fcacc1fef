//! What a capture may replace: named to whoever captures, and decided by nobody else.

use std::fs;

use forge_memory_core::{CaptureInput, CaptureOutcome, Memory, ScopeFilter};

use crate::common::{Workshop, capture_of, save_of};

const NOTES: [&str; 24] = [
    "The invoice importer skips rows without a tax number",
    "Screenshots of the manual are taken at 1280 by 800",
    "Feature flags are read once at startup",
    "Ask Beatriz about the barcode printers",
    "The nightly export writes one file per warehouse",
    "Pull requests need a changelog line",
    "Dates in reports are written in ISO format",
    "The map tiles are cached by the CDN for an hour",
    "Sessions of the admin area end after an hour of silence",
    "The mobile client retries failed uploads in the background",
    "Database migrations run before the new containers start",
    "The search index is rebuilt on Sundays",
    "Error pages never show a stack trace",
    "Translations live in one file per language",
    "The queue worker stops when its memory exceeds a gigabyte",
    "Customer numbers begin with the country code",
    "Prices are stored in cents",
    "The staging cluster is switched off at night",
    "Licence checks run in the release job",
    "Logs are shipped to the archive once a day",
    "Two people approve changes of the firewall",
    "The camera driver needs the vendor library",
    "Images are resized on upload",
    "Support tickets are answered within a day",
];
const REDIS: &str = "Auth tokens live in Redis";
const POSTGRES: &str = "Sessions and auth tokens moved into Postgres, Redis is gone";

/// A memory with notes about other things.
fn filled(workshop: &Workshop) -> Memory {
    let mut memory = workshop.open();
    for note in NOTES {
        capture(workshop, &mut memory, note);
    }
    memory
}

fn capture(workshop: &Workshop, memory: &mut Memory, text: &str) -> CaptureOutcome {
    workshop.clock.advance(1000);
    let input = CaptureInput {
        related: true,
        ..capture_of("lesson", text)
    };
    memory.capture(input).unwrap()
}

fn offered(outcome: &CaptureOutcome) -> Vec<&str> {
    outcome.related.iter().flatten().map(|one| one.text.as_str()).collect()
}

#[test]
fn a_change_in_other_words_is_offered_what_it_changes() {
    let workshop = Workshop::new();
    let mut memory = filled(&workshop);
    let old = capture(&workshop, &mut memory, REDIS);
    assert!(offered(&old).is_empty(), "{:?}", old.related);
    let new = capture(&workshop, &mut memory, POSTGRES);
    assert!(new.retired.is_empty(), "no rule decides it");
    let one = &new.related.as_ref().unwrap()[0];
    assert_eq!(
        (one.id.as_str(), one.kind.as_str()),
        (old.thought.id.as_str(), "lesson")
    );
    assert_eq!(one.created_at, old.thought.captured_at);
    // Asked again, from segments, by the text alone.
    memory.settle().unwrap();
    let mut memory = workshop.open();
    let again = memory.related(POSTGRES, ScopeFilter::Project, &[&new.thought.id]);
    assert_eq!(again[0].id, old.thought.id);
    assert!(
        memory.related(REDIS, ScopeFilter::Global, &[]).is_empty(),
        "the user's own memory is empty"
    );
}

#[test]
fn what_has_only_a_word_or_two_in_common_is_not_offered() {
    let release = "Version 3.2 went to three registries in late 2025, and the benchmarks of the release were archived beside the packages";
    let pairs = [
        (
            release,
            "The old package was renamed in late 2025, its former name only forwards, and nobody has asked for it since",
        ),
        (
            "The terminal dashboard is drawn by a library of widgets, lives in a crate of its own and asks the server over HTTP",
            "The HTTP endpoints of the server are described in one table, with their errors, limits and an example for each of them",
        ),
    ];
    let workshop = Workshop::new();
    let mut memory = filled(&workshop);
    for (older, newer) in pairs {
        capture(&workshop, &mut memory, older);
        let outcome = capture(&workshop, &mut memory, newer);
        assert!(offered(&outcome).is_empty(), "{newer}: {:?}", outcome.related);
    }
    let later = "Version 3.2 of late 2025 is in a fourth registry, and the benchmarks of the release are no longer archived beside the packages";
    assert_eq!(offered(&capture(&workshop, &mut memory, later)), [release]);
}

#[test]
fn what_is_plainly_similar_is_offered_beside_what_is_nearer() {
    let workshop = Workshop::new();
    let mut memory = filled(&workshop);
    let regions = ["the west", "the east", "the north"].map(|region| {
        let text = format!("Invoices of {region} are numbered by the accounting system before they are sent");
        capture(&workshop, &mut memory, &text).thought.content
    });
    let new = "Invoices of the west are numbered by the accounting system after they are sent, no longer before";
    let outcome = capture(&workshop, &mut memory, new);
    let mut found = offered(&outcome);
    found.sort_unstable();
    let mut wanted: Vec<&str> = regions.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted, "{:?}", outcome.retired);
}

#[test]
fn only_current_records_of_the_project_are_offered_and_none_unless_asked() {
    let workshop = Workshop::with_config(r#"{"review":"off"}"#);
    let mut memory = filled(&workshop);
    let old = capture(&workshop, &mut memory, REDIS).thought.id;
    let unasked = memory
        .capture(capture_of("lesson", "Auth tokens in Redis are encrypted"))
        .unwrap();
    assert_eq!(unasked.related, None);
    memory.forget(&unasked.thought.id).unwrap();
    let elsewhere = CaptureInput {
        project: Some("another".into()),
        ..capture_of("lesson", "Auth tokens live in Redis of the other cluster")
    };
    memory.capture(elsewhere).unwrap();
    let waiting = CaptureInput {
        waits: Some(true),
        ..capture_of("lesson", "Auth tokens in Redis expire after a week")
    };
    memory.capture(waiting).unwrap();
    let found = |memory: &mut Memory| {
        let found = memory.related(POSTGRES, ScopeFilter::Project, &[]);
        found.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&mut memory), [old.as_str()]);
    let named = CaptureInput {
        supersedes: vec![old.clone()],
        related: true,
        ..capture_of("lesson", POSTGRES)
    };
    let outcome = memory.capture(named).unwrap();
    assert!(offered(&outcome).is_empty(), "neither itself nor what it has retired");
    let again = CaptureInput {
        related: true,
        ..capture_of("lesson", POSTGRES)
    };
    let again = memory.capture(again).unwrap();
    assert!(again.deduped && offered(&again).is_empty());
}

#[test]
fn a_saved_pattern_is_offered_patterns_and_captures_of_its_scope() {
    let workshop = Workshop::new();
    let mut memory = filled(&workshop);
    capture(&workshop, &mut memory, REDIS);
    memory
        .save(save_of("global", "convention", "Auth tokens live in Redis everywhere"))
        .unwrap();
    for (scope, wanted) in [("project", REDIS), ("global", "Auth tokens live in Redis everywhere")] {
        let mut input = save_of(scope, "convention", POSTGRES);
        input.related = true;
        let related = memory.save(input).unwrap().related.unwrap();
        // The user's own memory has a single note, so that no word of it is rare.
        let texts: Vec<&str> = related.iter().map(|one| one.text.as_str()).collect();
        assert!(scope == "global" || texts == [wanted], "{scope}: {texts:?}");
        assert!(!texts.iter().any(|text| *text != wanted), "{scope}: {texts:?}");
    }
}

#[test]
fn without_an_answer_of_the_index_there_is_no_offer() {
    let workshop = Workshop::new();
    let mut memory = filled(&workshop);
    capture(&workshop, &mut memory, REDIS);
    assert_eq!(memory.related(POSTGRES, ScopeFilter::Project, &[]).len(), 1);
    let away = workshop.forge().join("away");
    fs::rename(workshop.raw_log(), &away).unwrap();
    fs::create_dir(workshop.raw_log()).unwrap();
    for mut memory in [memory, workshop.open()] {
        assert!(memory.related(POSTGRES, ScopeFilter::Project, &[]).is_empty());
    }
    fs::remove_dir(workshop.raw_log()).unwrap();
    fs::rename(&away, workshop.raw_log()).unwrap();
    assert_eq!(workshop.open().related(POSTGRES, ScopeFilter::Project, &[]).len(), 1);
}

#[test]
fn ten_thousand_records_about_one_subject_bring_three_and_long_or_wordless_texts_no_error() {
    let workshop = Workshop::new();
    let line = |at: usize| {
        format!(
            "{{\"_v\":1,\"id\":\"mem_{at:032x}\",\"content\":\"deploy number {at} of the billing service failed at step {}\",\"project\":\"{}\",\
             \"type\":\"lesson\",\"source\":\"ci\",\"created_by\":\"ci\",\"captured_at\":\"2026-11-20T10:00:00.000Z\",\"tags\":[],\"confidence\":0.7}}\n",
            at % 7,
            workshop.open().project_name(),
        )
    };
    fs::create_dir_all(workshop.forge()).unwrap();
    let lines: String = (0..10_000).map(line).collect();
    fs::write(workshop.raw_log(), lines).unwrap();
    let mut memory = workshop.open();
    let found = memory.related(
        "deploy number 10001 of the billing service failed at step 3",
        ScopeFilter::Project,
        &[],
    );
    assert!(found.len() <= 3);
    for text in [
        "",
        "...",
        "the of and",
        "\u{0}\u{202e}",
        &"word ".repeat(20_000),
        &"x".repeat(200_000),
    ] {
        memory.related(text, ScopeFilter::Project, &[]);
    }
}
