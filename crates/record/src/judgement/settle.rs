//! What people and agents decide about records that are there, if they may; else they ask a person for it.

use crate::error::{Error, Result};
use crate::judgement::decide::{By, Judge, Line, Told};
use crate::judgement::reason::{Contradicted, WHY_MERGED, WHY_REPLACED, WHY_RESOLVED};
use crate::judgement::request::{Change, Request};
use crate::judgement::state::State;
use crate::judgement::worth::Subject;
use crate::model::author::{Author, Speaker};
use crate::model::thought::{Ruling, RulingKind};
use forge_memory_journal::clock::Millis;
use schemars::JsonSchema;
use serde::Deserialize;

/// A decision about records that are there.
#[derive(Debug, PartialEq, Eq)]
pub enum Ruled {
    /// It is made, by these rulings; by none when they would change nothing.
    Made(Vec<Ruling>),
    /// The speaker may only ask for it.
    Asked(Vec<Request>, Speaker),
}

impl<R: IntoIterator<Item = Ruling>> From<R> for Ruled {
    fn from(rulings: R) -> Self {
        Ruled::Made(rulings.into_iter().collect())
    }
}

impl By<'_> {
    /// Asks a person for changes of records.
    pub fn asks(self, changes: impl IntoIterator<Item = (String, Change)>, why: &str) -> Ruled {
        let changes = changes.into_iter();
        let requests = changes.map(|(of, change)| Request::new(&of, change, why, self.speaker));
        Ruled::Asked(requests.collect(), self.speaker.clone())
    }
}

/// Which of two records that contradict each other holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// The one that was captured later.
    Newer,
    /// The one that was captured earlier.
    Older,
    /// Both.
    Both,
    /// A text that replaces both.
    Merge,
}

/// A decision about two records that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The newer one holds; the older one is retired.
    Newer,
    /// The older one holds; the newer one is retired.
    Older,
    /// Both are true: they are not in conflict.
    Both,
    /// This text takes the place of both.
    Merge(String),
}

impl Resolution {
    /// Returns a resolution; a merge has a text.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a text is missing or not wanted.
    pub fn of(holds: Holds, text: Option<String>) -> Result<Self> {
        match (holds, text) {
            (Holds::Newer, None) => Ok(Resolution::Newer),
            (Holds::Older, None) => Ok(Resolution::Older),
            (Holds::Both, None) => Ok(Resolution::Both),
            (Holds::Merge, Some(text)) => Ok(Resolution::Merge(text)),
            (Holds::Merge, None) => Err(Error::invalid("text", "is required: the text that replaces both")),
            (_, Some(_)) => Err(Error::invalid("text", "only a merge takes a text")),
        }
    }
}

/// One of two records that contradict each other.
#[derive(Debug, Clone, Copy)]
pub struct Side<'r> {
    pub id: &'r str,
    pub made: Millis,
    pub author: Option<Author>,
    pub text: &'r str,
}

/// How a conflict is settled.
#[derive(Debug, PartialEq, Eq)]
pub enum Settled {
    /// By rulings, or not yet: these records are current then, and these are retired.
    Ruled(Ruled, Vec<String>, Vec<String>),
    /// By a text that revises the newer record and retires the older one.
    Merged(String, [String; 2]),
    /// By a proposal of such a text.
    Proposed(String, [String; 2]),
}

