// The texts that the writers capture. No two that are meant to differ have enough words in common to be near duplicates.

/** A word of letters only: one with digits would be taken apart and found by its parts as well. */
const spell = (text) => text.replace(/\d/g, (digit) => 'bcdfghjklm'[digit])

const sentence = (stem) => ['a', 'b', 'c', 'd', 'f', 'g'].map((end) => `${spell(stem)}${end}w`).join(' ')

/** A text of one writer. */
export const ownText = (name, number) => sentence(`own${name}n${number}q`)

/** Of so many texts that all writers capture, again and again. */
export const SHARED = 400

/** A text that all writers capture. */
export const sharedText = (number) => sentence(`all${number % SHARED}q`)

/** A fact whose number is another one each time, in every process. */
export function changedFact(name, number) {
  const process = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7)
  return `The port of the ${spell(`service${number % 20}`)} server is ${1_000_000 + process * 1000 + number}.`
}
