//! Reads the remote of a checkout from its `.git/config`.
//!
//! Of git's own grammar (`git help config`, "Syntax") only the part for the settings of a remote is read: sections with a subsection in quotes,
//! comments, quotes and escapes within a value. Continued lines are ignored.

use forge_memory_record::model::limits::check_name;

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
    /// True if this is that setting. Sections and keys have no case, subsections do.
    pub fn is(&self, section: &str, subsection: &str, key: &str) -> bool {
        self.is_any(section, key) && self.subsection == subsection
    }

    /// Returns on which condition this includes another file; empty for none.
    pub fn includes(&self) -> Option<&str> {
        let is_one = self.is("include", "", "path") || self.is_any("includeIf", "path");
        is_one.then_some(self.subsection.as_str())
    }

    fn is_any(&self, section: &str, key: &str) -> bool {
        self.section.eq_ignore_ascii_case(section) && self.key.eq_ignore_ascii_case(key)
    }
}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// To `host/owner/name`, in lower case.
    Host(String),
    /// To a folder of this machine.
    Folder(String),
    /// It names no repository.
    Nowhere,
}

/// Returns the address of the repository that a `config` file leads to: of the remote `origin`, else of the first remote that has one.
pub(super) fn address_in(config: &str) -> Option<String> {
    let mut settings = settings_in(config);
    let usual = settings.iter().position(|each| each.is("remote", USUAL_REMOTE, "url"));
    let first = || settings.iter().position(|each| each.is_any("remote", "url"));
    let at = usual.or_else(first)?;
    Some(settings.swap_remove(at).value)
}

/// Replaces the beginning of an address as git does: `url.BASE.insteadOf` names the beginning that `BASE` replaces. Of several, the longest
/// counts.
pub(super) fn in_place_of(address: &str, settings: &[Setting]) -> String {
    let fitting = settings.iter().filter(|setting| setting.is_any("url", "insteadOf"));
    let fitting = fitting.filter_map(|setting| {
        let rest = address.strip_prefix(&setting.value)?;
        (!setting.value.is_empty()).then_some((setting, rest))
    });
    match fitting.max_by_key(|(setting, _)| setting.value.len()) {
        Some((setting, rest)) => format!("{}{rest}", setting.subsection),
        None => address.to_owned(),
    }
}

/// Hosts that answer under another name where the usual port is blocked.
const OTHER_HOSTS: [(&str, &str); 3] = [
    ("ssh.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
];

/// Reads an address: a URL, `host:path`, or a path. Protocol, user, password, port, case and `.git` make no difference.
pub(super) fn place_of(address: &str) -> Place {
    let address = address.trim();
    let (authority, path) = match address.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => {
            let path = rest.strip_prefix("localhost").unwrap_or(rest);
            return folder_at(path);
        }
        Some((_, rest)) => match rest.split_once('/') {
            Some((authority, path)) => (authority, path.split(['?', '#']).next().unwrap_or_default()),
            None => return Place::Nowhere,
        },
        None => match host_and_path(address) {
            Some(parts) => parts,
            None => return folder_at(address),
        },
    };
    let host = host_in(authority);
    let parts: Vec<&str> = path
        .split(['/', '\\'])
        .map(str::trim)
        .filter(|part| !matches!(*part, "" | "." | ".git"))
        .collect();
    let is_broken = parts.is_empty() || host.is_empty() || parts.contains(&"..");
    if is_broken {
        return Place::Nowhere;
    }
    let path = parts.join("/").to_lowercase();
    let path = path.strip_suffix(".git").unwrap_or(&path);
    let name = azure_name(&host, path).unwrap_or_else(|| format!("{host}/{path}"));
    match check_name("project", name) {
        Ok(name) if !path.is_empty() => Place::Host(name),
        _ => Place::Nowhere,
    }
}

/// Returns the one name of a repository of Azure DevOps, which has four addresses: by `https` and by `ssh`, and the same two under the
/// older host. A repository that is called like its project is named once in the first of them.
fn azure_name(host: &str, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let older = host.strip_suffix(".visualstudio.com");
    let (owner, parts) = match (host, older, &parts[..]) {
        ("ssh.dev.azure.com" | "vs-ssh.visualstudio.com", _, ["v3", owner, rest @ ..]) => (*owner, rest),
        ("dev.azure.com", _, [owner, rest @ ..]) => (*owner, rest),
        (_, Some(owner), ["defaultcollection", rest @ ..] | rest) => (owner, rest),
        _ => return None,
    };
    match parts {
        ["_git", name] => Some(format!("dev.azure.com/{owner}/{name}/{name}")),
        [project, "_git", name] | [project, name] => Some(format!("dev.azure.com/{owner}/{project}/{name}")),
        _ => None,
    }
}

/// Splits `user@host:path`. A single letter before the colon is a drive of Windows.
fn host_and_path(address: &str) -> Option<(&str, &str)> {
    let at = match address.find("]:") {
        Some(end) if address.contains('[') => end + 1,
        _ => address.find(':')?,
    };
    let (host, path) = (address.get(..at)?, address.get(at + 1..)?);
    let is_drive = host.len() == 1 && host.starts_with(|c: char| c.is_ascii_alphabetic());
    (!is_drive && !host.contains(['/', '\\'])).then_some((host, path))
}

