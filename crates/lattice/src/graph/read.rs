//! Reads a graph. Every offset is bounds-checked; tables are searched by binary search.

use std::ops::Range;
use std::path::Path;

use forge_memory_core::Result;
use forge_memory_core::journal::Disk;
use xxhash_rust::xxh3::xxh3_64;

use super::header::GraphHeader;
use super::layout::{
    EDGE_BYTES, EDGE_KINDS, EdgeView, FILE_BYTES, FILE_CHECKSUM, FIRST_DEPENDENCY, FIRST_EDGE, FIRST_NODE, FIRST_TEXT,
    FileSpan, KEY_BYTES, NAME_BYTES, NODE_BYTES, NONE, NodeView, Section, TERM_BYTES, checksum_of, hash_of, long_at,
    number_at,
};
use super::lazy::{FilePart, Lazy};
use super::varint::take_varint;
use crate::contents::{INDEX_BYTES_MAX, open, read_if_there};
use crate::kind::Kind;
use crate::resolve::{KnownName, KnownNames, Resolved};

/// An immutable graph.
#[derive(Debug)]
pub struct Graph {
    bytes: GraphBytes,
    header: GraphHeader,
}

#[derive(Debug)]
enum GraphBytes {
    All(Vec<u8>),
    Asked(Box<Lazy>),
}

impl Graph {
    /// Reads the graph in a file; `None` when it is missing, damaged, or of another version.
    pub fn read(disk: &dyn Disk, path: &Path) -> Result<Option<Self>> {
        let bytes = read_if_there(disk, path, INDEX_BYTES_MAX)?;
        Ok(bytes.and_then(Graph::from_bytes).filter(Graph::is_whole))
    }

