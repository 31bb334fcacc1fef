//! The fields of an entry, and values of any type.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// The visits of a flag, a number and nothing, where none of them is expected.
macro_rules! other_values {
    ($value:expr) => {
        other_values!($value, visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
    ($value:expr, $($visit:ident: $given:ty),+) => {
        $(fn $visit<E>(self, _: $given) -> Result<Self::Value, E> {
            Ok($value)
        })+
    };
}
pub(super) use other_values;

/// A value of any type, reduced to the parts that fields use.
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
