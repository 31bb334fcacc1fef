//! The states of a record, and the lines that move it. docs/reference/truth.md shows the same two tables; a test plays each line in each state.
//!
//! | state | what the record is |
//! |---|---|
//! | current | answers return it |
//! | in conflict | answers return it, and say which record contradicts it |
//! | expired | its lifetime is over |
//! | retired | another record, or none, says what holds now |
//! | proposed | it waits for a review |
//! | rejected | a person has excluded it, and the same text is not captured again |
//! | superseded | a newer revision is returned instead |
//! | forgotten | a tombstone covers it |
//!
//! | line | who writes it | of a record that is | it becomes |
//! |---|---|---|---|
//! | `propose` | a capture of somebody whose records wait; a person, who takes a review back | current, in conflict, expired, retired, rejected | proposed |
//! | `accept` | a person; a capture of the same text by somebody whose records do not wait | proposed, rejected | current |
//! | `reject` | a person | current, in conflict, expired, retired, proposed | rejected |
//! | `conflict` | a capture that contradicts it and may not retire it; a merge; who takes a decision back | current | in conflict |
//! | `hold`, with a `keep` of what is retired | anybody; those whose records wait ask a person, and so do all others where a person said one of the two or retired it | in conflict, retired | current |
//! | `retire` | a capture by a certain rule, or whoever says that it is out of date; of a person's record only a person | current, in conflict, expired | retired |
//! | `keep` | anybody; those whose records wait ask a person, and so do all others of what a person has retired, edited or forgotten | retired | current |
//! | a record with `supersedes` | an edit; a capture that names it | current, in conflict, expired, retired, proposed, rejected | superseded |
//! | none: `expiresAt` has passed | time; a capture of the same text renews it | current, in conflict | expired |
//! | `delete` | anybody; those whose records wait, and of a person's record all others, ask a person | current, in conflict, expired, retired, proposed, rejected, superseded | forgotten |

use std::hash::Hash;

use crate::judgement::standing::{Review, Standings};

/// The state of a record: the first table says what each means. Several may hold at once, and then the last one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    Current,
    InConflict,
    Expired,
    Retired,
    Proposed,
    Rejected,
    Superseded,
    Forgotten,
}

impl State {
    /// Returns the state of a record of which all this may hold.
    pub fn of(facts: impl IntoIterator<Item = (State, bool)>) -> Self {
        let held = facts.into_iter().filter(|(_, holds)| *holds);
        held.map(|(state, _)| state).max().unwrap_or(State::Current)
    }
}

impl<K: Hash + Eq + Clone> Standings<K> {
    /// Returns the state of a record by its rulings.
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
    use crate::judgement::decide::Judge;
    use crate::judgement::decide::tests::ruling;
    use crate::judgement::standing::Act;
    use crate::judgement::worth::Subject;
    use crate::model::said::Said;
    use crate::model::thought::{RULING_KINDS, RulingKind, id_hash};
    use forge_memory_journal::Span;
    use forge_memory_journal::clock::Millis;

    const STATES: [(&str, State); 8] = [
        ("current", Current),
        ("in conflict", InConflict),
        ("expired", Expired),
        ("retired", Retired),
        ("proposed", Proposed),
        ("rejected", Rejected),
        ("superseded", Superseded),
        ("forgotten", Forgotten),
    ];
    const ID: &str = "mem_1";
    const OTHER: &str = "mem_2";

