//! Packages of a monorepo: records about the current package come first, then those of the whole repository.

use std::path::{Path, PathBuf};

use forge_memory_core::RecallHit;
use forge_memory_core::config::CONFIG_FILE;
use forge_memory_core::journal::OsDisk;
use forge_memory_core::place::{Surroundings, is_ignored_by_git};
use serde_json::Value;

use crate::machine::real;

/// A package of a project: its name in the table `scopes`, and its folders within the project.
#[derive(Debug, Clone)]
struct PackageScope {
    name: String,
    folders: Vec<String>,
}

/// Returns the packages that a project names in `.forge.json`: `"scopes": {"web": ["apps/web", "packages/ui"]}`.
fn scopes_of(setting: Option<&Value>) -> Vec<PackageScope> {
    let table = setting.and_then(Value::as_object);
    let scopes = table.into_iter().flatten().map(|(name, value)| {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        PackageScope {
            name: name.clone(),
            folders: values.iter().filter_map(folder_in).collect(),
        }
    });
    scopes.filter(|scope| !scope.folders.is_empty()).collect()
}

/// Returns a folder relative to the project, with forward slashes; `None` when it is outside.
fn folder_in(value: &Value) -> Option<String> {
    let path = value.as_str()?.replace('\\', "/");
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    (!parts.is_empty() && !parts.contains(&"..")).then(|| parts.join("/"))
}

/// The files by which a folder is a package of its own.
const MANIFESTS: [&str; 12] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "composer.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "mix.exs",
    "pubspec.yaml",
];
/// The folders of tools and dependencies, whose packages are not the project's.
const NOT_OURS: [&str; 5] = ["node_modules", "vendor", "target", "dist", "build"];
const TAG: &str = "scope:";

/// Where a folder is in its project: the package that comes first, and the project around it, which is searched as well.
#[derive(Debug, Clone, Default)]
pub struct Scopes {
    all: Vec<PackageScope>,
    own: Option<PackageScope>,
    /// The project that contains this one.
    pub around: Option<PathBuf>,
    /// The tags by which a capture here belongs to its package: none at the top of the project.
    pub tags: Vec<String>,
}

impl Scopes {
    /// Reads the setting `scopes` of a project for a folder, which counts as its top when it is not in it.
    #[must_use]
    pub fn of(setting: Option<&Value>, project: &Path, folder: &Path) -> Self {
        let all = scopes_of(setting);
        let path = package_folder(folder, project, &all);
        let own = path.as_ref().map(|path| {
            let named = all.iter().find(|scope| scope.folders.contains(path));
            named.cloned().unwrap_or_else(|| PackageScope {
                name: path.clone(),
                folders: vec![path.clone()],
            })
        });
        Scopes {
            own,
            all,
            around: enclosing_project(project),
            tags: path.map(|path| format!("{TAG}{path}")).into_iter().collect(),
        }
    }

    /// True if nothing but the project itself is searched, in one order.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.own.is_none() && self.around.is_none()
    }

    /// Sorts records about the package first and those about another one last, and fills up with records of the project around this one.
    pub fn fill<E>(
        &self,
        hits: &mut Vec<RecallHit>,
        limit: usize,
        ask: impl FnOnce(&Path) -> Result<Vec<RecallHit>, E>,
    ) -> Result<(), E> {
        self.sort(hits);
        if let Some(around) = self.around.as_deref().filter(|_| hits.len() < limit) {
            let more: Vec<RecallHit> = ask(around)?;
            let is_new = |hit: &RecallHit| !hits.iter().any(|known| known.id == hit.id);
            let more: Vec<RecallHit> = more.into_iter().filter(is_new).collect();
            hits.extend(more);
            hits.truncate(limit);
        }
        Ok(())
    }

    fn sort(&self, hits: &mut [RecallHit]) {
        let Some(own) = &self.own else { return };
        hits.sort_by_key(|hit| {
            let mut others = self.all.iter().filter(|other| other.name != own.name);
            let place = if is_about(hit, own) {
                0
            } else if hit.tags.iter().any(|tag| tag.starts_with(TAG)) {
                2
            } else {
                1 + u8::from(others.any(|other| is_about(hit, other)))
            };
            (hit.worktree.is_some(), place)
        });
    }
}

/// Returns the folder of the innermost package, relative to the project.
fn package_folder(folder: &Path, project: &Path, scopes: &[PackageScope]) -> Option<String> {
    let top = real(project.to_path_buf());
    let folder = real(folder.to_path_buf());
    let below = folder.strip_prefix(&top).ok()?;
    let parts: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let ours = parts
        .iter()
        .position(|part| NOT_OURS.contains(&part.as_str()))
        .unwrap_or(parts.len());
    (1..=ours).rev().find_map(|depth| {
        let path = parts.get(..depth)?;
        let name = path.join("/");
        let is_named = || scopes.iter().any(|scope| scope.folders.contains(&name));
        let at = || path.iter().fold(top.clone(), |at, part| at.join(part));
        let is_package = || MANIFESTS.iter().any(|manifest| at().join(manifest).exists());
        let is_ignored = || is_ignored_by_git(&OsDisk, &at(), &Surroundings::default());
        (is_named() || (is_package() && !is_ignored())).then_some(name.clone())
    })
}

/// Returns the project that contains a package with a `.forge.json` of its own, within the same repository.
fn enclosing_project(project: &Path) -> Option<PathBuf> {
    let is_top = |folder: &Path| folder.join(".git").exists();
    if is_top(project) {
        return None;
    }
    for folder in project.ancestors().skip(1).filter(|folder| folder.parent().is_some()) {
        if folder.join(".forge").exists() || folder.join(CONFIG_FILE).exists() {
            let is_inside = folder
                .ancestors()
                .any(|folder| folder.parent().is_some() && is_top(folder));
            return is_inside.then(|| folder.to_path_buf());
        }
        if is_top(folder) {
            return None;
        }
    }
    None
}

/// A record is about a package if it was captured there, has the package's name as a tag, or mentions a path in it.
fn is_about(hit: &RecallHit, PackageScope { name, folders }: &PackageScope) -> bool {
    let is_tagged = hit.tags.iter().any(|tag| {
        let place = tag.strip_prefix(TAG);
        tag == name || place.is_some_and(|place| place == name || folders.iter().any(|folder| folder == place))
    });
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    is_tagged
        || folders.iter().any(|folder| {
            hit.text.match_indices(folder.as_str()).any(|(at, _)| {
                let before = hit.text.get(..at).and_then(|text| text.chars().next_back());
                let after = hit.text.get(at + folder.len()..).and_then(|text| text.chars().next());
                !before.is_some_and(|c| is_part(c) || c == '/') && !after.is_some_and(is_part)
            })
        })
}
