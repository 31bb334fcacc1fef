//! Support counting: how many sessions of a project contain the same statement. Two statements are the same when the longest common
//! subsequence (LCS) of their words has at least [`SHARED_MIN`] of the shorter one's length.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::learn::{Candidate, CommandRun, FindingKind, Sighting};
use crate::state::Evidence;

/// The most sightings kept per statement.
const RECORDS_MAX: usize = 16;
/// The least share of the shorter statement's words that the longer one must contain in order.
const SHARED_MIN: f64 = 0.8;
/// Kind numbers from here on are the purposes of commands.
const COMMAND_BASE: u8 = 100;
/// The most commands offered per purpose.
pub(crate) const COMMANDS_MAX: usize = 3;

/// The evidence of all runs.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub waiting: Vec<Evidence>,
    by_first: BTreeMap<(u64, u8, u32), Vec<usize>>,
}

/// The support of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    pub sessions: usize,
}

impl Tally {
    /// Starts from the evidence of earlier runs.
    pub fn of(waiting: Vec<Evidence>) -> Self {
        let mut tally = Tally::default();
        for entry in waiting {
            tally.index(tally.waiting.len(), &entry);
            tally.waiting.push(entry);
        }
        tally
    }

    fn index(&mut self, at: usize, entry: &Evidence) {
        for word in &entry.words {
            let places = self.by_first.entry((entry.project, entry.kind, *word)).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
    }

    /// Adds a candidate; returns its index and its support.
    pub fn candidate(&mut self, project: u64, candidate: &Candidate) -> (usize, Count) {
        let kind = kind_number(candidate.kind);
        let record = candidate
            .record
            .clone()
            .unwrap_or_else(|| format!("{}:{}", candidate.seen.session, candidate.seen.line));
        self.note(project, kind, &candidate.words, &record, &candidate.seen)
    }

    /// Adds a command that succeeded; returns its index and its support.
    pub fn ran(&mut self, project: u64, ran: &CommandRun) -> (usize, Count) {
        let words = [xxh3_64(ran.command.as_bytes()) as u32];
        let record = format!("{}:{}", ran.seen.session, ran.command);
        self.note(
            project,
            COMMAND_BASE + purpose_number(&ran.purpose),
            &words,
            &record,
            &ran.seen,
        )
    }

    fn note(&mut self, project: u64, kind: u8, words: &[u32], record: &str, seen: &Sighting) -> (usize, Count) {
        let at = self.find(project, kind, words).unwrap_or_else(|| {
            let entry = Evidence {
                kind,
                words: words.to_vec(),
                project,
                records: BTreeMap::new(),
            };
            self.index(self.waiting.len(), &entry);
            self.waiting.push(entry);
            self.waiting.len() - 1
        });
        let mut sessions = 0;
        if let Some(entry) = self.waiting.get_mut(at) {
            if entry.records.len() < RECORDS_MAX {
                entry
                    .records
                    .entry(xxh3_64(record.as_bytes()))
                    .or_insert_with(|| seen.clone());
            }
            sessions = sessions_of(entry);
        }
        (at, Count { sessions })
    }

    fn find(&self, project: u64, kind: u8, words: &[u32]) -> Option<usize> {
        let mut seen: Vec<usize> = Vec::new();
        for word in words {
            let places = self
                .by_first
                .get(&(project, kind, *word))
                .map_or(&[][..], Vec::as_slice);
            seen.extend(places.iter().take(200));
        }
        seen.sort_unstable();
        seen.dedup();
        seen.into_iter().find(|at| {
            self.waiting
                .get(*at)
                .is_some_and(|entry| is_same_statement(&entry.words, words))
        })
    }

    /// Returns the support of the statement at an index.
    pub fn sessions(&self, at: usize) -> usize {
        self.waiting.get(at).map_or(0, sessions_of)
    }
}

/// Counts sessions; a record that was copied into another session counts once.
fn sessions_of(entry: &Evidence) -> usize {
    let mut sessions: Vec<&str> = entry.records.values().map(|seen| seen.session.as_str()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    sessions.len()
}

fn kind_number(kind: FindingKind) -> u8 {
    // A correction in one session and an instruction in another can state the same.
    match kind {
        FindingKind::Correction | FindingKind::Instruction => 0,
        FindingKind::Decision => 1,
        FindingKind::Fix => 2,
        FindingKind::Command => 3,
        FindingKind::Environment => 4,
    }
}

fn purpose_number(purpose: &str) -> u8 {
    ["test", "build", "lint", "run"]
        .iter()
        .position(|name| *name == purpose)
        .map_or(9, |at| at as u8)
}

/// Returns true if two texts have nearly the same words in the same order: "pnpm, not npm" and "npm, not pnpm" differ.
pub(crate) fn is_same_statement(one: &[u32], other: &[u32]) -> bool {
    let shortest = one.len().min(other.len());
    let longest = one.len().max(other.len());
    if shortest == 0 || (shortest as f64) < longest as f64 * 0.6 {
        return false;
    }
    if shortest < 4 {
        return one == other;
    }
    common(one, other) as f64 >= SHARED_MIN * longest as f64
}

/// The length of the longest common subsequence.
fn common(one: &[u32], other: &[u32]) -> usize {
    let mut row = vec![0_usize; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (at, candidate) in other.iter().enumerate() {
            let above = row.get(at + 1).copied().unwrap_or(0);
            let left = row.get(at).copied().unwrap_or(0);
            let best = if word == candidate {
                diagonal + 1
            } else {
                above.max(left)
            };
            diagonal = above;
            if let Some(cell) = row.get_mut(at + 1) {
                *cell = best;
            }
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Returns the stable key of a finding.
pub(crate) fn key_of(project: u64, kind: FindingKind, words: &[u32]) -> String {
    let mut bytes = project.to_le_bytes().to_vec();
    bytes.push(kind_number(kind));
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    format!("{:032x}", xxh3_128(&bytes))
}
