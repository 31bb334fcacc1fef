//! Writes the best records to the files that agents load automatically: hints for Copilot, imports for Claude and Gemini, rules
//! for Cursor and others. Additive: text of people in these files stays, and nothing changes when there is nothing new.

mod hints;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::recall::{RecallHit, RecallOptions, list};
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::journal::{Disk, FileKind, read_file, write_file};
use crate::model::limits::{check_whole, quote};
use crate::model::scope::ScopeFilter;
use crate::project::Project;
use crate::project::layout::Layout;
use crate::project::output::Output;
use crate::redact::redact;
use hints::{Hint, Page, Tally};

const LIMIT_DEFAULT: usize = 10;
const LIMIT_MAX: usize = 200;
/// How many of the newest records of a type are ranked.
const RANKED_MAX: f64 = 1000.0;
/// The maximum size of a file of another program.
const FILE_BYTES_MAX: u64 = 4 << 20;
const ENDINGS: [&str; 3] = ["md", "mdc", "markdown"];

/// An agent, and the file that it reads.
struct Target {
    agent: &'static str,
    path: &'static str,
    /// The front matter of a new file.
    head: &'static str,
    /// Whether `@path` in a text would make the agent read that file.
    imports: bool,
    /// The maximum size of a file that the agent reads, in characters.
    chars_max: usize,
}

impl Target {
    const fn new(agent: &'static str, path: &'static str) -> Self {
        Target {
            agent,
            path,
            head: "",
            imports: false,
            chars_max: usize::MAX,
        }
    }

    const fn with_head(self, head: &'static str) -> Self {
        Target { head, ..self }
    }

    const fn importing(self) -> Self {
        Target { imports: true, ..self }
    }

    const fn at_most(self, chars_max: usize) -> Self {
        Target { chars_max, ..self }
    }
}

const CURSOR_HEAD: &str =
    "---\ndescription: What earlier sessions learned about this project\nalwaysApply: true\n---\n\n";
const WINDSURF_HEAD: &str = "---\ntrigger: always_on\n---\n\n";
const KIRO_HEAD: &str = "---\ninclusion: always\n---\n\n";
const CONTINUE_HEAD: &str = "---\nname: forge-memory\nalwaysApply: true\n---\n\n";
/// The part of a file with rules that Cascade and Devin read.
const WINDSURF_CHARS_MAX: usize = 12_000;

const TARGETS: [Target; 12] = [
    Target::new("copilot", ".github/copilot-memory-hints.md"),
    Target::new("claude", ".claude/forge-memory.md").importing(),
    Target::new("cursor", ".cursor/rules/forge-memory.mdc").with_head(CURSOR_HEAD),
    Target::new("gemini", ".gemini/forge-memory.md").importing(),
    Target::new("qwen", ".qwen/forge-memory.md").importing(),
    Target::new("windsurf", ".windsurf/rules/forge-memory.md")
        .with_head(WINDSURF_HEAD)
        .at_most(WINDSURF_CHARS_MAX),
    Target::new("devin", ".devin/rules/forge-memory.md")
        .with_head(WINDSURF_HEAD)
        .at_most(WINDSURF_CHARS_MAX),
    Target::new("kiro", ".kiro/steering/forge-memory.md").with_head(KIRO_HEAD),
    Target::new("cline", ".clinerules/forge-memory.md"),
    Target::new("roo", ".roo/rules/forge-memory.md"),
    Target::new("continue", ".continue/rules/forge-memory.md").with_head(CONTINUE_HEAD),
    Target::new("junie", ".junie/rules/forge-memory.md"),
];

/// The hints to generate, and the agent that they are for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "SyncMemoriesOptions")]
pub struct SyncOptions {
    /// The agent whose file is written (default: copilot).
    #[schemars(schema_with = "agents_schema")]
    pub agent: Option<String>,
    /// Whether the texts are returned and nothing is written.
    pub dry_run: bool,
    /// Maximum number of hints per section (default: 10).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
    /// Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Another file for the hints, within the project; for one agent only. It must be a new Markdown file, or one that this function wrote
    /// before.
    pub output: Option<String>,
    /// Whether `output` may also be any other file of the project.
    pub force: bool,
}

