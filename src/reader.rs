//! Reading the fields of a JavaScript object with errors that name the field.
//!
//! The generated conversions answer a wrong type with a code of their own, turn a lone surrogate into U+FFFD and
//! NaN into 0. Here every one of these is `INVALID_INPUT` on the field.

use std::ffi::CStr;

use napi::bindgen_prelude::{Float32Array, FromNapiValue, JsValue, Object, Unknown, Utf16String};
use napi::{ValueType, sys};

use crate::error::{Result, internal, invalid};

/// The fields of one argument.
pub(crate) struct Fields<'a> {
    object: Option<Object<'a>>,
}

impl<'a> Fields<'a> {
    /// Takes an argument that must be an object.
    pub fn required(name: &str, value: &Unknown<'a>) -> Result<Self> {
        let fields = Fields::optional(name, value)?;
        if fields.object.is_none() {
            return Err(invalid(name, "an object is due"));
        }
        Ok(fields)
    }

    /// Takes an argument that may be absent.
    pub fn optional(name: &str, value: &Unknown<'a>) -> Result<Self> {
        let is_array = || value.is_array().map_err(internal);
        match value.get_type().map_err(internal)? {
            ValueType::Undefined => Ok(Fields { object: None }),
            ValueType::Object if !is_array()? => {
                let raw = value.value();
                // SAFETY: the value was just seen to be an object.
                let object = unsafe { Object::from_napi_value(raw.env, raw.value) }.map_err(internal)?;
                Ok(Fields { object: Some(object) })
            }
            _ => Err(invalid(name, "an object is due")),
        }
    }

    /// Returns a field that may be absent; `null` counts as absent.
    fn value(&self, name: &CStr) -> Result<Option<Unknown<'a>>> {
        let Some(object) = &self.object else { return Ok(None) };
        let raw = object.value();
        let mut value = std::ptr::null_mut();
        // SAFETY: environment and object are those of the running call; the name ends with a NUL.
        let status = unsafe { sys::napi_get_named_property(raw.env, raw.value, name.as_ptr(), &mut value) };
        if status != sys::Status::napi_ok {
            return Err(invalid(&name.to_string_lossy(), "cannot be read"));
        }
        // SAFETY: the engine has just handed the value out.
        let value = unsafe { Unknown::from_napi_value(raw.env, value) }.map_err(internal)?;
        Ok(match value.get_type().map_err(internal)? {
            ValueType::Undefined | ValueType::Null => None,
            _ => Some(value),
        })
    }

    /// Returns a text.
    pub fn text(&self, name: &CStr) -> Result<Option<String>> {
        self.value(name)?
            .map(|value| text(&name.to_string_lossy(), &value))
            .transpose()
    }

    /// Returns a number; NaN and infinities are none.
    pub fn number(&self, name: &CStr) -> Result<Option<f64>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        let number = match value.get_type().map_err(internal)? {
            ValueType::Number => convert::<f64>(&value)?,
            _ => f64::NAN,
        };
        if number.is_finite() {
            Ok(Some(number))
        } else {
            Err(invalid(&name.to_string_lossy(), "a number is due"))
        }
    }

    /// Returns a list of numbers.
    pub fn numbers(&self, name: &CStr) -> Result<Option<Vec<f64>>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        let wrong = || invalid(&name.to_string_lossy(), "a list of numbers is due");
        if !value.is_array().map_err(internal)? {
            return Err(wrong());
        }
        let items = convert::<Vec<Unknown<'a>>>(&value)?;
        let number = |item: &Unknown<'a>| match item.get_type().map_err(internal)? {
            ValueType::Number => convert::<f64>(item),
            _ => Err(wrong()),
        };
        items.iter().map(number).collect::<Result<_>>().map(Some)
    }

    /// Returns a flag.
    pub fn flag(&self, name: &CStr) -> Result<Option<bool>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        match value.get_type().map_err(internal)? {
            ValueType::Boolean => convert::<bool>(&value).map(Some),
            _ => Err(invalid(&name.to_string_lossy(), "true or false is due")),
        }
    }

    /// Returns the numbers of a `Float32Array`.
    pub fn floats(&self, name: &CStr) -> Result<Option<Vec<f32>>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        let wrong = || invalid(&name.to_string_lossy(), "a Float32Array is due");
        if value.get_type().map_err(internal)? != ValueType::Object {
            return Err(wrong());
        }
        // Copied: the caller may change it while another thread reads.
        convert::<Float32Array>(&value)
            .map(|floats| Some(floats.to_vec()))
            .map_err(|_| wrong())
    }

    /// Returns a list of texts.
    pub fn texts(&self, name: &CStr) -> Result<Option<Vec<String>>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        texts(&name.to_string_lossy(), &value).map(Some)
    }
}

/// Takes an argument that must be a list of objects.
pub(crate) fn objects<'a>(name: &str, value: &Unknown<'a>) -> Result<Vec<Fields<'a>>> {
    if !value.is_array().map_err(internal)? {
        return Err(invalid(name, "a list of objects is due"));
    }
    let items = convert::<Vec<Unknown<'a>>>(value)?;
    let read = |(at, item)| Fields::required(&format!("{name}[{at}]"), item);
    items.iter().enumerate().map(read).collect()
}

/// Takes an argument that must be a list of texts.
pub(crate) fn texts(name: &str, value: &Unknown<'_>) -> Result<Vec<String>> {
    if !value.is_array().map_err(internal)? {
        return Err(invalid(name, "a list of texts is due"));
    }
    let items = convert::<Vec<Unknown<'_>>>(value)?;
    let read = |(at, item)| text(&format!("{name}[{at}]"), item);
    items.iter().enumerate().map(read).collect()
}

/// Takes an argument that must be a text.
pub(crate) fn text(name: &str, value: &Unknown<'_>) -> Result<String> {
    if value.get_type().map_err(internal)? != ValueType::String {
        return Err(invalid(name, "a text is due"));
    }
    let units = convert::<Utf16String>(value)?;
    String::from_utf16(&units).map_err(|_| invalid(name, "holds half of a surrogate pair"))
}

fn convert<T: FromNapiValue>(value: &Unknown<'_>) -> Result<T> {
    let raw = value.value();
    // SAFETY: the value is the engine's own and of the running call.
    unsafe { T::from_napi_value(raw.env, raw.value) }.map_err(internal)
}
