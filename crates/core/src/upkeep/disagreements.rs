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

/// A subject about which one side says more than this is a series, such as the numbered entries of a log: it has no one value that
/// two sides could disagree about, and comparing all with all would take time without bound.
const SAID_MAX: usize = 32;

/// Returns the rulings on records that contradict each other, one of which only the one side has, the other only the other.
/// The same records have the same rulings, whichever side is which.
pub(super) fn find_disagreements<'a>(
    ours: impl Iterator<Item = &'a [u8]>,
    theirs: impl Iterator<Item = &'a [u8]>,
) -> Vec<Ruling> {
    let ours: Vec<Said<'_>> = ours.filter_map(Said::of).collect();
    let theirs: Vec<Said<'_>> = theirs.filter_map(Said::of).collect();
    let (of_ours, of_theirs) = (by_key(&ours), by_key(&theirs));
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
        .filter_map(|(their, our)| disagreement(ours.get(our)?, theirs.get(their)?))
        .collect()
}

/// The records by what they assert and by what they say is no longer so.
fn by_key(side: &[Said<'_>]) -> FxHashMap<u64, Vec<usize>> {
    let mut by_key: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut keys = Vec::new();
    for (at, said) in side.iter().enumerate() {
        add_keys(&said.claims, said.statement.words(), &mut keys);
        each_wanted(&said.claims, said.statement.words(), |key| keys.push(key));
        keys.sort_unstable();
        keys.dedup();
        keys.iter().for_each(|key| by_key.entry(*key).or_default().push(at));
    }
    by_key
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
