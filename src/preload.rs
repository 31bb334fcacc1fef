//! Context for an agent before it starts.

use forge_memory_core::keywords::KeywordEntry;
use forge_memory_core::preload::{Change, Context, ContextEntry, Plan, TOKENS_DEFAULT, compose, search_prompt};
use forge_memory_core::{Error, RecallHit, RecallOptions};
use forge_memory_moment::about_prompt;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::document::document;
use crate::error::Result;
use crate::input::{read, refused};
use crate::projects::{with_memory, with_options};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BootContextOptions {
    max_hints: Option<f64>,
}

/// Returns the questions that a plan raises: first its own history, then the topics in the titles of its slices, each once.
/// Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "plan: string | { name: string, slices?: Array<string | { title: string }> }, projectName?: string, options?: { projectDir?: string, maxHints?: number }",
    ts_return_type = "{ _v: number, projectName: string, planName: string, hints: Array<{ kind: 'plan-history' | 'slice-keyword', query: string, limit: number }> }"
)]
pub fn build_plan_boot_context(env: &Env, plan: Unknown, project_name: Unknown, options: Unknown) -> Result<Value> {
    let document = document("plan", &plan)?;
    let plan = Plan::read(&document).map_err(|error| refused(&plan, &error))?;
    let project_name: Option<String> = read("projectName", &project_name)?;
    with_options(env, &options, |memory, options: BootContextOptions| {
        let context = memory.boot_context(&plan, project_name.as_deref(), options.max_hints)?;
        serde_json::to_value(&context).map_err(Error::internal("encode the context"))
    })
}

/// Answers the questions of a plan from the project's files. It is part of `preloadPlan`, which also asks the shared store.
#[napi(
    catch_unwind,
    ts_args_type = "queries: Array<{ query: string, limit: number }>, options?: ProjectOptions",
    ts_return_type = "Array<PreloadEntry>"
)]
pub fn answer_hints(env: &Env, queries: Unknown, options: Unknown) -> Result<Value> {
    let Value::Array(hints) = document("queries", &queries)? else {
        return Err(refused(&queries, &Error::invalid("queries", "expected a list")));
    };
    let entries = with_memory(env, &options, |memory| {
        let mut entries = Vec::new();
        for hint in &hints {
            let query = hint.get("query").and_then(Value::as_str).unwrap_or_default();
            let options = RecallOptions {
                limit: hint.get("limit").and_then(Value::as_f64),
                ..RecallOptions::default()
            };
            for hit in memory.recall(query, &options)?.hits {
                entries.push(json!({
                    "id": hit.id, "query": query, "tier": "files", "type": hit.kind, "text": hit.text, "score": hit.score,
                }));
            }
        }
        Ok(entries)
    })?;
    Ok(Value::Array(entries))
}

/// Composes a context within a token budget, 2,000 when absent. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "planName: string, entries: Array<PreloadEntry>, tokenBudget?: number",
    ts_return_type = "PreloadContext"
)]
pub fn compose_preload(plan_name: Unknown, entries: Unknown, token_budget: Option<f64>) -> Result<Answer<Context>> {
    let name: String = read("planName", &plan_name)?;
    let budget = match token_budget {
        None => TOKENS_DEFAULT,
        Some(tokens) if (1.0..=1e6).contains(&tokens) => tokens as usize,
        Some(_) => {
            let error = Error::invalid("tokenBudget", "expected a number from 1 to 1,000,000");
            return Err(refused(&plan_name, &error));
        }
    };
    let entries: Vec<ContextEntry> = read("entries", &entries)?;
    Ok(Answer(compose(&name, entries, budget)))
}

/// Returns notes for the start of a session: first those about the current branch and a plan, then those that always apply.
#[napi(
    catch_unwind,
    ts_args_type = "plan?: string | undefined | null, options?: ProjectOptions",
    ts_return_type = "Array<RecallHit>"
)]
pub fn session_notes(env: &Env, plan: Unknown, options: Unknown) -> Result<Answer<Vec<RecallHit>>> {
    let plan: Option<String> = read("plan", &plan)?;
    let hits = with_memory(env, &options, |memory| {
        memory.config();
        memory.session_notes(plan.as_deref())
    })?;
    Ok(Answer(hits))
}

/// Returns notes about a prompt, as hooks do: records that share two telling words with it, or a name. Everyday words ask for nothing, nor do
/// texts that programs add in elements such as `<system-reminder>`.
#[napi(
    catch_unwind,
    ts_args_type = "prompt: string, options?: ProjectOptions",
    ts_return_type = "Array<RecallHit>"
)]
pub fn prompt_notes(env: &Env, prompt: Unknown, options: Unknown) -> Result<Answer<Vec<RecallHit>>> {
    let prompt: String = read("prompt", &prompt)?;
    let hits = with_memory(env, &options, |memory| {
        memory.config();
        about_prompt(&prompt, |own| memory.prompt_notes(own))
    })?;
    Ok(Answer(hits))
}

/// Composes a request to an agent to look up memories about a change of a file or about an anomaly; empty when there is nothing to ask. Throws
/// `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "change: { code?: string, rule?: string, event?: string, path?: string }, projectName: string"
)]
pub fn build_watcher_search_prompt(change: Unknown, project_name: Unknown) -> Result<String> {
    let change: Change = read("change", &change)?;
    let project_name: String = read("projectName", &project_name)?;
    Ok(search_prompt(&change, &project_name))
}

/// Lists which words in a title raise which question: the keyword map of the project's settings, or the built-in one.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<KeywordEntry>"
)]
pub fn keyword_map(env: &Env, options: Unknown) -> Result<Answer<Vec<KeywordEntry>>> {
    with_memory(env, &options, |memory| {
        Ok(Answer(memory.keyword_map().entries().collect()))
    })
}
