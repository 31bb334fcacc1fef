//! Python.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Module, ModuleSystem, ProjectFiles, children, text};
use crate::facts::Import;
use crate::paths::{folder_of, under};

pub(super) static LANGUAGE: Language = Language {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    family: Family::Own(3),
    modules: ModuleSystem::Dotted,
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: include_str!("query.scm"),
    self_names: &["self", "cls", "super()"],
    types_are_called: true,
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
    has_docstrings: true,
    base_names: &["super()"],
    import,
    find_module,
    ..Language::DEFAULTS
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

/// Finds a module by its dotted name: relative to the package for leading dots, else in the folders from that of the file up,
/// and at last in the usual source folders.
fn find_module(files: &dyn ProjectFiles, file: u32, spec: &str) -> Module {
    let dots = spec.bytes().take_while(|b| *b == b'.').count();
    let tail = spec.get(dots..).unwrap_or_default().replace('.', "/");
    let mut folder = folder_of(files.path(file));
    if dots > 0 {
        for _ in 1..dots {
            folder = folder_of(folder);
        }
        return Module::of_files(module_file(files, &under(folder, &tail)));
    }
    // From the folder of the file upwards: what is nearest shadows what is further.
    loop {
        if let Some(found) = module_file(files, &under(folder, &tail)) {
            return Module::of_files([found]);
        }
        if folder.is_empty() {
            break;
        }
        folder = folder_of(folder);
    }
    let mut source_folders = ["src", "lib", "python"].iter();
    Module::of_files(source_folders.find_map(|top| module_file(files, &under(top, &tail))))
}

fn module_file(files: &dyn ProjectFiles, base: &str) -> Option<u32> {
    let base = base.trim_end_matches('/');
    let tries = [
        format!("{base}.py"),
        under(base, "__init__.py"),
        format!("{base}.pyi"),
        under(base, "__init__.pyi"),
    ];
    tries.iter().find_map(|path| files.find(path))
}
