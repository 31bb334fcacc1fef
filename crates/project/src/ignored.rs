//! Whether git ignores a folder of a work tree, by the files in which it is told so (`gitignore(5)`), without starting git. What it ignores is
//! not the project's: dependencies, whose authors could put a memory into their package.

use std::path::{Path, PathBuf};

use super::git::{common_folder, git_folder, read, values_in};
use forge_memory_journal::Disk;

/// True if git ignores a folder, or one above it: what is below such a folder cannot be excepted. `top` is the top of its work tree, and
/// `of_user` are the user's settings of git. An unreadable list ignores nothing.
pub(crate) fn is_ignored(disk: &dyn Disk, top: &Path, folder: &Path, of_user: &[PathBuf]) -> bool {
    let Ok(below) = folder.strip_prefix(top) else {
        return false;
    };
    let parts: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let mut lists = general_lists(disk, top, of_user);
    let mut at = top.to_path_buf();
    for depth in 0..parts.len() {
        lists.push(List::read(disk, &at.join(".gitignore"), depth));
        let path = parts.get(..=depth).unwrap_or_default();
        // The list that is nearest decides, and in it the last pattern that matches.
        if lists.iter().rev().find_map(|list| list.decides(path)) == Some(true) {
            return true;
        }
        at.push(path.last().map_or("", String::as_str));
    }
    false
}

/// The lists for a whole work tree, the user's first.
fn general_lists(disk: &dyn Disk, top: &Path, of_user: &[PathBuf]) -> Vec<List> {
    let home = of_user.iter().find(|file| file.ends_with(".gitconfig"));
    let home = home.and_then(|file| file.parent());
    let named = of_user.iter().flat_map(|file| {
        let values = values_in(disk, file, "core", "excludesfile").into_iter();
        values.map(move |value| match (value.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => file.parent().unwrap_or(file).join(value),
        })
    });
    let beside = of_user.iter().find(|file| file.ends_with("git/config"));
    let of_user = named.last().or_else(|| Some(beside?.with_file_name("ignore")));
    let own = git_folder(disk, top).ok().flatten();
    let common = own.map(|own| common_folder(disk, &own).ok().flatten().unwrap_or(own));
    let of_repository = common.map(|common| common.join("info/exclude"));
    let files = of_user.into_iter().chain(of_repository);
    files.map(|file| List::read(disk, &file, 0)).collect()
}

/// The patterns of one file, for paths below a folder.
struct List {
    /// How deep that folder is below the top.
    depth: usize,
    patterns: Vec<Pattern>,
}

impl List {
    fn read(disk: &dyn Disk, file: &Path, depth: usize) -> Self {
        let text = read(disk, file).ok().flatten().unwrap_or_default();
        List {
            depth,
            patterns: text.lines().filter_map(Pattern::parse).collect(),
        }
    }

    /// Returns whether a path is ignored, if a pattern matches it.
    fn decides(&self, path: &[String]) -> Option<bool> {
        let path = path.get(self.depth..)?;
        let last = self.patterns.iter().rev().find(|pattern| pattern.matches(path))?;
        Some(!last.is_exception)
    }
}

/// A line of a list.
struct Pattern {
    is_exception: bool,
    /// One for each folder of a path, in bytes as git matches them: `?` is no letter of two.
    parts: Vec<Vec<u8>>,
}

impl Pattern {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim_end_matches('\r');
        let trimmed = line.trim_end_matches(' ');
        // The last space counts when it is escaped.
        let end = if trimmed.ends_with('\\') {
            (trimmed.len() + 1).min(line.len())
        } else {
            trimmed.len()
        };
        let line = line.get(..end)?;
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (is_exception, line) = match line.strip_prefix('!') {
            Some(line) => (true, line),
            None => (false, line),
        };
        let line = line.strip_suffix('/').unwrap_or(line);
        let mut parts: Vec<Vec<u8>> = Vec::new();
        // Without a slash, a name counts at every depth.
        if !line.contains('/') {
            parts.push(b"**".to_vec());
        }
        let named = line.strip_prefix('/').unwrap_or(line).split('/');
        parts.extend(named.map(|part| part.as_bytes().to_vec()));
        // `folder/**` is what is in the folder, not the folder.
        if parts.len() > 1 && parts.last().is_some_and(|part| is_any(part)) {
            parts.push(b"*".to_vec());
        }
        Some(Pattern { is_exception, parts })
    }

    fn matches(&self, path: &[String]) -> bool {
        let path: Vec<&[u8]> = path.iter().map(|part| part.as_bytes()).collect();
        match_with_stars(
            &self.parts,
            &path,
            |part| is_any(part),
            |part, name| {
                let signs = signs_of(part);
                match_with_stars(&signs, name, |sign| *sign == Sign::Any, Sign::is)
            },
        )
    }
}

fn is_any(part: &[u8]) -> bool {
    part == b"**"
}

