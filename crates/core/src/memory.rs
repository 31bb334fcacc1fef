//! An open memory: the facade over the engine. It opens the parts and hands each what it needs; what is done stands in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::agent::ports::{self, Duty, ServerPorts};
use crate::agent::preload::{self, BootContext, Plan};
use crate::agent::sync::{self, SyncOptions, SyncedFile};
use crate::clock::Millis;
use crate::engine::capture::Recorder;
use crate::engine::edit::Editor;
use crate::engine::history::{History, find_history};
use crate::engine::outcome::{CaptureOutcome, Tiers};
use crate::engine::outlets::Outlets;
use crate::engine::recall::{self, RecallHit, RecallOptions, RecallOutcome, RecallText};
use crate::engine::save::{self, SaveOutcome};
use crate::engine::search_cache::{self, Restriction};
use crate::error::Result;
use crate::index::Stores;
use crate::journal::Disk;
use crate::model::input::{CaptureInput, EditInput, SaveInput};
use crate::model::scope::ScopeFilter;
use crate::model::thought::Thought;
use crate::observe::events::{EventTail, Position, Start, Wants};
use crate::observe::report::{
    self, Bucket, By, Coverage, Doctor, DrainPass, Finding, MemoryReport, ProjectStatus, QueueStatus, Samples, Series,
    Tallies,
};
use crate::observe::telemetry::CaptureTotals;
use crate::outbox::{self, DeadLetter, DeadLetters, Dropped, Foreign, QueuedAgain, Retried};
use crate::project::Project;
use crate::project::config::Config;
use crate::project::environment::Environment;
use crate::project::keywords::KeywordMap;
use crate::project::layout::CAPTURES_FILE;
use crate::upkeep::audit::{self, AuditReport, RedactionReport};
use crate::upkeep::background::{self, Job};
use crate::upkeep::compact::{self, CompactionReport};
use crate::upkeep::heal::{self, HealReport};
use crate::upkeep::migrate::{self, MigrationReport, Unsearched, unmigrated_files};
use crate::upkeep::progress::Progress;
use crate::upkeep::repair::{self, RepairReport};
use crate::upkeep::transfer::{self, ExportOptions, Exported, ImportOptions, ImportReport, Importer};
use crate::upkeep::verify::{self, Verification};

/// One project's memory and the user's own.
#[derive(Debug)]
pub struct Memory {
    project: Project,
    stores: Stores,
    outlets: Outlets,
    tallies: Tallies,
    samples: Samples,
    coverage: Coverage,
    unsearched: Unsearched,
    /// How far long work has come.
    pub progress: Arc<Progress>,
}

