//! Saving patterns: the compact lessons of `memory/project.jsonl` and `memory/global.jsonl`.

use crate::clock::{Millis, format_iso, parse_iso};
use crate::engine::acceptance::{proposal_of, why_accepted};
use crate::engine::offer::Offered;
use crate::engine::outcome::ReviewOutcome;
use crate::engine::standing::{lines_of, take_in};
use crate::error::Result;
use crate::index::dedup::{find_duplicate_in, find_withheld_duplicate};
use crate::index::{Entry, Store, Stores};
use crate::journal::{Span, clean};
use crate::judgement::decide::Judge;
use crate::judgement::standing::Review;
use crate::model::author::{Author, Speaker};
use crate::model::encode::{encode, text_of};
use crate::model::input::{CheckedSave, SaveInput};
use crate::model::scope::Scope;
use crate::model::scrub::Redactor;
use crate::model::thought::{
    FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, LineKind, Pattern, id_hash, new_id, pattern_hash, read_line,
};
use crate::project::Project;
use schemars::JsonSchema;
use serde::Serialize;

/// The tool name in the hallmarks of patterns.
const PATTERN_TOOL: &str = "memory_save";

/// The outcome of a save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveOutcome {
    /// Whether it was stored.
    pub status: SaveStatus,
    /// The id of the pattern; for a duplicate, of the existing one.
    pub id: String,
    /// A message for the user.
    pub message: String,
    /// The number of redacted secrets.
    pub redactions: usize,
    /// The scope that it is in.
    #[serde(skip)]
    pub scope: Scope,
    /// As in the outcome of a capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOutcome>,
    /// As in the outcome of a capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Vec<Offered>>,
}

impl SaveOutcome {
    /// True if the pattern was stored.
    pub fn is_saved(&self) -> bool {
        self.status == SaveStatus::Saved
    }
}

/// The outcome for a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SaveStatus {
    /// It is stored.
    Saved,
    /// The scope has one with the same category and the same text.
    Duplicate,
}

/// Saves a pattern, unless the scope has one with the same category and the same folded text.
///
/// # Errors
/// `INVALID_INPUT` when the input is wrong, `LOCKED` or `IO` when it cannot be stored; nothing is written then.
pub(crate) fn save(project: &mut Project, stores: &mut Stores, input: SaveInput) -> Result<SaveOutcome> {
    save_checked(project, stores, input.check()?)
}

/// Does the same with an input that is checked.
pub(crate) fn save_checked(project: &mut Project, stores: &mut Stores, checked: CheckedSave) -> Result<SaveOutcome> {
    let scope = checked.scope;
    let now = stores.patterns_mut(scope).dated(project.now());
    let speaker = checked.speaker.clone();
    let is_covered = project.config().requires_review(&speaker);
    let mut redactor = project.redactor();
    let pattern = compose(checked, &mut redactor, now);
    let redactions = redactor.count;
    let stored = append_unless_known(stores.patterns_mut(scope), &pattern, &speaker, is_covered, now)?;
    if scope == Scope::Project {
        // The pattern is stored all the same; `doctor` reports files that git should ignore.
        let is_first = stores.project_patterns.journal_index.records() == 1;
        let _ = project.ensure_gitignore(is_first);
    }
    Ok(outcome_of(stored, pattern, scope, redactions))
}

fn outcome_of(stored: Saved, pattern: Pattern, scope: Scope, redactions: usize) -> SaveOutcome {
    let name = scope.name();
    let (status, review, id, message) = match stored {
        Saved::Withheld(id, review) => {
            let message = match review {
                ReviewOutcome::Accepted => format!("Accepted in {name} memory: it waited for a review."),
                ReviewOutcome::Proposed => format!("Already proposed for {name} memory, skipped."),
                ReviewOutcome::Rejected => format!("Already rejected in {name} memory, skipped."),
            };
            (SaveStatus::Duplicate, Some(review), id, message)
        }
        Saved::Proposed => {
            let message = format!("Proposed for {name} memory: it waits for a review.");
            (SaveStatus::Saved, Some(ReviewOutcome::Proposed), pattern.id, message)
        }
        Saved::Known(id) => {
            let message = format!("Duplicate pattern already in {name} memory, skipped.");
            (SaveStatus::Duplicate, None, id, message)
        }
        Saved::New => {
            let message = format!("Saved to {name} memory [{}]: {}", pattern.category, pattern.pattern);
            (SaveStatus::Saved, None, pattern.id, message)
        }
    };
    SaveOutcome {
        status,
        review,
        id,
        message,
        redactions,
        scope,
        related: None,
    }
}

