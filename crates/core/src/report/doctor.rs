//! What is in order, what is not, and what to do about it.

use std::fs;
use std::path::Path;

use super::{DEAD_LETTERS, QUEUE};
use crate::journal::{Disk, read_text};
use crate::memory::{Memory, Store, ignored_patterns};

/// How a project's memory is set up.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectStatus {
    /// The project's folder.
    pub project_dir: String,
    /// Its name.
    pub project_name: String,
    /// The user's own folder.
    pub home: String,
    /// Where the settings would be.
    pub config_path: String,
    /// What is wrong with them.
    pub config_problem: Option<String>,
    /// Captures that are indexed.
    pub memories: u64,
    /// Patterns of the project.
    pub patterns: u64,
    /// Patterns for all projects.
    pub global_patterns: u64,
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
    /// `os` or `disk`.
    pub durability: &'static str,
    /// Whether secrets are taken out.
    pub redact: bool,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// In order.
    Ok,
    /// Works, but should be seen to.
    Warning,
    /// Does not work.
    Problem,
}

impl Severity {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Ok => "ok",
            Severity::Warning => "warning",
            Severity::Problem => "problem",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for this kind of finding.
    pub code: &'static str,
    /// The file or setting.
    pub subject: String,
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Memory {
    /// Tells how the memory is set up and how much there is.
    pub fn status(&mut self) -> ProjectStatus {
        self.config();
        self.refresh_stores();
        let report = self.report();
        let docs = |store: &Store| {
            store
                .shelf
                .parts()
                .iter()
                .map(|part| u64::from(part.docs()))
                .sum::<u64>()
        };
        let stores = [&self.captures, &self.project_patterns, &self.global_patterns];
        let size = |store: &&Store| {
            self.surroundings
                .disk
                .stat(store.journal.path())
                .map_or(0, |state| state.len)
        };
        ProjectStatus {
            project_dir: self.surroundings.project_dir.display().to_string(),
            project_name: self.project_name(),
            home: self.surroundings.home.display().to_string(),
            config_path: self
                .surroundings
                .project_dir
                .join(crate::config::CONFIG_FILE)
                .display()
                .to_string(),
            config_problem: (!self.config.problems.is_empty()).then(|| self.config.problems.join("; ")),
            memories: docs(&self.captures),
            patterns: docs(&self.project_patterns) + docs(&self.legacy_patterns),
            global_patterns: docs(&self.global_patterns),
            queued: report.queue.pending,
            dead_letters: report.queue.dlq,
            indexed_bytes: stores.iter().map(|store| store.shelf.covered()).sum(),
            journal_bytes: stores.iter().map(size).sum(),
            index_bytes: stores.iter().map(|store| store.shelf.index_bytes()).sum(),
            durability: match self.config.durability {
                crate::journal::Durability::Os => "os",
                crate::journal::Durability::Disk => "disk",
            },
            redact: self.config.redact,
        }
    }

    /// Looks at everything that can be wrong with a memory.
    pub fn diagnose(&mut self) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.look_at_config(&mut findings);
        self.look_at_files(&mut findings);
        self.look_at_index(&mut findings);
        self.look_at_merges(&mut findings);
        look_at_folder(self.surroundings.disk.as_ref(), &self.forge_dir(), &mut findings);
        self.look_at_queue(&mut findings);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings
    }

    fn look_at_config(&mut self, findings: &mut Vec<Finding>) {
        let problems = self.config().problems.clone();
        if problems.is_empty() {
            findings.push(ok("CONFIG", ".forge.json", "the settings are in order"));
        }
        findings.extend(problems.into_iter().map(|problem| Finding {
            severity: Severity::Problem,
            code: "CONFIG",
            subject: ".forge.json".into(),
            message: format!("{problem}; the default is used"),
            hint: Some("mend the setting in .forge.json".into()),
        }));
    }

    fn look_at_files(&mut self, findings: &mut Vec<Finding>) {
        for problem in self.refresh_stores() {
            findings.push(Finding {
                severity: Severity::Problem,
                code: "UNREADABLE",
                subject: ".forge".into(),
                message: problem,
                hint: Some("look at the file and its permissions; nothing in it was changed".into()),
            });
        }
        let report = self.report();
        for file in report.files.iter().filter(|file| file.unparsable > 0) {
            findings.push(Finding {
                severity: Severity::Warning,
                code: "UNPARSABLE_LINES",
                subject: file.name.into(),
                message: format!(
                    "{} of {} lines are no JSON objects; they are kept and passed over",
                    file.unparsable,
                    file.records + file.unparsable
                ),
                hint: Some("open the file and mend or remove the lines".into()),
            });
        }
        if !report.orphans.is_empty() {
            findings.push(Finding {
                severity: Severity::Warning,
                code: "ORPHANS",
                subject: ".forge".into(),
                message: format!("files that belong to no known tool: {}", report.orphans.join(", ")),
                hint: Some("remove them if nobody needs them".into()),
            });
        }
        let records: u64 = report.files.iter().map(|file| file.records).sum();
        findings.push(ok(
            "FILES",
            ".forge",
            &format!(
                "{records} records in {} files",
                report.files.iter().filter(|f| f.exists).count()
            ),
        ));
    }

