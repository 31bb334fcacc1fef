//! Collects violations, so that one fault does not hide those of the next.

#[derive(Debug, Default)]
pub struct Findings {
    label: String,
    pub found: Vec<String>,
    /// Set when the fault is in an append or in the sync after it.
    pub bytes_may_have_arrived: bool,
}

impl Findings {
    pub fn labelled(label: String, bytes_may_have_arrived: bool) -> Self {
        Findings {
            label,
            found: Vec::new(),
            bytes_may_have_arrived,
        }
    }

    pub fn check(&mut self, holds: bool, said: impl FnOnce() -> String) {
        if !holds {
            self.found.push(format!("{}: {}", self.label, said()));
        }
    }
}
