//! What the files of one capture cost and nothing else: one lock, seven looks and five lines that are appended to open
//! files, as the package does it on each call. No capture that keeps its promises takes less.
//!
//! ```text
//! files append --dir DIR --count N
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use forge_memory_references::{Outcome, Times, required};
use serde_json::json;

/// Raw log, file of the type, queue, events, telemetry: as long as the lines of a lesson of the generated data.
const LINES: [(&str, usize); 5] = [
    ("raw", 614),
    ("type", 614),
    ("queue", 733),
    ("events", 751),
    ("telemetry", 163),
];
const WARM_UP: usize = 50;

fn main() -> Outcome<()> {
    if std::env::args().nth(1).as_deref() != Some("append") {
        return Err("the first argument is append".into());
    }
    let dir = PathBuf::from(required("dir")?);
    let count: usize = required("count")?.parse()?;
    let mut files = Files::open(&dir)?;
    let mut times = Times::default();
    for call in 0..WARM_UP + count {
        match call < WARM_UP {
            true => files.append()?,
            false => times.measure(|| files.append())?,
        }
    }
    println!("{}", json!(times.summary()));
    Ok(())
}

struct Files {
    settings: PathBuf,
    raw: PathBuf,
    lock: File,
    lines: Vec<(File, Vec<u8>)>,
}

impl Files {
    fn open(dir: &Path) -> Outcome<Self> {
        fs::create_dir_all(dir)?;
        let open = |name: &str| OpenOptions::new().create(true).append(true).open(dir.join(name));
        let lines = LINES.iter().map(|(name, length)| {
            let line = [vec![b'x'; length - 1], vec![b'\n']].concat();
            Ok((open(name)?, line))
        });
        let lines = lines.collect::<Outcome<Vec<_>>>()?;
        let settings = dir.join("settings");
        fs::write(&settings, "{}\n")?;
        Ok(Files {
            settings,
            raw: dir.join(LINES[0].0),
            lock: open("lock")?,
            lines,
        })
    }

    /// Looks at the settings, the lock and the raw log by their paths or handles, at the others by their handles; writes.
    fn append(&mut self) -> Outcome<()> {
        fs::metadata(&self.settings)?;
        self.lock.try_lock()?;
        glance(&self.lock)?;
        glance_at(&self.raw)?;
        for (number, (file, line)) in self.lines.iter_mut().enumerate() {
            if number > 0 {
                glance(file)?;
            }
            file.write_all(line)?;
        }
        self.lock.unlock()?;
        Ok(())
    }
}

/// Looks without asking for times, which would make the next write dearer.
#[cfg(target_os = "linux")]
fn glance(file: &File) -> Outcome<u64> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let wanted = StatxFlags::INO | StatxFlags::SIZE | StatxFlags::NLINK;
    Ok(statx(file, "", AtFlags::EMPTY_PATH, wanted)?.stx_size)
}

#[cfg(target_os = "linux")]
fn glance_at(path: &Path) -> Outcome<u64> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    let wanted = StatxFlags::INO | StatxFlags::SIZE | StatxFlags::NLINK;
    Ok(statx(CWD, path, AtFlags::empty(), wanted)?.stx_size)
}

#[cfg(not(target_os = "linux"))]
fn glance(file: &File) -> Outcome<u64> {
    Ok(file.metadata()?.len())
}

#[cfg(not(target_os = "linux"))]
fn glance_at(path: &Path) -> Outcome<u64> {
    Ok(fs::metadata(path)?.len())
}
