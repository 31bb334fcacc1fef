//! What an agent should know before it starts.

use forge_memory_core::preload::{Change, ContextEntry, Plan, TOKENS_DEFAULT, compose, search_prompt};
use forge_memory_core::{Error, RecallOptions};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde_json::{Value, json};

use crate::document::document;
use crate::error::{Result, invalid, to_js};
use crate::projects::{with_memory, with_options};
use crate::reader::{Fields, objects, optional_text, text};
use crate::types::RecallHit;

/// Returns the questions that a plan raises: its own history first, then what the titles of its slices are about, each
/// once. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "plan: string | { name: string, slices?: Array<string | { title: string }> }, projectName?: string, options?: { projectDir?: string, maxHints?: number }",
    ts_return_type = "{ _v: number, projectName: string, planName: string, hints: Array<{ kind: 'plan-history' | 'slice-keyword', query: string, limit: number }> }"
)]
pub fn build_plan_boot_context(env: &Env, plan: Unknown, project_name: Unknown, options: Unknown) -> Result<Value> {
    let plan = Plan::read(&document("plan", &plan)?).map_err(to_js)?;
    let project_name = optional_text("projectName", &project_name)?;
    let context = with_options(env, &options, &[c"maxHints"], |memory, fields| {
        let hints_max = fields.number(c"maxHints")?;
        memory
            .boot_context(&plan, project_name.as_deref(), hints_max)
            .map_err(to_js)
    })?;
    serde_json::to_value(&context).map_err(|e| to_js(Error::invalid("context", e.to_string())))
}

/// Answers the questions of a plan out of the project's files. For `preloadPlan`, which asks the shared store as well.
#[napi(
    catch_unwind,
    ts_args_type = "queries: Array<{ query: string, limit: number }>, options?: ProjectOptions",
    ts_return_type = "Array<PreloadEntry>"
)]
pub fn answer_hints(env: &Env, queries: Unknown, options: Unknown) -> Result<Value> {
    let Value::Array(queries) = document("queries", &queries)? else {
        return Err(invalid("queries", "a list is due"));
    };
    let entries = with_memory(env, &options, |memory, _| {
        let mut entries = Vec::new();
        for hint in &queries {
            let query = hint.get("query").and_then(Value::as_str).unwrap_or_default();
            let options = RecallOptions {
                limit: hint.get("limit").and_then(Value::as_f64),
                ..RecallOptions::default()
            };
            for hit in memory.recall(query, &options).map_err(to_js)?.hits {
                entries.push(json!({
                    "id": hit.id, "query": query, "tier": "files", "type": hit.kind, "text": hit.text, "score": hit.score,
                }));
            }
        }
        Ok(entries)
    })?;
    Ok(Value::Array(entries))
}

/// Something that answers a question of a plan.
#[napi(object, object_from_js = false)]
pub struct PreloadEntry {
    pub id: String,
    /// The question.
    pub query: String,
    #[napi(ts_type = "'files' | 'openbrain'")]
    pub tier: String,
    #[napi(js_name = "type")]
    pub kind: String,
    pub text: String,
    pub score: f64,
}

/// The text for an agent, and what is in it.
#[napi(object, object_from_js = false)]
pub struct PreloadContext {
    /// Empty when nothing was found.
    pub text: String,
    /// Estimated.
    pub tokens: u32,
    /// What is in it, in its order.
    pub entries: Vec<PreloadEntry>,
    /// How many found no room.
    pub left_out: u32,
}

/// Composes ready context within a budget of tokens, 2,000 when absent. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "planName: string, entries: Array<PreloadEntry>, tokenBudget?: number"
)]
pub fn compose_preload(plan_name: Unknown, entries: Unknown, token_budget: Option<f64>) -> Result<PreloadContext> {
    let plan_name = text("planName", &plan_name)?;
    let budget = match token_budget {
        None => TOKENS_DEFAULT,
        Some(tokens) if (1.0..=1e6).contains(&tokens) => tokens as usize,
        Some(_) => return Err(invalid("tokenBudget", "a number from 1 to 1,000,000 is due")),
    };
    let entries = objects("entries", &entries)?;
    let entries = entries.iter().map(entry_of).collect::<Result<_>>()?;
    let context = compose(&plan_name, entries, budget);
    let back = |entry: ContextEntry| PreloadEntry {
        id: entry.id,
        query: entry.query,
        tier: entry.tier,
        kind: entry.kind,
        text: entry.text,
        score: entry.score,
    };
    Ok(PreloadContext {
        text: context.text,
        tokens: count(context.tokens),
        entries: context.entries.into_iter().map(back).collect(),
        left_out: count(context.left_out),
    })
}

fn entry_of(fields: &Fields<'_>) -> Result<ContextEntry> {
    let field = |name: &std::ffi::CStr| {
        let given = fields.text(name)?;
        given.ok_or_else(|| invalid(&name.to_string_lossy(), "a text is due"))
    };
    Ok(ContextEntry {
        id: field(c"id")?,
        query: field(c"query")?,
        tier: field(c"tier")?,
        kind: field(c"type")?,
        text: field(c"text")?,
        score: fields
            .number(c"score")?
            .ok_or_else(|| invalid("score", "a number is due"))?,
    })
}

/// Returns what to know at the start of a session: what concerns the branch of the checkout and a plan, then what holds always.
#[napi(
    catch_unwind,
    ts_args_type = "plan?: string | undefined | null, options?: ProjectOptions"
)]
pub fn session_notes(env: &Env, plan: Unknown, options: Unknown) -> Result<Vec<RecallHit>> {
    let plan = optional_text("plan", &plan)?;
    let hits = with_memory(env, &options, |memory, _| {
        memory.session_notes(plan.as_deref()).map_err(to_js)
    })?;
    Ok(hits.into_iter().map(Into::into).collect())
}

/// Returns what is known about a prompt: only what shares at least two of its words, or its only one.
#[napi(catch_unwind, ts_args_type = "prompt: string, options?: ProjectOptions")]
pub fn prompt_notes(env: &Env, prompt: Unknown, options: Unknown) -> Result<Vec<RecallHit>> {
    let prompt = text("prompt", &prompt)?;
    let hits = with_memory(env, &options, |memory, _| memory.prompt_notes(&prompt).map_err(to_js))?;
    Ok(hits.into_iter().map(Into::into).collect())
}

/// Composes the request that has an agent look up what is known about a change to a file, or about an anomaly; empty when
/// there is nothing to ask. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "change: { code?: string, rule?: string, event?: string, path?: string }, projectName: string"
)]
pub fn build_watcher_search_prompt(change: Unknown, project_name: Unknown) -> Result<String> {
    let fields = Fields::required("change", &change)?;
    fields.only(&[c"code", c"rule", c"event", c"path"])?;
    let change = Change {
        code: fields.text(c"code")?,
        rule: fields.text(c"rule")?,
        event: fields.text(c"event")?,
        path: fields.text(c"path")?,
    };
    Ok(search_prompt(&change, &text("projectName", &project_name)?))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
