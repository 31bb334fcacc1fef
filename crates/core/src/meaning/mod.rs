//! Semantic search: finds the texts nearest to a query in the vector space of a sentence embedding model.
//!
//! Long texts are embedded by passages ([`crate::text::passages`]). Vectors are stored in files beside the index, keyed
//! by the same hash as exact duplicates, so they stay valid when a record moves or the index is rebuilt. A
//! [`VectorStore`] manages the files of one folder. They are a cache: a damaged file is ignored, and its texts are
//! embedded again. Vectors are computed by [`crate::engine::embedding`], never by a capture, and by a search only for a few new records.

mod nearest;
pub mod quantization;
mod vector_file;
mod vector_store;

pub use nearest::Near;
pub use quantization::{CodedQuery, unit_of};
pub(crate) use vector_store::{VectorStore, is_of_vectors};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::model::scope::Scope;
use crate::project::Project;
use crate::project::environment::{SentenceModels, TextEmbedder};
use crate::text::calibration::{Calibration, SAMPLE};
use crate::text::fusion::Figures;
use crate::text::relevance::{Background, is_english};

/// Which records are to be embedded.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EmbedOptions {
    /// How many passages are made at most, 1 to 100,000; 256 when absent. A short text is one passage.
    pub limit: Option<f64>,
}

/// What the text that is nearest without the language has of the cosine of the one that is nearest with it: of both, the latter comes first.
const NEUTRAL: f32 = 0.999;

/// What a query is compared by.
#[derive(Debug)]
pub(crate) struct QueryVectors {
    /// How near texts about everything else are, if the model was measured by them and the query may be in their language.
    pub background: Option<Background>,
    own: CodedQuery,
    neutral: Option<Neutral>,
}

/// The vector of a query that hardly says its language.
#[derive(Debug)]
struct Neutral {
    query: CodedQuery,
    /// What its cosines are multiplied by: then the text that is nearest to it is as near as the one that is nearest to the other vector, and what is
    /// asked in one language and answered in another comes beside the notes of the question's own language. Known from the first search on.
    share: OnceLock<Option<f32>>,
}

impl Neutral {
    /// Returns the share, by the nearest passages of both vectors.
    fn share(&self, nearest: impl FnOnce() -> [Option<f32>; 2]) -> Option<f32> {
        let shared = || {
            let [own, neutral] = nearest();
            let share = NEUTRAL * own? / neutral?;
            (share.is_finite() && share > 0.0).then_some(share)
        };
        *self.share.get_or_init(shared)
    }
}

fn dot(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// How many of the records that are recalled have vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VectorCoverage")]
pub struct Coverage {
    /// How many texts have vectors.
    pub covered: usize,
    /// How many texts there are; copies of one count once.
    pub total: usize,
    /// How many bytes the vectors take.
    pub bytes: u64,
}

/// The state of the records and vectors of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorState {
    /// The versions of the vectors, of the project and of the user.
    pub(crate) vectors: [Vec<u64>; 2],
    /// The number of indexed bytes of each journal.
    pub(crate) journals: Vec<u64>,
}

/// A cached count, and the state that it was computed from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    pub of: VectorState,
    pub covered: usize,
    pub total: usize,
}

/// The vectors of a project, those of its user, and the embedder.
#[derive(Debug)]
pub(crate) struct Meaning {
    embedder: Option<Arc<dyn TextEmbedder>>,
    models: Option<Arc<dyn SentenceModels>>,
    /// The model that the settings name.
    name: Option<String>,
    is_wanted: bool,
    /// The calibration of the model's cosines.
    calibration: Calibration,
    calibrated: Option<(Vec<u64>, Vec<u64>)>,
    /// The last count of texts with vectors, cached because counting reads every record.
    pub counted: Option<Counted>,
    /// The state in which the last records were looked at for missing vectors.
    pub looked_at: Option<VectorState>,
    project: VectorStore,
    global: VectorStore,
}

impl Meaning {
    /// Opens the vectors of a project lazily: nothing is read before the first use.
    pub fn open(project: &Project) -> Self {
        let (layout, embedder) = (&project.layout, project.embedder.clone());
        let model = embedder.as_ref().map_or("", |embedder| embedder.model());
        Meaning {
            project: VectorStore::of_project(layout, &project.marks, model),
            global: VectorStore::of_user(layout, model),
            models: project.models.clone(),
            name: project.config().settings.embedder.local_model().map(str::to_owned),
            is_wanted: project.config().settings.embedder.is_wanted(),
            calibration: Calibration::Measured,
            calibrated: None,
            counted: None,
            looked_at: None,
            embedder,
        }
    }

    /// Applies changed settings.
    pub fn reconfigure(&mut self, project: &Project) {
        let embedder = &project.config().settings.embedder;
        self.is_wanted = embedder.is_wanted();
        self.name = embedder.local_model().map(str::to_owned);
    }

    /// Applies the current choice of model; vectors of another one are not used.
    pub fn choose_model(&mut self) {
        let Some(models) = self.models.as_ref().filter(|_| self.is_wanted) else {
            return;
        };
        self.embedder = models.choose(self.name.as_deref()).ok();
        let model = self.model().to_owned();
        if self.project.use_model(&model) | self.global.use_model(&model) {
            (self.counted, self.calibrated, self.looked_at) = (None, None, None);
        }
    }

