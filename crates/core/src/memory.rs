//! [`Memory`], the facade over the engine: it opens the parts and passes each the others that it needs.

mod capturing;
mod duties;
mod reading;
#[cfg(test)]
mod tests;
pub use capturing::{RelatedOptions, RetiredOptions};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::agent::preload::{self, BootContext, Plan};
use crate::agent::sync;
use crate::engine::search_cache::Restriction;
use crate::engine::{
    beside::Beside, conflicts, destinations, elsewhere, embedding, inbox, outcome, recall, receive::Received,
    search_cache, unknown, writer::Writer,
};
use crate::error::{Error, Result};
use crate::model::author::Speaker;
use crate::model::input::EditInput;
use crate::model::limits::{check_expiry, check_lasts};
use crate::model::said::Door;
use crate::model::thought::Thought;
use crate::observe::{events, report, telemetry};
use crate::outbox::{self, DeadLetter, DeadLetters, Dropped, Foreign, QueuedAgain, Retried};
use crate::project::{Project, config::Config, environment::Environment, keywords::KeywordMap, layout::CAPTURES_FILE};
use crate::upkeep::{audit, background, compact, heal, migrate, progress, repair, restore, transfer, verify};
use crate::{clock::Millis, index::RecordCounts, index::Stores, journal::Disk, meaning::Meaning};

/// One project's memory and the user's own.
#[derive(Debug)]
pub struct Memory {
    project: Project,
    stores: Stores,
    meaning: Meaning,
    destinations: destinations::Destinations,
    counts: report::Counts,
    unsearched: migrate::Unsearched,
    beside: Beside,
    /// The progress of long work.
    pub progress: Arc<progress::Progress>,
}

impl Memory {
    /// Opens the memory of a project. Nothing is created, and nothing but the settings is read, before the first use.
    pub fn open(environment: Environment) -> Self {
        let project = Project::open(environment);
        Memory {
            stores: Stores::open(&project),
            meaning: Meaning::open(&project),
            destinations: destinations::Destinations::open(&project),
            counts: report::Counts::default(),
            unsearched: migrate::Unsearched::default(),
            beside: Beside::default(),
            progress: Arc::default(),
            project,
        }
    }

