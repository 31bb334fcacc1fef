//! The derived index of a journal, which dedup and recall query instead of reading the whole history; its structure is that of an LSM tree.
//!
//! A [`JournalIndex`] covers one journal with parts in file order: [`Segment`]s, which are immutable files read page by page, and
//! [`MemorySegment`]s with the newest records. The index contains no texts; they are read from the journal. It is not a source of truth:
//! without its folder the answers are the same, only slower.
//!
//! [`Catalog::extend`] builds segments: it reads a range of the journal and merges several small segments into one (size-tiered
//! compaction), so that there are never many and a record is indexed only a few times. Any process may do that; the others load the result.

mod build;
mod candidates;
mod catalog;
pub mod contested;
mod counting;
mod counts;
pub mod dedup;
mod entry;
mod filter;
mod forgiving;
mod found;
mod journal_index;
mod lookup;
mod memory_segment;
mod near;
mod neighbours;
mod paged;
mod part;
mod postings;
mod rarity;
mod row;
mod ruled;
mod search;
mod segment;
mod store;
mod term_sources;
pub(crate) mod tiers;
mod top;
mod versions;
mod vocabulary;
mod window;
mod within;

pub use candidates::Admission;
pub use catalog::{Catalog, IndexJob};
pub use counts::{Fate, RecordCounts};
pub(crate) use entry::exact_hash;
pub use entry::{Entry, Family};
pub use filter::Filter;
pub use forgiving::{Correction, KnownWords, forgiving_words};
pub use found::Found;
pub use journal_index::{JournalIndex, Place};
pub use lookup::{for_each_exact, for_each_near};
pub use memory_segment::MemorySegment;
pub use near::Sketches;
pub(crate) use near::{Wide, can_be_near};
pub(crate) use paged::{PagedFile, read_u32, read_u64, trailer_of};
pub use part::Part;
pub use rarity::Rarities;
pub use search::{Plan, word_names};
pub use segment::Segment;
pub use store::Store;
pub(crate) use store::{Searched, Stores};
pub use versions::{index_folder, index_lock};
pub use window::Windows;
pub use within::find_repeats;

/// The number of records at which an in-memory segment becomes immutable and waits to be written.
pub const MEMORY_SEGMENT_DOCS: u32 = 1024;

/// A key shared by at least this many records of a part belongs to a series, such as numbered entries, and not to one value that changes.
/// Comparing with all of them would make captures slower as the history grows.
const SERIES_MIN: usize = 1024;
