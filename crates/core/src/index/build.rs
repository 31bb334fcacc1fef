//! The segment builder: builds an immutable segment from the records of a range of the journal.

use rustc_hash::FxHashSet;

use super::SERIES_MIN;
use super::entry::Entry;
use super::memory_segment::{MemorySegment, Mutation, MutationKind};
use super::near::{NearPosting, RAREST_USUAL, find_rarest, near_key};
use super::postings::PostingsWriter;
use super::row::Row;
use super::ruled::{HashedRuling, pack_rulings};
use super::segment::{
    BORDER, FORMAT, HEADER_BYTES, MAGIC, SECTIONS, doc_mask, marked_doc, rarity_of, seal_header, slot_of, slots_from,
};
use super::vocabulary::pack_spellings;
use crate::clock::Millis;
use crate::journal::Span;
use crate::text::TermHash;

#[derive(Debug)]
pub(super) struct Builder {
    memtable: MemorySegment,
    /// The content words of all records, concatenated, as keys of their partitions.
    words: Vec<u64>,
    /// The offset of each record's words, and the record's part of its postings.
    near: Vec<(usize, NearPosting)>,
    revisions: FxHashSet<u64>,
    kept: Vec<Mutation>,
    rulings: Vec<HashedRuling>,
    /// The records by the keys of their claims. Sorting these lists once is faster than a map of lists.
    claims: Vec<(TermHash, u32)>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            memtable: MemorySegment::builder(),
            words: Vec::new(),
            near: Vec::new(),
            revisions: FxHashSet::default(),
            kept: Vec::new(),
            rulings: Vec::new(),
            claims: Vec::new(),
        }
    }
}

impl Builder {
    pub fn add(&mut self, entry: &Entry, span: Span) {
        let posting = NearPosting {
            sketch: entry.sketches.sketch,
            count: entry.sketches.count,
            before: 0,
            doc: self.memtable.docs(),
        };
        self.near.push((self.words.len(), posting));
        let doc = posting.doc;
        self.claims.extend(entry.claim_keys.iter().map(|key| (*key, doc)));
        if entry.partition != 0 {
            let words = entry.statement.words().iter();
            self.words.extend(words.map(|word| near_key(*word, entry.partition)));
        }
        if entry.supersedes.is_some() {
            self.revisions.insert(entry.id);
        }
        self.memtable.add(entry, span);
    }

    pub fn mutation(&mut self, mutation: Mutation) {
        self.memtable.mutation(mutation);
    }

    /// Notes that the newest record also exists in an older part, where it is hidden from `gone` on.
    pub fn repeat_newest(&mut self, mutation: Mutation, gone: Millis, confirmed: Millis) {
        self.memtable.mutations.push(mutation);
        self.memtable.inherit_newest(gone, confirmed);
    }

    /// Stores a mutation in the segment, whether or not it is about a record in it.
    pub fn keep(&mut self, mutation: Option<Mutation>) {
        self.kept.extend(mutation);
    }

    /// Stores a ruling, likewise.
    pub fn rule(&mut self, ruling: HashedRuling) {
        self.rulings.push(ruling);
    }

    pub fn docs(&self) -> u32 {
        self.memtable.docs()
    }

    /// Returns the segment's bytes. Near duplicates can be found for thresholds of at least `threshold`.
    pub fn finish(mut self, threshold: f64) -> Vec<u8> {
        self.settle_mutations();
        let (rarity, near_table, near) = self.index_near(threshold);
        let (term_table, postings) = self.index_terms();
        let (rows, kinds, lengths) = (&self.memtable.rows, &self.memtable.kind_of, &self.memtable.lengths);
        let kind_names = serde_json::to_vec(&self.memtable.kinds).unwrap_or_else(|_| b"[]".to_vec());
        let sections: [Vec<u8>; SECTIONS] = [
            pack(rows, |row| row.pack()),
            pack(kinds, |v| v.to_le_bytes()),
            pack(lengths, |v| v.to_le_bytes()),
            doc_table(rows, |row| row.id),
            doc_table(rows, |row| row.exact),
            term_table,
            postings,
            near_table,
            near,
            rarity,
            [pack_mutations(&self.memtable.mutations), pack_rulings(&self.rulings)].concat(),
            kind_names,
            pack(&self.memtable.wides, |[low, high]| {
                (u128::from(low) | u128::from(high) << 64).to_le_bytes()
            }),
            pack(&self.memtable.places, |v| v.to_le_bytes()),
            pack(&self.memtable.place_ends, |v| v.to_le_bytes()),
            pack_spellings(self.memtable.analysis.vocabulary()),
            pack(&self.memtable.sessions, |v| v.to_le_bytes()),
        ];
        assemble(&sections, self.memtable.docs(), self.memtable.words_total, threshold)
    }

