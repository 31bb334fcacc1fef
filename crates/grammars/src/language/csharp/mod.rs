//! C#.

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, children, text};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let parts = children(node);
    let Some(path) = parts.last().map(|path| text(*path, source)) else {
        return;
    };
    match node.child_by_field_name("name") {
        Some(alias) => {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
            found.push(Import::of(text(alias, source), name.to_owned(), module.to_owned()));
        }
        None => found.push(Import::all(path)),
    }
}
