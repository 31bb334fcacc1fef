//! Reads repository, work tree and branch of a checkout from the files of git, without starting git, which would dominate the run
//! time of a hook.

mod files;
mod includes;
mod index;
mod remote;

use std::path::{Path, PathBuf};

use files::unless_absent;
pub(super) use files::{read, real_path};
use index::has_file_of_index;
pub(super) use index::{IndexReader, Stamp};

use forge_memory_journal::clock::Millis;
use forge_memory_journal::{Disk, FileKind};
use forge_memory_record::error::{Error, Result};

use forge_memory_record::model::digest::hash_bytes;
use forge_memory_record::model::limits::check_name;

const LOG_LINE_MAX: usize = 4096;

/// The checkout that a linked work tree belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainCheckout {
    /// Its name: that of its folder, or of the bare repository.
    pub name: String,
    /// Its folder; a bare repository has none.
    pub folder: Option<PathBuf>,
}

/// Returns the main checkout of a linked work tree, given the top of the work tree. `None` for every other folder,
/// for submodules, which are repositories of their own, and when the files are not as git writes them.
pub fn main_checkout(disk: &dyn Disk, top: &Path) -> Result<Option<MainCheckout>> {
    let Some(own) = linked_folder(disk, top)? else {
        return Ok(None);
    };
    let Some(common) = common_folder(disk, &own)? else {
        return Ok(None);
    };
    Ok(match configured_folder(disk, &common)? {
        Some(folder) => named(folder),
        None => checkout_of(&common),
    })
}

/// Returns the main checkout of a repository whose settings name none.
fn checkout_of(common: &Path) -> Option<MainCheckout> {
    let name = common.file_name()?.to_string_lossy().into_owned();
    // `project/.git`, and `project/.bare` beside the work trees of a bare repository.
    if name.starts_with('.') {
        return named(common.parent()?.to_path_buf());
    }
    let name = name.strip_suffix(".git").unwrap_or(&name).to_owned();
    Some(MainCheckout { name, folder: None })
}

/// The prefix of the identity of a project without an address.
pub(crate) const LOCAL: &str = "local/";

/// Which project a folder is, as its repository says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `host/owner/name` of the remote, else `local/HASH/name`; below the top of the repository, the path follows after `//`.
    pub name: String,
    /// The names of the project in earlier versions.
    pub earlier: Vec<String>,
    /// The folder of the main checkout, when this is a linked work tree.
    pub main_folder: Option<PathBuf>,
}

impl Identity {
    /// Returns the identity of a folder without a repository.
    pub fn of_folder(disk: &dyn Disk, folder: &Path) -> Self {
        let name = folder_name(folder);
        Identity {
            name: local_name(disk, folder, &name),
            earlier: vec![name],
            main_folder: None,
        }
    }
}

/// Returns the identity of a project: all clones and work trees of a repository share it. A project below the top of a repository is another one.
/// `of_user` are the user's settings of git.
pub fn identity_of(disk: &dyn Disk, project_dir: &Path, of_user: &[PathBuf]) -> Result<Identity> {
    // Not found is an answer, a disk that fails is none.
    unless_absent(disk.stat(&project_dir.join(".git"))).map_err(Error::io("look for", project_dir))?;
    let top = project_dir.ancestors().find(|folder| disk.has(&folder.join(".git")));
    let Some((top, own)) = top.and_then(|top| Some((top, git_folder(disk, top).transpose()?))) else {
        return Ok(Identity::of_folder(disk, project_dir));
    };
    let own = own?;
    let common = common_folder(disk, &own)?.unwrap_or_else(|| own.clone());
    let main = main_checkout(disk, top)?;
    let folder = main.as_ref().map_or_else(|| folder_name(top), |main| main.name.clone());
    let settings = read(disk, &common.join("config"))?.unwrap_or_default();
    let written = remote::address_in(&settings);
    let address = written
        .as_deref()
        .map(|address| meant(disk, address, (&own, &common), of_user));
    let by_address = address.as_deref().and_then(|address| match remote::place_of(address) {
        remote::Place::Host(name) => Some(name),
        remote::Place::Folder(path) => origin_name(disk, &top.join(path)),
        remote::Place::Nowhere => None,
    });
    let repository = by_address.unwrap_or_else(|| local_name(disk, &common, &folder));
    let below = project_dir.strip_prefix(top).unwrap_or(Path::new(""));
    if below.as_os_str().is_empty() {
        let mut earlier: Vec<String> = written.as_deref().and_then(remote::name_in_url).into_iter().collect();
        if !earlier.contains(&folder) {
            earlier.push(folder);
        }
        return Ok(Identity {
            name: repository,
            earlier,
            main_folder: main.and_then(|main| main.folder),
        });
    }
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    let name = format!("{repository}//{}", parts.join("/"));
    let own = folder_name(project_dir);
    Ok(Identity {
        name: check_name("project", name).unwrap_or_else(|_| local_name(disk, project_dir, &own)),
        earlier: vec![own],
        main_folder: None,
    })
}

