//! The index of the code graph.

use std::panic::{AssertUnwindSafe, catch_unwind};

use forge_memory_core::Error;
use forge_memory_lattice::{self as core, IndexOptions};
use napi::bindgen_prelude::{AsyncTask, FnArgs, FromNapiValue, Function, JsValue, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, Task, ValueType};
use napi_derive::napi;

use crate::addons::grammars;
use crate::answer::{Encoded, count};
use crate::error::{Result, thrown};
use crate::input::{InProject, read_or_empty, refused};
use crate::projects::{project_dir, user_home};

type Counts = FnArgs<(u32, u32)>;
type Progress = ThreadsafeFunction<Counts, Unknown<'static>, Counts, Status, false, true>;

/// A run of the index on the thread pool.
pub struct LatticeIndexTask {
    lattice: Option<core::Lattice>,
    options: core::IndexOptions,
    progress: Option<Progress>,
}

impl Task for LatticeIndexTask {
    type Output = forge_memory_core::Result<core::IndexOutcome>;
    type JsValue = Encoded;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let LatticeIndexTask {
            lattice,
            options,
            progress,
        } = self;
        let progress = progress.as_ref();
        let reported = std::sync::atomic::AtomicUsize::new(0);
        let tell = |done: usize, total: usize| {
            let Some(progress) = progress else { return };
            // Progress is reported in at most a hundred steps.
            let step = (done * 100).checked_div(total).unwrap_or(100);
            if done == 0 || reported.fetch_max(step, std::sync::atomic::Ordering::Relaxed) < step {
                progress.call(
                    FnArgs::from((count(done), count(total))),
                    ThreadsafeFunctionCallMode::NonBlocking,
                );
            }
        };
        let bug = |_| napi::Error::new(Status::GenericFailure, "internal error");
        let index = || {
            let closed = || Error::Closed { what: "code graph" };
            let lattice = lattice.take().ok_or_else(closed)?;
            lattice.parsing_with(grammars()?).index(options, &tell)
        };
        catch_unwind(AssertUnwindSafe(index)).map_err(bug)
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> napi::Result<Encoded> {
        let encoded = output.and_then(|outcome| Encoded::of(&outcome));
        encoded.map_err(|error| thrown(&env, &error))
    }
}

/// Updates the index of the code graph. With `paths` or `since` only those files are read, and the rest of the index stays.
/// A run that reaches `maxSeconds` or `maxMemoryMb` leaves something out, reports that in `limit`, and the next run makes
/// up for it. `onProgress` is called with the number of files done and the total. Rejects with
/// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT`, `ADDON_MISSING` or `ADDON_UNUSABLE` (the grammars are a package of their own:
/// `forge-memory-lattice`), `LOCKED` or `IO`; the index is unchanged then.
#[napi(
    catch_unwind,
    ts_args_type = "options?: LatticeIndexOptions, onProgress?: (done: number, total: number) => void",
    ts_return_type = "Promise<LatticeIndexOutcome>"
)]
pub fn lattice_index(options: Unknown, on_progress: Unknown) -> Result<AsyncTask<LatticeIndexTask>> {
    let asked: InProject<IndexOptions> = read_or_empty("options", &options)?;
    let progress = match on_progress.get_type()? {
        ValueType::Undefined => None,
        ValueType::Function => Some(progress_of(&on_progress)?),
        _ => {
            return Err(refused(
                &on_progress,
                &Error::invalid("onProgress", "expected a function"),
            ));
        }
    };
    let dir = project_dir(&asked).map_err(|error| refused(&options, &error))?;
    Ok(AsyncTask::new(LatticeIndexTask {
        lattice: Some(core::Lattice::new(dir, user_home())),
        options: asked.options,
        progress,
    }))
}

fn progress_of(value: &Unknown<'_>) -> Result<Progress> {
    let raw = value.value();
    // SAFETY: the value is a function of the running call, as checked above.
    let function = unsafe { Function::<Counts, Unknown<'static>>::from_napi_value(raw.env, raw.value) }?;
    // Weak: reporting progress must not keep the process alive.
    function.build_threadsafe_function::<Counts>().weak::<true>().build()
}
