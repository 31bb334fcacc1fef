//! Finds the project that a folder belongs to, and the folder with its memory. Every surface asks here, so that all of them read
//! and write one memory wherever one stands.
//!
//! A memory in the wrong place leaks: one in a parent folder would be that of all repositories below it, one in the home folder
//! that of everything. So a git work tree ends the search, some folders are never a project, and a memory that another user owns
//! or may write is refused, as git refuses a repository of another user (`safe.directory`).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{CONFIG_FILE, Config};
pub use crate::environment::{Found, InMain, Place};
use crate::git::{git_folder, values_in};
use crate::ignored::is_ignored;
use crate::layout::FORGE_FOLDER;
use crate::ownership::KEY_FILE;
use crate::worktree::{has_tracked_journal, main_folder};
use forge_memory_journal::{Access, Disk, has_modes, is_folder_trusted, write_file};
use forge_memory_record::error::{Error, NotAProject, Result};

const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;

/// Selects a project: the folder `projectDir`, else the one that the working directory belongs to. That is the nearest folder upwards with
/// `.forge/` or `.forge.json` within its git work tree, else the top of that, else the working directory.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectOptions {
    /// The folder.
    pub project_dir: Option<String>,
}

/// The facts about the machine and the user that tell which folders are no projects.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The user's own folder, usually `~/.forge`.
    pub home: PathBuf,
    /// The home folder.
    pub user_folder: Option<PathBuf>,
    /// The roots of temporary folders, as real paths.
    pub temporary: Vec<PathBuf>,
    /// The ids of the user; none on systems without them, where owners are not checked.
    pub users: Vec<u32>,
    /// The files in which the user tells git which folders of other owners are safe.
    pub git_settings: Vec<PathBuf>,
}

/// Returns the project that `start` belongs to. Upwards from there, the nearest git work tree ends the search, and the nearest folder
/// with a `.forge` or `.forge.json` up to its top counts that git does not ignore, else the top. Outside of git it is the nearest such folder below the home
/// folder, else `start` itself.
///
/// # Errors
/// `NO_PROJECT` when that is a folder that is never a project, `FOREIGN_FOLDER` when another user owns it or may write its memory,
/// `IO` when a file of git cannot be read.
pub fn find_place(disk: &dyn Disk, start: &Path, around: &Surroundings) -> Result<Place> {
    // A folder of that name alone: another one that the user has chosen may have projects as well.
    if start.starts_with(&around.home) && around.home.ends_with(FORGE_FOLDER) {
        return Err(not_a_project(start, NotAProject::OwnFolder));
    }
    let mut folders = Vec::new();
    let mut top = None;
    for folder in start.ancestors() {
        if around.never(folder).is_some() {
            break;
        }
        folders.push(folder);
        if is_top(disk, folder) && !is_named_by_superproject(disk, folder, around) {
            top = Some(folder);
            break;
        }
    }
    let Some(top) = top else {
        return find_outside_of_git(disk, (start, &folders), around);
    };
    let main = main_folder(disk, top)?;
    let is_marked = |folder: &Path| {
        let in_main = || Some(main.as_ref()?.join(folder.strip_prefix(top).ok()?));
        is_marked(disk, folder, around) || in_main().is_some_and(|folder| is_marked(disk, &folder, around))
    };
    let is_own = |folder: &Path| folder == top || !is_left_out(disk, top, folder, around);
    let marked = folders.iter().find(|folder| is_marked(folder) && is_own(folder));
    let project = marked.unwrap_or(&top);
    let main = main_of(disk, project, (top, main.as_deref()))?;
    let found = if marked.is_some() { Found::Memory } else { Found::Git };
    around.require_own(disk, project, main.memory_dir(project), Some(top))?;
    Ok(Place {
        project_dir: project.to_path_buf(),
        main,
        found,
        git_settings: around.git_settings.clone(),
        users: around.users.clone(),
    })
}

