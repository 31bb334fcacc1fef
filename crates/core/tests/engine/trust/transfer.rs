//! Export and import: a round trip is complete and without duplicates.

use std::fs;
use std::path::Path;

use forge_memory_core::sync::SyncOptions;
use forge_memory_core::transfer::{ExportFormat, ExportOptions, ImportOptions, ImportReport};
use forge_memory_core::{EditInput, Error, Memory};

use super::samples::tree;
use crate::common::lines::{lines, objects};
use crate::common::{Workshop, capture_of, list_all, save_of};

fn filled() -> Workshop {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for text in [
        "Plain",
        "Several\nlines\n\n  indented\n- and a list\n\u{20ac} \u{1f600} --> <!-- {\"id\":1} -->",
        "Ends with a line\n",
        "`code` *stars* # heading",
        "<script>x()</script> ![p](http://evil.test/p) hid\u{200b}den\r\n[d]: http://evil.test\n```\nnever closed",
    ] {
        memory.capture(capture_of("lesson", text)).unwrap();
    }
    let id = memory
        .capture(capture_of("gotcha", "An early text"))
        .unwrap()
        .thought
        .id;
    let changes = EditInput {
        body: Some("A later text".into()),
        ..EditInput::default()
    };
    memory.edit(&id, changes).unwrap();
    let id = memory.capture(capture_of("insight", "Forgotten")).unwrap().thought.id;
    memory.forget(&id).unwrap();
    memory
        .save(save_of("project", "convention", "Tabs, not spaces"))
        .unwrap();
    workshop
}

fn export(memory: &mut Memory, format: ExportFormat) -> String {
    let options = ExportOptions {
        format: Some(format),
        ..ExportOptions::default()
    };
    memory.export(&options).unwrap().text.unwrap()
}

fn import(memory: &mut Memory, path: &Path) -> ImportReport {
    memory.import(path, &ImportOptions::default()).unwrap()
}

fn counts(report: &ImportReport) -> (u64, u64, u64, u64) {
    (report.read, report.imported, report.duplicates, report.lost)
}

fn shown(memory: &mut Memory) -> Vec<String> {
    let mut shown: Vec<String> = list_all(memory)
        .into_iter()
        .map(|hit| format!("{} {} {} {}", hit.id, hit.kind, hit.created_at, hit.text))
        .collect();
    shown.sort_unstable();
    shown
}

#[test]
fn an_export_can_be_imported_completely_and_without_duplicates() {
    let source = filled();
    let mut from = source.open();
    let all = list_all(&mut from);
    let revised = all.into_iter().find(|hit| hit.text == "A later text").unwrap().id;
    for (format, name) in [
        (ExportFormat::Lines, "memory.jsonl"),
        (ExportFormat::Markdown, "memory.md"),
    ] {
        let text = export(&mut from, format);
        let target = Workshop::new();
        let path = target.project().join(name);
        fs::write(&path, &text).unwrap();
        let mut memory = target.open();
        let planned = memory
            .import(
                &path,
                &ImportOptions {
                    dry_run: true,
                    ..ImportOptions::default()
                },
            )
            .unwrap();
        assert!(!target.forge().exists(), "a dry run writes nothing");
        let done = import(&mut memory, &path);
        assert_eq!(
            (counts(&planned), counts(&done)),
            ((7, 7, 0, 0), (7, 7, 0, 0)),
            "{name}"
        );
        assert_eq!(shown(&mut memory), shown(&mut from), "{name}");
        assert!(memory.verify().unwrap().ok && memory.verify().unwrap().coverage == 1.0);
        let before = tree(&target.forge());
        assert_eq!(counts(&import(&mut memory, &path)), (7, 0, 7, 0), "{name}: once more");
        assert_eq!(tree(&target.forge()), before);
        let again = export(&mut memory, format);
        assert_eq!(
            without_replaced(&again, &revised),
            without_replaced(&text, &revised),
            "{name}"
        );
    }
}

