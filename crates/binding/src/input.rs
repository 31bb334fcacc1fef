//! Reads arguments. One Rust struct declares the arguments of a function: `index.d.ts` shows it, and serde reads it from
//! the JavaScript object, so that names, types and the refusal of unknown names have a single source.
//!
//! The conversions that napi generates report a wrong type with a code of their own, and convert a lone surrogate to U+FFFD
//! and NaN to 0. Here each of these is `INVALID_INPUT`, and the message names the field.

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;

use forge_memory_core::Error;
use napi::bindgen_prelude::{JsObjectValue, JsValue, Object, Unknown};
use napi::{Env, ValueType};
use serde::de::value::SeqDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::error::{Result, thrown};
use crate::value::{SizeBudget, convert, floats, internal, items, property, text, unreadable};

/// The cost of a number within the size limit of an argument.
const NUMBER_UNITS: usize = 4;
/// The option that names the project, and other names for it, in other tools and in other functions here.
const PROJECT: &str = "projectDir";
const OTHER_PROJECTS: [&str; 8] = [
    "cwd",
    "path",
    "targetPath",
    "project",
    "dir",
    "root",
    "projectRoot",
    "workspace",
];
/// The largest whole number that JavaScript counts to.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;
/// The maximum number of characters that a message shows of an unknown name.
const NAME_CHARS_MAX: usize = 64;

/// Reads an argument. Throws `INVALID_INPUT`.
pub fn read<T: DeserializeOwned>(name: &str, value: &Unknown<'_>) -> Result<T> {
    read_from(name, value, Some(value))
}

/// Options of one project: the folder that they name, and all others.
pub struct InProject<T> {
    /// The project's folder, if one is named.
    pub project_dir: Option<String>,
    /// The other options.
    pub options: T,
}

/// The type name by which [`InProject`] is requested from the deserializer, as its two parts.
const IN_PROJECT: &str = "InProject";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InProject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Parts<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = InProject<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> std::result::Result<Self::Value, A::Error> {
                let missing = || de::Error::custom("expected an object");
                Ok(InProject {
                    options: parts.next_element()?.ok_or_else(missing)?,
                    project_dir: parts.next_element()?.ok_or_else(missing)?,
                })
            }
        }
        deserializer.deserialize_tuple_struct(IN_PROJECT, 2, Parts(PhantomData))
    }
}

/// Reads an argument that is an object; when absent, an empty one. Throws `INVALID_INPUT`.
pub fn read_or_empty<T: DeserializeOwned>(name: &str, value: &Unknown<'_>) -> Result<T> {
    let is_absent = value.get_type()? == ValueType::Undefined;
    read_from(name, value, (!is_absent).then_some(value))
}

/// Makes the error of an invalid argument.
pub fn refused(value: &Unknown<'_>, error: &Error) -> napi::Error {
    thrown(&Env::from_raw(value.value().env), error)
}

fn read_from<T: DeserializeOwned>(name: &str, given: &Unknown<'_>, value: Option<&Unknown<'_>>) -> Result<T> {
    let source = Source {
        name: Name::Of(name),
        value: value.copied(),
        budget: &SizeBudget::default(),
        names_project: false,
    };
    T::deserialize(source).map_err(|refusal| refused(given, &refusal.about(name)))
}

/// The numbers of a `Float32Array`.
pub struct Floats(pub Vec<f32>);

/// The type name by which [`Floats`] is requested from the deserializer.
const FLOATS: &str = "Float32Array";

impl<'de> Deserialize<'de> for Floats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Floats;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a Float32Array")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> std::result::Result<Floats, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(list)).map(Floats)
            }
        }
        deserializer.deserialize_newtype_struct(FLOATS, Numbers)
    }
}

/// The reason why an argument is refused.
#[derive(Debug)]
struct Refusal(Error);

type Outcome<T> = std::result::Result<T, Refusal>;

impl Refusal {
    fn unknown(given: &str, known: &[&str]) -> Self {
        let shown: String = given.chars().take(NAME_CHARS_MAX).collect();
        Refusal(Error::invalid(shown, why_unknown(given, known)))
    }

