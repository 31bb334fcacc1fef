//! Calls in the arguments of a macro. A grammar leaves arguments as tokens, but `assert_eq!(sum(2), 4)` calls `sum`.

use std::borrow::Cow;

use forge_memory_lattice::facts::ReferenceKind;
use tree_sitter::Node;

use super::found::{Found, add_mention};
use crate::language::text;

/// Adds every `name(`, `receiver.name(` and `Path::name(`. Nested groups are kept on an explicit stack.
pub fn add_calls<'a>(tokens: Node<'_>, source: &'a [u8], found: &mut Found<'a>) {
    // The query captures only the outermost macro; macros within its arguments are tokens.
    let mut groups = vec![tokens];
    let mut row: Vec<Node<'_>> = Vec::new();
    while let Some(group) = groups.pop() {
        let mut cursor = group.walk();
        row.clear();
        row.extend(group.children(&mut cursor));
        for (at, token) in row.iter().enumerate() {
            if token.kind() == "token_tree" {
                groups.push(*token);
                let before = row.get(..at).unwrap_or_default();
                if opens_call(*token, source) && before.last().is_some_and(|name| name.kind() == "identifier") {
                    call(before, source, found);
                }
            }
        }
    }
}

fn opens_call(group: Node<'_>, source: &[u8]) -> bool {
    source.get(group.start_byte()) == Some(&b'(')
}

fn call<'a>(before: &[Node<'_>], source: &'a [u8], found: &mut Found<'a>) {
    let Some((callee, rest)) = before.split_last() else {
        return;
    };
    // The path, or the chain of fields, that ends here: names separated by `::` or `.`.
    let mut expects_joint = true;
    let belongs_next = |token: &&Node<'_>| {
        let belongs = is_joint(**token) == expects_joint && is_part(**token);
        expects_joint = !expects_joint;
        belongs
    };
    let len = rest.iter().rev().take_while(belongs_next).count();
    let chain = rest.get(rest.len() - len..).unwrap_or_default();
    let receiver = match (chain.first(), chain.last()) {
        (Some(first), Some(last)) if is_joint(*last) => {
            let bytes = source.get(first.start_byte()..last.start_byte()).unwrap_or_default();
            if is_joint(*first) || bytes.is_empty() {
                Cow::Borrowed("()")
            } else {
                String::from_utf8_lossy(bytes)
            }
        }
        _ => Cow::Borrowed(""),
    };
    add_mention(ReferenceKind::Call, *callee, text(*callee, source), receiver, found);
}

fn is_joint(token: Node<'_>) -> bool {
    matches!(token.kind(), "." | "::")
}

fn is_part(token: Node<'_>) -> bool {
    is_joint(token) || matches!(token.kind(), "identifier" | "self" | "crate" | "super")
}
