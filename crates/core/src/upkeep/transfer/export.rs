//! Export of the records that can be recalled, as JSON Lines or as Markdown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{EXPORT_MARK, Head, markdown};
use crate::clock::format_iso;
use crate::error::{Error, Result};
use crate::hidden::show_hidden_json;
use crate::journal::{Disk, FileKind, each_line, read_file, write_file};
use crate::model::digest::hash_bytes;
use crate::model::thought::{LineKind, read_line};
use crate::project::Project;
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE};
use crate::project::names::short_name;
use crate::project::output::Output;
use crate::project::ownership::MARK;
use crate::upkeep::progress::Progress;

/// The endings that an export's file may have.
const ENDINGS: [&str; 4] = ["jsonl", "ndjson", "md", "markdown"];

/// How an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub enum ExportFormat {
    /// One record a line, as stored.
    #[default]
    #[serde(rename = "jsonl")]
    Lines,
    /// Markdown.
    #[serde(rename = "md", alias = "markdown")]
    Markdown,
}

impl ExportFormat {
    /// Returns the format by the ending of a file; JSON Lines for any other.
    pub fn of_file(path: Option<&str>) -> Self {
        let ending = path
            .and_then(|path| path.rsplit_once('.'))
            .map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("md" | "markdown") => ExportFormat::Markdown,
            _ => ExportFormat::Lines,
        }
    }
}

/// The options of an export.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ExportOptions {
    /// JSON Lines or Markdown (default: by the extension of the file).
    pub format: Option<ExportFormat>,
    /// The file to write, within the project; when absent, the text is returned.
    pub path: Option<String>,
    /// Whether an earlier export may be replaced.
    pub overwrite: bool,
    /// Whether any file of the project may be overwritten, including ones that are not exports and ones that configure a program.
    pub force: bool,
    /// Whether expired records are included.
    pub include_expired: bool,
}

