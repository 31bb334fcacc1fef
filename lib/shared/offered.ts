import { cleanText, type OfferedMemory } from '../native.js'
import { ageOf } from './age.js'
import { shortId } from './identity.js'
import { asLine, cutTo } from './line.js'

/** The maximum length of an excerpt: three of them, and how to answer, are at most 120 tokens. */
const GIST_LENGTH = 56

/** Renders current records that a new one may replace, one line each: short id, age, and the beginning of the text. */
export function offeredLines(offered: OfferedMemory[]): string[] {
  return offered.map(({ id, createdAt, text }) => {
    const line = asLine(cleanText(text))
    const gist = cutTo(line, GIST_LENGTH)
    const end = gist.length < line.length ? '\u2026' : ''
    return `${shortId(id)} ${ageOf(createdAt)} \u2014 ${gist.trimEnd()}${end}`
  })
}
