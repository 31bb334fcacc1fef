//! A light stemmer that only removes endings: a stem is a prefix of its word, so that `retries` and `retry` have the stem
//! `retr`. It may conflate unrelated words, so a match of stems counts less than one of words.

/// Returns the length of a lower-case ASCII word's stem, or `None` when the word is its own stem.
pub(super) fn stem_len(word: &[u8]) -> Option<usize> {
    if word.len() < 4 || word.len() > 24 || !word.iter().all(u8::is_ascii_lowercase) {
        return None;
    }
    let mut len = cut_plural(word, word.len());
    len = cut_derived(word, len);
    len = cut_final(word, len);
    (len < word.len()).then_some(len)
}

/// Returns the length of the prefix that all inflections of a lower-case ASCII word share, but no derived words: unlike the
/// stem, the root of `production` is not that of `product`.
pub(super) fn root_len(word: &[u8]) -> usize {
    // Ids, PRs, VMs
    if let [_, second, b's'] = word
        && second.is_ascii_lowercase()
        && !is_vowel(*second)
        && *second != b's'
    {
        return 2;
    }
    if word.len() < 4 || word.len() > 24 || !word.iter().all(u8::is_ascii_lowercase) {
        return word.len();
    }
    let mut len = word.len();
    // Repeat until no ending is left: `embed` looks like a participle itself.
    loop {
        let before = len;
        len = cut_plural(word, len);
        len = cut_inflection(word, len);
        // A final "i" is that of "ies", or belongs to the word itself.
        if len < word.len() || !word.ends_with(b"i") {
            len = cut_final(word, len);
        }
        if len == before || len < 4 {
            return len;
        }
    }
}

/// True if two words are inflections of one: "retries" and "retried" of "retry", and not "police" and "policy", which only have a root in common.
pub(super) fn are_inflections(a: &[u8], b: &[u8]) -> bool {
    let (bases, others) = (bases_of(a), bases_of(b));
    bases.iter().any(|base| others.contains(base))
}

/// True if a word is the plural of another one.
pub(super) fn is_plural(word: &[u8], of: &[u8]) -> bool {
    let mut endings = ENDINGS.iter().filter(|(ending, _)| ending.ends_with(b"s"));
    endings.any(|(ending, instead)| base_without(word, ending, instead).is_some_and(|base| base == of))
}

/// The endings of inflections, and what the base has instead of each.
const ENDINGS: [(&[u8], &[u8]); 10] = [
    (b"s", b""),
    (b"es", b""),
    (b"ies", b"y"),
    (b"ed", b""),
    (b"ed", b"e"),
    (b"ied", b"y"),
    (b"ing", b""),
    (b"ing", b"e"),
    (b"ly", b""),
    (b"ily", b"y"),
];

/// Returns the words that a word may be an inflection of: itself, and those without an ending.
fn bases_of(word: &[u8]) -> Vec<Vec<u8>> {
    let mut bases = vec![word.to_vec()];
    for (ending, instead) in ENDINGS {
        if let Some(base) = base_without(word, ending, instead) {
            // "stopped" of "stop"
            bases.extend(base.get(..cut_double(&base)).map(<[u8]>::to_vec));
            bases.push(base);
        }
    }
    bases
}

fn base_without(word: &[u8], ending: &[u8], instead: &[u8]) -> Option<Vec<u8>> {
    let base = word.strip_suffix(ending).filter(|base| base.len() > 1)?;
    // "classes", "boxes", "caches", and not "plans" of "planes"
    let hisses = matches!(base, [.., b's' | b'x' | b'z' | b'o'] | [.., b'c' | b's', b'h']);
    (ending != b"es" || hisses).then(|| [base, instead].concat())
}

fn cut_plural(word: &[u8], len: usize) -> usize {
    let w = word.get(..len).unwrap_or(word);
    let cut_two = [&b"sses"[..], b"xes", b"ches", b"shes"]
        .iter()
        .any(|end| w.ends_with(end));
    if cut_two || (w.ends_with(b"ies") && len > 4) {
        len - 2
    } else if w.ends_with(b"s") && !w.ends_with(b"ss") && !w.ends_with(b"us") && !w.ends_with(b"is") {
        len - 1
    } else {
        len
    }
}

fn cut_derived(word: &[u8], len: usize) -> usize {
    let w = word.get(..len).unwrap_or(word);
    if INFLECTIONS.iter().any(|suffix| w.ends_with(suffix)) {
        return cut_inflection(word, len);
    }
    if (w.ends_with(b"tion") || w.ends_with(b"sion")) && len > 6 {
        len - 3
    } else {
        len
    }
}

const INFLECTIONS: [&[u8]; 3] = [b"ing", b"ed", b"ly"];

fn cut_inflection(word: &[u8], len: usize) -> usize {
    let w = word.get(..len).unwrap_or(word);
    match INFLECTIONS.iter().find_map(|suffix| w.strip_suffix(*suffix)) {
        Some(stem) if stem.len() >= 3 && has_vowel(stem) => cut_double(stem),
        _ => len,
    }
}

fn cut_double(stem: &[u8]) -> usize {
    match stem {
        [_, _, .., a, b] if a == b && !matches!(b, b'l' | b's' | b'z' | b'e' | b'o') => stem.len() - 1,
        _ => stem.len(),
    }
}

/// `cache` matches `caching`, `query` matches `queri(es)`.
fn cut_final(word: &[u8], len: usize) -> usize {
    let cut = match word.get(..len) {
        Some([_, _, .., before, b'e']) => *before != b'e',
        Some([_, _, .., before, b'y' | b'i']) => !is_vowel(*before),
        _ => false,
    };
    if cut { len - 1 } else { len }
}

fn has_vowel(word: &[u8]) -> bool {
    word.iter().any(|b| is_vowel(*b) || *b == b'y')
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> &str {
        &word[..stem_len(word.as_bytes()).unwrap_or(word.len())]
    }

    #[test]
    fn inflections_of_a_word_share_a_stem() {
        for family in [
            &["test", "tests", "testing", "tested"][..],
            &["retry", "retries"],
            &["query", "queries"],
            &["cache", "caches", "caching", "cached"],
            &["migrate", "migrating", "migrated", "migration", "migrations"],
            &["connect", "connection", "connections", "connected"],
            &["running", "runs", "run"],
            &["class", "classes"],
            &["file", "files"],
            &["index", "indexes", "indexing"],
        ] {
            for word in family {
                assert_eq!(stem(word), stem(family[0]), "{word}");
            }
        }
    }

    #[test]
    fn short_and_compound_words_are_not_stemmed() {
        for word in [
            "ci", "go", "is", "bus", "string", "thing", "runs_on", "sha256", "status",
        ] {
            assert_eq!(stem(word), word);
        }
    }
}
