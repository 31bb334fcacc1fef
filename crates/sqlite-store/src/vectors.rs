//! The codes of the vectors of one model in one array in memory, with exact k-nearest-neighbour search: filter all rows by the bounds of
//! their codes ([`super::codes`]), then refine the candidates with their vectors, which the database has. The result equals that of
//! comparing all rows. A long text has rows for its [pieces](super::pieces) too, and is as near as the nearest of them.
//! [`super::vector_file`] is the array as a file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rusqlite::{CachedStatement, Connection, params};
use rustc_hash::FxHashMap;

use super::StoreFilter;
use super::codes::Codes;
use forge_memory_core::clock::Millis;
use forge_memory_core::meaning::quantization::{CodedQuery, Range};
pub(super) use forge_memory_core::meaning::unit_of;
use forge_memory_core::text::calibration::{Calibration, SAMPLE};
use forge_memory_core::text::fusion::Figures;

const LANES: usize = 16;
/// Deleted rows leave holes; at this percentage the array is rebuilt.
const HOLES_PERCENT_MAX: usize = 25;

/// `+` keeps SQLite from the index by model, after which it would sort all vectors: they are in the order of their numbers.
const NEW_VECTORS: &str = "SELECT v.n, v.seq, v.vector, t.project, t.type, t.captured_ms, t.expires_ms
    FROM vectors v JOIN thoughts t ON t.seq = v.seq
    WHERE v.n > ?1 AND +v.model = ?2 ORDER BY v.n";
const NEW_PIECES: &str = "SELECT p.n, p.seq, p.vector, t.project, t.type, t.captured_ms, t.expires_ms
    FROM pieces p JOIN thoughts t ON t.seq = p.seq
    WHERE p.n > ?1 AND +p.model = ?2 ORDER BY p.n";

/// The filter columns of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// The number of the vector, which changes with it; that of a piece is negated.
    pub n: i64,
    pub seq: i64,
    pub project: u32,
    pub kind: u32,
    pub captured_ms: Millis,
    /// When it expires: the maximum when it does not, the minimum when the row is deleted.
    pub expires_ms: Millis,
    /// True if the text has rows for its pieces.
    pub is_long: bool,
}

impl Facts {
    pub fn is_piece(&self) -> bool {
        self.n < 0
    }

    pub fn is_live(&self) -> bool {
        self.expires_ms != Millis::MIN
    }
}

#[derive(Debug)]
pub(super) struct VectorArray {
    pub name: String,
    pub model: i64,
    pub dimensions: usize,
    /// True if this connection has written to the file since the last read.
    pub is_stale: bool,
    /// The version of the data at the last read, and the numbers of the last vector and the last deletion.
    version: i64,
    pub last_vector: i64,
    pub last_gone: i64,
    pub last_piece: i64,
    pub facts: Vec<Facts>,
    places: FxHashMap<i64, usize>,
    /// The rows of the pieces of each long text.
    pieces: FxHashMap<i64, Vec<usize>>,
    /// Projects and types, and their numbers.
    pub names: FxHashMap<String, u32>,
    pub codes: Codes,
    holes: usize,
    /// How many rows are newer than the file of the array.
    pub unsaved: usize,
    /// True if the file has the codes of forgotten thoughts.
    pub has_forgotten: bool,
    /// Where the model's cosines stand, and at which last vector and deletion that was found out.
    calibrated: Option<((i64, i64), Calibration)>,
}

/// A row and its cosine similarity to the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Neighbour {
    pub seq: i64,
    pub similarity: f32,
}

