//! The symbol tables of a project: definitions, methods, files, packages and manifests by name.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::imports::Imports;
use super::reach::{ALIKE_MAX, Reach, ReachBudget};
use crate::facts::{CachedFacts, ChunkFacts, Facts, MANIFEST};
use crate::kind::Kind;
use crate::language::{self, InteropGroup, Language, ProjectFiles};
use crate::paths::folder_of;

/// A file with its facts, which are decoded on first use.
#[derive(Debug)]
pub struct FileFacts<'a> {
    /// The path from the project's folder, with forward slashes.
    pub path: &'a str,
    /// The number of its language, or [`MANIFEST`].
    pub language: u8,
    cached: &'a CachedFacts<'a>,
    facts: OnceLock<Facts<'a>>,
    table: OnceLock<Table>,
}

impl<'a> FileFacts<'a> {
    /// Returns the file of these facts.
    pub fn of(cached: &'a CachedFacts<'a>) -> Self {
        FileFacts {
            path: cached.path,
            language: cached.language,
            cached,
            facts: OnceLock::new(),
            table: OnceLock::new(),
        }
    }

    /// Returns its facts.
    pub fn facts(&self) -> &Facts<'a> {
        self.facts.get_or_init(|| self.cached.decode())
    }

    /// Returns the language; `None` for a manifest.
    pub fn language(&self) -> Option<&'static Language> {
        language::all().get(usize::from(self.language)).copied()
    }

    /// Returns the package that the file declares, without decoding all facts.
    fn package(&self) -> Cow<'a, str> {
        match self.facts.get() {
            Some(facts) => facts.package.clone(),
            None => self.cached.package(),
        }
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::of(&self.facts().chunks))
    }

    fn inside(&self, parent: u32, name: &str) -> &[u32] {
        let chunks = &self.facts().chunks;
        alike(&self.table().inside, &(parent, name), |local| {
            place_and_name(chunks, local)
        })
    }

    fn types(&self, name: &str) -> &[u32] {
        let chunks = &self.facts().chunks;
        alike(&self.table().types, &name, |local| place_and_name(chunks, local).1)
    }
}

/// The definitions of a file, as chunk numbers within it: ordered by what encloses them and by name, and the types by name.
#[derive(Debug, Default)]
struct Table {
    inside: Vec<u32>,
    types: Vec<u32>,
}

impl Table {
    fn of(chunks: &[ChunkFacts<'_>]) -> Self {
        let mut table = Table::default();
        for (local, chunk) in (0..).zip(chunks).skip(1) {
            table.inside.push(local);
            if chunk.kind.is_type() {
                table.types.push(local);
            }
        }
        table.inside.sort_by_key(|local| place_and_name(chunks, *local));
        table.types.sort_by_key(|local| place_and_name(chunks, *local).1);
        table
    }
}

fn place_and_name<'f>(chunks: &'f [ChunkFacts<'_>], local: u32) -> (u32, &'f str) {
    let chunk = chunks.get(local as usize).unwrap_or(&NO_CHUNK);
    (chunk.parent, &chunk.name)
}

/// Returns the part of an ordered list whose keys are that one.
fn alike<'l, K: Ord>(list: &'l [u32], key: &K, key_of: impl Fn(u32) -> K) -> &'l [u32] {
    let from = list.partition_point(|local| key_of(*local) < *key);
    let rest = list.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|local| key_of(*local) == *key))
        .unwrap_or_default()
}

/// The facts of a missing file.
static NO_FACTS: Facts<'static> = Facts {
    package: Cow::Borrowed(""),
    chunks: Vec::new(),
    references: Vec::new(),
    imports: Vec::new(),
    types: Vec::new(),
};

/// A missing chunk.
static NO_CHUNK: ChunkFacts<'static> = ChunkFacts::EMPTY;

/// The names in the files of the last run.
pub trait KnownNames: std::fmt::Debug + Sync {
    /// Returns the number of chunks of a file.
    fn chunk_count(&self, file: u32) -> Option<usize>;
    /// Visits every definition of a name.
    fn visit(&self, name: &str, visit: &mut dyn FnMut(KnownName<'_>));
}

/// A definition that was found by its name.
#[derive(Debug, Clone, Copy)]
pub struct KnownName<'k> {
    /// The number of its file.
    pub file: u32,
    /// Its number within the file.
    pub local: u32,
    /// The type it belongs to.
    pub owner: &'k str,
}

/// The files that are unchanged since the last run. Their names are looked up in its graph, so that their facts need not be
/// decoded.
#[derive(Debug, Clone, Copy)]
pub struct Unchanged<'a> {
    /// The names of the last run.
    pub names: &'a dyn KnownNames,
    /// The numbers of the changed files, ascending.
    pub changed: &'a [u32],
}

