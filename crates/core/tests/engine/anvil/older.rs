//! Queues of other tools, and damaged ones.

use std::fs;

use forge_memory_core::anvil::{OutcomeKind, Work};
use forge_memory_core::clock::DAY_MS;
use serde_json::json;

use super::support::*;
use crate::common::lines::objects;
use crate::common::{Workshop, times_recalled};

fn with_queue(text: &[u8]) -> Workshop {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(queue_path(&workshop), text).unwrap();
    super::support::take_over(&workshop);
    workshop
}

/// Delivers everything, however long it waits, and returns what arrived.
fn drained(workshop: &Workshop) -> Shelf {
    let (mut drain, mut shelf, now) = (open_drain(workshop), Shelf::default(), now_of(workshop));
    deliver_all(&mut drain, &mut shelf, now);
    deliver_all(&mut drain, &mut shelf, now + DAY_MS);
    drain.close(now + DAY_MS);
    shelf
}

#[test]
fn the_queue_of_the_older_tools_is_read_in_every_variant() {
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../core/tests/data/formats/older/forge/openbrain-queue.jsonl"
    );
    let bytes = fs::read(source).unwrap();
    let torn = bytes
        .split(|byte| *byte == b'\n')
        .rfind(|line| !line.is_empty())
        .unwrap()
        .to_vec();
    let workshop = with_queue(&bytes);
    let shelf = drained(&workshop);
    let texts: Vec<&str> = shelf.texts.values().map(String::as_str).collect();
    for text in [
        "The packer loses symlinks on network drives",
        "deferred until tomorrow",
        "{\"pattern\":\"rotate refresh tokens\"}",
        "{\"stale\":true}",
    ] {
        assert!(texts.contains(&text), "{text} is missing in {texts:?}");
    }
    assert_eq!(texts.len(), 4);
    let archived: Vec<_> = objects(&archive_path(&workshop))
        .iter()
        .map(|row| row["content"].clone())
        .collect();
    assert!(
        archived.contains(&json!("delivered after a retry")),
        "what another tool delivered is archived"
    );
    let letters = workshop.open().dead_letters().unwrap();
    assert_eq!(
        letters.iter().map(|letter| letter.content.as_str()).collect::<Vec<_>>(),
        ["given up"]
    );
    let left = fs::read(queue_path(&workshop)).unwrap();
    assert_eq!(
        left.trim_ascii(),
        torn.trim_ascii(),
        "the torn line is all that is left"
    );
}

#[test]
fn a_record_without_an_id_has_the_one_that_recall_shows() {
    let thought = r#""content":"Gate needs --runInBand","project":"shop","type":"gotcha","source":"forge_sweep","created_by":"liveguard-auto","captured_at":"2026-11-20T10:00:00.000Z""#;
    let queued = format!(
        "{{\"_v\":1,\"_status\":\"pending\",\"_attempts\":3,\"_enqueuedAt\":\"2026-11-20T10:00:00.000Z\",\"_nextAttemptAt\":\"2026-11-20T10:00:00.000Z\",{thought},\"_lastError\":\"HTTP_503\"}}\n"
    );
    let workshop = with_queue(queued.as_bytes());
    fs::write(workshop.raw_log(), format!("{{\"_v\":1,{thought}}}\n")).unwrap();
    let mut memory = workshop.open();
    assert_eq!(times_recalled(&mut memory, "Gate needs --runInBand"), 1);
    let hit = crate::common::list_all(&mut memory).remove(0);
    let shelf = drained(&workshop);
    assert_eq!(shelf.texts.keys().collect::<Vec<_>>(), [&hit.id]);
    // So forgetting it reaches the store.
    assert!(memory.forget(&hit.id).unwrap());
    let batch = open_drain(&workshop).lease(5, now_of(&workshop)).unwrap();
    assert_eq!(batch[0].work, Work::Delete(vec![hit.id]));
}

