//! What two sides of a merge have come to say about the same things: neither has seen the other, so that the later one is no
//! correction of the earlier one. The two are in conflict, and the merged file says so.

use rustc_hash::FxHashMap;

use crate::clock::Millis;
use crate::model::thought::{Fields, LineKind, Ruling, RulingKind, read_line};
use crate::text::Statement;
use crate::truth::{Claims, Newer, add_keys, each_wanted};

/// A record of one side, with what it asserts.
struct Said<'a> {
    fields: Fields<'a>,
    claims: Claims,
    statement: Statement,
}

impl<'a> Said<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let LineKind::Record(fields) = read_line(line) else {
            return None;
        };
        let (claims, statement) = (Claims::of(&fields.text), Statement::of(&fields.text));
        Some(Said {
            fields,
            claims,
            statement,
        })
    }

    fn moment(&self) -> (Millis, &str) {
        (self.fields.at_ms, &self.fields.id)
    }
}

/// Returns the rulings on records that contradict each other, one of which only the one side has, the other only the other.
/// The same records have the same rulings, whichever side is which.
pub(super) fn find_disagreements<'a>(
    ours: impl Iterator<Item = &'a [u8]>,
    theirs: impl Iterator<Item = &'a [u8]>,
) -> Vec<Ruling> {
    let ours: Vec<Said<'_>> = ours.filter_map(Said::of).collect();
    let mut by_key: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut keys = Vec::new();
    for (at, said) in ours.iter().enumerate() {
        add_keys(&said.claims, said.statement.words(), &mut keys);
        keys.iter().for_each(|key| by_key.entry(*key).or_default().push(at));
    }
    let mut rulings = Vec::new();
    for their in theirs.filter_map(Said::of) {
        let mut near: Vec<usize> = Vec::new();
        add_keys(&their.claims, their.statement.words(), &mut keys);
        each_wanted(&their.claims, their.statement.words(), |key| keys.push(key));
        keys.iter()
            .filter_map(|key| by_key.get(key))
            .for_each(|found| near.extend(found));
        near.sort_unstable();
        near.dedup();
        rulings.extend(near.into_iter().filter_map(|at| disagreement(ours.get(at)?, &their)));
    }
    rulings
}

fn disagreement(one: &Said<'_>, other: &Said<'_>) -> Option<Ruling> {
    if one.fields.project != other.fields.project {
        return None;
    }
    let (newer, older) = if one.moment() > other.moment() {
        (one, other)
    } else {
        (other, one)
    };
    let evidence = Newer::new(&newer.claims, &newer.statement).against(&older.fields.text)?;
    Some(Ruling {
        kind: RulingKind::Conflict,
        id: older.fields.id.to_string(),
        other: Some(newer.fields.id.to_string()),
        why: evidence.rule.name().to_owned(),
        at_ms: newer.fields.at_ms,
    })
}
