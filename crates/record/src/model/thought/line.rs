//! Parses one line of a journal leniently: lines of this tool, of other tools, and lines edited by hand.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::id::known_id;
use super::ruling::{Ruling, RulingKind};
use crate::model::author::Author;
use crate::model::said::{CameFrom, Said, SpokenBy, is_claim};
use forge_memory_journal::LINE_BYTES_MAX;
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};

/// The default confidence of a record.
pub const DEFAULT_CONFIDENCE: f64 = 0.7;

/// The kind of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum LineKind<'a> {
    /// A thought or a pattern.
    Record(Fields<'a>),
    /// An action on a record.
    Action(Action<'a>),
    /// A ruling: whether a record is current.
    Ruling(Ruling),
    /// JSON, but neither of the two.
    Other,
    /// Not a JSON object.
    Unparsable,
}

/// The fields of a record that dedup and recall use.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields<'a> {
    /// The id; derived from the line when it is missing, and from its value when that is not valid.
    pub id: Cow<'a, str>,
    /// `content` of a thought, `pattern` of a pattern.
    pub text: Cow<'a, str>,
    /// `type` of a thought, `category` of a pattern.
    pub kind: Cow<'a, str>,
    /// The project, empty when none is given.
    pub project: Cow<'a, str>,
    /// The source, empty when none is given.
    pub source: Cow<'a, str>,
    /// The file that the record is about by its hallmark, empty when none is given.
    pub source_file: Cow<'a, str>,
    /// When it was made, as written.
    pub at: Cow<'a, str>,
    /// When it was made; the epoch when that is not known.
    pub at_ms: Millis,
    /// When it expires.
    pub expires_ms: Option<Millis>,
    /// The labels.
    pub tags: Vec<Cow<'a, str>>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The id of the revision that this one supersedes.
    pub supersedes: Option<Cow<'a, str>>,
    /// The session in which it was captured, empty when none is given.
    pub session: Cow<'a, str>,
    /// Who captured it, when that is known.
    pub author: Option<Author>,
    /// Who said its line; nothing of lines of older versions.
    pub said: Said,
    /// Where it comes from, when that is not simply the project that it is in.
    pub came_from: Option<Box<CameFrom>>,
}

impl Fields<'_> {
    /// Returns who said it; older lines name the author alone.
    pub fn voice(&self) -> SpokenBy {
        SpokenBy {
            author: self.said.author.or(self.author),
            ..self.said.voice()
        }
    }

    /// Returns where it comes from.
    pub fn origin(&self) -> CameFrom {
        self.came_from.as_deref().cloned().unwrap_or_default()
    }
}

/// An action on a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Action<'a> {
    /// The kind of the action.
    pub kind: ActionKind,
    /// The id of the record.
    pub id: Cow<'a, str>,
    /// When; the epoch when that is not known.
    pub at_ms: Millis,
    /// Who said so.
    pub said: Said,
}

/// The kinds of [`Action`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// The same text was captured again.
    Confirm,
    /// It was forgotten: a tombstone.
    Delete,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    pattern: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    category: Option<Text<'a>>,
    #[serde(borrow)]
    project: Option<Text<'a>>,
    #[serde(borrow)]
    source: Option<Text<'a>>,
    #[serde(borrow, alias = "capturedAt")]
    captured_at: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow, rename = "expiresAt")]
    expires_at: Option<Text<'a>>,
    #[serde(borrow)]
    tags: Option<Vec<Text<'a>>>,
    confidence: Option<f64>,
    #[serde(borrow)]
    supersedes: Option<Text<'a>>,
    #[serde(borrow)]
    session: Option<Text<'a>>,
    #[serde(borrow)]
    author: Option<Text<'a>>,
    #[serde(borrow)]
    said: Option<Text<'a>>,
    #[serde(borrow)]
    from: Option<Text<'a>>,
    #[serde(borrow)]
    created_by: Option<Text<'a>>,
    #[serde(borrow)]
    claimed_by: Option<Text<'a>>,
    #[serde(borrow, rename = "_action")]
    action: Option<Text<'a>>,
    #[serde(borrow)]
    at: Option<Text<'a>>,
    #[serde(borrow)]
    hallmark: Option<RawHallmark<'a>>,
}

