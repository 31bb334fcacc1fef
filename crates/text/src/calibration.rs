//! Calibration of cosines by robust standardisation. Cosines of different models are on different scales: unrelated texts are at 0.05 with
//! one model and at 0.75 with another. The thresholds of [`super::relevance`] and the weights of [`super::fusion`] were measured with one
//! model. For another one, the distribution of unrelated pairs is estimated from the cosines between the memory's own texts, most of which
//! are unrelated, and mapped to the measured distribution:
//!
//! `scaled = MEASURED_MEDIAN + (cosine - median) * MEASURED_SPREAD / spread`, `spread = interquartile range / 1.349`
//!
//! Where this is above [`BEND`], a straight line from there to 1 at a cosine of 1 takes its place.
//!
//! Median and quartiles are used instead of mean and deviation, because a few near duplicates do not move them. The estimate is good enough
//! to rank and to mark doubtful hits, but not to drop any: a model that was not measured never makes an answer empty.

use super::relevance::{COVERED_MOSTLY, Covered, Nearness, Relevance, is_doubtful, judge};

/// The model with which the thresholds were measured.
pub const MEASURED_MODEL: &str = "local:all-MiniLM-L6-v2";
/// The number of texts whose pairwise cosines calibrate a model.
pub const SAMPLE: usize = 48;
/// Median and spread of the cosines between texts of one memory with the measured model.
const MEASURED_MEDIAN: f64 = 0.1;
const MEASURED_SPREAD: f64 = 0.096;
/// The minimum scaled cosine of a hit that shares no word with the query.
const NEAR_MIN: f64 = 0.15;
/// The interquartile range of a normal distribution in standard deviations.
const QUARTILES_APART: f64 = 1.349;
/// The minimum number of pairs for an estimate: those of 24 texts.
const PAIRS_MIN: usize = 276;
/// The minimum spread: a model for which all texts are equally similar cannot be calibrated.
const SPREAD_MIN: f64 = 0.002;
/// From here to 1, the scale is a straight line: with a small spread, near texts would otherwise all be mapped beyond 1 and lose their order.
const BEND: f64 = 0.6;
/// Median and spread are rounded to this many parts of one, so that the rounding of processors does not matter.
const PARTS: f64 = 1000.0;

/// The scale of a model's cosines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Calibration {
    /// The thresholds were measured with this model.
    #[default]
    Measured,
    /// Estimated from the cosines between the memory's texts.
    Estimated {
        /// The median.
        median: f64,
        /// The robust estimate of the standard deviation.
        spread: f64,
    },
    /// There are too few texts for an estimate.
    Unknown,
}

impl Calibration {
    /// Estimates the scale from some texts, best [`SAMPLE`] of them.
    pub fn of_sample<T>(sample: &[T], cosine: impl Fn(&T, &T) -> f64) -> Self {
        let pairs = sample.iter().enumerate().flat_map(|(at, one)| {
            let others = sample.iter().skip(at + 1);
            others.map(move |other| (one, other))
        });
        Calibration::of_pairs(pairs.map(|(one, other)| cosine(one, other)).collect())
    }

