//! Start, position and filter of a tail.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::journal::FileId;

/// The types of events that a tail returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    names: Option<Vec<String>>,
}

impl EventFilter {
    /// Returns a filter for these types; a trailing `*` matches any suffix.
    pub fn only(names: Vec<String>) -> Self {
        EventFilter { names: Some(names) }
    }

    /// True if the filter matches a type.
    pub fn has(&self, kind: &str) -> bool {
        self.names.as_ref().is_none_or(|names| {
            names.iter().any(|name| match name.strip_suffix('*') {
                Some(start) => kind.starts_with(start),
                None => kind == name,
            })
        })
    }
}

/// Where a tail begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// After the event with this number.
    After(f64),
    /// This many events before the end.
    Newest(usize),
}

/// The position of a tail, in a form that another reader can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(super) file: FileId,
    pub(super) offset: u64,
}

impl Position {
    pub(crate) fn at(file: FileId, offset: u64) -> Self {
        Position { file, offset }
    }

    pub(crate) fn file(self) -> FileId {
        self.file
    }

    pub(crate) fn offset(self) -> u64 {
        self.offset
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file.volume, self.file.index, self.offset)
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::invalid("position", "is not a position that a tail has returned");
        let mut numbers = text.split(':').map(|part| part.parse::<u64>().map_err(|_| wrong()));
        let mut next = || numbers.next().ok_or_else(wrong)?;
        Ok(Position {
            file: FileId {
                volume: next()?,
                index: next()?,
            },
            offset: next()?,
        })
    }
}