impl Memory {
    /// Opens the memory of a project. Nothing is created, and nothing but the settings is read, before the first use.
    pub fn open(environment: Environment) -> Self {
        let project = Project::open(environment);
        Memory {
            stores: Stores::open(&project),
            outlets: Outlets::open(&project),
            tallies: Tallies::default(),
            samples: Samples::default(),
            coverage: Coverage::default(),
            unsearched: Unsearched::default(),
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

    /// Captures a thought. A failing tier never stops the next one and is told in the outcome.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong; nothing is written then.
    pub fn capture(&mut self, input: CaptureInput) -> Result<CaptureOutcome> {
        self.config();
        let mut recorder = Recorder {
            project: &mut self.project,
            captures: &mut self.stores.captures,
            outlets: &mut self.outlets,
        };
        recorder.capture(input)
    }

    /// Saves a pattern, unless the scope has one with the same category and the same folded text.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong, `LOCKED` or `IO` when it cannot be stored; nothing is written then.
    pub fn save(&mut self, input: SaveInput) -> Result<SaveOutcome> {
        self.config();
        save::save(&mut self.project, &mut self.stores, input)
    }

    /// Stores a new revision of a record. A pattern comes back in the shape of a thought.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such record or it is forgotten, `INVALID_INPUT` when a change is wrong, `LOCKED`
    /// or `IO` when the revision cannot be stored, `UNSUPPORTED` for a record in a file that is only read.
    pub fn edit(&mut self, id: &str, changes: EditInput) -> Result<Thought> {
        self.edit_in_tiers(id, changes).map(|(thought, _)| thought)
    }

    /// Does the same, and tells how each tier fared: the revision is stored, but a file that can be made again from the
    /// raw log, the queue or the event may have failed.
    ///
    /// # Errors
    /// As [`Memory::edit`].
    pub fn edit_in_tiers(&mut self, id: &str, changes: EditInput) -> Result<(Thought, Tiers)> {
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

    fn editor(&mut self) -> Editor<'_> {
        Editor {
            project: &mut self.project,
            stores: &mut self.stores,
            outlets: &mut self.outlets,
        }
    }

    /// Reads the past of a record. `id` may be a piece of an id, six characters or more, that only one record has at
    /// its beginning or end.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read, `INVALID_INPUT` when several records have that piece.
    pub fn history(&mut self, id: &str) -> Result<Option<History>> {
        let found = find_history(&mut self.stores, id, self.project.now())?;
        Ok(found.map(|(_, history)| history))
    }

    /// Answers a query. A query without an answer, missing files and damaged lines are no errors.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong.
    pub fn recall(&mut self, query: &str, options: &RecallOptions) -> Result<RecallOutcome> {
        let mut outcome = recall::recall(&mut self.stores, query, options, self.project.now())?;
        if let Some(remark) = self.unsearched.remark(&self.project.layout) {
            outcome.add_remark(&remark);
        }
        Ok(outcome)
    }

    /// Answers a query with a text block and the entries in its order.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the scope is none.
    pub fn recall_text(&mut self, query: &str, scope: Option<&str>) -> Result<RecallText> {
        let mut answer = recall::recall_text(&mut self.stores, query, scope, self.project.now())?;
        if let Some(remark) = self.unsearched.remark(&self.project.layout) {
            answer.add_remark(&remark);
        }
        Ok(answer)
    }

    /// Lists the newest records, and counts all that the options admit.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an option is wrong, `UNSAFE_PATH` when something else stands in the place of a journal.
    pub fn list(&mut self, options: &RecallOptions) -> Result<(Vec<RecallHit>, usize)> {
        recall::list(&mut self.stores, options, self.project.now())
    }

    /// Returns where the raw log stands now. Taken before a search, it tells later what was captured since.
    ///
    /// # Errors
    /// `IO` when the raw log is there but cannot be looked at.
    pub fn search_stamp(&mut self) -> Result<String> {
        search_cache::search_stamp(&mut self.stores.captures.journal)
    }

    /// Returns the entry of an earlier search with this key and `place` (what else the answer depends on, as a text), if it
    /// may still be used.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn cached_search(&mut self, key: &str, place: &str, within: Restriction<'_>) -> Result<Option<Value>> {
        search_cache::cached_search(&self.project, &mut self.stores.captures.journal, key, place, within)
    }

    /// Keeps the answer of a search: the fields of [`crate::model::cache_entry::build_cache_entry`], and whatever else belongs to the answer.
    /// Answers that are too large are not kept.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a field is missing, otherwise as [`crate::journal::Journal::append`].
    pub fn keep_search(&mut self, entry: &Value, place: &str, stamp: &str) -> Result<()> {
        search_cache::keep_search(&mut self.project, entry, place, stamp)
    }

    /// Appends events, each a JSON object with a `type`, and returns the number of the last one. Either all are taken
    /// or none. Behind a `run-started` that names its plan comes a `memory-preload`.
    ///
    /// # Errors
    /// `INVALID_INPUT` when one is no such object or too large, otherwise as [`crate::journal::Journal::append`].
    pub fn publish(&mut self, events: &[String]) -> Result<u64> {
        self.config();
        self.outlets
            .events
            .publish(&mut self.project, events, preload::preload_event)
    }

    /// Follows the project's events from `start` on; see [`EventTail::open`]. What a live tail has not read yet is not rotated
    /// away while it and its process live, within the bound that docs/hub.md tells.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn follow_events(
        &self,
        start: Start,
        wants: &Wants,
        until: Option<Position>,
        is_live: bool,
    ) -> Result<EventTail> {
        let events = &self.outlets.events;
        events.follow(&self.project.marks, start, wants, until, is_live)
    }

    /// Tells how the doorway to the shared store stands.
    pub fn queue_status(&mut self) -> QueueStatus {
        report::queue_status(&mut self.tallies, &self.project)
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

    /// Queues once more all that the raw log has, for a store that is new, was emptied or is another one now; with `since`, only
    /// what was captured, confirmed or forgotten from then on.
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
    pub fn report(&mut self) -> MemoryReport {
        report::report(&mut self.tallies, &self.project)
    }

    /// Returns the sums over all captures.
    pub fn capture_totals(&mut self) -> CaptureTotals {
        report::capture_totals(&mut self.tallies, &self.project)
    }

    /// Returns the last drains, oldest first.
    pub fn drains(&self, limit: usize) -> Vec<DrainPass> {
        report::drains(&self.project.layout, limit)
    }

    /// Returns the captures since a moment (ISO 8601, or an age such as `30d`).
    ///
    /// # Errors
    /// `INVALID_INPUT` when the moment is none or too long ago for so short buckets, `IO` when telemetry cannot be read.
    pub fn series(&mut self, by: By, bucket: Bucket, since: &str) -> Result<Series> {
        self.samples
            .since(&self.project.layout, by, bucket, since, self.project.now())
    }

    /// Hands out the counts and the raw log they are of, to be gone on with while nobody waits for the memory.
    pub fn take_coverage(&mut self) -> (Coverage, Arc<dyn Disk>, PathBuf) {
        let (coverage, layout) = (std::mem::take(&mut self.coverage), &self.project.layout);
        (coverage, Arc::clone(layout.disk()), layout.path_of(CAPTURES_FILE))
    }

    /// Takes counts back.
    pub fn keep_coverage(&mut self, coverage: Coverage) {
        self.coverage = coverage;
    }

    /// Tells how the memory is set up and how much there is.
    pub fn status(&mut self) -> ProjectStatus {
        self.config();
        let unmigrated = unmigrated_files(&self.project.layout);
        report::status(&self.project, &mut self.stores, &mut self.tallies, unmigrated)
    }

    /// Looks at everything that can be wrong with a memory.
    pub fn diagnose(&mut self) -> Vec<Finding> {
        self.config();
        let doctor = Doctor {
            unmigrated: unmigrated_files(&self.project.layout),
            memories: self.count_memories(),
            project: &self.project,
            stores: &mut self.stores,
            tallies: &mut self.tallies,
        };
        doctor.diagnose(heal::find_leftovers(&self.project.layout))
    }

    /// Counts what can be recalled: of this project, and for all projects.
    fn count_memories(&mut self) -> (usize, usize) {
        let mut count = |scope| {
            let options = RecallOptions {
                scope,
                limit: Some(1.0),
                ..RecallOptions::default()
            };
            self.list(&options).map_or(0, |(_, total)| total)
        };
        (count(ScopeFilter::Project), count(ScopeFilter::Global))
    }

    /// Heals what merges have left in the files that are committed. Records in conflict stay: which one is right, only
    /// people know.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then.
    pub fn heal(&mut self) -> Result<HealReport> {
        heal::heal(&self.project.layout, self.project.now())
    }

    /// Measures the rot of this project's memory. Reads and nothing else.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn audit(&mut self) -> Result<AuditReport> {
        self.config();
        audit::audit(&self.project, &self.progress)
    }

