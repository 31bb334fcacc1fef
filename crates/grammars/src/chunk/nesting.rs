//! Nests definitions by their ranges (a stack over intervals sorted by start) and assigns references to the innermost one.

use std::borrow::Cow;
use std::cell::Cell;

use forge_memory_lattice::facts::{ChunkFacts, Facts, Reference, ReferenceKind, TypeOf};
use forge_memory_lattice::kind::Kind;
use forge_memory_lattice::language::Language;
use forge_memory_lattice::terms::{Terms, own_pieces, terms_of_chunk};
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};

use super::found::{Definition, Found, Mention, TypeAt, offset};
use super::lines::Lines;

/// No definition: the top level of the file.
const TOP: usize = usize::MAX;

struct Places {
    /// The enclosing definition, or [`TOP`].
    parents: Vec<usize>,
    /// The number of its chunk; for a scope, that of the enclosing chunk.
    chunks: Vec<u32>,
}

/// Builds the facts of a file.
pub fn nest<'a>(language: &Language, source: &'a [u8], mut found: Found<'a>) -> Facts<'a> {
    let lines = Lines::new(source);
    order(&mut found.definitions);
    let definitions = std::mem::take(&mut found.definitions);
    let places = place(&definitions);
    let mut chunks = vec![file_chunk(source, &lines)];
    for (at, definition) in definitions.iter().enumerate() {
        if let Some(kind) = definition.kind {
            let parent = places.parent(at);
            let around = definitions.get(parent);
            let above = places.chunk(parent);
            chunks.push(chunk(language, source, &lines, definition, around, above, kind));
        }
    }
    number(&mut chunks);
    let mut facts = Facts {
        package: std::mem::take(&mut found.package),
        chunks,
        ..Facts::default()
    };
    take_package(&mut found, &mut facts);
    let finder = Finder {
        definitions: &definitions,
        places: &places,
        types: types_of(&facts.chunks),
        last: Cell::new((0, 0, TOP)),
    };
    finder.add_locals(&mut found, &mut facts);
    finder.add_bases(&mut found, &mut facts);
    finder.add_types(found.types, &mut facts);
    finder.add_references(found.references, &mut facts);
    facts.imports = found.imports;
    add_terms(source, &mut facts);
    facts
}

/// Sorts definitions by their start, outer before inner. When two patterns found the same definition, the one with more
/// information is kept.
fn order(definitions: &mut Vec<Definition<'_>>) {
    let rank = |d: &Definition<'_>| (d.kind.is_none(), d.owner.is_empty(), d.name.is_empty());
    definitions.retain(|d| d.kind.is_none() || !d.name.is_empty());
    definitions.sort_by(|a, b| {
        (a.start, std::cmp::Reverse(a.end), rank(a)).cmp(&(b.start, std::cmp::Reverse(b.end), rank(b)))
    });
    definitions.dedup_by(|b, a| (a.start, a.end) == (b.start, b.end) && a.kind.is_some() && b.kind.is_some());
}

fn place(definitions: &[Definition<'_>]) -> Places {
    let mut places = Places {
        parents: Vec::new(),
        chunks: Vec::new(),
    };
    let mut stack: Vec<usize> = Vec::new();
    let mut count = 0;
    for (at, definition) in definitions.iter().enumerate() {
        while stack
            .last()
            .and_then(|top| definitions.get(*top))
            .is_some_and(|top| top.end <= definition.start)
        {
            stack.pop();
        }
        let parent = stack.last().copied().unwrap_or(TOP);
        places.parents.push(parent);
        if definition.kind.is_some() {
            count += 1;
            places.chunks.push(count);
        } else {
            places.chunks.push(places.chunk(parent));
        }
        stack.push(at);
    }
    places
}

impl Places {
    fn parent(&self, at: usize) -> usize {
        self.parents.get(at).copied().unwrap_or(TOP)
    }

    fn chunk(&self, at: usize) -> u32 {
        self.chunks.get(at).copied().unwrap_or(0)
    }
}

fn file_chunk<'a>(source: &'a [u8], lines: &Lines<'a>) -> ChunkFacts<'a> {
    ChunkFacts {
        end: offset(source.len()),
        start_line: 1,
        end_line: offset(lines.count()),
        hash: Sha256::digest(source).into(),
        ..ChunkFacts::EMPTY
    }
}

fn chunk<'a>(
    language: &Language,
    source: &'a [u8],
    lines: &Lines<'a>,
    definition: &Definition<'a>,
    around: Option<&Definition<'a>>,
    parent: u32,
    kind: Kind,
) -> ChunkFacts<'a> {
    let (kind, owner) = kind_and_owner(language, definition, around, kind);
    let doc = match lines.comment_above(language, definition.start_line) {
        doc if doc.is_empty() && language.has_docstrings => lines.docstring(definition.body, definition.end),
        doc => doc,
    };
    let bytes = source
        .get(definition.start as usize..definition.end as usize)
        .unwrap_or_default();
    ChunkFacts {
        kind,
        name: definition.name.clone(),
        owner,
        parent,
        start: definition.start,
        end: definition.end,
        start_line: definition.start_line,
        end_line: definition.end_line,
        ordinal: 0,
        is_default: definition.is_default,
        hash: Sha256::digest(bytes).into(),
        signature: lines.signature(definition),
        doc,
        bases: Vec::new(),
        locals: Vec::new(),
        words: 0,
        terms: Cow::Borrowed(&[]),
    }
}

