//! The lines of a journal: damaged ends, byte order marks, blank lines.

use forge_memory_core::journal::{clean, scan_lines};
use forge_memory_test_disk::BytesFile;

/// Offset, span and bytes of each line.
type Found = Vec<(u64, u64, Vec<u8>)>;

pub fn check(input: &[u8]) {
    let len = input.len() as u64;
    let (found, end) = scan(input, 0, len);
    assert_eq!(found, naive(input));
    assert!(end <= len && !input[end as usize..].contains(&b'\n'));
    // Whoever reads in two steps finds the same.
    let middle = len / 2;
    let (mut first, first_end) = scan(input, 0, middle);
    let (rest, rest_end) = scan(input, first_end, len);
    first.extend(rest);
    assert_eq!((first, rest_end), (found, end));
}

fn scan(input: &[u8], from: u64, to: u64) -> (Found, u64) {
    let mut found = Found::new();
    let end = scan_lines(&BytesFile(input), from, to, &mut |line| {
        assert!(!line.oversized && !line.bytes.is_empty());
        found.push((line.offset, line.span, line.bytes.to_vec()));
    });
    (found, end.expect("memory can be read"))
}

fn naive(input: &[u8]) -> Found {
    let mut found = Found::new();
    let mut offset = 0;
    for raw in input
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|raw| raw.ends_with(b"\n"))
    {
        let bytes = clean(&raw[..raw.len() - 1]);
        if !bytes.is_empty() {
            found.push((offset, raw.len() as u64, bytes.to_vec()));
        }
        offset += raw.len() as u64;
    }
    found
}
