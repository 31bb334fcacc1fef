//! What a person states beyond the moment: instructions, corrections, decisions, facts about the environment. The rules are a table; most
//! need a second session with the same statement before anything is offered.

use std::sync::LazyLock;

use forge_memory_core::text::is_spaceless;
use forge_memory_core::text::lexicon::entries;
use serde::{Deserialize, Serialize};

use super::finding::FindingKind;
use super::message::sentences;
use super::sentence::behind_no;

/// Events since the previous message.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Before {
    /// The agent has run or changed something.
    pub acted: bool,
    /// The person has stopped the agent.
    pub interrupted: bool,
    /// The message gives the reason for a refused tool call, or follows one.
    pub refused: bool,
}

/// The statement of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    pub kind: FindingKind,
    pub text: String,
    pub reason: &'static str,
    pub confidence: f64,
}

/// A rule; without a kind, a sentence that it matches states nothing.
struct Rule {
    kind: Option<FindingKind>,
    confidence: f64,
    conditions: &'static str,
    reason: &'static str,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| include_str!("rules.txt").lines().filter_map(rule_of).collect());

fn rule_of(line: &'static str) -> Option<Rule> {
    let (rule, reason) = line.split_once(':').filter(|_| !line.starts_with('#'))?;
    let mut parts = rule.splitn(3, ' ');
    let (kind, confidence, conditions) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    let kind = FindingKind::ALL.into_iter().find(|known| known.name() == kind);
    Some(Rule {
        kind,
        confidence,
        conditions,
        reason: reason.trim(),
    })
}

/// Returns the statements of a message that hold beyond the moment; all, if the person asked for it to be remembered.
pub(crate) fn statements_in(message: &str, before: Before, is_remembered: bool) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut rest = sentences(message).into_iter().peekable();
    while let Some(mut sentence) = rest.next() {
        let asked = behind_remember(&sentence.raw).filter(|_| !is_remembered && !sentence.is("asked"));
        // Only the part behind "remember that", or behind a "no" that answered the agent, holds beyond the moment.
        let own = asked
            .map(|asked| (asked, 3))
            .or_else(|| Some((behind_no(&sentence.raw)?, 2)));
        let own = own.map(|(own, words)| (own.trim_start_matches([':', ',', ' ', '-']), words));
        let own = own.filter(|(own, words)| own.contains(is_spaceless) || own.split_whitespace().count() >= *words);
        // A clause is a sentence of its own here.
        let text = own.map_or(sentence.raw.as_str(), |(own, _)| own);
        let mut text = text.trim_end_matches([';', ',', ':', ' ']).to_owned();
        sentence.note("remembered", is_remembered || asked.is_some() && own.is_some());
        sentence.note("refused", before.refused);
        sentence.note("interrupted", before.interrupted);
        let rule = RULES.iter().find(|rule| sentence.is(rule.conditions));
        let Some((rule, kind)) = rule.and_then(|rule| Some((rule, rule.kind?))) else {
            continue;
        };
        // What goes on with it belongs to it: "They must stay as they are."
        if let Some(next) = rest.next_if(|next| next.is("^continuing -asked -momentary")) {
            text = format!("{text} {}", next.raw);
        }
        let is_correction = kind == FindingKind::Instruction && sentence.is("interrupted|no -remembered");
        if !found.iter().any(|known| known.text == text) {
            found.push(Statement {
                kind: if is_correction { FindingKind::Correction } else { kind },
                text,
                reason: rule.reason,
                confidence: rule.confidence,
            });
        }
    }
    found
}

/// "Remember that ..."
fn behind_remember(raw: &str) -> Option<&str> {
    let lower = raw.to_lowercase();
    raw.get(entries("remember").find(|lead| lower.starts_with(lead))?.len()..)
}

#[cfg(test)]
mod tests {
    use forge_memory_core::text::lexicon::entries;

    use super::RULES;

    const NOTED: &str = " asked colon comma doing first interrupted no number refused remembered value ";

    #[test]
    fn every_rule_is_read_and_every_condition_is_known() {
        let lines = include_str!("rules.txt").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(RULES.len(), lines.count());
        for rule in RULES.iter() {
            assert_eq!(rule.kind.is_none(), rule.reason.is_empty(), "{}", rule.conditions);
            let names = rule
                .conditions
                .split([' ', '|', '>'])
                .map(|name| name.trim_matches(['-', '^', '~', '$']));
            for name in names.filter(|name| !name.starts_with('<')) {
                let is_kind = entries(&format!("said {name}")).next().is_some();
                assert!(
                    is_kind || NOTED.contains(&format!(" {name} ")),
                    "{name} in {}",
                    rule.conditions
                );
            }
        }
    }
}
