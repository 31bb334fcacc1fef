//! Edit, forget, merge and compact against a simple map: a lesson is a family of revisions, known by its first text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::rc::Rc;
use std::sync::Arc;

use forge_memory_core::journal::OsDisk;
use forge_memory_core::merge::merge;
use forge_memory_core::{EditInput, Environment, Memory};
use tempfile::TempDir;

use crate::common::dice::Dice;
use crate::common::{Workshop, capture_of, list_all};

/// By the lesson's first text: its texts that are recalled, each with its id; none when it is forgotten.
type Model = BTreeMap<String, BTreeMap<String, String>>;

/// A clone of one project on one machine, which all of them share.
struct Branch {
    home: Rc<TempDir>,
    workshop: Workshop,
    memory: Memory,
    model: Model,
    /// Which text was made of which.
    parents: BTreeMap<String, String>,
    /// Texts that are forgotten: nothing that was made of them is recalled either.
    forgotten: BTreeSet<String>,
}

impl Branch {
    fn on(home: &Rc<TempDir>) -> Self {
        let workshop = Workshop::new();
        Branch {
            memory: Branch::opened(home, &workshop),
            home: Rc::clone(home),
            workshop,
            model: Model::new(),
            parents: BTreeMap::new(),
            forgotten: BTreeSet::new(),
        }
    }

    fn opened(home: &TempDir, workshop: &Workshop) -> Memory {
        Memory::open(Environment {
            home: home.path().to_path_buf(),
            ..workshop.environment_on(Arc::new(OsDisk))
        })
    }

    fn clone_of(other: &Branch) -> Self {
        let mut branch = Branch::on(&other.home);
        fs::create_dir_all(branch.workshop.forge()).unwrap();
        fs::write(branch.workshop.raw_log(), other.bytes()).unwrap();
        branch.model = other.model.clone();
        branch.parents = other.parents.clone();
        branch.forgotten = other.forgotten.clone();
        branch
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.workshop.raw_log()).unwrap_or_default()
    }

    fn step(&mut self, dice: &mut Dice, next: &mut usize) {
        self.workshop.clock.advance(1000);
        *next += 1;
        let live: Vec<(String, String, String)> = self
            .model
            .iter()
            .flat_map(|(first, texts)| texts.iter().map(|(text, id)| (first.clone(), text.clone(), id.clone())))
            .collect();
        let chosen = (!live.is_empty()).then(|| live[dice.roll(live.len())].clone());
        match (dice.roll(10), chosen) {
            (0..4, _) | (_, None) => {
                let text = format!("lesson{next} alpha{next} beta{next}");
                let outcome = self.memory.capture(capture_of("convention", &text)).unwrap();
                assert!(outcome.captured);
                self.model
                    .insert(text.clone(), BTreeMap::from([(text, outcome.thought.id)]));
            }
            (4..7, Some((first, text, id))) => {
                let changed = format!("edited{next} gamma{next} delta{next}");
                let changes = EditInput {
                    body: Some(changed.clone()),
                    ..EditInput::default()
                };
                let fresh = self.memory.edit(&id, changes).unwrap().id;
                let texts = self.model.get_mut(&first).unwrap();
                texts.remove(&text);
                texts.insert(changed.clone(), fresh);
                self.parents.insert(changed, text);
            }
            (7 | 8, Some((first, text, id))) => {
                assert!(self.memory.forget(&id).unwrap());
                let texts = self.model.get_mut(&first).unwrap();
                texts.remove(&text);
                let alone = texts.is_empty();
                let mut older = Some(text);
                while let Some(text) = older.take() {
                    // While a rival is recalled, what it was made of stays.
                    older = self.parents.get(&text).filter(|_| alone).cloned();
                    self.forgotten.insert(text);
                }
            }
            (_, Some(_)) => {
                self.memory.compact(false).unwrap();
            }
        }
    }

    fn check(&mut self, what: &str) {
        let mut due: Vec<&String> = self.model.values().flat_map(BTreeMap::keys).collect();
        due.sort_unstable();
        for memory in [&mut self.memory, &mut Branch::opened(&self.home, &self.workshop)] {
            let mut shown: Vec<String> = list_all(memory).into_iter().map(|hit| hit.text).collect();
            shown.sort_unstable();
            assert_eq!(shown.iter().collect::<Vec<_>>(), due, "{what}");
        }
    }
}

/// What two branches of one project should come to.
fn merged_model(base: &Branch, ours: &Branch, theirs: &Branch, into: &mut Branch) {
    into.forgotten = ours.forgotten.union(&theirs.forgotten).cloned().collect();
    into.parents = ours.parents.clone();
    into.parents.extend(theirs.parents.clone());
    let firsts: BTreeSet<&String> = ours.model.keys().chain(theirs.model.keys()).collect();
    for first in firsts {
        let of = |branch: &Branch| branch.model.get(first).cloned().unwrap_or_default();
        let (before, left, right) = (of(base), of(ours), of(theirs));
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for (text, id) in left.iter().chain(&right) {
            // A text that both had before is gone when one of them replaced or forgot it.
            let stays = !before.contains_key(text) || (left.contains_key(text) && right.contains_key(text));
            let mut made_of = Some(text);
            let mut dead = false;
            while let Some(text) = made_of {
                dead |= into.forgotten.contains(text);
                made_of = into.parents.get(text);
            }
            if stays && !dead {
                texts.insert(text.clone(), id.clone());
            }
        }
        into.model.insert(first.clone(), texts);
    }
}

#[test]
fn edits_forgets_merges_and_compactions_match_a_map_model() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut next = 0;
        let mut folders = Vec::new();
        let mut base = Branch::on(&Rc::new(tempfile::tempdir().unwrap()));
        for _ in 0..dice.roll(8) {
            base.step(&mut dice, &mut next);
        }
        base.check(&format!("seed {seed}: base"));
        for round in 0..3 {
            let (mut ours, mut theirs) = (Branch::clone_of(&base), Branch::clone_of(&base));
            for branch in [&mut ours, &mut theirs] {
                for _ in 0..dice.roll(6) {
                    branch.step(&mut dice, &mut next);
                }
                branch.check(&format!("seed {seed}, round {round}: branch"));
            }
            let merged = merge(&base.bytes(), &ours.bytes(), &theirs.bytes());
            let mut branch = Branch::on(&base.home);
            fs::create_dir_all(branch.workshop.forge()).unwrap();
            fs::write(branch.workshop.raw_log(), &merged.bytes).unwrap();
            merged_model(&base, &ours, &theirs, &mut branch);
            branch.check(&format!("seed {seed}, round {round}: merged"));
            let conflicts = branch.model.values().filter(|texts| texts.len() > 1).count();
            assert_eq!(
                merged.conflicts.len(),
                conflicts,
                "seed {seed}, round {round}: conflicts told"
            );
            // The folders of a machine, by which it knows what it wrote, stay.
            folders.extend([std::mem::replace(&mut base, branch), ours, theirs]);
        }
    }
}
