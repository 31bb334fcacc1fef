//! The captures of the query in a file, before definitions are nested.

use std::borrow::Cow;

use forge_memory_lattice::facts::{Import, ReferenceKind};
use forge_memory_lattice::kind::Kind;
use tree_sitter::Node;

use super::names::{bare_type, normalized_receiver};

/// Definitions, references and imports by their offsets.
#[derive(Default)]
pub struct Found<'a> {
    pub definitions: Vec<Definition<'a>>,
    pub references: Vec<Mention<'a>>,
    pub imports: Vec<Import<'a>>,
    pub locals: Vec<(u32, Cow<'a, str>)>,
    pub types: Vec<TypeAt<'a>>,
    pub bases: Vec<(u32, Cow<'a, str>)>,
    pub bases_of: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub package: Cow<'a, str>,
}

/// A definition or a scope.
pub struct Definition<'a> {
    /// `None` for a scope.
    pub kind: Option<Kind>,
    pub name: Cow<'a, str>,
    pub owner: Cow<'a, str>,
    pub start: u32,
    pub end: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// The offset of the body; the end of the definition when it has none.
    pub body: u32,
    pub is_default: bool,
}

/// A reference.
pub struct Mention<'a> {
    pub kind: ReferenceKind,
    pub name: Cow<'a, str>,
    pub receiver: Cow<'a, str>,
    pub start: u32,
    pub end: u32,
    pub line: u32,
}

/// A name and its type.
pub struct TypeAt<'a> {
    pub at: u32,
    pub is_field: bool,
    pub name: Cow<'a, str>,
    pub of: Cow<'a, str>,
}

/// Adds a reference, unless it has no name.
pub(super) fn add_mention<'a>(
    kind: ReferenceKind,
    node: Node<'_>,
    name: Cow<'a, str>,
    receiver: Cow<'a, str>,
    found: &mut Found<'a>,
) {
    // `a::b::f` and `A\B\f`: the part before the last name is the receiver.
    let (name, receiver) = match name.rsplit_once(['\\', ':']) {
        Some((before, last)) if receiver.is_empty() && kind != ReferenceKind::Maybe => {
            let before = before.trim_end_matches(':').trim_start_matches('\\').to_owned();
            (Cow::Owned(last.to_owned()), Cow::Owned(before))
        }
        _ => (name, receiver),
    };
    let name = if kind == ReferenceKind::New {
        bare_type(name)
    } else {
        name
    };
    if name.is_empty() {
        return;
    }
    found.references.push(Mention {
        kind,
        name,
        receiver: normalized_receiver(receiver),
        start: offset(node.start_byte()),
        end: offset(node.end_byte()),
        line: offset(node.start_position().row + 1),
    });
}

/// Converts an offset to 32 bits; source files are small enough.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
