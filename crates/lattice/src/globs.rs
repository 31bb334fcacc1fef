//! Path patterns (globs), matched in linear time by the finite automata of `globset`.

use forge_memory_core::{Error, Result};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

const PATTERN_BYTES_MAX: usize = 1024;
const PATTERNS_MAX: usize = 100;
/// Groups of extended shell patterns. As plain text they would silently match nothing, so they are refused.
const GROUPS: [&str; 5] = ["+(", "@(", "!(", "?(", "*("];

/// A set of patterns: `*` and `?` match within a path component, `**` across components, `{a,b}` and `[ab]` are
/// alternatives.
#[derive(Debug)]
pub struct Globs {
    set: GlobSet,
}

impl Globs {
    /// Compiles patterns.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an invalid pattern.
    pub fn new(patterns: &[String]) -> Result<Self> {
        if patterns.len() > PATTERNS_MAX {
            return Err(Error::invalid(
                "glob",
                format!("expected at most {PATTERNS_MAX} patterns"),
            ));
        }
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            set.add(glob(pattern)?);
        }
        let set = set.build().map_err(|e| Error::invalid("glob", e.to_string()))?;
        Ok(Globs { set })
    }

    /// True if a pattern matches a path with forward slashes.
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

fn glob(pattern: &str) -> Result<globset::Glob> {
    let shown: String = pattern.chars().take(80).collect();
    if pattern.len() > PATTERN_BYTES_MAX {
        let reason = format!("{shown}... has more than {PATTERN_BYTES_MAX} bytes");
        return Err(Error::invalid("glob", reason));
    }
    if GROUPS.iter().any(|group| pattern.contains(group)) {
        let reason = format!("{shown}: groups in parentheses are not supported; use {{a,b}}");
        return Err(Error::invalid("glob", reason));
    }
    GlobBuilder::new(pattern.trim_start_matches("./"))
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|e| Error::invalid("glob", format!("{shown}: {}", e.kind())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn is_match(pattern: &str, path: &str) -> bool {
        Globs::new(&[pattern.to_owned()]).unwrap().matches(path)
    }

    #[test]
    fn stars_stay_in_a_folder_and_double_stars_reach_into_folders() {
        for (pattern, path) in [
            ("*.md", "a.md"),
            ("docs/*.md", "docs/a.md"),
            ("./docs/*.md", "docs/a.md"),
            ("docs/**/*.md", "docs/a.md"),
            ("docs/**/*.md", "docs/x/y/a.md"),
            ("docs/**", "docs/x/a"),
            ("**/*.{ts,tsx}", "a.tsx"),
            ("src/[ab]?.c", "src/bz.c"),
            ("*", ".env"),
            ("**/.x/*", "a/.x/y"),
            ("a\\*b", "a*b"),
        ] {
            assert!(is_match(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.md", "docs/a.md"),
            ("docs/*.md", "docs/x/a.md"),
            ("docs/**/*.md", "other/a.md"),
            ("src/?.c", "src/ab.c"),
            ("a\\*b", "axb"),
        ] {
            assert!(!is_match(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn ambiguous_globs_are_refused() {
        let long = "a".repeat(PATTERN_BYTES_MAX + 1);
        for wrong in ["+(a|b).ts", "!(a).ts", "{a", "[a", &long] {
            assert!(Globs::new(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
        assert!(Globs::new(&vec!["a".to_owned(); PATTERNS_MAX + 1]).is_err());
    }
}
