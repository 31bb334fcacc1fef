//! Events: publishing them, and following the file to which every process appends them.

use std::sync::{Mutex, PoisonError};

use forge_memory_core::events::{self as core, EventFilter, Position, Start, TailBatch, TailOptions, TailReadOptions};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::input::{read, read_or_empty};
use crate::projects::{with_memory, with_options};

/// The default number of bytes of one read.
const READ_BYTES: f64 = 262_144.0;

/// Appends events to the project's event file, from which every hub sends them. A `run-started` that names its plan is
/// followed by a `memory-preload`. Returns the sequence number of the last event. Throws `INVALID_INPUT` when one has no
/// type, is not a JSON object or is too large; none is appended then.
#[napi(
    catch_unwind,
    ts_args_type = "events: Array<string>, options?: ProjectOptions",
    ts_return_type = "number"
)]
pub fn publish_events(env: &Env, events: Unknown, options: Unknown) -> Result<f64> {
    let events: Vec<String> = read("events", &events)?;
    with_memory(env, &options, |memory| memory.publish(&events)).map(|seq| seq as f64)
}

/// A reader of the event file that resumes where it stopped, across rotation, truncation and partial lines.
#[napi]
pub struct EventTail {
    tail: Mutex<core::EventTail>,
}

#[napi]
impl EventTail {
    /// Opens the project's event file. Throws `INVALID_INPUT` or `IO`.
    #[napi(factory, catch_unwind, ts_args_type = "options?: TailOptions")]
    pub fn open(env: &Env, options: Unknown) -> Result<EventTail> {
        let tail = with_options(env, &options, |memory, options: TailOptions| {
            let start = match (options.since, options.newest) {
                (Some(since), _) => Start::After(since),
                (None, newest) => Start::Newest(newest.unwrap_or(0.0).clamp(0.0, 1e6) as usize),
            };
            memory.follow_events(start, &wants(options.handles), position(options.until)?, options.live)
        })?;
        Ok(EventTail { tail: Mutex::new(tail) })
    }

    /// Reads the next events. Throws `INVALID_INPUT` or `IO`.
    #[napi(
        catch_unwind,
        ts_args_type = "options?: TailReadOptions",
        ts_return_type = "TailBatch"
    )]
    pub fn read(&self, env: &Env, options: Unknown) -> Result<Answer<TailBatch>> {
        let options: TailReadOptions = read_or_empty("options", &options)?;
        let bytes = options.bytes.unwrap_or(READ_BYTES).max(1.0) as u64;
        let batch = position(options.until)
            .and_then(|until| self.inner().read(bytes, &wants(options.handles), until))
            .map_err(|error| thrown(env, &error))?;
        Ok(Answer(batch))
    }

    /// Ends the effect of `live`. The tail can still be read; events rotated away before are reported in `lost`.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.inner().let_go();
    }

    /// The sequence number of the last event read, also of one that was filtered out.
    #[napi(getter)]
    pub fn seq(&self) -> f64 {
        self.inner().seq()
    }

    /// The position in the file, for another tail; null while there is no file.
    #[napi(getter)]
    pub fn position(&self) -> Option<String> {
        self.inner().position().map(|position| position.to_string())
    }

    /// The number of lines that are not events.
    #[napi(getter)]
    pub fn passed_over(&self) -> f64 {
        self.inner().passed_over() as f64
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, core::EventTail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wants(handles: Option<Vec<String>>) -> EventFilter {
    handles.map(EventFilter::only).unwrap_or_default()
}

fn position(until: Option<String>) -> forge_memory_core::Result<Option<Position>> {
    until.map(|text| text.parse()).transpose()
}
