//! Sorting that is compiled once for all types. The standard library compiles its sort anew for each type and each comparison, five
//! kilobytes of code every time, which is worth it where much is sorted or often, and nowhere else.

use std::cmp::Ordering;

/// Slices that can be sorted by shared code: stable, and half as fast as `sort_by`.
pub trait Arrange<T> {
    /// Sorts by a comparison.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key.
    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Arrange<T> for [T] {
    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = order_of(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        put_in_order(order, &mut |a, b| self.swap(a, b));
    }

    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// Returns the places of `len` items in the order of a comparison between places.
fn order_of(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Moves items, each to the place at which `order` has its present one, by following the cycles of that permutation.
fn put_in_order(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut place = first;
        while let Some(from) = order.get_mut(place).map(|from| std::mem::replace(from, place)) {
            if from == first {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_stable_sort_of_the_standard_library(keys in prop::collection::vec(0_u8..20, 0..200)) {
            let items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut arranged = items.clone();
            arranged.arrange_by_key(|(key, _)| *key);
            prop_assert_eq!(&arranged, &expected);
            expected.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
            arranged.arrange_by(|a, b| b.0.cmp(&a.0));
            prop_assert_eq!(&arranged, &expected);
        }
    }
}
