//! The machine and its user: the folders, and the variables that hosts and people set.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forge_memory_core::journal::{OsDisk, user_id};
use forge_memory_core::place::{Place, Surroundings, find_place, named_place};
use forge_memory_core::settings::environment;
use forge_memory_core::{Error, Result};

/// Returns the value of `FORGE_HOME`, unless it is empty.
#[must_use]
pub fn home_name() -> Option<OsString> {
    variable(environment::FORGE_HOME)
}

/// Returns the user's own folder: `FORGE_HOME`, else `.forge` in the home directory.
#[must_use]
pub fn user_home() -> PathBuf {
    let home = home_name()
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".forge")))
        .unwrap_or_else(|| PathBuf::from(".forge"));
    std::path::absolute(&home).unwrap_or(home)
}

/// Returns the project in a folder that the caller named, or the one that the working directory belongs to.
///
/// # Errors
/// `INVALID_INPUT` for an impossible name, otherwise as [`find_place`].
pub fn place_named(dir: Option<&str>, home: &Path) -> Result<Place> {
    match dir {
        Some(dir) if dir.is_empty() || dir.contains('\0') => {
            Err(Error::invalid("projectDir", "is not a valid folder name"))
        }
        Some(dir) => {
            let folder = std::path::absolute(dir).map_err(Error::io("resolve", Path::new(dir)))?;
            named_place(&OsDisk, &folder, &surroundings(home))
        }
        None => {
            let here = env::current_dir().map_err(Error::io("look up", Path::new("the working directory")))?;
            find_place(&OsDisk, &here, &surroundings(home))
        }
    }
}

/// Returns the project that a folder belongs to, as it is found from the working directory.
pub fn place_of(folder: &Path, home: &Path) -> Result<Place> {
    find_place(&OsDisk, &real(folder.to_path_buf()), &surroundings(home))
}

/// Returns a folder without links. On Windows the working directory and the variables have the same form, which real paths have not.
pub(crate) fn real(folder: PathBuf) -> PathBuf {
    if cfg!(windows) {
        folder
    } else {
        std::fs::canonicalize(&folder).unwrap_or(folder)
    }
}

/// Returns how Claude Code was started, as it tells the commands that it starts.
pub(crate) fn claude_entry() -> Option<OsString> {
    variable("CLAUDE_CODE_ENTRYPOINT")
}

/// True if the process has a terminal.
pub(crate) fn has_terminal() -> bool {
    std::fs::File::open(if cfg!(windows) { "CONIN$" } else { "/dev/tty" }).is_ok()
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Reads from the environment which folders are no projects.
#[must_use]
pub fn surroundings(home: &Path) -> Surroundings {
    let folder = |name: &str| variable(name).map(PathBuf::from);
    let user_folder = env::home_dir().map(real);
    let temporary = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()].map(real);
    let user = user_id();
    // As for git, the files of the user who ran `sudo` are the user's own.
    let caller = variable("SUDO_UID").and_then(|id| id.to_str()?.parse().ok());
    let caller = caller.filter(|_| user == Some(0));
    let settings = folder("XDG_CONFIG_HOME").or_else(|| Some(user_folder.as_ref()?.join(".config")));
    let of_user = match folder("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => [
            settings.map(|folder| folder.join("git/config")),
            user_folder.as_ref().map(|folder| folder.join(".gitconfig")),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    let of_system = folder("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
    Surroundings {
        home: home.to_path_buf(),
        user_folder,
        temporary: temporary.to_vec(),
        users: user.into_iter().chain(caller).collect(),
        git_settings: [of_system].into_iter().chain(of_user).collect(),
    }
}

/// Returns the value of `FORGE_MEMORY` when it switches the memory off.
#[must_use]
pub fn off_by_environment() -> Option<String> {
    let value = env::var(environment::FORGE_MEMORY).ok()?;
    let is_off = ["off", "0", "false", "no"].contains(&value.trim().to_ascii_lowercase().as_str());
    is_off.then(|| value.trim().to_owned())
}

/// Returns the deadline that the environment sets for all calls, in milliseconds.
pub(crate) fn given_deadline() -> Option<u64> {
    let given = env::var(environment::FORGE_MEMORY_HOOK_DEADLINE_MS).ok()?;
    given.trim().parse().ok().filter(|ms| *ms > 0)
}

/// Returns the shared store that the environment names.
pub(crate) fn store_in_environment() -> Option<String> {
    let named = env::var(environment::FORGE_OPENBRAIN_URL).ok()?;
    (!named.trim().is_empty()).then_some(named)
}

/// Returns the plan of the session, which a runner of plans names.
pub(crate) fn plan() -> Option<String> {
    env::var(environment::FORGE_PLAN).ok()
}
