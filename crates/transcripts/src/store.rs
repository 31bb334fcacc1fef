//! Stores findings through the engine's capture, which detects duplicates and redacts secrets. A finding waits in the review inbox unless
//! its confidence is at least the threshold that the user gave.

use forge_memory_core::author::{Author, Speaker};
use forge_memory_core::review::WaitingFor;
use forge_memory_core::said::Door;
use forge_memory_core::{CaptureInput, Memory, Result, ReviewOutcome};

use crate::agent::Agent;
use crate::learn::Finding;
use crate::learn::Sighting;

/// Selects the findings in the inbox that are accepted.
#[derive(Debug, Clone, Copy)]
pub struct Acceptance<'a> {
    /// The minimum confidence, 0 to 1.
    pub least: f64,
    /// Only findings from sessions of these agents; of all agents when empty.
    pub agents: &'a [Agent],
}

/// The outcome of storing findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// New records that are valid at once.
    pub stored: u64,
    /// New records that wait for review.
    pub proposed: u64,
    /// Findings that the memory had already, as a record that is valid, waits or was rejected.
    pub duplicates: u64,
    /// Findings of earlier runs that waited and count now.
    pub accepted: u64,
}

/// Converts a finding to a capture. From the confidence `accept` on it is valid at once, whatever the project's review settings say.
fn input_of(finding: &Finding, accept: Option<f64>) -> CaptureInput {
    let seen = &finding.seen;
    let counts = accept.is_some_and(|least| finding.confidence >= least);
    CaptureInput {
        tool: Some("backfill".to_owned()),
        kind: Some(finding.kind.record_type().to_owned()),
        body: Some(finding.text.clone()),
        source: Some(format!("backfill/{}", seen.agent.name())),
        tags: vec![finding.kind.name().to_owned()],
        confidence: Some(finding.confidence),
        created_by: Some(provenance(seen)),
        author: Some(Author::Import.name().to_owned()),
        session: Some(format!("import:{}:{}", seen.agent.name(), short(&seen.session))),
        waits: Some(!counts),
        door: Some(Door::Backfill),
        ..CaptureInput::default()
    }
}

/// Returns where a record came from: agent, session and line.
fn provenance(seen: &Sighting) -> String {
    format!("{}:{}:{}", seen.agent.name(), short(&seen.session), seen.line)
}

fn short(session: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    session.chars().filter(plain).take(80).collect()
}

/// Stores findings, the oldest first, so that of two contradicting ones the later wins. Those with at least the confidence `accept`
/// are valid at once; all others wait for review.
///
/// # Errors
/// The first error of a tier; findings stored before it stay, and the next run stores the rest.
pub fn store(memory: &mut Memory, findings: &[&Finding], accept: Option<f64>) -> Result<Stored> {
    let mut ordered: Vec<&&Finding> = findings.iter().collect();
    ordered.sort_by(|one, other| {
        one.seen
            .at_ms
            .cmp(&other.seen.at_ms)
            .then_with(|| one.key.cmp(&other.key))
    });
    let mut stored = Stored::default();
    for finding in ordered {
        let outcome = memory.capture(input_of(finding, accept))?;
        if !outcome.captured
            && let Some(error) = outcome.tiers.files.error
        {
            return Err(error);
        }
        match outcome.review {
            _ if outcome.deduped => stored.duplicates += 1,
            Some(ReviewOutcome::Proposed) => stored.proposed += 1,
            _ if outcome.captured => stored.stored += 1,
            _ => {}
        }
    }
    Ok(stored)
}

/// Accepts the findings of earlier runs that wait for a review. Returns how many.
///
/// # Errors
/// The first error; findings accepted before it stay so.
pub fn accept_waiting(memory: &mut Memory, acceptance: Acceptance<'_>) -> Result<u64> {
    let is_meant = |source: &str| {
        let agent = source.strip_prefix("backfill/").and_then(Agent::named);
        agent.is_some_and(|agent| acceptance.agents.is_empty() || acceptance.agents.contains(&agent))
    };
    // A threshold is no person who has read them.
    let speaker = Speaker {
        author: Some(Author::Import),
        ..Speaker::default()
    };
    let mut reviewer = memory.reviewer().by(speaker.through(Door::Backfill));
    let waiting = reviewer.inbox();
    let sure = waiting.iter().filter(|waiting| {
        waiting.author == Author::Import.name()
            && waiting.why != WaitingFor::Disputed
            && waiting.confidence >= acceptance.least
            && is_meant(&waiting.source)
    });
    let mut accepted = 0;
    for waiting in sure {
        reviewer.accept(&waiting.id, None)?;
        accepted += 1;
    }
    Ok(accepted)
}
