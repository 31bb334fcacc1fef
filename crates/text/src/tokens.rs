//! Estimates the number of tokens of a text without the vocabulary of a tokenizer, which takes longer to load than a hook may take.

/// Estimates the tokens of a text of prose: ASCII characters / 4 + other characters.
pub fn count_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Letters,
    Digits,
    Blanks,
    Emoji,
    Foreign,
    Signs,
}

fn run_of(c: char) -> Run {
    match c {
        'A'..='Z' | 'a'..='z' => Run::Letters,
        '0'..='9' => Run::Digits,
        _ if c.is_whitespace() => Run::Blanks,
        // Joiners and variation selectors.
        '\u{10000}'.. | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180f}' => Run::Emoji,
        _ if c.is_ascii() => Run::Signs,
        _ => Run::Foreign,
    }
}

/// Returns an upper estimate of the tokens of a text, for budgets of hooks: code, digests and emoji need several times the tokens of prose
/// of the same length, because byte pair encoding (Sennrich, Haddow and Birch 2016) first splits a text into runs of letters, digits and signs.
pub fn most_tokens(text: &str) -> usize {
    let mut tokens = 0;
    let mut runs: Vec<(Run, usize, bool)> = Vec::new();
    for c in text.chars() {
        let run = run_of(c);
        match runs.last_mut() {
            Some((last, bytes, is_blank)) if *last == run => (*bytes, *is_blank) = (*bytes + c.len_utf8(), false),
            _ => runs.push((run, c.len_utf8(), c == ' ')),
        }
    }
    for (run, bytes, is_one_blank) in runs {
        tokens += match run {
            Run::Letters => bytes.div_ceil(6),
            // A blank before digits is a token of its own.
            Run::Digits => bytes.div_ceil(3) + 1,
            Run::Blanks => usize::from(!is_one_blank),
            Run::Emoji => (bytes * 5).div_ceil(8),
            // An accented letter has two bytes, most scripts have three.
            Run::Foreign => bytes.div_ceil(3),
            Run::Signs => bytes.div_ceil(2),
        };
    }
    tokens
}