impl Unchanged<'_> {
    fn holds(&self, file: u32) -> bool {
        self.changed.binary_search(&file).is_err()
    }

    fn chunks(&self, file: u32) -> Option<usize> {
        self.holds(file).then(|| self.names.chunk_count(file)).flatten()
    }
}

/// Methods by the language of their callers and by name.
type Candidates<'a> = FxHashMap<(u8, &'a str), Arc<[u32]>>;

/// The symbol tables.
#[derive(Default)]
pub struct Names<'a> {
    /// The files, ordered by path.
    pub files: &'a [FileFacts<'a>],
    /// The number of each file's first chunk; the last entry is the total.
    pub first: Vec<u32>,
    /// The imports of each file; indexed on first use.
    pub(super) imports: Vec<OnceLock<Imports<'a>>>,
    /// The files reachable from each file; computed on first use.
    pub(super) reach: Vec<OnceLock<Reach>>,
    pub(super) reach_budget: ReachBudget,
    /// The imports of a missing file.
    pub(super) no_imports: OnceLock<Imports<'a>>,
    /// The reach of a missing file.
    pub(super) no_reach: OnceLock<Reach>,
    file_of: Vec<u32>,
    /// Definitions by name, except those in unchanged files.
    by_name: FxHashMap<&'a str, Vec<u32>>,
    /// Methods by the name of their type, then by their own.
    methods: FxHashMap<&'a str, FxHashMap<&'a str, Vec<u32>>>,
    /// The candidates of a method call on an unknown receiver, by language and name; found on first use.
    candidates: RwLock<Candidates<'a>>,
    unchanged: Option<Unchanged<'a>>,
    by_path: FxHashMap<&'a str, u32>,
    by_file_name: FxHashMap<&'a str, Vec<u32>>,
    /// Files that implement headers, by file name up to the first dot.
    bodies: FxHashMap<&'a str, Vec<u32>>,
    by_folder: FxHashMap<&'a str, Vec<u32>>,
    by_package: FxHashMap<Cow<'a, str>, FxHashMap<u8, Vec<u32>>>,
    /// The folder and the declared name of each manifest, by file name.
    manifests: FxHashMap<&'a str, Vec<(&'a str, Cow<'a, str>)>>,
    /// The places in those lists, by folder and file name.
    manifest_in: FxHashMap<(&'a str, &'a str), usize>,
}

