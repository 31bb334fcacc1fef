//! The invariants after a fault, checked on the files and through the memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use forge_memory_core::Memory;

use super::findings::Findings;
use super::run::{Attempt, Ledger};
use crate::common::lines::{lines, live_texts, objects, times_stored};
use crate::common::{Workshop, capture_of, list_all, save_of, times_recalled};

fn live(workshop: &Workshop) -> BTreeMap<String, usize> {
    let stored = [workshop.raw_log(), workshop.patterns(), workshop.global_patterns()];
    let mut live: BTreeMap<String, usize> = BTreeMap::new();
    for (text, count) in stored.iter().flat_map(|path| live_texts(path)) {
        *live.entry(text).or_default() += count;
    }
    live
}

pub fn check(workshop: &Workshop, ledger: &Ledger, memory: &mut Memory, when: &str, findings: &mut Findings) {
    let live = live(workshop);
    let count = |text: &str| live.get(text).copied().unwrap_or(0);
    let mut expect = |what: &str, text: &str, got: usize, wanted: usize| {
        findings.check(got == wanted, || {
            format!("{when}: {text:?} is {what} {got} times, not {wanted}")
        });
    };
    for text in ledger.kept.keys() {
        expect("stored", text, count(text), 1);
        expect("recalled", text, times_recalled(memory, text), 1);
    }
    for text in &ledger.gone {
        expect("stored", text, count(text), 0);
        expect("recalled", text, times_recalled(memory, text), 0);
    }
    for text in ledger.unsure.keys() {
        expect("stored", text, count(text), count(text).min(1));
    }
    for (old, new) in &ledger.torn_edits {
        expect("stored, edited or not,", old, count(old) + count(new), 1);
    }
    for (file, id) in &ledger.tiers {
        expect(
            "in a tier's file",
            id,
            times_stored(&workshop.forge().join(file), id),
            1,
        );
    }
    let listed = list_all(memory);
    let texts: BTreeSet<&str> = listed.iter().map(|hit| hit.text.as_str()).collect();
    expect("listed", "a text", listed.len(), texts.len());
    expect("listed", "every text", listed.len(), live.values().sum());
    check_lines(&workshop.forge(), memory, when, findings);
    check_events(&workshop.forge(), when, findings);
}

/// Every line is a record or counted as what it is.
fn check_lines(forge: &Path, memory: &mut Memory, when: &str, findings: &mut Findings) {
    for file in memory.report().files {
        let lines = lines(&forge.join(file.name));
        let is_object = |line: &[u8]| serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|v| v.is_object());
        let objects = lines.iter().filter(|line| is_object(line)).count();
        let wanted = (objects as u64, (lines.len() - objects) as u64);
        let got = (file.records, file.unparsable);
        findings.check(got == wanted, || {
            format!("{when}: {} counts {got:?}, not {wanted:?}", file.name)
        });
    }
}

/// Sequence numbers rise, across rotation and whatever failed.
fn check_events(forge: &Path, when: &str, findings: &mut Findings) {
    let numbers: Vec<u64> = ["hub-events.1.jsonl", "hub-events.jsonl"]
        .iter()
        .flat_map(|name| objects(&forge.join(name)))
        .filter_map(|event| event["seq"].as_u64())
        .collect();
    let rising = numbers.is_sorted_by(|a, b| a < b);
    findings.check(rising, || format!("{when}: sequence numbers {numbers:?}"));
}

/// What a user does after a failure: repeat the operation, and continue working.
pub fn retry(workshop: &Workshop, ledger: &Ledger, memory: &mut Memory, findings: &mut Findings) {
    for (text, attempt) in &ledger.unsure {
        match attempt {
            Attempt::Capture(kind) => {
                let outcome = memory.capture(capture_of(kind, text)).unwrap();
                findings.check(outcome.captured || outcome.deduped, || format!("{text:?} fails again"));
            }
            Attempt::Save(scope) => {
                memory.save(save_of(scope, "test_command", text)).unwrap();
            }
            Attempt::Forget => {}
        }
    }
    for (text, count) in live(workshop) {
        findings.check(count == 1, || {
            format!("{text:?} is stored {count} times after the retry")
        });
    }
    let further = "Further captures work after the fault";
    let outcome = memory.capture(capture_of("lesson", further)).unwrap();
    let found = times_recalled(memory, further);
    findings.check(outcome.captured && found == 1, || "a further capture fails".into());
}

pub fn check_same_answers(one: &mut Memory, other: &mut Memory, when: &str, findings: &mut Findings) {
    let old = super::long_word(31);
    for query in ["pool integration tests", "the", "paths", "jest npm", &old] {
        let (one, other) = (
            one.recall(query, &Default::default()).unwrap(),
            other.recall(query, &Default::default()).unwrap(),
        );
        let brief = |outcome: &forge_memory_core::RecallOutcome| {
            let hits: Vec<_> = outcome.hits.iter().map(|hit| (hit.id.clone(), hit.score)).collect();
            format!("{} hits: {hits:?}", hits.len())
        };
        findings.check(one == other, || {
            format!(
                "{when}: {query:?} gives {}, a fresh process {}",
                brief(&one),
                brief(&other)
            )
        });
    }
}
