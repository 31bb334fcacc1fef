//! TypeScript and TSX, which are two grammars.

use super::Syntax;

pub(super) const TYPESCRIPT: Syntax = Syntax {
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: concat!(include_str!("../javascript/query.scm"), include_str!("query.scm")),
    import: super::javascript::import,
};

pub(super) const TSX: Syntax = Syntax {
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    query: concat!(
        include_str!("../javascript/query.scm"),
        include_str!("query.scm"),
        include_str!("tsx.scm")
    ),
    import: super::javascript::import,
};
