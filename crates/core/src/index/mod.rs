//! The derived index of a journal: what dedup and recall ask instead of reading the whole history.
//!
//! A [`JournalIndex`] covers one journal with parts in file order: [`Segment`]s, which are immutable and memory-mapped, and
//! [`MemorySegment`]s, which hold the newest records in memory. Texts are not in the index; they are read from the journal where they
//! stand. Nothing here is truth: without its folder the same answers come, later.
//!
//! Segments are made by [`Catalog::extend`], which reads a range of the journal and replaces several small segments by
//! one, so that there are never many and a record is indexed only a few times in its life. Any process may do that;
//! the others take the result over.

mod build;
mod catalog;
pub mod contested;
pub mod dedup;
mod entry;
mod forgiving;
mod journal_index;
mod lookup;
mod memory_segment;
mod near;
mod paged;
mod part;
mod postings;
mod row;
mod ruled;
mod search;
mod segment;
mod store;
mod term_sources;
mod vocabulary;
mod window;
mod within;

pub use catalog::{Catalog, IndexJob};
pub use entry::{Entry, Family};
pub use forgiving::{Correction, forgiving_words};
pub use journal_index::{JournalIndex, Place};
pub use lookup::{for_each_exact, for_each_near};
pub use memory_segment::MemorySegment;
pub use near::Sketches;
pub use part::Part;
pub use search::{Filter, Found, Plan, word_names};
pub use segment::Segment;
pub use store::Store;
pub(crate) use store::Stores;
pub use window::Windows;
pub use within::find_repeats;

/// How many records an in-memory segment takes before it waits to become a segment.
pub const MEMORY_SEGMENT_DOCS: u32 = 1024;
