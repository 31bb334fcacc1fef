//! Runs a language's query over a tree and sorts what it captures.

use std::borrow::Cow;

use tree_sitter::{Node, Tree};

use super::role::Role;
use super::tokens;
use crate::facts::{Import, ReferenceKind};
use crate::kind::Kind;
use crate::language::{Compiled, Language, text};
use crate::pattern::{Match, Spots};

/// Longer names and receivers are no names.
const NAME_BYTES_MAX: usize = 200;

/// What stands in a file, not yet put in its place.
#[derive(Default)]
pub struct Found<'a> {
    pub definitions: Vec<Definition<'a>>,
    pub references: Vec<Mention<'a>>,
    pub imports: Vec<Import<'a>>,
    pub locals: Vec<(u32, Cow<'a, str>)>,
    pub types: Vec<TypeAt<'a>>,
    pub bases: Vec<(u32, Cow<'a, str>)>,
    pub bases_of: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub package: Cow<'a, str>,
}

/// A definition or a scope.
pub struct Definition<'a> {
    /// `None` for a scope.
    pub kind: Option<Kind>,
    pub name: Cow<'a, str>,
    pub owner: Cow<'a, str>,
    pub start: u32,
    pub end: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// Where the body begins; the end when there is none.
    pub body: u32,
    pub is_default: bool,
}

/// A reference.
pub struct Mention<'a> {
    pub kind: ReferenceKind,
    pub name: Cow<'a, str>,
    pub receiver: Cow<'a, str>,
    pub start: u32,
    pub end: u32,
    pub line: u32,
}

/// A name and its type.
pub struct TypeAt<'a> {
    pub at: u32,
    pub is_field: bool,
    pub name: Cow<'a, str>,
    pub of: Cow<'a, str>,
}

/// The captures of one match.
#[derive(Default)]
struct Captured<'t> {
    main: Option<(Role, Node<'t>)>,
    name: Option<Node<'t>>,
    owner: Option<Node<'t>>,
    callee: Option<Node<'t>>,
    receiver: Option<Node<'t>>,
    var: Option<(Node<'t>, bool)>,
    of: Option<Node<'t>>,
    base_of: Option<Node<'t>>,
    base_to: Option<Node<'t>>,
}

/// Runs the query; `None` for a tree that is too deep.
pub fn collect<'a>(language: &Language, compiled: &Compiled, tree: &Tree, source: &'a [u8]) -> Option<Found<'a>> {
    let mut found = Found::default();
    let spots = Spots::of(tree, &compiled.patterns)?;
    for one in compiled.patterns.find(&spots, source) {
        let captured = sort(&one, &spots, &compiled.roles);
        take(language, captured, source, &mut found);
    }
    Some(found)
}

fn sort<'t>(found: &Match, spots: &Spots<'t>, roles: &[Role]) -> Captured<'t> {
    let mut captured = Captured::default();
    for (capture, place) in found.captures() {
        let Some(node) = spots.node(*place) else { continue };
        match roles.get(usize::from(*capture)).copied().unwrap_or(Role::None) {
            Role::Name => captured.name = Some(node),
            Role::Owner => captured.owner = Some(node),
            Role::Callee => captured.callee = Some(node),
            Role::Receiver => captured.receiver = Some(node),
            Role::Var => captured.var = Some((node, false)),
            Role::Field => captured.var = Some((node, true)),
            Role::Type => captured.of = Some(node),
            Role::BaseOf => captured.base_of = Some(node),
            Role::BaseTo => captured.base_to = Some(node),
            Role::None => {}
            role => captured.main = Some((role, node)),
        }
    }
    captured
}

fn take<'a>(language: &Language, captured: Captured<'_>, source: &'a [u8], found: &mut Found<'a>) {
    let name_of = |node: Option<Node<'_>>| node.map_or(Cow::Borrowed(""), |node| short(node, source));
    if let Some((role, node)) = captured.main {
        let at = offset(node.start_byte());
        match role {
            Role::Definition(kind, is_default) => {
                found
                    .definitions
                    .push(definition(Some(kind), is_default, node, &captured, source));
            }
            Role::Scope => found.definitions.push(definition(None, false, node, &captured, source)),
            Role::Reference(kind) => mention(kind, node, name_of(captured.callee), name_of(captured.receiver), found),
            Role::Component => {
                let name = name_of(captured.callee);
                // Elements of the page itself are written small.
                if name.starts_with(|c: char| c.is_uppercase()) {
                    mention(ReferenceKind::Call, node, name, Cow::Borrowed(""), found);
                }
            }
            Role::Lone(kind) => mention(kind, node, short(node, source), Cow::Borrowed(""), found),
            Role::Import => (language.import)(node, source, &mut found.imports),
            Role::Package => found.package = short(node, source),
            Role::Local => found.locals.push((at, short(node, source))),
            Role::Base => found.bases.push((at, type_name(node, source))),
            Role::Tokens => tokens::calls(node, source, found),
            _ => {}
        }
        return;
    }
    if let (Some((var, is_field)), Some(of)) = (captured.var, captured.of) {
        let of = type_name(of, source);
        if !of.is_empty() && !matches!(&*of, "var" | "auto" | "any" | "unknown") {
            found.types.push(TypeAt {
                at: offset(var.start_byte()),
                is_field,
                name: short(var, source),
                of,
            });
        }
    } else if let (Some(base), Some(to)) = (captured.base_of, captured.base_to) {
        found.bases_of.push((type_name(to, source), type_name(base, source)));
    }
}

