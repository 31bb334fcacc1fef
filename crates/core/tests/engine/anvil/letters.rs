//! Dead letters are kept until they are retried or dropped explicitly.

use std::fs;

use forge_memory_core::anvil::OutcomeKind;
use forge_memory_core::ownership::KEY_FILE;

use super::support::*;
use crate::common::lines::objects;
use crate::common::{Workshop, capture_of};

fn with_letters(count: usize) -> Workshop {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for number in 0..count {
        let text = format!("refused remark {} of many", number * 7919);
        memory.capture(capture_of("lesson", &text)).unwrap();
    }
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let batch = drain.lease(count, now).unwrap();
    settle_all(&mut drain, &batch, OutcomeKind::Rejected, now).unwrap();
    drain.close(now);
    workshop
}

#[test]
fn letters_are_listed_retried_and_dropped_by_id_or_key() {
    let workshop = with_letters(4);
    let mut memory = workshop.open();
    let letters = memory.dead_letters().unwrap();
    assert_eq!(letters.len(), 4);
    assert_eq!(
        (letters[0].action, letters[0].reason.as_str()),
        ("store", "made to be Rejected")
    );
    let dropped = memory
        .drop_dead_letters(&[letters[0].id.clone(), "mem_nobody".into()])
        .unwrap();
    assert_eq!((dropped.dropped, dropped.unknown), (1, vec!["mem_nobody".to_owned()]));
    let retried = memory.retry_dead_letters(Some(&[letters[1].key.clone()])).unwrap();
    assert_eq!((retried.retried, retried.unknown.len()), (1, 0));
    assert_eq!(memory.dead_letters().unwrap(), letters[2..]);
    let (mut drain, mut shelf, now) = (open_drain(&workshop), Shelf::default(), now_of(&workshop));
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 1);
    assert!(shelf.texts.contains_key(&letters[1].id));
    assert_eq!(drain.replay_dead_letters(now).unwrap(), 2);
    assert_eq!(drain.replay_dead_letters(now).unwrap(), 0);
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 2);
    assert_eq!(objects(&dead_path(&workshop)).len(), 0);
}

#[test]
fn a_repeatedly_refused_record_is_one_dead_letter() {
    let workshop = with_letters(1);
    let now = now_of(&workshop);
    for boot in 0..5 {
        let mut drain = open_drain(&workshop);
        assert_eq!(drain.replay_dead_letters(now + boot).unwrap(), 1);
        let batch = drain.lease(10, now + boot).unwrap();
        assert_eq!(batch.len(), 1, "boot {boot}");
        settle_all(&mut drain, &batch, OutcomeKind::Rejected, now + boot).unwrap();
        assert_eq!(workshop.open().dead_letters().unwrap().len(), 1, "boot {boot}");
        drain.close(now);
    }
    assert_eq!(size_of(&queue_path(&workshop)), 0);
}

#[test]
fn a_retry_does_not_bring_back_what_was_forgotten() {
    let workshop = with_letters(2);
    let mut memory = workshop.open();
    let letters = memory.dead_letters().unwrap();
    assert!(memory.forget(&letters[0].id).unwrap());
    let retried = memory.retry_dead_letters(None).unwrap();
    assert_eq!((retried.retried, retried.forgotten), (1, 1));
    let (mut drain, mut shelf, now) = (open_drain(&workshop), Shelf::default(), now_of(&workshop));
    deliver_all(&mut drain, &mut shelf, now);
    assert_eq!(shelf.texts.keys().collect::<Vec<_>>(), [&letters[1].id]);
    assert_eq!(memory.dead_letters().unwrap(), []);
}

#[test]
fn nothing_is_retried_while_the_list_of_forgotten_records_is_unreadable() {
    let workshop = with_letters(2);
    let (raw, aside) = (workshop.raw_log(), workshop.forge().join("aside"));
    fs::rename(&raw, &aside).unwrap();
    fs::create_dir(&raw).unwrap();
    let mut drain = open_drain(&workshop);
    let error = drain.replay_dead_letters(now_of(&workshop)).unwrap_err();
    assert!(error.to_string().contains("memory-captures.jsonl"), "{error}");
    drain.close(now_of(&workshop));
    fs::remove_dir(&raw).unwrap();
    fs::rename(&aside, &raw).unwrap();
    assert_eq!(workshop.open().dead_letters().unwrap().len(), 2);
}

#[test]
fn an_unreadable_machine_key_is_an_error_and_not_an_empty_list_of_dead_letters() {
    let workshop = with_letters(2);
    let key = workshop.home().join(KEY_FILE);
    let whole = fs::read(&key).unwrap();
    fs::write(&key, "no key").unwrap();
    let mut memory = workshop.open();
    assert_eq!(memory.dead_letters().unwrap_err().code(), "CORRUPT");
    assert_eq!(memory.retry_dead_letters(None).unwrap_err().code(), "CORRUPT");
    assert_eq!(
        memory.drop_dead_letters(&["mem_1".into()]).unwrap_err().code(),
        "CORRUPT"
    );
    fs::write(&key, whole).unwrap();
    assert_eq!(workshop.open().dead_letters().unwrap().len(), 2);
}

#[test]
fn unreadable_lines_among_the_dead_letters_stay() {
    let workshop = with_letters(1);
    let path = dead_path(&workshop);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("not JSON\n{text}[1,2]\n{{\"torn\":")).unwrap();
    let mut memory = workshop.open();
    assert_eq!(memory.retry_dead_letters(None).unwrap().retried, 1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "not JSON\n[1,2]\n{\"torn\":");
}
