//! Python.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Modules, children, text};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    family: Family::Own(3),
    modules: Modules::Dotted,
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: include_str!("query.scm"),
    own: &["self", "cls", "super()"],
    classes_are_called: true,
    comments: &["#"],
    names_are_imported: true,
    common_methods: &[
        "add",
        "all",
        "any",
        "append",
        "clear",
        "close",
        "copy",
        "count",
        "decode",
        "encode",
        "endswith",
        "exists",
        "extend",
        "filter",
        "find",
        "format",
        "get",
        "group",
        "index",
        "insert",
        "is_dir",
        "is_file",
        "items",
        "join",
        "keys",
        "lower",
        "lstrip",
        "match",
        "mkdir",
        "open",
        "pop",
        "popitem",
        "put",
        "read",
        "readline",
        "remove",
        "replace",
        "reshape",
        "rstrip",
        "run",
        "search",
        "seek",
        "send",
        "set",
        "setdefault",
        "sort",
        "split",
        "splitlines",
        "start",
        "startswith",
        "strip",
        "sub",
        "sum",
        "title",
        "update",
        "upper",
        "values",
        "write",
    ],
    globals: &[
        "bool",
        "bytearray",
        "bytes",
        "complex",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "memoryview",
        "object",
        "set",
        "str",
        "tuple",
        "type",
    ],
    import,
    ..Language::PLAIN
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
        found.push(Import {
            local,
            name,
            module: module_text.clone(),
            is_exported: true,
        });
    }
}

/// `import a.b` binds `a`, but what is written afterwards is `a.b.f()`.
fn plain_import<'a>(child: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let (local, module) = match (child.child_by_field_name("alias"), child.child_by_field_name("name")) {
        (Some(alias), Some(name)) => (text(alias, source), text(name, source)),
        _ => (text(child, source), text(child, source)),
    };
    found.push(Import {
        local,
        name: Cow::Borrowed("*"),
        module,
        is_exported: true,
    });
}
