//! Cursor, the editor: `globalStorage/state.vscdb`, a key-value table. A conversation is one value; its messages are inside it (older
//! versions) or values of their own (newer ones). Its folder is in the storage of the workspaces, and since version 3 in a list beside the
//! conversations (`composer.composerHeaders`; by its documentation only).

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use super::kit::*;
use crate::database::{self, has_columns, lossy};

pub(super) const FORMAT: Format = Format {
    agent: Agent::Cursor,
    roots,
    accepts: |path| path == Path::new("state.vscdb"),
    storage: Storage::Database(read),
};

/// Longer values are skipped, in bytes.
const VALUE_MAX: i64 = 8 << 20;
const WORKSPACES_MAX: usize = 2000;

fn roots(places: &Places) -> Vec<PathBuf> {
    let users = places.editors().into_iter().filter(|user| is_of_editor(user, "Cursor"));
    users.map(|user| user.join("globalStorage")).collect()
}

fn read(source: &Source<'_>, store: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    if !has_columns(store, "cursorDiskKV", &["key", "value"])? {
        out.unknown("database");
        return Ok(());
    }
    let folders = folders_of(source, store);
    let mut composers = store.prepare(
        "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' \
         AND value IS NOT NULL AND length(value) < ?1 ORDER BY key",
    )?;
    let mut rows = composers.query([VALUE_MAX])?;
    while let Some(row) = rows.next()? {
        let key = lossy(row, 0)?.unwrap_or_default();
        let id = key.trim_start_matches("composerData:");
        match serde_json::from_str::<Value>(&lossy(row, 1)?.unwrap_or_default()) {
            Ok(composer) => conversation(store, id, &composer, &folders, out)?,
            Err(_) => out.skipped.invalid += 1,
        }
    }
    Ok(())
}

