//! The vectors of one model in one array in memory, with exact k-nearest-neighbour search: filter all rows by the bounds of their
//! codes ([`super::codes`]), then refine the candidates. The result equals that of comparing all rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::StoreFilter;
use super::codes::{CodedQuery, Codes};
use forge_memory_core::clock::Millis;

const LANES: usize = 16;
/// Deleted rows leave holes; at this percentage the array is rebuilt.
const HOLES_PERCENT_MAX: usize = 25;

/// The filter columns of a row.
#[derive(Debug, Clone, Copy)]
struct Facts {
    seq: i64,
    project: u32,
    kind: u32,
    captured_ms: Millis,
    /// When it expires: the maximum when it does not, the minimum when the row is deleted.
    expires_ms: Millis,
}

/// The vectors of one model.
#[derive(Debug)]
pub(super) struct VectorArray {
    pub name: String,
    pub model: i64,
    pub dimensions: usize,
    /// Set when this connection has written to the file.
    pub is_stale: bool,
    /// The version of the data at the last read, the number of the last vector, and of the last deletion.
    version: i64,
    last_vector: i64,
    last_gone: i64,
    facts: Vec<Facts>,
    places: FxHashMap<i64, usize>,
    names: FxHashMap<String, u32>,
    data: Vec<f32>,
    codes: Codes,
    holes: usize,
}

/// A row, and its cosine with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Neighbour {
    pub seq: i64,
    pub similarity: f32,
}

