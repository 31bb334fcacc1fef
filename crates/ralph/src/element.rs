//! Reading one element of a list: an entry with fields of any type, a text alone, or something else.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::entry::RalphEntry;
use super::lenient::{Field, Lenient, other_values};
use forge_memory_core::thought::DEFAULT_CONFIDENCE;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element<'a> {
    /// An object with a lesson or an id, or a text alone. Boxed, because it is moved more often than it is read.
    Entry(Box<RalphEntry<'a>>),
    /// Anything else, which is neither shown nor removed.
    Other,
}

/// An object of a list whose fields are being read.
pub(super) struct Draft<'a> {
    entry: Box<RalphEntry<'a>>,
    /// The text in the entries of another tool.
    spare: Option<Cow<'a, str>>,
    is_entry: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new() -> Self {
        Draft {
            entry: Box::new(RalphEntry {
                confidence: DEFAULT_CONFIDENCE,
                ..RalphEntry::default()
            }),
            spare: None,
            is_entry: false,
        }
    }

    pub(super) fn set(&mut self, field: Field, value: Lenient<'a>) {
        self.is_entry |= matches!(
            field,
            Field::Id | Field::Lesson | Field::Pattern | Field::Content | Field::Description
        );
        set(&mut self.entry, &mut self.spare, field, value);
    }

    pub(super) fn finish(mut self) -> Element<'a> {
        if !self.is_entry {
            return Element::Other;
        }
        if self.entry.lesson.is_empty()
            && self.entry.pattern.is_empty()
            && let Some(text) = self.spare
        {
            self.entry.lesson = text;
        }
        Element::Entry(self.entry)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Element<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor)
    }
}

struct ElementVisitor;

impl<'de> Visitor<'de> for ElementVisitor {
    type Value = Element<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Element<'de>, A::Error> {
        let mut draft = Draft::new();
        while let Some(field) = map.next_key::<Field>()? {
            if matches!(field, Field::Unknown) {
                map.next_value::<IgnoredAny>()?;
            } else {
                draft.set(field, map.next_value()?);
            }
        }
        Ok(draft.finish())
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Element<'de>, E> {
        Ok(of_text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Element<'de>, E> {
        Ok(of_text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Element<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Element::Other)
    }

    other_values!(Element::Other);
}

pub(super) fn of_text(text: Cow<'_, str>) -> Element<'_> {
    if text.trim().is_empty() {
        Element::Other
    } else {
        Element::Entry(Box::new(RalphEntry::of_text(text)))
    }
}

fn set<'a>(entry: &mut RalphEntry<'a>, spare: &mut Option<Cow<'a, str>>, field: Field, value: Lenient<'a>) {
    match field {
        Field::Id => entry.id = entry.take_text("id", value).unwrap_or_default(),
        Field::Loop => entry.loop_id = entry.take_text("loopId", value).unwrap_or_default(),
        Field::Kind => entry.kind = entry.take_text("type", value).unwrap_or_default(),
        Field::Lesson => entry.lesson = entry.take_text("lesson", value).unwrap_or_default(),
        Field::Pattern => entry.pattern = entry.take_text("pattern", value).unwrap_or_default(),
        Field::Context => entry.context = entry.take_text("context", value).unwrap_or_default(),
        Field::Created => {
            if let Some(text) = entry.take_text("createdAt", value) {
                entry.set_created(text);
            }
        }
        // Another tool's entries have their text here, some of them in a nested object.
        Field::Content => match value {
            Lenient::Object(Some(text)) => *spare = Some(text),
            value => *spare = entry.take_text("content", value).or(spare.take()),
        },
        // Beside a lesson, this is only a description.
        Field::Description => {
            if let Lenient::Text(text) = value {
                spare.get_or_insert(text);
            }
        }
        Field::Iteration => match value {
            Lenient::Number(number) => entry.iteration = Some(number),
            Lenient::Null => {}
            _ => entry.wrong.push("iteration"),
        },
        Field::Confidence => match value {
            Lenient::Number(number) if (0.0..=1.0).contains(&number) => entry.confidence = number,
            Lenient::Null => {}
            _ => entry.wrong.push("confidence"),
        },
        Field::Tags => match value {
            Lenient::Texts { texts, all } => {
                entry.tags = texts;
                if !all {
                    entry.wrong.push("tags");
                }
            }
            Lenient::Null => {}
            _ => entry.wrong.push("tags"),
        },
        Field::Unknown => {}
    }
}
