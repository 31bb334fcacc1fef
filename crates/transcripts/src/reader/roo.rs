//! Roo Code, and older versions of Kilo Code, which began as a copy of it: `tasks/<id>/api_conversation_history.json`, with `history_item.json` beside it.

use super::cline::{cwd_in, extension_tasks, messages};
use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Roo,
    roots: |places| extension_tasks(places, "rooveterinaryinc.roo-cline"),
    accepts,
    storage: Storage::Document(|source, whole, out| read(Agent::Roo, source, whole, out)),
};
pub(super) const KILO: Format = Format {
    agent: Agent::Kilo,
    roots: |places| extension_tasks(places, "kilocode.kilo-code"),
    accepts,
    storage: Storage::Document(|source, whole, out| read(Agent::Kilo, source, whole, out)),
};

fn accepts(path: &Path) -> bool {
    path.ends_with("api_conversation_history.json") && names(path).len() == 2
}

fn read(agent: Agent, source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let mut session = Session::new(agent, source.folder());
    if let Some(item) = source.json_beside("history_item.json") {
        session.cwd = text(&item, "workspace").map(str::to_owned);
        session.title = text(&item, "task").map(str::to_owned);
        session.started_ms = time(item.get("ts"));
        session.parent = text(&item, "parentTaskId").map(str::to_owned);
        session.is_subagent = session.parent.is_some();
    }
    session.cwd = session.cwd.take().or_else(|| cwd_in(whole));
    out.session(&session);
    messages(&session, whole.as_array().map_or(&[], Vec::as_slice), out);
}
