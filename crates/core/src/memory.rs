//! An open memory: the facade over the engine. It opens the parts and hands each what it needs; what is done stands in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::agent::{ports, preload, sync};
use crate::clock::Millis;
use crate::engine::{capture::Recorder, edit::Editor, history, outcome, outlets, recall, resolve, save, search_cache};
use crate::error::Result;
use crate::index::Stores;
use crate::journal::Disk;
use crate::model::input::{CaptureInput, EditInput, SaveInput};
use crate::model::thought::Thought;
use crate::observe::{events, report, telemetry};
use crate::outbox::{self, DeadLetter, DeadLetters, Dropped, Foreign, QueuedAgain, Retried};
use crate::project::{Project, config::Config, environment::Environment, keywords::KeywordMap, layout::CAPTURES_FILE};
use crate::upkeep::{audit, background, compact, heal, migrate, progress, repair, transfer, verify};

/// One project's memory and the user's own.
#[derive(Debug)]
pub struct Memory {
    project: Project,
    stores: Stores,
    outlets: outlets::Outlets,
    counts: report::Counts,
    unsearched: migrate::Unsearched,
    /// How far long work has come.
    pub progress: Arc<progress::Progress>,
}

impl Memory {
    /// Opens the memory of a project. Nothing is created, and nothing but the settings is read, before the first use.
    pub fn open(environment: Environment) -> Self {
        let project = Project::open(environment);
        Memory {
            stores: Stores::open(&project),
            outlets: outlets::Outlets::open(&project),
            counts: report::Counts::default(),
            unsearched: migrate::Unsearched::default(),
            progress: Arc::default(),
            project,
        }
    }