/// Returns the host of `user:password@host:port`, in lower case.
fn host_in(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or_default().trim();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    let other = OTHER_HOSTS.iter().find(|(other, _)| *other == host);
    other.map_or(host, |(_, usual)| (*usual).to_owned())
}

fn folder_at(path: &str) -> Place {
    match path.trim_end_matches(['/', '\\']) {
        "" | "." | ".." => Place::Nowhere,
        path => Place::Folder(path.to_owned()),
    }
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

/// Returns the name of a repository in earlier versions, by its address (URL, `host:path` or path): the last part of the path without `.git`. User
/// and password of the address are never part of it.
pub(super) fn name_in_url(url: &str) -> Option<String> {
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
    fn one_repository_has_one_name_however_it_is_reached() {
        for url in [
            "https://github.com/Acme/API.git",
            "https://me:secret@github.com/acme/api",
            "https://github.com:443/acme/api/",
            "http://github.com//acme/./api.git/?a=b#c",
            "git://github.com/acme/api",
            "ssh://git@GitHub.com:22/acme/api.git",
            "ssh://git@ssh.github.com:443/acme/api.git",
            "git+ssh://git@github.com./acme/api",
            "git@github.com:acme/api.git",
            "git@github.com:/acme/api/.git",
            "github.com:acme/api",
            "  git@github.com:acme/api  ",
        ] {
            assert_eq!(place_of(url), Place::Host("github.com/acme/api".into()), "{url}");
        }
    }

    #[test]
    fn a_repository_of_azure_has_one_name() {
        for url in [
            "https://me@dev.azure.com/Acme/Shop/_git/api",
            "git@ssh.dev.azure.com:v3/acme/shop/api",
            "https://acme.visualstudio.com/Shop/_git/API",
            "https://acme.visualstudio.com/DefaultCollection/Shop/_git/api",
            "acme@vs-ssh.visualstudio.com:v3/acme/shop/api",
        ] {
            assert_eq!(
                place_of(url),
                Place::Host("dev.azure.com/acme/shop/api".into()),
                "{url}"
            );
        }
        for url in [
            "https://dev.azure.com/acme/_git/api",
            "git@ssh.dev.azure.com:v3/acme/api/api",
        ] {
            assert_eq!(place_of(url), Place::Host("dev.azure.com/acme/api/api".into()), "{url}");
        }
        // Another organization, and addresses of no repository there.
        for (url, name) in [
            (
                "git@ssh.dev.azure.com:v3/mallory/shop/api",
                "dev.azure.com/mallory/shop/api",
            ),
            ("https://dev.azure.com/acme", "dev.azure.com/acme"),
            ("https://acme.visualstudio.com/a/b/c/d", "acme.visualstudio.com/a/b/c/d"),
        ] {
            assert_eq!(place_of(url), Place::Host(name.into()), "{url}");
        }
    }

    #[test]
    fn other_owners_hosts_and_paths_are_other_repositories() {
        let host = |name: &str| Place::Host(name.to_owned());
        let folder = |path: &str| Place::Folder(path.to_owned());
        for (url, place) in [
            ("git@github.com:mallory/api.git", host("github.com/mallory/api")),
            ("https://gitlab.com/group/sub/api", host("gitlab.com/group/sub/api")),
            ("ssh://git@[::1]:2222/team/api.git", host("::1/team/api")),
            ("git@[2001:db8::1]:team/api.git", host("2001:db8::1/team/api")),
            ("https://token@example.com/api", host("example.com/api")),
            ("/srv/git/api.git", folder("/srv/git/api.git")),
            ("file:///srv/git/api.git", folder("/srv/git/api.git")),
            ("../api/", folder("../api")),
            ("C:\\git\\api.git", folder("C:\\git\\api.git")),
            ("C:/git/api.git", folder("C:/git/api.git")),
            ("https://example.com", Place::Nowhere),
            ("https://secret@example.com/", Place::Nowhere),
            ("https://github.com/../api", Place::Nowhere),
            ("https://github.com/acme/../mallory/api", Place::Nowhere),
            ("https:///acme/api", Place::Nowhere),
            ("git@github.com:", Place::Nowhere),
            ("git@:acme/api", Place::Nowhere),
            ("..", Place::Nowhere),
            ("", Place::Nowhere),
            ("https://example.com/sh\u{7}op", Place::Nowhere),
        ] {
            assert_eq!(place_of(url), place, "{url}");
        }
        assert_eq!(
            place_of(&format!("https://example.com/{}", "x".repeat(200))),
            Place::Nowhere
        );
    }

    #[test]
    fn an_address_stands_for_the_one_that_git_uses() {
        let settings = settings_in(
            "[url \"git@github.com:\"]\n\tinsteadOf = gh:\n\tinsteadOf = \"https://github.com/\"\n\
             [url \"ssh://git@mirror.example.com/acme/\"]\n\tinsteadof = gh:acme/\n[url \"x\"]\n\tinsteadOf =\n\tpushInsteadOf = git@\n",
        );
        for (address, meant) in [
            ("gh:other/api", "git@github.com:other/api"),
            ("https://github.com/other/api.git", "git@github.com:other/api.git"),
            ("gh:acme/api", "ssh://git@mirror.example.com/acme/api"),
            ("git@gitlab.com:acme/api", "git@gitlab.com:acme/api"),
            ("", ""),
        ] {
            assert_eq!(in_place_of(address, &settings), meant, "{address}");
        }
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
