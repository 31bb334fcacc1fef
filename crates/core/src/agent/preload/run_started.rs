//! The `memory-preload` event that follows the start of a run.

use std::path::{Component, Path};

use serde_json::Value;

use super::{Plan, boot_context_of};
use crate::clock::{Millis, parse_iso};
use crate::journal::read_bounded;
use crate::project::Project;

/// A start that is older than this was replayed, as a file watcher does with the log of the newest run when its program starts.
const STARTED_MS_MAX: Millis = 60_000;
/// The size up to which a plan is read for the titles of its slices.
const PLAN_BYTES_MAX: u64 = 1 << 20;
const SLICES_MAX: usize = 256;

/// Returns the event that follows an event, when that one starts a run: its type and fields.
pub(crate) fn preload_event(
    project: &Project,
    kind: &str,
    timestamp: Option<&str>,
    fields: &str,
) -> Option<(&'static str, String)> {
    if kind != "run-started" || is_old(timestamp, project.now()) {
        return None;
    }
    let event: Value = serde_json::from_str(&format!("{{{fields}}}")).ok()?;
    let data = event.get("data").unwrap_or(&event);
    let given = data.get("plan").unwrap_or(data);
    let plan = match given.as_str() {
        Some(text) => named_plan(project, text, data)?,
        None => Plan::read(given).ok()?,
    };
    let context = boot_context_of(project, &plan, None, None).ok()?;
    let text = serde_json::to_string(&context).ok()?;
    // Every event has the version of its format.
    let fields = text.strip_prefix("{\"_v\":1,")?.strip_suffix('}')?;
    Some(("memory-preload", fields.to_owned()))
}

fn is_old(timestamp: Option<&str>, now: Millis) -> bool {
    let at = timestamp.and_then(parse_iso);
    at.is_some_and(|at| now.saturating_sub(at) > STARTED_MS_MAX)
}

/// Returns the plan that is given as a name or as the path of its file, whose slices come from the event or from that file.
fn named_plan(project: &Project, text: &str, data: &Value) -> Option<Plan> {
    let file = file_stem(text);
    let slices = data.get("slices").cloned().unwrap_or(Value::Null);
    let mut plan = Plan::read(&serde_json::json!({ "name": file.unwrap_or(text), "slices": slices })).ok()?;
    if file.is_some() && plan.slices.is_empty() {
        plan.slices = slices_in(project, text);
    }
    Some(plan)
}

/// Returns the name of a Markdown file without its ending; `None` for a plain name. A path of either kind of system may be given.
fn file_stem(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, end) = name.split_at_checked(name.len().checked_sub(3)?)?;
    end.eq_ignore_ascii_case(".md").then_some(stem)
}

/// Reads the titles of the slices of a plan, `### Slice N: title`. A file outside of the project has none.
fn slices_in(project: &Project, path: &str) -> Vec<String> {
    let folder = project.layout.project_dir();
    let inner = Path::new(path).strip_prefix(folder).unwrap_or(Path::new(path));
    if !inner
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return Vec::new();
    }
    let bytes = read_bounded(project.disk(), &folder.join(inner), PLAN_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(slice_title).take(SLICES_MAX).collect()
}

fn slice_title(line: &str) -> Option<String> {
    let heading = line.strip_prefix("###")?.trim_start_matches('#').trim_start();
    let (word, rest) = heading.split_at_checked("slice".len())?;
    if !word.eq_ignore_ascii_case("slice") || rest.starts_with(char::is_alphabetic) {
        return None;
    }
    let (_, title) = rest.split_once([':', '\u{ff1a}', '\u{2014}'])?;
    Some(title.trim().to_owned()).filter(|title| !title.is_empty())
}
