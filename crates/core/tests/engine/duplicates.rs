//! The rule for duplicates on pairs of realistic texts, labelled by hand: `data/duplicates/`. Rules and word lists were developed on the
//! tuning part; the held-out part tests whether they generalise.

use crate::common::{Workshop, capture_of};
use forge_memory_core::CaptureInput;
use serde_json::Value;

/// The minimum percentage of new statements that are stored.
const KEPT_MIN: f64 = 0.995;
/// The minimum percentage of duplicates that are detected.
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
    let path = format!(
        "{}/../core/tests/data/duplicates/{name}.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    let lines = std::fs::read_to_string(path).unwrap();
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (mut kept, mut found) = (Share::default(), Share::default());
    for (number, line) in lines.lines().enumerate() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let text = |field: &str| pair[field].as_str().unwrap().to_owned();
        // Both orders are tested, because a pair may be a duplicate in one order only.
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
fn duplicates_are_classified_correctly_on_the_training_pairs() {
    judge("tuning", 270);
}

#[test]
fn duplicates_are_classified_correctly_on_the_held_out_pairs() {
    judge("held-back", 130);
}
