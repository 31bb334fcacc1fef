//! Lexical ranking.

use super::context::Context;
use super::question::Question;
use super::texts::Texts;
use crate::index::{Found, JournalIndex, Plan, Windows};
use crate::text::proximity::RERANKED;

/// Ranks the records by the words of the query and by their context.
pub(super) fn rank(
    plan: &Plan<'_>,
    journal_indexes: &[&JournalIndex],
    texts: &Texts<'_>,
    question: &Question<'_>,
    room: usize,
    windows: &mut Windows,
) -> Vec<Found> {
    let mut found = plan.best(journal_indexes, question.filter, room.max(RERANKED), windows);
    let context = Context::new(plan, journal_indexes, question.filter);
    found.extend(context.beside(&[&found]));
    context.support(&mut found, texts, question.query);
    found.sort_unstable_by(Found::order);
    found.truncate(room);
    found
}
