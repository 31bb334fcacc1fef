//! The answers as people read them, and as one JSON document, in bytes that can be written out as they are.

mod cell;
mod clear;
mod document;
mod list;
mod query;

use super::clear::{ClearOptions, ClearOutcome};
use super::query::{check_limit, check_query, rank};
use super::reading::{RalphFilter, Reading};
use crate::Lessons;
use forge_memory_core::error::{Error, Result};

/// What a page is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// What a page shows.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// The entries that are meant.
    pub filter: RalphFilter,
    /// Words to look for; a list is shown without them.
    pub query: Option<String>,
    /// The most entries an answer to a query has.
    pub limit: Option<f64>,
    /// How many columns a line of a table has room for.
    pub width: Option<usize>,
    /// Text or JSON.
    pub format: PageFormat,
}

/// A page, and what stands beside it.
#[derive(Debug)]
pub struct Page {
    /// UTF-8, with a line feed at its end.
    pub bytes: Vec<u8>,
    /// What could not be understood.
    pub warnings: Vec<String>,
    /// Set when the page tells of a failure.
    pub problem: Option<Error>,
}

impl Lessons<'_> {
    /// Shows a list.
    ///
    /// # Errors
    /// As [`Lessons::list`], except that a store which is no JSON has a page of its own.
    pub fn list_page(&mut self, request: &PageRequest) -> Result<Page> {
        self.page(request, |reading| {
            match request.format {
                PageFormat::Json => document::list(&reading),
                PageFormat::Text if reading.is_missing() => Ok(missing(&reading.first_shown)),
                PageFormat::Text if reading.found.is_empty() => Ok(EMPTY.as_bytes().to_vec()),
                PageFormat::Text => Ok(list::page(&reading, request.width)),
            }
            .map(|bytes| (bytes, reading.warnings))
        })
    }

    /// Shows what answers a query.
    ///
    /// # Errors
    /// As [`Lessons::query`], except that a store which is no JSON and a missing query have pages of their own.
    pub fn query_page(&mut self, request: &PageRequest) -> Result<Page> {
        let query = match check_query(request.query.as_deref()) {
            Ok(query) => query,
            Err(error) if request.query.as_deref().is_none_or(|query| query.trim().is_empty()) => {
                return Ok(failed(QUERY_USAGE, error));
            }
            Err(error) => return Err(error),
        };
        let limit = check_limit(request.limit)?;
        self.page(request, |reading| {
            let ranking = rank(&reading, &query, limit);
            let bytes = match request.format {
                PageFormat::Json => document::query(&reading, &query, &ranking)?,
                PageFormat::Text if reading.is_missing() => missing(&reading.first_shown),
                PageFormat::Text => query::page(&query, &ranking),
            };
            Ok((bytes, reading.warnings))
        })
    }

    fn page(
        &mut self,
        request: &PageRequest,
        render: impl FnOnce(Reading<'_>) -> Result<(Vec<u8>, Vec<String>)>,
    ) -> Result<Page> {
        let checked = request.filter.check(self.memory.now_ms())?;
        match self.read_stores(&checked, render) {
            Ok((bytes, warnings)) => Ok(Page {
                bytes,
                warnings,
                problem: None,
            }),
            Err(error) => self.corrupt_page(error),
        }
    }

    /// Clears, and shows what was done; a dry run shows the question.
    ///
    /// # Errors
    /// As [`Lessons::clear`], except that a store which is no JSON has a page of its own.
    pub fn clear_page(&mut self, options: &ClearOptions) -> Result<(Page, Option<ClearOutcome>)> {
        let outcome = match self.clear(options) {
            Ok(outcome) => outcome,
            Err(error) => return Ok((self.corrupt_page(error)?, None)),
        };
        let bytes = if outcome.missing {
            missing(&outcome.first_store)
        } else if outcome.counted == 0 {
            EMPTY.as_bytes().to_vec()
        } else if options.dry_run {
            clear::question(&outcome)
        } else {
            clear::answer(&outcome, options.loop_id.as_deref())
        };
        let page = Page {
            bytes,
            warnings: outcome.warnings.clone(),
            problem: None,
        };
        Ok((page, Some(outcome)))
    }

    fn corrupt_page(&self, error: Error) -> Result<Page> {
        let shown = match error.unadvised() {
            Error::Corrupt { path, reason } if reason.starts_with("it is not valid JSON") => path
                .strip_prefix(self.memory.project_dir())
                .unwrap_or(path)
                .components()
                .map(|part| part.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/"),
            _ => return Err(error),
        };
        let text = format!(
            "Memory file is not valid JSON: {shown}\n\nOptions:\n1. Delete and start fresh: rm {shown}\n\
             2. Inspect manually to repair\n"
        );
        Ok(failed(&text, error))
    }
}

const EMPTY: &str = "No memory entries found.\n\nAl accumulates memory as it runs loops. Start a loop:\n  \
                     /ralph \"your task\" --completion \"criteria\"\n";

const QUERY_USAGE: &str = "Error: --query is required for the 'query' subcommand.\n\nUsage:\n  \
                           /ralph-memory query --query \"auth mocks\"\n  \
                           /ralph-memory query --query \"typescript\" --since 7d\n";

fn missing(shown: &str) -> Vec<u8> {
    format!(
        "No Al memory found at {shown}.\n\nAl has not accumulated any memory yet. Run a loop first:\n  \
         /ralph \"your task\" --completion \"criteria\"\n"
    )
    .into_bytes()
}

fn failed(text: &str, error: Error) -> Page {
    Page {
        bytes: text.as_bytes().to_vec(),
        warnings: Vec::new(),
        problem: Some(error),
    }
}

/// "1 entry", "2 entries".
fn entries(count: usize) -> String {
    format!("{count} {}", if count == 1 { "entry" } else { "entries" })
}

/// "1 memory entry", "2 memory entries".
fn memory_entries(count: usize) -> String {
    format!("{count} memory {}", if count == 1 { "entry" } else { "entries" })
}
