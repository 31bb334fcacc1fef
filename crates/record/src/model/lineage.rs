//! The lineage of records: which one supersedes which, and several revisions that supersede the same record.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use crate::model::rings::Links;
use crate::model::thought::{ActionKind, LineKind, read_line};
use forge_memory_journal::clock::Millis;

/// The field with the id that a record lost to another one in a merge.
pub const CONFLICT_FIELD: &str = "_conflict";

/// Several revisions of the same record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// The record that all of them supersede.
    pub of: String,
    /// Their ids, newest first.
    pub ids: Vec<String>,
}

/// Families of revisions.
#[derive(Default)]
struct Families {
    parents: FxHashMap<String, String>,
    /// Superseded or forgotten records.
    over: FxHashSet<String>,
    times: FxHashMap<String, Millis>,
}

/// True if a file can contain conflicts at all; most cannot.
pub fn may_conflict(bytes: &[u8]) -> bool {
    [b"\"supersedes\"".as_slice(), CONFLICT_FIELD.as_bytes()]
        .iter()
        .any(|sign| memchr::memmem::find(bytes, sign).is_some())
}

/// Returns the id that a record lost to another one.
pub fn conflict_in(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, CONFLICT_FIELD.as_bytes())?;
    let record: Map<String, Value> = serde_json::from_slice(line).ok()?;
    record.get(CONFLICT_FIELD)?.as_str().map(str::to_owned)
}

/// Returns the id of a line's record and of the one it supersedes. A compaction leaves lines that contain only these.
pub fn lineage_in(line: &[u8]) -> Option<(String, String)> {
    memchr::memmem::find(line, b"\"supersedes\"")?;
    let Lineage { id, supersedes } = match read_line(line) {
        LineKind::Record(fields) => Lineage {
            id: fields.id.into_owned(),
            supersedes: fields.supersedes?.into_owned(),
        },
        LineKind::Other => serde_json::from_slice(line).ok()?,
        LineKind::Action(_) | LineKind::Ruling(_) | LineKind::Unparsable => return None,
    };
    (id != supersedes).then_some((id, supersedes))
}

/// Formats such a line, and marks one of a cycle.
pub fn lineage_line(id: &str, older: &str, is_of_ring: bool) -> String {
    let (id, older) = (serde_json::Value::from(id), serde_json::Value::from(older));
    let ring = if is_of_ring { RING_SIGN } else { "" };
    format!("{{\"_v\":1,\"_action\":\"lineage\",\"id\":{id},\"supersedes\":{older}{ring}}}")
}

/// How the line of an edit says what it is; within a text its quotes would be escaped.
const EDIT_SIGN: &str = ",\"_edit\":true";

/// True of a record that supersedes another one as its edit: the same record with another text.
pub fn is_edit(line: &[u8]) -> bool {
    memchr::memmem::find(line, EDIT_SIGN.as_bytes()).is_some()
}

const RING_SIGN: &str = ",\"_ring\":true";

/// Returns the record that was superseded by a compacted record of a cycle, so that the remaining records do not become a
/// chain.
pub fn ring_lineage_in(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, RING_SIGN.as_bytes())?;
    lineage_in(line).map(|(_, older)| older)
}

#[derive(serde::Deserialize)]
struct Lineage {
    id: String,
    supersedes: String,
}

/// The lineage in a journal, as far as forgetting one record needs it. Lines are taken one by one, so that the journal need
/// not be in memory.
pub struct Lineages<'i> {
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

    /// Returns the revisions that get a tombstone when a record is forgotten, the record itself first. All earlier
    /// revisions get one too, so that an edit of an older revision by somebody else stays forgotten after a merge. When
    /// such an edit is recalled beside this record, only this record is forgotten.
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
        let rings = families.rings();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut newest = id;
        while let Some(older) = families.parents.get(newest)
            && !rings.contains(older)
            && seen.insert(older)
        {
            covered.push(older.clone());
            newest = older;
        }
        covered
    }
}

/// Finds records with several current revisions, and records that a merge kept beside the winner. A record that was
/// forgotten or superseded since is not in conflict any more.
pub fn conflicts_among<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<Conflict> {
    Families::among(lines).conflicts()
}

