//! Deferred analysis: the texts from which the terms of records are computed, kept until the next search.

use super::entry::TermSource;

/// The sources of several records, concatenated.
#[derive(Debug, Clone, Default)]
pub(super) struct TermSources {
    texts: String,
    /// The end of each piece: per record its text, its source and its tags.
    ends: Vec<usize>,
    /// The number of each record, and the number of pieces before its own.
    records: Vec<(u32, usize)>,
}

impl TermSources {
    pub fn push(&mut self, doc: u32, source: &TermSource) {
        self.records.push((doc, self.ends.len()));
        for text in [&source.text, &source.origin].into_iter().chain(&source.tags) {
            self.texts.push_str(text);
            self.ends.push(self.texts.len());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Removes all records and keeps the buffers.
    pub fn cleared(mut self) -> Self {
        self.texts.clear();
        self.ends.clear();
        self.records.clear();
        self
    }

    fn piece(&self, at: usize) -> &str {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(at).copied().unwrap_or_default();
        self.texts.get(start.unwrap_or_default()..end).unwrap_or_default()
    }

    /// Calls `visit` with the number and the fields of every record.
    pub fn each(&self, mut visit: impl FnMut(u32, &str, &str, &mut dyn Iterator<Item = &str>)) {
        for (at, (doc, first)) in self.records.iter().enumerate() {
            let next = self.records.get(at + 1).map_or(self.ends.len(), |(_, next)| *next);
            let mut tags = (first + 2..next).map(|at| self.piece(at));
            visit(*doc, self.piece(*first), self.piece(first + 1), &mut tags);
        }
    }
}
