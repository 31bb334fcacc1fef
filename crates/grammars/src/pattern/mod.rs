//! Tree pattern matching: compiles the queries of languages, and finds their matches in syntax trees.
//!
//! Queries are written in tree-sitter's query language. The supported subset has kinds, fields, negated fields (`!field`),
//! wildcards (`_`), alternations (`[..]`), literals, anchors (`.`), and the predicates `#eq?` and `#any-of?`. The algorithm
//! is a backtracking search in continuation-passing style over the tree in pre-order, where `end(i)` is the index after the
//! subtree of node `i` (the subtree is `i..end(i)`).
//!
//! The difference from tree-sitter's own engine: that is an automaton that advances all patterns from node to node with a
//! cursor. Here the nodes are flattened into an array once, and only nodes whose kind can begin a pattern are examined.
//! `QueryCursor` takes 12 to 21 % more processor time for a whole cold index (measured with the 1,400 and 5,000 files of
//! bench P9 in turns, 2026-11-30): its matches of the 1,400 take 1.03 s in place of 0.44 s, and `Query::new` takes 0.12 s for
//! JavaScript and TypeScript in each process, as much as all else of a run over one changed file. A test compares the matches
//! of both engines.

mod compile;
mod flatten;
mod lexer;
mod matcher;
#[cfg(test)]
mod tests;

pub use flatten::FlatTree;
pub use matcher::{CAPTURES_MAX, Match};

/// The patterns of one query, for one grammar.
pub struct Patterns {
    patterns: Vec<Step>,
    by_root: Vec<Vec<u16>>,
    /// The facts to record about nodes of each kind.
    needs: Vec<KindNeeds>,
    captures: Vec<String>,
}

/// The facts to record about the nodes of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct KindNeeds {
    is_named: bool,
    /// No pattern contains it.
    is_irrelevant: bool,
    /// True if a pattern tests the fields of its children.
    fields: bool,
}

#[derive(Debug, Clone, Default)]
struct Step {
    test: NodeTest,
    field: Option<u16>,
    /// Fields that the node must not have (`!field`).
    negated_fields: Vec<u16>,
    /// The allowed texts of the node; all texts when empty.
    texts: Vec<String>,
    captures: Vec<u16>,
    children: Vec<Step>,
    /// An anchor before it: no named node may stand between its predecessor and it.
    is_anchored: bool,
    /// An anchor after it: no named sibling may follow.
    is_last: bool,
    /// True if it or a descendant is captured. If not, the first match is enough.
    has_captures: bool,
}

#[derive(Debug, Clone, Default)]
enum NodeTest {
    Kind(u16),
    #[default]
    Named,
    Any,
    OneOf(Vec<Step>),
}

impl Patterns {
    /// Returns the names of the captures, which matches refer to by index.
    pub fn captures(&self) -> &[String] {
        &self.captures
    }

    /// True if a kind is named. Nodes of unknown kind are errors, which count as named.
    fn is_named(&self, kind: u16) -> bool {
        self.needs.get(usize::from(kind)).is_none_or(|needs| needs.is_named)
    }
}
