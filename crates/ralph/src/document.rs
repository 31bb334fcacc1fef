//! The document of a store: a list, or an object with lists under known names.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::element::Element;
use super::lenient::{Lenient, other_values};

/// A list in a document. `L` is [`Elements`] for reading, `&RawValue` for rewriting.
#[derive(Debug, PartialEq)]
pub(super) struct List<'a, L> {
    pub items: L,
    /// The default iteration of its entries.
    pub iteration: Option<f64>,
    pub created_at: Option<Cow<'a, str>>,
}

/// The known parts of a document.
#[derive(Debug, PartialEq)]
pub(super) struct Document<'a, L> {
    /// The lists in the order of the text.
    pub lists: Vec<List<'a, L>>,
    /// The loop that the document as a whole belongs to.
    pub loop_id: Option<Cow<'a, str>>,
    /// The title of that loop.
    pub title: Option<Cow<'a, str>>,
}

impl<L> Default for Document<'_, L> {
    fn default() -> Self {
        Document {
            lists: Vec::new(),
            loop_id: None,
            title: None,
        }
    }
}

/// The elements of a list; `None` for a value that is not a list.
#[derive(Debug, PartialEq)]
pub(super) struct Elements<'a>(pub Option<Vec<Element<'a>>>);

/// Parses a document for the positions of its lists.
pub(super) fn locate(text: &str) -> serde_json::Result<Document<'_, &RawValue>> {
    parse(text)
}

pub(super) fn parse<'a, L: Deserialize<'a>>(text: &'a str) -> serde_json::Result<Document<'a, L>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        let items = serde_json::from_str(text)?;
        let list = List {
            items,
            iteration: None,
            created_at: None,
        };
        return Ok(Document {
            lists: vec![list],
            ..Document::default()
        });
    }
    serde_json::from_str(text)
}

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData)).map(Elements)
    }
}

/// A list of anything; `None` for every other value.
struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Some(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    other_values!(None);
}

impl<'de: 'a, 'a, L: Deserialize<'de>> Deserialize<'de> for Document<'a, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut document = Document::default();
        deserializer.deserialize_map(DocumentVisitor(&mut document))?;
        Ok(document)
    }
}

struct DocumentVisitor<'d, 'a, L>(&'d mut Document<'a, L>);

impl<'de: 'a, 'a, L: Deserialize<'de>> Visitor<'de> for DocumentVisitor<'_, 'a, L> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match name.as_ref() {
                "entries" | "memories" | "learnings" => self.0.lists.push(List {
                    items: map.next_value()?,
                    iteration: None,
                    created_at: None,
                }),
                "iterations" => map.next_value_seed(Iterations(self.0))?,
                "loopId" | "loop_id" => keep(&mut self.0.loop_id, map.next_value()?),
                "objective" | "title" | "task" => keep(&mut self.0.title, map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

pub(super) fn keep<'a>(place: &mut Option<Cow<'a, str>>, value: Lenient<'a>) {
    if let Lenient::Text(text) = value
        && !text.trim().is_empty()
        && place.is_none()
    {
        *place = Some(text);
    }
}

/// The iterations of a loop, each with its lessons.
pub(super) struct Iterations<'d, 'a, L>(pub &'d mut Document<'a, L>);

impl<'de: 'a, 'a, L: Deserialize<'de>> DeserializeSeed<'de> for Iterations<'_, 'a, L> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let found = deserializer.deserialize_any(ListVisitor::<Iteration<'de, L>>(PhantomData))?;
        for iteration in found.unwrap_or_default() {
            if let Some(items) = iteration.learnings {
                self.0.lists.push(List {
                    items,
                    iteration: iteration.number,
                    created_at: iteration.created_at,
                });
            }
        }
        Ok(())
    }
}

struct Iteration<'a, L> {
    learnings: Option<L>,
    number: Option<f64>,
    created_at: Option<Cow<'a, str>>,
}

impl<L> Iteration<'_, L> {
    fn none() -> Self {
        Iteration {
            learnings: None,
            number: None,
            created_at: None,
        }
    }
}

impl<'de: 'a, 'a, L: Deserialize<'de>> Deserialize<'de> for Iteration<'a, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IterationVisitor(PhantomData))
    }
}

struct IterationVisitor<L>(PhantomData<L>);

impl<'de, L: Deserialize<'de>> Visitor<'de> for IterationVisitor<L> {
    type Value = Iteration<'de, L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an iteration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Iteration::none();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match name.as_ref() {
                "learnings" => found.learnings = Some(map.next_value()?),
                "number" | "iteration" => {
                    if let Lenient::Number(number) = map.next_value()? {
                        found.number = Some(number);
                    }
                }
                "completedAt" | "endTime" | "timestamp" | "startedAt" | "startTime" => {
                    keep(&mut found.created_at, map.next_value()?);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Iteration::none())
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Iteration::none())
    }

    other_values!(Iteration::none());
}
