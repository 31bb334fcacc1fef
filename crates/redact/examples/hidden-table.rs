//! Prints the table of `lib/text/hidden-table.ts`: the invisible characters, and those on which their legitimate uses
//! depend.
//!
//! `cargo run -p forge-memory-redact --example hidden-table > lib/text/hidden-table.ts`

use forge_memory_redact::hidden::Roles;

const NAMES: [(&str, Roles); 8] = [
    ("HIDDEN", Roles::HIDDEN),
    ("EMOJI", Roles::EMOJI),
    ("PICTOGRAPH", Roles::PICTOGRAPH),
    ("MODIFIER", Roles::MODIFIER),
    ("JOINS_NEXT", Roles::JOINS_NEXT),
    ("JOINS_LAST", Roles::JOINS_LAST),
    ("TRANSPARENT", Roles::TRANSPARENT),
    ("VIRAMA", Roles::VIRAMA),
];

/// The maximum length of a line in that file.
const LINE_MAX: usize = 110;

fn main() {
    println!("// Made by `cargo run -p forge-memory-redact --example hidden-table`: do not edit.");
    println!("// Each range is the distance from the end of the last one and how many more follow, in base 36.");
    for (name, role) in NAMES {
        let lines = lines_of(&ranges_of(role));
        let gap = if lines.len() > 1 { "\n " } else { "" };
        print!("\nexport const {name} ={gap}");
        for (at, line) in lines.iter().enumerate() {
            let joint = if at + 1 < lines.len() { " +" } else { "" };
            let indent = if at == 0 { " " } else { "  " };
            println!("{indent}'{line}'{joint}");
        }
    }
}

fn ranges_of(role: Roles) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for c in (char::MIN..=char::MAX).filter(|c| Roles::of(*c).has(role)) {
        let c = u32::from(c);
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == c => *last = c,
            _ => ranges.push((c, c)),
        }
    }
    ranges
}

fn lines_of(ranges: &[(u32, u32)]) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut end = 0;
    for (at, (first, last)) in ranges.iter().enumerate() {
        let more = if last > first {
            format!(".{}", base_36(last - first))
        } else {
            String::new()
        };
        let gap = if at == 0 { "" } else { " " };
        let word = format!("{gap}{}{more}", base_36(first - end));
        end = *last;
        match lines.last_mut() {
            Some(line) if line.len() + word.len() <= LINE_MAX => line.push_str(&word),
            _ => lines.push(word),
        }
    }
    lines
}

fn base_36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}