/// Turns a function directly inside a type into a method.
fn kind_and_owner<'a>(
    language: &Language,
    definition: &Definition<'a>,
    parent: Option<&Definition<'a>>,
    kind: Kind,
) -> (Kind, Cow<'a, str>) {
    if !matches!(kind, Kind::Function | Kind::Method) {
        return (kind, Cow::Borrowed(""));
    }
    if !definition.owner.is_empty() && !language.export_objects.contains(&&*definition.owner) {
        return (Kind::Method, definition.owner.clone());
    }
    let owner = parent.filter(|parent| match parent.kind {
        None => true,
        Some(Kind::Module) => language.modules_own_functions,
        Some(kind) => kind.is_type(),
    });
    match owner {
        Some(owner) => (Kind::Method, owner.name.clone()),
        // Only some languages have methods outside of types. In others, a macro has misled the grammar.
        None if !language.has_free_methods => (Kind::Function, Cow::Borrowed("")),
        None => (kind, Cow::Borrowed("")),
    }
}

/// Numbers chunks of the same kind, owner and name, so that their ids differ without depending on offsets.
fn number(chunks: &mut [ChunkFacts<'_>]) {
    let mut seen: FxHashMap<(Kind, Cow<'_, str>, Cow<'_, str>), u32> = FxHashMap::default();
    for chunk in chunks {
        let count = seen
            .entry((chunk.kind, chunk.owner.clone(), chunk.name.clone()))
            .or_default();
        chunk.ordinal = *count;
        *count += 1;
    }
}

/// Takes the package out of the imports, where some languages declare it.
fn take_package<'a>(found: &mut Found<'a>, facts: &mut Facts<'a>) {
    if let Some(at) = found
        .imports
        .iter()
        .position(|import| import.local == "package" && import.name == "package")
    {
        facts.package = found.imports.remove(at).module;
    }
}

struct Finder<'f, 'a> {
    definitions: &'f [Definition<'a>],
    places: &'f Places,
    /// The first type of each name.
    types: FxHashMap<Cow<'a, str>, u32>,
    /// The last lookup: its start, its offset, and its result.
    last: Cell<(usize, u32, usize)>,
}

fn types_of<'a>(chunks: &[ChunkFacts<'a>]) -> FxHashMap<Cow<'a, str>, u32> {
    let mut types = FxHashMap::default();
    for (at, chunk) in (0..).zip(chunks) {
        if chunk.kind.is_type() {
            types.entry(chunk.name.clone()).or_insert(at);
        }
    }
    types
}

