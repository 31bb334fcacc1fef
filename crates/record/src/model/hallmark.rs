//! Hallmarks (provenance with hashes): made for a record, and verified against its current bytes and source.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::model::canonical::record_hash;
use crate::model::digest::hash_bytes;
use crate::model::thought::{HALLMARK_VERSION, Hallmark, content_hash};
use forge_memory_journal::Disk;
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};

/// The maximum size of a hashed source file; larger ones are only named, because provenance is about code and not about
/// data sets.
const SOURCE_BYTES_MAX: u64 = 64 * 1024 * 1024;
const SOURCE_NAME_MAX: usize = 1024;

/// The code that a record is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The file, as a path relative to the project's folder or below it.
    pub source_file: Option<String>,
    /// The byte range `[start, end)` of the file.
    pub byte_range: Option<[u64; 2]>,
    /// The hash of the code; computed when there is a source file.
    pub code_hash: Option<String>,
    /// The version of the tool.
    pub tool_version: Option<String>,
}

/// The input of a hallmark.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "HallmarkOptions")]
#[schemars(extend("required" = ["toolName"]))]
pub struct HallmarkInput {
    /// The tool that makes the record.
    #[schemars(with = "String")]
    pub tool_name: Option<String>,
    /// The record to stamp, as JSON; its hash becomes `contentHash`.
    #[serde(deserialize_with = "json_text")]
    #[schemars(with = "Option<String>")]
    pub record: Option<Value>,
    /// The file that the record is about, within the project; its hash becomes `codeHash`.
    pub source_file: Option<String>,
    /// The range of bytes in that file: the first offset, and the one after the last.
    #[schemars(with = "Option<Vec<u64>>")]
    pub byte_range: Option<[u64; 2]>,
    /// `sha256:` and 64 hexadecimal digits; computed when there is a source file.
    pub code_hash: Option<String>,
    /// The version of the tool.
    pub tool_version: Option<String>,
}

/// Reads a value that is given as the text of its JSON.
fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Value>, D::Error> {
    let text: String = Deserialize::deserialize(deserializer)?;
    let value = serde_json::from_str(&text).map_err(|e| de::Error::custom(format!("is not JSON: {e}")))?;
    Ok(Some(value))
}

/// The state of a stamped record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The record is unchanged.
    Intact,
    /// It was changed by a program that did not update the hash.
    Edited,
    /// The code that it is about has changed since.
    Drifted,
    /// It has no hash.
    Unstamped,
}

impl Standing {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Intact => "intact",
            Standing::Edited => "edited",
            Standing::Drifted => "drifted",
            Standing::Unstamped => "unstamped",
        }
    }
}

/// The result of verifying a record against its hallmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub standing: Standing,
    /// Why, unless it is intact.
    pub reason: Option<String>,
}

impl Verdict {
    fn of(standing: Standing, reason: impl Into<String>) -> Self {
        Verdict {
            standing,
            reason: Some(reason.into()),
        }
    }

    fn intact() -> Self {
        Verdict {
            standing: Standing::Intact,
            reason: None,
        }
    }
}

impl Origin {
    /// Validates everything that does not need the file.
    pub(crate) fn check(self) -> Result<Self> {
        if self.byte_range.is_some() && self.source_file.is_none() {
            return Err(Error::invalid("byteRange", "requires sourceFile"));
        }
        if self.byte_range.is_some_and(|[start, end]| start > end) {
            return Err(Error::invalid("byteRange", "the end lies before the start"));
        }
        if let Some(hash) = self.code_hash.as_deref().filter(|hash| !is_hash(hash)) {
            return Err(Error::invalid(
                "codeHash",
                format!(
                    "{} is not sha256: followed by 64 hexadecimal digits",
                    crate::model::limits::quote(hash)
                ),
            ));
        }
        Ok(Origin {
            tool_version: self
                .tool_version
                .map(|version| crate::model::limits::check_name("toolVersion", version))
                .transpose()?,
            ..self
        })
    }

    /// Resolves the source file within the project and hashes it. A missing file is recorded without a hash.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the file is outside the project.
    pub(crate) fn resolve(mut self, disk: &dyn Disk, project: &Path) -> Result<Self> {
        let Some(given) = self.source_file.take() else {
            return Ok(self);
        };
        let name = relative_name(&given, project).ok_or_else(|| {
            Error::invalid(
                "sourceFile",
                format!(
                    "{} is not a path inside the project",
                    crate::model::limits::quote(&given)
                ),
            )
        })?;
        if self.code_hash.is_none() {
            self.code_hash = hash_source(disk, project, &name, self.byte_range).ok();
        }
        self.source_file = Some(name);
        Ok(self)
    }
}

