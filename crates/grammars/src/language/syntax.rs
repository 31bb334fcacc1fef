//! The syntax that a language declares, and helpers for syntax nodes that several languages share.

use std::borrow::Cow;

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

/// The imports of a file.
pub type Imports<'a> = Vec<Import<'a>>;

/// The syntax of a language.
#[derive(Clone, Copy)]
pub struct Syntax {
    /// The grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// The query over its syntax trees.
    pub query: &'static str,
    /// Parses an import.
    pub import: for<'a> fn(Node<'_>, &'a [u8], &mut Imports<'a>),
}

pub(crate) fn no_imports<'a>(_: Node<'_>, _: &'a [u8], _: &mut Imports<'a>) {}

pub(crate) fn text<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    String::from_utf8_lossy(source.get(node.byte_range()).unwrap_or_default())
}

/// Returns the text of a string literal without its quotes.
pub(crate) fn unquoted<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    let bytes = source.get(node.byte_range()).unwrap_or_default();
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>');
    let from = bytes.iter().position(|b| !is_quote(b)).unwrap_or(bytes.len());
    let to = bytes.iter().rposition(|b| !is_quote(b)).map_or(from, |at| at + 1);
    String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default())
}

pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
