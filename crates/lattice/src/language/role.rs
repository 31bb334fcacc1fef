//! The meaning of the captures in the queries of the languages.

use crate::facts::ReferenceKind;
use crate::kind::Kind;

/// The meaning of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `@def.<kind>`, `@def.<kind>.default`: a definition; a default one is what its module stands for.
    Definition(Kind, bool),
    /// `@scope`: gives what stands in it an owner and is no chunk itself.
    Scope,
    /// `@name`, `@owner`: of a definition.
    Name,
    /// See [`Role::Name`].
    Owner,
    /// `@call`, `@new`, `@jsx`, `@reads`, `@macro`, `@reference.scoped`: a reference whose name is `@callee`.
    Reference(ReferenceKind),
    /// `@jsx`: a call if the name is a component's.
    Component,
    /// `@callee`: the name of a reference.
    Callee,
    /// `@receiver`: what stands before the name.
    Receiver,
    /// `@reference`, `@maybe`: a reference that is nothing but its name.
    Lone(ReferenceKind),
    /// `@import`, `@import.<way>`: for the language's own code.
    Import,
    /// `@package`: the package of the file.
    Package,
    /// `@local`: a parameter or variable.
    Local,
    /// `@var`, `@field` and `@type`, `@type.made`: a name and its type.
    Var,
    /// See [`Role::Var`].
    Field,
    /// See [`Role::Var`].
    Type,
    /// `@base`: a base type of the type around it.
    Base,
    /// `@base.of`, `@base.to`: a type and its base type.
    BaseOf,
    /// See [`Role::BaseOf`].
    BaseTo,
    /// `@tokens`: the tokens of a macro, which no grammar has structured.
    Tokens,
    /// Anything else serves the query itself.
    None,
}

impl Role {
    /// Returns the meaning of a capture's name.
    pub fn parse(name: &str) -> Role {
        if let Some(rest) = name.strip_prefix("def.") {
            let (kind, suffix) = rest.split_once('.').unwrap_or((rest, ""));
            return Kind::parse(kind).map_or(Role::None, |kind| Role::Definition(kind, suffix == "default"));
        }
        match name {
            "scope" => Role::Scope,
            "name" => Role::Name,
            "owner" => Role::Owner,
            "call" => Role::Reference(ReferenceKind::Call),
            "new" => Role::Reference(ReferenceKind::New),
            "macro" => Role::Reference(ReferenceKind::Macro),
            "reads" | "reference.scoped" => Role::Reference(ReferenceKind::Reference),
            "jsx" => Role::Component,
            "callee" => Role::Callee,
            "receiver" => Role::Receiver,
            "reference" => Role::Lone(ReferenceKind::Reference),
            "maybe" => Role::Lone(ReferenceKind::Maybe),
            "import" | "import.require" | "import.dynamic" | "import.path" => Role::Import,
            "package" => Role::Package,
            "local" => Role::Local,
            "var" => Role::Var,
            "field" => Role::Field,
            "type" | "type.made" => Role::Type,
            "base" => Role::Base,
            "base.of" => Role::BaseOf,
            "base.to" => Role::BaseTo,
            "tokens" => Role::Tokens,
            _ => Role::None,
        }
    }
}
