//! Contradictions between merged branches: the author of one side had not seen the other, so that the later record is no
//! correction of the earlier one. Such records are in conflict, and the merged file says so.

use rustc_hash::FxHashMap;

use crate::clock::Millis;
use crate::model::thought::{Fields, LineKind, Ruling, RulingKind, read_line};
use crate::text::Statement;
use crate::truth::{Claims, Frequency, Newer, Reason, each_topic, each_wanted, take_keys, take_topic_keys};

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
        let (claims, statement) = (Claims::of(&fields.text), Statement::of(&fields.text));
        Some(SideRecord {
            fields,
            claims,
            statement,
        })
    }

    fn moment(&self) -> (Millis, &str) {
        (self.fields.at_ms, &self.fields.id)
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
    let (of_ours, of_theirs) = (by_key(&ours), by_key(&theirs));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (key, our) in of_ours.iter().filter(|(_, list)| list.len() <= SAID_MAX) {
        let their = of_theirs.get(key).filter(|list| list.len() <= SAID_MAX);
        for at in their.into_iter().flatten() {
            pairs.extend(our.iter().map(|our| (*at, *our)));
        }
    }
    pairs.extend(
        near_pairs(&ours, &of_theirs)
            .into_iter()
            .map(|(our, their)| (their, our)),
    );
    pairs.extend(near_pairs(&theirs, &of_ours));
    pairs.sort_unstable();
    pairs.dedup();
    let rulings = pairs.into_iter();
    rulings
        .filter_map(|(their, our)| disagreement(ours.get(our)?, theirs.get(their)?))
        .collect()
}

/// The maximum number of records with the same key: a more frequent word does not identify a topic.
const TOPIC_MAX: usize = 8;

/// The pairs of records that share words: one of this side, and one that was found by its keys.
fn near_pairs(side: &[SideRecord<'_>], by_key: &FxHashMap<u64, Vec<usize>>) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    // A key of more than a few records is not looked at, so all words are rare.
    let frequency = Frequency::default();
    let mut reasons: FxHashMap<usize, Reason> = FxHashMap::default();
    for (at, record) in side.iter().enumerate() {
        reasons.clear();
        each_topic(&record.claims, |topic| {
            let others = by_key.get(&topic.key).filter(|list| list.len() <= TOPIC_MAX);
            for other in others.into_iter().flatten() {
                let sum = reasons.entry(*other).or_default();
                *sum = sum.and(Reason::of(topic, &frequency));
            }
        });
        let near = reasons.iter().filter(|(_, reason)| reason.is_enough());
        pairs.extend(near.map(|(other, _)| (at, *other)));
    }
    pairs
}

/// Indexes records by the keys of their claims, including negated ones.
fn by_key(side: &[SideRecord<'_>]) -> FxHashMap<u64, Vec<usize>> {
    let mut by_key: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let (mut keys, mut topics) = (Vec::new(), Vec::new());
    for (at, record) in side.iter().enumerate() {
        take_keys(&record.claims, record.statement.words(), &mut keys);
        take_topic_keys(&record.claims, &mut topics);
        keys.append(&mut topics);
        each_wanted(&record.claims, record.statement.words(), |key| keys.push(key));
        keys.sort_unstable();
        keys.dedup();
        keys.iter().for_each(|key| by_key.entry(*key).or_default().push(at));
    }
    by_key
}

fn disagreement(one: &SideRecord<'_>, other: &SideRecord<'_>) -> Option<Ruling> {
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
