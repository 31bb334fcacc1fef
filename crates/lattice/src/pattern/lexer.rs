//! Reads the text of a query.

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenChoice,
    /// `]`
    CloseChoice,
    /// `.`
    Anchor,
    /// `"text"`
    Text(String),
    /// `@name`
    Capture(String),
    /// `#name`
    Test(String),
    /// `!name`
    Without(String),
    /// `name:`
    Field(String),
    /// A name, or `_`.
    Name(String),
}

/// Splits a query into its words.
///
/// # Errors
/// When it has one that means nothing here.
pub(super) fn tokens(query: &str) -> Result<Vec<Token>, String> {
    let mut rest = query;
    let mut all = Vec::new();
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        let mut named = |of: fn(String) -> Token| {
            let (name, rest) = split_name(behind);
            all.push(of(name));
            rest
        };
        rest = match first {
            ';' => behind.split_once('\n').map_or("", |(_, rest)| rest),
            '@' => named(Token::Capture),
            '#' => named(Token::Test),
            '!' => named(Token::Without),
            '"' => {
                let (text, rest) = behind.split_once('"').ok_or("a text does not end")?;
                all.push(Token::Text(text.to_owned()));
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
                all.extend(mark(c)?);
                behind
            }
        };
    }
    Ok(all)
}

fn mark(mark: char) -> Result<Option<Token>, String> {
    match mark {
        '(' => Ok(Some(Token::Open)),
        ')' => Ok(Some(Token::Close)),
        '[' => Ok(Some(Token::OpenChoice)),
        ']' => Ok(Some(Token::CloseChoice)),
        '.' => Ok(Some(Token::Anchor)),
        c if c.is_ascii_whitespace() => Ok(None),
        c => Err(format!("{c:?} means nothing")),
    }
}

/// Captures have dots in their names, and tests end with a question mark.
fn split_name(text: &str) -> (String, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '?');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..])
}
