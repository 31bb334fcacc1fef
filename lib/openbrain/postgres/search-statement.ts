// The search as one statement, so that it takes one round trip. By words: the candidates are bounded. Query words are taken from the
// rarest on, by the share of thoughts that contain each (the statistics that the server keeps for its planner), until they match enough
// thoughts; of the others, thoughts that contain two count as well (as in MaxScore, a thought with none of the rare words cannot be near
// the top with one frequent word). Only those are ranked, by the sum of the inverse document frequency of each query word times its rank.
// Where that finds fewer than wanted, because all words are frequent or the rare ones are in no thought that may be seen, whatever has any
// of the words is a candidate: a word that no thought has is no condition. By meaning: HNSW (pgvector), or an
// exact scan where the project has few thoughts. An answer whose state the client knows is not computed again (a conditional request).
import type { QueryConfig } from 'pg'
import { sha256 } from '../../shared/digest.js'
import { vectorText } from './rows.js'
import { SCHEMA, type Space, type VectorTable } from './schema.js'
import { stateText } from './sql.js'
import { SPACES } from './survey.js'
import { partConditions } from './vector-parts.js'

/** How many thoughts the rarest query words may match together. */
const RARE_MAX = 1500
/** How many times more than wanted are given their score, so that superseded thoughts take no place. */
const SHORTLIST = 4
/** How many of the next rarest words are looked for in pairs: a thought without a rare word needs two others to come near the top. */
const PAIRED = 5
/** The limit of thoughts from one of these matches, when the statistics are wrong or a word is alone. */
const RANKED_MAX = 3000
/** Up to how many thoughts with any of the words are all looked at; it takes about 2 ms for a thousand. */
const ANY_MAX = 20_000
/** How many of the newest are looked at where more have one of the words. */
const NEWEST = 5000
/** The number of query words that count: the rarest. */
const WORDS_MAX = 32
/**
 * Up to how many thoughts of a project their vectors are compared exactly: the square root of the number of all thoughts times 22, within
 * bounds. To find one of the project, a scan of the index passes as many as there are thoughts for each of its own, each five times as
 * slowly, and may miss some: with a million, it is as fast for 14,000 of them, and exact for 22,000.
 */
const EXACT_PER_ROOT = 22
const EXACT_MIN = 5000
const EXACT_MAX = 50_000
/**
 * How many texts are compared with each other for the scale of a model's cosines: the oldest that may be seen, so that it hardly changes. It takes half
 * a millisecond.
 */
const SAMPLE = 48
/**
 * How many pieces of long texts are looked at for each text that is wanted; and where those are of too few texts, how many a text has at most, so that
 * there are enough for certain.
 */
const PIECES = 4
const PIECES_OF_TEXT_MAX = 192
/** A longer text is fetched by itself, when it is among the hits. */
export const TEXT_CHARS_MAX = 8192

export interface Wanted {
  text: string
  projects?: string[]
  type?: string
  since?: string
  now: string
  depth: number
  /** True when row security applies, under which the server does not use the index of words by itself. */
  isRowSecured?: boolean
  /** The vector of the query with the table in which its like are. */
  meaning?: { space: Space; vector: Float32Array; efSearch: number; scansIteratively: boolean }
  /** The state of which the client has the answer. */
  known?: string | undefined
}

/** Collects the values of a statement and returns their placeholders. */
export class Parameters {
  readonly list: unknown[] = []

  add(value: unknown, type: string): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }
}

/** Builds the statement. Its text depends on which filters are set, not on their values, so that it can be prepared. */
export function searchStatement(wanted: Wanted): QueryConfig {
  const values = new Parameters()
  const changed = changedSince(wanted.known, wanted.projects, values)
  const depth = values.add(wanted.depth, 'int')
  const seen = seenBy(wanted, values)
  const parts = [
    changed,
    ...lexicalParts(values.add(wanted.text, 'text'), seen, depth, matchingBy(wanted, values)),
    ...(wanted.meaning === undefined ? [] : semanticParts(wanted.meaning, seen, depth, values, wanted)),
  ]
  const rows = wanted.meaning === undefined ? LEXICAL_ROWS : SEMANTIC_ROWS
  const text = `with ${parts.join(',\n')}\n${rows}`
  const name = `forge_${sha256(text).slice(0, 16)}`
  return { name, text, values: values.list }
}