/// Returns the address that git uses in place of one, by the settings of the user and of the repository.
fn meant(disk: &dyn Disk, address: &str, (own, common): (&Path, &Path), of_user: &[PathBuf]) -> String {
    let user_file = of_user.iter().find(|file| file.ends_with(".gitconfig"));
    let reader = includes::Reader {
        disk,
        folders: [own.to_path_buf()].into_iter().chain(disk.real_path(own)).collect(),
        user_folder: user_file.and_then(|file| file.parent()),
    };
    let files = of_user.iter().cloned().chain([common.join("config")]);
    let settings: Vec<_> = files.flat_map(|file| reader.settings(&file)).collect();
    remote::in_place_of(address, &settings)
}

/// Returns the name of a repository in a folder of this machine that another one was cloned from.
fn origin_name(disk: &dyn Disk, folder: &Path) -> Option<String> {
    let folder = disk.real_path(folder).ok()?;
    let git = folder.join(".git");
    let is_bare = !disk.has_folder(&git);
    let name = if is_bare || folder.ends_with(".git") {
        checkout_of(&folder)?.name
    } else {
        folder_name(&folder)
    };
    Some(local_name(disk, if is_bare { &folder } else { &git }, &name))
}

/// Returns the identity of a folder without an address: a hash of its path, and its name.
fn local_name(disk: &dyn Disk, path: &Path, name: &str) -> String {
    let path = disk.resolve(path).unwrap_or_else(|_| path.to_path_buf());
    let hash = hash_bytes(path.as_os_str().as_encoded_bytes());
    let hash = hash.rsplit(':').next().unwrap_or_default();
    let of = |name: &str| format!("{LOCAL}{}/{name}", hash.get(..12).unwrap_or(hash));
    check_name("project", of(&name.replace('/', "-"))).unwrap_or_else(|_| of("project"))
}

pub fn folder_name(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "project".into())
}

/// Returns the length of the hashes of a repository.
pub(super) fn hash_bytes_of(disk: &dyn Disk, common: &Path) -> usize {
    let format = values_in(disk, &common.join("config"), "extensions", "objectformat");
    if format.iter().any(|format| format == "sha256") {
        32
    } else {
        20
    }
}

/// Returns the values of a setting without a subsection in a file of git's settings, in their order; none when it cannot be read.
pub(super) fn values_in(disk: &dyn Disk, file: &Path, section: &str, key: &str) -> Vec<String> {
    let text = read(disk, file).ok().flatten().unwrap_or_default();
    let settings = remote::settings_in(&text).into_iter();
    settings
        .filter(|setting| setting.is(section, "", key))
        .map(|setting| setting.value)
        .collect()
}

/// Returns the current branch of the checkout of a folder. `None` outside of git and with a detached HEAD.
pub fn branch(disk: &dyn Disk, folder: &Path) -> Result<Option<String>> {
    let Some(top) = folder.ancestors().find(|folder| disk.has(&folder.join(".git"))) else {
        return Ok(None);
    };
    match git_folder(disk, top)? {
        Some(git) => branch_of(disk, &git),
        None => Ok(None),
    }
}

/// Returns the branch that the `HEAD` of a checkout names.
pub(super) fn branch_of(disk: &dyn Disk, git: &Path) -> Result<Option<String>> {
    let head = read(disk, &git.join("HEAD"))?.unwrap_or_default();
    let branch = head.trim().strip_prefix("ref: refs/heads/");
    // Branch names do not begin with a dot; repositories with the reftable format have `.invalid` there.
    Ok(branch.filter(|branch| !branch.starts_with('.')).map(str::to_owned))
}

/// Returns when a checkout was cloned, which is the modification time of its files then. `None` when it was not cloned, or
/// when git does not record it or its log cannot be read: a file that is newer than a record counts as changed then.
pub fn cloned_at(disk: &dyn Disk, top: &Path) -> Option<Millis> {
    let log = git_folder(disk, top).ok()??.join("logs/HEAD");
    let mut first = vec![0; LOG_LINE_MAX];
    let read = disk.open_read(&log).ok()?.read_at(0, &mut first).ok()?;
    let line = String::from_utf8_lossy(first.get(..read)?).lines().next()?.to_owned();
    let (who, what) = line.split_once('\t')?;
    let seconds: Millis = who.rsplit(' ').nth(1)?.parse().ok()?;
    what.starts_with("clone:").then(|| seconds.saturating_mul(1000))
}

