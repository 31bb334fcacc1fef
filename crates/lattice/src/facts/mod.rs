//! The facts of single files, before their names are looked up in other files.

mod cached;
mod id;
mod model;

pub use cached::{CachedFacts, MANIFEST, Skip, encoded, tree_hash};
pub(crate) use id::push_hex;
pub use id::{chunk_keys, id_text, key_of, parse_id};
pub use model::{ChunkFacts, FACTS_VERSION, Facts, Import, Reference, ReferenceKind, STORED_VERSION, TypeOf};