/** True if the state of the projects is another one than the client knows. */
export function changedSince(known: string | undefined, projects: string[] | undefined, values: Parameters): string {
  const state = stateText(projects && values.add(projects, 'text[]'))
  return `changed as materialized (select state.version, state.version is null or state.version is distinct from ${values.add(known ?? null, 'text')} as it
       from (select ${state} as version offset 0) state)`
}

/** No thought of the project supersedes it. It takes a look-up for each, so that it comes after what is quicker. */
const UNREPLACED = `not exists (select 1 from ${SCHEMA}.thoughts s where s.supersedes = t.id and s.project = t.project)`
/** Nor is it retired: by a few look-ups where it was never kept, and its replacement is not retired itself. Else all is considered. */
export const CURRENT = `${UNREPLACED} and case
  when not exists (select 1 from ${SCHEMA}.rulings r where r.id = t.id and r.kind in ('retire', 'reject')
    and r.project = t.project and r.tenant = t.tenant) then true
  when not exists (select 1 from ${SCHEMA}.rulings r where r.id = t.id and r.kind in ('keep', 'accept'))
    and not exists (select 1 from ${SCHEMA}.rulings r join ${SCHEMA}.rulings n on n.id = r.other and n.kind = 'retire'
      where r.id = t.id and r.kind = 'retire') then false
  else ${SCHEMA}.is_current(t.id, t.project, t.tenant) end`

export function seenBy(
  { projects, type, since, now }: Pick<Wanted, 'projects' | 'type' | 'since' | 'now'>,
  values: Parameters,
): string {
  const conditions = [
    't.forgotten_at is null',
    `(t.expires_at is null or t.expires_at > ${values.add(now, 'timestamptz')})`,
  ]
  if (projects !== undefined) conditions.push(`t.project = any(${values.add(projects, 'text[]')})`)
  if (type !== undefined) conditions.push(`t.type = ${values.add(type, 'text')}`)
  if (since !== undefined) conditions.push(`t.captured_at >= ${values.add(since, 'timestamptz')}`)
  return conditions.join(' and ')
}

/** Returns the condition that a thought matches a query of words. */
function matchingBy({ isRowSecured, projects }: Wanted, values: Parameters): (query: string) => string {
  if (isRowSecured !== true) return (query) => `t.words @@ ${query}`
  const within = values.add(projects ?? null, 'text[]')
  return (query) => `t.id = any (array(select ${SCHEMA}.matching(${query}, ${within}, ${ANY_MAX})))`
}

const QUOTED = `'''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || ''''`
/** The sum over the query words of inverse document frequency times rank, damped by the length of the text. */
const SCORE = '(select sum(w.weight * ts_rank(t.words, w.query, 1)) from query_words w)'

function lexicalParts(text: string, seen: string, depth: string, matching: (query: string) => string): string[] {
  return [
    `size as materialized (select greatest(reltuples, 1)::float8 as total from pg_class where oid = '${SCHEMA}.thoughts'::regclass)`,
    `query_words as materialized (
       select (${QUOTED})::tsquery as query, share * size.total as matches,
           ln(1 + 1 / greatest(share, 1 / size.total)) as weight,
           row_number() over w as place, sum(share) over w * size.total as running
         from (select l.lexeme, coalesce(f.share, 0) as share from unnest(to_tsvector('english', ${text})) l
             left join (select unnest(most_common_elems::text::text[]) as word, unnest(most_common_elem_freqs) as share
                 from pg_stats where schemaname = '${SCHEMA}' and tablename = 'thoughts' and attname = 'words') f
               on f.word = l.lexeme
             where (select it from changed)
             order by coalesce(f.share, 0), l.lexeme limit ${WORDS_MAX}) found, size
         window w as (order by share, lexeme))`,
    `rare_words as materialized (select * from query_words where running <= ${RARE_MAX} or (place = 1 and matches <= ${RANKED_MAX}))`,
    `other_words as materialized (select * from query_words where place not in (select place from rare_words) order by place limit ${PAIRED})`,
    `lookup as materialized (select
       (select string_agg(query::text, ' | ')::tsquery from rare_words) as rare,
       (select string_agg((a.query && b.query)::text, ' | ')::tsquery
          from other_words a join other_words b on a.place < b.place) as pairs,
       (select string_agg(query::text, ' | ')::tsquery from query_words) as any_word,
       (select coalesce(sum(matches), 0) > ${ANY_MAX} from query_words) as are_many,
       not exists (select 1 from rare_words) as is_frequent)`,
    `narrow as materialized (${scored(best('rare', 'true', RANKED_MAX), best('pairs', 'true', RANKED_MAX))})`,
    `wide as materialized (select is_frequent or (select count(distinct id) from narrow) < ${depth} as it, are_many from lookup)`,
    `candidates as materialized (select id, words from narrow union ${scored(
      best('any_word', '(select it and not are_many from wide)', `${depth} * ${SHORTLIST}`),
      best('any_word', '(select it and are_many from wide)', `${depth} * ${SHORTLIST}`, true),
    )})`,
    `by_words as materialized (select id, words from candidates order by words desc, id desc limit ${depth})`,
  ]

  /** The current ones with their scores. A match of both has two rows. Planning this condition takes long, so that it is written once for both. */
  function scored(one: string, other: string): string {
    return `select t.id, ${SCORE} as words from (${one} union all ${other}) t where ${CURRENT}`
  }

  /** The best matches by the rank of the server, which is quicker than the score that they then get. Of rare words, all are few enough. */
  function best(query: string, condition: string, max: number | string, amongNewest = false): string {
    const wanted = `(select ${query} from lookup)`
    const matches = `${SCHEMA}.thoughts t where ${condition} and ${seen} and ${amongNewest ? `ts_match_vq(t.words, ${wanted})` : matching(wanted)}`
    const source = amongNewest ? `(select t.* from ${matches} order by t.id desc limit ${NEWEST}) t` : matches
    const order = query === 'rare' ? '' : `order by ts_rank(t.words, ${wanted}, 1) desc, t.id desc`
    return `(select t.id, t.words, t.project, t.tenant from ${source} ${order} limit ${max})`
  }
}

