// Estimates the number of tokens of a text without the vocabulary of a tokenizer, which takes longer to load than a hook may take. Byte
// pair encoding (Sennrich, Haddow and Birch 2016) first splits a text into runs of letters, digits and signs, so code, digests and emoji
// need several times the tokens of prose of the same length. The estimate is rounded up, because a budget must hold.

/** Runs of one class: a word with the blank before it, digits, blanks, emoji and the like, other scripts, signs. */
const RUNS =
  / ?([A-Za-z]+)|(\d+)|(\s+)|([\u{10000}-\u{10ffff}\p{Join_Control}\p{Variation_Selector}]+)|([^\p{ASCII}]+)|([^\sA-Za-z\d]+)/gu
const LETTERS_A_TOKEN = 6
const DIGITS_A_TOKEN = 3
/** An accented letter has two bytes, most scripts have three. */
const BYTES_A_TOKEN = 3
const EMOJI_BYTES_A_TOKEN = 1.6
const SIGNS_A_TOKEN = 2

/** Returns an upper estimate of the tokens of a text. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [, letters, digits, blanks, emoji, foreign, signs] of text.matchAll(RUNS)) {
    if (letters !== undefined) tokens += Math.ceil(letters.length / LETTERS_A_TOKEN)
    // A blank before digits is a token of its own.
    else if (digits !== undefined) tokens += Math.ceil(digits.length / DIGITS_A_TOKEN) + 1
    else if (blanks !== undefined) tokens += blanks === ' ' ? 0 : 1
    else if (emoji !== undefined) tokens += Math.ceil(Buffer.byteLength(emoji) / EMOJI_BYTES_A_TOKEN)
    else if (foreign !== undefined) tokens += Math.ceil(Buffer.byteLength(foreign) / BYTES_A_TOKEN)
    else if (signs !== undefined) tokens += Math.ceil(signs.length / SIGNS_A_TOKEN)
  }
  return tokens
}
