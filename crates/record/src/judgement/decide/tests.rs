//! Plays decisions without files.

use super::*;
use crate::judgement::standing::Act;
use crate::model::thought::NEVER;
use forge_memory_journal::Span;
use forge_memory_journal::clock::DAY_MS;

const NOW: Millis = 1000;

pub(crate) fn ruling(kind: RulingKind, id: &str, other: Option<&str>, why: &str, at_ms: Millis) -> Ruling {
    let standings = Standings::default();
    Judge::of(&standings, Said::default(), at_ms).rules(kind, id, other, why, at_ms)
}

pub(crate) fn standings(rulings: &[Ruling]) -> Standings<u64> {
    let mut standings = Standings::default();
    for ruling in rulings {
        standings.take(id_hash(&ruling.id), Act::of(ruling, Span { offset: 0, len: 0 }));
    }
    standings.settle();
    standings
}

fn older(id: &str, why: &'static str, is_retired: bool) -> Contradicted {
    Contradicted {
        why: crate::judgement::reason::Reason::of(why),
        is_retired,
        ..Contradicted::superseded(id.to_owned())
    }
}

fn decide(rulings: &[Ruling], plan: &Plan<'_>, found: Found) -> (Effect, Vec<Line>, Vec<String>) {
    let decision = Judge::of(&standings(rulings), Said::default(), NOW).text(plan, found);
    let ids = decision.contradicted.into_iter().map(|older| older.id).collect();
    (decision.effect, decision.lines, ids)
}

fn plan(speaker: &Speaker) -> Plan<'_> {
    Plan {
        id: "new",
        supersedes: None,
        source: Some("cli"),
        named: &[],
        by: Some(By { speaker, waits: false }),
        worth: Lift::default(),
    }
}

fn subject(id: &str, author: Option<Author>) -> Subject {
    Subject {
        id: id.to_owned(),
        kind: "decision".to_owned(),
        author,
        expires_ms: NOW + DAY_MS,
        confidence: 0.7,
    }
}

fn withheld(id: &str, named: &[&str], contradicted: Vec<Contradicted>) -> Withheld {
    Withheld {
        record: subject(id, None),
        proposer: Some("mcp.1".to_owned()),
        named: named
            .iter()
            .map(|id| Contradicted::superseded((*id).to_owned()))
            .collect(),
        contradicted,
    }
}

fn speaker(author: Author, session: &str) -> Speaker {
    Speaker {
        author: Some(author),
        session: Some(session.to_owned()),
        ..Speaker::default()
    }
}

#[test]
fn a_known_text_is_confirmed_where_repetitions_count() {
    let agent = speaker(Author::Agent, "mcp.1");
    let known = || Found::Known(subject("old", None));
    let confirm = Line::Confirm {
        id: "old".to_owned(),
        source: "cli".to_owned(),
        said: Said::default(),
    };
    assert_eq!(
        decide(&[], &plan(&agent), known()),
        (Effect::Known, vec![confirm], vec![])
    );
    let pattern = Plan {
        source: None,
        ..plan(&agent)
    };
    assert_eq!(decide(&[], &pattern, known()), (Effect::Known, vec![], vec![]));
}

