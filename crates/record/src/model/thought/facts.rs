//! The facts of a record: optional texts that no rule reads. One line of the table below declares one, and with it the field of everything
//! that carries a record: what a capture, a save and an edit take, the stored record, and the answer of a search.

use memchr::memmem;
use schemars::JsonSchema;
use serde_json::Value;

use super::line::read_value;

/// Gives a struct the facts, behind its own fields.
#[macro_export]
macro_rules! facts {
    ($($item:tt)*) => { $crate::declare_facts! { [
        /// The words of the person that it states, as they were said.
        quote,
    ] $($item)* } };
}

/// What [`facts`](crate::facts) makes of its table.
#[macro_export]
macro_rules! declare_facts {
    ([$($(#[$said:meta])* $fact:ident,)*] all) => {
        /// The facts, without the record.
        #[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
        #[schemars(rename_all = "camelCase")]
        pub struct Facts { $($(#[$said])* pub $fact: Option<String>,)* }

        // There may be none.
        #[allow(unused_doc_comments, unused_mut, unused_variables)]
        impl Facts {
            /// Reads the facts of a line.
            pub fn read(line: &[u8]) -> Self {
                let mut facts = Facts::default();
                let mut has_any = false;
                $($(#[$said])* {
                    has_any |= memmem::find(line, concat!("\"", stringify!($fact), "\"").as_bytes()).is_some();
                })*
                // Most lines have none, and are not read again.
                let Some(record) = has_any.then(|| read_value(line)).flatten() else { return facts };
                $($(#[$said])* {
                    facts.$fact = record.get(stringify!($fact)).and_then(Value::as_str).map(str::to_owned);
                })*
                facts
            }

            /// Returns the facts that are given, by their names.
            pub(crate) fn texts(&mut self) -> Vec<(&'static str, &mut String)> {
                let mut texts = Vec::new();
                $($(#[$said])* { texts.extend(self.$fact.as_mut().map(|text| (stringify!($fact), text))); })*
                texts
            }

            /// Takes from the older ones those that are not given.
            pub fn or(mut self, older: &Facts) -> Self {
                $($(#[$said])* { self.$fact = self.$fact.take().or_else(|| older.$fact.clone()); })*
                self
            }
        }
    };
    ([$($(#[$said:meta])* $fact:ident,)*] $(#[$meta:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        pub struct $name {
            $($own)*
            $($(#[$said])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $fact: Option<String>,)*
        }

        #[allow(unused_doc_comments, unused_mut, unused_variables)]
        impl $name {
            /// Returns its facts.
            pub fn facts(&self) -> $crate::model::thought::Facts {
                let mut facts = $crate::model::thought::Facts::default();
                $($(#[$said])* { facts.$fact.clone_from(&self.$fact); })*
                facts
            }

            /// Returns it with other facts.
            #[must_use]
            pub fn with_facts(mut self, facts: $crate::model::thought::Facts) -> Self {
                $($(#[$said])* { self.$fact = facts.$fact; })*
                self
            }
        }
    };
}

crate::facts! { all }
