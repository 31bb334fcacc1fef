//! The addons of this package: where they are, and loading one when it is first used.
//!
//! In a clone they lie beside this library, under names that differ in one word. Installed, each is a package, which only the module
//! resolution of Node finds in every layout of packages: `lib/library.ts` asks it and tells the answer here. A project's own files and
//! environment variables are never asked, because a library runs with the rights of this process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use forge_memory_addon::{Grammars, Inference, Refusal, open};
use forge_memory_core::journal::{Disk, OsDisk};
use forge_memory_core::{Addon, Error};
use forge_memory_embed::INFERENCE_FORMAT;
use forge_memory_lattice::GRAMMAR_FORMAT;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use once_cell::sync::OnceCell;
use serde::Deserialize;

use crate::error::Result;
use crate::input::read;
use crate::library_file::refuse_cut_short;

/// The files of the addons, as Node resolves them.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddonFiles {
    lattice: Vec<PathBuf>,
    embed: Vec<PathBuf>,
}

/// This library's own file.
static OWN_FILE: OnceCell<PathBuf> = OnceCell::new();
static RESOLVED: Mutex<Option<AddonFiles>> = Mutex::new(None);

/// Remembers where this library lies. Without it only addons that Node has resolved are found.
pub fn remember_own_file(env: &Env) {
    if let Some(path) = env.get_module_file_name().ok().as_deref().and_then(path_of_url) {
        let _ = OWN_FILE.set(path);
    }
}

fn path_of_url(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("file://")?;
    // On Windows a path begins with its drive: file:///C:/folder.
    let path = path.strip_prefix('/').filter(|_| cfg!(windows)).unwrap_or(path);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push(high << 4 | low);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Takes the places of the addons.
pub fn provide(files: &Unknown<'_>) -> Result<()> {
    let files: AddonFiles = read("files", files)?;
    *RESOLVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(files);
    Ok(())
}

/// Returns the files that were provided.
fn provided() -> AddonFiles {
    let files = RESOLVED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    files.unwrap_or_default()
}

/// Returns the file beside this library whose name has `name` instead of its own, for the same platform:
/// `forge-memory-lattice.linux-x64-gnu.node`.
pub fn beside_this_library(name: &str) -> Option<PathBuf> {
    let own = OWN_FILE.get()?;
    let (_, platform) = own.file_name()?.to_str()?.split_once('.')?;
    Some(own.with_file_name(format!("{name}.{platform}")))
}

/// Returns the grammars; the first call loads them.
pub fn grammars() -> forge_memory_core::Result<Grammars> {
    static LOADED: OnceCell<Grammars> = OnceCell::new();
    LOADED
        .get_or_try_init(|| {
            loaded(forge_memory_lattice::ADDON, provided().lattice, |path| {
                open(path, GRAMMAR_FORMAT)
            })
        })
        .copied()
}

/// Returns the addon that computes with models of sentences; the first call loads it.
pub fn inference() -> forge_memory_core::Result<Inference> {
    static LOADED: OnceCell<Inference> = OnceCell::new();
    LOADED
        .get_or_try_init(|| {
            loaded(forge_memory_embed::ADDON, provided().embed, |path| {
                open(path, INFERENCE_FORMAT)
            })
        })
        .copied()
}

/// Loads an addon. After a failure, the next call tries again: the addon may have been installed or built since.
fn loaded<A>(
    addon: Addon,
    resolved: Vec<PathBuf>,
    load: impl Fn(&Path) -> std::result::Result<A, Refusal>,
) -> forge_memory_core::Result<A> {
    let path = file_of(addon, resolved).ok_or(Error::AddonMissing(addon))?;
    let opened = refuse_cut_short(&OsDisk, &path).and_then(|()| load(&path));
    opened.map_err(|Refusal(reason)| Error::AddonUnusable {
        addon,
        reason: format!("{}: {reason}", path.display()),
    })
}

/// Returns the file of an addon, if there is one. A package manager may have installed that of another platform as well.
fn file_of(addon: Addon, resolved: Vec<PathBuf>) -> Option<PathBuf> {
    let beside = beside_this_library(addon.package);
    let name = beside.as_deref().and_then(Path::file_name).map(ToOwned::to_owned);
    let is_ours = |path: &PathBuf| name.as_deref().is_none_or(|name| path.file_name() == Some(name));
    let all = beside.into_iter().chain(resolved.into_iter().filter(is_ours));
    let disk: &dyn Disk = &OsDisk;
    all.into_iter().find(|path| disk.stat(path).is_ok())
}
