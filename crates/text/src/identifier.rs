//! Splits identifiers into parts: `camelCase`, `snake_case`, `HTTPServer`, `E1042`. A part of one letter or digit says nothing without its whole:
//! `k8s` is not about `s`, nor `h2` about 2.

/// Returns the parts of an identifier that can be searched for alone, if it has any.
pub(super) fn parts_of(run: &str) -> Option<Parts<'_>> {
    let raw = run.as_bytes();
    let parts = (run.is_ascii() && is_compound(raw)).then_some(Parts { raw, at: 0 })?;
    parts.clone().next().map(|_| parts)
}

fn is_compound(raw: &[u8]) -> bool {
    let is_acronym = |three: &[u8]| matches!(three, [a, b, c] if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase());
    let is_pair = |pair: &[u8]| matches!(pair, [a, b] if is_border(*a, *b));
    raw.contains(&b'_') || raw.windows(2).any(is_pair) || raw.windows(3).any(is_acronym)
}

/// True if a part ends between two bytes.
fn is_border(a: u8, b: u8) -> bool {
    (a.is_ascii_lowercase() && b.is_ascii_uppercase())
        || (a.is_ascii_digit() != b.is_ascii_digit() && b != b'_' && a != b'_')
}

/// The parts of an ASCII identifier with more than one letter or digit, as ranges.
#[derive(Clone)]
pub(super) struct Parts<'a> {
    raw: &'a [u8],
    at: usize,
}

impl<'a> Parts<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.raw.get(at).copied().unwrap_or(b'_')
    }

    /// In `HTTPServer`, the last capital of a run belongs to the next word.
    fn ends_acronym(&self, at: usize) -> bool {
        self.byte(at.wrapping_sub(1)).is_ascii_uppercase()
            && self.byte(at).is_ascii_uppercase()
            && self.byte(at + 1).is_ascii_lowercase()
    }

    fn take_part(&mut self) -> Option<(usize, usize)> {
        let len = self.raw.len();
        while self.at < len && self.byte(self.at) == b'_' {
            self.at += 1;
        }
        let start = self.at;
        if start == len {
            return None;
        }
        let mut end = start + 1;
        while end < len
            && self.byte(end) != b'_'
            && !is_border(self.byte(end - 1), self.byte(end))
            && !self.ends_acronym(end)
        {
            end += 1;
        }
        self.at = end;
        Some((start, end))
    }
}

impl Iterator for Parts<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        std::iter::from_fn(|| self.take_part()).find(|(start, end)| end - start > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_parts() {
        for (name, parts) in [
            ("resetAllMocks", &["reset", "All", "Mocks"][..]),
            ("HTTPServer", &["HTTP", "Server"]),
            ("snake_case__name_", &["snake", "case", "name"]),
            ("E1042", &["1042"]),
            ("sha256sum", &["sha", "256", "sum"]),
            ("python3", &["python"]),
            ("getURLForID", &["get", "URL", "For", "ID"]),
        ] {
            let found: Vec<&str> = parts_of(name).unwrap().map(|(from, to)| &name[from..to]).collect();
            assert_eq!(found, parts, "{name}");
        }
        for name in [
            "plain", "Capital", "README", "1042", "a", "größeA", "___", "k8s", "e2e", "h2", "s3_",
        ] {
            assert!(parts_of(name).is_none(), "{name}");
        }
    }
}
