//! Java.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Module, ModuleSystem, children, text};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "java",
    extensions: &["java"],
    family: Family::Own(6),
    modules: ModuleSystem::Packages,
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: include_str!("query.scm"),
    self_names: &["this", "super"],
    self_is_implied: true,
    names_are_imported: true,
    globals: &[
        "Boolean",
        "Byte",
        "Character",
        "Class",
        "ClassLoader",
        "Double",
        "Enum",
        "Float",
        "Integer",
        "Long",
        "Math",
        "Process",
        "Runtime",
        "Short",
        "StrictMath",
        "String",
        "StringBuffer",
        "StringBuilder",
        "System",
        "Thread",
        "ThreadLocal",
    ],
    common_methods: &[
        "accept",
        "add",
        "addAll",
        "append",
        "apply",
        "build",
        "charAt",
        "clear",
        "close",
        "collect",
        "compareTo",
        "contains",
        "containsKey",
        "endsWith",
        "entrySet",
        "equals",
        "filter",
        "flush",
        "forEach",
        "format",
        "get",
        "getClass",
        "getKey",
        "getName",
        "getValue",
        "hasNext",
        "hashCode",
        "indexOf",
        "isEmpty",
        "isPresent",
        "iterator",
        "keySet",
        "length",
        "map",
        "next",
        "of",
        "orElse",
        "parse",
        "print",
        "println",
        "put",
        "read",
        "remove",
        "replace",
        "run",
        "set",
        "size",
        "sort",
        "split",
        "startsWith",
        "stream",
        "substring",
        "toArray",
        "toLowerCase",
        "toString",
        "trim",
        "valueOf",
        "values",
        "write",
    ],
    base_names: &["super"],
    base_constructor: Some("super"),
    import,
    find_module: |files, file, spec| Module::of_files(files.in_package(file, spec).iter().copied()),
    ..Language::DEFAULTS
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let is_all = children(node).iter().any(|child| child.kind() == "asterisk");
    let Some(path) = children(node)
        .into_iter()
        .find(|c| matches!(c.kind(), "scoped_identifier" | "identifier"))
    else {
        return;
    };
    let path = text(path, source);
    if node.kind() == "package_declaration" {
        found.push(package(path));
    } else if is_all {
        found.push(Import {
            local: Cow::Borrowed(""),
            name: Cow::Borrowed("*"),
            module: path,
            is_exported: false,
        });
    } else {
        let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
        found.push(Import {
            local: Cow::Owned(name.to_owned()),
            name: Cow::Owned(name.to_owned()),
            module: Cow::Owned(module.to_owned()),
            is_exported: false,
        });
    }
}

/// The package a file belongs to travels as an import of everything in it under no name.
pub(super) fn package(path: Cow<'_, str>) -> Import<'_> {
    Import {
        local: Cow::Borrowed("package"),
        name: Cow::Borrowed("package"),
        module: path,
        is_exported: false,
    }
}
