import { EMOJI, HIDDEN, JOINS_LAST, JOINS_NEXT, MODIFIER, PICTOGRAPH, TRANSPARENT, VIRAMA } from './hidden-table.js'

/**
 * Invisible characters (default ignorable, bidirectional controls, format controls; see Unicode UTS #39 and RFC 5892,
 * appendix A), for programs without the addon. The rules are those of the engine's `hidden.rs`, from which the table is
 * generated; a test compares both for every code point. Some of these characters are legitimate in ordinary text and
 * are kept there: variation selectors after emoji, and the two joiners (ZWJ, ZWNJ) in their contexts.
 */

const VARIATION_SELECTOR_15 = 0xfe0e
const VARIATION_SELECTOR_16 = 0xfe0f
const NON_JOINER = 0x200c
const JOINER = 0x200d

/**
 * Fast path: printable ASCII, line feeds, tabs, and the usual letters of Latin, Greek and Cyrillic need no further
 * check.
 */
const PLAIN = /^[\n\t\x20-\x7e\u00a0-\u00ac\u00ae-\u034e\u0370-\u0482]*$/

/** Tells quickly that a text has no invisible character and no terminal control. False means unknown. */
export const isPlainlySeen = (text: string): boolean => PLAIN.test(text)

type Has = (character: number | undefined) => boolean

const isHiddenByTable = lookUp(HIDDEN)
const isEmoji = lookUp(EMOJI)
const isPictograph = lookUp(PICTOGRAPH)
const isModifier = lookUp(MODIFIER)
const joinsNext = lookUp(JOINS_NEXT)
const joinsLast = lookUp(JOINS_LAST)
const isTransparent = lookUp(TRANSPARENT)
const isVirama = lookUp(VIRAMA)

/** Replaces every invisible character that is not legitimate in its context. */
export function replaceHidden(text: string, replacement: (character: string) => string): string {
  if (isPlainlySeen(text)) return text
  const characters = [...text]
  const points = characters.map((character) => character.codePointAt(0) ?? 0)
  const shown = characters.map((character, at) =>
    isHiddenByTable(points[at]) && !hasDuty(points, at) ? replacement(character) : character,
  )
  return shown.join('')
}

function hasDuty(points: number[], at: number): boolean {
  switch (points[at]) {
    case VARIATION_SELECTOR_15:
    case VARIATION_SELECTOR_16:
      return isEmoji(points[at - 1])
    case JOINER:
      return isVirama(points[at - 1]) || joinsPictographs(points, at)
    case NON_JOINER:
      return isVirama(points[at - 1]) || partsLetters(points, at)
    default:
      return false
  }
}

function joinsPictographs(points: number[], at: number): boolean {
  const last = points[at - 1] === VARIATION_SELECTOR_16 ? points[at - 2] : points[at - 1]
  return (isPictograph(last) || isModifier(last)) && isPictograph(points[at + 1])
}

function partsLetters(points: number[], at: number): boolean {
  let [last, next] = [at - 1, at + 1]
  while (isTransparent(points[last])) last--
  while (isTransparent(points[next])) next++
  return joinsNext(points[last]) && joinsLast(points[next])
}

/** Decodes a table on first use. */
function lookUp(table: string): Has {
  let edges: number[] | undefined
  return (character) => {
    if (character === undefined) return false
    edges ??= readTable(table)
    let [low, high] = [0, edges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((edges[middle] ?? 0) <= character) low = middle + 1
      else high = middle
    }
    return low % 2 === 1
  }
}

/** Decodes a table to alternating range starts and ends. */
function readTable(table: string): number[] {
  let end = 0
  return table.split(' ').flatMap((range) => {
    const [distance = '', more = '0'] = range.split('.')
    const first = end + Number.parseInt(distance, 36)
    end = first + Number.parseInt(more, 36)
    return [first, end + 1]
  })
}
