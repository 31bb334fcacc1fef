// The notes that hooks have added to the context of agents, one by one. The program of hooks writes the journal; the counts of it are
// `noteStats()`.
import { join } from 'node:path'
import { findProject, showMemory } from '../native.js'
import { sha256 } from '../shared/digest.js'
import { given } from '../shared/given.js'
import { forgeHome } from '../shared/home.js'
import { OTHERS_WRITE, readPrivateFile } from '../shared/private-file.js'
import { attempt } from '../shared/problem.js'
import type { InjectedNote, InjectedNotes } from './shapes.js'

/** As the program of hooks names them: `session.rs`. */
const NAME_DIGITS = 12

interface Entry {
  at: string
  kind: string
  hook: string
  host?: string
  session?: string
  ids?: string[]
  why?: string[]
  id?: string
  how?: string
}

/** The name of a session in the journal: it has no ids of sessions. */
export const nameInNotes = (session: string): string => sha256(session).slice(0, NAME_DIGITS)

/** Returns the newest notes, the newest first, and how many there are in the journal, and the newest memories from marks; with ids, those of these memories. */
export function injectedNotes(projectDir: string, limit: number, only?: string[]): InjectedNotes {
  const told: InjectedNote[] = []
  const marked: InjectedNote[] = []
  const open = new Map<string, InjectedNote>()
  for (const entry of entriesOf(projectDir)) {
    const { at, hook, host = '', session = '' } = entry
    if (entry.kind === 'told') {
      for (const [place, id] of (entry.ids ?? []).entries()) {
        if (only?.includes(id) === false) continue
        const note: InjectedNote = { at, id, hook, host, session, ...given({ why: entry.why?.[place] }) }
        told.push(note)
        open.set(`${session} ${id}`, note)
      }
    } else if (entry.kind === 'used' && entry.id !== undefined) {
      const note = open.get(`${session} ${entry.id}`)
      if (note) note.used = entry.how ?? 'used'
    } else if (entry.kind === 'stored' && entry.id !== undefined && only?.includes(entry.id) !== false) {
      marked.push({ at, id: entry.id, hook, host, session })
    }
  }
  const texts = new Map<string, ReturnType<typeof whatOf>>()
  const newestOf = (all: InjectedNote[]): InjectedNote[] =>
    all
      .slice(-limit)
      .reverse()
      .map((note) => {
        const what = texts.get(note.id) ?? whatOf(note.id, projectDir)
        texts.set(note.id, what)
        return { ...note, ...what }
      })
  return { notes: newestOf(told), total: told.length, stored: newestOf(marked) }
}

function whatOf(id: string, projectDir: string): Pick<InjectedNote, 'text' | 'type' | 'state'> {
  try {
    const { entry, state } = showMemory(id, { projectDir, includeProposed: true })
    return { text: entry.text, type: entry.type, state }
  } catch {
    // It was compacted away, or is one of another project.
    return {}
  }
}

function entriesOf(projectDir: string): Entry[] {
  const name = sha256(findProject({ projectDir })).slice(0, 32)
  const path = join(forgeHome(), 'moments', `${name}.jsonl`)
  return [`${path}.old`, path].flatMap((file) => {
    const lines = (textOf(file) ?? '').split('\n')
    return lines.flatMap((line) => {
      const entry = parsed(line)
      return entry === undefined ? [] : [entry]
    })
  })
}

function textOf(file: string): string | undefined {
  // It is no regular file, or cannot be read: there is nothing to show.
  return attempt(() => readPrivateFile(file, OTHERS_WRITE))
}

function parsed(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line)
    const isText = (value: unknown) => value === undefined || typeof value === 'string'
    const isList = (value: unknown) => value === undefined || (Array.isArray(value) && value.every(isText))
    const { at, kind, hook, host, session, id, how, ids, why } = entry ?? {}
    const isGood =
      typeof at === 'string' &&
      typeof kind === 'string' &&
      typeof hook === 'string' &&
      [host, session, id, how].every(isText) &&
      isList(ids) &&
      isList(why)
    return isGood ? entry : undefined
  } catch {
    return undefined
  }
}
