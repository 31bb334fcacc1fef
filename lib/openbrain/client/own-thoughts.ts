// Thoughts of the project's own files, as a search of the shared memory answers them: all of them where no store does, else those that wait
// to be delivered to it.
import { join } from 'node:path'
import { memoryDir, projectNames, queueStatus, recall } from '../../native.js'
import { readConfinedText } from '../../shared/confined.js'
import { given } from '../../shared/given.js'
import { isObject, parsedJson } from '../../shared/json.js'
import type { ThoughtHit, ThoughtQuery } from '../store.js'
import { namesMeant } from './project-names.js'

const QUEUES = ['openbrain-queue.jsonl', 'openbrain-dlq.jsonl']
/** A text may have no more than half a gibibyte. */
const QUEUE_BYTES_MAX = 256 << 20

interface OwnThoughts {
  thoughts: ThoughtHit[]
  semantic: boolean
}

/** Searches the project's own files, unless another project is wanted. */
export function searchOwn(query: ThoughtQuery, projectDir: string): OwnThoughts {
  const { project } = query
  const isOther = project !== undefined && !namesMeant(project, projectDir).some(isIn(projectNames({ projectDir })))
  return isOther ? { thoughts: [], semantic: false } : recalled(query, projectDir)
}

function recalled(query: ThoughtQuery, projectDir: string): OwnThoughts {
  const [project = ''] = projectNames({ projectDir })
  const { hits, mode } = recall(query.text, {
    projectDir,
    limit: query.limit,
    scope: 'project',
    ...(query.type === undefined ? {} : { types: [query.type] }),
    ...given({ since: query.since }),
  })
  const thoughts = hits.map(({ text, contradictedBy, ...hit }) => {
    const { id, type, source, createdAt, expiresAt, tags, score, cosine, matched, weak, over } = hit
    return {
      id,
      content: text,
      project,
      type,
      source,
      createdAt,
      ...given({ expiresAt }),
      tags,
      score,
      ...given({ cosine }),
      matched,
      ...(weak ? { weak: true as const } : {}),
      ...(over ? { over: true as const } : {}),
      ...(contradictedBy === undefined ? {} : { contradictedBy: contradictedBy.map((rival) => rival.id) }),
    }
  })
  return { thoughts, semantic: mode !== 'words' }
}

/** Puts what waits to be delivered among the thoughts of a store: each at the rank that it has among the own ones. */
export function withWaiting(thoughts: ThoughtHit[], query: ThoughtQuery, projectDir: string): ThoughtHit[] {
  const queue = waitingLines(projectDir)
  if (queue === '') return thoughts
  const wanted = query.project === undefined ? undefined : namesMeant(query.project, projectDir)
  const known = thoughts.map(({ id }) => id)
  const all = [...thoughts]
  for (const [rank, thought] of recalled(query, projectDir).thoughts.entries()) {
    const project = known.includes(thought.id) ? undefined : projectOf(thought.id, queue)
    if (project !== undefined && (wanted?.includes(project) ?? true)) all.splice(rank, 0, { ...thought, project })
  }
  return all.slice(0, query.limit)
}

const isIn = (names: string[]) => (name: string) => names.includes(name)

/** The project that a waiting record names; undefined when it does not wait. */
function projectOf(id: string, queue: string): string | undefined {
  const at = queue.indexOf(`"id":"${id}"`)
  if (at < 0) return undefined
  const end = queue.indexOf('\n', at)
  const line = parsedJson(queue.slice(queue.lastIndexOf('\n', at) + 1, end < 0 ? queue.length : end))
  return isObject(line) && typeof line.project === 'string' ? line.project : undefined
}

/** The lines of the queue: none, without reading it, where nothing waits. */
function waitingLines(projectDir: string): string {
  const { queued, deadLetters } = queueStatus({ projectDir })
  if (queued + deadLetters === 0) return ''
  const folder = memoryDir({ projectDir })
  return QUEUES.map((name) => readConfinedText(folder, join('.forge', name), QUEUE_BYTES_MAX) ?? '').join('')
}
