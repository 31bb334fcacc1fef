//! Classifies sentences of a person by lexical rules: instructions, corrections, decisions, facts about the environment that hold beyond
//! the moment. Each rule has a confidence, and most need a second session with the same statement before anything is offered.

use super::finding::FindingKind;
use super::lexicon::{
    AFTER_ALWAYS, AFTER_DO_NOT, BEFORE_ALWAYS, BEFORE_DO_NOT, CHANGE, CONVENTION, DECISION, DIRECTIVE,
    ENVIRONMENT_TOPICS, IMPERATIVE_OPENERS, PERMANENT, PROJECT_WIDE, QUESTION_OPENERS, RATIONALE, REMEMBER_PREFIXES,
    REPETITION, REPORT_VERBS, REPROACH, SMALL_TALK_OPENERS, STATE_VERBS, TEMPORARY,
};
use super::sentence::{Sentence, sentences};

/// What happened before a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Context {
    /// The agent had run or changed something since the last message.
    pub acted: bool,
    /// The person had stopped the agent.
    pub interrupted: bool,
    /// The message gives the reason for a refused tool call, or follows one.
    pub refused: bool,
    /// The person asked for it to be remembered.
    pub remember: bool,
}

/// A classified sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    pub kind: FindingKind,
    pub text: String,
    pub reason: &'static str,
    pub confidence: f64,
    /// One session is enough.
    pub stands_alone: bool,
}

/// The confidence from which one session is enough.
const ALONE: f64 = 0.8;

/// Returns the statements of a message that hold beyond the moment.
pub(crate) fn statements_in(message: &str, before: Context) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let all = sentences(message);
    for sentence in &all {
        let Some(said) = judge(sentence, before) else { continue };
        if !found.iter().any(|known| known.text == said.text) {
            found.push(said);
        }
    }
    found
}

fn judge(sentence: &Sentence, before: Context) -> Option<Statement> {
    let made = |kind, reason, confidence: f64| {
        Some(Statement {
            kind,
            text: without_no(&sentence.raw).to_owned(),
            reason,
            confidence,
            stands_alone: confidence >= ALONE,
        })
    };
    if let Some((text, confidence)) = remembered(sentence, before.remember) {
        let kind = if is_fact(sentence) {
            FindingKind::Environment
        } else {
            FindingKind::Instruction
        };
        return Some(Statement {
            text,
            ..made(kind, "the user asked for it to be remembered", confidence)?
        });
    }
    if is_question(sentence) || is_passing(sentence) || sentence.words().len() < 3 {
        return None;
    }
    if before.refused && is_directive(sentence) {
        return made(
            FindingKind::Correction,
            "the user refused a tool call and said why",
            0.9,
        );
    }
    let is_condition = sentence.has_any(&["must be running", "has to be running", "must be set", "has to be set"]);
    if is_condition && is_fact(sentence) {
        return made(FindingKind::Environment, "the user stated what has to be there", 0.8);
    }
    if let Some((reason, confidence)) = decided(sentence) {
        return made(FindingKind::Decision, reason, confidence);
    }
    if let Some((reason, confidence)) = corrected(sentence) {
        return made(FindingKind::Correction, reason, confidence);
    }
    if let Some((reason, confidence)) = instructed(sentence) {
        let is_correction = before.interrupted || opens_with_no(sentence);
        let kind = if is_correction {
            FindingKind::Correction
        } else {
            FindingKind::Instruction
        };
        return made(
            kind,
            reason,
            if before.interrupted {
                confidence + 0.05
            } else {
                confidence
            },
        );
    }
    if is_fact(sentence) && !is_report(sentence) {
        return made(
            FindingKind::Environment,
            "the user stated where or how something runs",
            0.8,
        );
    }
    if before.interrupted && is_directive(sentence) && sentence.is_first {
        return made(FindingKind::Correction, "the user stopped the agent and said why", 0.7);
    }
    None
}

