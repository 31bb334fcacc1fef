//! Compaction: dead records are removed, and everything else keeps its bytes.

use std::fs;
use std::path::Path;

use forge_memory_core::clock::DAY_MS;
use forge_memory_core::{EditInput, Memory};

use super::samples::tree;
use crate::common::lines::lines;
use crate::common::{Workshop, capture_of, list_all, save_of};

fn edit_to(text: &str) -> EditInput {
    EditInput {
        body: Some(text.into()),
        ..EditInput::default()
    }
}

fn filled(workshop: &Workshop) -> Memory {
    let mut memory = workshop.open();
    let id = |memory: &mut Memory, kind: &str, text: &str| memory.capture(capture_of(kind, text)).unwrap().thought.id;
    id(&mut memory, "convention", "Conventions never expire");
    let edited = id(&mut memory, "lesson", "An early text");
    memory.edit(&edited, edit_to("A later text")).unwrap();
    let forgotten = id(&mut memory, "decision", "A secret decision");
    memory.forget(&forgotten).unwrap();
    id(&mut memory, "gotcha", "Gotchas expire after ninety days");
    let confirmed = id(&mut memory, "gotcha", "Somebody saw this again");
    workshop.clock.advance(60 * DAY_MS);
    assert_eq!(id(&mut memory, "gotcha", "somebody saw this AGAIN"), confirmed);
    let pattern = memory.save(save_of("project", "convention", "Tabs")).unwrap().id;
    memory.edit(&pattern, edit_to("Spaces")).unwrap();
    memory.save(save_of("project", "convention", "Semicolons")).unwrap();
    workshop.clock.advance(40 * DAY_MS);
    // So many lines say how late it is, besides the clock.
    for word in [
        "amber", "birch", "cedar", "dune", "elm", "fjord", "glade", "heath", "island", "jetty",
    ] {
        id(&mut memory, "convention", &format!("The word {word} is {word}"));
    }
    memory
}

fn shown(memory: &mut Memory) -> Vec<String> {
    let mut texts: Vec<String> = memory
        .list(&Default::default())
        .unwrap()
        .0
        .into_iter()
        .map(|hit| format!("{} {} {}", hit.id, hit.kind, hit.text))
        .collect();
    texts.sort_unstable();
    texts
}

#[test]
fn expired_superseded_and_forgotten_lines_go_and_all_others_keep_their_bytes() {
    let workshop = Workshop::new();
    let mut memory = filled(&workshop);
    let answers = shown(&mut memory);
    let before = lines(&workshop.raw_log());
    let whole = tree(&workshop.forge());
    let planned = memory.compact(true).unwrap();
    assert_eq!(tree(&workshop.forge()), whole, "a dry run writes nothing");
    let report = memory.compact(false).unwrap();
    assert_eq!(planned.files, report.files);
    let log = report
        .files
        .iter()
        .find(|file| file.name == "memory-captures.jsonl")
        .unwrap();
    assert_eq!((log.expired, log.superseded, log.forgotten, log.remarks), (1, 1, 1, 0));
    let after = lines(&workshop.raw_log());
    assert!(after.iter().all(|line| before.contains(line)));
    // The tombstone stays.
    assert_eq!(after.len(), before.len() - 3);
    assert_eq!(shown(&mut memory), answers);
    assert_eq!(shown(&mut workshop.open()), answers);
    let forge = tree(&workshop.forge());
    for text in ["An early text", "A secret decision", "Gotchas expire", "\"Tabs\""] {
        for (name, bytes) in forge
            .iter()
            .filter(|(name, _)| !name.starts_with("hub-") && !name.starts_with("openbrain"))
        {
            assert!(!bytes.contains(text), "{name} still has {text}");
        }
    }
    let backup = report.backup.unwrap();
    for (name, bytes) in tree(Path::new(&backup)) {
        // What is forgotten is in no backup.
        let original = whole.get(&name).unwrap().split_inclusive('\n');
        let kept: String = original.filter(|line| !line.contains("A secret decision")).collect();
        assert_eq!(kept, bytes, "the original of {name}");
    }
    workshop.clock.advance(1);
    let again = memory.compact(false).unwrap();
    assert_eq!(
        (again.backup, tree(&workshop.forge())),
        (None, forge),
        "a second run changes nothing"
    );
}

#[test]
fn a_clock_that_is_ahead_removes_nothing_that_another_clock_would_keep() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for word in ["amber", "birch", "cedar", "dune"] {
        memory
            .capture(capture_of("gotcha", &format!("The word {word} is {word}")))
            .unwrap();
    }
    let before = shown(&mut memory);
    workshop.clock.advance(3650 * DAY_MS);
    memory
        .capture(capture_of("gotcha", "Captured by a wrong clock"))
        .unwrap();
    let report = memory.compact(false).unwrap();
    assert_eq!(report.removed, 0, "{report:?}");
    workshop.clock.advance(-3650 * DAY_MS);
    let after = shown(&mut workshop.open());
    assert!(before.iter().all(|line| after.contains(line)), "{after:?}");
}

#[test]
fn a_compaction_keeps_damaged_lines_and_lines_of_other_tools() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    let text = "\u{feff}{\"id\":\"mem_a\",\"content\":\"a\"}\r\nnot json\n\n{\"other\":1}\n{\"id\":\"mem_b\",\"content\":\"b\",\"supersedes\":\"mem_a\"}\n{\"torn\":";
    fs::write(workshop.raw_log(), text).unwrap();
    workshop.open().compact(false).unwrap();
    let left = fs::read_to_string(workshop.raw_log()).unwrap();
    assert_eq!(left, text.split_once('\n').unwrap().1);
}

#[test]
fn of_two_lines_with_the_same_id_the_last_one_is_kept() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    let line = |text: &str| format!("{{\"_v\":1,\"id\":\"mem_a\",\"content\":\"{text}\",\"type\":\"insight\"}}\n");
    fs::write(workshop.raw_log(), line("first") + &line("second")).unwrap();
    let mut memory = workshop.open();
    memory.compact(false).unwrap();
    assert_eq!(fs::read_to_string(workshop.raw_log()).unwrap(), line("second"));
    assert_eq!(list_all(&mut memory)[0].text, "second");
}
