//! Agents: who or what does something, as the value of a clause: "uv manages the dependencies", "releases are signed by Petya".

use super::claim::ValueKind;
use super::phrase::{Clause, Phrase};
use super::roles::Relation;
use super::runs::{Run, is_specific};

/// Returns whether a run is the agent of a clause: "uv manages the dependencies", "Argon2 is used for passwords".
pub(super) fn is_agent(clause: &Clause, run: Run) -> bool {
    let behind = clause.phrases.get(run.to..).unwrap_or_default();
    let is_task = |next: &Phrase, then: Option<&Phrase>| {
        next.is_office
            && then.is_none_or(|then| {
                matches!(
                    then.relation,
                    Relation::Next | Relation::Other | Relation::Has | Relation::When
                )
            })
            || next.is_definite
    };
    let is_holder = match behind {
        [team, next, rest @ ..] if !is_specific(team) && team.kind.is_none() && !team.is_office => {
            is_task(next, rest.first()) && !next.is_definite
        }
        [next, rest @ ..] => is_task(next, rest.first()),
        [] => false,
    };
    let is_first = clause.phrases.iter().take(run.from).all(|phrase| !is_specific(phrase));
    is_first && run.to - run.from <= 3 && (clause.is_used_for || is_holder)
}

/// Returns whether a run names who or what does something, when the other clause says the same of another by "by" or "with": "Arun signs the
/// releases", "releases are signed by Petya".
pub(super) fn is_doer(clause: &Clause, run: Run) -> bool {
    let is_one = |phrase: &Phrase| phrase.is_name || phrase.family.is_some() || phrase.kind == Some(ValueKind::Command);
    let phrases = clause.phrases.get(run.from..run.to).unwrap_or_default();
    let is_followed = clause.phrases.len() > run.to + 1;
    // "The gateway terminates TLS"
    let is_act = clause
        .phrases
        .get(run.to)
        .is_some_and(|next| next.is_verb && next.relation == Relation::Next);
    let is_named = phrases.iter().all(is_one) || (is_act && phrases.len() <= 2);
    run.from == 0 && is_followed && !phrases.is_empty() && phrases.len() <= 3 && is_named
}