fn remembered(sentence: &Sentence, is_marked: bool) -> Option<(String, f64)> {
    if is_marked {
        return Some((sentence.raw.clone(), 0.95));
    }
    let lower = sentence.raw.to_lowercase();
    let lead = REMEMBER_PREFIXES.iter().find(|lead| lower.starts_with(**lead))?;
    let rest = sentence.raw.get(lead.len()..)?.trim_start_matches([':', ',', ' ', '-']);
    (rest.split_whitespace().count() >= 3 && !sentence.is_question).then(|| (rest.to_owned(), 0.95))
}

fn is_question(sentence: &Sentence) -> bool {
    // "when X, do Y" is an instruction, and "do not" a prohibition.
    let tells = (sentence.begins("when") && sentence.raw.contains(','))
        || sentence.begins_any(&["do not", "what i", "where possible"]);
    sentence.is_question || (sentence.begins_any(&QUESTION_OPENERS) && !tells)
}

/// Small talk, or a wish for the moment only.
fn is_passing(sentence: &Sentence) -> bool {
    sentence.begins_any(&SMALL_TALK_OPENERS)
        || (sentence.has_any(&TEMPORARY) && !sentence.has_any(&["always", "from now on", "every time", "never"]))
}

fn opens_with_no(sentence: &Sentence) -> bool {
    let lower = sentence.raw.to_lowercase();
    [
        "no,", "nope", "no.", "no -", "wrong", "no!", "no we ", "no you ", "no the ", "no use ", "no don't",
    ]
    .iter()
    .any(|lead| lower.starts_with(lead))
}

/// Cuts off the "no" that answered the agent: what holds beyond the moment is what comes after it.
fn without_no(raw: &str) -> &str {
    let lower = raw.to_ascii_lowercase();
    let lead = ["no,", "no.", "no!", "no -", "nope,", "nope."]
        .into_iter()
        .find(|lead| lower.starts_with(lead));
    let rest = lead.and_then(|lead| raw.get(lead.len()..)).map(str::trim_start);
    rest.filter(|rest| rest.split_whitespace().count() >= 2).unwrap_or(raw)
}

/// An order or a prohibition.
fn is_directive(sentence: &Sentence) -> bool {
    sentence.has_any(&DIRECTIVE) && !sentence.has_any(&["let's", "let me", "i'll"])
}

fn decided(sentence: &Sentence) -> Option<(&'static str, f64)> {
    if sentence.has_any(&[
        "if",
        "unless we",
        "haven't decided",
        "not decided",
        "should we",
        "can we",
    ]) {
        return None;
    }
    let has_grounds = sentence.has_any(&RATIONALE);
    if let Some(words) = DECISION.iter().find(|words| sentence.has(words)) {
        // "decision" or "go with" in the middle of a sentence mentions a decision but does not state one.
        if matches!(*words, "decision" | "go with")
            && !(sentence.begins(words) && (has_grounds || sentence.raw.contains(':')))
        {
            return None;
        }
        let object = sentence.behind(words);
        if matches!(
            object,
            Some("that" | "it" | "this" | "option" | "a" | "the" | "your" | "both") | None
        ) && !has_grounds
            && !sentence.has("decided")
            && !sentence.has("agreed")
        {
            return None;
        }
        return Some(("the user stated a decision", if has_grounds { 0.85 } else { 0.8 }));
    }
    let is_changed = CHANGE.iter().any(|words| sentence.has(words));
    let is_place = sentence.has_any(&["branch", "tab", "window", "folder", "directory", "topic", "subject"]);
    let is_done = sentence.has_any(&["we switched to", "we moved to", "we dropped", "we rolled back"]);
    (is_changed && !is_place && (has_grounds || is_done))
        .then_some(("the user stated a decision with its grounds", 0.8))
}

