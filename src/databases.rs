//! The library for the parts that a capture and a recall do not need: SQLite with its users, and the walk over the files of a project. It lies beside
//! this one, and is loaded by the first call of one of its functions. Those here pass calls on; `crates/databases` declares them.

use std::cell::Cell;
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use forge_memory_core::Error;
use forge_memory_core::journal::{Disk, OsDisk};
use napi::bindgen_prelude::{JsObjectValue, JsValue, Object, ToNapiValue, Unknown};
use napi::{Env, sys};
use napi_derive::napi;

use crate::addons::{beside_this_library, provided};
use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::library_file::refuse_cut_short;
use crate::value::{made, string};

/// The beginning of its file's name. The platform follows.
const NAME: &str = "forge-memory-databases";

/// Whether a thread of this process has loaded it.
static IS_LOADED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Its exports in the environment of this thread, which keeps them until it ends.
    static EXPORTS: Cell<sys::napi_ref> = const { Cell::new(std::ptr::null_mut()) };
}

#[napi(catch_unwind, skip_typescript)]
pub fn backfill<'env>(env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
    pass_on(env, c"backfill", &[options])
}

#[napi(catch_unwind, skip_typescript)]
pub fn count_transcripts(env: &Env) -> Result<Unknown<'_>> {
    pass_on(env, c"countTranscripts", &[])
}

#[napi(catch_unwind, skip_typescript)]
pub fn forget_sessions<'env>(env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
    pass_on(env, c"forgetSessions", &[options])
}

#[napi(catch_unwind, skip_typescript)]
pub fn import_memory<'env>(env: &'env Env, path: Unknown<'env>, options: Unknown<'env>) -> Result<Unknown<'env>> {
    pass_on(env, c"importMemory", &[path, options])
}

#[napi(catch_unwind, skip_typescript)]
pub fn import_shared<'env>(env: &'env Env, lines: Unknown<'env>, options: Unknown<'env>) -> Result<Unknown<'env>> {
    pass_on(env, c"importShared", &[lines, options])
}

#[napi(catch_unwind, skip_typescript)]
pub fn learn_from_session<'env>(
    env: &'env Env,
    transcript: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    pass_on(env, c"learnFromSession", &[transcript, options])
}

#[napi(catch_unwind, skip_typescript)]
pub fn lattice_index<'env>(
    env: &'env Env,
    options: Unknown<'env>,
    on_progress: Unknown<'env>,
) -> Result<Unknown<'env>> {
    pass_on(env, c"latticeIndex", &[options, on_progress])
}

#[napi(catch_unwind, skip_typescript)]
pub fn search_sessions<'env>(env: &'env Env, query: Unknown<'env>, options: Unknown<'env>) -> Result<Unknown<'env>> {
    pass_on(env, c"searchSessions", &[query, options])
}

#[napi(catch_unwind, skip_typescript)]
pub fn session_index_status<'env>(env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
    pass_on(env, c"sessionIndexStatus", &[options])
}

// These stand in for classes, each of which makes its objects by one function alone.

#[napi(catch_unwind, skip_typescript, namespace = "EmbeddedStore", js_name = "open")]
pub fn open_embedded_store<'env>(env: &'env Env, path: Unknown<'env>) -> Result<Unknown<'env>> {
    make(env, c"EmbeddedStore", c"open", path)
}

#[napi(catch_unwind, skip_typescript, namespace = "IgnoredPaths", js_name = "of")]
pub fn ignored_paths_of<'env>(env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
    make(env, c"IgnoredPaths", c"of", options)
}

#[napi(catch_unwind, skip_typescript, namespace = "PathPatterns", js_name = "read")]
pub fn read_path_patterns<'env>(env: &'env Env, patterns: Unknown<'env>) -> Result<Unknown<'env>> {
    make(env, c"PathPatterns", c"read", patterns)
}

/// Makes an object of a class of the library.
fn make<'env>(env: &'env Env, class: &CStr, function: &CStr, argument: Unknown<'env>) -> Result<Unknown<'env>> {
    let class = made!(napi_get_named_property(env.raw(), exports(env)?, class.as_ptr()));
    call(env, class, function, &[argument])
}

/// Returns the steps that its running operation on a project has done, and all of them; none when it is not loaded.
pub(crate) fn progress(env: &Env, options: Unknown<'_>) -> Result<(f64, f64)> {
    if !IS_LOADED.load(Ordering::Acquire) {
        return Ok((0.0, 0.0));
    }
    let steps = Object::from_raw(env.raw(), pass_on(env, c"progress", &[options])?.raw());
    Ok((steps.get_element(0)?, steps.get_element(1)?))
}

