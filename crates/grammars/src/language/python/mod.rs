//! Python.

use std::borrow::Cow;

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, children, text};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    if node.kind() == "import_statement" {
        for child in children(node) {
            plain_import(child, source, found);
        }
        return;
    }
    let Some(module) = node.child_by_field_name("module_name") else {
        return;
    };
    let module_text = text(module, source);
    for child in children(node).into_iter().filter(|child| *child != module) {
        let (local, name) = match child.kind() {
            "wildcard_import" => (Cow::Borrowed(""), Cow::Borrowed("*")),
            "aliased_import" => match (child.child_by_field_name("alias"), child.child_by_field_name("name")) {
                (Some(alias), Some(name)) => (text(alias, source), text(name, source)),
                _ => continue,
            },
            _ => (text(child, source), text(child, source)),
        };
        found.push(Import::of(local, name, module_text.clone()).exported());
    }
}

/// `import a.b` binds `a`, but it is used as `a.b.f()`.
fn plain_import<'a>(child: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let (local, module) = match (child.child_by_field_name("alias"), child.child_by_field_name("name")) {
        (Some(alias), Some(name)) => (text(alias, source), text(name, source)),
        _ => (text(child, source), text(child, source)),
    };
    found.push(Import::of(local, "*", module).exported());
}