/// An export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ExportOutcome")]
pub struct Exported {
    /// Records in it.
    pub records: u64,
    /// The number of redacted secrets.
    pub redactions: u64,
    /// The SHA-256 of everything after the first line.
    pub sha256: String,
    /// The path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The text, when it was not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Exports the records of this project.
///
/// # Errors
/// `INVALID_INPUT` when the path is outside the project, in `.forge` or `.git`, exists already, or (unless
/// forced) was not written by an export; `IO`.
pub(crate) fn export(project: &Project, options: &ExportOptions, progress: &Progress) -> Result<Exported> {
    let now = project.now();
    let target = options
        .path
        .as_deref()
        .map(|path| check_target(&project.layout, path, options))
        .transpose()?;
    let mut records: Vec<Value> = Vec::new();
    let mut redactions = 0;
    let names = [CAPTURES_FILE, PATTERNS_FILE];
    let size = |name: &str| {
        let path = project.layout.path_of(name);
        project.layout.disk().stat(&path).map_or(0, |state| state.len)
    };
    progress.begin(names.into_iter().map(size).sum());
    for name in names {
        let bytes = project.layout.read(name)?;
        // No record has expired at the minimum time.
        let instant = if options.include_expired { i64::MIN } else { now };
        let gone = crate::judgement::gone::find_hidden(&bytes, instant);
        // The last line of an id counts.
        let mut live: BTreeMap<usize, Value> = BTreeMap::new();
        let mut places: rustc_hash::FxHashMap<String, usize> = Default::default();
        for (at, (raw, line)) in each_line(&bytes).enumerate() {
            progress.advance(raw.len() as u64);
            if let LineKind::Record(fields) = read_line(line)
                && !gone.contains(fields.id.as_ref())
                && let Ok(mut record) = serde_json::from_slice::<Value>(line)
            {
                if let Some(record) = record.as_object_mut() {
                    // It says something to this machine only.
                    record.retain(|name, _| name != MARK);
                    record.entry("id").or_insert_with(|| fields.id.as_ref().into());
                }
                // Redacted whatever its origin: an export is read by others.
                redactions += crate::model::scrub::redact_record(&mut record);
                if let Some(before) = places.insert(fields.id.into_owned(), at) {
                    live.remove(&before);
                }
                live.insert(at, record);
            }
        }
        records.extend(live.into_values());
    }
    let format = options
        .format
        .unwrap_or_else(|| ExportFormat::of_file(options.path.as_deref()));
    let body = match format {
        ExportFormat::Lines => {
            let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
            show_hidden_json(&lines).into_owned()
        }
        ExportFormat::Markdown => markdown::write(&records, short_name(&project.name()), now),
    };
    let head = Head {
        mark: EXPORT_MARK.into(),
        project: project.name(),
        at: format_iso(now),
        records: records.len() as u64,
        sha256: hash_bytes(body.as_bytes()),
    };
    let line = serde_json::to_string(&head).map_err(Error::internal("encode the export's first line"))?;
    let text = match format {
        ExportFormat::Lines => format!("{}\n{body}", show_hidden_json(&line)),
        ExportFormat::Markdown => format!("{}\n{body}", markdown::comment(&line)),
    };
    let mut exported = Exported {
        records: head.records,
        redactions,
        sha256: head.sha256,
        path: None,
        text: None,
    };
    match target {
        Some(path) => {
            let folder = path.parent().unwrap_or(&path);
            project.disk().make_dir(folder).map_err(Error::io("create", folder))?;
            write_file(project.disk(), &path, text.as_bytes())?;
            exported.path = Some(path);
        }
        None => exported.text = Some(text),
    }
    Ok(exported)
}

fn check_target(layout: &Layout, given: &str, options: &ExportOptions) -> Result<PathBuf> {
    let output = Output {
        field: "path",
        given,
        force: options.force,
    };
    let (disk, project) = (layout.disk().as_ref(), layout.project_dir());
    let path = project.join(given);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(output.refused("is not a file name"));
    };
    let root = disk.real_path(project).map_err(Error::io("resolve", project))?;
    let folder = real_folder(disk, folder)?;
    let Ok(below) = folder.strip_prefix(&root) else {
        let hint = "a file is written within the project; forge-memory export > FILE writes it anywhere";
        return Err(output.refused("is outside of the project").advised(hint));
    };
    // The real path: a link inside of the project may lead elsewhere.
    let real = below.join(name).to_string_lossy().into_owned();
    Output { given: &real, ..output }.check(&ENDINGS)?;
    let path = folder.join(name);
    match disk.link_metadata(&path) {
        Ok(found) if found.kind != FileKind::File => Err(output.refused("is not a regular file")),
        Ok(_) if options.force => Ok(path),
        Ok(_) => {
            output.check_ours(is_export(disk, &path)?, "an export")?;
            if options.overwrite {
                Ok(path)
            } else {
                Err(output.refused("already exists (overwrite or --overwrite replaces that export)"))
            }
        }
        _ => Ok(path),
    }
}

/// Resolves a folder, of which the last ones may be missing: they are made before the file is written.
fn real_folder(disk: &dyn Disk, folder: &Path) -> Result<PathBuf> {
    match disk.real_path(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => return found.map_err(Error::io("resolve", folder)),
    }
    match (folder.parent(), folder.file_name()) {
        // A link to nowhere is not a missing folder.
        (Some(parent), Some(name)) if disk.link_metadata(folder).is_err() => Ok(real_folder(disk, parent)?.join(name)),
        _ => disk.real_path(folder).map_err(Error::io("resolve", folder)),
    }
}

fn is_export(disk: &dyn Disk, path: &Path) -> Result<bool> {
    let bytes = read_file(disk, path)?.unwrap_or_default();
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mark = format!("\"_export\":\"{EXPORT_MARK}\"");
    Ok(memchr::memmem::find(first, mark.as_bytes()).is_some())
}
