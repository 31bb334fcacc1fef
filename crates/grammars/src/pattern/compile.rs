//! The compiler: from the text of a query to its patterns.

use tree_sitter::Language;

use super::lexer::{Token, tokenize};
use super::matcher::CAPTURES_MAX;
use super::{KindNeeds, NodeTest, Patterns, Step};

impl Patterns {
    /// Compiles a query.
    ///
    /// # Errors
    /// When the query is malformed, uses unsupported syntax, or names nodes or fields that the grammar does not have.
    pub fn new(grammar: &Language, query: &str) -> Result<Self, String> {
        let mut compiler = Compiler {
            grammar,
            tokens: tokenize(query)?.into_iter().peekable(),
            captures: Vec::new(),
            predicates: Vec::new(),
        };
        let mut patterns = Vec::new();
        while compiler.tokens.peek().is_some() {
            patterns.push(compiler.pattern()?);
        }
        let captures = compiler.captures;
        Ok(Patterns {
            by_root: patterns_by_kind(grammar, &patterns)?,
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
    /// The predicates of the current pattern: a capture, and its allowed texts.
    predicates: Vec<(u16, Vec<String>)>,
}

impl Compiler<'_> {
    fn pattern(&mut self) -> Result<Step, String> {
        self.predicates.clear();
        let mut step = self.step()?;
        for (capture, texts) in std::mem::take(&mut self.predicates) {
            if !attach_predicate(&mut step, capture, &texts) {
                return Err("a predicate refers to a capture that the pattern does not have".to_owned());
            }
        }
        if captures_max_of(&step) > CAPTURES_MAX {
            return Err(format!("a pattern captures more than {CAPTURES_MAX} nodes"));
        }
        note_captures(&mut step);
        Ok(step)
    }

    fn step(&mut self) -> Result<Step, String> {
        let field = match self.tokens.next_if(|token| matches!(token, Token::Field(_))) {
            Some(Token::Field(name)) => Some(self.field(&name)?),
            _ => None,
        };
        let mut step = match self.tokens.next() {
            Some(Token::Open) => self.node()?,
            Some(Token::OpenAlternation) => self.alternative()?,
            Some(Token::Literal(text)) => Step {
                test: NodeTest::Kind(self.kind(&text, false)?),
                ..Step::default()
            },
            Some(Token::Name(name)) if name == "_" => Step {
                test: NodeTest::Any,
                ..Step::default()
            },
            token => return Err(format!("expected a node, found {token:?}")),
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

    fn alternative(&mut self) -> Result<Step, String> {
        let mut alternatives = Vec::new();
        while self.tokens.next_if_eq(&Token::CloseAlternation).is_none() {
            alternatives.push(self.step()?);
        }
        Ok(Step {
            test: NodeTest::OneOf(alternatives),
            ..Step::default()
        })
    }

    fn node(&mut self) -> Result<Step, String> {
        let mut step = Step::default();
        match self.tokens.next() {
            Some(Token::Name(name)) if name == "_" => {}
            Some(Token::Name(name)) => step.test = NodeTest::Kind(self.kind(&name, true)?),
            token => return Err(format!("expected the kind of a node, found {token:?}")),
        }
        let mut is_anchored = false;
        loop {
            match self.tokens.peek() {
                Some(Token::Close) => {
                    self.tokens.next();
                    match step.children.last_mut() {
                        Some(last) => last.is_last = is_anchored,
                        None if is_anchored => return Err("an anchor has no node beside it".to_owned()),
                        None => {}
                    }
                    return Ok(step);
                }
                Some(Token::Anchor) => {
                    self.tokens.next();
                    is_anchored = true;
                }
                Some(Token::NegatedField(name)) => {
                    let name = name.clone();
                    step.negated_fields.push(self.field(&name)?);
                    self.tokens.next();
                }
                Some(Token::Open) => {
                    self.tokens.next();
                    match self.tokens.next_if(|token| matches!(token, Token::Predicate(_))) {
                        Some(Token::Predicate(name)) => self.predicate(&name)?,
                        _ => {
                            let mut child = self.node()?;
                            self.captures_behind(&mut child);
                            Self::child(&mut step, child, &mut is_anchored)?;
                        }
                    }
                }
                _ => {
                    let child = self.step()?;
                    Self::child(&mut step, child, &mut is_anchored)?;
                }
            }
        }
    }

    fn child(step: &mut Step, mut child: Step, is_anchored: &mut bool) -> Result<(), String> {
        child.is_anchored = std::mem::take(is_anchored);
        if child.is_anchored
            && step
                .children
                .last()
                .is_some_and(|last| matches!(last.test, NodeTest::Any))
        {
            return Err("an anchor after _ is not supported".to_owned());
        }
        step.children.push(child);
        Ok(())
    }

    /// `(#eq? @capture "text")`, `(#any-of? @capture "one" "other")`.
    fn predicate(&mut self, name: &str) -> Result<(), String> {
        let capture = match self.tokens.next() {
            Some(Token::Capture(capture)) => self.capture(capture),
            token => return Err(format!("#{name}: expected a capture, found {token:?}")),
        };
        let mut texts = Vec::new();
        loop {
            match self.tokens.next() {
                Some(Token::Literal(text)) => texts.push(text),
                Some(Token::Close) => break,
                token => return Err(format!("#{name}: expected a literal, found {token:?}")),
            }
        }
        match (name, texts.len()) {
            ("eq?", 1) | ("any-of?", 1..) => self.predicates.push((capture, texts)),
            _ => return Err(format!("#{name} with {} literals is not supported", texts.len())),
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
            0 => Err(format!("unknown kind {name:?}")),
            id if self.grammar.node_kind_is_supertype(id) => {
                Err(format!("{name:?} is a supertype, which is not supported"))
            }
            id => Ok(id),
        }
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let id = self.grammar.field_id_for_name(name);
        id.map(Into::into).ok_or_else(|| format!("unknown field {name:?}"))
    }
}

fn attach_predicate(step: &mut Step, capture: u16, texts: &[String]) -> bool {
    let mut is_there = step.captures.contains(&capture);
    if is_there {
        step.texts.extend_from_slice(texts);
    }
    if let NodeTest::OneOf(alternatives) = &mut step.test {
        for alternative in alternatives {
            is_there |= attach_predicate(alternative, capture, texts);
        }
    }
    for child in &mut step.children {
        is_there |= attach_predicate(child, capture, texts);
    }
    is_there
}

fn captures_max_of(step: &Step) -> usize {
    let of_choice = match &step.test {
        NodeTest::OneOf(alternatives) => alternatives.iter().map(captures_max_of).max().unwrap_or(0),
        _ => 0,
    };
    step.captures.len() + of_choice + step.children.iter().map(captures_max_of).sum::<usize>()
}

fn note_captures(step: &mut Step) -> bool {
    let mut has_captures = !step.captures.is_empty();
    if let NodeTest::OneOf(alternatives) = &mut step.test {
        for alternative in alternatives {
            has_captures |= note_captures(alternative);
        }
    }
    for child in &mut step.children {
        has_captures |= note_captures(child);
    }
    step.has_captures = has_captures;
    has_captures
}

fn patterns_by_kind(grammar: &Language, patterns: &[Step]) -> Result<Vec<Vec<u16>>, String> {
    let mut by_root = vec![Vec::new(); grammar.node_kind_count()];
    for (number, pattern) in (0_u16..).zip(patterns) {
        match &pattern.test {
            NodeTest::Kind(kind) if pattern.field.is_none() => {
                if let Some(patterns) = by_root.get_mut(usize::from(*kind)) {
                    patterns.push(number);
                }
            }
            what => return Err(format!("a pattern must begin with a kind, found {what:?}")),
        }
    }
    Ok(by_root)
}

/// Anonymous nodes are most of a tree, and few of them matter.
fn needs(grammar: &Language, patterns: &[Step]) -> Vec<KindNeeds> {
    let mut needs: Vec<KindNeeds> = (0..grammar.node_kind_count())
        .map(|kind| grammar.node_kind_is_named(u16::try_from(kind).unwrap_or(u16::MAX)))
        .map(|is_named| KindNeeds {
            is_named,
            is_irrelevant: !is_named,
            fields: false,
        })
        .collect();
    for pattern in patterns {
        note_needs(pattern, &mut needs);
    }
    needs
}

fn note_needs(step: &Step, needs: &mut [KindNeeds]) {
    let asks_fields = step.children.iter().any(asks_field);
    match &step.test {
        NodeTest::Kind(kind) => {
            if let Some(need) = needs.get_mut(usize::from(*kind)) {
                need.is_irrelevant = false;
                need.fields |= asks_fields;
            }
        }
        NodeTest::OneOf(alternatives) => {
            for alternative in alternatives {
                note_needs(alternative, needs);
            }
        }
        what => {
            for need in needs.iter_mut() {
                need.is_irrelevant &= matches!(what, NodeTest::Named);
                need.fields |= asks_fields;
            }
        }
    }
    for child in &step.children {
        note_needs(child, needs);
    }
}

fn asks_field(step: &Step) -> bool {
    step.field.is_some() || matches!(&step.test, NodeTest::OneOf(alternatives) if alternatives.iter().any(asks_field))
}
