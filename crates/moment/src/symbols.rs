//! Symbols: which names an edit contains, which of them the file defines, and who calls those.

use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile, OsDisk};
use forge_memory_lattice::{Lattice, QueryOptions, Seed};

use crate::declarations::{FILE_READ_MAX, assigned_in, called_in, declarations_around, declared_in};
use crate::lines::{head, pattern};
use crate::qualified::{QualifiedName, has_name, is_named_after};
use crate::workplace::Workplace;

/// The beginning of an edit that is searched for names.
const EDIT_READ_MAX: usize = 20_000;
const NAMES_MAX: usize = 40;
/// The number of changed places whose surrounding declarations are read.
const PLACES_MAX: usize = 8;
const CALLED_MAX: usize = 3;
const CALLERS_MAX: f64 = 20.0;

pattern!(
    /// A constant, permission or environment variable whose name is too long to be there by chance.
    constant,
    r"^[A-Z][A-Z\d]*(?:_[A-Z\d]+){2,}$"
);

/// True if a name is specific: it has several parts, so that a text does not contain it by chance.
fn is_telling(name: &str) -> bool {
    let bytes = name.as_bytes();
    let pair = |a: u8, b: u8| (a.is_ascii_lowercase() || a.is_ascii_digit()) && b.is_ascii_uppercase();
    let joined = |part: &[u8]| matches!(part, [a, b'_', c] if a.is_ascii_alphanumeric() && c.is_ascii_alphanumeric());
    let capital = |part: &[u8]| matches!(part, [a, b, c] if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase());
    bytes.len() >= 6
        && (bytes.windows(2).any(|part| matches!(part, [a, b] if pair(*a, *b)))
            || bytes.windows(3).any(|part| joined(part) || capital(part)))
}

pub(crate) fn names_in<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let mut names: Vec<&str> = Vec::new();
    for text in texts {
        let words = head(text, EDIT_READ_MAX).split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'));
        for word in words {
            let name = word.trim_start_matches(|c: char| c.is_ascii_digit());
            if (4..=64).contains(&name.len()) && is_telling(name) && !names.contains(&name) {
                if names.len() == NAMES_MAX {
                    return names;
                }
                names.push(name);
            }
        }
    }
    names
}

/// The symbols that an edit touches.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Names that this file defines.
    pub own: Vec<String>,
    /// Names that another file of the project defines, according to the code graph.
    pub used: Vec<String>,
    /// The callers of the names defined in this file.
    pub callers: Vec<String>,
    /// The declarations in the edit and around it, specific or not.
    pub members: Vec<String>,
    /// True if the code graph was available.
    pub is_in_graph: bool,
    texts: Vec<String>,
    file: String,
    path: String,
}

impl Touched {
    /// True if the edit is about a member of a type, or has it literally.
    pub(crate) fn has_qualified(&self, QualifiedName { whole, owner, member }: &QualifiedName) -> bool {
        let is_owner = || {
            is_named_after(owner, &self.path)
                || declared_in(&self.file).contains(&owner.as_str())
                || self.file.contains(&format!("{owner}::"))
        };
        self.texts.iter().any(|text| has_name(text, whole)) || (self.members.contains(member) && is_owner())
    }
}

