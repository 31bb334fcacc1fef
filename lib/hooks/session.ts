import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../shared/private-file.js'
import type { Agent } from './call.js'

/** The state of a session between hook calls. It is deleted when the session ends. */
export interface Session {
  /** Where the agent works, and who it is. Later sessions there finish what this one could not. */
  cwd?: string
  agent?: Agent
  /** How far each transcript was read, in bytes, by its path. */
  read: Record<string, number>
  /** Test commands that failed and did not pass since, with what they said. */
  failing: Record<string, string>
  /** Set when the session ended; the file goes as soon as all that was said is read. */
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