#[test]
fn what_a_person_confirms_accepts_keeps_or_finds_useful_is_theirs_with_the_longer_expiry_and_the_higher_confidence() {
    let (person, nothing) = (Said::read("person/cli"), standings(&[]));
    let judge = Judge::of(&nothing, person, NOW);
    let record = subject("old", Some(Author::Agent));
    let lift = Lift {
        until_ms: Some(NOW + 180 * DAY_MS),
        percent: Some(80),
    };
    let speaker = Speaker::person();
    let plan = Plan {
        worth: lift,
        ..plan(&speaker)
    };
    let confirmed = judge.text(&plan, Found::Known(record.clone())).lines;
    let [Line::Confirm { said, .. }, Line::Ruling(accept, Told::All)] = confirmed.as_slice() else {
        panic!("{confirmed:?}");
    };
    assert_eq!(*said, person);
    let kept = Ruling {
        kind: RulingKind::Keep,
        ..judge.vouched(ruling(RulingKind::Keep, "old", None, "", NOW), &record)
    };
    let said = |ruling: Ruling| Ruling { said: person, ..ruling };
    let accepted = judge.accept_record(withheld("old", &[], vec![]), (None, ""));
    let Some(Line::Ruling(accepted, _)) = accepted.first() else {
        panic!("{accepted:?}");
    };
    let useful = judge.feedback(&record, RulingKind::Useful, "person.1").unwrap();
    for vouched in [accept.clone(), said(kept), accepted.clone(), useful] {
        assert_eq!(vouched.lift, lift, "{vouched:?}");
        let standings = standings(&[vouched]);
        let judge = Judge::of(&standings, Said::default(), NOW);
        assert_eq!(judge.said_by("old", Some(Author::Agent)), Some(Author::Person));
        assert_eq!(standings.lift_of(&id_hash("old")), lift);
        // Confirming it once more adds nothing.
        let again = Judge::of(&standings, person, NOW).text(&plan, Found::Known(record.clone()));
        assert_eq!(again.lines.len(), 1, "{:?}", again.lines);
    }
    // An agent's word changes none of it, and what holds longer or is surer keeps that.
    let agent = Judge::of(&nothing, Said::read("agent/mcp"), NOW);
    assert_eq!(
        agent.feedback(&record, RulingKind::Useful, "mcp.1").unwrap().lift,
        Lift::default()
    );
    let longer = Subject {
        expires_ms: NEVER,
        confidence: 0.9,
        ..record
    };
    assert_eq!(
        judge
            .vouched(ruling(RulingKind::Keep, "old", None, "", NOW), &longer)
            .lift,
        Lift::default()
    );
}

#[test]
fn an_acceptance_that_is_taken_back_adds_nothing_any_more() {
    let propose = ruling(RulingKind::Propose, "old", None, "agent", 10);
    let person = Said::read("person/cli");
    let waiting = standings(std::slice::from_ref(&propose));
    let lines = Judge::of(&waiting, person, NOW).accept_record(withheld("old", &[], vec![]), (None, ""));
    let Some(Line::Ruling(accepted, _)) = lines.first() else {
        panic!("{lines:?}");
    };
    let current = standings(&[propose.clone(), accepted.clone()]);
    assert!(current.is_vouched_for(&id_hash("old")));
    assert_eq!(current.lift_of(&id_hash("old")).percent, Some(80));
    let judge = Judge::of(&current, person, NOW);
    let again = judge.propose_again("old", Some(propose.clone())).unwrap();
    let waiting = standings(&[propose, accepted.clone(), again]);
    assert!(!waiting.is_vouched_for(&id_hash("old")));
    assert_eq!(waiting.lift_of(&id_hash("old")), Lift::default());
}

#[test]
fn a_proposal_comes_before_its_record_and_retires_nothing() {
    let agent = speaker(Author::Agent, "mcp.1");
    let by = Some(By {
        speaker: &agent,
        waits: true,
    });
    let proposed = Plan {
        named: &[older("named", SUPERSEDES, true)],
        by,
        ..plan(&agent)
    };
    let (effect, lines, retired) = decide(&[], &proposed, Found::Others(Vec::new()));
    let propose = ruling(RulingKind::Propose, "new", Some("mcp.1"), "agent", NOW);
    let conflict = ruling(RulingKind::Conflict, "named", Some("new"), SUPERSEDES, NOW);
    let [propose, conflict] = [Line::Ruling(propose, Told::Hub), Line::Ruling(conflict, Told::Nobody)];
    assert_eq!(
        (effect, lines),
        (Effect::Proposed, vec![propose, conflict, Line::Record])
    );
    assert!(retired.is_empty());
}

#[test]
fn a_new_record_is_followed_by_one_ruling_on_each_that_it_names_or_contradicts() {
    let (person, kept) = (Speaker::person(), ruling(RulingKind::Keep, "named", None, "", NOW + 50));
    let named = [older("revised", SUPERSEDES, true), older("named", SUPERSEDES, true)];
    let revision = Plan {
        supersedes: Some("revised"),
        named: &named,
        ..plan(&person)
    };
    let others = vec![older("named", "number", true), older("found", "path", false)];
    let (effect, lines, contradicted) = decide(&[kept], &revision, Found::Others(others));
    // A revision says itself what it revises; and whoever kept a record by a clock that is ahead does not keep it from being replaced.
    let retire = ruling(RulingKind::Retire, "named", Some("new"), SUPERSEDES, NOW + 51);
    let conflict = ruling(RulingKind::Conflict, "found", Some("new"), "path", NOW);
    let [retire, conflict] = [retire, conflict].map(|ruling| Line::Ruling(ruling, Told::All));
    assert_eq!((effect, lines), (Effect::Stored, vec![Line::Record, retire, conflict]));
    assert_eq!(contradicted, ["revised", "named", "found"]);
}