    fn look_at_index(&mut self, findings: &mut Vec<Finding>) {
        for store in [&self.captures, &self.project_patterns, &self.global_patterns] {
            for path in store
                .shelf
                .catalog()
                .map(|catalog| catalog.find_damage())
                .unwrap_or_default()
            {
                findings.push(Finding {
                    severity: Severity::Warning,
                    code: "INDEX_DAMAGED",
                    subject: path.display().to_string(),
                    message: "the index segment is not what was written".into(),
                    hint: Some("delete the index folder: it is made again from the journal".into()),
                });
            }
        }
    }

    fn look_at_queue(&mut self, findings: &mut Vec<Finding>) {
        let status = self.queue_status();
        if let Some(pause) = &status.paused {
            findings.push(Finding {
                severity: Severity::Problem,
                code: "DRAIN_PAUSED",
                subject: QUEUE.into(),
                message: format!("nothing is delivered since {}: {}", pause.since, pause.reason),
                hint: Some("mend the setting, then run forge-memory drain; nothing is lost meanwhile".into()),
            });
        } else if let Some(error) = status.last_error.as_ref().filter(|_| status.deferred > 0) {
            let next = status
                .back_off_until
                .as_ref()
                .map(|at| format!(", the next attempt is at {at}"));
            findings.push(Finding {
                severity: Severity::Warning,
                code: "DRAIN_DEFERRED",
                subject: QUEUE.into(),
                message: format!(
                    "{} of {} records wait for another attempt{}; the last failure, at {}: {}",
                    status.deferred,
                    status.queued,
                    next.unwrap_or_default(),
                    error.at,
                    error.message
                ),
                hint: Some("see that the shared store is up; forge-memory drain tries at once".into()),
            });
        }
        if status.dead_letters > 0 {
            findings.push(Finding {
                severity: Severity::Warning,
                code: "DEAD_LETTERS",
                subject: DEAD_LETTERS.into(),
                message: format!(
                    "{} records could not be delivered to the shared store",
                    status.dead_letters
                ),
                hint: Some("forge-memory dlq list tells why; dlq retry sends them again, dlq drop deletes them".into()),
            });
        }
        if status.foreign > 0 {
            findings.push(Finding {
                severity: Severity::Warning,
                code: "QUEUE_FOREIGN",
                subject: QUEUE.into(),
                message: format!(
                    "{} records were not written here by this machine and are set aside: they came with a clone, from another tool \
                     or release, or the folder was moved",
                    status.foreign
                ),
                hint: Some("forge-memory drain --trust delivers them; it tells first what they are".into()),
            });
        }
        findings.push(ok(
            "QUEUE",
            QUEUE,
            &format!(
                "{} waiting for the shared store; {} delivered in the last {} drains",
                status.queued, status.trend.total_delivered, status.trend.passes
            ),
        ));
    }
}

fn look_at_folder(disk: &dyn Disk, forge: &Path, findings: &mut Vec<Finding>) {
    if disk.list(forge).is_err() {
        findings.push(Finding {
            severity: Severity::Warning,
            code: "NO_MEMORY",
            subject: forge.display().to_string(),
            message: "the project has no memory yet".into(),
            hint: Some("capture something: forge-memory capture --type lesson \"what was learned\"".into()),
        });
        return;
    }
    let ignored = read_text(disk, &forge.join(".gitignore")).unwrap_or_default();
    let missing: Vec<&str> = ignored_patterns()
        .filter(|pattern| !ignored.lines().any(|line| line == *pattern))
        .collect();
    if !missing.is_empty() {
        findings.push(Finding {
            severity: Severity::Warning,
            code: "GIT_IGNORE",
            subject: ".forge/.gitignore".into(),
            message: format!("git would see what is not meant to be committed: {}", missing.join(" ")),
            hint: Some("add these lines to .forge/.gitignore".into()),
        });
    }
    #[cfg(unix)]
    if let Ok(meta) = fs::metadata(forge)
        && std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o077 != 0
    {
        findings.push(Finding {
            severity: Severity::Warning,
            code: "OPEN_FOLDER",
            subject: forge.display().to_string(),
            message: "others on this machine can look into the folder".into(),
            hint: Some(format!("chmod 700 {}", forge.display())),
        });
    }
}

fn ok(code: &'static str, subject: &str, message: &str) -> Finding {
    Finding {
        severity: Severity::Ok,
        code,
        subject: subject.into(),
        message: message.into(),
        hint: None,
    }
}
