//! A checked input becomes a record: redacted, with an id, a time, an expiry and a hallmark.

use std::path::Path;

use crate::error::Result;
use crate::model::author::Author;
use crate::model::hallmark::Origin;
use crate::model::input::{CheckedCapture, CheckedSave};
use crate::model::scrub::{HIDDEN_TYPE, Redactor};
use crate::model::thought::{
    DEFAULT_CREATOR, FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, Pattern, Thought, UNKNOWN_SOURCE,
    check_source, expiry_of, new_id, pattern_hash, thought_hash,
};
use forge_memory_journal::Disk;
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};

/// The tool name in the hallmarks of patterns.
const PATTERN_TOOL: &str = "memory_save";

/// A thought that is to be stored.
pub struct Composed {
    pub thought: Thought,
    pub tool: Option<String>,
    /// Why the given source was replaced.
    pub source_problem: Option<String>,
}

/// Composes a thought that revises another one, if one is named.
///
/// # Errors
/// `INVALID_INPUT` when the file that it is about is outside the project.
pub fn compose(
    input: CheckedCapture,
    revised: Option<String>,
    (name, disk, project): (String, &dyn Disk, &Path),
    redactor: &mut Redactor,
    now: Millis,
) -> Result<Composed> {
    let origin = redactor.origin(input.origin.resolve(disk, project)?);
    let tool = input.tool.map(|tool| redactor.text(tool));
    let content = redactor.text(input.body);
    let tags = input.tags.into_iter().map(|tag| redactor.text(tag)).collect();
    let given = input.source.or_else(|| tool.clone());
    let author = input.speaker.author.unwrap_or(Author::Agent);
    let (source, source_problem) = match given.map(|given| redactor.text(given)) {
        None => (author.source().to_owned(), None),
        Some(given) if given == Author::Person.source() && author != Author::Person => {
            let reason = format!("{given} is the source of what a person says");
            (UNKNOWN_SOURCE.to_owned(), Some(reason))
        }
        Some(given) => match check_source(&given) {
            Ok(()) => (given, None),
            Err(reason) => (UNKNOWN_SOURCE.to_owned(), Some(reason)),
        },
    };
    // Counts by tool are those of who captured, also where the source was refused.
    let tool = tool.or_else(|| source_problem.as_ref().map(|_| author.source().to_owned()));
    let expires = input.expires_ms.or_else(|| expiry_of(&input.kind, now));
    let from = input
        .project
        .as_ref()
        .filter(|about| **about != name)
        .and(Some(name.clone()));
    let mut thought = Thought {
        version: FORMAT_VERSION,
        id: new_id(now),
        content,
        project: redactor.text(input.project.unwrap_or(name)),
        kind: redactor.name(input.kind).unwrap_or_else(|| HIDDEN_TYPE.to_owned()),
        created_by: redactor.text(
            input
                .created_by
                .filter(|name| author == Author::Person || name != Author::Person.source())
                .unwrap_or_else(|| creator_of(author)),
        ),
        from: from.map(|from| redactor.text(from)),
        captured_at: format_iso(now),
        expires_at: expires.map(format_iso),
        tags,
        confidence: input.confidence,
        supersedes: revised,
        session: input.session,
        author: input.speaker.author.map(|author| author.name().to_owned()),
        said: input.speaker.said(),
        source,
        ..Thought::default()
    }
    .with_facts(redactor.facts(input.facts));
    stamp(&mut thought, tool.as_deref(), origin);
    Ok(Composed {
        thought,
        tool,
        source_problem,
    })
}

/// Returns the creator of what names none.
pub fn creator_of(author: Author) -> String {
    match author {
        Author::Person => author.source().to_owned(),
        _ => DEFAULT_CREATOR.to_owned(),
    }
}

/// Stamps the hallmark; the hash is over everything else.
pub fn stamp(thought: &mut Thought, tool: Option<&str>, origin: Origin) {
    thought.hallmark = Some(Hallmark {
        schema_version: HALLMARK_VERSION.to_owned(),
        tool_name: tool.unwrap_or(&thought.source).to_owned(),
        captured_at: thought.captured_at.clone(),
        source_file: origin.source_file,
        byte_range: origin.byte_range,
        content_hash: Some(thought_hash(thought)),
        code_hash: origin.code_hash,
        tool_version: origin.tool_version,
    });
}

pub fn fields_of(thought: &Thought, now: Millis) -> Fields<'_> {
    Fields {
        id: thought.id.as_str().into(),
        text: thought.content.as_str().into(),
        kind: thought.kind.as_str().into(),
        project: thought.project.as_str().into(),
        source: thought.source.as_str().into(),
        source_file: thought.hallmark.as_ref().map_or("", Hallmark::source_path).into(),
        at: thought.captured_at.as_str().into(),
        at_ms: now,
        expires_ms: thought.expires_at.as_deref().and_then(parse_iso),
        tags: thought.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: thought.confidence,
        supersedes: thought.supersedes.as_deref().map(Into::into),
        session: thought.session.as_deref().unwrap_or_default().into(),
        author: thought.author.as_deref().and_then(|name| Author::parse(name).ok()),
        said: thought.said,
        // No rule of a capture asks for it.
        came_from: None,
    }
}

/// Composes a pattern; `from` is the project in which it is saved, if it is for all projects.
pub fn compose_pattern(input: CheckedSave, from: Option<String>, redactor: &mut Redactor, now: Millis) -> Pattern {
    let mut pattern = Pattern {
        id: new_id(now),
        timestamp: format_iso(now),
        pattern: redactor.text(input.pattern),
        category: input.category,
        confidence: input.confidence,
        version: FORMAT_VERSION,
        tags: input.tags.into_iter().map(|tag| redactor.text(tag)).collect(),
        from: from.map(|from| redactor.text(from)),
        author: input.speaker.author.map(|author| author.name().to_owned()),
        said: input.speaker.said(),
        ..Pattern::default()
    }
    .with_facts(redactor.facts(input.facts));
    stamp_pattern(&mut pattern);
    pattern
}

/// Stamps the hallmark; the hash is over everything else.
pub fn stamp_pattern(pattern: &mut Pattern) {
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

pub fn pattern_fields(pattern: &Pattern) -> Fields<'_> {
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
        said: pattern.said,
        came_from: None,
    }
}
