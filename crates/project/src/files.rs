//! The names of the files of a memory.

/// The folder of a project's memory.
pub const FORGE_FOLDER: &str = ".forge";
/// The raw log of captures, the source of truth.
pub const CAPTURES_FILE: &str = "memory-captures.jsonl";
/// The project's patterns.
pub const PATTERNS_FILE: &str = "memory/project.jsonl";
/// The user's patterns, for all projects. Within a project, it is the file that Plan Forge calls global.
pub const GLOBAL_PATTERNS_FILE: &str = "memory/global.jsonl";

/// The beginning of the names of the queue's files, which other programs know.
pub(crate) const QUEUE_PREFIX: &str = "openbrain-";
/// The queue.
pub const QUEUE_FILE: &str = "openbrain-queue.jsonl";
/// Records that are being accepted; empty but for the moment of a review.
pub const ACCEPTING_FILE: &str = "openbrain-accepting.jsonl";
/// The archive of delivered records.
pub const ARCHIVE_FILE: &str = "openbrain-queue.archive.jsonl";
/// The archive before it.
pub const PREVIOUS_ARCHIVE_FILE: &str = "openbrain-queue.archive.1.jsonl";
/// The dead letters.
pub const DEAD_LETTER_FILE: &str = "openbrain-dlq.jsonl";
/// The statistics of the passes.
pub const STATS_FILE: &str = "openbrain-stats.jsonl";
/// The statistics before them.
pub const PREVIOUS_STATS_FILE: &str = "openbrain-stats.1.jsonl";
/// The settlement log: the state of records that are still in the queue.
pub const SETTLED_FILE: &str = "openbrain-settled.jsonl";
/// The beginning of the names of receipts of another program.
pub const RECEIPT_PREFIX: &str = "openbrain-replay-";
/// The lock of a delivery.
pub const DRAIN_LOCK: &str = "openbrain-drain";
