//! Saving patterns: the compact lessons of `memory/project.jsonl` and `memory/global.jsonl`.

use crate::clock::{Millis, format_iso, parse_iso};
use crate::error::Result;
use crate::index::dedup::find_duplicate_in;
use crate::index::{Entry, Store, Stores};
use crate::journal::clean;
use crate::model::encode::{encode, text_of};
use crate::model::input::{CheckedSave, SaveInput};
use crate::model::scope::Scope;
use crate::model::scrub::Redactor;
use crate::model::thought::{
    FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, LineKind, Pattern, new_id, pattern_hash, read_line,
};
use crate::project::Project;

/// The tool name in the hallmarks of patterns.
const PATTERN_TOOL: &str = "memory_save";

/// The outcome of a save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveOutcome {
    /// False when the pattern is a duplicate.
    pub saved: bool,
    /// The id of the pattern, or of its duplicate.
    pub id: String,
    /// A message for the user.
    pub message: String,
    /// How many secrets were redacted.
    pub redactions: usize,
}

/// Saves a pattern, unless the scope has one with the same category and the same folded text.
///
/// # Errors
/// `INVALID_INPUT` when the input is wrong, `LOCKED` or `IO` when it cannot be stored; nothing is written then.
pub(crate) fn save(project: &mut Project, stores: &mut Stores, input: SaveInput) -> Result<SaveOutcome> {
    let checked = input.check()?;
    let now = project.now();
    let scope = checked.scope;
    let mut redactor = project.redactor();
    let pattern = compose(checked, &mut redactor, now);
    let redactions = redactor.count;
    let known = append_unless_known(stores.patterns_mut(scope), &pattern, now)?;
    if scope == Scope::Project {
        // The pattern is stored all the same; `doctor` reports files that git should ignore.
        let is_first = stores.project_patterns.journal_index.records() == 1;
        let _ = project.ensure_gitignore(is_first);
    }
    let scope = scope.name();
    Ok(match known {
        Some(id) => SaveOutcome {
            saved: false,
            id,
            message: format!("Duplicate pattern already in {scope} memory, skipped."),
            redactions,
        },
        None => SaveOutcome {
            saved: true,
            message: format!("Saved to {scope} memory [{}]: {}", pattern.category, pattern.pattern),
            id: pattern.id,
            redactions,
        },
    })
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
        supersedes: None,
        hallmark: None,
    };
    stamp_pattern(&mut pattern);
    pattern
}

/// Returns the id of an existing duplicate.
fn append_unless_known(store: &mut Store, pattern: &Pattern, now: Millis) -> Result<Option<String>> {
    let fields = pattern_fields(pattern);
    let mut words = Entry::default();
    words.take_words(&fields, store.journal_index.family());
    let (mut held, journal_index) = store.hold_for_lookup(now)?;
    let known = find_duplicate_in(&mut held, journal_index, &words, &fields, 1.0, now)?;
    if let Some(duplicate) = known
        && let LineKind::Record(known) = read_line(clean(&duplicate.line))
    {
        return Ok(Some(known.id.into_owned()));
    }
    let line = text_of(encode(pattern)?)?;
    let span = held.append(line.as_bytes())?;
    journal_index.append(&words, now, span, line.as_bytes(), held.state().id);
    Ok(None)
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
        at: pattern.timestamp.as_str().into(),
        at_ms: parse_iso(&pattern.timestamp).unwrap_or(0),
        expires_ms: None,
        tags: pattern.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: pattern.confidence,
        supersedes: pattern.supersedes.as_deref().map(Into::into),
    }
}
