//! The readers: one per format, with a common interface.

mod amp;
mod blocks;
mod claude;
mod cline;
mod codex;
mod continue_dev;
mod copilot;
mod crush;
mod cursor;
mod cursor_ide;
mod droid;
mod format;
mod gemini;
mod goose;
mod kiro;
mod kit;
mod opencode;
mod opencode_files;
mod pi;
mod qwen;
mod roo;
mod vscode;
mod zed;

pub(crate) use opencode::named_database;

pub use format::{Format, LineReader, OpenLines, Source, Storage};

/// All formats.
pub const FORMATS: &[Format] = &[
    amp::FORMAT,
    claude::FORMAT,
    cline::TASKS,
    cline::SESSIONS,
    codex::FORMAT,
    continue_dev::FORMAT,
    copilot::FORMAT,
    crush::FORMAT,
    cursor::FORMAT,
    cursor_ide::FORMAT,
    droid::FORMAT,
    gemini::LINES,
    gemini::DOCUMENT,
    goose::DATABASE,
    goose::LINES,
    kiro::FORMAT,
    opencode::FORMAT,
    opencode::KILO,
    opencode_files::FORMAT,
    pi::FORMAT,
    qwen::FORMAT,
    roo::FORMAT,
    roo::KILO,
    vscode::DOCUMENT,
    vscode::CHANGES,
    copilot::VSCODE,
    zed::FORMAT,
];
