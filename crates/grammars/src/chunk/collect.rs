//! Runs the query of a language over a syntax tree and sorts the captures by their roles.

use std::borrow::Cow;

use forge_memory_lattice::facts::ReferenceKind;
use forge_memory_lattice::kind::Kind;
use tree_sitter::{Node, Tree};

use super::found::{Definition, Found, TypeAt, add_mention, offset};
use super::macro_calls;
use super::names::{short, strip_quotes, type_name};
use crate::language::{Compiled, Role, Syntax};
use crate::pattern::{FlatTree, Match};

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
pub fn collect<'a>(compiled: &Compiled, tree: &Tree, source: &'a [u8]) -> Option<Found<'a>> {
    let mut found = Found::default();
    let nodes = FlatTree::of(tree, &compiled.patterns)?;
    for one in compiled.patterns.find(&nodes, source) {
        let captured = sort(&one, &nodes, &compiled.roles);
        take(&compiled.syntax, captured, source, &mut found);
    }
    Some(found)
}

fn sort<'t>(found: &Match, nodes: &FlatTree<'t>, roles: &[Role]) -> Captured<'t> {
    let mut captured = Captured::default();
    for (capture, place) in found.captures() {
        let Some(node) = nodes.node(*place) else { continue };
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

fn take<'a>(syntax: &Syntax, captured: Captured<'_>, source: &'a [u8], found: &mut Found<'a>) {
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
            Role::Reference(kind) => {
                add_mention(kind, node, name_of(captured.callee), name_of(captured.receiver), found)
            }
            Role::Component => {
                let name = name_of(captured.callee);
                // Lower-case elements are HTML elements, not components.
                if name.starts_with(|c: char| c.is_uppercase()) {
                    add_mention(ReferenceKind::Call, node, name, Cow::Borrowed(""), found);
                }
            }
            Role::Lone(kind) => add_mention(kind, node, short(node, source), Cow::Borrowed(""), found),
            Role::Import => (syntax.import)(node, source, &mut found.imports),
            Role::Package => found.package = short(node, source),
            Role::Local => found.locals.push((at, short(node, source))),
            Role::Base => found.bases.push((at, type_name(node, source))),
            Role::Tokens => macro_calls::add_calls(node, source, found),
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
    // A section of a document includes the line end before the next heading, which is excluded here.
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
