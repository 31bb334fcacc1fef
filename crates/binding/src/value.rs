//! Reads JavaScript values: strings, arrays and properties, each with a limit that is checked before memory is allocated.

use std::cell::Cell;
use std::ffi::CStr;

use forge_memory_core::{Error, Result};
use napi::bindgen_prelude::{Float32Array, FromNapiValue, JsValue, Unknown, Utf16String};
use napi::{ValueType, sys};

/// The length up to which one call reads a string; longer ones are measured first.
const TEXT_USUAL: usize = 1024;
/// The maximum length of a string in UTF-16 units; no line that we write is longer.
const TEXT_UNITS_MAX: usize = 32 << 20;
/// The maximum total size of all texts and numbers of one argument: a list can contain one long text many times.
const ARGUMENT_UNITS_MAX: usize = 2 * TEXT_UNITS_MAX;
/// The maximum length of an array. A sparse array may claim any length.
const ITEMS_MAX: u32 = 1 << 20;
/// The maximum length of an array of 32-bit floats; no model has more dimensions.
const FLOATS_MAX: usize = 1 << 16;

/// Calls a Node-API function that returns its result through its last argument; `None` when it fails. The other arguments are values and
/// names of the running call.
#[macro_export]
macro_rules! made {
    ($function:ident($($argument:expr),*)) => {{
        let mut out = std::ptr::null_mut();
        #[expect(clippy::macro_metavars_in_unsafe, reason = "arguments are paths, calls and literals")]
        // SAFETY: the environment and the returned values belong to the running call.
        let status = unsafe { napi::sys::$function($($argument,)* &mut out) };
        (status == napi::sys::Status::napi_ok).then_some(out)
    }};
}
pub use made;

/// Wraps a failure of the JavaScript engine, about which callers can do nothing.
pub fn internal(error: napi::Error) -> Error {
    Error::internal("read or hand out a value")(error.reason.clone())
}

/// The remaining size limit of an argument. Lengths are checked before memory is allocated, because a failed allocation
/// ends the process.
pub struct SizeBudget(Cell<usize>);

impl Default for SizeBudget {
    /// The limit of one argument.
    fn default() -> Self {
        SizeBudget(Cell::new(ARGUMENT_UNITS_MAX))
    }
}

impl SizeBudget {
    /// Subtracts from the limit.
    pub fn take(&self, name: &str, units: usize) -> Result<()> {
        let left = self.0.get().checked_sub(units);
        self.0.set(left.ok_or_else(|| Error::invalid(name, "is too large"))?);
        Ok(())
    }
}

/// Returns a property; `None` when it is undefined or null.
pub fn property<'a>(object: &Unknown<'a>, name: &CStr) -> Result<Option<Unknown<'a>>> {
    let raw = object.value();
    let found = made!(napi_get_named_property(raw.env, raw.value, name.as_ptr()));
    let value = found.ok_or_else(|| unreadable(object, &name.to_string_lossy()))?;
    // SAFETY: the engine has just returned the value.
    let value = unsafe { Unknown::from_raw_unchecked(raw.env, value) };
    Ok(match value.get_type().map_err(internal)? {
        ValueType::Undefined | ValueType::Null => None,
        _ => Some(value),
    })
}

/// Iterates over the items of an array, if it is not too long.
pub fn items<'a>(name: &str, list: &Unknown<'a>) -> Result<impl Iterator<Item = Result<Unknown<'a>>> + use<'a>> {
    if !list.is_array().map_err(internal)? {
        return Err(Error::invalid(name, "expected a list"));
    }
    let raw = list.value();
    let mut len = 0_u32;
    // SAFETY: the value is an array of the running call, as checked above.
    let status = unsafe { sys::napi_get_array_length(raw.env, raw.value, &mut len) };
    if status != sys::Status::napi_ok {
        return Err(unreadable(list, name));
    }
    if len > ITEMS_MAX {
        let reason = format!("has {len} items; at most {ITEMS_MAX} are allowed");
        return Err(Error::invalid(name, reason));
    }
    let (list, name) = (*list, name.to_owned());
    let item = move |at| {
        let item = made!(napi_get_element(raw.env, raw.value, at)).ok_or_else(|| unreadable(&list, &name))?;
        // SAFETY: the engine has just returned the value.
        Ok(unsafe { Unknown::from_raw_unchecked(raw.env, item) })
    };
    Ok((0..len).map(item))
}

