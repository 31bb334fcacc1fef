//! The languages: one folder each, with a query over the grammar's tree and the little that a query cannot say.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod markdown;
mod php;
mod python;
mod ruby;
mod rust;
mod sql;
mod typescript;

use std::borrow::Cow;

use once_cell::sync::OnceCell;
use tree_sitter::Node;

use crate::chunk::role::Role;
use crate::facts::Import;
use crate::pattern::Patterns;

/// Languages that can call each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// JavaScript and TypeScript.
    Script,
    /// C and C++.
    C,
    /// A language that keeps to itself, by its place in the list.
    Own(u8),
}

/// How a language finds what another file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modules {
    /// Paths of files, `./a/b`.
    Paths,
    /// Dotted names under the folders of the project.
    Dotted,
    /// Paths of crates and modules, `crate::a::b`.
    Crates,
    /// One package a folder, named by its path.
    Folders,
    /// Packages that files name themselves.
    Packages,
    /// Files that are included.
    Includes,
    /// Everything is in one space.
    Global,
}

/// What is read off an import.
pub type Imports<'a> = Vec<Import<'a>>;

/// Everything that differs between languages.
pub struct Language {
    /// The name that answers and filters have.
    pub name: &'static str,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// Which languages can call each other.
    pub family: Family,
    /// How other files are found.
    pub modules: Modules,
    /// The grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// The query.
    pub query: &'static str,
    /// What the object itself is called.
    pub own: &'static [&'static str],
    /// Whether a name alone can be a method of the object itself.
    pub own_is_implied: bool,
    /// Whether a module owns its functions as a class does.
    pub modules_own: bool,
    /// Whether a name of another file has to be imported before it can be used alone.
    pub names_are_imported: bool,
    /// Whether calling a class makes an object.
    pub classes_are_called: bool,
    /// How comments begin.
    pub comments: &'static [&'static str],
    /// Methods of the language's own types: alone, such a name says nothing about the receiver.
    pub common_methods: &'static [&'static str],
    /// Objects and types that the language brings itself: what is called on one is none of the project's, unless the project
    /// defines something of that name.
    pub globals: &'static [&'static str],
    /// Reads an import.
    pub import: for<'a> fn(Node<'_>, &'a [u8], &mut Imports<'a>),
}

/// A query with the meaning of its captures.
pub struct Compiled {
    /// The grammar.
    pub grammar: tree_sitter::Language,
    /// The patterns of the query.
    pub patterns: Patterns,
    /// What each capture means.
    pub roles: Vec<Role>,
}

impl Language {
    /// What most languages have.
    pub(crate) const PLAIN: Language = Language {
        name: "",
        extensions: &[],
        family: Family::Own(0),
        modules: Modules::Global,
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        query: "",
        own: &[],
        own_is_implied: false,
        modules_own: false,
        names_are_imported: false,
        classes_are_called: false,
        comments: &["//", "/*", "*"],
        common_methods: &[],
        globals: &[],
        import: |_, _, _| {},
    };
}

/// How many languages there are.
const COUNT: usize = 15;

/// Queries are compiled when a file of their language is first met.
static COMPILED: [OnceCell<Compiled>; COUNT] = [const { OnceCell::new() }; COUNT];

/// Returns the compiled query of the language of that number.
///
/// # Errors
/// When grammar and query do not fit, which a test rules out.
pub fn compiled(number: u8) -> Result<&'static Compiled, String> {
    let unknown = || format!("there is no language {number}");
    let language = LANGUAGES.get(usize::from(number)).ok_or_else(unknown)?;
    let cell = COMPILED.get(usize::from(number)).ok_or_else(unknown)?;
    cell.get_or_try_init(|| {
        let grammar = (language.grammar)();
        let patterns = Patterns::new(&grammar, language.query).map_err(|e| format!("{}: {e}", language.name))?;
        let roles = patterns.captures().iter().map(|name| Role::parse(name)).collect();
        Ok(Compiled {
            grammar,
            patterns,
            roles,
        })
    })
}

static LANGUAGES: [&Language; COUNT] = [
    &javascript::LANGUAGE,
    &typescript::TYPESCRIPT,
    &typescript::TSX,
    &python::LANGUAGE,
    &rust::LANGUAGE,
    &go::LANGUAGE,
    &java::LANGUAGE,
    &c::LANGUAGE,
    &cpp::LANGUAGE,
    &csharp::LANGUAGE,
    &ruby::LANGUAGE,
    &php::LANGUAGE,
    &bash::LANGUAGE,
    &sql::LANGUAGE,
    &markdown::LANGUAGE,
];

/// Returns all languages; the place of one in this list is its number.
pub fn all() -> &'static [&'static Language] {
    &LANGUAGES
}

/// Returns the number of the language that a file with this name is in.
pub fn of_path(path: &str) -> Option<u8> {
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() && extension.len() > 2 {
        return None;
    }
    let at = LANGUAGES.iter().position(|language| {
        language
            .extensions
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })?;
    u8::try_from(at).ok()
}

/// Returns the language that a filter means: by its name, or by an extension of its files.
pub fn named(name: &str) -> Option<u8> {
    let is_it = |language: &&&Language| language.name.eq_ignore_ascii_case(name);
    let by_name = LANGUAGES.iter().position(|language| is_it(&language));
    let at = by_name.or_else(|| {
        LANGUAGES
            .iter()
            .position(|language| language.extensions.contains(&name))
    })?;
    u8::try_from(at).ok()
}

/// Returns a node's text.
pub(crate) fn text<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    String::from_utf8_lossy(source.get(node.byte_range()).unwrap_or_default())
}

/// Returns the text of a string literal without its quotes.
pub(crate) fn unquoted<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    let bytes = source.get(node.byte_range()).unwrap_or_default();
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>');
    let from = bytes.iter().position(|b| !is_quote(b)).unwrap_or(bytes.len());
    let to = bytes.iter().rposition(|b| !is_quote(b)).map_or(from, |at| at + 1);
    String::from_utf8_lossy(&bytes[from..to.max(from)])
}

/// Returns the named children of a node.
pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar_and_uses_known_captures() {
        let all = LANGUAGES
            .iter()
            .enumerate()
            .map(|(number, _)| compiled(u8::try_from(number).unwrap()));
        let wrong: Vec<String> = all.filter_map(|compiled| compiled.err()).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for (number, language) in LANGUAGES.iter().enumerate() {
            let compiled = compiled(u8::try_from(number).unwrap()).unwrap();
            for (name, role) in compiled.patterns.captures().iter().zip(&compiled.roles) {
                assert!(
                    *role != Role::None || name.starts_with('_'),
                    "{}: @{name}",
                    language.name
                );
            }
        }
    }
}
