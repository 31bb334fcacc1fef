//! Random histories on several machines with clocks of their own: capture, keep, resolve, edit, forget, merge. In the end all machines have
//! the same lines and the same answers (convergence), which equal those of a reference implementation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use forge_memory_core::author::Speaker;
use forge_memory_core::merge::merge;
use forge_memory_core::resolve::Resolution;
use forge_memory_core::review::{Verdict, Verdicts};
use forge_memory_core::thought::{ActionKind, LineKind, RulingKind, read_line};
use forge_memory_core::{CaptureInput, EditInput, Memory};

use crate::common::dice::{Dice, seed};
use crate::common::{Workshop, capture_of, list_all};

struct Machine {
    workshop: Workshop,
    memory: Memory,
    base: Vec<u8>,
}

impl Machine {
    fn new(skew: i64, review: &str) -> Self {
        let workshop = Workshop::with_config(&format!(r#"{{"projectName":"shop","review":"{review}"}}"#));
        workshop.clock.advance(skew);
        Machine {
            memory: workshop.open(),
            workshop,
            base: Vec::new(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.workshop.raw_log()).unwrap_or_default()
    }

    fn take(&mut self, bytes: &[u8]) {
        fs::create_dir_all(self.workshop.forge()).unwrap();
        fs::write(self.workshop.raw_log(), bytes).unwrap();
        self.base = bytes.to_vec();
    }

    /// What is current, each text once: lists leave copies out.
    fn texts(&mut self) -> BTreeSet<String> {
        list_all(&mut self.memory).into_iter().map(|hit| hit.text).collect()
    }

    fn step(&mut self, dice: &mut Dice) {
        self.workshop.clock.advance(dice.pick(&[0, 1, 1000, 60_000, -500]));
        let all: Vec<String> = records_in(&self.bytes()).into_iter().collect();
        let any = |dice: &mut Dice| (!all.is_empty()).then(|| all[dice.roll(all.len())].clone());
        match dice.roll(18) {
            0..5 => {
                let what = dice.pick(&["API", "worker", "gateway"]);
                let text = format!("The {what} listens on port {}", 8000 + dice.roll(4));
                let (author, session) = speaker(dice);
                let named = if dice.roll(5) == 0 { 1 + dice.roll(2) } else { 0 };
                let supersedes: Vec<String> = (0..named).filter_map(|_| any(dice)).collect();
                let input = CaptureInput {
                    author,
                    session,
                    supersedes,
                    ..capture_of("lesson", &text)
                };
                let captured = self.memory.capture(input);
                assert!(captured.is_ok() || captured.is_err_and(|error| error.code() == "NOT_FOUND"));
            }
            5 => {
                let (old, by) = (any(dice).into_iter().collect(), any(dice));
                let (author, session) = speaker(dice);
                let speaker = Speaker::read(author.as_deref(), session.as_deref()).unwrap();
                let _ = self.memory.resolver().replace(old, by, None, &speaker);
            }
            6 => {
                if let Some(id) = any(dice) {
                    let _ = self.memory.resolver().keep(&id);
                }
            }
            7 => {
                if let Some(id) = any(dice) {
                    let body = format!("The proxy listens on port {}", 9000 + dice.roll(3));
                    let changes = EditInput {
                        body: Some(body),
                        author: Some("person".into()),
                        ..EditInput::default()
                    };
                    let _ = self.memory.edit(&id, changes);
                }
            }
            8 => {
                if let Some(id) = any(dice) {
                    let _ = self.memory.forget(&id);
                }
            }
            9 | 10 => {
                if let (Some(one), Some(other)) = (any(dice), any(dice)) {
                    let all = [Resolution::Newer, Resolution::Older, Resolution::Both];
                    let how = all[dice.roll(3)].clone();
                    let _ = self.memory.resolver().resolve(&one, &other, how);
                }
            }
            11 | 12 => {
                if let Some(id) = any(dice) {
                    let _ = self.memory.reviewer().retiring_persons(true).accept(&id, None);
                }
            }
            13 => {
                if let Some(id) = any(dice) {
                    let _ = self.memory.reviewer().reject(&id, Some("person:ann"));
                }
            }
            14..17 => {
                if let Some(id) = any(dice) {
                    let verdict = dice.pick(&[Verdict::Useful, Verdict::Wrong, Verdict::Withdraw]);
                    let session = format!("mcp:{}", dice.roll(4));
                    let speaker = Speaker::read(Some("agent"), Some(&session)).unwrap();
                    let _ = self.memory.reviewer().count(&id, verdict, &speaker);
                }
            }
            _ => {
                list_all(&mut self.memory);
                self.memory.settle().unwrap();
            }
        }
    }
}

fn speaker(dice: &mut Dice) -> (Option<String>, Option<String>) {
    match dice.roll(3) {
        0 => (Some("person".into()), Some("person:ann".into())),
        1 => (Some("agent".into()), Some(format!("mcp:{}", dice.roll(3)))),
        _ => (None, None),
    }
}

/// What sessions have said of each record, and what waits: read from the lines alone, and asked of a memory.
fn inbox(machine: &mut Machine) -> Vec<(String, Verdicts)> {
    let waiting = machine.memory.reviewer().inbox();
    waiting.into_iter().map(|one| (one.id, one.verdicts)).collect()
}

fn records_in(bytes: &[u8]) -> BTreeSet<String> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let ids = lines.filter_map(|line| match read_line(line) {
        LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ => None,
    });
    ids.collect()
}

/// The plainest reading of a file: the texts of the records that hold.
fn holding(bytes: &[u8]) -> BTreeSet<String> {
    let (mut records, mut gone) = (BTreeMap::new(), BTreeSet::new());
    let mut links: BTreeMap<String, String> = BTreeMap::new();
    let mut retired: BTreeMap<String, Vec<(i64, String)>> = BTreeMap::new();
    let mut kept: BTreeMap<String, i64> = BTreeMap::new();
    let mut reviewed: BTreeMap<String, (i64, u8)> = BTreeMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match read_line(line) {
            LineKind::Record(fields) => {
                if let Some(older) = &fields.supersedes {
                    links.insert(fields.id.to_string(), older.to_string());
                }
                records.insert(fields.id.into_owned(), fields.text.into_owned());
            }
            LineKind::Action(action) if action.kind == ActionKind::Delete => drop(gone.insert(action.id.into_owned())),
            LineKind::Ruling(ruling) => match ruling.kind {
                RulingKind::Retire => {
                    let by = ruling.other.unwrap();
                    retired.entry(ruling.id).or_default().push((ruling.at_ms, by));
                }
                RulingKind::Keep => {
                    let at = kept.entry(ruling.id).or_insert(i64::MIN);
                    *at = (*at).max(ruling.at_ms);
                }
                RulingKind::Propose | RulingKind::Accept | RulingKind::Reject => {
                    let rank = match ruling.kind {
                        RulingKind::Propose => 0,
                        RulingKind::Accept => 1,
                        _ => 2,
                    };
                    let last = reviewed.entry(ruling.id).or_insert((i64::MIN, 0));
                    *last = (*last).max((ruling.at_ms, rank));
                }
                _ => {}
            },
            _ => {}
        }
    }
    gone.extend(links.values().cloned());
    // The last retirement of each record that was not kept since; of several at one moment the first line.
    let last = |id: &String| {
        let found = retired.get(id)?;
        let at = found.iter().map(|(at, _)| *at).max()?;
        let by = found.iter().find(|(moment, _)| *moment == at)?;
        (at > kept.get(id).copied().unwrap_or(i64::MIN)).then(|| by.1.clone())
    };
    let is_in_circle = |id: &String| {
        let (mut at, mut seen) = (id.clone(), BTreeSet::new());
        while let Some(by) = last(&at) {
            if by == *id {
                return true;
            }
            if !seen.insert(by.clone()) {
                return false;
            }
            at = by;
        }
        false
    };
    let is_accepted = |id: &String| reviewed.get(id).is_none_or(|(_, rank)| *rank == 1);
    let holds = |id: &String| !gone.contains(id) && is_accepted(id) && (last(id).is_none() || is_in_circle(id));
    let current = records.iter().filter(|(id, _)| holds(id));
    current.map(|(_, text)| text.clone()).collect()
}

#[test]
fn every_machine_derives_the_same_state_from_the_same_lines() {
    let start = seed("histories", 20);
    for round in 0..40 {
        let mut dice = Dice::new(start + round);
        let mut machines = [
            Machine::new(0, "agents"),
            Machine::new(3_600_000, "off"),
            Machine::new(-7_200_000, "all"),
        ];
        for _ in 0..4 {
            for machine in &mut machines {
                for _ in 0..3 + dice.roll(8) {
                    machine.step(&mut dice);
                }
                assert_eq!(machine.texts(), holding(&machine.bytes()), "round {round}");
            }
            // All of them come together, in an order of its own each time.
            let base = machines[0].base.clone();
            let mut order = [0, 1, 2];
            dice.shuffle(&mut order);
            let merged = order
                .iter()
                .map(|at| machines[*at].bytes())
                .reduce(|ours, theirs| merge(&base, &ours, &theirs).bytes)
                .unwrap();
            let other = order
                .iter()
                .rev()
                .map(|at| machines[*at].bytes())
                .reduce(|ours, theirs| merge(&base, &theirs, &ours).bytes)
                .unwrap();
            assert_eq!(
                sorted(&merged),
                sorted(&other),
                "round {round}: the order of merges makes a difference"
            );
            for machine in &mut machines {
                machine.take(&merged);
            }
            let answers: Vec<BTreeSet<String>> = machines.iter_mut().map(Machine::texts).collect();
            assert_eq!(answers[0], holding(&merged), "round {round}");
            assert!(answers.iter().all(|texts| *texts == answers[0]), "round {round}");
            let inboxes: Vec<_> = machines.iter_mut().map(inbox).collect();
            assert!(
                inboxes.iter().all(|inbox| *inbox == inboxes[0]),
                "round {round}: {inboxes:#?}"
            );
        }
    }
}

fn sorted(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}
