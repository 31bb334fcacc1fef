// A shared store that is new, was emptied or damaged gets everything again; and what was given up on says how often.
import assert from 'node:assert/strict'
import { closeSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import {
  captureMemory,
  drainOpenBrain,
  editMemory,
  forget,
  listDeadLetters,
  queueAgain,
  retryDeadLetters,
  searchThoughts,
} from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

let database
before(async () => {
  database = await startPostgres()
})
after(() => database?.close())

function configured(memory, url) {
  const settings = { projectName: 'shop', openbrain: { url }, embedder: { kind: 'none' } }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings))
  approveStores(memory.project)
}

/** Stores of each kind: how to empty them behind everybody's back. */
const STORES = {
  embedded: async (_t, memory) => {
    configured(memory, 'file')
    return () => {
      for (const name of readdirSync(memory.home)) {
        if (name.startsWith('openbrain.db')) rmSync(join(memory.home, name))
      }
    }
  },
  postgres: async (_t, memory) => {
    const url = await database.database()
    configured(memory, url)
    return () => execute(url, 'truncate forge_memory.thoughts cascade')
  },
  remote: async (t, memory) => {
    const server = await startOpenBrain()
    t.after(() => server.close())
    configured(memory, server.rest)
    return () => {
      for (const { id } of [...server.brain.rows]) server.brain.remove(id)
    }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  test(`${name}: a store that was emptied gets everything again, and nothing that is forgotten or replaced`, async (t) => {
    const memory = freshMemory(t)
    const empty = await open(t, memory)
    const capture = (body) => captureMemory({ type: 'lesson', body, tool: 'test' }, memory.options).id
    const [kept, forgotten, edited] = [
      capture('deploy note alpha'),
      capture('deploy note bravo'),
      capture('deploy note charlie'),
    ]
    forget(forgotten, memory.options)
    const revision = editMemory(edited, { body: 'deploy note delta' }, memory.options)
    await drainOpenBrain(memory.options)
    const found = async () => (await searchThoughts('deploy note', memory.options)).thoughts.map(({ id }) => id).sort()
    const expected = [kept, revision.id].sort()
    assert.deepEqual(await found(), expected)
    await empty()
    assert.deepEqual(await found(), [])
    // A store that says what it has is looked at; the queue knows nothing of that.
    assert.equal((await drainOpenBrain(memory.options)).attempted, name === 'remote' ? 0 : 3)
    assert.deepEqual(queueAgain(null, memory.options), { stores: 2, deletes: 1, rulings: 0 })
    const report = await drainOpenBrain(memory.options)
    assert.deepEqual([report.state, report.queued, report.deadLetters], ['done', 0, 0])
    assert.deepEqual(await found(), expected)
    // Once more, to a store that has it all.
    queueAgain(null, memory.options)
    await drainOpenBrain(memory.options)
    assert.deepEqual(await found(), expected)
  })
}

/** Resolves when records get another time than those before. */
function nextMoment() {
  const now = Date.now()
  return until(() => Date.now() > now + 1, 'another millisecond')
}

test('drain --again says what it does, and --since narrows it', async (t) => {
  const command = freshCommand(t)
  const capture = (body) => json(command, ['capture', '--type', 'lesson', body]).id
  capture('an older lesson about caches')
  await nextMoment()
  const since = new Date().toISOString()
  capture('a newer lesson about clocks')
  command.run(['drain'])
  const again = command.run(['drain', '--again'])
  assert.match(again.stdout, /^Queued 2 records again\.\n2 records delivered to /)
  const document = json(command, ['drain', '--again', '--since', since])
  assert.deepEqual([document.again, document.delivered], [{ stores: 1, deletes: 0, rulings: 0 }, 1])
  assert.equal(json(command, ['search', 'lesson']).thoughts.length, 2)
  assert.equal(command.run(['drain', '--since', '7d']).status, 2)
  assert.equal(command.run(['drain', '--again', '--since', 'soon']).status, 2)
})

test('an expiry that a confirmation extended is sent when everything is delivered again', async (t) => {
  const memory = freshMemory(t)
  const url = await database.database()
  configured(memory, url)
  const capture = () => captureMemory({ type: 'lesson', body: 'captured and confirmed', tool: 'test' }, memory.options)
  capture()
  await drainOpenBrain(memory.options)
  const expiry = async () => (await execute(url, 'select expires_at::text as at from forge_memory.thoughts'))[0]?.at
  const first = await expiry()
  await nextMoment()
  assert.equal(capture().deduped, true)
  await execute(url, 'truncate forge_memory.thoughts cascade')
  queueAgain(null, memory.options)
  await drainOpenBrain(memory.options)
  assert.ok(first !== undefined && Date.parse(await expiry()) > Date.parse(first), `${first} ${await expiry()}`)
})

test('a dead letter that is put back keeps how it was given up on before', async (t) => {
  const memory = freshMemory(t)
  const server = await startOpenBrain()
  t.after(() => server.close())
  configured(memory, server.rest)
  captureMemory({ type: 'lesson', body: sentenceOf(1), tool: 'test' }, memory.options)
  const refuse = async (reason) => {
    server.fail({ on: /^POST \/memories$/, status: 400, body: { error: reason } })
    await drainOpenBrain(memory.options)
    return listDeadLetters(memory.options)[0]
  }
  const first = await refuse('too green')
  assert.deepEqual(first.history, [])
  retryDeadLetters(null, memory.options)
  const second = await refuse('too blue')
  assert.match(second.reason, /too blue/)
  assert.deepEqual(second.history, [{ failedAt: first.failedAt, reason: first.reason, attempts: first.attempts }])
  retryDeadLetters(null, memory.options)
  const third = await refuse('too red')
  assert.deepEqual(
    third.history.map(({ reason }) => /too \w+/.exec(reason)?.[0]),
    ['too green', 'too blue'],
  )
  retryDeadLetters(null, memory.options)
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1, 'it is still our own record')
})

