//! Near duplicates within a set of records in memory, without a segment.

use rustc_hash::FxHashMap;

use super::entry::{Entry, Family};
use super::near::{NearPosting, SignatureFilter, before_max, find_rarest, near_key};
use crate::model::thought::Fields;
use crate::text::Statement;

/// Returns the numbers of the records that duplicate an earlier one, ascending. Records for which `is_left_out` is true are not compared
/// with earlier ones, but later ones may duplicate them.
pub fn find_repeats(records: &[Fields<'_>], threshold: f64, is_left_out: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut entry = Entry::default();
    let mut frequency: FxHashMap<u64, u32> = FxHashMap::default();
    for fields in records {
        entry.take_words(fields, Family::Thoughts);
        for word in entry.statement.words() {
            *frequency.entry(near_key(*word, entry.partition)).or_default() += 1;
        }
    }
    // One byte, as in a segment: words of similar frequency are ordered by their keys.
    let rarity = |key: u64| {
        let count = frequency.get(&key).copied().unwrap_or(0);
        (f64::from(count + 1).log2() * 8.0) as u8
    };
    let mut lists: FxHashMap<u64, Vec<NearPosting>> = FxHashMap::default();
    let (mut rarest, mut other, mut found) = (Vec::new(), Statement::default(), Vec::new());
    for (at, fields) in records.iter().enumerate() {
        entry.take_words(fields, Family::Thoughts);
        let keys = entry
            .statement
            .words()
            .iter()
            .map(|word| near_key(*word, entry.partition));
        find_rarest(keys, threshold, rarity, &mut rarest);
        let signature_filter = SignatureFilter::new(entry.sketches, threshold);
        let mut is_repeat = |posting: &NearPosting| {
            let Some(earlier) = records.get(posting.doc as usize) else {
                return false;
            };
            if !signature_filter.lets_through(posting)
                || earlier.kind != fields.kind
                || earlier.project != fields.project
            {
                return false;
            }
            other.take(&earlier.text);
            entry.statement.likeness(&other, threshold).is_some()
        };
        let repeats = rarest.iter().enumerate().any(|(before, (_, key))| {
            let Some(list) = lists.get(key) else { return false };
            let met = list.iter().filter(|posting| posting.before <= before_max(before));
            met.into_iter().any(&mut is_repeat)
        });
        if repeats && !is_left_out(at) {
            found.push(at);
        }
        for (before, (_, key)) in rarest.iter().enumerate() {
            lists.entry(*key).or_default().push(NearPosting {
                sketch: entry.sketches.sketch,
                count: entry.sketches.count,
                before: u8::try_from(before).unwrap_or(u8::MAX),
                doc: u32::try_from(at).unwrap_or(u32::MAX),
            });
        }
    }
    found
}
