// The texts that the clients capture. No two of them have enough words in common to be near duplicates.

/** A word of letters only: one with digits would be taken apart and found by its parts as well. */
const spell = (text) => text.replace(/\d/g, (digit) => 'bcdfghjklm'[digit])

/** A text of one writer. */
export const ownText = (name, number) =>
  ['a', 'b', 'c', 'd', 'f', 'g'].map((end) => `${spell(`own${name}n${number}q`)}${end}w`).join(' ')
