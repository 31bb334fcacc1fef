//! Untrusted input: JSON of unexpected shape, and secrets in every field.

use forge_memory_ralph::{EXTERNAL_FILE, GLOBAL_FILE, RalphAddInput};

use crate::support::{HasLessons, Project, tree};

#[test]
fn json_of_any_depth_and_width_crashes_no_reader() {
    const DEPTH: usize = 300_000;
    let deep = ["[", "{\"a\":", "[{\"lesson\":"].map(|open| open.repeat(DEPTH));
    let closed = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let wide = format!("[{}1]", "1,".repeat(DEPTH));
    for text in deep.iter().chain([&closed, &wide]) {
        let record = format!("[{{\"id\":\"deep\",\"lesson\":\"text\",\"tags\":{text}}}]");
        for body in [text, &record] {
            let project = Project::with(body);
            project.write(EXTERNAL_FILE, body);
            let _ = project.memory().ralph_list(&Default::default());
            let _ = project.memory().ralph_query(Some("text"), None, &Default::default());
        }
    }
}

#[test]
fn no_field_of_a_lesson_keeps_a_secret() {
    let token = |number: usize| format!("{}_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6{number:04}", concat!("g", "hp"));
    let project = Project::new();
    let input = RalphAddInput {
        lesson: Some(format!("a lesson about {}", token(1))),
        loop_id: Some(token(2)),
        kind: Some("failure_pattern".into()),
        context: Some(token(3)),
        tags: vec![token(4)],
        ..RalphAddInput::default()
    };
    let outcome = project.memory().ralph_add(input).unwrap();
    assert_eq!(outcome.redactions, 4);
    assert!(!project.read(GLOBAL_FILE).contains("a1B2c3D4"));
    for (path, bytes) in tree(project.folder.path()) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("a1B2c3D4"), "{} holds it", path.display());
    }
}
