//! Layered architecture as a test: reads the module graph of a crate from its sources and reports dependency cycles and
//! dependencies that point up against a declared order of layers.
//!
//! Cargo keeps the crates of a workspace acyclic, but not the modules within a crate. This crate reads every path that
//! begins with `crate`, `super`, `self` or the name of a child module, in `use` declarations and in code, follows
//! re-exports to the module that defines the name, and builds one graph per folder. A graph is acyclic if and only if each
//! of its strongly connected components is a single module (Tarjan 1972), which [`Tree::check`] verifies. Code under
//! `#[cfg(test)]` is left out: a test may use everything.
//!
//! Method calls add no dependency, because only a compiler knows whose method is called; the import of the type adds it.
//!
//! ```
//! use forge_memory_layering::{Rules, Tree};
//!
//! # fn main() -> std::io::Result<()> {
//! let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
//! let tree = Tree::read(&sources)?;
//! // Lowest layer first. Every top-level module belongs to exactly one layer.
//! let layers: &[&[&str]] = &[&["scan"], &["tree"], &["graph"], &["check"]];
//! let violations = tree.check(&Rules { layers, count_folder_files: true });
//! assert!(violations.is_empty(), "{}", forge_memory_layering::list(&violations));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod check;
mod graph;
mod scan;
mod tree;

pub use check::{Rules, Violation, list};
pub use tree::Tree;
