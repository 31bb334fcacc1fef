//! The names under which a folder's records were stored and delivered before: earlier versions called a project by the last part of its remote
//! or by its folder. Records that this machine has delivered under such a name are its own; a clone cannot claim them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::line::is_own;
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE};
use crate::journal::{Line, rotated_path, scan_lines};
use crate::model::thought::{LineKind, read_line};
use crate::project::Project;
use crate::project::layout::CAPTURES_FILE;
use crate::project::names::looks_like_identity;

/// How much is read of each end of a file: names change rarely, and the first capture should not wait for a whole history.
const END_BYTES: u64 = 256 * 1024;

/// Notes which project a folder is, once, so that its records are found again after its repository was renamed. A failure costs only that.
pub(crate) fn note_names(project: &mut Project) {
    if project.is_noted {
        return;
    }
    project.is_noted = true;
    if let Some(mut news) = project.found_names().news.clone() {
        if news.is_first() {
            let (former, delivered) = names_in(project);
            news.add(&former, &delivered);
        }
        let _ = news.write(project.disk(), project.layout.home());
        project.forget_names();
    }
}

/// Returns the names under which the shared store has the project's records, the current one first.
pub(crate) fn shared_names(project: &Project) -> Vec<String> {
    let names = project.found_names();
    let mut shared = names.shared.clone();
    if names.news.as_ref().is_some_and(|news| news.is_first()) {
        let (_, delivered) = names_in(project);
        let others = delivered.into_iter().filter(|name| !names.shared.contains(name));
        shared.extend(others);
    }
    shared
}

/// Returns the names that records in the raw log have, and those under which this machine has delivered some, as far as they are names that the
/// project had by itself.
fn names_in(project: &Project) -> (Vec<String>, Vec<String>) {
    let check = project.marks.checker();
    let own = project.names();
    let is_name = |name: &str| looks_like_identity(name) || own.iter().any(|own| own == name);
    let mut former = BTreeSet::new();
    each_record(project, project.layout.path_of(CAPTURES_FILE), |_, name| {
        if is_name(name) && !former.contains(name) {
            former.insert(name.to_owned());
        }
    });
    let mut delivered = BTreeSet::new();
    let archive = project.layout.path_of(ARCHIVE_FILE);
    let others = [QUEUE_FILE, DEAD_LETTER_FILE].map(|file| project.layout.path_of(file));
    for path in [rotated_path(&archive), archive].into_iter().chain(others) {
        each_record(project, path, |line, name| {
            if is_name(name) && !delivered.contains(name) && is_own(line, &check) {
                delivered.insert(name.to_owned());
            }
        });
    }
    (former.into_iter().collect(), delivered.into_iter().collect())
}

/// Visits the records at both ends of a file with the names of their projects. A file that cannot be read has none.
fn each_record(project: &Project, path: PathBuf, mut visit: impl FnMut(&[u8], &str)) {
    let Ok(file) = project.disk().open_read(&path) else {
        return;
    };
    let len = file.state().map_or(0, |state| state.len);
    for (from, to) in [(0, len.min(END_BYTES)), (len.saturating_sub(END_BYTES), len)] {
        // A line that is cut does not parse.
        let _ = scan_lines(file.as_ref(), from, to, &mut |line: Line<'_>| {
            if let LineKind::Record(fields) = read_line(line.bytes) {
                visit(line.bytes, &fields.project);
            }
        });
    }
}
