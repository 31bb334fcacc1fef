//! A simulation of another process that uses the same index.

use std::path::PathBuf;
use std::sync::Arc;

use forge_memory_core::index::{Catalog, Family, JournalIndex, index_folder, index_lock};
use forge_memory_core::journal::{Disk, Journal, OsDisk};

/// The index of a journal in another process.
pub struct OtherShelf {
    journal: Journal,
    catalog: Catalog,
    family: Family,
    pub folder: PathBuf,
}

impl OtherShelf {
    pub fn of(path: PathBuf) -> Self {
        let folder = path.parent().unwrap().to_path_buf();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (root, name, family) = if folder.ends_with("memory") {
            (
                folder.parent().unwrap().to_path_buf(),
                format!("memory-{stem}"),
                Family::Patterns,
            )
        } else {
            (folder, stem, Family::Thoughts)
        };
        let disk: Arc<dyn Disk> = Arc::new(OsDisk);
        let folder = index_folder(&root, &name);
        OtherShelf {
            catalog: Catalog::new(Arc::clone(&disk), folder.clone(), index_lock(&root, &name)),
            journal: Journal::new(disk, path, root.join(format!("locks/{name}.lock"))),
            family,
            folder,
        }
    }

    /// Persists what there is, however little; answers whether there was anything.
    pub fn persist(&mut self) -> bool {
        let mut shelf = JournalIndex::new(self.family, 0.9, Some(self.catalog.clone()));
        shelf.refresh(&mut self.journal).unwrap();
        shelf.whole_job(&self.journal).is_some_and(|job| job.run().unwrap())
    }
}