/// An import keeps no id of a replaced record that is not among the records: what arrives later under that id would be replaced unasked. The hash
/// of such a record is another one.
fn without_replaced(exported: &str, revised: &str) -> Vec<String> {
    let lines = exported.lines().skip(1);
    let without = |line: &str| {
        let mut line = line.to_owned();
        for field in [r#""supersedes":""#, r#""contentHash":""#] {
            if let Some(start) = line.find(field).filter(|_| line.contains(revised)) {
                let end = start + field.len() + line[start + field.len()..].find('"').unwrap();
                line.replace_range(start..=end, "");
            }
        }
        line.replace(",\"_edit\":true", "").replace(",,", ",")
    };
    lines.map(without).collect()
}

#[test]
fn markdown_exports_contain_no_active_or_hidden_markup() {
    let workshop = filled();
    let mut memory = workshop.open();
    let page = export(&mut memory, ExportFormat::Markdown);
    let texts: Vec<&str> = page.lines().filter(|line| !line.starts_with("<!-- {")).collect();
    let texts = texts.join("\n");
    for markup in [
        "<script", "</script", "<!--", "-->", "](", "[d]:", "\n  ```", "\u{200b}", "\r",
    ] {
        assert!(!texts.contains(markup), "{markup:?} in {texts}");
    }
    assert!(!page.contains('\u{200b}'), "nor in a comment");
    let path = workshop.project().join("memory.md");
    let edited = page.replace("hid\\u{200b}den", "changed");
    assert_ne!(edited, page);
    fs::write(&path, edited).unwrap();
    assert_eq!(counts(&import(&mut memory, &path)), (7, 1, 6, 0));
    assert!(
        list_all(&mut memory)
            .iter()
            .any(|hit| hit.text.contains("![p]\\(http://evil.test/p) changed"))
    );
}

#[test]
fn an_import_does_not_restore_forgotten_records() {
    let workshop = filled();
    let mut memory = workshop.open();
    let path = workshop.project().join("out.jsonl");
    fs::write(&path, export(&mut memory, ExportFormat::Lines)).unwrap();
    let id = list_all(&mut memory)[0].id.clone();
    memory.forget(&id).unwrap();
    assert_eq!(counts(&import(&mut memory, &path)), (7, 0, 7, 0));
    assert!(list_all(&mut memory).iter().all(|hit| hit.id != id));
}

#[test]
fn a_text_changed_in_the_markdown_is_a_revision() {
    let workshop = filled();
    let mut memory = workshop.open();
    let text = export(&mut memory, ExportFormat::Markdown);
    let path = workshop.project().join("memory.md");
    fs::write(&path, text.replace("- Plain", "- Plain and simple")).unwrap();
    assert_eq!(counts(&import(&mut memory, &path)), (7, 1, 6, 0));
    let texts: Vec<String> = list_all(&mut memory).into_iter().map(|hit| hit.text).collect();
    assert!(texts.contains(&"Plain and simple".into()) && !texts.contains(&"Plain".into()));
}

#[test]
fn a_truncated_source_is_refused_before_anything_is_written() {
    let source = filled();
    let mut from = source.open();
    let target = Workshop::new();
    let path = |name: &str| target.project().join(name);
    let cut = |text: &str, end: usize| text.chars().take(end).collect::<String>();
    let jsonl = export(&mut from, ExportFormat::Lines);
    let md = export(&mut from, ExportFormat::Markdown);
    for (name, text) in [
        ("a.jsonl", cut(&jsonl, jsonl.chars().count() / 2)),
        (
            "b.jsonl",
            jsonl.lines().take(4).map(|line| format!("{line}\n")).collect(),
        ),
        ("c.md", cut(&md, md.chars().count() / 2)),
        (
            "d.jsonl",
            "{\"id\":\"mem_a\",\"content\":\"whole\"}\n{\"id\":\"mem_b\",\"conte".into(),
        ),
        ("e.json", "[{\"lesson\":\"x\"},{\"les".into()),
        (
            "f.jsonl",
            "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"b\",\"observations\":[\"c\"]}\n{\"type\":\"ent"
                .into(),
        ),
        ("g.jsonl", String::from_utf8_lossy(b"\xff\xfe\x00").into_owned() + "\n"),
    ] {
        fs::write(path(name), &text).unwrap();
        let error = target
            .open()
            .import(&path(name), &ImportOptions::default())
            .unwrap_err();
        assert!(
            matches!(error, Error::Corrupt { .. } | Error::Unsupported { .. }),
            "{name}: {error}"
        );
        assert_eq!(fs::read_to_string(path(name)).unwrap(), text);
        assert!(!target.forge().exists(), "{name}");
    }
    let missing = target
        .open()
        .import(&path("none"), &ImportOptions::default())
        .unwrap_err();
    assert_eq!(missing.code(), "IO");
}

