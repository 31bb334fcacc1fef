//! Where a sentence ends.

/// Splits after `.`, `!`, `?` and `;` at the end of a word.
pub(super) fn cut(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let ends = matches!(byte, b'.' | b'!' | b'?' | b';') && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        let is_short = line
            .get(from..at)
            .is_some_and(|part| part.ends_with("e.g") || part.ends_with("i.e") || part.ends_with("etc"));
        if ends && !is_short {
            parts.extend(line.get(from..=at).map(str::trim));
            from = at + 1;
        }
    }
    parts.extend(line.get(from..).map(str::trim));
    parts.retain(|part| !part.is_empty());
    parts
}
