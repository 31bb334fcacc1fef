//! An analysed query.

use super::options::Mode;
use crate::index::{Correction, Filter};
use crate::meaning::{Meaning, QueryVectors};
use crate::model::scope::ScopeFilter;
use crate::text::QueryWord;
use crate::text::calibration::Calibration;

/// An analysed query with its options.
pub(super) struct Question<'q> {
    pub query: &'q str,
    pub words: &'q [QueryWord],
    pub corrected: &'q [Correction],
    pub filter: &'q Filter,
    pub scope: ScopeFilter,
    pub limit: usize,
    /// The vectors to compare with, and the embedded query.
    pub meaning: Option<(&'q Meaning, &'q QueryVectors)>,
    pub mode: Mode,
}

impl Question<'_> {
    /// Returns the calibration of the model's cosines.
    pub fn calibration(&self) -> Calibration {
        self.meaning
            .map_or(Calibration::Measured, |(meaning, _)| meaning.figures().calibration)
    }
}
