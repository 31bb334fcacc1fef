//! Reading one element of a list: an entry with fields of any type, a text alone, or something else.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::entry::RalphEntry;
use forge_memory_core::thought::DEFAULT_CONFIDENCE;

/// An element of a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element<'a> {
    /// An object with a lesson or an id, or a text alone. Boxed, because it is moved more often than it is read.
    Entry(Box<RalphEntry<'a>>),
    /// Anything else, which is neither shown nor removed.
    Other,
}

/// A value of any type, reduced to what fields use of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lenient<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Texts {
        texts: Vec<Cow<'a, str>>,
        all: bool,
    },
    /// An object, and the description in it.
    Object(Option<Cow<'a, str>>),
    Null,
    Flag,
}

#[derive(Clone, Copy)]
pub(super) enum Field {
    Id,
    Loop,
    Iteration,
    Created,
    Kind,
    Lesson,
    Pattern,
    Content,
    Description,
    Context,
    Tags,
    Confidence,
    Unknown,
}

impl Field {
    pub(super) fn named(name: &str) -> Self {
        // Compared by length first: a store can have millions of names.
        match name.len() {
            2 if name == "id" => Field::Id,
            4 if name == "type" => Field::Kind,
            4 if name == "tags" => Field::Tags,
            6 if name == "loopId" => Field::Loop,
            6 if name == "lesson" => Field::Lesson,
            7 if name == "context" => Field::Context,
            7 if name == "pattern" => Field::Pattern,
            7 if name == "content" => Field::Content,
            7 if name == "loop_id" => Field::Loop,
            8 if name == "category" => Field::Kind,
            9 if name == "iteration" => Field::Iteration,
            9 if name == "createdAt" || name == "timestamp" => Field::Created,
            10 if name == "confidence" => Field::Confidence,
            10 if name == "created_at" => Field::Created,
            11 if name == "description" => Field::Description,
            _ => Field::Unknown,
        }
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Field;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                Ok(Field::named(name))
            }
        }
        deserializer.deserialize_identifier(Name)
    }
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

    fn visit_bool<E>(self, _: bool) -> Result<Element<'de>, E> {
        Ok(Element::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Element<'de>, E> {
        Ok(Element::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Element<'de>, E> {
        Ok(Element::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Element<'de>, E> {
        Ok(Element::Other)
    }

    fn visit_unit<E>(self) -> Result<Element<'de>, E> {
        Ok(Element::Other)
    }
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

impl<'de: 'a, 'a> Deserialize<'de> for Lenient<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor)
    }
}

struct LenientVisitor;

impl<'de> Visitor<'de> for LenientVisitor {
    type Value = Lenient<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Text(Cow::Owned(text.to_owned())))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "iterations are small, and larger ones are only shown"
    )]
    fn visit_i64<E>(self, number: i64) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Number(number as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "as above")]
    fn visit_u64<E>(self, number: u64) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Number(number))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Flag)
    }

    fn visit_unit<E>(self) -> Result<Lenient<'de>, E> {
        Ok(Lenient::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Lenient<'de>, A::Error> {
        let (mut texts, mut all) = (Vec::new(), true);
        while let Some(item) = seq.next_element::<Lenient<'de>>()? {
            match item {
                Lenient::Text(text) => texts.push(text),
                _ => all = false,
            }
        }
        // Most lists are short: capacity for four texts would be half the size of an entry.
        texts.shrink_to_fit();
        Ok(Lenient::Texts { texts, all })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Lenient<'de>, A::Error> {
        let mut described = None;
        while let Some(field) = map.next_key::<Field>()? {
            let value = map.next_value::<Lenient<'de>>()?;
            if let (Field::Description | Field::Pattern, Lenient::Text(text)) = (field, value) {
                described.get_or_insert(text);
            }
        }
        Ok(Lenient::Object(described))
    }
}
