//! Dedup against brute force: for every capture and every state of the index, the decision equals the one that comes
//! out when the text is compared with every record.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use crate::common::corpus::{Corpus, Edit, Lesson};
use crate::common::dice::{Dice, seed};
use crate::common::{Workshop, capture_of, delete_index};
use forge_memory_core::clock::{Clock, Millis, parse_iso};
use forge_memory_core::text::{Reading, fold, says_the_same};
use forge_memory_core::{CaptureInput, CaptureOutcome, Memory};

/// A stored record, in the simplest form.
struct Stored {
    id: String,
    folded: String,
    reading: Reading,
    words: Words,
    created: Millis,
    expires: Option<Millis>,
    confirmed: Millis,
    forgotten: bool,
    retired: bool,
}

impl Stored {
    fn is_live(&self, now: Millis) -> bool {
        let lifted = |expires: Millis| expires + self.confirmed - self.created;
        !self.forgotten && !self.retired && self.expires.is_none_or(|expires| lifted(expires) > now)
    }
}

/// The different words of a text, in order.
struct Words {
    all: Vec<u64>,
    /// A bit for each, the same for the same word.
    bits: u128,
}

impl Words {
    fn of(reading: &Reading) -> Self {
        let all: Vec<u64> = reading.words().collect::<BTreeSet<u64>>().into_iter().collect();
        let bits = all.iter().fold(0, |bits, word| bits | 1 << (word % 128));
        Words { all, bits }
    }

    fn len(&self) -> usize {
        self.all.len()
    }

    /// How many words of both are the same.
    fn shared(&self, other: &Words) -> usize {
        let mut at = 0;
        let mut shared = 0;
        for word in &self.all {
            while other.all.get(at).is_some_and(|other| other < word) {
                at += 1;
            }
            shared += usize::from(other.all.get(at) == Some(word));
        }
        shared
    }

    /// At most so many words are the same: each bit that only this one has is of a word that the other lacks.
    fn shared_at_most(&self, other: &Words) -> usize {
        self.len() - (self.bits & !other.bits).count_ones() as usize
    }

    /// The cosine of two sets of words; 0 if it is less than that.
    fn cosine(&self, other: &Words, least: f64) -> f64 {
        let of = |shared: usize| match shared {
            0 => 0.0,
            _ => shared as f64 / ((self.len() * other.len()) as f64).sqrt(),
        };
        // Counting them for each pair of twenty thousand is most of what the test does.
        if of(self.shared_at_most(other)) < least {
            0.0
        } else {
            of(self.shared(other))
        }
    }
}

/// The cosine that two texts need: a longer one may have no more words of its own than one of 24 words.
fn needed(threshold: f64, a: &Words, b: &Words) -> f64 {
    let longer = a.len().max(b.len());
    match longer {
        0..=24 => threshold,
        _ => (1.0 - (1.0 - threshold * threshold) * 24.0 / longer as f64).sqrt(),
    }
}

/// All records, compared with one by one.
#[derive(Default)]
struct Oracle {
    /// By type and project: others are never the same.
    groups: HashMap<(&'static str, &'static str), Vec<Stored>>,
}

impl Oracle {
    /// Returns the similarity with the record that the lesson duplicates.
    fn find(&self, lesson: &Lesson, threshold: f64, now: Millis) -> Option<f64> {
        let group = self.groups.get(&(lesson.kind, lesson.project))?;
        let live = || group.iter().filter(|stored| stored.is_live(now));
        let folded = fold(&lesson.text);
        if live().any(|stored| stored.folded == folded) {
            return Some(1.0);
        }
        let reading = Reading::of(&lesson.text);
        let words = Words::of(&reading);
        live()
            .map(|stored| (words.cosine(&stored.words, threshold), stored))
            .filter(|(similarity, stored)| *similarity >= needed(threshold, &words, &stored.words))
            .filter(|(similarity, stored)| *similarity > 0.0 && says_the_same(&stored.reading, &reading))
            .map(|(similarity, _)| similarity)
            .max_by(f64::total_cmp)
    }

