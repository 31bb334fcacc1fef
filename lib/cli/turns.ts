// The turn of a past session around what was found in it.
import {
  cleanText,
  type ProjectOptions,
  type SessionHit,
  type SessionSearchOptions,
  type SessionTurn,
  searchSessions,
  textWords,
  type WaitingMemory,
} from '../native.js'
import { codeOf } from '../shared/problem.js'

/** What was found is in its own session, which its own words find among the first. */
const SESSIONS_MAX = 3
/** The source of what was found in a session of an agent. */
const FOUND = /^backfill\/([\w-]+)$/

interface Found {
  text: string
  agent: string
  session: string
}

export function turnsAround({ text, agent, session }: Found, project: ProjectOptions): Promise<SessionTurn[]> {
  return turnsWhere(text, agent, project, (hit) => hit.session === session)
}

/** True if a record was found in a past session. */
export const isFound = ({ source }: WaitingMemory): boolean => FOUND.test(source)

/** Reads new sessions once for all searches behind it, each of which would read on for as long. */
export const readSessions = (project: ProjectOptions, updateMs: number) =>
  sessionsOf('', project, { limit: 1, updateMs })

/** Returns the turn in which a record that waits was said: one that has its words. */
export async function turnsOf({ text, source }: WaitingMemory, project: ProjectOptions): Promise<SessionTurn[]> {
  const agent = FOUND.exec(source)?.[1]
  if (agent === undefined) return []
  return turnsWhere(text, agent, project, ({ turns }) => turns.some((turn) => stands(text, turn.text)))
}

async function turnsWhere(text: string, agent: string, project: ProjectOptions, isIt: (hit: SessionHit) => boolean) {
  const hits = await sessionsOf(text, project, { agents: [agent], limit: SESSIONS_MAX, updateMs: 0 })
  return hits.find(isIt)?.turns ?? []
}

/** Where the history is switched off, or a text has no words to search for, nothing is found. */
async function sessionsOf(query: string, project: ProjectOptions, options: SessionSearchOptions) {
  try {
    return (await searchSessions(query, { ...project, ...options })).hits
  } catch (error) {
    if (['UNSUPPORTED', 'INVALID_INPUT'].includes(codeOf(error))) return []
    throw error
  }
}

/** True if a text has the words of a quote in a row, which are more than one; the case, the spaces and the last full stop may differ. */
export function stands(quote: string, text: string): boolean {
  const plain = (words: string) => flat(words).toLowerCase()
  return textWords(quote).length > 1 && plain(text).includes(plain(quote).replace(/[.!\u3002]$/, ''))
}

export const flat = (text: string) => cleanText(text).replace(/\s+/g, ' ').trim()
