//! Captures and saved patterns, and the records that these may replace.

use super::Memory;
use crate::clock::{Millis, parse_when};
use crate::engine::offer::{Asked, Offered, Reader, offer, offer_among};
use crate::engine::outcome::CaptureOutcome;
use crate::engine::retired::{RetiredRecord, list_retired};
use crate::engine::save::SaveOutcome;
use crate::error::Result;
use crate::model::input::{CaptureInput, SaveInput};
use crate::model::limits::check_lasts;
use crate::model::said::Door;
use crate::model::scope::{Scope, ScopeFilter};
use schemars::JsonSchema;
use serde::Deserialize;

/// The options for comparing a text with the memory.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RelatedOptions {
    /// `project` (when absent), `global` or `all`.
    pub scope: Option<ScopeFilter>,
    /// The ids of records that are left out.
    pub except: Vec<String>,
}

/// The time from which retired records are listed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RetiredOptions {
    /// The earliest moment of the retirement: ISO 8601, or an age such as `7d`; all when absent.
    pub since: Option<String>,
}

impl Memory {
    /// Captures a thought. A tier that fails does not stop the next one; the outcome reports it.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong, `NOT_FOUND` when it supersedes a record that is not there; nothing is written then.
    pub fn capture(&mut self, input: CaptureInput) -> Result<CaptureOutcome> {
        self.begin_writing()?;
        let is_asked = input.related;
        // A program may store what it knows to be past, as an import does.
        let door = input.door;
        let checked = input.check()?;
        let typed = checked.expires_ms.filter(|_| door != Some(Door::Api));
        check_lasts(typed, self.project.now())?;
        let mut outcome = self.writer().capture(checked)?;
        outcome.related = is_asked.then(Vec::new);
        if !outcome.captured {
            return Ok(outcome);
        }
        let CaptureOutcome { thought, retired, .. } = &outcome;
        if is_asked {
            let retired = retired.iter().map(|older| older.id.as_str());
            let except: Vec<&str> = retired.chain([thought.id.as_str()]).collect();
            let project = Some(thought.project.as_str());
            let related = self.related_to((&thought.content, true), ScopeFilter::Project, project, &except);
            outcome.related = Some(related);
        }
        let (kind, text, now) = (&outcome.thought.kind, &outcome.thought.content, self.project.now());
        outcome.noted = self.beside.noted(&self.project, &mut self.stores, kind, text, now);
        Ok(outcome)
    }

    /// Saves a pattern, unless the scope has one with the same category and the same folded text.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong, `LOCKED` or `IO` when it cannot be stored; nothing is written then.
    pub fn save(&mut self, input: SaveInput) -> Result<SaveOutcome> {
        self.begin_writing()?;
        let asked = input.related.then(|| input.pattern.clone().unwrap_or_default());
        let mut outcome = self.writer().save(input.check()?)?;
        let scope = match outcome.scope {
            Scope::Project => ScopeFilter::Project,
            Scope::Global => ScopeFilter::Global,
        };
        outcome.related = asked.map(|text| {
            if outcome.is_saved() {
                self.related_to((&text, true), scope, None, &[&outcome.id])
            } else {
                Vec::new()
            }
        });
        Ok(outcome)
    }

    /// Returns the current records that a text may replace, the most likely first, except the given ones.
    pub fn related(&mut self, text: &str, scope: ScopeFilter, except: &[&str]) -> Vec<Offered> {
        self.related_to((text, false), scope, None, except)
    }

    /// Returns which of other texts, of records that only another store has, a captured text may replace, the most likely first.
    pub fn related_among(&mut self, text: &str, others: &[&str]) -> Vec<usize> {
        self.config();
        offer_among(&mut self.stores, text, others)
    }

    /// Takes note of records that only another store has, until it is told others: later calls know them by their ids.
    pub fn hold_fetched(&mut self, lines: Vec<Vec<u8>>) {
        self.stores.fetched = lines;
    }

    /// Does the same for a record of a project; of this one, when none is named.
    fn related_to(
        &mut self,
        (text, is_stored): (&str, bool),
        scope: ScopeFilter,
        project: Option<&str>,
        except: &[&str],
    ) -> Vec<Offered> {
        self.config();
        let projects = match (self.project.names(), project) {
            (names, Some(project)) if names.iter().all(|name| name != project) => vec![project.to_owned()],
            (names, _) => names.to_vec(),
        };
        let asked = Asked {
            text,
            is_stored,
            scope,
            projects: &projects,
            except,
            reader: Reader::Capturing,
        };
        offer(&mut self.stores, Some(&mut self.meaning), &asked, self.project.now())
    }

    /// Lists the records that were retired since a moment (ISO 8601, or an age such as `7d`), the newest first; all when it is not given.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the moment is not valid, `IO` when a journal cannot be read.
    pub fn retired(&mut self, since: Option<&str>) -> Result<Vec<RetiredRecord>> {
        self.config();
        let since = since
            .map(|since| parse_when("since", since, self.project.now()))
            .transpose()?;
        list_retired(&mut self.stores, since.unwrap_or(Millis::MIN), self.project.now())
    }
}
