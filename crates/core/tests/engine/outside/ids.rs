use std::fs;

use forge_memory_core::EditInput;
use serde_json::{Value, json};

use crate::common::{Workshop, list_all};

/// Ids as hands, tools and hostile files write them.
fn odd_ids() -> Vec<Value> {
    vec![
        json!(""),
        json!(" "),
        json!("a b"),
        json!("../../etc/passwd"),
        json!("line\nfeed"),
        json!("\u{1b}[2J\u{0}\u{7f}"),
        json!("\u{202e}reversed\u{200b}"),
        json!("Ünï/cödé"),
        json!("x".repeat(129)),
        json!("x".repeat(5 << 20)),
        json!("\"quoted\\"),
        json!(7),
        json!(1e300),
        json!(null),
        json!(true),
        json!(["a"]),
        json!({"id": "a"}),
        json!("mem_ordinary"),
    ]
}

fn line_of(number: usize, id: &Value) -> String {
    let mut record = json!({
        "content": format!("odd{number} name{number}"), "type": "lesson", "project": "shop",
        "captured_at": "2096-01-01T00:00:00.000Z",
    });
    record["id"] = id.clone();
    format!("{record}\n")
}

fn filled() -> (Workshop, usize) {
    let workshop = Workshop::new();
    let mut lines: Vec<String> = odd_ids()
        .iter()
        .enumerate()
        .map(|(number, id)| line_of(number, id))
        .collect();
    lines.push("{\"content\":\"no id at all\",\"type\":\"lesson\"}\n".into());
    // Twice the same: the last line counts.
    lines.push("{\"id\":\"twice here\",\"content\":\"hidden by the next line\",\"type\":\"lesson\"}\n".into());
    lines.push("{\"id\":\"twice here\",\"content\":\"the line that counts\",\"type\":\"lesson\"}\n".into());
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(workshop.raw_log(), lines.concat()).unwrap();
    (workshop, odd_ids().len() + 2)
}

#[test]
fn every_record_that_is_listed_can_be_shown_and_forgotten_by_the_id_in_the_list() {
    let (workshop, records) = filled();
    let mut memory = workshop.open();
    let listed = list_all(&mut memory);
    assert_eq!(listed.len(), records);
    for (at, hit) in listed.iter().enumerate() {
        let typable = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
        assert!(hit.id.len() <= 128 && hit.id.chars().all(typable), "{:?}", hit.id);
        let tail = &hit.id[hit.id.len() - 8..];
        assert_eq!(
            memory.history(tail).unwrap().unwrap().current().text,
            hit.text,
            "by its end"
        );
        assert_eq!(memory.history(&hit.id).unwrap().unwrap().current().text, hit.text);
        assert!(memory.forget(&hit.id).unwrap(), "{:?}", hit.text);
        assert_eq!(list_all(&mut memory).len(), records - at - 1, "{:?}", hit.text);
    }
    // Another process agrees, and so does a compaction.
    assert_eq!(list_all(&mut workshop.open()).len(), 0);
    memory.compact(false).unwrap();
    assert_eq!(list_all(&mut workshop.open()).len(), 0);
    assert!(memory.verify().unwrap().ok);
}

#[test]
fn a_record_can_be_addressed_by_its_own_invalid_id() {
    let (workshop, records) = filled();
    let mut memory = workshop.open();
    for id in odd_ids().iter().filter_map(Value::as_str).filter(|id| !id.is_empty()) {
        assert!(memory.forget(id).unwrap(), "{id:?}");
    }
    let without_text_id = odd_ids()
        .iter()
        .filter(|id| id.as_str().is_none_or(str::is_empty))
        .count();
    assert_eq!(list_all(&mut memory).len(), without_text_id + 2);
    assert!(records > without_text_id + 2);
}

#[test]
fn tombstones_and_revisions_of_other_tools_can_use_invalid_ids() {
    let (workshop, records) = filled();
    let more = [
        r#"{"_action":"delete","id":"a b","at":"2096-01-02T00:00:00.000Z"}"#,
        r#"{"id":"new one","supersedes":"Ünï/cödé","content":"revised","type":"lesson","captured_at":"2096-01-02T00:00:00.000Z"}"#,
    ];
    let mut log = fs::read_to_string(workshop.raw_log()).unwrap();
    log.push_str(&(more.join("\n") + "\n"));
    fs::write(workshop.raw_log(), log).unwrap();
    let mut memory = workshop.open();
    assert_eq!(list_all(&mut memory).len(), records - 1);
    let revised = memory.history("new one").unwrap().unwrap();
    assert_eq!(revised.revisions().count(), 2);
}

#[test]
fn a_record_with_an_odd_id_can_be_edited() {
    let (workshop, records) = filled();
    let mut memory = workshop.open();
    let id = memory
        .history("../../etc/passwd")
        .unwrap()
        .unwrap()
        .current()
        .id
        .clone();
    let changes = EditInput {
        body: Some("edited".into()),
        ..EditInput::default()
    };
    memory.edit(&id, changes).unwrap();
    let texts: Vec<String> = list_all(&mut memory).into_iter().map(|hit| hit.text).collect();
    assert!(texts.len() == records && texts.contains(&"edited".into()) && !texts.contains(&"odd3 name3".into()));
}
