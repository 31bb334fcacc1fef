//! Three-way merge of journals as sets of lines: a record is identified by its id, every other line by its bytes.
//!
//! The result contains the lines of both sides. A line that one side removed and the other left unchanged stays removed; a change
//! on one side wins over an unchanged line. When both sides changed a record, the newer one keeps the id (last writer wins) and the
//! other one is kept under an id of its own. A tombstone also covers edits of its record on the other side.
//!
//! Invariant: the result is a function of the three sets of lines. It is commutative (`ours` and `theirs` can be swapped),
//! idempotent, and independent of the order in which several branches are merged.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use crate::clock::Millis;
use crate::journal::each_line;
use crate::judgement::reason::WHY_RESTORED;
use crate::model::canonical::record_hash;
use crate::model::lineage::{CONFLICT_FIELD, Conflict, conflict_in, conflicts_among, lineage_in, may_conflict};
use crate::model::rings::Links;
use crate::model::said::{Door, Said};
use crate::model::thought::{ActionKind, LineKind, Ruling, RulingKind, read_line};
use crate::upkeep::disagreements::{find_disagreements, find_rivals};

/// Smaller sides are processed by one thread.
const SPLIT_BYTES: usize = 1 << 20;

/// The result of a merge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    /// The lines.
    pub bytes: Vec<u8>,
    /// How many there are.
    pub lines: u64,
    /// Records that both sides changed.
    pub conflicts: Vec<Conflict>,
    /// The number of tombstones that were added for edits of forgotten records.
    pub forgotten_edits: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    Record(String),
    Line(Vec<u8>),
}

/// A line, with the fields that merging compares.
#[derive(Debug, Clone)]
struct Item<'a> {
    line: std::borrow::Cow<'a, [u8]>,
    at_ms: Millis,
    number: usize,
}

type Items<'a> = FxHashMap<Key, Item<'a>>;

/// Merges `ours` and `theirs` with their common ancestor `base`.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    let [base, ours, theirs] = read_sides([base, ours, theirs]);
    let mut merged: Items<'_> = FxHashMap::default();
    for (key, left) in &ours {
        match (theirs.get(key), base.get(key)) {
            (Some(right), old) => {
                let (kept, other) = choose(left, right, old);
                merged.insert(key.clone(), kept.clone());
                keep_other(key, kept, other, &mut merged);
            }
            // Removed on the other side, unchanged on this one.
            (None, Some(old)) if old.line == left.line => {}
            (None, _) => {
                merged.insert(key.clone(), left.clone());
            }
        }
    }
    for (key, right) in &theirs {
        let left_alone = base.get(key).is_some_and(|old| old.line == right.line);
        if !ours.contains_key(key) && !left_alone {
            merged.entry(key.clone()).or_insert_with(|| right.clone());
        }
    }
    // A tombstone is final: a record that is to return comes as a revision of its own.
    for (key, item) in &base {
        if is_tombstone(key, item) {
            merged.entry(key.clone()).or_insert_with(|| item.clone());
        }
    }
    add_disagreements(&mut merged, [&base, &ours, &theirs]);
    drop_settled_copies(&mut merged);
    propose_copies(&mut merged);
    let links = links_in([&base, &ours, &theirs]);
    let forgotten_edits = cover_edits(&mut merged, &links);
    drop_forgotten_copies(&mut merged);
    add_rivals(&mut merged, [&ours, &theirs]);
    into_lines(merged, &base, forgotten_edits)
}

