//! A graph in a file that stays open, of which a query reads what it needs: whole tables, and the parts of files.
//!
//! It is not mapped into memory, so that a file that is truncated causes no signal. Each table and each part has a checksum. When
//! one is wrong, the bytes count as missing and the graph as damaged, and whoever asked reads the whole file.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use forge_memory_core::journal::DiskFile;
use xxhash_rust::xxh3::xxh3_64;

use super::header::GraphHeader;
use super::layout::{
    EDGE_BYTES, FILE_BYTES, FILE_CHECKSUM, FIRST_EDGE, FIRST_NODE, NODE_BYTES, NONE, SECTIONS, Section, long_at,
    number_at,
};

/// The texts, chunks, edges and dependencies of a file, one behind the other.
#[derive(Debug)]
pub(super) struct FilePart {
    bytes: Vec<u8>,
    /// Where the chunks, the edges and the dependencies begin.
    begins: [usize; 3],
    first_node: u32,
    first_edge: u32,
}

impl FilePart {
    pub(super) fn texts(&self) -> &[u8] {
        self.bytes.get(..self.begins[0]).unwrap_or_default()
    }

    pub(super) fn node(&self, number: u32) -> &[u8] {
        self.record(self.begins[0], number.wrapping_sub(self.first_node), NODE_BYTES)
    }

    pub(super) fn edge(&self, number: u32) -> &[u8] {
        self.record(self.begins[1], number.wrapping_sub(self.first_edge), EDGE_BYTES)
    }

    fn record(&self, begin: usize, local: u32, size: usize) -> &[u8] {
        let from = begin + local as usize * size;
        self.bytes.get(from..from + size).unwrap_or_default()
    }

    pub(super) fn all(&self) -> Option<[&[u8]; 4]> {
        let [nodes, edges, dependencies] = self.begins;
        let part = |range: Range<usize>| self.bytes.get(range);
        Some([
            part(0..nodes)?,
            part(nodes..edges)?,
            part(edges..dependencies)?,
            self.bytes.get(dependencies..)?,
        ])
    }
}

#[derive(Debug)]
pub(super) struct Lazy {
    file: Box<dyn DiskFile>,
    sections: Vec<OnceLock<Vec<u8>>>,
    parts: Vec<OnceLock<FilePart>>,
    /// The file of each chunk and of each edge.
    pub(super) file_of_node: Vec<u32>,
    pub(super) file_of_edge: Vec<u32>,
    damaged: AtomicBool,
}

impl Lazy {
    pub(super) fn new(file: Box<dyn DiskFile>, header: &GraphHeader) -> Self {
        let files = header.range(Section::Files).len() / FILE_BYTES;
        Lazy {
            file,
            sections: slots(SECTIONS),
            parts: slots(files),
            file_of_node: Vec::new(),
            file_of_edge: Vec::new(),
            damaged: AtomicBool::new(false),
        }
    }

    pub(super) fn section(&self, header: &GraphHeader, section: Section) -> &[u8] {
        let slot = self.sections.get(section as usize);
        slot.map_or(&[], |slot| {
            slot.get_or_init(|| self.checked(&[header.range(section)], header.checksum(section)))
        })
    }

    /// Returns a file's part, if it was asked for before.
    pub(super) fn known(&self, file: u32) -> Option<&FilePart> {
        self.parts.get(file as usize)?.get()
    }

    /// Reads a file's part from these places; `record` is its own.
    pub(super) fn part(&self, file: u32, ranges: &[Range<usize>; 4], record: &[u8]) -> Option<&FilePart> {
        let slot = self.parts.get(file as usize)?;
        Some(slot.get_or_init(|| {
            let [texts, nodes, edges, _] = ranges;
            let nodes_at = texts.len();
            let edges_at = nodes_at + nodes.len();
            FilePart {
                bytes: self.checked(ranges, long_at(record, FILE_CHECKSUM)),
                begins: [nodes_at, edges_at, edges_at + edges.len()],
                first_node: number_at(record, FIRST_NODE).unwrap_or(NONE),
                first_edge: number_at(record, FIRST_EDGE).unwrap_or(NONE),
            }
        }))
    }

    pub(super) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Reads these places; nothing when they do not have that checksum together.
    fn checked(&self, ranges: &[Range<usize>], checksum: Option<u64>) -> Vec<u8> {
        let mut bytes = vec![0; ranges.iter().map(Range::len).sum()];
        let mut rest = &mut bytes[..];
        for range in ranges {
            let (place, behind) = rest.split_at_mut(range.len());
            if !place.is_empty() && self.file.read_at(range.start as u64, place).is_err() {
                break;
            }
            rest = behind;
        }
        if checksum == Some(xxh3_64(&bytes)) {
            return bytes;
        }
        self.damaged.store(true, Ordering::Relaxed);
        Vec::new()
    }
}

fn slots<T>(count: usize) -> Vec<OnceLock<T>> {
    std::iter::repeat_with(OnceLock::new).take(count).collect()
}
