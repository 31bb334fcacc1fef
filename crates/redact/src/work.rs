//! Counts the bytes that matchers read, so that a test can check that the work is linear. Only tests count.

#[cfg(test)]
pub(super) use counted::{add, done, reset};

/// Adds to the number of bytes read.
#[cfg(not(test))]
pub(super) const fn add(_bytes: usize) {}

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static READ: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn add(bytes: usize) {
        READ.with(|read| read.set(read.get() + bytes));
    }

    pub(crate) fn reset() {
        READ.with(|read| read.set(0));
    }

    pub(crate) fn done() -> usize {
        READ.with(Cell::get)
    }
}
