//! Recall against brute force: the same records in the same order, in every state of the index.

mod bm25;

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::corpus::{Corpus, Lesson};
use crate::common::dice::{Dice, seed};
use crate::common::other::OtherShelf;
use crate::common::{NOON, Workshop, delete_index};
use bm25::{COMPARED, Document, Written, compare, known_words, newest_first, rank, vary};
use forge_memory_core::clock::{DAY_MS, Millis, format_iso};
use forge_memory_core::{Memory, RecallOptions, Scope, ScopeFilter};
use serde_json::{Value, json};

const TAGS: [&str; 6] = ["ci", "Jest", "data base", "größe", "windows", "ci/cd"];
const CATEGORIES: [&str; 3] = ["convention", "test_command", "architecture"];

/// Files full of lessons, and what is in them.
struct Library {
    workshop: Workshop,
    corpus: Corpus,
    dice: Dice,
    documents: Vec<Document>,
    written: usize,
}

impl Library {
    fn new(seed: u64) -> Self {
        Library {
            workshop: Workshop::with_config("{\"projectName\":\"shop\",\"redact\":false}"),
            corpus: Corpus::new(seed, 600, 10),
            dice: Dice::new(seed ^ 7),
            documents: Vec::new(),
            written: 0,
        }
    }

    fn paths(&self) -> [PathBuf; 4] {
        [
            self.workshop.raw_log(),
            self.workshop.patterns(),
            self.workshop.forge().join("memory/global.jsonl"),
            self.workshop.global_patterns(),
        ]
    }

    /// Writes records to each of the files, including tombstones and revisions.
    fn write(&mut self, counts: [usize; 4]) {
        for (file, count) in counts.into_iter().enumerate() {
            let mut text = String::new();
            for _ in 0..count {
                let line = self.line(file);
                text.push_str(&line.to_string());
                text.push('\n');
                if self.dice.percent(4) {
                    text.push_str(&self.forget_in(file));
                }
            }
            append(&self.paths()[file], &text);
        }
        // Files are searched in this order, and the oracle goes by position.
        self.documents.sort_by_key(|document| document.written.file);
    }

    fn line(&mut self, file: usize) -> Value {
        let lesson = self.corpus.lesson();
        let written = self.compose(file, lesson);
        let mut line = if file == 0 {
            json!({"_v": 1, "id": written.id, "content": written.text, "project": written.project, "type": written.kind,
                "source": "test", "captured_at": format_iso(written.created), "tags": written.tags})
        } else {
            json!({"id": written.id, "timestamp": format_iso(written.created), "pattern": written.text,
                "category": written.kind, "tags": written.tags})
        };
        line["confidence"] = written.confidence.into();
        if let Some(expires) = written.expires {
            line["expiresAt"] = format_iso(expires).into();
        }
        if file != 2
            && self.dice.percent(5)
            && let Some(old) = self.live_in(file)
        {
            self.documents[old].written.gone = Some(written.created);
            line["supersedes"] = self.documents[old].written.id.clone().into();
        }
        self.documents.push(Document::new(written));
        line
    }

    fn compose(&mut self, file: usize, lesson: Lesson) -> Written {
        self.written += 1;
        let dice = &mut self.dice;
        let created = NOON - dice.roll(120) as Millis * DAY_MS - dice.roll(1000) as Millis;
        let tags = TAGS
            .iter()
            .filter(|_| dice.percent(15))
            .map(|tag| (*tag).to_owned())
            .collect();
        Written {
            id: format!("mem_{:05}", self.written),
            scope: if file < 2 { Scope::Project } else { Scope::Global },
            file,
            kind: if file == 0 {
                lesson.kind.into()
            } else {
                dice.pick(&CATEGORIES).into()
            },
            source: if file == 0 { "test".into() } else { String::new() },
            project: lesson.project.into(),
            text: lesson.text,
            tags,
            confidence: dice.pick(&[0.0, 0.3, 0.5, 0.7, 0.7, 0.9, 1.0]),
            created,
            expires: dice.percent(30).then(|| created + dice.roll(200) as Millis * DAY_MS),
            gone: None,
        }
    }

