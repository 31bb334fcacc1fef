//! Exponential back-off with jitter: wait(n) = min(30 s * 2^(n-1), 1 h) * (1 +- 0.2). The jitter is a hash of the record, so that
//! it is the same in every process.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::Key;
use crate::clock::Millis;

const FIRST_MS: Millis = 30_000;
const LONGEST_MS: Millis = 3_600_000;
/// The first wait of the whole drain is shorter: one answer of the store ends it, and it delays all new captures.
const DRAIN_LONGEST_MS: Millis = 300_000;

/// The longest wait of a record, even when a wrong clock has written a later time.
pub(super) const WAIT_MS_MAX: Millis = LONGEST_MS + LONGEST_MS / 5;

/// Returns how long a record waits after its n-th failure: 30 s x 2^(n-1), up to an hour, plus or minus 20 %.
/// The jitter is derived from the record, so that records that failed together are not retried together.
pub(super) fn wait_of_record(key: Key, attempts: u32) -> Millis {
    let base = doubled(attempts).min(LONGEST_MS);
    let spread = xxh3_64_with_seed(&key.to_le_bytes(), u64::from(attempts)) % 401;
    let thousandths = 800 + Millis::try_from(spread).unwrap_or(200);
    base * thousandths / 1000
}

/// Returns how long a record that is known by `name` waits after its n-th failure, for tools that keep a queue of their own.
pub fn retry_delay(name: &str, attempts: u32) -> Millis {
    wait_of_record(Key::from(xxh3_64(name.as_bytes())), attempts)
}

/// Returns how long the drain waits after the n-th consecutive pass in which the store accepted nothing.
pub(super) fn wait_of_drain(passes: u32) -> Millis {
    doubled(passes).min(DRAIN_LONGEST_MS)
}

fn doubled(times: u32) -> Millis {
    FIRST_MS << times.saturating_sub(1).min(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backoff_doubles_from_half_a_minute_to_an_hour_with_a_jitter_of_a_fifth() {
        for (attempts, base) in [
            (1, 30_000),
            (2, 60_000),
            (5, 480_000),
            (8, 3_600_000),
            (4_000_000, 3_600_000),
        ] {
            let waits: Vec<Millis> = (0..500).map(|key| wait_of_record(key, attempts)).collect();
            let (least, most) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
            assert!(*least >= base * 8 / 10 && *most <= base * 12 / 10, "{attempts}");
            let named = retry_delay("mem_1", attempts);
            assert!(named >= base * 8 / 10 && named <= base * 12 / 10, "{attempts}");
            assert!(
                *least < base * 82 / 100 && *most > base * 118 / 100,
                "{attempts}: not spread"
            );
        }
    }
}
