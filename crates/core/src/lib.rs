//! The engine of forge-memory: journals that lose nothing, dedup over the whole history, recall in microseconds.
//!
//! This crate knows nothing of Node, prints nothing, and reads neither clock nor environment by itself: callers hand in
//! a [`clock::Clock`], a [`journal::Disk`] and the folders. [`Memory`] is the way in.

#![deny(unsafe_code)]

pub mod anvil;
pub mod audit;
mod backup;
pub mod cache;
pub mod canonical;
pub mod capture;
pub mod compact;
pub mod config;
pub mod dedup;
pub mod digest;
mod edit;
mod encode;
pub mod engine;
pub mod error;
pub mod events;
pub mod frame;
pub mod git;
pub mod hallmark;
mod heal;
pub mod history;
pub mod index;
pub mod input;
pub mod keywords;
pub mod limits;
pub mod lineage;
pub mod markers;
mod markup;
pub mod memory;
pub mod merge;
pub mod migrate;
pub mod model;
mod output;
pub mod ownership;
pub mod ports;
pub mod preload;
pub mod progress;
pub mod project;
pub mod queue;
pub mod recall;
pub mod repair;
pub mod report;
mod rings;
pub mod save;
mod scrub;
pub mod sync;
pub mod telemetry;
pub mod text;
pub mod thought;
pub mod transfer;
pub mod upkeep;
pub mod verify;

pub use forge_memory_journal as journal;
pub use forge_memory_journal::clock;
use forge_memory_journal::plain;
pub use forge_memory_redact as redact;
pub use forge_memory_redact::hidden;

pub use engine::outcome::{CaptureOutcome, TierOutcome, Tiers};
pub use error::{Error, Result};
pub use input::{CaptureInput, EditInput, SaveInput};
pub use memory::Memory;
pub use model::scope::{Scope, ScopeFilter};
pub use project::environment::Environment;
pub use recall::{RecallHit, RecallOptions, RecallOutcome};
pub use upkeep::background::Job;