    /// A line that moves a record: a ruling on it, or one by which it is gone.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Line {
        Ruling(RulingKind),
        Revision,
        Time,
        Tombstone,
    }

    /// The tables of this file, as the documents have them.
    fn tables() -> String {
        let lines = include_str!("state.rs").lines().skip(2);
        let lines: Vec<&str> = lines
            .map_while(|line| line.strip_prefix("//!"))
            .map(str::trim)
            .collect();
        lines.join("\n")
    }

    /// The rows of the second table: the line, the states in which it does something, and the state afterwards.
    fn moves() -> Vec<(Line, Vec<State>, State)> {
        let tables = tables();
        let state = |name: &str| STATES.iter().find(|(known, _)| *known == name.trim()).unwrap().1;
        let rows = tables.split_once("| line |").unwrap().1.lines().skip(2);
        rows.map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let name = cells[0].trim_start_matches("`").split('`').next().unwrap();
            let line = match RulingKind::of(name) {
                Some(kind) => Line::Ruling(kind),
                None if name == "delete" => Line::Tombstone,
                None if name.starts_with("none") => Line::Time,
                None => Line::Revision,
            };
            (line, cells[2].split(',').map(state).collect(), state(cells[3]))
        })
        .collect()
    }

    /// A record that was proposed and accepted once, and its state since.
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
            let judge = Judge::of(&self.standings, Said::default(), self.now);
            let rulings = match line {
                Line::Ruling(RulingKind::Propose) => {
                    let proposal = ruling(RulingKind::Propose, ID, None, "agent", 0);
                    vec![judge.propose_again(ID, Some(proposal)).unwrap()]
                }
                Line::Ruling(RulingKind::Accept) => vec![judge.accept(ID, None, "")],
                Line::Ruling(RulingKind::Reject) => vec![judge.reject(ID, None)],
                Line::Ruling(RulingKind::Conflict) => judge.reopen(ID, OTHER).into_iter().collect(),
                Line::Ruling(RulingKind::Hold) => judge.hold(ID, OTHER),
                Line::Ruling(RulingKind::Retire) => judge.retire(ID, OTHER, "number"),
                Line::Ruling(RulingKind::Keep) => judge.keep([ID]),
                Line::Ruling(kind @ (RulingKind::Useful | RulingKind::Wrong)) => {
                    let record = Subject {
                        id: ID.to_owned(),
                        ..Subject::default()
                    };
                    judge.feedback(&record, kind, "s_1").into_iter().collect()
                }
                Line::Ruling(RulingKind::Withdraw) => judge.withdraw(ID, "s_1").into_iter().collect(),
                Line::Ruling(kind @ (RulingKind::Elsewhere | RulingKind::Here)) => {
                    let is_out = kind == RulingKind::Elsewhere;
                    judge.place(ID, is_out, ("at.1", "src/a.ts")).into_iter().collect()
                }
                Line::Ruling(RulingKind::Request) => {
                    vec![ruling(RulingKind::Request, ID, Some(OTHER), "forget -", self.now)]
                }
                Line::Revision => return self.is_superseded = true,
                Line::Time => return self.is_expired = true,
                Line::Tombstone => return self.is_forgotten = true,
            };
            for ruling in rulings {
                let act = Act::of(&ruling, Span { offset: 0, len: 0 });
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

    #[test]
    fn every_line_does_to_a_record_in_every_state_what_the_table_says_or_nothing() {
        let (moves, mut played) = (moves(), 0);
        let rulings = RULING_KINDS.into_iter().map(Line::Ruling);
        for line in rulings.chain([Line::Revision, Line::Time, Line::Tombstone]) {
            for (_, state) in STATES {
                let mut world = World::with(state);
                assert_eq!(world.state(), state);
                world.decide(line);
                let rows: Vec<_> = moves
                    .iter()
                    .filter(|row| row.0 == line && row.1.contains(&state))
                    .collect();
                let after = rows.first().map_or(state, |row| row.2);
                assert_eq!(
                    (world.state(), rows.len() <= 1),
                    (after, true),
                    "{line:?} of a record that is {state:?}"
                );
                played += rows.len();
            }
        }
        assert_eq!(
            played,
            moves.iter().map(|row| row.1.len()).sum::<usize>(),
            "a row is about no line"
        );
    }

    #[test]
    fn the_documents_show_the_tables() {
        let (documents, tables) = (include_str!("../../../../docs/reference/truth.md"), tables());
        assert!(
            documents.contains(&tables),
            "docs/reference/truth.md should have:\n{tables}"
        );
        let names: Vec<&str> = tables
            .lines()
            .skip(2)
            .map_while(|row| row.strip_prefix("| ")?.split(" |").next())
            .collect();
        assert_eq!(names, STATES.map(|(name, _)| name), "from the weakest to the strongest");
    }
}