fn corrected(sentence: &Sentence) -> Option<(&'static str, f64)> {
    if sentence.has_any(&REPETITION) && !sentence.has_any(&["i said so", "like i said"]) {
        return Some(("the user repeated what had been said before", 0.8));
    }
    if sentence.has_any(&REPROACH) && sentence.words().len() > 6 {
        return Some(("the user told what the agent did wrong", 0.6));
    }
    if sentence.begins_any(&["undo that", "revert that", "don't do that"]) && sentence.has("again") {
        return Some(("the user forbade what the agent had just done", 0.7));
    }
    let swaps = sentence.has_any(&[
        "is wrong use",
        "is wrong it's",
        "is wrong it should",
        "is not right use",
        "that's wrong",
        "that is wrong",
        "that's not right",
        "this is wrong",
        "wrong",
    ]);
    if swaps
        && !sentence.has("try again")
        && sentence.has_any(&[
            "use",
            "should be",
            "must be",
            "it's",
            "belongs",
            "needs to",
            "is called",
            "lives in",
            "not",
        ])
        && sentence.words().len() >= 5
    {
        return Some(("the user said that something is wrong and what is right", 0.75));
    }
    if opens_with_no(sentence) && is_directive(sentence) {
        let (reason, confidence) =
            instructed(sentence).unwrap_or(("the user rejected what was done and said what is wanted", 0.7));
        return Some((reason, confidence.max(0.7)));
    }
    if opens_with_no(sentence)
        && sentence.has_any(&["is", "it's", "are", "lives", "goes", "go", "means"])
        && !sentence.has_any(&["let's", "fine", "works", "ok", "good", "i meant"])
    {
        return Some(("the user rejected what was done and said what is so", 0.6));
    }
    None
}

fn instructed(sentence: &Sentence) -> Option<(&'static str, f64)> {
    if is_report(sentence) {
        return None;
    }
    if sentence.has_any(&PERMANENT) {
        return Some(("the user said that it holds from then on", 0.9));
    }
    if lasting_adverb(sentence) {
        return Some(("the user said always or never", 0.85));
    }
    if sentence.has_any(&PROJECT_WIDE)
        && (is_directive(sentence) || sentence.has_any(&CONVENTION) || sentence.begins("no"))
    {
        return Some(("the user said how it is done in this project", 0.85));
    }
    if sentence.has_any(&CONVENTION)
        && !sentence.has_any(&[
            "we use to",
            "we don't have",
            "we don't know",
            "we don't need",
            "we do not have",
            "i prefer to wait",
            "i prefer the",
        ])
    {
        return Some(("the user told a convention or preference", 0.8));
    }
    if swapped(sentence) {
        return Some(("the user said what replaces what", 0.8));
    }
    if forbidden(sentence) {
        let is_bounded = sentence.has_any(&[
            "unless",
            "without",
            "ever",
            "anywhere",
            "directly",
            "again",
            "by hand",
            "anymore",
            "in tests",
            "in production",
            "to main",
        ]);
        return Some(("the user said what not to do", if is_bounded { 0.85 } else { 0.7 }));
    }
    if required(sentence) {
        return Some(("the user said what everything of a kind must be", 0.75));
    }
    None
}

/// "always" and "never" as an order; "it always fails" is a report.
fn lasting_adverb(sentence: &Sentence) -> bool {
    ["always", "never"].iter().any(|word| {
        let in_front = sentence.before(word);
        let is_order = in_front.is_none_or(|front| BEFORE_ALWAYS.contains(&front)) || sentence.begins(word);
        let behind = sentence.behind(word);
        sentence.has(word) && is_order && behind.is_some_and(|behind| !AFTER_ALWAYS.contains(&behind))
    })
}

