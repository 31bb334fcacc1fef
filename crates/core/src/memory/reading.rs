//! What is asked of the own records first, and then of those of other worktrees.

use std::collections::BTreeMap;

use super::Memory;
use crate::agent::preload;
use crate::clock::Millis;
use crate::engine::beside::of_worktree_only;
use crate::engine::standing::Machine;
use crate::engine::{history, recall};
use crate::error::Result;
use crate::index::Stores;
use crate::model::scope::ScopeFilter;

/// How many notes of other worktrees the start of a session has, and a prompt.
const AT_START: usize = 6;
const ABOUT_PROMPT: usize = 3;

impl Memory {
    /// Counts all that the options admit, by their tags or by when they were made.
    ///
    /// # Errors
    /// As [`Memory::list`].
    pub fn count(
        &mut self,
        by: recall::CountedBy,
        options: &recall::RecallOptions,
    ) -> Result<Vec<recall::MemoryCount>> {
        recall::count(&mut self.stores, by, options, self.project.now())
    }

    /// Keeps what is found in other worktrees the first time: for a process that soon ends.
    pub fn look_at_worktrees_once(&mut self) {
        self.beside.is_settled = true;
    }

    /// Looks at the newest records alone while more bytes than these are in no index: for a process that must answer at once.
    pub fn hurry(&mut self, most: u64) {
        self.stores.hurry(most);
    }

    /// Reads the history of a record. A prefix or suffix of its id is enough, from six characters on.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read, `INVALID_INPUT` when several records match.
    pub fn history(&mut self, id: &str) -> Result<Option<history::History>> {
        match history::history(&mut self.stores, id, self.project.now())? {
            Some(mut own) if !own.is_fetched => {
                own.machine = Machine::of(&own.current().line, &self.project.marks.checker());
                Ok(Some(own))
            }
            own => Ok(self.history_in_worktree(id)?.or(own)),
        }
    }

    fn history_in_worktree(&mut self, id: &str) -> Result<Option<history::History>> {
        let now = self.project.now();
        let Some(stores) = self.beside.stores(&self.project, &mut self.stores) else {
            return Ok(None);
        };
        let Some(mut found) = history::history(stores, id, now)? else {
            return Ok(None);
        };
        found.worktree = self.beside.of(&found.current().id);
        Ok(Some(found).filter(|found| found.worktree.is_some()))
    }

    /// Refuses a record that only another work tree has: it is changed there.
    pub(super) fn require_here(&mut self, id: &str) -> Result<()> {
        match self.history(id)?.and_then(|found| found.worktree) {
            Some(worktree) => Err(of_worktree_only(id, &worktree)),
            None => Ok(()),
        }
    }

    /// Answers a query. No match, missing files and damaged lines are not errors.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong.
    pub fn recall(&mut self, query: &str, options: &recall::RecallOptions) -> Result<recall::RecallOutcome> {
        let mut outcome = recall::recall(&mut self.stores, &mut self.meaning, query, options, self.project.now())?;
        let (before, limit) = (outcome.hits.len(), options.limit()?);
        let ask = |stores: &mut Stores, now| recall::recall_beside(stores, query, options, now);
        self.add_of_worktrees(&mut outcome.hits, limit, ask)?;
        if before == 0 && !outcome.hits.is_empty() {
            outcome.message = None;
        }
        Ok(outcome.with_remark(self.unsearched.remark(&self.project.layout)))
    }

