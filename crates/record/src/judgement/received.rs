//! What a colleague may decide here: what any other speaker may. The machine on which it was said has judged it by what that one knew; this one knows
//! whose its records are.

use crate::judgement::decide::Judge;
use crate::model::said::Author;
use crate::model::thought::{Ruling, RulingKind};

impl Judge<'_> {
    /// Judges a ruling that a shared store sent back, on a record that `said_by` said. What a person said, only a person retires: of others, the record
    /// and its replacement are in conflict then. Of a speaker who is not known, as on rulings of older versions, it holds.
    pub fn received(self, ruling: Ruling, said_by: Option<Author>) -> Option<Ruling> {
        let is_persons = said_by == Some(Author::Person);
        let may_decide = !is_persons || ruling.said.author.is_none_or(|by| by == Author::Person);
        match ruling.kind {
            RulingKind::Retire if !may_decide => ruling.other.is_some().then_some(Ruling {
                kind: RulingKind::Conflict,
                ..ruling
            }),
            RulingKind::Reject if !may_decide => None,
            _ => Some(ruling),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::standing::Standings;
    use crate::model::said::Said;
    use crate::model::thought::{Lift, RULING_KINDS};

    fn received(kind: RulingKind, other: Option<&str>, said: &str, by: Option<Author>) -> Option<(RulingKind, i64)> {
        let ruling = Ruling {
            kind,
            id: "mem_1".to_owned(),
            other: other.map(str::to_owned),
            why: String::new(),
            at_ms: 7,
            said: Said::read(said),
            lift: Lift::default(),
        };
        let standings = Standings::default();
        let judged = Judge::of(&standings, Said::default(), 1).received(ruling, by)?;
        Some((judged.kind, judged.at_ms))
    }

    #[test]
    fn what_a_person_said_only_a_person_retires_also_from_afar() {
        let person = Some(Author::Person);
        for said in ["agent/mcp", "script/cli", "watcher", "import", "tool/merge"] {
            let conflict = Some((RulingKind::Conflict, 7));
            assert_eq!(
                received(RulingKind::Retire, Some("mem_2"), said, person),
                conflict,
                "{said}"
            );
            for kind in [RulingKind::Retire, RulingKind::Reject] {
                assert_eq!(received(kind, None, said, person), None, "{said}");
            }
        }
    }

    #[test]
    fn everything_else_holds_as_it_was_said() {
        for kind in RULING_KINDS {
            for (said, by) in [
                ("person/cli", Some(Author::Person)),
                ("", Some(Author::Person)),
                ("agent/mcp", Some(Author::Agent)),
                ("agent/mcp", None),
            ] {
                assert_eq!(
                    received(kind, Some("mem_2"), said, by),
                    Some((kind, 7)),
                    "{kind:?} {said}"
                );
            }
        }
    }
}
