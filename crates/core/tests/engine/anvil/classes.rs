//! The outcomes of deliveries, and what follows from each: archive, retry, dead letter, pause.

use forge_memory_core::anvil::OutcomeKind;
use forge_memory_core::clock::{DAY_MS, Millis, parse_iso};

use super::support::*;
use crate::common::lines::objects;
use crate::common::{Workshop, capture_of};

const MINUTE: Millis = 60_000;

fn captured(workshop: &Workshop, count: usize) {
    let mut memory = workshop.open();
    for number in 0..count {
        let text = format!("lesson number {number} about part {}", number * 7919);
        assert!(memory.capture(capture_of("lesson", &text)).unwrap().captured);
    }
}

#[test]
fn delivered_records_move_from_the_queue_to_the_archive() {
    let workshop = Workshop::new();
    captured(&workshop, 7);
    let (mut drain, mut shelf, now) = (open_drain(&workshop), Shelf::default(), now_of(&workshop));
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 7);
    assert_eq!(shelf.texts.len(), 7);
    assert_eq!(workshop.open().queue_status().queued, 0, "counted without a rewrite");
    drain.close(now);
    assert_eq!(size_of(&queue_path(&workshop)), 0, "other tools see an empty queue");
    let archived = objects(&archive_path(&workshop));
    assert_eq!(archived.len(), 7);
    for row in archived {
        assert_eq!(
            (row["_status"].as_str(), row["_attempts"].as_u64()),
            (Some("delivered"), Some(0))
        );
        assert_eq!(row["_deliveredAt"].as_str().and_then(parse_iso), Some(now));
        assert!(shelf.texts.contains_key(row["id"].as_str().unwrap()));
    }
}

#[test]
fn a_refused_record_becomes_a_dead_letter_at_once_with_the_reason() {
    let workshop = Workshop::new();
    captured(&workshop, 2);
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let batch = drain.lease(10, now).unwrap();
    let outcomes = [
        outcome(&batch[0], OutcomeKind::Rejected),
        outcome(&batch[1], OutcomeKind::Delivered),
    ];
    let report = drain.settle(&outcomes, now).unwrap();
    assert_eq!((report.delivered, report.dead, report.deferred), (1, 1, 0));
    let dead = objects(&dead_path(&workshop));
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0]["_status"], "failed");
    assert_eq!(dead[0]["_reason"], "made to be Rejected");
    assert_eq!(dead[0]["_lastError"], "made to be Rejected");
    assert_eq!(dead[0]["_attempts"], 1);
    assert!(dead[0]["_failedAt"].is_string());
    assert!(
        drain.lease(10, now + DAY_MS).unwrap().is_empty(),
        "it is not tried again"
    );
}

#[test]
fn a_store_that_is_down_for_a_day_causes_no_dead_letters_and_is_not_flooded() {
    let workshop = Workshop::new();
    captured(&workshop, 40);
    let (mut drain, start) = (open_drain(&workshop), now_of(&workshop));
    let (mut now, mut passes, mut tried) = (start, 0, 0);
    while now < start + DAY_MS {
        let batch = drain.lease(10, now).unwrap();
        let report = if batch.is_empty() {
            drain.settle(&[], now).unwrap()
        } else {
            passes += 1;
            tried += batch.len();
            settle_all(&mut drain, &batch, OutcomeKind::Busy, now).unwrap()
        };
        assert_eq!(report.dead, 0);
        let next = report
            .next_due_at
            .as_deref()
            .and_then(parse_iso)
            .expect("something always waits");
        assert!(next > now && next <= now + 75 * MINUTE, "{}", next - now);
        now = next;
    }
    assert!((200..500).contains(&passes), "{passes} passes in a day");
    assert!(tried < 2000, "{tried} deliveries tried");
    let status = workshop.open().queue_status();
    assert_eq!((status.queued, status.dead_letters), (40, 0));
    assert_eq!(status.last_error.unwrap().message, "made to be Busy");
    // The server is back, and another process drains.
    drop(drain);
    let (mut drain, mut shelf) = (open_drain(&workshop), Shelf::default());
    drain.resume(now).unwrap();
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 40);
    assert!(shelf.deliveries.values().all(|count| *count == 1));
}