fn find_outside_of_git(disk: &dyn Disk, (start, folders): (&Path, &[&Path]), around: &Surroundings) -> Result<Place> {
    // The own folder of another user, such as the one of whoever ran `sudo`, is no project either.
    let is_own_folder = |folder: &Path| disk.has(&folder.join(FORGE_FOLDER).join(KEY_FILE));
    let end = folders.iter().position(|folder| is_own_folder(folder));
    let below = folders.get(..end.unwrap_or(folders.len())).unwrap_or_default();
    let marked = below.iter().find(|folder| is_marked(disk, folder, around));
    let Some(project) = marked.or(below.first()) else {
        let reason = around.never(start).unwrap_or(NotAProject::HomeFolder);
        return Err(not_a_project(start, reason));
    };
    if marked.is_none() && around.is_of_a_program(project) {
        return Err(not_a_project(start, NotAProject::ProgramFolder));
    }
    around.require_own(disk, project, project, Some(project))?;
    Ok(Place {
        project_dir: project.to_path_buf(),
        main: InMain::Nothing,
        found: if marked.is_some() { Found::Memory } else { Found::Folder },
        git_settings: around.git_settings.clone(),
        users: around.users.clone(),
    })
}

/// Returns the project in a folder that the caller named: any folder can be one, but no memory of another user is used.
///
/// # Errors
/// As [`find_place`], without `NO_PROJECT`.
pub fn named_place(disk: &dyn Disk, folder: &Path, around: &Surroundings) -> Result<Place> {
    let top = folder.ancestors().find(|folder| is_top(disk, folder));
    let main = match top {
        Some(top) => main_of(disk, folder, (top, main_folder(disk, top)?.as_deref()))?,
        None => InMain::Nothing,
    };
    around.require_own(disk, folder, main.memory_dir(folder), None)?;
    Ok(Place {
        project_dir: folder.to_path_buf(),
        main,
        found: Found::Named,
        git_settings: around.git_settings.clone(),
        users: around.users.clone(),
    })
}

/// Returns the memory that the main checkout has for a project. While git tracks nothing of the memory in the work tree, the same folder
/// of the main checkout has it.
fn main_of(disk: &dyn Disk, project: &Path, (top, main): (&Path, Option<&Path>)) -> Result<InMain> {
    let Some(main) = main else {
        return Ok(InMain::Nothing);
    };
    let below = project.strip_prefix(top).unwrap_or(Path::new(""));
    Ok(if has_tracked_journal(disk, top, &below.join(FORGE_FOLDER))? {
        InMain::Branch {
            tree: top.to_path_buf(),
            main: main.to_path_buf(),
        }
    } else {
        InMain::Memory(join(main, below))
    })
}

/// Keeps a project's own `.forge` out of git where the memory is that of the main checkout, such as the code graph of a work tree.
///
/// # Errors
/// `IO` when a file of git cannot be read, or the list cannot be written.
pub fn hide_own_folder(disk: &dyn Disk, project: &Path) -> Result<()> {
    let Some(top) = project.ancestors().find(|folder| is_top(disk, folder)) else {
        return Ok(());
    };
    let list = project.join(FORGE_FOLDER).join(".gitignore");
    let main = main_folder(disk, top)?;
    if disk.has(&list) {
        return Ok(());
    }
    match main_of(disk, project, (top, main.as_deref()))? {
        InMain::Memory(_) => Ok(write_file(disk, &list, b"*\n")?),
        InMain::Nothing | InMain::Branch { .. } => Ok(()),
    }
}

/// `Path::join` adds a separator for an empty path.
fn join(folder: &Path, below: &Path) -> PathBuf {
    below.iter().fold(folder.to_path_buf(), |path, part| path.join(part))
}

/// True if a folder is the top of a git work tree, or a bare repository.
fn is_top(disk: &dyn Disk, folder: &Path) -> bool {
    let has_folder = |name: &str| disk.has_folder(&folder.join(name));
    disk.has(&folder.join(".git"))
        || (disk.has_file(&folder.join("HEAD"))
            && has_folder("objects")
            && has_folder("refs")
            && folder.file_name().is_some_and(|name| name != ".git"))
}

