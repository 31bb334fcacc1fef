import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { onlyFields } from '../../http/body.js'
import { nameInNotes } from '../../http/notes.js'
import type { Query } from '../../http/query.js'
import { get, post, type Route } from '../../http/router.js'
import type { PastSession } from '../../http/shapes.js'
import {
  type BackfillOptions,
  type BackfillReport,
  forgetSessions,
  searchSessions,
  sessionIndexStatus,
} from '../../native.js'
import { given } from '../../shared/given.js'
import { problem } from '../../shared/problem.js'

/** Returns the routes about past sessions of agents, and the lessons from them. */
export function sessionRoutes(projectDir: string): Route[] {
  return [
    get('/api/sessions', (query) => answerSessions(query, projectDir)),
    post('/api/sessions/forget', (body) => {
      onlyFields(body, ['session'])
      if (typeof body.session !== 'string') throw problem('INVALID_INPUT', 'session: expected the id of a session')
      return forgetSessions({ projectDir, session: body.session })
    }),
    get('/api/backfill', (query) => {
      const since = query.only('since').text('since')
      return backfillApart({ projectDir, ...given({ since }) })
    }),
    post('/api/backfill', (body) => answerChosen(body, projectDir)),
  ]
}

/** With words the sessions that have them; without, the newest of those that are indexed: new ones are read when somebody asks for them. */
async function answerSessions(query: Query, projectDir: string): Promise<object> {
  const text = query.only('query', 'limit', 'offset', 'update').text('query') ?? ''
  const page = given({ limit: query.number('limit'), offset: query.number('offset') })
  const isRead = text.trim() !== '' || query.flag('update') === true
  const status = await sessionIndexStatus({ projectDir })
  if (!isRead && (!status.enabled || status.turns === 0)) return { status }
  const found = await searchSessions(text, { projectDir, ...page, ...given({ updateMs: isRead ? undefined : 0 }) })
  const hits = found.hits.map((hit): PastSession => ({ ...hit, noted: nameInNotes(hit.session) }))
  return { status: await sessionIndexStatus({ projectDir }), ...found, hits }
}

function answerChosen(body: Record<string, unknown>, projectDir: string): Promise<BackfillReport> {
  onlyFields(body, ['only', 'decline', 'accept'])
  const { only, decline, accept } = body as Pick<BackfillOptions, 'only' | 'decline' | 'accept'>
  if (only === undefined && decline === undefined)
    throw problem('INVALID_INPUT', 'only, decline: expected the keys of findings')
  return backfillApart({ projectDir, ...given({ only, decline, accept }) })
}

/** Reads past sessions on a thread of its own: they may be gigabytes, and the server goes on answering. */
function backfillApart(options: BackfillOptions): Promise<BackfillReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'backfill-thread.js'), { workerData: options })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(problem('IO', 'the sessions could not be read')))
  })
}