    /// Returns the error; a message of serde is about `name`.
    fn about(self, name: &str) -> Error {
        match self.0 {
            Error::InvalidInput { field, reason } if field.is_empty() => Error::invalid(name, reason),
            error => error,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal(error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    /// A message of serde, which does not know the field.
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Refusal(Error::invalid("", reason.to_string()))
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Refusal(Error::invalid("", format!("expected {}", one_of(known))))
    }

    fn missing_field(field: &'static str) -> Self {
        Refusal(Error::invalid(field, "is required"))
    }

    fn unknown_field(given: &str, known: &'static [&'static str]) -> Self {
        Refusal::unknown(given, known)
    }
}

/// Lists names: `a, b or c`.
fn one_of(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        names => names.concat(),
    }
}

fn why_unknown(given: &str, known: &[&str]) -> String {
    let names_project = known.contains(&PROJECT);
    if names_project && OTHER_PROJECTS.contains(&given) {
        return "unknown option; projectDir names the folder of the project".to_owned();
    }
    let what = if names_project { "option" } else { "field" };
    format!("unknown {what}; expected one of {}", known.join(", "))
}

/// How errors refer to a value: a field or an argument by its name, an item by its list and index.
#[derive(Clone, Copy)]
enum Name<'s> {
    Of(&'s str),
    Item(&'s str, usize),
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Of(name) => f.write_str(name),
            Name::Item(list, at) => write!(f, "{list}[{at}]"),
        }
    }
}

/// A value that serde reads; `None` when the argument is absent.
#[derive(Clone, Copy)]
struct Source<'s, 'a> {
    name: Name<'s>,
    value: Option<Unknown<'a>>,
    budget: &'s SizeBudget,
    /// True if the object also names the project, beside the fields that are read.
    names_project: bool,
}

impl<'a> Source<'_, 'a> {
    fn wrong(&self, expected: &str) -> Refusal {
        Refusal(Error::invalid(self.name.to_string(), format!("expected {expected}")))
    }

    fn kind(&self) -> Outcome<ValueType> {
        Ok(match &self.value {
            Some(value) => value.get_type().map_err(internal)?,
            None => ValueType::Undefined,
        })
    }

    fn some(&self, expected: &str) -> Outcome<Unknown<'a>> {
        self.value.ok_or_else(|| self.wrong(expected))
    }

    fn text(&self) -> Outcome<String> {
        let value = self.some("a string")?;
        Ok(match self.name {
            Name::Of(name) => text(self.budget, name, &value)?,
            Name::Item(..) => text(self.budget, &self.name.to_string(), &value)?,
        })
    }

    /// Reads a number; NaN and infinities are refused.
    fn number(&self) -> Outcome<f64> {
        let wrong = || self.wrong("a number");
        if self.kind()? != ValueType::Number {
            return Err(wrong());
        }
        let number: f64 = convert(&self.some("a number")?)?;
        if let Name::Item(list, _) = self.name {
            self.budget.take(list, NUMBER_UNITS)?;
        }
        number.is_finite().then_some(number).ok_or_else(wrong)
    }

    fn flag(&self) -> Outcome<bool> {
        match self.kind()? {
            ValueType::Boolean => Ok(convert(&self.some("true or false")?)?),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// Reads an object with fields. An array is refused, because each of its elements would count as an unknown field.
    fn object(&self) -> Outcome<Option<Unknown<'a>>> {
        let Some(value) = self.value else { return Ok(None) };
        let is_list = |value: &Unknown<'_>| -> Outcome<bool> {
            Ok(value.is_array().map_err(internal)?
                || value.is_typedarray().map_err(internal)?
                || value.is_buffer().map_err(internal)?)
        };
        if self.kind()? != ValueType::Object || is_list(&value)? {
            return Err(self.wrong("an object"));
        }
        Ok(Some(value))
    }
}