/// A folder is marked as a project by a memory or by settings. The user's own folder is the memory of no project.
fn is_marked(disk: &dyn Disk, folder: &Path, around: &Surroundings) -> bool {
    let forge = folder.join(FORGE_FOLDER);
    (forge != around.home && disk.has_folder(&forge)) || disk.has_file(&folder.join(CONFIG_FILE))
}

/// True if a folder belongs to no project of the work tree: git ignores it, and tracks no memory in it.
fn is_left_out(disk: &dyn Disk, top: &Path, folder: &Path, around: &Surroundings) -> bool {
    let below = folder.strip_prefix(top).unwrap_or(folder);
    is_ignored(disk, top, folder, &around.git_settings)
        && !has_tracked_journal(disk, top, &below.join(FORGE_FOLDER)).unwrap_or(false)
}

/// True if git ignores a folder of a work tree, such as those of dependencies.
pub fn is_ignored_by_git(disk: &dyn Disk, folder: &Path, around: &Surroundings) -> bool {
    let top = folder.ancestors().find(|folder| is_top(disk, folder));
    top.is_some_and(|top| is_ignored(disk, top, folder, &around.git_settings))
}

/// True if a folder is a submodule that the settings of the work tree around it name in `scopes`.
fn is_named_by_superproject(disk: &dyn Disk, submodule: &Path, around: &Surroundings) -> bool {
    let above = submodule.ancestors().skip(1);
    let mut above = above.take_while(|folder| around.never(folder).is_none());
    let Some(top) = above.find(|folder| is_top(disk, folder)) else {
        return false;
    };
    let git = |folder: &Path| git_folder(disk, folder).ok().flatten();
    let is_submodule = || {
        let own = disk.real_path(&git(submodule)?).ok()?;
        let modules = disk.real_path(&git(top)?.join("modules")).ok()?;
        Some(own.starts_with(modules))
    };
    let names = || {
        let settings = Config::load(disk, &top.join(CONFIG_FILE)).settings;
        let below = submodule.strip_prefix(top).ok()?;
        let scopes = settings.scopes.as_ref()?.as_object()?.values();
        let mut folders = scopes.flat_map(|scope| match scope.as_array() {
            Some(list) => list.iter().collect(),
            None => vec![scope],
        });
        Some(folders.any(|folder| folder.as_str().is_some_and(|folder| below.starts_with(folder))))
    };
    is_submodule() == Some(true) && names() == Some(true)
}

impl Surroundings {
    fn never(&self, folder: &Path) -> Option<NotAProject> {
        if folder.parent().is_none() {
            return Some(NotAProject::Root);
        }
        if self.user_folder.as_deref() == Some(folder) {
            return Some(NotAProject::HomeFolder);
        }
        self.temporary
            .iter()
            .any(|root| root == folder)
            .then_some(NotAProject::TemporaryRoot)
    }

    /// Programs keep their settings and plug-ins in hidden folders of the home folder. Hosts start servers there.
    fn is_of_a_program(&self, folder: &Path) -> bool {
        let below = self
            .user_folder
            .as_ref()
            .and_then(|home| folder.strip_prefix(home).ok());
        let first = below.and_then(|below| below.iter().next());
        first.is_some_and(|name| name.to_string_lossy().starts_with('.'))
    }

    /// Refuses a memory or settings that another user owns or may write, and, where there is no memory yet, a folder of another
    /// user; `top` is `None` when the caller named it.
    fn require_own(&self, disk: &dyn Disk, project: &Path, memory_dir: &Path, top: Option<&Path>) -> Result<()> {
        let forge = memory_dir.join(FORGE_FOLDER);
        let has_memory = disk.has(&forge);
        let suspect = self
            .stranger(disk, &forge, true)
            .or_else(|| self.stranger(disk, &project.join(CONFIG_FILE), true))
            .or_else(|| {
                top.filter(|_| !has_memory)
                    .and_then(|top| self.stranger(disk, top, false))
            });
        let Some((path, reason)) = suspect else {
            return Ok(());
        };
        let target = disk
            .real_path(&forge)
            .or_else(|_| disk.real_path(memory_dir).map(|dir| dir.join(FORGE_FOLDER)));
        let is_trusted = target.is_ok_and(|target| is_folder_trusted(&self.home, memory_dir, &target));
        if is_trusted || self.is_declared_safe(disk, top.unwrap_or(project)) {
            return Ok(());
        }
        Err(Error::ForeignFolder {
            project: project.to_path_buf(),
            memory_dir: memory_dir.to_path_buf(),
            path,
            reason,
        })
    }

