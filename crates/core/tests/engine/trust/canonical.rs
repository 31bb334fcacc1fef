//! The canonical form against the vectors of RFC 8785 and against itself.

use forge_memory_core::canonical::{canonical_json, record_hash};
use forge_memory_core::thought::content_hash;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Appendix B of the RFC: the bits of a number, and its text.
const NUMBERS: [(u64, &str); 24] = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

#[test]
fn numbers_are_written_as_the_standard_lists_them() {
    for (bits, text) in NUMBERS {
        let number = f64::from_bits(bits);
        assert_eq!(canonical_json(&json!(number)), text, "{bits:016x}");
        // Read back from its text, too.
        assert_eq!(canonical_json(&serde_json::from_str(text).unwrap()), text);
    }
}

#[test]
fn the_documents_of_the_standard_are_reproduced() {
    let vectors = [
        (
            r#"[56,{"d":true,"10":null,"1":[]}]"#,
            r#"[56,{"1":[],"10":null,"d":true}]"#,
        ),
        (
            r#"{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}"#,
            r#"{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}"#,
        ),
        (
            r#"{"1":{"f":{"f":"hi","F":5},"\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}"#,
            r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
        ),
        (
            "{\"Unnormalized Unicode\":\"A\\u030a\"}",
            "{\"Unnormalized Unicode\":\"A\u{30a}\"}",
        ),
    ];
    for (input, expected) in vectors {
        assert_eq!(canonical_json(&serde_json::from_str(input).unwrap()), expected);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no infinities", |number| number.is_finite())
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_record() -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof!["_?[a-z]{1,4}", Just("hallmark".to_owned()), ".{0,4}"];
    prop::collection::vec((name, any_json()), 0..8).prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_canonical_form_of_a_canonical_form_is_itself(value in any_json()) {
        let text = canonical_json(&value);
        let again: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(canonical_json(&again), text);
    }

    #[test]
    fn neither_the_order_of_names_nor_white_space_changes_it(record in any_record()) {
        let text = canonical_json(&Value::Object(record.clone()));
        let turned: Map<String, Value> = record.into_iter().rev().collect();
        let pretty = serde_json::to_string_pretty(&turned).unwrap();
        prop_assert_eq!(canonical_json(&serde_json::from_str(&pretty).unwrap()), text);
    }

    #[test]
    fn the_hash_of_a_line_is_the_hash_of_the_record_on_it(record in any_record()) {
        let value = Value::Object(record);
        let due = content_hash(&value);
        prop_assert_eq!(record_hash(value.to_string().as_bytes()), Some(due.clone()));
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(record_hash(pretty.as_bytes()), Some(due));
    }
}

#[test]
fn of_duplicate_keys_the_last_one_counts() {
    let line = br#"{"b":1,"a":"x","b":2}"#;
    assert_eq!(
        record_hash(line),
        Some(content_hash(&serde_json::from_slice(line).unwrap()))
    );
    assert_eq!(record_hash(b"[1]"), None);
    assert_eq!(record_hash(b"{\"a\":"), None);
}