fn definition<'a>(
    kind: Option<Kind>,
    is_default: bool,
    node: Node<'_>,
    captured: &Captured<'_>,
    source: &'a [u8],
) -> Definition<'a> {
    let name = match captured.name {
        Some(name) if kind.is_none() => type_name(name, source),
        Some(name) => strip_quotes(short(name, source)),
        None => Cow::Borrowed(if is_default { "default" } else { "" }),
    };
    let mut end = node.end_byte();
    let mut end_row = node.end_position().row;
    // A section ends before the next heading, that is with a line end of its own.
    if node.end_position().column == 0 && end_row > node.start_position().row {
        end_row -= 1;
        end -= usize::from(source.get(end.saturating_sub(1)) == Some(&b'\n'));
    }
    Definition {
        kind,
        name,
        owner: captured
            .owner
            .map_or(Cow::Borrowed(""), |owner| type_name(owner, source)),
        start: offset(node.start_byte()),
        end: offset(end),
        start_line: offset(node.start_position().row + 1),
        end_line: offset(end_row + 1),
        body: body_of(node).map_or(offset(end), |body| offset(body.start_byte())),
        is_default,
    }
}

fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| {
        ["value", "right", "declaration", "type"]
            .iter()
            .find_map(|field| node.child_by_field_name(field))?
            .child_by_field_name("body")
    })
}

pub(super) fn mention<'a>(
    kind: ReferenceKind,
    node: Node<'_>,
    name: Cow<'a, str>,
    receiver: Cow<'a, str>,
    found: &mut Found<'a>,
) {
    // `a::b::f` and `A\B\f`: what stands before the last name is the receiver.
    let (name, receiver) = match name.rfind(['\\', ':']) {
        Some(at) if receiver.is_empty() && kind != ReferenceKind::Maybe => {
            let before = name[..at].trim_end_matches(':').trim_start_matches('\\').to_owned();
            (Cow::Owned(name[at + 1..].to_owned()), Cow::Owned(before))
        }
        _ => (name, receiver),
    };
    let name = if kind == ReferenceKind::New {
        bare_type(name)
    } else {
        name
    };
    if name.is_empty() {
        return;
    }
    found.references.push(Mention {
        kind,
        name,
        receiver: tidy_receiver(receiver),
        start: offset(node.start_byte()),
        end: offset(node.end_byte()),
        line: offset(node.start_position().row + 1),
    });
}

/// A receiver that spans lines or holds calls says only that there is one.
fn tidy_receiver(receiver: Cow<'_, str>) -> Cow<'_, str> {
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
        // `Type::new(..)` and `Type(..)` make one, and methods after them are commonly the type's.
        text if made_type(text).is_some() => Cow::Owned(format!("{}::()", made_type(text).unwrap_or_default())),
        // A type with arguments: `Vec::<T>`, `Map<K, V>`.
        text if text.starts_with(|c: char| c.is_ascii_uppercase()) && text.contains('<') && !text.contains('(') => {
            Cow::Owned(bare_type(Cow::Borrowed(text)).into_owned())
        }
        text if text.ends_with("!.") || text.ends_with('?') => Cow::Borrowed("()"),
        _ => Cow::Borrowed("()"),
    }
}

/// The type that a chain of calls begins with, when it begins by making one.
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

/// A type without its arguments, references and path.
fn type_name<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    bare_type(short(node, source))
}

fn bare_type(text: Cow<'_, str>) -> Cow<'_, str> {
    // Most names are nothing but a name.
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
        // What wraps one value hands its methods on.
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

fn short<'a>(node: Node<'_>, source: &'a [u8]) -> Cow<'a, str> {
    if node.end_byte() - node.start_byte() > NAME_BYTES_MAX {
        return Cow::Borrowed("");
    }
    text(node, source)
}

fn strip_quotes(name: Cow<'_, str>) -> Cow<'_, str> {
    let bare = name.trim().trim_matches(['"', '\'', '`', '[', ']']);
    if bare.len() == name.len() {
        name
    } else {
        Cow::Owned(bare.to_owned())
    }
}

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