    /// Returns a path and whose it is, when it is not the user's alone.
    fn stranger(&self, disk: &dyn Disk, path: &Path, is_written: bool) -> Option<(PathBuf, &'static str)> {
        let reason = strange(&self.users, path, disk.metadata(path).ok()?.access?, is_written);
        reason.map(|reason| (path.to_path_buf(), reason))
    }

    /// True if the user told git that a work tree of another owner is safe: git even runs programs from it.
    fn is_declared_safe(&self, disk: &dyn Disk, top: &Path) -> bool {
        let Ok(top) = disk.real_path(top) else {
            return false;
        };
        let mut is_safe = false;
        let values = self.git_settings.iter();
        for value in values.flat_map(|file| values_in(disk, file, "safe", "directory")) {
            is_safe = match value.as_str() {
                "" => false,
                "*" => true,
                _ => is_safe || self.names(&value, disk, &top),
            };
        }
        is_safe
    }

    fn names(&self, value: &str, disk: &dyn Disk, top: &Path) -> bool {
        let (value, is_prefix) = match value.strip_suffix("/*") {
            Some(prefix) => (prefix, true),
            None => (value, false),
        };
        let folder = match (value.strip_prefix("~/"), &self.user_folder) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(value),
        };
        let Ok(folder) = disk.real_path(&folder) else {
            return false;
        };
        folder == top || (is_prefix && top.starts_with(&folder))
    }
}

/// Returns why what is at a path is not the user's alone.
pub(super) fn strange(users: &[u32], path: &Path, access: Access, is_written: bool) -> Option<&'static str> {
    let Access { mode, owner, group } = access;
    if !users.is_empty() && !users.contains(&owner) {
        return Some("belongs to another user");
    }
    // By convention the group of a user alone has the user's number.
    let by_group = mode & GROUP_WRITES != 0 && group != owner;
    let may_others = is_written && (by_group || mode & OTHERS_WRITE != 0);
    (may_others && has_modes(path)).then_some("may be written by other users")
}

