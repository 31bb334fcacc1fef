//! All languages by number, with their compiled queries.

use once_cell::sync::OnceCell;

use super::declaration::{Language, Manifest};
use super::role::Role;
use crate::pattern::Patterns;

/// A query with the meaning of its captures.
pub struct Compiled {
    /// The grammar.
    pub grammar: tree_sitter::Language,
    /// The patterns of the query.
    pub patterns: Patterns,
    /// What each capture means.
    pub roles: Vec<Role>,
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
    &super::javascript::LANGUAGE,
    &super::typescript::TYPESCRIPT,
    &super::typescript::TSX,
    &super::python::LANGUAGE,
    &super::rust::LANGUAGE,
    &super::go::LANGUAGE,
    &super::java::LANGUAGE,
    &super::c::LANGUAGE,
    &super::cpp::LANGUAGE,
    &super::csharp::LANGUAGE,
    &super::ruby::LANGUAGE,
    &super::php::LANGUAGE,
    &super::bash::LANGUAGE,
    &super::sql::LANGUAGE,
    &super::markdown::LANGUAGE,
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

/// Returns the manifest of that file name.
pub fn manifest_of(file_name: &str) -> Option<Manifest> {
    let mut manifests = LANGUAGES.iter().filter_map(|language| language.manifest);
    manifests.find(|manifest| manifest.file_name == file_name)
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
