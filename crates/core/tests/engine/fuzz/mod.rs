//! Parsers of outside bytes, on stored inputs and on random ones. The fuzzer runs the same functions for longer.

#[path = "../../../../../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::dice::{Dice, seed};
use targets::{TARGETS, Target};

/// The time limit per input.
const PATIENCE: Duration = Duration::from_secs(5);
const INPUT_BYTES_MAX: usize = 4096;

/// Pieces that the parsers look for.
const PIECES: [&[u8]; 32] = [
    b"\n",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"{",
    b"}",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud83d",
    b"\xff",
    b"\x00",
    b":",
    b",",
    b"[",
    b"]",
    b"1e999",
    b"-0.0",
    b"null",
    b"true",
    b"\"_v\":1,",
    b"\"_action\":\"delete\"",
    b"\"content\":",
    b"\"id\":",
    b"\"supersedes\":",
    b"2026-11-20T10:00:00.000Z",
    b"+23:59",
    b"99999999999d",
    b"not ",
    b" before ",
    b"token=",
    "\u{e9}".as_bytes(),
    "\u{6570}\u{636e}".as_bytes(),
];

fn stored_inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/inputs")
        .join(target);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Runs one check; a failure comes with its input.
fn run(target: Target, input: &[u8]) {
    let (name, check) = target;
    let started = Instant::now();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(input))) {
        println!("{name} fails on b\"{}\"", input.escape_ascii());
        std::panic::resume_unwind(panic);
    }
    let took = started.elapsed();
    assert!(
        took < PATIENCE,
        "{name} takes {took:?} for b\"{}\"",
        input.escape_ascii()
    );
}

#[test]
fn every_stored_input_is_accepted() {
    for target in TARGETS {
        let inputs = stored_inputs(target.0);
        assert!(inputs.len() >= 3, "{} has {} stored inputs", target.0, inputs.len());
        inputs.iter().for_each(|input| run(target, input));
    }
}

#[test]
fn every_target_has_its_program_for_the_fuzzer() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let program = fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("{name}::check")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
    // The payload of hooks is checked by the tests of its own crate, which the core does not know.
    let elsewhere = 1;
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len() + elsewhere);
    assert_eq!(fs::read_dir(fuzz.join("inputs")).unwrap().count(), TARGETS.len());
}

/// Changes an input in a few places.
fn mutate(dice: &mut Dice, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    for _ in 0..1 + dice.roll(6) {
        let at = dice.roll(input.len() + 1);
        match dice.roll(8) {
            0 | 1 if !input.is_empty() => {
                let at = at % input.len();
                input[at] = dice.next() as u8;
            }
            2 if !input.is_empty() => {
                let at = at % input.len();
                input[at] ^= 1 << dice.roll(8);
            }
            3 => {
                let end = (at + dice.roll(9)).min(input.len());
                input.drain(at..end);
            }
            4 => {
                let end = (at + dice.roll(33)).min(input.len());
                let copied = input[at..end].to_vec();
                input.splice(at..at, copied);
            }
            5 => {
                let other = &others[dice.roll(others.len())];
                let from = dice.roll(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let piece = dice.pick(&PIECES);
                input.splice(at..at, piece.iter().copied());
            }
        }
    }
    input.truncate(INPUT_BYTES_MAX);
}

/// Returns the duration of a run; an environment variable extends it.
fn seconds() -> u64 {
    let wanted = std::env::var("FORGE_FUZZ_SECONDS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(10)
}

#[test]
fn fuzz_ten_seconds() {
    let seed = seed("fuzz", 20_261_120);
    let share = Duration::from_secs(seconds()) / TARGETS.len() as u32;
    for (number, target) in TARGETS.into_iter().enumerate() {
        let stored = stored_inputs(target.0);
        let mut dice = Dice::new(seed ^ number as u64);
        let started = Instant::now();
        let mut tried = 0;
        while started.elapsed() < share {
            let mut input = stored[dice.roll(stored.len())].clone();
            mutate(&mut dice, &mut input, &stored);
            run(target, &input);
            tried += 1;
        }
        println!("  {}: {tried} inputs", target.0);
    }
}
