//! Notes: records as lines for an agent, within a token budget.

use forge_memory_core::clock::Millis;
use forge_memory_core::frame::{BUDGET_MAX, clean, frame};
use forge_memory_core::text::lexicon::{entries, has};
use forge_memory_core::text::tokens::most_tokens;
use forge_memory_core::text::written_words;

use crate::evidence::Found;
use crate::lines::{age_of, one_line, short_id};

/// The limits of one injection, which costs tokens at every call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How many notes.
    pub notes: usize,
    /// All tokens. The first note is told even when it alone needs more.
    pub budget: usize,
    /// The tokens that are kept for what others have, when they have anything; it comes last.
    pub others: usize,
}

/// How many characters of a record are told whole. Of a longer one, sentences are left out.
const WHOLE: usize = 400;

pub(crate) struct Framed {
    pub text: String,
    /// How many of the given ones it has.
    pub shown: usize,
    pub tokens: usize,
}

/// Frames the first notes that fit: fewer notes rather than halves. The engine estimates tokens by characters, which is too low for code, digests and
/// emoji.
pub(crate) fn frame_within(found: &[&Found], limits: Limits, now: Millis) -> Option<Framed> {
    let framed = |lines: &[String]| frame(lines, BUDGET_MAX).text;
    let room = limits.budget.saturating_sub(most_tokens(&framed(&[])));
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    for one in found.iter().take(limits.notes) {
        let line = note_of(one, now);
        taken += cost_of(&line);
        if taken > room && !lines.is_empty() {
            break;
        }
        lines.push(line);
    }
    while !lines.is_empty() {
        let text = framed(&lines);
        let tokens = most_tokens(&text);
        if tokens <= limits.budget || lines.len() == 1 {
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

/// Renders a record whole, or the sentences of a long one that say what to do, with the way to the rest.
fn note_of(found: &Found, now: Millis) -> String {
    let text = clean(&found.hit.text);
    if text.chars().count() <= WHOLE {
        return note_line(found, &text, "", now);
    }
    let rest = format!(" (memory_show {} for the rest)", short_id(&found.hit.id));
    note_line(found, &shortened(&one_line(&text)), &rest, now)
}

/// Returns the sentences of a long text that an agent needs: the first one, then those with commands, paths, values and what to do, then others, all
/// in their order.
fn shortened(text: &str) -> String {
    let sentences = sentences_of(text);
    let mut kept = vec![false; sentences.len()];
    let mut left = WHOLE;
    for rank in 0..RANKS {
        for ((at, sentence), kept) in sentences.iter().enumerate().zip(&mut kept) {
            let length = sentence.chars().count() + 1;
            if !*kept && rank_of(at, sentence) == rank && length <= left {
                *kept = true;
                left -= length;
            }
        }
    }
    let shown = sentences.iter().zip(&kept).filter(|(_, kept)| **kept);
    let shown: Vec<&str> = shown.map(|(sentence, _)| *sentence).collect();
    if shown.is_empty() {
        cut(text).to_owned()
    } else {
        shown.join(" ")
    }
}

const RANKS: usize = 3;

/// The first sentence says what a note is about; then come those that say what to do.
fn rank_of(at: usize, sentence: &str) -> usize {
    match at {
        0 => 0,
        _ if carries(sentence) => 1,
        _ => 2,
    }
}

/// Splits a line behind the signs that end a sentence, but not within backticks.
fn sentences_of(text: &str) -> Vec<&str> {
    let (mut sentences, mut from, mut is_code) = (Vec::new(), 0, false);
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        is_code ^= c == '`';
        let is_wide = matches!(c, '\u{3002}' | '\u{ff01}' | '\u{ff1f}' | '\u{ff1b}');
        let goes_on = letters.peek().is_some_and(|(_, next)| !next.is_whitespace());
        if !is_code && (is_wide || matches!(c, '.' | '!' | '?' | ';') && !goes_on) {
            let end = at + c.len_utf8();
            sentences.push(text.get(from..end).unwrap_or_default().trim());
            from = end;
        }
    }
    sentences.push(text.get(from..).unwrap_or_default().trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// True if a sentence has a command, a path or a value, or says what to do.
fn carries(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    sentence.contains(|c: char| c == '`' || c == '/' || c.is_numeric())
        || written_words(&lower, "").any(|word| has("remedy", word))
        || entries("remedy unspaced").any(|known| sentence.contains(known))
}

/// Cuts a sentence that is too long: at the end of a word outside of backticks where there is one.
fn cut(text: &str) -> &str {
    let (mut end, mut last, mut is_code) = (0, 0, false);
    for (at, c) in text.char_indices().take(WHOLE) {
        is_code ^= c == '`';
        end = at + c.len_utf8();
        if !is_code && (c.is_whitespace() || c == '`') {
            last = end;
        }
    }
    let end = if last == 0 && !text.starts_with('`') { end } else { last };
    text.get(..end).unwrap_or_default().trim_end()
}

/// Renders a record for an agent, with its age, and whose it is when it is not the own memory's, by which it can be judged.
fn note_line(Found { hit, of, .. }: &Found, text: &str, rest: &str, now: Millis) -> String {
    let age = age_of(&hit.created_at, now);
    let named = [age.as_str(), of, short_id(&hit.id)].into_iter();
    let named = named.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let weak = if hit.is_weak { " [weak match]" } else { "" };
    let over = if hit.is_over { " [says that it is over]" } else { "" };
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
    format!("[{kind}] {confidence} \u{2014} {text} ({named}){worktree}{weak}{over}{stale}{rivals}{rest}")
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, cut, shortened};

    #[test]
    fn a_long_text_keeps_the_sentences_that_say_what_to_do() {
        let filler = "Nobody in the team could explain for a long while what the reason of that behaviour was. ";
        for (what, remedy) in [
            (
                "The suite hangs on machines without a broker.",
                "Set `LEASE=local; run make check` instead.",
            ),
            (
                "Die Suite bleibt ohne Dienst stehen.",
                "Stattdessen den lokalen Modus nehmen.",
            ),
            ("La suite se queda colgada sin el servicio.", "Usa el modo local."),
            ("La suite se bloque sans le service.", "Utilise plutôt le mode local."),
            ("A suíte trava sem o serviço.", "Use o modo local."),
            ("Без службы проверка зависает.", "Используйте локальный режим."),
            ("サービスがないとテストが止まる。", "代わりにローカルモードを使う。"),
            ("没有服务时测试会卡住。", "请改用本地模式。"),
        ] {
            let long = format!("{what} {}{remedy}", filler.repeat(6));
            let short = shortened(&long);
            assert!(short.starts_with(what) && short.ends_with(remedy), "{short}");
            assert!(short.chars().count() <= WHOLE);
        }
    }

    #[test]
    fn nothing_is_cut_within_backticks() {
        let command = format!("`run {}`", "word ".repeat(60));
        let long = format!(
            "{}{command} and then more of it follows here",
            "Before that, ".repeat(20)
        );
        let short = shortened(&long);
        assert_eq!(short.matches('`').count() % 2, 0, "{short}");
        assert!(short.len() > 100);
        assert_eq!(cut(&"x".repeat(900)).len(), WHOLE);
        assert_eq!(cut(&format!("`{}`", "x".repeat(900))), "");
    }
}
