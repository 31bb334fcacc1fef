//! Deletes and revisions are delivered after the records that they concern.

use forge_memory_core::EditInput;
use forge_memory_core::anvil::{LeasedThought, OutcomeKind, Work};
use forge_memory_core::clock::{DAY_MS, format_iso, parse_iso};

use super::support::*;
use crate::common::{Workshop, capture_of};

#[test]
fn a_delete_waits_for_the_thought_it_is_about_and_then_removes_it() {
    let workshop = Workshop::new();
    let (mut memory, now) = (workshop.open(), now_of(&workshop));
    let id = memory
        .capture(capture_of("lesson", "To be forgotten soon"))
        .unwrap()
        .thought
        .id;
    memory.capture(capture_of("lesson", "A neighbour that stays")).unwrap();
    memory.forget(&id).unwrap();
    let (mut drain, mut shelf) = (open_drain(&workshop), Shelf::default());
    let batch = drain.lease(10, now).unwrap();
    assert_eq!(batch.len(), 2, "the delete is held back");
    let outcomes = [
        outcome(&batch[0], OutcomeKind::Busy),
        outcome(&batch[1], OutcomeKind::Delivered),
    ];
    shelf.take(&batch[1]);
    drain.settle(&outcomes, now).unwrap();
    assert!(
        drain.lease(10, now).unwrap().is_empty(),
        "the delete is still held back"
    );
    // Also by a drain that has to find out.
    drop(drain);
    let mut drain = open_drain(&workshop);
    assert!(drain.lease(10, now).unwrap().is_empty());
    let later = now + DAY_MS;
    let batch = drain.lease(10, later).unwrap();
    assert_eq!(batch.iter().map(text_of).collect::<Vec<_>>(), ["To be forgotten soon"]);
    shelf.take(&batch[0]);
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, later).unwrap();
    let batch = drain.lease(10, later).unwrap();
    assert_eq!(batch[0].work, Work::Delete(vec![id.clone()]));
    shelf.take(&batch[0]);
    settle_all(&mut drain, &batch, OutcomeKind::Gone, later).unwrap();
    assert_eq!(shelf.texts.values().collect::<Vec<_>>(), ["A neighbour that stays"]);
}

#[test]
fn revisions_are_delivered_in_order_and_forgetting_removes_all_of_them() {
    let workshop = Workshop::new();
    let (mut memory, now) = (workshop.open(), now_of(&workshop));
    let mut id = memory
        .capture(capture_of("lesson", "Revision zero"))
        .unwrap()
        .thought
        .id;
    let mut ids = vec![id.clone()];
    for number in 1..4 {
        let changes = EditInput {
            body: Some(format!("Revision {number}")),
            ..EditInput::default()
        };
        id = memory.edit(&id, changes).unwrap().id;
        ids.push(id.clone());
    }
    let mut drain = open_drain(&workshop);
    for id in &ids {
        let batch = drain.lease(10, now).unwrap();
        let Work::Store(thought) = &batch[0].work else {
            panic!("{batch:?}")
        };
        assert_eq!((batch.len(), &thought.id), (1, id));
        settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    }
    memory.forget(&ids[1]).unwrap();
    let batch = drain.lease(10, now).unwrap();
    let deleted: Vec<_> = batch.iter().map(|leased| leased.work.clone()).collect();
    let wanted: Vec<_> = ids.iter().map(|id| Work::Delete(vec![id.clone()])).collect();
    assert_eq!(deleted, wanted, "no revision stays behind");
}

#[test]
fn a_long_chain_of_revisions_is_processed_in_linear_time() {
    let workshop = Workshop::new();
    let lines: String = (0..20_000)
        .map(|number| {
            let before = format!("\"supersedes\":\"mem_{:032x}\",\"project\"", number.max(1) - 1);
            let line = queue_line(number, "the same thing again");
            if number == 0 {
                line
            } else {
                line.replace("\"project\"", &before)
            }
        })
        .collect();
    std::fs::create_dir_all(workshop.forge()).unwrap();
    std::fs::write(queue_path(&workshop), lines).unwrap();
    super::support::take_over(&workshop);
    let (mut drain, mut shelf, now) = (open_drain(&workshop), Shelf::default(), now_of(&workshop));
    for number in 0..300 {
        let batch = drain.lease(50, now).unwrap();
        assert_eq!(batch.len(), 1, "{number}");
        shelf.take(&batch[0]);
        settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    }
    assert_eq!(shelf.texts.len(), 300);
}

#[test]
fn a_thought_that_is_captured_again_is_delivered_again_with_its_later_expiry() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let capture = |memory: &mut forge_memory_core::Memory| {
        memory
            .capture(capture_of("lesson", "The pump is loud at night"))
            .unwrap()
    };
    let first = capture(&mut memory);
    workshop.clock.advance(30 * DAY_MS);
    let again = capture(&mut memory);
    assert!(again.deduped && again.tiers.are_ok());
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let lives = |batch: &[LeasedThought]| -> Vec<(String, String, bool)> {
        let life = |leased: &LeasedThought| match &leased.work {
            Work::Store(thought) => {
                let expires = thought.expires_at.clone().unwrap();
                (thought.id.clone(), expires, leased.confirmed_at.is_some())
            }
            Work::Delete(ids) => (ids.join(" "), "deleted".into(), false),
            Work::Rule(ruling) => (ruling.id.clone(), ruling.kind.name().into(), false),
        };
        batch.iter().map(life).collect()
    };
    let written = first.thought.expires_at.unwrap();
    let batch = drain.lease(10, now).unwrap();
    let id = first.thought.id;
    assert_eq!(
        lives(&batch),
        [(id.clone(), written.clone(), false)],
        "the second waits for the first"
    );
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    let batch = drain.lease(10, now).unwrap();
    let lifted = format_iso(parse_iso(&written).unwrap() + 30 * DAY_MS);
    assert_eq!(lives(&batch), [(id, lifted, true)]);
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    capture(&mut memory);
    assert!(drain.lease(10, now).unwrap().is_empty(), "the store was just told");
    // Patterns do not expire, so there is no expiry to deliver.
    memory
        .capture(capture_of("pattern", "Pumps are oiled in spring"))
        .unwrap();
    workshop.clock.advance(DAY_MS);
    memory
        .capture(capture_of("pattern", "Pumps are oiled in spring"))
        .unwrap();
    assert_eq!(drain.lease(10, now_of(&workshop)).unwrap().len(), 1);
    capture(&mut memory);
    assert_eq!(
        drain.lease(10, now_of(&workshop)).unwrap().len(),
        1,
        "a day later it is worth telling"
    );
}
