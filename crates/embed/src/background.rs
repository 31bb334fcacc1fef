//! The vectors of sentences about everything else: cooking, sport, history, nature. A question is about a memory when the memory's nearest texts are
//! nearer to it than these (cohort normalisation: Auckenthaler, Carey and Lloyd-Thomas, "Score normalization for text-independent speaker
//! verification systems", 2000). They are computed when a model is installed, or by the next pass that embeds texts, and are a cache: without the
//! file, or with that of another model, no answer is left out by them. Nor is any for a model by which one of the [`QUESTIONS`] does not stand out.

use std::sync::Arc;

use forge_memory_core::journal::write_file;
use forge_memory_core::text::relevance::{Background, Nearness};
use forge_memory_core::{BackgroundTexts, Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::languages::{self, Numbers};
use crate::manifest::Manifest;
use crate::model::{ModelFolder, read_bounded};
use crate::recipe::TextKind;

/// A sentence a line.
const SAMPLE: &str = include_str!("background.txt");
/// Questions about the English sentences of the [sample of languages](languages::english), in other words than theirs.
const QUESTIONS: [&str; 26] = [
    "why do tests pass on my laptop and fail in CI",
    "which hash do we use for passwords",
    "how can the container image be made smaller",
    "whom do I ask before exposing a port",
    "why did users see outdated prices",
    "how long may a line of code be",
    "when do backups run and how long do we keep them",
    "what is wrong with the menu on phones",
    "may the reporting job write to the database",
    "why are there two instances of the service after the update",
    "can I rename a database column in one deployment",
    "what fills up the disk of the runner",
    "why was the sum of the imported numbers wrong",
    "where is the spare key of the office",
    "which test hangs on Windows",
    "do we resize images before uploading them",
    "which time zone counts for deadlines",
    "does the import report empty lines",
    "when may I delete a stale lock",
    "who approves the price list",
    "why does freeing the buffer twice crash",
    "why are the nightly reports late",
    "how should an error message be phrased",
    "why does the sensor read zero at first",
    "in which languages do we write to Swiss customers",
    "how is the error rate computed",
];
/// The file, beside those of the model.
pub(crate) const BACKGROUND: &str = "background.json";
/// The standing of a question that cannot be compared.
const UNKNOWN: f64 = -1.0;
/// The largest file: that of a model of 4,096 dimensions.
const BYTES_MAX: u64 = 2 * 1024 * 1024;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    /// The model and the sample that it is of.
    of: String,
    vectors: Vec<Numbers>,
    /// By how much the weakest of the questions stood out.
    least: f64,
}

/// What a model's folder says of its measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measurement {
    /// Whether it was measured.
    pub state: MeasurementState,
    /// When the file was written, in milliseconds since the epoch; `None` without a file.
    pub at: Option<i64>,
    /// The number of questions that a model is measured by.
    pub questions: usize,
    /// The number of texts: those that the questions are about, and the others.
    pub texts: usize,
}

impl Measurement {
    /// Returns what is known of the measurement of the model in a folder, by which answers are left out.
    pub fn of(folder: &ModelFolder, manifest: &Manifest) -> Measurement {
        let file = folder.disk().stat(&folder.path().join(BACKGROUND)).ok();
        let state = match (&file, read(folder, manifest)) {
            (None, _) => MeasurementState::Missing,
            (_, None) => MeasurementState::Other,
            (_, Some(texts)) if texts.least >= 0.0 => MeasurementState::Measured,
            _ => MeasurementState::Unclear,
        };
        Measurement {
            state,
            at: file.map(|file| file.modified_ns / 1_000_000),
            questions: QUESTIONS.len(),
            texts: languages::english().len() + SAMPLE.lines().count(),
        }
    }
}

/// Whether a model was measured; only then it leaves out answers by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementState {
    /// Its questions stand out.
    Measured,
    /// One of the questions did not stand out.
    Unclear,
    /// There is no file.
    Missing,
    /// The file is damaged, or of another model or sample.
    Other,
}

impl MeasurementState {
    /// Returns the name that answers contain.
    pub fn name(self) -> &'static str {
        match self {
            MeasurementState::Measured => "measured",
            MeasurementState::Unclear => "unclear",
            MeasurementState::Missing => "missing",
            MeasurementState::Other => "other",
        }
    }
}

fn name_of(manifest: &Manifest) -> String {
    let texts = [SAMPLE, &QUESTIONS.concat()].concat();
    format!("{} {:x}", manifest.key(), Sha256::digest(texts))
}

