//! The answer as a block of text, grouped by scope. Of the hits that match about as well as the best one, the trusted ones come first; all others
//! stay in the order of their scores.

use super::{MatchCounts, Mode, RecallHit, RecallOptions, count_matches, joined, recall};
use crate::clock::Millis;
use crate::error::Result;
use crate::freshness::Freshness;
use crate::index::Stores;
use crate::meaning::Meaning;
use crate::model::scope::{Scope, ScopeFilter};
use crate::text::lines::shown_line;
use schemars::JsonSchema;
use serde::Serialize;

/// The share of the best score from which on a hit matches about as well.
const ABOUT_AS_WELL: f64 = 0.95;
/// The most entries a block has.
pub(crate) const ENTRIES_MAX: f64 = 20.0;

/// The result of a search as a text block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecallText {
    /// The block.
    pub text: String,
    /// The records in the text, at most 20.
    pub matches: Vec<RecallHit>,
    /// The number of matching records, shown or not.
    pub found: MatchCounts,
    /// How the records were ranked; `fused` is by words and meaning.
    pub mode: Mode,
    /// Why nothing was found, or which files could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl RecallText {
    /// Adds a remark about gaps of the search to the message.
    pub(crate) fn with_remark(mut self, remark: Option<String>) -> Self {
        if let Some(remark) = remark {
            let gap = if self.text.is_empty() { "" } else { "\n\n" };
            self.text = format!("{}{gap}{remark}", self.text);
            self.message = Some(joined(self.message.take(), &remark));
        }
        self
    }

    /// Adds records of other worktrees behind the own ones.
    pub(crate) fn with_worktrees(mut self, mut hits: Vec<RecallHit>) -> Self {
        if hits.is_empty() {
            return self;
        }
        let group = render_hits("In other worktrees:".to_owned(), &hits);
        self.text = if self.matches.is_empty() {
            group
        } else {
            format!("{}\n\n{group}", self.text)
        };
        if self.matches.is_empty() {
            self.message = None;
        }
        self.matches.append(&mut hits);
        self
    }
}

/// Answers a query with a text block and the entries in its order.
///
/// # Errors
/// `INVALID_INPUT` when the scope is unknown.
pub(crate) fn recall_text(
    stores: &mut Stores,
    meaning: &mut Meaning,
    query: &str,
    (scope, mode): (ScopeFilter, Mode),
    now: Millis,
) -> Result<RecallText> {
    let options = RecallOptions {
        scope,
        mode,
        limit: Some(ENTRIES_MAX),
        ..RecallOptions::default()
    };
    let outcome = recall(stores, meaning, query, &options, now)?;
    let shown = |scope: Scope| outcome.hits.iter().filter(|hit| hit.scope == scope).count();
    let found = if outcome.hits.len() < ENTRIES_MAX as usize {
        MatchCounts {
            project: shown(Scope::Project),
            global: shown(Scope::Global),
        }
    } else {
        // Hits by meaning alone do not count as matches by words.
        let counted = count_matches(stores, query, options.scope, now)?;
        MatchCounts {
            project: counted.project.max(shown(Scope::Project)),
            global: counted.global.max(shown(Scope::Global)),
        }
    };
    let mut text = Vec::new();
    let mut matches = Vec::new();
    for scope in [Scope::Project, Scope::Global] {
        let mut group: Vec<RecallHit> = outcome.hits.iter().filter(|hit| hit.scope == scope).cloned().collect();
        if group.is_empty() {
            continue;
        }
        put_trusted_first(&mut group);
        text.push(render_group(scope, &group, found.of(scope)));
        matches.append(&mut group);
    }
    if found.total() > matches.len() {
        let (shown, all) = (matches.len(), found.total());
        text.push(format!(
            "{shown} of {all} matches are shown; more words in the query narrow them down."
        ));
    }
    text.extend(outcome.message.clone());
    Ok(RecallText {
        text: text.join("\n\n"),
        matches,
        found,
        mode: outcome.mode,
        message: outcome.message,
    })
}

/// Puts the first hits that match about as well as the best one in the order of their confidence.
fn put_trusted_first(group: &mut [RecallHit]) {
    let best = group.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let equals = group.iter().take_while(|hit| hit.score >= ABOUT_AS_WELL * best).count();
    // The sort is stable: records of equal confidence stay in the order of their scores.
    if let Some(equals) = group.get_mut(..equals) {
        equals.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    }
}

fn render_group(scope: Scope, hits: &[RecallHit], found: usize) -> String {
    let noun = if found == 1 { "match" } else { "matches" };
    render_hits(format!("Found {found} {noun} in {} memory:", scope.name()), hits)
}

fn render_hits(mut text: String, hits: &[RecallHit]) -> String {
    for hit in hits {
        let line = format!(
            "\n[{}] {} \u{2014} {}",
            shown_line(&hit.kind),
            hit.confidence,
            shown_line(&hit.text)
        );
        text.push_str(&line);
        if !hit.created_at.is_empty() {
            text.push_str(&format!(" ({})", shown_line(&hit.created_at)));
        }
        if hit.is_weak {
            text.push_str(" [weak match]");
        }
        if hit.is_over {
            text.push_str(" [says that it is over]");
        }
        if let Some(mark) = hit.freshness.as_ref().and_then(Freshness::mark) {
            text.push_str(&format!(" [{mark}]"));
        }
        if let Some(worktree) = &hit.worktree {
            text.push_str(&format!(" [{}]", worktree.said));
        }
    }
    text
}
