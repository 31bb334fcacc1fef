//! Fork and join: work on many entries with two threads.

use std::panic::resume_unwind;
use std::thread;

/// Fewer items are processed faster than a thread starts.
const SPLIT_ITEMS: usize = 4096;

/// Runs `work` on both halves of many items in parallel, or on all of a few; the results are in the order of the items.
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
        // Propagate a panic of the other thread.
        (first, Some(other.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}