#[test]
fn what_waits_is_accepted_when_another_witness_says_it_and_what_was_rejected_by_a_person() {
    let propose = ruling(RulingKind::Propose, "old", Some("mcp.1"), "agent", 10);
    let reject = ruling(RulingKind::Reject, "old", None, "", 20);
    let effect = |rulings: &[Ruling], speaker: &Speaker, waits: bool| {
        let found = Found::Withheld(withheld("old", &["named"], vec![]));
        let by = Some(By { speaker, waits });
        let (effect, lines, contradicted) = decide(rulings, &Plan { by, ..plan(speaker) }, found);
        // The acceptance is a part of the same decision.
        let told = if rulings.len() == 1 { Told::Hub } else { Told::All };
        let session = speaker.session.as_deref();
        let accept = Line::Ruling(ruling(RulingKind::Accept, "old", session, WHY_CAPTURED, NOW), told);
        let retire = Line::Ruling(
            ruling(RulingKind::Retire, "named", Some("old"), SUPERSEDES, NOW),
            Told::All,
        );
        let wanted = match effect {
            Effect::Confirmed => vec![accept, retire],
            _ => vec![],
        };
        assert_eq!((lines, contradicted), (wanted, vec![]));
        effect
    };
    let (one, other) = (speaker(Author::Agent, "mcp.1"), speaker(Author::Agent, "mcp.2"));
    let person = speaker(Author::Person, "person.1");
    let proposed = &[propose.clone()][..];
    let waiting = Effect::Withheld(Review::Proposed(10));
    assert_eq!([&one, &other].map(|by| effect(proposed, by, true)), [waiting, waiting]);
    assert_eq!(effect(proposed, &other, false), Effect::Confirmed);
    assert_eq!(effect(proposed, &person, true), Effect::Confirmed);
    let rejected = &[propose, reject][..];
    assert_eq!(effect(rejected, &other, false), Effect::Withheld(Review::Rejected(20)));
    assert_eq!(effect(rejected, &person, false), Effect::Confirmed);
}

#[test]
fn an_acceptance_does_what_a_new_record_does_and_the_shared_store_hears_no_more_than_it_knows_of() {
    let propose = ruling(RulingKind::Propose, "new", None, "agent", 10);
    let standings = standings(&[propose]);
    let found = vec![older("named", "number", false), older("found", "path", true)];
    let lines =
        Judge::of(&standings, Said::default(), NOW).accept_record(withheld("new", &["named"], found), (None, ""));
    let accept = Line::Ruling(ruling(RulingKind::Accept, "new", None, "", NOW), Told::Hub);
    let retire = |id: &str, why| Line::Ruling(ruling(RulingKind::Retire, id, Some("new"), why, NOW), Told::All);
    assert_eq!(lines, [accept, retire("found", "path"), retire("named", SUPERSEDES)]);
}

#[test]
fn only_a_persons_review_retires_what_a_person_said() {
    let propose = ruling(RulingKind::Propose, "new", None, "agent", 10);
    let standings = standings(&[propose]);
    let kinds = |said: &str, why: &str| {
        let named = Contradicted {
            is_retired: false,
            ..Contradicted::superseded("persons".to_owned())
        };
        let record = Withheld {
            named: vec![Contradicted::superseded("agents".to_owned()), named],
            ..withheld("new", &["agents"], vec![])
        };
        let lines = Judge::of(&standings, Said::read(said), NOW).accept_record(record, (None, why));
        let kinds = lines.into_iter().map(|line| match line {
            Line::Ruling(ruling, _) => (ruling.id, ruling.kind),
            other => panic!("{other:?}"),
        });
        kinds
            .filter(|(_, kind)| *kind != RulingKind::Accept)
            .collect::<Vec<_>>()
    };
    let decided = |kind| vec![("agents".to_owned(), RulingKind::Retire), ("persons".to_owned(), kind)];
    let sorted = |said, why| {
        let mut kinds = kinds(said, why);
        kinds.sort();
        kinds
    };
    assert_eq!(sorted("person/cli", ""), decided(RulingKind::Retire));
    assert_eq!(sorted("person/cli", WHY_CAPTURED), decided(RulingKind::Conflict));
    assert_eq!(sorted("import/backfill", ""), decided(RulingKind::Conflict));
}
