//! Random operations by us, by other processes and by other programs, against a model that reads the files from the beginning.
//! After any sequence of operations, the recallable records are those of the files, and an incrementally updated index gives the same
//! answers as a rebuilt one.

mod cuts;
mod foreign;
mod model;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::dice::{Dice, seed};
use crate::common::other::OtherShelf;
use crate::common::{Workshop, capture_of, list_all, save_of};
use forge_memory_core::clock::{Clock, DAY_MS, Millis};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::text::fold;
use forge_memory_core::{EditInput, Environment, Memory, RecallOptions, Scope};
use model::Model;

struct Scene {
    workshop: Workshop,
    dice: Dice,
    handles: [Memory; 2],
    told: Vec<String>,
    fresh_ids: usize,
}

const FILES: usize = 3;

impl Scene {
    fn new(seed: u64) -> Self {
        let workshop = Workshop::with_config("{\"projectName\":\"shop\",\"redact\":false}");
        Scene {
            handles: [workshop.open(), workshop.open()],
            workshop,
            dice: Dice::new(seed),
            told: Vec::new(),
            fresh_ids: 0,
        }
    }

    fn now(&self) -> Millis {
        self.workshop.clock.now_ms()
    }

    /// The raw log most often, else one of the pattern files.
    fn file(&mut self) -> PathBuf {
        let which = self.dice.roll(2 * FILES);
        [self.workshop.patterns(), self.workshop.global_patterns()]
            .get(which)
            .cloned()
            .unwrap_or_else(|| self.workshop.raw_log())
    }

    fn fresh_id(&mut self) -> String {
        self.fresh_ids += 1;
        format!("mem_foreign_{}", self.fresh_ids)
    }

    /// Returns the id of a live record of a file.
    fn live_id(&mut self, path: &Path) -> Option<String> {
        let model = Model::read(path);
        let live = model.live(self.now());
        (!live.is_empty()).then(|| live[self.dice.roll(live.len())].id.clone())
    }

    fn step(&mut self) {
        let which = self.dice.roll(2);
        let told = match self.dice.roll(40) {
            0..=7 => self.capture(which),
            8..=10 => self.save(which),
            11..=12 => self.edit(which),
            13..=15 => self.forget(which),
            16..=25 => self.append_foreign(),
            26..=28 => self.merge(),
            29..=31 => self.rewrite(),
            32 => self.truncate(),
            33..=34 => self.persist(),
            35 => self.adopt(which),
            36 => {
                self.handles[which] = self.workshop.open();
                format!("{which} reopens")
            }
            37 => {
                let _ = fs::remove_dir_all(self.workshop.forge().join("index"));
                "the index is deleted".into()
            }
            38 => {
                let days = self.dice.roll(30) as Millis;
                self.workshop.clock.advance(days * DAY_MS);
                format!("{days} days pass")
            }
            _ => self.bulk(),
        };
        self.told.push(told);
    }

    fn capture(&mut self, which: usize) -> String {
        let (kind, text) = (self.dice.pick(&foreign::KINDS), foreign::sentence(&mut self.dice));
        let outcome = self.handles[which].capture(capture_of(kind, &text)).unwrap();
        assert!(outcome.captured != outcome.deduped, "{:?}", outcome.tiers.files.error);
        let model = Model::read(&self.workshop.raw_log());
        let id = &outcome.thought.id;
        assert!(model.is_live(id, self.now()), "{kind} {text:?} is not live");
        format!("{which} captures {kind} {text:?}: {id} deduped={}", outcome.deduped)
    }

    fn save(&mut self, which: usize) -> String {
        let (scope, path) = match self.dice.roll(2) {
            0 => ("project", self.workshop.patterns()),
            _ => ("global", self.workshop.global_patterns()),
        };
        let text = foreign::sentence(&mut self.dice);
        let outcome = self.handles[which].save(save_of(scope, "architecture", &text)).unwrap();
        assert!(
            Model::read(&path).is_live(&outcome.id, self.now()),
            "{text:?} is not live"
        );
        format!(
            "{which} saves {scope} {text:?}: {} saved={}",
            outcome.id,
            outcome.is_saved()
        )
    }

    fn edit(&mut self, which: usize) -> String {
        let path = self.file();
        let Some(id) = self.live_id(&path) else {
            return "nothing to edit".into();
        };
        let text = foreign::sentence(&mut self.dice);
        let changes = EditInput {
            body: Some(text.clone()),
            kind: Some("architecture".into()),
            ..EditInput::default()
        };
        let thought = self.handles[which].edit(&id, changes).unwrap();
        let model = Model::read(&path);
        assert!(!model.is_live(&id, self.now()), "{id} is live after its edit");
        assert!(
            model.is_live(&thought.id, self.now()),
            "the revision of {id} is not live"
        );
        format!("{which} edits {id} to {text:?}: {}", thought.id)
    }

    fn forget(&mut self, which: usize) -> String {
        let path = self.file();
        let Some(id) = self.live_id(&path) else {
            return "nothing to forget".into();
        };
        assert!(
            self.handles[which].forget(&id).unwrap(),
            "{id} was there to be forgotten"
        );
        assert!(
            !Model::read(&path).is_live(&id, self.now()),
            "{id} is live after it was forgotten"
        );
        format!("{which} forgets {id}")
    }

