//! Detects the format of an import and reads it, but for databases, whose reader the caller brings. Writes nothing.

mod aiwg;
mod basic_memory;
mod incoming;
mod lines;
mod server_memory;
pub(super) mod shared;

use std::path::{Path, PathBuf};

use serde_json::Value;

use incoming::BYTES_MAX;
pub use incoming::{Incoming, ReadDatabase, Reading, damaged, texts, unsupported};
pub use lines::own_record;

use super::{EXPORT_MARK, Head, markdown};
use crate::error::{Error, Result};
use crate::journal::{Disk, FileKind, read_bounded};
use crate::model::digest::hash_bytes;

pub(super) fn read(disk: &dyn Disk, path: &Path, read_database: Option<ReadDatabase>) -> Result<Reading> {
    let found = disk.metadata(path).map_err(Error::io("open", path))?;
    match found.kind {
        FileKind::Folder => return read_folder(disk, path),
        FileKind::File => {}
        // Reading a device or a pipe may never end.
        _ => {
            let hint = "write what it contains to a file, and import that one";
            return Err(unsupported(path, "is neither a file nor a folder").advised(hint));
        }
    }
    if found.len > BYTES_MAX {
        let hint = "import it in parts, of which each is a file of its own";
        return Err(unsupported(path, "is larger than 1 GiB").advised(hint));
    }
    // The user named the path, so a link is followed.
    let real = disk.real_path(path).map_err(Error::io("open", path))?;
    let bytes = read_bounded(disk, &real, BYTES_MAX).map_err(Error::io("read", path))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        let read = read_database.ok_or_else(|| unsupported(path, "is a database, which cannot be read here"))?;
        return read(path);
    }
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = std::str::from_utf8(body).map_err(|_| damaged(path, "it is not UTF-8 text"))?;
    let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if is_markdown || text.starts_with("<!-- {\"_export\"") {
        return read_markdown(path, text);
    }
    if let Some(head) = head_of(text.split('\n').next().unwrap_or_default()) {
        let body = text.split_once('\n').map_or("", |(_, body)| body);
        check_head(path, &head, body)?;
        let reading = lines::read(path, body.as_bytes(), 2, "forge-memory")?;
        let found = reading.records.len() as u64 + reading.retired;
        counted(path, &head, found)?;
        return Ok(reading);
    }
    if let Some(document) = whole_document(text) {
        return aiwg::read(path, &document);
    }
    if text.trim_start().starts_with('[') {
        return Err(damaged(path, "it is not a complete JSON document"));
    }
    if server_memory::is_graph(text) {
        return server_memory::read(path, text);
    }
    lines::read(path, body, 1, "jsonl")
}

/// One JSON document in a file, unless it is a record on a line.
fn whole_document(text: &str) -> Option<Value> {
    let document: Value = serde_json::from_str(text).ok()?;
    let is_record = ["content", "pattern", "_action", "entityType", "relationType"]
        .iter()
        .any(|name| document.get(name).is_some());
    (!is_record).then_some(document)
}

fn read_folder(disk: &dyn Disk, folder: &Path) -> Result<Reading> {
    const STORES: [&str; 4] = [
        "memory-captures.jsonl",
        "liveguard-memories.jsonl",
        "memory/project.jsonl",
        "memory/global.jsonl",
    ];
    let forge = if disk.has_folder(&folder.join(".forge")) {
        folder.join(".forge")
    } else {
        folder.to_path_buf()
    };
    let stores: Vec<PathBuf> = STORES
        .iter()
        .map(|name| forge.join(name))
        .filter(|path| disk.has_file(path))
        .collect();
    if stores.is_empty() {
        return basic_memory::read_folder(disk, folder);
    }
    let mut all = Reading {
        format: "forge",
        ..Reading::default()
    };
    for path in stores {
        let bytes = read_bounded(disk, &path, BYTES_MAX).map_err(Error::io("read", &path))?;
        let reading = lines::read(&path, &bytes, 1, "forge")?;
        all.records.extend(reading.records);
        all.retired += reading.retired;
        all.unreadable += reading.unreadable;
    }
    Ok(all)
}

fn read_markdown(path: &Path, text: &str) -> Result<Reading> {
    // Editors end lines in their own way.
    let text = text.replace("\r\n", "\n");
    let (first, body) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(head) = markdown::uncomment(first).and_then(head_of) else {
        return basic_memory::read_file(path, &text);
    };
    let page = markdown::read(body);
    counted(path, &head, page.exported)?;
    let mut reading = Reading {
        format: "forge-memory",
        records: page.records.into_iter().filter_map(lines::own_record).collect(),
        ..Reading::default()
    };
    for at in page.passed_over {
        reading.pass_over(at + 2);
    }
    Ok(reading)
}

fn head_of(line: &str) -> Option<Head> {
    serde_json::from_str::<Head>(line)
        .ok()
        .filter(|head| head.mark == EXPORT_MARK)
}

fn check_head(path: &Path, head: &Head, body: &str) -> Result<()> {
    if hash_bytes(body.as_bytes()) == head.sha256 {
        return Ok(());
    }
    Err(damaged(
        path,
        "it differs from what was exported: something is missing or was changed",
    ))
}

fn counted(path: &Path, head: &Head, found: u64) -> Result<()> {
    if found == head.records {
        return Ok(());
    }
    Err(damaged(
        path,
        &format!("{} records were exported, but {found} were found", head.records),
    ))
}