    /// Makes a graph of bytes in memory; `None` when its header is not valid.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        Some(Graph {
            header: GraphHeader::of(&bytes, bytes.len())?,
            bytes: GraphBytes::All(bytes),
        })
    }

    /// Opens the graph in a file, of which a query reads what it needs; `None` when its header is not valid.
    pub fn open(disk: &dyn Disk, path: &Path) -> Option<Self> {
        let file = open(disk, path).ok()?;
        let header = GraphHeader::of_file(file.as_ref())?;
        let lazy = Lazy::new(file, &header);
        let mut graph = Graph {
            bytes: GraphBytes::Asked(Box::new(lazy)),
            header,
        };
        let file_of_node = graph.file_of_each(FIRST_NODE, graph.nodes());
        let file_of_edge = graph.file_of_each(FIRST_EDGE, graph.edges());
        if let GraphBytes::Asked(lazy) = &mut graph.bytes {
            (lazy.file_of_node, lazy.file_of_edge) = (file_of_node, file_of_edge);
        }
        Some(graph)
    }

    /// Returns the file of each record, of which each file's begin at the number at this place of its own.
    fn file_of_each(&self, place: usize, count: u32) -> Vec<u32> {
        let mut files = Vec::with_capacity(count as usize);
        for next in 1..=self.files() {
            let end = number_at(self.file_record(next), place).unwrap_or(count).min(count);
            files.resize(files.len().max(end as usize), next - 1);
        }
        files
    }

    /// True if all of it is in memory.
    pub fn is_in_memory(&self) -> bool {
        matches!(self.bytes, GraphBytes::All(_))
    }

    /// True if bytes that a query needed are not those that were written.
    pub fn is_damaged(&self) -> bool {
        match &self.bytes {
            GraphBytes::All(_) => false,
            GraphBytes::Asked(lazy) => lazy.is_damaged(),
        }
    }

    /// Compares all bytes with their checksums.
    pub fn is_whole(&self) -> bool {
        let GraphBytes::All(all) = &self.bytes else {
            return false;
        };
        let files = (0..self.files()).all(|file| {
            let checksum = checksum_of(self.bytes_of(file).unwrap_or_default());
            long_at(self.file_record(file), FILE_CHECKSUM) == Some(checksum)
        });
        let mut tables = self.header.sections.iter().enumerate();
        files
            && tables.all(|(at, (range, checksum))| {
                PARTS.iter().any(|part| *part as usize == at) || all.get(range.clone()).map(xxh3_64) == Some(*checksum)
            })
    }

    fn section(&self, section: Section) -> &[u8] {
        match &self.bytes {
            GraphBytes::All(all) => all.get(self.header.range(section)).unwrap_or_default(),
            GraphBytes::Asked(lazy) => lazy.section(&self.header, section),
        }
    }

    /// Returns the record of a chunk, and its file.
    fn node_record(&self, number: u32) -> Option<(&[u8], u32)> {
        match &self.bytes {
            GraphBytes::All(_) => {
                let bytes = record(self.section(Section::Nodes), number, NODE_BYTES);
                Some((bytes, number_at(bytes, 8)?))
            }
            GraphBytes::Asked(lazy) => {
                let file = *lazy.file_of_node.get(number as usize)?;
                Some((self.part(lazy, file)?.node(number), file))
            }
        }
    }

    /// Returns the record of an edge, and the file of its caller.
    fn edge_record(&self, number: u32) -> Option<(&[u8], u32)> {
        match &self.bytes {
            GraphBytes::All(_) => {
                let bytes = record(self.section(Section::Edges), number, EDGE_BYTES);
                Some((bytes, number_at(bytes, 0)?))
            }
            GraphBytes::Asked(lazy) => {
                let file = *lazy.file_of_edge.get(number as usize)?;
                Some((self.part(lazy, file)?.edge(number), file))
            }
        }
    }

    /// Returns the texts of a file.
    fn texts(&self, file: u32) -> &[u8] {
        match &self.bytes {
            GraphBytes::All(_) => {
                let from = number_at(self.file_record(file), FIRST_TEXT).unwrap_or(NONE);
                self.section(Section::Text).get(from as usize..).unwrap_or_default()
            }
            GraphBytes::Asked(lazy) => self.part(lazy, file).map_or(&[], FilePart::texts),
        }
    }

    /// Returns the hash of the tree of files that it was built from.
    pub fn tree(&self) -> u64 {
        self.header.tree()
    }

    /// Returns the number of files.
    pub fn files(&self) -> u32 {
        self.header.records(Section::Files, FILE_BYTES)
    }

    /// Returns the number of chunks.
    pub fn nodes(&self) -> u32 {
        self.header.nodes()
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> u32 {
        self.header.edges()
    }

    fn file_record(&self, number: u32) -> &[u8] {
        record(self.section(Section::Files), number, FILE_BYTES)
    }

    /// Returns path and language of a file.
    pub fn file(&self, number: u32) -> (&str, &str) {
        let bytes = self.file_record(number);
        let texts = self.texts(number);
        (text_at(texts, bytes, 0), text_at(texts, bytes, 8))
    }

    /// Returns offsets and lengths of path and language in the texts of a file.
    pub(super) fn file_places(&self, number: u32) -> Option<[u32; 4]> {
        let bytes = self.file_record(number);
        let at = |place: usize| number_at(bytes, place);
        Some([at(0)?, at(4)?, at(8)?, at(12)?])
    }

    pub(super) fn file_of_edge(&self, number: u32) -> Option<u32> {
        self.edge_record(number).map(|(_, file)| file)
    }

    /// Returns the number of a file's first chunk.
    pub fn first_node(&self, file: u32) -> Option<u32> {
        number_at(self.file_record(file), FIRST_NODE)
    }

    /// Returns the offsets of a file's lines; those of the end after the last file.
    pub fn span(&self, file: u32) -> Option<FileSpan> {
        let bytes = self.file_record(file);
        Some(FileSpan {
            chunks: long_at(bytes, 32)?,
            edges: long_at(bytes, 40)?,
        })
    }

    /// Returns the texts, chunks, edges and dependencies of a file, in the form of [`super::Block`].
    pub fn bytes_of(&self, file: u32) -> Option<[&[u8]; 4]> {
        match &self.bytes {
            GraphBytes::All(all) => {
                let [texts, nodes, edges, dependencies] = self.places_of(file)?.map(|range| all.get(range));
                Some([texts?, nodes?, edges?, dependencies?])
            }
            GraphBytes::Asked(lazy) => self.part(lazy, file)?.all(),
        }
    }

    fn part<'g>(&'g self, lazy: &'g Lazy, file: u32) -> Option<&'g FilePart> {
        match lazy.known(file) {
            Some(part) => Some(part),
            None => lazy.part(file, &self.places_of(file)?, self.file_record(file)),
        }
    }

    fn places_of(&self, file: u32) -> Option<[Range<usize>; 4]> {
        let [texts, nodes, edges, dependencies] = PARTS.map(|section| self.place_of(file, section));
        Some([texts?, nodes?, edges?, dependencies?])
    }

    /// Returns where a file's part of a section is in the whole file.
    fn place_of(&self, file: u32, section: Section) -> Option<Range<usize>> {
        let (place, size) = match section {
            Section::Text => (FIRST_TEXT, 1),
            Section::Nodes => (FIRST_NODE, NODE_BYTES),
            Section::Edges => (FIRST_EDGE, EDGE_BYTES),
            _ => (FIRST_DEPENDENCY, 1),
        };
        let all = self.header.range(section);
        let begin = all.start + number_at(self.file_record(file), place)? as usize * size;
        let next = number_at(self.file_record(file + 1), place);
        let end = next.map_or(all.end, |next| all.start + next as usize * size);
        (begin <= end && end <= all.end).then_some(begin..end)
    }

    /// Returns the keys of a file's chunks.
    pub fn keys_of(&self, file: u32) -> Option<Vec<u64>> {
        let [_, nodes, ..] = self.bytes_of(file)?;
        Some(
            nodes
                .chunks_exact(NODE_BYTES)
                .filter_map(|node| long_at(node, 0))
                .collect(),
        )
    }

    pub(super) fn terms(&self) -> (&[u8], &[u8]) {
        (self.section(Section::Terms), self.section(Section::Postings))
    }

    /// Returns a chunk.
    pub fn node(&self, number: u32) -> Option<NodeView<'_>> {
        let (bytes, file) = self.node_record(number)?;
        let at = |place: usize| number_at(bytes, place);
        let first = self.first_node(file)?;
        let texts = self.texts(file);
        let text = |place: usize| text_at(texts, bytes, place);
        Some(NodeView {
            number,
            key: long_at(bytes, 0)?,
            file,
            kind: Kind::from_number(u8::try_from(at(12)?).ok()?)?,
            name: text(16),
            owner: text(24),
            signature: text(32),
            doc: text(40),
            range: (at(48)?, at(52)?),
            lines: (at(56)?, at(60)?),
            parent: at(64)
                .filter(|parent| *parent != NONE)
                .map(|parent| first.saturating_add(parent)),
            words: at(68)?,
            hash: bytes.get(72..)?,
        })
    }

    /// Returns the fields of a chunk that ranking and filters need: file, number of the kind, number of words.
    pub fn outline(&self, number: u32) -> Option<(u32, u8, u32)> {
        let (bytes, file) = self.node_record(number)?;
        Some((file, u8::try_from(number_at(bytes, 12)?).ok()?, number_at(bytes, 68)?))
    }

    /// Returns an edge.
    pub fn edge(&self, number: u32) -> Option<EdgeView<'_>> {
        let (bytes, file) = self.edge_record(number)?;
        let at = |place: usize| number_at(bytes, place);
        let texts = self.texts(file);
        let text = |place: usize| text_at(texts, bytes, place);
        let (caller, target) = self.ends(number);
        let marks = at(24)?;
        Some(EdgeView {
            caller,
            target,
            name: text(16),
            kind: EDGE_KINDS.get((marks >> 8) as usize).copied().unwrap_or("call"),
            resolved: resolution_of(marks),
            candidates: at(28)?,
            receiver: text(32),
            module: text(40),
            line: at(48)?,
            range: (at(52)?, at(56)?),
            count: at(60)?,
        })
    }

    /// Returns only how an edge was resolved.
    pub fn resolution(&self, number: u32) -> Option<Resolved> {
        resolution_of(number_at(self.edge_record(number)?.0, 24)?)
    }

    /// Returns the caller and the target of an edge.
    pub fn ends(&self, number: u32) -> (u32, Option<u32>) {
        let (bytes, _) = self.edge_record(number).unwrap_or_default();
        let chunk = |place: usize| {
            let file = number_at(bytes, place).filter(|file| *file != NONE)?;
            self.first_node(file)?.checked_add(number_at(bytes, place + 4)?)
        };
        (chunk(0).unwrap_or(NONE), chunk(8))
    }

    /// Returns the numbers of the edges that begin in a chunk.
    pub fn out_of(&self, node: u32) -> Range<u32> {
        span(self.section(Section::Out), node)
    }

    /// Returns the numbers of the edges that end in a chunk.
    pub fn into(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let lists = self.section(Section::InEdges);
        // A damaged span may end billions of places behind the last one.
        span(self.section(Section::In), node).map_while(move |at| number_at(lists, at as usize * 4))
    }

    /// Returns how many edges end in a chunk.
    pub fn count_into(&self, node: u32) -> u32 {
        let span = span(self.section(Section::In), node);
        span.end.saturating_sub(span.start)
    }

    /// Returns the chunk with that key.
    pub fn by_key(&self, key: u64) -> Option<u32> {
        let found = find::<KEY_BYTES, _>(self.section(Section::Keys), Some(key), |entry| long_at(entry, 0));
        number_at(found?, 8)
    }

    /// Returns the chunks with that name.
    pub fn named<'g>(&'g self, name: &'g str) -> impl Iterator<Item = u32> + 'g {
        let alike = self.list(Section::Names, Section::NameNodes, name);
        alike.filter(move |number| self.node(*number).is_some_and(|node| node.name == name))
    }

    /// Returns the chunks whose names satisfy a predicate, which is called once per name.
    pub fn named_like(&self, passes: impl Fn(&str) -> bool) -> Vec<u32> {
        let (table, lists) = (self.section(Section::Names), self.section(Section::NameNodes));
        let mut found = Vec::new();
        for name in table.as_chunks::<NAME_BYTES>().0 {
            let mut alike = listed(lists, Some(name));
            let Some(one) = alike.next() else { continue };
            if self.name(one).is_some_and(&passes) {
                found.push(one);
                found.extend(alike);
            }
        }
        found
    }

    /// Returns only the name of a chunk.
    fn name(&self, number: u32) -> Option<&str> {
        let (bytes, file) = self.node_record(number)?;
        Some(text_at(self.texts(file), bytes, 16))
    }

    /// Returns the edges that use that name.
    pub fn called<'g>(&'g self, name: &'g str) -> impl Iterator<Item = u32> + 'g {
        let alike = self.list(Section::Callees, Section::CalleeEdges, name);
        alike.filter(move |number| self.edge(*number).is_some_and(|edge| edge.name == name))
    }

    /// Returns the entries of a table under the hash of a name.
    fn list(&self, table: Section, lists: Section, name: &str) -> impl Iterator<Item = u32> + '_ {
        let (table, lists) = (self.section(table), self.section(lists));
        listed(lists, find(table, Some(hash_of(name)), |entry| long_at(entry, 0)))
    }

    /// Returns the number of chunks with a term, and its posting list.
    pub fn postings(&self, hash: u32) -> Option<(u32, Postings<'_>)> {
        let found = find::<TERM_BYTES, _>(self.section(Section::Terms), Some(hash), |term| number_at(term, 0))?;
        let (first, len) = (number_at(found, 4)? as usize, number_at(found, 8)? as usize);
        let postings = Postings {
            graph: self,
            bytes: self.section(Section::Postings).get(first..first.checked_add(len)?)?,
            file: 0,
            chunk: 0,
            left: 0,
        };
        Some((number_at(found, 12)?, postings))
    }
}