    fn take(&mut self, lesson: &Lesson, outcome: &CaptureOutcome, now: Millis) {
        // A contradicted record is no longer current, so a repetition of it is stored again.
        let stored = self.groups.values_mut().flatten();
        for stored in stored.filter(|_| !outcome.retired.is_empty()) {
            stored.retired |= outcome.retired.iter().any(|older| older.id == stored.id);
        }
        let group = self.groups.entry((lesson.kind, lesson.project)).or_default();
        let id = &outcome.thought.id;
        if outcome.deduped {
            let known = group.iter_mut().find(|stored| stored.id == *id).unwrap();
            known.confirmed = now;
            return;
        }
        let reading = Reading::of(&lesson.text);
        group.push(Stored {
            id: id.clone(),
            folded: fold(&lesson.text),
            words: Words::of(&reading),
            reading,
            created: now,
            expires: outcome.thought.expires_at.as_deref().and_then(parse_iso),
            confirmed: now,
            forgotten: false,
            retired: false,
        });
    }

    fn forget_one(&mut self, dice: &mut Dice, memory: &mut Memory) {
        let mut keys: Vec<_> = self.groups.keys().copied().collect();
        keys.sort_unstable();
        let group = self.groups.get_mut(&keys[dice.roll(keys.len())]).unwrap();
        let at = dice.roll(group.len());
        let stored = &mut group[at];
        assert_eq!(memory.forget(&stored.id).unwrap(), !stored.forgotten);
        stored.forgotten = true;
    }
}

#[derive(Default)]
struct Score {
    both: usize,
    only_core: usize,
    only_oracle: usize,
    by_edit: BTreeMap<Option<Edit>, (usize, usize)>,
    differences: Vec<String>,
}

impl Score {
    fn take(&mut self, lesson: &Lesson, outcome: &CaptureOutcome, wanted: Option<f64>) {
        match (outcome.deduped, wanted.is_some()) {
            (true, true) => self.both += 1,
            (true, false) => self.only_core += 1,
            (false, true) => self.only_oracle += 1,
            (false, false) => {}
        }
        let (all, duplicates) = self.by_edit.entry(lesson.edit).or_default();
        *all += 1;
        *duplicates += usize::from(outcome.deduped);
        if outcome.similarity != wanted {
            self.differences.push(format!(
                "{lesson:?}: similarity {:?}, brute force {wanted:?}, like {:?}",
                outcome.similarity, outcome.thought.content
            ));
        }
    }

    fn print(&self, name: &str) {
        let of = |sum: usize| if sum == 0 { 1.0 } else { self.both as f64 / sum as f64 };
        println!(
            "{name}: precision {:.6}, recall {:.6}: {} duplicates of {} captures",
            of(self.both + self.only_core),
            of(self.both + self.only_oracle),
            self.both,
            self.by_edit.values().map(|(all, _)| all).sum::<usize>()
        );
        for (edit, (all, duplicates)) in &self.by_edit {
            let edit = edit.map_or("original".into(), |edit| format!("{edit:?}"));
            println!("  {edit:>10}: {duplicates} of {all} are duplicates");
        }
    }
}

struct Trial {
    name: &'static str,
    seed: u64,
    records: usize,
    /// One after the other, each for an equal part of the time.
    thresholds: &'static [f64],
}

/// A project cannot set a lower one.
const FLOOR: f64 = 0.9;

/// Writes the settings; the length tells one from the other within a tick of the clock.
fn set_threshold(workshop: &Workshop, number: usize, threshold: f64) {
    let text = format!(
        "{{\"projectName\":\"shop\",\"openbrain\":{{\"dedupThreshold\":{threshold}}}{}}}",
        " ".repeat(8 * number)
    );
    std::fs::write(workshop.project().join(".forge.json"), text).unwrap();
}

