import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  keepMemory,
  listConflicts,
  listMemories,
  mergeJournals,
  preloadPlan,
  recall,
  resolveConflict,
  showMemory,
} from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio, refused } from './support/mcp.mjs'
import { freshMemory } from './support/memory.mjs'
import { callerOf } from './support/served.mjs'
import { hasTerminal, onTerminal } from './support/terminal.mjs'

const OLD = 'The API rate limit is 100 requests per minute'
const NEW = 'The API rate limit is 250 requests per minute'
/** The variable by which a coding agent shows that it runs a command. */
const AS_AGENT = { env: { CLAUDECODE: '1' } }

/** What a person said (OLD), and what an agent says against it (NEW). */
function dispute(command) {
  const older = json(command, ['capture', '--type', 'lesson', OLD])
  return { older, newer: json(command, ['capture', '--type', 'lesson', NEW], AS_AGENT) }
}

const capture = (memory, body, fields) => captureMemory({ type: 'lesson', body, ...fields }, memory.options)
const captureAsPerson = (memory, body) =>
  captureMemory({ type: 'lesson', body }, { ...memory.options, author: 'person' })
const texts = (hits) => hits.map(({ text }) => text)

test('only the corrected fact is recalled, and the capture reports what it retired', (t) => {
  const memory = freshMemory(t)
  const old = capture(memory, OLD)
  const now = capture(memory, NEW, { type: 'decision' })
  assert.deepEqual(now.retired, [
    { id: old.id, text: OLD, rule: 'number', why: 'the newer record gives another number for the same thing' },
  ])
  assert.deepEqual(now.conflicts, [])
  assert.deepEqual(texts(recall('rate limit', memory.options).hits), [NEW])
  assert.deepEqual(texts(listMemories(memory.options).entries), [NEW])
  const [hit] = recall('rate limit', memory.options).hits
  assert.deepEqual(
    hit.supersedes.map(({ id, text }) => [id, text]),
    [[old.id, OLD]],
  )
  const shown = showMemory(old.id, memory.options)
  assert.deepEqual([shown.state, shown.retired.id, shown.retired.rule], ['retired', now.id, 'number'])
  assert.deepEqual(keepMemory(old.id, memory.options), { kept: true, id: old.id })
  assert.deepEqual(texts(recall('rate limit', memory.options).hits).sort(), [OLD, NEW])
  assert.equal(showMemory(old.id, memory.options).state, 'current')
})

test('the context of a plan contains no retired fact', async (t) => {
  const memory = freshMemory(t)
  capture(memory, OLD)
  capture(memory, NEW)
  const plan = { name: 'Raise the API rate limit' }
  const given = JSON.stringify(await preloadPlan(plan, 'project', memory.options))
  assert.ok(!given.includes('100 requests'), given)
})

test('a conflict is listed, shown with each hit, and settled', (t) => {
  const memory = freshMemory(t)
  const older = captureAsPerson(memory, OLD)
  const newer = capture(memory, NEW)
  assert.deepEqual(
    newer.conflicts.map(({ id, rule }) => [id, rule]),
    [[older.id, 'number']],
  )
  const { hits } = recall('rate limit', memory.options)
  assert.deepEqual(texts(hits), [NEW, OLD])
  assert.deepEqual(
    hits.map(({ contradictedBy }) => contradictedBy[0].id),
    [older.id, newer.id],
  )
  const [conflict] = listConflicts(memory.options)
  assert.deepEqual([conflict.newer.id, conflict.older.id, conflict.rule], [newer.id, older.id, 'number'])
  assert.throws(() => resolveConflict({ id: older.id, with: newer.id, holds: 'merge' }, memory.options), {
    code: 'INVALID_INPUT',
  })
  assert.throws(() => resolveConflict({ id: older.id, with: older.id, holds: 'newer' }, memory.options), {
    code: 'INVALID_INPUT',
  })
  const text = 'The rate limit of the API depends on the customer'
  const merged = resolveConflict(
    { id: older.id, with: newer.id, holds: 'merge', text },
    { ...memory.options, author: 'person' },
  )
  assert.deepEqual(merged.retired, [older.id])
  assert.deepEqual(texts(recall('rate limit', memory.options).hits), [text])
  assert.deepEqual(listConflicts(memory.options), [])
})

test('contradicting branches are in conflict after a merge in either direction', (t) => {
  const memory = freshMemory(t)
  capture(memory, 'The API listens on port 8080')
  const base = readFileSync(memory.raw)
  capture(memory, 'The API listens on port 9090')
  const ours = readFileSync(memory.raw)
  writeFileSync(memory.raw, base)
  capture(memory, 'The API listens on port 7070')
  const theirs = readFileSync(memory.raw)
  const sorted = (bytes) => bytes.toString().split('\n').sort()
  const merged = mergeJournals(base, ours, theirs).bytes
  assert.deepEqual(sorted(mergeJournals(base, theirs, ours).bytes), sorted(merged))
  writeFileSync(memory.raw, merged)
  const { hits } = recall('API port', memory.options)
  assert.equal(hits.length, 2)
  assert.ok(hits.every(({ contradictedBy }) => contradictedBy.length === 1))
  assert.ok(hits[0].createdAt >= hits[1].createdAt)
  const next = capture(memory, 'The API listens on port 6060')
  assert.equal(next.retired.length, 2)
  assert.deepEqual(texts(recall('API port', memory.options).hits), ['The API listens on port 6060'])
})

