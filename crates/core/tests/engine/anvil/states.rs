//! The states of a queue's line: the drain does what the table says, and the documents show the same table.

use std::fs;

use forge_memory_core::anvil::{Drain, LeasedThought, OutcomeKind};
use forge_memory_core::clock::DAY_MS;

use super::support::*;
use crate::common::{Workshop, capture_of};

const CODE: &str = include_str!("../../../src/outbox/state.rs");
const PAGE: &str = include_str!("../../../../../docs/reference/openbrain.md");

const KINDS: [OutcomeKind; 6] = [
    OutcomeKind::Delivered,
    OutcomeKind::Gone,
    OutcomeKind::Rejected,
    OutcomeKind::Busy,
    OutcomeKind::Failed,
    OutcomeKind::Misconfigured,
];

/// What the code says of a name in one of its enums, and the name as the page writes it.
fn told(name: &str) -> (String, String) {
    let lines: Vec<&str> = CODE.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| *line == format!("{name},")).unwrap();
    let words = name.chars().fold(String::new(), |mut words, c| {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
        words
    });
    (words, lines[at - 1].strip_prefix("/// ").unwrap().to_owned())
}

fn state_names() -> Vec<&'static str> {
    let (_, body) = CODE.split_once("enum LineState {").unwrap();
    let body = body.split_once('}').unwrap().0;
    let names = body.lines().filter_map(|line| line.trim().strip_suffix(','));
    names.filter(|name| !name.starts_with("//")).collect()
}

/// The table of transitions, row by row: the event, the states before, and the state after.
fn rows() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    let (_, table) = CODE.split_once("const TRANSITIONS").unwrap();
    let (_, table) = table.split_once("= &[").unwrap();
    let lines = table.lines().map(str::trim).take_while(|line| *line != "];");
    let rows = lines.filter_map(|line| line.strip_prefix('(')?.strip_suffix("),"));
    rows.map(|row| {
        let (event, rest) = row.split_once(", &[").unwrap();
        let (from, to) = rest.split_once("], ").unwrap();
        (event, from.split(", ").collect(), to)
    })
    .collect()
}

#[test]
fn the_documents_show_the_table_that_the_drain_follows() {
    let mut page = String::from("| state | what the line is |\n|---|---|\n");
    for state in state_names() {
        let (name, says) = told(state);
        page += &format!("| {name} | {says} |\n");
    }
    page += "\n| what happens | to a line that is | it becomes |\n|---|---|---|\n";
    for (event, from, to) in rows() {
        let from: Vec<String> = from.into_iter().map(|state| told(state).0).collect();
        page += &format!("| {} | {} | {} |\n", told(event).1, from.join(", "), told(to).0);
    }
    assert!(rows().len() > 15 && state_names().len() == 6);
    assert!(PAGE.contains(&page), "docs/reference/openbrain.md should have:\n{page}");
}

/// A drain whose queue has one line in a state, and that line as it was once leased.
fn drain_with(workshop: &Workshop, state: &str) -> (Drain, LeasedThought) {
    let mut memory = workshop.open();
    memory.capture(capture_of("lesson", "The build needs Node 24")).unwrap();
    let now = now_of(workshop);
    let mut drain = open_drain(workshop);
    let leased = drain.lease(10, now).unwrap().remove(0);
    let end = |drain: &mut Drain, kind| settle_all(drain, std::slice::from_ref(&leased), kind, now).unwrap();
    match state {
        "Unread" => {
            drop(drain);
            drain = open_drain(workshop);
        }
        "Held" => {
            let id = memory
                .capture(capture_of("lesson", "Deploys run at noon"))
                .unwrap()
                .thought
                .id;
            memory.forget(&id).unwrap();
            assert_eq!(drain.lease(10, now).unwrap().len(), 1, "the delete is held back");
            let queue = fs::read_to_string(queue_path(workshop)).unwrap();
            let line = queue.lines().last().unwrap();
            let key = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(line.as_bytes()));
            let held = LeasedThought { key, ..leased };
            return (drain, held);
        }
        "Waiting" => {
            assert_eq!(end(&mut drain, OutcomeKind::Failed).deferred, 1);
        }
        "Leased" => {}
        "Delivered" => {
            assert_eq!(end(&mut drain, OutcomeKind::Delivered).delivered, 1);
        }
        "Dead" => {
            assert_eq!(end(&mut drain, OutcomeKind::Rejected).dead, 1);
        }
        other => panic!("no line was ever {other}"),
    }
    (drain, leased)
}

#[test]
fn an_outcome_counts_for_a_leased_line_and_is_refused_for_every_other() {
    for state in state_names() {
        for kind in KINDS {
            let workshop = Workshop::new();
            let (mut drain, line) = drain_with(&workshop, state);
            let files = [queue_path(&workshop), dead_path(&workshop), archive_path(&workshop)];
            let read = || files.clone().map(|path| fs::read(path).unwrap_or_default());
            let before = read();
            let report = settle_all(&mut drain, &[line], kind, now_of(&workshop)).unwrap();
            let is_refused = report.unknown == 1;
            assert_eq!(is_refused, state != "Leased", "{kind:?} of a line that is {state}");
            assert_eq!(report.delivered + report.deferred + report.dead, u64::from(!is_refused));
            if is_refused {
                assert_eq!(read(), before, "{kind:?} of a line that is {state}");
            }
        }
    }
}

#[test]
fn a_line_that_waits_holds_back_later_ones_and_lets_them_go_when_it_is_settled() {
    let workshop = Workshop::new();
    let (mut memory, now) = (workshop.open(), now_of(&workshop));
    let id = memory
        .capture(capture_of("lesson", "The build needs Node 24"))
        .unwrap()
        .thought
        .id;
    memory.forget(&id).unwrap();
    let mut drain = open_drain(&workshop);
    let batch = drain.lease(10, now).unwrap();
    let report = settle_all(&mut drain, &batch, OutcomeKind::Failed, now).unwrap();
    assert!(drain.lease(10, now).unwrap().is_empty(), "both wait");
    assert!(
        report.next_due_at.unwrap() > forge_memory_core::clock::format_iso(now),
        "nothing is due before"
    );
    for _ in 0..2 {
        let batch = drain.lease(10, now + DAY_MS).unwrap();
        assert_eq!(batch.len(), 1);
        settle_all(&mut drain, &batch, OutcomeKind::Delivered, now + DAY_MS).unwrap();
    }
    assert_eq!(drain.next_due_at(now).unwrap(), None);
}
