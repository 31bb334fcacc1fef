//! The cache of the shared store's answers.

use forge_memory_core::cache::Restriction;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;
use serde_json::Value;

use crate::document::document;
use crate::error::Result;
use crate::input::read;
use crate::projects::with_memory;

/// Identifies an earlier search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CachedSearchQuery {
    #[serde(default)]
    pub key: String,
    /// Everything else that the answer depends on, for example the state of the store.
    #[serde(default)]
    pub place: String,
    /// The search was restricted to this project.
    pub project: Option<String>,
    /// The search was restricted to this type.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// Returns the position of the raw log. Taken before a search, it tells `findCachedSearch` the captures since. Throws
/// `IO`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn search_stamp(env: &Env, options: Unknown) -> Result<String> {
    with_memory(env, &options, |memory| memory.search_stamp())
}

/// Returns the cached entry of a search while it is fresh and no capture since could change it; null otherwise. Throws
/// `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "query: CachedSearchQuery, options?: ProjectOptions",
    ts_return_type = "Record<string, unknown> | null"
)]
pub fn find_cached_search(env: &Env, query: Unknown, options: Unknown) -> Result<Option<Value>> {
    let query: CachedSearchQuery = read("query", &query)?;
    with_memory(env, &options, |memory| {
        let within = Restriction {
            project: query.project.as_deref(),
            kind: query.kind.as_deref(),
        };
        memory.cached_search(&query.key, &query.place, within)
    })
}

/// Caches the answer of a search: the fields of `buildCacheEntry`, and any others that belong to the answer. Throws
/// `INVALID_INPUT`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "entry: Record<string, unknown>, place: string, stamp: string, options?: ProjectOptions"
)]
pub fn keep_cached_search(env: &Env, entry: Unknown, place: Unknown, stamp: Unknown, options: Unknown) -> Result<()> {
    let entry = document("entry", &entry)?;
    let place: String = read("place", &place)?;
    let stamp: String = read("stamp", &stamp)?;
    with_memory(env, &options, |memory| memory.keep_search(&entry, &place, &stamp))
}
