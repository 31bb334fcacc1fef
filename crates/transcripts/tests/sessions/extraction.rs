//! Precision and recall of the extraction rules on turns labelled by hand. Two thirds were used to write the rules; every third turn is
//! held out.

use std::collections::BTreeMap;

use forge_memory_transcripts::{Agent, Event, FindingKind, Kind, Learner, Outcome, Session, Sink};

const PRECISION_MIN: f64 = 0.9;
const RECALL_MIN: f64 = 0.75;

struct Turn {
    label: char,
    steps: Vec<Event>,
    shown: String,
}

fn shell(steps: &mut Vec<Event>, command: &str, outcome: Outcome, answer: &str) {
    let line = steps.len() as u64 + 1;
    let call = Some(format!("c{line}"));
    let mut made = Event::new(line, Kind::Shell, "bash");
    made.call.clone_from(&call);
    made.command = Some(command.to_owned());
    steps.push(made);
    steps.push(Event::result(line + 1, call.as_deref(), outcome, answer));
}

fn edit(steps: &mut Vec<Event>, path: &str) {
    let mut made = Event::new(steps.len() as u64 + 1, Kind::Edit, "edit");
    made.paths = vec![path.to_owned()];
    steps.push(made);
}

fn speech(text: &str) -> Vec<Turn> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, ' ');
            let (label, context, said) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
            let mut steps = Vec::new();
            let mut kind = Kind::Prompt;
            match context {
                "." => steps.push(Event::new(1, Kind::Text, "Here is what I found.")),
                "a" => edit(&mut steps, "src/main.rs"),
                "x" => {
                    edit(&mut steps, "src/main.rs");
                    steps.push(Event::new(2, Kind::Interrupt, ""));
                }
                "r" => kind = Kind::Rejection,
                "m" => kind = Kind::Remember,
                other => panic!("context {other} in {line}"),
            }
            steps.push(Event::new(3, kind, said.replace("\\n", "\n")));
            Turn {
                label: label.chars().next().unwrap(),
                steps,
                shown: line.to_owned(),
            }
        })
        .collect()
}

fn work(text: &str) -> Vec<Turn> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (label, rest) = line.split_once(' ').unwrap();
            let mut steps = Vec::new();
            for step in rest.split(" | ") {
                if let Some(path) = step.strip_prefix("edit ") {
                    edit(&mut steps, path);
                } else if let Some(text) = step.strip_prefix("say ") {
                    steps.push(Event::new(steps.len() as u64 + 1, Kind::Text, text));
                } else if let Some(text) = step.strip_prefix("ask ") {
                    steps.push(Event::new(steps.len() as u64 + 1, Kind::Prompt, text));
                } else {
                    let (command, answer) = step.split_once(" =>").unwrap_or((step, ""));
                    match command.strip_prefix('!') {
                        Some(command) => shell(&mut steps, command, Outcome::Failed, answer.trim()),
                        None => shell(&mut steps, command, Outcome::Ok, answer.trim()),
                    }
                }
            }
            Turn {
                label: label.chars().next().unwrap(),
                steps,
                shown: line.to_owned(),
            }
        })
        .collect()
}

fn labels(turn: &Turn) -> Vec<char> {
    let mut learner = Learner::default();
    learner.session(&Session::new(Agent::Claude, "labelled"));
    for step in &turn.steps {
        learner.event(step.clone());
    }
    let found = learner.learned.candidates.iter().map(|candidate| match candidate.kind {
        FindingKind::Correction | FindingKind::Instruction => 'W',
        FindingKind::Decision => 'D',
        FindingKind::Environment => 'E',
        FindingKind::Fix => 'F',
        FindingKind::Command => 'C',
    });
    let mut found: Vec<char> = found.collect();
    found.dedup();
    found
}

#[derive(Default)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }
}

/// A finding is right when its turn is labelled with its kind; each turn has one label at most.
fn measure<'t>(turns: impl Iterator<Item = &'t Turn>, is_shown: bool) -> BTreeMap<char, Score> {
    let mut scores: BTreeMap<char, Score> = BTreeMap::new();
    for turn in turns {
        let found = labels(turn);
        let is_right = found.contains(&turn.label);
        if turn.label != '-' {
            let score = scores.entry(turn.label).or_default();
            if is_right { score.right += 1 } else { score.missed += 1 }
        }
        let wrong: Vec<&char> = found.iter().filter(|kind| **kind != turn.label).collect();
        for kind in &wrong {
            scores.entry(**kind).or_default().wrong += 1;
        }
        if is_shown && (!wrong.is_empty() || (turn.label != '-' && !is_right)) {
            println!("  {} found {found:?}", turn.shown);
        }
    }
    scores
}

