//! What the session itself has changed, and what was renamed since the last commit: notes are not outdated by the one, and follow the other.

use std::path::Path;

use forge_memory_core::Result;
use forge_memory_core::clock::Millis;

use crate::action::Action;
use crate::call::Call;
use crate::hosts::Event;
use crate::paths::path_within;
use crate::session::{Session, SessionFile};
use crate::start::FilesAtStart;
use crate::workplace::Workplace;

/// The maximum number of files that are noted per session.
const FILES_MAX: usize = 300;

/// Notes the files that a call changes, and tells the memory those of the whole session.
pub(crate) fn note_changes(place: &mut Workplace, call: &Call) -> Result<()> {
    let edited = match &call.action {
        Some(Action::Edit { paths, .. }) => paths.as_slice(),
        _ => &[],
    };
    let (project, cwd) = (place.project.clone(), place.cwd.clone());
    let edited: Vec<String> = edited
        .iter()
        .filter_map(|path| path_within(&project, path, &cwd))
        .collect();
    change(place, call, |session| {
        for path in edited {
            if session.edited.len() < FILES_MAX && !session.edited.contains_key(&path) {
                // After the change it is too late to look, and the change is the session's own.
                let before = match call.event {
                    Event::BeforeTool => modified_ms(&project.join(&path)),
                    _ => 0,
                };
                session.edited.insert(path, before);
            }
        }
    })
}

/// Notes the files that were renamed since the last commit when the session begins.
pub(crate) fn note_renamed(place: &mut Workplace, call: &Call, files: &FilesAtStart) -> Result<()> {
    change(place, call, |session| session.renamed.clone_from(&files.renamed))
}

fn change(place: &mut Workplace, call: &Call, change: impl FnOnce(&mut Session)) -> Result<()> {
    let file = SessionFile::of(&place.home, &call.session_key());
    let before = file.read();
    let mut session = before.clone();
    change(&mut session);
    file.keep(&session, &before);
    place.own()?.note_changes(session.edited, session.renamed);
    Ok(())
}

/// When a file was changed last; 0 when it does not exist.
fn modified_ms(path: &Path) -> Millis {
    let modified = std::fs::metadata(path).and_then(|found| found.modified()).ok();
    let since = modified.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |since| Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX))
}
