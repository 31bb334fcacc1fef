// Everything that only reads: the survey of a database, and searches. It takes no lock, opens no transaction and creates nothing, so
// that it works for a role that may only read, on a replica, and behind a pooler that hands every statement to another connection.

import type pg from 'pg'
import { fuseScores } from '../../native.js'
import { given } from '../../shared/given.js'
import { type Embedder, queryVector } from '../embedder/embedder.js'
import type { ConditionalAnswer, ThoughtHit, ThoughtQuery } from '../store.js'
import { wellFormed } from '../wellformed.js'
import { withPoolerFallback } from './connection.js'
import { databaseFailure } from './database-failure.js'
import { isSameFor, keepSurvey, keptSurvey, USUAL } from './kept-survey.js'
import { searchableSpaces } from './model-change.js'
import { PipelinedPool } from './pipelined-pool.js'
import { hitOf, isSound, type Row } from './rows.js'
import { checkDimensions, type Space, type SpaceRow, spaceOf } from './schema.js'
import { searchStatement, type Wanted } from './search-statement.js'
import * as sql from './sql.js'
import { refuseOther, type Survey, survey, vectorProblem } from './survey.js'
import { EF_SEARCH, EF_SEARCH_MAX } from './vector-index.js'

/**
 * The factor by which more candidates than wanted are fetched of each list, so that fusion can lift one with a low rank in
 * either.
 */
const DEPTH = 4
const DEPTH_MIN = 40
/** How many vectors of queries are kept: the same query is often asked again. */
const VECTORS_KEPT = 64
/** SQLSTATE of a table that is gone. */
const NO_TABLE = '42P01'

/** Opens the embedder of a model; undefined when it is not there any more. */
export type OpenEmbedder = (model: string) => Promise<Embedder | undefined>

interface ReaderOptions {
  embedder: Embedder | undefined
  embedderOf: OpenEmbedder | undefined
  /** As it was measured, when absent. */
  efSearch: number | undefined
}

/** A row of the answer; without a hit, only the first columns are set. */
type SearchRow = Row & {
  state: string | null
  changed: boolean
  spaces: SpaceRow[]
  words: number | null
  cosine?: number | null
  /** How many pairs of texts were compared, and the quartiles of their cosines. */
  scale?: number[] | null
  is_cut: boolean
}

export class Reader {
  readonly #connection: pg.PoolConfig
  readonly #pool: PipelinedPool
  readonly #place: string
  readonly #embedder: Embedder | undefined
  readonly #embedderOf: OpenEmbedder | undefined
  readonly #efSearch: number | undefined
  /** The embedders of models whose vectors answer until those of the current one are complete. */
  readonly #formerEmbedders = new Map<string, Promise<Embedder | undefined>>()
  #survey: Promise<Survey> | undefined
  #known: Survey | undefined
  /** What the last process knew, or what is usual: a search does not wait for the survey, which confirms it. */
  #kept: Survey | undefined
  #isFirst = true
  /** How many searches wait for the survey. */
  #waiting = 0
  readonly #vectors = new Map<string, Float32Array>()

  constructor(connection: pg.PoolConfig, place: string, { embedder, embedderOf, efSearch }: ReaderOptions) {
    this.#connection = connection
    this.#pool = new PipelinedPool(connection)
    this.#place = place
    this.#embedder = embedder
    this.#embedderOf = embedderOf
    this.#efSearch = efSearch
  }

  /** What the last process knew of the database, or what is usual, until this one asks again. */
  #before(): Survey | undefined {
    if (this.#isFirst) this.#kept = keptSurvey(this.#connection) ?? (this.#embedder === undefined ? USUAL : undefined)
    this.#isFirst = false
    return this.#kept
  }

  /** True on a connection of our own, on which statements are prepared. */
  get mayPrepare(): boolean {
    return this.#pool.mayPrepare
  }

