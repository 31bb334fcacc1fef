//! Reads the remote of a checkout from its `.git/config`.
//!
//! Of git's own grammar (`git help config`, "Syntax") only what the settings of a remote need is read: sections with a
//! subsection in quotes, comments, quotes and escapes within a value. Includes and continued lines are ignored.

use crate::model::limits::check_name;

/// The remote that `git clone` makes.
const USUAL_REMOTE: &str = "origin";

/// One line `key = value`, with its section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    section: String,
    subsection: String,
    key: String,
    pub value: String,
}

impl Setting {
    /// Tells whether this is that setting. Sections and keys have no case, subsections do.
    pub fn is(&self, section: &str, subsection: &str, key: &str) -> bool {
        self.is_any(section, key) && self.subsection == subsection
    }

    fn is_any(&self, section: &str, key: &str) -> bool {
        self.section.eq_ignore_ascii_case(section) && self.key.eq_ignore_ascii_case(key)
    }
}

/// Returns the name of the repository that a `config` file leads to: by the remote `origin`, else by the first remote that has
/// an address.
pub(super) fn repository_in(config: &str) -> Option<String> {
    let settings = settings_in(config);
    let usual = settings.iter().find(|each| each.is("remote", USUAL_REMOTE, "url"));
    let first = || settings.iter().find(|each| each.is_any("remote", "url"));
    name_in_url(&usual.or_else(first)?.value)
}

/// Reads the settings of a `config` file, in their order.
pub(super) fn settings_in(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    let mut section = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = section_of(line);
        } else if let (Some((section, subsection)), Some((key, value))) = (&section, line.split_once('='))
            && let Some(value) = value_of(value)
        {
            let key = key.trim().to_owned();
            let (section, subsection) = (String::from(*section), String::clone(subsection));
            found.push(Setting {
                section,
                subsection,
                key,
                value,
            });
        }
    }
    found
}

/// Reads `[section]` and `[section "subsection"]`.
fn section_of(line: &str) -> Option<(&str, String)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    match inner.split_once('"') {
        None => Some((inner.trim(), String::new())),
        Some((section, rest)) => Some((section.trim(), value_of(&format!("\"{rest}"))?)),
    }
}

/// Reads a value: removes quotes, resolves escapes, stops at a comment. `None` when a quote is not closed.
fn value_of(text: &str) -> Option<String> {
    let mut value = String::new();
    let mut is_quoted = false;
    let mut characters = text.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '\\' => value.push(characters.next()?),
            '#' | ';' if !is_quoted => break,
            other => value.push(other),
        }
    }
    (!is_quoted).then(|| value.trim_end().to_owned())
}

/// Returns the name of a repository from its address (URL, `host:path` or path): the last part of the path without `.git`. User and
/// password of the address are never part of it.
fn name_in_url(url: &str) -> Option<String> {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1.split(['?', '#']).next()?,
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => url,
        },
    };
    let mut parts = path
        .rsplit(['/', '\\'])
        .filter(|part| !part.is_empty() && *part != ".git");
    let last = parts.next()?;
    let name = last.strip_suffix(".git").unwrap_or(last).trim();
    if matches!(name, "" | "." | "..") {
        return None;
    }
    check_name("project", name.to_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_address_names_its_repository() {
        for (url, name) in [
            ("https://me:secret@example.com/team/shop.git", Some("shop")),
            ("https://example.com/team/shop/?a=b#c", Some("shop")),
            ("ssh://git@example.com:2222/team/shop.git/", Some("shop")),
            ("git@example.com:team/shop.git", Some("shop")),
            ("example.com:shop", Some("shop")),
            ("file:///srv/shop.git", Some("shop")),
            ("/srv/shop/.git", Some("shop")),
            ("C:\\git\\shop.git", Some("shop")),
            ("../shop", Some("shop")),
            ("https://example.com", None),
            ("https://secret@example.com/", None),
            ("..", None),
            (".git", None),
            ("", None),
            ("a/sh\u{7}op", None),
        ] {
            assert_eq!(name_in_url(url).as_deref(), name, "{url}");
        }
        assert_eq!(name_in_url(&format!("a/{}", "x".repeat(129))), None);
    }

    #[test]
    fn settings_are_read_as_git_writes_them() {
        let text = "[core]\n\tbare = false\n# [remote \"no\"]\n[Remote \"ori\\\"gin\"]\n\tURL = \"https://example.com/a#b\" ; note\n\
                    [remote \"broken]\nurl = x\n[remote \"last\"]\nurl = \"x\nurl\nurl = y # note\n";
        let found = settings_in(text);
        assert_eq!(found.len(), 3);
        assert!(found[0].is("CORE", "", "Bare") && found[0].value == "false");
        assert!(found[1].is("remote", "ori\"gin", "url") && found[1].value == "https://example.com/a#b");
        assert!(found[2].is("remote", "last", "url") && found[2].value == "y");
    }
}
