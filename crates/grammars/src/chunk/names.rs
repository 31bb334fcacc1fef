//! Normalizes names, types and receivers from their source text to the form that is looked up.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::language::text;

const NAME_BYTES_MAX: usize = 200;

/// Words that may precede the name of a type: in Rust, C and C++, TypeScript, Python and Go.
const TYPE_MODIFIERS: [&str; 8] = [
    "mut ",
    "dyn ",
    "impl ",
    "const ",
    "readonly ",
    "Optional[",
    "type ",
    "extends ",
];

/// Generic types whose methods are, for most calls, those of their argument: in Rust, TypeScript and C++.
const TRANSPARENT_WRAPPERS: [&str; 9] = [
    "Box<",
    "Arc<",
    "Rc<",
    "Option<",
    "Promise<",
    "std::unique_ptr<",
    "std::shared_ptr<",
    "unique_ptr<",
    "shared_ptr<",
];

/// Normalizes a receiver. For one that spans lines or contains calls, only its presence is recorded.
pub(super) fn normalized_receiver(receiver: Cow<'_, str>) -> Cow<'_, str> {
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
        text if text.starts_with("new ") => Cow::Owned(format!(
            "new {}",
            bare_type(Cow::Borrowed(text.get(4..).unwrap_or_default()))
        )),
        // `Type::new(..)` and `Type(..)` construct a value; methods called on it are usually those of the type.
        text if constructed_type(text).is_some() => {
            Cow::Owned(format!("{}::()", constructed_type(text).unwrap_or_default()))
        }
        // A type with arguments: `Vec::<T>`, `Map<K, V>`.
        text if text.starts_with(|c: char| c.is_ascii_uppercase()) && text.contains('<') && !text.contains('(') => {
            Cow::Owned(bare_type(Cow::Borrowed(text)).into_owned())
        }
        text if text.ends_with("!.") || text.ends_with('?') => Cow::Borrowed("()"),
        _ => Cow::Borrowed("()"),
    }
}

/// Returns the constructed type when a chain of calls begins with a constructor.
fn constructed_type(text: &str) -> Option<&str> {
    let head = text.split_once('(')?.0.trim_end();
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

/// Returns the name of a type, without its arguments, references and path.
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
        for word in TYPE_MODIFIERS {
            rest = rest
                .strip_prefix(word)
                .unwrap_or(rest)
                .trim_start_matches(['&', '*', ' ']);
        }
        if let Some(lifetime) = rest.strip_prefix('\'') {
            rest = lifetime.split_once(' ').map_or("", |(_, rest)| rest);
        }
        for wrapper in TRANSPARENT_WRAPPERS {
            rest = rest.strip_prefix(wrapper).unwrap_or(rest);
        }
        if rest == before {
            break;
        }
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '\\' | '$')))
        .unwrap_or(rest.len());
    let path = rest.get(..end).unwrap_or(rest).trim_end_matches(['.', ':']);
    let last = path.rsplit([':', '.', '\\']).next().unwrap_or(path);
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