#[test]
fn the_backoff_of_a_record_doubles_up_to_an_hour_and_survives_the_process() {
    let workshop = Workshop::new();
    captured(&workshop, 1);
    let mut now = now_of(&workshop);
    let mut drain = open_drain(&workshop);
    for failure in 1..12_u32 {
        let batch = drain.lease(1, now).unwrap();
        assert_eq!(
            (batch.len(), batch[0].attempts),
            (1, 0),
            "failure {failure}: an outage counts for nobody"
        );
        let report = settle_all(&mut drain, &batch, OutcomeKind::Busy, now).unwrap();
        // The record's own wait, without that of the whole drain.
        drop(drain);
        drain = open_drain(&workshop);
        let next = drain.next_due_at(now).unwrap().unwrap();
        assert_eq!(report.next_due_at.as_deref().and_then(parse_iso), Some(next));
        let base = (30_000 << (failure - 1).min(20)).min(3_600_000);
        let own = next - now;
        assert!(
            own >= base * 8 / 10 && own <= (base * 12 / 10).max(300_000),
            "failure {failure}: {own}"
        );
        assert!(drain.lease(1, next - 1).unwrap().is_empty());
        now = next;
    }
}

#[test]
fn a_wrong_setting_pauses_the_drain_and_does_not_count_as_an_attempt() {
    let workshop = Workshop::new();
    captured(&workshop, 5);
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let batch = drain.lease(3, now).unwrap();
    let report = settle_all(&mut drain, &batch, OutcomeKind::Misconfigured, now).unwrap();
    assert_eq!(report.paused.as_deref(), Some("made to be Misconfigured"));
    assert_eq!((report.deferred, report.next_due_at), (3, None));
    drop(drain);
    let mut drain = open_drain(&workshop);
    assert!(
        drain.lease(10, now + DAY_MS).unwrap().is_empty(),
        "the pause outlives the process"
    );
    assert_eq!(drain.next_due_at(now + DAY_MS).unwrap(), None);
    let status = workshop.open().queue_status();
    assert_eq!((status.queued, status.due), (5, 0));
    assert_eq!(status.paused.unwrap().reason, "made to be Misconfigured");
    drain.resume(now).unwrap();
    let batch = drain.lease(10, now).unwrap();
    assert_eq!(batch.len(), 5);
    assert!(batch.iter().all(|leased| leased.attempts == 0));
    assert_eq!(workshop.open().queue_status().paused, None);
}

#[test]
fn one_poison_record_does_not_delay_the_others_for_long() {
    let workshop = Workshop::new();
    captured(&workshop, 1);
    let (mut drain, mut now) = (open_drain(&workshop), now_of(&workshop));
    let mut memory = workshop.open();
    let poison = drain.lease(10, now).unwrap();
    settle_all(&mut drain, &poison, OutcomeKind::Busy, now).unwrap();
    for number in 0..20 {
        let text = format!("an innocent remark about module {}", number * 104_729);
        memory.capture(capture_of("gotcha", &text)).unwrap();
        let mut waited = 0;
        loop {
            let batch = drain.lease(10, now).unwrap();
            let outcomes: Vec<_> = batch
                .iter()
                .map(|leased| {
                    let is_poison = leased.key == poison[0].key;
                    let kind = if is_poison {
                        OutcomeKind::Busy
                    } else {
                        OutcomeKind::Delivered
                    };
                    outcome(leased, kind)
                })
                .collect();
            if !outcomes.is_empty() && drain.settle(&outcomes, now).unwrap().delivered > 0 {
                break;
            }
            now += MINUTE;
            waited += 1;
            assert!(waited <= 2, "remark {number} waits over two minutes");
        }
    }
}

#[test]
fn leased_records_belong_to_one_drain_until_it_ends() {
    let workshop = Workshop::new();
    captured(&workshop, 4);
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let first = drain.lease(2, now).unwrap();
    let second = drain.lease(10, now).unwrap();
    assert_eq!((first.len(), second.len()), (2, 2));
    assert!(drain.lease(10, now).unwrap().is_empty());
    let error = forge_memory_core::anvil::Drain::open(&surroundings(
        &workshop,
        std::sync::Arc::new(forge_memory_core::journal::OsDisk),
    ))
    .unwrap_err();
    assert_eq!(error.code(), "LOCKED");
    settle_all(&mut drain, &second, OutcomeKind::Delivered, now).unwrap();
    // It dies with two leased records.
    drop(drain);
    let again = open_drain(&workshop).lease(10, now).unwrap();
    assert_eq!(again, first);
}

