//! The ranked list that answers a query.

use super::cell::one_line;
use crate::entry::RalphEntry;
use crate::query::Ranking;

pub(super) fn page(query: &str, ranking: &Ranking<'_, '_>) -> Vec<u8> {
    let query = one_line(query);
    if ranking.total == 0 {
        let text = format!(
            "No memory entries match \"{query}\".\n\nTry broader terms or list all entries:\n  /ralph-memory list\n"
        );
        return text.into_bytes();
    }
    let noun = if ranking.total == 1 { "entry" } else { "entries" };
    let mut out = format!(
        "Al Memory \u{2014} query: \"{query}\"\n\n{} matching {noun} (ranked by relevance):\n",
        ranking.total
    );
    for (rank, (_, found)) in ranking.best.iter().enumerate() {
        push_entry(&mut out, rank + 1, &found.entry);
    }
    let hidden = ranking.total - ranking.best.len();
    if hidden > 0 {
        out.push_str(&format!("\n... and {hidden} more; --limit shows more of them\n"));
    }
    out.into_bytes()
}

fn push_entry(out: &mut String, rank: usize, entry: &RalphEntry<'_>) {
    out.push_str(&format!(
        "\n{rank}. [{}] {} \u{2014} confidence {:.2}\n   Lesson: {}\n",
        one_line(entry.shown_id()),
        one_line(&entry.kind),
        entry.confidence,
        one_line(entry.text())
    ));
    if !entry.context.is_empty() {
        out.push_str(&format!("   Context: {}\n", one_line(&entry.context)));
    }
    if !entry.tags.is_empty() {
        let tags: Vec<_> = entry.tags.iter().map(|tag| one_line(tag)).collect();
        out.push_str(&format!("   Tags: {}\n", tags.join(", ")));
    }
    let origin: Vec<String> = [
        (!entry.loop_id.is_empty()).then(|| format!("Loop: {}", one_line(&entry.loop_id))),
        entry.iteration.map(|number| format!("Iter: {number}")),
        entry.created_ms.map(|_| format!("Date: {}", entry.date())),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !origin.is_empty() {
        out.push_str(&format!("   {}\n", origin.join(", ")));
    }
}
