//! Times a first run over the sessions below a home folder: `first_run HOME PROJECT STATE`. Writes only below STATE.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use forge_memory_core::progress::Progress;
use forge_memory_journal::OsDisk;
use forge_memory_transcripts::{Backfill, Filter, History, HistoryFilter, KnownTexts, Places};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(home), Some(project), Some(state)) = (folders.next(), folders.next(), folders.next()) else {
        return Err("usage: first_run HOME PROJECT STATE".into());
    };
    let places = Places {
        home,
        variables: BTreeMap::new(),
    };
    let progress = Progress::default();
    let began = Instant::now();
    let backfill = Backfill {
        disk: &OsDisk,
        places: &places,
        project_dir: &project,
        home: &state,
        progress: &progress,
    };
    let plan = backfill.plan(&Filter::default(), &KnownTexts::default())?;
    println!(
        "backfill: {} files, {} findings, {:.1} s, at most {} MiB",
        plan.read,
        plan.findings.len(),
        began.elapsed().as_secs_f64(),
        peak_mebibytes()
    );
    let history = History {
        disk: Arc::new(OsDisk),
        places: &places,
        home: &state,
        embedder: None,
        progress: &progress,
    };
    for round in ["first", "again"] {
        let began = Instant::now();
        let updated = history.update(None)?;
        println!(
            "history, {round}: {} files, {:.1} s, at most {} MiB",
            updated.read,
            began.elapsed().as_secs_f64(),
            peak_mebibytes()
        );
    }
    let began = Instant::now();
    let found = history.search("failing test retry", &HistoryFilter::default(), None)?;
    println!(
        "history, search: {} hits, {:.2} s",
        found.hits.len(),
        began.elapsed().as_secs_f64()
    );
    println!("history, index: {} bytes", history.status()?.bytes);
    Ok(())
}

/// The peak memory of the process, if the system reports it.
fn peak_mebibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
