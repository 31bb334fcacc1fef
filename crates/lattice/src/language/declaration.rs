//! What a language declares.

use tree_sitter::Node;

use super::modules::{Module, ProjectFiles};
use crate::facts::Import;

/// Languages that can call each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// JavaScript and TypeScript.
    Script,
    /// C and C++.
    C,
    /// A language that calls no other, by its number.
    Own(u8),
}

/// How a language refers to other files.
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
    /// Packages that files name themselves.
    Packages,
    /// Files that are included.
    Includes,
    /// One global namespace.
    Global,
}

/// A file that gives its folder the name by which other files import it.
#[derive(Debug, Clone, Copy)]
pub struct Manifest {
    /// Its file name.
    pub file_name: &'static str,
    /// Reads the name from its text.
    pub name: fn(&str) -> Option<String>,
}

/// The imports of a file.
pub type Imports<'a> = Vec<Import<'a>>;

/// Everything that differs between languages.
pub struct Language {
    /// Its name in answers and filters.
    pub name: &'static str,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// Which languages can call each other.
    pub family: Family,
    /// How other files are found.
    pub modules: ModuleSystem,
    /// The grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// The query.
    pub query: &'static str,
    /// The names of the object itself (`this`, `self`).
    pub self_names: &'static [&'static str],
    /// Whether a bare name can be a method of the object itself.
    pub self_is_implied: bool,
    /// Whether a module owns its functions as a class does.
    pub modules_own_functions: bool,
    /// Whether a name of another file has to be imported before it can be used alone.
    pub names_are_imported: bool,
    /// Whether calling a type makes a value of it.
    pub types_are_called: bool,
    /// Whether `new` can be applied to a function.
    pub functions_construct: bool,
    /// Whether a macro is called like a function.
    pub macros_are_called: bool,
    /// Whether a mention of a name, which is not a call, resolves to every definition of that name (a table in SQL).
    pub mentions_resolve_by_name: bool,
    /// Whether functions outside of every type can be methods (of object literals).
    pub has_free_methods: bool,
    /// Whether the body of a definition can begin with its documentation.
    pub has_docstrings: bool,
    /// Whether people write long lines, so that their length does not tell generated files apart.
    pub has_long_lines: bool,
    /// Of [`Language::self_names`], those that stand for the base type.
    pub base_names: &'static [&'static str],
    /// What calls the constructor of the base type.
    pub base_constructor: Option<&'static str>,
    /// Assignments to members of these define no methods (`module.exports`).
    pub export_objects: &'static [&'static str],
    /// The object that holds all globals.
    pub global_object: Option<&'static str>,
    /// Extensions of files that implement headers.
    pub body_extensions: &'static [&'static str],
    /// The file that gives a folder its name in imports.
    pub manifest: Option<Manifest>,
    /// How comments begin.
    pub comments: &'static [&'static str],
    /// Methods of the language's own types. Such a name says nothing about a receiver of unknown type.
    pub common_methods: &'static [&'static str],
    /// Objects and types of the language itself; sorted. Calls on them lead out of the project, unless it defines something of that
    /// name.
    pub globals: &'static [&'static str],
    /// Reads an import.
    pub import: for<'a> fn(Node<'_>, &'a [u8], &mut Imports<'a>),
    /// Finds the module that a file names.
    pub find_module: fn(&dyn ProjectFiles, u32, &str) -> Module,
    /// Returns the modules from the root of its crate to a file, given its path and the folder of the crate.
    pub module_path: fn(&str, &str) -> Vec<String>,
    /// Tells whether a file only declares what others implement.
    pub is_declaration_file: fn(&str) -> bool,
}

impl Language {
    /// The declaration that most languages begin with.
    pub(crate) const DEFAULTS: Language = Language {
        name: "",
        extensions: &[],
        family: Family::Own(0),
        modules: ModuleSystem::Global,
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        query: "",
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
        import: |_, _, _| {},
        find_module: |_, _, _| Module::Outside,
        module_path: |_, _| Vec::new(),
        is_declaration_file: |_| false,
    };
}
