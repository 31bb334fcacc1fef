//! The settings of a project.

use forge_memory_core::config::Config;

use super::texts::text_of;

pub fn check(input: &[u8]) {
    let config = Config::parse(&text_of(input));
    assert!((0.5..=1.0).contains(&config.dedup_threshold));
    assert!(config.events_bytes >= 4096 && config.telemetry_bytes >= 4096);
    assert!(config.project_name.is_none_or(|name| !name.trim().is_empty()));
}
