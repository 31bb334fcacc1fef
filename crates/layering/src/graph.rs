//! Strongly connected components of a small directed graph (Tarjan, "Depth-first search and linear graph algorithms", 1972).
//!
//! Invariant: `low(v)` is the smallest visit number that is reachable from `v` over tree edges and at most one edge to a node
//! on the stack; `v` is the root of a component if and only if `low(v) = number(v)`.

use std::collections::BTreeMap;

/// An adjacency list: nodes by name, each with its successors.
pub type Graph = BTreeMap<String, Vec<String>>;

/// Returns every component of more than one node (one or several cycles that share nodes), its nodes sorted by name.
pub fn find_cycles(graph: &Graph) -> Vec<Vec<String>> {
    let mut search = Search {
        graph,
        numbers: BTreeMap::new(),
        stack: Vec::new(),
        cycles: Vec::new(),
    };
    for node in graph.keys() {
        if !search.numbers.contains_key(node.as_str()) {
            search.visit(node);
        }
    }
    search.cycles
}

struct Search<'a> {
    graph: &'a Graph,
    numbers: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    cycles: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, node: &'a str) -> usize {
        let number = self.numbers.len();
        self.numbers.insert(node, number);
        let height = self.stack.len();
        self.stack.push(node);
        let mut low = number;
        for next in self.graph.get(node).into_iter().flatten() {
            let reached = match self.numbers.get(next.as_str()) {
                None => self.visit(next),
                Some(seen) if self.stack.contains(&next.as_str()) => *seen,
                Some(_) => continue,
            };
            low = low.min(reached);
        }
        if low == number {
            let mut component = self
                .stack
                .split_off(height)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>();
            if component.len() > 1 {
                component.sort();
                self.cycles.push(component);
            }
        }
        low
    }
}
