//! A fact of a record is carried by everything, with no more than its line in the table, as `quote` is.

use super::*;
use crate::model::input::{CaptureInput, SaveInput};
use crate::model::thought::content_hash;
use crate::recall::RecallOptions;
use crate::transfer::{ExportOptions, ImportOptions};

struct Folder(tempfile::TempDir);

impl Folder {
    fn memory(&self, name: &str) -> Memory {
        let (project, home) = (self.0.path().join(name), self.0.path().join(format!("home of {name}")));
        std::fs::create_dir_all(&project).unwrap();
        Memory::open(Environment::new(project, home))
    }
}

fn quotes(memory: &mut Memory) -> Vec<Option<String>> {
    let (hits, _) = memory.list(&RecallOptions::default()).unwrap();
    hits.into_iter().map(|hit| hit.quote).collect()
}

fn text(quote: &str) -> Option<String> {
    Some(quote.to_owned())
}

fn capture(quote: Option<String>) -> CaptureInput {
    CaptureInput {
        kind: text("lesson"),
        body: text("The pool is closed last."),
        quote,
        ..CaptureInput::default()
    }
}

#[test]
fn a_fact_of_a_capture_is_stored_shown_edited_exported_and_imported() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let mut memory = folder.memory("project");
    let outcome = memory.capture(capture(text("first"))).unwrap();
    assert_eq!(outcome.thought.quote, text("first"));
    assert_eq!(quotes(&mut memory), [text("first")]);
    let shown = memory.history(&outcome.thought.id).unwrap().unwrap().detail();
    assert_eq!(shown.entry.quote, text("first"));

    let as_it_was = EditInput {
        body: text("The pool is closed first."),
        ..EditInput::default()
    };
    let (kept, _) = memory.edit_in_tiers(&outcome.thought.id, as_it_was).unwrap();
    assert_eq!(kept.quote, text("first"));
    let second = EditInput {
        quote: text("second"),
        ..EditInput::default()
    };
    let edited = memory.edit(&kept.id, second).unwrap();
    assert_eq!(
        (edited.quote.clone(), quotes(&mut memory)),
        (text("second"), vec![text("second")])
    );
    let value = serde_json::to_value(&edited).unwrap();
    assert_eq!(edited.hallmark.unwrap().content_hash, Some(content_hash(&value)));

    let exported = memory.export(&ExportOptions::default()).unwrap().text.unwrap();
    // The last line says what was exported.
    let records = exported.lines().filter(|line| line.contains("\"content\""));
    let edited_by_hand = records.collect::<String>().replace("closed first", "never closed");
    let source = folder.0.path().join("export.jsonl");
    for (name, lines) in [("as it was", exported.clone()), ("edited by hand", edited_by_hand)] {
        std::fs::write(&source, lines).unwrap();
        let mut other = folder.memory(name);
        other.import(&source, &ImportOptions::default()).unwrap();
        assert_eq!(quotes(&mut other), [text("second")], "{name}");
    }
}

#[test]
fn a_fact_of_a_pattern_is_stored_shown_edited_and_proposed() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let mut memory = folder.memory("project");
    let input = SaveInput {
        pattern: text("Run the tests with --once."),
        category: text("test_command"),
        quote: text("first"),
        ..SaveInput::default()
    };
    let saved = memory.save(input).unwrap();
    assert_eq!(quotes(&mut memory), [text("first")]);
    let surer = EditInput {
        confidence: Some(0.9),
        ..EditInput::default()
    };
    assert_eq!(memory.edit(&saved.id, surer).unwrap().quote, text("first"));
    assert_eq!(quotes(&mut memory), [text("first")]);
}

#[test]
fn a_fact_is_checked_and_redacted_as_the_other_texts_are() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let mut memory = folder.memory("project");
    let error = memory.capture(capture(text(" "))).unwrap_err();
    assert_eq!(error.to_string(), "quote: is empty");
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let outcome = memory.capture(capture(Some(secret.clone()))).unwrap();
    assert_eq!(outcome.redactions, 1);
    assert!(!outcome.thought.quote.unwrap().contains(&secret));
}

#[test]
fn a_record_without_facts_is_the_bytes_that_it_always_was() {
    let thought = Thought {
        version: 1,
        id: "mem_1".into(),
        content: "c".into(),
        project: "p".into(),
        kind: "lesson".into(),
        source: "s".into(),
        created_by: "n".into(),
        captured_at: "2026-11-20T10:00:00.000Z".into(),
        expires_at: text("2027-11-20T10:00:00.000Z"),
        tags: vec!["t".into()],
        confidence: 0.5,
        supersedes: text("mem_0"),
        session: text("mcp.0123456789abcdef"),
        author: text("agent"),
        ..Thought::default()
    };
    let line = r#"{"_v":1,"id":"mem_1","content":"c","project":"p","type":"lesson","source":"s","created_by":"n","captured_at":"2026-11-20T10:00:00.000Z","expiresAt":"2027-11-20T10:00:00.000Z","tags":["t"],"confidence":0.5,"supersedes":"mem_0","session":"mcp.0123456789abcdef","author":"agent"}"#;
    assert_eq!(serde_json::to_string(&thought).unwrap(), line);
    let pattern = crate::thought::Pattern {
        id: "mem_2".into(),
        timestamp: "2026-11-20T10:00:00.000Z".into(),
        pattern: "p".into(),
        category: "convention".into(),
        confidence: 0.5,
        version: 1,
        tags: vec!["t".into()],
        supersedes: text("mem_0"),
        author: text("agent"),
        ..Default::default()
    };
    let line = r#"{"id":"mem_2","timestamp":"2026-11-20T10:00:00.000Z","pattern":"p","category":"convention","confidence":0.5,"_v":1,"tags":["t"],"supersedes":"mem_0","author":"agent"}"#;
    assert_eq!(serde_json::to_string(&pattern).unwrap(), line);
}
