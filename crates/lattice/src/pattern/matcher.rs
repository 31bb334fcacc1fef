//! Looks for patterns among the nodes of a tree.

use super::spots::Spot;
use super::{Patterns, Spots, Step, What};

/// So many nodes a pattern may capture.
pub const CAPTURES_MAX: usize = 4;

/// One way in which a tree has a pattern.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// Which pattern of the query.
    pub pattern: u16,
    /// The node that the pattern begins with.
    root: u32,
    /// The last node that it needs.
    last: u32,
    count: u8,
    captures: [(u16, u32); CAPTURES_MAX],
}

impl Match {
    /// Returns the captures, by their place in the query's list, and the places of their nodes: in the order of the nodes.
    pub fn captures(&self) -> &[(u16, u32)] {
        &self.captures[..usize::from(self.count)]
    }

    /// The same with one node more.
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
    /// Returns every way in which the tree has the patterns: by the last node that each needs, what begins further out
    /// before what begins further in, and earlier patterns before later ones.
    pub fn find(&self, spots: &Spots<'_>, source: &[u8]) -> Vec<Match> {
        let mut finder = Finder {
            patterns: self,
            spots: &spots.all,
            source,
            found: Vec::new(),
            hint: None,
        };
        for (place, spot) in (0_u32..).zip(&spots.all) {
            let begin = self.begin.get(usize::from(spot.kind)).map(Vec::as_slice);
            for number in begin.unwrap_or_default() {
                finder.begin(*number, place);
            }
        }
        let mut found = finder.found;
        found.sort_by_key(|one| (one.last, one.root, one.pattern));
        found
    }
}

/// What is still to be found: steps among the children of one node, then what is to be found around it.
struct Rest<'r, 'f> {
    steps: &'f [Step],
    within: u32,
    from: u32,
    end: u32,
    then: Option<&'r Rest<'r, 'f>>,
}

/// Where a step was first found among the children of one node: `a, b, c int` has the type of each name behind all names,
/// and is not read through for each.
#[derive(Clone, Copy)]
struct Hint<'f> {
    step: &'f Step,
    within: u32,
    from: u32,
    first: u32,
}

struct Finder<'f, 't> {
    patterns: &'f Patterns,
    spots: &'f [Spot<'t>],
    source: &'f [u8],
    found: Vec<Match>,
    hint: Option<Hint<'f>>,
}

impl<'f> Finder<'f, '_> {
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
                self.enter(pattern, (place, end), None, &nothing);
            }
        }
    }

    /// Takes this node for that step, and goes on with what has to stand in it.
    fn enter(&mut self, step: &'f Step, (place, end): (u32, u32), then: Option<&Rest<'_, 'f>>, so_far: &Match) -> bool {
        let so_far = so_far.with(step, place);
        if let What::OneOf(choices) = &step.what {
            let mut is_found = false;
            for choice in choices {
                is_found |= self.is(choice, place).is_some() && self.enter(choice, (place, end), then, &so_far);
            }
            return is_found;
        }
        let inside = Rest {
            steps: &step.children,
            within: place,
            from: place + 1,
            end,
            then,
        };
        self.go_on(Some(&inside), &so_far)
    }

    /// Finds what is left, and tells whether there was any.
    fn go_on(&mut self, rest: Option<&Rest<'_, 'f>>, so_far: &Match) -> bool {
        let Some(rest) = rest else {
            self.found.push(*so_far);
            return true;
        };
        let Some((step, steps)) = rest.steps.split_first() else {
            return self.go_on(rest.then, so_far);
        };
        let is_once = !step.is_telling && steps.first().is_none_or(|next| !next.is_next);
        let mut is_found = false;
        let mut place = self.first(step, rest);
        let mut is_looked_at = !step.is_next;
        while place < rest.end
            && let Some(spot) = self.spots.get(place as usize)
        {
            let (end, kind) = (spot.end, spot.kind);
            let is_it = std::mem::take(&mut is_looked_at) || self.is(step, place).is_some();
            if is_it && (!step.is_last || self.is_last(end, rest.end)) {
                let behind = Rest {
                    steps,
                    within: rest.within,
                    from: end,
                    end: rest.end,
                    then: rest.then,
                };
                is_found |= self.enter(step, (place, end), Some(&behind), so_far);
                if is_found && is_once {
                    break;
                }
            }
            if step.is_next && self.patterns.is_named(kind) {
                break;
            }
            place = end;
        }
        is_found
    }

    /// Returns the first place that may be a step's, or the end.
    fn first(&mut self, step: &'f Step, rest: &Rest<'_, 'f>) -> u32 {
        if step.is_next {
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
            && let Some(spot) = self.spots.get(first as usize)
        {
            first = spot.end;
        }
        self.hint = Some(Hint {
            step,
            within: rest.within,
            from: rest.from,
            first,
        });
        first
    }

    /// Tells whether a node is what a step asks for, but for what stands in it; and where it ends.
    fn is(&self, step: &Step, place: u32) -> Option<u32> {
        let spot = self.spots.get(place as usize)?;
        let is_kind = match &step.what {
            What::Kind(kind) => *kind == spot.kind,
            What::Named => self.patterns.is_named(spot.kind) && !spot.is_error(),
            What::Any => !spot.is_error(),
            What::OneOf(_) => true,
        };
        if !is_kind || step.field.is_some_and(|field| field != spot.field) {
            return None;
        }
        let has = |field: &u16| spot.node.child_by_field_id(*field).is_some();
        if step.without.iter().any(has) {
            return None;
        }
        let is_text = |text: &String| self.source.get(spot.node.byte_range()) == Some(text.as_bytes());
        (step.texts.is_empty() || step.texts.iter().any(is_text)).then_some(spot.end)
    }

    /// Tells whether no node with a name stands from one place to another.
    fn is_last(&self, from: u32, end: u32) -> bool {
        let mut place = from;
        while place < end
            && let Some(spot) = self.spots.get(place as usize)
        {
            if self.patterns.is_named(spot.kind) {
                return false;
            }
            place = spot.end;
        }
        true
    }
}
