//! The search prompt of the file watcher for a change.

use serde::Deserialize;

use crate::text::lines::shown_line;

const TEXT_CHARS_MAX: usize = 512;

/// Something that happened to a file, or an anomaly that a watcher saw.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// The code of an anomaly.
    pub code: Option<String>,
    /// The rule that matched.
    pub rule: Option<String>,
    /// The event: `add`, `change`, `unlink`.
    pub event: Option<String>,
    /// The file, within the project.
    pub path: Option<String>,
}

impl Change {
    /// Returns the query for a search; `None` when the change names neither a code nor a file.
    pub fn query(&self) -> Option<String> {
        let text = |field: &Option<String>| {
            let line = shown_line(field.as_deref().unwrap_or_default());
            Some(line.chars().take(TEXT_CHARS_MAX).collect::<String>()).filter(|line| !line.is_empty())
        };
        if let Some(code) = text(&self.code) {
            return Some(format!("watcher anomaly {code}"));
        }
        let path = text(&self.path)?;
        let words = [text(&self.rule), text(&self.event), Some(path)];
        Some(format!(
            "watcher {}",
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        ))
    }
}

/// Composes a request to an agent to look up the records about a change; empty when there is nothing to ask.
pub fn search_prompt(change: &Change, project_name: &str) -> String {
    let project = shown_line(project_name);
    let (Some(query), false) = (change.query(), project.is_empty()) else {
        return String::new();
    };
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let seen = match (&change.code, &change.event, &change.path) {
        (Some(code), ..) => format!("The watcher reports {}.", shown_line(code)),
        (_, event, path) => format!(
            "The watcher saw {} of {}.",
            shown_line(event.as_deref().unwrap_or("change")),
            shown_line(path.as_deref().unwrap_or_default())
        ),
    };
    format!(
        "<!-- watcher memory search -->\n{seen}\nPRIOR FINDINGS about it are in the memory. Call search_thoughts with query {}, project {}, limit 5.\nApply what \
         it finds; when it finds nothing, record the cause once it is known.\n<!-- /watcher memory search -->\n",
        quoted(&query),
        quoted(&project),
    )
}
