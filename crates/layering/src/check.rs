//! Checks the module graph against the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use crate::graph::{Graph, find_cycles};
use crate::tree::{Tree, Use};

/// The rules of a crate.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The top-level modules by layer, lowest first. A module may use modules of its own layer and of those below.
    pub layers: &'a [&'a [&'a str]],
    /// True if the file of a folder (`folder/mod.rs`) counts as a module beside its children. If so, it is a cycle when
    /// a child uses what the file defines and the file uses the child; re-exports are always allowed.
    pub count_folder_files: bool,
}

/// A violation of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// A top-level module that is in no layer, or in several.
    Unplaced(String),
    /// A layer names a module that does not exist.
    Missing(String),
    /// A module uses one of a higher layer.
    Upward {
        /// The using module.
        from: String,
        /// The used module.
        to: String,
        /// The file with the path.
        file: PathBuf,
        /// Its line.
        line: usize,
    },
    /// Modules that use each other, directly or indirectly.
    Cycle {
        /// The parent folder of the modules; empty for the root.
        folder: String,
        /// The modules, sorted.
        modules: Vec<String>,
        /// Where the dependencies among them are written: from, to, file and line.
        arrows: Vec<(String, String, PathBuf, usize)>,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unplaced(module) => write!(f, "module {module} must be named by exactly one layer"),
            Self::Missing(module) => write!(f, "a layer names module {module}, which does not exist"),
            Self::Upward { from, to, file, line } => {
                write!(
                    f,
                    "{}:{line}: {from} uses {to}, which is in a layer above it",
                    file.display()
                )
            }
            Self::Cycle {
                folder,
                modules,
                arrows,
            } => {
                let place = if folder.is_empty() { "the crate" } else { folder };
                write!(
                    f,
                    "cycle of {} modules in {place}: {}",
                    modules.len(),
                    modules.join(", ")
                )?;
                for (from, to, file, line) in arrows {
                    write!(f, "\n  {from} -> {to} at {}:{line}", file.display())?;
                }
                Ok(())
            }
        }
    }
}

/// Formats violations one per line, for the message of an assertion.
pub fn list(violations: &[Violation]) -> String {
    violations.iter().map(|violation| format!("\n{violation}")).collect()
}

/// A dependency between two siblings, at the first place where it is written.
struct Arrow<'a> {
    from: &'a str,
    to: &'a str,
    origin: &'a Use,
}

impl Tree {
    /// Returns all violations; none when the crate keeps the rules.
    pub fn check(&self, rules: &Rules) -> Vec<Violation> {
        let mut out = self.misplaced(rules.layers);
        out.extend(upward(&self.uses(), rules.layers));
        out.extend(self.circles(rules.count_folder_files));
        out
    }

    /// Returns the cycles of modules; see [`Rules::count_folder_files`].
    pub fn circles(&self, count_folder_files: bool) -> Vec<Violation> {
        let uses = self.uses();
        let folders = self.folders();
        let found =
            folders.flat_map(|folder| cycles(&folder.join("::"), &arrows_in(folder, &uses, count_folder_files)));
        found.collect()
    }

    /// Draws the top-level modules as a Mermaid flowchart, with an arrow from each module to those it uses.
    pub fn draw(&self) -> String {
        let uses = self.uses();
        let mut out = String::from("flowchart TD\n");
        for module in self.children(&[]) {
            out.push_str(&format!("  {module}\n"));
        }
        for arrow in arrows_in(&[], &uses, false) {
            out.push_str(&format!("  {} --> {}\n", arrow.from, arrow.to));
        }
        out
    }

    fn misplaced(&self, layers: &[&[&str]]) -> Vec<Violation> {
        let existing = self.children(&[]);
        let named = layers
            .iter()
            .flat_map(|layer| layer.iter().copied())
            .collect::<Vec<_>>();
        let is_placed = |module: &&str| named.iter().filter(|name| *name == module).count() == 1;
        let unplaced = existing
            .iter()
            .filter(|module| !is_placed(module))
            .map(|module| Violation::Unplaced((*module).to_owned()));
        let distinct = named.iter().copied().collect::<BTreeSet<_>>();
        let missing = distinct
            .difference(&existing)
            .map(|module| Violation::Missing((*module).to_owned()));
        unplaced.chain(missing).collect()
    }
}

fn upward(uses: &[Use], layers: &[&[&str]]) -> Vec<Violation> {
    let layer_of = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let mut out = Vec::new();
    for arrow in arrows_in(&[], uses, false) {
        if let (Some(from), Some(to)) = (layer_of(arrow.from), layer_of(arrow.to))
            && to > from
        {
            let origin = arrow.origin;
            let (from, to) = (origin.from.join("::"), origin.to.join("::"));
            out.push(Violation::Upward {
                from,
                to,
                file: origin.file.clone(),
                line: origin.line,
            });
        }
    }
    out
}

/// Returns the dependencies between the children of a folder: a use between two modules is one between their ancestors that
/// are siblings. When it counts, the folder's own file is among them under the name `mod`.
fn arrows_in<'a>(folder: &[String], uses: &'a [Use], counts_file: bool) -> Vec<Arrow<'a>> {
    let member = |path: &'a [String]| -> Option<&'a str> {
        match path.strip_prefix(folder)? {
            [] => counts_file.then_some("mod"),
            [first, ..] => Some(first),
        }
    };
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for origin in uses {
        if let (Some(from), Some(to)) = (member(&origin.from), member(&origin.to))
            && from != to
            && seen.insert((from, to))
        {
            out.push(Arrow { from, to, origin });
        }
    }
    out
}

fn cycles(folder: &str, arrows: &[Arrow]) -> Vec<Violation> {
    let mut graph: Graph = BTreeMap::new();
    for arrow in arrows {
        graph.entry(arrow.to.to_owned()).or_default();
        graph
            .entry(arrow.from.to_owned())
            .or_default()
            .push(arrow.to.to_owned());
    }
    let violation = |modules: Vec<String>| {
        let is_inside = |name: &str| modules.iter().any(|module| module == name);
        let inside = arrows
            .iter()
            .filter(|arrow| is_inside(arrow.from) && is_inside(arrow.to));
        let place = |arrow: &Arrow| {
            (
                arrow.from.to_owned(),
                arrow.to.to_owned(),
                arrow.origin.file.clone(),
                arrow.origin.line,
            )
        };
        Violation::Cycle {
            folder: folder.to_owned(),
            arrows: inside.map(place).collect(),
            modules,
        }
    };
    find_cycles(&graph).into_iter().map(violation).collect()
}
