//! The environment of a memory: folders, clock and disk, passed in so that the engine reads none of them itself.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_journal::clock::{Clock, Millis, SystemClock};
use forge_memory_journal::{ConfinedDisk, Disk};
use forge_memory_record::error::Result;

/// A source of the names in a project's code: the code graph, which is built on top of this crate.
pub trait CodeNames: Debug + Send + Sync {
    /// True if the code defines or uses a name, without blocking. Returns `None` when that is unknown, or was
    /// determined before `since`.
    fn has(&self, name: &str, since: Millis) -> Option<bool>;
}

/// A model's vectors of texts about everything else: a question that is as near to them as to a memory is not about the memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BackgroundTexts {
    /// Vectors of length one.
    pub vectors: Vec<Vec<f32>>,
    /// By how much the weakest of some questions with an answer [stood out](forge_memory_text::relevance::Nearness::standing); below 0, nothing is decided by them.
    pub least: f64,
}

/// Computes vectors of texts with a sentence embedding model, which is built on top of this crate. The cosine of two
/// vectors measures the semantic similarity of their texts.
pub trait TextEmbedder: Debug + Send + Sync {
    /// Names the model: vectors of different models cannot be compared.
    fn model(&self) -> &str;

    /// True if the model is installed, by checking its files.
    fn is_installed(&self) -> bool;

    /// Returns one vector per text, in the same order and all of the same length.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;

    /// Returns the vector of a query; some models were trained with different prefixes for queries and passages. A model that knows languages returns
    /// a second one, which hardly says the query's own: a text is as near as it is to either.
    fn embed_query(&self, query: &str) -> Result<Vec<Vec<f32>>> {
        self.embed(&[query])
    }

    /// Returns what the model was [measured](TextEmbedder::measure) by, once it was.
    fn background(&self) -> Option<Arc<BackgroundTexts>> {
        None
    }

    /// Measures the model by texts about everything else, unless that was done before; it takes as long as embedding a page.
    ///
    /// # Errors
    /// As [`TextEmbedder::embed`].
    fn measure(&self) -> Result<()> {
        Ok(())
    }

    /// Returns true if the thresholds of relevance were measured with this model.
    fn is_measured(&self) -> bool {
        true
    }
}

/// The models that are installed on a machine.
pub trait SentenceModels: Debug + Send + Sync {
    /// Returns the model of this name, else the user's choice, installed or not. It is asked before each search, since both may change.
    ///
    /// # Errors
    /// `INVALID_INPUT` when it is the name of no model, `IO`.
    fn choose(&self, name: Option<&str>) -> Result<Arc<dyn TextEmbedder>>;
}

/// How a project was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The caller named its folder.
    Named,
    /// By a `.forge` or a `.forge.json`.
    Memory,
    /// As the top of a git work tree, or a bare repository.
    Git,
    /// It is where one stands, and nothing else says that it is a project.
    Folder,
}

impl Found {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Found::Named => "named",
            Found::Memory => "memory",
            Found::Git => "git",
            Found::Folder => "folder",
        }
    }
}

/// The memory that the main checkout has, for a project in a linked work tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum InMain {
    /// The project is in no linked work tree.
    #[default]
    Nothing,
    /// The memory, which is not committed: all work trees share it.
    Memory(PathBuf),
    /// Nothing: the memory is committed, so that the work tree has that of its branch.
    Branch {
        /// The top of the work tree.
        tree: PathBuf,
        /// That of the main checkout, or the bare repository.
        main: PathBuf,
    },
}

impl InMain {
    /// Returns the folder whose `.forge` has the memory of a project.
    pub fn memory_dir<'a>(&'a self, project: &'a Path) -> &'a Path {
        match self {
            InMain::Memory(folder) => folder,
            InMain::Nothing | InMain::Branch { .. } => project,
        }
    }
}

/// A project and its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The project's folder.
    pub project_dir: PathBuf,
    /// The memory that the main checkout has.
    pub main: InMain,
    /// How it was found.
    pub found: Found,
    /// The user's settings of git, those of the system first.
    pub git_settings: Vec<PathBuf>,
    /// The ids of the user; none where owners are not checked.
    pub users: Vec<u32>,
}

impl Place {
    /// Returns the folder whose `.forge` has the memory.
    pub fn memory_dir(&self) -> &Path {
        self.main.memory_dir(&self.project_dir)
    }
}

/// The environment of a memory.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The project's folder.
    pub project_dir: PathBuf,
    /// The memory that the main checkout has, when the project is in a linked work tree.
    pub main: InMain,
    /// The user's own folder, usually `~/.forge`.
    pub home: PathBuf,
    /// The user's settings of git, those of the system first: they may say that an address stands for another one.
    pub git_settings: Vec<PathBuf>,
    /// The ids of the user, whose files alone are read in other work trees; none where owners are not checked.
    pub users: Vec<u32>,
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// The file system.
    pub disk: Arc<dyn Disk>,
    /// The names in the code, if there is a source of them.
    pub code_names: Option<Arc<dyn CodeNames>>,
    /// The sentence embedding model, if any.
    pub embedder: Option<Arc<dyn TextEmbedder>>,
    /// The models among which the settings choose; the chosen one replaces `embedder`.
    pub models: Option<Arc<dyn SentenceModels>>,
}

impl Environment {
    /// Returns the real clock and file system, confined to two folders.
    pub fn new(project_dir: PathBuf, home: PathBuf) -> Self {
        let disk = ConfinedDisk::new(project_dir.clone(), home.clone());
        Environment {
            project_dir,
            main: InMain::Nothing,
            home,
            git_settings: Vec::new(),
            users: Vec::new(),
            clock: Arc::new(SystemClock),
            disk: Arc::new(disk),
            code_names: None,
            embedder: None,
            models: None,
        }
    }

    /// Returns the same for a project whose memory may be in the main checkout.
    pub fn at(place: Place, home: PathBuf) -> Self {
        let Place {
            project_dir,
            main,
            git_settings,
            users,
            ..
        } = place;
        let own = Environment::new(project_dir.clone(), home.clone());
        let disk: Arc<dyn Disk> = match &main {
            InMain::Memory(folder) => Arc::new(ConfinedDisk::new(project_dir, home).with_memory(folder.clone())),
            InMain::Nothing | InMain::Branch { .. } => Arc::clone(&own.disk),
        };
        Environment {
            disk,
            main,
            git_settings,
            users,
            ..own
        }
    }

    /// Returns the folder whose `.forge` has the memory.
    pub fn memory_dir(&self) -> &Path {
        self.main.memory_dir(&self.project_dir)
    }
}