/// Makes a hallmark.
///
/// # Errors
/// `INVALID_INPUT` when a part of it is invalid.
pub fn build_hallmark(input: HallmarkInput, disk: &dyn Disk, project: &Path, now: Millis) -> Result<Hallmark> {
    let tool = input
        .tool_name
        .ok_or_else(|| Error::invalid("toolName", "is required"))?;
    let origin = Origin {
        source_file: input.source_file,
        byte_range: input.byte_range,
        code_hash: input.code_hash,
        tool_version: input.tool_version,
    };
    let origin = origin.check()?.resolve(disk, project)?;
    Ok(Hallmark {
        schema_version: HALLMARK_VERSION.to_owned(),
        tool_name: crate::model::limits::check_name("toolName", tool)?,
        captured_at: format_iso(now),
        source_file: origin.source_file,
        byte_range: origin.byte_range,
        content_hash: input.record.as_ref().map(content_hash),
        code_hash: origin.code_hash,
        tool_version: origin.tool_version,
    })
}

/// Validates a hallmark. Returns the problems; empty when it is valid.
pub fn hallmark_problems(hallmark: &Value) -> Vec<String> {
    let Some(fields) = hallmark.as_object() else {
        return vec!["expected a hallmark that is an object".into()];
    };
    let mut problems = Vec::new();
    let text = |name: &str| fields.get(name).map(|value| value.as_str());
    if text("schemaVersion").flatten() != Some(HALLMARK_VERSION) {
        problems.push(format!("schemaVersion is not {HALLMARK_VERSION}"));
    }
    if text("toolName").flatten().is_none_or(str::is_empty) {
        problems.push("toolName is missing or empty".into());
    }
    let utc = |at: &str| at.ends_with('Z') && at.contains('T') && parse_iso(at).is_some();
    if !text("capturedAt").flatten().is_some_and(utc) {
        problems.push("capturedAt is not a valid ISO 8601 time in UTC".into());
    }
    for name in ["contentHash", "codeHash"] {
        if text(name).is_some_and(|hash| !hash.is_some_and(is_hash)) {
            problems.push(format!("{name} is not sha256: followed by 64 hexadecimal digits"));
        }
    }
    for name in ["sourceFile", "toolVersion"] {
        if text(name).is_some_and(|value| value.is_none()) {
            problems.push(format!("{name} is not a string"));
        }
    }
    if fields.get("byteRange").is_some_and(|range| range_of(range).is_none()) {
        problems.push("byteRange is not [start, end]".into());
    }
    const KNOWN: [&str; 8] = [
        "schemaVersion",
        "toolName",
        "capturedAt",
        "sourceFile",
        "byteRange",
        "contentHash",
        "codeHash",
        "toolVersion",
    ];
    problems.extend(
        fields
            .keys()
            .filter(|name| !KNOWN.contains(&name.as_str()))
            .map(|name| format!("a hallmark has no field {}", crate::model::limits::quote(name))),
    );
    problems
}

fn range_of(range: &Value) -> Option<[u64; 2]> {
    let [start, end] = range.as_array()?.as_slice() else {
        return None;
    };
    let range = [start.as_u64()?, end.as_u64()?];
    (range[0] <= range[1]).then_some(range)
}

fn is_hash(text: &str) -> bool {
    text.strip_prefix("sha256:")
        .is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))
}

#[derive(Deserialize)]
struct Stamped<'a> {
    #[serde(borrow)]
    hallmark: Option<&'a RawValue>,
}

/// Reads the origin of a record from its line; `None` when its hallmark names no file.
pub fn origin_of(line: &[u8]) -> Option<Origin> {
    memchr::memmem::find(line, b"\"sourceFile\"")?;
    let raw = serde_json::from_slice::<Stamped<'_>>(line).ok()?.hallmark?;
    let hallmark: Hallmark = serde_json::from_str(raw.get()).ok()?;
    let source_file = hallmark.source_file?;
    let byte_range = hallmark.byte_range.filter(|[start, end]| start <= end);
    Some(Origin {
        source_file: Some(source_file),
        byte_range,
        code_hash: hallmark.code_hash,
        tool_version: None,
    })
}

