//! All languages by number.

use super::declaration::{Language, Manifest};

/// The number of languages.
pub const COUNT: usize = 15;

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

/// Returns all languages; the number of a language is its index here.
pub fn all() -> &'static [&'static Language] {
    &LANGUAGES
}

/// Returns the number of the language of a file name.
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

/// Returns the manifest with this file name.
pub fn manifest_of(file_name: &str) -> Option<Manifest> {
    let mut manifests = LANGUAGES.iter().filter_map(|language| language.manifest);
    manifests.find(|manifest| manifest.file_name == file_name)
}

/// Returns the name of the language that a filter names, by its name or by a file extension.
pub fn name_of(name: &str) -> Option<&'static str> {
    let by_name = LANGUAGES
        .iter()
        .find(|language| language.name.eq_ignore_ascii_case(name));
    let found = by_name.or_else(|| LANGUAGES.iter().find(|language| language.extensions.contains(&name)))?;
    Some(found.name)
}
