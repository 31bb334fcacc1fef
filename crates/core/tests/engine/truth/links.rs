//! A link is a mark and not a move: random conflicts between random records leave every answer in its order.

use std::fmt::Write as _;
use std::fs;

use forge_memory_core::said::Said;
use forge_memory_core::thought::{Lift, Ruling, RulingKind};
use forge_memory_core::{Memory, RecallOptions};

use crate::common::dice::{Dice, seed};
use crate::common::{Workshop, capture_of, list_all};

const WORDS: [&str; 24] = [
    "importer",
    "invoices",
    "queue",
    "warehouse",
    "timeout",
    "billing",
    "webhook",
    "cache",
    "tenant",
    "retry",
    "parser",
    "schema",
    "worker",
    "session",
    "gateway",
    "deploy",
    "metrics",
    "search",
    "index",
    "token",
    "report",
    "export",
    "audit",
    "mailer",
];

fn text(dice: &mut Dice) -> String {
    let words: Vec<&str> = (0..6 + dice.roll(8)).map(|_| dice.pick(&WORDS)).collect();
    words.join(" ")
}

fn answers(memory: &mut Memory, queries: &[String], limit: f64) -> Vec<Vec<(String, u64)>> {
    let options = RecallOptions {
        limit: Some(limit),
        ..RecallOptions::default()
    };
    let mut answer = |query: &String| {
        let hits = memory.recall(query, &options).unwrap().hits;
        hits.into_iter().map(|hit| (hit.id, hit.score.to_bits())).collect()
    };
    queries.iter().map(&mut answer).collect()
}

#[test]
fn random_conflicts_change_no_answer() {
    let start = seed("links", 6);
    for round in 0..12 {
        let mut dice = Dice::new(start + round);
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        for _ in 0..120 {
            workshop.clock.advance(1000);
            memory.capture(capture_of("lesson", &text(&mut dice))).unwrap();
        }
        let ids: Vec<String> = list_all(&mut memory).into_iter().map(|hit| hit.id).collect();
        let queries: Vec<String> = (0..20)
            .map(|_| {
                (0..1 + dice.roll(4))
                    .map(|_| dice.pick(&WORDS))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        let before = [1.0, 5.0, 20.0].map(|limit| answers(&mut memory, &queries, limit));
        let mut lines = fs::read_to_string(workshop.raw_log()).unwrap();
        for _ in 0..300 {
            let (one, other) = (&ids[dice.roll(ids.len())], &ids[dice.roll(ids.len())]);
            let ruling = Ruling {
                kind: RulingKind::Conflict,
                id: one.clone(),
                other: Some(other.clone()),
                why: "number".into(),
                at_ms: memory.now_ms(),
                said: Said::default(),
                lift: Lift::default(),
            };
            writeln!(lines, "{}", ruling.line()).unwrap();
        }
        fs::write(workshop.raw_log(), lines).unwrap();
        let mut linked = workshop.open();
        assert!(linked.conflicts().len() > 100);
        let after = [1.0, 5.0, 20.0].map(|limit| answers(&mut linked, &queries, limit));
        assert_eq!(before, after, "round {round}");
    }
}
