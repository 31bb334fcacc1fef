//! The inverted index: for each term, the chunks that contain it, with weights (Zobel and Moffat 2006, "Inverted Files for
//! Text Search Engines").
//!
//! A posting list has one group per file: the difference to the previous file, the number of chunks, and for each chunk the
//! difference to the previous one in the file and its weight, all numbers in LEB128. Difference from the paper: chunk
//! numbers are relative to the file, so that the group of an unchanged file can be copied, and a change patches only the
//! lists of the terms that the changed files had or have.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::layout::{TERM_BYTES, number_at, offset, push};
use super::read::Graph;
use super::varint::{push_varint, take_varint};
use crate::terms::{Terms, terms_of, terms_of_path};

/// The number of bits of a posting's weight.
const WEIGHT_BITS: u32 = 6;
const WEIGHT_MAX: u32 = (1 << WEIGHT_BITS) - 1;

/// The terms of one file.
#[derive(Debug, Default)]
pub struct FileTerms {
    bytes: Vec<u8>,
    groups: Vec<Group>,
}

/// A term of a file: its number of chunks, and the range of their postings.
#[derive(Debug, Clone, Copy)]
struct Group {
    hash: u32,
    count: u32,
    from: u32,
    to: u32,
}

impl FileTerms {
    fn chunks_of(&self, group: &Group) -> &[u8] {
        self.bytes
            .get(group.from as usize..group.to as usize)
            .unwrap_or_default()
    }
}

/// Inverts the terms of a file. The words of its path are added to each of its chunks.
pub fn invert<'t>(path: &str, chunks: impl Iterator<Item = &'t [u8]> + Clone) -> FileTerms {
    let of_path = terms_of_path(&mut Terms::default(), path);
    let count = chunks
        .clone()
        .map(|terms| terms_of(terms).len() + terms_of(&of_path).len());
    let mut all: Vec<u64> = Vec::with_capacity(count.sum());
    for (local, terms) in (0_u32..).zip(chunks) {
        let both = terms_of(terms).chain(terms_of(&of_path));
        all.extend(both.map(|(hash, weight)| {
            u64::from(hash) << 32 | u64::from(local) << WEIGHT_BITS | u64::from(u32::from(weight).min(WEIGHT_MAX))
        }));
    }
    all.sort_unstable();
    let mut terms = FileTerms {
        bytes: Vec::with_capacity(all.len() * 2),
        ..FileTerms::default()
    };
    for same_hash in all.chunk_by(|a, b| a >> 32 == b >> 32) {
        let Some(first) = same_hash.first() else { continue };
        let from = offset(terms.bytes.len());
        let (mut before, mut count) = (0, 0);
        for same in same_hash.chunk_by(|a, b| a >> WEIGHT_BITS == b >> WEIGHT_BITS) {
            let local = same.first().map_or(0, |one| *one as u32) >> WEIGHT_BITS;
            let weight = same.iter().map(|one| *one as u32 & WEIGHT_MAX).sum::<u32>();
            push_varint(&mut terms.bytes, local - before);
            terms.bytes.push(weight.min(WEIGHT_MAX) as u8);
            before = local;
            count += 1;
        }
        terms.groups.push(Group {
            hash: (first >> 32) as u32,
            count,
            from,
            to: offset(terms.bytes.len()),
        });
    }
    terms
}

/// Writes the table of terms and their posting lists, in ascending order of the terms.
#[derive(Default)]
struct Writer {
    table: Vec<u8>,
    lists: Vec<u8>,
}

/// The group of a file in a posting list: the file's number, the number of chunks, and their postings.
type Part<'t> = (u32, u32, &'t [u8]);

impl Writer {
    fn add<'t>(&mut self, hash: u32, parts: impl Iterator<Item = Part<'t>>) {
        let first = self.lists.len();
        let (mut before, mut total) = (0, 0);
        for (file, count, chunks) in parts {
            push_varint(&mut self.lists, file - before);
            push_varint(&mut self.lists, count);
            self.lists.extend_from_slice(chunks);
            before = file;
            total += count;
        }
        if total > 0 {
            let len = offset(self.lists.len() - first);
            push(&mut self.table, &[hash, offset(first), len, total]);
        }
    }

    /// Copies consecutive terms of another table.
    fn copy(&mut self, table: &[u8], lists: &[u8]) -> Option<()> {
        let Some(last) = table.len().checked_sub(TERM_BYTES) else {
            return Some(());
        };
        let from = number_at(table, 4)?;
        let to = number_at(table, last + 4)?.checked_add(number_at(table, last + 8)?)?;
        let shift = offset(self.lists.len()).wrapping_sub(from);
        self.lists.extend_from_slice(lists.get(from as usize..to as usize)?);
        for term in table.chunks_exact(TERM_BYTES) {
            let at = |place: usize| number_at(term, place);
            push(&mut self.table, &[at(0)?, at(4)?.wrapping_add(shift), at(8)?, at(12)?]);
        }
        Some(())
    }
}