/// Orders by similarity; of equal ones the older row comes first.
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
            last_piece: 0,
            facts: Vec::new(),
            places: FxHashMap::default(),
            pieces: FxHashMap::default(),
            names: FxHashMap::default(),
            codes: Codes::new(dimensions),
            holes: 0,
            unsaved: 0,
            has_forgotten: false,
            calibrated: None,
        }
    }

    /// Fills an empty array with rows of a file.
    pub fn fill(&mut self, facts: Vec<Facts>, names: FxHashMap<String, u32>, codes: Codes) {
        (self.facts, self.names, self.codes) = (facts, names, codes);
        self.find_places();
    }

    /// Notes where the rows of each text are.
    fn find_places(&mut self) {
        self.places.clear();
        self.pieces.clear();
        for (place, facts) in self.facts.iter().enumerate() {
            if facts.is_piece() {
                self.pieces.entry(facts.seq).or_default().push(place);
            } else {
                self.places.insert(facts.seq, place);
            }
        }
        for facts in &mut self.facts {
            facts.is_long = self.pieces.contains_key(&facts.seq);
        }
    }

    /// Returns where the cosines of the model stand, by those of some of the rows to each other.
    pub fn calibration(&mut self, connection: &Connection) -> rusqlite::Result<Calibration> {
        if let known @ Calibration::Measured = Figures::of(&self.name).calibration {
            return Ok(known);
        }
        let of = (self.last_vector, self.last_gone);
        if let Some((_, known)) = self.calibrated.filter(|(known, _)| *known == of) {
            return Ok(known);
        }
        let is_whole = |facts: &&Facts| facts.is_live() && !facts.is_piece();
        let live: Vec<&Facts> = self.facts.iter().filter(is_whole).collect();
        let mut reader = VectorReader::new(connection, self.dimensions)?;
        let mut sample: Vec<Vec<f32>> = Vec::with_capacity(SAMPLE);
        for facts in live.iter().step_by((live.len() / SAMPLE).max(1)).take(SAMPLE) {
            if reader.read(facts.n)? {
                sample.push(reader.vector.clone());
            }
        }
        let calibration = Calibration::of_sample(&sample, |one, other| f64::from(dot(one, other)));
        self.calibrated = Some((of, calibration));
        Ok(calibration)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.facts.len() - self.holes
    }

    /// Reads the vectors that this and other processes have written since the last call. The caller has begun a transaction, so that no
    /// row is deleted in between.
    pub fn catch_up(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if version == self.version && !self.is_stale {
            return Ok(());
        }
        self.take_new(connection)?;
        self.drop_gone(connection)?;
        if self.holes * 100 > self.facts.len() * HOLES_PERCENT_MAX {
            self.fill_holes();
        }
        (self.version, self.is_stale) = (version, false);
        Ok(())
    }

    fn take_new(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.reserve(connection)?;
        self.last_vector = self.take_from(connection, NEW_VECTORS, self.last_vector, 1)?;
        self.last_piece = self.take_from(connection, NEW_PIECES, self.last_piece, -1)?;
        Ok(())
    }

    /// Takes the rows behind a number; `sign` says of which table they are. Returns the last number.
    fn take_from(&mut self, connection: &Connection, sql: &str, mut last: i64, sign: i64) -> rusqlite::Result<i64> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![last, self.model])?;
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            let blob = row.get_ref(2)?.as_blob().unwrap_or_default();
            if blob.len() != self.dimensions * 4 {
                continue;
            }
            let facts = Facts {
                n: sign * last,
                seq: row.get(1)?,
                project: self.number_of(row.get_ref(3)?.as_str().unwrap_or_default()),
                kind: self.number_of(row.get_ref(4)?.as_str().unwrap_or_default()),
                captured_ms: row.get(5)?,
                expires_ms: row.get::<_, Option<Millis>>(6)?.unwrap_or(Millis::MAX),
                is_long: sign < 0,
            };
            self.take(facts, blob);
        }
        Ok(last)
    }

    /// Makes room for all vectors at the first read; otherwise they would be copied as the arrays grow.
    fn reserve(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if !self.facts.is_empty() {
            return Ok(());
        }
        let sql = "SELECT count(*) FROM vectors WHERE model = ?1";
        let rows: usize = connection
            .prepare_cached(sql)?
            .query_row([self.model], |row| row.get(0))?;
        self.facts.reserve(rows);
        self.places.reserve(rows);
        self.codes.reserve(rows);
        Ok(())
    }

    fn take(&mut self, facts: Facts, blob: &[u8]) {
        let mut vector = Vec::with_capacity(self.dimensions);
        read_blob(blob, &mut vector);
        self.unsaved += 1;
        if facts.is_piece() {
            self.pieces.entry(facts.seq).or_default().push(self.facts.len());
            if let Some(whole) = self.places.get(&facts.seq).and_then(|place| self.facts.get_mut(*place)) {
                whole.is_long = true;
            }
            return self.push(facts, &vector);
        }
        let pieces = self.pieces.get(&facts.seq);
        let is_long = pieces.is_some();
        for place in pieces.into_iter().flatten() {
            if let Some(piece) = self.facts.get_mut(*place) {
                piece.expires_ms = facts.expires_ms;
            }
        }
        let facts = Facts { is_long, ..facts };
        match self.places.get(&facts.seq).copied() {
            Some(place) => self.replace(place, facts, &vector),
            None => {
                self.places.insert(facts.seq, self.facts.len());
                self.push(facts, &vector);
            }
        }
    }

    fn replace(&mut self, place: usize, facts: Facts, vector: &[f32]) {
        if let Some(own) = self.facts.get_mut(place) {
            *own = facts;
            self.codes.set(place, vector);
        }
    }

    fn push(&mut self, facts: Facts, vector: &[f32]) {
        self.facts.push(facts);
        self.codes.push(vector);
    }

    /// The rows of a text: the whole one, and its pieces.
    fn rows_of(&self, seq: i64) -> impl Iterator<Item = usize> {
        let pieces = self.pieces.get(&seq).into_iter().flatten();
        self.places.get(&seq).into_iter().chain(pieces).copied()
    }

    fn drop_gone(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached("SELECT n, seq, forgotten FROM gone WHERE n > ?1 ORDER BY n")?;
        let mut rows = statement.query([self.last_gone])?;
        while let Some(row) = rows.next()? {
            self.last_gone = row.get(0)?;
            let seq: Option<i64> = row.get(1)?;
            let Some(seq) = seq else { continue };
            let places: Vec<usize> = self.rows_of(seq).collect();
            self.places.remove(&seq);
            self.pieces.remove(&seq);
            for place in places {
                if let Some(facts) = self.facts.get_mut(place) {
                    facts.expires_ms = Millis::MIN;
                    self.holes += 1;
                    // Before the first version was read, all rows are those of the file.
                    self.has_forgotten |= self.version < 0 && row.get::<_, bool>(2)?;
                }
            }
        }
        Ok(())
    }

    fn fill_holes(&mut self) {
        let facts = std::mem::take(&mut self.facts);
        let is_live: Vec<bool> = facts.iter().map(Facts::is_live).collect();
        self.codes.retain(&is_live);
        self.facts = facts.into_iter().filter(Facts::is_live).collect();
        self.find_places();
        self.holes = 0;
    }

    fn number_of(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), number);
        number
    }

    /// Returns the `count` nearest texts that match the filter, nearest first, and how many match it. `query` has length 1.
    pub fn nearest(
        &self,
        connection: &Connection,
        query: &[f32],
        filter: &StoreFilter,
        count: usize,
    ) -> rusqlite::Result<(Vec<Neighbour>, usize)> {
        let wanted = |name: &Option<String>| match name {
            None => Some(None),
            Some(name) => self.names.get(name).map(|number| Some(*number)),
        };
        let (Some(project), Some(kind)) = (wanted(&filter.project), wanted(&filter.kind)) else {
            return Ok((Vec::new(), 0));
        };
        let since = filter.since.unwrap_or(Millis::MIN);
        let matches = |facts: &Facts| {
            facts.expires_ms > filter.now
                && facts.captured_ms >= since
                && project.is_none_or(|project| facts.project == project)
                && kind.is_none_or(|kind| facts.kind == kind)
        };
        let coded = CodedQuery::new(query);
        let (candidates, compared) = self.candidates(&coded, count, matches);
        let mut reader = VectorReader::new(connection, self.dimensions)?;
        let mut top = TopK::new(count);
        for candidate in candidates {
            // The next ones cannot be nearer either: the candidates are in the order of their upper bounds.
            if candidate.most < top.least {
                break;
            }
            if let Some(similarity) = self.similarity(&mut reader, query, &coded, candidate.seq)? {
                top.offer(Ranked(similarity, Reverse(candidate.seq)));
            }
        }
        Ok((top.nearest_first(), compared))
    }

    /// Returns the cosine similarity of texts to the query, for each that has a vector.
    pub fn similarities(
        &self,
        connection: &Connection,
        query: &[f32],
        texts: impl Iterator<Item = i64>,
    ) -> rusqlite::Result<Vec<Option<f32>>> {
        let mut reader = VectorReader::new(connection, self.dimensions)?;
        let coded = CodedQuery::new(query);
        texts
            .map(|seq| self.similarity(&mut reader, query, &coded, seq))
            .collect()
    }

    /// The similarity of a text: that of the nearest of its rows. A row that cannot be nearer than one before is not read.
    fn similarity(
        &self,
        reader: &mut VectorReader<'_>,
        query: &[f32],
        coded: &CodedQuery,
        seq: i64,
    ) -> rusqlite::Result<Option<f32>> {
        if !self.pieces.contains_key(&seq) {
            let facts = self.places.get(&seq).and_then(|place| self.facts.get(*place));
            return match facts {
                Some(facts) if reader.read(facts.n)? => Ok(Some(dot(query, &reader.vector))),
                _ => Ok(None),
            };
        }
        let bound = |place: usize| Some((self.codes.row(place)?.range(coded).most, self.facts.get(place)?.n));
        let mut rows: Vec<(f32, i64)> = self.rows_of(seq).filter_map(bound).collect();
        rows.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
        let mut best: Option<f32> = None;
        for (most, n) in rows {
            if best.is_some_and(|best| most < best) {
                break;
            }
            if reader.read(n)? {
                let similarity = dot(query, &reader.vector);
                best = Some(best.map_or(similarity, |best| best.max(similarity)));
            }
        }
        Ok(best)
    }

    /// Returns all texts that can be among the `count` nearest according to the bounds of their codes, by their upper bounds, and how many
    /// texts match.
    fn candidates(&self, query: &CodedQuery, count: usize, matches: impl Fn(&Facts) -> bool) -> (Vec<Possible>, usize) {
        let mut sure = TopK::new(count);
        let mut possible: Vec<Possible> = Vec::with_capacity(16 * count);
        let mut compared = 0;
        let mut offer = |seq: i64, range: Range| {
            compared += 1;
            if range.most >= sure.least {
                possible.push(Possible { seq, most: range.most });
                sure.offer(Ranked(range.least, Reverse(seq)));
            }
        };
        for (facts, row) in self.facts.iter().zip(self.codes.rows()) {
            if !facts.is_long && matches(facts) {
                offer(facts.seq, row.range(query));
            }
        }
        // Each bound of a long text is the greatest of its rows, so that it is one candidate.
        for seq in self.pieces.keys() {
            let matching = self
                .rows_of(*seq)
                .filter(|place| self.facts.get(*place).is_some_and(&matches));
            let ranges = matching.filter_map(|place| Some(self.codes.row(place)?.range(query)));
            let greatest = |one: Range, other: Range| Range {
                least: one.least.max(other.least),
                most: one.most.max(other.most),
            };
            if let Some(range) = ranges.reduce(greatest) {
                offer(*seq, range);
            }
        }
        possible.retain(|one| one.most >= sure.least);
        possible.sort_unstable_by(|a, b| b.most.total_cmp(&a.most).then(a.seq.cmp(&b.seq)));
        (possible, compared)
    }
}

