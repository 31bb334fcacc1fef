//! The best records of a search: top-k selection.

use std::hint::black_box;

use super::found::Found;

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

    /// Returns true if a record with this score would be kept.
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
    wanted: usize,
    /// The least score of a record that is kept.
    floor: f32,
    records: Vec<Scored>,
    /// How many records there may be before those below the floor are dropped.
    room: usize,
}

/// Score, number and words of a record.
type Scored = (f32, u32, u32);

impl PartTop {
    /// Starts with the floor of `top`, and keeps so many times its limit.
    pub fn new(top: &Top, times: usize) -> Self {
        let limit = top.limit * times;
        PartTop {
            limit,
            wanted: top.limit,
            floor: top.floor(),
            records: Vec::with_capacity(3 * limit),
            room: 3 * limit,
        }
    }

    /// Returns the minimum score.
    #[inline]
    pub fn floor(&self) -> f32 {
        self.floor
    }

    /// Adds a record that reaches the floor.
    #[inline]
    pub fn take(&mut self, doc: u32, score: f32, words: u32) {
        self.records.push((score, doc, words));
        if self.records.len() >= self.room {
            self.drop_low();
        }
    }

    /// Raises the floor to the lowest of the best scores, and drops records below it.
    fn drop_low(&mut self) {
        if self.limit == 0 || self.records.len() < self.limit {
            return;
        }
        let (_, last, _) = self
            .records
            .select_nth_unstable_by(self.limit - 1, |a, b| b.0.total_cmp(&a.0));
        let floor = last.0.max(self.floor);
        self.floor = floor;
        self.records.retain(|(score, ..)| *score >= floor);
        // Many may have the same score.
        self.room = self.records.len() + 2 * self.limit;
    }

    /// Returns the best records that are admitted, as many as are wanted and those of the same score, and whether no other record can be
    /// among the best. `touch` is called first with those that will be asked about: their cache misses overlap.
    pub fn admitted(
        &mut self,
        top: &Top,
        touch: impl Fn(u32) -> u8,
        is_admitted: impl Fn(u32) -> bool,
    ) -> (Vec<Scored>, bool) {
        self.drop_low();
        self.records.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let first = self.records.iter().take(self.wanted);
        black_box(first.map(|record| touch(record.1)).fold(0, |bits, byte| bits ^ byte));
        let mut admitted: Vec<Scored> = Vec::with_capacity(self.wanted);
        for record in &self.records {
            let is_tie = admitted.last().is_some_and(|last| last.0 == record.0);
            if admitted.len() >= self.wanted && !is_tie {
                break;
            }
            if is_admitted(record.1) {
                admitted.push(*record);
            }
        }
        let is_enough = admitted.len() >= self.wanted || self.floor <= top.floor();
        (admitted, is_enough)
    }

    /// Returns true if none of the best was left out.
    pub fn were_all_admitted(&self, admitted: &[Scored]) -> bool {
        self.records.get(..admitted.len()) == Some(admitted)
    }
}
