//! Queues with damaged lines: every line is delivered, a dead letter, archived, or kept unchanged.

use std::fs;

use forge_memory_core::clock::DAY_MS;

use super::support::*;
use crate::common::Workshop;
use crate::common::dice::{Dice, seed};
use crate::common::lines::lines;

/// Lines as the current and the older tools write them.
fn variants() -> Vec<Vec<u8>> {
    let older = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../core/tests/data/formats/older/forge/openbrain-queue.jsonl"
    );
    let present = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../core/tests/data/formats/v1/forge/openbrain-queue.jsonl"
    );
    [older, present]
        .iter()
        .flat_map(|path| lines(std::path::Path::new(path)))
        .collect()
}

fn damage(line: &mut Vec<u8>, dice: &mut Dice) {
    const SPICE: [&[u8]; 12] = [
        b"\"",
        b"{",
        b"}",
        b"\\ud800",
        b"null",
        b"[",
        b":",
        b"\xff",
        b"1e999",
        b"\\u0000",
        b",",
        b"\"_action\":\"delete\",",
    ];
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(line.len().max(1)).min(line.len());
        match dice.roll(4) {
            0 => line.truncate(at),
            1 => {
                let to = (at + dice.roll(30)).min(line.len());
                line.drain(at..to);
            }
            2 => {
                line.splice(at..at, dice.pick(&SPICE).iter().copied());
            }
            _ => {
                if let Some(byte) = line.get_mut(at) {
                    *byte = dice.next() as u8;
                }
            }
        }
    }
    line.retain(|byte| *byte != b'\n');
}

#[test]
fn no_damage_to_a_line_loses_it_or_its_neighbours() {
    let seed = seed("damage", 20_261_122);
    let variants = variants();
    for round in 0..400 {
        let mut dice = Dice::new(seed + round);
        let workshop = Workshop::new();
        let mut text = Vec::new();
        let mut written = std::collections::BTreeSet::new();
        for number in 0..1 + dice.roll(8) {
            let mut line = dice
                .pick(&variants.iter().map(Vec::as_slice).collect::<Vec<_>>())
                .to_vec();
            damage(&mut line, &mut dice);
            text.extend_from_slice(&line);
            text.push(b'\n');
            text.extend(queue_line(number, "whole").bytes());
            let line = line.trim_ascii();
            if !line.is_empty() {
                written.insert(line.to_vec());
            }
        }
        fs::create_dir_all(workshop.forge()).unwrap();
        fs::write(queue_path(&workshop), &text).unwrap();
        super::support::take_over(&workshop);
        let (mut drain, mut shelf, now) = (open_drain(&workshop), Shelf::default(), now_of(&workshop));
        deliver_all(&mut drain, &mut shelf, now);
        deliver_all(&mut drain, &mut shelf, now + DAY_MS);
        drain.close(now);
        let whole = shelf.texts.values().filter(|text| text.starts_with("whole ")).count();
        let neighbours = text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{\"_v\":1,\"_status\":\"pending\",\"_attempts\":0,\"_enqueuedAt\":\"2026-11-20T10:00:00.000Z\",\"_nextAttemptAt\":\"2026-11-20T10:00:00.000Z\",\"id\":\"mem_0000")).count();
        assert_eq!(whole, neighbours, "round {round}");
        let settled = lines(&archive_path(&workshop)).len() + lines(&dead_path(&workshop)).len();
        let kept = lines(&queue_path(&workshop)).len();
        // The same line twice is one order.
        assert!(
            settled + kept >= written.len() + whole,
            "round {round}: {settled} settled, {kept} kept of {}",
            written.len() + whole
        );
        for line in lines(&queue_path(&workshop)) {
            assert!(written.contains(line.trim_ascii()), "round {round}: a line was changed");
            assert!(serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&line).is_err());
        }
    }
}
