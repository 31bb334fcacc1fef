//! The doctor: findings with a severity, a stable code and a hint.

use crate::meaning::Coverage;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

use super::reachable::readable_file;
use super::{DEAD_LETTERS, QUEUE, Tallies, queue_status, report};
use crate::clock::{DAY_MS, Millis, format_iso};
use crate::index::{RecordCounts, Store, Stores};
use crate::journal::{Disk, each_line, read_text};
use crate::model::thought::{LineKind, read_line};
use crate::outbox::{count_missing, missing_records};
use crate::project::Project;
use crate::project::config::{CONFIG_FILE, OWN_FILE};
use crate::project::git::branch;
use crate::project::gitignore::ignored_patterns;
use crate::project::layout::{CAPTURES_FILE, FORGE_FOLDER, PATTERNS_FILE};
use crate::project::names::short_name;

/// How many lines with wrong dates are named.
const DATES_SHOWN: usize = 3;

/// The settings and the size of a project's memory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectStatus {
    /// The project's folder.
    pub project_dir: String,
    /// The configured name, else the identity: `host/owner/name` of the remote, or `local/HASH/name`.
    pub project_name: String,
    /// Former identities that `formerNames` of `.forge.json` lacks.
    pub unwritten_names: Vec<String>,
    /// The last part of an identity, which people are shown where it is unambiguous.
    pub short_name: String,
    /// Names of the project in `.forge.json` that the user has not approved on this machine, as `forge-memory trust` writes them.
    pub unapproved_names: Vec<String>,
    /// The user's own folder.
    pub home: String,
    /// Where the settings would be.
    pub config_path: String,
    /// The problem with the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_problem: Option<String>,
    /// The numbers of records by their state.
    pub counts: RecordCounts,
    /// Records that wait for the shared store.
    pub queued: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Bytes of the journals that are indexed.
    pub indexed_bytes: u64,
    /// Bytes of the journals.
    pub journal_bytes: u64,
    /// Bytes of the persisted index.
    pub index_bytes: u64,
    /// How many records have vectors; absent when the model is not installed or the settings disable it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Coverage>,
    /// `os` or `disk`.
    pub durability: &'static str,
    /// Whether secrets are redacted.
    pub redact: bool,
    /// Earlier names of the project, which records may have.
    pub former_names: Vec<String>,
    /// Files of older tools whose records `migrateMemory` has not moved yet.
    pub unmigrated: Vec<String>,
    /// Why files could not be read, so that their records are not counted.
    pub unreadable: Vec<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// No problem.
    Ok,
    /// Works, but should be fixed.
    Warning,
    /// Does not work.
    Problem,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for this kind of finding.
    pub code: &'static str,
    /// The file or setting.
    pub subject: String,
    /// The message.
    pub message: String,
    /// The hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    pub(crate) fn problem(code: &'static str, subject: &str, message: impl Into<String>, hint: &str) -> Self {
        Finding {
            severity: Severity::Problem,
            hint: Some(hint.to_owned()),
            ..Finding::ok(code, subject, message)
        }
    }

    pub(crate) fn warning(code: &'static str, subject: &str, message: impl Into<String>, hint: &str) -> Self {
        Finding {
            severity: Severity::Warning,
            ..Finding::problem(code, subject, message, hint)
        }
    }

    fn ok(code: &'static str, subject: &str, message: impl Into<String>) -> Self {
        Finding {
            severity: Severity::Ok,
            code,
            subject: subject.to_owned(),
            message: message.into(),
            hint: None,
        }
    }
}

