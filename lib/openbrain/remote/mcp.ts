import type { Tool } from '@modelcontextprotocol/client'
import { given } from '../../shared/given.js'
import { parsedJson } from '../../shared/json.js'
import { StoreFailure } from '../failure.js'
import { toolFailure } from '../failure-class.js'
import { foreignText } from '../foreign-text.js'
import type { Capabilities } from '../store.js'
import { originOf } from './fields.js'
import { foundIn } from './rest.js'
import {
  BATCH_MAX,
  type Fields,
  type Found,
  type Server,
  type ServerQuery,
  searchArguments,
  totalIn,
  WITHOUT_BATCHES,
  WITHOUT_DELETES,
} from './server.js'
import type { Session, Transport } from './session.js'

/** OpenBrain's own MCP tools, whose results are JSON. */
export class McpServer implements Server {
  readonly capabilities: Capabilities
  readonly batchMax = BATCH_MAX
  readonly #session: Session
  readonly #place: string
  readonly #hasStats: boolean
  captureMany?: (batch: Fields[]) => Promise<void>
  remove?: (serverId: string) => Promise<void>

  constructor(session: Session, tools: Tool[], transport: Transport, place: string) {
    this.#session = session
    this.#place = place
    const can = (name: string) => tools.some((tool) => tool.name === name)
    this.#hasStats = can('thought_stats')
    if (can('capture_thoughts')) {
      this.captureMany = async (thoughts) => void (await this.#call('capture_thoughts', { thoughts }))
    }
    if (can('delete_thought')) this.remove = async (id) => void (await this.#call('delete_thought', { id }))
    this.capabilities = {
      dialect: `openbrain-${transport === 'sse' ? 'sse' : 'mcp'}`,
      batch: can('capture_thoughts'),
      scope: true,
      supersedes: can('delete_thought'),
      delete: can('delete_thought'),
      provenance: true,
      semantic: can('search_thoughts'),
      idempotent: 'by-look-up',
      negotiatedAway: [
        'lookup by source: thoughts are looked up by topic, and by their text before a retry',
        ...(can('capture_thoughts') ? [] : [WITHOUT_BATCHES]),
        ...(can('delete_thought') ? [] : WITHOUT_DELETES),
      ],
    }
  }

  /**
   * These tools cannot look up a source, so the id is searched among the topics, and the text is searched in case the
   * server changed those.
   */
  async find(id: string, content: string | undefined, isRetry: boolean): Promise<Found[]> {
    const listed = foundIn(await this.#call('list_thoughts', { topic: id }), this.#place)
    const found = listed.filter((one) => originOf(one) === id)
    if (found.length > 0 || content === undefined || !isRetry) return found
    const alike = await this.search({ text: content, limit: 25 })
    return alike.filter((one) => originOf(one) === id)
  }

  async capture(fields: Fields): Promise<void> {
    await this.#call('capture_thought', fields)
  }

  async search(query: ServerQuery): Promise<Found[]> {
    return foundIn(await this.#call('search_thoughts', searchArguments(query)), this.#place)
  }

  async count(project?: string): Promise<number | undefined> {
    return totalIn(await this.#call('thought_stats', given({ project })))
  }

  async state(): Promise<string | undefined> {
    return this.#hasStats ? JSON.stringify(await this.#call('thought_stats', {})) : undefined
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  async #call(name: string, args: object): Promise<object> {
    const text = await this.#session.call(name, { ...args })
    // Some servers report an error as a successful result that begins with `error:`.
    if (/^error:/i.test(text.trim())) throw toolFailure(foreignText(text, 400), this.#place)
    const value = parsedJson(text)
    if (typeof value === 'object' && value !== null) return value
    throw new StoreFailure('busy', `${this.#place} answered in prose where JSON was expected`, { isUncertain: true })
  }
}