impl KnownNames for Graph {
    fn chunk_count(&self, file: u32) -> Option<usize> {
        let first = self.first_node(file)?;
        let end = self.first_node(file + 1).unwrap_or(self.nodes());
        Some(end.checked_sub(first)? as usize)
    }

    fn visit(&self, name: &str, visit: &mut dyn FnMut(KnownName<'_>)) {
        for node in self.named(name).filter_map(|number| self.node(number)) {
            let first = self.first_node(node.file);
            if let Some(local) = first.and_then(|first| node.number.checked_sub(first)) {
                visit(KnownName {
                    file: node.file,
                    local,
                    owner: node.owner,
                });
            }
        }
    }
}

fn resolution_of(marks: u32) -> Option<Resolved> {
    match marks & 0xff {
        1 => Some(Resolved::Exact),
        2 => Some(Resolved::Import),
        3 => Some(Resolved::Name),
        _ => None,
    }
}

/// The sections that consist of the parts of files.
const PARTS: [Section; 4] = [Section::Text, Section::Nodes, Section::Edges, Section::Dependencies];

/// Returns the text whose offset and length are at a place of a record.
fn text_at<'g>(texts: &'g [u8], record: &[u8], place: usize) -> &'g str {
    let (Some(at), Some(len)) = (number_at(record, place), number_at(record, place + 4)) else {
        return "";
    };
    let end = (at as usize).saturating_add(len as usize);
    std::str::from_utf8(texts.get(at as usize..end).unwrap_or_default()).unwrap_or("")
}

