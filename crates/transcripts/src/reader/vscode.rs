//! VS Code Chat: one JSON document per session, or (newer versions) a log of changes to it.

use super::kit::*;

pub(super) const DOCUMENT: Format = Format {
    agent: Agent::Vscode,
    roots,
    accepts: |path| is_session(path) && is_json(path),
    storage: Storage::Document(read),
};
pub(super) const CHANGES: Format = Format {
    agent: Agent::Vscode,
    roots,
    accepts: accepts_changes,
    storage: Storage::Changes(apply, read),
};

/// The most requests per session, and parts per answer.
const ITEMS_MAX: usize = 100_000;

fn roots(places: &Places) -> Vec<PathBuf> {
    let windows = users(places).map(|user| user.join("globalStorage/emptyWindowChatSessions"));
    workspaces(places).into_iter().chain(windows).collect()
}

/// Returns the folders with the storage of each workspace.
pub(super) fn workspaces(places: &Places) -> Vec<PathBuf> {
    users(places).map(|user| user.join("workspaceStorage")).collect()
}

fn users(places: &Places) -> impl Iterator<Item = PathBuf> {
    let all = places.editors().into_iter();
    all.filter(|user| !is_of_editor(user, "Cursor") && !is_of_editor(user, "Windsurf"))
}

fn is_session(path: &Path) -> bool {
    let names = names(path);
    names.len() == 1 || names.contains(&"chatSessions")
}

fn accepts_changes(path: &Path) -> bool {
    is_session(path) && is_jsonl(path)
}

/// Applies a line of the log: 0 is the whole session, 1 sets a value, 2 replaces the end of a list, 3 removes a value.
fn apply(whole: &mut Value, mut change: Value) {
    let value = change.get_mut("v").map(Value::take).unwrap_or_default();
    let path = items(&change, "k");
    match change.get("kind").and_then(Value::as_u64) {
        Some(0) => *whole = value,
        Some(1) => {
            if let Some(place) = place_of(whole, path) {
                *place = value;
            }
        }
        Some(2) => {
            let from = change.get("i").and_then(Value::as_u64);
            append(whole, path, from, value);
        }
        Some(3) => {
            let Some((last, before)) = path.split_last() else {
                return;
            };
            let parent = place_of(whole, before);
            if let (Some(Value::Object(fields)), Some(key)) = (parent, last.as_str()) {
                fields.remove(key);
            }
        }
        _ => {}
    }
}

fn append(whole: &mut Value, path: &[Value], from: Option<u64>, added: Value) {
    let Some(place) = place_of(whole, path) else { return };
    if place.is_null() {
        *place = Value::Array(Vec::new());
    }
    if let (Value::Array(list), Value::Array(added)) = (place, added) {
        if let Some(from) = from {
            list.truncate(usize::try_from(from).unwrap_or(usize::MAX));
        }
        if list.len() + added.len() <= ITEMS_MAX {
            list.extend(added);
        }
    }
}

/// Returns the value at a path of keys and indexes; a missing key is created.
fn place_of<'v>(whole: &'v mut Value, path: &[Value]) -> Option<&'v mut Value> {
    let mut at = whole;
    for step in path {
        at = match (at, step) {
            (Value::Object(fields), Value::String(key)) => fields.entry(key.as_str()).or_insert(Value::Null),
            (Value::Array(list), Value::Number(number)) => list.get_mut(usize::try_from(number.as_u64()?).ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

fn read(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    if !whole.is_object() {
        return;
    }
    let mut session = Session::new(Agent::Vscode, text(whole, "sessionId").unwrap_or(source.stem()));
    session.title = text(whole, "customTitle").map(str::to_owned);
    session.started_ms = time(whole.get("creationDate"));
    session.ended_ms = time(whole.get("lastMessageDate"));
    session.cwd = folder_of(source);
    out.session(&session);
    for (at, request) in items(whole, "requests").iter().enumerate() {
        let stamp = Stamp::new(
            at as u64 + 1,
            time(request.get("timestamp")).or(session.started_ms),
            text(request, "requestId"),
        );
        let asked = deep(request, "/message/text").or_else(|| text(request, "message"));
        out.human(stamp.event(Kind::Prompt, asked.unwrap_or_default()));
        answer(items(request, "response"), stamp, out);
        if is_true(request, "isCanceled") {
            out.event(stamp.event(Kind::Interrupt, ""));
        }
    }
}

/// Emits an answer. Its prose is in pieces, between references to files.
fn answer(parts: &[Value], stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let mut prose = String::new();
    for part in parts {
        // Older versions wrap each part in `value`.
        let part = part
            .get("value")
            .filter(|inner| inner.get("kind").is_some())
            .unwrap_or(part);
        match text(part, "kind") {
            None => prose.push_str(markdown(part)),
            Some("markdownContent") => prose.push_str(deep(part, "/content/value").unwrap_or_default()),
            Some("inlineReference") => prose.push_str(text(part, "name").unwrap_or_default()),
            Some("toolInvocationSerialized") => {
                out.event(stamp.event(Kind::Text, std::mem::take(&mut prose)));
                invocation(part, stamp, out);
            }
            Some("textEditGroup") => {
                let path = deep(part, "/uri/fsPath").or_else(|| deep(part, "/uri/path"));
                out.event(Event {
                    paths: path.map(str::to_owned).into_iter().collect(),
                    ..stamp.event(Kind::Edit, "edit")
                });
            }
            Some(
                "codeblockUri"
                | "thinking"
                | "progressTask"
                | "progressTaskSerialized"
                | "progressMessage"
                | "prepareToolInvocation"
                | "undoStop"
                | "mcpServersStarting"
                | "elicitation"
                | "confirmation"
                | "command"
                | "warning"
                | "treeData",
            ) => {}
            Some(kind) => out.unknown(kind),
        }
    }
    out.event(stamp.event(Kind::Text, prose));
}

fn markdown(part: &Value) -> &str {
    match part.get("value") {
        Some(Value::String(written)) => written,
        Some(inner) => text(inner, "value").unwrap_or_default(),
        None => "",
    }
}

fn invocation(part: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let id = text(part, "toolCallId");
    let data = part.get("toolSpecificData").unwrap_or(&Value::Null);
    let command = deep(data, "/commandLine/original").or_else(|| text(data, "command"));
    let event = match command.filter(|_| text(data, "kind") == Some("terminal")) {
        Some(command) => Event {
            call: id.map(str::to_owned),
            command: Some(command.to_owned()),
            ..stamp.event(Kind::Shell, "run_in_terminal")
        },
        None => {
            let name = text(part, "toolId").unwrap_or_default();
            stamp.call(id, name, &Value::Null)
        }
    };
    out.event(event);
    if part.get("isConfirmed").and_then(Value::as_bool) == Some(false) {
        out.event(stamp.rejection(id, ""));
    }
}

/// Returns the folder of the workspace; `None` for a window without a folder.
fn folder_of(source: &Source<'_>) -> Option<String> {
    let workspace = source.path.parent()?.parent()?.join("workspace.json");
    deep(&source.json_at(&workspace)?, "/folder").map(file_uri)
}
