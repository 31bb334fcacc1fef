//! One file of a run: unchanged by its size and time, unchanged by its bytes, or parsed again.

use forge_memory_addon::Grammars;
use forge_memory_core::redact::{find_secrets, redact};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_128;

use crate::budget::Budget;
use crate::contents::{is_absent, read};
use crate::facts::{CachedFacts, Facts, MANIFEST, Skip, encoded};
use crate::language;
use crate::scan::FILE_BYTES_MAX;
use crate::storage::{FileState, IndexFolder, KnownFile, States};

/// The average line length from which a file counts as minified or generated.
const LINE_BYTES_MAX: usize = 250;
const MINIFIED_BYTES_MIN: usize = 2048;

/// A file of the new index.
pub(super) struct Entry<'k> {
    pub(super) path: Cow<'k, str>,
    pub(super) language: u8,
    pub(super) hash: u128,
    pub(super) skip: Skip,
    pub(super) facts: Cow<'k, [u8]>,
    pub(super) state: FileState,
    pub(super) is_new: bool,
}

impl<'k> Entry<'k> {
    pub(super) fn cached(&self) -> CachedFacts<'_> {
        CachedFacts {
            path: &self.path,
            language: self.language,
            hash: self.hash,
            skip: self.skip,
            facts: &self.facts,
        }
    }

    pub(super) fn known(&self) -> KnownFile {
        KnownFile {
            path: self.path.clone().into_owned(),
            state: self.state,
            language: self.language,
            skip: self.skip,
        }
    }

    fn skipped(path: &str, language: u8, state: FileState, skip: Skip) -> Self {
        Entry {
            path: Cow::Owned(path.to_owned()),
            language,
            hash: 0,
            skip,
            facts: Cow::Borrowed(&[]),
            state,
            is_new: true,
        }
    }

    pub(super) fn unchanged(cached: &CachedFacts<'k>, state: FileState) -> Self {
        Entry {
            path: Cow::Borrowed(cached.path),
            language: cached.language,
            hash: cached.hash,
            skip: cached.skip,
            facts: Cow::Borrowed(cached.facts),
            state,
            is_new: false,
        }
    }
}

/// The cached facts of a file, and its state among those of all files at that time.
pub(super) type Before<'a, 'k> = (&'a CachedFacts<'k>, Option<&'a KnownFile>, &'a States);

/// Inspects a file; `None` when it is gone or not a regular file.
pub(super) fn entry<'k>(
    folder: &IndexFolder,
    grammars: Grammars,
    budget: &Budget,
    path: &str,
    language: u8,
    before: Option<Before<'_, 'k>>,
) -> Option<Entry<'k>> {
    let (disk, full) = (folder.disk.as_ref(), folder.project.join(path));
    let found = match disk.lstat(&full) {
        Ok(found) => found?,
        Err(e) if is_absent(&e) => return None,
        Err(_) => return Some(Entry::skipped(path, language, FileState::default(), Skip::Unreadable)),
    };
    let state = FileState::of(&found);
    if let Some((cached, Some(known), states)) = before
        && cached.language == language
        && states.holds(known, state, language)
    {
        budget.take_facts(cached.facts.len());
        return Some(Entry::unchanged(cached, state));
    }
    let fresh = |hash: u128, skip: Skip, facts: Vec<u8>| Entry {
        hash,
        facts: Cow::Owned(facts),
        ..Entry::skipped(path, language, state, skip)
    };
    if state.size > FILE_BYTES_MAX {
        return Some(fresh(u128::from(state.size), Skip::Large, Vec::new()));
    }
    if !budget.allows_reading() {
        return Some(Entry::skipped(path, language, state, Skip::Limit));
    }
    let Ok(source) = read(disk, &full, FILE_BYTES_MAX) else {
        return Some(Entry::skipped(path, language, state, Skip::Unreadable));
    };
    let hash = xxh3_128(&source);
    if let Some((cached, ..)) = before
        && cached.hash == hash
        && cached.language == language
        && !cached.skip.is_passing()
    {
        budget.take_facts(cached.facts.len());
        return Some(Entry::unchanged(cached, state));
    }
    let (skip, facts) = facts_of(grammars, path, language, &source);
    budget.take_facts(facts.len());
    Some(fresh(hash, skip, facts))
}

fn facts_of(grammars: Grammars, path: &str, language: u8, source: &[u8]) -> (Skip, Vec<u8>) {
    if language == MANIFEST {
        let facts = Facts {
            package: Cow::Owned(manifest_name(path, source)),
            ..Facts::default()
        };
        return (Skip::No, encoded(&facts, 64));
    }
    if source.iter().take(8000).any(|byte| *byte == 0) {
        return (Skip::Binary, Vec::new());
    }
    let has_long_lines = language::all()
        .get(usize::from(language))
        .is_some_and(|language| language.has_long_lines);
    if is_minified(path, has_long_lines, source) {
        return (Skip::Minified, Vec::new());
    }
    match grammars.facts(language, source) {
        Some(facts) => (Skip::No, without_secrets(facts, source)),
        None => (Skip::Unparsed, Vec::new()),
    }
}

/// Redacts signatures and comments: a constant with a key is shown with its value. Few files have any.
fn without_secrets(encoded_facts: Vec<u8>, source: &[u8]) -> Vec<u8> {
    if find_secrets(&String::from_utf8_lossy(source)).is_empty() {
        return encoded_facts;
    }
    let cached = CachedFacts {
        path: "",
        language: 0,
        hash: 0,
        skip: Skip::No,
        facts: &encoded_facts,
    };
    let mut facts = cached.decode();
    for chunk in &mut facts.chunks {
        for text in [&mut chunk.signature, &mut chunk.doc] {
            let redacted = redact(text);
            if redacted.count > 0 {
                *text = Cow::Owned(redacted.text.into_owned());
            }
        }
    }
    encoded(&facts, encoded_facts.len())
}

fn is_minified(path: &str, has_long_lines: bool, source: &[u8]) -> bool {
    if path.contains(".min.") {
        return true;
    }
    if has_long_lines || source.len() < MINIFIED_BYTES_MIN {
        return false;
    }
    source.len() / (memchr::memchr_iter(b'\n', source).count() + 1) > LINE_BYTES_MAX
}

/// Returns the name that a manifest declares for its folder.
fn manifest_name(path: &str, source: &[u8]) -> String {
    let text = String::from_utf8_lossy(source);
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let manifest = language::manifest_of(file_name);
    manifest.and_then(|manifest| (manifest.name)(&text)).unwrap_or_default()
}
