//! Files that are large enough to be processed in halves give the same results as small ones.

use forge_memory_core::merge::merge;
use forge_memory_core::migrate::{RecordShape, convert};

fn lines(count: usize, make: &dyn Fn(usize) -> String) -> String {
    (0..count).map(|number| make(number) + "\n").collect()
}

#[test]
fn converting_in_halves_equals_converting_line_by_line() {
    let line = |number: usize| match number % 5 {
        0 => format!("{{\"content\":\"text {number}\",\"type\":\"insight\"}}"),
        1 => format!("{{\"_v\":1,\"id\":\"mem_{number}\",\"content\":\"text {number}\"}}"),
        2 => format!("no json {number}\r"),
        3 => String::new(),
        _ => format!("{{\"_action\":\"confirm\",\"id\":\"mem_{number}\"}}"),
    };
    let text = lines(100_000, &line);
    assert!(text.len() > 2 << 20);
    let whole = convert(text.as_bytes(), RecordShape::Thoughts);
    let mut one_by_one = Vec::new();
    let (mut records, mut changed, mut unparsable) = (0, 0, 0);
    for number in (0..100_000).filter(|number| number % 5 != 3) {
        let one = convert((line(number) + "\n").as_bytes(), RecordShape::Thoughts);
        one_by_one.extend(one.bytes.unwrap_or_else(|| (line(number) + "\n").into_bytes()));
        records += one.records;
        changed += one.changed;
        unparsable += one.unparsable;
    }
    assert_eq!(
        (whole.records, whole.changed, whole.unparsable),
        (records, changed, unparsable)
    );
    assert_eq!(whole.notes, ["CRLF", "blank lines"]);
    assert!(whole.bytes.unwrap() == one_by_one);
}

#[test]
fn a_merge_of_large_sides_keeps_every_line_in_order() {
    let line = |number: usize| format!("{{\"_v\":1,\"id\":\"mem_{number:08}\",\"content\":\"text {number}\"}}");
    let (base, ours) = (lines(20_000, &line), lines(30_000, &line));
    let theirs = base.clone() + &lines(10_000, &|number| line(number + 30_000));
    let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert!(merged.bytes == lines(40_000, &line).into_bytes());
}
