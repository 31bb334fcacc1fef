//! For every document, clearing and adding change its text as they would change its value.

use forge_memory_ralph::{ClearOptions, GLOBAL_FILE, RalphAddInput};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{HasLessons, Project};

fn element() -> impl Strategy<Value = Value> {
    let text = "[a-z \\\\\"\\[\\]{},:|\u{e9}\n]{1,12}";
    prop_oneof![
        4 => (text, "[ab]", any::<bool>()).prop_map(|(lesson, id, nested)| {
            let mut entry = json!({"id": format!("mem_{lesson}"), "loopId": id, "lesson": lesson, "tags": ["]", "}"]});
            if nested {
                entry["odd"] = json!({"lesson": [1, {"id": "x"}], "n": 1.5});
            }
            entry
        }),
        1 => Just(json!(null)),
        1 => any::<i32>().prop_map(|number| json!(number)),
        1 => Just(json!({"note": "[{\"lesson\":1}]"})),
        1 => Just(json!([{"id": "inner", "lesson": "in a list"}])),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let list = proptest::collection::vec(element(), 0..8);
    (list, 0..4_u8).prop_map(|(list, shape)| match shape {
        0 => Value::Array(list),
        1 => json!({"version": 1, "entries": list, "after": {"entries": [1]}}),
        2 => json!({"memories": list}),
        _ => json!({"a": "[", "learnings": list}),
    })
}

fn list_of(document: &mut Value) -> &mut Vec<Value> {
    let name = ["entries", "memories", "learnings"]
        .into_iter()
        .find(|name| document.get(name).is_some());
    let list = match name {
        Some(name) => &mut document[name],
        None => document,
    };
    list.as_array_mut().unwrap()
}

fn layout(document: &Value, pretty: bool) -> String {
    let text = if pretty {
        serde_json::to_string_pretty(document)
    } else {
        serde_json::to_string(document)
    };
    text.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn clearing_a_loop_takes_its_entries_out_of_the_value(document in document(), pretty: bool) {
        let project = Project::with(&layout(&document, pretty));
        let options = ClearOptions { loop_id: Some("a".into()), ..ClearOptions::default() };
        let mut expected = document;
        let before = list_of(&mut expected).len();
        list_of(&mut expected).retain(|element| element.get("loopId") != Some(&json!("a")));
        let gone = before - list_of(&mut expected).len();
        match project.memory().ralph_clear(&options) {
            Ok(outcome) => prop_assert_eq!(outcome.deleted, gone),
            Err(error) => prop_assert_eq!((error.code(), gone), ("NOT_FOUND", 0)),
        }
        let after: Value = serde_json::from_str(&project.read(GLOBAL_FILE)).unwrap();
        prop_assert_eq!(after, expected);
    }

    #[test]
    fn adding_appends_one_element_to_the_value(document in document(), pretty: bool, lesson in "[g-z]{20}\\PC{0,10}") {
        let project = Project::with(&layout(&document, pretty));
        let input = RalphAddInput { lesson: Some(lesson.clone()), ..RalphAddInput::default() };
        prop_assert!(project.memory().ralph_add(input).unwrap().added);
        let mut after: Value = serde_json::from_str(&project.read(GLOBAL_FILE)).unwrap();
        let added = list_of(&mut after).pop().unwrap();
        prop_assert_eq!(added["lesson"].as_str(), Some(lesson.as_str()));
        prop_assert_eq!(after, document);
    }
}
