//! Bash and compatible shells.

use super::{InteropGroup, Language, ModuleSystem};

pub(super) static LANGUAGE: Language = Language {
    name: "bash",
    extensions: &["sh", "bash", "bats"],
    interop_group: InteropGroup::Alone(12),
    modules: ModuleSystem::Includes,
    comments: &["#"],
    find_module: super::c::find_included,
    ..Language::DEFAULTS
};