/// Calls a function of the library.
fn pass_on<'env>(env: &'env Env, name: &CStr, arguments: &[Unknown<'env>]) -> Result<Unknown<'env>> {
    call(env, Some(exports(env)?), name, arguments)
}

/// Returns the exports of the library; the first call loads it.
fn exports(env: &Env) -> Result<sys::napi_value> {
    let kept = EXPORTS.get();
    if !kept.is_null() {
        return made!(napi_get_reference_value(env.raw(), kept)).ok_or_else(|| failure(env));
    }
    let exports = load(env)?;
    let kept = made!(napi_create_reference(env.raw(), exports, 1)).ok_or_else(|| failure(env))?;
    EXPORTS.set(kept);
    IS_LOADED.store(true, Ordering::Release);
    Ok(exports)
}

/// Makes the error of a library that every installation has beside this one.
fn refused(env: &Env, code: &'static str, message: String) -> napi::Error {
    let hint = "install forge-memory again, which brings it: npm install forge-memory --include=optional (-g when it is global); in a clone: wait until npm start has built it, or npm run build";
    thrown(env, &Error::Feature { code, message, hint })
}

fn load(env: &Env) -> Result<sys::napi_value> {
    let path = beside_this_library(NAME).unwrap_or_else(|| PathBuf::from(NAME));
    let disk: &dyn Disk = &OsDisk;
    if disk.stat(&path).is_err() {
        return Err(refused(
            env,
            "LIBRARY_MISSING",
            format!("{} is missing", path.display()),
        ));
    }
    let unusable = |reason: String| {
        let message = format!("{} cannot be used: {reason}", path.display());
        refused(env, "LIBRARY_UNUSABLE", message)
    };
    refuse_cut_short(disk, &path).map_err(|refusal| unusable(refusal.0))?;
    let exports = open(env, &path.to_string_lossy()).map_err(|error| unusable(error.reason.clone()))?;
    let found = version(env, exports).ok_or_else(|| unusable("it is not a library of forge-memory".to_owned()))?;
    if found != env!("CARGO_PKG_VERSION") {
        return Err(unusable(format!(
            "it is of version {found}, not {}",
            env!("CARGO_PKG_VERSION")
        )));
    }
    // SAFETY: the environment is that of the running call.
    let addons = unsafe { Answer::to_napi_value(env.raw(), Answer(provided())) }?;
    // SAFETY: the value was just made in that environment.
    let addons = unsafe { Unknown::from_raw_unchecked(env.raw(), addons) };
    call(env, Some(exports), c"provideAddons", &[addons])?;
    Ok(exports)
}

/// Loads a library as `require` does, which is not to be had here.
fn open(env: &Env, path: &str) -> Result<sys::napi_value> {
    let raw = env.raw();
    // The library asks for the file name of its module, to find the addons beside it.
    let mut module = Object::new(env)?;
    module.set_named_property("exports", Object::new(env)?)?;
    module.set_named_property("filename", path)?;
    let process: Object = env.get_global()?.get_named_property("process")?;
    // SAFETY: the string is made in the environment of the running call.
    let path = unsafe { Unknown::from_raw_unchecked(raw, string(raw, path)?) };
    call(env, Some(process.raw()), c"dlopen", &[module.to_unknown(), path])?;
    made!(napi_get_named_property(raw, module.raw(), c"exports".as_ptr())).ok_or_else(|| failure(env))
}

/// Asks a library for its version; `None` when it does not tell one.
fn version(env: &Env, exports: sys::napi_value) -> Option<String> {
    let told = call(env, Some(exports), c"version", &[]).ok()?;
    let text = told.coerce_to_string().ok()?.into_utf8().ok()?;
    text.into_owned().ok()
}

/// Calls a function of an object. An exception of it is thrown on.
fn call<'env>(
    env: &'env Env,
    object: Option<sys::napi_value>,
    name: &CStr,
    arguments: &[Unknown<'env>],
) -> Result<Unknown<'env>> {
    let raw = env.raw();
    let values: Vec<_> = arguments.iter().map(JsValue::raw).collect();
    let called = object.and_then(|object| {
        let function = made!(napi_get_named_property(raw, object, name.as_ptr()))?;
        made!(napi_call_function(raw, object, function, values.len(), values.as_ptr()))
    });
    match called {
        // SAFETY: the value is of the running call.
        Some(value) => Ok(unsafe { Unknown::from_raw_unchecked(raw, value) }),
        None => Err(failure(env)),
    }
}

/// The error of a failed call into the JavaScript engine: the exception, if there is one.
fn failure(env: &Env) -> napi::Error {
    let mut is_pending = false;
    // SAFETY: the environment is that of the running call.
    let asked = unsafe { sys::napi_is_exception_pending(env.raw(), &mut is_pending) };
    if asked != sys::Status::napi_ok || !is_pending {
        return napi::Error::from_reason("the JavaScript engine refused a call");
    }
    match made!(napi_get_and_clear_last_exception(env.raw())) {
        // SAFETY: as above.
        Some(thrown) => napi::Error::from(unsafe { Unknown::from_raw_unchecked(env.raw(), thrown) }),
        None => napi::Error::from_reason("the JavaScript engine refused a call"),
    }
}
