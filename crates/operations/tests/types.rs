//! The committed types are those of the arguments and answers. `UPDATE=1` writes them again.

use std::path::Path;

use forge_memory_operations::{answers, inputs, typescript};

#[test]
fn the_types_are_those_of_the_arguments_and_answers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("types.d.ts");
    let written = format!(
        "// Written from the declarations of the arguments and answers: UPDATE=1 cargo test -p forge-memory-operations\n\n{}",
        [typescript(&inputs()), typescript(&answers())].join("\n")
    );
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &written).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), written);
}
