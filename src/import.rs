//! Imports the stores of other tools, some of which are databases.

use std::path::PathBuf;

use forge_memory_core::Error;
use forge_memory_core::transfer::{ImportOptions, ImportReport};
use forge_memory_transcripts::read_database;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::{read, refused};
use crate::projects::with_options;

/// Imports an export of forge-memory, or the store of another tool, from a file or a folder. Everything is read before
/// anything is written. Throws `CORRUPT` when it is damaged or truncated, `UNSUPPORTED` when it is not a known store,
/// `INVALID_INPUT` when it has records of several projects, none of them this one, and `sourceProject` is absent (a dry run
/// lists them in `projects`), `IO` or `LOCKED`.
#[napi(
    catch_unwind,
    ts_args_type = "path: string, options?: ImportOptions",
    ts_return_type = "ImportOutcome"
)]
pub fn import_memory(env: &Env, path: Unknown, options: Unknown) -> Result<Answer<ImportReport>> {
    let name: String = read("path", &path)?;
    if name.is_empty() || name.contains('\0') {
        return Err(refused(&path, &Error::invalid("path", "is not a valid file name")));
    }
    with_options(env, &options, |memory, options: ImportOptions| {
        memory
            .import(&PathBuf::from(name), &with_databases(options))
            .map(Answer)
    })
}

/// Imports lines of a shared store: records as they were delivered, and the rulings on them. Throws as `importMemory`.
#[napi(
    catch_unwind,
    ts_args_type = "lines: string, options?: ImportOptions",
    ts_return_type = "ImportOutcome"
)]
pub fn import_shared(env: &Env, lines: Unknown, options: Unknown) -> Result<Answer<ImportReport>> {
    let lines: String = read("lines", &lines)?;
    with_options(env, &options, |memory, options: ImportOptions| {
        memory.import_shared(&lines, &with_databases(options)).map(Answer)
    })
}

fn with_databases(options: ImportOptions) -> ImportOptions {
    ImportOptions {
        read_database: Some(read_database),
        ..options
    }
}