fn not_a_project(folder: &Path, reason: NotAProject) -> Error {
    Error::NoProject {
        folder: folder.to_path_buf(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use forge_memory_journal::{OsDisk, user_id};

    /// A home folder with the user's own folder, beside the root of temporary folders.
    struct World {
        folder: tempfile::TempDir,
        around: Surroundings,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = fs::canonicalize(folder.path()).unwrap();
            for name in ["home/me/.forge", "home/me/code", "tmp"] {
                fs::create_dir_all(root.join(name)).unwrap();
            }
            let around = Surroundings {
                home: root.join("home/me/.forge"),
                user_folder: Some(root.join("home/me")),
                temporary: vec![root.join("tmp"), root.clone()],
                users: user_id().into_iter().collect(),
                git_settings: vec![root.join("home/me/.gitconfig")],
            };
            World { folder, around }
        }

        fn path(&self, name: &str) -> PathBuf {
            fs::canonicalize(self.folder.path()).unwrap().join(name)
        }

        fn make(&self, folder: &str) {
            fs::create_dir_all(self.path(folder)).unwrap();
        }

        fn write(&self, name: &str, text: &str) {
            fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
            fs::write(self.path(name), text).unwrap();
        }

        /// Where a start belongs, relative to the world, or the code of the error.
        fn find(&self, start: &str) -> String {
            match find_place(&OsDisk, &self.path(start), &self.around) {
                Ok(place) => {
                    assert_eq!(place.main, InMain::Nothing);
                    let below = place.project_dir.strip_prefix(self.path("")).unwrap();
                    below.to_string_lossy().replace('\\', "/")
                }
                Err(error) => error.code().to_owned(),
            }
        }
    }

    #[test]
    fn a_work_tree_ends_the_search_and_its_packages_count() {
        let world = World::new();
        world.make("home/me/code/.forge");
        world.make("home/me/code/bank/.git");
        world.make("home/me/code/bank/packages/api/src");
        assert_eq!(world.find("home/me/code/bank/packages/api/src"), "home/me/code/bank");
        world.write("home/me/code/bank/packages/api/.forge.json", "{}");
        assert_eq!(
            world.find("home/me/code/bank/packages/api/src"),
            "home/me/code/bank/packages/api"
        );
        assert_eq!(world.find("home/me/code/bank"), "home/me/code/bank");
        world.make("home/me/code/notes/deep");
        assert_eq!(world.find("home/me/code/notes/deep"), "home/me/code", "outside of git");
    }

    #[test]
    fn what_git_ignores_has_no_memory_of_its_own() {
        let world = World::new();
        let shop = "home/me/code/shop";
        let evil = |name: &str| format!("{shop}/{name}");
        world.make(&evil(".git"));
        for folder in ["node_modules/evil", "packages/api/third/evil", "packages/api"] {
            world.make(&evil(&format!("{folder}/.forge")));
            world.write(&evil(&format!("{folder}/.forge.json")), "{}");
        }
        world.make(&evil("node_modules/evil/src"));
        assert_eq!(world.find(&evil("node_modules/evil/src")), evil("node_modules/evil"));
        world.write(&evil(".gitignore"), "node_modules\n");
        world.write(&evil("packages/api/.gitignore"), "/third/\n");
        for (start, project) in [
            ("node_modules/evil/src", shop.to_owned()),
            ("node_modules/evil", shop.to_owned()),
            ("node_modules", shop.to_owned()),
            ("packages/api/third/evil", evil("packages/api")),
            ("packages/api", evil("packages/api")),
        ] {
            assert_eq!(world.find(&evil(start)), project, "{start}");
        }
        // A repository of its own, such as a work tree in an ignored folder, is a project.
        world.make(&evil("node_modules/own/.git"));
        assert_eq!(world.find(&evil("node_modules/own")), evil("node_modules/own"));
    }

    #[test]
    fn some_folders_are_never_a_project() {
        let world = World::new();
        for folder in [
            "home/me/.git",
            "tmp/.git",
            "tmp/.forge",
            "home/me/.cache/plug-in",
            "tmp/work/deep",
        ] {
            world.make(folder);
        }
        for start in [
            "home/me",
            "tmp",
            "",
            "home/me/.forge",
            "home/me/.forge/memory",
            "home/me/.cache/plug-in",
        ] {
            assert_eq!(world.find(start), "NO_PROJECT", "{start}");
        }
        let root = Path::new("/").ancestors().last().unwrap();
        assert_eq!(
            find_place(&OsDisk, root, &world.around).unwrap_err().code(),
            "NO_PROJECT"
        );
        assert_eq!(
            world.find("home/me/code"),
            "home/me/code",
            "the work tree of the home folder is none"
        );
        assert_eq!(world.find("tmp/work/deep"), "tmp/work/deep");
        world.make("home/me/.cache/plug-in/.git");
        assert_eq!(
            world.find("home/me/.cache/plug-in"),
            "home/me/.cache/plug-in",
            "hidden repositories are some"
        );
        world.write("home/other/.forge/machine.key", "x");
        assert_eq!(
            world.find("home/other"),
            "NO_PROJECT",
            "the home folder of another account"
        );
        let named = named_place(&OsDisk, &world.path("home/me"), &world.around).unwrap();
        assert_eq!((named.project_dir, named.found), (world.path("home/me"), Found::Named));
    }

    #[test]
    fn a_submodule_is_a_project_unless_the_work_tree_around_it_names_it() {
        let world = World::new();
        world.write(
            "home/me/code/shop/.git/modules/parser/config",
            "[core]\n\tworktree = ../../../vendor/parser\n",
        );
        world.write(
            "home/me/code/shop/vendor/parser/.git",
            "gitdir: ../../.git/modules/parser\n",
        );
        world.make("home/me/code/shop/vendor/own/.git");
        let (parser, own) = ("home/me/code/shop/vendor/parser", "home/me/code/shop/vendor/own");
        assert_eq!((world.find(parser), world.find(own)), (parser.into(), own.into()));
        world.write(
            "home/me/code/shop/.forge.json",
            r#"{"scopes":{"parser":["vendor/parser"],"own":"vendor"}}"#,
        );
        assert_eq!(world.find(parser), "home/me/code/shop");
        assert_eq!(
            world.find(own),
            own,
            "a repository of its own, which no commit of the other one has"
        );
        for broken in ["{", "[]", r#"{"scopes":{"parser":["vendor/pars"]}}"#] {
            world.write("home/me/code/shop/.forge.json", broken);
            assert_eq!(world.find(parser), parser, "{broken}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_others_own_or_may_write_is_refused_until_the_user_says_otherwise() {
        use std::os::unix::fs::PermissionsExt;
        let mut world = World::new();
        let may = |name: &str, mode: u32| {
            fs::set_permissions(world.path(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        world.make("home/me/code/shop/.git");
        world.make("home/me/code/shop/.forge");
        let shop = "home/me/code/shop";
        let forge = OsDisk
            .metadata(&world.path("home/me/code/shop/.forge"))
            .unwrap()
            .access
            .unwrap();
        let with_group = if forge.group == forge.owner {
            shop
        } else {
            "FOREIGN_FOLDER"
        };
        for (mode, found) in [
            (0o700, shop),
            (0o755, shop),
            (0o775, with_group),
            (0o707, "FOREIGN_FOLDER"),
        ] {
            may("home/me/code/shop/.forge", mode);
            assert_eq!(world.find(shop), found, "{mode:o}");
        }
        may("home/me/code/shop/.forge", 0o700);
        world.write("home/me/code/shop/.forge.json", "{}");
        may("home/me/code/shop/.forge.json", 0o666);
        assert_eq!(world.find(shop), "FOREIGN_FOLDER", "its settings");
        fs::remove_file(world.path("home/me/code/shop/.forge.json")).unwrap();
        // Seen by another user.
        let user = world.around.users[0];
        world.around.users = vec![user + 1];
        assert_eq!(world.find(shop), "FOREIGN_FOLDER");
        let named = named_place(&OsDisk, &world.path(shop), &world.around);
        assert_eq!(
            named.unwrap_err().code(),
            "FOREIGN_FOLDER",
            "a named folder does not make the memory one's own"
        );
        for (value, found) in [
            ("*", shop.to_owned()),
            ("~/code/*", shop.to_owned()),
            ("~/code/shop", shop.to_owned()),
            ("~/code", "FOREIGN_FOLDER".to_owned()),
            ("*\n[safe]\n\tdirectory = \"\"", "FOREIGN_FOLDER".to_owned()),
        ] {
            world.write("home/me/.gitconfig", &format!("[safe]\n\tdirectory = {value}\n"));
            assert_eq!(world.find(shop), found, "{value}");
        }
        fs::remove_dir(world.path("home/me/code/shop/.forge")).unwrap();
        fs::remove_file(world.path("home/me/.gitconfig")).unwrap();
        assert_eq!(
            world.find(shop),
            "FOREIGN_FOLDER",
            "a repository of another user without a memory"
        );
        assert_eq!(
            world.find("home/me/code"),
            "FOREIGN_FOLDER",
            "and a folder of theirs outside of git"
        );
        world.around.users.push(user);
        assert_eq!(world.find(shop), shop, "whoever ran sudo");
    }
}
