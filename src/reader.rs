//! Reading the fields of a JavaScript object with errors that name the field.
//!
//! The generated conversions answer a wrong type with a code of their own, turn a lone surrogate into U+FFFD and
//! NaN into 0. Here every one of these is `INVALID_INPUT` on the field.

use std::cell::Cell;
use std::ffi::CStr;
use std::rc::Rc;

use napi::bindgen_prelude::{Float32Array, FromNapiValue, JsValue, Object, Unknown, Utf16String};
use napi::{ValueType, sys};

use crate::error::{Result, internal, invalid};
use crate::functions::{made, with_functions};

/// Longer texts take a second look at their length.
const TEXT_USUAL: usize = 1024;

/// The longest text that is taken, in units of UTF-16: longer than any line of any file of ours.
const TEXT_UNITS_MAX: usize = 32 << 20;
/// The most that all texts and numbers of one argument take together, likewise: one long text can stand in a list many times.
const ARGUMENT_UNITS_MAX: usize = 2 * TEXT_UNITS_MAX;
/// The longest list that is taken. A list may say that it is longer than any memory.
const ITEMS_MAX: u32 = 1 << 20;
/// The longest list of 32-bit numbers: no model has so many dimensions.
const FLOATS_MAX: usize = 1 << 16;

/// What a number takes.
const NUMBER_UNITS: usize = 4;

/// What the rest of one argument may take. Lengths are looked at before memory is taken: an allocation that fails ends the
/// process.
#[derive(Clone)]
pub(crate) struct Room(Rc<Cell<usize>>);

impl Room {
    pub fn new() -> Self {
        Room(Rc::new(Cell::new(ARGUMENT_UNITS_MAX)))
    }

    /// Takes so many units of it.
    pub fn take(&self, name: &str, units: usize) -> Result<()> {
        let left = self.0.get().checked_sub(units);
        self.0.set(left.ok_or_else(|| invalid(name, "is too large"))?);
        Ok(())
    }
}

/// The fields of one argument.
pub(crate) struct Fields<'a> {
    object: Option<Object<'a>>,
    read: Option<ReadFields>,
    room: Room,
}

/// Names that are read together, by a function of the engine.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    /// What the function is known by.
    pub purpose: &'static str,
    /// No more than [`NAMES_MAX`].
    pub names: &'static [&'static CStr],
}

/// The bits of the number that says which fields are there.
const NAMES_MAX: usize = 31;

/// What that function has read; nothing where a field is absent.
struct ReadFields {
    names: Names,
    values: [Option<sys::napi_value>; NAMES_MAX],
}

impl ReadFields {
    /// Reads all fields in one call; `None` where that cannot be done, or not yet.
    fn of(object: &Object<'_>, names: Names) -> Option<Self> {
        let (env, object) = (object.value().env, object.value().value);
        let source = || names.source();
        // SAFETY: the environment is that of the running call.
        let reader = unsafe { with_functions(env, |functions| functions.get(env, names.purpose.as_bytes(), source)) }?;
        let nothing = made!(napi_get_undefined(env))?;
        let Some(list) = made!(napi_call_function(env, nothing, reader, 1, &object)) else {
            // A field throws: whoever asks for it is to be told.
            made!(napi_get_and_clear_last_exception(env));
            return None;
        };
        let first = made!(napi_get_element(env, list, 0))?;
        let mut present = 0_u32;
        // SAFETY: the environment and the value are those of the running call.
        let status = unsafe { sys::napi_get_value_uint32(env, first, &mut present) };
        if status != sys::Status::napi_ok {
            return None;
        }
        let mut values = [None; NAMES_MAX];
        let those_present = values.iter_mut().enumerate().filter(|(bit, _)| present >> bit & 1 == 1);
        for (at, (_, value)) in (1..).zip(those_present) {
            *value = Some(made!(napi_get_element(env, list, at))?);
        }
        Some(ReadFields { names, values })
    }

    /// Returns a field, if this is one of the names.
    fn value(&self, name: &CStr) -> Option<Option<sys::napi_value>> {
        let at = self.names.names.iter().position(|known| *known == name)?;
        self.values.get(at).copied()
    }
}

impl Names {
    /// Writes the function: it answers a list of the bits of those that are there, and their values.
    fn source(self) -> String {
        let read = |(bit, name): (usize, &&CStr)| {
            let name = name.to_string_lossy();
            format!("v=o.{name};if(v!=null){{m|={};r.push(v)}}", 1_u32 << bit)
        };
        let reads: String = self.names.iter().take(NAMES_MAX).enumerate().map(read).collect();
        format!("(o)=>{{let m=0,r=[0],v;{reads}r[0]=m;return r}}")
    }
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