    fn append_foreign(&mut self) -> String {
        let (path, now) = (self.file(), self.now());
        let known = self.live_id(&path);
        let id = self.fresh_id();
        let dice = &mut self.dice;
        let bytes = match (dice.roll(12), known) {
            (0, _) => foreign::garbage(dice),
            (1, _) => {
                // Torn anywhere, and perhaps only the line end is missing.
                let line = foreign::record(dice, Some(&id), now);
                let cut = if dice.percent(50) {
                    line.len()
                } else {
                    dice.roll(line.len())
                };
                line.as_bytes()[..cut].to_vec()
            }
            (2, _) => {
                let early = foreign::tombstone(&id, now);
                format!("{early}\n{}\n", foreign::record(dice, Some(&id), now)).into()
            }
            (3, Some(known)) => format!("{}\n", foreign::record(dice, Some(&known), now)).into(),
            (4, Some(known)) => format!("{}\n", foreign::tombstone(&known, now)).into(),
            (5, Some(known)) => format!("{}\n", foreign::confirmation(&known, now)).into(),
            (6, _) => format!("{}\n", foreign::record(dice, None, now)).into(),
            (7, _) => format!("{}\r\n\r\n", foreign::record(dice, Some(&id), now)).into(),
            (8, _) => format!("{}\n", foreign::confirmation(&id, now)).into(),
            (9, _) => {
                // The tombstone of a record that comes with the next merge.
                self.fresh_ids -= 1;
                format!("{}\n", foreign::tombstone(&id, now)).into()
            }
            _ => format!("{}\n", foreign::record(dice, Some(&id), now)).into(),
        };
        foreign::append(&path, &bytes);
        format!(
            "foreign append to {}: {:?}",
            name(&path),
            String::from_utf8_lossy(&bytes)
        )
    }

    /// A union merge: existing lines are repeated after the others.
    fn merge(&mut self) -> String {
        let path = self.file();
        let lines = crate::common::lines::lines(&path);
        if lines.is_empty() {
            return "nothing to merge".into();
        }
        let from = self.dice.roll(lines.len());
        let count = 1 + self.dice.roll((lines.len() - from).min(6));
        let mut bytes = lines[from..from + count].join(&b'\n');
        bytes.push(b'\n');
        foreign::append(&path, &bytes);
        format!("lines {from} and {count} in all of {} come again", name(&path))
    }

