//! The names of a project. Its identity is `host/owner/name` of its remote repository, else the hashed path of its git folder, so that two
//! repositories of one name are two projects. Earlier versions used the last part of the remote or the name of the folder: these stay names of
//! the folders of this machine that used them.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::{CONFIG_FILE, Config};
use super::floor::APPROVALS;
use super::git::{Identity, LOCAL, identity_of};
use super::layout::Layout;
use super::ownership::Marks;
use forge_memory_journal::{Disk, is_approved, read_bounded, write_file};
use forge_memory_record::error::Result;
use forge_memory_record::model::digest::hash_bytes;

/// The folder of the notes on projects, below the user's own.
const FOLDER: &str = "projects";
const BYTES_MAX: u64 = 64 * 1024;
const NAMES_MAX: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Every name that its own records may have, the current one first.
    pub all: Vec<String>,
    /// Those under which the shared store has its records, the current one first.
    pub shared: Vec<String>,
    /// The names in the settings that the user has not approved, as `forge-memory trust` shows them.
    pub unapproved: Vec<String>,
    /// Former identities that the settings do not name, so that other clones do not know them.
    pub unwritten: Vec<String>,
    /// Why only the folder is known.
    pub problem: Option<String>,
    /// The note to write about the folder; `None` when it is written already.
    pub news: Option<Known>,
}

/// This machine's note on a folder: which repository it was and is. Writes make it; no clone brings it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    #[serde(rename = "_v")]
    version: u32,
    folder: String,
    /// The identity.
    repository: String,
    /// The current name: the identity, or that of the settings.
    name: String,
    /// The names that records in its raw log have besides.
    former: Vec<String>,
    /// Those of them under which this machine has delivered records.
    delivered: Vec<String>,
}

/// Which repository uses a name that is not its identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    #[serde(rename = "_v")]
    version: u32,
    name: String,
    repository: String,
}

pub(crate) fn find(layout: &Layout, config: &Config) -> Names {
    let (disk, home, project_dir) = (layout.disk().as_ref(), layout.home(), layout.project_dir());
    let (identity, problem) = match identity_of(disk, project_dir, layout.git_settings()) {
        Ok(identity) => (identity, None),
        Err(error) => (Identity::of_folder(disk, project_dir), Some(error.to_string())),
    };
    let Identity {
        name: own,
        earlier,
        main_folder,
    } = identity;
    let known = Known::read(disk, home, project_dir);
    let mut names = Names {
        problem,
        ..Names::default()
    };
    let is_ours = |repository: &str| repository == own || known.former.iter().any(|former| former == repository);
    let is_free = |name: &str| {
        let claim = Claim::read(disk, home, name);
        !looks_like_identity(name) && claim.is_none_or(|claim| is_ours(&claim.repository))
    };
    let is_allowed = |asks: &str| is_approved(home, layout.memory_dir(), APPROVALS, asks);
    let of_main = || main_folder.and_then(|folder| Config::load(disk, &folder.join(CONFIG_FILE)).settings.project_name);
    let configured = config.settings.project_name.clone().or_else(of_main);
    let current = match configured {
        Some(name) if name == own => own.clone(),
        Some(name) => {
            let asks = format!("projectName: {name}");
            if is_free(&name) || is_allowed(&asks) {
                name
            } else {
                names.unapproved.push(asks);
                own.clone()
            }
        }
        None => own.clone(),
    };
    names.news = known.news_of(&own, &current, project_dir);
    names.shared.push(current.clone());
    names.all.push(current);
    for name in &config.settings.former_names {
        let asks = format!("formerNames: {name}");
        if known.delivered.contains(name) || is_allowed(&asks) {
            add(&mut names.shared, name);
        } else {
            names.unapproved.push(asks);
        }
        add(&mut names.all, name);
    }
    for name in &known.delivered {
        add(&mut names.shared, name);
    }
    let is_unwritten = |name: &&String| {
        let is_written =
            config.settings.former_names.contains(name) || names.all.first() == Some(*name) || **name == own;
        looks_like_identity(name) && !name.starts_with(LOCAL) && !is_written
    };
    names.unwritten = known.former.iter().filter(is_unwritten).cloned().collect();
    // The names in the note so far are former names of the folder, also before a write updates it.
    let before = [&known.repository, &known.name];
    let before = before.into_iter().filter(|name| !name.is_empty());
    for name in std::iter::once(&own).chain(before).chain(&known.former).chain(&earlier) {
        add(&mut names.all, name);
    }
    names
}