/// Returns the vectors, if the model in this folder was measured.
pub(crate) fn read(folder: &ModelFolder, manifest: &Manifest) -> Option<Arc<BackgroundTexts>> {
    let bytes = read_bounded(folder.disk(), &folder.path().join(BACKGROUND), BYTES_MAX).ok()?;
    let measured: Measured = serde_json::from_slice(&bytes).ok()?;
    let vectors: Vec<Vec<f32>> = measured.vectors.iter().map(Numbers::to_vec).collect();
    let is_whole = vectors.iter().all(|vector| vector.len() == manifest.dimensions());
    let least = measured.least;
    (is_whole && measured.of == name_of(manifest)).then(|| Arc::new(BackgroundTexts { vectors, least }))
}

/// Measures the model in this folder, and writes the file if that is possible.
///
/// # Errors
/// Those of `embed`.
pub(crate) fn measure(
    folder: &ModelFolder,
    manifest: &Manifest,
    embed: impl Fn(TextKind, &[&str]) -> Result<Vec<Vec<f32>>>,
) -> Result<Arc<BackgroundTexts>> {
    let BackgroundTexts { vectors, least } = texts_of(embed)?;
    let measured = Measured {
        of: name_of(manifest),
        vectors: vectors.iter().map(|vector| Numbers::of(vector)).collect(),
        least,
    };
    let text = serde_json::to_vec(&measured).map_err(Error::internal("write what a model was measured by"))?;
    // A folder that cannot be written to costs each process a measurement.
    let _ = write_file(folder.disk(), &folder.path().join(BACKGROUND), &text);
    // As the next process reads them.
    let vectors = measured.vectors.iter().map(Numbers::to_vec).collect();
    Ok(Arc::new(BackgroundTexts { vectors, least }))
}

/// Returns the vectors of the sample, and by how much the weakest question stands out in a memory of the sentences that the questions are about.
fn texts_of(embed: impl Fn(TextKind, &[&str]) -> Result<Vec<Vec<f32>>>) -> Result<BackgroundTexts> {
    let sample: Vec<&str> = SAMPLE.lines().collect();
    let vectors = embed(TextKind::Passage, &sample)?;
    let memory = embed(TextKind::Passage, &languages::english())?;
    let questions = embed(TextKind::Query, &QUESTIONS)?;
    let cosines = |texts: &[Vec<f32>], question: &[f32]| -> Vec<f64> {
        let mut cosines: Vec<f64> = texts
            .iter()
            .map(|text| f64::from(languages::dot(text, question)))
            .collect();
        cosines.sort_unstable_by(|one, other| other.total_cmp(one));
        cosines
    };
    let standing = |question: &Vec<f32>| {
        let background = Background::of(&cosines(&vectors, question), 0.0);
        let nearness = Nearness::of(cosines(&memory, question).into_iter(), memory.len())?;
        Nearness { background, ..nearness }.standing(0.0)
    };
    let standings = questions.iter().map(|question| standing(question).unwrap_or(UNKNOWN));
    let least = standings.fold(f64::INFINITY, f64::min);
    Ok(BackgroundTexts { vectors, least })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The measurement of a model that knows so many of the questions, and tells the rest from nothing.
    fn least_of_one_that_knows(known: usize) -> f64 {
        let memory = languages::english();
        let measured = texts_of(|_, texts| {
            let vector = |text: &&str| {
                let mut vector = vec![0.0; memory.len() + 8];
                let noise = memory.len() + text.len() % 7;
                let about = match QUESTIONS.iter().position(|question| question == text) {
                    Some(at) if at < known => Some(at),
                    Some(_) => None,
                    None => memory.iter().position(|sentence| sentence == text),
                };
                vector[about.unwrap_or(noise)] = 1.0;
                vector[noise] += 0.3;
                vector
            };
            Ok(texts.iter().map(vector).collect())
        });
        let BackgroundTexts { vectors, least } = measured.unwrap();
        assert_eq!(vectors.len(), SAMPLE.lines().count());
        least
    }

    #[test]
    fn the_weakest_question_says_how_far_a_model_is_trusted() {
        assert!(least_of_one_that_knows(QUESTIONS.len()) > 0.0);
        for known in [0, 12, QUESTIONS.len() - 1] {
            assert!(least_of_one_that_knows(known) < 0.0, "{known}");
        }
    }
}