/// The agents that hints are written for.
fn agents_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.agent).chain(["all"]).collect();
    json_schema!({ "enum": names })
}

/// The outcome for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SyncedMemories")]
pub struct SyncedFile {
    /// The agent that reads it.
    pub agent: String,
    /// The path within the project.
    pub path: String,
    /// Whether the file has changed.
    pub changed: bool,
    /// The number of hints in it.
    pub hints: usize,
    /// The number of new hints.
    pub added: usize,
    /// The number of removed hints, whose record is forgotten, superseded or expired.
    pub removed: usize,
    /// The number of hints by section.
    pub sections: BTreeMap<String, usize>,
    /// The whole text; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Writes hints out to the files of agents.
///
/// # Errors
/// `INVALID_INPUT` for wrong options, a file outside of the project and (unless forced) one that is not ours, `CORRUPT` when
/// the marked part of a file has no end, `IO` when a file cannot be read or written.
pub(crate) fn sync(project: &Project, stores: &mut Stores, options: &SyncOptions) -> Result<Vec<SyncedFile>> {
    let limit = check_whole("limit", options.limit, LIMIT_DEFAULT, 1.0, LIMIT_MAX as f64)?;
    let targets = targets_of(options)?;
    let (hints, complete) = ranked_hints(project, stores, options.since.as_deref())?;
    targets
        .iter()
        .map(|target| sync_target(&project.layout, target, options, &hints, limit, complete))
        .collect()
}

fn sync_target(
    layout: &Layout,
    target: &Target,
    options: &SyncOptions,
    hints: &[Hint],
    limit: usize,
    complete: bool,
) -> Result<SyncedFile> {
    let shown = options.output.as_deref().unwrap_or(target.path);
    let disk = layout.disk().as_ref();
    let path = place(disk, layout.project_dir(), shown)?;
    let before = read(disk, &path)?;
    let real = real_path(disk, layout.project_dir(), &path, shown);
    output_of(&real, options).check_closed()?;
    if options.output.is_some() {
        check_output(output_of(&real, options), before.as_deref())?;
    }
    let hints: Vec<Hint> = hints.iter().map(|hint| hint.rendered(target.imports)).collect();
    let text = before.as_deref().unwrap_or("");
    let (page, tally) = merge_within(target, text, &hints, limit, complete).map_err(|reason| Error::Corrupt {
        path: path.clone(),
        reason: reason.to_owned(),
    })?;
    let after = page.to_text();
    let changed = before.as_deref() != Some(&after) && (before.is_some() || tally.hints > 0);
    if changed && !options.dry_run {
        write_file(disk, &path, after.as_bytes())?;
    }
    Ok(SyncedFile {
        agent: target.agent.to_owned(),
        path: shown.replace('\\', "/"),
        changed,
        hints: tally.hints,
        added: tally.added,
        removed: tally.removed,
        sections: page.counts().into_iter().collect(),
        content: options.dry_run.then_some(after),
    })
}

/// Merges as many hints of each section as fit into the part that the agent reads; text of people is never removed for that.
fn merge_within(
    target: &Target,
    text: &str,
    hints: &[Hint],
    limit: usize,
    complete: bool,
) -> std::result::Result<(Page, Tally), &'static str> {
    for fewer in (0..=limit).rev() {
        let mut page = Page::read(text, target.head)?;
        let tally = page.merge(hints, fewer, complete);
        if fewer == 0 || page.to_text().chars().count() <= target.chars_max {
            return Ok((page, tally));
        }
    }
    Err("has no room for hints")
}

