// What the dashboard asks beside the records themselves: groups, checks, and a token that survives a restart.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { serve } from '../dist/server/index.js'
import { eachMemory } from '../dist/shared/expiring.js'
import { captureMemory, countMemories, forget } from '../index.js'
import { freshMemory, isWindows, sentenceOf } from './support/memory.mjs'
import { callerOf } from './support/served.mjs'

async function served(t, memory = freshMemory(t)) {
  const server = await serve({ ...memory.options, port: 0, watch: false, drain: false })
  t.after(() => server.close())
  return { memory, server, call: callerOf(server) }
}

test('groups are counted, ordered by size or by day, and their records come page by page', async (t) => {
  const { memory, call } = await served(t)
  const capture = (type, source, at) =>
    captureMemory({ type, source, body: `${type} of ${source}, number ${at}, thing${at}` }, memory.options)
  for (const at of [1, 2, 3]) capture('lesson', 'a/x', at)
  for (const at of [4, 5]) capture('gotcha', 'b/y', at)
  const { id } = capture('gotcha', 'a/x', 6)
  const ask = async (query) => (await call('GET', `/api/memory/groups?${query}`)).body
  const byType = await ask('by=type&limit=4')
  assert.deepEqual(byType.groups, [
    { key: 'gotcha', count: 3 },
    { key: 'lesson', count: 3 },
  ])
  assert.deepEqual([byType.total, byType.entries.length], [6, 4])
  assert.deepEqual(
    byType.entries.map(({ type }) => type),
    ['gotcha', 'gotcha', 'gotcha', 'lesson'],
  )
  const rest = await ask('by=type&limit=4&offset=4')
  assert.deepEqual(
    rest.entries.map(({ type }) => type),
    ['lesson', 'lesson'],
  )
  assert.deepEqual((await ask('by=source')).groups, [
    { key: 'a/x', count: 4 },
    { key: 'b/y', count: 2 },
  ])
  assert.deepEqual((await ask('by=source&type=gotcha')).groups, [
    { key: 'b/y', count: 2 },
    { key: 'a/x', count: 1 },
  ])
  assert.equal((await ask('by=day')).groups.length, 1)
  const none = { key: 'b/y', count: 2 }
  forget(id, memory.options)
  for (;;) {
    const { groups } = await ask('by=source&type=gotcha')
    if (groups.length === 1) {
      assert.deepEqual(groups, [none])
      break
    }
  }
})

