//! Some agents read the hooks of others as well: Visual Studio Code and Copilot those of Claude Code, Cursor too. Then one event starts two
//! processes, under the name that each file has for it. The second has nothing to do.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::action::Action;
use crate::call::{Call, NO_SESSION};
use crate::private;

/// How far apart two processes for one event may start, on a machine that is busy.
const WINDOW_MS: u128 = 30_000;

pub(crate) enum Claim {
    /// This process handles it. The file, when there is one, says so; without it another process may handle the event.
    Own(Option<PathBuf>),
    /// A process has claimed it under the name of another agent.
    Taken,
}

impl Claim {
    pub(crate) fn of(call: &Call, home: &Path) -> Claim {
        // Two sessions without a name may well be at the same point.
        if call.session_id == NO_SESSION {
            return Claim::Own(None);
        }
        let folder = home.join("hook-calls");
        private::clear_older(&folder, WINDOW_MS);
        let path = folder.join(key_of(call));
        match private::create(home, &path, &call.native_event) {
            Ok(()) => Claim::Own(Some(path)),
            Err(ErrorKind::AlreadyExists) if is_other_event(&path, &call.native_event) => Claim::Taken,
            // Where nothing can be written every call is handled: twice is better than never.
            Err(_) => Claim::Own(None),
        }
    }
}

/// The same name again means that the event was repeated, not that another agent reports it, too.
fn is_other_event(path: &Path, native_event: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|other| !other.is_empty() && other != native_event)
}

fn key_of(call: &Call) -> String {
    let size = call
        .transcript
        .as_ref()
        .and_then(|path| Some(std::fs::metadata(path).ok()?.len()));
    let command = call
        .command
        .as_ref()
        .map(|command| json!([command.line, command.exit_code, command.output]));
    let action = call.action.as_ref().map(|action| match action {
        Action::Edit { paths, texts } => json!(["edit", paths, texts]),
        Action::Read { paths } => json!(["read", paths]),
        Action::Command { line } => json!(["command", line]),
        Action::Failure { line, output } => json!(["failure", line, output]),
    });
    let facts = json!([
        call.session_id,
        call.event.name(),
        call.prompt,
        call.said,
        command,
        action,
        call.tool_use_id,
        size
    ]);
    private::digest(&facts.to_string(), 64)
}
