import { cleanText, type RecallHit } from '../native.js'
import { freshnessMark } from './freshness-mark.js'
import { shortId } from './identity.js'
import { asLine, cutTo } from './line.js'

/** The maximum length of an excerpt. */
const GIST_LENGTH = 110

/** Renders a record for an agent. The date is included when it helps to choose between two records or to judge one. */
export function noteLine(hit: RecallHit): string {
  const { type, confidence, text, createdAt, id, weak, freshness } = hit
  const marks = `${weak ? ' [weak match]' : ''}${freshnessMark(freshness)}${rivals(hit.contradictedBy)}`
  const about = marks === '' ? shortId(id) : `${createdAt.slice(0, 10)}, ${shortId(id)}`
  return `[${type}] ${confidence} \u2014 ${text} (${about})${marks}`
}

/** Renders a record as one line of an index: short id, type, age, freshness, and the beginning of its text. */
export function indexLine(hit: RecallHit, now = Date.now()): string {
  const { id, type, createdAt, weak, freshness, contradictedBy } = hit
  const marks = [
    ...(weak ? ['weak match'] : []),
    ...(freshness === undefined || freshness.state === 'unchanged' ? [] : [freshness.state]),
    ...(contradictedBy === undefined || contradictedBy.length === 0 ? [] : ['contradicted']),
  ]
  const mark = marks.length === 0 ? '' : ` [${marks.join(', ')}]`
  return `${shortId(id)} ${type} ${ageOf(createdAt, now)}${mark} \u2014 ${gistOf(hit.text)}`
}

/** Returns the beginning of a text as one line. */
export function gistOf(text: string): string {
  const line = asLine(cleanText(text))
  const gist = cutTo(line, GIST_LENGTH)
  return gist.length < line.length ? `${gist.trimEnd()}\u2026` : gist
}

const AGES: [unit: string, ms: number][] = [
  ['y', 365 * 24 * 3600_000],
  ['mo', 30 * 24 * 3600_000],
  ['w', 7 * 24 * 3600_000],
  ['d', 24 * 3600_000],
  ['h', 3600_000],
]

/** Formats the age of an instant in its largest unit: `5h`, `3d`, `2mo`. */
export function ageOf(instant: string, now = Date.now()): string {
  const ms = now - Date.parse(instant)
  const [unit, size] = AGES.find(([, each]) => ms >= each) ?? ['', 0]
  return size === 0 ? 'new' : `${Math.floor(ms / size)}${unit}`
}

/** Names contradicting records by id and age. Their texts would make a note say what its query does not ask for. */
function rivals(list: RecallHit['contradictedBy']): string {
  const names = (list ?? []).map(({ createdAt, id }) => `${shortId(id)} (${ageOf(createdAt)})`)
  return names.length === 0 ? '' : ` [contradicted by ${names.join(', ')}]`
}