#[derive(Deserialize)]
struct RawHallmark<'a> {
    #[serde(borrow, rename = "sourceFile")]
    source_file: Option<Text<'a>>,
}

/// Reads a line. A field of the wrong type is ignored; the rest of the line is used.
pub fn read_line(line: &[u8]) -> LineKind<'_> {
    if line.first() != Some(&b'{') || line.len() > LINE_BYTES_MAX {
        return LineKind::Unparsable;
    }
    match serde_json::from_slice::<Raw<'_>>(line) {
        Ok(raw) => classify(raw, line),
        Err(_) => match read_value(line) {
            Some(value) => classify(salvage(&value), line),
            None => LineKind::Unparsable,
        },
    }
}

pub(super) fn read_value(line: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(line) {
        return Some(value);
    }
    serde_json::from_slice(&replace_lone_surrogates(line)?).ok()
}

/// Replaces escapes of unpaired surrogates by U+FFFD; tools that cut strings by UTF-16 units leave them. `None` when there are
/// none.
pub fn replace_lone_surrogates(line: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = Vec::with_capacity(line.len());
    let mut rest = line;
    let escape_in = |bytes| memchr::memchr(b'\\', bytes);
    while let Some((plain, escape)) = escape_in(rest).and_then(|at| rest.split_at_checked(at)) {
        repaired.extend_from_slice(plain);
        rest = escape;
        let len = match (unit_of(rest), rest.get(6..).and_then(unit_of)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                repaired.extend_from_slice(b"\\ufffd");
                rest = rest.get(6..).unwrap_or_default();
                continue;
            }
            _ => rest.len().min(2),
        };
        let (kept, behind) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        repaired.extend_from_slice(kept);
        rest = behind;
    }
    repaired.extend_from_slice(rest);
    (repaired != line).then_some(repaired)
}

/// Returns the UTF-16 unit of an escape that the bytes begin with.
fn unit_of(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0_u16, |unit, byte| {
        let digit = char::from(*byte).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

/// Returns when a line was written, as it says.
pub fn moment_of(line: &[u8]) -> Option<Millis> {
    match read_line(line) {
        LineKind::Record(fields) => Some(fields.at_ms),
        LineKind::Action(action) => Some(action.at_ms),
        LineKind::Ruling(ruling) => Some(ruling.at_ms),
        LineKind::Other | LineKind::Unparsable => None,
    }
}

fn classify<'a>(raw: Raw<'a>, line: &[u8]) -> LineKind<'a> {
    if let Some(Text(name)) = raw.action {
        let kind = match name.as_ref() {
            "confirm" => ActionKind::Confirm,
            "delete" => ActionKind::Delete,
            other => {
                let ruling = RulingKind::of(other).and_then(|kind| Ruling::read(kind, line));
                return ruling.map_or(LineKind::Other, LineKind::Ruling);
            }
        };
        return match raw.id.and_then(|id| known_id(id.0)) {
            Some(id) => LineKind::Action(Action {
                kind,
                id,
                at_ms: moment(raw.at.as_ref()),
                said: said_of(raw.said),
            }),
            None => LineKind::Other,
        };
    }
    let Some(Text(text)) = raw.content.or(raw.pattern).filter(|text| !text.0.trim().is_empty()) else {
        return LineKind::Other;
    };
    // A date that is none is not shown: it may be any text.
    let at = raw
        .captured_at
        .or(raw.timestamp)
        .filter(|at| parse_iso(&at.0).is_some());
    let at_ms = moment(at.as_ref());
    let said = said_of(raw.said);
    let claim = raw.created_by.filter(|name| is_claim(said, &name.0));
    let from = raw.from.filter(|from| !from.0.is_empty());
    let came_from = CameFrom {
        about: from
            .as_ref()
            .and(raw.project.as_ref())
            .map(|project| project.0.clone().into_owned()),
        from: from.map(|from| from.0.into_owned()),
        // An empty one says that the author is none.
        claimed_by: raw
            .claimed_by
            .or(claim)
            .filter(|name| !name.0.is_empty())
            .map(|name| name.0.into_owned()),
    };
    LineKind::Record(Fields {
        id: raw
            .id
            .and_then(|id| known_id(id.0))
            .unwrap_or_else(|| Cow::Owned(id_of_line(line))),
        text,
        kind: or_empty(raw.kind.or(raw.category)),
        project: or_empty(raw.project),
        source: or_empty(raw.source),
        source_file: or_empty(raw.hallmark.and_then(|hallmark| hallmark.source_file)),
        at: or_empty(at),
        at_ms,
        expires_ms: raw.expires_at.and_then(|at| parse_iso(&at.0)),
        tags: raw.tags.unwrap_or_default().into_iter().map(|tag| tag.0).collect(),
        confidence: raw
            .confidence
            .filter(|c| (0.0..=1.0).contains(c))
            .unwrap_or(DEFAULT_CONFIDENCE),
        supersedes: raw.supersedes.and_then(|id| known_id(id.0)),
        session: or_empty(raw.session),
        author: raw.author.and_then(|name| Author::parse(&name.0).ok()),
        said,
        came_from: (came_from != CameFrom::default()).then(|| Box::new(came_from)),
    })
}