#[test]
fn outcomes_for_unknown_leases_are_counted_and_duplicates_are_refused() {
    let workshop = Workshop::new();
    captured(&workshop, 1);
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let batch = drain.lease(1, now).unwrap();
    let mut strange = outcome(&batch[0], OutcomeKind::Delivered);
    strange.key = "no key".into();
    assert_eq!(drain.settle(&[strange], now).unwrap().unknown, 1);
    let twice = [
        outcome(&batch[0], OutcomeKind::Delivered),
        outcome(&batch[0], OutcomeKind::Busy),
    ];
    assert_eq!(drain.settle(&twice, now).unwrap_err().code(), "INVALID_INPUT");
    assert_eq!(drain.settle(&twice[..1], now).unwrap().delivered, 1);
    assert_eq!(drain.settle(&twice[..1], now).unwrap().unknown, 1);
}

#[test]
fn captures_during_a_drain_are_in_the_next_lease() {
    let workshop = Workshop::new();
    captured(&workshop, 3);
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let mut memory = workshop.open();
    let batch = drain.lease(2, now).unwrap();
    memory
        .capture(capture_of("lesson", "Captured while others are on their way"))
        .unwrap();
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    let next = drain.lease(10, now).unwrap();
    assert_eq!(next.len(), 2);
    assert_eq!(text_of(&next[1]), "Captured while others are on their way");
}

#[test]
fn a_time_from_a_wrong_clock_does_not_block_the_queue_forever() {
    let workshop = Workshop::new();
    let line = queue_line(1, "from the future").replace("\"_nextAttemptAt\":\"2026", "\"_nextAttemptAt\":\"9126");
    let odd = queue_line(2, "nonsense").replace("\"_nextAttemptAt\":\"2026-11", "\"_nextAttemptAt\":\"2026-99");
    std::fs::create_dir_all(workshop.forge()).unwrap();
    std::fs::write(queue_path(&workshop), format!("{line}{odd}")).unwrap();
    super::support::take_over(&workshop);
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let batch = drain.lease(10, now).unwrap();
    assert_eq!(
        batch.iter().map(text_of).collect::<Vec<_>>(),
        ["nonsense 2"],
        "it is due at once"
    );
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    assert_eq!(drain.lease(10, now + 73 * MINUTE).unwrap().len(), 1);
}

#[test]
fn a_record_that_fails_alone_is_a_dead_letter_after_five_attempts_and_outages_do_not_count() {
    let workshop = Workshop::new();
    captured(&workshop, 2);
    let (mut drain, mut now) = (open_drain(&workshop), now_of(&workshop));
    for pass in 1..=5 {
        // However long the store was away before.
        for _ in 0..20 {
            now += DAY_MS;
            drain.resume(now).unwrap();
            let batch = drain.lease(10, now).unwrap();
            assert_eq!(batch.len(), 2);
            settle_all(&mut drain, &batch, OutcomeKind::Busy, now).unwrap();
        }
        now += DAY_MS;
        drain.resume(now).unwrap();
        let batch = drain.lease(10, now).unwrap();
        let attempts: Vec<u32> = batch.iter().map(|leased| leased.attempts).collect();
        assert_eq!((attempts.iter().sum::<u32>(), attempts.len()), (pass - 1, 2));
        let poisoned = batch.iter().position(|leased| leased.attempts == pass - 1).unwrap();
        let outcomes = [
            outcome(&batch[poisoned], OutcomeKind::Failed),
            outcome(&batch[1 - poisoned], OutcomeKind::Busy),
        ];
        let report = drain.settle(&outcomes, now).unwrap();
        assert_eq!((report.failed, report.dead), (1, u64::from(pass == 5)), "pass {pass}");
        assert_eq!(workshop.open().queue_status().retrying, u64::from(pass < 5));
    }
    assert_eq!(objects(&dead_path(&workshop))[0]["_attempts"], 5);
    assert_eq!(workshop.open().queue_status().queued, 1);
}
