//! Notes: records as lines for an agent, within a token budget.

use forge_memory_core::clock::Millis;
use forge_memory_core::frame::{BUDGET_MAX, clean, frame};

use crate::evidence::Found;
use crate::lines::{age_of, head, one_line, short_id};
use forge_memory_core::text::tokens::most_tokens;

/// The limits of one injection, which costs tokens at every call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How many notes.
    pub notes: usize,
    /// All tokens.
    pub budget: usize,
    /// The tokens of one note; a longer one is cut.
    pub note: usize,
    /// The tokens that are kept for what others have, when they have anything; it comes last.
    pub others: usize,
}

/// The tokens that a note must have room for, with its marks.
const LEAST: usize = 36;

pub(crate) struct Framed {
    pub text: String,
    /// How many of the given ones it has.
    pub shown: usize,
    pub tokens: usize,
}

/// Frames the first notes that fit. The engine estimates tokens by characters, which is too low for code, digests and emoji.
pub(crate) fn frame_within(found: &[&Found], limits: Limits, now: Millis) -> Option<Framed> {
    let framed = |lines: &[String]| frame(lines, BUDGET_MAX).text;
    let room = limits.budget.saturating_sub(most_tokens(&framed(&[])));
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    for (at, one) in found.iter().take(limits.notes).enumerate() {
        let left = room.saturating_sub(taken);
        let is_last = at + 1 == found.len().min(limits.notes);
        let limit = if is_last { left } else { (room / 2).max(LEAST).min(left) };
        let Some(line) = note_within(one, limit.min(limits.note), now) else {
            break;
        };
        taken += cost_of(&line);
        lines.push(line);
    }
    while !lines.is_empty() {
        let text = framed(&lines);
        let tokens = most_tokens(&text);
        if tokens <= limits.budget {
            return Some(Framed {
                shown: lines.len(),
                text,
                tokens,
            });
        }
        lines.pop();
    }
    None
}

/// The tokens of a note with the beginnings and ends of its lines.
fn cost_of(line: &str) -> usize {
    most_tokens(line) + 2 * line.lines().count()
}

/// Renders a record whole, or its beginning up to the end of a sentence, with the way to the rest; `None` when there is no room for it.
fn note_within(found: &Found, tokens: usize, now: Millis) -> Option<String> {
    let text = clean(&found.hit.text);
    let whole = note_line(found, &text, "", now);
    if cost_of(&whole) <= tokens {
        return Some(whole);
    }
    let rest = format!(" (memory_show {} for the rest)", short_id(&found.hit.id));
    // A cut note is one line: its lines are the beginning of something that is read elsewhere.
    let text = one_line(&text);
    let mut length = text.len();
    while length > 0 {
        let cut = sentence_end(head(&text, length));
        let line = note_line(found, cut, &rest, now);
        let cost = cost_of(&line);
        if cost <= tokens {
            return (cut.len() > 16).then_some(line);
        }
        // Each attempt is shorter by the excess, and by at least one character.
        length = (cut.len() * tokens / cost.max(1)).min(cut.len().saturating_sub(1));
    }
    None
}

/// Returns a text up to the end of its last sentence, else of its last word, with a sign that it goes on.
fn sentence_end(text: &str) -> &str {
    let end = |at: usize, sign: &str| text.get(..at + sign.len()).unwrap_or_default().trim_end();
    let ends = [". ", "! ", "? ", "; ", "\u{3002}", "\u{ff01}", "\u{ff1f}"];
    let last = ends.iter().filter_map(|sign| Some((text.rfind(sign)?, *sign))).max();
    match last.filter(|(at, _)| *at >= text.len() / 3) {
        Some((at, sign)) => end(at, sign),
        None => text.rfind(' ').map_or(text, |at| end(at, "")),
    }
}

/// Renders a record for an agent, with its age, and whose it is when it is not the own memory's, by which it can be judged.
fn note_line(Found { hit, of, .. }: &Found, text: &str, rest: &str, now: Millis) -> String {
    let age = age_of(&hit.created_at, now);
    let named = [age.as_str(), of, short_id(&hit.id)].into_iter();
    let named = named.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let weak = if hit.is_weak { " [weak match]" } else { "" };
    let stale = hit.freshness.as_ref().and_then(|freshness| freshness.mark());
    let stale = stale.map(|mark| format!(" [{mark}]")).unwrap_or_default();
    let rivals = hit.contradicted_by.iter().map(|rival| {
        // Their texts would make a note say things that its query does not ask for.
        format!("{} ({})", short_id(&rival.id), age_of(&rival.created_at, now))
    });
    let rivals = rivals.collect::<Vec<_>>().join(", ");
    let rivals = if rivals.is_empty() {
        rivals
    } else {
        format!(" [contradicted by {rivals}]")
    };
    let worktree = hit.worktree.as_ref().map(|worktree| format!(" [{}]", worktree.said));
    let worktree = worktree.unwrap_or_default();
    let (kind, confidence) = (&hit.kind, hit.confidence);
    format!("[{kind}] {confidence} \u{2014} {text} ({named}){worktree}{weak}{stale}{rivals}{rest}")
}