/// Copies the fields that have the right type.
fn salvage(value: &Value) -> Raw<'static> {
    let text = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .map(|text| Text(Cow::Owned(text.to_owned())))
    };
    let tags = value.get("tags").and_then(Value::as_array).map(|tags| {
        tags.iter()
            .filter_map(Value::as_str)
            .map(|tag| Text(Cow::Owned(tag.to_owned())))
            .collect()
    });
    Raw {
        id: text("id"),
        content: text("content"),
        pattern: text("pattern"),
        kind: text("type"),
        category: text("category"),
        project: text("project"),
        source: text("source"),
        captured_at: text("captured_at").or(text("capturedAt")),
        timestamp: text("timestamp"),
        expires_at: text("expiresAt"),
        tags,
        confidence: value.get("confidence").and_then(Value::as_f64),
        supersedes: text("supersedes"),
        session: text("session"),
        author: text("author"),
        said: text("said"),
        from: text("from"),
        created_by: text("created_by"),
        claimed_by: text("claimed_by"),
        action: text("_action"),
        at: text("at"),
        hallmark: value
            .pointer("/hallmark/sourceFile")
            .and_then(Value::as_str)
            .map(|path| RawHallmark {
                source_file: Some(Text(Cow::Owned(path.to_owned()))),
            }),
    }
}

