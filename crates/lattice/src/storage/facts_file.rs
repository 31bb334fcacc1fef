//! `facts.bin`: the encoded facts of every file, so that unchanged files are not parsed again.

use xxhash_rust::xxh3::Xxh3;

use super::sealed::{header_of, unsealed};
use crate::facts::CachedFacts;

const MAGIC: &[u8; 4] = b"FMLF";

/// The file in parts, so that the facts of unchanged files are not copied in memory.
#[derive(Debug)]
pub struct FactsFile<'k> {
    header: Vec<u8>,
    /// The encoded fields before the facts of each file, concatenated, and their ends.
    heads: (Vec<u8>, Vec<usize>),
    files: &'k [CachedFacts<'k>],
}

impl<'k> FactsFile<'k> {
    /// Encodes everything except the facts, which are encoded already.
    pub fn of(files: &'k [CachedFacts<'k>]) -> Self {
        let mut heads = Vec::with_capacity(files.len() * 96);
        let mut ends = Vec::with_capacity(files.len());
        for file in files {
            // The encoding of [`CachedFacts`] up to the bytes of its facts.
            let head = (file.path, file.language, file.hash, file.skip, file.facts.len());
            heads = postcard::to_extend(&head, heads).unwrap_or_default();
            ends.push(heads.len());
        }
        let count = postcard::to_allocvec(&files.len()).unwrap_or_default();
        let mut file = FactsFile {
            header: Vec::new(),
            heads: (heads, ends),
            files,
        };
        let mut hash = Xxh3::new();
        hash.update(&count);
        file.of_files().for_each(|part| hash.update(part));
        file.header = header_of(MAGIC, hash.digest());
        file.header.extend_from_slice(&count);
        file
    }

    fn of_files(&self) -> impl Iterator<Item = &[u8]> {
        let (heads, ends) = &self.heads;
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let heads = begins
            .zip(ends)
            .map(|(from, to)| heads.get(from..*to).unwrap_or_default());
        heads.zip(self.files).flat_map(|(head, file)| [head, file.facts])
    }

    /// Returns the parts, in order.
    pub fn parts(&self) -> Vec<&[u8]> {
        std::iter::once(&self.header[..]).chain(self.of_files()).collect()
    }
}

/// Reads facts; `None` when they are damaged or of another version.
pub fn decode_facts(bytes: &[u8]) -> Option<Vec<CachedFacts<'_>>> {
    unsealed(MAGIC, bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::sealed::sealed;
    use super::*;
    use crate::facts::Skip;

    #[test]
    fn facts_stored_in_parts_are_read_unchanged() {
        let file = |path, facts| CachedFacts {
            path,
            language: 3,
            hash: u128::MAX - 5,
            skip: Skip::No,
            facts,
        };
        let many = [7; 300];
        let skipped = CachedFacts {
            skip: Skip::Binary,
            ..file("c", &[])
        };
        for files in [vec![], vec![file("a/b.js", &many), skipped, file("z", &[1, 2])]] {
            let bytes = FactsFile::of(&files).parts().concat();
            assert_eq!(decode_facts(&bytes).unwrap(), files);
            assert_eq!(bytes, sealed(MAGIC, &files, 0));
        }
    }
}
