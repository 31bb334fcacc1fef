//! Files below a project are opened without leaving it: links, FIFOs, devices and folders are refused before anything is read or written.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use forge_memory_core::journal::{ConfinedDisk, Disk};

struct Clone {
    folder: tempfile::TempDir,
}

impl Clone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "project/.forge",
            "project/.git/hooks",
            "project/docs",
            "home",
            "outside",
        ] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Clone { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn disk(&self) -> ConfinedDisk {
        ConfinedDisk::new(self.path("project"), self.path("home"))
    }

    fn link(&self, target: &str, name: &str) {
        symlink(self.path(target), self.path(name)).unwrap();
    }
}

fn reason(error: std::io::Error, path: &Path) -> String {
    let error = forge_memory_core::Error::io("open", path)(error);
    assert_eq!(error.code(), "UNSAFE_PATH", "{error}");
    error.to_string()
}

#[test]
fn no_operation_follows_a_link_below_the_memory() {
    let clone = Clone::new();
    fs::write(clone.path("outside/file"), "old").unwrap();
    clone.link("outside/file", "project/.forge/a.jsonl");
    clone.link("outside/new", "project/.forge/b.jsonl");
    clone.link("outside", "project/.forge/memory");
    clone.link("outside", "home/memory");
    let disk = clone.disk();
    for name in [
        "project/.forge/a.jsonl",
        "project/.forge/b.jsonl",
        "project/.forge/memory/c.jsonl",
        "home/memory/c.jsonl",
    ] {
        let path = clone.path(name);
        reason(disk.open_read(&path).unwrap_err(), &path);
        reason(disk.open_append(&path).unwrap_err(), &path);
        reason(disk.open_lock(&path).unwrap_err(), &path);
        reason(disk.rename(&clone.path("project/docs/x"), &path).unwrap_err(), &path);
        reason(disk.resolve(&path).unwrap_err(), &path);
    }
    let inner = clone.path("project/.forge/memory/deep");
    reason(disk.make_dir(&inner).unwrap_err(), &inner);
    reason(disk.list(&clone.path("project/.forge/memory")).unwrap_err(), &inner);
    reason(
        disk.remove(&clone.path("project/.forge/memory/file")).unwrap_err(),
        &inner,
    );
    reason(
        disk.remove_folder(&clone.path("project/.forge/memory/file"))
            .unwrap_err(),
        &inner,
    );
    assert_eq!(fs::read_to_string(clone.path("outside/file")).unwrap(), "old");
    assert_eq!(fs::read_dir(clone.path("outside")).unwrap().count(), 1);
    // The link itself may go: what it leads to stays.
    disk.remove(&clone.path("project/.forge/a.jsonl")).unwrap();
    assert_eq!(fs::read_to_string(clone.path("outside/file")).unwrap(), "old");
}

#[test]
fn elsewhere_a_link_may_stay_inside_of_the_project_but_not_lead_into_the_repository() {
    let clone = Clone::new();
    fs::write(clone.path("project/docs/settings.json"), "{}").unwrap();
    clone.link("project/docs/settings.json", "project/.forge.json");
    clone.link("project/.git/hooks", "project/hooks");
    clone.link("outside", "project/out");
    clone.link("outside/new", "project/new");
    fs::write(clone.path("project/.git/hooks/pre-commit"), "").unwrap();
    let disk = clone.disk();
    assert!(disk.open_read(&clone.path("project/.forge.json")).is_ok());
    for (name, why) in [
        ("project/hooks/pre-commit", "it leads to"),
        ("project/out/file", "is a broken link"),
        ("project/new", "is a broken link"),
        ("project/out", "out of the project"),
    ] {
        let path = clone.path(name);
        let reason = reason(disk.open_read(&path).unwrap_err(), &path);
        assert!(reason.contains(why), "{name}: {reason}");
    }
}

#[test]
fn fifos_devices_and_folders_are_refused_at_once_wherever_they_are() {
    let clone = Clone::new();
    let fifo = clone.path("project/.forge/fifo");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let disk = clone.disk();
    let refused = [
        (fifo, "a FIFO"),
        (PathBuf::from("/dev/null"), "a device"),
        (clone.path("project/docs"), "a folder"),
    ];
    for (path, why) in refused {
        let read = reason(disk.open_read(&path).unwrap_err(), &path);
        let written = reason(disk.open_append(&path).unwrap_err(), &path);
        assert!(read.contains(why) && written.contains(why), "{read}");
        assert!(read.contains(&path.display().to_string()), "{read}");
    }
}

#[test]
fn a_path_that_climbs_is_refused() {
    let clone = Clone::new();
    let path = clone.path("project/.forge/../../outside/file");
    reason(clone.disk().open_append(&path).unwrap_err(), &path);
    assert_eq!(fs::read_dir(clone.path("outside")).unwrap().count(), 0);
}

#[test]
fn a_linked_memory_is_opened_once_its_target_was_approved() {
    let clone = Clone::new();
    fs::remove_dir(clone.path("project/.forge")).unwrap();
    clone.link("outside", "project/.forge");
    let path = clone.path("project/.forge/a.jsonl");
    let why = reason(clone.disk().open_append(&path).unwrap_err(), &path);
    assert!(why.contains("trust --folder"), "{why}");

    let [project, target] = ["project", "outside"].map(|name| fs::canonicalize(clone.path(name)).unwrap());
    let approval = approve(&clone, &project, &target);
    clone.disk().open_append(&path).unwrap();
    assert!(clone.path("outside/a.jsonl").is_file());

    // A file that others can write does not prove the user's approval.
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&approval, fs::Permissions::from_mode(0o622)).unwrap();
    reason(clone.disk().open_append(&path).unwrap_err(), &path);
    fs::set_permissions(&approval, fs::Permissions::from_mode(0o600)).unwrap();
    clone.disk().open_append(&path).unwrap();
    fs::remove_file(clone.path("project/.forge")).unwrap();
    clone.link("home", "project/.forge");
    reason(clone.disk().open_append(&path).unwrap_err(), &path);
}

/// Writes an approval as the command does.
fn approve(clone: &Clone, project: &Path, target: &Path) -> PathBuf {
    use sha2::{Digest, Sha256};
    let key = serde_json::to_vec(&[project, target]).unwrap();
    let name: String = Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
    let path = clone.path(&format!("home/trusted-folders/{name}.json"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let approval = serde_json::json!({ "_v": 1, "project": project, "target": target });
    fs::write(&path, approval.to_string()).unwrap();
    path
}
