//! Power failures with `durability: "disk"`: after every single disk event, with any subset of unsynced data, no acknowledged record is
//! missing or duplicated, and no forgotten one is restored. As a counter-check, omitting any sync that protects a record makes the
//! test find a loss.

mod delivery;
mod work;

use std::collections::BTreeMap;

use crate::common::{Workshop, capture_of, list_all, times_recalled};
use forge_memory_test_disk::{Found, Survivors, SyncCall, SyncKind};
use work::{CONFIG, Recording, Step, TAKEN_OUT};

/// The number of the newest unsynced parts of which all subsets are tried; the others are chosen at random.
const PARTS_MAX: usize = 3;
const DICE: u64 = 3;

/// Returns the number of states in which a machine may restart after `events`.
fn survivors(pending: usize, events: usize) -> Vec<Survivors> {
    let parts = pending.saturating_sub(PARTS_MAX)..pending;
    let mut all = vec![Survivors::Nothing, Survivors::Everything];
    all.extend(parts.clone().map(Survivors::AllBut));
    all.extend(parts.map(Survivors::Only));
    all.extend((0..DICE).map(|throw| Survivors::Dice(events as u64 * DICE + throw)));
    all
}

/// The texts that a memory finds in a state, by how often.
fn texts_in(found: &Found) -> (Workshop, BTreeMap<String, usize>) {
    let workshop = Workshop::with_config(CONFIG);
    found.write_to(workshop.project().parent().unwrap());
    let mut texts = BTreeMap::new();
    for hit in list_all(&mut workshop.open()) {
        *texts.entry(hit.text).or_default() += 1;
    }
    (workshop, texts)
}

/// Returns the violated properties of the texts after a number of events.
fn wrong(recording: &Recording, events: usize, texts: &BTreeMap<String, usize>) -> Vec<String> {
    let mut expected: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut torn, mut is_replaced) = (None, None);
    for (step, span) in recording.steps.iter().zip(&recording.spans) {
        let (is_done, is_begun) = (span.end <= events, span.start < events);
        let (least, most) = match (is_done, is_begun) {
            (true, _) => (1, 1),
            (false, true) => (0, 1),
            (false, false) => continue,
        };
        match step {
            Step::Capture(_, text) | Step::Save(_, text) | Step::Dispute(text) | Step::Keep(text) => {
                _ = expected.insert(text, (least, most));
            }
            Step::Forget(text) => drop(expected.insert(text, (0, 1 - least))),
            Step::Edit(old, new) => {
                expected.insert(old, (0, 1 - least));
                expected.insert(new, (least, most));
                torn = (!is_done).then_some((old, new));
            }
            // A single write, so at least one of them is true at any time.
            Step::Replace(old, new) => {
                expected.insert(old, (0, 1 - least));
                expected.insert(new, (least, most));
                is_replaced = (!is_done).then_some((old, new));
            }
            Step::Rewrite | Step::Compact | Step::Settle => {}
        }
    }
    let count = |text: &str| texts.get(text).copied().unwrap_or(0);
    let mut found: Vec<String> = expected
        .iter()
        .filter(|(text, (least, most))| !(*least..=*most).contains(&count(text)))
        .map(|(text, (least, most))| format!("{text:?} is there {} times, not {least} to {most}", count(text)))
        .collect();
    if let Some((old, new)) = torn
        && count(old) + count(new) != 1
    {
        found.push(format!("of {old:?} and {new:?} there are {}", count(old) + count(new)));
    }
    if let Some((old, new)) = is_replaced
        && count(old) + count(new) == 0
    {
        found.push(format!("neither {old:?} nor {new:?} is there"));
    }
    let strange = texts.keys().filter(|text| !expected.contains_key(text.as_str()));
    found.extend(strange.map(|text| format!("{text:?} is from nowhere")));
    found
}

/// Lines that a compaction removed are in the backup, whatever else is lost.
fn without_backup(recording: &Recording, events: usize, found: &Found) -> Option<String> {
    if events <= recording.start_of_compaction() {
        return None;
    }
    let files: Vec<(String, &[u8])> = found
        .files()
        .map(|(path, bytes)| (path.to_string_lossy().replace('\\', "/"), bytes))
        .collect();
    let holds = |is_it: &dyn Fn(&str) -> bool, text: &str| {
        let mut files = files.iter().filter(|(path, _)| is_it(path));
        files.any(|(_, bytes)| memchr::memmem::find(bytes, text.as_bytes()).is_some())
    };
    TAKEN_OUT.iter().find_map(|(file, text)| {
        let is_there = holds(&|path| path == format!("shop/.forge/{file}"), text)
            || holds(
                &|path| path.contains(".migration-backup-") && path.ends_with(file),
                text,
            );
        (!is_there).then(|| format!("{text:?} is neither in {file} nor in its backup"))
    })
}

