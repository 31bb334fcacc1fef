use std::fs;
use std::path::Path;
use std::process::Command;

use forge_memory_core::Memory;
use forge_memory_core::hallmark::verify_line;
use forge_memory_core::journal::LINE_BYTES_MAX;
use forge_memory_core::merge::merge;
use forge_memory_core::transfer::{ImportOptions, ImportReport};

use crate::common::{Workshop, list_all};

fn record(id: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"content\":\"text of {id}\",\"type\":\"lesson\",\"captured_at\":\"2096-01-01T00:00:00.000Z\"}}\n"
    )
}

/// Three records, one of them after a byte order mark in the middle of the file, and a line that is too long for any reader.
fn odd_lines() -> String {
    let long = record(&format!("long{}", "x".repeat(LINE_BYTES_MAX)));
    [
        record("first"),
        long,
        format!("\u{feff}{}", record("marked")),
        record("last"),
    ]
    .concat()
}

fn filled(lines: &str) -> Workshop {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(workshop.raw_log(), lines).unwrap();
    workshop
}

fn ids(memory: &mut Memory) -> Vec<String> {
    let mut ids: Vec<String> = list_all(memory).into_iter().map(|hit| hit.id).collect();
    ids.sort_unstable();
    ids
}

const IDS: [&str; 3] = ["first", "last", "marked"];

#[test]
fn all_readers_see_the_same_records_in_odd_lines() {
    let lines = odd_lines();
    let workshop = filled(&lines);
    let mut memory = workshop.open();
    assert_eq!(ids(&mut memory), IDS);
    let found = memory.verify().unwrap();
    assert_eq!((found.records, found.damaged), (3, 1));
    assert!(memory.history("marked").unwrap().is_some());
    // Tools that rewrite keep what they do not read.
    let merged = merge(b"", lines.as_bytes(), b"");
    assert_eq!(merged.lines, 4);
    assert!(merged.bytes.len() > LINE_BYTES_MAX);
    let again = filled(std::str::from_utf8(&merged.bytes).unwrap());
    assert_eq!(ids(&mut again.open()), IDS);
    memory.migrate(false).unwrap();
    workshop.clock.advance(1000);
    memory.forget("first").unwrap();
    memory.compact(false).unwrap();
    assert!(fs::metadata(workshop.raw_log()).unwrap().len() > LINE_BYTES_MAX as u64);
    assert_eq!(ids(&mut memory), IDS[1..]);
    let repaired = memory.repair().unwrap();
    assert_eq!(repaired.files.iter().map(|file| file.quarantined).sum::<u64>(), 1);
    assert_eq!(ids(&mut memory), IDS[1..]);
    let target = Workshop::new();
    let source = target.project().join("others.jsonl");
    fs::write(&source, &lines).unwrap();
    let report = import(&target, &source).unwrap();
    assert_eq!((report.imported, report.unreadable), (3, 1));
}

fn import(workshop: &Workshop, source: &Path) -> forge_memory_core::error::Result<ImportReport> {
    workshop.open().import(source, &ImportOptions::default())
}

#[test]
fn inexact_sequence_numbers_of_events_are_ignored() {
    for number in ["1152921504606846976", "18446744073709551615", "1e300", "-1"] {
        let workshop = Workshop::new();
        let publish = || workshop.open().publish(&["{\"type\":\"a\"}".to_owned()]).unwrap();
        assert_eq!(publish(), 1);
        let path = workshop.forge().join("hub-events.jsonl");
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{before}{{\"seq\":{number},\"type\":\"odd\"}}\n")).unwrap();
        assert_eq!(publish(), 2, "{number}");
    }
}

#[test]
fn endless_input_is_not_imported() {
    let workshop = Workshop::new();
    let pipe = workshop.project().join("pipe.jsonl");
    let has_pipe = Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .is_ok_and(|status| status.success());
    let sources = has_pipe.then_some(pipe).into_iter();
    for source in sources
        .chain(["/dev/zero".into(), "/dev/full".into()])
        .filter(|path| path.exists())
    {
        assert_eq!(
            import(&workshop, &source).unwrap_err().code(),
            "UNSUPPORTED",
            "{}",
            source.display()
        );
    }
    let empty = workshop.project().join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(import(&workshop, &empty).unwrap_err().code(), "UNSUPPORTED");
}

#[test]
fn json_of_any_depth_and_width_crashes_no_reader() {
    const DEPTH: usize = 300_000;
    let deep = ["[", "{\"a\":", "[{\"lesson\":"].map(|open| open.repeat(DEPTH));
    let closed = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let wide = format!("[{}1]", "1,".repeat(DEPTH));
    for text in deep.iter().chain([&closed, &wide]) {
        let record = format!(
            "{{\"id\":\"deep\",\"content\":\"text\",\"type\":\"lesson\",\"hallmark\":{text},\"tags\":{text}}}\n"
        );
        for body in [text, &record] {
            let workshop = filled(body);
            let source = workshop.project().join("source.json");
            fs::write(&source, body).unwrap();
            let mut memory = workshop.open();
            let _ = import(&workshop, &source);
            let _ = (
                memory.verify().unwrap(),
                memory.diagnose(),
                memory.compact(true).unwrap(),
                list_all(&mut memory),
            );
            let _ = (
                merge(body.as_bytes(), body.as_bytes(), b""),
                verify_line(body.trim().as_bytes(), None),
            );
            let _ = memory.publish(std::slice::from_ref(body));
        }
    }
}

#[test]
fn an_unreadable_git_name_or_branch_is_reported() {
    let workshop = Workshop::new();
    let git = workshop.project().join(".git");
    for file in ["config", "HEAD"] {
        fs::create_dir_all(git.join(file)).unwrap();
    }
    let mut memory = workshop.open();
    let said = |memory: &mut Memory| -> Vec<String> {
        let findings = memory.diagnose().into_iter();
        let unreadable = findings.filter(|finding| finding.code == "UNREADABLE");
        unreadable.map(|finding| finding.message).collect()
    };
    let found = said(&mut memory);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("config") && found[1].contains("HEAD"), "{found:?}");
    assert!(memory.session_notes(None).is_err());
    for file in ["config", "HEAD"] {
        fs::remove_dir(git.join(file)).unwrap();
    }
    fs::write(
        git.join("config"),
        "[remote \"origin\"]\n\turl = git@example.com:us/till.git\n",
    )
    .unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_eq!(said(&mut memory), [""; 0]);
    assert_eq!(memory.status().project_name, "example.com/us/till");
}
