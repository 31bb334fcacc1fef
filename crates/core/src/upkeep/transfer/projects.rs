//! Chooses the project of a source with records of several projects: the pool of all of a user's work, as other tools keep it,
//! must not be imported into one project without a decision.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::read::Incoming;
use crate::error::{Error, Result};
use crate::model::limits::quote;

/// Stands for all projects of a source.
const ALL: &str = "*";
/// The maximum number of projects in an error.
const NAMED_MAX: usize = 20;

/// A project of a source, and how many records name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceProject {
    /// Its name there.
    pub name: String,
    /// Its records.
    pub records: u64,
}

pub(super) struct Chosen {
    pub records: Vec<Incoming>,
    /// How many records of other projects are skipped.
    pub left_out: u64,
    /// The projects of the source, by name.
    pub projects: Vec<SourceProject>,
    /// True if the caller has to choose a project.
    pub is_open: bool,
}

/// Chooses the records of the project `wanted`, else, when there are several, of the one that has one of the `own` names.
/// Records that name no project go with every choice.
///
/// # Errors
/// `INVALID_INPUT` when the source has no record of the wanted project.
pub(super) fn choose(records: Vec<Incoming>, wanted: Option<&str>, own: &[String]) -> Result<Chosen> {
    let projects = projects_in(&records);
    let has = |name: &str| projects.iter().any(|project| project.name == name);
    if let Some(name) = wanted.filter(|name| *name != ALL && !has(name)) {
        let reason = format!("the source has no records of {}; {}", quote(name), named(&projects));
        return Err(Error::invalid("sourceProject", reason));
    }
    let is_open = wanted.is_none() && projects.len() > 1 && !own.iter().any(|name| has(name));
    let is_taken = |name: &str| match wanted {
        Some(wanted) => wanted == ALL || wanted == name,
        None => projects.len() < 2 || own.iter().any(|own| own == name),
    };
    let (taken, left): (Vec<_>, Vec<_>) = records
        .into_iter()
        .partition(|record| record.project.as_deref().is_none_or(is_taken));
    Ok(Chosen {
        records: taken,
        left_out: left.len() as u64,
        projects,
        is_open,
    })
}

/// Returns the error of a source for which the caller has to choose a project.
pub(super) fn undecided(projects: &[SourceProject]) -> Error {
    let reason = format!(
        "is required: the source has records of {} projects, and none has the name of this one; {} (`{ALL}` imports all)",
        projects.len(),
        named(projects)
    );
    Error::invalid("sourceProject", reason)
}

fn projects_in(records: &[Incoming]) -> Vec<SourceProject> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for name in records.iter().filter_map(|record| record.project.as_deref()) {
        *counts.entry(name).or_default() += 1;
    }
    let project_of = |(name, records): (&str, u64)| SourceProject {
        name: name.to_owned(),
        records,
    };
    counts.into_iter().map(project_of).collect()
}

fn named(projects: &[SourceProject]) -> String {
    if projects.is_empty() {
        return "its records do not name a project".to_owned();
    }
    let each: Vec<String> = projects
        .iter()
        .take(NAMED_MAX)
        .map(|project| format!("{} ({})", quote(&project.name), project.records))
        .collect();
    let more = projects.len().saturating_sub(NAMED_MAX);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("it has {}{rest}", each.join(", "))
}