/// Adds the rulings about contradictions between the two sides.
fn add_disagreements(merged: &mut Items<'_>, [base, ours, theirs]: [&Items<'_>; 3]) {
    let only = |one: &'_ Items<'_>, other: &Items<'_>| -> Vec<Vec<u8>> {
        let new = one
            .iter()
            .filter(|(key, _)| matches!(key, Key::Record(_)) && !other.contains_key(key) && !base.contains_key(key));
        new.map(|(_, item)| item.line.to_vec()).collect()
    };
    let (ours, theirs) = (only(ours, theirs), only(theirs, ours));
    if ours.is_empty() || theirs.is_empty() {
        return;
    }
    for ruling in find_disagreements(ours.iter().map(Vec::as_slice), theirs.iter().map(Vec::as_slice)) {
        add_line(merged, ruling.line().into_bytes(), ruling.at_ms);
    }
}

/// Adds the rulings about revisions of one record, of which no side has both.
fn add_rivals(merged: &mut Items<'_>, sides: [&Items<'_>; 2]) {
    if !merged.values().any(|item| may_conflict(&item.line)) {
        return;
    }
    let has = |side: &Items<'_>, id: &str| side.contains_key(&Key::Record(id.to_owned()));
    let is_open = |one: &str, other: &str| !sides.iter().any(|side| has(side, one) && has(side, other));
    let lines: Vec<&[u8]> = merged.values().map(|item| item.line.as_ref()).collect();
    for ruling in find_rivals(&lines, is_open) {
        add_line(merged, ruling.line().into_bytes(), ruling.at_ms);
    }
}

fn add_line(merged: &mut Items<'_>, line: Vec<u8>, at_ms: Millis) {
    merged.entry(Key::Line(line.clone())).or_insert(Item {
        line: line.into(),
        at_ms,
        number: usize::MAX,
    });
}

fn is_proposal(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"\"propose\"").is_some()
        && matches!(read_line(line), LineKind::Ruling(ruling) if ruling.kind == RulingKind::Propose)
}

/// Returns the id of the record with which a forgotten one came back, when the line says so.
fn restored_in(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, WHY_RESTORED.as_bytes())?;
    match read_line(line) {
        LineKind::Ruling(ruling) if ruling.kind == RulingKind::Keep && ruling.why == WHY_RESTORED => Some(ruling.id),
        _ => None,
    }
}

fn is_tombstone(key: &Key, item: &Item<'_>) -> bool {
    matches!(key, Key::Line(_))
        && matches!(read_line(&item.line), LineKind::Action(action) if action.kind == ActionKind::Delete)
}

/// Reads one side. Of several lines with one id the last one counts, as everywhere.
fn items_of(bytes: &[u8]) -> Items<'_> {
    let mut items = FxHashMap::default();
    for (number, (_, line)) in each_line(bytes).enumerate() {
        if line.is_empty() {
            continue;
        }
        let (key, at_ms) = match read_line(line) {
            LineKind::Record(fields) => (Key::Record(fields.id.into_owned()), fields.at_ms),
            LineKind::Action(action) => (Key::Line(line.to_vec()), action.at_ms),
            LineKind::Ruling(ruling) => (Key::Line(line.to_vec()), ruling.at_ms),
            LineKind::Other | LineKind::Unparsable => (Key::Line(line.to_vec()), Millis::MAX),
        };
        items.insert(
            key,
            Item {
                line: line.into(),
                at_ms,
                number,
            },
        );
    }
    items
}

/// Reads all three; large ones side by side.
fn read_sides(sides: [&[u8]; 3]) -> [Items<'_>; 3] {
    if sides.iter().all(|side| side.len() < SPLIT_BYTES) {
        return sides.map(items_of);
    }
    let [base, ours, theirs] = sides;
    std::thread::scope(|scope| {
        let others = [base, theirs].map(|side| scope.spawn(|| items_of(side)));
        let ours = items_of(ours);
        // Propagate a panic of the other thread.
        let [base, theirs] = others.map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        [base, ours, theirs]
    })
}