fn sum(scores: &BTreeMap<char, Score>) -> Score {
    let mut sum = Score::default();
    for score in scores.values() {
        sum.right += score.right;
        sum.wrong += score.wrong;
        sum.missed += score.missed;
    }
    sum
}

fn show(name: &str, scores: &BTreeMap<char, Score>) {
    let all = sum(scores);
    println!(
        "{name}: precision {:.3}, recall {:.3} ({} right, {} wrong, {} missed)",
        all.precision(),
        all.recall(),
        all.right,
        all.wrong,
        all.missed
    );
    for (kind, score) in scores {
        println!(
            "  {kind}: precision {:.3}, recall {:.3}",
            score.precision(),
            score.recall()
        );
    }
}

fn all_turns() -> Vec<Turn> {
    let mut turns = speech(include_str!("../data/labelled-speech.txt"));
    turns.extend(work(include_str!("../data/labelled-work.txt")));
    turns
}

#[test]
fn extraction_reaches_the_required_precision_and_recall() {
    let turns = all_turns();
    assert!(turns.len() >= 400, "{} turns are labelled", turns.len());
    let is_held = |at: &usize| at % 3 == 2;
    let (held, seen): (Vec<usize>, Vec<usize>) = (0..turns.len()).partition(is_held);
    let seen = measure(seen.iter().map(|at| &turns[*at]), true);
    // Mistakes in the held-out part are not shown, so that no rule can be tuned to them.
    let held = measure(held.iter().map(|at| &turns[*at]), false);
    show("seen", &seen);
    show("held back", &held);
    for scores in [&seen, &held] {
        let all = sum(scores);
        assert!(all.precision() >= PRECISION_MIN, "precision is {:.3}", all.precision());
        assert!(all.recall() >= RECALL_MIN, "recall is {:.3}", all.recall());
    }
}

/// Returns how many findings each message of a file has.
fn findings_of(text: &str) -> Vec<(String, usize)> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') || line.starts_with("##"));
    let found = lines.map(|line| (line.to_owned(), texts_found(&line.replace("\\n", "\n")).len()));
    found.collect()
}

/// Returns what is found in a message.
fn texts_found(message: &str) -> Vec<String> {
    let mut learner = Learner::default();
    learner.session(&Session::new(Agent::Claude, "labelled"));
    learner.event(Event::new(1, Kind::Text, "Here is what I found."));
    learner.event(Event::new(2, Kind::Prompt, message));
    let found = learner.learned.candidates.into_iter();
    found.map(|candidate| candidate.text).collect()
}

#[test]
fn what_follows_from_a_statement_belongs_to_it() {
    for message in [
        "remember that the badge has 8 MB for everything. Nothing that loads a font.",
        "From now on answers are one page. So no tables of contents.",
        "Ab jetzt gilt: Antworten auf einer Seite. Also keine Inhaltsverzeichnisse.",
        "Desde ahora las respuestas son de una página. Así que ningún índice.",
        "Désormais les réponses tiennent en une page. Donc pas de sommaire.",
        "A partir de agora as respostas cabem numa página. Por isso nada de índices.",
        "С этого момента ответы на одну страницу. Никаких оглавлений.",
        "以后回答只写一页。所以不写目录。",
        "今後は回答を一ページにまとめる。だから目次は書かない。",
    ] {
        let found = texts_found(message);
        let end = message
            .rsplit([' ', '。'])
            .find(|word| !word.is_empty())
            .unwrap_or_default();
        assert!(found.len() == 1 && found[0].contains(end), "{message}: {found:?}");
    }
}

#[test]
fn a_statement_whose_subject_stands_elsewhere_is_not_learned() {
    for message in [
        "too much. going with paper only, we can talk about it again next year",
        "skipping those is what we do",
        "deixa que isso eu faço",
    ] {
        assert!(texts_found(message).is_empty(), "{message}");
    }
}

#[test]
fn nothing_is_learned_from_what_a_person_pasted_or_quoted() {
    let foreign = findings_of(include_str!("../data/foreign-speech.txt"));
    assert!(foreign.len() >= 45);
    let learned: Vec<_> = foreign.iter().filter(|(_, found)| *found > 0).collect();
    assert!(learned.is_empty(), "{learned:#?}");
}

#[test]
fn nothing_is_learned_behind_what_is_too_long_to_be_read() {
    let clauses = format!("summarize {}: from now on always use http", "a: ".repeat(5000));
    let word = format!("{} says: from now on always use http", "long ".repeat(500));
    for message in [clauses, word] {
        assert_eq!(findings_of(&message)[0].1, 0);
    }
}

#[test]
fn own_words_beside_quotes_and_colons_are_learned() {
    let own = findings_of(include_str!("../data/own-speech.txt"));
    let missed: Vec<_> = own.iter().filter(|(_, found)| *found == 0).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