#[test]
fn an_export_stays_within_the_project_and_out_of_the_memory() {
    let workshop = filled();
    let mut memory = workshop.open();
    fs::create_dir(workshop.project().join("docs")).unwrap();
    fs::write(workshop.project().join("there.md"), "mine").unwrap();
    let before = tree(&workshop.forge());
    let mut forced = |path: &str, overwrite: bool, force: bool| {
        memory.export(&ExportOptions {
            path: Some(path.into()),
            overwrite,
            force,
            ..ExportOptions::default()
        })
    };
    let mut to = |path: &str, overwrite: bool| forced(path, overwrite, false);
    let outside = workshop.home().join("x.jsonl").display().to_string();
    fs::create_dir_all(workshop.home()).unwrap();
    for bad in [
        "../x.jsonl",
        &outside,
        ".forge/memory-captures.jsonl",
        ".forge",
        "docs/../../x",
        "there.md",
        "docs",
    ] {
        assert_eq!(to(bad, false).unwrap_err().code(), "INVALID_INPUT", "{bad}");
    }
    assert_eq!(to("there.md/folder.jsonl", false).unwrap_err().code(), "IO");
    assert_eq!(tree(&workshop.forge()), before);
    assert_eq!(fs::read_to_string(workshop.project().join("there.md")).unwrap(), "mine");
    assert_eq!(to("docs/memory.jsonl", false).unwrap().records, 7);
    // What is there already is replaced when it is an export and that was asked for, else by force alone.
    assert_eq!(to("docs/memory.jsonl", false).unwrap_err().code(), "INVALID_INPUT");
    assert_eq!(to("docs/memory.jsonl", true).unwrap().records, 7);
    assert_eq!(to("there.md", true).unwrap_err().code(), "INVALID_INPUT");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(workshop.home(), workshop.project().join("link")).unwrap();
        assert_eq!(to("link/x.jsonl", false).unwrap_err().code(), "INVALID_INPUT");
        std::os::unix::fs::symlink(workshop.home().join("y"), workshop.project().join("y")).unwrap();
        assert_eq!(to("y", true).unwrap_err().code(), "INVALID_INPUT");
        fs::create_dir_all(workshop.project().join(".git/hooks")).unwrap();
        std::os::unix::fs::symlink(".git/hooks", workshop.project().join("out")).unwrap();
        assert_eq!(forced("out/x.jsonl", true, true).unwrap_err().code(), "INVALID_INPUT");
    }
    for path in ["package.json", ".env", ".git/x.jsonl", ".forge/x.jsonl"] {
        let allowed = !path.contains("/x");
        assert_eq!(forced(path, true, false).unwrap_err().code(), "INVALID_INPUT", "{path}");
        assert_eq!(forced(path, false, true).is_ok(), allowed, "{path}");
    }
    assert_eq!(forced("there.md", false, true).unwrap().records, 7);
}

const TOKEN: &str = concat!("gh", "p_0123456789abcdefghijklmnopqrstuvwxyzAB");

