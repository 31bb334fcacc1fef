//! The facts of a file: its chunks, references, imports and declared types.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::kind::Kind;

/// Changes with everything that decides which facts a file has. Files are then parsed again.
pub const FACTS_VERSION: u32 = 2;

/// The facts of one file.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts<'a> {
    /// The package or namespace the file says it belongs to; of a manifest the name it gives.
    #[serde(borrow)]
    pub package: Cow<'a, str>,
    /// The file itself, then its definitions in the order of their first byte.
    #[serde(borrow)]
    pub chunks: Vec<ChunkFacts<'a>>,
    /// Calls and other references, ordered by their first byte.
    #[serde(borrow)]
    pub references: Vec<Reference<'a>>,
    /// Names that come from elsewhere.
    #[serde(borrow)]
    pub imports: Vec<Import<'a>>,
    /// Which types names have.
    #[serde(borrow)]
    pub types: Vec<TypeOf<'a>>,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkFacts<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its name; empty for a file.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The type a method belongs to; empty when there is none.
    #[serde(borrow)]
    pub owner: Cow<'a, str>,
    /// The chunk around it; 0 for a file and what stands at its top.
    pub parent: u32,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// The first line, from 1.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// Tells apart what has the same path, kind and names.
    pub ordinal: u32,
    /// Whether it is the default export of its module.
    pub is_default: bool,
    /// SHA-256 of its bytes.
    pub hash: [u8; 32],
    /// Its first line or lines, up to its body.
    #[serde(borrow)]
    pub signature: Cow<'a, str>,
    /// The comment above it.
    #[serde(borrow)]
    pub doc: Cow<'a, str>,
    /// Its base types.
    #[serde(borrow)]
    pub bases: Vec<Cow<'a, str>>,
    /// Names of parameters and variables.
    #[serde(borrow)]
    pub locals: Vec<Cow<'a, str>>,
    /// How many words its own text has.
    pub words: u32,
    /// The terms of its text, five bytes each: hash, weight.
    #[serde(borrow, serialize_with = "whole_bytes")]
    pub terms: Cow<'a, [u8]>,
}

fn whole_bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// What a reference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ReferenceKind {
    /// A call.
    Call,
    /// A constructor call.
    New,
    /// A base type.
    Extends,
    /// A mention: a function as an argument, a table in a query.
    Reference,
    /// A bare name, which is a call only when a method in scope has it.
    Maybe,
    /// A macro is used.
    Macro,
}

impl ReferenceKind {
    /// Returns the name as files and answers have it.
    pub fn name(self) -> &'static str {
        match self {
            ReferenceKind::Call | ReferenceKind::Maybe | ReferenceKind::Macro => "call",
            ReferenceKind::New => "new",
            ReferenceKind::Extends => "extends",
            ReferenceKind::Reference => "reference",
        }
    }
}

/// A name that is used. The same name with the same receiver in the same chunk is one reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference<'a> {
    /// The chunk it stands in.
    pub chunk: u32,
    /// What it is.
    pub kind: ReferenceKind,
    /// The name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The receiver or path before the name; empty when there is none.
    #[serde(borrow)]
    pub receiver: Cow<'a, str>,
    /// The first byte of the first one.
    pub start: u32,
    /// The byte behind the first one.
    pub end: u32,
    /// The line of the first one.
    pub line: u32,
    /// How many there are.
    pub count: u32,
}

/// A name that comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import<'a> {
    /// The name in this file; empty for all names of a module.
    #[serde(borrow)]
    pub local: Cow<'a, str>,
    /// The name in the module: `*` for the module itself, `default` for its default export.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The module, as it is written; empty for this file.
    #[serde(borrow)]
    pub module: Cow<'a, str>,
    /// Whether it is re-exported.
    pub is_exported: bool,
}

/// The declared type of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeOf<'a> {
    /// The chunk in which it has; for a field, the type it belongs to.
    pub chunk: u32,
    /// The name; a field's begins with a dot.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The type, without its arguments.
    #[serde(borrow)]
    pub of: Cow<'a, str>,
}
