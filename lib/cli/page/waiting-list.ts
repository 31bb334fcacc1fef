// The decisions that wait, as a page and as a question.

import type { MemoryConflict, RelatedMemory, SessionTurn, WaitingMemory } from '../../native.js'
import { ageOf } from '../../shared/age.js'
import { counted, oneLine, printable } from '../../text/printable.js'
import { voiceOf } from '../../text/voice.js'
import { begun, listedText, short } from './named.js'
import { indent, type Page } from './page.js'

/** A turn is shown so far. */
const TURN_MAX = 200

/** A memory that waits: its whole text, then the facts about it, and the turn in which it was said. */
export function waitingPage(record: WaitingMemory, page: Page, turns: SessionTurn[] = []): string {
  const near = record.near.map((one) => `may replace: ${begun(one.text)} (${ageOf(one.createdAt)}, ${short(one.id)})`)
  const retires = (record.retires ?? []).map(({ text, createdAt, id, ofPerson }) => {
    const whose = ofPerson ? 'what a person said: ' : ''
    return page.paint('warning', `accepting it retires ${whose}${oneLine(text)} (${ageOf(createdAt)}, ${short(id)})`)
  })
  const said = turns.map(({ role, text }) => page.paint('quiet', `${role}: ${oneLine(text).slice(0, TURN_MAX)}`))
  const lines = [page.paint('strong', printable(record.text.trim())), facts(record), ...retires, ...near, ...said]
  return lines.map((line, at) => (at === 0 ? listedText(line, 0, page) : indent(line, 2, page))).join('\n')
}

export const waitingText = (record: WaitingMemory, page: Page, turns: SessionTurn[]): string =>
  `${waitingPage(record, page, turns)}\n`

/** Two memories that contradict each other. */
export function conflictPage(conflict: MemoryConflict, page: Page): string {
  return `${page.paint('strong', oneLine(conflict.rule))}  ${conflictText(conflict, page).trimEnd()}`
}

export function conflictText({ newer, older, why }: MemoryConflict, page: Page): string {
  return `${oneLine(why)}\n${side('newer', newer, page)}${side('older', older, page)}`
}

function side(name: string, { text, createdAt, id, ...voice }: RelatedMemory, page: Page): string {
  const said = listedText(page.paint('strong', printable(text.trim())), 2, page)
  return `${said}\n    ${name}  ${ageOf(createdAt)}  by ${voiceOf(voice)}  ${short(id)}\n`
}

function facts({ why, type, confidence, author, source, createdAt, id, verdicts, request }: WaitingMemory): string {
  if (request !== undefined) {
    const reason = request.why === undefined ? '' : ` (${oneLine(request.why)})`
    const asks = `${oneLine(author ?? 'somebody')} ${oneLine(request.says)}${reason}`
    return `${asks}  ${oneLine(type)}  ${ageOf(createdAt)}  ${short(id)}`
  }
  const by = author === undefined ? '' : ` by ${oneLine(author)}`
  const doubt = why === 'disputed' ? `, wrong for ${counted(verdicts.wrong, 'session')}` : ''
  return `${oneLine(type)}  ${confidence.toFixed(2)}  ${why}${by}${doubt}  ${oneLine(source)}  ${ageOf(createdAt)}  ${short(id)}`
}
