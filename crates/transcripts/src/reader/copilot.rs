//! Copilot CLI: `session-state/<session>/events.jsonl`. Copilot in VS Code (1.123 and newer) writes transcripts of the same events beside the
//! storage of a workspace, `GitHub.copilot-chat/transcripts/<session>.jsonl`; by its documentation only.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Copilot,
    roots,
    accepts: |path| path.ends_with("events.jsonl"),
    storage: Storage::Lines(open),
};

pub(super) const VSCODE: Format = Format {
    agent: Agent::Vscode,
    roots: super::vscode::workspaces,
    accepts: is_transcript,
    storage: Storage::Lines(open_vscode),
};

/// The names of a transcript below the storage of the workspaces: workspace, extension, folder and file.
fn is_transcript(path: &Path) -> bool {
    is_jsonl(path)
        && matches!(names(path).as_slice(), [_, extension, "transcripts", _] if extension.eq_ignore_ascii_case("github.copilot-chat"))
}

/// A session that the editor has also stored itself is left to that file, which has more of it.
fn open_vscode(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
    resumed(saved, || {
        let workspace = source
            .path
            .ancestors()
            .nth(3)
            .map(Path::to_path_buf)
            .unwrap_or_default();
        let stored = workspace.join("chatSessions").join(source.stem());
        let folder = source.json_at(&workspace.join("workspace.json"));
        let mut session = Session::new(Agent::Vscode, source.stem());
        session.cwd = folder.as_ref().and_then(|found| deep(found, "/folder")).map(file_uri);
        Copilot {
            header: SessionHeader::of(session),
            is_stored: ["json", "jsonl"]
                .iter()
                .any(|end| matches!(source.disk.lstat(&stored.with_extension(end)), Ok(Some(_)))),
        }
    })
}

fn roots(places: &Places) -> Vec<PathBuf> {
    let home = places.or_home("COPILOT_HOME", ".copilot");
    vec![home.join("session-state"), home.join("history-session-state")]
}

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
    resumed(saved, || {
        let cwd = source.text_beside("workspace.yaml");
        Copilot {
            header: SessionHeader::of(Session {
                cwd: cwd.as_deref().and_then(|yaml| field(yaml, "cwd")),
                ..Session::new(Agent::Copilot, source.folder())
            }),
            is_stored: false,
        }
    })
}

/// Returns a scalar of a flat YAML file.
fn field(yaml: &str, name: &str) -> Option<String> {
    let line = yaml
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
}

#[derive(Serialize, Deserialize)]
struct Copilot {
    header: SessionHeader,
    /// True when another file has the session.
    #[serde(default)]
    is_stored: bool,
}

impl RecordReader for Copilot {
    fn passes_over(&self, _line: &[u8], _out: &mut Emitter<'_>) -> bool {
        self.is_stored
    }

    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        let data = record.get("data").unwrap_or(&Value::Null);
        let stamp = Stamp::new(number, time(record.get("timestamp")), text(record, "id"));
        let kind = text(record, "type").unwrap_or_default();
        if kind == "session.start" {
            self.start(data, stamp.at_ms);
        }
        self.header.emit(out, |_| {});
        match kind {
            "user.message" => out.human(stamp.event(Kind::Prompt, text(data, "content").unwrap_or_default())),
            "assistant.message" => {
                out.event(stamp.event(Kind::Text, data.get("content").map(content).unwrap_or_default()))
            }
            "tool.execution_start" => {
                let name = text(data, "toolName").unwrap_or_default();
                let input = data.get("arguments").unwrap_or(&Value::Null);
                out.event(stamp.call(text(data, "toolCallId"), name, input));
            }
            "tool.execution_complete" => {
                let is_ok = data.get("success").and_then(Value::as_bool).unwrap_or(true);
                let shown = deep(data, "/result/content")
                    .or_else(|| deep(data, "/error/message"))
                    .unwrap_or_default();
                let outcome = shell::outcome(shell::exit_in_header(shown), !is_ok);
                out.event(stamp.result(text(data, "toolCallId"), outcome, shown));
            }
            "abort" => out.event(stamp.event(Kind::Interrupt, "")),
            _ if [
                "session.",
                "subagent.",
                "system.",
                "hook.",
                "skill.",
                "assistant.",
                "tool.",
                "user.",
            ]
            .iter()
            .any(|lead| kind.starts_with(lead)) => {}
            _ => out.unknown(kind),
        }
    }
}

impl Copilot {
    fn start(&mut self, data: &Value, at_ms: Option<i64>) {
        let session = &mut self.header.session;
        session.id = text(data, "sessionId").unwrap_or(&session.id).to_owned();
        session.cwd = deep(data, "/context/cwd").map(str::to_owned).or(session.cwd.take());
        session.branch = deep(data, "/context/branch").map(str::to_owned);
        session.remote = deep(data, "/context/repository").map(str::to_owned);
        session.started_ms = at_ms;
    }
}