/// Returns the symbols that an edit of a file touches: from the code graph if there is one, otherwise from the file itself.
pub(crate) fn touched_by(place: &mut Workplace, project: &Path, path: &str, texts: &[String]) -> Touched {
    let texts: Vec<String> = texts.iter().map(|text| head(text, EDIT_READ_MAX).to_owned()).collect();
    let file = read_start(&project.join(path));
    let around: Vec<&str> = texts
        .iter()
        .take(PLACES_MAX)
        .flat_map(|text| declarations_around(&file, text))
        .collect();
    let mut members: Vec<String> = Vec::new();
    for name in around
        .iter()
        .copied()
        .chain(texts.iter().flat_map(|text| declared_in(text)))
    {
        if !members.iter().any(|known| known == name) {
            members.push(name.to_owned());
        }
    }
    let mut names = names_in(texts.iter().map(String::as_str));
    for name in around.into_iter().filter(|name| is_telling(name)) {
        if names.len() < NAMES_MAX && !names.contains(&name) {
            names.push(name);
        }
    }
    let assigned: Vec<&str> = texts.iter().flat_map(|text| assigned_in(text)).collect();
    let is_touched = |name: &str| members.iter().any(|member| member == name) || assigned.contains(&name);
    let mut touched = Touched::default();
    if !names.is_empty() && !place.is_late() {
        let graph = if project == place.project { place.graph() } else { None };
        match graph {
            // With an unreadable index, names are not considered, but the path still is.
            Some(graph) => {
                if let Ok(mut graph) = graph.try_lock() {
                    touched = in_graph(&mut graph, path, &names, is_touched).unwrap_or_default();
                }
            }
            None => {
                let in_file = declared_in(&file);
                let called: Vec<&str> = texts.iter().flat_map(|text| called_in(text)).collect();
                let is_own = |name: &&&str| in_file.contains(*name) || is_touched(name);
                let is_used = |name: &&&str| !is_own(name) && (called.contains(*name) || constant().is_match(name));
                let owned = |names: Vec<&&str>| names.into_iter().map(|name| (*name).to_owned()).collect();
                touched.own = owned(names.iter().filter(is_own).collect());
                touched.used = owned(names.iter().filter(is_used).collect());
            }
        }
    }
    Touched {
        members,
        texts,
        file,
        path: path.to_owned(),
        ..touched
    }
}

fn in_graph(graph: &mut Lattice, path: &str, names: &[&str], is_touched: impl Fn(&str) -> bool) -> Option<Touched> {
    let in_file = graph.query(&QueryOptions {
        file_path: Some(path.to_owned()),
        limit: Some(500.0),
        ..QueryOptions::default()
    });
    let in_file = in_file.ok()?.chunks;
    let defined: Vec<&str> = in_file
        .iter()
        .filter(|chunk| chunk.file_path == path)
        .map(|chunk| chunk.name.as_str())
        .collect();
    let (own, others): (Vec<&str>, Vec<&str>) = names
        .iter()
        .partition(|name| defined.contains(name) || is_touched(name));
    let elsewhere = if others.is_empty() {
        Vec::new()
    } else {
        let found = graph.query(&QueryOptions {
            query: others.join(" "),
            limit: Some(100.0),
            ..QueryOptions::default()
        });
        found.ok()?.chunks
    };
    let mut callers: Vec<String> = Vec::new();
    for name in own.iter().take(CALLED_MAX) {
        let seed = Seed {
            name: Some((*name).to_owned()),
            limit: Some(CALLERS_MAX),
            ..Seed::default()
        };
        for chunk in graph.callers(&seed).ok()?.chunks {
            if is_telling(&chunk.name) && !own.contains(&chunk.name.as_str()) && !callers.contains(&chunk.name) {
                callers.push(chunk.name);
            }
        }
    }
    let is_used = |name: &&str| elsewhere.iter().any(|chunk| chunk.name == *name) || constant().is_match(name);
    Some(Touched {
        used: others.into_iter().filter(is_used).map(str::to_owned).collect(),
        own: own.into_iter().map(str::to_owned).collect(),
        callers,
        is_in_graph: true,
        ..Touched::default()
    })
}

/// True if a file of the project declares a name.
pub(crate) fn declares(project: &Path, path: &str, name: &str) -> bool {
    declared_in(&read_start(&project.join(path))).contains(&name)
}

/// Returns the beginning of a regular file; empty for anything else, and for a link.
fn read_start(path: &Path) -> String {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let Some(file) = is_file.then(|| OsDisk.open_read(path).ok()).flatten() else {
        return String::new();
    };
    let len = file.state().map_or(0, |state| state.len);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(FILE_READ_MAX).min(FILE_READ_MAX)];
    let got = DiskFile::read_at(file.as_ref(), 0, &mut bytes).unwrap_or(0);
    bytes.truncate(got);
    String::from_utf8_lossy(&bytes).into_owned()
}
