use std::fs;

use crate::common::{Workshop, list_all};

const REVISIONS: usize = 20_000;

fn chain() -> Workshop {
    let workshop = Workshop::new();
    let lines: Vec<String> = (0..REVISIONS)
        .map(|number| {
            let supersedes = match number {
                0 => String::new(),
                _ => format!(",\"supersedes\":\"mem_{}\"", number - 1),
            };
            format!(
                "{{\"id\":\"mem_{number}\",\"content\":\"revision {number}\",\"type\":\"lesson\",\"captured_at\":\"2096-01-01T00:00:00.000Z\"{supersedes}}}\n"
            )
        })
        .collect();
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(workshop.raw_log(), lines.concat()).unwrap();
    workshop
}

#[test]
fn a_chain_of_many_revisions_is_shown_diagnosed_and_forgotten_as_a_whole() {
    let workshop = chain();
    let mut memory = workshop.open();
    for id in [format!("mem_{}", REVISIONS - 1), "mem_0".into(), "mem_10000".into()] {
        let history = memory.history(&id).unwrap().unwrap();
        assert_eq!(history.revisions().count(), REVISIONS);
        assert_eq!(history.current().text, format!("revision {}", REVISIONS - 1));
    }
    let findings = memory.diagnose();
    assert!(findings.iter().all(|finding| finding.code != "CONFLICTING_REVISIONS"));
    assert!(memory.forget("mem_10000").unwrap());
    assert_eq!(list_all(&mut memory).len(), 0);
    assert_eq!(list_all(&mut workshop.open()).len(), 0);
    assert!(!memory.forget("mem_3").unwrap());
    let tombstones = |path| {
        fs::read_to_string(path)
            .unwrap()
            .matches("\"_action\":\"delete\"")
            .count()
    };
    assert_eq!(tombstones(workshop.raw_log()), REVISIONS);
    assert_eq!(tombstones(workshop.forge().join("openbrain-queue.jsonl")), REVISIONS);
}