    fn rewrite(&mut self) -> String {
        let (path, now) = (self.file(), self.now());
        let bytes = fs::read(&path).unwrap_or_default();
        let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            return "nothing to rewrite".into();
        }
        let at = self.dice.roll(lines.len());
        let how = self.dice.roll(4);
        match how {
            0 => {
                lines.remove(at);
            }
            1 => self.dice.shuffle(&mut lines),
            // Another word of the same length.
            2 => {
                lines[at] = String::from_utf8_lossy(&lines[at])
                    .replace("cache", "CACHE")
                    .replace("queue", "stack")
                    .into()
            }
            _ => lines[at] = String::from_utf8_lossy(&lines[at]).replace("retry", "try again").into(),
        }
        let fresh = lines.concat();
        let in_place = self.dice.percent(50);
        // Between two looks as many other bytes far in front and an append besides are not to be told from an append:
        // only the last indexed bytes are compared. So everybody looks before and after.
        let in_silence = in_place && fresh.len() == bytes.len();
        if in_silence {
            self.look();
        }
        if in_place {
            foreign::rewrite_in_place(&path, &fresh, now);
        } else {
            foreign::replace(&path, &fresh);
        }
        if in_silence {
            self.look();
        }
        format!("{} is rewritten ({how}, line {at}, in place: {in_place})", name(&path))
    }

    fn look(&mut self) {
        self.handles.iter_mut().for_each(|memory| drop(list_all(memory)));
    }

    fn truncate(&mut self) -> String {
        let (path, now) = (self.file(), self.now());
        let len = fs::metadata(&path).map_or(0, |meta| meta.len());
        if len == 0 {
            return "nothing to truncate".into();
        }
        if self.dice.percent(20) {
            fs::remove_file(&path).unwrap();
            return format!("{} is deleted", name(&path));
        }
        let cut = self.dice.next() % (len + 1);
        foreign::truncate(&path, cut, now);
        format!("{} is cut to {cut}", name(&path))
    }

    /// Another process persists the index of a file, however little there is.
    fn persist(&mut self) -> String {
        let path = self.file();
        self.persist_file(path)
    }

    fn persist_file(&self, path: PathBuf) -> String {
        let done = OtherShelf::of(path.clone()).persist();
        format!("the index of {} is persisted: {done}", name(&path))
    }

    fn adopt(&mut self, which: usize) -> String {
        for job in self.handles[which].take_jobs() {
            job.run().unwrap();
        }
        self.handles[which].adopt().unwrap();
        format!("{which} adopts")
    }

    /// So many records that chunks become full.
    fn bulk(&mut self) -> String {
        if !self.dice.percent(30) {
            return "nothing".into();
        }
        let now = self.now();
        let mut text = String::new();
        let count = 600 + self.dice.roll(1200);
        for _ in 0..count {
            let id = self.fresh_id();
            text.push_str(&foreign::record(&mut self.dice, Some(&id), now));
            text.push('\n');
        }
        foreign::append(&self.workshop.raw_log(), text.as_bytes());
        format!("{count} records come at once")
    }

    /// What a handle lists is what the files say.
    fn check_against_model(&mut self, which: usize) {
        let now = self.now();
        let options = RecallOptions {
            limit: Some(1000.0),
            ..RecallOptions::default()
        };
        let (hits, total) = self.handles[which].list(&options).unwrap();
        let captures = Model::read(&self.workshop.raw_log());
        let project = Model::read(&self.workshop.patterns());
        let global = Model::read(&self.workshop.global_patterns());
        let live: usize = [&captures, &project, &global]
            .iter()
            .map(|model| model.live(now).len())
            .sum();
        // Copies of a text count once.
        let texts = captures.shown(now, true).len() + project.shown(now, false).len() + global.shown(now, false).len();
        assert_eq!(total, texts, "handle {which}: how many there are");
        assert_eq!(self.handles[which].record_counts().memories, total, "handle {which}");
        let ids: BTreeSet<&str> = [&captures, &project, &global]
            .iter()
            .flat_map(|model| model.live(now))
            .map(|record| record.id.as_str())
            .collect();
        for hit in &hits {
            assert!(ids.contains(hit.id.as_str()), "handle {which} lists {hit:?}");
        }
        if live <= 900 {
            let of = |scope: Scope| {
                let hits = hits.iter().filter(|hit| hit.scope == scope);
                hits.map(|hit| (hit.kind.clone(), fold(&hit.text)))
                    .collect::<BTreeSet<_>>()
            };
            let kinds_and_texts = |models: &[(&Model, bool)]| {
                let shown = models
                    .iter()
                    .flat_map(|(model, with_project)| model.shown(now, *with_project));
                shown.map(|(kind, _, text)| (kind, text)).collect::<BTreeSet<_>>()
            };
            assert_eq!(
                of(Scope::Project),
                kinds_and_texts(&[(&captures, true), (&project, false)])
            );
            assert_eq!(of(Scope::Global), kinds_and_texts(&[(&global, false)]));
        }
    }

    /// The handle, a fresh process, and a fresh process without any index give the same answers.
    fn check_against_fresh(&mut self, which: usize) {
        let mut fresh = self.workshop.open();
        let bare_folder = tempfile::tempdir().unwrap();
        let mut bare = self.open_without_index(bare_folder.path());
        for query in [
            "pool cache",
            "never",
            "migrate кэш",
            "数据",
            "HTTPServer timeout",
            "groesse Größe",
        ] {
            let options = RecallOptions {
                limit: Some(30.0),
                ..RecallOptions::default()
            };
            let ours = self.handles[which].recall(query, &options).unwrap();
            assert_eq!(
                ours,
                fresh.recall(query, &options).unwrap(),
                "{query:?}: a fresh process"
            );
            assert_eq!(
                ours,
                bare.recall(query, &options).unwrap(),
                "{query:?}: without an index"
            );
        }
        let ours = list_all(&mut self.handles[which]);
        assert_eq!(ours, list_all(&mut fresh), "the list of a fresh process");
        assert_eq!(ours, list_all(&mut bare), "the list without an index");
    }

    fn open_without_index(&self, folder: &Path) -> Memory {
        let (project, home) = (folder.join("shop"), folder.join("home"));
        for (from, to) in [
            (self.workshop.raw_log(), project.join(".forge/memory-captures.jsonl")),
            (self.workshop.patterns(), project.join(".forge/memory/project.jsonl")),
            (self.workshop.global_patterns(), home.join("memory/global.jsonl")),
        ] {
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            if from.exists() {
                fs::copy(from, to).unwrap();
            }
        }
        Memory::open(Environment {
            code_names: None,
            embedder: None,
            models: None,
            project_dir: project,
            main: Default::default(),
            home,
            git_settings: Vec::new(),
            users: Vec::new(),
            clock: Arc::clone(&self.workshop.clock) as Arc<dyn Clock>,
            disk: Arc::new(OsDisk),
        })
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn play(seed: u64, steps: usize) {
    let mut scene = Scene::new(seed);
    for number in 0..steps {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            scene.step();
            let which = scene.dice.roll(2);
            scene.check_against_model(which);
            if number % 4 == 3 {
                scene.check_against_fresh(which);
            }
        }));
        if let Err(panic) = outcome {
            println!(
                "FORGE_TEST_SEED={seed} fails at step {number}:\n{}",
                scene.told.join("\n")
            );
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn recallable_records_equal_those_of_the_files_after_any_operation() {
    let first = seed("shelf", 1);
    let games = if std::env::var_os("FORGE_TEST_SEED").is_some() {
        1
    } else {
        60
    };
    for seed in first..first + games {
        play(seed, 60);
    }
}