/// The error of a getter that throws. The exception itself is not passed on.
pub fn unreadable(value: &Unknown<'_>, name: &str) -> Error {
    made!(napi_get_and_clear_last_exception(value.value().env));
    Error::invalid(name, "cannot be read")
}

/// Reads a string.
pub fn text(budget: &SizeBudget, name: &str, value: &Unknown<'_>) -> Result<String> {
    let raw = value.value();
    let (mut buffer, mut len) = ([0_u8; TEXT_USUAL], 0);
    let start = buffer.as_mut_ptr().cast();
    // SAFETY: the value belongs to the running call; the given length is that of the buffer.
    let status = unsafe { sys::napi_get_value_string_utf8(raw.env, raw.value, start, TEXT_USUAL, &mut len) };
    if status != sys::Status::napi_ok {
        return Err(Error::invalid(name, "expected a string"));
    }
    // A truncated string ends before the character that does not fit. A lone surrogate was replaced.
    let is_whole = len + char::MAX.len_utf8() < TEXT_USUAL;
    let read = buffer
        .get(..len)
        .filter(|_| is_whole)
        .and_then(|read| std::str::from_utf8(read).ok());
    match read.filter(|text| !text.contains(char::REPLACEMENT_CHARACTER)) {
        Some(text) => {
            budget.take(name, text.len())?;
            Ok(text.to_owned())
        }
        None => {
            budget.take(name, units_of(name, value)?)?;
            let units = convert::<Utf16String>(value)?;
            String::from_utf16(&units).map_err(|_| Error::invalid(name, "contains an unpaired surrogate"))
        }
    }
}

/// Returns the length of a string, unless it is too long. The engine knows it without reading the string.
fn units_of(name: &str, value: &Unknown<'_>) -> Result<usize> {
    let (raw, mut units) = (value.value(), 0);
    // SAFETY: the value is a string of the running call, as checked above; without a buffer only the length is returned.
    let status = unsafe { sys::napi_get_value_string_utf16(raw.env, raw.value, std::ptr::null_mut(), 0, &mut units) };
    if status != sys::Status::napi_ok {
        return Err(Error::invalid(name, "expected a string"));
    }
    if units > TEXT_UNITS_MAX {
        let reason = format!("has {units} characters; at most {TEXT_UNITS_MAX} are allowed");
        return Err(Error::invalid(name, reason));
    }
    Ok(units)
}

/// Reads the numbers of a `Float32Array`.
pub fn floats(budget: &SizeBudget, name: &str, value: &Unknown<'_>) -> Result<Vec<f32>> {
    let wrong = || Error::invalid(name, "expected a Float32Array");
    if value.get_type().map_err(internal)? != ValueType::Object {
        return Err(wrong());
    }
    let floats = convert::<Float32Array>(value).map_err(|_| wrong())?;
    if floats.len() > FLOATS_MAX {
        return Err(Error::invalid(name, format!("has more than {FLOATS_MAX} numbers")));
    }
    budget.take(name, 2 * floats.len())?;
    // Copied, because the caller may change the array while another thread reads it.
    Ok(floats.to_vec())
}

/// Converts a value whose type is known.
pub fn convert<T: FromNapiValue>(value: &Unknown<'_>) -> Result<T> {
    let raw = value.value();
    // SAFETY: the value belongs to the running call.
    unsafe { T::from_napi_value(raw.env, raw.value) }.map_err(internal)
}

/// Makes a string.
///
/// # Safety
/// `env` is the environment of the running call.
pub unsafe fn string(env: sys::napi_env, text: &str) -> napi::Result<sys::napi_value> {
    let (start, len) = (text.as_ptr().cast(), text.len() as isize);
    // ASCII needs no decoding.
    let value = if text.is_ascii() {
        made!(napi_create_string_latin1(env, start, len))
    } else {
        made!(napi_create_string_utf8(env, start, len))
    };
    value.ok_or_else(|| napi::Error::from_reason("a string could not be created"))
}
