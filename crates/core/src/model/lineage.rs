//! Which record takes the place of which, and records that say different things where one is meant.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use crate::clock::Millis;
use crate::model::rings::Links;
use crate::model::thought::{ActionKind, LineKind, read_line};

/// The field in which a record that lost its id to another one names that id.
pub const CONFLICT_FIELD: &str = "_conflict";

/// Two records where one is meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// What both of them take the place of.
    pub of: String,
    /// The records, the newest first.
    pub ids: Vec<String>,
}

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

/// Returns the id that a record has lost to another one.
pub(crate) fn conflict_in(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, CONFLICT_FIELD.as_bytes())?;
    let record: Map<String, Value> = serde_json::from_slice(line).ok()?;
    record.get(CONFLICT_FIELD)?.as_str().map(str::to_owned)
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
        LineKind::Action(_) | LineKind::Ruling(_) | LineKind::Unparsable => return None,
    };
    (id != supersedes).then_some((id, supersedes))
}

/// Writes that line; of a ring, it says so.
pub(crate) fn lineage_line(id: &str, older: &str, is_of_ring: bool) -> String {
    let (id, older) = (serde_json::Value::from(id), serde_json::Value::from(older));
    let ring = if is_of_ring { RING_SIGN } else { "" };
    format!("{{\"_v\":1,\"_action\":\"lineage\",\"id\":{id},\"supersedes\":{older}{ring}}}")
}

const RING_SIGN: &str = ",\"_ring\":true";

/// Returns whose place a record of a ring took that a compaction has removed: those that are left are still no chain.
pub(crate) fn ring_lineage_in(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, RING_SIGN.as_bytes())?;
    lineage_in(line).map(|(_, older)| older)
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

/// Finds several revisions of one record that are all recalled, and what a merge kept beside the winner. What is
/// forgotten or replaced since is no conflict any more.
pub fn conflicts_among<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<Conflict> {
    Families::among(lines).conflicts()
}

/// Returns the ids of records that take the place of each other in a circle, sorted.
pub(crate) fn rings_among<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
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

    fn add_leaf<'f>(&'f self, id: &'f str, root: &'f str, leaves: &mut BTreeMap<&'f str, Vec<(Millis, &'f str)>>) {
        let ids = leaves.entry(root).or_default();
        if let Some(at) = self.times.get(id).filter(|_| !self.over.contains(id)) {
            ids.push((*at, id));
        }
    }
}

/// The oldest known of each family. What one walk has found, the next one takes over: a long chain is walked once.
#[derive(Default)]
struct Roots<'f>(FxHashMap<&'f str, &'f str>);

impl<'f> Roots<'f> {
    /// Of a ring, the first of the walk that came to it.
    fn of(&mut self, id: &'f str, parents: &'f FxHashMap<String, String>) -> &'f str {
        let (mut at, mut walk) = (id, Vec::new());
        let root = loop {
            if let Some(known) = self.0.get(at) {
                break *known;
            }
            // Until the root is known: whoever comes by here again has gone round.
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

    /// A record that takes the place of the one before.
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
        // One who revises the middle is in conflict with the newest, whichever of them is looked at first.
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
    fn a_ring_is_no_family() {
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
