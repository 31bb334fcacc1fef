//! How long to wait after a failure.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::Key;
use crate::clock::Millis;

const FIRST_MS: Millis = 30_000;
const LONGEST_MS: Millis = 3_600_000;
/// The whole drain tries again sooner: what it waits for is one answer, and a wait holds up what was captured since.
const DRAIN_LONGEST_MS: Millis = 300_000;

/// No record waits longer than this, whatever a clock that was wrong has written on it.
pub(super) const WAIT_MS_MAX: Millis = LONGEST_MS + LONGEST_MS / 5;

/// Returns how long a record waits after its n-th failure: 30 s x 2^(n-1), up to an hour, give or take a fifth. The
/// fifth comes from the record, so that a crowd that failed together does not come back together.
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

/// Returns how long the drain waits after the n-th pass in a row in which the store took nothing.
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
    fn waits_double_from_half_a_minute_to_an_hour_give_or_take_a_fifth() {
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
