//! What a colleague may decide here: what any other speaker may. The machine on which it was said has judged it by what that one knew; this one knows
//! whose its records are.

use crate::judgement::decide::Judge;
use crate::model::said::Author;
use crate::model::thought::{Ruling, RulingKind};

impl Judge<'_> {
    /// Judges a ruling that a shared store sent back, on a record that `said_by` said. What a person said, only a person retires: of others, the record
    /// and its replacement are in conflict then. What a person retired, only a person keeps. Of a speaker who is not known, as on rulings of older versions, it holds.
    pub fn received(self, ruling: Ruling, said_by: Option<Author>) -> Option<Ruling> {
        let may_decide = said_by != Some(Author::Person) || may_be_persons(&ruling);
        let retired_by = self.retired_before(&ruling.id, ruling.at_ms);
        let may_keep = retired_by != Some(Author::Person) || may_be_persons(&ruling);
        match ruling.kind {
            RulingKind::Retire if !may_decide => ruling.other.is_some().then_some(Ruling {
                kind: RulingKind::Conflict,
                ..ruling
            }),
            RulingKind::Reject if !may_decide => None,
            RulingKind::Keep if !may_keep => None,
            _ => Some(ruling),
        }
    }
}

fn may_be_persons(ruling: &Ruling) -> bool {
    ruling.said.author.is_none_or(|author| author == Author::Person)
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
    fn what_a_person_retired_only_a_person_keeps_also_from_afar() {
        use crate::judgement::decide::tests::{ruling, standings};
        let by = |said: &str, ruling: Ruling| Ruling {
            said: Said::read(said),
            ..ruling
        };
        let kept = |retired_by: &str, kept_by: &str, at| {
            let standings = standings(&[by(retired_by, ruling(RulingKind::Retire, "mem_1", None, "", 5))]);
            let keep = by(kept_by, ruling(RulingKind::Keep, "mem_1", None, "", at));
            Judge::of(&standings, Said::default(), 9).received(keep, None).is_some()
        };
        assert!(!kept("person/cli", "agent/mcp", 7));
        assert!(kept("person/cli", "person/cli", 7) && kept("agent/mcp", "agent/mcp", 7));
        assert!(kept("person/cli", "agent/mcp", 3), "it was said before");
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
