//! The declaration of a language: everything in which languages differ, except for their syntax, which the crate of the grammars has.

use super::modules::{Module, ProjectFiles};

/// A group of languages whose code can call each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteropGroup {
    /// JavaScript and TypeScript.
    Script,
    /// C and C++.
    C,
    /// A language whose code calls no other language, by its number.
    Alone(u8),
}

/// How code refers to other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleSystem {
    /// Paths of files, `./a/b`.
    Paths,
    /// Dotted names of folders and files, `a.b`.
    Dotted,
    /// Paths of crates and modules, `crate::a::b`.
    Crates,
    /// One package per folder, named by its path.
    Folders,
    /// Packages that files declare.
    Packages,
    /// Files that are included.
    Includes,
    /// One global namespace.
    Global,
}

/// A manifest file, which declares the name by which other files import its folder.
#[derive(Debug, Clone, Copy)]
pub struct Manifest {
    /// Its file name.
    pub file_name: &'static str,
    /// Extracts the name from its text.
    pub name: fn(&str) -> Option<String>,
}

/// Everything that differs between languages, except for their syntax.
pub struct Language {
    /// Its name in answers and filters.
    pub name: &'static str,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// Which languages can call each other.
    pub interop_group: InteropGroup,
    /// How other files are imported.
    pub modules: ModuleSystem,
    /// The names of the receiver within a method (`this`, `self`).
    pub self_names: &'static [&'static str],
    /// True if a bare name can be a method of the receiver.
    pub self_is_implied: bool,
    /// True if a module owns its functions, as a class does.
    pub modules_own_functions: bool,
    /// True if a name of another file must be imported before it can be used unqualified.
    pub names_are_imported: bool,
    /// True if calling a type constructs a value of it.
    pub types_are_called: bool,
    /// True if `new` can be applied to a function.
    pub functions_construct: bool,
    /// True if a macro is called like a function.
    pub macros_are_called: bool,
    /// True if a mention without a call resolves to every definition of the name (a table in SQL).
    pub mentions_resolve_by_name: bool,
    /// True if functions outside of every type can be methods (of object literals).
    pub has_free_methods: bool,
    /// True if the body of a definition can begin with its documentation.
    pub has_docstrings: bool,
    /// True if long lines are common, so that they do not identify generated files.
    pub has_long_lines: bool,
    /// The names in [`Language::self_names`] that refer to the base type.
    pub base_names: &'static [&'static str],
    /// The name that calls the constructor of the base type.
    pub base_constructor: Option<&'static str>,
    /// Objects whose assigned members are not methods (`module.exports`).
    pub export_objects: &'static [&'static str],
    /// The object whose members are the globals.
    pub global_object: Option<&'static str>,
    /// Extensions of files that implement the declarations of headers.
    pub body_extensions: &'static [&'static str],
    /// The file that gives a folder its name in imports.
    pub manifest: Option<Manifest>,
    /// The beginnings of comment lines.
    pub comments: &'static [&'static str],
    /// Methods of built-in types. Such a name says nothing about a receiver of unknown type.
    pub common_methods: &'static [&'static str],
    /// Built-in objects and types; sorted. Calls on them lead out of the project, unless the project defines the name.
    pub globals: &'static [&'static str],
    /// Finds the module that a file imports.
    pub find_module: fn(&dyn ProjectFiles, u32, &str) -> Module,
    /// Returns the module path of a file from the root of its crate, given its path and the crate's folder.
    pub module_path: fn(&str, &str) -> Vec<String>,
    /// True if a file only declares what other files implement.
    pub is_declaration_file: fn(&str) -> bool,
}

impl Language {
    pub(crate) const DEFAULTS: Language = Language {
        name: "",
        extensions: &[],
        interop_group: InteropGroup::Alone(0),
        modules: ModuleSystem::Global,
        self_names: &[],
        self_is_implied: false,
        modules_own_functions: false,
        names_are_imported: false,
        types_are_called: false,
        functions_construct: false,
        macros_are_called: false,
        mentions_resolve_by_name: false,
        has_free_methods: false,
        has_docstrings: false,
        has_long_lines: false,
        base_names: &[],
        base_constructor: None,
        export_objects: &["exports", "module"],
        global_object: None,
        body_extensions: &[],
        manifest: None,
        comments: &["//", "/*", "*"],
        common_methods: &[],
        globals: &[],
        find_module: |_, _, _| Module::Outside,
        module_path: |_, _| Vec::new(),
        is_declaration_file: |_| false,
    };
}
