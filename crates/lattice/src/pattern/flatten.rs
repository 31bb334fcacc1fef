//! The nodes of a tree in the order of their first byte, each before what stands in it.

use tree_sitter::{Node, Tree};

use super::{Needs, Patterns};

/// A node and its place.
#[derive(Clone, Copy)]
pub(super) struct Spot<'t> {
    pub(super) node: Node<'t>,
    pub(super) kind: u16,
    /// The field of the node around that it is, or 0.
    pub(super) field: u16,
    /// The place behind all that stands in it.
    pub(super) end: u32,
}

impl Spot<'_> {
    pub(super) fn is_error(&self) -> bool {
        self.kind == u16::MAX
    }
}

/// The nodes of a tree that patterns can ask for.
pub struct Spots<'t> {
    pub(super) all: Vec<Spot<'t>>,
}

/// Deeper trees are of no program that people have written.
const LEVELS_MAX: usize = 50_000;

/// A tree has about one node that matters for so many bytes.
const BYTES_A_SPOT: usize = 8;

impl<'t> Spots<'t> {
    /// Reads the nodes of a tree; `None` when it is too deep: the way to the node around another is as long as the tree is deep.
    pub fn of(tree: &'t Tree, patterns: &Patterns) -> Option<Self> {
        let root = tree.root_node();
        let mut all: Vec<Spot<'t>> = Vec::with_capacity(root.end_byte() / BYTES_A_SPOT);
        let needs_of = |kind: u16| patterns.needs.get(usize::from(kind)).copied().unwrap_or_default();
        let mut open: Vec<(usize, Needs)> = Vec::new();
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let at = all.len();
            let needs = needs_of(kind);
            let is_asked = !needs.is_left_out && open.last().is_some_and(|(_, around)| around.fields);
            let field = if is_asked {
                cursor.field_id().map_or(0, Into::into)
            } else {
                0
            };
            let spot = |end: usize| Spot {
                node,
                kind,
                field,
                end: u32::try_from(end).unwrap_or(u32::MAX),
            };
            if cursor.goto_first_child() {
                all.push(spot(at));
                if open.len() >= LEVELS_MAX {
                    return None;
                }
                open.push((at, needs));
                continue;
            }
            if !needs.is_left_out {
                all.push(spot(at + 1));
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(Spots { all });
                }
                if let Some((around, _)) = open.pop() {
                    all[around].end = u32::try_from(all.len()).unwrap_or(u32::MAX);
                }
            }
        }
    }

    /// Returns the node at a place that a match has told.
    pub fn node(&self, place: u32) -> Option<Node<'t>> {
        self.all.get(place as usize).map(|spot| spot.node)
    }
}
