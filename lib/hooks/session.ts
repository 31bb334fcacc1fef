import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../shared/private-file.js'

/** What has to be known from one hook call to the next. It is no memory: it goes when the session ends. */
export interface Session {
  /** How far each transcript was read, in bytes, by its path. */
  read: Record<string, number>
  /** Test commands that failed and did not pass since, with what they said. */
  failing: Record<string, string>
}

/** Sessions that never said goodbye are cleared away after this. */
const AGE_MAX_MS = 7 * 24 * 3600 * 1000
const FAILING_MAX = 20

/** The session's file in the user's own folder, named by a hash: an id from outside never becomes a path. */
export class SessionFile {
  private readonly path: string

  constructor(
    private readonly home: string,
    sessionId: string,
  ) {
    const name = createHash('sha256').update(sessionId).digest('hex').slice(0, 32)
    this.path = join(this.folder, `${name}.json`)
  }

  private get folder(): string {
    return join(this.home, 'sessions')
  }

  read(): Session {
    try {
      const { read, failing } = JSON.parse(readFileSync(this.path, 'utf8')) as Partial<Session>
      return { read: { ...read }, failing: { ...failing } }
    } catch {
      return { read: {}, failing: {} }
    }
  }

  write(session: Session): void {
    const failing = Object.fromEntries(Object.entries(session.failing).slice(-FAILING_MAX))
    writePrivateFile(this.path, JSON.stringify({ ...session, failing }))
  }

  /** Ends the session, and clears away what others left. */
  end(now = Date.now()): void {
    rmSync(this.path, { force: true })
    try {
      for (const name of readdirSync(this.folder)) {
        const path = join(this.folder, name)
        if (now - statSync(path).mtimeMs > AGE_MAX_MS) rmSync(path, { force: true })
      }
    } catch {
      return
    }
  }
}
