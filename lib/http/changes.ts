import { sharedRecords } from '../api/shared-memory.js'
import {
  acceptMemory,
  type Capture,
  type ConflictResolution,
  captureMemory,
  type Edit,
  editMemory,
  forget,
  keepMemory,
  type Replacement,
  rateMemory,
  rejectMemory,
  replaceMemory,
  resolveConflict,
  showMemory,
} from '../native.js'
import { given } from '../shared/given.js'
import { codeOf, hintOf, messageOf, problem } from '../shared/problem.js'
import { person } from '../shared/speaker.js'
import { newestCommand, takeBackAt } from '../undo/back.js'
import { type Change, changesOfCapture, observed, observedDecision, placed, statesOf } from '../undo/changes.js'
import { noteCommand } from '../undo/log.js'
import { onlyFields } from './body.js'
import { type Call, get, post, type Reply, type Route } from './router.js'
import { taggedWith } from './tags.js'

/** The source of captures without `tool` and `source`. */
const SOURCE = 'api/memory'
/** The header of the dashboard: the changes of a person there are kept for `undo`, those of programs are not. */
const PAGE = 'forge-page'
/** The header of the answer that names a change for `POST /api/memory/undo`. */
const UNDO = 'Forge-Undo'
const MANY_MAX = 1000
const UNKNOWN = 'GET /api/memory/list has the memories with their ids'
type Verdict = Parameters<typeof rateMemory>[1]

