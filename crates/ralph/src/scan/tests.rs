#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;

use super::super::document::parse;
use super::{SPLIT_BYTES, Scan, element_behind, read_both, read_quickly};

const STRINGS: &str =
    r#""plain text"|""|"é教"|"a \"quote\""|"\u00e9\u202e"|"2026-04-01T10:42:00Z"|"}, {"|"[{\"id\":1}]"|"back\\slash""#;
const NUMBERS: &str = "0|7|-3|1.0|0.9|0.35|123456789012345|0.123456789012345678|1e3|2.5E-2|9007199254740993|-0.0|18446744073709551615|0.1234567890123";
const OTHERS: &str =
    r#"null|true|false|[]|["auth","mocks"]|["a",1]|["\n"]|{}|{"description":"d"}|{"a":[{"id":"x"},{"id":"y"}]}"#;
const WRONG: &str = "01|1.|.5|+1|nul|1ee|\"open|\"a\tb\"|'a'|[1,]|{\"a\":}|{,}|nulltrue|1 2|NaN";
const NAMES: [&str; 18] = [
    "id",
    "loopId",
    "loop_id",
    "iteration",
    "createdAt",
    "timestamp",
    "type",
    "category",
    "lesson",
    "pattern",
    "content",
    "description",
    "context",
    "tags",
    "confidence",
    "odd",
    "a\\u0062",
    "",
];

fn one_of(list: &'static str) -> impl Strategy<Value = String> {
    proptest::sample::select(list.split('|').map(str::to_owned).collect::<Vec<_>>())
}

/// A value, rarely one that is not valid JSON.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![60 => one_of(STRINGS), 30 => one_of(NUMBERS), 30 => one_of(OTHERS), 1 => one_of(WRONG)]
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![8 => Just(""), 4 => Just("\n    "), 2 => Just(" "), 1 => Just("\r\n\t")]
}

fn object() -> impl Strategy<Value = String> {
    let member = (proptest::sample::select(NAMES.to_vec()), value(), space());
    proptest::collection::vec(member, 0..8).prop_map(|members| {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value, space)| format!("{space}\"{name}\"{space}:{space}{value}{space}"))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

fn list() -> impl Strategy<Value = String> {
    let element = prop_oneof![6 => object(), 1 => value()];
    (proptest::collection::vec(element, 0..7), space()).prop_map(|(elements, space)| {
        let separator = format!("{space},{space}");
        format!("[{space}{}{space}]", elements.join(&separator))
    })
}

fn document() -> impl Strategy<Value = String> {
    let name = proptest::sample::select(vec![
        "entries",
        "memories",
        "learnings",
        "iterations",
        "loopId",
        "objective",
        "version",
        "\\u0065ntries",
    ]);
    let value = prop_oneof![
        4 => list(),
        2 => value(),
        1 => list().prop_map(|list| format!("[{{\"number\":3,\"learnings\":{list}}},7]")),
    ];
    let members = proptest::collection::vec((name, value), 0..5).prop_map(|members| {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("\"{name}\": {value}"))
            .collect();
        format!("{{{}}}", members.join(",\n"))
    });
    let frame = proptest::sample::select(vec![
        ("", ""),
        ("\u{feff}", "\n"),
        (" ", ""),
        ("", " x"),
        ("\u{a0}", ""),
    ]);
    (prop_oneof![list(), members], frame).prop_map(|(body, (before, behind))| format!("{before}{body}{behind}"))
}

/// Both parsers must return the same for a text.
fn compare(text: &str) {
    let slow = parse(text);
    let begins = (0..text.len()).filter(|at| text.as_bytes()[*at] == b'{');
    for quick in begins.map(|from| read_both(text, from)).chain([read_quickly(text)]) {
        match (&slow, quick) {
            (Ok(slow), Some(quick)) => assert_eq!(*slow, quick, "{text}"),
            (Err(error), Some(_)) => panic!("{text} is read, and {error}"),
            (_, None) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_fast_path_reads_the_same_as_the_full_parser(document in document()) {
        compare(&document);
    }

    #[test]
    fn a_damaged_document_is_refused_by_both_parsers(document in document(), at: prop::sample::Index, byte in "[\\]\\[{},:\"\\\\0-9a ]") {
        let at = at.index(document.len() + 1);
        if document.is_char_boundary(at) {
            compare(&format!("{}{byte}{}", &document[..at], &document[at..]));
            compare(&document[..at]);
        }
    }
}

#[test]
fn plain_documents_take_the_fast_path() {
    for text in [
        r#"[{"id":"a","lesson":"b","tags":["x"],"confidence":0.5,"iteration":3,"context":null,"odd":true}]"#,
        r#"[{"id":"a","lesson":"escaped \" here"},"a text",{"odd":{"deep":[1]}},7]"#,
        "{\"version\": 1.5e3, \"entries\": [ ] }\r\n",
        r#"{"loop_id":"x","objective":"o","learnings":["one"],"iterations":[{"number":1,"learnings":["two"]}]}"#,
    ] {
        assert_eq!(read_quickly(text), Some(parse(text).unwrap()), "{text}");
    }
}

#[test]
fn a_long_list_is_read_from_both_places_and_in_order() {
    let count = SPLIT_BYTES / 16;
    let elements: Vec<String> = (0..count)
        .map(|at| format!("{{\"id\":\"{at}\",\"lesson\":\"l\"}}"))
        .collect();
    let text = format!("[{}]", elements.join(",\n"));
    let from = element_behind(&text, text.len() / 2).unwrap();
    assert!(Scan::at(&text, from).elements(&mut None).unwrap().0.len() > count / 3);
    assert_eq!(read_quickly(&text), Some(parse(&text).unwrap()));
}