    /// Answers a query with a text block and the entries in its order.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the query cannot be asked.
    pub fn recall_text(&mut self, query: &str, asked: (ScopeFilter, recall::Mode)) -> Result<recall::RecallText> {
        let mut text = recall::recall_text(&mut self.stores, &mut self.meaning, query, asked, self.project.now())?;
        let options = recall::RecallOptions {
            scope: asked.0,
            mode: asked.1,
            ..recall::RecallOptions::default()
        };
        let (own, limit) = (text.matches.len(), recall::ENTRIES_MAX as usize);
        let mut all = std::mem::take(&mut text.matches);
        let ask = |stores: &mut Stores, now| recall::recall_beside(stores, query, &options, now);
        self.add_of_worktrees(&mut all, limit.max(own), ask)?;
        let more = all.iter().filter(|hit| hit.worktree.is_some()).count();
        let others = all.split_off(all.len() - more);
        text.matches = all;
        let text = text.with_worktrees(others);
        Ok(text.with_remark(self.unsearched.remark(&self.project.layout)))
    }

    /// Learns which files whoever asks has changed, each with the time of the change before, in milliseconds: they are not marked as changed. And
    /// which were renamed since the last commit, each with its name now.
    pub fn note_changes(&mut self, own: impl IntoIterator<Item = (String, Millis)>, renamed: BTreeMap<String, String>) {
        self.stores.freshness.learn(own.into_iter().collect(), renamed);
    }

    /// Returns the names that a file of the project had before it was renamed.
    pub fn former_names(&mut self, name: &str) -> Vec<String> {
        self.stores.freshness.begin();
        self.stores.freshness.former_names(name)
    }

    /// True if what is known of renamed and removed files is older than the last commit: [`crate::freshness::keep_past`] renews it.
    pub fn is_past_outdated(&mut self) -> bool {
        self.stores.freshness.is_past_outdated()
    }

    /// Lists about the newest records, at a cost that does not grow with the history; among many that were written out of order, newer ones
    /// may be missing.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong.
    pub fn list_recent(&mut self, options: &recall::RecallOptions) -> Result<Vec<recall::RecallHit>> {
        let mut hits = recall::list_recent(&mut self.stores, options, self.project.now())?;
        recall::check_hits(&mut self.stores.freshness, &mut hits, self.project.now());
        let limit = options.limit()?;
        let ask = |stores: &mut Stores, now| recall::list_recent(stores, options, now);
        self.add_of_worktrees(&mut hits, limit, ask)?;
        Ok(hits)
    }

    /// Returns notes for the start of a session: those about the branch and the plan, then general ones.
    ///
    /// # Errors
    /// As [`Memory::recall`].
    pub fn session_notes(&mut self, plan: Option<&str>) -> Result<Vec<recall::RecallHit>> {
        let mut notes = preload::session_notes(&self.project, &mut self.stores, plan)?;
        let limit = notes.len() + AT_START;
        if let Some(stores) = self.beside.stores(&self.project, &mut self.stores) {
            let more = preload::session_notes(&self.project, stores, plan)?;
            self.beside.add(&self.stores, &mut notes, more, limit);
        }
        Ok(notes)
    }

    /// Returns notes about a prompt: records that share at least two of its words, or its only word.
    ///
    /// # Errors
    /// As [`Memory::recall`].
    pub fn prompt_notes(&mut self, prompt: &str) -> Result<Vec<recall::RecallHit>> {
        let mut notes = preload::prompt_notes(&mut self.stores, prompt, self.project.now())?;
        let limit = notes.len() + ABOUT_PROMPT;
        let ask = |stores: &mut Stores, now| preload::prompt_notes(stores, prompt, now);
        self.add_of_worktrees(&mut notes, limit, ask)?;
        Ok(notes)
    }

    /// Adds what is found in other worktrees behind the own hits.
    fn add_of_worktrees(
        &mut self,
        hits: &mut Vec<recall::RecallHit>,
        limit: usize,
        ask: impl FnOnce(&mut Stores, Millis) -> Result<Vec<recall::RecallHit>>,
    ) -> Result<()> {
        let now = self.project.now();
        if let Some(stores) = self.beside.stores(&self.project, &mut self.stores) {
            let more = ask(stores, now)?;
            self.beside.add(&self.stores, hits, more, limit);
        }
        Ok(())
    }
}
