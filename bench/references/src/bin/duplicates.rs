//! The truth about duplicates: all pairs of lessons of the same type that say the same.
//!
//! ```text
//! duplicates --corpus FILE --pairs FILE --flags FILE [--brute-up-to N]
//! ```
//! Up to N lessons (default 20000) every lesson is compared with every earlier one of its type. Above, the prefix filter
//! does it, and the first N lessons are done in both ways: the program fails when the answers differ.
//!
//! `--pairs` gets a line `later earlier cosine` a pair, positions counted from zero. `--flags` gets one digit a lesson: 1 when
//! an earlier lesson that is not itself a duplicate is near.

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use forge_memory_references::bag::Bags;
use forge_memory_references::pairs::{Pair, by_brute_force, by_prefix};
use forge_memory_references::{Lesson, Outcome, option, read_lessons, required};
use rustc_hash::FxHashMap;
use serde_json::json;

/// The lessons of one type, and where in the corpus each is.
#[derive(Default)]
struct Group {
    bags: Bags,
    positions: Vec<u32>,
}

fn main() -> Outcome<()> {
    let lessons = read_lessons(&required("corpus")?)?;
    let brute_up_to: usize = option("brute-up-to").map_or(Ok(20_000), |text| text.parse())?;
    let start = Instant::now();
    let (method, search): (_, fn(&Bags) -> Vec<Pair>) = if lessons.len() <= brute_up_to {
        ("brute force", by_brute_force)
    } else {
        verify(&lessons[..brute_up_to])?;
        ("prefix filter", by_prefix)
    };
    let groups = group(&lessons);
    let pairs = near_pairs(&groups, search);
    let flags = flags(lessons.len(), &pairs);
    fs::write(required("pairs")?, listing(&pairs)?)?;
    fs::write(required("flags")?, &flags)?;
    let duplicates = flags.bytes().filter(|&flag| flag == b'1').count();
    let seconds = start.elapsed().as_secs_f64();
    let report = json!({
        "lessons": lessons.len(), "method": method, "pairs": pairs.len(), "duplicates": duplicates, "seconds": seconds,
    });
    println!("{report}");
    Ok(())
}

fn verify(lessons: &[Lesson]) -> Outcome<()> {
    let groups = group(lessons);
    let brute = near_pairs(&groups, by_brute_force);
    let filtered = near_pairs(&groups, by_prefix);
    if brute.is_empty() || brute != filtered {
        let (brute, filtered) = (brute.len(), filtered.len());
        return Err(format!("brute force finds {brute} pairs, the prefix filter {filtered}").into());
    }
    Ok(())
}

fn group(lessons: &[Lesson]) -> Vec<Group> {
    let mut places = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    for (position, lesson) in lessons.iter().enumerate() {
        let place = *places.entry(lesson.kind.as_str()).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group::default());
        }
        groups[place].bags.add(&lesson.content);
        groups[place].positions.push(position as u32);
    }
    for group in &mut groups {
        group.bags.order_by_rarity();
    }
    groups
}

/// A pair with positions in the corpus: later, earlier, cosine.
type Found = (u32, u32, f64);

fn near_pairs(groups: &[Group], search: fn(&Bags) -> Vec<Pair>) -> Vec<Found> {
    let mut found = Vec::new();
    for group in groups {
        for (later, earlier, cosine) in search(&group.bags) {
            found.push((
                group.positions[later as usize],
                group.positions[earlier as usize],
                cosine,
            ));
        }
    }
    found.sort_unstable_by_key(|pair| (pair.0, pair.1));
    found
}

fn flags(count: usize, pairs: &[Found]) -> String {
    let mut is_duplicate = vec![false; count];
    // Sorted by the later lesson: when a pair's turn comes, the earlier lesson's flag is final.
    for (later, earlier, _) in pairs {
        if !is_duplicate[*earlier as usize] {
            is_duplicate[*later as usize] = true;
        }
    }
    is_duplicate
        .into_iter()
        .map(|flag| if flag { '1' } else { '0' })
        .collect()
}

fn listing(pairs: &[Found]) -> Outcome<String> {
    let mut lines = String::new();
    for (later, earlier, cosine) in pairs {
        writeln!(lines, "{later} {earlier} {cosine}")?;
    }
    Ok(lines)
}
