//! Go.

use super::{InteropGroup, Language, Manifest, Module, ModuleSystem, ProjectFiles};
use crate::paths::under;

const MANIFEST: &str = "go.mod";

pub(super) static LANGUAGE: Language = Language {
    name: "go",
    extensions: &["go"],
    interop_group: InteropGroup::Alone(5),
    modules: ModuleSystem::Folders,
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
    find_module,
    ..Language::DEFAULTS
};

fn manifest_name(text: &str) -> Option<String> {
    let mut declared = text.lines().filter_map(|line| line.trim().strip_prefix("module "));
    declared.next().map(|name| name.trim().to_owned())
}

/// Finds the folder of a package: its import path begins with that of a module in the project.
fn find_module(files: &dyn ProjectFiles, _file: u32, spec: &str) -> Module {
    let inside = files.manifests(MANIFEST).iter().find_map(|(folder, name)| {
        let rest = spec.strip_prefix(&**name).filter(|_| !name.is_empty())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| under(folder, rest.trim_start_matches('/')))
    });
    match inside {
        Some(folder) => Module::of_files(files.in_folder(folder.trim_end_matches('/')).iter().copied()),
        None => Module::Outside,
    }
}