/// Returns the records of every section, best first, and whether they are complete. A record that was captured here for another project
/// is not a hint about this one.
fn ranked_hints(project: &Project, stores: &mut Stores, since: Option<&str>) -> Result<(Vec<Hint>, bool)> {
    let now = project.now();
    let mut hints = Vec::new();
    let mut complete = since.is_none();
    for section in hints::SECTIONS {
        let query = RecallOptions {
            scope: ScopeFilter::Project,
            types: section.types.iter().map(|&name| name.to_owned()).collect(),
            limit: Some(RANKED_MAX),
            since: since.map(str::to_owned),
            ..RecallOptions::default()
        };
        let (mut hits, total) = list(stores, &query, now)?;
        complete &= total <= hits.len();
        hits.retain(|hit| project.may_be_own(&hit.project));
        // They are sorted newest first, and the sort is stable.
        hits.sort_by(|a: &RecallHit, b| b.confidence.total_cmp(&a.confidence));
        // Redacted in any case, because these files are committed and read by others.
        hints.extend(hits.iter().map(|hit| Hint::of(section.title, &redact(&hit.text).text)));
    }
    Ok((hints, complete))
}

fn targets_of(options: &SyncOptions) -> Result<Vec<&'static Target>> {
    let wanted = options.agent.as_deref().unwrap_or("copilot");
    let found: Vec<&Target> = TARGETS
        .iter()
        .filter(|target| wanted == "all" || target.agent == wanted)
        .collect();
    if found.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.agent).collect();
        let reason = format!("{} is not one of {}, all", quote(wanted), names.join(", "));
        return Err(Error::invalid("agent", reason));
    }
    if found.len() > 1 && options.output.is_some() {
        return Err(Error::invalid("output", "is a single file; name one agent for it"));
    }
    Ok(found)
}

fn output_of<'a>(given: &'a str, options: &SyncOptions) -> Output<'a> {
    Output {
        field: "output",
        given,
        force: options.force,
    }
}

fn check_output(output: Output<'_>, before: Option<&str>) -> Result<()> {
    output.check(&ENDINGS)?;
    output.check_ours(before.is_none_or(hints::is_ours), "sync-memories")
}

/// Returns the real path of a file below the project, because a link may lead elsewhere.
fn real_path(disk: &dyn Disk, project: &Path, path: &Path, shown: &str) -> String {
    let below = |root: PathBuf, real: PathBuf| Some(real.strip_prefix(root).ok()?.to_string_lossy().into_owned());
    let folder = path.parent().and_then(|folder| disk.real_path(folder).ok());
    let real = disk
        .real_path(path)
        .ok()
        .or_else(|| Some(folder?.join(path.file_name()?)));
    real.and_then(|real| below(disk.real_path(project).ok()?, real))
        .unwrap_or_else(|| shown.to_owned())
}

/// Joins an untrusted path to the project, and refuses one that leads out of it by `..` or by a link.
fn place(disk: &dyn Disk, project: &Path, given: &str) -> Result<PathBuf> {
    let refuse = |why: &str| Err(Error::invalid("output", format!("{} {why}", quote(given))));
    let parts: Vec<&str> = given.split(['/', '\\']).collect();
    let plain = |part: &&str| !part.is_empty() && *part != "." && *part != ".." && !part.contains([':', '\0']);
    if given.is_empty() || !parts.iter().all(plain) {
        return refuse("is not a path inside the project");
    }
    let path = parts.iter().fold(project.to_path_buf(), |path, part| path.join(part));
    let Ok(root) = disk.real_path(project) else {
        return refuse("cannot be resolved: the folder of the project does not exist");
    };
    let nearest = path.ancestors().find_map(|folder| disk.real_path(folder).ok());
    if !nearest.is_some_and(|nearest| nearest.starts_with(&root)) {
        return refuse("leads out of the project");
    }
    let is_link = disk
        .link_metadata(&path)
        .is_ok_and(|found| found.kind == FileKind::Link);
    if is_link && !disk.has(&path) {
        return refuse("is a broken link");
    }
    Ok(path)
}

fn read(disk: &dyn Disk, path: &Path) -> Result<Option<String>> {
    if disk.stat(path).is_ok_and(|state| state.len > FILE_BYTES_MAX) {
        let reason = format!("{} is longer than {FILE_BYTES_MAX} bytes", path.display());
        return Err(Error::invalid("output", reason));
    }
    let Some(bytes) = read_file(disk, path)? else {
        return Ok(None);
    };
    let not_text = |e| Error::io("read", path)(io::Error::new(io::ErrorKind::InvalidData, e));
    String::from_utf8(bytes).map(Some).map_err(not_text)
}