#[test]
fn secrets_are_redacted_on_import_and_export() {
    let workshop = Workshop::new();
    let path = workshop.project().join("in.jsonl");
    fs::write(
        &path,
        format!("{{\"content\":\"token {TOKEN} here\",\"type\":\"lesson\"}}\n"),
    )
    .unwrap();
    let mut memory = workshop.open();
    let report = import(&mut memory, &path);
    assert_eq!((report.imported, report.redactions), (1, 1));
    assert!(tree(&workshop.forge()).values().all(|text| !text.contains(TOKEN)));
    let line = format!("{{\"_v\":1,\"id\":\"mem_old\",\"content\":\"old {TOKEN}\",\"type\":\"lesson\"}}\n");
    let mut log = fs::read(workshop.raw_log()).unwrap();
    log.extend_from_slice(line.as_bytes());
    fs::write(workshop.raw_log(), log).unwrap();
    for format in [ExportFormat::Lines, ExportFormat::Markdown] {
        let exported = memory
            .export(&ExportOptions {
                format: Some(format),
                ..ExportOptions::default()
            })
            .unwrap();
        assert_eq!((exported.records, exported.redactions), (2, 1));
        assert!(!exported.text.unwrap().contains(TOKEN));
    }
}

#[test]
fn files_for_others_contain_no_secrets_whatever_the_settings_say() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let mut memory = workshop.open();
    let line = format!("{{\"_v\":1,\"id\":\"mem_old\",\"content\":\"old {TOKEN}\",\"type\":\"lesson\"}}\n");
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(workshop.raw_log(), line).unwrap();
    let exported = memory.export(&ExportOptions::default()).unwrap();
    assert!(!exported.text.unwrap().contains(TOKEN));
    memory.sync(&SyncOptions::default()).unwrap();
    let hints = fs::read_to_string(workshop.project().join(".github/copilot-memory-hints.md")).unwrap();
    assert!(hints.contains("- old ") && !hints.contains(TOKEN), "{hints}");
}

fn imported(name: &str, text: &str) -> (Workshop, ImportReport) {
    let workshop = Workshop::new();
    let path = workshop.project().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let mut memory = workshop.open();
    let source = if name.contains('/') {
        workshop.project().join(name.split('/').next().unwrap())
    } else {
        path
    };
    let report = import(&mut memory, &source);
    let again = import(&mut memory, &source);
    assert_eq!(
        (again.imported, again.duplicates),
        (0, report.read),
        "{name}: once more"
    );
    assert_eq!(memory.verify().unwrap().coverage, 1.0);
    (workshop, report)
}

fn said(workshop: &Workshop) -> Vec<String> {
    let mut said: Vec<String> = list_all(&mut workshop.open())
        .into_iter()
        .map(|hit| format!("{}: {}", hit.kind, hit.text))
        .collect();
    said.sort_unstable();
    said
}

#[test]
fn the_graph_of_server_memory_is_imported_by_observation_and_relation() {
    let text = r#"{"type":"entity","name":"shop","entityType":"project","observations":["uses pnpm","deploys on Fridays"]}
{"type":"entity","name":"Ann","entityType":"person","observations":[]}
{"type":"relation","from":"Ann","to":"shop","relationType":"maintains"}
"#;
    let (workshop, report) = imported("memory.json", text);
    assert_eq!((report.format, counts(&report)), ("server-memory", (4, 4, 0, 0)));
    assert_eq!(
        said(&workshop),
        [
            "fact: Ann: person",
            "fact: shop: deploys on Fridays",
            "fact: shop: uses pnpm",
            "relation: Ann maintains shop"
        ]
    );
}

