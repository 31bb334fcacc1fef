// A database of two servers through the real commands, and through a worker and searches of one process: each server is killed, the other
// promoted, and the old one returns as a second primary.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { captureMemory, queueStatus, searchThoughts } from '../dist/index.js'
import { createDrainWorker } from '../dist/outbox/worker.js'
import { freshCommand, json, runBeside } from './support/command.mjs'
import { freshMemory } from './support/memory.mjs'
import { execute, freePort, startPostgres } from './support/postgres.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

/** How soon everything goes on; a busy machine needs more. */
const RECOVERY_MS = 5000
const SLOW_MACHINE = 4

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const isReal = (t) => server.kind === 'postgres' || void t.diagnostic('PGlite is one process')
const texts = [
  'the gate needs a key',
  'caches are warm by noon',
  'ledgers are never rounded',
  'printers want two restarts',
]
let said = 0
/** A text that nothing else is like. */
const fresh = () => `${texts[said % texts.length]} in building ${++said} of street ${String.fromCharCode(97 + said)}`

function settingsOf(url) {
  return JSON.stringify({ projectName: 'shop', openbrain: { url }, embedder: { kind: 'none' } })
}

/** A command of a project with that store; each call is a process of its own, which knows nothing of the one before. */
function commandFor(t, url) {
  const command = freshCommand(t)
  writeFileSync(join(command.project, '.forge.json'), settingsOf(url))
  approveStores(command.project, command.home)
  const run = async (...args) => {
    const { status, stdout, stderr } = await runBeside(command, [...args, '--json'])
    return { status, ...(stdout === '' ? { stderr } : JSON.parse(stdout)) }
  }
  const deliver = async () => {
    assert.equal(json(command, ['capture', '-t', 'gotcha', fresh()]).captured, true)
    return run('drain')
  }
  return { run, deliver }
}

/** Every entry goes on: a delivery, a search, the status and the check. */
async function goesOn({ run, deliver }, checked = true) {
  const { state, reason, queued } = await deliver()
  assert.deepEqual([state, reason, queued], ['done', undefined, 0])
  const { backend, message } = await run('search', 'building street')
  assert.deepEqual([backend, message], ['postgres', undefined])
  assert.equal((await run('status')).openbrain.reachable, true)
  assert.equal((await run('store', 'check')).ok, checked)
}

test('a replica that is away stops no entry, in the first call of a process', async (t) => {
  if (!isReal(t)) return
  const url = `${await server.database()}?replicas=127.0.0.1:${await freePort()}`
  await goesOn(commandFor(t, url), false)
})

test('each server is killed, promoted and returns: everything goes on, and two primaries are refused', async (t) => {
  if (!isReal(t) || !server.hasProgram('pg_basebackup')) return
  const url = await server.database()
  const first = commandFor(t, url)
  await first.deliver()
  const standby = await server.standby()
  t.after(() => standby.stop('immediate'))
  const both = `${url}?replicas=127.0.0.1:${standby.port}`
  const command = commandFor(t, both)
  const memory = freshMemory(t)
  writeFileSync(join(memory.project, '.forge.json'), settingsOf(both))
  approveStores(memory.project)
  const worker = createDrainWorker({ projectDir: memory.project })
  t.after(() => worker.stop())
  worker.start()
  const capture = () => captureMemory({ type: 'gotcha', body: fresh(), tool: 'test' }, memory.options)
  const isEmpty = () => queueStatus(memory.options).queued === 0
  const isAsked = async () => (await searchThoughts(`building ${++said}`, memory.options)).backend === 'postgres'
  /** How long the process that is there all the time needs until it delivers and searches again. */
  const recovers = async (what) => {
    const started = performance.now()
    await until(isEmpty, `a delivery after ${what}`)
    await until(isAsked, `a search after ${what}`)
    const took = performance.now() - started
    t.diagnostic(`${what}: ${Math.round(took)} ms`)
    assert.ok(took < RECOVERY_MS * SLOW_MACHINE, `${what}: ${took} ms`)
  }
  await goesOn(command)
  capture()
  await recovers('the beginning')

  await standby.stop('immediate')
  await goesOn(command, false)
  capture()
  await recovers('the replica was killed')
  await standby.start()
  await until(async () => {
    const { findings } = await command.run('store', 'check')
    return findings.some(({ message }) => /is a replica, 0 s behind/.test(message))
  }, 'the replica follows again')

  await server.stop('immediate')
  const stuck = await command.deliver()
  assert.deepEqual([stuck.status, stuck.state, stuck.queued], [1, 'busy', 1])
  assert.match(stuck.reason, /none of its servers takes deliveries now/)
  assert.equal((await command.run('search', 'building street')).backend, 'postgres')
  capture()
  await until(() => worker.state === 'waiting', 'the worker notices')
  await standby.promote()
  await recovers('the replica was promoted')
  await goesOn(command, false)

  // The old one comes back, and does not know that it was replaced.
  await server.start()
  const torn = await command.deliver()
  assert.deepEqual([torn.status, torn.state, torn.queued], [1, 'busy', 1])
  assert.match(torn.reason, /127\.0\.0\.1:\d+ and 127\.0\.0\.1:\d+ both say that they are the primary/)
  const found = await command.run('search', 'building street')
  assert.deepEqual([found.backend, /both say that they are the primary/.test(found.message)], ['files', true])
  const { ok, findings } = await command.run('store', 'check')
  const bad = findings.filter(({ state }) => state === 'bad')
  assert.deepEqual([ok, bad.length, /both say/.test(bad[0]?.message)], [false, 1, true])
  await until(async () => {
    const { message = '' } = await searchThoughts(`building ${++said}`, memory.options)
    return /both say that they are the primary/.test(message)
  }, 'the process that is there all the time refuses too')
  capture()
  await until(() => /both say/.test(worker.reason ?? ''), 'the worker refuses too')
  await server.stop('immediate')
  await recovers('the second primary is gone')
  await goesOn(command, false)
  await server.start()
  const [{ count }] = await execute(
    both.replace(`:${server.port}/`, `:${standby.port}/`).replace(/\?.*/, ''),
    'select count(*)::int as count from forge_memory.thoughts',
  )
  assert.ok(count >= 8, `${count} thoughts`)
})
