//! The diagrams of the crates in `docs/rooms.md` match the sources.

use std::error::Error;
use std::fs;
use std::path::Path;

use forge_memory_layering::Tree;

#[test]
fn the_drawings_of_the_crates_are_up_to_date() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/rooms.md"))?.replace("\r\n", "\n");
    for name in ["core", "lattice", "journal", "redact"] {
        let begin = format!("<!-- drawing {name}: written by scripts/draw-rooms.mjs -->");
        let drawn = page
            .split_once(&begin)
            .and_then(|(_, rest)| rest.split_once("<!-- end of drawing"))
            .map(|(drawn, _)| drawn.trim());
        let tree = Tree::read(&root.join("crates").join(name).join("src"))?;
        let expected = format!("```mermaid\n{}\n```", tree.draw().trim());
        assert_eq!(
            drawn,
            Some(expected.as_str()),
            "{name}: node scripts/draw-rooms.mjs draws it again"
        );
    }
    Ok(())
}
