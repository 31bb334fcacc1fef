//! Ids: the idempotency key of a record in every tier.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use uuid::{ContextV7, Timestamp, Uuid};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use forge_memory_journal::clock::Millis;

/// The maximum length of an id.
const ID_BYTES_MAX: usize = 128;

/// The ids of one process.
static IDS: Mutex<Ids> = Mutex::new(Ids(None));

/// Returns a new id for a record made at `now`. Ids that one process makes in the same millisecond sort in the order in which they were
/// made, so that time and id together identify the newer of two records.
pub fn new_id(now: Millis) -> String {
    IDS.lock().unwrap_or_else(PoisonError::into_inner).make(now)
}

/// The millisecond of the last id, and the counter of the ids of that millisecond.
struct Ids(Option<(Millis, ContextV7)>);

impl Ids {
    fn make(&mut self, now: Millis) -> String {
        let since = u64::try_from(now).unwrap_or(0);
        let nanos = u32::try_from(since % 1000).unwrap_or(0) * 1_000_000;
        // The clock may go back. Each millisecond has a counter of its own, so that the id keeps its time.
        let context = match self.0.take() {
            Some((millisecond, context)) if millisecond == now => context,
            _ => ContextV7::new(),
        };
        let uuid = Uuid::new_v7(Timestamp::from_unix(&context, since / 1000, nanos));
        self.0 = Some((now, context));
        let mut hex = [0_u8; uuid::fmt::Simple::LENGTH];
        ["mem_", uuid.simple().encode_lower(&mut hex)].concat()
    }
}

/// True if `id` is a valid id of this or another tool. Ids are never part of a path; the check keeps control
/// characters and long texts out of messages and files.
pub fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= ID_BYTES_MAX && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b))
}

/// Returns the id of a record: the given one when it is valid, else (spaces, control characters, too long) one derived
/// from its hash. `None` for an empty id.
pub fn known_id(id: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match id {
        id if id.is_empty() => None,
        id if is_id(&id) => Some(id),
        odd => Some(Cow::Owned(format!(
            "mem_{:032x}",
            xxh3_128_with_seed(odd.as_bytes(), ODD_ID_SEED)
        ))),
    }
}

/// A seed of its own, so that these ids differ from those that are derived from whole lines.
const ODD_ID_SEED: u64 = 1;

/// Returns the hash of an id that the index uses.
pub fn id_hash(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_documented_shape_and_sort_by_time() {
        let (early, late) = (new_id(1_700_000_000_000), new_id(1_700_000_000_001));
        assert_eq!(early.len(), 36);
        assert!(early.starts_with("mem_") && early[4..].bytes().all(|b| b.is_ascii_hexdigit()));
        assert!(early < late);
        assert_eq!(&early[16..17], "7", "the version of the UUID");
    }

    #[test]
    fn ids_made_in_the_same_millisecond_are_in_the_order_in_which_they_were_made() {
        let mut of_process = Ids(None);
        let ids: Vec<String> = (0..10_000).map(|_| of_process.make(1_700_000_000_002)).collect();
        assert!(ids.is_sorted_by(|one, next| one < next));
        assert!(of_process.make(1_700_000_000_001) < ids[0], "the clock may go back");
    }

    #[test]
    fn paths_and_control_characters_are_not_ids() {
        for bad in ["", "../x", "a/b", "a\nb", "\u{1b}[31m", "a b", &"x".repeat(200)] {
            assert!(!is_id(bad), "{bad:?}");
        }
        assert!(is_id("mem_1763632000000_a1b2"));
    }
}
