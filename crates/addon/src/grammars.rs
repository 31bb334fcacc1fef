//! The addon of the grammars: from the source of a file to its facts.

use crate::bytes::{Sink, Slice};
use crate::header::Header;

/// The functions of the addon.
#[repr(C)]
#[derive(Debug)]
pub struct GrammarTable {
    /// The kind and version of the table.
    pub header: Header,
    /// Extracts the facts of a source in the language with this number, encoded. Returns false when a limit is exceeded.
    pub facts: unsafe extern "C" fn(language: u8, source: Slice<'_>, facts: &mut Sink<'_>) -> bool,
}

/// The grammars of all languages, wherever they are linked.
#[derive(Debug, Clone, Copy)]
pub struct Grammars {
    table: &'static GrammarTable,
}

impl Grammars {
    /// The symbol that the library exports.
    pub const SYMBOL: &'static [u8] = b"FORGE_MEMORY_GRAMMARS\0";

    /// Uses a table.
    pub const fn of(table: &'static GrammarTable) -> Self {
        Grammars { table }
    }

    /// Returns the encoded facts of a source in the language with this number; `None` when a limit is exceeded.
    pub fn facts(&self, language: u8, source: &[u8]) -> Option<Vec<u8>> {
        let mut facts = Vec::new();
        // SAFETY: a table is made by this crate's types only, and a loaded one was checked.
        let found = unsafe { (self.table.facts)(language, Slice::of(source), &mut Sink::of(&mut facts)) };
        if !found {
            return None;
        }
        // Those of all files stay in memory until the index is written.
        facts.shrink_to_fit();
        Some(facts)
    }
}
