//! The context that an agent gets without asking, and the project name of a worktree.

use std::fs;
use std::path::Path;

use crate::common::{Workshop, capture_of, save_of};
use forge_memory_core::RecallHit;

fn texts(hits: &[RecallHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.text.as_str()).collect()
}

fn on_branch(workshop: &Workshop, branch: &str) {
    fs::create_dir_all(workshop.project().join(".git")).unwrap();
    fs::write(
        workshop.project().join(".git/HEAD"),
        format!("ref: refs/heads/{branch}\n"),
    )
    .unwrap();
}

#[test]
fn a_prompt_gets_records_that_share_two_words_or_its_only_one() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let mocks = "Auth mocks must be made inside beforeEach.";
    memory.capture(capture_of("gotcha", mocks)).unwrap();
    memory
        .capture(capture_of("lesson", "The parser of dates ignores zones."))
        .unwrap();
    for (prompt, expected) in [
        ("Why do the auth mocks fail?", vec![mocks]),
        ("Sing of mocks and roses", vec![]),
        ("mocks", vec![mocks]),
        ("mocks?", vec![mocks]),
        ("And what about the mocks?", vec![mocks]),
        ("And what of the mocks today?", vec![]),
        ("how do we do the mocks", vec![mocks]),
        ("", vec![]),
        ("  \u{0}  ", vec![]),
    ] {
        assert_eq!(texts(&memory.prompt_notes(prompt).unwrap()), expected, "{prompt:?}");
    }
    let long = format!("{} auth mocks", "x ".repeat(1000));
    assert_eq!(
        memory.prompt_notes(&long).unwrap().len(),
        0,
        "the beginning says what it is about"
    );
}

#[test]
fn a_prompt_gets_at_most_five_records_and_one_rare_word_displaces_none() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for lesson in [
        "Zebra stripes are painted first.",
        "Feed every zebra at noon.",
        "That zebra bites strangers.",
        "No zebra likes thunder.",
        "One zebra is called Oskar.",
        "Our build server loses its clock.",
        "Restart the build server after an update.",
        "A build server without swap space dies silently.",
        "Nobody logs in to the build server by hand.",
        "Caches fill the build server within a week.",
        "The build server speaks English only.",
    ] {
        assert!(memory.capture(capture_of("lesson", lesson)).unwrap().captured);
    }
    let hits = memory.prompt_notes("build server zebra").unwrap();
    assert_eq!(hits.len(), 5);
    assert!(hits.iter().all(|hit| hit.text.contains("build server")));
}

#[test]
fn a_session_starts_with_records_about_its_branch_and_plan_followed_by_general_ones() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory
        .capture(capture_of("convention", "Errors carry a stable code."))
        .unwrap();
    memory
        .capture(capture_of("lesson", "Auth mocks must be made inside beforeEach."))
        .unwrap();
    memory
        .capture(capture_of("lesson", "Billing rounds half to even."))
        .unwrap();
    memory
        .save(save_of("project", "test_command", "pnpm vitest --run"))
        .unwrap();
    let standing = ["Errors carry a stable code.", "pnpm vitest --run"];
    assert_eq!(texts(&memory.session_notes(None).unwrap()), standing);
    on_branch(&workshop, "main");
    assert_eq!(
        texts(&memory.session_notes(None).unwrap()),
        standing,
        "no work is called main"
    );
    on_branch(&workshop, "fix/auth-mocks_2");
    let notes = memory.session_notes(Some("Phase-2-BILLING")).unwrap();
    assert_eq!(notes.len(), 4);
    assert_eq!(texts(&notes[2..]), standing);
    let first = texts(&notes[..2]);
    assert!(first.iter().any(|text| text.starts_with("Auth")) && first.iter().any(|text| text.starts_with("Billing")));
}

#[test]
fn a_session_gets_no_note_twice() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory
        .capture(capture_of("convention", "Errors carry a stable code."))
        .unwrap();
    on_branch(&workshop, "stable-errors");
    assert_eq!(memory.session_notes(None).unwrap().len(), 1);
}

/// Lays the project out as a work tree of a checkout called `market`.
fn link_to_market(workshop: &Workshop) -> std::path::PathBuf {
    let root = workshop.project().parent().map(Path::to_path_buf).unwrap();
    let own = root.join("market/.git/worktrees/shop");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    let link = workshop.project().join(".git");
    fs::write(own.join("gitdir"), format!("{}\n", link.display())).unwrap();
    fs::write(link, format!("gitdir: {}\n", own.display())).unwrap();
    root.join("market")
}

#[test]
fn a_linked_work_tree_has_the_name_of_its_main_checkout() {
    let workshop = Workshop::new();
    let market = link_to_market(&workshop);
    let mut memory = workshop.open();
    assert_eq!(memory.status().short_name, "market");
    let outcome = memory.capture(capture_of("lesson", "Close the pool last.")).unwrap();
    assert_eq!(outcome.thought.project, memory.project_name());
    assert!(workshop.raw_log().is_file(), "the files stay in the work tree");
    fs::write(market.join(".forge.json"), r#"{"projectName":"bazaar"}"#).unwrap();
    assert_eq!(workshop.open().project_name(), "bazaar");
    fs::write(workshop.project().join(".forge.json"), r#"{"projectName":"stall"}"#).unwrap();
    assert_eq!(workshop.open().project_name(), "stall");
}

#[test]
fn a_worktree_with_a_broken_link_has_the_name_of_its_folder() {
    let workshop = Workshop::new();
    let market = link_to_market(&workshop);
    fs::remove_dir_all(market).unwrap();
    assert_eq!(workshop.open().status().short_name, "shop");
}