/// Returns the configuration and the size of the memory.
pub(crate) fn status(
    project: &Project,
    stores: &mut Stores,
    tallies: &mut Tallies,
    unmigrated: Vec<String>,
) -> ProjectStatus {
    let unreadable = stores.refresh().iter().map(ToString::to_string).collect();
    let report = report(tallies, project);
    let (layout, config) = (&project.layout, project.config());
    let written = stores.written();
    let size = |store: &&Store| project.disk().stat(store.journal.path()).map_or(0, |state| state.len);
    ProjectStatus {
        project_dir: layout.project_dir().display().to_string(),
        project_name: project.name(),
        short_name: short_name(&project.name()).to_owned(),
        unwritten_names: project.found_names().unwritten.clone(),
        unapproved_names: project.found_names().unapproved.clone(),
        home: layout.home().display().to_string(),
        config_path: layout.settings_file().display().to_string(),
        config_problem: (!config.problems.is_empty()).then(|| config.problems.join("; ")),
        counts: RecordCounts::default(),
        queued: report.queue.pending,
        dead_letters: report.queue.dlq,
        indexed_bytes: written.iter().map(|store| store.journal_index.covered()).sum(),
        journal_bytes: written.iter().map(size).sum(),
        index_bytes: written.iter().map(|store| store.journal_index.index_bytes()).sum(),
        vectors: None,
        durability: match config.settings.durability {
            crate::journal::Durability::Os => "os",
            crate::journal::Durability::Disk => "disk",
        },
        redact: config.settings.redact,
        former_names: project.names().iter().skip(1).cloned().collect(),
        unmigrated,
        unreadable,
    }
}

#[derive(Debug, Default)]
pub(crate) struct KnownFindings {
    /// The numbers of records.
    pub counts: RecordCounts,
    /// Leftovers of merges.
    pub merges: Vec<Finding>,
    /// Files of older tools that have not been migrated.
    pub unmigrated: Vec<String>,
}

pub(crate) struct Doctor<'m> {
    project: &'m Project,
    stores: &'m mut Stores,
    tallies: &'m mut Tallies,
}

impl<'m> Doctor<'m> {
    /// Returns the doctor of a memory.
    pub fn new(project: &'m Project, stores: &'m mut Stores, tallies: &'m mut Tallies) -> Self {
        Doctor {
            project,
            stores,
            tallies,
        }
    }

