//! Records that say different things where one is meant.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{CONFLICT_FIELD, Conflict, conflict_in};
use crate::clock::Millis;
use crate::thought::{ActionKind, LineKind, read_line};

/// The families of revisions: who comes from whom.
#[derive(Default)]
struct Families {
    parents: FxHashMap<String, String>,
    /// Replaced or forgotten.
    over: FxHashSet<String>,
    times: FxHashMap<String, Millis>,
}

/// Tells whether a file can hold conflicts at all; most do not.
pub(crate) fn may_conflict(bytes: &[u8]) -> bool {
    [b"\"supersedes\"".as_slice(), CONFLICT_FIELD.as_bytes()]
        .iter()
        .any(|sign| memchr::memmem::find(bytes, sign).is_some())
}

/// Returns which record a line's record takes the place of: both ids. A compaction leaves a line that says only this.
pub(crate) fn lineage_in(line: &[u8]) -> Option<(String, String)> {
    memchr::memmem::find(line, b"\"supersedes\"")?;
    let Lineage { id, supersedes } = match read_line(line) {
        LineKind::Record(fields) => Lineage {
            id: fields.id.into_owned(),
            supersedes: fields.supersedes?.into_owned(),
        },
        LineKind::Other => serde_json::from_slice(line).ok()?,
        LineKind::Action(_) | LineKind::Unparsable => return None,
    };
    (id != supersedes).then_some((id, supersedes))
}

/// Writes that line.
pub(crate) fn lineage_line(id: &str, older: &str) -> String {
    let (id, older) = (serde_json::Value::from(id), serde_json::Value::from(older));
    format!("{{\"_v\":1,\"_action\":\"lineage\",\"id\":{id},\"supersedes\":{older}}}")
}

#[derive(serde::Deserialize)]
struct Lineage {
    id: String,
    supersedes: String,
}

/// What a journal says about who comes from whom, as far as forgetting one record needs it. Lines are taken one by one: a
/// journal need not be in memory for it.
pub(crate) struct Lineages<'i> {
    id: &'i str,
    signs: [memchr::memmem::Finder<'i>; 4],
    families: Families,
}

impl<'i> Lineages<'i> {
    pub fn around(id: &'i str) -> Self {
        let signs = [
            b"\"supersedes\"".as_slice(),
            CONFLICT_FIELD.as_bytes(),
            b"\"_action\"",
            id.as_bytes(),
        ];
        Lineages {
            id,
            signs: signs.map(memchr::memmem::Finder::new),
            families: Families::default(),
        }
    }

    pub fn take(&mut self, line: &[u8]) {
        if self.signs.iter().any(|sign| sign.find(line).is_some()) {
            self.families.take(line);
        }
    }

    /// Returns the revisions that tombstones are written for when the record is forgotten, that one first: all before it
    /// as well, so that an edit which somebody else made of an older one stays forgotten after a merge. When such an edit
    /// is recalled beside this one, this one alone is meant.
    pub fn covered_by_forgetting(&self) -> Vec<String> {
        let (families, id) = (&self.families, self.id);
        let mut covered = vec![id.to_owned()];
        let rivals = families.conflicts();
        if rivals
            .iter()
            .any(|conflict| conflict.ids.iter().any(|rival| rival == id))
        {
            return covered;
        }
        while let Some(older) = families.parents.get(&covered[covered.len() - 1]) {
            if covered.contains(older) {
                break;
            }
            covered.push(older.clone());
        }
        covered
    }
}

/// Finds several revisions of one record that are all recalled, and what a merge kept beside the winner. What is
/// forgotten or replaced since is no conflict any more.
pub fn conflicts_among<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<Conflict> {
    let mut families = Families::default();
    for line in lines {
        families.take(line);
    }
    families.conflicts()
}

impl Families {
    fn conflicts(&self) -> Vec<Conflict> {
        let families = self;
        let mut leaves: BTreeMap<&str, Vec<(Millis, &str)>> = BTreeMap::new();
        for id in families.parents.keys() {
            families.add_leaf(id, &mut leaves);
        }
        let roots: Vec<&str> = leaves.keys().copied().collect();
        for root in roots {
            families.add_leaf(root, &mut leaves);
        }
        leaves
            .into_iter()
            .filter_map(|(root, mut ids)| {
                ids.sort_unstable_by(|a, b| b.cmp(a));
                ids.dedup();
                (ids.len() > 1).then(|| Conflict {
                    of: root.to_owned(),
                    ids: ids.into_iter().map(|(_, id)| id.to_owned()).collect(),
                })
            })
            .collect()
    }

    fn take(&mut self, line: &[u8]) {
        if let Some((id, older)) = lineage_in(line) {
            self.over.insert(older.clone());
            self.parents.insert(id, older);
        }
        match read_line(line) {
            LineKind::Record(fields) => {
                let id = fields.id.into_owned();
                if let Some(rival) = conflict_in(line) {
                    self.parents.insert(id.clone(), rival);
                }
                self.times.insert(id, fields.at_ms);
            }
            LineKind::Action(action) if action.kind == ActionKind::Delete => {
                self.over.insert(action.id.into_owned());
            }
            _ => {}
        }
    }

    /// The oldest known of the family; of a ring, the first that comes round again.
    fn root_of<'f>(&'f self, id: &'f str) -> &'f str {
        let (mut at, mut steps) = (id, 0);
        while let Some(parent) = self.parents.get(at) {
            steps += 1;
            if steps > self.parents.len() {
                break;
            }
            at = parent;
        }
        at
    }

    fn add_leaf<'f>(&'f self, id: &'f str, leaves: &mut BTreeMap<&'f str, Vec<(Millis, &'f str)>>) {
        let ids = leaves.entry(self.root_of(id)).or_default();
        if let Some(at) = self.times.get(id).filter(|_| !self.over.contains(id)) {
            ids.push((*at, id));
        }
    }
}