impl<'a> Names<'a> {
    /// Builds the tables.
    pub fn new(files: &'a [FileFacts<'a>], unchanged: Option<Unchanged<'a>>) -> Self {
        let mut names = Names {
            files,
            first: Vec::with_capacity(files.len() + 1),
            imports: std::iter::repeat_with(OnceLock::new).take(files.len()).collect(),
            reach: std::iter::repeat_with(OnceLock::new).take(files.len()).collect(),
            unchanged,
            ..Names::default()
        };
        let mut next = 0_u32;
        for (at, file) in (0_u32..).zip(files) {
            names.first.push(next);
            names.add_path(at, file);
            let known = unchanged.and_then(|unchanged| unchanged.chunks(at));
            let count = known.unwrap_or_else(|| file.facts().chunks.len());
            names.file_of.resize(names.file_of.len() + count, at);
            next += u32::try_from(count).unwrap_or(0);
        }
        names.first.push(next);
        names.add_chunks();
        names
    }

    fn add_chunks(&mut self) {
        let (files, first, unchanged) = (self.files, &self.first, self.unchanged);
        // Chunk 0, the file itself, has no name.
        let all = || {
            let files = (0_u32..).zip(files).zip(first);
            let new = files.filter(move |((at, _), _)| unchanged.is_none_or(|unchanged| !unchanged.holds(*at)));
            new.flat_map(|((_, file), first)| file.facts().chunks.iter().zip(*first..).skip(1))
        };
        let by_name = || {
            let mut table: FxHashMap<&'a str, Vec<u32>> = FxHashMap::default();
            for (chunk, number) in all().filter(|(chunk, _)| !chunk.name.is_empty()) {
                table.entry(&chunk.name).or_default().push(number);
            }
            table
        };
        let methods = || {
            let mut table: FxHashMap<&'a str, FxHashMap<&'a str, Vec<u32>>> = FxHashMap::default();
            for (chunk, number) in all().filter(|(chunk, _)| !chunk.owner.is_empty() && !chunk.name.is_empty()) {
                let methods = table.entry(&chunk.owner).or_default();
                methods.entry(&chunk.name).or_default().push(number);
            }
            table
        };
        (self.by_name, self.methods) = rayon::join(by_name, methods);
    }

    fn add_path(&mut self, at: u32, file: &'a FileFacts<'a>) {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
        if file.language == MANIFEST {
            let alike = self.manifests.entry(name).or_default();
            self.manifest_in.insert((folder, name), alike.len());
            alike.push((folder, file.package()));
            return;
        }
        self.by_path.insert(file.path, at);
        self.by_file_name.entry(name).or_default().push(at);
        if let (Some((stem, extension)), Some(language)) = (name.split_once('.'), file.language())
            && language.body_extensions.contains(&extension)
        {
            self.bodies.entry(stem).or_default().push(at);
        }
        self.by_folder.entry(folder).or_default().push(at);
        let package = file.package();
        if !package.is_empty() {
            let languages = self.by_package.entry(package).or_default();
            languages.entry(file.language).or_default().push(at);
        }
    }

    fn file(&self, file: u32) -> Option<&'a FileFacts<'a>> {
        self.files.get(file as usize)
    }

    /// Returns the facts of a file; empty ones when the file is missing.
    pub fn facts(&self, file: u32) -> &'a Facts<'a> {
        self.file(file).map_or(&NO_FACTS, FileFacts::facts)
    }

    /// Returns the path of a file.
    pub fn path_of_file(&self, file: u32) -> &'a str {
        self.file(file).map_or("", |file| file.path)
    }

    /// Returns the language of a file.
    pub fn language_of(&self, file: u32) -> Option<&'static Language> {
        self.file(file)?.language()
    }

    /// Returns the number of a file's first chunk.
    pub fn first_of(&self, file: u32) -> u32 {
        self.first.get(file as usize).copied().unwrap_or(0)
    }

    /// Returns a chunk; an empty one for an invalid number, which a damaged index can contain.
    pub fn chunk(&self, number: u32) -> &'a ChunkFacts<'a> {
        let file = self.file_of(number);
        let local = number.wrapping_sub(self.first_of(file));
        self.facts(file).chunks.get(local as usize).unwrap_or(&NO_CHUNK)
    }

    /// Returns the number of a chunk's file.
    pub fn file_of(&self, number: u32) -> u32 {
        self.file_of.get(number as usize).copied().unwrap_or(u32::MAX)
    }

    /// Returns the interoperability group of a chunk's language.
    pub fn interop_group_of(&self, number: u32) -> Option<InteropGroup> {
        self.language_of(self.file_of(number))
            .map(|language| language.interop_group)
    }

    /// Returns the path of a chunk's file.
    pub fn path_of(&self, number: u32) -> &'a str {
        self.path_of_file(self.file_of(number))
    }

    /// Returns all definitions of a name, in any file, ascending.
    pub fn named(&self, name: &str) -> Cow<'_, [u32]> {
        let new = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        self.with_unchanged(new, name, |_| true)
    }

    /// Returns the methods of that name of all types of that name.
    pub fn methods(&self, owner: &str, name: &str) -> Cow<'_, [u32]> {
        let new = self.methods.get(owner).and_then(|methods| methods.get(name));
        let new = new.map_or(&[][..], Vec::as_slice);
        self.with_unchanged(new, name, |known| !known.owner.is_empty() && known.owner == owner)
    }

    /// Returns the methods of that name that code of a file's language may mean: of its group of languages, and not those of
    /// declaration files where others implement them. Frequent names have thousands, so that they are sorted out once.
    pub(super) fn candidates(&self, file: u32, language: &Language, name: &'a str) -> Arc<[u32]> {
        let key = (self.file(file).map_or(MANIFEST, |file| file.language), name);
        let known = self.candidates.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return Arc::clone(found);
        }
        drop(known);
        let is_it = |number: &u32| {
            self.chunk(*number).kind == Kind::Method && self.interop_group_of(*number) == Some(language.interop_group)
        };
        let mut found: Vec<u32> = self.named(name).iter().copied().filter(is_it).collect();
        let implements = |number: &u32| !(language.is_declaration_file)(self.path_of(*number));
        if found.iter().any(implements) {
            found.retain(implements);
        }
        let found: Arc<[u32]> = found.into();
        let mut known = self.candidates.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, Arc::clone(&found));
        found
    }

    fn with_unchanged<'n>(
        &'n self,
        new: &'n [u32],
        name: &str,
        is_it: impl Fn(&KnownName<'_>) -> bool,
    ) -> Cow<'n, [u32]> {
        let Some(unchanged) = self.unchanged else {
            return Cow::Borrowed(new);
        };
        let mut all = Vec::new();
        unchanged.names.visit(name, &mut |known| {
            if unchanged.holds(known.file) && is_it(&known) {
                all.push(self.first_of(known.file).saturating_add(known.local));
            }
        });
        all.extend_from_slice(new);
        all.sort_unstable();
        Cow::Owned(all)
    }

    /// Returns the chunks with this name directly inside a chunk.
    pub fn inside<'s>(&'s self, parent: u32, name: &'s str) -> impl Iterator<Item = u32> + Clone + use<'s, 'a> {
        let file = self.file_of(parent);
        self.inside_of(file, parent.wrapping_sub(self.first_of(file)), name)
    }

    /// Returns the chunks of that name at the top level of a file.
    pub fn top_level<'s>(&'s self, file: u32, name: &'s str) -> impl Iterator<Item = u32> + Clone + use<'s, 'a> {
        self.inside_of(file, 0, name)
    }

    fn inside_of<'s>(
        &'s self,
        file: u32,
        parent: u32,
        name: &'s str,
    ) -> impl Iterator<Item = u32> + Clone + use<'s, 'a> {
        let first = self.first_of(file);
        let found = self.file(file).map_or(&[][..], |file| file.inside(parent, name));
        found.iter().map(move |local| first + local)
    }

    /// Returns the types of that name within a file.
    pub fn types_in(&self, file: u32, name: &str) -> Vec<u32> {
        let first = self.first_of(file);
        let found = self.file(file).map_or(&[][..], |file| file.types(name));
        found.iter().map(|local| first + local).collect()
    }

    /// Returns the files that implement the declarations of a header: those with the same stem. When there are too
    /// many, those in the same folder.
    pub fn bodies_of(&self, header: u32) -> impl Iterator<Item = u32> + '_ {
        let path = self.path_of_file(header);
        let name = path.rsplit('/').next().unwrap_or(path);
        let folder = folder_of(path);
        let stem = name.split('.').next().unwrap_or(name);
        let all = self.bodies.get(stem).map_or(&[][..], Vec::as_slice);
        let is_meant = move |file: &&u32| {
            let there = self.path_of_file(**file);
            all.len() <= ALIKE_MAX || folder_of(there) == folder
        };
        all.iter().filter(is_meant).copied().filter(move |file| *file != header)
    }

    /// Returns the range of the chunks in a folder and below it.
    pub fn chunks_under(&self, folder: &str) -> Range<u32> {
        // Paths are ordered by their bytes, so that those with a common beginning are neighbours.
        let below = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let files = self.files.partition_point(|file| *file.path < *below);
        let behind = self.files.get(files..).unwrap_or_default();
        let count = behind.partition_point(|file| file.path.starts_with(&below));
        let first = self.first.get(files..).unwrap_or_default();
        let end = first.get(count).copied().unwrap_or(0);
        first.first().copied().unwrap_or(end)..end
    }

    /// Returns the files directly in a folder.
    pub fn folder(&self, folder: &str) -> &[u32] {
        self.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns the files of a package, among those of the language of a file.
    pub fn package_of(&self, file: u32, package: &str) -> &[u32] {
        let languages = self.by_package.get(package).zip(self.file(file));
        let files = languages.and_then(|(languages, file)| languages.get(&file.language));
        files.map_or(&[], Vec::as_slice)
    }

    /// Returns the enclosing chunk; the file itself for a file.
    pub fn parent(&self, number: u32) -> u32 {
        self.first_of(self.file_of(number))
            .saturating_add(self.chunk(number).parent)
    }

    /// True if a chunk can be named from outside of its enclosing chunk.
    pub fn is_nameable(&self, number: u32) -> bool {
        let chunk = self.chunk(number);
        chunk.kind != Kind::Method && (chunk.parent == 0 || self.chunk(self.parent(number)).kind == Kind::Module)
    }
}

impl ProjectFiles for Names<'_> {
    fn path(&self, file: u32) -> &str {
        self.path_of_file(file)
    }

    fn find(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    fn ending_with(&self, path: &str) -> Vec<u32> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ends = |file: &&u32| {
            let rest = self.path_of_file(**file).strip_suffix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let alike = self.by_file_name.get(name).into_iter().flatten();
        alike.filter(ends).copied().collect()
    }

    fn in_folder(&self, folder: &str) -> &[u32] {
        self.folder(folder)
    }

    fn in_package(&self, file: u32, package: &str) -> &[u32] {
        self.package_of(file, package)
    }

    fn manifest_above(&self, path: &str, manifest: &str) -> Option<(&str, &str)> {
        let all = self.manifests(manifest);
        let mut folder = path;
        while !folder.is_empty() {
            folder = folder_of(folder);
            if let Some((found, package)) = self.manifest_in.get(&(folder, manifest)).and_then(|at| all.get(*at)) {
                return Some((found, package));
            }
        }
        None
    }

    fn manifests(&self, manifest: &str) -> &[(&str, Cow<'_, str>)] {
        self.manifests.get(manifest).map_or(&[], Vec::as_slice)
    }
}
