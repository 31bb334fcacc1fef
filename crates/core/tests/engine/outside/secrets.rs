use std::fs;
use std::path::Path;

use forge_memory_core::{CaptureInput, EditInput};

use crate::common::{Workshop, capture_of, list_all};

/// A token as a provider gives it out; each ends otherwise, so that none is a duplicate.
fn token(number: usize) -> String {
    format!("{}_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6{number:04}", concat!("g", "hp"))
}

fn assert_absent(folder: &Path, secret: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_absent(&path, secret);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let found = memchr::memmem::find(&bytes, secret.as_bytes());
        assert!(found.is_none(), "{} holds {secret}", path.display());
    }
}

#[test]
fn no_field_of_a_capture_keeps_a_secret() {
    let workshop = Workshop::new();
    fs::write(workshop.project().join(token(9)), "code").unwrap();
    let mut memory = workshop.open();
    let text = |number: usize| Some(token(number));
    let base = |number: usize| capture_of("lesson", &format!("text{number} about{number}"));
    let inputs = [
        CaptureInput {
            tool: text(1),
            ..base(1)
        },
        CaptureInput {
            kind: text(2),
            ..base(2)
        },
        CaptureInput {
            source: text(3),
            ..base(3)
        },
        CaptureInput {
            source: Some(format!("tool/{}", token(4))),
            ..base(4)
        },
        CaptureInput {
            project: text(5),
            ..base(5)
        },
        CaptureInput {
            created_by: text(6),
            ..base(6)
        },
        CaptureInput {
            tags: vec![token(8)],
            ..base(8)
        },
        CaptureInput {
            source_file: text(9),
            tool_version: text(10),
            ..base(9)
        },
    ];
    for input in inputs {
        let outcome = memory.capture(input).unwrap();
        assert!(
            outcome.captured && outcome.redactions > 0 && outcome.tiers.are_ok(),
            "{outcome:?}"
        );
        assert!(!format!("{outcome:?}").contains("a1B2c3D4"), "{outcome:?}");
    }
    let unknown = CaptureInput {
        supersedes: vec![token(7)],
        ..base(7)
    };
    assert_eq!(
        memory.capture(unknown).unwrap_err().code(),
        "NOT_FOUND",
        "nothing is stored"
    );
    let id = list_all(&mut memory)[0].id.clone();
    let changes = EditInput {
        kind: text(11),
        body: text(12),
        tags: Some(vec![token(13)]),
        ..EditInput::default()
    };
    memory.edit(&id, changes).unwrap();
    memory.settle().unwrap();
    assert_absent(&workshop.forge(), "a1B2c3D4");
    assert_absent(&workshop.home(), "a1B2c3D4");
    assert!(memory.verify().unwrap().ok);
}

#[test]
fn events_keep_no_secret() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let (secret, plain) = (token(20), concat!("hunter", "2x9Q"));
    let events = [
        format!(r#"{{"type":"run","note":"the token is {secret}"}}"#),
        format!(r#"{{"type":"run","env":{{"DB_PASSWORD":"{plain}","PORT":8080}}}}"#),
        format!(r#"{{"type":"file-changed","path":"/srv/{secret}/a.ts","list":["{secret}"]}}"#),
        format!(r#"{{"type":"run","{secret}":1}}"#),
    ];
    memory.publish(&events).unwrap();
    for secret in ["a1B2c3D4", plain] {
        assert_absent(&workshop.project(), secret);
    }
    let lines = fs::read_to_string(workshop.forge().join("hub-events.jsonl")).unwrap();
    assert!(
        lines.contains("\"PORT\":8080") && lines.contains("[redacted:password]"),
        "{lines}"
    );
    assert!(
        lines
            .lines()
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
}

#[test]
fn texts_of_only_invisible_characters_are_empty() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for blank in [
        "\u{200b}",
        "\u{2060}\u{feff}",
        " \u{3164}\n",
        "\u{2800}",
        "\u{ad}\u{200d}",
        "\u{202e}\t",
    ] {
        let error = memory.capture(capture_of("lesson", blank)).unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT", "{blank:?}");
        assert!(error.to_string().contains("is empty"), "{error}");
        let mut tagged = capture_of("lesson", "A text that is seen");
        tagged.tags = vec![blank.to_owned()];
        assert_eq!(memory.capture(tagged).unwrap_err().code(), "INVALID_INPUT", "{blank:?}");
    }
    memory.capture(capture_of("lesson", "\u{200b}seen")).unwrap();
}
