//! Reachability by breadth-first search, and the chunks with the most callers by a heap of bounded size.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::{Direction, EdgeAnswer};
use crate::facts::id_text;
use crate::graph::Graph;
use crate::resolve::Resolved;

/// The maximum number of visited chunks: from a hub of a large graph, everything is reachable.
const NODES_MAX: usize = 20_000;

/// A step of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The distance in edges.
    pub distance: u32,
    /// The previous chunk; `None` for a seed.
    pub from: Option<u32>,
    /// The edge to the chunk.
    pub edge: Option<u32>,
}

/// The reachable chunks.
#[derive(Debug)]
pub struct Walk {
    /// The chunks by distance, then by number.
    pub order: Vec<u32>,
    /// The step to each chunk.
    pub steps: FxHashMap<u32, Step>,
    direction: Direction,
}

impl Walk {
    /// Walks from the given chunks, visiting each chunk once.
    pub fn from(graph: &Graph, seeds: &[u32], direction: Direction, depth: u32) -> Self {
        let mut walk = Walk {
            order: Vec::new(),
            steps: FxHashMap::default(),
            direction,
        };
        let mut queue = VecDeque::new();
        for seed in seeds {
            walk.steps.insert(
                *seed,
                Step {
                    distance: 0,
                    from: None,
                    edge: None,
                },
            );
            queue.push_back(*seed);
        }
        while let Some(at) = queue.pop_front() {
            walk.order.push(at);
            let distance = walk.steps.get(&at).map_or(0, |step| step.distance);
            if distance >= depth {
                continue;
            }
            for (edge, next) in walk.neighbours(graph, at) {
                if walk.steps.len() < NODES_MAX && !walk.steps.contains_key(&next) {
                    walk.steps.insert(
                        next,
                        Step {
                            distance: distance + 1,
                            from: Some(at),
                            edge: Some(edge),
                        },
                    );
                    queue.push_back(next);
                }
            }
        }
        let steps = &walk.steps;
        walk.order
            .sort_by_key(|number| (steps.get(number).map_or(0, |step| step.distance), *number));
        walk
    }

    fn neighbours(&self, graph: &Graph, at: u32) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        if self.direction != Direction::Callees {
            found.extend(graph.into(at).map(|edge| (edge, graph.ends(edge).0)));
        }
        if self.direction != Direction::Callers {
            found.extend(graph.out_of(at).filter_map(|edge| Some((edge, graph.ends(edge).1?))));
        }
        found
    }

    /// Returns the names on the path from a seed to a chunk.
    pub fn path(&self, graph: &Graph, number: u32) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = Some(number);
        while let Some(number) = at {
            if let Some(node) = graph.node(number) {
                names.push(if node.name.is_empty() {
                    graph.file(node.file).0.to_owned()
                } else {
                    node.name.to_owned()
                });
            }
            at = self.steps.get(&number).and_then(|step| step.from);
        }
        names.reverse();
        names
    }

    /// Returns the edges between shown chunks, each pair once.
    pub fn edges(&self, graph: &Graph, is_shown: &FxHashSet<u32>) -> Vec<EdgeAnswer> {
        let mut pairs: FxHashMap<(u32, u32), Option<Resolved>> = FxHashMap::default();
        for number in is_shown {
            for edge in graph.out_of(*number) {
                let (caller, Some(target)) = graph.ends(edge) else {
                    continue;
                };
                if is_shown.contains(&target) {
                    let resolved = graph.edge(edge).and_then(|edge| edge.resolved);
                    let known = pairs.entry((caller, target)).or_insert(resolved);
                    *known = (*known).min(resolved);
                }
            }
        }
        let mut sorted: Vec<_> = pairs.into_iter().collect();
        sorted.sort_by_key(|(pair, _)| *pair);
        let id = |number: u32| graph.node(number).map(|node| id_text(node.key)).unwrap_or_default();
        sorted
            .into_iter()
            .map(|((from, to), resolved)| EdgeAnswer {
                from: id(from),
                to: id(to),
                resolved,
            })
            .collect()
    }

    /// Returns the used names without a definition.
    pub fn unresolved(&self, graph: &Graph) -> Vec<String> {
        if self.direction == Direction::Callers {
            return Vec::new();
        }
        let mut names: Vec<String> = Vec::new();
        for number in self.order.iter().take(1000) {
            for edge in graph.out_of(*number) {
                if graph.ends(edge).1.is_none()
                    && let Some(edge) = graph.edge(edge)
                {
                    names.push(edge.name.to_owned());
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Returns the chunks with the most callers, and their number of callers. A caller counts once, and not when its edge was
/// resolved by name alone.
pub fn hottest(graph: &Graph, count: usize) -> Vec<(u32, usize)> {
    let mut best: BinaryHeap<Reverse<(usize, Reverse<u32>)>> = BinaryHeap::new();
    for number in 0..graph.nodes() {
        // The number of edges is an upper bound of the number of callers, by which most chunks are skipped.
        let edges = graph.count_into(number) as usize;
        let least = best.peek().map_or(0, |Reverse((callers, _))| *callers);
        if edges == 0 || (best.len() >= count && edges <= least) {
            continue;
        }
        // An edge that was resolved by name alone may mean something else.
        let is_known = |edge: &u32| {
            graph
                .resolution(*edge)
                .is_some_and(|resolved| resolved != Resolved::Name)
        };
        let callers: FxHashSet<u32> = graph
            .into(number)
            .filter(is_known)
            .map(|edge| graph.ends(edge).0)
            .filter(|caller| *caller != number)
            .collect();
        if callers.is_empty() {
            continue;
        }
        best.push(Reverse((callers.len(), Reverse(number))));
        if best.len() > count {
            best.pop();
        }
    }
    let mut sorted: Vec<(u32, usize)> = best
        .into_iter()
        .map(|Reverse((callers, Reverse(number)))| (number, callers))
        .collect();
    sorted.sort_by_key(|(number, callers)| (Reverse(*callers), *number));
    sorted
}
