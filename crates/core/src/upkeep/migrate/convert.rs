//! Converts the bytes of one file, of any version and line format, to lines of the latest version.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::files::{FileFate, FileMigration, RecordShape};
use super::steps::{Context, upgrade};
use crate::journal::{each_line, halves};
use crate::model::thought::{FORMAT_VERSION, LineKind, read_line};
use crate::upkeep::audit::redacted_line;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// Smaller files are processed by one thread.
const SPLIT_BYTES: usize = 1 << 20;

/// The result of a conversion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversion {
    /// The new bytes, if they differ and may be written.
    pub bytes: Option<Vec<u8>>,
    /// Records.
    pub records: u64,
    /// Records that change.
    pub changed: u64,
    /// Lines that are not JSON objects.
    pub unparsable: u64,
    /// True if a newer version wrote it.
    pub newer: bool,
    /// Changes other than those of records.
    pub notes: Vec<String>,
    pub(super) rewritten: bool,
}

impl Conversion {
    /// Redacts the lines that are written: other tools do not.
    pub(super) fn redacted(mut self, redacts: bool) -> Self {
        if let Some(bytes) = self.bytes.as_ref().filter(|_| redacts) {
            let (redacted, secrets) = redacted_lines(bytes);
            if secrets > 0 {
                self.bytes = Some(redacted);
                self.notes.push(note_of(secrets));
            }
        }
        self
    }

    pub(super) fn into_file(self, name: &str) -> FileMigration {
        let fate = match (self.newer, self.rewritten || self.bytes.is_some()) {
            (true, _) => FileFate::Newer,
            (false, true) => FileFate::Migrated,
            (false, false) => FileFate::Current,
        };
        FileMigration {
            name: name.to_owned(),
            fate,
            target: None,
            records: self.records,
            changed: self.changed,
            unparsable: self.unparsable,
            notes: self.notes,
        }
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "_v")]
    version: Option<Value>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "_action")]
    action: Option<Cow<'a, str>>,
    #[serde(rename = "capturedAt")]
    captured_at: Option<serde::de::IgnoredAny>,
}

/// Returns lines without their secrets, and the number of these.
pub(super) fn redacted_lines(bytes: &[u8]) -> (Vec<u8>, u64) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut secrets = 0;
    for (raw, line) in each_line(bytes) {
        match redacted_line(line) {
            Some((redacted, count)) => {
                secrets += count;
                out.extend_from_slice(redacted.as_bytes());
                out.push(b'\n');
            }
            None => out.extend_from_slice(raw),
        }
    }
    (out, secrets)
}

pub(super) fn note_of(secrets: u64) -> String {
    match secrets {
        1 => "1 secret redacted".into(),
        _ => format!("{secrets} secrets redacted"),
    }
}

/// Converts the bytes of a file.
pub fn convert(old: &[u8], shape: RecordShape) -> Conversion {
    let mut found = Conversion::default();
    let mut out: Vec<u8> = Vec::with_capacity(old.len() + old.len() / 4);
    let body = old.strip_prefix(BOM).unwrap_or(old);
    if body.len() < old.len() {
        found.notes.push("byte order mark".into());
    }
    let (unpacked, rest) = unpack_array(body);
    if let Some(elements) = unpacked {
        found.notes.push("array".into());
        for element in elements {
            convert_line(element.to_string().as_bytes(), shape, &mut found, &mut out);
            found.changed += u64::from(element.is_object());
        }
        found.changed = found.changed.min(found.records);
    }
    let format = convert_lines(rest, shape, &mut found, &mut out);
    if format.carriage_returns {
        found.notes.push("CRLF".into());
    }
    if format.blank {
        found.notes.push("blank lines".into());
    }
    if !old.is_empty() && !old.ends_with(b"\n") {
        found.notes.push("no final newline".into());
    }
    if !found.newer && out != old {
        found.bytes = Some(out);
    }
    if found.newer {
        found.changed = 0;
        found.notes = vec!["a newer version of forge-memory wrote it".into()];
    }
    found
}

#[derive(Default)]
struct LineFormat {
    carriage_returns: bool,
    blank: bool,
}

/// Converts lines; the halves of a large file in parallel.
fn convert_lines(bytes: &[u8], shape: RecordShape, found: &mut Conversion, out: &mut Vec<u8>) -> LineFormat {
    let (first, second) = halves(bytes, SPLIT_BYTES);
    if second.is_empty() {
        return convert_part(first, shape, found, out);
    }
    let (format, (other_format, other_found, other_out)) = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let (mut found, mut out) = (
                Conversion::default(),
                Vec::with_capacity(second.len() + second.len() / 4),
            );
            (convert_part(second, shape, &mut found, &mut out), found, out)
        });
        let format = convert_part(first, shape, found, out);
        // Propagate a panic of the other thread.
        let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (format, other)
    });
    found.records += other_found.records;
    found.changed += other_found.changed;
    found.unparsable += other_found.unparsable;
    found.newer |= other_found.newer;
    out.extend_from_slice(&other_out);
    LineFormat {
        carriage_returns: format.carriage_returns || other_format.carriage_returns,
        blank: format.blank || other_format.blank,
    }
}

fn convert_part(bytes: &[u8], shape: RecordShape, found: &mut Conversion, out: &mut Vec<u8>) -> LineFormat {
    let mut format = LineFormat::default();
    for (raw, line) in each_line(bytes) {
        if line.is_empty() {
            format.blank = true;
            continue;
        }
        format.carriage_returns |= raw.ends_with(b"\r\n");
        convert_line(line, shape, found, out);
    }
    format
}

