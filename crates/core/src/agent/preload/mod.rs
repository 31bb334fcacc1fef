//! Context before work starts: search queries derived from a plan, and their answers.

mod context;
mod run_started;
mod session;
mod watching;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use context::{Context, ContextEntry, TOKENS_DEFAULT, compose};
pub(crate) use run_started::preload_event;
pub(crate) use session::{prompt_notes, session_notes};
pub use watching::{Change, search_prompt};

use crate::error::{Error, Result};
use crate::model::limits::check_whole;
use crate::model::thought::FORMAT_VERSION;
use crate::project::Project;
use crate::project::keywords::KeywordMap;
use crate::project::names::short_name;

/// The default maximum number of hints.
pub const HINTS_MAX: usize = 8;
/// How many records each hint asks for.
const HINT_LIMIT: u32 = 5;
const NAME_BYTES_MAX: usize = 512;

/// The parts of a plan that are used here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// The titles of its slices, in order.
    pub slices: Vec<String>,
}

/// A question to ask before the first slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// `plan-history` or `slice-keyword`.
    pub kind: String,
    /// The question.
    pub query: String,
    /// How many answers are wanted.
    pub limit: u32,
}

/// The search queries for a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BootContext {
    /// Version of the shape.
    #[serde(rename = "_v")]
    pub version: u32,
    /// The project.
    #[serde(rename = "projectName")]
    pub project_name: String,
    /// The plan.
    #[serde(rename = "planName")]
    pub plan_name: String,
    /// The queries, the one for the plan's own history first.
    pub hints: Vec<Hint>,
}

impl Plan {
    /// Reads a plan from JSON: `{ name, slices: [{ title } or a text] }`, or its name alone.
    ///
    /// # Errors
    /// `INVALID_INPUT` when it has no name or a slice is neither.
    pub fn read(value: &Value) -> Result<Self> {
        let name = value.get("name").or_else(|| value.get("planName")).unwrap_or(value);
        let name = name.as_str().map(str::trim).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| Error::invalid("plan.name", "expected a string"))?;
        let slices = match value.get("slices") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(slices)) => slices.iter().enumerate().map(read_slice).collect::<Result<_>>()?,
            Some(_) => return Err(Error::invalid("plan.slices", "expected a list")),
        };
        Ok(Plan {
            name: name.chars().take(NAME_BYTES_MAX).collect(),
            slices,
        })
    }
}

fn read_slice((at, slice): (usize, &Value)) -> Result<String> {
    let title = slice.as_str().or_else(|| slice.get("title")?.as_str());
    let title = title.ok_or_else(|| Error::invalid(format!("plan.slices[{at}]"), "expected a title"))?;
    Ok(title.chars().take(NAME_BYTES_MAX).collect())
}

/// Returns the search queries for a plan: its own history, then the keywords of its slices, without duplicates.
pub fn boot_context(plan: &Plan, project_name: &str, map: &KeywordMap, hints_max: usize) -> BootContext {
    let hint = |kind: &str, query: String| Hint {
        kind: kind.to_owned(),
        query,
        limit: HINT_LIMIT,
    };
    let mut hints = vec![hint("plan-history", format!("plan {}", plan.name))];
    for query in plan.slices.iter().flat_map(|title| map.queries(title)) {
        if hints.iter().all(|known| known.query != query) {
            hints.push(hint("slice-keyword", query.to_owned()));
        }
    }
    hints.truncate(hints_max);
    BootContext {
        version: FORMAT_VERSION,
        project_name: project_name.to_owned(),
        plan_name: plan.name.clone(),
        hints,
    }
}

/// Returns the search queries for a plan in this project. `project_name` defaults to the project's name.
///
/// # Errors
/// `INVALID_INPUT` when `hints_max` is not a whole number from 1 to 64.
pub(crate) fn boot_context_of(
    project: &Project,
    plan: &Plan,
    project_name: Option<&str>,
    hints_max: Option<f64>,
) -> Result<BootContext> {
    let hints_max = check_whole("maxHints", hints_max, HINTS_MAX, 1.0, 64.0)?;
    let name = project_name.map_or_else(|| short_name(&project.name()).to_owned(), str::to_owned);
    Ok(boot_context(plan, &name, &project.config().keywords, hints_max))
}

#[cfg(test)]
mod tests;
