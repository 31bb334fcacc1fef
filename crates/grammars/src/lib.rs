//! The grammars of the code graph: from the source of a file to its facts.
//!
//! [`chunk`] parses a file and collects the matches of the query of its [`language`] ([`pattern`]). It is a library of its own, because
//! the tables of the grammars are larger than everything else together, and only a run of the index needs them. The code graph calls it
//! through [`TABLE`], whether it is linked or loaded.

// Sources are input from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod chunk;
pub mod language;
pub mod pattern;

use forge_memory_addon::{GrammarTable, Grammars, Header, Sink, Slice, guarded};
use forge_memory_lattice::GRAMMAR_FORMAT;
use forge_memory_lattice::facts::encoded;

/// The table that the library exports.
#[unsafe(no_mangle)]
pub static FORGE_MEMORY_GRAMMARS: GrammarTable = GrammarTable {
    header: Header::new(GRAMMAR_FORMAT),
    facts,
};

/// The same for a program that has this crate linked.
pub const TABLE: Grammars = Grammars::of(&FORGE_MEMORY_GRAMMARS);

/// # Safety
/// `source` and `facts` are of the running call.
unsafe extern "C" fn facts(language: u8, source: Slice<'_>, facts: &mut Sink<'_>) -> bool {
    guarded(false, || {
        let source = source.bytes();
        let found = chunk::facts(language, source);
        found.is_some_and(|found| {
            facts.append(&encoded(&found, source.len()));
            true
        })
    })
}
