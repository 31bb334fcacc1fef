// Records of the queue, as the engine passes them to a store.
import { randomBytes } from 'node:crypto'

/** An id as captures have it. */
export function freshId() {
  return `mem_${Date.now().toString(16).padStart(12, '0')}7${randomBytes(10).toString('hex').slice(1)}`
}

export function thought(content, extra = {}) {
  return {
    id: freshId(),
    content,
    project: 'shop',
    type: 'lesson',
    source: 'forge_sweep',
    createdBy: 'forge-memory',
    capturedAt: new Date().toISOString(),
    tags: [],
    confidence: 0.7,
    metadata: '{"hallmark":{"schemaVersion":"hallmark/v1","contentHash":"sha256:0"}}',
    ...extra,
  }
}

export function storing(...thoughts) {
  return thoughts.map((one) => ({
    key: `k-${one.id}`,
    action: 'store',
    id: one.id,
    ids: [one.id],
    projects: [one.project],
    thought: one,
    attempts: 0,
    enqueuedAt: one.capturedAt,
  }))
}

export function deleting(...ids) {
  return ids.map((id) => ({
    key: `d-${id}`,
    action: 'delete',
    id,
    ids: [id],
    projects: ['shop'],
    attempts: 0,
    enqueuedAt: new Date().toISOString(),
  }))
}

let ruled = 0
/** Each is said a second after the one before. */
export const ruling = (kind, id, more = {}) => ({
  key: `r-${++ruled}`,
  action: 'rule',
  id,
  ids: [id],
  projects: ['shop'],
  ruling: { kind, why: '', at: new Date(Date.now() - 60_000 + ruled * 1000).toISOString(), ...more },
  attempts: 0,
  enqueuedAt: new Date().toISOString(),
})

export const kinds = (outcomes) => outcomes.map(({ kind }) => kind)

export function asking(text, extra = {}) {
  return { text, limit: 10, now: new Date().toISOString(), ...extra }
}
