import { cleanText, type OfferedMemory } from '../native.js'
import { ageOf } from './age.js'
import { shortId } from './identity.js'
import { asLine, cutTo } from './line.js'

/** The maximum length of an excerpt: three of them, and how to answer, are at most 120 tokens. */
const GIST_LENGTH = 48
/** How many are offered. */
const OFFERED_MAX = 3

/** A current record that a new one may replace. */
export interface Offered extends OfferedMemory {
  /** Who stored it, when a colleague did. */
  author?: string
}

/** A thought of a colleague. */
interface OfTeam {
  id: string
  type: string
  content: string
  createdAt: string
  createdBy?: string
}

/** The own ones first, then those of the team. */
export function allOffered(own: OfferedMemory[] = [], team: OfTeam[] = []): Offered[] {
  const theirs = team.map(({ id, type, content, createdAt, createdBy }) => {
    return { id, type, text: content, createdAt, author: createdBy || 'the team' }
  })
  return [...own, ...theirs].slice(0, OFFERED_MAX)
}

/** Renders them, one line each: short id, author of the team, age, and the beginning of the text. */
export function offeredLines(offered: Offered[]): string[] {
  return offered.map(({ id, createdAt, text, author }) => {
    const line = asLine(cleanText(text))
    const gist = cutTo(line, GIST_LENGTH)
    const end = gist.length < line.length ? '\u2026' : ''
    const of = author === undefined ? '' : `${asLine(cleanText(author))}, `
    return `${shortId(id)} ${of}${ageOf(createdAt)} \u2014 ${gist.trimEnd()}${end}`
  })
}
