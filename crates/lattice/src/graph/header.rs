//! The header of `graph.bin`, which needs no other part of the file.

use std::ops::Range;
use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile};
use xxhash_rust::xxh3::xxh3_64;

use super::layout::{
    EDGE_BYTES, FORMAT, HEADER_BYTES, MAGIC, NODE_BYTES, SECTION_BYTES, SECTIONS, Section, long_at, number_at,
};
use crate::contents::open;

/// What the beginning of the file tells: the tree that it was built from, and where the sections are.
#[derive(Debug)]
pub struct GraphHeader {
    /// Their places and checksums.
    pub(super) sections: Vec<(Range<usize>, u64)>,
    tree: u64,
}

const HEADER_END: usize = HEADER_BYTES + SECTIONS * SECTION_BYTES;

impl GraphHeader {
    /// Reads only the header of a file; `None` when there is none.
    pub fn read(disk: &dyn Disk, path: &Path) -> Option<Self> {
        GraphHeader::of_file(open(disk, path).ok()?.as_ref())
    }

    pub(super) fn of_file(file: &dyn DiskFile) -> Option<Self> {
        let mut bytes = [0; HEADER_END];
        let count = file.read_at(0, &mut bytes).ok()?;
        GraphHeader::of(bytes.get(..count)?, usize::try_from(file.state().ok()?.len).ok()?)
    }

    /// Decodes the header of a file with this many bytes.
    pub(super) fn of(bytes: &[u8], all: usize) -> Option<Self> {
        let (header, table) = bytes.get(..HEADER_END)?.split_at_checked(HEADER_BYTES)?;
        if !header.starts_with(MAGIC) || number_at(header, 4)? != FORMAT || long_at(header, 16)? != xxh3_64(table) {
            return None;
        }
        let mut sections = Vec::with_capacity(SECTIONS);
        let mut end = HEADER_END;
        for entry in table.chunks_exact(SECTION_BYTES) {
            let from = usize::try_from(long_at(entry, 0)?).ok()?;
            let len = usize::try_from(long_at(entry, 8)?).ok()?;
            if from != end {
                return None;
            }
            end = from.checked_add(len)?;
            sections.push((from..end, long_at(entry, 16)?));
        }
        let tree = long_at(header, 8)?;
        (end == all).then_some(GraphHeader { sections, tree })
    }

    pub(super) fn range(&self, section: Section) -> Range<usize> {
        let entry = self.sections.get(section as usize);
        entry.map_or(0..0, |(range, _)| range.clone())
    }

    pub(super) fn checksum(&self, section: Section) -> Option<u64> {
        self.sections.get(section as usize).map(|(_, checksum)| *checksum)
    }

    pub(super) fn records(&self, section: Section, size: usize) -> u32 {
        u32::try_from(self.range(section).len() / size).unwrap_or(0)
    }

    /// Returns the hash of the tree of files.
    pub fn tree(&self) -> u64 {
        self.tree
    }

    /// Returns the number of chunks.
    pub fn nodes(&self) -> u32 {
        self.records(Section::Nodes, NODE_BYTES)
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> u32 {
        self.records(Section::Edges, EDGE_BYTES)
    }
}
