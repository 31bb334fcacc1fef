//! Work on many entries, half of them on another thread.

use std::panic::resume_unwind;
use std::thread;

/// Fewer items are done sooner than a thread starts.
const SPLIT_ITEMS: usize = 4096;

/// Does the work on both halves of many items at once, or on all of few; what it answers comes in the order of the items.
/// The second argument of `work` says whether its items are the first half.
pub(super) fn in_halves<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(&'i [T], bool) -> R + Sync,
) -> (R, Option<R>) {
    if items.len() < SPLIT_ITEMS {
        return (work(items, true), None);
    }
    let (first, second) = items.split_at(items.len() / 2);
    thread::scope(|scope| {
        let other = scope.spawn(|| work(second, false));
        let first = work(first, true);
        // A panic in the other half is this one's as well.
        (first, Some(other.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}