    /// Estimates the scale from the cosines between texts.
    pub fn of_pairs(mut cosines: Vec<f64>) -> Self {
        if cosines.len() < PAIRS_MIN {
            return Calibration::Unknown;
        }
        cosines.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            cosines
                .get((cosines.len() as f64 * share) as usize)
                .copied()
                .unwrap_or(0.0)
        };
        Calibration::of_quartiles(cosines.len(), [at(0.25), at(0.5), at(0.75)])
    }

    /// Estimates the scale from the quartiles of the cosines of that many pairs of texts.
    pub fn of_quartiles(pairs: usize, [lower, median, upper]: [f64; 3]) -> Self {
        let rounded = |number: f64| (number * PARTS).round() / PARTS;
        let (median, spread) = (rounded(median), rounded((upper - lower) / QUARTILES_APART));
        if pairs < PAIRS_MIN || spread.is_nan() || spread < SPREAD_MIN {
            return Calibration::Unknown;
        }
        Calibration::Estimated { median, spread }
    }

    /// Converts a cosine to the measured scale.
    pub fn scaled(self, cosine: f64) -> f64 {
        match self {
            Calibration::Measured | Calibration::Unknown => cosine,
            Calibration::Estimated { median, spread } => {
                let standard = |cosine: f64| MEASURED_MEDIAN + (cosine - median) / spread * MEASURED_SPREAD;
                let bend = median + (BEND - MEASURED_MEDIAN) / MEASURED_SPREAD * spread;
                let cosine = cosine.min(1.0);
                if cosine <= bend || bend >= 1.0 {
                    return standard(cosine).max(-1.0);
                }
                BEND + (cosine - bend) / (1.0 - bend) * (1.0 - BEND)
            }
        }
    }

    /// Returns true if a hit that shares no word with the query is near enough to be shown.
    pub fn is_near(self, cosine: f64) -> bool {
        self != Calibration::Measured || cosine >= NEAR_MIN
    }

    /// As [`judge`], but for a model whose thresholds were not measured, [`Relevance::None`] needs to be known of the [background](Nearness::background).
    pub fn judge(self, query: &str, covered: Covered, nearness: Option<Nearness>) -> Relevance {
        match nearness {
            Some(near) if self != Calibration::Measured => {
                if near.background.is_some() && covered.best < COVERED_MOSTLY && near.is_chance(covered.best) {
                    Relevance::None
                } else if self.is_doubtful(query, covered, near.best) {
                    Relevance::Weak
                } else {
                    Relevance::Match
                }
            }
            _ => judge(query, covered, nearness),
        }
    }

    /// Returns true if the relevance of a record with this coverage and cosine is doubtful. That a model is limited to English is known of
    /// the measured one only.
    pub fn is_doubtful(self, query: &str, covered: Covered, cosine: f64) -> bool {
        match self {
            Calibration::Measured => is_doubtful(query, covered, cosine),
            Calibration::Estimated { .. } => is_doubtful("", covered, self.scaled(cosine)),
            Calibration::Unknown => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cosines of another scale: around .8, with a spread of .03.
    fn narrow() -> Vec<f64> {
        (0..400).map(|at| 0.8 + 0.03 * f64::from(at % 41 - 20) / 10.0).collect()
    }

    fn alone(coverage: f64) -> Covered {
        Covered {
            best: coverage,
            known: coverage,
        }
    }

    #[test]
    fn cosines_of_another_scale_are_mapped_to_the_measured_one() {
        let calibration = Calibration::of_pairs(narrow());
        assert!((calibration.scaled(0.8) - MEASURED_MEDIAN).abs() < 0.01);
        assert!(calibration.scaled(0.95) > 0.4, "{}", calibration.scaled(0.95));
        assert!(calibration.scaled(0.7) < 0.0);
        assert_eq!(Calibration::Measured.scaled(0.3), 0.3);
        assert!(calibration.scaled(5.0) <= 1.0 && calibration.scaled(-5.0) >= -1.0);
    }

    #[test]
    fn scaling_keeps_the_order_of_cosines() {
        for spread in [0.005, 0.03, 0.05, 0.3] {
            let calibration = Calibration::Estimated { median: 0.0, spread };
            let scaled: Vec<f64> = (0..=100).map(|at| calibration.scaled(f64::from(at) / 100.0)).collect();
            assert!(scaled.windows(2).all(|pair| pair[0] < pair[1]), "{spread}: {scaled:?}");
            assert!(scaled.last().is_some_and(|last| *last <= 1.0 + 1e-9), "{spread}");
        }
    }

    #[test]
    fn few_texts_or_a_model_without_a_spread_give_no_calibration() {
        assert_eq!(Calibration::of_pairs(vec![0.5; 20]), Calibration::Unknown);
        assert_eq!(Calibration::of_pairs(vec![0.9; 5000]), Calibration::Unknown);
        assert_eq!(Calibration::of_pairs(Vec::new()), Calibration::Unknown);
    }

    #[test]
    fn a_model_that_was_not_measured_never_makes_an_answer_empty() {
        let near = |best| {
            Some(Nearness {
                best,
                neighbourhood: best - 0.05,
                texts: 5000,
                known: 0.0,
                background: None,
            })
        };
        let estimated = Calibration::of_pairs(narrow());
        for calibration in [estimated, Calibration::Unknown] {
            assert!(calibration.is_near(-0.9));
            for nearness in [None, near(-1.0), near(0.0), near(0.3), near(0.99)] {
                for query in ["history of the Ottoman navy", "富士山的高度"] {
                    assert_ne!(calibration.judge(query, alone(0.0), nearness), Relevance::None);
                }
            }
        }
        assert_eq!(
            estimated.judge("why is it slow", alone(0.0), near(0.8)),
            Relevance::Weak
        );
        assert_eq!(
            estimated.judge("why is it slow", alone(0.3), near(0.97)),
            Relevance::Match
        );
        assert_eq!(
            estimated.judge("富士山的高度", alone(0.3), near(0.97)),
            Relevance::Match
        );
        assert!(Calibration::Measured.is_near(0.15) && !Calibration::Measured.is_near(0.14));
        let measured = Calibration::Measured.judge("history of the Ottoman navy", alone(0.3), near(0.24));
        assert_eq!(measured, Relevance::None);
    }
}
