//! Reads the session transcripts of coding agents in place, learns from them without a language model, and searches them.
//!
//! One small reader per format converts an agent's records to [`Event`]s; the [`Emitter`] redacts secrets before an event leaves it.
//! The [`Learner`] extracts [`Candidate`]s from events, each with a reason. [`Backfill`] reads incrementally, counts how many sessions
//! support a candidate, and makes a [`Plan`]; [`store`] captures what the user accepts. [`History`] is a search index over sessions.
//!
//! All input is untrusted: stores are opened read-only, and no text in them is treated as an instruction.

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod agent;
mod backfill;
mod claude_mem;
mod compressed;
mod database;
mod emitter;
mod event;
mod find;
mod history;
mod human_text;
mod imported;
mod json;
mod known_texts;
mod learn;
mod letters;
mod lines;
mod places;
mod plan;
mod plan_builder;
mod project;
mod reader;
mod scan;
mod shell;
mod sources;
mod state;
mod store;
mod tally;
mod tool;

pub use agent::Agent;
pub use backfill::{Backfill, BackfillOptions, Filter};
pub use emitter::{Emitter, Sink, Skipped, Wants};
pub use event::{Event, Kind, Outcome, Session};
pub use find::Problem;
pub use history::{
    AgentSessions, Excerpt, Forget, ForgetSessionsOptions, ForgottenSessions, Found, History, HistoryFilter,
    HistoryHit, HistoryStatus, SessionSearchOptions, Updated,
};
pub use imported::read_database;
pub use known_texts::KnownTexts;
pub use learn::{Candidate, Finding, FindingKind, Learned, Learner, Sighting};
pub use places::{Places, VARIABLES};
pub use plan::{AgentCount, Plan};
pub use reader::{FORMATS, Format, LineReader, Source, Storage};
pub use scan::{FileRead, read_file};
pub use sources::{AgentFiles, count_files};
pub use state::Checkpoint;
pub use store::{Acceptance, Stored, accept_waiting, store};