/// Verifies a record's line against its hallmark. `sources` reads the source files; `None` verifies only the record.
pub fn verify_line(line: &[u8], sources: Option<&mut Sources>) -> Verdict {
    let raw = match serde_json::from_slice::<Stamped<'_>>(line) {
        Ok(stamped) => stamped.hallmark,
        Err(e) => return Verdict::of(Standing::Edited, format!("the record cannot be read: {e}")),
    };
    let Some(raw) = raw else {
        return Verdict::of(Standing::Unstamped, "it has no hallmark");
    };
    let hallmark = match serde_json::from_str::<Hallmark>(raw.get()) {
        // Hallmarks in our compact form are valid; others that parse may still be invalid.
        Ok(hallmark) if is_plain(&hallmark, raw.get()) => hallmark,
        parsed => {
            let value = serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
            match (parsed, hallmark_problems(&value)) {
                (Ok(hallmark), problems) if problems.is_empty() => hallmark,
                (Err(e), problems) if problems.is_empty() => return Verdict::of(Standing::Edited, e.to_string()),
                (_, problems) => return Verdict::of(Standing::Edited, problems.join("; ")),
            }
        }
    };
    let Some(due) = &hallmark.content_hash else {
        return Verdict::of(Standing::Unstamped, "its hallmark has no contentHash");
    };
    if record_hash(line).as_ref() != Some(due) {
        return Verdict::of(Standing::Edited, "its contentHash does not match its content");
    }
    match sources {
        Some(sources) => sources.verdict(&hallmark),
        None => Verdict::intact(),
    }
}

/// True if a hallmark has the compact form that this tool writes: four fields in a fixed order.
fn is_plain(hallmark: &Hallmark, raw: &str) -> bool {
    let optional = hallmark.source_file.is_some()
        || hallmark.byte_range.is_some()
        || hallmark.code_hash.is_some()
        || hallmark.tool_version.is_some();
    let len = r#"{"schemaVersion":"","toolName":"","capturedAt":"","contentHash":""}"#.len();
    let hash = hallmark.content_hash.as_deref().unwrap_or_default();
    !optional
        && is_hash(hash)
        && hallmark.schema_version == HALLMARK_VERSION
        && !hallmark.tool_name.is_empty()
        && hallmark.captured_at.ends_with('Z')
        && raw.len()
            == len + HALLMARK_VERSION.len() + hallmark.tool_name.len() + hallmark.captured_at.len() + hash.len()
}

/// A file, and the range of bytes in it.
type Extract = (String, Option<[u64; 2]>);

/// The source files of records, each read once.
#[derive(Debug)]
pub struct Sources {
    disk: Arc<dyn Disk>,
    project: PathBuf,
    seen: rustc_hash::FxHashMap<Extract, std::result::Result<String, String>>,
}

impl Sources {
    /// Returns the sources of a project.
    pub fn new(disk: Arc<dyn Disk>, project: &Path) -> Self {
        Sources {
            disk,
            project: project.to_path_buf(),
            seen: Default::default(),
        }
    }

    fn verdict(&mut self, hallmark: &Hallmark) -> Verdict {
        let (Some(name), Some(due)) = (&hallmark.source_file, &hallmark.code_hash) else {
            return Verdict::intact();
        };
        let (disk, project) = (self.disk.as_ref(), &self.project);
        let now = self.seen.entry((name.clone(), hallmark.byte_range)).or_insert_with(|| {
            match relative_name(name, project) {
                Some(name) => hash_source(disk, project, &name, hallmark.byte_range),
                None => Err("is outside of the project".into()),
            }
        });
        let shown = crate::model::limits::quote(name);
        match now {
            Ok(hash) if hash == due => Verdict::intact(),
            Ok(_) => Verdict::of(
                Standing::Drifted,
                format!("{shown} has changed since the record was captured"),
            ),
            Err(reason) => Verdict::of(Standing::Drifted, format!("{shown} {reason}")),
        }
    }
}

/// Returns the name of a file below the project, with `/` as separator; `None` for every other file.
pub fn relative_name(given: &str, project: &Path) -> Option<String> {
    if given.is_empty() || given.len() > SOURCE_NAME_MAX || given.chars().any(char::is_control) {
        return None;
    }
    let path = Path::new(given);
    let path = path.strip_prefix(project).unwrap_or(path);
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Returns the hash of a file of the project, or why there is none.
pub fn hash_source(
    disk: &dyn Disk,
    project: &Path,
    name: &str,
    range: Option<[u64; 2]>,
) -> std::result::Result<String, String> {
    let read = || -> io::Result<Option<Vec<u8>>> {
        let path = disk.real_path(&project.join(name))?;
        // A link may lead out of the project: the hash would reveal a file that is not part of it.
        if !path.starts_with(disk.real_path(project)?) {
            return Ok(None);
        }
        let file = disk.open_read(&path)?;
        let len = file.state()?.len;
        let [start, end] = range.unwrap_or([0, len]);
        if end > len || end - start > SOURCE_BYTES_MAX {
            return Ok(None);
        }
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(0)];
        if file.read_at(start, &mut bytes)? < bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(bytes))
    };
    match read() {
        Ok(Some(bytes)) => Ok(hash_bytes(&bytes)),
        Ok(None) => Err("no longer contains the byte range".into()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err("no longer exists".into()),
        Err(e) => Err(format!("cannot be read: {e}")),
    }
}
