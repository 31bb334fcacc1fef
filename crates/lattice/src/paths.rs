//! Arithmetic on paths relative to the project's folder. They have forward slashes; the project's folder is the empty path.

/// True if a path is in a folder; the empty folder contains all paths.
pub fn is_under(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// True if a path equals a folder or is below it.
pub(crate) fn is_in(path: &str, folder: &str) -> bool {
    path == folder || is_under(path, folder)
}

pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Appends a path to a folder; either may be empty.
pub(crate) fn under(folder: &str, tail: &str) -> String {
    match (folder.is_empty(), tail.is_empty()) {
        (true, _) => tail.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{tail}"),
    }
}

/// Joins a relative path to a folder; `None` when it leaves the project.
pub(crate) fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