impl<'a> Finder<'_, 'a> {
    fn around(&self, at: u32) -> usize {
        let begin = self.definitions.partition_point(|definition| definition.start <= at);
        let (last_begin, last_at, found) = self.last.get();
        // A definition that ended before an earlier offset has ended here as well, so deep levels are left only once.
        let is_further = begin == last_begin && at >= last_at;
        let inner = if is_further { found } else { begin.wrapping_sub(1) };
        let found = self.outwards(inner, at);
        self.last.set((begin, at, found));
        found
    }

    fn outwards(&self, mut inner: usize, at: u32) -> usize {
        while let Some(definition) = self.definitions.get(inner) {
            if at < definition.end {
                return inner;
            }
            inner = self.places.parent(inner);
        }
        TOP
    }

    fn chunk_around(&self, at: u32) -> u32 {
        self.places.chunk(self.around(at))
    }

    /// Returns the enclosing type of an offset: its chunk, or the one with the name of the scope.
    fn type_around(&self, at: u32) -> Option<u32> {
        let mut inner = self.around(at);
        while let Some(definition) = self.definitions.get(inner) {
            match definition.kind {
                Some(kind) if kind.is_type() || kind == Kind::Module => return Some(self.places.chunk(inner)),
                None => return self.types.get(&definition.name).copied(),
                Some(_) => inner = self.places.parent(inner),
            }
        }
        None
    }

    fn add_locals(&self, found: &mut Found<'a>, facts: &mut Facts<'a>) {
        for (at, name) in found.locals.drain(..) {
            let chunk = self.chunk_around(at);
            if let Some(chunk) = facts.chunks.get_mut(chunk as usize).filter(|_| chunk > 0) {
                chunk.locals.push(name);
            }
        }
        for chunk in &mut facts.chunks {
            chunk.locals.sort_unstable();
            chunk.locals.dedup();
        }
    }

    fn add_bases(&self, found: &mut Found<'a>, facts: &mut Facts<'a>) {
        for (at, name) in found.bases.drain(..) {
            let chunk = self.type_around(at).filter(|_| !name.is_empty());
            if let Some(chunk) = chunk.and_then(|chunk| facts.chunks.get_mut(chunk as usize)) {
                chunk.bases.push(name);
            }
        }
        for (of, base) in found.bases_of.drain(..) {
            let made = self.types.get(&of).and_then(|at| facts.chunks.get_mut(*at as usize));
            if let Some(chunk) = made {
                chunk.bases.push(base);
            }
        }
    }

    fn add_types(&self, types: Vec<TypeAt<'a>>, facts: &mut Facts<'a>) {
        for one in types {
            let bare = one
                .name
                .trim_start_matches(['@', '$', '#'])
                .trim_start_matches("mut ")
                .to_owned();
            let (chunk, name) = if one.is_field {
                (self.type_around(one.at), format!(".{bare}"))
            } else {
                (Some(self.chunk_around(one.at)), bare)
            };
            if let Some(chunk) = chunk {
                facts.types.push(TypeOf {
                    chunk,
                    name: Cow::Owned(name),
                    of: one.of,
                });
            }
        }
        facts.types.sort_by(|a, b| (a.chunk, &a.name).cmp(&(b.chunk, &b.name)));
        facts.types.dedup();
    }

    /// Adds references. Those with the same name and receiver in the same chunk become one with a count.
    fn add_references(&self, mut mentions: Vec<Mention<'a>>, facts: &mut Facts<'a>) {
        mentions.sort_by(|a, b| (a.start, a.end, a.kind, &a.name).cmp(&(b.start, b.end, b.kind, &b.name)));
        let mut seen: FxHashMap<(u32, ReferenceKind, Cow<'a, str>, Cow<'a, str>), usize> = FxHashMap::default();
        let mut called: FxHashSet<(u32, u32)> = FxHashSet::default();
        for mention in mentions {
            let chunk = self.chunk_around(mention.start);
            // Two patterns may match the same call.
            if !called.insert((mention.start, mention.end)) {
                continue;
            }
            // Base types have edges of their own.
            let bases = facts
                .chunks
                .get(chunk as usize)
                .map(|chunk| chunk.bases.as_slice())
                .unwrap_or_default();
            if mention.kind == ReferenceKind::Reference && bases.contains(&mention.name) {
                continue;
            }
            let key = (chunk, mention.kind, mention.name.clone(), mention.receiver.clone());
            if let Some(known) = seen.get(&key).and_then(|at| facts.references.get_mut(*at)) {
                known.count += 1;
                continue;
            }
            seen.insert(key, facts.references.len());
            facts.references.push(Reference {
                chunk,
                kind: mention.kind,
                name: mention.name,
                receiver: mention.receiver,
                start: mention.start,
                end: mention.end,
                line: mention.line,
                count: 1,
            });
        }
        self.add_extends(facts);
    }

    fn add_extends(&self, facts: &mut Facts<'a>) {
        for (at, chunk) in facts.chunks.iter().enumerate() {
            for base in &chunk.bases {
                facts.references.push(Reference {
                    chunk: u32::try_from(at).unwrap_or(0),
                    kind: ReferenceKind::Extends,
                    name: base.clone(),
                    receiver: Cow::Borrowed(""),
                    start: chunk.start,
                    end: chunk.end,
                    line: chunk.start_line,
                    count: 1,
                });
            }
        }
    }
}

/// Counts the words of every chunk, without those of its inner chunks.
fn add_terms(source: &[u8], facts: &mut Facts<'_>) {
    let mut inner: Vec<Vec<(u32, u32)>> = vec![Vec::new(); facts.chunks.len()];
    for chunk in facts.chunks.iter().skip(1) {
        if let Some(inner) = inner.get_mut(chunk.parent as usize) {
            inner.push((chunk.start, chunk.end));
        }
    }
    let mut terms = Terms::default();
    for (chunk, inner) in facts.chunks.iter_mut().zip(inner) {
        let pieces = own_pieces(source, chunk.start, chunk.end, &inner);
        let (packed, words) = terms_of_chunk(&mut terms, &chunk.name, &chunk.signature, &chunk.doc, pieces);
        chunk.terms = Cow::Owned(packed);
        chunk.words = words;
    }
}
