//! Secrets out of texts that are not stored by the engine.

use forge_memory_core::redact::redact;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::reader::text;

/// Returns a text with every secret that shows by its shape replaced by `[redacted:<kind>]`, as captures are. Throws
/// `INVALID_INPUT` when it is none.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn redact_text(given: Unknown) -> Result<String> {
    Ok(redact(&text("text", &given)?).text.into_owned())
}
