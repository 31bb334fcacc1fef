//! Normalizes names, types and receivers from their spelling in a source to what is looked up.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::language::text;

/// Longer texts are not names.
const NAME_BYTES_MAX: usize = 200;

/// Of a receiver that spans lines or contains calls, only its presence is recorded.
pub(super) fn tidy_receiver(receiver: Cow<'_, str>) -> Cow<'_, str> {
    let is_simple = |text: &str| {
        text.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || b >= 0x80
                || matches!(b, b'_' | b'.' | b':' | b'$' | b'@' | b'#' | b'?' | b'!' | b'\\')
        })
    };
    match &*receiver {
        "" | "super()" | "(*this)" | "*this" => receiver,
        text if is_simple(text) => receiver,
        text if text.contains("->") && is_simple(&text.replace("->", "")) => Cow::Owned(text.replace("->", ".")),
        text if text.starts_with("new ") => Cow::Owned(format!("new {}", bare_type(Cow::Borrowed(&text[4..])))),
        // `Type::new(..)` and `Type(..)` construct a value; methods called on it are usually those of the type.
        text if made_type(text).is_some() => Cow::Owned(format!("{}::()", made_type(text).unwrap_or_default())),
        // A type with arguments: `Vec::<T>`, `Map<K, V>`.
        text if text.starts_with(|c: char| c.is_ascii_uppercase()) && text.contains('<') && !text.contains('(') => {
            Cow::Owned(bare_type(Cow::Borrowed(text)).into_owned())
        }
        text if text.ends_with("!.") || text.ends_with('?') => Cow::Borrowed("()"),
        _ => Cow::Borrowed("()"),
    }
}

/// Returns the type that a chain of calls begins with, if it begins with a constructor.
fn made_type(text: &str) -> Option<&str> {
    let head = text[..text.find('(')?].trim_end();
    let is_type = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let (before, last) = head.rsplit_once("::").unwrap_or(("", head));
    let owner = before
        .rsplit("::")
        .next()
        .filter(|_| last.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    Some(last).filter(is_type).or_else(|| owner.filter(is_type))
}

/// Returns a type without its arguments, references and path.
pub(super) fn type_name<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    bare_type(short(node, source))
}

pub(super) fn bare_type(text: Cow<'_, str>) -> Cow<'_, str> {
    // Fast path: most are plain names.
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return text;
    }
    let mut rest: &str = text.trim_start_matches([':', '&', '*', '?', '(', '[', ']', ' ', '\\']);
    loop {
        let before = rest;
        for word in [
            "mut ",
            "dyn ",
            "impl ",
            "const ",
            "readonly ",
            "Optional[",
            "type ",
            "extends ",
        ] {
            rest = rest
                .strip_prefix(word)
                .unwrap_or(rest)
                .trim_start_matches(['&', '*', ' ']);
        }
        if let Some(lifetime) = rest.strip_prefix('\'') {
            rest = lifetime.split_once(' ').map_or("", |(_, rest)| rest);
        }
        // Methods called on a wrapper are those of the wrapped value.
        for wrapper in [
            "Box<",
            "Arc<",
            "Rc<",
            "Option<",
            "Promise<",
            "std::unique_ptr<",
            "std::shared_ptr<",
            "unique_ptr<",
            "shared_ptr<",
        ] {
            rest = rest.strip_prefix(wrapper).unwrap_or(rest);
        }
        if rest == before {
            break;
        }
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '\\' | '$')))
        .unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches(['.', ':']);
    let last = path.rfind([':', '.', '\\']).map_or(path, |at| &path[at + 1..]);
    // `Foo.prototype` is `Foo`.
    let last = match path.strip_suffix(".prototype") {
        Some(owner) => owner.rsplit('.').next().unwrap_or(owner),
        None => last,
    };
    if last.len() == text.len() {
        text
    } else {
        Cow::Owned(last.to_owned())
    }
}

pub(super) fn short<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    if node.end_byte() - node.start_byte() > NAME_BYTES_MAX {
        return Cow::Borrowed("");
    }
    text(node, source)
}

pub(super) fn strip_quotes(name: Cow<'_, str>) -> Cow<'_, str> {
    let bare = name.trim().trim_matches(['"', '\'', '`', '[', ']']);
    if bare.len() == name.len() {
        name
    } else {
        Cow::Owned(bare.to_owned())
    }
}