    /// Returns the file system that the memory lives on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        self.project.layout.disk()
    }

    /// Returns the present moment, by the clock that the memory was given.
    pub fn now_ms(&self) -> Millis {
        self.project.now()
    }

    /// Returns the project's folder.
    pub fn project_dir(&self) -> &Path {
        self.project.layout.project_dir()
    }

    /// Returns the project's `.forge` folder.
    pub fn forge_dir(&self) -> PathBuf {
        self.project.layout.forge().to_path_buf()
    }

    /// Returns the project's name: as configured, else as its repository, its main checkout or its folder is called.
    pub fn project_name(&self) -> String {
        self.project.name()
    }

    /// Returns all names of the project: the one that new records get, then those that its older records may have.
    pub fn project_names(&mut self) -> Vec<String> {
        self.config();
        self.project.names().to_vec()
    }

    /// Returns the settings, read again when the file has changed.
    pub fn config(&mut self) -> &Config {
        if let Some(before) = self.project.reload() {
            self.stores.reconfigure(&self.project, &before);
        }
        self.project.config()
    }

    /// Captures a thought. A tier that fails does not stop the next one; the outcome reports it.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong; nothing is written then.
    pub fn capture(&mut self, input: CaptureInput) -> Result<outcome::CaptureOutcome> {
        self.config();
        let captures = &mut self.stores.captures;
        Recorder::new(&mut self.project, captures, &mut self.outlets).capture(input)
    }

    /// Saves a pattern, unless the scope has one with the same category and the same folded text.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong, `LOCKED` or `IO` when it cannot be stored; nothing is written then.
    pub fn save(&mut self, input: SaveInput) -> Result<save::SaveOutcome> {
        self.config();
        save::save(&mut self.project, &mut self.stores, input)
    }

    /// Stores a new revision of a record. A pattern comes back in the shape of a thought.
    ///
    /// # Errors
    /// `NOT_FOUND`, also when it is forgotten, `INVALID_INPUT` when a change is wrong, `LOCKED`, `IO`, `UNSUPPORTED`.
    pub fn edit(&mut self, id: &str, changes: EditInput) -> Result<Thought> {
        self.edit_in_tiers(id, changes).map(|(thought, _)| thought)
    }

    /// Does the same, and tells how each tier fared: the revision is stored, but what follows the raw log may have failed.
    ///
    /// # Errors
    /// As [`Memory::edit`].
    pub fn edit_in_tiers(&mut self, id: &str, changes: EditInput) -> Result<(Thought, outcome::Tiers)> {
        self.config();
        self.editor().edit(id, changes)
    }

    /// Forgets a record, whichever of its revisions `id` names. Answers whether there was anything to forget.
    ///
    /// # Errors
    /// `LOCKED` or `IO` when the tombstone cannot be stored.
    pub fn forget(&mut self, id: &str) -> Result<bool> {
        self.editor().forget(id)
    }

    /// Returns the write path of decisions about records that are retired or in conflict.
    pub fn resolver(&mut self) -> resolve::Resolver<'_> {
        self.config();
        resolve::Resolver::new(&mut self.project, &mut self.stores, &mut self.outlets)
    }

    fn editor(&mut self) -> Editor<'_> {
        Editor::new(&mut self.project, &mut self.stores, &mut self.outlets)
    }

    /// Reads the past of a record, of whose id six characters or more at its beginning or end are enough.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read, `INVALID_INPUT` when several records have that piece.
    pub fn history(&mut self, id: &str) -> Result<Option<history::History>> {
        history::history(&mut self.stores, id, self.project.now())
    }

    /// Answers a query. A query without an answer, missing files and damaged lines are no errors.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong.
    pub fn recall(&mut self, query: &str, options: &recall::RecallOptions) -> Result<recall::RecallOutcome> {
        let outcome = recall::recall(&mut self.stores, query, options, self.project.now())?;
        Ok(outcome.with_remark(self.unsearched.remark(&self.project.layout)))
    }

    /// Answers a query with a text block and the entries in its order.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the scope is unknown.
    pub fn recall_text(&mut self, query: &str, scope: Option<&str>) -> Result<recall::RecallText> {
        let answer = recall::recall_text(&mut self.stores, query, scope, self.project.now())?;
        Ok(answer.with_remark(self.unsearched.remark(&self.project.layout)))
    }

    /// Lists the newest records, and counts all that the options admit.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong, `UNSAFE_PATH` when something else stands in the place of a journal.
    pub fn list(&mut self, options: &recall::RecallOptions) -> Result<(Vec<recall::RecallHit>, usize)> {
        recall::list(&mut self.stores, options, self.project.now())
    }

    /// Returns where the raw log stands now. Taken before a search, it tells later what was captured since.
    ///
    /// # Errors
    /// `IO` when the raw log is there but cannot be looked at.
    pub fn search_stamp(&mut self) -> Result<String> {
        search_cache::search_stamp(&mut self.stores.captures.journal)
    }

    /// Returns the entry of an earlier search with this key and `place`, if it may still be used.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn cached_search(
        &mut self,
        key: &str,
        place: &str,
        within: search_cache::Restriction<'_>,
    ) -> Result<Option<Value>> {
        search_cache::cached_search(&self.project, &mut self.stores.captures.journal, key, place, within)
    }

    /// Keeps the answer of a search, unless it is too large.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a field is missing, otherwise as [`crate::journal::Journal::append`].
    pub fn keep_search(&mut self, entry: &Value, place: &str, stamp: &str) -> Result<()> {
        search_cache::keep_search(&mut self.project, entry, place, stamp)
    }

    /// Appends events and returns the number of the last one. Behind a `run-started` comes a `memory-preload`.
    ///
    /// # Errors
    /// `INVALID_INPUT` when one is no such object or too large, otherwise as [`crate::journal::Journal::append`].
    pub fn publish(&mut self, events: &[String]) -> Result<u64> {
        self.config();
        self.outlets
            .events
            .publish(&mut self.project, events, preload::preload_event)
    }

    /// Follows the project's events from `start` on; see [`crate::observe::events::EventLog::follow`].
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn follow_events(
        &self,
        start: events::Start,
        wants: &events::Wants,
        until: Option<events::Position>,
        is_live: bool,
    ) -> Result<events::EventTail> {
        let events = &self.outlets.events;
        events.follow(&self.project.marks, start, wants, until, is_live)
    }

    /// Tells how the doorway to the shared store stands.
    pub fn queue_status(&mut self) -> report::QueueStatus {
        report::queue_status(&mut self.counts.tallies, &self.project)
    }

    /// Tells what in the queue and among the dead letters this machine did not write.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn foreign_records(&self) -> Result<Foreign> {
        outbox::foreign_records(&self.project.layout, &self.project.marks)
    }

    /// Takes over what this machine did not write, as if it had: the user has ordered that. Returns what that was.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the files cannot be rewritten or the machine's key cannot be had.
    pub fn trust_foreign_records(&mut self) -> Result<Foreign> {
        outbox::trust_foreign_records(&self.project.layout, &self.project.marks)
    }

    /// Lists the dead letters, oldest first.
    ///
    /// # Errors
    /// `IO` when the file is there but cannot be read.
    pub fn dead_letters(&mut self) -> Result<Vec<DeadLetter>> {
        DeadLetters::of(&self.project.layout, &self.project.marks).list(&self.project.name())
    }

    /// Queues once more all that the raw log has from `since` on, for a store that is new, was emptied or is another one.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the raw log cannot be read, the queue not be written, or the machine's key not be had.
    pub fn queue_again(&mut self, since: Option<Millis>) -> Result<QueuedAgain> {
        outbox::queue_again(&self.project, self.outlets.queue.journal(), since)
    }

    /// Puts dead letters back into the queue: these, by id or key, or all.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the files cannot be written.
    pub fn retry_dead_letters(&mut self, wanted: Option<&[String]>) -> Result<Retried> {
        let (queue, now) = (self.outlets.queue.journal(), self.project.now());
        DeadLetters::of(&self.project.layout, &self.project.marks).retry(wanted, queue, now)
    }

    /// Deletes dead letters, by id or key.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the file cannot be written.
    pub fn drop_dead_letters(&mut self, wanted: &[String]) -> Result<Dropped> {
        DeadLetters::of(&self.project.layout, &self.project.marks).drop(wanted)
    }

    /// Takes the inventory.
    pub fn report(&mut self) -> report::MemoryReport {
        report::report(&mut self.counts.tallies, &self.project)
    }

    /// Returns the sums over all captures.
    pub fn capture_totals(&mut self) -> telemetry::CaptureTotals {
        report::capture_totals(&mut self.counts.tallies, &self.project)
    }

    /// Returns the last drains, oldest first.
    pub fn drains(&self, limit: usize) -> Vec<report::DrainPass> {
        report::drains(&self.project.layout, limit)
    }

    /// Returns the captures since a moment (ISO 8601, or an age such as `30d`).
    ///
    /// # Errors
    /// `INVALID_INPUT` when the moment is not valid or too long ago for buckets of this size, `IO` when telemetry cannot be read.
    pub fn series(&mut self, by: report::By, bucket: report::Bucket, since: &str) -> Result<report::Series> {
        self.counts
            .samples
            .since(&self.project.layout, by, bucket, since, self.project.now())
    }

    /// Hands out the counts and the raw log they are of, to be gone on with without the memory.
    pub fn take_coverage(&mut self) -> (report::Coverage, Arc<dyn Disk>, PathBuf) {
        let (coverage, layout) = (std::mem::take(&mut self.counts.coverage), &self.project.layout);
        (coverage, Arc::clone(layout.disk()), layout.path_of(CAPTURES_FILE))
    }

    /// Takes counts back.
    pub fn keep_coverage(&mut self, coverage: report::Coverage) {
        self.counts.coverage = coverage;
    }

    /// Tells how the memory is set up and how much there is.
    pub fn status(&mut self) -> report::ProjectStatus {
        self.config();
        let unmigrated = migrate::unmigrated_files(&self.project.layout);
        report::status(&self.project, &mut self.stores, &mut self.counts.tallies, unmigrated)
    }

    /// Looks at everything that can be wrong with a memory.
    pub fn diagnose(&mut self) -> Vec<report::Finding> {
        self.config();
        let known = report::Symptoms {
            merges: heal::find_leftovers(&self.project.layout),
            unmigrated: migrate::unmigrated_files(&self.project.layout),
            memories: recall::count_memories(&mut self.stores, self.project.now()),
        };
        report::Doctor::new(&self.project, &mut self.stores, &mut self.counts.tallies).diagnose(known)
    }

    /// Heals what merges have left in the files that are committed. Records in conflict stay.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then.
    pub fn heal(&mut self) -> Result<heal::HealReport> {
        heal::heal(&self.project.layout, self.project.now())
    }

    /// Measures the rot of this project's memory. Reads and nothing else.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn audit(&mut self) -> Result<audit::AuditReport> {
        self.config();
        audit::audit(&self.project, &self.progress)
    }

    /// Takes the secrets out of everything that is stored. The originals are not kept: they are what has to go.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, and the next run goes on.
    pub fn redact_stored(&mut self) -> Result<audit::RedactionReport> {
        audit::redact_stored(&self.project.layout)
    }

    /// Holds every record against its hallmark.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn verify(&mut self) -> Result<verify::Verification> {
        verify::verify(&self.project.layout, &self.progress)
    }

    /// Removes the lines that no answer needs any more.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, and the next run goes on.
    pub fn compact(&mut self, dry_run: bool) -> Result<compact::CompactionReport> {
        compact::compact(&self.project.layout, self.project.now(), dry_run)
    }

    /// Rebuilds the type files, the queue and the index from the raw log.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; what was repaired before stays repaired, and another run goes on.
    pub fn repair(&mut self) -> Result<repair::RepairReport> {
        repair::repair(&self.project, &mut self.stores, &self.progress)
    }

    /// Brings every record under `.forge/` to the latest version.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, and the next run goes on.
    pub fn migrate(&mut self, dry_run: bool) -> Result<migrate::MigrationReport> {
        migrate::migrate(&self.project.layout, &self.progress, self.project.now(), dry_run)
    }

    /// Exports the records of this project.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the file may not be written, `IO`.
    pub fn export(&mut self, options: &transfer::ExportOptions) -> Result<transfer::Exported> {
        transfer::export(&self.project, options)
    }

    /// Imports a file or a folder of another store.
    ///
    /// # Errors
    /// `CORRUPT` when the source is damaged, `UNSUPPORTED` when it is no known store, `IO`, `LOCKED`; another run goes on.
    pub fn import(&mut self, path: &Path, options: &transfer::ImportOptions) -> Result<transfer::ImportReport> {
        self.config();
        let importer = transfer::Importer::new(&mut self.project, &mut self.stores, &mut self.outlets);
        importer.import(path, options, &self.progress)
    }

    /// Returns index work that has come together since the last call, to be run on another thread.
    pub fn take_jobs(&mut self) -> Vec<background::Job> {
        background::take_jobs(&self.project, &mut self.stores)
    }

    /// Takes over the segments that jobs have made.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read.
    pub fn adopt(&mut self) -> Result<()> {
        self.stores.adopt()
    }

    /// Does, here and now, the index work that a short-lived process would leave to the next one.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read or a segment not be written.
    pub fn settle(&mut self) -> Result<()> {
        background::settle(&self.project, &mut self.stores)
    }

    /// Returns the questions that a plan raises in this project; the project's own name when none is given.
    ///
    /// # Errors
    /// `INVALID_INPUT` when `hints_max` is no number of hints.
    pub fn boot_context(
        &mut self,
        plan: &preload::Plan,
        name: Option<&str>,
        hints_max: Option<f64>,
    ) -> Result<preload::BootContext> {
        preload::boot_context_of(&self.project, plan, name, hints_max)
    }

    /// Returns the project's keyword map, and what is wrong with the one in its settings.
    pub fn keyword_map(&self) -> (KeywordMap, Vec<String>) {
        preload::keyword_map(&self.project.layout)
    }

    /// Returns what to know at the start of a session: what concerns the branch and the plan, then what holds always.
    ///
    /// # Errors
    /// As [`Memory::recall`].
    pub fn session_notes(&mut self, plan: Option<&str>) -> Result<Vec<recall::RecallHit>> {
        preload::session_notes(&self.project, &mut self.stores, plan)
    }

    /// Returns what is known about a prompt: only what shares at least two of its words, or its only one.
    ///
    /// # Errors
    /// As [`Memory::recall`].
    pub fn prompt_notes(&mut self, prompt: &str) -> Result<Vec<recall::RecallHit>> {
        preload::prompt_notes(&mut self.stores, prompt, self.project.now())
    }

    /// Writes hints out to the files of agents.
    ///
    /// # Errors
    /// `INVALID_INPUT` for wrong options or a file that may not be written, `CORRUPT` when its marked part has no end, `IO`.
    pub fn sync(&mut self, options: &sync::SyncOptions) -> Result<Vec<sync::SyncedFile>> {
        sync::sync(&self.project, &mut self.stores, options)
    }

    /// Takes a duty (`server-ports`, `watcher`, `lattice-keeper`) unless another process holds it.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown duty, `IO` when its lock cannot be made.
    pub fn take_duty(&mut self, name: &str) -> Result<Option<ports::Duty>> {
        ports::take_duty(&mut self.project, name)
    }

    /// Tells whether some process has a duty.
    ///
    /// # Errors
    /// As [`Memory::take_duty`].
    pub fn is_duty_taken(&self, name: &str) -> Result<bool> {
        ports::is_duty_taken(&self.project.layout, name)
    }

    /// Writes where the server listens. Only who has the duty `server-ports` does that.
    ///
    /// # Errors
    /// `IO` when the file cannot be written.
    pub fn write_ports(&self, ports: &ports::ServerPorts) -> Result<()> {
        ports::write_ports(&self.project.layout, ports)
    }

    /// Removes what [`Memory::write_ports`] wrote.
    ///
    /// # Errors
    /// `IO` when the file is there and cannot be removed.
    pub fn remove_ports(&self) -> Result<()> {
        ports::remove_ports(&self.project.layout)
    }
}
