//! The answer as a block of text, grouped by scope, the surest first.

use super::{RecallHit, RecallOptions, recall};
use crate::clock::Millis;
use crate::error::Result;
use crate::hidden::show_hidden;
use crate::index::Stores;
use crate::model::scope::{Scope, ScopeFilter};

/// The most entries a block has.
const ENTRIES_MAX: f64 = 20.0;

/// Answers a query with a text block and the entries in its order.
///
/// # Errors
/// `INVALID_INPUT` when the scope is none.
pub(crate) fn recall_text(
    stores: &mut Stores,
    query: &str,
    scope: Option<&str>,
    now: Millis,
) -> Result<(String, Vec<RecallHit>)> {
    let scope = scope.map(ScopeFilter::parse).transpose()?.unwrap_or_default();
    let options = RecallOptions {
        scope,
        limit: Some(ENTRIES_MAX),
        ..RecallOptions::default()
    };
    let outcome = recall(stores, query, &options, now)?;
    let mut text = Vec::new();
    let mut matches = Vec::new();
    for scope in [Scope::Project, Scope::Global] {
        let mut group: Vec<RecallHit> = outcome.hits.iter().filter(|hit| hit.scope == scope).cloned().collect();
        if group.is_empty() {
            continue;
        }
        // The sort is stable: equally sure ones stay in the order of how well they answer.
        group.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        text.push(render_group(scope, &group));
        matches.append(&mut group);
    }
    if let Some(message) = outcome.message {
        text.push(message);
    }
    Ok((text.join("\n\n"), matches))
}

fn render_group(scope: Scope, hits: &[RecallHit]) -> String {
    let noun = if hits.len() == 1 { "match" } else { "matches" };
    let mut text = format!("Found {} {noun} in {} memory:", hits.len(), scope.name());
    for hit in hits {
        let line = format!(
            "\n[{}] {} \u{2014} {}",
            one_line(&hit.kind),
            hit.confidence,
            one_line(&hit.text)
        );
        text.push_str(&line);
        if !hit.created_at.is_empty() {
            text.push_str(&format!(" ({})", one_line(&hit.created_at)));
        }
    }
    text
}

/// One entry is one line, whatever its text holds.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    show_hidden(&line).into_owned()
}
