//! The lexer of the query language.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenAlternation,
    /// `]`
    CloseAlternation,
    /// `.`
    Anchor,
    /// `"text"`
    Literal(String),
    /// `@name`
    Capture(String),
    /// `#name`
    Predicate(String),
    /// `!name`
    NegatedField(String),
    /// `name:`
    Field(String),
    /// A name, or `_`.
    Name(String),
}

pub(super) fn tokenize(query: &str) -> Result<Vec<Token>, String> {
    let mut rest = query;
    let mut all = Vec::new();
    loop {
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return Ok(all) };
        let behind = chars.as_str();
        let mut named = |of: fn(String) -> Token| {
            let (name, rest) = split_name(behind);
            all.push(of(name));
            rest
        };
        rest = match first {
            ';' => behind.split_once('\n').map_or("", |(_, rest)| rest),
            '@' => named(Token::Capture),
            '#' => named(Token::Predicate),
            '!' => named(Token::NegatedField),
            '"' => {
                let (text, rest) = behind.split_once('"').ok_or("a literal is not closed")?;
                all.push(Token::Literal(text.to_owned()));
                rest
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let (name, behind) = split_name(rest);
                match behind.strip_prefix(':') {
                    Some(behind) => {
                        all.push(Token::Field(name));
                        behind
                    }
                    None => {
                        all.push(Token::Name(name));
                        behind
                    }
                }
            }
            c => {
                all.extend(punctuation(c)?);
                behind
            }
        };
    }
}

fn punctuation(mark: char) -> Result<Option<Token>, String> {
    match mark {
        '(' => Ok(Some(Token::Open)),
        ')' => Ok(Some(Token::Close)),
        '[' => Ok(Some(Token::OpenAlternation)),
        ']' => Ok(Some(Token::CloseAlternation)),
        '.' => Ok(Some(Token::Anchor)),
        c if c.is_ascii_whitespace() => Ok(None),
        c => Err(format!("unexpected character {c:?}")),
    }
}

/// Splits off a name. Names of captures may contain dots, those of predicates end with a question mark.
fn split_name(text: &str) -> (String, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '?');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (name.to_owned(), rest)
}
