//! Python.

use super::{InteropGroup, Language, Module, ModuleSystem, ProjectFiles};
use crate::paths::{folder_of, under};

pub(super) static LANGUAGE: Language = Language {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    interop_group: InteropGroup::Alone(3),
    modules: ModuleSystem::Dotted,
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
    find_module,
    ..Language::DEFAULTS
};

/// Finds a module by its dotted name: relative to the package when it has leading dots, else in the file's folder and those
/// above it, and finally in the usual source folders.
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
    // Nearer modules shadow farther ones.
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
