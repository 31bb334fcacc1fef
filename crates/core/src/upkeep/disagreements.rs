//! Contradictions between merged branches: the author of one side had not seen the other, so that the later record is no
//! correction of the earlier one. Such records are in conflict, and the merged file says so. So are two revisions of one record.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clock::Millis;
use crate::judgement::decide::disagreement;
use crate::judgement::reason::WHY_EDITED;
use crate::model::lineage::conflicts_among;
use crate::model::thought::{Fields, LineKind, Ruling, read_line};
use crate::text::Statement;
use crate::truth::{Claims, rule_between};

/// A record of one side, with its claims.
struct SideRecord<'a> {
    fields: Fields<'a>,
    claims: Claims,
    statement: Statement,
}

impl<'a> SideRecord<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let LineKind::Record(fields) = read_line(line) else {
            return None;
        };
        let statement = Statement::of(&fields.text);
        Some(SideRecord {
            claims: Claims::of(&statement),
            fields,
            statement,
        })
    }

    fn moment(&self) -> (Millis, &str) {
        (self.fields.at_ms, &self.fields.id)
    }

    /// Returns the words of the previous value that it names.
    fn previous(&self) -> impl Iterator<Item = u64> {
        self.claims
            .change
            .iter()
            .flat_map(|change| change.before.iter().copied())
    }
}

/// The maximum number of records of one side about a subject. More are a series, such as the numbered entries of a log,
/// which has no single value to disagree about, and comparing all pairs would take quadratic time.
const SAID_MAX: usize = 32;

/// Returns the rulings about contradicting records, one of which is only on one side and the other only on the other. The
/// result is the same when the sides are swapped.
pub(super) fn find_disagreements<'a>(
    ours: impl Iterator<Item = &'a [u8]>,
    theirs: impl Iterator<Item = &'a [u8]>,
) -> Vec<Ruling> {
    let ours: Vec<SideRecord<'_>> = ours.filter_map(SideRecord::of).collect();
    let theirs: Vec<SideRecord<'_>> = theirs.filter_map(SideRecord::of).collect();
    let named: FxHashSet<u64> = ours.iter().chain(&theirs).flat_map(SideRecord::previous).collect();
    let (of_ours, of_theirs) = (by_key(&ours, &named), by_key(&theirs, &named));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (key, our) in of_ours.iter().filter(|(_, list)| list.len() <= SAID_MAX) {
        let their = of_theirs.get(key).filter(|list| list.len() <= SAID_MAX);
        for at in their.into_iter().flatten() {
            pairs.extend(our.iter().map(|our| (*at, *our)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let rulings = pairs.into_iter();
    rulings
        .filter_map(|(their, our)| disagreement_of(ours.get(our)?, theirs.get(their)?))
        .collect()
}

/// Returns the rulings about revisions of one record that were made on different branches, given the lines of a file: each against each.
/// `is_open` tells of two ids whether a ruling about them is due.
pub(super) fn find_rivals(lines: &[&[u8]], is_open: impl Fn(&str, &str) -> bool) -> Vec<Ruling> {
    let mut rulings = Vec::new();
    let conflicts = conflicts_among(lines.iter().copied());
    if conflicts.is_empty() {
        return rulings;
    }
    let times: FxHashMap<String, Millis> = lines
        .iter()
        .filter_map(|line| match read_line(line) {
            LineKind::Record(fields) => Some((fields.id.into_owned(), fields.at_ms)),
            _ => None,
        })
        .collect();
    for conflict in conflicts {
        let ids: Vec<&String> = conflict.ids.iter().take(SAID_MAX).collect();
        for (at, newer) in ids.iter().enumerate() {
            for older in ids.iter().skip(at + 1).filter(|older| is_open(older, newer)) {
                let at_ms = times.get(*newer).copied().unwrap_or_default();
                rulings.push(disagreement(older, newer, WHY_EDITED, at_ms));
            }
        }
    }
    rulings
}

/// Indexes records by the keys of their claims, and by their words that a change on either side names.
fn by_key(side: &[SideRecord<'_>], named: &FxHashSet<u64>) -> FxHashMap<u64, Vec<usize>> {
    let mut by_key: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, record) in side.iter().enumerate() {
        let words = record.statement.words().iter().copied();
        let mut keys: Vec<u64> = words.filter(|word| named.contains(word)).collect();
        record.claims.each_key(|key| keys.push(key));
        keys.sort_unstable();
        keys.dedup();
        keys.iter().for_each(|key| by_key.entry(*key).or_default().push(at));
    }
    by_key
}

fn disagreement_of(one: &SideRecord<'_>, other: &SideRecord<'_>) -> Option<Ruling> {
    if one.fields.project != other.fields.project {
        return None;
    }
    let (newer, older) = if one.moment() > other.moment() {
        (one, other)
    } else {
        (other, one)
    };
    let rule = rule_between(&newer.claims, &older.claims, &newer.statement, &older.statement)?;
    let rule = Some(rule).filter(|rule| rule.is_of_state([&*newer.fields.kind, &*older.fields.kind]))?;
    Some(disagreement(
        &older.fields.id,
        &newer.fields.id,
        rule.name(),
        newer.fields.at_ms,
    ))
}