impl<'de> Deserializer<'de> for Source<'_, '_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        match self.kind()? {
            ValueType::Boolean => self.deserialize_bool(visitor),
            ValueType::Number => self.deserialize_f64(visitor),
            ValueType::String => self.deserialize_str(visitor),
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        visitor.visit_bool(self.flag()?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let name = self.name;
        let number = self.number()?;
        if number.fract() != 0.0 || !(0.0..=WHOLE_MAX).contains(&number) {
            let reason = format!("{number} is not a whole number from 0 to {WHOLE_MAX}");
            return Err(Error::invalid(name.to_string(), reason).into());
        }
        visitor.visit_u64(number as u64)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        visitor.visit_enum(self.text()?.into_deserializer())
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        match self.kind()? {
            ValueType::Undefined | ValueType::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Outcome<V::Value> {
        if name != FLOATS {
            return visitor.visit_newtype_struct(self);
        }
        let value = self.some("a Float32Array")?;
        let numbers = floats(self.budget, &self.name.to_string(), &value)?;
        visitor.visit_seq(SeqDeserializer::<_, Refusal>::new(numbers.into_iter()))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let value = self.some("a list")?;
        let name = self.name.to_string();
        let sources = items(&name, &value)?.enumerate().map(|(at, item)| {
            Ok(Source {
                name: Name::Item(&name, at),
                value: Some(item?),
                ..self
            })
        });
        visitor.visit_seq(Items(sources))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let object = self.object()?;
        let mut unknown = match &object {
            Some(object) => unknown_names(object, fields)?,
            None => Vec::new(),
        };
        if self.names_project {
            unknown.retain(|name| name != PROJECT);
            if let Some(name) = unknown.first() {
                return Err(Refusal::unknown(name, &[&[PROJECT], fields].concat()));
            }
        }
        visitor.visit_map(Members {
            object,
            unknown: unknown.into_iter(),
            fields: fields.iter().enumerate(),
            found: None,
            budget: self.budget,
        })
    }

    /// Reads [`InProject`].
    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Outcome<V::Value> {
        let folder = match self.object()? {
            Some(object) => property(&object, c"projectDir")?,
            None => None,
        };
        let project = Source {
            name: Name::Of(PROJECT),
            value: folder,
            ..self
        };
        let options = Source {
            names_project: true,
            ..self
        };
        visitor.visit_seq(Items([options, project].into_iter().map(Ok)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct tuple map identifier ignored_any
    }
}

/// Returns the names of the object's fields that the struct does not have. A field without a value counts as absent.
fn unknown_names(given: &Unknown<'_>, known: &[&str]) -> Outcome<Vec<String>> {
    // SAFETY: the value is an object of the running call, as checked above.
    let object = unsafe { given.cast::<Object<'_>>() }.map_err(internal)?;
    let mut unknown = Vec::new();
    for name in Object::keys(&object).map_err(|_| unreadable(given, "the object"))? {
        if known.contains(&name.as_str()) {
            continue;
        }
        let value: Unknown<'_> = object.get_named_property(&name).map_err(|_| unreadable(given, &name))?;
        if value.get_type().map_err(internal)? != ValueType::Undefined {
            unknown.push(name);
        }
    }
    Ok(unknown)
}

/// The fields of an object: first those that the struct does not have, then its own in order.
struct Members<'s, 'a> {
    object: Option<Unknown<'a>>,
    unknown: std::vec::IntoIter<String>,
    fields: std::iter::Enumerate<std::slice::Iter<'static, &'static str>>,
    found: Option<(&'static str, Unknown<'a>)>,
    budget: &'s SizeBudget,
}

impl<'de> de::MapAccess<'de> for Members<'_, '_> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Outcome<Option<K::Value>> {
        // Where the struct denies unknown fields, serde refuses the first one here.
        if let Some(name) = self.unknown.next() {
            return seed.deserialize(name.into_deserializer()).map(Some);
        }
        let Some(object) = &self.object else { return Ok(None) };
        for (at, name) in self.fields.by_ref() {
            let terminated = CString::new(*name).map_err(|e| Error::internal("name a field")(e))?;
            // Null is as good as absent.
            if let Some(value) = property(object, &terminated)?.filter(|value| !is_null(value)) {
                self.found = Some((name, value));
                return seed.deserialize((at as u64).into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<S::Value> {
        let Some((name, value)) = self.found.take() else {
            return seed.deserialize(().into_deserializer());
        };
        let source = Source {
            name: Name::Of(name),
            value: Some(value),
            budget: self.budget,
            names_project: false,
        };
        seed.deserialize(source).map_err(|refusal| Refusal(refusal.about(name)))
    }
}

fn is_null(value: &Unknown<'_>) -> bool {
    value.get_type().is_ok_and(|kind| kind == ValueType::Null)
}

/// Values that are read one after the other.
struct Items<I>(I);

impl<'de, 's, 'a, I: Iterator<Item = Outcome<Source<'s, 'a>>>> de::SeqAccess<'de> for Items<I> {
    type Error = Refusal;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        self.0.next().map(|item| seed.deserialize(item?)).transpose()
    }
}
