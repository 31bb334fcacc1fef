//! opencode before 1.2: a file for each session, message and part. A session that a database beside it has is left to that.

use std::path::Path;

use super::kit::*;
use super::opencode::emit_parts;
use crate::database;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Opencode,
    roots: |places| vec![places.data().join("opencode/storage")],
    accepts: |path| names(path).len() == 3 && path.starts_with("session") && is_json(path),
    storage: Storage::Document(read),
};

/// How many messages, and parts of one, are read.
const FILES_MAX: usize = 20_000;

fn read(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let id = text(whole, "id").unwrap_or(source.stem());
    if is_in_database(source, id) {
        return;
    }
    let mut session = Session::new(Agent::Opencode, id);
    session.parent = text(whole, "parentID").map(str::to_owned);
    session.is_subagent = session.parent.is_some();
    session.cwd = text(whole, "directory").map(str::to_owned);
    session.title = text(whole, "title").map(str::to_owned);
    session.started_ms = time(whole.pointer("/time/created"));
    out.session(&session);
    if !out.is_wanted() {
        return;
    }
    let mut number = 0;
    for message in documents(source, &source.root.join("message").join(id)) {
        let role = text(&message, "role");
        if is_true(&message, "summary") {
            continue;
        }
        let Some(name) = text(&message, "id").filter(|name| is_name(name)) else {
            continue;
        };
        for part in documents(source, &source.root.join("part").join(name)) {
            number += 1;
            let at = time(message.pointer("/time/created")).or(session.started_ms);
            emit_parts(&session, role, &part, Stamp::new(number, at, text(&part, "id")), out);
        }
    }
}

/// Reads the documents of a folder in the order of their names, which is that of their making.
fn documents(source: &Source<'_>, folder: &Path) -> Vec<Value> {
    let entries = source.disk.list(folder).unwrap_or_default();
    let mut files: Vec<_> = entries.into_iter().filter(|entry| entry.is_file).collect();
    files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let paths = files.into_iter().map(|entry| folder.join(entry.name)).take(FILES_MAX);
    paths
        .filter(|path| is_json(path))
        .filter_map(|path| source.json_at(&path))
        .collect()
}

/// An id becomes a part of a path.
fn is_name(id: &str) -> bool {
    !id.is_empty()
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// What is no plain id is left out as well.
fn is_in_database(source: &Source<'_>, id: &str) -> bool {
    !is_name(id) || stored(source, id).is_some()
}

fn stored(source: &Source<'_>, id: &str) -> Option<i64> {
    let path = source.root.parent()?.join("opencode.db");
    let store = database::open(source.disk, &path).ok()?;
    let found = store.query_row("SELECT 1 FROM session WHERE id = ?1", [id], |row| row.get(0));
    found.ok()
}
