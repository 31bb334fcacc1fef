//! Query words that no record contains are corrected, completed or split, in every state of the index.

use crate::common::other::OtherShelf;
use crate::common::{Workshop, capture_of, delete_index};
use forge_memory_core::index::Correction;
use forge_memory_core::{Memory, RecallOptions, RecallOutcome};

const NOTES: [&str; 9] = [
    "The database migration needs a lock before it starts",
    "Dependencies are pinned, one dependency a line",
    "Configuration lives in appSettings and nowhere else",
    "app settings of the worker are read once",
    "A shutdown waits for the queue; shut the door",
    "The request times out after thirty seconds and is retried",
    "Größe und Übertragung der Datei",
    "исправить ошибки при запуске миграций",
    "Use C++ for the parser and never C",
];

fn memory_of(workshop: &Workshop) -> Memory {
    let mut memory = workshop.open();
    for note in NOTES {
        memory.capture(capture_of("lesson", note)).unwrap();
    }
    memory
}

fn ask(memory: &mut Memory, query: &str) -> RecallOutcome {
    memory.recall(query, &RecallOptions::default()).unwrap()
}

fn first(memory: &mut Memory, query: &str) -> Option<String> {
    ask(memory, query).hits.into_iter().next().map(|hit| hit.text)
}

/// Calls `check` with a memory whose records are in memory, one whose records are in a segment, and one that has some in each.
fn in_every_state(check: impl Fn(&mut Memory, &str)) {
    let workshop = Workshop::new();
    let mut memory = memory_of(&workshop);
    check(&mut memory, "in memory");
    OtherShelf::of(workshop.raw_log()).persist();
    check(&mut workshop.open(), "persisted");
    memory
        .capture(capture_of("gotcha", "A later note about databases"))
        .unwrap();
    check(&mut memory, "partly persisted");
    delete_index(&workshop.forge());
    check(&mut workshop.open(), "without an index");
}

#[test]
fn typing_mistakes_are_corrected_and_reported() {
    in_every_state(|memory, state| {
        for (typed, meant, note) in [
            ("databse migration", "database", NOTES[0]),
            ("migartion lock", "migration", NOTES[0]),
            ("pinnde dependancies", "pinned", NOTES[1]),
            ("retreid request", "retried", NOTES[5]),
        ] {
            let outcome = ask(memory, typed);
            assert_eq!(
                outcome.hits.first().map(|hit| hit.text.as_str()),
                Some(note),
                "{typed}, {state}"
            );
            let found = outcome
                .corrected
                .iter()
                .any(|correction| correction.taken_for == [meant]);
            assert!(found, "{typed}, {state}: {:?}", outcome.corrected);
            assert!(outcome.message.unwrap().contains(meant), "{typed}, {state}");
        }
    });
}

#[test]
fn only_the_last_word_is_completed() {
    in_every_state(|memory, state| {
        for query in ["configu", "where is the configu"] {
            let outcome = ask(memory, query);
            assert_eq!(
                outcome.hits.first().map(|hit| hit.text.as_str()),
                Some(NOTES[2]),
                "{query}, {state}"
            );
            assert_eq!(outcome.corrected[0].taken_for, ["configuration"], "{query}, {state}");
        }
        assert_eq!(ask(memory, "configu zzzz").hits.len(), 0, "{state}");
        assert_eq!(first(memory, "depend").as_deref(), Some(NOTES[1]), "{state}");
    });
}

#[test]
fn compounds_and_their_parts_find_each_other() {
    in_every_state(|memory, state| {
        for (query, note) in [
            ("appsettings worker", NOTES[3]),
            ("appsettings", NOTES[2]),
            ("shut down", NOTES[4]),
            ("timeout request", NOTES[5]),
        ] {
            let found = ask(memory, query);
            assert!(
                found.hits.iter().any(|hit| hit.text == note),
                "{query}, {state}: {found:?}"
            );
        }
    });
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(capture_of("lesson", "The timeout is short")).unwrap();
    assert_eq!(first(&mut memory, "times out").as_deref(), Some("The timeout is short"));
}

#[test]
fn other_spellings_are_found_without_a_correction() {
    in_every_state(|memory, state| {
        for (query, note) in [
            ("Groesse", NOTES[6]),
            ("grosse uebertragung", NOTES[6]),
            ("ошибка миграции", NOTES[7]),
            ("c++", NOTES[8]),
            ("C++ parser", NOTES[8]),
        ] {
            let outcome = ask(memory, query);
            assert_eq!(
                outcome.hits.first().map(|hit| hit.text.as_str()),
                Some(note),
                "{query}, {state}"
            );
            assert_eq!(outcome.corrected, [], "{query}, {state}");
        }
    });
}

#[test]
fn known_words_are_not_corrected_and_unknown_ones_without_neighbours_find_nothing() {
    in_every_state(|memory, state| {
        for query in ["database migration lock", "the", "queue door"] {
            assert_eq!(ask(memory, query).corrected, [], "{query}, {state}");
            assert_eq!(ask(memory, query).message, None, "{query}, {state}");
        }
        for query in ["xylophone", "qzx", "atabase", "zz", "E9999", "_____"] {
            let outcome = ask(memory, query);
            assert_eq!(
                (outcome.hits.len(), outcome.corrected),
                (0, Vec::<Correction>::new()),
                "{query}, {state}"
            );
        }
    });
}

#[test]
fn hostile_queries_are_answered() {
    in_every_state(|memory, state| {
        let many: String = (0..10_000_u32)
            .map(|number| format!("databse{} ", char::from(b'a' + (number % 26) as u8)))
            .collect();
        for query in [
            "",
            "d",
            many.as_str(),
            "(.*)+$ [databse",
            "'; DROP TABLE terms; --",
            "\u{fffd}databse\u{fffd}",
            "databse\u{0}migartion",
            "\"databse\" NEAR/3 OR *",
        ] {
            let outcome = ask(memory, query);
            assert!(outcome.corrected.len() <= 8, "{state}");
        }
    });
}