    /// Takes the secrets out of everything that is stored. The originals are not kept: they are what has to go.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, and the next run goes on.
    pub fn redact_stored(&mut self) -> Result<RedactionReport> {
        audit::redact_stored(&self.project.layout)
    }

    /// Holds every record against its hallmark.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn verify(&mut self) -> Result<Verification> {
        verify::verify(&self.project.layout, &self.progress)
    }

    /// Removes the lines that no answer needs any more.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, and the next run goes on.
    pub fn compact(&mut self, dry_run: bool) -> Result<CompactionReport> {
        compact::compact(&self.project.layout, self.project.now(), dry_run)
    }

    /// Makes the type files, the queue and the index anew from the raw log.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; what was repaired before stays repaired, and another run goes on.
    pub fn repair(&mut self) -> Result<RepairReport> {
        repair::repair(&self.project, &mut self.stores, &self.progress)
    }

    /// Brings every record under `.forge/` to the latest version.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; the file at hand is untouched then, those before it are done, and the next run goes on.
    pub fn migrate(&mut self, dry_run: bool) -> Result<MigrationReport> {
        migrate::migrate(&self.project.layout, &self.progress, self.project.now(), dry_run)
    }

    /// Exports the records of this project.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the path is outside the project, in the memory itself or in git's folder, there already, or
    /// (unless forced) no file of ours; `IO`.
    pub fn export(&mut self, options: &ExportOptions) -> Result<Exported> {
        transfer::export(&self.project, options)
    }

    /// Imports a file or a folder of another store.
    ///
    /// # Errors
    /// `CORRUPT` when the source is damaged or cut off, `UNSUPPORTED` when it is no known store, `IO`, `LOCKED`. All of
    /// it is read before the first record is written; after a failure in between, another run takes in the rest.
    pub fn import(&mut self, path: &Path, options: &ImportOptions) -> Result<ImportReport> {
        self.config();
        let mut importer = Importer {
            project: &mut self.project,
            stores: &mut self.stores,
            outlets: &mut self.outlets,
            progress: &self.progress,
        };
        importer.import(path, options)
    }

    /// Returns index work that has come together since the last call, to be run on another thread.
    pub fn take_jobs(&mut self) -> Vec<Job> {
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
    pub fn boot_context(&mut self, plan: &Plan, name: Option<&str>, hints_max: Option<f64>) -> Result<BootContext> {
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
    pub fn session_notes(&mut self, plan: Option<&str>) -> Result<Vec<RecallHit>> {
        preload::session_notes(&self.project, &mut self.stores, plan)
    }

    /// Returns what is known about a prompt: only what shares at least two of its words, or its only one.
    ///
    /// # Errors
    /// As [`Memory::recall`].
    pub fn prompt_notes(&mut self, prompt: &str) -> Result<Vec<RecallHit>> {
        preload::prompt_notes(&mut self.stores, prompt, self.project.now())
    }

    /// Writes hints out to the files of agents.
    ///
    /// # Errors
    /// `INVALID_INPUT` for wrong options, a file outside of the project and (unless forced) one that is not ours, `CORRUPT` when
    /// the marked part of a file has no end, `IO` when a file cannot be read or written.
    pub fn sync(&mut self, options: &SyncOptions) -> Result<Vec<SyncedFile>> {
        sync::sync(&self.project, &mut self.stores, options)
    }

    /// Takes a duty (`server-ports`, `watcher`, `lattice-keeper`) if nobody has it.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown duty, `IO` when its lock cannot be made.
    pub fn take_duty(&mut self, name: &str) -> Result<Option<Duty>> {
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
    pub fn write_ports(&self, ports: &ServerPorts) -> Result<()> {
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