fn compose(input: CheckedSave, redactor: &mut Redactor, now: Millis) -> Pattern {
    let mut pattern = Pattern {
        id: new_id(now),
        timestamp: format_iso(now),
        pattern: redactor.text(input.pattern),
        category: input.category,
        confidence: input.confidence,
        version: FORMAT_VERSION,
        tags: input.tags.into_iter().map(|tag| redactor.text(tag)).collect(),
        author: input.speaker.author.map(|author| author.name().to_owned()),
        ..Pattern::default()
    }
    .with_facts(redactor.facts(input.facts));
    stamp_pattern(&mut pattern);
    pattern
}

enum Saved {
    New,
    Proposed,
    /// It is a duplicate of this record.
    Known(String),
    /// A duplicate is proposed or was rejected.
    Withheld(String, ReviewOutcome),
}

fn append_unless_known(
    store: &mut Store,
    pattern: &Pattern,
    speaker: &Speaker,
    is_covered: bool,
    now: Millis,
) -> Result<Saved> {
    let fields = pattern_fields(pattern);
    let mut words = Entry::default();
    words.take_words(&fields, store.journal_index.family());
    let (mut held, journal_index) = store.hold_for_lookup(now)?;
    let known = find_duplicate_in(&mut held, journal_index, &words, &fields, 1.0, now)?;
    if let Some(duplicate) = known
        && let LineKind::Record(known) = read_line(clean(&duplicate.line))
    {
        return Ok(Saved::Known(known.id.into_owned()));
    }
    let withheld = find_withheld_duplicate(journal_index, held.journal(), &words, &fields, 1.0)?;
    if let Some(duplicate) = withheld
        && let LineKind::Record(known) = read_line(clean(&duplicate.line))
    {
        let review = journal_index.standings().review_of(&id_hash(&known.id), None);
        let Some(why) = why_accepted((held.journal(), journal_index), &known.id, speaker, is_covered) else {
            let outcome = match review {
                Review::Rejected(_) => ReviewOutcome::Rejected,
                _ => ReviewOutcome::Proposed,
            };
            return Ok(Saved::Withheld(known.id.into_owned(), outcome));
        };
        let judge = Judge::of(journal_index.standings(), now);
        let accept = [judge.accept(&known.id, speaker.session.as_deref(), why)];
        let lines = lines_of(&accept, None);
        let span = held.append_lines(lines.concat().as_bytes())?;
        take_in(journal_index, &held, span.offset, (&accept, &lines), now);
        return Ok(Saved::Withheld(known.id.into_owned(), ReviewOutcome::Accepted));
    }
    if is_covered {
        let who = speaker.author.unwrap_or(Author::Agent).name();
        let rulings = proposal_of(&pattern.id, &[], speaker.session.as_deref(), who, now);
        let (lines, line) = (lines_of(&rulings, None), text_of(encode(pattern)?)?);
        let before = lines.concat();
        let span = held.append_lines([before.as_str(), &line, "\n"].concat().as_bytes())?;
        take_in(journal_index, &held, span.offset, (&rulings, &lines), now);
        let own = Span {
            offset: span.offset + before.len() as u64,
            len: line.len() as u64 + 1,
        };
        journal_index.append(&words, now, own, line.as_bytes(), held.state().id);
        return Ok(Saved::Proposed);
    }
    let line = text_of(encode(pattern)?)?;
    let span = held.append(line.as_bytes())?;
    journal_index.append(&words, now, span, line.as_bytes(), held.state().id);
    Ok(Saved::New)
}

/// Stamps the hallmark; the hash is over everything else.
pub(crate) fn stamp_pattern(pattern: &mut Pattern) {
    pattern.hallmark = Some(Hallmark {
        schema_version: HALLMARK_VERSION.to_owned(),
        tool_name: PATTERN_TOOL.to_owned(),
        captured_at: pattern.timestamp.clone(),
        source_file: None,
        byte_range: None,
        content_hash: Some(pattern_hash(pattern)),
        code_hash: None,
        tool_version: None,
    });
}

pub(crate) fn pattern_fields(pattern: &Pattern) -> Fields<'_> {
    Fields {
        id: pattern.id.as_str().into(),
        text: pattern.pattern.as_str().into(),
        kind: pattern.category.as_str().into(),
        project: "".into(),
        source: "".into(),
        source_file: pattern.hallmark.as_ref().map_or("", Hallmark::source_path).into(),
        at: pattern.timestamp.as_str().into(),
        at_ms: parse_iso(&pattern.timestamp).unwrap_or(0),
        expires_ms: None,
        tags: pattern.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: pattern.confidence,
        supersedes: pattern.supersedes.as_deref().map(Into::into),
        session: "".into(),
        author: pattern.author.as_deref().and_then(|name| Author::parse(name).ok()),
    }
}
