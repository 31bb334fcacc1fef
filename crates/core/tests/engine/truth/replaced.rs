//! Records that somebody says are out of date: by a capture that names them, or afterwards.

use std::fs;

use forge_memory_core::author::Speaker;
use forge_memory_core::history::RecordState;
use forge_memory_core::{CaptureInput, CaptureOutcome, Memory, SaveInput};

use crate::common::{Workshop, capture_of, save_of, times_recalled};

/// Texts about different things, none of which a rule holds against another.
const HAND: &str = "Deploys are done by hand";
const FRIDAY: &str = "The release notes are written in the wiki";
const PIPELINE: &str = "Everything about releasing is in the pipeline now";

fn by(author: &str, text: &str) -> CaptureInput {
    CaptureInput {
        author: Some(author.into()),
        ..capture_of("lesson", text)
    }
}

fn capture(workshop: &Workshop, memory: &mut Memory, input: CaptureInput) -> CaptureOutcome {
    workshop.clock.advance(1000);
    memory.capture(input).unwrap()
}

fn id_of(workshop: &Workshop, memory: &mut Memory, author: &str, text: &str) -> String {
    capture(workshop, memory, by(author, text)).thought.id
}

fn speaker(author: &str) -> Speaker {
    Speaker::read(Some(author), None).unwrap()
}

fn state(memory: &mut Memory, id: &str) -> RecordState {
    memory.history(id).unwrap().unwrap().state()
}

fn ids(list: &[forge_memory_core::judge::Contradicted]) -> Vec<&str> {
    list.iter().map(|one| one.id.as_str()).collect()
}

/// Replaces records as a person.
fn replace(memory: &mut Memory, old: &[&str], by: Option<&str>) -> forge_memory_core::Result<Vec<String>> {
    let old = old.iter().map(|id| (*id).to_owned()).collect();
    let replaced = memory
        .resolver()
        .replace(old, by.map(str::to_owned), None, &speaker("person"))?;
    Ok(replaced.retired.into_iter().map(|one| one.id).collect())
}

#[test]
fn a_capture_replaces_all_records_that_it_names() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let old = [HAND, FRIDAY].map(|text| id_of(&workshop, &mut memory, "agent", text));
    let input = CaptureInput {
        // A piece of an id is enough.
        supersedes: vec![old[0].clone(), old[1][28..].to_owned()],
        ..by("agent", PIPELINE)
    };
    let outcome = capture(&workshop, &mut memory, input);
    assert_eq!(ids(&outcome.retired), [&old[0], &old[1]]);
    assert_eq!(
        (outcome.retired[0].text.as_str(), outcome.retired[1].text.as_str()),
        (HAND, FRIDAY)
    );
    assert_eq!(
        outcome.thought.supersedes.as_ref(),
        Some(&old[0]),
        "the field has the first one"
    );
    for mut memory in [memory, workshop.open()] {
        assert_eq!(
            (times_recalled(&mut memory, HAND), times_recalled(&mut memory, FRIDAY)),
            (0, 0)
        );
        assert_eq!(times_recalled(&mut memory, PIPELINE), 1);
        let retirement = memory.history(&old[1]).unwrap().unwrap().retired.unwrap();
        assert_eq!(
            (retirement.by.as_str(), &*retirement.why.0),
            (outcome.thought.id.as_str(), "supersedes")
        );
        assert!(memory.verify().unwrap().edited == 0);
        memory.settle().unwrap();
    }
}

