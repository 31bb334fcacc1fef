//! The languages. Each has a folder with a query over the syntax tree of its grammar and a [`Language`], which declares everything
//! that differs from other languages. No other module asks which language it works on.

mod bash;
mod c;
mod cpp;
mod csharp;
mod declaration;
mod go;
mod java;
mod javascript;
mod markdown;
mod modules;
mod php;
mod python;
mod registry;
mod role;
mod ruby;
mod rust;
mod sql;
mod syntax;
mod typescript;

pub use declaration::{Family, Imports, Language, Manifest, ModuleSystem};
pub use modules::{Module, ProjectFiles};
pub use registry::{Compiled, all, compiled, manifest_of, named, of_path};
pub use role::Role;
pub(crate) use syntax::{children, text, unquoted};
