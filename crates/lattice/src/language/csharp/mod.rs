//! C#.

use super::{InteropGroup, Language, Module, ModuleSystem};

pub(super) static LANGUAGE: Language = Language {
    name: "csharp",
    extensions: &["cs", "csx"],
    interop_group: InteropGroup::Alone(9),
    modules: ModuleSystem::Packages,
    self_names: &["this", "base"],
    self_is_implied: true,
    globals: &[
        "Activator", "AppContext", "AppDomain", "Array", "BitConverter", "Boolean", "Console", "Convert", "DateTime",
        "DateTimeOffset", "Decimal", "Directory", "Double", "Enum", "Environment", "File", "GC", "Guid", "Int32",
        "Int64", "Math", "Path", "Random", "String", "Task", "Thread", "TimeSpan", "Type", "bool", "byte", "char",
        "decimal", "double", "float", "int", "long", "object", "string",
    ],
    common_methods: &[
        "Add", "AddRange", "Any", "Append", "Clear", "Close", "Contains", "ContainsKey", "Count", "Dispose", "Equals",
        "First", "FirstOrDefault", "Format", "Get", "GetHashCode", "GetType", "GetValue", "Insert", "Invoke", "Join",
        "Parse", "Read", "Remove", "Replace", "Run", "Select", "Set", "Split", "StartsWith", "Substring", "ToArray",
        "ToList", "ToString", "Trim", "TryGetValue", "Where", "Write", "WriteLine",
    ],
    types_are_called: true,
    base_names: &["base"],
    find_module: |files, file, spec| Module::of_files(files.in_package(file, spec).iter().copied()),
    ..Language::DEFAULTS
};