    /// Returns the file system that the memory lives on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        self.project.layout.disk()
    }

    /// Returns the current time of the clock in the environment.
    pub fn now_ms(&self) -> Millis {
        self.project.now()
    }

    /// Returns the project's folder.
    pub fn project_dir(&self) -> &Path {
        self.project.layout.project_dir()
    }

    /// Returns its `.forge` folder.
    pub fn forge_dir(&self) -> PathBuf {
        self.project.layout.forge().to_path_buf()
    }

    /// Returns the project's name: the configured one, else the identity of its repository or folder.
    pub fn project_name(&self) -> String {
        self.project.name()
    }

    /// Returns the names under which the shared store has the project's records, the current one first.
    pub fn project_names(&mut self) -> Vec<String> {
        self.config();
        outbox::shared_names(&self.project)
    }

    /// Returns the mark under which a sentence that a person said here is known.
    ///
    /// # Errors
    /// `IO`, `LOCKED` or `CORRUPT` when the key of this machine cannot be read or created.
    pub fn mark_of_sentence(&self, sentence: &str) -> Result<String> {
        self.project.marks.of_sentence(sentence)
    }

    /// Checks that the user allows captures here, and notes which project the folder is.
    fn begin_writing(&mut self) -> Result<()> {
        if self.config().is_capture_refused {
            let reason = "is not approved on this machine, and your settings.json captures in approved projects only";
            return Err(Error::invalid("project", reason).advised("forge-memory trust approves it"));
        }
        outbox::note_names(&mut self.project);
        Ok(())
    }

    /// Returns the settings, read again when the file has changed.
    pub fn config(&mut self) -> &Config {
        if let Some(before) = self.project.reload() {
            self.stores.reconfigure(&self.project, &before);
            self.meaning.reconfigure(&self.project);
            self.destinations.reconfigure(&self.project);
        }
        self.project.config()
    }

    /// Stores a new revision of a record. A pattern comes back in the shape of a thought.
    ///
    /// # Errors
    /// `NOT_FOUND`, also when it is forgotten, `INVALID_INPUT` when a change is wrong, `LOCKED`, `IO`, `UNSUPPORTED`.
    pub fn edit(&mut self, id: &str, changes: EditInput) -> Result<Thought> {
        self.edit_in_tiers(id, changes).map(|(thought, _)| thought)
    }

    /// Does the same and returns the outcome of each tier: when the raw log has the revision, later tiers may still have failed.
    ///
    /// # Errors
    /// As [`Memory::edit`].
    pub fn edit_in_tiers(&mut self, id: &str, changes: EditInput) -> Result<(Thought, outcome::Tiers)> {
        self.config();
        self.require_here(id)?;
        // What an undo brings back may have expired since, and a program may know it.
        if !matches!(changes.door, Some(Door::Undo | Door::Api)) {
            let given = changes.expires_at.as_deref().map(check_expiry);
            check_lasts(given.transpose()?, self.project.now())?;
        }
        self.writer().edit_by_change(id, changes)
    }

    /// Forgets a record, given the id of any of its revisions. Returns true if it existed.
    ///
    /// # Errors
    /// `LOCKED` or `IO` when the tombstone cannot be stored.
    pub fn forget(&mut self, id: &str) -> Result<bool> {
        self.forget_by(id, &Speaker::person())
    }

    /// Does the same for a speaker. Who may only ask for it puts a request into the inbox.
    ///
    /// # Errors
    /// As [`Memory::forget`], and `PROPOSED` when it waits for a person.
    pub fn forget_by(&mut self, id: &str, speaker: &Speaker) -> Result<bool> {
        self.config();
        self.require_here(id)?;
        self.writer().forget(id, speaker)
    }

    /// Returns the write path of decisions about records that are retired or in conflict.
    pub fn resolver(&mut self) -> Writer<'_> {
        self.config();
        self.writer()
    }

    /// Returns the inbox, the write path of reviews, and the feedback on records.
    pub fn reviewer(&mut self) -> Writer<'_> {
        self.resolver()
    }

    /// Receives what colleagues decided about records of this memory, as lines of a shared store.
    ///
    /// # Errors
    /// As [`Writer::receive`].
    pub fn receive(&mut self, lines: &[String]) -> Result<Received> {
        self.resolver().receive(lines)
    }

    fn writer(&mut self) -> Writer<'_> {
        Writer::new(&mut self.project, &mut self.stores, &mut self.destinations)
    }

    /// Lists the undecided conflicts, the newest first.
    pub fn conflicts(&mut self) -> Vec<conflicts::ConflictPair> {
        self.config();
        conflicts::list_conflicts(&mut self.stores, self.project.now())
    }

    /// True if somebody said that a record does not belong to any of these files or commands, where hooks leave it out.
    pub fn is_ruled_out(&mut self, id: &str, places: &[&str]) -> bool {
        elsewhere::is_ruled_out(&mut self.stores, id, places)
    }

    /// Finds records that were acknowledged here and that the memory has no more, or otherwise than was decided here. Those that a
    /// commit of another branch has are not lost.
    ///
    /// # Errors
    /// `IO` when a file exists but cannot be read.
    pub fn lost_records(&self) -> Result<Vec<outbox::LostRecord>> {
        outbox::missing_records(&self.project).map(|missing| missing.lost)
    }

    /// True if there are any, at the cost of a few reads.
    pub fn has_lost_records(&mut self) -> bool {
        self.stores.refresh();
        let (stores, now) = (&self.stores, self.project.now());
        outbox::may_be_lost(&self.project, |file, line| {
            let is_raw = file == CAPTURES_FILE;
            let store = if is_raw {
                &stores.captures
            } else {
                &stores.project_patterns
            };
            store.journal_index.knows(line, now)
        })
    }

    /// Appends them to the memory again, on the order of the user. Returns them.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; a file is whole or was not changed then.
    pub fn restore_lost_records(&mut self) -> Result<Vec<outbox::LostRecord>> {
        outbox::restore_lost(&self.project)
    }

    /// How many lines the logs of this project have. What cannot be read is not counted.
    pub fn line_count(&mut self) -> usize {
        self.stores.refresh();
        let indexes = [&self.stores.captures, &self.stores.project_patterns].map(|store| &store.journal_index);
        indexes.into_iter().map(|index| index.records()).sum()
    }

    /// Counts the current records, as they were last read.
    pub fn current_counts(&mut self) -> RecordCounts {
        self.stores.current(self.project.now())
    }

    /// Counts the records by their state.
    pub fn record_counts(&mut self) -> RecordCounts {
        let now = self.project.now();
        let (waiting, lapsed) = inbox::all_waiting(&mut self.stores, now);
        RecordCounts {
            waiting: waiting.len(),
            lapsed,
            ..self.stores.counts(now)
        }
    }

    /// Returns the vectors of records: how many there are, and making more.
    pub fn vectors(&mut self) -> embedding::Vectors<'_> {
        self.config();
        embedding::Vectors::new(&self.project, &mut self.stores, &mut self.meaning)
    }

    /// Returns the state of records and vectors as the last search saw them, which changes whenever some are added; `None` without a
    /// model.
    pub fn vector_state(&self) -> Option<crate::meaning::VectorState> {
        embedding::seen_state(&self.stores, &self.meaning)
    }

    /// Lists the newest records, and counts all that the options admit.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong, `UNSAFE_PATH` when the path of a journal is not a regular file.
    pub fn list(&mut self, options: &recall::RecallOptions) -> Result<(Vec<recall::RecallHit>, usize)> {
        recall::list(&mut self.stores, options, self.project.now())
    }

    /// Returns a stamp of the raw log. Taken before a search, it later shows the captures since.
    ///
    /// # Errors
    /// `IO` when the raw log exists but its state cannot be read.
    pub fn search_stamp(&mut self) -> Result<String> {
        search_cache::search_stamp(&mut self.stores.captures.journal)
    }

    /// Returns the entry of an earlier search with this key and `place`, if it may still be used.
    ///
    /// # Errors
    /// `IO` when a file exists but cannot be read.
    pub fn cached_search(&mut self, key: &str, place: &str, within: Restriction<'_>) -> Result<Option<Value>> {
        search_cache::cached_search(&self.project, &mut self.stores.captures.journal, key, place, within)
    }

    /// Caches the answer of a search, unless it is too large.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a field is missing, otherwise as [`crate::journal::Journal::append`].
    pub fn keep_search(&mut self, entry: &Value, place: &str, stamp: &str) -> Result<()> {
        search_cache::keep_search(&mut self.project, entry, place, stamp)
    }

    /// Appends events and returns the sequence number of the last one. A `run-started` event is followed by a `memory-preload`.
    ///
    /// # Errors
    /// `INVALID_INPUT` when one is not an event object or too large, otherwise as [`crate::journal::Journal::append`].
    pub fn publish(&mut self, events: &[String]) -> Result<u64> {
        self.config();
        self.destinations
            .events
            .publish(&mut self.project, events, preload::preload_event)
    }

    /// Follows the project's events from `start` on; see [`crate::observe::events::EventLog::follow`].
    ///
    /// # Errors
    /// `IO` when a file exists but cannot be read.
    pub fn follow_events(
        &self,
        start: events::Start,
        filter: &events::EventFilter,
        until: Option<events::Position>,
        is_live: bool,
    ) -> Result<events::EventTail> {
        let events = &self.destinations.events;
        events.follow(&self.project.marks, start, filter, until, is_live)
    }

    /// Returns the status of the outbox.
    pub fn queue_status(&mut self) -> report::QueueStatus {
        report::queue_status(&mut self.counts.tallies, &self.project)
    }

    /// Counts the records of the queue and the dead letters that this machine did not write.
    ///
    /// # Errors
    /// `IO` when a file exists but cannot be read.
    pub fn foreign_records(&self) -> Result<Foreign> {
        outbox::foreign_records(&self.project.layout, &self.project.marks)
    }

    /// Marks the records that this machine did not write as its own, on the order of the user. Returns their counts.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the files cannot be rewritten or the machine's key cannot be read.
    pub fn trust_foreign_records(&mut self) -> Result<Foreign> {
        outbox::trust_foreign_records(&self.project.layout, &self.project.marks)
    }

    /// Lists the dead letters, oldest first.
    ///
    /// # Errors
    /// `IO` when the file exists but cannot be read, `IO` or `CORRUPT` when the machine's key cannot.
    pub fn dead_letters(&mut self) -> Result<Vec<DeadLetter>> {
        DeadLetters::of(&self.project.layout, &self.project.marks)?.list(&self.project.name())
    }

    /// Queues all records of the raw log from `since` on again, for a store that is new, was emptied or was replaced.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the raw log or the machine's key cannot be read, or the queue cannot be written.
    pub fn queue_again(&mut self, since: Option<Millis>) -> Result<QueuedAgain> {
        outbox::queue_again(&self.project, self.destinations.queue.journal(), since)
    }

    /// Queues the lines of this machine again, for a store that went back to an earlier state.
    ///
    /// # Errors
    /// As [`Memory::queue_again`].
    pub fn queue_own_again(&mut self) -> Result<QueuedAgain> {
        outbox::queue_own_again(&self.project, self.destinations.queue.journal())
    }

    /// Counts the lines that [`Memory::queue_again`] would queue.
    ///
    /// # Errors
    /// `IO` when the raw log or the machine's key cannot be read.
    pub fn count_again(&mut self, since: Option<Millis>) -> Result<QueuedAgain> {
        outbox::count_again(&self.project, since)
    }

    /// Puts dead letters back into the queue: these, by id or key, or all.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the files cannot be read or written; as [`Memory::dead_letters`].
    pub fn retry_dead_letters(&mut self, wanted: Option<&[String]>) -> Result<Retried> {
        let (queue, now) = (self.destinations.queue.journal(), self.project.now());
        DeadLetters::of(&self.project.layout, &self.project.marks)?.retry(wanted, queue, now)
    }

    /// Deletes dead letters, by id or key.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the file cannot be written; as [`Memory::dead_letters`].
    pub fn drop_dead_letters(&mut self, wanted: &[String]) -> Result<Dropped> {
        DeadLetters::of(&self.project.layout, &self.project.marks)?.drop(wanted)
    }

    /// Returns the inventory of the memory.
    pub fn report(&mut self) -> report::MemoryReport {
        report::MemoryReport {
            counts: self.record_counts(),
            ..report::report(&mut self.counts.tallies, &self.project)
        }
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
    pub fn series(&mut self, asked: &report::SeriesOptions) -> Result<report::Series> {
        let (layout, now) = (&self.project.layout, self.project.now());
        let since = asked.since.as_deref().unwrap_or("30d");
        self.counts.samples.since(layout, asked.by, asked.bucket, since, now)
    }

    /// Moves the counts out, with the disk and path of the raw log, so that they can be updated without the memory.
    pub fn take_coverage(&mut self) -> (report::Coverage, Arc<dyn Disk>, PathBuf) {
        let (coverage, layout) = (std::mem::take(&mut self.counts.coverage), &self.project.layout);
        (coverage, Arc::clone(layout.disk()), layout.path_of(CAPTURES_FILE))
    }

    /// Puts the counts back.
    pub fn keep_coverage(&mut self, coverage: report::Coverage) {
        self.counts.coverage = coverage;
    }

    /// Returns the configuration and the size of the memory.
    pub fn status(&mut self) -> report::ProjectStatus {
        self.config();
        let unmigrated = migrate::unmigrated_files(&self.project.layout);
        report::ProjectStatus {
            counts: self.record_counts(),
            vectors: self.vectors().coverage(),
            ..report::status(&self.project, &mut self.stores, &mut self.counts.tallies, unmigrated)
        }
    }

    /// Checks everything that can be wrong with a memory.
    pub fn diagnose(&mut self) -> Vec<report::Finding> {
        self.config();
        let known = report::KnownFindings {
            counts: self.record_counts(),
            merges: heal::find_leftovers(&self.project.layout),
            unmigrated: migrate::unmigrated_files(&self.project.layout),
        };
        report::Doctor::new(&self.project, &mut self.stores, &mut self.counts.tallies).diagnose(known)
    }

    /// Resolves conflict markers and edits of forgotten records that merges left in the committed files. Records in conflict stay.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the current file is unchanged then.
    pub fn heal(&mut self) -> Result<heal::HealReport> {
        heal::heal(&self.project.layout, self.project.now())
    }

    /// Brings back the captures of linked work trees of this repository that were removed since. Returns their number.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the rest stays for the next call.
    pub fn restore_removed(&mut self) -> Result<usize> {
        restore::restore_removed(&self.project)
    }

    /// Measures the rot of this project's memory: duplicates, secrets, records that are never recalled. Writes nothing.
    ///
    /// # Errors
    /// `IO` when a file exists but cannot be read.
    pub fn audit(&mut self) -> Result<audit::AuditReport> {
        self.config();
        audit::audit(&self.project, &self.progress)
    }

    /// Redacts the secrets in everything that is stored. No backup is made, since it would contain them.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the current file is unchanged then, and the next run continues.
    pub fn redact_stored(&mut self) -> Result<audit::RedactionReport> {
        audit::redact_stored(&self.project)
    }

    /// Checks every record against its hallmark.
    ///
    /// # Errors
    /// `IO` when a file exists but cannot be read.
    pub fn verify(&mut self) -> Result<verify::Verification> {
        verify::verify(&self.project.layout, &self.progress)
    }

    /// Removes the lines that no answer needs.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the current file is unchanged then, and the next run continues.
    pub fn compact(&mut self, dry_run: bool) -> Result<compact::CompactionReport> {
        compact::compact(&self.project, dry_run, &self.progress)
    }

    /// Rebuilds the type files, the queue and the index from the raw log.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; earlier repairs stay, and another run continues.
    pub fn repair(&mut self) -> Result<repair::RepairReport> {
        repair::repair(&self.project, &mut self.stores, &self.progress)
    }

    /// Migrates every record under `.forge/` to the latest version.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the current file is unchanged then, and the next run continues.
    pub fn migrate(&mut self, dry_run: bool) -> Result<migrate::MigrationReport> {
        migrate::migrate(&self.project, &self.progress, dry_run)
    }

    /// Exports the records of this project.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the file may not be written, `IO`.
    pub fn export(&mut self, options: &transfer::ExportOptions) -> Result<transfer::Exported> {
        self.config();
        transfer::export(&self.project, options, &self.progress)
    }

    /// Imports a file or a folder of another store.
    ///
    /// # Errors
    /// `CORRUPT` when the source is damaged, `UNSUPPORTED` when its format is unknown, `IO`, `LOCKED`; another run goes on.
    pub fn import(&mut self, path: &Path, options: &transfer::ImportOptions) -> Result<transfer::ImportReport> {
        self.begin_writing()?;
        let importer = transfer::Importer::new(&mut self.project, &mut self.stores, &mut self.destinations);
        importer.import(path, options, &self.progress)
    }

    /// Imports records, and the rulings on them, as lines of a shared store.
    ///
    /// # Errors
    /// As [`Memory::import`].
    pub fn import_shared(&mut self, lines: &str, options: &transfer::ImportOptions) -> Result<transfer::ImportReport> {
        self.begin_writing()?;
        let importer = transfer::Importer::new(&mut self.project, &mut self.stores, &mut self.destinations);
        importer.import_shared(lines, options, &self.progress)
    }

    /// Returns the index work that accumulated since the last call, to be run on another thread.
    pub fn take_jobs(&mut self) -> Vec<background::Job> {
        background::take_jobs(&self.project, &mut self.stores)
    }

    /// Adopts the segments that jobs have written.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read.
    pub fn adopt(&mut self) -> Result<()> {
        self.stores.adopt()
    }

    /// Runs the pending index work on this thread, for a short-lived process.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read or a segment not be written.
    pub fn settle(&mut self) -> Result<()> {
        background::settle(&self.project, &mut self.stores)
    }

    /// Returns the search queries for a plan in this project. `name` defaults to the project's name.
    ///
    /// # Errors
    /// `INVALID_INPUT` when `hints_max` is not a whole number from 1 to 64.
    pub fn boot_context(&mut self, plan: &Plan, name: Option<&str>, hints_max: Option<f64>) -> Result<BootContext> {
        self.config();
        preload::boot_context_of(&self.project, plan, name, hints_max)
    }

    /// Returns the project's keyword map.
    pub fn keyword_map(&mut self) -> &KeywordMap {
        &self.config().keywords
    }

    /// True if the memory has, or had, a record with this id.
    pub fn has_record(&mut self, id: &str) -> bool {
        unknown::has_record(&mut self.stores, id)
    }

    /// Removes the records of another memory that this one has, or had, by id or text, and those that do not hold here.
    pub fn retain_unknown(&mut self, hits: &mut Vec<recall::RecallHit>) {
        unknown::retain_unknown(&mut self.stores, self.project.names(), hits);
    }

    /// Writes hints out to the files of agents.
    ///
    /// # Errors
    /// `INVALID_INPUT` for wrong options or a file that may not be written, `CORRUPT` when its marked part has no end, `IO`.
    pub fn sync(&mut self, options: &sync::SyncOptions) -> Result<Vec<sync::SyncedFile>> {
        sync::sync(&self.project, &mut self.stores, options)
    }
}
