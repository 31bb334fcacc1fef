//! The roles of captures in the queries of languages.

use forge_memory_lattice::facts::ReferenceKind;
use forge_memory_lattice::kind::Kind;

/// The role of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `@def.<kind>`, `@def.<kind>.default`: a definition, and whether it is the default export.
    Definition(Kind, bool),
    /// `@scope`: the owner of the definitions in it, without being a chunk itself.
    Scope,
    /// `@name`, `@owner`: of a definition.
    Name,
    /// See [`Role::Name`].
    Owner,
    /// `@call`, `@new`, `@jsx`, `@reads`, `@macro`, `@reference.scoped`: a reference whose name is `@callee`.
    Reference(ReferenceKind),
    /// `@jsx`: a call if the name is that of a component.
    Component,
    /// `@callee`: the name of a reference.
    Callee,
    /// `@receiver`: the receiver before the name.
    Receiver,
    /// `@reference`, `@maybe`: a reference that consists only of its name.
    Lone(ReferenceKind),
    /// `@import`, `@import.<way>`: parsed by the language's own code.
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
    /// `@tokens`: the arguments of a macro, which the grammar leaves as tokens.
    Tokens,
    /// All other captures, which only the query itself uses.
    None,
}

impl Role {
    /// Parses the name of a capture.
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
