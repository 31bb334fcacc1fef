//! Functions of the engine that we write and it compiles, once in each environment: what they do takes the engine a fraction
//! of what it takes through the binding, value by value.
//!
//! A function is compiled when it is asked for the second time: a process that asks once would lose by it.

use std::cell::RefCell;
use std::ffi::c_void;

use napi::sys;
use rustc_hash::FxHashMap;

use crate::json::string;

/// There is room for so many.
const FUNCTIONS_MAX: usize = 128;

/// What is known of a function in one environment.
enum Function {
    /// It was asked for once.
    Met,
    /// It is compiled.
    Made(sys::napi_ref),
}

/// The functions of one environment by what they are for.
#[derive(Default)]
pub(crate) struct Functions(FxHashMap<Vec<u8>, Function>);

thread_local! {
    /// The functions of each environment of this thread: usually one, several where programs load the addon into contexts.
    static ENVIRONMENTS: RefCell<FxHashMap<usize, Functions>> = RefCell::default();
}

/// Calls a function of the engine that answers through its last argument; `None` when it fails.
macro_rules! made {
    ($function:ident($($argument:expr),*)) => {{
        let mut out = std::ptr::null_mut();
        // SAFETY: the environment is that of the running call, and so are the values that it hands out.
        let status = unsafe { napi::sys::$function($($argument,)* &mut out) };
        (status == napi::sys::Status::napi_ok).then_some(out)
    }};
}
pub(crate) use made;

/// Lets `work` use the functions of an environment; `None` when there are none to use.
///
/// # Safety
/// `env` is the environment of the running call.
pub(crate) unsafe fn with_functions<T>(
    env: sys::napi_env,
    work: impl FnOnce(&mut Functions) -> Option<T>,
) -> Option<T> {
    let work_in = |environments: &RefCell<FxHashMap<usize, Functions>>| {
        let mut environments = environments.try_borrow_mut().ok()?;
        if !environments.contains_key(&(env as usize)) {
            // SAFETY: the environment is alive, and the hook takes nothing but its address.
            let status = unsafe { sys::napi_add_env_cleanup_hook(env, Some(forget_environment), env.cast()) };
            if status != sys::Status::napi_ok {
                // Another environment may get the same address later: better no functions than those of this one.
                return None;
            }
        }
        work(environments.entry(env as usize).or_default())
    };
    ENVIRONMENTS.try_with(work_in).ok().flatten()
}

/// The engine frees the functions itself; what must go is our knowledge of them.
unsafe extern "C" fn forget_environment(env: *mut c_void) {
    // A thread that ends has forgotten already.
    let _ = ENVIRONMENTS.try_with(|environments| {
        if let Ok(mut environments) = environments.try_borrow_mut() {
            environments.remove(&(env as usize));
        }
    });
}

impl Functions {
    /// Returns the function for `purpose`, whose text is `source`; `None` when it is asked for the first time.
    pub fn get(
        &mut self,
        env: sys::napi_env,
        purpose: &[u8],
        source: impl FnOnce() -> String,
    ) -> Option<sys::napi_value> {
        match self.0.get_mut(purpose) {
            Some(Function::Made(function)) => made!(napi_get_reference_value(env, *function)),
            Some(known) => {
                let (function, reference) = compile(env, &source())?;
                *known = Function::Made(reference);
                Some(function)
            }
            None => {
                if self.0.len() < FUNCTIONS_MAX {
                    self.0.insert(purpose.to_vec(), Function::Met);
                }
                None
            }
        }
    }
}

fn compile(env: sys::napi_env, source: &str) -> Option<(sys::napi_value, sys::napi_ref)> {
    // SAFETY: the environment is that of the running call.
    let source = unsafe { string(env, source) }.ok()?;
    let Some(function) = made!(napi_run_script(env, source)) else {
        // A program that forbids scripts gets the same done the long way.
        made!(napi_get_and_clear_last_exception(env));
        return None;
    };
    Some((function, made!(napi_create_reference(env, function, 1))?))
}
