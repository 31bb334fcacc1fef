//! The border between the engine and its addons: shared libraries with the parts that are large and that many users never need.
//!
//! An addon exports one symbol, a table of functions ([`GrammarTable`], [`InferenceTable`]) that begins with a [`Header`]. Its functions
//! compute: they take bytes and return bytes, and touch neither files, locks, clocks nor threads of the engine. So nothing has to be
//! agreed upon but the tables, and a defect of an addon harms no record.
//!
//! The functions are of the C ABI, because Rust has no stable one of its own. Nobody has to free memory of the other side: results are
//! handed to a [`Sink`], which copies them, and what is too large to be kept in memory is read from a [`Source`]. A panic does not cross the border ([`guarded`]). [`Grammars`] and [`Inference`] are the tables
//! as safe Rust; [`open`] loads a library and checks its header. A library is never unloaded.

mod bytes;
mod grammars;
mod header;
mod inference;
mod library;

pub use bytes::{Sink, Slice, Source, guarded};
pub use grammars::{GrammarTable, Grammars};
pub use header::{ABI, Header, VERSION};
pub use inference::{Inference, InferenceTable, Model, PASSAGE, QUERY, Unfit};
pub use library::{Refusal, open};
