//! Go.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Manifest, Module, ModuleSystem, ProjectFiles, text, unquoted};
use crate::facts::Import;
use crate::paths::under;

const MANIFEST: &str = "go.mod";

pub(super) static LANGUAGE: Language = Language {
    name: "go",
    extensions: &["go"],
    family: Family::Own(5),
    modules: ModuleSystem::Folders,
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: include_str!("query.scm"),
    names_are_imported: true,
    common_methods: &[
        "Add",
        "Close",
        "Context",
        "Done",
        "Err",
        "Error",
        "Errorf",
        "Fatal",
        "Fatalf",
        "Format",
        "Get",
        "Len",
        "Lock",
        "Log",
        "Logf",
        "Name",
        "Next",
        "Print",
        "Printf",
        "Println",
        "Read",
        "RLock",
        "Run",
        "RUnlock",
        "Scan",
        "Set",
        "String",
        "Sub",
        "Unlock",
        "Wait",
        "Write",
        "WriteString",
    ],
    types_are_called: true,
    manifest: Some(Manifest {
        file_name: MANIFEST,
        name: manifest_name,
    }),
    import,
    find_module,
    ..Language::DEFAULTS
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(path) = node.child_by_field_name("path").map(|path| unquoted(path, source)) else {
        return;
    };
    let local = match node.child_by_field_name("name").map(|name| text(name, source)) {
        Some(name) if name == "." => Cow::Borrowed(""),
        Some(name) => name,
        None => Cow::Owned(package_name(&path).to_owned()),
    };
    found.push(Import {
        local,
        name: Cow::Borrowed("*"),
        module: path,
        is_exported: false,
    });
}

/// The last part of the path that is no version.
fn package_name(path: &str) -> &str {
    let is_version =
        |part: &str| part.len() > 1 && part.starts_with('v') && part[1..].bytes().all(|b| b.is_ascii_digit());
    path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path)
}

/// Returns the path of the module that `go.mod` declares.
fn manifest_name(text: &str) -> Option<String> {
    let mut declared = text.lines().filter_map(|line| line.trim().strip_prefix("module "));
    declared.next().map(|name| name.trim().to_owned())
}

/// Finds the folder of a package: its import path begins with that of a module of the project.
fn find_module(files: &dyn ProjectFiles, _file: u32, spec: &str) -> Module {
    let inside = files.manifests(MANIFEST).into_iter().find_map(|(folder, name)| {
        let rest = spec.strip_prefix(name).filter(|_| !name.is_empty())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| under(folder, rest.trim_start_matches('/')))
    });
    match inside {
        Some(folder) => Module::of_files(files.in_folder(folder.trim_end_matches('/')).iter().copied()),
        None => Module::Outside,
    }
}
