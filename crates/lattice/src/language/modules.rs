//! The result of module resolution: files of the project, a path in one of its crates, or something outside.

use std::borrow::Cow;

/// The module that a name resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Module {
    /// Files of this project.
    Files(Vec<u32>),
    /// A crate of this project, by its folder, and the path of a module within it.
    Crate(String, Vec<String>),
    /// Something outside of the project.
    Outside,
}

impl Module {
    /// Returns the module of these files; [`Module::Outside`] when there are none.
    pub fn of_files(files: impl IntoIterator<Item = u32>) -> Self {
        let files: Vec<u32> = files.into_iter().collect();
        if files.is_empty() {
            Module::Outside
        } else {
            Module::Files(files)
        }
    }
}

/// The files of a project, by which languages resolve modules. Files are numbered in the order of their paths.
pub trait ProjectFiles {
    /// Returns the path of a file.
    fn path(&self, file: u32) -> &str;
    /// Returns the file of that path.
    fn find(&self, path: &str) -> Option<u32>;
    /// Returns the files whose paths end with that one.
    fn ending_with(&self, path: &str) -> Vec<u32>;
    /// Returns the files directly in a folder.
    fn in_folder(&self, folder: &str) -> &[u32];
    /// Returns the files of a package, among those of the language of `file`.
    fn in_package(&self, file: u32, package: &str) -> &[u32];
    /// Returns the folder and the declared name of the nearest manifest of that file name above a path.
    fn manifest_above(&self, path: &str, manifest: &str) -> Option<(&str, &str)>;
    /// Returns the folders and declared names of all manifests of that file name.
    fn manifests(&self, manifest: &str) -> &[(&str, Cow<'_, str>)];
}
