//! The matcher: backtracking over the flattened tree.

use super::flatten::{FlatNode, FlatTree};
use super::{NodeTest, Patterns, Step};

/// The maximum number of captures in a pattern.
pub const CAPTURES_MAX: usize = 4;

/// One match of a pattern.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// The index of the pattern in the query.
    pub pattern: u16,
    root: u32,
    last: u32,
    count: u8,
    captures: [(u16, u32); CAPTURES_MAX],
}

impl Match {
    /// Returns the captures (index in [`Patterns::captures`], index of the node), in the order of the nodes.
    pub fn captures(&self) -> &[(u16, u32)] {
        self.captures.get(..usize::from(self.count)).unwrap_or_default()
    }

    fn with(mut self, step: &Step, place: u32) -> Self {
        self.last = place;
        for capture in &step.captures {
            if let Some(free) = self.captures.get_mut(usize::from(self.count)) {
                *free = (*capture, place);
                self.count += 1;
            }
        }
        self
    }
}

impl Patterns {
    /// Returns every match, ordered by its last node, then its root, then its pattern.
    pub fn find(&self, nodes: &FlatTree<'_>, source: &[u8]) -> Vec<Match> {
        let mut matcher = Matcher {
            patterns: self,
            nodes: &nodes.all,
            source,
            found: Vec::new(),
            hint: None,
        };
        for (place, node_at) in (0_u32..).zip(&nodes.all) {
            let rooted = self.by_root.get(usize::from(node_at.kind)).map(Vec::as_slice);
            for number in rooted.unwrap_or_default() {
                matcher.begin(*number, place);
            }
        }
        let mut found = matcher.found;
        found.sort_by_key(|one| (one.last, one.root, one.pattern));
        found
    }
}

/// The rest of a match: steps among the children of a node, then the continuation of its parent.
struct Continuation<'r, 'f> {
    steps: &'f [Step],
    within: u32,
    from: u32,
    end: u32,
    then: Option<&'r Continuation<'r, 'f>>,
}

/// A memo of where a step first matches among the children of one node. In `a, b, c int` the type follows all names; without the
/// memo, the siblings would be searched again for every name.
#[derive(Clone, Copy)]
struct Hint<'f> {
    step: &'f Step,
    within: u32,
    from: u32,
    first: u32,
}

struct Matcher<'f, 't> {
    patterns: &'f Patterns,
    nodes: &'f [FlatNode<'t>],
    source: &'f [u8],
    found: Vec<Match>,
    hint: Option<Hint<'f>>,
}

impl<'f> Matcher<'f, '_> {
    fn begin(&mut self, number: u16, place: u32) {
        let patterns = self.patterns;
        if let Some(pattern) = patterns.patterns.get(usize::from(number)) {
            let nothing = Match {
                pattern: number,
                root: place,
                last: place,
                count: 0,
                captures: [(0, 0); CAPTURES_MAX],
            };
            if let Some(end) = self.is(pattern, place) {
                self.enter(pattern, place, end, None, &nothing);
            }
        }
    }

    /// Matches a node with a step, and continues with the step's children.
    fn enter(
        &mut self,
        step: &'f Step,
        place: u32,
        end: u32,
        then: Option<&Continuation<'_, 'f>>,
        so_far: &Match,
    ) -> bool {
        let so_far = so_far.with(step, place);
        if let NodeTest::OneOf(alternatives) = &step.test {
            let mut is_found = false;
            for alternative in alternatives {
                is_found |= self.is(alternative, place).is_some() && self.enter(alternative, place, end, then, &so_far);
            }
            return is_found;
        }
        let inside = Continuation {
            steps: &step.children,
            within: place,
            from: place + 1,
            end,
            then,
        };
        self.advance(Some(&inside), &so_far)
    }

    /// Matches the remaining steps; returns true if there was a match.
    fn advance(&mut self, rest: Option<&Continuation<'_, 'f>>, so_far: &Match) -> bool {
        let Some(rest) = rest else {
            self.found.push(*so_far);
            return true;
        };
        let Some((step, steps)) = rest.steps.split_first() else {
            return self.advance(rest.then, so_far);
        };
        let is_once = !step.has_captures && steps.first().is_none_or(|next| !next.is_anchored);
        let mut is_found = false;
        let mut place = self.first(step, rest);
        let mut is_looked_at = !step.is_anchored;
        while place < rest.end
            && let Some(node_at) = self.nodes.get(place as usize)
        {
            let (end, kind) = (node_at.end, node_at.kind);
            let is_it = std::mem::take(&mut is_looked_at) || self.is(step, place).is_some();
            if is_it && (!step.is_last || self.is_last(end, rest.end)) {
                let behind = Continuation {
                    steps,
                    within: rest.within,
                    from: end,
                    end: rest.end,
                    then: rest.then,
                };
                is_found |= self.enter(step, place, end, Some(&behind), so_far);
                if is_found && is_once {
                    break;
                }
            }
            if step.is_anchored && self.patterns.is_named(kind) {
                break;
            }
            place = end;
        }
        is_found
    }

    /// Returns the first index that may match a step, or the end.
    fn first(&mut self, step: &'f Step, rest: &Continuation<'_, 'f>) -> u32 {
        if step.is_anchored {
            return rest.from;
        }
        let is_known = |hint: &Hint<'_>| {
            std::ptr::eq(hint.step, step) && hint.within == rest.within && (hint.from..=hint.first).contains(&rest.from)
        };
        if let Some(hint) = self.hint.filter(is_known) {
            return hint.first;
        }
        let mut first = rest.from;
        while first < rest.end
            && self.is(step, first).is_none()
            && let Some(node_at) = self.nodes.get(first as usize)
        {
            first = node_at.end;
        }
        self.hint = Some(Hint {
            step,
            within: rest.within,
            from: rest.from,
            first,
        });
        first
    }

    /// Returns the end of a node if it satisfies the test of a step, ignoring its children.
    fn is(&self, step: &Step, place: u32) -> Option<u32> {
        let node_at = self.nodes.get(place as usize)?;
        let is_kind = match &step.test {
            NodeTest::Kind(kind) => *kind == node_at.kind,
            NodeTest::Named => self.patterns.is_named(node_at.kind) && !node_at.is_error(),
            NodeTest::Any => !node_at.is_error(),
            NodeTest::OneOf(_) => true,
        };
        if !is_kind || step.field.is_some_and(|field| field != node_at.field) {
            return None;
        }
        let has = |field: &u16| node_at.node.child_by_field_id(*field).is_some();
        if step.negated_fields.iter().any(has) {
            return None;
        }
        let is_text = |text: &String| self.source.get(node_at.node.byte_range()) == Some(text.as_bytes());
        (step.texts.is_empty() || step.texts.iter().any(is_text)).then_some(node_at.end)
    }

    /// True if no named node is between two indexes.
    fn is_last(&self, from: u32, end: u32) -> bool {
        let mut place = from;
        while place < end
            && let Some(node_at) = self.nodes.get(place as usize)
        {
            if self.patterns.is_named(node_at.kind) {
                return false;
            }
            place = node_at.end;
        }
        true
    }
}