/// Returns when the `HEAD` of a checkout last moved, in nanoseconds since the epoch. `None` when git keeps no log of it, or
/// the log cannot be read: the stored history counts as out of date then.
pub fn moved_at_ns(disk: &dyn Disk, top: &Path) -> Option<i64> {
    let state = disk.stat(&git_folder(disk, top).ok()??.join("logs/HEAD")).ok()?;
    Some(state.modified_ns)
}

/// The folder with a checkout's own `HEAD`.
pub(super) fn git_folder(disk: &dyn Disk, top: &Path) -> Result<Option<PathBuf>> {
    let git = top.join(".git");
    if is_plain_folder(disk, &git) {
        return Ok(Some(git));
    }
    linked_folder(disk, top)
}

fn is_plain_folder(disk: &dyn Disk, git: &Path) -> bool {
    disk.link_metadata(git)
        .is_ok_and(|found| found.kind == FileKind::Folder)
}

/// The repository that the own folder of a linked work tree belongs to. Nothing for every other folder.
pub(super) fn common_folder(disk: &dyn Disk, own: &Path) -> Result<Option<PathBuf>> {
    let Some(own) = real_path(disk, own)? else {
        return Ok(None);
    };
    let Some(named) = read(disk, &own.join("commondir"))? else {
        return Ok(None);
    };
    let common = real_path(disk, &own.join(named.trim()))?;
    // Git keeps the folder of a work tree there only, so a forged file cannot lead to another project.
    Ok(common.filter(|common| own.parent() == Some(&common.join("worktrees"))))
}

/// The folder that the file `.git` of a work tree or a submodule names, or that a link in its place leads to. Only one that leads back to the
/// checkout: whoever packed an archive, or made a folder, could name any repository of this machine.
pub(super) fn linked_folder(disk: &dyn Disk, top: &Path) -> Result<Option<PathBuf>> {
    let git = top.join(".git");
    if is_plain_folder(disk, &git) {
        return Ok(None);
    }
    let target = if disk.has_folder(&git) {
        git
    } else {
        let text = read(disk, &git)?.unwrap_or_default();
        let target = text.lines().next().and_then(|line| line.strip_prefix("gitdir:"));
        match target.map(str::trim).filter(|target| !target.is_empty()) {
            Some(target) => top.join(target),
            None => return Ok(None),
        }
    };
    // A relative path could lead out of the folder of the checkout.
    let (Some(own), Some(top)) = (real_path(disk, &target)?, real_path(disk, top)?) else {
        return Ok(None);
    };
    Ok(leads_back(disk, &own, &top)?.then_some(own))
}

/// True if a folder of git is that of the checkout `top`, by what git wrote into it. Both are real paths.
fn leads_back(disk: &dyn Disk, own: &Path, top: &Path) -> Result<bool> {
    if let Some(named) = read(disk, &own.join("gitdir"))? {
        let back = own.join(named.trim());
        let folder = back.parent().filter(|_| back.ends_with(".git"));
        return Ok(match folder {
            Some(folder) => real_path(disk, folder)?.as_deref() == Some(top),
            None => false,
        });
    }
    if let Some(named) = configured(disk, own, "worktree")? {
        return Ok(real_path(disk, &own.join(named))?.as_deref() == Some(top));
    }
    if own != top && own.starts_with(top) {
        return Ok(true);
    }
    // `git init --separate-git-dir` and `repo` write no way back, but the index knows the files. A folder named `.git` is that of the folder around it.
    Ok(!own.ends_with(".git") && has_file_of_index(disk, own, top, hash_bytes_of(disk, own)))
}

/// The folder that `core.worktree` names, where that folder leads back to the repository: submodules have their repository elsewhere.
pub(super) fn configured_folder(disk: &dyn Disk, common: &Path) -> Result<Option<PathBuf>> {
    let Some(named) = configured(disk, common, "worktree")? else {
        return Ok(None);
    };
    let Some(folder) = real_path(disk, &common.join(named))? else {
        return Ok(None);
    };
    let back = match git_folder(disk, &folder)? {
        Some(back) => real_path(disk, &back)?,
        None => None,
    };
    Ok((back.is_some() && back == real_path(disk, common)?).then_some(folder))
}

/// The last value of a setting of the section `core` of a repository. With settings for each work tree, git moves some into a file of their own.
fn configured(disk: &dyn Disk, common: &Path, key: &str) -> Result<Option<String>> {
    let mut value = None;
    for file in ["config", "config.worktree"] {
        let text = read(disk, &common.join(file))?.unwrap_or_default();
        let mut settings = remote::settings_in(&text).into_iter();
        value = settings
            .rfind(|setting| setting.is("core", "", key))
            .map(|setting| setting.value)
            .or(value);
    }
    Ok(value)
}

fn named(folder: PathBuf) -> Option<MainCheckout> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    Some(MainCheckout {
        name,
        folder: Some(folder),
    })
}

#[cfg(test)]
mod tests;
