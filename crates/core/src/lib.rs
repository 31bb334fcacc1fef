//! The engine of forge-memory: journals that lose nothing, dedup over the whole history, recall in microseconds.
//!
//! This crate knows nothing of Node, prints nothing, and reads neither clock nor environment by itself: callers hand in
//! a [`clock::Clock`], a [`journal::Disk`] and the folders. [`Memory`] is the way in.

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod agent;
// A query is cut at a character border that is looked for.
#[cfg_attr(not(test), allow(clippy::string_slice))]
pub mod engine;
pub mod freshness;
pub mod index;
pub mod meaning;
pub mod memory;
pub mod observe;
pub mod outbox;
pub mod upkeep;

pub use forge_memory_journal as journal;
pub use forge_memory_journal::clock;
use forge_memory_journal::plain;
pub use forge_memory_project as project;
use forge_memory_record::judgement;
pub use forge_memory_record::{error, model};
pub use forge_memory_redact as redact;
pub use forge_memory_redact::hidden;
pub use forge_memory_settings as settings;
pub use forge_memory_text as text;
pub use forge_memory_text::truth;

// The names of the public interface: callers need not know in which layer a module lies.
pub use agent::{frame, ports, preload, sync};
pub use engine::{
    capture, conflicts, detail, elsewhere, history, offer, outcome, recall, receive, replace, resolve, retired, review,
    save, search_cache as cache, standing,
};
pub use index::{RecordCounts, dedup};
pub use judgement::{confidence, reason as judge, request};
pub use model::{
    author, cache_entry, canonical, digest, hallmark, input, limits, lineage, markers, said, thought, wire,
};
pub use observe::{events, report, telemetry};
pub use outbox::{self as anvil, queue};
pub use project::{config, git, keywords, ownership, place};
pub use upkeep::{audit, compact, heal, merge, migrate, progress, repair, transfer, verify};

pub use engine::outcome::{CaptureOutcome, ReviewOutcome, TierOutcome, Tiers};
pub use engine::recall::{RecallHit, RecallOptions, RecallOutcome, RecallQuery, ShowOptions};
pub use error::{Addon, Error, Result};
pub use judgement::standing::SharedStandings;
pub use meaning::{EmbedOptions, VectorState};
pub use memory::{Memory, RelatedOptions, RetiredOptions};
pub use model::author::WriteOptions;
pub use model::input::{CaptureInput, EditInput, SaveInput};
pub use model::scope::{Scope, ScopeFilter};
pub use project::environment::{BackgroundTexts, CodeNames, Environment, SentenceModels, TextEmbedder};
pub use project::floor::{own_settings, written as written_settings};
pub use upkeep::DryRunOptions;
pub use upkeep::background::Job;