/// Unpacks a pretty-printed array of records, as some tools and people write it. Returns the elements and the bytes after it.
pub(super) fn unpack_array(body: &[u8]) -> (Option<Vec<Value>>, &[u8]) {
    if body.trim_ascii_start().first() != Some(&b'[') {
        return (None, body);
    }
    let mut stream = serde_json::Deserializer::from_slice(body).into_iter::<Vec<Value>>();
    match stream.next() {
        Some(Ok(elements)) => {
            let rest = body.get(stream.byte_offset()..).unwrap_or_default();
            (Some(elements), rest.strip_prefix(b"\n").unwrap_or(rest))
        }
        _ => (None, body),
    }
}

fn convert_line(line: &[u8], shape: RecordShape, found: &mut Conversion, out: &mut Vec<u8>) {
    let record = convert_record(line, shape);
    found.records += u64::from(!matches!(record, Record::Unparsable));
    match record {
        Record::Current => out.extend_from_slice(line),
        Record::Changed(fresh) => {
            found.changed += 1;
            out.extend_from_slice(&fresh);
        }
        Record::Spliced { head, fields, tail } => {
            found.changed += 1;
            out.extend_from_slice(head.as_bytes());
            let comma: &[u8] = if fields.is_empty() { b"" } else { b"," };
            if !head.ends_with('{') {
                out.extend_from_slice(comma);
            }
            out.extend_from_slice(fields);
            if !tail.is_empty() {
                out.extend_from_slice(comma);
                out.extend_from_slice(tail.as_bytes());
            }
            out.push(b'}');
        }
        Record::Newer => {
            found.newer = true;
            out.extend_from_slice(line);
        }
        Record::Unparsable => {
            found.unparsable += 1;
            out.extend_from_slice(line);
        }
    }
    out.push(b'\n');
}

enum Record<'a> {
    Current,
    Changed(Vec<u8>),
    /// Text that is inserted before and after the fields; the fields keep their bytes.
    Spliced {
        head: String,
        fields: &'a [u8],
        tail: &'static str,
    },
    Newer,
    Unparsable,
}

fn convert_record(line: &[u8], shape: RecordShape) -> Record<'_> {
    if line.first() != Some(&b'{') || std::str::from_utf8(line).is_err() {
        return Record::Unparsable;
    }
    let Some(fields) = line.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")) else {
        return Record::Unparsable;
    };
    let fields = fields.trim_ascii();
    let head = serde_json::from_slice::<Head<'_>>(line);
    let Ok(head) = head else {
        // A field of an unexpected type, or invalid JSON.
        return match serde_json::from_slice::<Map<String, Value>>(line) {
            Ok(record) => convert_tree(record, line, shape),
            Err(_) => Record::Unparsable,
        };
    };
    let is_record = head.action.is_none() && shape != RecordShape::Plain;
    let lacks_id = is_record && head.id.as_ref().is_none_or(|id| id.is_empty());
    match version_in(head.version.as_ref()) {
        Version::Newer => Record::Newer,
        Version::Is(FORMAT_VERSION) if !lacks_id => Record::Current,
        // Most old lines only need a prefix: their own bytes stay.
        Version::None if head.id.is_none() && head.captured_at.is_none() => {
            let id = if is_record { id_of(line) } else { None };
            let id = id.map(|id| format!("\"id\":\"{id}\""));
            let (head, tail) = match shape {
                RecordShape::Patterns => (format!("{{{}", id.unwrap_or_default()), "\"_v\":1"),
                _ => {
                    let id = id.map(|id| format!(",{id}")).unwrap_or_default();
                    (format!("{{\"_v\":1{id}"), "")
                }
            };
            Record::Spliced { head, fields, tail }
        }
        Version::None if !lacks_id && head.captured_at.is_none() => {
            let (head, tail) = match shape {
                RecordShape::Patterns => ("{", "\"_v\":1"),
                _ => ("{\"_v\":1", ""),
            };
            let head = head.to_owned();
            Record::Spliced { head, fields, tail }
        }
        _ => match serde_json::from_slice::<Map<String, Value>>(line) {
            Ok(record) => convert_tree(record, line, shape),
            Err(_) => Record::Unparsable,
        },
    }
}

fn convert_tree(record: Map<String, Value>, line: &[u8], shape: RecordShape) -> Record<'static> {
    let version = match version_in(record.get("_v")) {
        Version::Newer => return Record::Newer,
        Version::Is(version) => version,
        Version::None => 0,
    };
    let id = id_of(line).unwrap_or_default();
    let context = Context { shape, id: &id };
    let named = shape == RecordShape::Plain
        || record
            .get("id")
            .and_then(Value::as_str)
            .is_some_and(|id| !id.is_empty());
    if version == FORMAT_VERSION && (named || id.is_empty()) {
        return Record::Current;
    }
    // A line without an id is not of the latest version, whatever its version number.
    let from = if named { version } else { 0 };
    Record::Changed(Value::Object(upgrade(record, from, &context)).to_string().into_bytes())
}

/// The id by which readers have known the line so far.
fn id_of(line: &[u8]) -> Option<String> {
    match read_line(line) {
        LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ => None,
    }
}

enum Version {
    None,
    Is(u32),
    Newer,
}

fn version_in(value: Option<&Value>) -> Version {
    match value.and_then(Value::as_u64).map(u32::try_from) {
        Some(Ok(version)) if version <= FORMAT_VERSION => Version::Is(version),
        Some(_) => Version::Newer,
        None if value.is_some_and(Value::is_number) => match value.and_then(Value::as_f64) {
            Some(number) if number > f64::from(FORMAT_VERSION) => Version::Newer,
            _ => Version::Is(0),
        },
        None if value.is_some() => Version::Is(0),
        None => Version::None,
    }
}
