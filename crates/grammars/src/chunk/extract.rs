//! Parses a file, within bounds, and extracts its facts.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use forge_memory_lattice::facts::Facts;
use forge_memory_lattice::language::{Language, all};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::{collect, nesting};
use crate::language;

/// The maximum number of calls of the parser's progress callback per KiB of source. A file that needs more is not a
/// program, and would occupy a processor for minutes.
const CALLBACKS_PER_KIB: u64 = 400;
const CALLBACKS_MIN: u64 = 20_000;
/// The block size of the parser's input. Blocks are counted, because within one call of the callback the parser may read to
/// the end of the file for each comment that is opened and never closed.
const BLOCK_BYTES: usize = 4096;
const READS_PER_BLOCK: usize = 200;
const READS_MIN: usize = 2000;

thread_local! {
    static TOOLS: RefCell<Tools> = RefCell::new(Tools::default());
}

/// State that is reused from file to file.
#[derive(Default)]
struct Tools {
    parser: Parser,
    language: Option<u8>,
}

/// Extracts the facts of a file in the language with this number; `None` when a limit is exceeded.
pub fn facts<'a>(number: u8, source: &'a [u8]) -> Option<Facts<'a>> {
    let language: &'static Language = all().get(usize::from(number)).copied()?;
    let compiled = language::compiled(number).ok()?;
    TOOLS.with(|tools| {
        let tools = &mut *tools.borrow_mut();
        if tools.language != Some(number) {
            tools.parser.set_language(&compiled.grammar).ok()?;
            tools.language = Some(number);
        }
        let tree = parse(&mut tools.parser, source)?;
        let found = collect::collect(compiled, &tree, source)?;
        Some(nesting::nest(language, source, found))
    })
}

fn parse(parser: &mut Parser, source: &[u8]) -> Option<Tree> {
    let mut left = CALLBACKS_MIN + CALLBACKS_PER_KIB * (source.len() as u64 / 1024);
    let reads = Cell::new(READS_MIN + READS_PER_BLOCK * (source.len() / BLOCK_BYTES));
    let mut count = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 || reads.get() == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let mut block = |at: usize, _| {
        reads.set(reads.get().saturating_sub(1));
        // An empty block makes the parser stop and call the callback.
        let end = if reads.get() == 0 {
            at
        } else {
            source.len().min(at + BLOCK_BYTES)
        };
        source.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut block, None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree.filter(|_| reads.get() > 0)
}