    /// Takes an argument that must be an object, and reads these fields of it in one go.
    pub fn required_at_once(name: &str, value: &Unknown<'a>, names: Names) -> Result<Self> {
        let mut fields = Fields::required(name, value)?;
        fields.read = fields.object.as_ref().and_then(|object| ReadFields::of(object, names));
        Ok(fields)
    }

    /// Takes an argument that may be absent.
    pub fn optional(name: &str, value: &Unknown<'a>) -> Result<Self> {
        // Lists have as many keys as elements, and fields nobody knows are looked for among all keys.
        let is_list = || -> Result<bool> {
            Ok(value.is_array().map_err(internal)?
                || value.is_typedarray().map_err(internal)?
                || value.is_buffer().map_err(internal)?)
        };
        match value.get_type().map_err(internal)? {
            ValueType::Undefined => Ok(Fields {
                object: None,
                read: None,
                room: Room::new(),
            }),
            ValueType::Object if !is_list()? => {
                let raw = value.value();
                // SAFETY: the value was just seen to be an object.
                let object = unsafe { Object::from_napi_value(raw.env, raw.value) }.map_err(internal)?;
                Ok(Fields {
                    object: Some(object),
                    read: None,
                    room: Room::new(),
                })
            }
            _ => Err(invalid(name, "an object is due")),
        }
    }

    /// Returns a field that may be absent; `null` counts as absent.
    fn value(&self, name: &CStr) -> Result<Option<Unknown<'a>>> {
        let Some(object) = &self.object else { return Ok(None) };
        let raw = object.value();
        if let Some(read) = self.read.as_ref().and_then(|read| read.value(name)) {
            // SAFETY: the value is the engine's own and of the running call.
            let known = |value| unsafe { Unknown::from_napi_value(raw.env, value) }.map_err(internal);
            return read.map(known).transpose();
        }
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
            .map(|value| text_within(&self.room, &name.to_string_lossy(), &value))
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
        let items = items(&name.to_string_lossy(), &value, "a list of numbers is due")?;
        let number =
            |item: Result<Unknown<'a>>| match item.and_then(|item| Ok((item, item.get_type().map_err(internal)?)))? {
                (item, ValueType::Number) => {
                    self.room.take(&name.to_string_lossy(), NUMBER_UNITS)?;
                    convert::<f64>(&item)
                }
                _ => Err(wrong()),
            };
        items.map(number).collect::<Result<_>>().map(Some)
    }

    /// Returns the object itself; nothing where the argument is absent.
    pub fn object(&self) -> Option<&Object<'a>> {
        self.object.as_ref()
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
        let floats = convert::<Float32Array>(&value).map_err(|_| wrong())?;
        if floats.len() > FLOATS_MAX {
            return Err(invalid(
                &name.to_string_lossy(),
                &format!("has more than {FLOATS_MAX} numbers"),
            ));
        }
        self.room.take(&name.to_string_lossy(), 2 * floats.len())?;
        // Copied: the caller may change it while another thread reads.
        Ok(Some(floats.to_vec()))
    }

    /// Returns a list of texts.
    pub fn texts(&self, name: &CStr) -> Result<Option<Vec<String>>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        texts_within(&self.room, &name.to_string_lossy(), &value).map(Some)
    }
}

/// Takes an argument that must be a list of objects.
pub(crate) fn objects<'a>(name: &str, value: &Unknown<'a>) -> Result<Vec<Fields<'a>>> {
    let room = Room::new();
    let read = |(at, item): (usize, Result<Unknown<'a>>)| {
        let fields = Fields::required(&format!("{name}[{at}]"), &item?)?;
        Ok(Fields {
            room: room.clone(),
            ..fields
        })
    };
    items(name, value, "a list of objects is due")?
        .enumerate()
        .map(read)
        .collect()
}

/// Takes an argument that must be a list of texts.
pub(crate) fn texts(name: &str, value: &Unknown<'_>) -> Result<Vec<String>> {
    texts_within(&Room::new(), name, value)
}

