//! Where a tail begins, where it stands, and which events it is after.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::journal::FileId;

/// Which events are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    names: Option<Vec<String>>,
}

impl Wants {
    /// Returns a filter for these types; a `*` at the end of one stands for whatever follows.
    pub fn only(names: Vec<String>) -> Self {
        Wants { names: Some(names) }
    }

    /// Tells whether events of this type are wanted.
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
    /// Behind the event with this number.
    After(f64),
    /// So many events before the end.
    Newest(usize),
}

/// Where a tail stands, as one reader tells another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(super) file: FileId,
    pub(super) offset: u64,
}

impl Position {
    /// Returns a place in a file.
    pub(crate) fn at(file: FileId, offset: u64) -> Self {
        Position { file, offset }
    }

    /// Returns which file it is in.
    pub(crate) fn file(self) -> FileId {
        self.file
    }

    /// Returns how many bytes lie before it.
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
