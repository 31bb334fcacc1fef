//! Prints the top-level modules of a crate as a Mermaid flowchart: `cargo run -p forge-memory-layering --example draw crates/core/src`.

use std::path::Path;

use forge_memory_layering::Tree;

fn main() -> std::io::Result<()> {
    for sources in std::env::args().skip(1) {
        print!("{}", Tree::read(Path::new(&sources))?.draw());
    }
    Ok(())
}
