//! The lines of a file: damaged ends, byte order marks, blank lines, lines that are too long.

#![allow(clippy::unwrap_used)]

use forge_memory_journal::{LINE_BYTES_MAX, each_line, scan_lines};
use forge_memory_test_disk::BytesFile;

/// So much is read at once; a test is about lines that cross such borders.
const BLOCK_BYTES: usize = 1 << 18;

fn lines(bytes: &[u8]) -> (Vec<(u64, String)>, u64) {
    let mut found = Vec::new();
    let end = scan_lines(&BytesFile(bytes), 0, bytes.len() as u64, &mut |line| {
        let text = if line.oversized {
            "<oversized>".into()
        } else {
            String::from_utf8_lossy(line.bytes).into()
        };
        found.push((line.offset, text));
    })
    .unwrap();
    (found, end)
}

#[test]
fn a_bom_crlf_and_blank_lines_are_not_part_of_a_record() {
    let (found, end) = lines(b"\xef\xbb\xbf{\"a\":1}\r\n\r\n\n  \n{\"b\":2}\n");
    assert_eq!(found, [(0, "{\"a\":1}".to_string()), (18, "{\"b\":2}".to_string())]);
    assert_eq!(end, 26);
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_line() {
    let text = b"{\"a\":1}\n\xef\xbb\xbf{\"b\":2}\n";
    let (found, _) = lines(text);
    assert_eq!(found[1], (8, "{\"b\":2}".to_string()));
    assert_eq!(each_line(text).nth(1).map(|line| line.1), Some(&b"{\"b\":2}"[..]));
}

#[test]
fn a_torn_tail_stays_for_the_next_scan() {
    let (found, end) = lines(b"one\ntwo");
    assert_eq!(found, [(0, "one".to_string())]);
    assert_eq!(end, 4);
}

#[test]
fn lines_across_block_borders_are_whole() {
    let long = "x".repeat(BLOCK_BYTES - 3);
    let text = format!("{long}\nabcdef\n{long}\n");
    let (found, end) = lines(text.as_bytes());
    assert_eq!(
        found.iter().map(|l| l.1.len()).collect::<Vec<_>>(),
        [long.len(), 6, long.len()]
    );
    assert_eq!(end, text.len() as u64);
}

#[test]
fn a_line_without_end_is_passed_over_and_its_neighbours_are_found() {
    let text = format!("a\n{}\nb\n", "y".repeat(LINE_BYTES_MAX + 5));
    let (found, _) = lines(text.as_bytes());
    let short = |text: &str| text.chars().take(12).collect::<String>();
    assert_eq!(
        found.iter().map(|l| short(&l.1)).collect::<Vec<_>>(),
        ["a", "<oversized>", "b"]
    );
}