/// Matches a sequence with a pattern in which a star stands for any number of items. It goes back to the last star alone, so that no pattern
/// takes longer than the product of both lengths.
fn match_with_stars<P, T>(
    pattern: &[P],
    items: &[T],
    is_star: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star = None;
    while let Some(item) = items.get(from) {
        match pattern.get(at) {
            Some(sign) if is_star(sign) => {
                star = Some((at, from));
                at += 1;
            }
            Some(sign) if fits(sign, item) => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                at = after + 1;
                from = taken + 1;
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(is_star))
}

/// A sign of a pattern for a name.
#[derive(Debug, PartialEq, Eq)]
enum Sign {
    /// `*`
    Any,
    /// `?`
    One,
    Exactly(u8),
    /// `[a-z]`, and `[!a-z]`.
    Of {
        ranges: Vec<(u8, u8)>,
        is_not: bool,
    },
}

impl Sign {
    fn is(&self, byte: &u8) -> bool {
        match self {
            Sign::Any | Sign::One => true,
            Sign::Exactly(own) => own == byte,
            Sign::Of { ranges, is_not } => ranges.iter().any(|(from, to)| (*from..=*to).contains(byte)) != *is_not,
        }
    }
}

fn signs_of(part: &[u8]) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut rest = part;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        signs.push(match (first, after) {
            (b'*', _) => Sign::Any,
            (b'?', _) => Sign::One,
            (b'\\', [escaped, after @ ..]) => {
                rest = after;
                Sign::Exactly(*escaped)
            }
            (b'[', _) => match class_of(after) {
                Some((sign, after)) => {
                    rest = after;
                    sign
                }
                None => Sign::Exactly(b'['),
            },
            (byte, _) => Sign::Exactly(*byte),
        });
    }
    signs
}

/// Reads the bytes between brackets, and returns what follows them; `None` when they do not end.
fn class_of(text: &[u8]) -> Option<(Sign, &[u8])> {
    let is_not = matches!(text.first(), Some(b'!' | b'^'));
    let text = text.get(usize::from(is_not)..)?;
    // A bracket that comes first is one of them.
    let end = 1 + text.get(1..)?.iter().position(|byte| *byte == b']')?;
    let mut bytes = text.get(..end)?;
    let mut ranges = Vec::new();
    while let Some((from, after)) = bytes.split_first() {
        let (to, after) = match after {
            [b'-', to, after @ ..] => (to, after),
            _ => (from, after),
        };
        ranges.push((*from, *to));
        bytes = after;
    }
    Some((Sign::Of { ranges, is_not }, text.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;
    use forge_memory_journal::OsDisk;

    /// Compared with what git itself says, for every list with every folder.
    #[test]
    fn what_git_ignores_is_what_git_says() {
        let root = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(root.path()).unwrap().join("shop");
        let home = top.with_file_name("home");
        let settings = home.join(".gitconfig");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&top).unwrap();
        let git = |args: &[&str]| {
            let mut command = Command::new("git");
            command.current_dir(&top).args(args);
            command.env("GIT_CONFIG_GLOBAL", &settings).env("HOME", &home);
            command
        };
        assert!(git(&["init", "-q"]).status().unwrap().success());
        fs::write(home.join("ignore"), "of-user\n").unwrap();
        fs::write(&settings, "[core]\n\texcludesFile = ~/ignore\n").unwrap();
        fs::write(top.join(".git/info/exclude"), "of-clone/\n").unwrap();
        let folders = [
            "node_modules/evil",
            "apps/web/node_modules/evil",
            "apps/web",
            "apps",
            "vendor",
            "vendor/a/b",
            "a b",
            "of-user/x",
            "of-clone",
            "x/of-clone/y",
            "[x]",
            "ax",
            "a-1",
            "!bang",
            "#hash",
            "日本/語",
            "deep/er/est/node_modules",
            "aaaaaaaaaaaaaaaaaaaaaaaa",
        ];
        for folder in folders {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        let lists = [
            "node_modules\n",
            "node_modules/\n",
            "/node_modules\n",
            "apps/*/node_modules\n",
            "**/node_modules\n",
            "apps/**\n",
            "apps/\n!apps/web\n",
            "apps/*\n!apps/web\n",
            "vendor/**/b\n",
            "/vendor/*\n!/vendor/a\n",
            "*\n!*/\n",
            "*\n",
            "a\\ b\n",
            "a b  \n",
            "a\\ \n",
            "[x]\n",
            "\\[x\\]\n",
            "[!x]x\n",
            "[a-c]x\r\n",
            "a-[0-9]\n",
            "a-[]1]\n",
            "[\n",
            "a[\n",
            "\\!bang\n",
            "!bang\n",
            "#hash\n",
            "\\#hash\n",
            "日*\n",
            "??\n",
            "日本/?\n",
            "a*a*a*a*a*a*a*a*a*a*b\n",
            "**/a/**/b\n",
            "a**\n",
            "/\n",
            "//\n",
            "**\n",
            "deep/**/node_modules\n",
            "\\\n",
            "vendor/\\a\n",
            "node_modules/*\n!node_modules/evil\n",
        ];
        for list in lists {
            for at in ["", "apps"] {
                let file = top.join(at).join(".gitignore");
                fs::write(&file, list).unwrap();
                let mut asked = git(&["check-ignore", "-z", "--stdin", "--no-index"]);
                let mut asked = asked.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
                asked
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(folders.join("\0").as_bytes())
                    .unwrap();
                let said = asked.wait_with_output().unwrap().stdout;
                let by_git: Vec<&str> = std::str::from_utf8(&said).unwrap().split_terminator('\0').collect();
                let mut found = folders.to_vec();
                found.retain(|folder| is_ignored(&OsDisk, &top, &top.join(folder), std::slice::from_ref(&settings)));
                assert_eq!(found, by_git, "by {list:?} in {at:?}");
                fs::remove_file(&file).unwrap();
            }
        }
    }
}
