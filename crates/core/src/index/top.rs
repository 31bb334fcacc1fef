//! The best records of a search: top-k selection.

use super::found::Found;

/// The best records of all parts so far.
#[derive(Debug)]
pub(super) struct Top {
    limit: usize,
    found: Vec<Found>,
}

impl Top {
    /// Keeps at most `limit` records.
    pub fn new(limit: usize) -> Self {
        Top {
            limit,
            found: Vec::new(),
        }
    }

    /// Returns the records, best first.
    pub fn into_sorted(self) -> Vec<Found> {
        self.found
    }

    /// Returns whether a record with this score would be kept.
    #[inline]
    pub fn admits(&self, score: f32) -> bool {
        self.found.len() < self.limit || self.found.last().is_some_and(|last| score >= last.score)
    }

    /// Returns the minimum score of a record to be kept; 0 while there is room.
    pub fn floor(&self) -> f32 {
        self.found
            .last()
            .filter(|_| self.found.len() >= self.limit)
            .map_or(0.0, |last| last.score)
    }

    /// Adds a record.
    pub fn offer(&mut self, found: Found) {
        let at = self.found.partition_point(|other| other.order(&found).is_lt());
        if at < self.limit {
            self.found.truncate(self.limit - 1);
            self.found.insert(at, found);
        }
    }

    /// Adds many records.
    pub fn extend(&mut self, found: Vec<Found>) {
        self.found.extend(found);
        self.found.sort_unstable_by(Found::order);
        self.found.truncate(self.limit);
    }
}

/// The best records of a part by score, including ties.
pub(super) struct PartTop {
    limit: usize,
    least: f32,
    /// The best scores, best first.
    scores: Vec<f32>,
    /// Score, number and words, including some records that have fallen below the floor since.
    records: Vec<(f32, u32, u32)>,
}

impl PartTop {
    /// Starts with the floor of `top`.
    pub fn new(top: &Top) -> Self {
        PartTop {
            limit: top.limit,
            least: top.floor(),
            scores: Vec::with_capacity(top.limit + 1),
            records: Vec::with_capacity(top.limit * 4),
        }
    }

    /// Returns the minimum score.
    #[inline]
    pub fn floor(&self) -> f32 {
        match self.scores.get(self.limit - 1) {
            Some(last) => last.max(self.least),
            None => self.least,
        }
    }

    /// Adds a record that reaches the floor.
    pub fn take(&mut self, doc: u32, score: f32, words: u32) {
        self.records.push((score, doc, words));
        let at = self.scores.partition_point(|other| *other >= score);
        if at < self.limit {
            self.scores.truncate(self.limit - 1);
            self.scores.insert(at, score);
        }
    }

    /// Returns the score, number and words of the records that reach the floor.
    pub fn records(&self) -> impl Iterator<Item = &(f32, u32, u32)> {
        let floor = self.floor();
        self.records.iter().filter(move |record| record.0 >= floor)
    }
}