test('days are counted in the time zone of the server, and their records come in the order of every list', async (t) => {
  const times = ['2026-08-01T12:00', '2026-08-01T23:50', '2026-08-02T00:10', '2026-08-02T00:12', '2026-08-03T04:00']
  const written = freshMemory(t)
  for (const [number, at] of times.entries())
    captureMemory({ type: 'lesson', body: sentenceOf(number), tags: [at] }, written.options)
  const memory = freshMemory(t)
  const [from, to] = [written, memory].map(({ project }) => join(project, '.forge'))
  const dated = (line) => line.replace(/("captured_at":")[^"]+/, `$1${/"tags":\["([^"]+)/.exec(line)?.[1]}:00.000Z`)
  const lines = readFileSync(join(from, 'memory-captures.jsonl'), 'utf8').split('\n')
  mkdirSync(to)
  writeFileSync(join(to, 'memory-captures.jsonl'), lines.map(dated).join('\n'))
  const { call } = await served(t, memory)
  const counts = new Map()
  for (const at of times.toReversed()) {
    // That country writes a day as ISO 8601 does.
    const day = new Date(`${at}:00.000Z`).toLocaleDateString('sv')
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  const { groups, entries, total } = (await call('GET', '/api/memory/groups?by=day&limit=2&offset=1')).body
  assert.deepEqual(
    groups.map(({ key, count }) => [key, count]),
    [...counts],
  )
  assert.equal(total, 5)
  assert.deepEqual(
    entries.map(({ tags }) => tags),
    [[times[3]], [times[2]]],
  )
  assert.deepEqual(countMemories('tag', { ...memory.options, tags: [times[1]] }), [{ key: times[1], count: 1 }])
  assert.throws(() => countMemories('month', memory.options), { code: 'INVALID_INPUT' })
})

test('wrong questions for groups and unknown fixes are refused', async (t) => {
  const { call } = await served(t)
  for (const query of ['by=colour', 'by=type&limit=0', 'by=type&colour=red', 'by=type&since=yesterday'])
    assert.equal((await call('GET', `/api/memory/groups?${query}`)).status, 400, query)
  for (const body of [{}, { fix: 'constructor' }, { fix: 'format' }, { fix: 'heal', path: '/' }])
    assert.equal((await call('POST', '/api/memory/health', body)).body.error.code, 'INVALID_INPUT')
  assert.equal((await call('POST', '/api/memory/verify', { repair: true })).status, 400)
  assert.equal((await call('GET', '/api/memory/health?deep=1')).status, 400)
})

test('a finding names its repair, and a healthy project has none', async (t) => {
  const { memory, call } = await served(t)
  captureMemory({ type: 'lesson', body: 'One thing to read' }, memory.options)
  const journal = memory.forge('lessons.jsonl')
  const text = readFileSync(journal, 'utf8')
  writeFileSync(journal, `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`)
  const findings = async () => (await call('GET', '/api/memory/health')).body.findings
  const fixes = async () => (await findings()).flatMap(({ code, fix }) => (fix ? [[code, fix.name]] : []))
  assert.ok((await fixes()).some(([code, name]) => code === 'CONFLICT_MARKERS' && name === 'heal'))
  assert.equal((await call('POST', '/api/memory/health', { fix: 'heal' })).status, 200)
  assert.ok(!(await fixes()).some(([code]) => code === 'CONFLICT_MARKERS'))
})

test('a folder that others can read is closed to them', async (t) => {
  if (isWindows) return
  const { memory, call } = await served(t)
  captureMemory({ type: 'lesson', body: 'One thing to read' }, memory.options)
  chmodSync(memory.forge('.'), 0o755)
  assert.equal((await call('POST', '/api/memory/health', { fix: 'close' })).status, 200)
  assert.equal(statSync(memory.forge('.')).mode & 0o777, 0o700)
})

const homeOf = (t, memory) => {
  const before = process.env.FORGE_HOME
  process.env.FORGE_HOME = join(memory.project, '..', 'home-of-page')
  mkdirSync(process.env.FORGE_HOME, { recursive: true, mode: 0o700 })
  t.after(() => {
    if (before === undefined) delete process.env.FORGE_HOME
    else process.env.FORGE_HOME = before
  })
  return join(process.env.FORGE_HOME, 'server-tokens')
}

async function tokenOf(memory, options = {}) {
  const server = await serve({ ...memory.options, port: 0, watch: false, drain: false, ...options })
  await server.close()
  return server.token
}

test('a restarted server has the token of the one before, for this user and this project only', async (t) => {
  const memory = freshMemory(t)
  const folder = homeOf(t, memory)
  const token = await tokenOf(memory)
  assert.equal(await tokenOf(memory), token)
  assert.equal(await tokenOf(memory, { token: 'chosen-by-the-caller' }), 'chosen-by-the-caller')
  assert.equal(await tokenOf(memory), token)
  if (isWindows) return
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  const other = freshMemory(t)
  assert.notEqual(await tokenOf(other), token)
})

test('a token that is old, readable by others or invalid is replaced', async (t) => {
  const memory = freshMemory(t)
  const folder = homeOf(t, memory)
  let token = await tokenOf(memory)
  const [name] = readdirSync(folder)
  const path = join(folder, name)
  const kept = JSON.parse(readFileSync(path, 'utf8'))
  const write = (fields) => writeFileSync(path, JSON.stringify({ ...kept, token, ...fields }))
  const ages = [{ usedAt: new Date(Date.now() - 25 * 3600_000).toISOString() }, { usedAt: '2999-01-01T00:00:00Z' }]
  for (const fields of [...ages, { usedAt: 'x' }, { token: 'short' }, { project: '/elsewhere' }]) {
    write(fields)
    const next = await tokenOf(memory)
    assert.notEqual(next, token, JSON.stringify(fields))
    assert.match(next, /^[\w-]{43}$/)
    token = next
  }
  if (isWindows) return
  chmodSync(path, 0o644)
  assert.notEqual(await tokenOf(memory), token)
})

test('while every memory is looked at, others are answered, and a new one is not counted twice', async (t) => {
  const memory = freshMemory(t)
  const path = join(memory.options.projectDir, '.forge', 'memory-captures.jsonl')
  captureMemory({ type: 'lesson', body: 'The first of many' }, memory.options)
  const [line] = readFileSync(path, 'utf8').split('\n')
  const other = (n) => line.replace(/mem_.{8}/, `mem_${String(n).padStart(8, '0')}`).replace('many', `many ${n}`)
  writeFileSync(path, `${Array.from({ length: 2500 }, (_, n) => other(n)).join('\n')}\n`)
  const seen = []
  const between = []
  setImmediate(() => {
    between.push(seen.length)
    captureMemory({ type: 'lesson', body: 'One that is captured meanwhile' }, memory.options)
  })
  await eachMemory(memory.options, ({ id }) => seen.push(id))
  assert.deepEqual(between, [1000])
  assert.deepEqual([seen.length, new Set(seen).size], [2500, 2500])
})
