//! Converts errors of the engine to JavaScript errors, with code, hint and cause. This is the only place that does.

use std::error::Error as _;
use std::ffi::CStr;

use forge_memory_core::Error;
pub use forge_memory_core::error::Problem;
use forge_memory_core::redact::redact;
use napi::bindgen_prelude::Unknown;
use napi::{Env, sys};

use crate::value::{made, string};

/// The result of exported functions. The `#[napi]` macro recognises it by this name.
pub type Result<T> = napi::Result<T>;

/// Makes the JavaScript error that an exported function throws or rejects with.
pub fn thrown(env: &Env, error: &Error) -> napi::Error {
    // SAFETY: the environment is that of the running call.
    match unsafe { object_of(env.raw(), error) } {
        Some(object) => napi::Error::from(object),
        None => napi::Error::from_reason(without_secrets(&error.to_string())),
    }
}

/// Redacts a message, which may quote an argument that is a secret.
fn without_secrets(text: &str) -> String {
    redact(text).text.into_owned()
}

/// # Safety
/// `env` is the environment of the running call.
unsafe fn object_of<'env>(env: sys::napi_env, error: &Error) -> Option<Unknown<'env>> {
    let problem = Problem::of(error);
    // SAFETY: the caller guarantees the environment; all values belong to the running call.
    unsafe {
        let object = error_object(env, Some(&problem.code), &problem.message)?;
        if let Some(hint) = &problem.hint {
            set(env, object, c"hint", string(env, hint).ok()?)?;
        }
        if let Some(source) = error.source() {
            let cause = error_object(env, None, &without_secrets(&source.to_string()))?;
            set(env, object, c"cause", cause)?;
        }
        Some(Unknown::from_raw_unchecked(env, object))
    }
}

/// # Safety
/// `env` is the environment of the running call.
unsafe fn error_object(env: sys::napi_env, code: Option<&str>, message: &str) -> Option<sys::napi_value> {
    // SAFETY: the caller guarantees the environment.
    let (code, message) = unsafe {
        let code = code.map(|code| string(env, code)).transpose().ok()?;
        (code.unwrap_or(std::ptr::null_mut()), string(env, message).ok()?)
    };
    made!(napi_create_error(env, code, message))
}

/// # Safety
/// `env` is the environment of the running call, and both values are of that call.
unsafe fn set(env: sys::napi_env, object: sys::napi_value, name: &CStr, value: sys::napi_value) -> Option<()> {
    // SAFETY: the caller guarantees environment and values; the name ends with a NUL.
    let status = unsafe { sys::napi_set_named_property(env, object, name.as_ptr(), value) };
    (status == sys::Status::napi_ok).then_some(())
}
