//! Fields that nobody knows are refused: a typing error must not be taken for no wish at all.

use std::ffi::CStr;

use napi::ValueType;
use napi::bindgen_prelude::{JsObjectValue, Object, Unknown};

use crate::error::{Result, internal, invalid};
use crate::reader::Fields;

/// What every function with options takes.
const PROJECT: &CStr = c"projectDir";
/// Names by which other tools, and other functions here, name a project.
const OTHER_PROJECTS: [&str; 8] = [
    "cwd",
    "path",
    "targetPath",
    "project",
    "dir",
    "root",
    "projectRoot",
    "workspace",
];

impl Fields<'_> {
    /// Refuses every field but these.
    pub fn only(&self, names: &[&CStr]) -> Result<()> {
        self.refuse_others("field", names)
    }

    /// Refuses every option but these and the project's folder.
    pub fn only_options(&self, names: &[&CStr]) -> Result<()> {
        self.refuse_others("option", &[&[PROJECT], names].concat())
    }

    fn refuse_others(&self, what: &str, names: &[&CStr]) -> Result<()> {
        let Some(object) = self.object() else { return Ok(()) };
        for given in Object::keys(object).map_err(internal)? {
            let is_known = names.iter().any(|name| name.to_bytes() == given.as_bytes());
            if !is_known && is_there(object, &given)? {
                return Err(invalid(&shortened(&given), &reason(&given, what, names)));
            }
        }
        Ok(())
    }
}

/// A field without a value is as good as absent.
fn is_there(object: &Object<'_>, name: &str) -> Result<bool> {
    let value: Unknown<'_> = object.get_named_property(name).map_err(internal)?;
    Ok(value.get_type().map_err(internal)? != ValueType::Undefined)
}

fn reason(given: &str, what: &str, names: &[&CStr]) -> String {
    let is_project = what == "option" && OTHER_PROJECTS.contains(&given);
    if is_project && names.contains(&PROJECT) {
        return "there is no such option; projectDir names the folder of the project".to_owned();
    }
    let known: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
    format!("there is no such {what}; there are {}", known.join(", "))
}

fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}
