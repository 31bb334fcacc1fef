//! The index on disk: records of chunks and edges, caches, and the mark that distinguishes this machine's index from a
//! foreign one.

mod facts_file;
mod folder;
mod lines;
mod meta;
mod ownership;
mod paths;
mod rebuild;
mod record;
mod sealed;
mod states;

pub use facts_file::{FactsFile, decode_facts};
pub(crate) use folder::IndexFolder;
pub(crate) use lines::{LineFile, Lines, Part};
pub(crate) use meta::read_meta;
pub use meta::{CHUNKER, Meta, Seal};
pub(crate) use ownership::{is_kept, is_own, keep, place};
pub use paths::IndexPaths;
pub(crate) use rebuild::{Foreign, rebuild, rebuild_foreign};
pub use record::{ChunkRecord, EdgeRecord};
pub use states::{FileState, KnownFile, States, encode_states, read_states};
