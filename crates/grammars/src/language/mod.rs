//! The syntax of the languages. Each has a folder with a query over the syntax trees of its grammar, and a [`Syntax`]. Everything else in
//! which it differs is declared in the folder of the same name in the code graph.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod markdown;
mod php;
mod python;
mod registry;
mod role;
mod ruby;
mod rust;
mod sql;
mod syntax;
mod typescript;

pub use registry::{Compiled, compiled};
pub use role::Role;
pub use syntax::{Imports, Syntax};
pub(crate) use syntax::{children, no_imports, text, unquoted};