fn record(bytes: &[u8], number: u32, size: usize) -> &[u8] {
    let from = (number as usize).saturating_mul(size);
    bytes.get(from..from.saturating_add(size)).unwrap_or_default()
}

/// Finds the record with a key in a table that is ordered by keys (binary search).
fn find<const SIZE: usize, K: Ord>(table: &[u8], key: K, key_of: fn(&[u8; SIZE]) -> K) -> Option<&[u8; SIZE]> {
    let (records, _) = table.as_chunks();
    records.get(records.binary_search_by_key(&key, key_of).ok()?)
}

/// Returns the numbers in `lists` that belong to an entry of a table of names.
fn listed(lists: &[u8], name: Option<&[u8; NAME_BYTES]>) -> impl Iterator<Item = u32> {
    let number = |place: usize| name.and_then(|name| number_at(name, place)).unwrap_or(0);
    let (first, count) = (number(8), number(12));
    (first..first.saturating_add(count)).map_while(|at| number_at(lists, at as usize * 4))
}

fn span(sums: &[u8], at: u32) -> Range<u32> {
    let from = number_at(sums, at as usize * 4).unwrap_or(0);
    let to = number_at(sums, (at as usize + 1) * 4).unwrap_or(from);
    from..to.max(from)
}

/// A posting list: the chunks with a term, and its weight in each.
#[derive(Debug)]
pub struct Postings<'g> {
    graph: &'g Graph,
    bytes: &'g [u8],
    file: u32,
    chunk: u32,
    left: u32,
}

impl Iterator for Postings<'_> {
    type Item = (u32, u8);

    fn next(&mut self) -> Option<(u32, u8)> {
        while self.left == 0 {
            self.file = self.file.wrapping_add(take_varint(&mut self.bytes)?);
            self.left = take_varint(&mut self.bytes)?;
            self.chunk = self.graph.first_node(self.file)?;
        }
        self.left -= 1;
        self.chunk = self.chunk.wrapping_add(take_varint(&mut self.bytes)?);
        let (weight, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some((self.chunk, *weight))
    }
}