/// Orders by similarity; of equals the older row comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ranked(f32, Reverse<i64>);

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl VectorArray {
    pub fn new(name: &str, model: i64, dimensions: usize) -> Self {
        VectorArray {
            name: name.to_owned(),
            model,
            dimensions,
            is_stale: true,
            version: -1,
            last_vector: 0,
            last_gone: 0,
            facts: Vec::new(),
            places: FxHashMap::default(),
            names: FxHashMap::default(),
            data: Vec::new(),
            codes: Codes::new(dimensions),
            holes: 0,
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.facts.len() - self.holes
    }

    /// Reads what this and other processes have written since the last call.
    pub fn catch_up(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if version == self.version && !self.is_stale {
            return Ok(());
        }
        // One snapshot for both queries, so that no row is deleted in between.
        let snapshot = connection.unchecked_transaction()?;
        self.take_new(&snapshot)?;
        self.drop_gone(&snapshot)?;
        snapshot.finish()?;
        if self.holes * 100 > self.facts.len() * HOLES_PERCENT_MAX {
            self.fill_holes();
        }
        (self.version, self.is_stale) = (version, false);
        Ok(())
    }

    fn take_new(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "SELECT v.n, v.seq, v.vector, t.project, t.type, t.captured_ms, t.expires_ms
                   FROM vectors v JOIN thoughts t ON t.seq = v.seq
                   WHERE v.n > ?1 AND v.model = ?2 ORDER BY v.n";
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![self.last_vector, self.model])?;
        while let Some(row) = rows.next()? {
            self.last_vector = row.get(0)?;
            let blob = row.get_ref(2)?.as_blob().unwrap_or_default();
            if blob.len() != self.dimensions * 4 {
                continue;
            }
            let facts = Facts {
                seq: row.get(1)?,
                project: self.number_of(row.get_ref(3)?.as_str().unwrap_or_default()),
                kind: self.number_of(row.get_ref(4)?.as_str().unwrap_or_default()),
                captured_ms: row.get(5)?,
                expires_ms: row.get::<_, Option<Millis>>(6)?.unwrap_or(Millis::MAX),
            };
            self.take(facts, blob);
        }
        Ok(())
    }

    fn take(&mut self, facts: Facts, blob: &[u8]) {
        let (numbers, _) = blob.as_chunks::<4>();
        let vector: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        match self.places.get(&facts.seq).copied() {
            Some(place) => self.replace(place, facts, &vector),
            None => self.push(facts, &vector),
        }
    }

    fn replace(&mut self, place: usize, facts: Facts, vector: &[f32]) {
        let data = self.data.chunks_exact_mut(self.dimensions).nth(place);
        if let (Some(own), Some(data)) = (self.facts.get_mut(place), data) {
            *own = facts;
            data.copy_from_slice(vector);
            self.codes.set(place, vector);
        }
    }

    fn push(&mut self, facts: Facts, vector: &[f32]) {
        self.places.insert(facts.seq, self.facts.len());
        self.facts.push(facts);
        self.data.extend_from_slice(vector);
        self.codes.push(vector);
    }

    fn drop_gone(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached("SELECT n, seq FROM gone WHERE n > ?1 ORDER BY n")?;
        let mut rows = statement.query([self.last_gone])?;
        while let Some(row) = rows.next()? {
            self.last_gone = row.get(0)?;
            let seq: Option<i64> = row.get(1)?;
            let place = seq.and_then(|seq| self.places.remove(&seq));
            if let Some(facts) = place.and_then(|place| self.facts.get_mut(place)) {
                facts.expires_ms = Millis::MIN;
                self.holes += 1;
            }
        }
        Ok(())
    }

    fn fill_holes(&mut self) {
        let (facts, data) = (std::mem::take(&mut self.facts), std::mem::take(&mut self.data));
        self.places.clear();
        self.codes.clear();
        self.holes = 0;
        for (facts, vector) in facts.into_iter().zip(data.chunks_exact(self.dimensions)) {
            if facts.expires_ms != Millis::MIN {
                self.push(facts, vector);
            }
        }
    }

    fn number_of(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), number);
        number
    }

    /// Returns the `count` nearest rows that pass the filter, nearest first. `query` has length 1.
    pub fn nearest(&self, query: &[f32], filter: &StoreFilter, count: usize) -> Vec<Neighbour> {
        let wanted = |name: &Option<String>| match name {
            None => Some(None),
            Some(name) => self.names.get(name).map(|number| Some(*number)),
        };
        let (Some(project), Some(kind)) = (wanted(&filter.project), wanted(&filter.kind)) else {
            return Vec::new();
        };
        let since = filter.since.unwrap_or(Millis::MIN);
        let matches = |facts: &Facts| {
            facts.expires_ms > filter.now
                && facts.captured_ms >= since
                && project.is_none_or(|project| facts.project == project)
                && kind.is_none_or(|kind| facts.kind == kind)
        };
        let mut top = TopK::new(count);
        for (seq, vector) in self.candidates(query, count, matches) {
            top.offer(Ranked(dot(query, vector), Reverse(seq)));
        }
        top.nearest_first()
    }

    /// Returns all rows that can be among the `count` nearest, as far as their codes tell.
    fn candidates(
        &self,
        query: &[f32],
        count: usize,
        matches: impl Fn(&Facts) -> bool,
    ) -> impl Iterator<Item = (i64, &[f32])> {
        let query = CodedQuery::new(query);
        let mut sure = TopK::new(count);
        let mut possible: Vec<(i64, &[f32], f32)> = Vec::with_capacity(16 * count);
        let vectors = self.data.chunks_exact(self.dimensions);
        for ((facts, row), vector) in self.facts.iter().zip(self.codes.rows()).zip(vectors) {
            if !matches(facts) {
                continue;
            }
            let range = row.range(&query);
            if range.most >= sure.least {
                possible.push((facts.seq, vector, range.most));
                sure.offer(Ranked(range.least, Reverse(facts.seq)));
            }
        }
        let possible = possible.into_iter().filter(move |(_, _, most)| *most >= sure.least);
        possible.map(|(seq, vector, _)| (seq, vector))
    }
}

/// The k best so far: a bounded min-heap.
struct TopK {
    count: usize,
    heap: BinaryHeap<Reverse<Ranked>>,
    /// The k-th best value, the threshold for a new one.
    least: f32,
}

impl TopK {
    fn new(count: usize) -> Self {
        TopK {
            count,
            heap: BinaryHeap::with_capacity(count + 1),
            least: f32::NEG_INFINITY,
        }
    }

    fn offer(&mut self, one: Ranked) {
        if self.heap.len() < self.count {
            self.heap.push(Reverse(one));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && one > worst.0
        {
            *worst = Reverse(one);
        }
        if self.heap.len() == self.count {
            self.least = self.heap.peek().map_or(self.least, |worst| worst.0.0);
        }
    }

    fn nearest_first(self) -> Vec<Neighbour> {
        let near = |Reverse(Ranked(similarity, Reverse(seq)))| Neighbour { seq, similarity };
        self.heap.into_sorted_vec().into_iter().map(near).collect()
    }
}

/// The dot product, in lanes that the compiler vectorizes.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0_f32; LANES];
    let ((a_chunks, a_rest), (b_chunks, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for (sum, (x, y)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Normalizes a vector to norm 1; `None` when its norm is 0 or not finite.
pub(super) fn unit_of(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(|x| (f64::from(*x) / length) as f32).collect())
}

pub(super) fn blob_of(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}
