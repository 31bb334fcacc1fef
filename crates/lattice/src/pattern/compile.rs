//! From the text of a query to its patterns.

use tree_sitter::Language;

use super::read::{Token, tokens};
use super::{CAPTURES_MAX, Needs, Patterns, Step, What};

impl Patterns {
    /// Makes the patterns of a query.
    ///
    /// # Errors
    /// When the query is not well-formed, needs more than this knows, or names what the grammar does not have.
    pub fn new(grammar: &Language, query: &str) -> Result<Self, String> {
        let mut compiler = Compiler {
            grammar,
            tokens: tokens(query)?.into_iter().peekable(),
            captures: Vec::new(),
            tests: Vec::new(),
        };
        let mut patterns = Vec::new();
        while compiler.tokens.peek().is_some() {
            patterns.push(compiler.pattern()?);
        }
        let captures = compiler.captures;
        Ok(Patterns {
            begin: begin(grammar, &patterns)?,
            needs: needs(grammar, &patterns),
            patterns,
            captures,
        })
    }
}

struct Compiler<'g> {
    grammar: &'g Language,
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    captures: Vec<String>,
    /// The tests of the pattern at hand: a capture, and the texts it may have.
    tests: Vec<(u16, Vec<String>)>,
}

impl Compiler<'_> {
    fn pattern(&mut self) -> Result<Step, String> {
        self.tests.clear();
        let mut step = self.step()?;
        for (capture, texts) in std::mem::take(&mut self.tests) {
            if !demand(&mut step, capture, &texts) {
                return Err("a test is of nothing that is captured".to_owned());
            }
        }
        if captures_at_most(&step) > CAPTURES_MAX {
            return Err(format!("a pattern captures more than {CAPTURES_MAX} nodes"));
        }
        note_telling(&mut step);
        Ok(step)
    }

    /// Reads one node with the captures behind it.
    fn step(&mut self) -> Result<Step, String> {
        let field = match self.tokens.next_if(|token| matches!(token, Token::Field(_))) {
            Some(Token::Field(name)) => Some(self.field(&name)?),
            _ => None,
        };
        let mut step = match self.tokens.next() {
            Some(Token::Open) => self.node()?,
            Some(Token::OpenChoice) => self.choice()?,
            Some(Token::Text(text)) => Step {
                what: What::Kind(self.kind(&text, false)?),
                ..Step::default()
            },
            Some(Token::Name(name)) if name == "_" => Step {
                what: What::Any,
                ..Step::default()
            },
            token => return Err(format!("{token:?} is no node")),
        };
        step.field = field;
        self.captures_behind(&mut step);
        Ok(step)
    }

    fn captures_behind(&mut self, step: &mut Step) {
        while let Some(Token::Capture(name)) = self.tokens.next_if(|token| matches!(token, Token::Capture(_))) {
            let capture = self.capture(name);
            step.captures.push(capture);
        }
    }

    fn choice(&mut self) -> Result<Step, String> {
        let mut choices = Vec::new();
        while self.tokens.next_if_eq(&Token::CloseChoice).is_none() {
            choices.push(self.step()?);
        }
        Ok(Step {
            what: What::OneOf(choices),
            ..Step::default()
        })
    }

    /// Reads what stands between a node's parentheses.
    fn node(&mut self) -> Result<Step, String> {
        let mut step = Step::default();
        match self.tokens.next() {
            Some(Token::Name(name)) if name == "_" => {}
            Some(Token::Name(name)) => step.what = What::Kind(self.kind(&name, true)?),
            token => return Err(format!("{token:?} is no kind")),
        }
        let mut is_next = false;
        loop {
            match self.tokens.peek() {
                Some(Token::Close) => {
                    self.tokens.next();
                    match step.children.last_mut() {
                        Some(last) => last.is_last = is_next,
                        None if is_next => return Err("an anchor holds nothing".to_owned()),
                        None => {}
                    }
                    return Ok(step);
                }
                Some(Token::Anchor) => {
                    self.tokens.next();
                    is_next = true;
                }
                Some(Token::Without(name)) => {
                    let name = name.clone();
                    step.without.push(self.field(&name)?);
                    self.tokens.next();
                }
                Some(Token::Open) => {
                    self.tokens.next();
                    match self.tokens.next_if(|token| matches!(token, Token::Test(_))) {
                        Some(Token::Test(name)) => self.test(&name)?,
                        _ => {
                            let mut child = self.node()?;
                            self.captures_behind(&mut child);
                            Self::child(&mut step, child, &mut is_next)?;
                        }
                    }
                }
                _ => {
                    let child = self.step()?;
                    Self::child(&mut step, child, &mut is_next)?;
                }
            }
        }
    }

    fn child(step: &mut Step, mut child: Step, is_next: &mut bool) -> Result<(), String> {
        child.is_next = std::mem::take(is_next);
        if child.is_next && step.children.last().is_some_and(|last| matches!(last.what, What::Any)) {
            return Err("an anchor stands behind any node".to_owned());
        }
        step.children.push(child);
        Ok(())
    }

    /// `(#eq? @capture "text")`, `(#any-of? @capture "one" "other")`.
    fn test(&mut self, name: &str) -> Result<(), String> {
        let capture = match self.tokens.next() {
            Some(Token::Capture(capture)) => self.capture(capture),
            token => return Err(format!("#{name} has {token:?} for a capture")),
        };
        let mut texts = Vec::new();
        loop {
            match self.tokens.next() {
                Some(Token::Text(text)) => texts.push(text),
                Some(Token::Close) => break,
                token => return Err(format!("#{name} has {token:?} for a text")),
            }
        }
        match (name, texts.len()) {
            ("eq?", 1) | ("any-of?", 1..) => self.tests.push((capture, texts)),
            _ => return Err(format!("#{name} of {} texts is no test", texts.len())),
        }
        Ok(())
    }

    fn capture(&mut self, name: String) -> u16 {
        let at = self
            .captures
            .iter()
            .position(|known| *known == name)
            .unwrap_or_else(|| {
                self.captures.push(name);
                self.captures.len() - 1
            });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    fn kind(&self, name: &str, is_named: bool) -> Result<u16, String> {
        match self.grammar.id_for_node_kind(name, is_named) {
            0 => Err(format!("there is no kind {name:?}")),
            id if self.grammar.node_kind_is_supertype(id) => Err(format!("{name:?} is a name for several kinds")),
            id => Ok(id),
        }
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let id = self.grammar.field_id_for_name(name);
        id.map(Into::into).ok_or_else(|| format!("there is no field {name:?}"))
    }
}