#[test]
fn no_power_loss_loses_or_duplicates_acknowledged_records() {
    let recording = Recording::make();
    let (mut states, mut findings) = (0, Vec::new());
    let mut last = Vec::new();
    for events in 0..=recording.disk.events() {
        let mut seen: Vec<Found> = Vec::new();
        for survivors in survivors(recording.disk.pending(events, None), events) {
            let found = recording.disk.state(events, None, survivors);
            if seen.contains(&found) || last.contains(&found) && !recording.is_end(events) {
                continue;
            }
            states += 1;
            let (workshop, texts) = texts_in(&found);
            let mut wrong = wrong(&recording, events, &texts);
            wrong.extend(without_backup(&recording, events, &found));
            let further = "Further captures work after the power is back";
            let mut memory = workshop.open();
            let is_captured = memory.capture(capture_of("lesson", further)).unwrap().captured;
            if !is_captured || times_recalled(&mut memory, further) != 1 {
                wrong.push("a further capture fails".into());
            }
            let label = format!("after {events} events, {survivors:?}");
            findings.extend(wrong.into_iter().map(|finding| format!("{label}: {finding}")));
            seen.push(found);
        }
        last = seen;
    }
    println!("{states} states after {} events", recording.disk.events());
    assert!(states > recording.disk.events());
    findings.truncate(20);
    assert_eq!(findings, Vec::<String>::new());
}

/// True if something acknowledged is missing or doubled when the disk ignores a sync.
fn is_missed(recording: &Recording, sync: &SyncCall) -> bool {
    // Until something else is synced, at the latest until the end, it shows.
    recording.spans.iter().any(|span| {
        span.end > sync.at
            && survivors(recording.disk.pending(span.end, Some(sync.at)), span.end)
                .into_iter()
                .any(|survivors| {
                    let found = recording.disk.state(span.end, Some(sync.at), survivors);
                    !wrong(recording, span.end, &texts_in(&found).1).is_empty()
                })
    })
}

/// Why no record is lost without a sync, if there is a reason.
fn reason(recording: &Recording, sync: &SyncCall) -> Option<&'static str> {
    let path = sync.path.to_string_lossy().replace('\\', "/");
    let about = |what: &str| path.contains(what);
    let is_needed_at = |events| recording.disk.pending(events, None) != recording.disk.pending(events, Some(sync.at));
    if !is_needed_at(sync.at + 1) {
        return Some("all that it is about lasts already");
    }
    if !is_needed_at(recording.next_end(sync.at)) {
        return Some("before anything is acknowledged, another sync is about the same");
    }
    match sync.kind {
        _ if about("/.migration-backup-") => Some("a copy of what a rewrite takes out, which no record needs"),
        SyncKind::File if about("hub-events") => Some("events are no records"),
        SyncKind::File if about("/index/") => Some("the index is made again from the journal"),
        SyncKind::File if about("gitignore") => Some("the list for git is written again"),
        SyncKind::File if about("home/projects/") => Some("only former names of the project are unknown without it"),
        SyncKind::File if about("machine.key") => Some("records stay; what waits in the queue is asked about"),
        SyncKind::File if about("/openbrain-queue.jsonl") => Some(DELIVERY),
        SyncKind::File if about(".mark.jsonl") => Some("a file of events that is not known is begun anew"),
        SyncKind::File if about(".gotchas.jsonl") || about(".decisions.jsonl") => Some(TYPED),
        SyncKind::Folder if recording.is_about(sync, &["hub-events"]) => Some("events are no records"),
        SyncKind::Folder if recording.is_about(sync, &["gotchas.jsonl", "decisions.jsonl", ".migration-backup-"]) => {
            Some(TYPED)
        }
        SyncKind::Folder if recording.is_about_names(sync, &FOR_DELIVERY) => Some(DELIVERY),
        _ => None,
    }
}

/// Files that no record depends on.
const FOR_DELIVERY: [&str; 7] = [
    "home",
    "home/locks",
    "home/projects",
    "home/machine.key",
    ".forge/openbrain-queue.jsonl",
    ".forge/lessons.jsonl",
    ".forge/.gitignore",
];
const DELIVERY: &str = "records stay; the loss of a delivery is what the tests in `delivery` find";
const TYPED: &str = "the files of the types are made again from the raw log";

#[test]
fn omitting_any_sync_of_a_record_loses_data() {
    let recording = Recording::make();
    let syncs = recording.disk.syncs();
    let (mut missed, mut idle) = (BTreeMap::<String, usize>::new(), Vec::new());
    for sync in &syncs {
        let name = sync.path.strip_prefix(&recording.root).unwrap().display().to_string();
        let label = format!("{:?} {name}", sync.kind);
        if is_missed(&recording, sync) {
            *missed.entry(label).or_default() += 1;
        } else if reason(&recording, sync).is_none() {
            idle.push(format!("{label}, event {}", sync.at));
        }
    }
    println!("{} syncs; a loss is found without: {missed:#?}", syncs.len());
    assert_eq!(idle, Vec::<String>::new(), "syncs that nothing misses");
    assert!(missed.len() >= 4, "{missed:?}");
}