fn or_empty(text: Option<Text<'_>>) -> Cow<'_, str> {
    text.map_or(Cow::Borrowed(""), |text| text.0)
}

fn said_of(text: Option<Text<'_>>) -> Said {
    text.map_or_else(Said::default, |text| Said::read(&text.0))
}

fn moment(at: Option<&Text<'_>>) -> Millis {
    at.and_then(|at| parse_iso(&at.0)).unwrap_or(0)
}

/// The same line has the same id on every machine.
pub fn id_of_line(line: &[u8]) -> String {
    format!("mem_{:032x}", xxh3_128(line))
}

/// Returns the line of an action: `delete` or `confirm`.
pub fn action_line(action: &str, id: &str, source: Option<&str>, said: Said, now: Millis) -> String {
    let (id, at) = (Value::from(id), format_iso(now));
    let source = source
        .map(|source| format!("\"source\":{},", Value::from(source)))
        .unwrap_or_default();
    let said = said
        .field()
        .map(|said| format!(",\"said\":\"{said}\""))
        .unwrap_or_default();
    format!("{{\"_v\":1,\"_action\":\"{action}\",\"id\":{id},{source}\"at\":\"{at}\"{said}}}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use forge_memory_journal::{Disk, OsDisk, each_line, scan_lines};

    fn record(line: &str) -> Fields<'_> {
        match read_line(line.as_bytes()) {
            LineKind::Record(fields) => fields,
            other => panic!("{line} is {other:?}"),
        }
    }

    #[test]
    fn lines_of_the_older_tools_are_records() {
        let thought = record(
            r#"{"_v":1,"content":"Gate needs --runInBand","project":"shop","type":"gotcha","source":"forge_sweep","created_by":"liveguard-auto","captured_at":"2026-11-20T10:00:00.000Z","expiresAt":"2027-02-18T10:00:00.000Z"}"#,
        );
        assert_eq!((thought.kind.as_ref(), thought.confidence), ("gotcha", 0.7));
        assert_eq!(thought.id.len(), 36);
        let pattern = record(
            r#"{"id":"mem_1763632000000_a1b2","timestamp":"2026-11-20T10:00:00.000Z","pattern":"pnpm test","category":"test_command","confidence":0}"#,
        );
        assert_eq!((pattern.kind.as_ref(), pattern.confidence), ("test_command", 0.0));
    }

    #[test]
    fn a_field_of_the_wrong_type_is_dropped_and_the_others_are_kept() {
        let fields = record(r#"{"id":7,"content":"kept","type":"lesson","tags":["a",1,"b"],"confidence":"high"}"#);
        assert_eq!((fields.text.as_ref(), fields.kind.as_ref()), ("kept", "lesson"));
        assert_eq!((fields.tags.len(), fields.confidence), (2, 0.7));
        assert_eq!(record(r#"{"content":"a","content":"b"}"#).text, "b");
    }

    #[test]
    fn a_line_that_is_not_an_object_is_unparsable_and_an_unknown_one_is_other() {
        for line in [
            "null",
            "42",
            "\"text\"",
            "[1]",
            "{\"content\":\"ha",
            "\u{feff}",
            "",
            "{]",
        ] {
            assert_eq!(read_line(line.as_bytes()), LineKind::Unparsable, "{line}");
        }
        for line in [
            "{}",
            r#"{"content":"  "}"#,
            r#"{"_action":"paint","id":"x"}"#,
            r#"{"_action":"delete"}"#,
        ] {
            assert_eq!(read_line(line.as_bytes()), LineKind::Other, "{line}");
        }
    }

    #[test]
    fn tombstones_and_confirmations_are_actions() {
        let line = r#"{"_v":1,"_action":"delete","id":"mem_1","at":"1970-01-01T00:00:01.000Z"}"#;
        let LineKind::Action(action) = read_line(line.as_bytes()) else {
            panic!("no action")
        };
        assert_eq!(
            (action.kind, action.id.as_ref(), action.at_ms),
            (ActionKind::Delete, "mem_1", 1000)
        );
    }

    #[test]
    fn a_line_is_too_long_for_one_reader_exactly_when_it_is_for_the_other() {
        let is_oversized = |path: &Path| {
            let (file, mut found) = (OsDisk.open_read(path).unwrap(), None);
            scan_lines(file.as_ref(), 0, u64::MAX, &mut |line| found = Some(line.oversized)).unwrap();
            found.unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        for extra in 0..2 {
            let head = "{\"content\":\"";
            let text = format!("{head}{}\"}} \n", "x".repeat(LINE_BYTES_MAX + extra - head.len() - 3));
            std::fs::write(&path, &text).unwrap();
            let (_, line) = each_line(text.as_bytes()).next().unwrap();
            let is_record = matches!(read_line(line), LineKind::Record(_));
            assert_eq!((is_oversized(&path), is_record), (extra > 0, extra == 0));
        }
    }
}
