//! A syntax tree as an array of its nodes in pre-order.

use tree_sitter::{Node, Tree};

use super::{KindNeeds, Patterns};

#[derive(Clone, Copy)]
pub(super) struct FlatNode<'t> {
    pub(super) node: Node<'t>,
    pub(super) kind: u16,
    /// The field of its parent that it fills, or 0.
    pub(super) field: u16,
    /// The index after its subtree.
    pub(super) end: u32,
}

impl FlatNode<'_> {
    pub(super) fn is_error(&self) -> bool {
        self.kind == u16::MAX
    }
}

/// The nodes of a tree that patterns can match.
pub struct FlatTree<'t> {
    pub(super) all: Vec<FlatNode<'t>>,
}

/// The maximum depth of a tree. Real programs are not as deep.
const LEVELS_MAX: usize = 50_000;

/// The average number of source bytes per relevant node.
const BYTES_PER_NODE: usize = 8;

impl<'t> FlatTree<'t> {
    /// Flattens a tree; `None` when it is too deep, because finding a node's parent takes time proportional to the
    /// depth.
    pub fn of(tree: &'t Tree, patterns: &Patterns) -> Option<Self> {
        let root = tree.root_node();
        let mut all: Vec<FlatNode<'t>> = Vec::with_capacity(root.end_byte() / BYTES_PER_NODE);
        let needs_of = |kind: u16| patterns.needs.get(usize::from(kind)).copied().unwrap_or_default();
        let mut open: Vec<(usize, KindNeeds)> = Vec::new();
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let at = all.len();
            let needs = needs_of(kind);
            let is_asked = !needs.is_irrelevant && open.last().is_some_and(|(_, around)| around.fields);
            let field = if is_asked {
                cursor.field_id().map_or(0, Into::into)
            } else {
                0
            };
            let node_at = |end: usize| FlatNode {
                node,
                kind,
                field,
                end: u32::try_from(end).unwrap_or(u32::MAX),
            };
            if cursor.goto_first_child() {
                all.push(node_at(at));
                if open.len() >= LEVELS_MAX {
                    return None;
                }
                open.push((at, needs));
                continue;
            }
            if !needs.is_irrelevant {
                all.push(node_at(at + 1));
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(FlatTree { all });
                }
                let end = u32::try_from(all.len()).unwrap_or(u32::MAX);
                if let Some(parent) = open.pop().and_then(|(parent, _)| all.get_mut(parent)) {
                    parent.end = end;
                }
            }
        }
    }

    /// Returns the node at an index of a match.
    pub fn node(&self, place: u32) -> Option<Node<'t>> {
        self.all.get(place as usize).map(|node_at| node_at.node)
    }
}
