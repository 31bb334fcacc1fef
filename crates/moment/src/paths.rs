//! Paths: those that an agent names, and how texts mention them.
//!
//! A path is looked for in a text as it is, because no pattern tells where a path ends in prose: names of files have brackets, blanks,
//! quotes and letters of every script, as in `app/[id]/page.tsx`, `src/it's.py` and `src/größe/index.ts`.

use std::path::{Component, Path, PathBuf};

use forge_memory_core::text::is_spaceless;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::lines::{head, pattern};

/// The maximum length of a path, in bytes.
const PATH_MAX: usize = 4096;
/// The beginning of a record's text that is read.
pub(crate) const TEXT_READ_MAX: usize = 8000;

/// Returns a path given by an agent relative to the project, with forward slashes; `None` when it is outside of the project, contains
/// control characters or is not a path.
#[must_use]
pub fn path_within(project: &Path, given: &str, cwd: &Path) -> Option<String> {
    if given.is_empty() || given.len() > PATH_MAX || given.starts_with('~') || given.chars().any(char::is_control) {
        return None;
    }
    let full = normal(&cwd.join(given));
    below(project, &full).or_else(|| below(&real_of(project), &real_of(&full)))
}

fn below(folder: &Path, path: &Path) -> Option<String> {
    let found = path.strip_prefix(folder).ok()?;
    let parts: Vec<String> = found.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Resolves `.` and `..` by the names alone, as the agent has written them.
fn normal(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            other => whole.push(other),
        }
    }
    whole
}

/// The file itself may not exist yet, so the nearest existing folder is resolved.
fn real_of(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_of(parent).join(name),
        _ => path.to_path_buf(),
    }
}

pattern!(
    /// File names that most projects contain several times, so that they do not identify a file on their own.
    common_file,
    r"(?i)^(index|main|mod|lib|app|server|client|config|settings|types?|utils?|helpers?|constants|setup|test|tests|conftest|__init__|models?|routes?|schema|page|layout|style|styles|\+page|\+layout|\+server|\+error|loading|error|not-found|route|template|default)(\.server|\.client)?\.\w+$|^(README|CHANGELOG|LICENSE|CONTRIBUTING)(\.\w+)?$|^(package(-lock)?\.json|Cargo\.(toml|lock)|tsconfig\.json|pyproject\.toml|go\.mod|go\.sum|pom\.xml|Makefile|Dockerfile|\.gitignore|\.env|BUILD|CMakeLists\.txt)$"
);
pattern!(
    /// Folder names that are too general to be evidence.
    common_folder,
    r"(?i)^(src|lib|app|apps|packages?|crates|test|tests|__tests?__|docs?|dist|build|internal|pkg|cmd|core|common|shared|utils?|helpers?|components?|modules?|services?|scripts?|bin|public|assets|examples?)$"
);
pattern!(
    file_name,
    r"^[^/]+\.[A-Za-z]\w{0,9}$|^[A-Z]\w*file$|^\.[A-Za-z][\w.-]*$"
);

/// Returns a text in the form in which paths are compared: composed letters, and small ones on systems that do not tell them apart.
fn plain(text: &str) -> String {
    let composed = if is_nfc(text) {
        text.to_owned()
    } else {
        text.nfc().collect()
    };
    if cfg!(any(windows, target_os = "macos")) {
        composed.to_lowercase()
    } else {
        composed
    }
}

/// A text that may mention paths.
pub(crate) struct Mentions {
    text: String,
}

/// Returns the words by which records about a file are looked up: without those that are in every path.
pub(crate) fn telling_parts(path: &str) -> String {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let name = if stem.is_empty() { name } else { stem };
    let folders = folders.split('/').filter(|part| !common_folder().is_match(part));
    let telling: Vec<&str> = folders.chain([name]).collect();
    let telling = telling.join(" ");
    match telling.chars().filter(|c| c.is_alphanumeric()).count() {
        0..3 => path.replace('/', " "),
        _ => telling,
    }
}

/// How a text mentions a file: by itself, or by a folder that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mention {
    File,
    Folder,
}

/// One place of a text that has the last parts of a path.
struct Place {
    /// How many parts of the path are there.
    parts: usize,
    /// True if the text has further parts before them, which are others.
    is_longer: bool,
}

impl Mentions {
    pub(crate) fn of(text: &str) -> Self {
        Mentions {
            text: plain(head(text, TEXT_READ_MAX)).replace('\\', "/"),
        }
    }

    /// Returns how the text mentions a file of the project; `None` when it does not.
    pub(crate) fn of_file(&self, path: &str) -> Option<Mention> {
        let path = plain(path);
        if self.has_file(&path) {
            return Some(Mention::File);
        }
        self.has_folder_of(&path).then_some(Mention::Folder)
    }

    /// The whole path, a tail of it that begins at a folder, a longer path that ends with it; or its name alone, when that is one of few
    /// files and the text has no other file of that name.
    fn has_file(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let Some(name) = parts.last() else { return false };
        let places = self.places(&parts, after_file);
        if let [name] = parts.as_slice() {
            return file_name().is_match(name) && places.iter().any(|place| !place.is_longer);
        }
        let is_same = |place: &Place| place.parts == parts.len() || (place.parts > 1 && !place.is_longer);
        if places.iter().any(is_same) {
            return true;
        }
        let is_telling = file_name().is_match(name) && !name.starts_with('.') && !common_file().is_match(name);
        is_telling && !places.is_empty() && places.iter().all(|place| !place.is_longer)
    }

