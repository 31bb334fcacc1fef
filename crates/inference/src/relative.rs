//! The relative position bias that MPNet adds to attention scores (Raffel et al. 2020, "T5", bidirectional): small distances have a bucket
//! each, larger ones share buckets whose width grows with the logarithm of the distance.

use forge_memory_embed::architecture::RELATIVE_BUCKETS;
use forge_memory_embed::weights::QuantizedMatrix;

/// Buckets per direction.
const ONE_WAY: usize = RELATIVE_BUCKETS / 2;
/// Every smaller distance has a bucket of its own.
const EXACT: usize = ONE_WAY / 2;
/// All distances from here on are in the last bucket.
const DISTANCE_MAX: f64 = 128.0;

/// The bias per bucket and head.
pub(crate) struct RelativeBias {
    /// `RELATIVE_BUCKETS x heads`, row-major.
    values: Vec<f32>,
    heads: usize,
}

impl RelativeBias {
    pub fn new(table: &QuantizedMatrix) -> Self {
        let mut values = Vec::new();
        table.dequantize_into(&mut values);
        RelativeBias {
            heads: values.len() / RELATIVE_BUCKETS,
            values,
        }
    }

    /// Writes the biases of one head into a `len x len` matrix of attention scores.
    pub fn fill(&self, scores: &mut [f32], len: usize, head: usize) {
        for (query, row) in scores.chunks_exact_mut(len.max(1)).enumerate() {
            for (key, score) in row.iter_mut().enumerate() {
                let value = self.values.get(bucket_of(query, key) * self.heads + head);
                *score = value.copied().unwrap_or(0.0);
            }
        }
    }
}

/// Returns the bucket for the positions of a query and a key.
fn bucket_of(query: usize, key: usize) -> usize {
    let direction = if key > query { ONE_WAY } else { 0 };
    let distance = query.abs_diff(key);
    if distance < EXACT {
        return direction + distance;
    }
    let exact = EXACT as f64;
    let share = (distance as f64 / exact).ln() / (DISTANCE_MAX / exact).ln();
    let bucket = EXACT + (share * (ONE_WAY - EXACT) as f64) as usize;
    direction + bucket.min(ONE_WAY - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_distances_have_a_bucket_each_and_far_ones_share() {
        // Values of the published implementation.
        for (query, key, bucket) in [
            (5, 5, 0),
            (5, 4, 1),
            (5, 6, 17),
            (10, 3, 7),
            (10, 2, 8),
            (20, 8, 9),
            (0, 8, 24),
            (0, 64, 30),
            (200, 0, 15),
            (0, 500, 31),
        ] {
            assert_eq!(bucket_of(query, key), bucket, "{query} {key}");
        }
    }
}