/// Hands a test to the steps that have its capture.
fn demand(step: &mut Step, capture: u16, texts: &[String]) -> bool {
    let mut is_there = step.captures.contains(&capture);
    if is_there {
        step.texts.extend_from_slice(texts);
    }
    if let What::OneOf(choices) = &mut step.what {
        for choice in choices {
            is_there |= demand(choice, capture, texts);
        }
    }
    for child in &mut step.children {
        is_there |= demand(child, capture, texts);
    }
    is_there
}

fn captures_at_most(step: &Step) -> usize {
    let of_choice = match &step.what {
        What::OneOf(choices) => choices.iter().map(captures_at_most).max().unwrap_or(0),
        _ => 0,
    };
    step.captures.len() + of_choice + step.children.iter().map(captures_at_most).sum::<usize>()
}

fn note_telling(step: &mut Step) -> bool {
    let mut is_telling = !step.captures.is_empty();
    if let What::OneOf(choices) = &mut step.what {
        for choice in choices {
            is_telling |= note_telling(choice);
        }
    }
    for child in &mut step.children {
        is_telling |= note_telling(child);
    }
    step.is_telling = is_telling;
    is_telling
}

fn begin(grammar: &Language, patterns: &[Step]) -> Result<Vec<Vec<u16>>, String> {
    let mut begin = vec![Vec::new(); grammar.node_kind_count()];
    for (number, pattern) in (0_u16..).zip(patterns) {
        match &pattern.what {
            What::Kind(kind) if pattern.field.is_none() => begin[usize::from(*kind)].push(number),
            what => return Err(format!("a pattern begins with {what:?}, not with a kind")),
        }
    }
    Ok(begin)
}

/// Nodes without a name are most of a tree, and few of them matter.
fn needs(grammar: &Language, patterns: &[Step]) -> Vec<Needs> {
    let mut needs: Vec<Needs> = (0..grammar.node_kind_count())
        .map(|kind| grammar.node_kind_is_named(u16::try_from(kind).unwrap_or(u16::MAX)))
        .map(|is_named| Needs {
            is_named,
            is_left_out: !is_named,
            fields: false,
        })
        .collect();
    for pattern in patterns {
        note_needs(pattern, &mut needs);
    }
    needs
}

fn note_needs(step: &Step, needs: &mut [Needs]) {
    let asks_fields = step.children.iter().any(asks_field);
    match &step.what {
        What::Kind(kind) => {
            let need = &mut needs[usize::from(*kind)];
            need.is_left_out = false;
            need.fields |= asks_fields;
        }
        What::OneOf(choices) => {
            for choice in choices {
                note_needs(choice, needs);
            }
        }
        what => {
            for need in needs.iter_mut() {
                need.is_left_out &= matches!(what, What::Named);
                need.fields |= asks_fields;
            }
        }
    }
    for child in &step.children {
        note_needs(child, needs);
    }
}

fn asks_field(step: &Step) -> bool {
    step.field.is_some() || matches!(&step.what, What::OneOf(choices) if choices.iter().any(asks_field))
}
