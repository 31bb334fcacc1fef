//! Tree pattern matching: the patterns of a language's query, and where a syntax tree matches them.
//!
//! The queries are written in tree-sitter's query language, of which this supports what they need: kinds, fields, negated fields
//! (`!field`), wildcards (`_`), alternations (`[..]`), literals, anchors (`.`), and the predicates `#eq?` and `#any-of?`. The algorithm
//! is a backtracking search in continuation-passing style over the tree in pre-order, where the node after a subtree is
//! found by its `end` (the subtree of node `i` is `i..end(i)`).
//!
//! What differs from tree-sitter's own engine: that one is an automaton which advances all patterns from node to node through a
//! cursor. Here the nodes are flattened into an array once, and only those of a kind that some pattern begins with are examined. That
//! is several times as fast, and compiling a query takes no noticeable time. A test compares the matches of both.

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
    /// The patterns by the kind of the node that they begin with.
    by_root: Vec<Vec<u16>>,
    /// What must be recorded of nodes, by their kind.
    needs: Vec<KindNeeds>,
    captures: Vec<String>,
}

/// What must be recorded of the nodes of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct KindNeeds {
    is_named: bool,
    /// No pattern contains it.
    is_irrelevant: bool,
    /// A pattern asks for fields of its children.
    fields: bool,
}

/// A node of a pattern.
#[derive(Debug, Clone, Default)]
struct Step {
    test: NodeTest,
    field: Option<u16>,
    /// Fields that it must not have (`!field`).
    negated_fields: Vec<u16>,
    /// Its text must be one of these, unless there are none.
    texts: Vec<String>,
    captures: Vec<u16>,
    children: Vec<Step>,
    /// An anchor before it: no named node may stand between its predecessor and it.
    is_anchored: bool,
    /// An anchor after it: no named sibling may follow.
    is_last: bool,
    /// Whether it or a descendant is captured. If not, its first occurrence is enough.
    has_captures: bool,
}

/// Which nodes a step accepts.
#[derive(Debug, Clone, Default)]
enum NodeTest {
    /// Those of this kind.
    Kind(u16),
    /// All with a name.
    #[default]
    Named,
    /// All.
    Any,
    /// What one of these accepts.
    OneOf(Vec<Step>),
}

impl Patterns {
    /// Returns the names of the captures; a match tells the places in this list.
    pub fn captures(&self) -> &[String] {
        &self.captures
    }

    /// Nodes of no known kind are errors, which count as named.
    fn is_named(&self, kind: u16) -> bool {
        self.needs.get(usize::from(kind)).is_none_or(|needs| needs.is_named)
    }
}
