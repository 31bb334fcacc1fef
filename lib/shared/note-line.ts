import { cleanText, type RecallHit } from '../native.js'
import { ageOf } from './age.js'
import { type CameFrom, cameFrom } from './came-from.js'
import { shortId } from './identity.js'
import { asLine, cutTo } from './line.js'
import { freshnessMark, OVER, worktreeMark } from './marks.js'

/** The maximum length of an excerpt. */
const GIST_LENGTH = 110

/** Renders a record for an agent, with its age, by which it can be judged. */
export function noteLine(hit: RecallHit): string {
  const { type, confidence, text, weak, over, freshness } = hit
  const doubts = `${weak ? ' [weak match]' : ''}${over ? ` [${OVER}]` : ''}`
  const marks = `${worktreeMark(hit)}${doubts}${freshnessMark(freshness)}${rivals(hit.contradictedBy)}`
  return `[${type}] ${confidence} \u2014 ${text} (${named(hit)})${marks}`
}

/** Names a record: its age, when it is known, its short id, and where it comes from. */
function named(hit: { id: string; createdAt: string } & CameFrom): string {
  return [ageOf(hit.createdAt), shortId(hit.id), ...cameFrom(hit)].filter((part) => part !== '').join(', ')
}

/** Renders a record as one line of an index: short id, type, age, freshness, and the beginning of its text. */
export function indexLine(hit: RecallHit, now = Date.now()): string {
  const { id, type, createdAt, weak, over, freshness, contradictedBy } = hit
  const marks = [
    ...(hit.worktree === undefined ? [] : [hit.worktree.said]),
    ...(weak ? ['weak match'] : []),
    ...(over ? [OVER] : []),
    ...(freshness === undefined || freshness.state === 'unchanged' ? [] : [freshness.state]),
    ...(contradictedBy === undefined || contradictedBy.length === 0 ? [] : ['contradicted']),
  ]
  const mark = marks.length === 0 ? '' : ` [${marks.join(', ')}]`
  return `${shortId(id)} ${type} ${ageOf(createdAt, now)}${mark} \u2014 ${gistOf(hit.text)}`
}

/** Returns the beginning of a text as one line. */
function gistOf(text: string): string {
  const line = asLine(cleanText(text))
  const gist = cutTo(line, GIST_LENGTH)
  return gist.length < line.length ? `${gist.trimEnd()}\u2026` : gist
}

/** Names contradicting records by id and age. Their texts would make a note say more than its query asks for. */
function rivals(list: RecallHit['contradictedBy']): string {
  const names = (list ?? []).map(({ createdAt, id }) => `${shortId(id)} (${ageOf(createdAt)})`)
  return names.length === 0 ? '' : ` [contradicted by ${names.join(', ')}]`
}