    /// A merge can put a tombstone before the line that it is about.
    fn settle_mutations(&mut self) {
        let (repeated, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.memtable.mutations)
            .into_iter()
            .partition(|r| r.kind == MutationKind::Repeated);
        self.memtable.mutations = repeated;
        self.memtable.mutations.append(&mut self.kept);
        for mutation in others {
            let is_here = self.memtable.find_id(mutation.target).is_some();
            self.memtable.mutation(mutation);
            // A revision after its own successor may be part of a cycle; the mutation reports that when the segment is opened.
            if is_here && mutation.kind == MutationKind::Gone && self.revisions.contains(&mutation.target) {
                self.memtable.mutations.push(mutation);
            }
        }
    }

    fn index_terms(&mut self) -> (Vec<u8>, Vec<u8>) {
        let mut lists: Vec<_> = std::mem::take(&mut self.memtable.terms).into_iter().collect();
        // The same records give the same bytes on every machine.
        lists.sort_unstable_by_key(|(term, _)| *term);
        let mut bytes = Vec::new();
        let mut slots = Vec::with_capacity(lists.len());
        for (term, list) in lists {
            slots.push((term, bytes.len() as u32, list.count()));
            bytes.extend_from_slice(list.bytes());
        }
        add_lists(&mut self.claims, SERIES_MIN, &mut slots, &mut bytes);
        (key_table(&slots), bytes)
    }

    fn index_near(&self, threshold: f64) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let rarity = self.count_rarity();
        // The key of a list, followed by the position of the word and the number of the record in one integer. Sorting all at once is
        // faster than filling the lists one by one.
        let mut places: Vec<(u64, u64)> = Vec::with_capacity(self.near.len() * RAREST_USUAL);
        let mut rarest = Vec::with_capacity(RAREST_USUAL);
        for doc in 0..self.near.len() {
            let rare = |key| rarity_of(&rarity, key);
            find_rarest(self.words_of(doc).iter().copied(), threshold, rare, &mut rarest);
            for (before, (_, key)) in rarest.iter().enumerate() {
                places.push((*key, (before as u64) << 32 | doc as u64));
            }
        }
        places.sort_unstable();
        let mut bytes = Vec::with_capacity(places.len() * NearPosting::BYTES);
        let mut slots = Vec::new();
        for list in places.chunk_by(|one, next| one.0 == next.0) {
            let start = bytes.len() / NearPosting::BYTES;
            slots.extend(list.first().map(|(key, _)| (*key, start as u32, list.len() as u32)));
            for (_, place) in list {
                let (before, doc) = ((place >> 32) as u8, *place as u32);
                if let Some((_, posting)) = self.near.get(doc as usize) {
                    bytes.extend_from_slice(&NearPosting { before, ..*posting }.pack());
                }
            }
        }
        (rarity, key_table(&slots), bytes)
    }

    /// One byte per slot of words: the base-2 logarithm of the number of records with such a word, in steps of one half.
    fn count_rarity(&self) -> Vec<u8> {
        let slots = (self.memtable.docs() as usize * 4)
            .next_power_of_two()
            .clamp(1024, 1 << 17);
        let mut counts = vec![0_u32; slots];
        for key in &self.words {
            if let Some(count) = counts.get_mut(slot_of(*key, slots)) {
                *count += 1;
            }
        }
        counts
            .into_iter()
            .map(|n| (f64::from(n + 1).log2() * 8.0) as u8)
            .collect()
    }

    fn words_of(&self, at: usize) -> &[u64] {
        let start_of = |at: usize| self.near.get(at).map_or(self.words.len(), |(start, _)| *start);
        self.words.get(start_of(at)..start_of(at + 1)).unwrap_or(&[])
    }
}

