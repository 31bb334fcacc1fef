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
mod pi;
mod qwen;
mod roo;
mod vscode;
mod zed;

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
    pi::FORMAT,
    qwen::FORMAT,
    roo::FORMAT,
    vscode::DOCUMENT,
    vscode::CHANGES,
    zed::FORMAT,
];