    /// Returns the model that the settings name.
    pub fn named(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the embedder, if the model is installed and not disabled in the settings.
    pub fn embedder(&self) -> Option<&Arc<dyn TextEmbedder>> {
        let wanted = self.embedder.as_ref().filter(|_| self.is_wanted);
        wanted.filter(|embedder| embedder.is_installed())
    }

    /// Returns the key of the model.
    pub fn model(&self) -> &str {
        self.embedder.as_ref().map_or("", |embedder| embedder.model())
    }

    /// Brings the vectors up to date with their files, and is true if there are any to search.
    pub fn refresh(&mut self) -> bool {
        self.choose_model();
        // Without a model the vector files need not be looked at.
        if self.embedder().is_none() {
            return false;
        }
        self.project.refresh();
        self.global.refresh();
        self.calibrate();
        self.project.len() + self.global.len() > 0
    }

    /// Calibrates a model that was not measured with the texts that have the smallest hashes: this sample is the same on every machine
    /// and for every layout of the files.
    fn calibrate(&mut self) {
        if self.embedder.as_ref().is_none_or(|embedder| embedder.is_measured()) {
            self.calibration = Calibration::Measured;
            return;
        }
        let of = (self.project.version(), self.global.version());
        if self.calibrated.as_ref() == Some(&of) {
            return;
        }
        let mut sample = self.project.sample(SAMPLE);
        sample.append(&mut self.global.sample(SAMPLE));
        sample.sort_by_key(|(key, _)| *key);
        sample.dedup_by_key(|(key, _)| *key);
        sample.truncate(SAMPLE);
        self.calibration = Calibration::of_sample(&sample, |(_, one), (_, other)| dot(one, other));
        self.calibrated = Some(of);
    }

    /// Returns what is known of the model.
    pub fn figures(&self) -> Figures<'_> {
        Figures {
            model: self.model(),
            calibration: self.calibration,
        }
    }

    /// Embeds a query; `None` when the model is not installed.
    ///
    /// # Errors
    /// As [`TextEmbedder::embed`].
    pub fn embed_query(&self, query: &str) -> Result<Option<QueryVectors>> {
        let Some(embedder) = self.embedder() else {
            return Ok(None);
        };
        let vectors = embedder.embed_query(query)?;
        let units: Vec<Vec<f32>> = vectors.iter().filter_map(|vector| unit_of(vector)).collect();
        let others = embedder.background().filter(|_| is_english(query));
        let background = others.zip(units.first()).and_then(|(others, own)| {
            let cosines: Vec<f64> = others.vectors.iter().map(|other| dot(other, own)).collect();
            Background::of(&cosines, others.least)
        });
        let mut coded = units.iter().map(|unit| CodedQuery::new(unit));
        Ok(coded.next().map(|own| {
            let neutral = coded.next().map(|query| Neutral {
                query,
                share: OnceLock::new(),
            });
            QueryVectors {
                background,
                own,
                neutral,
            }
        }))
    }

    /// Returns the number of texts with vectors.
    pub fn texts(&self) -> usize {
        self.project.texts() + self.global.texts()
    }

    /// Returns the nearest `count` passages by their text hashes, nearest first; ties by the smaller hash. A passage that is near by both vectors
    /// of the query may be there twice.
    pub fn nearest(&self, query: &QueryVectors, count: usize) -> Vec<Near> {
        let Some(neutral) = &query.neutral else {
            let [found] = self.nearest_by([&query.own], count);
            return found;
        };
        let [mut found, others] = self.nearest_by([&query.own, &neutral.query], count);
        let best = |near: &[Near]| near.first().map(|near| near.cosine);
        if let Some(share) = neutral.share(|| [best(&found), best(&others)]) {
            let scaled = |near: Near| Near {
                cosine: nearest::rounded(near.cosine * share),
                ..near
            };
            found.extend(others.into_iter().map(scaled));
            nearest::keep_best(&mut found, count);
        }
        found
    }

    fn nearest_by<const QUERIES: usize>(&self, queries: [&CodedQuery; QUERIES], count: usize) -> [Vec<Near>; QUERIES] {
        let mut found = self.project.nearest(queries, count);
        let others = self.global.nearest(queries, count);
        found.iter_mut().zip(others).for_each(|(found, others)| {
            found.extend(others);
            nearest::keep_best(found, count);
        });
        found
    }

    /// Returns the similarity of a text: that of its nearest passage.
    pub fn cosine_of(&self, query: &QueryVectors, key: u64) -> Option<f32> {
        let by = |query: &CodedQuery| {
            let own = self.project.cosine_of(query, key);
            own.or_else(|| self.global.cosine_of(query, key))
        };
        let own = by(&query.own)?;
        let neutral = query.neutral.as_ref().and_then(|neutral| {
            let nearest = || {
                let found = self.nearest_by([&query.own, &neutral.query], 1);
                found.map(|near| near.first().map(|near| near.cosine))
            };
            Some(by(&neutral.query)? * neutral.share(nearest)?)
        });
        Some(neutral.map_or(own, |neutral| own.max(nearest::rounded(neutral))))
    }

    /// True if a damaged file was found, so that the last result may be incomplete. The next refresh drops the
    /// file.
    pub fn is_damaged(&self) -> bool {
        self.project.is_damaged() || self.global.is_damaged()
    }

    /// Returns the vectors for records of a scope, for adding.
    pub fn of_mut(&mut self, scope: Scope) -> &mut VectorStore {
        match scope {
            Scope::Project => &mut self.project,
            Scope::Global => &mut self.global,
        }
    }

    /// Returns the vectors for records of a scope.
    pub fn of(&self, scope: Scope) -> &VectorStore {
        match scope {
            Scope::Project => &self.project,
            Scope::Global => &self.global,
        }
    }
}

#[cfg(test)]
mod tests;