fn texts_within(room: &Room, name: &str, value: &Unknown<'_>) -> Result<Vec<String>> {
    let read = |(at, item): (usize, Result<Unknown<'_>>)| text_within(room, &format!("{name}[{at}]"), &item?);
    items(name, value, "a list of texts is due")?
        .enumerate()
        .map(read)
        .collect()
}

/// Takes the items of a list one by one, if there are not too many.
pub(crate) fn items<'a>(
    name: &str,
    value: &Unknown<'a>,
    due: &str,
) -> Result<impl Iterator<Item = Result<Unknown<'a>>> + use<'a>> {
    if !value.is_array().map_err(internal)? {
        return Err(invalid(name, due));
    }
    let raw = value.value();
    let too_many = |len| invalid(name, &format!("has {len} items, {ITEMS_MAX} are allowed"));
    let name = name.to_owned();
    let unreadable = move || {
        // What an item throws is not ours to hand on.
        made!(napi_get_and_clear_last_exception(raw.env));
        invalid(&name, "cannot be read")
    };
    let mut len = 0_u32;
    // SAFETY: the value was just seen to be a list of the running call.
    let status = unsafe { sys::napi_get_array_length(raw.env, raw.value, &mut len) };
    if status != sys::Status::napi_ok {
        return Err(unreadable());
    }
    if len > ITEMS_MAX {
        return Err(too_many(len));
    }
    let item = move |at| {
        let item = made!(napi_get_element(raw.env, raw.value, at)).ok_or_else(&unreadable)?;
        // SAFETY: the engine has just handed the value out.
        unsafe { Unknown::from_napi_value(raw.env, item) }.map_err(internal)
    };
    Ok((0..len).map(item))
}

/// Takes an argument that must be a text.
pub(crate) fn text(name: &str, value: &Unknown<'_>) -> Result<String> {
    text_within(&Room::new(), name, value)
}

/// Takes an argument that may be absent, or a text.
pub(crate) fn optional_text(name: &str, value: &Unknown<'_>) -> Result<Option<String>> {
    match value.get_type().map_err(internal)? {
        ValueType::Undefined | ValueType::Null => Ok(None),
        _ => text(name, value).map(Some),
    }
}

/// Takes a text that is a part of an argument.
pub(crate) fn text_within(room: &Room, name: &str, value: &Unknown<'_>) -> Result<String> {
    let raw = value.value();
    let (mut buffer, mut len) = ([0_u8; TEXT_USUAL], 0);
    let start = buffer.as_mut_ptr().cast();
    // SAFETY: the value is the engine's own and of the running call; the buffer is as long as it says.
    let status = unsafe { sys::napi_get_value_string_utf8(raw.env, raw.value, start, TEXT_USUAL, &mut len) };
    if status != sys::Status::napi_ok {
        return Err(invalid(name, "a text is due"));
    }
    // A text that is cut short ends before the character that finds no room. Half of a surrogate pair was replaced.
    let is_whole = len + char::MAX.len_utf8() < TEXT_USUAL;
    let read = buffer
        .get(..len)
        .filter(|_| is_whole)
        .and_then(|read| std::str::from_utf8(read).ok());
    match read.filter(|text| !text.contains(char::REPLACEMENT_CHARACTER)) {
        Some(text) => {
            room.take(name, text.len())?;
            Ok(text.to_owned())
        }
        None => {
            room.take(name, units_of(name, value)?)?;
            let units = convert::<Utf16String>(value)?;
            String::from_utf16(&units).map_err(|_| invalid(name, "holds half of a surrogate pair"))
        }
    }
}

/// Tells how long a text is, unless it is too long. The engine knows without reading it.
fn units_of(name: &str, value: &Unknown<'_>) -> Result<usize> {
    let (raw, mut units) = (value.value(), 0);
    // SAFETY: the value was just seen to be a text of the running call; without a buffer only its length is asked for.
    let status = unsafe { sys::napi_get_value_string_utf16(raw.env, raw.value, std::ptr::null_mut(), 0, &mut units) };
    if status != sys::Status::napi_ok {
        return Err(invalid(name, "a text is due"));
    }
    if units > TEXT_UNITS_MAX {
        return Err(invalid(
            name,
            &format!("has {units} characters, {TEXT_UNITS_MAX} are allowed"),
        ));
    }
    Ok(units)
}

pub(crate) fn convert<T: FromNapiValue>(value: &Unknown<'_>) -> Result<T> {
    let raw = value.value();
    // SAFETY: the value is the engine's own and of the running call.
    unsafe { T::from_napi_value(raw.env, raw.value) }.map_err(internal)
}