    /// Checks everything that can be wrong with a memory.
    pub fn diagnose(mut self, known: KnownFindings) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.check_config(&mut findings);
        self.check_redaction(&mut findings);
        self.check_git(&mut findings);
        self.check_files(known.counts, &mut findings);
        check_older_files(&known.unmigrated, &mut findings);
        self.check_dates(&mut findings);
        self.check_index(&mut findings);
        findings.extend(known.merges);
        check_folder(self.project.disk(), self.project.layout.forge(), &mut findings);
        self.check_queue(&mut findings);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings
    }

    fn check_config(&mut self, findings: &mut Vec<Finding>) {
        let problems = self.project.config().problems.clone();
        if problems.is_empty() {
            findings.push(Finding::ok("CONFIG", CONFIG_FILE, "the settings are valid"));
        }
        let own = self.project.layout.home().join(OWN_FILE).display().to_string();
        findings.extend(problems.into_iter().map(|problem| {
            let file = if problem.starts_with(OWN_FILE) {
                own.as_str()
            } else {
                CONFIG_FILE
            };
            let hint = format!("correct the setting in {file}");
            Finding::problem("CONFIG", file, format!("{problem}; it is not used"), &hint)
        }));
    }

    /// A clone could ask for it.
    fn check_redaction(&self, findings: &mut Vec<Finding>) {
        let config = self.project.config();
        let (message, hint) = match (config.asks_to_keep_secrets, config.settings.redact) {
            (false, _) => return,
            (true, false) => (
                "redact is false, and you have approved it: passwords and keys in texts are stored as they are",
                "remove it; forge-memory doctor --redact removes the secrets that are stored already",
            ),
            (true, true) => (
                "asks to store passwords and keys as they are (redact is false), which you have not approved; they are redacted",
                "remove it, or approve it with forge-memory trust",
            ),
        };
        findings.push(Finding::problem("REDACT_OFF", CONFIG_FILE, message, hint));
    }

    /// The name of the project and the branch come from files of git.
    fn check_git(&mut self, findings: &mut Vec<Finding>) {
        let name = self.project.name();
        let unnamed = self.project.name_problem().map(|problem| {
            (
                format!("{problem}; until then records are stored under the name of the folder, {name}"),
                "check the file and its permissions, or set projectName in .forge.json",
            )
        });
        // A former name that is not approved is still one in this folder.
        let taken = self
            .project
            .found_names()
            .unapproved
            .iter()
            .filter(|asked| asked.starts_with("projectName: "));
        for asked in taken {
            let message = format!(
                "{asked} is the name of another project of this machine, or of a repository that this is not; records are stored as {name}"
            );
            findings.push(Finding::warning(
                "NAME_TAKEN",
                CONFIG_FILE,
                message,
                "forge-memory trust approves it, so that the projects share their records in the shared store",
            ));
        }
        let unwritten = &self.project.found_names().unwritten;
        if !unwritten.is_empty() {
            let message = format!(
                "the repository was {} before, which only this machine knows: in other clones, its records are those of another project",
                unwritten.join(" and ")
            );
            findings.push(Finding::warning(
                "FORMER_NAMES",
                CONFIG_FILE,
                message,
                "forge-memory doctor --fix writes it to formerNames",
            ));
        }
        let unread = branch(self.project.disk(), self.project.layout.project_dir()).err();
        let unread = unread.map(|problem| {
            (
                format!("{problem}; until then no notes are given at the start of a session"),
                "check the file and its permissions",
            )
        });
        for (message, hint) in unnamed.into_iter().chain(unread) {
            findings.push(Finding::problem("UNREADABLE", ".git", message, hint));
        }
    }

    /// Records of a type are not written to what is no file. The files of all records are read, and were complained of.
    fn check_kinds(&self, findings: &mut Vec<Finding>) {
        let forge = self.project.layout.forge();
        for entry in self.project.disk().list(forge).unwrap_or_default() {
            let name = entry.name.to_string_lossy();
            if entry.is_file || !name.ends_with(".jsonl") || name == CAPTURES_FILE {
                continue;
            }
            findings.push(Finding::problem(
                "UNSAFE_PATH",
                &format!(".forge/{name}"),
                "is not a regular file: nothing is read from it or written to it",
                "check what is there, and remove it or replace it with a regular file; forge-memory doctor --fix then writes what it lacks",
            ));
        }
    }

    fn check_files(&mut self, counts: RecordCounts, findings: &mut Vec<Finding>) {
        for problem in self.stores.refresh() {
            findings.push(Finding::problem(
                "UNREADABLE",
                ".forge",
                problem.to_string(),
                "check the file and its permissions; nothing in it was changed",
            ));
        }
        self.check_kinds(findings);
        let report = report(self.tallies, self.project);
        for file in report.files.iter().filter(|file| file.unparsable > 0) {
            findings.push(Finding::warning(
                "UNPARSABLE_LINES",
                file.name,
                format!(
                    "{} of {} lines are not JSON objects; they stay in the file and are skipped",
                    file.unparsable,
                    file.records + file.unparsable
                ),
                "forge-memory doctor --fix sets them aside; they can be corrected in .forge/quarantine",
            ));
        }
        if !report.orphans.is_empty() {
            findings.push(Finding::warning(
                "ORPHANS",
                ".forge",
                format!(
                    "files that do not belong to any known tool: {}",
                    report.orphans.join(", ")
                ),
                // They may belong to the user, and may be committed.
                "forge-memory neither reads nor changes them; keep your own files outside of .forge",
            ));
        }
        let lines: u64 = report.files.iter().map(|file| file.records).sum();
        let files = report.files.iter().filter(|file| file.exists).count();
        let RecordCounts {
            memories,
            global,
            waiting,
            ..
        } = counts;
        let noun = if memories == 1 { "memory" } else { "memories" };
        let review = if waiting == 0 {
            String::new()
        } else {
            format!("; {waiting} waiting for review")
        };
        // A record may have lines in several files, and some lines say that one is forgotten.
        findings.push(Finding::ok(
            "FILES",
            ".forge",
            format!("{memories} {noun}, {global} of them for all projects{review}; {lines} lines in {files} files"),
        ));
    }

    fn check_index(&mut self, findings: &mut Vec<Finding>) {
        for store in self.stores.written() {
            for path in store
                .journal_index
                .catalog()
                .map(|catalog| catalog.find_damage())
                .unwrap_or_default()
            {
                findings.push(Finding::warning(
                    "INDEX_DAMAGED",
                    &path.display().to_string(),
                    "the index segment is damaged: its bytes do not match its checksum",
                    "forge-memory doctor --fix rebuilds the index from the journal",
                ));
            }
        }
    }

    fn check_queue(&mut self, findings: &mut Vec<Finding>) {
        let status = queue_status(self.tallies, self.project);
        if let Some(pause) = &status.paused {
            findings.push(Finding::problem(
                "DRAIN_PAUSED",
                QUEUE,
                format!("delivery has been paused since {}: {}", pause.since, pause.reason),
                "correct the setting, then run forge-memory drain; the queue keeps every record until then",
            ));
        } else if let Some(error) = status.last_error.as_ref().filter(|_| status.deferred > 0) {
            let next = status.back_off_until.as_ref().map(|at| format!(" until {at}"));
            findings.push(Finding::warning(
                "DRAIN_DEFERRED",
                QUEUE,
                format!(
                    "{} of {} records are waiting for another attempt{}; the last failure was at {}: {}",
                    status.deferred,
                    status.queued,
                    next.unwrap_or_default(),
                    error.at,
                    error.message
                ),
                "check that the shared store is running; forge-memory drain retries immediately",
            ));
        }
        if status.dead_letters > 0 {
            findings.push(Finding::warning(
                "DEAD_LETTERS",
                DEAD_LETTERS,
                format!(
                    "{} records could not be delivered to the shared store",
                    status.dead_letters
                ),
                "forge-memory dlq list shows why; dlq retry sends them again, dlq drop deletes them",
            ));
        }
        // A file that cannot be read is a finding of its own.
        let missing = count_missing(self.project).unwrap_or(0);
        if missing > 0 {
            let message = format!(
                "{missing} records that this machine captured are not in the queue: it could not take them, or its files were deleted"
            );
            findings.push(Finding::warning(
                "NOT_QUEUED",
                QUEUE,
                message,
                "forge-memory drain queues them again and delivers them",
            ));
        }
        self.check_missing(findings);
        if status.foreign > 0 {
            let message = format!(
                "{} records were not written by this machine and are set aside: they came with a clone, from another tool or \
                     version, or the folder was moved",
                status.foreign
            );
            findings.push(Finding::warning(
                "QUEUE_FOREIGN",
                QUEUE,
                message,
                "forge-memory drain --trust shows them first and then delivers them",
            ));
        }
        findings.push(Finding::ok(
            "QUEUE",
            QUEUE,
            match status.trend.passes {
                0 => format!("{} waiting for the shared store; none delivered yet", status.queued),
                passes => format!(
                    "{} waiting for the shared store; {} delivered in the last {passes} {}",
                    status.queued,
                    status.trend.total_delivered,
                    if passes == 1 { "drain" } else { "drains" }
                ),
            },
        ));
    }

    /// Such lines date no others, but they stay at the top of every list until then.
    fn check_dates(&self, findings: &mut Vec<Finding>) {
        let latest = self.project.now().saturating_add(DAY_MS);
        for file in [CAPTURES_FILE, PATTERNS_FILE] {
            // A file that cannot be read is a finding of its own.
            let bytes = self.project.layout.read(file).unwrap_or_default();
            let mut ahead = each_line(&bytes)
                .filter_map(|(_, line)| dated(line))
                .filter(|(_, at)| *at > latest)
                .map(|(id, at)| format!("{id} {}", format_iso(at)));
            let named: Vec<String> = ahead.by_ref().take(DATES_SHOWN).collect();
            if named.is_empty() {
                continue;
            }
            findings.push(Finding::warning(
                "DATED_AHEAD",
                file,
                format!(
                    "dated more than a day ahead of the clock of this machine: {}{}",
                    named.join(", "),
                    match ahead.count() {
                        0 => String::new(),
                        more => format!(", and {more} more"),
                    }
                ),
                "if the clock is right, the dates are wrong: forge-memory forget removes such a record; what is added is dated by the clock",
            ));
        }
    }

    /// A branch is no loss: git has the records, and shows them with it.
    fn check_missing(&self, findings: &mut Vec<Finding>) {
        // A file that cannot be read is a finding of its own.
        let missing = missing_records(self.project).unwrap_or_default();
        if !missing.lost.is_empty() {
            let message = format!(
                "{} records that were stored here are not in the memory any more, as after git stash, checkout or clean",
                missing.lost.len()
            );
            findings.push(Finding::problem(
                "LOST_RECORDS",
                FORGE_FOLDER,
                message,
                "forge-memory doctor --fix brings them back",
            ));
        }
        if missing.elsewhere > 0 {
            findings.push(Finding::ok(
                "OTHER_BRANCH",
                FORGE_FOLDER,
                format!(
                    "on another branch, in a tag or in a stash, and back with it: {} of the records that were stored here",
                    missing.elsewhere
                ),
            ));
        }
    }
}

