//! Looks up duplicates in all parts of an index at once (batched lookups with prefetching): the cache misses of all parts and words overlap
//! instead of following one another.

use std::hint::black_box;

use super::entry::Entry;
use super::journal_index::Place;
use super::memory_segment::MemorySegment;
use super::near::{NearPosting, RAREST_USUAL, SignatureFilter, Wide, before_max, find_rarest, near_key};
use super::part::Part;
use super::segment::{Segment, rarity_of};

/// Calls `visit` with the candidates for exact duplicates of an entry, the oldest part first.
pub fn for_each_exact(parts: &[Part<'_>], exact: u64, mut visit: impl FnMut(Place)) {
    let touched = segments_of(parts).map(|(_, segment)| segment.touch_exact(exact));
    black_box(touched.fold(0, |bits, byte| bits ^ byte));
    for (number, part) in parts.iter().enumerate() {
        part.for_each_exact(exact, |doc| visit(Place { part: number, doc }));
    }
}

/// Calls `visit` with the candidates for near duplicates of an entry, some of them more than once.
pub fn for_each_near(parts: &[Part<'_>], entry: &Entry, threshold: f64, mut visit: impl FnMut(Place)) {
    let filter = SignatureFilter::new(entry.sketches, threshold);
    for (number, part) in parts.iter().enumerate() {
        if let Part::Memory(memtable) = part {
            in_memtable(memtable, entry, &filter, |doc| visit(Place { part: number, doc }));
        }
    }
    for list in find_lists(parts, entry, threshold) {
        let postings = list.postings.iter().map(NearPosting::unpack);
        for posting in postings.take_while(|posting| posting.before <= list.before_max) {
            if filter.lets_through(&posting) && passes_wide(&filter, list.segment.wide(posting.doc), &posting) {
                visit(Place {
                    part: list.part,
                    doc: posting.doc,
                });
            }
        }
    }
}

fn segments_of<'a>(parts: &[Part<'a>]) -> impl Iterator<Item = (usize, &'a Segment)> {
    let numbered = parts.iter().enumerate();
    numbered.filter_map(|(number, part)| Some((number, part.segment()?)))
}

fn in_memtable(memtable: &MemorySegment, entry: &Entry, filter: &SignatureFilter, mut visit: impl FnMut(u32)) {
    for posting in memtable.partition(entry.partition) {
        if filter.lets_through(posting) && passes_wide(filter, memtable.wide(posting.doc), posting) {
            visit(posting.doc);
        }
    }
}

/// Returns true if a record that passed the filter of its posting may still be a near duplicate, judged by its wide sketch.
#[inline]
fn passes_wide(filter: &SignatureFilter, wide: Option<Wide>, posting: &NearPosting) -> bool {
    wide.is_some_and(|wide| filter.lets_through_wide(wide, posting.count))
}

struct List<'a> {
    part: usize,
    segment: &'a Segment,
    postings: &'a [[u8; NearPosting::BYTES]],
    before_max: u8,
}

/// Finds the lists of the entry's rarest words in every segment.
fn find_lists<'a>(parts: &[Part<'a>], entry: &Entry, threshold: f64) -> Vec<List<'a>> {
    let keys: Vec<u64> = entry
        .statement
        .words()
        .iter()
        .map(|word| near_key(*word, entry.partition))
        .collect();
    let mut found = Vec::with_capacity(RAREST_USUAL);
    let mut rarest = Vec::with_capacity(RAREST_USUAL * segments_of(parts).count());
    for (part, segment) in segments_of(parts) {
        let rarities = segment.rarities();
        find_rarest(
            keys.iter().copied(),
            threshold,
            |key| rarity_of(rarities, key),
            &mut found,
        );
        rarest.extend(
            found
                .iter()
                .enumerate()
                .map(|(before, (_, key))| (part, segment, before, *key)),
        );
    }
    let touched = rarest.iter().map(|(_, segment, _, key)| segment.touch_near(*key));
    black_box(touched.fold(0, |bits, byte| bits ^ byte));
    let mut lists: Vec<List<'_>> = Vec::with_capacity(rarest.len());
    lists.extend(rarest.into_iter().filter_map(|(part, segment, before, key)| {
        Some(List {
            part,
            segment,
            postings: segment.near_list(key)?,
            before_max: before_max(before),
        })
    }));
    let heads = lists.iter().filter_map(|list| list.postings.first());
    black_box(heads.fold(0, |bits, head| bits ^ head[0]));
    lists
}