#[test]
fn patterns_and_thoughts_of_older_tools_keep_their_types_on_import() {
    let (workshop, report) = imported(
        "project.jsonl",
        "{\"id\":\"mem_1763632000000_9zk\",\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"pattern\":\"Lint first\",\"category\":\"convention\",\"confidence\":0.9}\n",
    );
    assert_eq!(counts(&report), (1, 1, 0, 0));
    assert_eq!(objects(&workshop.patterns())[0]["id"], "mem_1763632000000_9zk");
    let (workshop, report) = imported(
        "liveguard-memories.jsonl",
        "{\"_v\":1,\"content\":\"Retry with jitter\",\"project\":\"shop\",\"type\":\"decision\",\"source\":\"forge_watch/stall\",\"captured_at\":\"2096-11-19T10:00:00.000Z\"}\nnot json\n",
    );
    assert_eq!((counts(&report), report.unreadable), ((1, 1, 0, 0), 1));
    assert_eq!(said(&workshop), ["decision: Retry with jitter"]);
    assert_eq!(lines(&workshop.forge().join("decisions.jsonl")).len(), 1);
    assert_eq!(lines(&workshop.forge().join("openbrain-queue.jsonl")).len(), 1);
}

#[test]
fn importing_a_forge_folder_omits_forgotten_records() {
    let source = filled();
    let target = Workshop::new();
    let mut memory = target.open();
    let report = import(&mut memory, &source.project());
    assert_eq!(
        (report.format, counts(&report), report.retired),
        ("forge", (7, 7, 0, 0), 2)
    );
    assert_eq!(shown(&mut memory), shown(&mut source.open()));
}

#[test]
fn lessons_and_learnings_of_aiwg_are_imported() {
    let (workshop, report) = imported(
        "lessons.json",
        r#"{"entries":[{"id":"mem_a1b2c3","loopId":"abc123","iteration":2,"createdAt":"2026-04-01T10:00:00Z","type":"lesson_learned","lesson":"Mock auth","context":"src/a.ts","tags":["auth"],"confidence":0.8},{"nothing":1}]}"#,
    );
    assert_eq!(
        (report.format, counts(&report), report.unreadable),
        ("aiwg", (1, 1, 0, 0), 1)
    );
    assert_eq!(said(&workshop), ["lesson: Mock auth\nContext: src/a.ts"]);
    let (workshop, _) = imported(
        "ralph-learnings.json",
        r#"{"version":"1.0.0","learnings":[{"id":"learn-1","type":"strategy","taskType":"test-fix","content":{"description":"Small steps","effectiveness":0.9},"confidence":0.5,"createdAt":"2026-04-01T10:00:00Z"}]}"#,
    );
    assert_eq!(said(&workshop), ["strategy: Small steps\neffectiveness: 0.9"]);
}

#[test]
fn notes_of_basic_memory_are_imported_by_observation() {
    let note = "---\ntitle: Coffee\ntype: note\ntags:\n- drinks\ncreated: 2026-04-01T10:00:00Z\n---\n# Coffee\n\nSome prose.\n\n## Observations\n- [method] Pour slowly #brewing (each morning)\n- [ ] not an observation\n\n## Relations\n- pairs_with [[Chocolate]]\n";
    let (workshop, report) = imported("notes/drinks/coffee.md", note);
    assert_eq!((report.format, counts(&report)), ("basic-memory", (3, 3, 0, 0)));
    assert_eq!(
        said(&workshop),
        [
            "method: Pour slowly #brewing (each morning)",
            "note: # Coffee\n\nSome prose.\n\n- [ ] not an observation",
            "relation: Coffee pairs_with Chocolate",
        ]
    );
}

#[test]
fn a_database_is_refused_by_name_where_none_is_read() {
    let workshop = Workshop::new();
    let path = workshop.project().join("store.db");
    fs::write(&path, b"SQLite format 3\0").unwrap();
    let error = workshop.open().import(&path, &ImportOptions::default()).unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED");
    assert!(error.to_string().contains("store.db"), "{error}");
}

#[test]
fn a_text_that_is_too_long_for_one_record_is_split_without_loss() {
    let long = "word ".repeat(30_000);
    let (workshop, report) = imported(
        "long.jsonl",
        &format!("{{\"content\":\"{long}\",\"type\":\"insight\"}}\n"),
    );
    assert_eq!(counts(&report), (3, 3, 0, 0));
    let whole: usize = list_all(&mut workshop.open()).iter().map(|hit| hit.text.len()).sum();
    assert_eq!(whole, long.len());
}
