//! Building answers as the engine's own object literals, one function for each shape of answer: a fifth of the time that
//! writing a text and parsing it takes.
//!
//! A shape is how the names of an answer are nested; its leaves are the arguments of the function, as in
//! `(a0,a1)=>({"id":a0,"tiers":{"ok":a1}})`. A list is a leaf, and its members have shapes of their own. Names are those
//! of our types, never data: what has names of its own (maps) is left to `JSON.parse`. So is the first answer of a
//! shape, because making the function costs more than it spares a process that asks once.

use std::fmt;

use napi::sys;
use serde::ser::{self, Impossible, Serialize};

use crate::functions::{Functions, made, with_functions};
use crate::json::string;

/// An answer with more leaves is parsed.
const LEAVES_MAX: usize = 128;
/// Stands for a leaf in the text of a shape; no name has it.
const LEAF: u8 = b'$';

/// Makes the answer out of its parts; `None` when it has to be parsed.
///
/// # Safety
/// `env` is the environment of the running call.
pub(crate) unsafe fn build(env: sys::napi_env, answer: &impl Serialize) -> Option<sys::napi_value> {
    // SAFETY: the caller vouches for the environment.
    unsafe { with_functions(env, |functions| value_of(env, functions, answer).ok()) }
}

/// Whatever cannot be shaped is parsed.
#[derive(Debug)]
struct Unshaped;

impl fmt::Display for Unshaped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("has no shape")
    }
}

impl std::error::Error for Unshaped {}

impl ser::Error for Unshaped {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Unshaped
    }
}

type Shaped<T = ()> = Result<T, Unshaped>;

fn value_of<T: Serialize + ?Sized>(
    env: sys::napi_env,
    functions: &mut Functions,
    value: &T,
) -> Shaped<sys::napi_value> {
    let mut shaper = Shaper {
        env,
        functions,
        shape: Vec::with_capacity(256),
        leaves: Vec::with_capacity(32),
    };
    value.serialize(&mut shaper)?;
    shaper.finish()
}

struct Shaper<'a> {
    env: sys::napi_env,
    functions: &'a mut Functions,
    shape: Vec<u8>,
    leaves: Vec<sys::napi_value>,
}

impl Shaper<'_> {
    fn leaf(&mut self, value: sys::napi_value) -> Shaped {
        self.shape.push(LEAF);
        self.leaves.push(value);
        Ok(())
    }

    fn finish(self) -> Shaped<sys::napi_value> {
        let env = self.env;
        if let ([LEAF], [value]) = (&self.shape[..], &self.leaves[..]) {
            return Ok(*value);
        }
        if self.leaves.len() > LEAVES_MAX {
            return Err(Unshaped);
        }
        let maker = self
            .functions
            .get(env, &self.shape, || source_of(&self.shape, self.leaves.len()))
            .ok_or(Unshaped)?;
        let nothing = made!(napi_get_undefined(env)).ok_or(Unshaped)?;
        let (count, leaves) = (self.leaves.len(), self.leaves.as_ptr());
        made!(napi_call_function(env, nothing, maker, count, leaves)).ok_or(Unshaped)
    }
}

/// Writes the function of a shape.
fn source_of(shape: &[u8], leaves: usize) -> String {
    let names: Vec<String> = (0..leaves).map(|number| format!("a{number}")).collect();
    let mut source = format!("({})=>(", names.join(","));
    let mut names = names.iter();
    for byte in shape {
        match *byte {
            LEAF => source.push_str(names.next().map_or("", String::as_str)),
            other => source.push(char::from(other)),
        }
    }
    source.push(')');
    source
}

impl<'s> ser::Serializer for &'s mut Shaper<'_> {
    type Ok = ();
    type Error = Unshaped;
    type SerializeSeq = List<'s>;
    type SerializeTuple = Impossible<(), Unshaped>;
    type SerializeTupleStruct = Impossible<(), Unshaped>;
    type SerializeTupleVariant = Impossible<(), Unshaped>;
    type SerializeMap = Impossible<(), Unshaped>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Unshaped>;

    fn serialize_bool(self, value: bool) -> Shaped {
        self.leaf(made!(napi_get_boolean(self.env, value)).ok_or(Unshaped)?)
    }

    fn serialize_i8(self, value: i8) -> Shaped {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Shaped {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Shaped {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Shaped {
        self.serialize_f64(value as f64)
    }

    fn serialize_u8(self, value: u8) -> Shaped {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Shaped {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Shaped {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Shaped {
        self.serialize_f64(value as f64)
    }

    fn serialize_f32(self, value: f32) -> Shaped {
        // The shortest digits that say it, as a text has them.
        self.serialize_f64(value.to_string().parse().map_err(|_| Unshaped)?)
    }

    fn serialize_f64(self, value: f64) -> Shaped {
        if value.is_finite() {
            self.leaf(made!(napi_create_double(self.env, value)).ok_or(Unshaped)?)
        } else {
            self.serialize_unit()
        }
    }

    fn serialize_char(self, value: char) -> Shaped {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Shaped {
        // SAFETY: the environment is that of the running call.
        let value = unsafe { string(self.env, value) }.map_err(|_| Unshaped)?;
        self.leaf(value)
    }

    fn serialize_bytes(self, _: &[u8]) -> Shaped {
        Err(Unshaped)
    }

    fn serialize_none(self) -> Shaped {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Shaped {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Shaped {
        self.leaf(made!(napi_get_null(self.env)).ok_or(Unshaped)?)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Shaped {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Shaped {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Shaped {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Shaped {
        Err(Unshaped)
    }

    fn serialize_seq(self, _: Option<usize>) -> Shaped<List<'s>> {
        let array = made!(napi_create_array(self.env)).ok_or(Unshaped)?;
        // The list is a leaf already: a pointer to it is all that is passed on.
        self.leaf(array)?;
        Ok(List {
            env: self.env,
            functions: self.functions,
            array,
            len: 0,
        })
    }

    fn serialize_tuple(self, _: usize) -> Shaped<Self::SerializeTuple> {
        Err(Unshaped)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Shaped<Self::SerializeTupleStruct> {
        Err(Unshaped)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Shaped<Self::SerializeTupleVariant> {
        Err(Unshaped)
    }

    fn serialize_map(self, _: Option<usize>) -> Shaped<Self::SerializeMap> {
        Err(Unshaped)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Shaped<Self> {
        self.shape.push(b'{');
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Shaped<Self::SerializeStructVariant> {
        Err(Unshaped)
    }
}

impl ser::SerializeStruct for &mut Shaper<'_> {
    type Ok = ();
    type Error = Unshaped;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Shaped {
        self.shape.push(b'"');
        self.shape.extend_from_slice(name.as_bytes());
        self.shape.extend_from_slice(b"\":");
        value.serialize(&mut **self)?;
        self.shape.push(b',');
        Ok(())
    }

    fn end(self) -> Shaped {
        self.shape.push(b'}');
        Ok(())
    }
}

/// A list that is being filled.
struct List<'s> {
    env: sys::napi_env,
    functions: &'s mut Functions,
    array: sys::napi_value,
    len: u32,
}

impl ser::SerializeSeq for List<'_> {
    type Ok = ();
    type Error = Unshaped;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Shaped {
        let value = value_of(self.env, self.functions, value)?;
        // SAFETY: the environment and both values are those of the running call.
        let status = unsafe { sys::napi_set_element(self.env, self.array, self.len, value) };
        self.len += 1;
        (status == sys::Status::napi_ok).then_some(()).ok_or(Unshaped)
    }

    fn end(self) -> Shaped {
        Ok(())
    }
}