/// Returns the version that keeps the id, and the losing one if there is one.
fn choose<'i, 'a>(
    left: &'i Item<'a>,
    right: &'i Item<'a>,
    base: Option<&Item<'a>>,
) -> (&'i Item<'a>, Option<&'i Item<'a>>) {
    if left.line == right.line {
        return (left, None);
    }
    match base {
        Some(old) if old.line == left.line => (right, None),
        Some(old) if old.line == right.line => (left, None),
        _ if (left.at_ms, &left.line) < (right.at_ms, &right.line) => (right, Some(left)),
        _ => (left, Some(right)),
    }
}

/// Keeps the record that lost its id, unless its text is the same.
fn keep_other<'a>(key: &Key, kept: &Item<'a>, other: Option<&Item<'a>>, merged: &mut Items<'a>) {
    let (Key::Record(id), Some(other)) = (key, other) else {
        return;
    };
    if record_hash(&kept.line) == record_hash(&other.line) {
        return;
    }
    if let Some((copy_id, line)) = copy_of(id, &other.line) {
        let item = Item {
            line: line.into(),
            at_ms: other.at_ms,
            number: usize::MAX,
        };
        merged.insert(Key::Record(copy_id), item);
    }
}

/// Gives a record that lost its id a derived one. It is a function of the record, so that every machine derives the same.
fn copy_of(id: &str, line: &[u8]) -> Option<(String, Vec<u8>)> {
    let hash = record_hash(line)?;
    let copy_id = format!("mem_{}", hash.strip_prefix("sha256:")?.get(..32)?);
    let record: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let mut fields: BTreeMap<String, Value> = record
        .into_iter()
        .filter(|(name, _)| !name.starts_with('_') && name != "hallmark" && name != "supersedes")
        .collect();
    fields.insert("id".into(), copy_id.clone().into());
    fields.insert("_v".into(), crate::model::thought::FORMAT_VERSION.into());
    fields.insert(CONFLICT_FIELD.into(), id.into());
    Some((copy_id, serde_json::to_vec(&fields).ok()?))
}

/// Proposes the copies of proposed records: a record that got a new id in a merge waits for its review too.
fn propose_copies(merged: &mut Items<'_>) {
    let copies: Vec<(String, String)> = merged
        .iter()
        .filter_map(|(key, item)| match key {
            Key::Record(id) => Some((id.clone(), conflict_in(&item.line)?)),
            Key::Line(_) => None,
        })
        .collect();
    if copies.is_empty() {
        return;
    }
    let mut proposals: FxHashMap<String, Vec<Ruling>> = FxHashMap::default();
    for item in merged.values().filter(|item| is_proposal(&item.line)) {
        if let LineKind::Ruling(ruling) = read_line(&item.line) {
            proposals.entry(ruling.id.clone()).or_default().push(ruling);
        }
    }
    for (copy, rival) in copies {
        for proposal in proposals.get(&rival).into_iter().flatten() {
            let line = proposal.about(&copy).line().into_bytes();
            add_line(merged, line, proposal.at_ms);
        }
    }
}

/// A copy with the same text as the kept record is dropped.
fn drop_settled_copies(merged: &mut Items<'_>) {
    let settled: Vec<Key> = merged
        .iter()
        .filter(|(key, item)| {
            let Some(rival) = conflict_in(&item.line) else {
                return false;
            };
            let Key::Record(copy_id) = key else { return false };
            let winner = merged.get(&Key::Record(rival.clone()));
            winner.is_some_and(|winner| copy_of(&rival, &winner.line).is_some_and(|(id, _)| id == *copy_id))
        })
        .map(|(key, _)| key.clone())
        .collect();
    for key in settled {
        merged.remove(&key);
    }
}

/// A tombstone covers all copies of its record.
fn drop_forgotten_copies(merged: &mut Items<'_>) {
    let rivals: Vec<(Key, String)> = merged
        .iter()
        .filter_map(|(key, item)| Some((key.clone(), conflict_in(&item.line)?)))
        .collect();
    if rivals.is_empty() {
        return;
    }
    let dead: FxHashSet<String> = merged
        .values()
        .filter_map(|item| match read_line(&item.line) {
            LineKind::Action(action) if action.kind == ActionKind::Delete => Some(action.id.into_owned()),
            _ => None,
        })
        .collect();
    for (key, rival) in rivals {
        if dead.contains(&rival) {
            merged.remove(&key);
        }
    }
}

