//! The chunker on arbitrary bytes: it does not panic, and its offsets stay within the file.

use std::fs;
use std::path::Path;

use forge_memory_grammars::chunk;
use forge_memory_lattice::language;
use proptest::prelude::*;

/// The sources of all fixtures with their language numbers.
fn sources() -> Vec<(u8, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../lattice/tests/data")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(number) = language::of_path(&path.to_string_lossy()) {
                found.push((number, fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn check(number: u8, source: &[u8]) {
    let Some(facts) = chunk::facts(number, source) else {
        return;
    };
    let len = u32::try_from(source.len()).unwrap();
    let lines = u32::try_from(source.iter().filter(|byte| **byte == b'\n').count()).unwrap() + 1;
    assert_eq!((facts.chunks[0].start, facts.chunks[0].end), (0, len));
    for (at, chunk) in facts.chunks.iter().enumerate() {
        assert!(
            chunk.start <= chunk.end && chunk.end <= len,
            "{}..{} of {len}",
            chunk.start,
            chunk.end
        );
        assert!(1 <= chunk.start_line && chunk.start_line <= chunk.end_line && chunk.end_line <= lines);
        let parent = &facts.chunks[chunk.parent as usize];
        assert!(at == 0 || (chunk.parent as usize) < at, "what is outside comes first");
        assert!(parent.start <= chunk.start && chunk.end <= parent.end);
    }
    for reference in &facts.references {
        let chunk = &facts.chunks[reference.chunk as usize];
        assert!(chunk.start <= reference.start && reference.end <= len && !reference.name.is_empty());
        assert!(chunk.start_line <= reference.line && reference.line <= lines);
    }
    assert!(facts.types.iter().all(|of| (of.chunk as usize) < facts.chunks.len()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sources_of_every_language_are_parsed_without_crashes(
        which in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, prop::collection::vec(any::<u8>(), 0..8)), 0..12),
    ) {
        let all = sources();
        let (number, source) = which.get(&all);
        let mut source = source.clone();
        for (at, length, bytes) in cuts {
            let from = at.index(source.len() + 1);
            let to = (from + length).min(source.len());
            source.splice(from..to, bytes);
        }
        check(*number, &source);
    }

    #[test]
    fn any_bytes_are_parsed_in_any_language_without_crashes(
        number in 0..15_u8,
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"(){}[]<>;:.,'\"`#@!/*=\n ".to_vec())], 0..300),
    ) {
        check(number, &bytes);
    }
}
