//! The Node addon. Each function converts its arguments, calls the engine once and converts the result; it contains no
//! rules about records.

// In a test build the macro exports nothing, so that everything would seem unused.
#![cfg_attr(test, allow(unused))]
// Arguments come from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

use forge_memory_binding::{addons, answer, code_graphs, error, input, projects, task, value};

mod backfill;
mod cache;
mod capture;
mod code_index;
mod dead_letters;
mod document;
mod drain;
mod embed;
mod events;
mod foreign;
mod frame;
mod history;
mod import;
mod lattice;
mod measures;
mod models;
mod moment;
mod openbrain;
mod paths;
mod ports;
mod preload;
mod process;
mod ralph;
mod recall;
mod records;
mod report;
mod review;
mod settings;
mod store_shapes;
mod sync;
mod transfer;
mod trust;
mod truth;

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

/// Remembers where this library lies, for the libraries beside it.
#[napi(module_exports)]
pub fn remember_own_file(_exports: Object, env: Env) -> napi::Result<()> {
    addons::remember_own_file(&env);
    Ok(())
}

/// Tells where the addons are. Not for users of the package.
#[napi(catch_unwind, skip_typescript)]
pub fn provide_addons(files: Unknown) -> error::Result<()> {
    addons::provide(&files)
}