/// Reads one conversation; drafts without messages are skipped.
fn conversation(
    store: &Connection,
    id: &str,
    composer: &Value,
    folders: &HashMap<String, String>,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<()> {
    let inline = items(composer, "conversation");
    let headers = items(composer, "fullConversationHeadersOnly");
    if inline.is_empty() && headers.is_empty() {
        return Ok(());
    }
    let mut session = Session::new(Agent::Cursor, id);
    session.title = text(composer, "name").map(str::to_owned);
    session.cwd = folders.get(id).cloned();
    session.started_ms = time(composer.get("createdAt"));
    session.ended_ms = time(composer.get("lastUpdatedAt"));
    out.session(&session);
    if !out.is_wanted() {
        return Ok(());
    }
    for (at, bubble) in inline.iter().enumerate() {
        message(&session, at, text(bubble, "bubbleId"), bubble, out);
    }
    let mut query = store.prepare_cached("SELECT value FROM cursorDiskKV WHERE key = ?1 AND length(value) < ?2")?;
    for (at, header) in headers.iter().enumerate().skip(inline.len()) {
        let Some(name) = text(header, "bubbleId") else { continue };
        let key = format!("bubbleId:{id}:{name}");
        let value = query
            .query_row((key, VALUE_MAX), |row| lossy(row, 0))
            .optional()?
            .flatten();
        match value.map(|value| serde_json::from_str::<Value>(&value)) {
            Some(Ok(bubble)) => message(&session, at, Some(name), &bubble, out),
            Some(Err(_)) => out.skipped.invalid += 1,
            None => {}
        }
    }
    Ok(())
}

fn message(session: &Session, at: usize, name: Option<&str>, bubble: &Value, out: &mut Emitter<'_>) {
    let stamp = Stamp::new(
        at as u64 + 1,
        time(bubble.pointer("/timingInfo/clientStartTime"))
            .or_else(|| time(bubble.get("createdAt")))
            .or(session.started_ms),
        name,
    );
    let written = text(bubble, "text").unwrap_or_default();
    match bubble.get("type").and_then(Value::as_i64) {
        Some(1) => out.human(stamp.event(Kind::Prompt, written)),
        Some(2) if !is_true(bubble, "isThought") => out.event(stamp.event(Kind::Text, written)),
        Some(2) => {}
        _ => out.unknown("bubble"),
    }
    if let Some(call) = bubble.get("toolFormerData").filter(|call| call.is_object()) {
        tool_call(call, stamp, out);
    }
}

fn tool_call(call: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let Some(name) = text(call, "name") else { return };
    let id = text(call, "toolCallId");
    let given = ["params", "rawArgs"].iter().find_map(|key| {
        let read = nested(call.get(key)?);
        read.as_object()
            .is_some_and(|fields| !fields.is_empty())
            .then_some(read)
    });
    out.event(stamp.call(id, name, &given.unwrap_or_default()));
    let result = call.get("result").map(nested).unwrap_or_default();
    let shown = match &result {
        Value::String(plain) => plain.clone(),
        other => ["output", "contents", "error"]
            .iter()
            .find_map(|key| text(other, key))
            .unwrap_or_default()
            .to_owned(),
    };
    let is_refused = text(call, "userDecision") == Some("rejected");
    let event = match text(call, "status") {
        _ if is_refused => rejection(id, stamp),
        Some("cancelled") => rejection(id, stamp),
        Some("error") => stamp.result(id, Outcome::Failed, shown),
        Some("completed") => {
            let code = result.get("exitCode").and_then(Value::as_i64);
            stamp.result(id, code.map_or(Outcome::Ok, shell::of_exit), shown)
        }
        _ => return,
    };
    out.event(event);
}

fn rejection(id: Option<&str>, stamp: Stamp<'_>) -> Event {
    stamp.rejection(id, "")
}

/// Returns the folders of conversations, from the storage of the workspaces beside the global one, and from the list in that.
fn folders_of(source: &Source<'_>, store: &Connection) -> HashMap<String, String> {
    let (mut folders, mut by_name) = (HashMap::new(), HashMap::new());
    let Some(workspaces) = source.root.parent().map(|user| user.join("workspaceStorage")) else {
        return folders;
    };
    let entries = source.disk.list(&workspaces).unwrap_or_default();
    for entry in entries.into_iter().filter(|entry| entry.is_folder).take(WORKSPACES_MAX) {
        let name = entry.name.to_string_lossy().into_owned();
        let place = workspaces.join(&name);
        let Some(folder) = source
            .json_at(&place.join("workspace.json"))
            .and_then(|workspace| deep(&workspace, "/folder").map(file_uri))
        else {
            continue;
        };
        by_name.insert(name, folder.clone());
        for id in composers_in(source, &place.join("state.vscdb")) {
            folders.insert(id, folder.clone());
        }
    }
    for header in items(&listed(store, "composer.composerHeaders"), "allComposers") {
        let folder = folder_in(header).or_else(|| by_name.get(deep(header, "/workspaceIdentifier/id")?).cloned());
        if let Some((id, folder)) = text(header, "composerId").zip(folder) {
            folders.entry(id.to_owned()).or_insert(folder);
        }
    }
    folders
}

/// Returns the folder that a conversation of the list names.
fn folder_in(header: &Value) -> Option<String> {
    let paths = ["/workspaceIdentifier/uri/fsPath", "/workspaceIdentifier/uri/path"];
    let uris = [
        "/workspaceIdentifier/uri/external",
        "/workspaceIdentifier/uri",
        "/workspaceUri",
    ];
    let path = paths.iter().find_map(|at| deep(header, at)).map(str::to_owned);
    path.or_else(|| uris.iter().find_map(|at| deep(header, at)).map(file_uri))
}

fn composers_in(source: &Source<'_>, path: &Path) -> Vec<String> {
    let Ok(store) = database::open(source.disk, path) else {
        return Vec::new();
    };
    let whole = listed(&store, "composer.composerData");
    let ids = items(&whole, "allComposers").iter();
    ids.filter_map(|composer| text(composer, "composerId").map(str::to_owned))
        .collect()
}

/// Reads one of the lists of conversations; null when there is none.
fn listed(store: &Connection, key: &str) -> Value {
    let sql = "SELECT value FROM ItemTable WHERE key = ?1 AND length(value) < ?2";
    let value = store.query_row(sql, (key, VALUE_MAX), |row| lossy(row, 0));
    let value = value.ok().flatten().unwrap_or_default();
    serde_json::from_str(&value).unwrap_or_default()
}