function semanticParts(
  { space, vector, efSearch, scansIteratively }: NonNullable<Wanted['meaning']>,
  seen: string,
  depth: string,
  values: Parameters,
  wanted: Wanted,
): string[] {
  const { projects } = wanted
  const { table, cast } = space
  const visible = `${seen} and ${CURRENT}`
  const given = values.add(vectorText(vector), cast)
  // Settings of the index are read when its scan begins, which is after its operand is known.
  const settings = [
    `set_config('hnsw.ef_search', ${values.add(String(efSearch), 'text')}, true) is not null`,
    ...(scansIteratively ? ["set_config('hnsw.iterative_scan', 'strict_order', true) is not null"] : []),
  ]
  const operand = '(select vector from operand)'
  const from = (where: string, of: string) => `select v.id, 1 - (v.embedding <=> ${operand}) as cosine from ${of} v
    join ${SCHEMA}.thoughts t on t.id = v.id where (select it from changed) and ${where} and ${visible}`
  // The last order cannot use the index: vectors not in it yet are compared exactly.
  const nearest = (where: string, of: VectorTable = space, limit = depth) => {
    const parts = partConditions(of, 'v.').map(
      (part) => `(${from(`${where} and ${part}`, of.table)} order by v.embedding <=> ${operand} limit ${limit})`,
    )
    const all = `${parts.join('\n       union all ')}
       union all (${from(`${where} and not v.is_indexed`, of.table)} order by 1 - (v.embedding <=> ${operand}) desc limit ${limit})`
    return parts.length === 1 ? all : `(select * from (${all}) of_parts order by cosine desc limit ${limit})`
  }
  const pieces = space.pieces.areAny ? space.pieces : undefined
  return [
    `operand as materialized (select case when ${settings.join(' and ')} then ${given} end as vector)`,
    ...(projects === undefined ? [`near as materialized (${nearest('true')})`] : nearInProjects(table, operand)),
    ...(pieces === undefined ? [] : nearByPieces(pieces)),
    // A candidate of one search gets its score of the other as well.
    `merged as materialized (select id, max(words) as words, max(cosine) as cosine
       from (select id, words, null::float8 as cosine from by_words union all select id, null, cosine from near
         ${pieces === undefined ? '' : 'union all select id, null, cosine from near_by_pieces'}) each group by id)`,
    pieces === undefined
      ? `found as materialized (select b.id, b.words, coalesce(b.cosine, 1 - (v.embedding <=> ${operand})) as cosine
       from merged b left join ${table} v on v.id = b.id and b.cosine is null)`
      : `found as materialized (select b.id, b.words, greatest(b.cosine, 1 - (v.embedding <=> ${operand}),
         (select max(1 - (p.embedding <=> ${operand})) from ${pieces.table} p where p.id = b.id and p.embedding is not null)) as cosine
       from merged b left join ${table} v on v.id = b.id)`,
    `sample as materialized (select id, embedding from ${table} where (select it from changed) order by id limit ${SAMPLE})`,
    `scale as materialized (select count(*)::float8 || percentile_disc(array[.25, .5, .75]) within group (order by p.cosine) as it
       from (select 1 - (a.embedding <=> b.embedding) as cosine from sample a join sample b on a.id < b.id) p)`,
  ]

  /** The texts with the nearest pieces. Of a project with few thoughts all pieces are compared; else a text with many near ones takes the places of others. */
  function nearByPieces(of: VectorTable): string[] {
    const isMany = projects === undefined ? 'true' : 'not (select it from is_few)'
    const some = nearest(`v.embedding is not null and ${isMany}`, of, `${depth} * ${PIECES}`)
    const enough = nearest(
      'v.embedding is not null and (select it from are_more)',
      of,
      `${depth} * ${PIECES_OF_TEXT_MAX}`,
    )
    const all = `select t.id, c.cosine from (select v.id, max(1 - (v.embedding <=> ${operand})) as cosine from ${of.table} v
      where v.embedding is not null and v.id = any (array(select id from few where (select it from is_few)))
      group by v.id order by cosine desc offset 0) c
      join ${SCHEMA}.thoughts t on t.id = c.id where ${CURRENT} limit ${depth}`
    return [
      `some_pieces as materialized (${some})`,
      `are_more as materialized (select count(*) >= ${depth} * ${PIECES} and count(distinct id) < ${depth} as it from some_pieces)`,
      `near_by_pieces as materialized (${projects === undefined ? '' : `(${all}) union all`}
       (select id, max(cosine) as cosine from (select * from some_pieces union all ${enough}) p group by id order by cosine desc limit ${depth}))`,
    ]
  }

  function nearInProjects(table: string, operand: string): string[] {
    return [
      `few_max as materialized (select least(greatest(${EXACT_PER_ROOT} * sqrt(total), ${EXACT_MIN}), ${EXACT_MAX})::int as it from size)`,
      // Without the look-up of what supersedes them, for which the planner would rather read the whole table in another order.
      `few as materialized (select t.id from ${SCHEMA}.thoughts t where (select it from changed) and ${seen}
         limit (select it + 1 from few_max))`,
      `is_few as materialized (select count(*) <= (select it from few_max) as it from few)`,
      // One scan of the index of ids for all of them meets each of its pages once (from PostgreSQL 17 on), where a join looks each up from the root.
      `near as materialized (
       (select t.id, c.cosine from (select v.id, 1 - (v.embedding <=> ${operand}) as cosine from ${table} v
           where v.id = any (array(select id from few where (select it from is_few))) order by cosine desc offset 0) c
           join ${SCHEMA}.thoughts t on t.id = c.id where ${CURRENT} limit ${depth})
       union all ${nearest('not (select it from is_few)')})`,
    ]
  }
}

