import { cleanText } from '../native.js'

/**
 * Makes one line of untrusted text, for programs and for files: control sequences are removed, characters that hide or reorder
 * text are shown as escapes, and every run of white space becomes one space.
 */
export function asLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** Cuts a text to a length in UTF-16 units, between characters and never within one. */
export function cutTo(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax)
}