/// "use X, not Y", "use X instead of Y", "prefer X over Y".
fn swapped(sentence: &Sentence) -> bool {
    let names_both = sentence.has_any(&["instead of", "rather than", "not", "in place of"]);
    let uses = sentence.has_any(&["use", "prefer", "call", "import", "run"])
        && !sentence.has_any(&[
            "can use",
            "to use",
            "could use",
            "did not use",
            "not use",
            "will not",
            "does not",
            "did not",
            "is not",
            "are not",
            "not working",
            "not run",
            "not sure",
        ]);
    let prefers = sentence.has("prefer") && sentence.has("over");
    let is_tail =
        sentence.has("instead") && sentence.begins_any(&["use", "please use", "just use", "no use", "actually use"]);
    // "use 5 instead of 3" concerns one place in the code.
    let is_number = sentence
        .behind("use")
        .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    !is_number && ((uses && names_both) || prefers || is_tail)
}

fn forbidden(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let plain: Vec<&str> = words
        .iter()
        .copied()
        .skip_while(|word| BEFORE_DO_NOT.contains(word))
        .collect();
    let object = match plain.as_slice() {
        ["don't" | "dont", verb, ..] | ["do", "not", verb, ..] => Some(*verb),
        ["stop", verb, ..] if verb.ends_with("ing") => return true,
        ["avoid", ..] | ["leave", .., "alone"] => return true,
        ["only", "change" | "touch" | "edit", ..] => return true,
        ["no", ..] => None,
        _ => None,
    };
    let is_bare_no = sentence.begins("no")
        && !opens_with_no(sentence)
        && sentence.has_any(&[
            "in tests",
            "in the code",
            "anywhere",
            "in commit messages",
            "in production code",
            "please",
        ]);
    object.is_some_and(|verb| !AFTER_DO_NOT.contains(&verb)) || is_bare_no
}

/// "every endpoint must have a test", "commit messages should be in English".
fn required(sentence: &Sentence) -> bool {
    let of_all = sentence.begins_any(&["all", "every", "each", "new", "any new"])
        || sentence.has_any(&[
            "messages",
            "names",
            "tests",
            "files",
            "commits",
            "branches",
            "migrations",
            "comments",
            "components",
            "functions",
            "errors",
            "imports",
            "docs",
        ]);
    of_all
        && sentence.has_any(&[
            "must",
            "should be",
            "must be",
            "should have",
            "need to be",
            "needs to be",
            "have to be",
            "needs a",
            "go in",
            "belong in",
            "should go",
            "must not",
            "live in",
        ])
        && !sentence.has_any(&[
            "should be fine",
            "should be ok",
            "should be done",
            "i",
            "it",
            "this",
            "that",
        ])
}

/// A fact about machines, ports, versions and services.
fn is_fact(sentence: &Sentence) -> bool {
    let words = sentence.words();
    if words.first().is_some_and(|word| IMPERATIVE_OPENERS.contains(word)) {
        return false;
    }
    let has_thing = words.iter().any(|word| ENVIRONMENT_TOPICS.contains(word));
    let has_value = words.iter().any(|word| is_value(word));
    let stands = sentence.has_any(&STATE_VERBS);
    has_thing
        && stands
        && (has_value
            || sentence.has_any(&[
                "vpn",
                "proxy",
                "must be set",
                "has to be set",
                "must be running",
                "has to be running",
                "is behind",
                "arm64",
                "linux",
                "ubuntu",
                "macos",
                "windows",
            ]))
}

/// A port, a version, an address, a variable.
fn is_value(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_number = digits > 0
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x' | b'v' | b'+' | b'-'));
    is_number
        || word.contains("://")
        || word.starts_with("localhost")
        || (digits > 0 && word.contains(['.', ':']))
        || (word.contains('_') && word.len() > 4)
}

/// A report of what happens, which is not an order.
fn is_report(sentence: &Sentence) -> bool {
    sentence.has_any(&REPORT_VERBS)
        && !sentence.has_any(&[
            "always",
            "never",
            "from now on",
            "don't",
            "must",
            "going forward",
            "instead of",
            "we",
        ])
}
