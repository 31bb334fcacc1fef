//! JavaScript and JSX, and the parts that TypeScript shares with them.

use std::borrow::Cow;

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, children, text, unquoted};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    query: concat!(include_str!("query.scm"), include_str!("only.scm")),
    import,
};

pub(super) fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    match node.kind() {
        "import_statement" => import_statement(node, source, found),
        "export_statement" => export_statement(node, source, found),
        "assignment_expression" => commonjs_export(node, source, found),
        // For `require` and `import()`, the called name is captured.
        _ => required(node, source, found),
    }
}

fn import_statement<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(module) = node.child_by_field_name("source").map(|from| unquoted(from, source)) else {
        return;
    };
    for clause in children(node)
        .into_iter()
        .filter(|child| child.kind() == "import_clause")
    {
        for part in children(clause) {
            match part.kind() {
                "identifier" => found.push(Import::of(text(part, source), "default", module.clone())),
                "namespace_import" => {
                    for name in children(part) {
                        found.push(Import::of(text(name, source), "*", module.clone()));
                    }
                }
                "named_imports" => {
                    for one in children(part) {
                        let Some(name) = one.child_by_field_name("name") else {
                            continue;
                        };
                        let local = one.child_by_field_name("alias").unwrap_or(name);
                        found.push(Import::of(text(local, source), unquoted(name, source), module.clone()));
                    }
                }
                _ => {}
            }
        }
    }
}

fn export_statement<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let module = node
        .child_by_field_name("source")
        .map_or(Cow::Borrowed(""), |from| unquoted(from, source));
    let mut is_all = !module.is_empty();
    for child in children(node) {
        match child.kind() {
            "export_clause" => {
                is_all = false;
                for one in children(child) {
                    let Some(name) = one.child_by_field_name("name") else {
                        continue;
                    };
                    let local = one.child_by_field_name("alias").unwrap_or(name);
                    found.push(Import::of(unquoted(local, source), unquoted(name, source), module.clone()).exported());
                }
            }
            "namespace_export" => {
                is_all = false;
                for name in children(child) {
                    found.push(Import::of(text(name, source), "*", module.clone()).exported());
                }
            }
            "identifier" => found.push(Import::of("default", text(child, source), "").exported()),
            _ => {
                let declared = (node.child_by_field_name("declaration") == Some(child)).then_some(child);
                if let Some(name) = declared.and_then(|declaration| declaration.child_by_field_name("name")) {
                    found.push(Import::of("default", text(name, source), "").exported());
                }
            }
        }
    }
    if is_all {
        found.push(Import::all(module.clone()).exported());
    }
}

/// `module.exports = name`, `module.exports = { a, b: c }`, `exports.a = name`, `module.exports = require(..)`.
fn commonjs_export<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let left = text(left, source);
    let export = |local: Cow<'a, str>, name: Cow<'a, str>| Import::of(local, name, "").exported();
    let is_module = left == "module.exports";
    let single = left
        .strip_prefix("exports.")
        .or_else(|| left.strip_prefix("module.exports."));
    match (right.kind(), is_module, single) {
        ("identifier", true, _) => found.push(export(Cow::Borrowed("default"), text(right, source))),
        ("identifier", _, Some(name)) => found.push(export(Cow::Owned(name.to_owned()), text(right, source))),
        ("call_expression", true, _) => {
            if let Some(module) = required_module(right, source) {
                found.push(Import::all(module.clone()).exported());
            }
        }
        ("object", true, _) => {
            for part in children(right) {
                match part.kind() {
                    "shorthand_property_identifier" => found.push(export(text(part, source), text(part, source))),
                    "pair" => {
                        let (Some(key), Some(value)) =
                            (part.child_by_field_name("key"), part.child_by_field_name("value"))
                        else {
                            continue;
                        };
                        if value.kind() == "identifier" {
                            found.push(export(unquoted(key, source), text(value, source)));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn required_module<'a>(call: Node<'_>, source: &'a [u8]) -> Option<Cow<'a, str>> {
    let function = call.child_by_field_name("function")?;
    if !matches!(&*text(function, source), "require" | "import") {
        return None;
    }
    let argument = call.child_by_field_name("arguments")?.named_child(0)?;
    (argument.kind() == "string").then(|| unquoted(argument, source))
}

/// The maximum number of parentheses, awaits and members around a `require`.
const WRAPPERS_MAX: usize = 16;

/// `const a = require('m')`, `const { a, b: c } = require('m')`, `const a = require('m').b`, and the same with
/// `await import('m')`.
fn required<'a>(callee: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(call) = callee.parent() else { return };
    let Some(module) = required_module(call, source) else {
        return;
    };
    let mut value = call;
    let mut name = Cow::Borrowed("*");
    let mut above = call.parent();
    for _ in 0..WRAPPERS_MAX {
        let Some(node) = above else { return };
        match node.kind() {
            "await_expression" | "parenthesized_expression" => value = node,
            "member_expression" if node.child_by_field_name("object") == Some(value) => {
                let Some(property) = node.child_by_field_name("property") else {
                    return;
                };
                name = text(property, source);
                value = node;
            }
            "variable_declarator" => return declared(node, source, module, name, found),
            _ => return,
        }
        above = node.parent();
    }
}

fn declared<'a>(node: Node<'_>, source: &'a [u8], module: Cow<'a, str>, name: Cow<'a, str>, found: &mut Imports<'a>) {
    let Some(pattern) = node.child_by_field_name("name") else {
        return;
    };
    let import = |local: Cow<'a, str>, name: Cow<'a, str>| Import::of(local, name, module.clone());
    match pattern.kind() {
        "identifier" => found.push(import(text(pattern, source), name)),
        "object_pattern" => {
            for part in children(pattern) {
                match part.kind() {
                    "shorthand_property_identifier_pattern" => {
                        found.push(import(text(part, source), text(part, source)));
                    }
                    "pair_pattern" => {
                        if let (Some(key), Some(value)) =
                            (part.child_by_field_name("key"), part.child_by_field_name("value"))
                        {
                            found.push(import(text(value, source), unquoted(key, source)));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