fn add(names: &mut Vec<String>, name: &str) {
    if names.len() < NAMES_MAX && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// True if a name has the form of an identity: `host/...` or `local/...`, which only a repository of that address may have.
pub fn looks_like_identity(name: &str) -> bool {
    let is_host = name.starts_with(|first: char| first.is_alphanumeric() || first == ':');
    is_host
        && name.split_once('/').is_some_and(|(host, rest)| {
            (host.contains(['.', ':']) || host == "localhost" || name.starts_with(LOCAL)) && !rest.is_empty()
        })
}

/// Returns the short form of a name: the name of the repository or of the folder.
pub fn short_name(name: &str) -> &str {
    if looks_like_identity(name) {
        name.rsplit('/').next().unwrap_or(name)
    } else {
        name
    }
}

impl Known {
    fn read(disk: &dyn Disk, home: &Path, project_dir: &Path) -> Known {
        let Ok(folder) = disk.resolve(project_dir) else {
            return Known::default();
        };
        let folder = folder.display().to_string();
        let known: Option<Known> = read(disk, home, &folder);
        known.filter(|known| known.folder == folder).unwrap_or_default()
    }

    /// Returns the new note on a folder, if any.
    fn news_of(&self, repository: &str, name: &str, project_dir: &Path) -> Option<Known> {
        if self.repository == repository && self.name == name {
            return None;
        }
        let mut news = Known {
            version: 1,
            folder: project_dir.display().to_string(),
            repository: repository.to_owned(),
            name: name.to_owned(),
            ..self.clone()
        };
        // The folder had another name before: it was renamed, moved to another host, or forked.
        for before in [&self.name, &self.repository]
            .into_iter()
            .filter(|name| !name.is_empty())
        {
            add(&mut news.former, before);
        }
        if !self.name.is_empty() {
            add(&mut news.delivered, &self.name);
        }
        news.former.retain(|former| former != name);
        news.delivered.retain(|former| former != name);
        Some(news)
    }

    /// True if nothing was known of the folder, so that its files have to be looked at.
    pub fn is_first(&self) -> bool {
        self.former.is_empty() && self.delivered.is_empty()
    }

    /// Adds names that were found in its files.
    pub fn add(&mut self, former: &[String], delivered: &[String]) {
        former
            .iter()
            .chain(delivered)
            .filter(|name| **name != self.name)
            .cloned()
            .collect::<Vec<_>>()
            .iter()
            .for_each(|name| add(&mut self.former, name));
        delivered.iter().for_each(|name| add(&mut self.delivered, name));
    }

    /// Notes it, and that its repository uses its name unless another one does.
    ///
    /// # Errors
    /// `IO`; nothing that was stored depends on it.
    pub fn write(mut self, disk: &dyn Disk, home: &Path) -> Result<()> {
        if let Ok(folder) = disk.resolve(Path::new(&self.folder)) {
            self.folder = folder.display().to_string();
        }
        if !looks_like_identity(&self.name) && Claim::read(disk, home, &self.name).is_none() {
            let claim = Claim {
                version: 1,
                name: self.name.clone(),
                repository: self.repository.clone(),
            };
            write(disk, home, &claim_key(&self.name), &claim)?;
        }
        let folder = self.folder.clone();
        write(disk, home, &folder, &self)
    }
}

impl Claim {
    fn read(disk: &dyn Disk, home: &Path, name: &str) -> Option<Claim> {
        read(disk, home, &claim_key(name)).filter(|claim: &Claim| claim.name == name)
    }
}

/// True if this machine has made a mark in any of the folders that it knows: marks are bound to a folder, and a record travels to others
/// of the same repository.
pub fn is_of_machine(disk: &Arc<dyn Disk>, home: &Path, record: &[u8], mark: &str) -> bool {
    let files = disk.list(&home.join(FOLDER)).unwrap_or_default();
    let known = files.iter().filter_map(|file| {
        let bytes = read_bounded(disk.as_ref(), &home.join(FOLDER).join(&file.name), BYTES_MAX).ok()?;
        serde_json::from_slice::<Known>(&bytes).ok()
    });
    let mut folders = known.map(|known| Marks::new(disk, home, Path::new(&known.folder)));
    folders.any(|marks| marks.checker().is_own_record(record, Some(mark)))
}

fn claim_key(name: &str) -> String {
    format!("name {name}")
}

fn path_of(home: &Path, key: &str) -> std::path::PathBuf {
    let hash = hash_bytes(key.as_bytes());
    let hash = hash.rsplit(':').next().unwrap_or(&hash);
    home.join(FOLDER)
        .join(format!("{}.json", hash.get(..32).unwrap_or(hash)))
}

fn read<T: for<'a> Deserialize<'a>>(disk: &dyn Disk, home: &Path, key: &str) -> Option<T> {
    let bytes = read_bounded(disk, &path_of(home, key), BYTES_MAX).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write(disk: &dyn Disk, home: &Path, key: &str, value: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    Ok(write_file(disk, &path_of(home, key), &line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_look_like_identities() {
        for (name, short) in [
            ("github.com/acme/api", "api"),
            ("github.com/acme/shop//apps/web", "web"),
            ("local/0123456789ab/shop", "shop"),
        ] {
            assert!(looks_like_identity(name), "{name}");
            assert_eq!(short_name(name), short);
        }
        for name in ["api", "team/api", "api.v2", "/api", "github.com/", "../../x", "./x"] {
            assert!(!looks_like_identity(name), "{name}");
            assert_eq!(short_name(name), name);
        }
    }
}
