//! Rust.

use std::borrow::Cow;

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, children, text};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let is_exported = children(node).iter().any(|child| child.kind() == "visibility_modifier");
    match node.kind() {
        "mod_item" => {
            let Some(name) = node.child_by_field_name("name") else {
                return;
            };
            let name = text(name, source);
            let module = format!("self::{name}");
            found.push(Import::of(name, "*", module).exported());
        }
        "use_declaration" => {
            if let Some(argument) = node.child_by_field_name("argument") {
                uses(argument, source, is_exported, found);
            }
        }
        _ => {}
    }
}

/// Walks a tree of `use` with an explicit stack, because generated code may be nested ten thousand levels deep.
fn uses<'a>(root: Node<'_>, source: &'a [u8], is_exported: bool, found: &mut Imports<'a>) {
    let mut stack = vec![(root, String::new())];
    let joined = |prefix: &str, part: &str| {
        if prefix.is_empty() {
            part.to_owned()
        } else {
            format!("{prefix}::{part}")
        }
    };
    while let Some((node, prefix)) = stack.pop() {
        // No path of a real program is nested this deep.
        if prefix.len() > 1000 {
            continue;
        }
        let mut push = |path: String, local: Option<Cow<'a, str>>| {
            let (module, name) = match path.rsplit_once("::") {
                Some((module, name)) => (module.to_owned(), name.to_owned()),
                None => (String::new(), path),
            };
            // `use a::b::{self}` means `use a::b`.
            let (module, name) = if name == "self" {
                match module.rsplit_once("::") {
                    Some((m, n)) => (m.to_owned(), n.to_owned()),
                    None => (String::new(), module),
                }
            } else {
                (module, name)
            };
            found.push(
                Import::of(local.unwrap_or_else(|| Cow::Owned(name.clone())), name, module).exported_if(is_exported),
            );
        };
        match node.kind() {
            "use_list" => stack.extend(children(node).into_iter().map(|child| (child, prefix.clone()))),
            "scoped_use_list" => {
                let path = node
                    .child_by_field_name("path")
                    .map(|path| text(path, source))
                    .unwrap_or_default();
                if let Some(list) = node.child_by_field_name("list") {
                    stack.push((list, joined(&prefix, &path)));
                }
            }
            "use_as_clause" => {
                if let (Some(path), Some(alias)) = (node.child_by_field_name("path"), node.child_by_field_name("alias"))
                {
                    push(joined(&prefix, &text(path, source)), Some(text(alias, source)));
                }
            }
            "use_wildcard" => {
                let path = node.named_child(0).map(|path| text(path, source)).unwrap_or_default();
                found.push(Import::all(joined(&prefix, &path)).exported_if(is_exported));
            }
            _ => push(joined(&prefix, &text(node, source)), None),
        }
    }
}
