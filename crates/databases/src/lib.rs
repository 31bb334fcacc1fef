//! The second Node library, for the parts that a capture and a recall do not need: SQLite with its users, and the walk over the files of
//! a project. The engine's own library stands in for its functions, and loads it when one of them is called for the first time
//! (`src/databases.rs` there).

// In a test build the macro exports nothing, so that everything would seem unused.
#![cfg_attr(test, allow(unused))]
// Arguments come from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

use forge_memory_binding::{addons, answer, error, input, projects, task};
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

mod backfill;
mod code_index;
mod history;
mod import;
mod openbrain;
mod paths;
mod store_shapes;

/// Remembers where this library lies, for the addons beside it.
#[napi(module_exports)]
pub fn remember_own_file(_exports: Object, env: Env) -> napi::Result<()> {
    addons::remember_own_file(&env);
    Ok(())
}

/// Tells where the addons are. For the engine alone, as the functions below.
#[napi(catch_unwind, skip_typescript)]
pub fn provide_addons(files: Unknown) -> error::Result<()> {
    addons::provide(&files)
}

/// Returns the version of this library.
#[napi(catch_unwind, skip_typescript)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the progress of the operation that this library runs on a project: steps done, and all of them.
#[napi(catch_unwind, skip_typescript)]
pub fn progress(options: Unknown) -> error::Result<Vec<f64>> {
    let (done, total) = projects::open_project(&options)?.progress();
    Ok(vec![done as f64, total as f64])
}
