//! The store of another tool, or an export of our own, taken in: lines, graphs, documents, notes, databases.

use std::fs;
use std::path::Path;

use forge_memory_core::digest::hash_bytes;
use forge_memory_core::transfer::{ExportFormat, ExportOptions, ImportOptions, ImportReport, ReadDatabase};
use forge_memory_core::{Environment, Memory, Result};
use serde_json::Value;

/// A source of several projects is taken whole.
fn options(dry_run: bool, read_database: Option<ReadDatabase>) -> ImportOptions {
    ImportOptions {
        dry_run,
        source_project: Some("*".to_owned()),
        read_database,
        ..ImportOptions::default()
    }
}

/// Where databases cannot be read: they are refused.
pub fn check(input: &[u8]) {
    check_with(None, input);
}

pub fn check_with(read_database: Option<ReadDatabase>, input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let name = if input.starts_with(b"#") || input.starts_with(b"---") {
        "note.md"
    } else {
        "store"
    };
    take_in(folder.path(), "as_it_is", name, input, read_database);
    // What no hash gives away.
    if let Some(sealed) = sealed(input) {
        take_in(folder.path(), "sealed", name, &sealed, read_database);
    }
}

fn take_in(folder: &Path, project: &str, name: &str, input: &[u8], read_database: Option<ReadDatabase>) {
    let options = |dry_run| options(dry_run, read_database);
    let store = folder.join(name);
    fs::write(&store, input).expect("a file");
    let mut memory = memory(folder, project);
    let forge = folder.join(project).join(".forge");
    let counted = memory.import(&store, &options(true));
    assert!(!forge.exists(), "a dry run writes nothing");
    let report = match (counted, memory.import(&store, &options(false))) {
        (Ok(counted), Ok(report)) => {
            assert_eq!(
                counted,
                ImportReport {
                    dry_run: true,
                    // What is not stored has no ids, and nothing is decided about it.
                    ids: Vec::new(),
                    replaced: Vec::new(),
                    in_conflict: 0,
                    proposed: 0,
                    ..report.clone()
                }
            );
            report
        }
        (Err(dry), Err(wet)) => {
            assert_eq!(dry.code(), wet.code());
            assert!(!forge.exists(), "what fails writes nothing");
            return;
        }
        (dry, wet) => panic!("a dry run says {dry:?}, and the other one {wet:?}"),
    };
    assert_eq!(report.lost, 0, "{report:?}");
    assert_eq!(report.read, report.imported + report.duplicates);
    let again = memory.import(&store, &options(false)).expect("it was read before");
    assert_eq!((again.imported, again.read), (0, report.read), "all of it is there");
    for format in [ExportFormat::Lines, ExportFormat::Markdown] {
        go_round(folder, &mut memory, format, report.imported).expect("an export is taken in");
    }
}

/// What was taken in goes out, and comes in elsewhere.
fn go_round(folder: &Path, memory: &mut Memory, format: ExportFormat, imported: u64) -> Result<()> {
    let exported = memory.export(&ExportOptions {
        format: Some(format),
        include_expired: true,
        ..ExportOptions::default()
    })?;
    assert!(exported.records <= imported, "one record may replace another");
    let copy = folder.join("copy");
    fs::write(&copy, exported.text.unwrap_or_default()).expect("a file");
    let elsewhere = self::memory(folder, "elsewhere").import(&copy, &options(true, None))?;
    assert_eq!(elsewhere.read, exported.records);
    Ok(())
}

fn memory(folder: &Path, project: &str) -> Memory {
    let dir = folder.join(project);
    fs::create_dir_all(&dir).expect("a folder");
    Memory::open(Environment::new(dir, folder.join("home")))
}

/// An export whose header describes its content.
fn sealed(input: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(input).ok()?;
    let (first, body) = text.split_once('\n')?;
    let json = first.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
    let mut head: Value = serde_json::from_str(json.unwrap_or(first)).ok()?;
    head.get("_export")?;
    head["sha256"] = hash_bytes(body.as_bytes()).into();
    let head = match json {
        Some(_) => format!("<!-- {head} -->"),
        None => head.to_string(),
    };
    Some(format!("{head}\n{body}").into_bytes())
}
