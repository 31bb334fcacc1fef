import { cleanText } from '../native.js'

/**
 * Makes one line of untrusted text, for programs and for files: control sequences are removed, characters that hide or reorder
 * text are shown as escapes, and every run of white space becomes one space.
 */
export function asLine(text: string): string {
  return cleanText(wholeCharacters(text)).replace(/\s+/g, ' ').trim()
}

/** Replaces lone surrogates, which JSON may contain and the engine refuses, with the replacement character. */
export function wholeCharacters(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** Truncates a text with an ellipsis, which counts as one of its UTF-16 code units. */
export function cutWithEllipsis(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${cutTo(text, lengthMax - 1)}\u2026`
}

/** Truncates a text to a number of UTF-16 code units, without splitting a character. */
export function cutTo(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax)
}
