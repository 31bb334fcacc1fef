//! Every step of writing fails once: the old index or the new one answers afterwards, never a mixture.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::sync::Arc;

use forge_memory_lattice::{IndexOptions, QueryOptions};
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};
use support::Project;

/// What is defined, as queries see it.
fn answers(project: &Project) -> Vec<String> {
    let all = project.lattice().query(&QueryOptions::default()).unwrap();
    all.chunks
        .into_iter()
        .map(|chunk| chunk.name)
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn a_death_at_any_step_leaves_the_old_index_or_the_new_one() {
    let mut survived = 0;
    for steps in 0.. {
        let project = Project::new();
        project.write_at("a.js", "function old() { helper() }\nfunction helper() {}\n", 1);
        project.index();
        project.write_at("a.js", "function fresh() {}\n", 2);
        project.write_at("b.js", "function more() {}\n", 2);
        let disk = FaultyDisk::of(Fault {
            at: steps + 1,
            torn: Torn::Half,
            dead: true,
        });
        let outcome = project
            .lattice_on(Arc::new(disk.clone()))
            .index(&IndexOptions::default(), &|_, _| {});
        let seen = answers(&project);
        assert!(
            seen == ["old", "helper"] || seen == ["fresh", "more"],
            "after {steps} steps: {seen:?}"
        );
        // The next run puts everything right, and a fresh one makes the same.
        project.index();
        assert_eq!(answers(&project), ["fresh", "more"], "after {steps} steps");
        assert_eq!(
            project.definitions(),
            ["a.js fresh", "b.js more"],
            "after {steps} steps"
        );
        if outcome.is_ok() && !disk.has_failed() {
            break;
        }
        survived += 1;
    }
    assert!(survived > 15, "only {survived} steps were seen to fail");
}
