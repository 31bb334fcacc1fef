//! The current confidence of a record, and the weight of feedback in ranking.
//!
//! `now = (base + (1 - base) * (1 - 0.85^support)) * 0.7^wrong * drift * age`, where
//! - `base` is the confidence at capture: the given one, or the default of the author,
//! - `support` is the number of confirmations plus the number of sessions that found it useful, at most 8,
//! - `wrong` is the number of sessions that found it wrong, at most 4,
//! - `drift` is the factor of its freshness, 1 when unknown,
//! - `age` falls from 1 towards 0.5, to 0.75 after one lifetime of its type; conventions and patterns do not age.

use crate::judgement::standing::Verdicts;
pub use crate::model::input::default_confidence;
use crate::model::thought::default_lifetime_days;
use forge_memory_journal::clock::Millis;
use schemars::JsonSchema;
use serde::Serialize;

const DAY_MS: f64 = 24.0 * 60.0 * 60.0 * 1000.0;
const SUPPORT_MAX: usize = 8;
const WRONG_MAX: usize = 4;

/// The inputs of the formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grounds<'k> {
    /// The confidence that the record was stored with.
    pub base: f64,
    /// How often it was captured again.
    pub confirmations: usize,
    /// The feedback of sessions.
    pub verdicts: Verdicts,
    /// The factor of its freshness.
    pub drift: f64,
    /// Type or category.
    pub kind: &'k str,
    /// How long ago it was made or last captured again.
    pub age_ms: Millis,
}

/// A confidence: `now` is `supported * wrong * drift * age`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ConfidenceNow")]
pub struct Confidence {
    /// The stored confidence, which `minConfidence` filters by.
    pub base: f64,
    /// After support: confirmations, and sessions that found it useful.
    pub supported: f64,
    /// The factor of the sessions that found it wrong.
    pub wrong: f64,
    /// The factor of its freshness.
    pub drift: f64,
    /// The factor of its age.
    pub age: f64,
    /// The current confidence.
    pub now: f64,
}

/// Computes a confidence; see the head of this file.
pub fn weigh_confidence(grounds: &Grounds<'_>) -> Confidence {
    let support = (grounds.confirmations + grounds.verdicts.useful).min(SUPPORT_MAX);
    let supported = grounds.base + (1.0 - grounds.base) * (1.0 - 0.85_f64.powf(support as f64));
    let wrong = 0.7_f64.powf(grounds.verdicts.wrong.min(WRONG_MAX) as f64);
    let age = match default_lifetime_days(grounds.kind) {
        Some(days) => {
            let lifetimes = (grounds.age_ms.max(0) as f64) / (days as f64 * DAY_MS);
            0.5 + 0.5 * 0.5_f64.powf(lifetimes)
        }
        None => 1.0,
    };
    Confidence {
        base: grounds.base,
        supported,
        wrong,
        drift: grounds.drift,
        age,
        now: (supported * wrong * grounds.drift * age).clamp(0.0, 1.0),
    }
}

/// Returns the factor of feedback on the score of a hit, between 0.8 and 1.1, so that it decides between records of about equal relevance.
pub fn feedback_factor(verdicts: Verdicts) -> f64 {
    let (useful, wrong) = (verdicts.useful as f64, verdicts.wrong as f64);
    (1.0 + 0.1 * useful / (useful + 2.0)) * (1.0 - 0.2 * wrong / (wrong + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: Millis = 365 * 24 * 60 * 60 * 1000;

    fn grounds(kind: &str) -> Grounds<'_> {
        Grounds {
            base: 0.7,
            confirmations: 0,
            verdicts: Verdicts::default(),
            drift: 1.0,
            kind,
            age_ms: 0,
        }
    }

    #[test]
    fn without_feedback_the_confidence_is_the_stored_one() {
        for base in [0.0, 0.3, 0.7, 1.0] {
            let found = weigh_confidence(&Grounds {
                base,
                ..grounds("lesson")
            });
            assert!((found.now - base).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn support_raises_it_and_doubt_drift_and_age_lower_it() {
        let of = |change: &dyn Fn(&mut Grounds<'_>)| {
            let mut grounds = grounds("lesson");
            change(&mut grounds);
            weigh_confidence(&grounds).now
        };
        let plain = of(&|_| {});
        assert!(of(&|it| it.confirmations = 1) > plain);
        assert!(of(&|it| it.verdicts.useful = 1) > plain);
        assert!(of(&|it| it.verdicts.wrong = 1) < plain);
        assert!(of(&|it| it.drift = 0.8) < plain);
        assert!((of(&|it| it.age_ms = YEAR) - plain * 0.75).abs() < 1e-9);
        assert!(of(&|it| it.age_ms = 100 * YEAR) > plain * 0.499);
        assert!((of(&|it| it.age_ms = -YEAR) - plain).abs() < 1e-12);
        assert!(of(&|it| it.confirmations = usize::MAX / 2) <= 1.0);
    }

    #[test]
    fn conventions_and_patterns_do_not_age() {
        for kind in ["convention", "pattern"] {
            let old = Grounds {
                age_ms: 50 * YEAR,
                ..grounds(kind)
            };
            assert!((weigh_confidence(&old).age - 1.0).abs() < 1e-12, "{kind}");
        }
    }

    #[test]
    fn feedback_moves_a_score_within_its_bounds() {
        for useful in 0..=8 {
            for wrong in 0..=8 {
                let factor = feedback_factor(Verdicts { useful, wrong });
                assert!((0.8..1.1).contains(&factor), "{useful} {wrong} {factor}");
                assert!(
                    useful == 0
                        || factor
                            > feedback_factor(Verdicts {
                                useful: useful - 1,
                                wrong
                            })
                );
                assert!(
                    wrong == 0
                        || factor
                            < feedback_factor(Verdicts {
                                useful,
                                wrong: wrong - 1
                            })
                );
            }
        }
        assert!((feedback_factor(Verdicts::default()) - 1.0).abs() < 1e-12);
    }
}
