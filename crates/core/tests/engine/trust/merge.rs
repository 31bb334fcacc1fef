//! Three-way merges are commutative, associative and idempotent, lose nothing and duplicate no id.

use std::collections::{BTreeMap, BTreeSet};

use forge_memory_core::merge::merge;
use serde_json::{Value, json};

use crate::common::dice::Dice;

/// A version of a journal.
type Side = Vec<String>;

fn bytes_of(side: &Side) -> Vec<u8> {
    side.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn time(dice: &mut Dice) -> String {
    format!("2026-11-20T10:{:02}:{:02}.000Z", dice.roll(60), dice.roll(60))
}

fn ids_of(side: &Side) -> Vec<String> {
    let parsed = side.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed
        .filter(|line| line.get("_action").is_none())
        .filter_map(|line| Some(line.get("id")?.as_str()?.to_owned()))
        .collect()
}

/// Makes a change such as people, programs and compactions make.
fn change(side: &mut Side, dice: &mut Dice, next: &mut usize) {
    let ids = ids_of(side);
    let known = |dice: &mut Dice| ids.get(dice.roll(ids.len().max(1))).cloned();
    *next += 1;
    let at = time(dice);
    match dice.roll(10) {
        0..4 => side.push(
            json!({"_v":1,"id":format!("mem_{next}"),"content":format!("text {next}"),"captured_at":at}).to_string(),
        ),
        4 | 5 => {
            if let Some(old) = known(dice) {
                side.push(json!({"_v":1,"id":format!("mem_{next}"),"content":format!("edit {next}"),"captured_at":at,"supersedes":old}).to_string());
            }
        }
        6 => {
            if let Some(id) = known(dice) {
                side.push(json!({"_v":1,"_action":"delete","id":id,"at":at}).to_string());
            }
        }
        7 => match known(dice) {
            Some(id) => side.push(json!({"_v":1,"_action":"confirm","id":id,"at":at}).to_string()),
            None => side.push(format!("not json {next}")),
        },
        8 => {
            if !side.is_empty() {
                side.remove(dice.roll(side.len()));
            }
        }
        _ => {
            // Changed in place: by hand, or by a tool that does not append.
            let at_line = dice.roll(side.len().max(1));
            if let Some(Ok(mut record)) = side.get(at_line).map(|line| serde_json::from_str::<Value>(line))
                && record.get("_action").is_none()
            {
                record["content"] = json!(format!("changed {}", dice.roll(4)));
                record["_seen"] = json!(dice.roll(2));
                side[at_line] = record.to_string();
            }
        }
    }
}

fn changed(from: &Side, dice: &mut Dice, next: &mut usize) -> Side {
    let mut side = from.clone();
    for _ in 0..dice.roll(8) {
        change(&mut side, dice, next);
    }
    side
}

fn contents(bytes: &[u8]) -> BTreeSet<String> {
    let lines = text(bytes);
    lines
        .lines()
        .filter_map(|line| Some(serde_json::from_str::<Value>(line).ok()?.get("content")?.to_string()))
        .collect()
}

fn record_of(line: &str) -> Option<(String, Value)> {
    let value: Value = serde_json::from_str(line).ok()?;
    if value.get("_action").is_some() {
        return None;
    }
    Some((value.get("id")?.as_str()?.to_owned(), value))
}

/// Nothing goes that one side still wants: only what the other removed and this one left alone.
fn check_loss(base: &Side, one: &Side, other: &Side, merged: &[u8]) {
    let lines: BTreeSet<String> = text(merged).lines().map(str::to_owned).collect();
    let said = contents(merged);
    for line in one {
        let untouched = base.contains(line);
        let removed = !other.contains(line)
            && match record_of(line) {
                Some((id, _)) => !other
                    .iter()
                    .filter_map(|line| record_of(line))
                    .any(|(other, _)| other == id),
                None => true,
            };
        let replaced = untouched && !removed;
        if (untouched && removed) || lines.contains(line) || replaced {
            continue;
        }
        // It may have lost its id, or only bookkeeping; what it says is there, unless it is forgotten.
        let (id, record) = record_of(line).unwrap();
        let tombstone = format!("\"_action\":\"delete\",\"id\":\"{id}\"");
        if lines.iter().any(|line| line.contains(&tombstone)) {
            continue;
        }
        assert!(
            said.contains(&record["content"].to_string()),
            "{line} is lost:\n{}",
            text(merged)
        );
    }
}

fn check_same(one: &[u8], other: &[u8], what: &str, made_of: &[&[u8]]) {
    if one == other {
        return;
    }
    let (left, right) = (text(one), text(other));
    let only = |these: &str, those: &str| -> Vec<String> {
        these
            .lines()
            .filter(|line| !those.lines().any(|other| other == *line))
            .map(str::to_owned)
            .collect()
    };
    let versions: Vec<String> = made_of.iter().map(|side| text(side)).collect();
    panic!(
        "{what}: only left {:#?}, only right {:#?}, of\n{}",
        only(&left, &right),
        only(&right, &left),
        versions.join("---\n")
    );
}

/// Leaves out what merges note about edits of one record: which of them still stand beside each other may be known to the last merge alone.
fn without_conflicts(bytes: &[u8]) -> Vec<u8> {
    let lines = text(bytes);
    let kept = lines.lines().filter(|line| !line.contains(r#""why":"edited""#));
    kept.flat_map(|line| [line, "\n"].concat().into_bytes()).collect()
}

#[test]
fn ten_thousand_random_merges_are_commutative_associative_idempotent_and_lose_nothing() {
    for seed in 0..10_000 {
        let mut dice = Dice::new(seed);
        let mut next = 0;
        let start = changed(&Side::new(), &mut dice, &mut next);
        let base = changed(&start, &mut dice, &mut next);
        let sides = [
            changed(&base, &mut dice, &mut next),
            changed(&base, &mut dice, &mut next),
            changed(&base, &mut dice, &mut next),
        ];
        let whole = bytes_of(&base);
        let [a, b, c] = [0, 1, 2].map(|at| bytes_of(&sides[at]));
        let of = |x: &[u8], y: &[u8]| merge(&whole, x, y).bytes;
        let ab = of(&a, &b);
        assert_eq!(text(&ab), text(&of(&b, &a)), "seed {seed}: not commutative");
        check_same(
            &without_conflicts(&of(&ab, &c)),
            &without_conflicts(&of(&a, &of(&b, &c))),
            &format!("seed {seed}: not associative"),
            &[&whole, &a, &b, &c],
        );
        assert_eq!(text(&of(&ab, &ab)), text(&ab), "seed {seed}: not idempotent");
        assert_eq!(
            text(&of(&ab, &a)),
            text(&ab),
            "seed {seed}: merging once more changes it"
        );
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for id in ids_of(&text(&ab).lines().map(str::to_owned).collect()) {
            *times.entry(id).or_default() += 1;
        }
        assert!(times.values().all(|count| *count == 1), "seed {seed}: {times:?}");
        check_loss(&base, &sides[0], &sides[1], &ab);
        check_loss(&base, &sides[1], &sides[0], &ab);
    }
}

fn record(id: &str, content: &str, supersedes: Option<&str>) -> String {
    let mut record = json!({"_v":1,"id":id,"content":content,"captured_at":"2026-11-20T10:00:00.000Z"});
    if let Some(older) = supersedes {
        record["supersedes"] = json!(older);
    }
    format!("{record}\n")
}

const GONE: &str = "{\"_v\":1,\"_action\":\"delete\",\"id\":\"mem_x\",\"at\":\"2026-11-21T10:00:00.000Z\"}\n";

#[test]
fn concurrent_appends_are_both_kept_and_existing_lines_keep_their_order() {
    let base = record("mem_a", "a", None);
    let (ours, theirs) = (
        base.clone() + &record("mem_b", "b", None),
        base.clone() + &record("mem_c", "c", None),
    );
    let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert_eq!(text(&merged.bytes), ours + &record("mem_c", "c", None));
    assert_eq!((merged.lines, merged.conflicts.len()), (3, 0));
}

#[test]
fn edits_of_one_record_on_both_sides_are_both_kept_and_reported() {
    let base = record("mem_x", "x", None);
    let ours = base.clone() + &record("mem_y", "y", Some("mem_x"));
    let theirs = base.clone() + &record("mem_z", "z", Some("mem_x"));
    let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert_eq!(merged.lines, 4, "both edits, and that they are in conflict");
    assert_eq!(merged.conflicts.len(), 1);
    assert_eq!(
        (merged.conflicts[0].of.as_str(), &merged.conflicts[0].ids),
        ("mem_x", &vec!["mem_z".to_owned(), "mem_y".to_owned()])
    );
}

#[test]
fn a_tombstone_wins_over_an_edit_made_elsewhere() {
    let base = record("mem_x", "x", None);
    let ours = base.clone() + GONE;
    let theirs = base.clone() + &record("mem_y", "y", Some("mem_x"));
    let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert_eq!(
        (merged.lines, merged.forgotten_edits, merged.conflicts.len()),
        (4, 1, 0)
    );
    assert!(text(&merged.bytes).contains(r#""_action":"delete","id":"mem_y""#));
}

#[test]
fn a_forgotten_record_that_came_back_stays_and_an_edit_of_what_was_forgotten_does_not() {
    let base = record("a", "first", None);
    let gone = r#"{"_v":1,"_action":"delete","id":"a","at":"2026-11-22T10:00:00.000Z"}"#;
    let back = r#"{"_v":1,"_action":"keep","id":"b","why":"restored","at":"2026-11-22T11:00:00.000Z"}"#;
    let ours = [&base, gone, back, &record("b", "first", Some("a"))].join("\n");
    let theirs = [&base, record("c", "an edit elsewhere", Some("a")).as_str()].join("\n");
    for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours), (&ours, &ours)] {
        let merged = text(&merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()).bytes);
        let dead = |id: &str| merged.contains(&format!(r#""delete","id":"{id}""#));
        assert_eq!(
            (dead("b"), dead("c")),
            (false, merged.contains("elsewhere")),
            "{merged}"
        );
    }
}

#[test]
fn records_compacted_on_one_side_stay_removed_unless_the_other_side_changed_them() {
    let base = record("mem_a", "a", None) + &record("mem_b", "b", None);
    let ours = record("mem_b", "b", None);
    let merged = merge(base.as_bytes(), ours.as_bytes(), base.as_bytes());
    assert_eq!(text(&merged.bytes), ours);
    let theirs = record("mem_a", "changed", None) + &record("mem_b", "b", None);
    let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert_eq!(text(&merged.bytes), theirs);
}

#[test]
fn one_id_with_two_texts_stays_one_id_and_both_texts_stay() {
    let base = record("mem_a", "a", None);
    let (ours, theirs) = (record("mem_a", "ours", None), record("mem_a", "theirs", None));
    let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert_eq!((merged.lines, merged.conflicts.len()), (3, 1));
    assert_eq!(
        contents(&merged.bytes),
        BTreeSet::from(["\"ours\"".into(), "\"theirs\"".into()])
    );
    assert!(merged.conflicts[0].ids.contains(&"mem_a".to_owned()));
}
