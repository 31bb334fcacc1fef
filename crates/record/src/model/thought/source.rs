//! Source attribution: `<tool>` or `<tool>/<subsystem>`, so that every record is attributed to a tool.

/// The source that is stored instead of an invalid one.
pub const UNKNOWN_SOURCE: &str = "unknown";

const PART_BYTES_MAX: usize = 64;

/// Checks the format of a source.
///
/// # Errors
/// The reason, in words.
pub fn check_source(source: &str) -> Result<(), String> {
    if source.is_empty() {
        return Err("expected <tool> or <tool>/<subsystem>, found an empty source".into());
    }
    let mut parts = source.split('/');
    let tool = parts.next().unwrap_or_default();
    let subsystem = parts.next();
    if parts.next().is_some() {
        return Err("expected <tool> or <tool>/<subsystem>, found more than one slash".into());
    }
    check_part("tool", tool)?;
    subsystem.map_or(Ok(()), |name| check_part("subsystem", name))
}

fn check_part(what: &str, name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("the {what} is empty"));
    }
    if name.len() > PART_BYTES_MAX {
        return Err(format!("the {what} is longer than {PART_BYTES_MAX} characters"));
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()) {
        return Err(format!("the {what} does not begin with a lower-case letter or a digit"));
    }
    match name
        .chars()
        .find(|c| !(c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.')))
    {
        Some(c) => Err(format!(
            "the {what} contains {c:?}; only lower-case letters, digits, `_`, `-` and `.` are allowed"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_with_and_without_a_subsystem_are_sources() {
        for good in [
            "forge_run_plan",
            "forge_run_plan/slice-executor",
            "watcher/fs-rule",
            "hook/pre-deploy",
            "a",
            "v8/9",
        ] {
            assert_eq!(check_source(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_a_reason() {
        let long = "x".repeat(65);
        for bad in [
            "My Tool",
            "forge_run_plan / slice-executor",
            "",
            "/",
            "a/",
            "/b",
            "a/b/c",
            "a//b",
            " a",
            "a\n",
            "../x",
            "-a",
            "\u{fc}ber",
            "tool\u{0}",
            &long,
        ] {
            assert!(!check_source(bad).unwrap_err().is_empty(), "{bad:?}");
        }
    }
}
