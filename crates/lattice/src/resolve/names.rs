//! Every name of a project, and where it is defined.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::Imports;
use crate::facts::{ChunkFacts, Facts};
use crate::kind::Kind;
use crate::language::{self, Family, Language};

/// A manifest, which gives a folder a name: of a crate, of a Go module, of an npm package.
pub const MANIFEST: u8 = u8::MAX;

/// One file with its facts.
#[derive(Debug)]
pub struct FileFacts<'a> {
    /// The path from the project's folder, with forward slashes.
    pub path: &'a str,
    /// The number of its language, or [`MANIFEST`].
    pub language: u8,
    /// What it says.
    pub facts: Facts<'a>,
}

impl FileFacts<'_> {
    /// Returns the language; `None` for a manifest.
    pub fn language(&self) -> Option<&'static Language> {
        language::all().get(usize::from(self.language)).copied()
    }
}

/// The tables by which names are found.
pub struct Names<'a> {
    /// The files, ordered by path.
    pub files: &'a [FileFacts<'a>],
    /// The number of each file's first chunk; the one behind the last file is the number of all.
    pub first: Vec<u32>,
    /// What each file imports, sorted when somebody looks.
    pub(super) imports: Vec<OnceLock<Imports<'a>>>,
    file_of: Vec<u32>,
    by_name: FxHashMap<&'a str, Vec<u32>>,
    by_parent: FxHashMap<(u32, &'a str), Vec<u32>>,
    methods: FxHashMap<(&'a str, &'a str), Vec<u32>>,
    by_path: FxHashMap<&'a str, u32>,
    by_file_name: FxHashMap<&'a str, Vec<u32>>,
    by_folder: FxHashMap<&'a str, Vec<u32>>,
    by_package: FxHashMap<(u8, &'a str), Vec<u32>>,
    /// Folders that manifests name: folder, name, file name of the manifest.
    manifests: Vec<(&'a str, &'a str, &'a str)>,
}

impl<'a> Names<'a> {
    /// Builds the tables.
    pub fn new(files: &'a [FileFacts<'a>]) -> Self {
        let mut names = Names {
            files,
            first: Vec::with_capacity(files.len() + 1),
            imports: std::iter::repeat_with(OnceLock::new).take(files.len()).collect(),
            file_of: Vec::new(),
            by_name: FxHashMap::default(),
            by_parent: FxHashMap::default(),
            methods: FxHashMap::default(),
            by_path: FxHashMap::default(),
            by_file_name: FxHashMap::default(),
            by_folder: FxHashMap::default(),
            by_package: FxHashMap::default(),
            manifests: Vec::new(),
        };
        let mut next = 0_u32;
        for (at, file) in files.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            names.first.push(next);
            names.add_path(at, file);
            names.file_of.resize(names.file_of.len() + file.facts.chunks.len(), at);
            next += u32::try_from(file.facts.chunks.len()).unwrap_or(0);
        }
        names.first.push(next);
        names.add_chunks();
        names
    }

    /// The tables of names, each by itself.
    fn add_chunks(&mut self) {
        let (files, first) = (self.files, &self.first);
        // The files themselves have no names.
        let all = || {
            let numbered = files.iter().zip(first).flat_map(|(file, first)| {
                let chunks = file.facts.chunks.iter().zip(*first..);
                chunks.skip(1).map(move |(chunk, number)| (chunk, number, *first))
            });
            numbered
        };
        let by_name = || {
            let mut table: FxHashMap<&'a str, Vec<u32>> = FxHashMap::default();
            for (chunk, number, _) in all() {
                table.entry(&chunk.name).or_default().push(number);
            }
            table
        };
        let by_parent = || {
            let mut table: FxHashMap<(u32, &'a str), Vec<u32>> = FxHashMap::default();
            for (chunk, number, first) in all() {
                table
                    .entry((first + chunk.parent, &chunk.name))
                    .or_default()
                    .push(number);
            }
            table
        };
        let methods = || {
            let mut table: FxHashMap<(&'a str, &'a str), Vec<u32>> = FxHashMap::default();
            for (chunk, number, _) in all().filter(|(chunk, ..)| !chunk.owner.is_empty()) {
                table.entry((&chunk.owner, &chunk.name)).or_default().push(number);
            }
            table
        };
        ((self.by_name, self.methods), self.by_parent) = rayon::join(|| rayon::join(by_name, methods), by_parent);
    }

    fn add_path(&mut self, at: u32, file: &'a FileFacts<'a>) {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
        if file.language == MANIFEST {
            self.manifests.push((folder, &file.facts.package, name));
            return;
        }
        self.by_path.insert(file.path, at);
        self.by_file_name.entry(name).or_default().push(at);
        self.by_folder.entry(folder).or_default().push(at);
        if !file.facts.package.is_empty() {
            self.by_package
                .entry((file.language, &file.facts.package))
                .or_default()
                .push(at);
        }
    }

    /// Returns a chunk.
    pub fn chunk(&self, number: u32) -> &'a ChunkFacts<'a> {
        let file = self.file_of[number as usize];
        &self.files[file as usize].facts.chunks[(number - self.first[file as usize]) as usize]
    }

    /// Returns the number of a chunk's file.
    pub fn file_of(&self, number: u32) -> u32 {
        self.file_of[number as usize]
    }

    /// Returns the family of the language of a chunk's file.
    pub fn family_of(&self, number: u32) -> Option<Family> {
        self.files[self.file_of(number) as usize]
            .language()
            .map(|language| language.family)
    }

    /// Returns the path of a chunk's file.
    pub fn path_of(&self, number: u32) -> &'a str {
        self.files[self.file_of(number) as usize].path
    }

    /// Returns everything of that name, in any file.
    pub fn named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns what stands right in a chunk and has that name.
    pub fn inside<'s>(&'s self, parent: u32, name: &'s str) -> &'s [u32] {
        self.by_parent.get(&(parent, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns what stands at the top of a file and has that name.
    pub fn at_top<'s>(&'s self, file: u32, name: &'s str) -> &'s [u32] {
        self.inside(self.first[file as usize], name)
    }

    /// Returns the methods of that name of all types of that name.
    pub fn methods<'s>(&'s self, owner: &'s str, name: &'s str) -> &'s [u32] {
        self.methods.get(&(owner, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the file of that path.
    pub fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// Returns the files whose path ends with that one.
    pub fn files_ending(&self, path: &str) -> Vec<u32> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ends = |file: &&u32| {
            let whole = self.files[**file as usize].path;
            whole
                .strip_suffix(path)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.by_file_name
            .get(name)
            .into_iter()
            .flatten()
            .filter(ends)
            .copied()
            .collect()
    }

    /// Returns the files right in a folder.
    pub fn folder(&self, folder: &str) -> &[u32] {
        self.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns the files of a package.
    pub fn package<'s>(&'s self, language: u8, package: &'s str) -> &'s [u32] {
        self.by_package.get(&(language, package)).map_or(&[], Vec::as_slice)
    }

    /// Returns folder and name of the nearest manifest of that file name above a path.
    pub fn manifest_above(&self, path: &str, manifest: &str) -> Option<(&'a str, &'a str)> {
        self.manifests
            .iter()
            .filter(|(folder, _, name)| *name == manifest && is_under(path, folder))
            .max_by_key(|(folder, ..)| folder.len())
            .map(|(folder, package, _)| (*folder, *package))
    }

    /// Returns the folders of manifests of that file name with the names they give.
    pub fn manifests<'n>(&'n self, manifest: &'n str) -> impl Iterator<Item = (&'a str, &'a str)> + 'n {
        self.manifests
            .iter()
            .filter(move |(_, _, name)| *name == manifest)
            .map(|(folder, package, _)| (*folder, *package))
    }

    /// Returns the chunk around one; itself for a file.
    pub fn parent(&self, number: u32) -> u32 {
        self.first[self.file_of(number) as usize] + self.chunk(number).parent
    }

    /// Returns the types of that name within a file.
    pub fn types_in(&self, file: u32, name: &str) -> Vec<u32> {
        let is_it = |number: &&u32| self.file_of(**number) == file && self.chunk(**number).kind.is_type();
        self.named(name).iter().filter(is_it).copied().collect()
    }

    /// Tells whether a chunk can be named from outside of what it stands in.
    pub fn is_free(&self, number: u32) -> bool {
        let chunk = self.chunk(number);
        chunk.kind != Kind::Method && (chunk.parent == 0 || self.chunk(self.parent(number)).kind == Kind::Module)
    }
}

/// Tells whether a path lies in a folder; all lie in the one without a name.
pub fn is_under(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