    fn live_in(&mut self, file: usize) -> Option<usize> {
        let live: Vec<usize> = (0..self.documents.len())
            .filter(|at| self.documents[*at].written.file == file && self.documents[*at].written.gone.is_none())
            .collect();
        (!live.is_empty()).then(|| live[self.dice.roll(live.len())])
    }

    fn forget_in(&mut self, file: usize) -> String {
        let Some(at) = self.live_in(file) else {
            return String::new();
        };
        let when = NOON - self.dice.roll(60) as Millis * DAY_MS;
        let written = &mut self.documents[at].written;
        written.gone = Some(when);
        format!(
            "{{\"_v\":1,\"_action\":\"delete\",\"id\":\"{}\",\"at\":\"{}\"}}\n",
            written.id,
            format_iso(when)
        )
    }

    fn query(&mut self) -> String {
        let mut words: Vec<String> = (0..1 + self.dice.roll(5)).map(|_| self.corpus.word()).collect();
        if self.dice.percent(40) {
            // Some words of a text that is there.
            let at = self.dice.roll(self.documents.len());
            let text = &self.documents[at].written.text;
            words.extend(text.split(' ').take(3).map(str::to_owned));
        }
        if self.dice.percent(10) {
            words.push(
                (*self.dice.pick(&[
                    &"the",
                    &"数据库",
                    &"gotcha",
                    &"test_command",
                    &"Jest",
                    &"grosse",
                    &"café",
                ]))
                .into(),
            );
        }
        words.join(self.dice.pick(&[" ", ", ", " - "]))
    }

    fn options(&mut self) -> (RecallOptions, Option<Millis>, Option<Millis>) {
        let dice = &mut self.dice;
        let mut options = RecallOptions {
            scope: dice.pick(&[
                ScopeFilter::All,
                ScopeFilter::All,
                ScopeFilter::Project,
                ScopeFilter::Global,
            ]),
            limit: dice.pick(&[None, Some(1.0), Some(25.0), Some(1000.0)]),
            include_expired: dice.percent(20),
            ..RecallOptions::default()
        };
        if dice.percent(20) {
            options.types = vec![
                dice.pick(&["lesson", "gotcha", "test_command", "nothing"]).into(),
                "insight".into(),
            ];
        }
        if dice.percent(20) {
            options.tags = vec![dice.pick(&["ci", "JEST", " Größe ", "data base"]).into()];
            if dice.percent(30) {
                options.tags.push("windows".into());
            }
        }
        if dice.percent(15) {
            options.min_confidence = Some(dice.pick(&[0.0, 0.3, 0.7, 0.71, 1.0]));
        }
        let since = dice.percent(15).then(|| NOON - dice.roll(130) as Millis * DAY_MS);
        options.since = since.map(format_iso);
        let at = dice.percent(15).then(|| NOON - dice.roll(130) as Millis * DAY_MS - 500);
        options.at = at.map(format_iso);
        (options, since, at)
    }

    /// Runs queries on every handle.
    fn examine(&mut self, handles: &mut [(&str, Memory)], questions: usize) -> usize {
        let mut answered = 0;
        for _ in 0..questions {
            let (options, since, at) = self.options();
            let query = self.query();
            let query = known_words(&self.documents, &query, options.scope);
            let ranked = rank(&self.documents, &query, &options, (since, at, NOON));
            let limit = options.limit.unwrap_or(10.0) as usize;
            let ranked = newest_first(&query, vary(ranked, limit.max(COMPARED)));
            for (name, memory) in handles.iter_mut() {
                let outcome = memory.recall(&query, &options).unwrap();
                if let Err(problem) = compare(&outcome.hits, &ranked, limit) {
                    panic!("{name}: {query:?} with {options:?}: {problem}");
                }
            }
            answered += usize::from(!ranked.is_empty());
        }
        answered
    }

    fn persist(&self) {
        for file in [0, 1, 3] {
            OtherShelf::of(self.paths()[file].clone()).persist();
        }
    }
}