/** A longer name of a project or a person is cut. */
const NAME_CHARS_MAX = 300
const COLUMNS = `t.id, left(t.content, ${TEXT_CHARS_MAX}) as content, length(t.content) > ${TEXT_CHARS_MAX} as is_cut, t.project, t.type,
  t.source, t.created_by, t.captured_at, t.expires_at, t.supersedes, t.tags, t.confidence,
  jsonb_build_object('from', left(t.metadata->>'from', ${NAME_CHARS_MAX}), 'claimed_by', left(t.metadata->>'claimed_by', ${NAME_CHARS_MAX})) as metadata`

/** The results of rulings on a hit, if there are any. */
export const MARKS = `, case when exists (select 1 from ${SCHEMA}.rulings r where r.id = t.id)
    or exists (select 1 from ${SCHEMA}.rulings r where r.other = t.id and r.kind in ('conflict', 'hold'))
  then ${SCHEMA}.marks_of(t.id, t.project, t.tenant) end as marks`

const rowsOf = (scores: string, found: string) =>
  `select changed.version as state, changed.it as changed, ${SPACES} as spaces, t.*
  from changed left join (select ${scores}, ${COLUMNS}${MARKS} from ${found} found join ${SCHEMA}.thoughts t on t.id = found.id) t on true`
const LEXICAL_ROWS = rowsOf('found.words', 'by_words')
const SEMANTIC_ROWS = rowsOf('found.words, found.cosine, (select it from scale) as scale', 'found')
