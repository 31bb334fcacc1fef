//! Loading an addon from a file.

use std::path::Path;

use libloading::Library;

use crate::grammars::{GrammarTable, Grammars};
use crate::header::Header;
use crate::inference::{Inference, InferenceTable};

/// Why an addon was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

/// A kind of addon that can be loaded.
pub trait Loadable: Sized {
    /// The table of its functions.
    type Table: 'static;
    /// The name of the table, with a NUL at its end.
    const SYMBOL: &'static [u8];

    /// Makes safe Rust of the table.
    fn of(table: &'static Self::Table) -> Self;
}

impl Loadable for Grammars {
    type Table = GrammarTable;
    const SYMBOL: &'static [u8] = Grammars::SYMBOL;

    fn of(table: &'static GrammarTable) -> Self {
        Grammars::of(table)
    }
}

impl Loadable for Inference {
    type Table = InferenceTable;
    const SYMBOL: &'static [u8] = Inference::SYMBOL;

    fn of(table: &'static InferenceTable) -> Self {
        Inference::of(table)
    }
}

/// Loads an addon, for good: values that it returned may be in use until the process ends.
pub fn open<A: Loadable>(path: &Path, format: u32) -> Result<A, Refusal> {
    // SAFETY: loading runs the library's initializers. The path is one of the package's own, as its caller guarantees.
    let library = unsafe { Library::new(path) }.map_err(|e| Refusal(e.to_string()))?;
    // SAFETY: whatever the symbol is, only its header is read before that was checked; it is at the beginning of every table.
    let header = unsafe { library.get::<*const Header>(A::SYMBOL) };
    let header = header.map_err(|_| Refusal("it is not an addon of forge-memory of this kind".to_owned()))?;
    let header: *const Header = *header;
    // SAFETY: the symbol is a table, which begins with a header.
    if let Some(reason) = unsafe { *header }.refusal(format) {
        return Err(Refusal(reason));
    }
    std::mem::forget(library);
    // SAFETY: the header says that the table is of this version, and the library stays loaded.
    Ok(A::of(unsafe { &*header.cast::<A::Table>() }))
}
