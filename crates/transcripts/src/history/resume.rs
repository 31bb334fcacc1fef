//! The commands that resume a session.

use crate::agent::Agent;

/// Returns the command that resumes a session; `None` for agents without one, and for ids that a shell might not read as one word.
pub(super) fn command(agent: Agent, id: &str) -> Option<String> {
    let is_plain = !id.is_empty()
        && id.len() <= 128
        && !id.starts_with('-')
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let lead = match agent {
        Agent::Claude => "claude --resume ",
        Agent::Codex => "codex resume ",
        Agent::Copilot => "copilot --resume=",
        Agent::Kilo => "kilo --session ",
        Agent::Opencode => "opencode --session ",
        _ => return None,
    };
    is_plain.then(|| format!("{lead}{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_a_shell_could_split_gives_no_command() {
        assert_eq!(command(Agent::Claude, "a-1").as_deref(), Some("claude --resume a-1"));
        for id in ["", "-x", "a b", "$(reboot)", "a;b"] {
            assert_eq!(command(Agent::Codex, id), None, "{id}");
        }
        assert_eq!(command(Agent::Zed, "x"), None);
    }
}
