//! What most readers use.

pub(super) use std::path::{Path, PathBuf};

pub(super) use serde::{Deserialize, Serialize};
pub(super) use serde_json::Value;

pub(super) use super::blocks::{self, Stamp};
pub(super) use super::format::{
    Format, RecordReader, SessionHeader, Source, Storage, is_json, is_jsonl, is_of_editor, names, resumed,
};
pub(super) use crate::agent::Agent;
pub(super) use crate::emitter::Emitter;
pub(super) use crate::event::{Event, Kind, Outcome, Session};
pub(super) use crate::json::{content, deep, file_uri, is_true, items, millis, nested, text, time};
pub(super) use crate::places::Places;
pub(super) use crate::shell;