test('dlq list shows earlier failures of a record', async (t) => {
  const command = freshCommand(t)
  const server = await startOpenBrain()
  t.after(() => server.close())
  const { runBeside } = await import('./support/command.mjs')
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ openbrain: { url: server.rest } }))
  approveStores(command.project, command.home)
  json(command, ['capture', '--type', 'lesson', 'a lesson that is refused'])
  for (let round = 0; round < 2; round += 1) {
    server.fail({ on: /^POST \/memories$/, status: 400, body: { error: 'no' } })
    await runBeside(command, ['dlq', 'retry'])
    await runBeside(command, ['drain'])
  }
  const { stdout } = await runBeside(command, ['dlq', 'list'], { COLUMNS: '200' })
  assert.match(stdout, /undeliverable 1 time before, first \d{4}-/)
})

test('doctor finds a damaged page of the shared memory, and says how to rebuild it', (t) => {
  const command = freshCommand(t)
  const long = Array.from({ length: 1500 }, (_, at) => sentenceOf(at)).join('\n')
  json(command, ['capture', '--type', 'lesson', long.slice(0, 60_000)])
  command.run(['drain'])
  const damage = () => findings(command).filter(({ code }) => code === 'DAMAGED_STORE')
  assert.deepEqual(damage(), [])
  const path = join(command.home, 'openbrain.db')
  const pages = Math.floor(statSync(path).size / 4096)
  const file = openSync(path, 'r+')
  for (let page = 2; page < pages; page += 2) writeSync(file, Buffer.alloc(2048, 0xa5), 0, 2048, page * 4096)
  closeSync(file)
  const [finding] = damage()
  assert.deepEqual([finding.severity, finding.subject], ['problem', path])
  assert.match(finding.hint, /forge-memory drain --again/)
  assert.equal(command.run(['doctor']).status, 1)
})

function findings(command) {
  return JSON.parse(command.run(['doctor', '--json']).stdout)
}
