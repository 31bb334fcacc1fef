//! Earlier deliveries, read from the archive: the ids and projects under which a thought reached the store.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Work;
use super::drain::Drain;
use super::line::{QueueLine, is_own};
use crate::error::{Error, Result};
use crate::journal::{rotated_path, scan_lines};
use crate::model::thought::id_hash;

impl Drain {
    /// Finds deliveries in the archive that were made under a project name of the older tools.
    pub(super) fn delivered_under(&self, name: &str) -> Result<Vec<String>> {
        let mut ids = FxHashSet::default();
        self.each_delivered(|line| {
            if line.text("key").is_some_and(|key| key == name) {
                ids.insert(line.id());
            }
        })?;
        let mut ids: Vec<String> = ids.into_iter().collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Returns the names of the projects that a delete may affect.
    pub(super) fn projects_of(&mut self, work: &Work) -> Result<Vec<String>> {
        let mut projects = self.projects.clone();
        match work {
            Work::Store(thought) if !projects.contains(&thought.project) => projects.push(thought.project.clone()),
            Work::Store(_) => {}
            Work::Delete(_) | Work::Rule(_) => {
                let ids = match work {
                    Work::Delete(ids) => ids.as_slice(),
                    Work::Rule(ruling) => std::slice::from_ref(&ruling.id),
                    Work::Store(_) => &[],
                };
                if self.renamed.is_none() {
                    self.renamed = Some(self.delivered_elsewhere()?);
                }
                let renamed = self.renamed.as_ref();
                let others = ids.iter().filter_map(|id| renamed?.get(&id_hash(id)));
                projects.extend(others.flatten().cloned());
            }
        }
        Ok(projects)
    }

    /// Finds deliveries in the archive that were made under a former name of the project.
    fn delivered_elsewhere(&self) -> Result<FxHashMap<u64, Vec<String>>> {
        let mut renamed: FxHashMap<u64, Vec<String>> = FxHashMap::default();
        self.each_delivered(|line| {
            if let Some(project) = line.text("project").filter(|project| !self.is_own(project)) {
                let names = renamed.entry(id_hash(&line.id())).or_default();
                if !names.contains(&project.as_ref().to_owned()) {
                    names.push(project.into_owned());
                }
            }
        })?;
        Ok(renamed)
    }

    /// Returns the default project name of a line.
    pub(super) fn project(&self) -> &str {
        self.projects.first().map_or("", String::as_str)
    }

    fn is_own(&self, project: &str) -> bool {
        self.projects.iter().any(|own| own == project)
    }

    /// Visits the thoughts in the archive that this machine delivered.
    fn each_delivered(&self, mut take: impl FnMut(&QueueLine<'_>)) -> Result<()> {
        let path = self.archive.path().to_path_buf();
        for path in [rotated_path(&path), path] {
            let Ok(file) = self.archive.disk().open_read(&path) else {
                continue;
            };
            let io = |source| Error::io("read", &path)(source);
            let len = file.state().map_err(io)?.len;
            scan_lines(file.as_ref(), 0, len, &mut |line| {
                if let Some(read) = QueueLine::read(line.bytes)
                    && read.text("_action").is_none()
                    && is_own(line.bytes, &self.check)
                {
                    take(&read);
                }
            })
            .map_err(io)?;
        }
        Ok(())
    }
}