#[test]
fn an_unknown_or_forgotten_record_is_replaced_by_nothing() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let [known, gone] = [HAND, FRIDAY].map(|text| id_of(&workshop, &mut memory, "agent", text));
    memory.forget(&gone).unwrap();
    let before = fs::read(workshop.raw_log()).unwrap();
    for unknown in ["zzzz", "mem_0123456789abcdef0123456789abcdef", gone.as_str()] {
        let input = CaptureInput {
            supersedes: vec![known.clone(), unknown.into()],
            ..by("agent", PIPELINE)
        };
        assert_eq!(memory.capture(input).unwrap_err().code(), "NOT_FOUND", "{unknown}");
        let refused = [
            replace(&mut memory, &[&known, unknown], None),
            replace(&mut memory, &[&known], Some(unknown)),
        ];
        for refused in refused {
            assert_eq!(refused.unwrap_err().code(), "NOT_FOUND", "{unknown}");
        }
    }
    assert_eq!(fs::read(workshop.raw_log()).unwrap(), before);
}

#[test]
fn records_are_retired_by_another_one_or_by_none_and_come_back() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let [hand, friday, new] = [HAND, FRIDAY, PIPELINE].map(|text| id_of(&workshop, &mut memory, "agent", text));
    assert_eq!(replace(&mut memory, &[&hand], Some(&new)).unwrap(), [hand.as_str()]);
    assert_eq!(replace(&mut memory, &[&friday], None).unwrap(), [friday.as_str()]);
    for mut memory in [memory, workshop.open()] {
        assert_eq!(state(&mut memory, &hand), RecordState::Retired);
        assert_eq!(state(&mut memory, &friday), RecordState::Retired);
        assert_eq!(times_recalled(&mut memory, FRIDAY), 0);
        memory.settle().unwrap();
    }
    let mut memory = workshop.open();
    // Both are retired already: nothing changes.
    let before = fs::read(workshop.raw_log()).unwrap();
    for (old, by) in [(&hand, Some(new.as_str())), (&hand, None), (&friday, None)] {
        assert!(replace(&mut memory, &[old], by).unwrap().is_empty());
    }
    assert_eq!(fs::read(workshop.raw_log()).unwrap(), before);
    for (id, text) in [(&hand, HAND), (&friday, FRIDAY)] {
        assert!(memory.resolver().keep(id).unwrap().kept);
        assert_eq!(times_recalled(&mut memory, text), 1);
        // In the same millisecond, the last order holds.
        assert_eq!(replace(&mut memory, &[id], Some(&new)).unwrap(), [id.as_str()]);
        assert_eq!(times_recalled(&mut memory, text), 0);
    }
}

#[test]
fn a_record_does_not_replace_itself_and_of_two_that_replace_each_other_the_last_named_holds() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let [a, b, c] = [HAND, FRIDAY, PIPELINE].map(|text| id_of(&workshop, &mut memory, "agent", text));
    for old in [vec![a.as_str()], vec![b.as_str(), a.as_str()]] {
        assert_eq!(
            replace(&mut memory, &old, Some(&a)).unwrap_err().code(),
            "INVALID_INPUT"
        );
    }
    assert_eq!(replace(&mut memory, &[], Some(&a)).unwrap_err().code(), "INVALID_INPUT");
    assert_eq!(
        replace(&mut memory, &[&a, &a, &a[28..]], Some(&b)).unwrap(),
        [a.as_str()],
        "each is retired once"
    );
    replace(&mut memory, &[&b], Some(&c)).unwrap();
    replace(&mut memory, &[&c], Some(&a)).unwrap();
    for mut memory in [memory, workshop.open()] {
        let states = [&a, &b, &c].map(|id| state(&mut memory, id));
        assert_eq!(
            states,
            [RecordState::Current, RecordState::Retired, RecordState::Retired]
        );
        memory.settle().unwrap();
    }
    let too_many: Vec<String> = (0..101).map(|at| format!("mem_{at:032x}")).collect();
    let refused = workshop
        .open()
        .resolver()
        .replace(too_many, None, None, &speaker("person"));
    assert_eq!(refused.unwrap_err().code(), "INVALID_INPUT");
}