#[test]
fn a_thought_in_place_of_a_text_is_delivered_and_not_dropped() {
    let lines = [
        json!({"_v":1,"_status":"pending","content":{"content":"Run finished: 3 of 4 slices","type":"lesson"},"type":"lesson"}),
        json!({"_v":1,"_status":"pending","content":{"slices":4,"cost":1.5},"type":"lesson"}),
        json!({"_v":1,"_status":"pending","content":["a","b"],"type":"lesson"}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let shelf = drained(&with_queue(text.as_bytes()));
    let mut texts: Vec<&str> = shelf.texts.values().map(String::as_str).collect();
    texts.sort_unstable();
    assert_eq!(
        texts,
        [
            "Run finished: 3 of 4 slices",
            "[\"a\",\"b\"]",
            "{\"slices\":4,\"cost\":1.5}"
        ]
    );
}

#[test]
fn a_record_that_no_store_can_take_is_a_dead_letter_and_not_lost() {
    let text = "{\"_v\":1,\"content\":null}\n{\"content\":\"  \"}\n{\"_action\":\"paint\",\"id\":\"x\"}\n{}\n{\"_action\":\"delete\"}\n";
    let workshop = with_queue(text.as_bytes());
    assert_eq!(drained(&workshop).texts.len(), 0);
    let reasons: Vec<_> = workshop
        .open()
        .dead_letters()
        .unwrap()
        .into_iter()
        .map(|letter| letter.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            "the record has no content",
            "the record has no content",
            "unknown action",
            "the record has no content",
            "the delete instruction has no valid id"
        ]
    );
    assert_eq!(size_of(&queue_path(&workshop)), 0);
}

#[test]
fn a_tombstone_under_a_former_name_removes_the_delivered_record() {
    let record = |value: &str, at: &str| {
        json!({"_v":1,"content":value,"type":"decision","source":"brain.remember","project":"shop","captured_at":at,
            "key":"cross.pattern.auth","_status":"pending","_attempts":0,"_enqueuedAt":at,"_nextAttemptAt":at})
    };
    let tombstone = json!({"_v":1,"_action":"delete","key":"cross.pattern.auth","_status":"pending","_attempts":0});
    let nothing = json!({"_v":1,"_action":"delete","key":"nobody.knows","_status":"pending","_attempts":0});
    let lines = [
        record("{\"pattern\":\"jwt\"}", "2026-11-20T10:00:00.000Z"),
        record("{\"pattern\":\"paseto\"}", "2026-11-20T11:00:00.000Z"),
        tombstone,
        nothing,
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let workshop = with_queue(text.as_bytes());
    let shelf = drained(&workshop);
    assert_eq!(shelf.deliveries.len(), 2, "both were delivered");
    assert_eq!(shelf.texts.len(), 0, "and both removed");
    let reasons: Vec<_> = objects(&archive_path(&workshop))
        .iter()
        .map(|row| row["_reason"].clone())
        .collect();
    assert!(reasons.contains(&json!("nothing was delivered under this key")));
}

#[test]
fn invalid_lines_are_kept_counted_and_skipped() {
    let mut text = b"\xef\xbb\xbfnonsense\n".to_vec();
    text.extend(queue_line(1, "good").bytes());
    text.extend_from_slice(b"{\"_v\":1,\"content\":\"\xff\xfe\"}\n[1]\n\r\n");
    text.extend(queue_line(2, "good").replace('\n', "\r\n").bytes());
    text.extend(vec![b'y'; 17 * 1024 * 1024]);
    text.push(b'\n');
    text.extend(queue_line(3, "good").bytes());
    text.extend_from_slice(b"{\"_v\":1,\"id\":\"mem_torn\",\"content\":\"half");
    let workshop = with_queue(&text);
    assert_eq!(workshop.open().queue_status().malformed, 4);
    let shelf = drained(&workshop);
    assert_eq!(shelf.texts.values().collect::<Vec<_>>(), ["good 1", "good 2", "good 3"]);
    let left = fs::read(queue_path(&workshop)).unwrap();
    for kept in [&b"nonsense\n"[..], b"\xff\xfe", b"[1]\n", b"yyyy", b"\"half"] {
        assert!(
            left.windows(kept.len()).any(|part| part == kept),
            "{:?} is gone",
            String::from_utf8_lossy(kept)
        );
    }
    let mut drain = open_drain(&workshop);
    assert!(drain.lease(10, now_of(&workshop)).unwrap().is_empty());
    assert_eq!(
        drain.next_due_at(now_of(&workshop)).unwrap(),
        None,
        "a torn tail is no work"
    );
}

#[test]
fn lone_surrogates_in_a_record_only_lose_that_character() {
    let text =
        "{\"_v\":1,\"id\":\"mem_1\",\"content\":\"cut \\ud83d here\",\"tags\":[\"a\",1],\"confidence\":\"high\"}\n";
    let shelf = drained(&with_queue(text.as_bytes()));
    assert_eq!(shelf.texts["mem_1"], "cut \u{fffd} here");
}

#[test]
fn unknown_fields_are_delivered_as_metadata() {
    let line = json!({"_v":1,"id":"mem_1","content":"x","key":"a.b","hallmark":{"schemaVersion":"hallmark/v1"},"_status":"pending","_other":1});
    let workshop = with_queue(format!("{line}\n").as_bytes());
    let batch = open_drain(&workshop).lease(1, now_of(&workshop)).unwrap();
    let Work::Store(thought) = &batch[0].work else {
        panic!("{batch:?}")
    };
    let metadata: serde_json::Value = serde_json::from_str(&thought.metadata).unwrap();
    assert_eq!(
        metadata,
        json!({"key":"a.b","hallmark":{"schemaVersion":"hallmark/v1"}})
    );
    assert_eq!((thought.source.as_str(), thought.confidence), ("unknown", 0.7));
    assert!(thought.project.ends_with("/shop"), "{}", thought.project);
}

#[test]
fn a_queue_that_another_tool_rewrites_is_scanned_again() {
    let workshop = with_queue(
        [queue_line(1, "a"), queue_line(2, "a"), queue_line(3, "a")]
            .concat()
            .as_bytes(),
    );
    let (mut drain, mut shelf, now) = (open_drain(&workshop), Shelf::default(), now_of(&workshop));
    let batch = drain.lease(1, now).unwrap();
    shelf.take(&batch[0]);
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    let busy = drain.lease(1, now).unwrap();
    settle_all(&mut drain, &busy, OutcomeKind::Busy, now).unwrap();
    // In place, so that every line stands elsewhere, and with a new one.
    let text = [queue_line(4, "new"), queue_line(2, "a"), queue_line(3, "a")].concat();
    fs::write(queue_path(&workshop), text).unwrap();
    super::support::take_over(&workshop);
    drain.resume(now).unwrap();
    deliver_all(&mut drain, &mut shelf, now + DAY_MS);
    assert_eq!(shelf.texts.values().collect::<Vec<_>>(), ["a 1", "a 2", "a 3", "new 4"]);
    assert!(
        shelf.deliveries.values().all(|count| *count == 1),
        "{:?}",
        shelf.deliveries
    );
}

#[test]
fn with_an_older_tool_in_the_project_delivered_records_leave_the_queue() {
    let lines: Vec<String> = (0..2000).map(|number| queue_line(number, "a")).collect();
    for is_shared in [false, true] {
        let workshop = with_queue(lines.concat().as_bytes());
        if is_shared {
            fs::write(
                queue_path(&workshop).with_file_name("liveguard-memories.jsonl"),
                "{\"content\":\"a\"}\n",
            )
            .unwrap();
        }
        let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
        let batch = drain.lease(10, now).unwrap();
        settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
        let left = objects(&queue_path(&workshop)).len();
        assert_eq!(left, if is_shared { 1990 } else { 2000 });
        let rest = drain.lease(5000, now).unwrap();
        assert_eq!(rest.len(), 1990, "none of them comes again");
    }
}
