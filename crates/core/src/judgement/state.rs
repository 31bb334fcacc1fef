//! What a record can be. docs/truth.md shows these states, and the table of the lines that move a record from one to the other.

use std::hash::Hash;

use crate::judgement::standing::{Review, Standings};

/// What a record can be. Several may hold at once, and then the last one of this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum State {
    /// answers return it
    Current,
    /// answers return it, and say which record contradicts it
    InConflict,
    /// its lifetime is over
    Expired,
    /// another record, or none, says what holds now
    Retired,
    /// it waits for a review
    Proposed,
    /// a person has excluded it, and the same text is not captured again
    Rejected,
    /// a newer revision is returned instead
    Superseded,
    /// a tombstone covers it
    Forgotten,
}

impl State {
    /// Returns what a record is of which all this may hold.
    pub fn of(facts: impl IntoIterator<Item = (State, bool)>) -> Self {
        let held = facts.into_iter().filter(|(_, holds)| *holds);
        held.map(|(state, _)| state).max().unwrap_or(State::Current)
    }
}

impl<K: Hash + Eq + Clone> Standings<K> {
    /// Returns what rulings make of a record.
    pub fn state_of(&self, id: &K) -> State {
        let review = self.review_of(id, None);
        State::of([
            (State::InConflict, !self.conflicts_of(id).is_empty()),
            (State::Retired, self.retired_since(id, None).is_some()),
            (State::Proposed, matches!(review, Review::Proposed(_))),
            (State::Rejected, matches!(review, Review::Rejected(_))),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::State::{Current, Expired, Forgotten, InConflict, Proposed, Rejected, Retired, Superseded};
    use super::*;
    use crate::clock::Millis;
    use crate::journal::Span;
    use crate::judgement::decide::Judge;
    use crate::judgement::standing::Act;
    use crate::model::thought::{RULING_KINDS, Ruling, RulingKind, id_hash};

    const STATES: [State; 8] = [
        Current, InConflict, Expired, Retired, Proposed, Rejected, Superseded, Forgotten,
    ];
    const ID: &str = "mem_1";
    const OTHER: &str = "mem_2";
    const CAPTURED: &str = "captured";

    /// What moves a record: a ruling on it, or what says that it is gone.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Line {
        Ruling(RulingKind),
        Revision,
        Time,
        Tombstone,
    }

    struct Move {
        line: Line,
        /// The line as journals have it, and who writes it.
        name: &'static str,
        who: &'static str,
        from: &'static [State],
        to: State,
    }

    const MOVES: [Move; 10] = [
        Move {
            line: Line::Ruling(RulingKind::Propose),
            name: "`propose`",
            who: "a capture of somebody whose records wait; a person, who takes a review back",
            from: &[Current, InConflict, Expired, Retired, Rejected],
            to: Proposed,
        },
        Move {
            line: Line::Ruling(RulingKind::Accept),
            name: "`accept`",
            who: "a person; a capture of the same text by somebody whose records do not wait",
            from: &[Proposed, Rejected],
            to: Current,
        },
        Move {
            line: Line::Ruling(RulingKind::Reject),
            name: "`reject`",
            who: "a person",
            from: &[Current, InConflict, Expired, Retired, Proposed],
            to: Rejected,
        },
        Move {
            line: Line::Ruling(RulingKind::Conflict),
            name: "`conflict`",
            who: "a capture that contradicts it and may not retire it; a merge; who takes a decision back",
            from: &[Current],
            to: InConflict,
        },
        Move {
            line: Line::Ruling(RulingKind::Hold),
            name: "`hold`, with a `keep` of what is retired",
            who: "a person; others ask where their records wait",
            from: &[InConflict, Retired],
            to: Current,
        },
        Move {
            line: Line::Ruling(RulingKind::Retire),
            name: "`retire`",
            who: "a capture by a certain rule; who says that it is out of date, and of a person's record only a person",
            from: &[Current, InConflict, Expired],
            to: Retired,
        },
        Move {
            line: Line::Ruling(RulingKind::Keep),
            name: "`keep`",
            who: "a person; others ask where their records wait",
            from: &[Retired],
            to: Current,
        },
        Move {
            line: Line::Revision,
            name: "a record with `supersedes`",
            who: "an edit; a capture that names it",
            from: &[Current, InConflict, Expired, Retired, Proposed, Rejected],
            to: Superseded,
        },
        Move {
            line: Line::Time,
            name: "none: `expiresAt` has passed",
            who: "time; a capture of the same text renews it",
            from: &[Current, InConflict],
            to: Expired,
        },
        Move {
            line: Line::Tombstone,
            name: "`delete`",
            who: "a person; others ask where their records wait",
            from: &[Current, InConflict, Expired, Retired, Proposed, Rejected, Superseded],
            to: Forgotten,
        },
    ];

    /// A record that was proposed and accepted once, and what happened to it then.
    #[derive(Default)]
    struct World {
        standings: Standings<u64>,
        now: Millis,
        is_superseded: bool,
        is_expired: bool,
        is_forgotten: bool,
    }

    impl World {
        fn with(state: State) -> Self {
            let mut world = World::default();
            let lines: &[Line] = match state {
                Current => &[],
                InConflict => &[Line::Ruling(RulingKind::Conflict)],
                Expired => &[Line::Time],
                Retired => &[Line::Ruling(RulingKind::Retire)],
                Proposed => &[Line::Ruling(RulingKind::Propose)],
                Rejected => &[Line::Ruling(RulingKind::Reject)],
                Superseded => &[Line::Revision],
                Forgotten => &[Line::Tombstone],
            };
            for kind in [RulingKind::Propose, RulingKind::Accept] {
                world.decide(Line::Ruling(kind));
            }
            lines.iter().for_each(|line| world.decide(*line));
            world
        }

        /// Takes the decision of which the line is the outcome.
        fn decide(&mut self, line: Line) {
            self.now += 10;
            let judge = Judge::of(&self.standings, self.now);
            let rulings = match line {
                Line::Ruling(RulingKind::Propose) => {
                    vec![
                        judge
                            .propose_again(ID, judge.accept(ID, None, ""))
                            .kind(RulingKind::Propose),
                    ]
                }
                Line::Ruling(RulingKind::Accept) => vec![judge.accept(ID, None, CAPTURED)],
                Line::Ruling(RulingKind::Reject) => vec![judge.reject(ID, None)],
                Line::Ruling(RulingKind::Conflict) => judge.reopen(ID, OTHER).into_iter().collect(),
                Line::Ruling(RulingKind::Hold) => judge.hold(ID, OTHER),
                Line::Ruling(RulingKind::Retire) => judge.retire(ID, OTHER, "number"),
                Line::Ruling(RulingKind::Keep) => judge.keep([ID]),
                Line::Ruling(kind @ (RulingKind::Useful | RulingKind::Wrong)) => {
                    judge.feedback(ID, kind, "s_1").into_iter().collect()
                }
                Line::Ruling(RulingKind::Request) => vec![judge.accept(ID, Some(OTHER), "").kind(RulingKind::Request)],
                Line::Revision => return self.is_superseded = true,
                Line::Time => return self.is_expired = true,
                Line::Tombstone => return self.is_forgotten = true,
            };
            for ruling in rulings {
                let act = Act {
                    kind: ruling.kind,
                    other: ruling.other.as_deref().map(id_hash),
                    at: ruling.at_ms,
                    span: Span { offset: 0, len: 0 },
                };
                self.standings.take(id_hash(&ruling.id), act);
            }
            self.standings.settle();
        }

        fn state(&self) -> State {
            State::of([
                (self.standings.state_of(&id_hash(ID)), true),
                (Expired, self.is_expired),
                (Superseded, self.is_superseded),
                (Forgotten, self.is_forgotten),
            ])
        }
    }

    impl Ruling {
        fn kind(self, kind: RulingKind) -> Self {
            Ruling { kind, ..self }
        }
    }

    #[test]
    fn every_line_does_to_a_record_in_every_state_what_the_table_says_or_nothing() {
        let rulings = RULING_KINDS.into_iter().map(Line::Ruling);
        let lines: Vec<Line> = rulings.chain([Line::Revision, Line::Time, Line::Tombstone]).collect();
        for state in STATES {
            for line in &lines {
                let mut world = World::with(state);
                assert_eq!(world.state(), state);
                world.decide(*line);
                let rows = MOVES
                    .iter()
                    .filter(|row| row.line == *line && row.from.contains(&state));
                let rows: Vec<&Move> = rows.collect();
                let after = rows.first().map_or(state, |row| row.to);
                assert_eq!(
                    (world.state(), rows.len() <= 1),
                    (after, true),
                    "{line:?} of a record that is {state:?}"
                );
            }
        }
    }

    #[test]
    fn the_documents_show_the_table() {
        let code = include_str!("state.rs");
        let words = |state: &State| match state {
            InConflict => "in conflict".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        let says = |state: &State| {
            let (before, _) = code.split_once(&format!("\n    {state:?},\n")).unwrap();
            before.rsplit_once("/// ").unwrap().1
        };
        let mut page = String::from("| state | what the record is |\n|---|---|\n");
        for state in STATES {
            page += &format!("| {} | {} |\n", words(&state), says(&state));
        }
        page += "\n| line | who writes it | of a record that is | it becomes |\n|---|---|---|---|\n";
        for row in MOVES {
            let from: Vec<String> = row.from.iter().map(words).collect();
            page += &format!(
                "| {} | {} | {} | {} |\n",
                row.name,
                row.who,
                from.join(", "),
                words(&row.to)
            );
        }
        let documents = include_str!("../../../../docs/truth.md");
        assert!(documents.contains(&page), "docs/truth.md should have:\n{page}");
    }
}
