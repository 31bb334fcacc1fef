//! The one place where a core error becomes a JavaScript error.

use forge_memory_core::Error;
use forge_memory_core::redact::redact;

/// The name must be `Result`: the `#[napi]` macro goes by it.
pub(crate) type Result<T> = std::result::Result<T, napi::Error<&'static str>>;

/// Keeps code, text and cause. A text may quote what was handed in, and that may be a secret.
pub(crate) fn to_js(error: impl Into<Error>) -> napi::Error<&'static str> {
    let error = error.into();
    let mut out = napi::Error::new(error.code(), without_secrets(&error.to_string()));
    if let Some(source) = std::error::Error::source(&error) {
        out.set_cause(napi::Error::from_reason(without_secrets(&source.to_string())));
    }
    out
}

fn without_secrets(text: &str) -> String {
    redact(text).text.into_owned()
}

/// Tells that an argument is wrong.
pub(crate) fn invalid(field: &str, reason: &str) -> napi::Error<&'static str> {
    to_js(Error::invalid(field, reason))
}

/// For what the engine itself refuses; a caller cannot do anything about it.
pub(crate) fn internal(error: napi::Error) -> napi::Error<&'static str> {
    napi::Error::new("INTERNAL", error.reason.clone())
}
