//! Records of other worktrees, which are asked after the own ones and shown with where they are: what other worktrees of the repository have of a
//! committed memory, and have not committed yet. They are only read here, and counted nowhere.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::recall::{OtherWorktree, RecallHit, RecallOptions, recall_beside};
use crate::clock::Millis;
use crate::error::Error;
use crate::hidden::show_hidden;
use crate::index::Stores;
use crate::journal::{BytesDisk, Disk, each_line};
use crate::model::scope::ScopeFilter;
use crate::model::thought::{LineKind, id_hash, read_line};
use crate::project::Project;
use crate::project::git::folder_name;
use crate::project::siblings::{FILES, Sibling, Uncommitted, siblings};
use crate::text::fold;
use crate::text::lines::one_line;

/// How many hits beyond the limit of the own ones take the places of these, at most.
const PLACES: usize = 3;
/// The longest name of a folder or a branch that is shown.
const NAME_MAX: usize = 60;
/// How many records are compared with a text that was captured.
const COMPARED: f64 = 20.0;

/// A record of another worktree that says the same as one of this memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "NotedInWorktree")]
pub struct Noted {
    /// Its id.
    pub id: String,
    /// Where it is.
    #[serde(flatten)]
    pub worktree: OtherWorktree,
}

/// The records of other worktrees, as they were last read.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// True if the first look is kept, by a process that soon ends.
    pub is_settled: bool,
    has_looked: bool,
    seen: Vec<Sibling>,
    stores: Option<Stores>,
    from: FxHashMap<u64, Arc<OtherWorktree>>,
}

impl Beside {
    /// Returns the records of other worktrees, read again when they have changed; `None` when there are none.
    pub fn stores(&mut self, project: &Project, own: &mut Stores) -> Option<&mut Stores> {
        if !self.is_settled || !self.has_looked {
            self.has_looked = true;
            let seen = siblings(&project.layout);
            if seen != self.seen {
                self.read(project, own, &seen);
                self.seen = seen;
            }
        }
        self.stores.as_mut()
    }

    /// Reads what this memory does not know. What was decided there counts for the records there alone.
    fn read(&mut self, project: &Project, own: &mut Stores, seen: &[Sibling]) {
        own.refresh();
        self.from.clear();
        let mut files = [Vec::new(), Vec::new()];
        for sibling in seen {
            let Some(uncommitted) = sibling.read(project.disk()) else {
                continue;
            };
            let worktree = Arc::new(worktree_of(&uncommitted));
            for (lines, file) in uncommitted.files.iter().zip(&mut files) {
                self.take(own, &worktree, lines, file);
            }
        }
        let forge = project.layout.forge();
        let shown = FILES.iter().map(|file| forge.join(file)).zip(files);
        let disk: Arc<dyn Disk> = Arc::new(BytesDisk::new(shown));
        self.stores = (!self.from.is_empty()).then(|| Stores::shown(project, &disk));
    }

    fn take(&mut self, own: &Stores, worktree: &Arc<OtherWorktree>, lines: &[u8], file: &mut Vec<u8>) {
        // A decision may stand before its record.
        let about = |line| match read_line(line) {
            LineKind::Record(fields) => Some((id_hash(&fields.id), true)),
            LineKind::Action(action) => Some((id_hash(&action.id), false)),
            LineKind::Ruling(ruling) => Some((id_hash(&ruling.id), false)),
            _ => None,
        };
        let known: Vec<_> = each_line(lines)
            .filter_map(|(_, line)| Some((line, about(line)?)))
            .collect();
        for (_, (id, is_record)) in &known {
            if *is_record && !self.from.contains_key(id) && !own.know(*id) {
                self.from.insert(*id, Arc::clone(worktree));
            }
        }
        for (line, (id, _)) in known {
            if self.from.get(&id).is_some_and(|of| Arc::ptr_eq(of, worktree)) {
                file.extend_from_slice(line);
                file.push(b'\n');
            }
        }
    }

    /// Returns where a record is.
    pub fn of(&self, id: &str) -> Option<OtherWorktree> {
        self.from.get(&id_hash(id)).map(|from| OtherWorktree::clone(from))
    }

    /// Adds records to the own ones: after them, and without those that this memory has by now. Where there are enough own ones, good ones take
    /// a few of the last places.
    pub fn add(&self, own: &Stores, hits: &mut Vec<RecallHit>, more: Vec<RecallHit>, limit: usize) {
        let room = limit.saturating_sub(hits.len());
        let places = room.max(PLACES.min(limit / 3));
        let mut added: Vec<RecallHit> = Vec::new();
        for mut hit in more {
            let has_room = added.len() < room || (added.len() < places && !hit.is_weak && !hit.is_weaker);
            let is_double = hits
                .iter()
                .chain(&added)
                .any(|known| says_same(known, &hit.kind, &hit.text));
            hit.worktree = self.of(&hit.id);
            if has_room && !is_double && hit.worktree.is_some() && !own.know(id_hash(&hit.id)) {
                added.push(hit);
            }
        }
        hits.truncate(limit - added.len());
        hits.append(&mut added);
    }

    /// Returns the record of another worktree that says the same as a text.
    pub fn noted(&mut self, project: &Project, own: &mut Stores, kind: &str, text: &str, now: Millis) -> Option<Noted> {
        let stores = self.stores(project, own)?;
        let options = RecallOptions {
            scope: ScopeFilter::Project,
            limit: Some(COMPARED),
            ..RecallOptions::default()
        };
        let hits = recall_beside(stores, text, &options, now).ok()?;
        let same = hits.into_iter().find(|hit| says_same(hit, kind, text))?;
        Some(Noted {
            worktree: self.of(&same.id)?,
            id: same.id,
        })
    }
}

fn says_same(hit: &RecallHit, kind: &str, text: &str) -> bool {
    hit.kind == kind && one_line(&fold(&hit.text)) == one_line(&fold(text))
}

fn worktree_of(uncommitted: &Uncommitted) -> OtherWorktree {
    let short = |name: &str| -> String { show_hidden(name).chars().take(NAME_MAX).collect() };
    let tree = short(&folder_name(&uncommitted.top));
    let branch = uncommitted.branch.as_deref();
    let branch = branch.map_or_else(String::new, |branch| format!(" ({})", short(branch)));
    OtherWorktree {
        said: format!("worktree {tree}{branch}, not committed there yet"),
        folder: uncommitted.project.to_string_lossy().into_owned(),
    }
}

/// Returns the error about a record that can be changed in another worktree only.
pub(crate) fn of_worktree_only(id: &str, worktree: &OtherWorktree) -> Error {
    Error::Feature {
        code: "NOT_FOUND",
        message: format!("{id} is in the {}: {}", worktree.said, worktree.folder),
        hint: "change it there (--project DIR names that folder), or here once it is committed and merged",
    }
}
