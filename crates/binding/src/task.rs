//! Work on the thread pool as promises. Errors of the engine are passed as data, so that their codes survive.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{AsyncTask, ToNapiValue, TypeName};
use napi::{Env, Status, Task};

use crate::error::thrown;

type Job<T> = Box<dyn FnOnce() -> forge_memory_core::Result<T> + Send>;

/// A call of the engine on another thread.
pub struct CoreTask<T> {
    work: Option<Job<T>>,
}

/// Returns a promise of the result of `work`.
pub fn promise<T: Send + 'static>(
    work: impl FnOnce() -> forge_memory_core::Result<T> + Send + 'static,
) -> AsyncTask<CoreTask<T>>
where
    CoreTask<T>: Task,
{
    AsyncTask::new(CoreTask {
        work: Some(Box::new(work)),
    })
}

impl<T: Send + ToNapiValue + TypeName + 'static> Task for CoreTask<T> {
    type Output = forge_memory_core::Result<T>;
    type JsValue = T;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let bug = || napi::Error::new(Status::GenericFailure, "internal error");
        let work = self.work.take().ok_or_else(bug)?;
        catch_unwind(AssertUnwindSafe(work)).map_err(|_| bug())
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> napi::Result<T> {
        output.map_err(|error| thrown(&env, &error))
    }
}
