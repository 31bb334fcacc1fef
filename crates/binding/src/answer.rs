//! Returns whole answers as one JSON text, which JavaScript parses: building an object property by property through
//! Node-API costs several times as much. Parsed from JSON, every name becomes an ordinary property, `__proto__` included.

use forge_memory_core::Error;
use napi::bindgen_prelude::{ToNapiValue, TypeName};
use napi::{Env, sys};
use serde::Serialize;

use crate::error::thrown;
use crate::value::{made, string};

/// An answer that arrives in JavaScript as the object it serializes to.
pub struct Answer<T>(pub T);

impl<T: Serialize> ToNapiValue for Answer<T> {
    unsafe fn to_napi_value(env: sys::napi_env, answer: Self) -> napi::Result<sys::napi_value> {
        let text = Encoded::of(&answer.0).map_err(|error| thrown(&Env::from_raw(env), &error))?;
        // SAFETY: the environment is that of the running call.
        unsafe { parse(env, &text.0) }
    }
}

/// An answer that another thread has serialized already.
pub struct Encoded(String);

impl Encoded {
    /// Serializes an answer.
    ///
    /// # Errors
    /// A defect of this program.
    pub fn of(answer: &impl Serialize) -> forge_memory_core::Result<Self> {
        let text = serde_json::to_string(answer).map_err(Error::internal("encode the answer"))?;
        Ok(Encoded(text))
    }
}

impl ToNapiValue for Encoded {
    unsafe fn to_napi_value(env: sys::napi_env, answer: Self) -> napi::Result<sys::napi_value> {
        // SAFETY: the environment is that of the running call.
        unsafe { parse(env, &answer.0) }
    }
}

impl TypeName for Encoded {
    fn type_name() -> &'static str {
        "object"
    }

    fn value_type() -> napi::ValueType {
        napi::ValueType::Object
    }
}

/// Converts a count for JavaScript.
pub fn count(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

/// # Safety
/// `env` is the environment of the running call.
unsafe fn parse(env: sys::napi_env, text: &str) -> napi::Result<sys::napi_value> {
    // SAFETY: the caller guarantees the environment.
    let argument = unsafe { string(env, text) }?;
    let parsed = || {
        let global = made!(napi_get_global(env))?;
        let json = made!(napi_get_named_property(env, global, c"JSON".as_ptr()))?;
        let parse = made!(napi_get_named_property(env, json, c"parse".as_ptr()))?;
        made!(napi_call_function(env, json, parse, 1, &argument))
    };
    parsed().ok_or_else(|| napi::Error::from_reason("the answer cannot be handed out"))
}
