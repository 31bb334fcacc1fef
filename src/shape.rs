//! Building answers as the engine's own object literals, one function for each shape of answer: a fifth of the time that
//! writing a text and parsing it takes.
//!
//! A shape is how the names of an answer are nested; its leaves are the arguments of the function, as in
//! `(a0,a1)=>({"id":a0,"tiers":{"ok":a1}})`. A list is a leaf, and its members have shapes of their own. Names are those
//! of our types, never data: what has names of its own (maps) is left to `JSON.parse`. So is the first answer of a
//! shape, because making the function costs more than it spares a process that asks once.

use std::cell::RefCell;
use std::ffi::c_void;
use std::fmt;
use std::ptr;

use napi::sys;
use rustc_hash::FxHashMap;
use serde::ser::{self, Impossible, Serialize};

use crate::json::string;

/// An answer with more leaves is parsed, and so is one of yet another shape.
const LEAVES_MAX: usize = 128;
const SHAPES_MAX: usize = 128;
/// Stands for a leaf in the text of a shape; no name has it.
const LEAF: u8 = b'$';

/// What is known of a shape in one environment.
enum Maker {
    /// It was asked for once.
    Met,
    /// The function that makes it.
    Made(sys::napi_ref),
}

type Shapes = FxHashMap<Vec<u8>, Maker>;

thread_local! {
    /// The shapes of each environment of this thread: usually one, several where programs load the addon into contexts.
    static ENVIRONMENTS: RefCell<FxHashMap<usize, Shapes>> = RefCell::default();
}

/// Makes the answer out of its parts; `None` when it has to be parsed.
///
/// # Safety
/// `env` is the environment of the running call.
pub(crate) unsafe fn build(env: sys::napi_env, answer: &impl Serialize) -> Option<sys::napi_value> {
    let build_in = |environments: &RefCell<FxHashMap<usize, Shapes>>| {
        let mut environments = environments.try_borrow_mut().ok()?;
        if !environments.contains_key(&(env as usize)) {
            // SAFETY: the environment is alive, and the hook takes nothing but its address.
            let status = unsafe { sys::napi_add_env_cleanup_hook(env, Some(forget_environment), env.cast()) };
            if status != sys::Status::napi_ok {
                // Another environment may get the same address later: better no shapes than those of this one.
                return None;
            }
        }
        value_of(env, environments.entry(env as usize).or_default(), answer).ok()
    };
    ENVIRONMENTS.try_with(build_in).ok().flatten()
}

/// The engine frees the functions itself; what must go is our knowledge of them.
unsafe extern "C" fn forget_environment(env: *mut c_void) {
    // A thread that ends has forgotten already.
    let _ = ENVIRONMENTS.try_with(|environments| {
        if let Ok(mut environments) = environments.try_borrow_mut() {
            environments.remove(&(env as usize));
        }
    });
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

fn value_of<T: Serialize + ?Sized>(env: sys::napi_env, shapes: &mut Shapes, value: &T) -> Shaped<sys::napi_value> {
    let mut shaper = Shaper {
        env,
        shapes,
        shape: Vec::with_capacity(256),
        leaves: Vec::with_capacity(32),
    };
    value.serialize(&mut shaper)?;
    shaper.finish()
}

struct Shaper<'a> {
    env: sys::napi_env,
    shapes: &'a mut Shapes,
    shape: Vec<u8>,
    leaves: Vec<sys::napi_value>,
}

/// Calls a function of the engine that answers through its last argument.
macro_rules! made {
    ($function:ident($($argument:expr),*)) => {{
        let mut out = ptr::null_mut();
        // SAFETY: the environment is that of the running call, and so are the values that it hands out.
        match unsafe { sys::$function($($argument,)* &mut out) } {
            sys::Status::napi_ok => Ok(out),
            _ => Err(Unshaped),
        }
    }};
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
        let maker = match self.shapes.get(&self.shape) {
            Some(Maker::Made(maker)) => *maker,
            Some(Maker::Met) => {
                let maker = make(env, &self.shape, self.leaves.len())?;
                self.shapes.insert(self.shape, Maker::Made(maker));
                maker
            }
            None => {
                if self.shapes.len() < SHAPES_MAX && self.leaves.len() <= LEAVES_MAX {
                    self.shapes.insert(self.shape, Maker::Met);
                }
                return Err(Unshaped);
            }
        };
        let maker = made!(napi_get_reference_value(env, maker))?;
        let nothing = made!(napi_get_undefined(env))?;
        made!(napi_call_function(
            env,
            nothing,
            maker,
            self.leaves.len(),
            self.leaves.as_ptr()
        ))
    }
}

/// Compiles the function of a shape.
fn make(env: sys::napi_env, shape: &[u8], leaves: usize) -> Shaped<sys::napi_ref> {
    let names: Vec<String> = (0..leaves).map(|number| format!("a{number}")).collect();
    let mut source = format!("({})=>(", names.join(","));
    let mut names = names.iter();
    for byte in shape {
        match *byte {
            LEAF => source.push_str(names.next().ok_or(Unshaped)?),
            other => source.push(char::from(other)),
        }
    }
    source.push(')');
    // SAFETY: the environment is that of the running call.
    let source = unsafe { string(env, &source) }.map_err(|_| Unshaped)?;
    let Ok(maker) = made!(napi_run_script(env, source)) else {
        // A program that forbids scripts gets its answers parsed.
        let _: Shaped<sys::napi_value> = made!(napi_get_and_clear_last_exception(env));
        return Err(Unshaped);
    };
    made!(napi_create_reference(env, maker, 1))
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
        self.leaf(made!(napi_get_boolean(self.env, value))?)
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
            self.leaf(made!(napi_create_double(self.env, value))?)
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
        self.leaf(made!(napi_get_null(self.env))?)
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
        let array = made!(napi_create_array(self.env))?;
        // The list is a leaf already: a pointer to it is all that is passed on.
        self.leaf(array)?;
        Ok(List {
            env: self.env,
            shapes: self.shapes,
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
    shapes: &'s mut Shapes,
    array: sys::napi_value,
    len: u32,
}

impl ser::SerializeSeq for List<'_> {
    type Ok = ();
    type Error = Unshaped;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Shaped {
        let value = value_of(self.env, self.shapes, value)?;
        // SAFETY: the environment and both values are those of the running call.
        let status = unsafe { sys::napi_set_element(self.env, self.array, self.len, value) };
        self.len += 1;
        (status == sys::Status::napi_ok).then_some(()).ok_or(Unshaped)
    }

    fn end(self) -> Shaped {
        Ok(())
    }
}