fn append(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = fs::read(path).unwrap_or_default();
    fs::write(path, [&before, text.as_bytes()].concat()).unwrap();
}

#[test]
fn recall_answers_as_brute_force_does_in_every_state_of_the_index() {
    let seed = seed("recall", 42);
    let mut library = Library::new(seed);
    library.write([1500, 120, 60, 100]);
    let mut answered = 0;
    // Nothing is persisted; two handles read everything at their first question.
    let mut early = [("first", library.workshop.open()), ("second", library.workshop.open())];
    answered += library.examine(&mut early, 60);
    library.persist();
    early[1].1.adopt().unwrap();
    let mut settled = library.workshop.open();
    settled.settle().unwrap();
    let [first, second] = early;
    let mut handles = [first, second, ("settled", settled), ("fresh", library.workshop.open())];
    answered += library.examine(&mut handles, 60);
    // Other programs append; a part is persisted, the rest is not.
    library.write([700, 40, 0, 30]);
    answered += library.examine(&mut handles, 60);
    library.persist();
    library.write([900, 10, 10, 10]);
    let [first, second, settled, _] = handles;
    let mut handles = [first, second, settled, ("partly persisted", library.workshop.open())];
    answered += library.examine(&mut handles, 60);
    // And the index is deleted while it is in use.
    delete_index(&library.workshop.forge());
    delete_index(&library.workshop.home());
    let [first, second, settled, _] = handles;
    let mut handles = [first, second, settled, ("without an index", library.workshop.open())];
    answered += library.examine(&mut handles, 60);
    println!(
        "recall: {answered} of 300 questions had an answer, {} records",
        library.documents.len()
    );
    assert!(answered > 150);
}

/// Returns a line of about this many bytes.
fn long_line(number: usize, bytes: usize) -> String {
    let words = vec![format!("{number:w>100}"); bytes / 100].join(" ");
    format!(
        "{{\"_v\":1,\"id\":\"mem_long_{number}\",\"content\":\"{words}\",\"project\":\"shop\",\"type\":\"insight\"}}\n"
    )
}

#[test]
fn a_line_that_was_damaged_in_place_hides_no_other_record() {
    for kilobytes in [100, 9000] {
        let workshop = Workshop::new();
        let mut text = String::new();
        let middle = kilobytes / 20 / 2;
        for number in 0..kilobytes / 20 {
            text.push_str(&long_line(number, 20_000));
            if number == middle {
                for needle in ["one", "two", "three"] {
                    text.push_str(&format!(
                        "{{\"id\":\"mem_{needle}\",\"content\":\"needle {needle}\",\"type\":\"lesson\"}}\n"
                    ));
                }
            }
        }
        append(&workshop.raw_log(), &text);
        OtherShelf::of(workshop.raw_log()).persist();
        let mut memory = workshop.open();
        let found = |memory: &mut Memory| {
            let mut ids: Vec<_> = memory
                .recall("needle", &RecallOptions::default())
                .unwrap()
                .hits
                .into_iter()
                .map(|hit| hit.id)
                .collect();
            ids.sort();
            ids
        };
        assert_eq!(found(&mut memory), ["mem_one", "mem_three", "mem_two"]);
        // A tool that blanks out what it finds offensive, byte for byte.
        let offence = "\"mem_two\",\"content\":\"needle two\"";
        let damaged = text.replace(offence, &" ".repeat(offence.len()));
        assert!(damaged.len() == text.len() && damaged != text);
        fs::write(workshop.raw_log(), &damaged).unwrap();
        for memory in [&mut memory, &mut workshop.open()] {
            assert_eq!(found(memory), ["mem_one", "mem_three"], "{kilobytes} KiB");
            let (hits, _) = memory
                .list(&RecallOptions {
                    types: vec!["lesson".into()],
                    ..RecallOptions::default()
                })
                .unwrap();
            assert_eq!(hits.len(), 2, "{kilobytes} KiB, listed");
        }
    }
}