export function changeRoutes(projectDir: string): Route[] {
  const project = { projectDir }
  const speaker = () => ({ ...project, ...person('page') })
  /** A reply whose changes a person can take back. */
  const done = ({ request }: Call, name: string, changes: Change[], reply: Reply): Reply => {
    if (request.headers[PAGE] === undefined) return reply
    const at = noteCommand(project, name, changes, 'person')
    return at === undefined ? reply : { ...reply, headers: { [UNDO]: at } }
  }
  const decided = (id: string, { decision, ...accepted }: Record<string, unknown>) => {
    onlyFields(accepted, ['text', 'retiresPersons'])
    return observedDecision(id, project, () => {
      if (decision === 'accept') return acceptMemory(id, { ...accepted, ...speaker() })
      if (decision === 'reject' && accepted.text === undefined) return rejectMemory(id, speaker())
      throw problem('INVALID_INPUT', 'decision: expected accept, with or without a text, or reject')
    })
  }
  const one = (id: string, action: unknown, tags: string[]): Change[] => {
    if (action === 'tag') {
      const now = showMemory(id, { projectDir, includeProposed: true }).entry.tags
      const all = [...new Set([...now, ...tags])]
      if (all.length === now.length) return []
      return observed([id], project, () => editMemory(id, { tags: all }, speaker())).changes
    }
    if (action !== 'forget') return decided(id, { decision: action }).changes
    const { outcome, changes } = observed([id], project, () => forget(id, speaker()))
    if (!outcome.removed) throw problem('NOT_FOUND', 'unknown memory', UNKNOWN)
    return changes
  }
  const many = async (call: Call): Promise<Reply> => {
    const { body } = call
    onlyFields(body, ['action', 'ids', 'tags'])
    const { action } = body
    const tags = body.tags === undefined ? [] : textsIn(body.tags, 'tags')
    const ids = textsIn(body.ids, 'ids')
    if (!['forget', 'accept', 'reject', 'tag'].includes(String(action)))
      throw problem('INVALID_INPUT', 'action: expected forget, accept, reject or tag')
    return each(call, String(action), ids, (id) => one(id, action, tags))
  }
  /** Changes one record after the other; other requests are answered in between. */
  const each = async (call: Call, name: string, ids: string[], change: (id: string) => Change[]): Promise<Reply> => {
    const changes: Change[] = []
    let changed = 0
    const refused: { id: string; code: string; message: string; hint?: string }[] = []
    for (const id of ids) {
      try {
        changes.push(...change(id))
        changed += 1
      } catch (error) {
        refused.push({ id, code: codeOf(error), message: messageOf(error), ...given({ hint: hintOf(error) }) })
      }
      await new Promise(setImmediate)
    }
    return done(call, name, changes, { body: { changed, refused } })
  }
  /** Records that only the shared store has are fetched first. */
  const about = async <T>(
    call: Call,
    name: string,
    ids: string[],
    act: () => T,
    others: (outcome: T) => Change[] = () => [],
  ): Promise<Reply> => {
    const shared = await sharedRecords(ids, project, name === 'forget' || name === 'keep' ? name : 'change')
    const { outcome, changes } = shared.during(() => observed(ids, project, act))
    return done(call, name, [...changes, ...others(outcome)], { body: outcome })
  }
  return [
    route('PATCH', '/api/memory/entry/:id', (call, id) =>
      about(call, 'edit', [id], () => editMemory(id, call.body as Edit, speaker())),
    ),
    route('DELETE', '/api/memory/entry/:id', (call, id) => about(call, 'forget', [id], () => forget(id, speaker()))),
    route('POST', '/api/memory/entry/:id/keep', (call, id) =>
      about(call, 'keep', [id], () => keepMemory(id, speaker())),
    ),
    route('POST', '/api/memory/conflicts', (call) => {
      const resolution = call.body as unknown as ConflictResolution
      const ids = [resolution.id, resolution.with].filter((id) => typeof id === 'string')
      return about(call, 'conflicts', ids, () => resolveConflict(resolution, speaker()))
    }),
    route('POST', '/api/memory/replace', (call) => {
      const { old, by } = call.body
      const ids = [old, by].flat().filter((id) => typeof id === 'string')
      return about(call, 'replace', ids, () => replaceMemory(call.body as unknown as Replacement, speaker()))
    }),
    route('POST', '/api/memory/review/:id', (call, id) => {
      const { outcome, changes } = decided(id, call.body)
      return done(call, 'review', changes, { body: outcome })
    }),
    route('POST', '/api/memory/entry/:id/feedback', (call, id) => {
      onlyFields(call.body, ['verdict', 'at'])
      const { verdict, at } = call.body as { verdict: Verdict; at?: string }
      const rate = () => rateMemory(id, verdict, { ...speaker(), ...given({ at }) })
      return about(call, 'rate', [id], rate, (outcome) => placed(outcome, verdict, at))
    }),
    route('POST', '/api/memory/capture', (call) => {
      const capture = captureOf(call.body)
      const was = statesOf([capture.supersedes ?? []].flat(), project)
      const outcome = captureMemory(capture, speaker())
      const { captured, deduped } = outcome
      const changes = changesOfCapture(outcome, was, project)
      const status = deduped ? 200 : captured ? 201 : 500
      return done(call, 'capture', changes, { status, body: outcome })
    }),
    route('POST', '/api/memory/many', many),
    route('POST', '/api/memory/tags', (call) => {
      onlyFields(call.body, ['from', 'to'])
      const { from, to } = call.body
      if (typeof from !== 'string' || typeof to !== 'string' || from === '')
        throw problem('INVALID_INPUT', 'from, to: expected two tags; with an empty one, the tag is removed')
      const renamed = (tags: string[]) => [
        ...new Set(tags.map((tag) => (tag === from ? to : tag)).filter((tag) => tag !== '')),
      ]
      const found = new Map(taggedWith(from, projectDir).map(({ id, tags }) => [id, renamed(tags)]))
      const rename = (id: string) =>
        observed([id], project, () => editMemory(id, { tags: found.get(id) ?? [] }, speaker())).changes
      return each(call, 'tags', [...found.keys()], rename)
    }),
    get('/api/memory/undo', () => ({ last: newestCommand(project) })),
    post('/api/memory/undo', (body) => {
      onlyFields(body, ['at'])
      return takeBackAt(body.at, project)
    }),
  ]
}

/** A route of which the handler gets the id in the path. */
function route(
  method: Route['method'],
  pattern: string,
  handle: (call: Call, id: string) => Reply | Promise<Reply>,
): Route {
  return { method, pattern, handler: (call) => handle(call, call.path.id ?? '') }
}

function captureOf({ created_by, ...rest }: Record<string, unknown>): Capture {
  // Plan Forge's clients use the field name of the file format.
  const body = created_by === undefined ? rest : { createdBy: created_by, ...rest }
  const isNamed = body.source !== undefined || body.tool !== undefined
  return (isNamed ? body : { ...body, source: SOURCE }) as unknown as Capture
}

function textsIn(value: unknown, name: string): string[] {
  const isGood = Array.isArray(value) && value.length <= MANY_MAX && value.every((text) => typeof text === 'string')
  if (!isGood) throw problem('INVALID_INPUT', `${name}: expected a list of at most ${MANY_MAX} texts`)
  return [...new Set(value as string[])]
}
