//! The settings of a project.

use forge_memory_core::config::Config;

use super::texts::text_of;

pub fn check(input: &[u8]) {
    let config = Config::parse(&text_of(input));
    let settings = config.settings;
    assert!((0.9..=1.0).contains(&settings.openbrain.dedup_threshold));
    assert!(settings.limits.events_bytes >= 4096 && settings.limits.telemetry_bytes >= 4096);
    assert!(settings.project_name.is_none_or(|name| !name.trim().is_empty()));
}
