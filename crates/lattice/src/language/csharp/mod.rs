//! C#.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Module, ModuleSystem, children, text};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "csharp",
    extensions: &["cs", "csx"],
    family: Family::Own(9),
    modules: ModuleSystem::Packages,
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    query: include_str!("query.scm"),
    self_names: &["this", "base"],
    self_is_implied: true,
    globals: &[
        "Activator",
        "AppContext",
        "AppDomain",
        "Array",
        "BitConverter",
        "Boolean",
        "Console",
        "Convert",
        "DateTime",
        "DateTimeOffset",
        "Decimal",
        "Directory",
        "Double",
        "Enum",
        "Environment",
        "File",
        "GC",
        "Guid",
        "Int32",
        "Int64",
        "Math",
        "Path",
        "Random",
        "String",
        "Task",
        "Thread",
        "TimeSpan",
        "Type",
        "bool",
        "byte",
        "char",
        "decimal",
        "double",
        "float",
        "int",
        "long",
        "object",
        "string",
    ],
    common_methods: &[
        "Add",
        "AddRange",
        "Any",
        "Append",
        "Clear",
        "Close",
        "Contains",
        "ContainsKey",
        "Count",
        "Dispose",
        "Equals",
        "First",
        "FirstOrDefault",
        "Format",
        "Get",
        "GetHashCode",
        "GetType",
        "GetValue",
        "Insert",
        "Invoke",
        "Join",
        "Parse",
        "Read",
        "Remove",
        "Replace",
        "Run",
        "Select",
        "Set",
        "Split",
        "StartsWith",
        "Substring",
        "ToArray",
        "ToList",
        "ToString",
        "Trim",
        "TryGetValue",
        "Where",
        "Write",
        "WriteLine",
    ],
    types_are_called: true,
    base_names: &["base"],
    import,
    find_module: |files, file, spec| Module::of_files(files.in_package(file, spec).iter().copied()),
    ..Language::DEFAULTS
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let parts = children(node);
    let Some(path) = parts.last().map(|path| text(*path, source)) else {
        return;
    };
    match node.child_by_field_name("name") {
        Some(alias) => {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
            found.push(Import {
                local: text(alias, source),
                name: Cow::Owned(name.to_owned()),
                module: Cow::Owned(module.to_owned()),
                is_exported: false,
            });
        }
        None => found.push(Import {
            local: Cow::Borrowed(""),
            name: Cow::Borrowed("*"),
            module: path,
            is_exported: false,
        }),
    }
}
