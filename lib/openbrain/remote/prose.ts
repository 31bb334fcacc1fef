import type { Tool } from '@modelcontextprotocol/client'
import type { Capabilities } from '../store.js'
import {
  type Fields,
  type Found,
  type Server,
  type ServerQuery,
  searchArguments,
  WITHOUT_BATCHES,
  WITHOUT_DELETES,
} from './server.js'
import type { Session } from './session.js'

/** The beginning of a trailer with our fields: such a server stores only the text, so they are appended to it. */
const TRAILER = '[forge-memory {'
const RESULT = /^-+ *Result \d[^\n]*-$/m

/** The OB1 dialect: a server that stores only the text of a thought and answers in prose. */
export class ProseServer implements Server {
  readonly capabilities: Capabilities
  readonly #session: Session
  readonly #hasStats: boolean

  constructor(session: Session, tools: Tool[]) {
    this.#session = session
    this.#hasStats = tools.some(({ name }) => name === 'thought_stats')
    this.capabilities = {
      dialect: 'ob1',
      batch: false,
      scope: false,
      supersedes: false,
      delete: false,
      provenance: false,
      semantic: tools.some(({ name }) => name === 'search_thoughts'),
      idempotent: 'by-content',
      negotiatedAway: [
        WITHOUT_BATCHES,
        'projects: the server keeps one pool; searches are filtered on this machine',
        'own fields: type, source, tags and id are sent inside the text',
        ...WITHOUT_DELETES,
      ],
    }
  }

  async find(id: string, content: string | undefined): Promise<Found[]> {
    const found = await this.search({ text: content ?? id, limit: 25 })
    return found.filter(({ metadata }) => (metadata.provenance as { origin?: unknown } | undefined)?.origin === id)
  }

  async capture(fields: Fields): Promise<void> {
    await this.#session.call('capture_thought', { content: `${fields.content}\n\n[forge-memory ${trailer(fields)}]` })
  }

  async search({ text, limit }: ServerQuery): Promise<Found[]> {
    const answer = await this.#session.call('search_thoughts', { ...searchArguments({ text, limit }) })
    return answer.split(RESULT).slice(1).map(foundInProse)
  }

  async count(): Promise<number> {
    const answer = await this.#session.call('thought_stats', {})
    const at = answer.search(/total/i)
    return at === -1 ? 0 : Number(/\d+/.exec(answer.slice(at))?.[0] ?? 0)
  }

  async state(): Promise<string | undefined> {
    return this.#hasStats ? this.#session.call('thought_stats', {}) : undefined
  }

  close(): Promise<void> {
    return this.#session.close()
  }
}

function trailer({ project, source, metadata }: Fields): string {
  const { type, tags, captured_at, expiresAt, supersedes, provenance } = metadata
  return JSON.stringify({ project, source, type, tags, captured_at, expiresAt, supersedes, provenance })
}

/**
 * Splits a text from its trailer, which ends its last line. The search starts at the end, because from the start it would
 * take quadratic time.
 */
function withoutTrailer(body: string): { content: string; trailer: string } {
  const line = body.lastIndexOf('\n') + 1
  const at = body.indexOf(TRAILER, line)
  if (at === -1 || !body.endsWith('}]')) return { content: body, trailer: '{}' }
  const from = at + TRAILER.length - 1
  let end = at
  while (body[end - 1] === '\n') end -= 1
  return { content: body.slice(0, end), trailer: body.slice(from, -1) }
}

/** Parses a result: lines of metadata, an empty line, and the text as it was captured. */
function foundInProse(section: string): Found {
  const text = section.trim()
  const body = (/\n\n([\s\S]*)$/.exec(text)?.[1] ?? text).trim()
  const { content, trailer } = withoutTrailer(body)
  try {
    const metadata = JSON.parse(trailer) as Record<string, unknown>
    const { project } = metadata
    return { content, metadata, ...(typeof project === 'string' ? { project } : {}) }
  } catch {
    return { content, metadata: {} }
  }
}
