//! Counts the bytes that matchers read, so that a test can check that the work is linear.

use std::cell::Cell;

thread_local! {
    static READ: Cell<usize> = const { Cell::new(0) };
}

/// Adds to the number of bytes read.
pub(super) fn add(bytes: usize) {
    READ.with(|read| read.set(read.get() + bytes));
}

pub(super) fn reset() {
    READ.with(|read| read.set(0));
}

pub(super) fn done() -> usize {
    READ.with(Cell::get)
}
