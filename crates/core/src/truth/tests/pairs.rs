//! Pairs of texts as developers write them, a file for each sort of change. A line has the older text, a tab and the newer one; the titles
//! say what becomes of them:
//!
//! - *noticed*: the older one is retired, or linked
//! - *missed*: it should be, and is not
//! - *apart*: both are true, and not linked
//! - *linked*: both are true, and yet linked; at least, neither is retired

use super::evidence;

const FILES: [(&str, &str); 14] = [
    ("rename", include_str!("pairs/rename.txt")),
    ("revert", include_str!("pairs/revert.txt")),
    ("version", include_str!("pairs/version.txt")),
    ("owner", include_str!("pairs/owner.txt")),
    ("tool", include_str!("pairs/tool.txt")),
    ("path", include_str!("pairs/path.txt")),
    ("command", include_str!("pairs/command.txt")),
    ("limit", include_str!("pairs/limit.txt")),
    ("state", include_str!("pairs/state.txt")),
    ("mixed", include_str!("pairs/mixed.txt")),
    ("project", include_str!("pairs/project.txt")),
    ("scope", include_str!("pairs/scope.txt")),
    ("structure", include_str!("pairs/structure.txt")),
    ("languages", include_str!("pairs/languages.txt")),
];

/// Calls `visit` with the title, the older and the newer text of each pair.
fn each_pair(mut visit: impl FnMut(&str, &str, &str)) {
    for (_, text) in FILES {
        let mut title = "";
        for line in text.lines() {
            match (line.strip_prefix("# "), line.split_once('\t')) {
                (Some(next), _) => title = next,
                (None, Some((older, newer))) => visit(title, older, newer),
                (None, None) => panic!("not a pair: {line}"),
            }
        }
    }
}

#[test]
fn changes_are_noticed_and_similar_statements_are_left_alone() {
    let mut wrong: Vec<String> = Vec::new();
    each_pair(|title, older, newer| {
        let found = evidence(older, newer);
        let is_right = match title {
            "noticed" => found.is_some(),
            "missed" | "apart" => found.is_none(),
            "linked" => found.is_some_and(|found| !found.retires),
            _ => panic!("unknown title: {title}"),
        };
        if !is_right {
            wrong.push(format!("{title}: {older} | {newer}: {found:?}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nine_of_ten_changes_are_noticed_and_one_of_twenty_similar_statements_is_linked() {
    let mut counts = [0_usize; 4];
    each_pair(|title, _, _| {
        let titles = ["noticed", "missed", "apart", "linked"];
        counts[titles.iter().position(|known| *known == title).unwrap()] += 1;
    });
    let [noticed, missed, apart, linked] = counts;
    assert!(noticed >= 9 * missed, "{counts:?}");
    assert!(apart >= 19 * linked, "{counts:?}");
}