  /** Surveys the database, and refuses tables of another version. */
  async survey(): Promise<Survey> {
    return refuseOther(await this.surveyAny(), this.#place)
  }

  /** Surveys the database; once, until `forget`. Searches at the same time share one statement. */
  surveyAny(): Promise<Survey> {
    this.#survey ??= this.#ask().catch((error: unknown) => {
      this.#survey = undefined
      throw error
    })
    return this.#survey
  }

  /** Begins a search: its vector is computed, and connections are opened, while the database is surveyed. */
  async begin(text: string): Promise<EmbeddedQuery> {
    this.#waiting += 1
    this.#pool.open(this.#waiting)
    try {
      const before = this.#known ?? this.#before()
      const asked = this.survey()
      asked.catch(() => undefined)
      const [found, embedded] = await Promise.all([before ?? asked, this.#vectorOf(text, this.#embedder)])
      return (await this.#embeddedBefore(text, found)) ?? embedded
    } finally {
      this.#waiting -= 1
    }
  }

  /** Reads it again at the next need. */
  forget(): void {
    this.#survey = undefined
    this.#known = undefined
    this.#kept = undefined
    this.#isFirst = false
  }

  async #ask(): Promise<Survey> {
    let process = 0
    const found = await withPoolerFallback(this.#connection, () =>
      survey(async (text) => {
        const { result, pid } = await this.#pool.withProcess({ text })
        process = pid
        return result
      }),
    )
    // A pooler names a process of its own. There, a prepared statement would belong to the connection of another client.
    this.#pool.mayPrepare = process !== 0 && process === found.pid
    this.#known = found
    keepSurvey(this.#connection, found)
    return found
  }

  query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    return this.#pool.query({ text, values })
  }

  /** Searches, unless the state is still `known`; undefined in a database without tables. */
  async search(request: SearchRequest): Promise<ConditionalAnswer | undefined> {
    const before = this.#known === undefined ? this.#before() : undefined
    if (before === undefined) return this.#searchSurveyed(request)
    // Both are under way at the same time.
    const [answer, found] = await Promise.allSettled([this.#searchOnce(request, before), this.survey()])
    if (found.status === 'rejected') throw found.reason
    if (answer.status === 'fulfilled' && isSameFor(before, found.value, this.#embedder !== undefined))
      return answer.value
    // Which model's vectors answer depends on what is there.
    return this.#searchSurveyed({ ...request, embedded: await this.begin(request.query.text) })
  }

  async #searchSurveyed(request: SearchRequest): Promise<ConditionalAnswer | undefined> {
    const found = await this.survey()
    if (found.version === 0) return undefined
    try {
      return await this.#searchOnce(request, this.#known ?? found)
    } catch (error) {
      // The table of a model was removed after it was surveyed.
      if (databaseFailure(error, this.#place).status !== NO_TABLE) throw error
      this.forget()
      return this.#searchOnce(request, await this.survey())
    }
  }

  async #searchOnce({ query, projects, known, embedded }: SearchRequest, of: Survey): Promise<ConditionalAnswer> {
    const text = wellFormed(query.text)
    const depth = Math.max(query.limit * DEPTH, DEPTH_MIN)
    const { meaning, semanticProblem } = this.#meaningOf(embedded, depth, of)
    const { rows } = await this.#pool.query(
      searchStatement({
        text,
        depth,
        now: query.now,
        known,
        isRowSecured: of.isRowSecured,
        ...given({ projects, type: query.type, since: query.since, meaning }),
      }),
    )
    const found = rows as SearchRow[]
    const state = found[0]?.state ?? undefined
    if (this.#known !== undefined && found[0] !== undefined) this.#known = { ...this.#known, spaces: found[0].spaces }
    if (found[0]?.changed === false) return { state, answer: undefined }
    const spaces = found[0]?.spaces ?? []
    // The first pieces of long texts were stored since the database was surveyed.
    if (meaning !== undefined && !meaning.space.pieces.areAny && hasPieces(spaces, meaning.model)) {
      return this.#searchOnce({ query, projects, known, embedded }, { ...of, spaces })
    }
    const hits = found.filter((row) => row.id !== null && isSound(row))
    const best = rank(text, hits, meaning?.model).slice(0, query.limit)
    const thoughts = await this.#whole(best)
    const problem = semanticProblem === undefined ? {} : { semanticProblem }
    return { state, answer: { thoughts, semantic: meaning !== undefined, ...problem } }
  }

  /** While the vectors of the model are incomplete, those of a former model answer, as far as its embedder is still there. */
  async #embeddedBefore(text: string, { spaces }: Survey): Promise<EmbeddedQuery | undefined> {
    const { model } = this.#embedder ?? {}
    if (model === undefined || this.#embedderOf === undefined) return undefined
    for (const row of searchableSpaces(spaces, model)) {
      if (row.model === model) return undefined
      if (!this.#formerEmbedders.has(row.model)) {
        const opened = this.#embedderOf(row.model).catch(() => undefined)
        this.#formerEmbedders.set(row.model, opened)
      }
      const former = await this.#formerEmbedders.get(row.model)
      const embedded = former && (await this.#vectorOf(text, former))
      if (embedded?.vector !== undefined) return embedded
    }
    return undefined
  }

  async #vectorOf(text: string, embedder: Embedder | undefined): Promise<EmbeddedQuery> {
    if (embedder === undefined) return {}
    const { model } = embedder
    const name = `${model}\n${text}`
    const kept = this.#vectors.get(name)
    if (kept !== undefined) return { model, vector: kept }
    try {
      const vector = await queryVector(embedder, text)
      if (vector === undefined) return {}
      const [oldest] = this.#vectors.keys()
      if (this.#vectors.size >= VECTORS_KEPT && oldest !== undefined) this.#vectors.delete(oldest)
      this.#vectors.set(name, vector)
      return { model, vector }
    } catch (error) {
      return { model, problem: databaseFailure(error, this.#place).message }
    }
  }

  /** Decides whether a search goes by meaning, and in which table. */
  #meaningOf(embedded: EmbeddedQuery, depth: number, of: Survey): { meaning?: Meaning; semanticProblem?: string } {
    const { model, vector, problem } = embedded
    const { vector: version, spaces } = of
    if (model === undefined || version === undefined || vectorProblem(version) !== undefined) return {}
    if (vector === undefined) return problem === undefined ? {} : { semanticProblem: problem }
    const row = spaces.find((space) => space.model === model)
    if (row === undefined) return { semanticProblem: `${this.#place} has no vectors of ${model} yet` }
    try {
      checkDimensions(model, row.dimensions, vector.length)
    } catch (error) {
      return { semanticProblem: databaseFailure(error, this.#place).message }
    }
    const [major, minor] = version
    const scansIteratively = major > 0 || minor >= 8
    const efSearch = Math.min(Math.max(depth, this.#efSearch ?? row.ef_search ?? EF_SEARCH), EF_SEARCH_MAX)
    return { meaning: { model, space: spaceOf(row), vector, efSearch, scansIteratively } }
  }

  /** Fetches the texts that were cut, and converts the rows. */
  async #whole(best: Ranked[]): Promise<ThoughtHit[]> {
    const cut = best.filter(({ row }) => row.is_cut).map(({ row }) => row.id)
    const { rows } = cut.length === 0 ? { rows: [] } : await this.query(sql.FETCH, [cut])
    const whole = new Map((rows as Row[]).map((row) => [row.id, row]))
    return best.flatMap(({ row, score, cosine }) => {
      const full = row.is_cut ? whole.get(row.id) : row
      return full === undefined
        ? []
        : [{ ...hitOf({ ...full, marks: row.marks ?? null }, score), ...given({ cosine }) }]
    })
  }

  closeEmbedders(): void {
    for (const opened of this.#formerEmbedders.values()) void opened.then((embedder) => embedder?.close?.())
    this.#formerEmbedders.clear()
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

export interface SearchRequest {
  query: ThoughtQuery
  /** All projects when absent. */
  projects: string[] | undefined
  known: string | undefined
  embedded: EmbeddedQuery
}

type Meaning = NonNullable<Wanted['meaning']> & { model: string; space: Space }

/** The vector of a query. */
export interface EmbeddedQuery {
  model?: string
  vector?: Float32Array
  /** Why there is none. */
  problem?: string
}

interface Ranked {
  row: SearchRow
  score: number
  cosine?: number
}

/** Fuses both scores as the engine does for its own records; by words alone, the lexical score is the order. */
function rank(text: string, rows: SearchRow[], model: string | undefined): Ranked[] {
  if (model === undefined) return byWords(rows)
  const cosines = rows.map(({ cosine }) => (cosine == null ? {} : { cosine }))
  const scores = fuseScores(
    text,
    model,
    rows.map(({ words }, at) => ({ words: words ?? 0, ...cosines[at] })),
    scaleIn(rows),
  )
  const ranked = rows.map((row, at) => ({ row, score: scores[at] ?? 0, ...cosines[at] }))
  return ranked.sort((a, b) => b.score - a.score || later(a.row, b.row))
}

function hasPieces(spaces: SpaceRow[], model: string): boolean {
  return spaces.some((space) => space.model === model && Boolean(space.pieces_at))
}

/** Returns what the cosines between some texts of the store are; undefined where none are compared. */
function scaleIn(rows: SearchRow[]): { pairs: number; quartiles: number[] } | undefined {
  const [pairs, ...quartiles] = rows[0]?.scale ?? []
  return pairs === undefined || quartiles.length < 3 ? undefined : { pairs, quartiles }
}

function byWords(rows: SearchRow[]): Ranked[] {
  return rows
    .filter(({ words }) => words !== null)
    .sort((a, b) => Number(b.words) - Number(a.words) || later(a, b))
    .map((row) => ({ row, score: Number(row.words) }))
}

/** The larger id is the younger. */
function later(a: Row, b: Row): number {
  return a.id < b.id ? 1 : -1
}
