//! The facts of a file: its chunks, references, imports and declared types.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::kind::Kind;

/// The version of the extraction. It changes when the facts of a file would change, and all files are then parsed again.
pub const FACTS_VERSION: u32 = 2;
/// The version of facts as they are stored, without secrets; it grows with the version above.
pub const STORED_VERSION: u32 = 4;
const _: () = assert!(STORED_VERSION > FACTS_VERSION);

/// The facts of one file.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts<'a> {
    /// The package or namespace that the file declares; for a manifest, the name that it declares.
    #[serde(borrow)]
    pub package: Cow<'a, str>,
    /// The file itself, then its definitions ordered by offset.
    #[serde(borrow)]
    pub chunks: Vec<ChunkFacts<'a>>,
    /// Calls and other references, ordered by offset.
    #[serde(borrow)]
    pub references: Vec<Reference<'a>>,
    /// Imported names.
    #[serde(borrow)]
    pub imports: Vec<Import<'a>>,
    /// Declared types of names.
    #[serde(borrow)]
    pub types: Vec<TypeOf<'a>>,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkFacts<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its name; empty for a file.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The type a method belongs to; empty when there is none.
    #[serde(borrow)]
    pub owner: Cow<'a, str>,
    /// The enclosing chunk; 0 for the file and for top-level definitions.
    pub parent: u32,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
    /// The first line, from 1.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// Distinguishes chunks with the same path, kind, owner and name.
    pub ordinal: u32,
    /// True if it is the default export of its module.
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
    /// The number of words in its own text.
    pub words: u32,
    /// The terms of its text, five bytes each: hash, weight.
    #[serde(borrow, serialize_with = "whole_bytes")]
    pub terms: Cow<'a, [u8]>,
}

impl ChunkFacts<'_> {
    /// A chunk of which nothing is known.
    pub const EMPTY: ChunkFacts<'static> = ChunkFacts {
        kind: Kind::File,
        name: Cow::Borrowed(""),
        owner: Cow::Borrowed(""),
        parent: 0,
        start: 0,
        end: 0,
        start_line: 0,
        end_line: 0,
        ordinal: 0,
        is_default: false,
        hash: [0; 32],
        signature: Cow::Borrowed(""),
        doc: Cow::Borrowed(""),
        bases: Vec::new(),
        locals: Vec::new(),
        words: 0,
        terms: Cow::Borrowed(&[]),
    };
}

/// Serializes bytes as one block; by default, serde writes a slice element by element.
pub(super) fn whole_bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// The kind of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ReferenceKind {
    /// A call.
    Call,
    /// A constructor call.
    New,
    /// A base type.
    Extends,
    /// A mention without a call: a function as an argument, a table in a query.
    Reference,
    /// A bare name, which is a call only if a method with this name is in scope.
    Maybe,
    /// The use of a macro.
    Macro,
}

impl ReferenceKind {
    /// Returns the name that files and answers contain.
    pub fn name(self) -> &'static str {
        match self {
            ReferenceKind::Call | ReferenceKind::Maybe | ReferenceKind::Macro => "call",
            ReferenceKind::New => "new",
            ReferenceKind::Extends => "extends",
            ReferenceKind::Reference => "reference",
        }
    }
}

/// A used name. References with the same name and receiver in the same chunk are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference<'a> {
    /// The chunk that contains it.
    pub chunk: u32,
    /// Its kind.
    pub kind: ReferenceKind,
    /// The name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The receiver or path before the name; empty when there is none.
    #[serde(borrow)]
    pub receiver: Cow<'a, str>,
    /// The offset of the first occurrence.
    pub start: u32,
    /// The offset after the first occurrence.
    pub end: u32,
    /// The line of the first one.
    pub line: u32,
    /// How often it occurs.
    pub count: u32,
}

/// An imported name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import<'a> {
    /// The name in this file; empty for all names of a module.
    #[serde(borrow)]
    pub local: Cow<'a, str>,
    /// The name in the module: `*` for the module itself, `default` for its default export.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The module as written; empty for this file.
    #[serde(borrow)]
    pub module: Cow<'a, str>,
    /// True if it is re-exported.
    pub is_exported: bool,
}

impl<'a> Import<'a> {
    /// A name of a module, under a name in this file.
    pub fn of(local: impl Into<Cow<'a, str>>, name: impl Into<Cow<'a, str>>, module: impl Into<Cow<'a, str>>) -> Self {
        Import {
            local: local.into(),
            name: name.into(),
            module: module.into(),
            is_exported: false,
        }
    }

    /// All names of a module.
    pub fn all(module: impl Into<Cow<'a, str>>) -> Self {
        Import::of("", "*", module)
    }

    /// The same, re-exported if this is true.
    #[must_use]
    pub fn exported_if(self, is_exported: bool) -> Self {
        Import { is_exported, ..self }
    }

    /// The same, re-exported.
    #[must_use]
    pub fn exported(self) -> Self {
        self.exported_if(true)
    }
}

/// The declared type of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeOf<'a> {
    /// The chunk in which it is declared; for a field, its type.
    pub chunk: u32,
    /// The name; that of a field begins with a dot.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The type, without its arguments.
    #[serde(borrow)]
    pub of: Cow<'a, str>,
}