/// Returns the links between revisions of all three versions, without those by which a forgotten record came back.
fn links_in(sides: [&Items<'_>; 3]) -> FxHashMap<String, FxHashSet<String>> {
    let mut links: FxHashMap<String, FxHashSet<String>> = FxHashMap::default();
    let items: Vec<&Item<'_>> = sides.into_iter().flat_map(|side| side.values()).collect();
    let restored: FxHashSet<String> = items.iter().filter_map(|item| restored_in(&item.line)).collect();
    let mut all = Links::default();
    for item in items {
        if let Some((id, older)) = lineage_in(&item.line)
            && conflict_in(&item.line).is_none()
            && !restored.contains(&id)
        {
            all.add(id.clone(), older.clone());
            links.entry(older).or_default().insert(id);
        }
    }
    let rings = all.in_rings();
    for id in &rings {
        if let Some(newer) = links.get_mut(id) {
            newer.retain(|id| !rings.contains(id));
        }
    }
    links
}

/// Adds tombstones for the revisions of records that have one.
fn cover_edits(merged: &mut Items<'_>, links: &FxHashMap<String, FxHashSet<String>>) -> u64 {
    if links.is_empty() {
        return 0;
    }
    let mut dead: Vec<(String, Millis)> = Vec::new();
    for item in merged.values() {
        if let LineKind::Action(action) = read_line(&item.line)
            && action.kind == ActionKind::Delete
        {
            dead.push((action.id.into_owned(), action.at_ms));
        }
    }
    let dead_ids: FxHashSet<String> = dead.iter().map(|(id, _)| id.clone()).collect();
    let mut covered: FxHashSet<(String, Millis)> = dead.iter().cloned().collect();
    let mut revived: FxHashSet<String> = FxHashSet::default();
    while let Some((id, at_ms)) = dead.pop() {
        for edit in links.get(&id).into_iter().flatten() {
            if !covered.insert((edit.clone(), at_ms)) {
                continue;
            }
            dead.push((edit.clone(), at_ms));
            if !dead_ids.contains(edit) {
                revived.insert(edit.clone());
            }
            let line = crate::model::thought::action_line("delete", edit, None, Said::tool(Door::Merge), at_ms);
            add_line(merged, line.into_bytes(), at_ms);
        }
    }
    revived.len() as u64
}

/// Lines of the ancestor keep their order; new lines follow by time.
fn into_lines(merged: Items<'_>, base: &Items<'_>, forgotten_edits: u64) -> Merged {
    let conflicts = if merged.values().any(|item| may_conflict(&item.line)) {
        conflicts_among(merged.values().map(|item| item.line.as_ref()))
    } else {
        Vec::new()
    };
    let mut rows: Vec<(usize, Millis, Key, Item<'_>)> = merged
        .into_iter()
        .map(|(key, item)| {
            let place = base.get(&key).map_or(usize::MAX, |old| old.number);
            (place, item.at_ms, key, item)
        })
        .collect();
    // A proposal precedes its record, so that no reader can see the record as current in between.
    let is_behind = |item: &Item<'_>| !is_proposal(&item.line);
    rows.sort_by(|a, b| (a.0, a.1, is_behind(&a.3), &a.2).cmp(&(b.0, b.1, is_behind(&b.3), &b.2)));
    let mut bytes = Vec::with_capacity(rows.iter().map(|row| row.3.line.len() + 1).sum());
    for (_, _, _, item) in &rows {
        bytes.extend_from_slice(&item.line);
        bytes.push(b'\n');
    }
    Merged {
        bytes,
        lines: rows.len() as u64,
        conflicts,
        forgotten_edits,
    }
}
