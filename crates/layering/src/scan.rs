//! Parses the modules that a source file declares, and the paths in it.

use std::iter::Peekable;
use std::vec::IntoIter;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A module as its source declares it.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Modules in separate files (`mod name;`).
    pub outside: Vec<String>,
    /// Modules in this file (`mod name { ... }`).
    pub inline: Vec<(String, Scanned)>,
    /// All paths in the module, except in tests.
    pub mentions: Vec<Mention>,
}

/// A path as it is written, such as `super::names::Names`.
#[derive(Debug)]
pub struct Mention {
    /// Its segments; `crate`, `self` and `super` included.
    pub path: Vec<String>,
    /// Line in the file, counted from 1.
    pub line: usize,
    /// How the path affects the names of the module.
    pub role: Role,
}

/// The role of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Role {
    /// It is used in code.
    Code,
    /// `use` binds it to a name.
    Import {
        /// The name in this module.
        name: String,
        /// True if it is a `pub use`, that is a re-export.
        is_public: bool,
    },
    /// `use path::*` imports all names of a module.
    Glob {
        /// True if it is a `pub use`.
        is_public: bool,
    },
}

/// Scans the tokens of a module's source.
pub fn scan(tokens: TokenStream) -> Scanned {
    let mut out = Scanned::default();
    scan_stream(tokens, &mut out);
    out
}

type Tokens = Peekable<IntoIter<TokenTree>>;

fn scan_stream(stream: TokenStream, out: &mut Scanned) {
    let mut tokens = stream.into_iter().collect::<Vec<_>>().into_iter().peekable();
    let mut is_public = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if takes_test_attribute(&mut tokens) {
                    skip_item(&mut tokens);
                }
                is_public = false;
            }
            TokenTree::Ident(word) => {
                let line = word.span().start().line;
                match word.to_string().as_str() {
                    "pub" => {
                        is_public = true;
                        take_group(&mut tokens, Delimiter::Parenthesis);
                        continue;
                    }
                    "mod" => scan_module(&mut tokens, out),
                    "use" => scan_use(&mut tokens, is_public, out),
                    first => scan_path(first.to_owned(), line, &mut tokens, out),
                }
                is_public = false;
            }
            // The second half of a path that begins elsewhere (`<T>::name`, `::name`) is not a module of this
            // crate.
            TokenTree::Punct(punct) if punct.as_char() == ':' && takes_colon(&mut tokens) => {
                if matches!(tokens.peek(), Some(TokenTree::Ident(_))) {
                    tokens.next();
                }
            }
            TokenTree::Group(group) => scan_stream(group.stream(), out),
            _ => {}
        }
    }
}

/// Consumes the attribute after a `#`; returns true if it is `#[cfg(test)]` or another condition that only tests meet.
fn takes_test_attribute(tokens: &mut Tokens) -> bool {
    if matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!') {
        tokens.next();
    }
    let Some(attribute) = take_group(tokens, Delimiter::Bracket) else {
        return false;
    };
    let mut words = Vec::new();
    collect_words(attribute.stream(), &mut words);
    words.first().is_some_and(|word| word == "cfg")
        && words.iter().any(|word| word == "test")
        && words.iter().all(|word| word != "not" && word != "any")
}

fn collect_words(stream: TokenStream, words: &mut Vec<String>) {
    for token in stream {
        match token {
            TokenTree::Ident(word) => words.push(word.to_string()),
            TokenTree::Group(group) => collect_words(group.stream(), words),
            _ => {}
        }
    }
}

/// Skips the item after an attribute, up to its semicolon or the end of its body.
fn skip_item(tokens: &mut Tokens) {
    for token in tokens.by_ref() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => return,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            _ => {}
        }
    }
}

fn scan_module(tokens: &mut Tokens, out: &mut Scanned) {
    let Some(TokenTree::Ident(name)) = tokens.peek().cloned() else {
        return;
    };
    tokens.next();
    match take_group(tokens, Delimiter::Brace) {
        Some(body) => out.inline.push((name.to_string(), scan(body.stream()))),
        None => out.outside.push(name.to_string()),
    }
}

fn scan_use(tokens: &mut Tokens, is_public: bool, out: &mut Scanned) {
    // `use ::name` is another crate.
    if matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':') {
        return skip_item(tokens);
    }
    scan_use_tree(&mut Vec::new(), tokens, is_public, out);
}

/// Parses one branch of a use tree, up to the comma or semicolon that ends it.
fn scan_use_tree(prefix: &mut Vec<String>, tokens: &mut Tokens, is_public: bool, out: &mut Scanned) {
    let depth = prefix.len();
    let mut line = 0;
    let mut renamed = None;
    let mut is_leaf = true;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => renamed = tokens.next().map(|name| name.to_string()),
            TokenTree::Ident(word) => {
                line = word.span().start().line;
                prefix.push(word.to_string());
            }
            TokenTree::Punct(punct) if punct.as_char() == '*' => {
                is_leaf = false;
                let line = punct.span().start().line;
                out.mentions.push(Mention {
                    path: prefix.clone(),
                    line,
                    role: Role::Glob { is_public },
                });
            }
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                is_leaf = false;
                let mut branches = group.stream().into_iter().collect::<Vec<_>>().into_iter().peekable();
                while branches.peek().is_some() {
                    scan_use_tree(prefix, &mut branches, is_public, out);
                }
            }
            _ => {}
        }
    }
    if is_leaf && prefix.len() > depth {
        let mut path = prefix.clone();
        // `use a::{self}` binds `a`.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
        out.mentions.push(Mention {
            path,
            line,
            role: Role::Import { name, is_public },
        });
    }
    prefix.truncate(depth);
}

fn scan_path(first: String, line: usize, tokens: &mut Tokens, out: &mut Scanned) {
    let mut path = vec![first];
    while matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':') {
        tokens.next();
        if !takes_colon(tokens) {
            break;
        }
        match tokens.peek() {
            Some(TokenTree::Ident(word)) => {
                path.push(word.to_string());
                tokens.next();
            }
            _ => break,
        }
    }
    if path.len() > 1 {
        out.mentions.push(Mention {
            path,
            line,
            role: Role::Code,
        });
    }
}

fn takes_colon(tokens: &mut Tokens) -> bool {
    let is_colon = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    if is_colon {
        tokens.next();
    }
    is_colon
}

fn take_group(tokens: &mut Tokens, delimiter: Delimiter) -> Option<Group> {
    match tokens.peek() {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
            let group = group.clone();
            tokens.next();
            Some(group)
        }
        _ => None,
    }
}