test('git merges rulings of two branches', (t) => {
  const command = freshCommand(t)
  const git = (...args) => {
    const flags = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false']
    const { status, stderr } = spawnSync('git', [...flags, ...args], { cwd: command.project, encoding: 'utf8' })
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
  }
  git('init', '-q', '-b', 'main')
  writeFileSync(join(command.project, '.gitattributes'), '.forge/*.jsonl merge=union\n')
  const { id } = json(command, ['capture', '--type', 'lesson', OLD])
  git('add', '-A')
  git('commit', '-qm', 'first')
  git('checkout', '-qb', 'side')
  json(command, ['capture', '--type', 'lesson', NEW])
  git('commit', '-qam', 'side')
  git('checkout', '-q', 'main')
  json(command, ['capture', '--type', 'lesson', 'Something else is learned on the main branch'])
  git('commit', '-qam', 'main')
  git('merge', '-q', '--no-edit', 'side')
  assert.deepEqual(texts(json(command, ['recall', 'rate', 'limit']).hits), [NEW])
  assert.equal(json(command, ['show', id]).state, 'retired')
})

test('the command line shows retired records, keeps them, lists conflicts and settles them', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['capture', '--type', 'lesson', OLD])
  const told = command.run(['capture', '--type', 'lesson', NEW]).stdout
  assert.match(told, /^Retired [0-9a-f]{8}: The API rate limit is 100 requests per minute \(.*forge-memory keep/m)
  assert.match(command.run(['show', id]).stdout, /state +retired\nretired by .*number/)
  assert.match(command.run(['keep', id.slice(-8)]).stdout, /^Kept [0-9a-f]{8}/)
  assert.match(command.run(['keep', id]).stdout, /current already/)
  assert.equal(command.run(['keep', 'ffffffff']).status, 1)
  const fact = 'The API rate limit is 400 requests per minute'
  assert.match(
    command.run(['capture', '--type', 'lesson', fact], AS_AGENT).stdout,
    /In conflict with [0-9a-f]{8}: The API rate limit/,
  )
  assert.equal(json(command, ['conflicts']).length, 2)
  json(command, ['forget', id])
  assert.match(command.run(['recall', 'rate limit']).stdout, /contradicted by [0-9a-f]{8} \(new, (person|agent)\)/)
  const [held] = json(command, ['recall', fact]).hits
  const shown = command.run(['show', held.id]).stdout
  assert.match(shown, /^said by +agent, cli$/m)
  assert.match(shown, /^contradicted by +[0-9a-f]{8} \(person, cli\) /m)
  assert.match(command.run(['show', held.id, '--history']).stdout, /current +by agent, cli +mem_/)
  assert.match(command.run(['conflicts']).stdout, /1 conflict\n$/)
  const [{ newer, older }] = json(command, ['conflicts'])
  assert.equal(command.run(['conflicts', '--resolve', newer.id]).status, 2)
  assert.equal(command.run(['conflicts', '--resolve', newer.id, older.id]).status, 2)
  const outcome = json(command, ['conflicts', '--resolve', newer.id, older.id, '--holds', 'newer'])
  assert.deepEqual(outcome, { current: [newer.id], retired: [older.id] })
  assert.match(command.run(['conflicts']).stdout, /No memories contradict each other/)
})

test('on a terminal one key settles a conflict', (t) => {
  if (!hasTerminal) return
  const command = freshCommand(t)
  dispute(command)
  const { screen } = onTerminal(command, ['conflicts'], 'xn')
  assert.match(screen, /Which holds\?.*newer\n/s)
  assert.match(screen, /1 decided, 0 left/)
  assert.deepEqual(texts(json(command, ['recall', 'rate limit']).hits), [NEW])
})

test('agents list and settle conflicts over MCP, and a recalled note says what contradicts it', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  json(command, ['capture', '--type', 'lesson', OLD])
  await call(client, 'capture_thought', { content: NEW, type: 'lesson' })
  const noted = await call(client, 'memory_recall', { query: 'rate limit' })
  // By id and age: the text of the other one is no part of a note.
  assert.equal(noted.text.match(/\[contradicted by [0-9a-f]{8} \(new\)\]/g).length, 2)
  assert.equal(noted.text.split(OLD).length, 2)
  assert.ok(noted.notes.every(({ contradictedBy }) => contradictedBy.length === 1))
  const { conflicts, total } = await call(client, 'memory_conflicts')
  assert.deepEqual([total, conflicts[0].newer.text, conflicts[0].older.text], [1, NEW, OLD])
  const { newer, older } = conflicts[0]
  assert.match(
    await refused(client, 'memory_resolve', { id: older.id, with: newer.id, holds: 'both' }),
    /PROPOSED/,
    'a person said one of them',
  )
  assert.equal((await call(client, 'memory_conflicts')).total, 1)
  const settled = await call(client, 'memory_resolve', { id: older.id, with: newer.id, holds: 'older' })
  assert.deepEqual([settled.current, settled.retired], [[older.id], [newer.id]])
  assert.equal((await call(client, 'memory_conflicts')).total, 0)
})

test('conflicts are listed and settled over HTTP', async (t) => {
  const memory = freshMemory(t)
  const server = await serve({ port: 0, projectDir: memory.project })
  t.after(() => server.close())
  const ask = callerOf(server)
  const older = captureAsPerson(memory, OLD)
  const newer = capture(memory, NEW)
  const listed = await ask('GET', '/api/memory/conflicts')
  assert.deepEqual([listed.body.conflicts.length, listed.body.conflicts[0].newer.id], [1, newer.id])
  const settled = await ask('POST', '/api/memory/conflicts', { id: older.id, with: newer.id, holds: 'older' })
  assert.deepEqual(settled.body, { current: [older.id], retired: [newer.id] })
  const kept = await ask('POST', `/api/memory/entry/${newer.id}/keep`, {})
  assert.deepEqual(kept.body, { kept: true, id: newer.id })
  const wrong = await ask('POST', '/api/memory/conflicts', { id: older.id, with: newer.id, holds: 'neither' })
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'INVALID_INPUT'])
})