#[test]
fn what_a_person_said_is_retired_by_a_person_only() {
    for author in ["agent", "import", "watcher"] {
        let workshop = Workshop::new();
        let mut memory = workshop.open();
        let said = id_of(&workshop, &mut memory, "person", HAND);
        let input = CaptureInput {
            supersedes: vec![said.clone()],
            ..by(author, PIPELINE)
        };
        let outcome = capture(&workshop, &mut memory, input);
        assert_eq!(
            (ids(&outcome.retired), ids(&outcome.conflicts)),
            (vec![], vec![said.as_str()]),
            "{author}"
        );
        assert_eq!(outcome.thought.supersedes, None);
        let named = || vec![said.clone()];
        let refused = memory.resolver().replace(named(), None, None, &speaker(author));
        assert_eq!(refused.unwrap_err().code(), "PROPOSED");
        let other = id_of(&workshop, &mut memory, author, FRIDAY);
        let replaced = memory
            .resolver()
            .replace(named(), Some(other.clone()), None, &speaker(author))
            .unwrap();
        assert_eq!(
            (replaced.retired.len(), ids(&replaced.conflicts)),
            (0, vec![said.as_str()])
        );
        for mut memory in [memory, workshop.open()] {
            assert_eq!(state(&mut memory, &said), RecordState::Current);
            assert_eq!(memory.conflicts().len(), 2);
            assert!(memory.verify().unwrap().edited == 0);
        }
        assert_eq!(
            replace(&mut workshop.open(), &[&said], Some(&other)).unwrap(),
            [said.as_str()]
        );
    }
}

#[test]
fn a_pattern_is_replaced_by_a_capture() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let saved = memory.save(save_of("project", "convention", HAND)).unwrap().id;
    let input = CaptureInput {
        supersedes: vec![saved.clone()],
        ..by("agent", PIPELINE)
    };
    let outcome = capture(&workshop, &mut memory, input);
    assert_eq!(ids(&outcome.retired), [saved.as_str()]);
    for mut memory in [memory, workshop.open()] {
        assert_eq!(times_recalled(&mut memory, HAND), 0);
        assert_eq!(state(&mut memory, &saved), RecordState::Retired);
    }
    let said = SaveInput {
        author: Some("person".into()),
        ..save_of("project", "convention", FRIDAY)
    };
    let mut memory = workshop.open();
    let said = memory.save(said).unwrap().id;
    let input = CaptureInput {
        supersedes: vec![said.clone()],
        ..by("agent", "Notes of releases are generated")
    };
    assert_eq!(ids(&capture(&workshop, &mut memory, input).conflicts), [said.as_str()]);
    assert_eq!(state(&mut memory, &said), RecordState::Current);
}

#[test]
fn a_proposal_replaces_what_it_names_when_it_is_accepted() {
    let workshop = Workshop::with_config(r#"{"review":"agents"}"#);
    let mut memory = workshop.open();
    let old = [HAND, FRIDAY].map(|text| id_of(&workshop, &mut memory, "person", text));
    let input = CaptureInput {
        supersedes: old.to_vec(),
        ..by("agent", PIPELINE)
    };
    let waiting = capture(&workshop, &mut memory, input).thought.id;
    let refused = replace(&mut memory, &[&old[0]], Some(&waiting));
    assert_eq!(
        refused.unwrap_err().code(),
        "INVALID_INPUT",
        "a proposed record retires nothing"
    );
    assert_eq!(state(&mut memory, &old[1]), RecordState::Current);
    // An agent whose records wait only proposes.
    let agreed = id_of(&workshop, &mut memory, "person", "Ann does the releases");
    let named = vec![agreed.clone()];
    let asked = memory
        .resolver()
        .replace(named, Some(old[0].clone()), None, &speaker("agent"));
    assert_eq!(asked.unwrap_err().code(), "PROPOSED");
    assert_eq!(state(&mut memory, &agreed), RecordState::Current);
    workshop.clock.advance(1000);
    memory.reviewer().retiring_persons(true).accept(&waiting, None).unwrap();
    assert_eq!(
        old.map(|id| state(&mut memory, &id)),
        [RecordState::Retired, RecordState::Retired]
    );
}