/// A text that can be among the nearest.
#[derive(Debug, Clone, Copy)]
struct Possible {
    seq: i64,
    /// The upper bound of its similarity.
    most: f32,
}

struct VectorReader<'a> {
    whole: CachedStatement<'a>,
    piece: CachedStatement<'a>,
    dimensions: usize,
    /// The vector that was read last.
    vector: Vec<f32>,
}

impl<'a> VectorReader<'a> {
    fn new(connection: &'a Connection, dimensions: usize) -> rusqlite::Result<Self> {
        Ok(VectorReader {
            whole: connection.prepare_cached("SELECT vector FROM vectors WHERE n = ?1")?,
            piece: connection.prepare_cached("SELECT vector FROM pieces WHERE n = ?1")?,
            dimensions,
            vector: Vec::with_capacity(dimensions),
        })
    }

    /// Reads a vector; false when there is none of this number.
    fn read(&mut self, n: i64) -> rusqlite::Result<bool> {
        let statement = if n < 0 { &mut self.piece } else { &mut self.whole };
        let mut rows = statement.query([n.abs()])?;
        self.vector.clear();
        if let Some(row) = rows.next()? {
            read_blob(row.get_ref(0)?.as_blob().unwrap_or_default(), &mut self.vector);
        }
        Ok(self.vector.len() == self.dimensions)
    }
}

fn read_blob(blob: &[u8], vector: &mut Vec<f32>) {
    let (numbers, _) = blob.as_chunks::<4>();
    vector.extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
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

/// The dot product, in independent lanes that the compiler vectorizes.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
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

pub(super) fn blob_of(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::NEW_VECTORS;
    use crate::EmbeddedStore;
    use forge_memory_core::journal::OsDisk;

    #[test]
    fn vectors_are_read_in_the_order_of_the_file_without_a_sort() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let store = EmbeddedStore::open(&OsDisk, &folder.path().join("openbrain.db"))?;
        let mut plan = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {NEW_VECTORS}"))?;
        let steps: Vec<String> = plan
            .query_map([0, 1], |row| row.get("detail"))?
            .collect::<Result<_, _>>()?;
        assert!(steps.iter().all(|step| !step.contains("TEMP B-TREE")), "{steps:?}");
        Ok(())
    }
}
