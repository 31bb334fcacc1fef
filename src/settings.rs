//! The settings of a project, for the functions in TypeScript.

use forge_memory_core::config::Config;
use forge_memory_core::settings::{Read, layered};
use forge_memory_core::{Environment, Error, written_settings};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde_json::Value;

use crate::answer::Answer;
use crate::document::document;
use crate::error::Result;
use crate::input::refused;
use crate::projects::{only_project, place, user_home};

/// Returns the contents of a project's `.forge.json`: `given` has its valid settings and those of other tools, `settings` the defaults as
/// well. A folder that is no project has none.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "{ settings: ProjectSettings, given: { [Name in keyof ProjectSettings]?: Partial<ProjectSettings[Name]> }, problems: Array<string> }"
)]
pub fn project_settings(options: Unknown) -> Result<Answer<Read>> {
    let Config {
        settings,
        given,
        problems,
        ..
    } = place(&only_project(&options)?).map_or_else(
        |_| Config::default(),
        |place| written_settings(&Environment::at(place, user_home())),
    );
    Ok(Answer(Read {
        settings,
        given,
        problems,
    }))
}

/// Returns the same for the contents of files, of which a later one overrides an earlier one.
#[napi(
    catch_unwind,
    ts_args_type = "files: Array<object>",
    ts_return_type = "ReturnType<typeof projectSettings>"
)]
pub fn layered_settings(files: Unknown) -> Result<Answer<Read>> {
    let given = document("files", &files)?;
    let Value::Array(files) = given else {
        return Err(refused(&files, &Error::invalid("files", "expected a list")));
    };
    let files = files.into_iter().filter_map(|file| match file {
        Value::Object(file) => Some(file),
        _ => None,
    });
    Ok(Answer(layered(files)))
}
