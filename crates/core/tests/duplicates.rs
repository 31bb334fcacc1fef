//! The rule about duplicates against pairs as developers write them, labelled by hand: `data/duplicates/`. Rules and word
//! lists were made by the tuning part; the part that is held back tells whether they hold for others as well.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Workshop, capture_of};
use forge_memory_core::CaptureInput;
use serde_json::Value;

/// Of a hundred texts that say something new, so many are stored.
const KEPT_MIN: f64 = 0.995;
/// Of a hundred texts that say nothing new, so many are found.
const FOUND_MIN: f64 = 0.95;

#[derive(Default)]
struct Share {
    right: usize,
    all: usize,
    wrong: Vec<String>,
}

impl Share {
    fn take(&mut self, is_right: bool, pair: &Value) {
        self.all += 1;
        self.right += usize::from(is_right);
        if !is_right {
            self.wrong.push(pair.to_string());
        }
    }

    fn tell(&self, name: &str) -> f64 {
        let share = self.right as f64 / self.all as f64;
        println!("{name}: {} of {}, {share:.4}", self.right, self.all);
        for pair in &self.wrong {
            println!("  wrong: {pair}");
        }
        share
    }
}

fn judge(name: &str, pairs_min: usize) {
    let path = format!("{}/tests/data/duplicates/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(path).unwrap();
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (mut kept, mut found) = (Share::default(), Share::default());
    for (number, line) in lines.lines().enumerate() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let text = |field: &str| pair[field].as_str().unwrap().to_owned();
        // Each order counts: what is news one day was known the other way round.
        for (order, (first, second)) in [("older", "newer"), ("newer", "older")].into_iter().enumerate() {
            let mut capture = |field: &str| {
                let input = CaptureInput {
                    project: Some(format!("pair-{number}-{order}")),
                    ..capture_of("lesson", &text(field))
                };
                memory.capture(input).unwrap()
            };
            assert!(capture(first).captured);
            let is_duplicate = capture(second).deduped;
            let is_same = text("verdict") == "same";
            assert!(is_same || text("verdict") == "different", "{pair}");
            if is_same {
                found.take(is_duplicate, &pair);
            } else {
                kept.take(!is_duplicate, &pair);
            }
        }
    }
    let pairs = lines.lines().count();
    assert!(pairs >= pairs_min, "{pairs} pairs");
    let kept = kept.tell(&format!("{name}, news that are stored"));
    let found = found.tell(&format!("{name}, repetitions that are found"));
    assert!(
        kept >= KEPT_MIN && found >= FOUND_MIN,
        "{kept:.4} kept, {found:.4} found"
    );
}

#[test]
fn news_are_stored_and_repetitions_found_in_the_pairs_the_rule_was_made_by() {
    judge("tuning", 270);
}

#[test]
fn news_are_stored_and_repetitions_found_in_the_pairs_that_were_held_back() {
    judge("held-back", 130);
}