impl Judge<'_> {
    /// Settles a conflict.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the two are one record, are not in conflict, or one of them waits for its review: it cannot retire another one.
    pub fn resolve(self, sides: [Side<'_>; 2], resolution: Resolution, by: By<'_>) -> Result<Settled> {
        let [first, second] = sides;
        self.check_reviewed(first.id)?;
        self.check_reviewed(second.id)?;
        if first.id == second.id {
            return Err(Error::invalid("with", "these are revisions of one record"));
        }
        if !self.were_in_conflict(first.id, second.id) {
            return Err(Error::invalid(
                "with",
                "the two are not in conflict; to retire one that is out of date, replace it",
            ));
        }
        let is_newer = (first.made, first.id) > (second.made, second.id);
        let (newer, older) = if is_newer { (first, second) } else { (second, first) };
        let (holds, retired) = match resolution {
            Resolution::Older => (older, newer),
            _ => (newer, older),
        };
        // Both hold only by the leave of whoever said either; what is retired comes back by the leave of whoever retired it.
        let touched = match resolution {
            Resolution::Both => [
                newer.author,
                older.author,
                self.retired_by(newer.id),
                self.retired_by(older.id),
            ],
            Resolution::Merge(_) => [newer.author, older.author, None, None],
            _ => [retired.author, self.retired_by(holds.id), None, None],
        };
        let said_by = touched.into_iter().flatten().find(|author| *author == Author::Person);
        let id = |side: Side<'_>| side.id.to_owned();
        let why = match resolution {
            Resolution::Merge(_) => WHY_MERGED,
            _ => WHY_RESOLVED,
        };
        let asks = |change: Change| by.asks([(id(retired), change)], "");
        Ok(match (resolution, by.may_only_ask(said_by)) {
            (Resolution::Both, may_only_ask) => {
                let ruled = if may_only_ask {
                    asks(Change::Hold(id(newer)))
                } else {
                    self.hold(older.id, newer.id).into()
                };
                Settled::Ruled(ruled, vec![id(newer), id(older)], Vec::new())
            }
            (Resolution::Merge(text), true) => Settled::Proposed(text, [newer, older].map(id)),
            (Resolution::Merge(text), false) if newer.text != text => Settled::Merged(text, [newer, older].map(id)),
            (_, true) => Settled::Ruled(asks(Change::Retire(Some(id(holds)))), Vec::new(), Vec::new()),
            // Of a merge that is repeated, the record exists already.
            (_, false) => {
                let ruled = self.retire(retired.id, holds.id, why).into();
                Settled::Ruled(ruled, vec![id(holds)], vec![id(retired)])
            }
        })
    }

    /// Refuses a record that is proposed or was rejected.
    ///
    /// # Errors
    /// `INVALID_INPUT`.
    pub fn check_reviewed(self, id: &str) -> Result<()> {
        match self.state_of(id) {
            State::Proposed | State::Rejected => Err(Error::invalid(
                "with",
                format!("{id} is waiting for its review or was rejected: accept it first"),
            )),
            _ => Ok(()),
        }
    }

    /// Says of records that they are out of date, by another one or by none. Returns the rulings, and of each record whether there is one.
    pub fn replace_all(self, old: &[&Contradicted], by: Option<&str>, why: &str) -> (Vec<Ruling>, Vec<bool>) {
        let why = if why.is_empty() { WHY_REPLACED } else { why };
        let kind = |older: &Contradicted| {
            if older.is_retired {
                RulingKind::Retire
            } else {
                RulingKind::Conflict
            }
        };
        let open = old.iter().map(|older| !self.is_replaced(older, by));
        let open: Vec<bool> = open.collect();
        let named = old.iter().zip(&open).filter(|(_, is_open)| **is_open);
        let rulings = named.map(|(older, _)| self.replace(kind(older), &older.id, by, why));
        (rulings.collect(), open)
    }

    /// True if a record is retired by the other one already, or by anything when none is named; one that the speaker may not retire,
    /// whether it is in conflict with it.
    pub fn is_replaced(self, older: &Contradicted, by: Option<&str>) -> bool {
        if older.is_retired {
            self.is_retired_by(&older.id, by)
        } else {
            let is_open = by.is_some_and(|by| self.are_in_conflict(&older.id, by));
            is_open || self.is_retired_by(&older.id, None)
        }
    }

    /// True if a record is in conflict with the one that is to replace it, and waits for a person.
    pub fn is_contested(self, id: &str, by: Option<&str>) -> bool {
        by.is_some_and(|by| self.are_in_conflict(id, by)) && !self.is_retired_by(id, None)
    }

    /// Counts the feedback of a session on a current record, or takes it back.
    ///
    /// # Errors
    /// `NOT_FOUND` when the record waits for its review or was rejected.
    pub fn count(self, record: &Subject, kind: RulingKind, session: &str, by: By<'_>) -> Result<Ruled> {
        let id = record.id.as_str();
        self.check_shown(id)?;
        Ok(match (kind, by.may_only_ask(None)) {
            (RulingKind::Withdraw, false) => self.withdraw(id, session).into(),
            (_, false) => self.feedback(record, kind, session).into(),
            // Nobody has to decide about citations that a hook counts, and feedback that was not counted is not taken back.
            (RulingKind::Useful, true) if session.starts_with("hook.") => Ruled::Made(Vec::new()),
            (RulingKind::Useful, true) => by.asks([(id.to_owned(), Change::Useful)], ""),
            (RulingKind::Wrong, true) => by.asks([(id.to_owned(), Change::Wrong)], ""),
            (_, true) => Ruled::Made(Vec::new()),
        })
    }

    /// Says that a record does not belong to a place, or that it does after all. Whoever may only ask for changes of it does not decide that:
    /// it counts nothing.
    ///
    /// # Errors
    /// As [`Judge::count`].
    pub fn rule_out(
        self,
        (id, said_by): (&str, Option<Author>),
        is_out: bool,
        place: (&str, &str),
        by: By<'_>,
    ) -> Result<Option<Ruling>> {
        self.check_shown(id)?;
        let is_decided = !by.may_only_ask(said_by);
        Ok(is_decided.then(|| self.place(id, is_out, place)).flatten())
    }

    /// Takes a ruling that came with the record that it is about.
    pub fn brought(self, ruling: Ruling) -> Line {
        Line::Ruling(ruling, Told::Nobody)
    }

    /// Decides about a ruling that came from outside, on a record that is here: it is made if its speaker may make it, else a person is asked
    /// for what can be asked for. A review from outside decides nothing here.
    pub fn receive(self, ruling: Ruling, author: Option<Author>, by: By<'_>) -> Vec<Line> {
        let said_by = self.said_by(&ruling.id, author);
        let ended_by = match ruling.kind {
            RulingKind::Keep | RulingKind::Hold => self.retired_before(&ruling.id, ruling.at_ms),
            _ => None,
        };
        if !by.may_only_ask(ended_by) && !by.may_only_ask(said_by) && !ruling.kind.is_review() {
            return vec![self.brought(ruling)];
        }
        let change = match (ruling.kind, ruling.other) {
            // A contradiction hides nothing.
            (RulingKind::Conflict, other) => return vec![self.brought(Ruling { other, ..ruling })],
            (RulingKind::Retire, other) => Change::Retire(other),
            (RulingKind::Keep, _) => Change::Keep,
            (RulingKind::Hold, Some(other)) => Change::Hold(other),
            _ => return Vec::new(),
        };
        let request = Request::new(&ruling.id, change, &ruling.why, by.speaker);
        self.request(&[request], by.speaker, |_| true)
            .map_or_else(|_| Vec::new(), |(lines, _)| lines)
    }

    fn check_shown(self, id: &str) -> Result<()> {
        match self.review_of(id).withheld_since() {
            Some(_) => Err(Error::no_memory(id)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::decide::tests::{ruling, standings};
    use crate::judgement::reason::{Reason, SUPERSEDES};
    use crate::model::said::Said;

    const NOW: Millis = 1000;

    fn subject(id: &str) -> Subject {
        Subject {
            id: id.to_owned(),
            ..Subject::default()
        }
    }

    fn side(id: &'static str, made: Millis, author: Author) -> Side<'static> {
        Side {
            id,
            made,
            author: Some(author),
            text: id,
        }
    }

    fn speaker(author: Author) -> Speaker {
        Speaker {
            author: Some(author),
            session: Some("mcp.1".to_owned()),
            ..Speaker::default()
        }
    }

    fn changes(ruled: Ruled) -> Vec<(String, Change)> {
        match ruled {
            Ruled::Asked(requests, _) => requests.into_iter().map(|asked| (asked.of, asked.change)).collect(),
            Ruled::Made(rulings) => panic!("it was decided: {rulings:?}"),
        }
    }

    fn texts<const N: usize>(ids: [&str; N]) -> Vec<String> {
        ids.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_conflict_is_settled_by_those_who_may_and_others_ask_for_just_that() {
        let conflict = ruling(RulingKind::Conflict, "old", Some("new"), "number", 10);
        let (standings, agent) = (standings(&[conflict]), speaker(Author::Agent));
        // The sides are given in any order, and a person said the older one.
        let sides = [side("new", 20, Author::Agent), side("old", 10, Author::Person)];
        let resolve = |resolution, waits| {
            let by = By { speaker: &agent, waits };
            Judge::of(&standings, Said::default(), NOW)
                .resolve(sides, resolution, by)
                .unwrap()
        };
        let asked = |resolution, waits| match resolve(resolution, waits) {
            Settled::Ruled(ruled, ..) => changes(ruled),
            other => panic!("{other:?}"),
        };
        let retire = |id: &str, by: &str| vec![ruling(RulingKind::Retire, id, Some(by), WHY_RESOLVED, NOW)];
        let (old, new) = ("old".to_owned(), "new".to_owned());
        // It may give in, and not overrule a person.
        let gives_in = Settled::Ruled(Ruled::Made(retire("new", "old")), texts(["old"]), texts(["new"]));
        assert_eq!(resolve(Resolution::Older, false), gives_in);
        assert_eq!(
            asked(Resolution::Newer, false),
            [(old.clone(), Change::Retire(Some(new.clone())))]
        );
        assert_eq!(
            asked(Resolution::Older, true),
            [(new.clone(), Change::Retire(Some(old.clone())))]
        );
        for waits in [false, true] {
            assert_eq!(
                asked(Resolution::Both, waits),
                [(old.clone(), Change::Hold(new.clone()))]
            );
        }
        let merge = || Resolution::Merge("both".to_owned());
        let proposed = Settled::Proposed("both".to_owned(), [new.clone(), old.clone()]);
        assert_eq!(resolve(merge(), false), proposed);
        let person = Speaker::person();
        let by = By {
            speaker: &person,
            waits: true,
        };
        let merged = Settled::Merged("both".to_owned(), [new.clone(), old.clone()]);
        assert_eq!(
            Judge::of(&standings, Said::default(), NOW)
                .resolve(sides, merge(), by)
                .unwrap(),
            merged
        );
        // A merge that is repeated finds its text, and retires the other record again.
        let again = Judge::of(&standings, Said::default(), NOW).resolve(sides, Resolution::Merge(new.clone()), by);
        let retired = ruling(RulingKind::Retire, "old", Some("new"), WHY_MERGED, NOW);
        let ruled = Settled::Ruled(Ruled::Made(vec![retired]), vec![new], vec![old]);
        assert_eq!(again.unwrap(), ruled);
    }

    #[test]
    fn what_a_person_retired_comes_back_by_the_leave_of_a_person_alone() {
        let (agent, person) = (speaker(Author::Agent), Speaker::person());
        let resolve = |by: &Speaker, retired_by: &Speaker, resolution| {
            let conflict = ruling(RulingKind::Conflict, "old", Some("new"), "number", 10);
            let said = retired_by.said();
            let retire = Ruling {
                said,
                ..ruling(RulingKind::Retire, "old", Some("new"), WHY_RESOLVED, 20)
            };
            let standings = standings(&[conflict, retire]);
            let sides = [side("new", 20, Author::Agent), side("old", 10, Author::Agent)];
            let by = By {
                speaker: by,
                waits: false,
            };
            let judge = Judge::of(&standings, Said::default(), NOW);
            judge.resolve(sides, resolution, by).unwrap()
        };
        let is_asked = |settled: &Settled| matches!(settled, Settled::Ruled(Ruled::Asked(..), ..));
        for resolution in [Resolution::Both, Resolution::Older] {
            assert!(
                is_asked(&resolve(&agent, &person, resolution.clone())),
                "{resolution:?}"
            );
            assert!(
                !is_asked(&resolve(&agent, &agent, resolution.clone())),
                "{resolution:?}"
            );
            assert!(!is_asked(&resolve(&person, &person, resolution)));
        }
        assert!(!is_asked(&resolve(&agent, &person, Resolution::Newer)));
    }

    #[test]
    fn what_waits_is_of_one_record_or_in_no_conflict_is_not_settled() {
        let conflict = ruling(RulingKind::Conflict, "old", Some("new"), "number", 10);
        let propose = ruling(RulingKind::Propose, "new", None, "agent", 20);
        let sides = |ids: [&'static str; 2]| ids.map(|id| side(id, 10, Author::Agent));
        let person = Speaker::person();
        let by = By {
            speaker: &person,
            waits: false,
        };
        let refused = |rulings: &[Ruling], ids| {
            let standings = standings(rulings);
            let refused = Judge::of(&standings, Said::default(), NOW).resolve(sides(ids), Resolution::Newer, by);
            refused.unwrap_err().to_string()
        };
        assert!(refused(&[conflict.clone(), propose], ["old", "new"]).contains("accept it first"));
        assert!(refused(std::slice::from_ref(&conflict), ["old", "old"]).contains("of one record"));
        assert!(refused(&[conflict], ["old", "other"]).contains("not in conflict"));
    }

    #[test]
    fn only_what_is_not_said_already_is_said_of_records_that_are_out_of_date() {
        let retire = ruling(RulingKind::Retire, "gone", Some("new"), "replaced", 10);
        let keep = ruling(RulingKind::Keep, "kept", None, "", NOW);
        let standings = standings(&[retire, keep]);
        let named = |id: &str, is_retired| Contradicted {
            why: Reason::of(SUPERSEDES),
            is_retired,
            ..Contradicted::superseded(id.to_owned())
        };
        let old = [named("gone", true), named("kept", true), named("persons", false)];
        let old: Vec<&Contradicted> = old.iter().collect();
        let (rulings, are_open) = Judge::of(&standings, Said::default(), NOW).replace_all(&old, Some("new"), "");
        // Of a `keep` and a `retire` at one time, the `keep` would count.
        let retire = ruling(RulingKind::Retire, "kept", Some("new"), WHY_REPLACED, NOW + 1);
        let conflict = ruling(RulingKind::Conflict, "persons", Some("new"), WHY_REPLACED, NOW);
        assert_eq!((rulings, are_open), (vec![retire, conflict], vec![false, true, true]));
    }

    #[test]
    fn feedback_counts_once_a_session_and_waits_where_all_of_its_speaker_does() {
        let useful = ruling(RulingKind::Useful, "rated", Some("mcp.1"), "", 10);
        let propose = ruling(RulingKind::Propose, "waiting", None, "agent", 10);
        let (standings, agent) = (standings(&[useful, propose]), speaker(Author::Agent));
        let judge = Judge::of(&standings, Said::default(), NOW);
        let by = |waits| By { speaker: &agent, waits };
        let nothing = Ruled::Made(Vec::new());
        assert!(
            judge
                .count(&subject("waiting"), RulingKind::Useful, "mcp.1", by(false))
                .is_err()
        );
        assert_eq!(
            judge
                .count(&subject("rated"), RulingKind::Useful, "mcp.1", by(false))
                .unwrap(),
            nothing
        );
        let taken_back = ruling(RulingKind::Withdraw, "rated", Some("mcp.1"), "", NOW);
        let withdraw = |waits| {
            judge
                .count(&subject("rated"), RulingKind::Withdraw, "mcp.1", by(waits))
                .unwrap()
        };
        assert_eq!(withdraw(false), Ruled::Made(vec![taken_back]));
        assert_eq!(withdraw(true), nothing);
        let wrong = judge
            .count(&subject("rated"), RulingKind::Wrong, "mcp.1", by(true))
            .unwrap();
        assert_eq!(changes(wrong), [("rated".to_owned(), Change::Wrong)]);
        // A citation that a hook has counted asks nobody for anything.
        assert_eq!(
            judge
                .count(&subject("rated"), RulingKind::Useful, "hook.1", by(true))
                .unwrap(),
            nothing
        );
        let place = ("at.1", "src/a.ts");
        let ruled_out = judge.rule_out(("rated", None), true, place, by(false)).unwrap();
        assert_eq!(ruled_out.map(|ruling| ruling.kind), Some(RulingKind::Elsewhere));
        assert_eq!(judge.rule_out(("rated", None), true, place, by(true)).unwrap(), None);
    }

    #[test]
    fn a_request_is_two_lines_unless_it_waits_already_and_a_rejection_holds() {
        let agent = speaker(Author::Agent);
        let by = By {
            speaker: &agent,
            waits: true,
        };
        let Ruled::Asked(requests, _) = by.asks([("old".to_owned(), Change::Forget)], "a secret") else {
            panic!("it is asked for");
        };
        let id = requests[0].id.clone();
        let request = |rulings: &[Ruling], is_here: bool| {
            let standings = standings(rulings);
            Judge::of(&standings, Said::default(), NOW).request(&requests, &agent, |_| is_here)
        };
        let propose = ruling(RulingKind::Propose, &id, Some("mcp.1"), "agent", NOW);
        let asked = ruling(RulingKind::Request, &id, Some("old"), "forget - a secret", NOW);
        let (lines, error) = request(&[], true).unwrap();
        let told = |ruling: &Ruling| Line::Ruling(ruling.clone(), Told::Hub);
        assert_eq!((lines, error.code()), (vec![told(&propose), told(&asked)], "PROPOSED"));
        let (lines, _) = request(std::slice::from_ref(&propose), true).unwrap();
        assert_eq!(lines, []);
        let reject = ruling(RulingKind::Reject, &id, None, "", NOW + 1);
        let (lines, error) = request(&[propose, reject], true).unwrap();
        assert!(lines.is_empty() && matches!(error, Error::Proposed { is_rejected: true, .. }));
        assert_eq!(request(&[], false).unwrap_err().code(), "UNSUPPORTED");
    }
}
