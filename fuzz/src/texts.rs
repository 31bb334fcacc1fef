//! The texts in an input.

/// Returns the input as text, with invalid characters replaced.
pub(crate) fn text_of(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// Returns the two texts that stand in the input, on both sides of the first line end.
pub(crate) fn two_texts_of(input: &[u8]) -> (String, String) {
    let text = text_of(input);
    match text.split_once('\n') {
        Some((one, other)) => (one.to_owned(), other.to_owned()),
        None => (text.clone(), text),
    }
}
