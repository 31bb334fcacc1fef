//! Handing whole answers out: by their shape where they have been asked for before, otherwise as one JSON text that the
//! engine's own `JSON.parse` reads. Building an object property by property through the binding costs several times as
//! much. In a text every name becomes a plain property, `__proto__` among them.

use napi::bindgen_prelude::{ToNapiValue, TypeName};
use napi::sys;
use serde::Serialize;

use crate::shape;

/// An answer that arrives in JavaScript as the object it serialises to.
pub(crate) struct Answer<T>(pub T);

impl<T: Serialize> ToNapiValue for Answer<T> {
    unsafe fn to_napi_value(env: sys::napi_env, answer: Self) -> napi::Result<sys::napi_value> {
        // SAFETY: the environment is that of the running call.
        if let Some(value) = unsafe { shape::build(env, &answer.0) } {
            return Ok(value);
        }
        let text = serde_json::to_string(&answer.0)?;
        // SAFETY: the environment is that of the running call, and so are the values that it hands out.
        unsafe { parse(env, &text) }
    }
}

/// The same for an answer that another thread has serialised already.
pub struct ParsedText(String);

impl ParsedText {
    pub fn of(answer: &impl Serialize) -> forge_memory_core::Result<Self> {
        let text = serde_json::to_string(answer);
        let wrong = |e: serde_json::Error| forge_memory_core::Error::invalid("answer", e.to_string());
        text.map(ParsedText).map_err(wrong)
    }
}

impl ToNapiValue for ParsedText {
    unsafe fn to_napi_value(env: sys::napi_env, answer: Self) -> napi::Result<sys::napi_value> {
        // SAFETY: the environment is that of the running call, and so are the values that it hands out.
        unsafe { parse(env, &answer.0) }
    }
}

impl TypeName for ParsedText {
    fn type_name() -> &'static str {
        "object"
    }

    fn value_type() -> napi::ValueType {
        napi::ValueType::Object
    }
}

unsafe fn parse(env: sys::napi_env, text: &str) -> napi::Result<sys::napi_value> {
    let mut out = std::ptr::null_mut();
    // SAFETY: the caller vouches for the environment; every value below is the engine's own and of this call.
    unsafe {
        let mut global = std::ptr::null_mut();
        check(sys::napi_get_global(env, &mut global))?;
        let mut json = std::ptr::null_mut();
        check(sys::napi_get_named_property(env, global, c"JSON".as_ptr(), &mut json))?;
        let mut parse = std::ptr::null_mut();
        check(sys::napi_get_named_property(env, json, c"parse".as_ptr(), &mut parse))?;
        let argument = string(env, text)?;
        check(sys::napi_call_function(env, json, parse, 1, &argument, &mut out))?;
    }
    Ok(out)
}

/// # Safety
/// `env` is the environment of the running call.
pub(crate) unsafe fn string(env: sys::napi_env, text: &str) -> napi::Result<sys::napi_value> {
    let (start, len) = (text.as_ptr().cast(), text.len() as isize);
    let mut value = std::ptr::null_mut();
    // ASCII needs no decoding.
    let create = if text.is_ascii() {
        sys::napi_create_string_latin1
    } else {
        sys::napi_create_string_utf8
    };
    // SAFETY: pointer and length are those of a text that outlives the call.
    check(unsafe { create(env, start, len, &mut value) })?;
    Ok(value)
}

fn check(status: sys::napi_status) -> napi::Result<()> {
    if status == sys::Status::napi_ok {
        Ok(())
    } else {
        Err(napi::Error::new(status.into(), "the answer cannot be handed out"))
    }
}
