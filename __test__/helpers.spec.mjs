import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  buildCacheEntry,
  filterUnexpiredThoughts,
  findProject,
  isCacheEntryFresh,
  stampThoughtExpiry,
  validateSourceFormat,
} from '../index.js'
import { freshMemory } from './support/memory.mjs'

const NOW = Date.UTC(2026, 10, 20, 10)
const iso = (time) => new Date(time).toISOString()
const DAY_MS = 86_400_000

test('a source is a tool, or a tool and a subsystem', () => {
  for (const source of ['forge_run_plan', 'forge_run_plan/slice-executor', 'watcher/fs-rule', 'hook/pre-deploy']) {
    assert.deepEqual(validateSourceFormat(source), { valid: true })
  }
  for (const source of [
    'My Tool',
    'forge_run_plan / slice-executor',
    '',
    'a/b/c',
    'a/',
    '/b',
    ' a',
    'a\n',
    null,
    undefined,
    7,
    {},
  ]) {
    const { valid, reason } = validateSourceFormat(source)
    assert.deepEqual([source, valid, typeof reason], [source, false, 'string'])
  }
})

test('a thought gets the expiry of its type, unless it has one or an override says otherwise', () => {
  const stamped = (thought, options) => stampThoughtExpiry(thought, { now: NOW, ...options }).expiresAt
  const days = { lesson: 365, decision: 180, gotcha: 90, other: 90 }
  for (const [type, count] of Object.entries(days)) assert.equal(stamped({ type }), iso(NOW + count * DAY_MS))
  assert.deepEqual([stamped({ type: 'pattern' }), stamped({ type: 'convention' })], [undefined, undefined])
  assert.equal(stamped({ type: 'lesson', expiresAt: 'kept' }), 'kept')
  assert.equal(stamped({ type: 'lesson' }, { overrides: { lesson: 1 } }), iso(NOW + DAY_MS))
  assert.equal(stamped({ type: 'lesson' }, { overrides: { lesson: null } }), undefined)
  assert.equal(stamped({ type: 'lesson' }, { now: iso(NOW) }), iso(NOW + 365 * DAY_MS))
  const thought = { type: 'lesson', extra: { kept: [1] } }
  assert.deepEqual(stampThoughtExpiry(thought, { now: NOW }).extra, { kept: [1] })
  assert.deepEqual(thought, { type: 'lesson', extra: { kept: [1] } })
  assert.throws(() => stampThoughtExpiry({ type: 'lesson' }, { overrides: { lesson: -1 } }), { code: 'INVALID_INPUT' })
})

test('only expired thoughts are filtered', () => {
  const thoughts = [
    { n: 1, expiresAt: iso(NOW) },
    { n: 2, expiresAt: iso(NOW + 1) },
    { n: 3 },
    { n: 4, expiresAt: 'whenever' },
    { n: 5, expiresAt: null },
  ]
  for (const now of [NOW, iso(NOW)]) {
    assert.deepEqual(
      filterUnexpiredThoughts(thoughts, now).map(({ n }) => n),
      [2, 3, 4, 5],
    )
  }
  assert.deepEqual(filterUnexpiredThoughts([]), [])
  assert.throws(() => filterUnexpiredThoughts({}), { code: 'INVALID_INPUT' })
})

test('a cached search is fresh until its time is over', () => {
  const before = Date.now()
  const entry = buildCacheEntry({ key: 'k', query: 'q', project: 'shop', limit: 5, results: [{ id: 1 }], ttlMs: 1000 })
  const cachedAt = Date.parse(entry.cachedAt)
  assert.deepEqual(
    { ...entry, cachedAt: '' },
    { _v: 1, key: 'k', query: 'q', project: 'shop', limit: 5, results: [{ id: 1 }], cachedAt: '', ttlMs: 1000 },
  )
  assert.ok(cachedAt >= before && cachedAt <= Date.now())
  assert.deepEqual(
    [0, 999, 1000].map((later) => isCacheEntryFresh(entry, cachedAt + later)),
    [true, true, false],
  )
  assert.equal(isCacheEntryFresh(entry), true)
  const lasting = buildCacheEntry({ key: 'k', query: 'q', project: 'shop', limit: 5, results: [] })
  assert.equal(lasting.ttlMs, 3_600_000)
  for (const odd of [{}, { cachedAt: 'never' }, { cachedAt: null }, []])
    assert.equal(isCacheEntryFresh(odd, NOW), false)
  for (const field of ['key', 'query', 'project', 'limit', 'results']) {
    const input = { key: 'k', query: 'q', project: 'shop', limit: 5, results: [], [field]: undefined }
    assert.throws(() => buildCacheEntry(input), { code: 'INVALID_INPUT', message: new RegExp(`^${field}: `) })
  }
})

test('the project is the nearest folder upwards that has a memory or settings, else the work tree, else the folder itself', (t) => {
  const memory = freshMemory(t)
  const inner = join(memory.project, 'src', 'deep')
  mkdirSync(inner, { recursive: true })
  const here = process.cwd()
  t.after(() => process.chdir(here))
  process.chdir(inner)
  const found = [findProject()]
  mkdirSync(join(memory.project, '.git'))
  found.push(findProject())
  writeFileSync(join(memory.project, 'src', '.forge.json'), '{}')
  found.push(findProject())
  mkdirSync(join(inner, '.forge'))
  found.push(findProject(), findProject({ projectDir: memory.project }))
  assert.deepEqual(
    found.map((path) => realpathSync.native(path)),
    [inner, memory.project, join(memory.project, 'src'), inner, memory.project],
  )
})
