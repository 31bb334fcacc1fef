//! TypeScript and TSX, which are two grammars.

use super::Language;
use super::javascript::SCRIPT;

pub(super) static TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    ..SCRIPT
};

pub(super) static TSX: Language = Language {
    name: "tsx",
    extensions: &["tsx"],
    ..SCRIPT
};
