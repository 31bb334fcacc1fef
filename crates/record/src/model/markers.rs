//! Conflict markers of git.

use forge_memory_journal::each_line;

/// The three versions in a file with conflict markers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sides {
    /// The common ancestor, if the file contains it.
    pub base: Vec<u8>,
    /// The version above the line of equals signs.
    pub ours: Vec<u8>,
    /// Below it.
    pub theirs: Vec<u8>,
    /// The number of conflicts.
    pub conflicts: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Ours,
    Base,
    Theirs,
    End,
}

/// A marker consists of seven signs, alone or before a name; no JSON line begins like that.
fn marker_in(line: &[u8]) -> Option<Marker> {
    let sign = line.first()?;
    let marker = match sign {
        b'<' => Marker::Ours,
        b'|' => Marker::Base,
        b'=' => Marker::Theirs,
        b'>' => Marker::End,
        _ => return None,
    };
    let signs = line.iter().take_while(|byte| *byte == sign).count();
    let ends = line.get(7).is_none_or(|byte| *byte == b' ');
    (signs == 7 && ends).then_some(marker)
}

/// True if a line is a conflict marker.
pub fn is_marker(line: &[u8]) -> bool {
    marker_in(line).is_some()
}

/// True if git has left markers in the file.
pub fn has_markers(bytes: &[u8]) -> bool {
    each_line(bytes).any(|(_, line)| is_marker(line))
}

/// Splits a file with conflict markers into its versions. A lone marker is ignored, and no line is lost.
pub fn split_sides(bytes: &[u8]) -> Sides {
    let mut sides = Sides::default();
    let mut within: Option<Marker> = None;
    for (_, line) in each_line(bytes) {
        if let Some(marker) = marker_in(line) {
            sides.conflicts += u64::from(marker == Marker::Ours);
            within = match marker {
                Marker::End => None,
                other if within.is_some() || other == Marker::Ours => Some(other),
                _ => None,
            };
            continue;
        }
        let to: &mut [&mut Vec<u8>] = match within {
            None => &mut [&mut sides.base, &mut sides.ours, &mut sides.theirs],
            Some(Marker::Ours) => &mut [&mut sides.ours],
            Some(Marker::Base) => &mut [&mut sides.base],
            _ => &mut [&mut sides.theirs],
        };
        for side in to {
            side.extend_from_slice(line);
            side.push(b'\n');
        }
    }
    sides
}
