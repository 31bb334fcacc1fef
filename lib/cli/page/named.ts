import { shortId } from '../../shared/identity.js'
import { oneLine } from '../../text/printable.js'
import { indent, type Page } from './page.js'

/** Of a memory that a sentence names, this much of its text is shown. */
const NAMED_LENGTH = 200
/** Of a memory in a list, this many lines. */
const LISTED_LINES = 20

export const short = (id: string): string => shortId(oneLine(id))

/** What records have whose author named no confidence: of people, of agents and scripts, of imports and watchers. */
const USUAL_CONFIDENCE = ['0.80', '0.70', '0.60']

export function confidenceText(confidence: number, page: Page): string {
  const text = confidence.toFixed(2)
  return USUAL_CONFIDENCE.includes(text) ? page.paint('quiet', text) : text
}

/** A memory that is named in a sentence: its short id, and the beginning of its text. */
export function named({ id, text }: { id: string; text: string }): string {
  return text === '' ? short(id) : `${short(id)}: ${begun(text)}`
}

/** The beginning of a text, on one line; no half of a character at its end. This file is loaded at every start, and the engine is not. */
export function begun(text: string): string {
  const line = oneLine(text)
  return line.length <= NAMED_LENGTH ? line : `${line.slice(0, NAMED_LENGTH).replace(/\p{Surrogate}$/u, '')}\u2026`
}

export function retiredLine(one: { id: string; text: string }, why = ''): string {
  return `Retired ${named(one)} (${why === '' ? '' : `${why}; `}forge-memory keep ${short(one.id)} brings it back)`
}

/** A text in a list: wrapped, indented, and of a long one only the beginning. */
export function listedText(text: string, by: number, page: Page): string {
  const lines = indent(text, by, page).split('\n')
  const rest = lines.length - LISTED_LINES
  // One more line would be as long as the one that says so.
  if (rest <= 1) return lines.join('\n')
  const more = indent(page.paint('quiet', `\u2026 ${rest} more lines; forge-memory show ID has them`), by, page)
  return [...lines.slice(0, LISTED_LINES), more].join('\n')
}
