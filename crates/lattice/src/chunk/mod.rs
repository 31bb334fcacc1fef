//! From the bytes of one file to its facts.

mod collect;
mod extract;
mod found;
mod lines;
mod macro_calls;
mod names;
mod nesting;
mod terms;

pub use extract::facts;
pub(crate) use nesting::own_pieces;
pub(crate) use terms::{Terms, short_hash, terms_of, terms_of_chunk, terms_of_path};