/// Returns the record that a line is about, and when it was written.
fn dated(line: &[u8]) -> Option<(String, Millis)> {
    match read_line(line) {
        LineKind::Record(fields) => Some((fields.id.into_owned(), fields.at_ms)),
        LineKind::Action(action) => Some((action.id.into_owned(), action.at_ms)),
        LineKind::Ruling(ruling) => Some((ruling.id, ruling.at_ms)),
        LineKind::Other | LineKind::Unparsable => None,
    }
}

fn check_older_files(files: &[String], findings: &mut Vec<Finding>) {
    if files.is_empty() {
        return;
    }
    findings.push(Finding::warning(
        "UNMIGRATED",
        ".forge",
        format!(
            "records of an older tool are not read from these files: {}",
            files.join(", ")
        ),
        "forge-memory migrate-memory imports them; --dry-run only shows what it would do",
    ));
}

fn check_folder(disk: &dyn Disk, forge: &Path, findings: &mut Vec<Finding>) {
    if disk.list(forge).is_err() {
        findings.push(Finding::warning(
            "NO_MEMORY",
            &forge.display().to_string(),
            "the project has no memory yet",
            "capture a first lesson: forge-memory add -t lesson \"what was learned\"",
        ));
        return;
    }
    let ignored = read_text(disk, &forge.join(".gitignore")).unwrap_or_default();
    let missing: Vec<&str> = ignored_patterns()
        .filter(|pattern| !ignored.lines().any(|line| line == *pattern))
        .collect();
    if !missing.is_empty() {
        findings.push(Finding::warning(
            "GIT_IGNORE",
            ".forge/.gitignore",
            format!(
                "git does not ignore files that are not meant to be committed: {}",
                missing.join(" ")
            ),
            "add these lines to .forge/.gitignore",
        ));
    }
    if let Some(name) = readable_file(disk, forge) {
        findings.push(Finding::warning(
            "OPEN_FOLDER",
            &forge.display().to_string(),
            format!("other users of this machine can read files in it, for example {name}"),
            &format!("chmod 700 {}", forge.display()),
        ));
    }
}
