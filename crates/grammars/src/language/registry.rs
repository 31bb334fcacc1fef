//! The syntax of all languages by number, with their compiled queries.

use forge_memory_lattice::language::COUNT;
use once_cell::sync::OnceCell;

use super::role::Role;
use super::syntax::Syntax;
use crate::pattern::Patterns;

/// A query with the roles of its captures.
pub struct Compiled {
    /// The syntax.
    pub syntax: Syntax,
    /// The grammar.
    pub grammar: tree_sitter::Language,
    /// The patterns of the query.
    pub patterns: Patterns,
    /// The role of each capture.
    pub roles: Vec<Role>,
}

/// A query is compiled when the first file of its language is parsed.
static COMPILED: [OnceCell<Compiled>; COUNT] = [const { OnceCell::new() }; COUNT];

/// In the order of the languages in the code graph.
static SYNTAXES: [Syntax; COUNT] = [
    super::javascript::SYNTAX,
    super::typescript::TYPESCRIPT,
    super::typescript::TSX,
    super::python::SYNTAX,
    super::rust::SYNTAX,
    super::go::SYNTAX,
    super::java::SYNTAX,
    super::c::SYNTAX,
    super::cpp::SYNTAX,
    super::csharp::SYNTAX,
    super::ruby::SYNTAX,
    super::php::SYNTAX,
    super::bash::SYNTAX,
    super::sql::SYNTAX,
    super::markdown::SYNTAX,
];

/// Returns the compiled query of the language with this number.
pub fn compiled(number: u8) -> Result<&'static Compiled, String> {
    let unknown = || format!("there is no language {number}");
    let syntax = *SYNTAXES.get(usize::from(number)).ok_or_else(unknown)?;
    let cell = COMPILED.get(usize::from(number)).ok_or_else(unknown)?;
    cell.get_or_try_init(|| {
        let grammar = (syntax.grammar)();
        let patterns = Patterns::new(&grammar, syntax.query).map_err(|e| format!("language {number}: {e}"))?;
        let roles = patterns.captures().iter().map(|name| Role::parse(name)).collect();
        Ok(Compiled {
            syntax,
            grammar,
            patterns,
            roles,
        })
    })
}

#[cfg(test)]
mod tests {
    use forge_memory_lattice::language;

    use super::*;

    #[test]
    fn every_query_fits_its_grammar_and_uses_known_captures() {
        let all = language::all()
            .iter()
            .enumerate()
            .map(|(number, _)| compiled(u8::try_from(number).unwrap()));
        let wrong: Vec<String> = all.filter_map(|compiled| compiled.err()).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for (number, language) in language::all().iter().enumerate() {
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
