import { cleanText } from '../native.js'

/**
 * Makes one line of a text that somebody else wrote, for programs and for files: what steers a terminal is taken out, what hides
 * or reorders text is shown as an escape, and every run of white space is one space.
 */
export function asLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** Cuts a text to a length in UTF-16 units, between characters and never within one. */
export function cutTo(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax)
}
