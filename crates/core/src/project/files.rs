//! The names of the files of a memory.

/// The folder of a project's memory.
pub const FORGE_FOLDER: &str = ".forge";
/// The raw log of captures, the source of truth.
pub const CAPTURES_FILE: &str = "memory-captures.jsonl";
/// The project's patterns.
pub const PATTERNS_FILE: &str = "memory/project.jsonl";
/// The user's patterns, for all projects. Within a project, it is the file that Plan Forge calls global.
pub const GLOBAL_PATTERNS_FILE: &str = "memory/global.jsonl";
