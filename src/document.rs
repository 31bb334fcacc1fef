//! Arguments of any shape as JSON, limited in depth, number of values and length.

use forge_memory_core::Error;
use napi::ValueType;
use napi::bindgen_prelude::{FromNapiValue, JsValue, Object, Unknown};
use serde_json::{Map, Number, Value};

use crate::error::Result;
use crate::input::refused;
use crate::value::internal;
use crate::value::{SizeBudget, convert, items, made, text, unreadable};

/// The maximum depth, as for JSON that is read from a file.
const DEPTH_MAX: usize = 128;
/// The cost of a value besides its text, which limits the number of values.
const VALUE_UNITS: usize = 32;

/// Reads an argument of any shape.
pub(crate) fn document(name: &str, value: &Unknown<'_>) -> Result<Value> {
    read(&SizeBudget::default(), name, value, DEPTH_MAX).map_err(|error| refused(value, &error))
}

/// Reads an optional argument of any shape.
pub(crate) fn optional_document(name: &str, value: &Unknown<'_>) -> Result<Option<Value>> {
    match value.get_type()? {
        ValueType::Undefined => Ok(None),
        _ => document(name, value).map(Some),
    }
}

fn read(budget: &SizeBudget, name: &str, value: &Unknown<'_>, depth: usize) -> forge_memory_core::Result<Value> {
    budget.take(name, VALUE_UNITS)?;
    match value.get_type().map_err(internal)? {
        ValueType::Null => Ok(Value::Null),
        ValueType::Boolean => convert::<bool>(value).map(Value::Bool),
        ValueType::Number => convert::<Number>(value)
            .map(Value::Number)
            .map_err(|_| Error::invalid(name, "contains a number that JSON cannot represent")),
        ValueType::String => text(budget, name, value).map(Value::String),
        ValueType::Object => {
            let depth = depth
                .checked_sub(1)
                .ok_or_else(|| Error::invalid(name, "is nested too deeply"))?;
            if value.is_array().map_err(internal)? {
                read_list(budget, name, value, depth)
            } else {
                read_object(budget, name, value, depth)
            }
        }
        _ => Err(Error::invalid(name, "contains a value that JSON cannot represent")),
    }
}

fn read_list(budget: &SizeBudget, name: &str, value: &Unknown<'_>, depth: usize) -> forge_memory_core::Result<Value> {
    let read = |item: forge_memory_core::Result<Unknown<'_>>| read(budget, name, &item?, depth);
    items(name, value)?
        .map(read)
        .collect::<forge_memory_core::Result<_>>()
        .map(Value::Array)
}

fn read_object(budget: &SizeBudget, name: &str, value: &Unknown<'_>, depth: usize) -> forge_memory_core::Result<Value> {
    let raw = value.value();
    // Each number in it is a property to the engine, which would list all their names.
    if value.is_typedarray().map_err(internal)? || value.is_buffer().map_err(internal)? {
        return Err(Error::invalid(name, "contains a value that JSON cannot represent"));
    }
    let names = made!(napi_get_property_names(raw.env, raw.value)).ok_or_else(|| unreadable(value, name))?;
    // SAFETY: the engine has just returned the value.
    let names = unsafe { Unknown::from_napi_value(raw.env, names) }.map_err(internal)?;
    // SAFETY: the value is an object of the running call, as checked above.
    let object = unsafe { Object::from_napi_value(raw.env, raw.value) }.map_err(internal)?;
    let mut members = Map::new();
    for key in items(name, &names)? {
        let key = key?;
        let member = made!(napi_get_property(raw.env, object.value().value, key.value().value))
            .ok_or_else(|| unreadable(value, name))?;
        // SAFETY: the engine has just returned the value.
        let member = unsafe { Unknown::from_napi_value(raw.env, member) }.map_err(internal)?;
        if member.get_type().map_err(internal)? != ValueType::Undefined {
            members.insert(text(budget, name, &key)?, read(budget, name, &member, depth)?);
        }
    }
    Ok(Value::Object(members))
}