/// The terms are merged in shares by their first bits, each by one core: less is in memory at once, and nearer.
const SHARE_BITS: u32 = 6;

/// Merges the terms of all files.
pub fn merge(files: &[FileTerms]) -> (Vec<u8>, Vec<u8>) {
    let shares = (0..1 << SHARE_BITS).into_par_iter();
    let shares: Vec<Writer> = shares.map(|share| merge_share(files, share)).collect();
    let mut all = Writer::default();
    all.table.reserve(shares.iter().map(|share| share.table.len()).sum());
    all.lists.reserve(shares.iter().map(|share| share.lists.len()).sum());
    for share in shares {
        // Only a damaged table cannot be copied.
        let _ = all.copy(&share.table, &share.lists);
    }
    (all.table, all.lists)
}

fn merge_share(files: &[FileTerms], share: u32) -> Writer {
    let share_of = |group: &Group| group.hash >> (u32::BITS - SHARE_BITS);
    let mut all: Vec<(u32, &FileTerms, &Group)> = Vec::new();
    for (file, terms) in (0_u32..).zip(files) {
        let from = terms.groups.partition_point(|group| share_of(group) < share);
        let groups = terms.groups.iter().skip(from);
        all.extend(
            groups
                .take_while(|group| share_of(group) == share)
                .map(|group| (file, terms, group)),
        );
    }
    all.sort_unstable_by_key(|(file, _, group)| (group.hash, *file));
    let mut writer = Writer::default();
    for same in all.chunk_by(|a, b| a.2.hash == b.2.hash) {
        let Some((.., first)) = same.first() else { continue };
        let parts = same.iter();
        writer.add(
            first.hash,
            parts.map(|(file, terms, group)| (*file, group.count, terms.chunks_of(group))),
        );
    }
    writer
}

/// Patches the posting lists of a graph for a few changed files: for each its number, its old terms and its new ones.
/// Returns `None` when the graph is damaged.
pub fn patch(old: &Graph, changes: &[(u32, FileTerms, FileTerms)]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (table, lists) = old.terms();
    let mut touched: BTreeMap<u32, BTreeMap<u32, Option<Part<'_>>>> = BTreeMap::new();
    for (file, had, has) in changes {
        for group in &had.groups {
            touched.entry(group.hash).or_default().insert(*file, None);
        }
        for group in &has.groups {
            let part = (*file, group.count, has.chunks_of(group));
            touched.entry(group.hash).or_default().insert(*file, Some(part));
        }
    }
    let mut writer = Writer::default();
    writer.lists.reserve(lists.len() + 1024);
    writer.table.reserve(table.len() + 1024);
    let mut rest = table;
    for (hash, files) in &touched {
        let (terms, _) = rest.as_chunks::<TERM_BYTES>();
        let before = terms.partition_point(|term| number_at(term, 0) < Some(*hash));
        let (same, behind) = rest.split_at_checked(before * TERM_BYTES)?;
        writer.copy(same, lists)?;
        rest = behind;
        let mut parts: BTreeMap<u32, Part<'_>> = BTreeMap::new();
        if number_at(rest, 0) == Some(*hash) {
            let from = number_at(rest, 4)? as usize;
            let bytes = lists.get(from..from.checked_add(number_at(rest, 8)? as usize)?)?;
            parts.extend(parts_of(bytes)?.into_iter().map(|part| (part.0, part)));
            rest = rest.get(TERM_BYTES..)?;
        }
        for (file, part) in files {
            match part {
                Some(part) => drop(parts.insert(*file, *part)),
                None => drop(parts.remove(file)),
            }
        }
        writer.add(*hash, parts.into_values());
    }
    writer.copy(rest, lists)?;
    Some((writer.table, writer.lists))
}

/// Splits a posting list into the groups of its files.
fn parts_of(bytes: &[u8]) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let (mut rest, mut file) = (bytes, 0_u32);
    while !rest.is_empty() {
        file = file.checked_add(take_varint(&mut rest)?)?;
        let count = take_varint(&mut rest)?;
        let from = rest;
        for _ in 0..count {
            take_varint(&mut rest)?;
            rest = rest.get(1..)?;
        }
        parts.push((file, count, from.get(..from.len() - rest.len())?));
    }
    Some(parts)
}
