//! Payloads of hosts as they are recorded, cut off, changed and made up: the reader takes them or refuses them, and never fails.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../fuzz/src/payload.rs"]
mod payload;

use std::fs;
use std::path::Path;

/// Pieces that the reader looks for, and what is no text.
const PIECES: [&[u8]; 14] = [
    b"\xef\xbb\xbf",
    b"\xff\xfe{\0\"\0",
    b"\"",
    b"\\ud83d",
    b"{\"tool_input\":",
    b"\"command\":\"cd x && npm test\"",
    b"\"cwd\":\"/\"",
    b"null",
    b"[]",
    b"1e999",
    b"\"session_id\":\"../../x\"",
    b"\"tool_response\":\"Exit code: 1\"",
    b"\n",
    "\u{6570}\u{1f44d}".as_bytes(),
];

fn recorded() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../__test__/data/hooks");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Numbers that look random and are the same each time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) as usize) % sides.max(1)
    }
}

#[test]
fn recorded_payloads_are_read_whole_and_cut_off() {
    let all = recorded();
    assert!(all.len() >= 13, "{} payloads", all.len());
    for whole in &all {
        payload::check(whole);
        for end in (0..whole.len()).step_by(7) {
            payload::check(&whole[..end]);
        }
    }
}

#[test]
fn changed_payloads_never_end_the_reader() {
    let all = recorded();
    let mut dice = Dice(20_261_127);
    for _ in 0..20_000 {
        let mut input = all[dice.roll(all.len())].clone();
        for _ in 0..=dice.roll(5) {
            let at = dice.roll(input.len() + 1);
            match dice.roll(4) {
                0 if at < input.len() => input[at] = dice.roll(256) as u8,
                1 => drop(input.drain(at..(at + 9).min(input.len()))),
                2 => {
                    let other = &all[dice.roll(all.len())];
                    input.truncate(at);
                    input.extend_from_slice(&other[dice.roll(other.len())..]);
                }
                _ => drop(input.splice(at..at, PIECES[dice.roll(PIECES.len())].iter().copied())),
            }
        }
        payload::check(&input);
    }
}

#[test]
fn what_is_no_payload_is_none() {
    for input in [
        &b""[..],
        b"\xff\xfe{\0}\0",
        b"[]",
        b"nul",
        b"{\"hook_event_name\":\"NoSuchEvent\"}",
    ] {
        payload::check(input);
        let text = String::from_utf8_lossy(input);
        assert_eq!(
            forge_memory_moment::answer_to(None, &text, None, Some("a note")),
            None,
            "{text}"
        );
    }
    // Eight megabytes of nesting end in a refusal.
    payload::check("[".repeat(8 * 1024 * 1024).as_bytes());
    payload::check(format!("{{\"a\":{}", "{\"a\":".repeat(1_000_000)).as_bytes());
}
