//! Builds answers, and checks whether the files of their chunks have changed since they were indexed.

use rustc_hash::FxHashMap;

use super::answer::{Answers, ChunkAnswer, Stale};
use super::opened::OpenGraph;
use crate::contents::is_absent;
use crate::facts::{id_text, push_hex};
use crate::graph::{EdgeView, Graph, NodeView};
use crate::storage::{FileState, IndexFolder};

/// Builds answers; each file is inspected once.
pub(crate) struct AnswerBuilder<'o> {
    folder: &'o IndexFolder,
    open: &'o OpenGraph,
    seen: FxHashMap<u32, Option<Stale>>,
    stale: usize,
}

impl<'o> AnswerBuilder<'o> {
    pub(crate) fn new(folder: &'o IndexFolder, open: &'o OpenGraph) -> Self {
        AnswerBuilder {
            folder,
            open,
            seen: FxHashMap::default(),
            stale: 0,
        }
    }

    pub(crate) fn chunk(&mut self, number: u32) -> Option<ChunkAnswer> {
        let node = self.open.graph.node(number)?;
        let stale = self.stale(node.file);
        self.stale += usize::from(stale.is_some());
        let lines = self.open.foreign.as_ref().map(|foreign| &foreign.lines);
        let line = lines.and_then(|lines| lines.get(number as usize)).cloned();
        Some(ChunkAnswer {
            line,
            references: self.folder.accepts_foreign.then(|| self.references(number)),
            ..answer(&self.open.graph, &node, stale)
        })
    }

    pub(crate) fn through(&mut self, number: u32, edge: &EdgeView<'_>) -> Option<ChunkAnswer> {
        let mut chunk = self.chunk(number)?;
        chunk.resolved = edge.resolved;
        chunk.candidates = (edge.candidates > 1).then_some(edge.candidates);
        chunk.call_line = Some(edge.line);
        Some(chunk)
    }

    fn references(&self, number: u32) -> Vec<String> {
        let graph = &self.open.graph;
        let mut names: Vec<String> = Vec::new();
        for edge in graph.out_of(number).filter_map(|edge| graph.edge(edge)) {
            if !names.iter().any(|known| known == edge.name) {
                names.push(edge.name.to_owned());
            }
        }
        names
    }

    fn stale(&mut self, file: u32) -> Option<Stale> {
        if let Some(known) = self.seen.get(&file) {
            return *known;
        }
        let found = self.look(file);
        self.seen.insert(file, found);
        found
    }

    fn look(&self, file: u32) -> Option<Stale> {
        let (path, _) = self.open.graph.file(file);
        let found = match self.folder.disk.lstat(&self.folder.project.join(path)) {
            Ok(Some(found)) => found,
            // The file cannot be inspected, so it may have changed.
            Err(e) if !is_absent(&e) => return Some(Stale::Changed),
            _ => return Some(Stale::Deleted),
        };
        let known = self.open.states.as_ref()?.files.get(file as usize)?;
        (known.path == path && known.state != FileState::of(&found)).then_some(Stale::Changed)
    }

    /// Ends an answer: the chunks found, of a `total`, and the messages for some results and for none.
    pub(crate) fn finish(
        self,
        chunks: Vec<ChunkAnswer>,
        unresolved_names: Option<Vec<String>>,
        total: usize,
        some: &str,
        none: &str,
    ) -> Answers {
        Answers {
            message: self.message(some, none, total),
            truncated: chunks.len() + unresolved_names.as_ref().map_or(0, Vec::len) < total,
            chunks,
            total,
            unresolved_names,
        }
    }

    pub(crate) fn message(&self, some: &str, none: &str, total: usize) -> String {
        let text = if total == 0 { none } else { some };
        let text = match self.open.limit {
            Some(limit) => format!(
                "{text}; the index is incomplete: its run reached the {} limit",
                limit.name()
            ),
            None => text.to_owned(),
        };
        match self.stale {
            0 => text,
            1 => format!("{text}; the file of 1 of them has changed since: run forge-memory code index"),
            count => format!("{text}; the files of {count} of them have changed since: run forge-memory code index"),
        }
    }
}

fn answer(graph: &Graph, node: &NodeView<'_>, stale: Option<Stale>) -> ChunkAnswer {
    let (path, language) = graph.file(node.file);
    let mut content_hash = String::from("sha256:");
    push_hex(&mut content_hash, node.hash);
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ChunkAnswer {
        id: id_text(node.key),
        file_path: path.to_owned(),
        language: language.to_owned(),
        kind: node.kind.name(),
        name: node.name.to_owned(),
        owner: text(node.owner),
        signature: node.signature.to_owned(),
        doc: text(node.doc),
        start_byte: node.range.0,
        end_byte: node.range.1,
        start_line: node.lines.0,
        end_line: node.lines.1,
        content_hash,
        score: None,
        resolved: None,
        candidates: None,
        call_line: None,
        distance: None,
        path: Vec::new(),
        stale,
        line: None,
        references: None,
    }
}
