import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../shared/private-file.js'
import type { Agent } from './hosts.js'

/** An injected note, with what is needed to detect its use. */
export interface InjectedNote {
  /** A hash of its content: a note that has changed is injected again. */
  hash: string
  hook: string
  /** When the process of the call started that it was injected for, in milliseconds since 1970; absent in files of older releases. */
  startedAt?: number
  text: string
  /** The tool call that it was injected for, which does not count as its use. */
  toolUseId?: string
  isUsed?: boolean
}

/** The state of a session between hook calls. It is deleted when the session ends. */
export interface Session {
  /** The working directory and the agent. A later session there completes what this one could not. */
  cwd?: string
  agent?: Agent
  /** The offset up to which each transcript was read, in bytes, by path. */
  read: Record<string, number>
  /** Test commands that failed and have not passed since, with their output. */
  failing: Record<string, string>
  /** The notes that were injected into the session, by their ids. */
  told?: Record<string, InjectedNote>
  /** Set when the user has switched the memory off for this session. */
  isOff?: boolean
  /** Set when it was switched off earlier: nothing is learned from its transcript, which contains that part as well. */
  wasOff?: boolean
  /** Set when the session ended; the file is deleted as soon as the transcript is read to its end. */
  hasEnded?: boolean
}

/** Sessions without an end event are removed after this time. */
const AGE_MAX_MS = 7 * 24 * 3600 * 1000
const FAILING_MAX = 20

/** The session's file in the user's own folder, named by a hash: an id from outside never becomes a path. */
export class SessionFile {
  private constructor(private readonly path: string) {}

  static of(home: string, sessionId: string): SessionFile {
    return new SessionFile(join(folderIn(home), nameOf(sessionId)))
  }

  /** Lists the files of all sessions but one. */
  static others(home: string, sessionId: string): SessionFile[] {
    const names = namesIn(folderIn(home)).filter((name) => name.endsWith('.json') && name !== nameOf(sessionId))
    return names.map((name) => new SessionFile(join(folderIn(home), name)))
  }

  read(): Session {
    try {
      const { read, failing, ...rest } = JSON.parse(readFileSync(this.path, 'utf8')) as Partial<Session>
      return { ...rest, read: { ...read }, failing: { ...failing } }
    } catch {
      return { read: {}, failing: {} }
    }
  }

  write(session: Session): void {
    const failing = Object.fromEntries(Object.entries(session.failing).slice(-FAILING_MAX))
    writePrivateFile(this.path, JSON.stringify({ ...session, failing }))
  }

  /** The age of the file in milliseconds; 0 when it does not exist. */
  get ageMs(): number {
    const written = statSync(this.path, { throwIfNoEntry: false })?.mtimeMs
    return written === undefined ? 0 : Date.now() - written
  }

  get isThere(): boolean {
    return existsSync(this.path)
  }

  /** Ends the session. */
  end(): void {
    rmSync(this.path, { force: true })
  }
}

/** Removes the files of sessions without an end event. */
export function clearOld(home: string, now = Date.now()): void {
  const folder = folderIn(home)
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now)
    if (age > AGE_MAX_MS) rmSync(path, { force: true })
  }
}

function folderIn(home: string): string {
  return join(home, 'sessions')
}

function nameOf(sessionId: string): string {
  return `${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}.json`
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
