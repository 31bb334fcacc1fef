//! basic-memory: a note a file, with a head between dashes, observations as `- [category] text #tag` and relations as
//! `- kind [[Note]]`. Other lines are kept as the note's text.

use std::path::{Path, PathBuf};

use super::incoming::{BYTES_MAX, FILES_MAX, Incoming, Reading, unsupported};
use crate::clock::parse_iso;
use crate::error::{Error, Result};
use crate::journal::{Disk, read_bounded};

#[derive(Default)]
struct Note {
    title: String,
    tags: Vec<String>,
    created: Option<i64>,
    body: String,
}

pub(super) fn read_folder(disk: &dyn Disk, folder: &Path) -> Result<Reading> {
    let mut paths = Vec::new();
    find_notes(disk, folder, &mut paths)?;
    paths.sort_unstable();
    if paths.is_empty() {
        return Err(unsupported(folder, "it contains no memory in a known format"));
    }
    let mut reading = Reading {
        format: "basic-memory",
        ..Reading::default()
    };
    for path in paths {
        let bytes = read_bounded(disk, &path, BYTES_MAX).map_err(Error::io("read", &path))?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => take(&path, text, &mut reading.records),
            Err(_) => reading.unreadable += 1,
        }
    }
    Ok(reading)
}

pub(super) fn read_file(path: &Path, text: &str) -> Result<Reading> {
    let mut reading = Reading {
        format: "basic-memory",
        ..Reading::default()
    };
    take(path, text, &mut reading.records);
    Ok(reading)
}

fn find_notes(disk: &dyn Disk, folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    // Links are neither files nor folders here: following them could loop, or leave the folder.
    for entry in disk.list(folder).map_err(Error::io("read", folder))? {
        let hidden = entry.name.to_string_lossy().starts_with('.');
        let path = folder.join(&entry.name);
        if entry.is_folder && !hidden {
            find_notes(disk, &path, paths)?;
        } else if entry.is_file && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) {
            paths.push(path);
        }
        if paths.len() > FILES_MAX {
            return Err(unsupported(folder, "it contains too many notes"));
        }
    }
    Ok(())
}

fn take(path: &Path, text: &str, records: &mut Vec<Incoming>) {
    let note = note_of(path, text);
    let mut prose = String::new();
    for line in note.body.lines() {
        let found = line
            .trim()
            .strip_prefix("- ")
            .and_then(|item| observation(item).or_else(|| relation(item, &note.title)));
        match found {
            Some((kind, text, tags)) => records.push(Incoming {
                key: format!("{}\0{text}", note.title),
                text,
                kind,
                tags: [vec![note.title.clone()], tags].concat(),
                at_ms: note.created,
                ..Incoming::default()
            }),
            None if is_heading_of_lists(line) => {}
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    let prose = prose.trim();
    if prose.is_empty() || prose.trim_start_matches('#').trim() == note.title {
        return;
    }
    records.push(Incoming {
        key: format!("{}\0note", note.title),
        text: prose.to_owned(),
        kind: "note".into(),
        tags: [vec![note.title.clone()], note.tags].concat(),
        at_ms: note.created,
        ..Incoming::default()
    });
}

fn is_heading_of_lists(line: &str) -> bool {
    matches!(line.trim(), "## Observations" | "## Relations")
}

fn note_of(path: &Path, text: &str) -> Note {
    let text = text.replace("\r\n", "\n");
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
    let mut note = Note {
        title: name.unwrap_or_default(),
        ..Note::default()
    };
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let Some((head, body)) = head else {
        note.body = text;
        return note;
    };
    note.body = body.trim_start_matches('-').to_owned();
    let mut in_tags = false;
    for line in head.lines() {
        if let Some(tag) = line.trim().strip_prefix("- ").filter(|_| in_tags) {
            note.tags.push(unquoted(tag));
            continue;
        }
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        in_tags = name.trim() == "tags";
        match name.trim() {
            "title" => note.title = unquoted(value),
            "created" | "created_at" | "date" => note.created = parse_iso(&unquoted(value)),
            "tags" => {
                let list = value.trim().trim_start_matches('[').trim_end_matches(']');
                note.tags
                    .extend(list.split(',').map(unquoted).filter(|tag| !tag.is_empty()));
            }
            _ => {}
        }
    }
    note
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).trim().to_owned()
}

type Found = (String, String, Vec<String>);

fn observation(item: &str) -> Option<Found> {
    let (category, text) = item.strip_prefix('[')?.split_once(']')?;
    let category = category.trim();
    // Task boxes and links are not categories.
    if category.is_empty() || category == "x" || category == "X" || text.starts_with(['(', ']', '[']) {
        return None;
    }
    let text = text.trim();
    let tags = text.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    let tags = tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
    (!text.is_empty()).then(|| (category.to_owned(), text.to_owned(), tags))
}

fn relation(item: &str, title: &str) -> Option<Found> {
    let (kind, rest) = item.split_once("[[")?;
    let (target, _) = rest.split_once("]]")?;
    let kind = if kind.trim().is_empty() {
        "relates to"
    } else {
        kind.trim()
    };
    Some((
        "relation".into(),
        format!("{title} {kind} {target}"),
        vec![target.to_owned()],
    ))
}
