//! Name resolution: which definition a reference means, and how certain that is.
//!
//! The order of lookups is that of lexical scoping: outwards from the reference, then imports, then the package, and
//! finally, where the language allows it, every definition with that name. It needs no type checker: the type of a receiver
//! is taken from a declaration of its name, as in class hierarchy analysis (Dean, Grove and Chambers 1995) with names in
//! place of types.

mod dependencies;
mod edge;
mod exports;
mod imports;
mod member;
mod modules;
mod names;
mod reach;
mod receiver;
mod resolver;
mod scope;
mod view;
mod visible;

pub use dependencies::{Dependencies, dependency_key};
pub use edge::{CANDIDATES_MAX, Edge, Resolved};
pub use names::{FileFacts, KnownName, KnownNames, Names, Unchanged};
pub(crate) use resolver::resolve;
pub(crate) use visible::changed_names;
