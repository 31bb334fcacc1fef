//! The languages. Each has a folder with a [`Language`], which declares everything in which it differs from others; its syntax is in
//! the folder of the same name in the crate of the grammars. No other module depends on which language it processes.

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
mod ruby;
mod rust;
mod sql;
mod typescript;

pub use declaration::{InteropGroup, Language, Manifest, ModuleSystem};
pub use modules::{Module, ProjectFiles};
pub use registry::{COUNT, all, manifest_of, name_of, of_path};