/// Adds the posting lists of keys to those of terms. Lists of `most` records or more are never read and are omitted.
fn add_lists(
    postings: &mut [(TermHash, u32)],
    most: usize,
    slots: &mut Vec<(TermHash, u32, u32)>,
    bytes: &mut Vec<u8>,
) {
    postings.sort_unstable();
    let mut writer = PostingsWriter::default();
    for list in postings.chunk_by(|one, next| one.0 == next.0) {
        let Some((key, _)) = list.first().filter(|_| list.len() < most) else {
            continue;
        };
        writer.clear();
        list.iter().for_each(|(_, doc)| writer.push(*doc, 1));
        slots.push((*key, bytes.len() as u32, writer.count()));
        bytes.extend_from_slice(writer.bytes());
    }
}

fn pack<T: Copy, const N: usize>(values: &[T], bytes_of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| bytes_of(*value)).collect()
}

fn pack_mutations(mutations: &[Mutation]) -> Vec<u8> {
    let mut out = Vec::with_capacity(mutations.len() * 24);
    for mutation in mutations {
        let kind: u64 = match mutation.kind {
            MutationKind::Gone => 0,
            MutationKind::Confirmed => 1,
            MutationKind::Repeated => 2,
        };
        out.extend_from_slice(&mutation.target.to_le_bytes());
        out.extend_from_slice(&mutation.at.to_le_bytes());
        out.extend_from_slice(&kind.to_le_bytes());
    }
    out
}

/// The maximum number of records with one hash in a table; older ones are only found by reading. Bounds the cost of a file of a hundred
/// thousand equal lines.
pub(super) const SAME_HASH_MAX: usize = 16;

/// A hash table of record numbers with open addressing and a load factor of at most two thirds.
fn doc_table(rows: &[Row], hash_of: impl Fn(&Row) -> u64) -> Vec<u8> {
    if rows.is_empty() {
        return Vec::new();
    }
    let slots = rows.len() * 3 / 2 + 1;
    let mask = doc_mask(rows.len() as u32);
    let mut table = vec![0_u32; slots];
    for (doc, row) in rows.iter().enumerate().rev() {
        let hash = hash_of(row);
        let mut same = 0;
        for slot in slots_from(hash, slots) {
            let Some(place) = table.get_mut(slot) else { break };
            let taken = (*place & mask) as usize;
            let Some(other) = taken.checked_sub(1).and_then(|doc| rows.get(doc)) else {
                *place = marked_doc(doc as u32 + 1, hash, mask);
                break;
            };
            same += usize::from(hash_of(other) == hash);
            if same == SAME_HASH_MAX {
                break;
            }
        }
    }
    pack(&table, |v| v.to_le_bytes())
}

/// A hash table of (key, start, count) with open addressing and a load factor of four fifths; a count of 0 marks an empty slot.
fn key_table(keys: &[(u64, u32, u32)]) -> Vec<u8> {
    if keys.is_empty() {
        return Vec::new();
    }
    let slots = keys.len() * 5 / 4 + 1;
    let mut table = vec![(0_u64, 0_u32, 0_u32); slots];
    for entry in keys {
        let is_free = |slot: &usize| table.get(*slot).is_some_and(|(_, _, count)| *count == 0);
        let free = slots_from(entry.0, slots).find(is_free);
        if let Some(place) = free.and_then(|slot| table.get_mut(slot)) {
            *place = *entry;
        }
    }
    let mut out = Vec::with_capacity(slots * 16);
    for (key, start, count) in table {
        out.extend_from_slice(&key.to_le_bytes());
        out.extend_from_slice(&start.to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
    }
    out
}

fn assemble(sections: &[Vec<u8>; SECTIONS], docs: u32, words_total: u64, threshold: f64) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES + SECTIONS * 16);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&docs.to_le_bytes());
    header.extend_from_slice(&(SECTIONS as u32).to_le_bytes());
    header.extend_from_slice(&words_total.to_le_bytes());
    header.extend_from_slice(&threshold.to_bits().to_le_bytes());
    header.extend_from_slice(&[0; 8]);
    let mut at = (HEADER_BYTES + SECTIONS * 16).next_multiple_of(BORDER);
    for section in sections {
        header.extend_from_slice(&(at as u64).to_le_bytes());
        header.extend_from_slice(&(section.len() as u64).to_le_bytes());
        at = (at + section.len()).next_multiple_of(BORDER);
    }
    seal_header(&mut header);
    let mut out = Vec::with_capacity(at);
    out.extend_from_slice(&header);
    for section in sections {
        out.resize(out.len().next_multiple_of(BORDER), 0);
        out.extend_from_slice(section);
    }
    out
}