/// Returns the sorted ids of records that supersede each other in a cycle.
pub fn rings_among<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    let mut ids: Vec<String> = Families::among(lines).rings().into_iter().collect();
    ids.sort_unstable();
    ids
}

impl Families {
    fn among<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut families = Families::default();
        for line in lines {
            families.take(line);
        }
        families
    }

    fn rings(&self) -> FxHashSet<String> {
        let mut links = Links::default();
        for (id, older) in &self.parents {
            links.add(id.clone(), older.clone());
        }
        links.in_rings()
    }

    fn conflicts(&self) -> Vec<Conflict> {
        let mut roots = Roots::default();
        let mut leaves: BTreeMap<&str, Vec<(Millis, &str)>> = BTreeMap::new();
        for id in self.parents.keys() {
            self.add_leaf(id, roots.of(id, &self.parents), &mut leaves);
        }
        let all: Vec<&str> = leaves.keys().copied().collect();
        for root in all {
            self.add_leaf(root, root, &mut leaves);
        }
        leaves
            .into_iter()
            .filter_map(|(root, mut ids)| {
                ids.sort_by(|a, b| b.cmp(a));
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

    fn add_leaf<'f>(&'f self, id: &'f str, root: &'f str, leaves: &mut BTreeMap<&'f str, Vec<(Millis, &'f str)>>) {
        let ids = leaves.entry(root).or_default();
        if let Some(at) = self.times.get(id).filter(|_| !self.over.contains(id)) {
            ids.push((*at, id));
        }
    }
}

/// The oldest known revision of each family (path compression, as in union-find): a long chain is walked once.
#[derive(Default)]
struct Roots<'f>(FxHashMap<&'f str, &'f str>);

impl<'f> Roots<'f> {
    /// Returns the root of a family; in a cycle, the record at which the walk began.
    fn of(&mut self, id: &'f str, parents: &'f FxHashMap<String, String>) -> &'f str {
        let (mut at, mut walk) = (id, Vec::new());
        let root = loop {
            if let Some(known) = self.0.get(at) {
                break *known;
            }
            // A placeholder until the root is known: meeting it again means a cycle.
            self.0.insert(at, id);
            walk.push(at);
            match parents.get(at) {
                Some(parent) => at = parent,
                None => break at,
            }
        };
        for passed in walk {
            self.0.insert(passed, root);
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record that supersedes the previous one.
    fn revision(number: usize) -> String {
        format!(
            r#"{{"id":"r{number}","content":"text","supersedes":"r{}","captured_at":"2026-01-01T00:00:00.000Z"}}"#,
            number - 1
        )
    }

    #[test]
    fn a_chain_of_any_length_is_walked_once() {
        let lines: Vec<String> = (1..200_000).map(revision).collect();
        let mut families = Families::among(lines.iter().map(String::as_bytes));
        assert_eq!(families.conflicts(), []);
        // A revision of the middle record conflicts with the newest, in either order.
        families.take(
            br#"{"id":"rival","content":"text","supersedes":"r100000","captured_at":"2026-01-02T00:00:00.000Z"}"#,
        );
        let conflicts = families.conflicts();
        assert_eq!(conflicts.len(), 1);
        assert_eq!((conflicts[0].of.as_str(), conflicts[0].ids.len()), ("r0", 2));
        let mut around = Lineages::around("r199999");
        lines.iter().for_each(|line| around.take(line.as_bytes()));
        assert_eq!(around.covered_by_forgetting().len(), 200_000);
    }

    #[test]
    fn a_cycle_is_not_a_family() {
        let lines = [
            r#"{"id":"a","content":"x","supersedes":"b"}"#,
            r#"{"id":"b","content":"x","supersedes":"a"}"#,
            r#"{"id":"c","content":"x","supersedes":"c"}"#,
        ];
        let lines = || lines.iter().map(|line| line.as_bytes());
        assert_eq!(conflicts_among(lines()), []);
        assert_eq!(rings_among(lines()), ["a", "b"]);
        let mut around = Lineages::around("a");
        lines().for_each(|line| around.take(line));
        assert_eq!(around.covered_by_forgetting(), ["a"]);
    }
}