    /// A folder is one with a slash or an asterisk behind it: `src/auth` alone may be an argument of a command, or a file.
    fn has_folder_of(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let folders = parts.len() - 1;
        (0..FOLDERS_UP_MAX.min(folders)).any(|up| {
            let above = parts.get(..folders - up).unwrap_or_default();
            let places = self.places(above, after_folder);
            places.iter().any(|place| {
                let named = above.get(above.len() - place.parts..).unwrap_or_default();
                !place.is_longer && !named.iter().all(|part| common_folder().is_match(part))
            })
        })
    }

    /// Finds where the text has the last part of a path, and how many parts before it.
    fn places(&self, parts: &[&str], ends: fn(&str, &str) -> bool) -> Vec<Place> {
        let Some((last, before)) = parts.split_last().filter(|(last, _)| !last.is_empty()) else {
            return Vec::new();
        };
        let found = self.text.match_indices(last).filter(|(at, _)| {
            let after = self.text.get(at + last.len()..).unwrap_or_default();
            ends(last, after)
        });
        let places = found.filter_map(|(at, _)| {
            let mut start = at;
            let mut count = 1;
            for part in before.iter().rev() {
                let ahead = self.text.get(..start)?;
                let Some(rest) = ahead.strip_suffix('/').and_then(|rest| rest.strip_suffix(part)) else {
                    break;
                };
                start = rest.len();
                count += 1;
            }
            let ahead = self.text.get(..start)?;
            let is_longer = ahead.strip_suffix('/').is_some_and(|rest| !is_here(rest));
            let is_border = ahead.ends_with('/') || begins(ahead, self.text.get(start..)?);
            // A part that only ends like one of the path is another: of `xlib/a.ts`, `a.ts` is there.
            if is_border {
                let parts = count;
                return Some(Place { parts, is_longer });
            }
            (count > 1).then(|| Place {
                parts: count - 1,
                is_longer: true,
            })
        });
        places.collect()
    }

    /// True if the text mentions files by path, but not this one.
    pub(crate) fn names_other_files(&self, path: &str) -> bool {
        !self.has_file(&plain(path)) && self.files().next().is_some()
    }

    /// Returns the words that look like the path of a file.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let words = self
            .text
            .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | '<' | '>'));
        words.filter_map(|word| {
            let word = word
                .trim_start_matches("./")
                .trim_matches(['(', ')', '.', ':', '!', '?']);
            let name = word.rsplit_once('/')?.1.split(':').next()?;
            let word = word.get(..word.rfind('/')? + 1 + name.len())?;
            (name.rsplit_once('.')?.1.chars().next()?.is_alphanumeric() && !word.contains("://")).then_some(word)
        })
    }
}

/// The maximum distance between a file and a folder above it whose notes apply to the file.
const FOLDERS_UP_MAX: usize = 2;

/// True if what is before a slash says that a path begins here: `./src`.
fn is_here(before: &str) -> bool {
    before
        .strip_suffix('.')
        .is_some_and(|rest| !rest.ends_with(is_of_a_name))
}

/// True if a name may begin behind a text.
fn begins(before: &str, name: &str) -> bool {
    let (last, first) = (before.chars().next_back(), name.chars().next());
    !last
        .zip(first)
        .is_some_and(|(last, first)| (is_of_a_name(last) || last == '.') && is_same_script(last, first))
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '@' | '$' | '~' | '+')
}

/// Some scripts are written without blanks: a path and the word before or behind it are of two scripts.
fn is_same_script(a: char, b: char) -> bool {
    is_spaceless(a) == is_spaceless(b) || !a.is_alphanumeric() || !b.is_alphanumeric()
}

/// True if the name of a file ends before a text: `pay.ts` is not in `pay.tsx` and `pay.ts.bak`.
fn after_file(name: &str, after: &str) -> bool {
    let mut rest = after.chars();
    let (Some(next), last) = (rest.next(), name.chars().next_back().unwrap_or(' ')) else {
        return true;
    };
    match next {
        '.' | '-' => !rest.next().is_some_and(|c| c.is_alphanumeric()),
        '/' => !rest.next().is_some_and(is_of_a_name),
        _ => !(is_of_a_name(next) && is_same_script(last, next)),
    }
}

/// True if a folder ends before a text: nothing but a slash and asterisks follows.
fn after_folder(_name: &str, after: &str) -> bool {
    let Some(rest) = after.strip_prefix('/').or_else(|| after.strip_prefix('*')) else {
        return false;
    };
    let rest = rest.trim_start_matches(['*', '/']);
    let is_suffix = rest.starts_with('.') && rest.chars().nth(1).is_some_and(char::is_alphanumeric);
    let goes_on = rest.starts_with(|c: char| is_of_a_name(c) || matches!(c, '[' | '('));
    !goes_on && !is_suffix
}