impl Trial {
    fn run(&self) {
        let started = Instant::now();
        let seed = seed(self.name, self.seed);
        let workshop = Workshop::new();
        set_threshold(&workshop, 0, self.thresholds[0]);
        let mut corpus = Corpus::new(seed, 4000, 10);
        let mut dice = Dice::new(seed ^ 1);
        let (mut oracle, mut score) = (Oracle::default(), Score::default());
        let mut handles = [workshop.open(), workshop.open()];
        for number in 1..=self.records {
            // A third of the captures comes from another process; sometimes one of them restarts.
            let which = usize::from(dice.percent(33));
            let part = (number - 1) * self.thresholds.len() / self.records;
            let threshold = self.thresholds[part];
            if (number - 1) * self.thresholds.len() % self.records < self.thresholds.len() {
                set_threshold(&workshop, part, threshold);
            }
            self.look_after_index(number, which, &mut handles, &workshop);
            let lesson = corpus.lesson();
            let now = workshop.clock.now_ms();
            let wanted = oracle.find(&lesson, threshold.max(FLOOR), now);
            let input = CaptureInput {
                project: Some(lesson.project.into()),
                ..capture_of(lesson.kind, &lesson.text)
            };
            let outcome = handles[which].capture(input).unwrap();
            score.take(&lesson, &outcome, wanted);
            oracle.take(&lesson, &outcome, now);
            if dice.percent(1) {
                oracle.forget_one(&mut dice, &mut handles[which]);
            }
            // Twenty thousand captures take four months: some records expire, some are confirmed in time.
            workshop.clock.advance(540_000);
        }
        score.print(self.name);
        println!("  {:.1} s", started.elapsed().as_secs_f64());
        let shown: Vec<_> = score.differences.iter().take(5).collect();
        assert!(
            score.differences.is_empty(),
            "{} differences: {shown:#?}",
            score.differences.len()
        );
        assert!(score.both > self.records / 100, "hardly anything was a duplicate");
    }

    /// Writes, loads and drops the index at several points.
    fn look_after_index(&self, number: usize, which: usize, handles: &mut [Memory; 2], workshop: &Workshop) {
        let memory = &mut handles[which];
        match number * 20 / self.records {
            3 | 9 | 15 if number * 20 % self.records < 20 => memory.settle().unwrap(),
            6 if number * 20 % self.records < 20 => handles[which] = workshop.open(),
            12 if number * 20 % self.records < 20 => {
                delete_index(&workshop.forge());
                handles[which] = workshop.open();
            }
            10..=14 => {
                // Between records in a row, jobs wait.
                workshop.clock.advance(1000);
                for job in memory.take_jobs() {
                    job.run().unwrap();
                    memory.adopt().unwrap();
                }
            }
            _ => {}
        }
    }
}

#[test]
fn twenty_thousand_decisions_equal_those_of_brute_force() {
    Trial {
        name: "dedup at 0.9",
        seed: 20_261_120,
        records: 20_000,
        thresholds: &[0.9],
    }
    .run();
}

#[test]
fn a_threshold_below_the_floor_counts_as_the_floor() {
    Trial {
        name: "dedup at 0.8",
        seed: 8,
        records: 4000,
        thresholds: &[0.8],
    }
    .run();
}

#[test]
fn decisions_equal_those_of_brute_force_at_a_higher_threshold() {
    Trial {
        name: "dedup at 0.95",
        seed: 95,
        records: 4000,
        thresholds: &[0.95],
    }
    .run();
}

#[test]
fn decisions_follow_a_changed_threshold() {
    Trial {
        name: "dedup at 0.9, 0.92, 1 and 0.95",
        seed: 4,
        records: 4000,
        thresholds: &[0.9, 0.92, 1.0, 0.95],
    }
    .run();
}
