//! The queries: search, callers, callees, blast radius, statistics.

use forge_memory_core::limits::check_whole;
use forge_memory_core::{Error, Result};
use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::{Answers, Blast, ChunkAnswer, DEPTH_MAX, Direction, Hot, LIMIT_MAX, QueryOptions, Seed, Stat};
use super::freshness::AnswerBuilder;
use super::opened::OpenGraph;
use super::rank;
use super::walk::{Walk, hottest};
use crate::facts::{key_of, parse_id};
use crate::graph::{EdgeView, Graph};
use crate::kind::Kind;
use crate::language;
use crate::resolve::Resolved;
use crate::storage::{IndexFolder, read_meta};

const NO_INDEX: &str = "there is no index yet: run forge-memory code index";

/// Answers queries from the open index, if there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup<'o> {
    pub(crate) folder: &'o IndexFolder,
    pub(crate) open: Option<&'o OpenGraph>,
}

impl Lookup<'_> {
    /// Searches chunks by words, best first; without words, lists them in the order of files.
    pub(crate) fn query(&self, options: &QueryOptions) -> Result<Answers> {
        let limit = check_whole("limit", options.limit, 25, 1.0, LIMIT_MAX)?;
        let language = match &options.language {
            Some(name) => Some(self.language(name)?),
            None => None,
        };
        let kind = match &options.kind {
            Some(name) => {
                Some(Kind::parse(name).ok_or_else(|| Error::invalid("kind", format!("unknown kind {name}")))?)
            }
            None => None,
        };
        let Some(open) = self.open else {
            return Ok(Answers::saying(NO_INDEX));
        };
        let filter = rank::Filter {
            language,
            languages: open.foreign.as_ref().map(|foreign| foreign.languages.as_slice()),
            kind,
            path: options.file_path.as_deref(),
            is_whole: options.whole,
        };
        let (found, total) = rank::find(&open.graph, &options.query, &filter, limit);
        let mut answers = AnswerBuilder::new(self.folder, open);
        let chunks: Vec<ChunkAnswer> = found
            .into_iter()
            .filter_map(|(number, score)| {
                let mut chunk = answers.chunk(number)?;
                chunk.score = score;
                Some(chunk)
            })
            .collect();
        Ok(answers.finish(chunks, None, total, &format!("{total} found"), "nothing found"))
    }

    /// Finds the callers of a definition, most certain first.
    pub(crate) fn callers(&self, seed: &Seed) -> Result<Answers> {
        let limit = check_whole("limit", seed.limit, 25, 1.0, LIMIT_MAX)?;
        let asked = self.asked(seed)?;
        let Some(open) = self.open else {
            return Ok(Answers::saying(NO_INDEX));
        };
        let graph = &open.graph;
        let seeds = find_seeds(graph, seed);
        let mut best: FxHashMap<u32, EdgeView<'_>> = FxHashMap::default();
        let by_target = seeds.iter().flat_map(|seed| graph.into(*seed));
        // A name without a definition, or with too many, has callers too.
        let by_name = seed
            .name
            .iter()
            .filter(|_| seed.chunk_id.is_none())
            .flat_map(|name| graph.called(name));
        for edge in by_target
            .chain(by_name.filter(|edge| graph.ends(*edge).1.is_none()))
            .filter_map(|edge| graph.edge(edge))
        {
            let known = best.get(&edge.caller);
            if known.is_none_or(|known| is_surer(&edge, known)) {
                best.insert(edge.caller, edge);
            }
        }
        let mut callers: Vec<(u32, EdgeView<'_>)> = best.into_iter().collect();
        callers.sort_by_key(|(caller, edge)| (rank_of(edge.resolved), *caller));
        let known = if seeds.is_empty() {
            "not defined in this project; "
        } else {
            ""
        };
        let some = format!("{known}{} call {asked}", callers.len());
        let none = format!("{known}no callers of {asked}");
        Ok(self.neighbours(open, &callers, limit, None, (&some, &none)))
    }

    /// Finds the definitions that a definition calls or refers to.
    pub(crate) fn callees(&self, seed: &Seed) -> Result<Answers> {
        let limit = check_whole("limit", seed.limit, 25, 1.0, LIMIT_MAX)?;
        let asked = self.asked(seed)?;
        let Some(open) = self.open else {
            return Ok(Answers::saying(NO_INDEX));
        };
        let graph = &open.graph;
        let seeds = find_seeds(graph, seed);
        let mut targets: Vec<(u32, EdgeView<'_>)> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut unresolved = Vec::new();
        for edge in seeds
            .iter()
            .flat_map(|seed| graph.out_of(*seed))
            .filter_map(|edge| graph.edge(edge))
        {
            match edge.target {
                Some(target) if seen.insert(target) => targets.push((target, edge)),
                Some(_) => {}
                None => unresolved.push(edge.name.to_owned()),
            }
        }
        unresolved.sort_unstable();
        unresolved.dedup();
        let some = format!("{asked} calls {}", targets.len() + unresolved.len());
        let none = if seeds.is_empty() {
            format!("no definition named {asked}")
        } else {
            format!("{asked} calls nothing")
        };
        Ok(self.neighbours(open, &targets, limit, Some(unresolved), (&some, &none)))
    }

    /// Returns the first of the chunks at the other ends of edges, and the names that lead to no chunk.
    fn neighbours(
        &self,
        open: &OpenGraph,
        found: &[(u32, EdgeView<'_>)],
        limit: usize,
        unresolved: Option<Vec<String>>,
        texts: (&str, &str),
    ) -> Answers {
        let mut answers = AnswerBuilder::new(self.folder, open);
        let shown = found.iter().take(limit);
        let chunks = shown
            .filter_map(|(number, edge)| answers.through(*number, edge))
            .collect();
        let total = found.len() + unresolved.as_ref().map_or(0, Vec::len);
        answers.finish(chunks, unresolved, total, texts.0, texts.1)
    }

    /// Finds everything that is reachable from a definition within some edges.
    pub(crate) fn blast(&self, seed: &Seed, direction: Direction, depth: Option<f64>) -> Result<Blast> {
        let limit = check_whole("limit", seed.limit, 50, 1.0, LIMIT_MAX)?;
        let depth = check_whole("depth", depth, 3, 1.0, DEPTH_MAX)? as u32;
        let asked = self.asked(seed)?;
        let Some(open) = self.open else {
            return Ok(Blast::saying(NO_INDEX));
        };
        let seeds = find_seeds(&open.graph, seed);
        if seeds.is_empty() {
            return Ok(Blast::saying(&format!("no definition named {asked}")));
        }
        let walk = Walk::from(&open.graph, &seeds, direction, depth);
        let mut answers = AnswerBuilder::new(self.folder, open);
        let shown: Vec<u32> = walk.order.iter().copied().take(limit).collect();
        let nodes: Vec<ChunkAnswer> = shown
            .iter()
            .filter_map(|number| {
                let step = walk.steps.get(number)?;
                let mut chunk = match step.edge.and_then(|edge| open.graph.edge(edge)) {
                    Some(edge) => answers.through(*number, &edge)?,
                    None => answers.chunk(*number)?,
                };
                chunk.distance = Some(step.distance);
                chunk.path = walk.path(&open.graph, *number);
                Some(chunk)
            })
            .collect();
        let is_shown: FxHashSet<u32> = shown.into_iter().collect();
        let edges = walk.edges(&open.graph, &is_shown);
        let total = walk.order.len();
        let text = format!("{total} within {depth} of {asked} ({})", direction.name());
        let message = answers.message(&text, &text, total);
        Ok(Blast {
            truncated: nodes.len() < total,
            nodes,
            edges,
            unresolved_names: walk.unresolved(&open.graph),
            total,
            message,
        })
    }

    /// Returns the language to search for. An index of another program may have any.
    fn language<'n>(&self, name: &'n str) -> Result<&'n str> {
        if self.is_foreign() {
            return Ok(name);
        }
        language::name_of(name).ok_or_else(|| Error::invalid("language", format!("unknown language {name}")))
    }

    /// Returns the text of a seed: its id or its name.
    fn asked(&self, seed: &Seed) -> Result<String> {
        match (&seed.chunk_id, &seed.name) {
            (Some(id), _) if self.is_foreign() || parse_id(id).is_some() => Ok(id.chars().take(128).collect()),
            (Some(_), _) => Err(Error::invalid("chunkId", "expected 16 hexadecimal digits")),
            (None, Some(name)) if !name.trim().is_empty() => Ok(name.chars().take(128).collect()),
            _ => Err(Error::invalid("name", "expected a name or a chunkId")),
        }
    }

    fn is_foreign(&self) -> bool {
        self.open.is_some_and(|open| open.foreign.is_some())
    }

    pub(crate) fn stat(&self) -> Result<Stat> {
        let meta = read_meta(self.folder)?;
        let files = self.folder.paths.written();
        let found = files.iter().filter_map(|path| self.folder.disk.stat(path).ok());
        let index_bytes = found.map(|state| state.len).sum();
        let Some(open) = self.open else {
            return Ok(Stat {
                index_bytes,
                ..Stat::default()
            });
        };
        let graph = &open.graph;
        let mut languages: FxHashMap<&str, usize> = FxHashMap::default();
        let mut kinds = vec![0_usize; Kind::ALL.len()];
        for (file, kind, _) in (0..graph.nodes()).filter_map(|number| graph.outline(number)) {
            *languages.entry(graph.file(file).1).or_default() += 1;
            if let Some(count) = kinds.get_mut(usize::from(kind)) {
                *count += 1;
            }
        }
        let mut ways = [0_usize; 4];
        for edge in (0..graph.edges()).filter_map(|number| graph.edge(number)) {
            if let Some(count) = ways.get_mut(rank_of(edge.resolved)) {
                *count += 1;
            }
        }
        let mut languages: Vec<(String, usize)> = languages
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count))
            .collect();
        languages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut answers = AnswerBuilder::new(self.folder, open);
        let hottest = hottest(graph, 10)
            .into_iter()
            .filter_map(|(number, callers)| {
                Some(Hot {
                    chunk: answers.chunk(number)?,
                    callers,
                })
            })
            .collect();
        Ok(Stat {
            chunks: graph.nodes() as usize,
            edges: open
                .foreign
                .as_ref()
                .map_or(graph.edges() as usize, |foreign| foreign.edges),
            resolved: ["exact", "import", "name", "none"].into_iter().zip(ways).collect(),
            files_indexed: meta.as_ref().map_or(0, |meta| meta.files_indexed),
            files_skipped: meta.as_ref().map_or(0, |meta| meta.files_skipped),
            languages,
            kinds: Kind::ALL
                .iter()
                .map(|kind| kind.name())
                .zip(kinds)
                .filter(|(_, count)| *count > 0)
                .collect(),
            last_indexed_at: meta.as_ref().and_then(|meta| meta.last_indexed_at.clone()),
            chunker_impl: meta.as_ref().and_then(|meta| meta.chunker_impl.clone()),
            chunker_version: meta.and_then(|meta| meta.chunker_version),
            index_bytes,
            hottest,
            limit: open.limit,
        })
    }
}

fn is_surer(a: &EdgeView<'_>, b: &EdgeView<'_>) -> bool {
    rank_of(a.resolved) < rank_of(b.resolved)
}

fn rank_of(resolved: Option<Resolved>) -> usize {
    resolved.map_or(3, |resolved| resolved as usize)
}

/// Returns the chunks that a seed refers to: by id, by name, or by owner and name.
fn find_seeds(graph: &Graph, seed: &Seed) -> Vec<u32> {
    if let Some(id) = &seed.chunk_id {
        return graph.by_key(key_of(id)).into_iter().collect();
    }
    let Some(name) = seed.name.as_deref().map(str::trim) else {
        return Vec::new();
    };
    let whole: Vec<u32> = graph.named(name).collect();
    if !whole.is_empty() {
        return whole;
    }
    let Some((owner, last)) = name.rsplit_once(['.', ':', '#']) else {
        return Vec::new();
    };
    let owner = owner.trim_end_matches(':');
    let is_owned = |number: &u32| graph.node(*number).is_some_and(|node| node.owner == owner);
    graph.named(last).filter(is_owned).collect()
}
