// Requests that arrive after their time-out, when a second one has done the work already.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, drainOpenBrain, forget, openBrainStatus, queueStatus } from '../dist/index.js'
import { UncertainDeliveries } from '../dist/openbrain/uncertain-deliveries.js'
import { freshCommand, runBeside } from './support/command.mjs'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { startRelay } from './support/relay.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

/** Only the request that is held back may reach it, also on a busy machine. */
const TIMEOUT_MS = 2000
const LONG = { timeout: 120_000 }

/** A project whose server is behind a proxy that delays requests. */
async function behindRelay(t, path = '', options = {}, memory = freshMemory(t)) {
  const server = await startOpenBrain(options)
  t.after(() => server.close())
  const relay = await startRelay(t, server.port)
  const openbrain = { url: `${relay.url}${path}`, timeoutMs: TIMEOUT_MS }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ projectName: 'shop', openbrain }))
  approveStores(memory.project, memory.home)
  return { memory, server, relay, rows: server.brain.rows }
}

const isCapture = (method, url, body) =>
  method === 'POST' && (/^\/memories(\/batch)?$/.test(url) || body.includes('"name":"capture_thought'))

/** Drains until nothing waits; the first request of a capture is held back on the way. */
async function deliverTwice(memory, relay) {
  relay.hold(isCapture)
  const first = await drainOpenBrain(memory.options)
  assert.equal(first.delivered < first.attempted || first.attempted === 0, true, 'the first request was not answered')
  await drainAll(memory)
  assert.equal(relay.held.length, 1)
}

async function drainAll(memory) {
  for (let tries = 0; queueStatus(memory.options).queued > 0 && tries < 30; tries += 1)
    await drainOpenBrain(memory.options)
  assert.equal(queueStatus(memory.options).queued, 0)
}

for (const [name, path] of [
  ['REST', ''],
  ['MCP', '/sse'],
]) {
  test(
    `over ${name} what arrives late doubles a thought until the next look, which takes the younger away`,
    LONG,
    async (t) => {
      for (let round = 0; round < 3; round += 1) {
        const { memory, relay, rows } = await behindRelay(t, path)
        captureMemory({ type: 'lesson', body: sentenceOf(round), tool: 'test' }, memory.options)
        await deliverTwice(memory, relay)
        const [kept] = rows.map(({ id }) => id)
        relay.release()
        await until(() => rows.length === 2, 'the first request has arrived')
        await drainOpenBrain(memory.options)
        assert.deepEqual(
          rows.map(({ id }) => id),
          [kept],
        )
      }
    },
  )
}

test('a batch that arrives late leaves no duplicates', LONG, async (t) => {
  const { memory, relay, rows } = await behindRelay(t)
  for (let at = 0; at < 20; at += 1)
    captureMemory({ type: 'lesson', body: sentenceOf(at), tool: 'test' }, memory.options)
  relay.hold(isCapture)
  const draining = drainOpenBrain(memory.options)
  await until(() => relay.held.length === 1, 'the batch is held back')
  await draining
  await drainAll(memory)
  assert.equal(rows.length, 20)
  relay.release()
  await until(() => rows.length === 40, 'the first batch has arrived')
  await drainOpenBrain(memory.options)
  const ids = rows.map(({ metadata }) => metadata.provenance.origin)
  assert.deepEqual([ids.length, new Set(ids).size], [20, 20])
})

test('a request that arrives late does not restore a forgotten thought', LONG, async (t) => {
  const { memory, relay, rows } = await behindRelay(t)
  const { id } = captureMemory({ type: 'lesson', body: 'to be forgotten', tool: 'test' }, memory.options)
  await deliverTwice(memory, relay)
  forget(id, memory.options)
  await drainAll(memory)
  assert.equal(rows.length, 0)
  relay.release()
  await until(() => rows.length === 1, 'the first request has arrived')
  await drainOpenBrain(memory.options)
  assert.equal(rows.length, 0)
})

test('a server that cannot delete keeps both copies, and status lists their ids', LONG, async (t) => {
  // The folder of the user is put back when the test ends.
  freshMemory(t)
  const command = freshCommand(t)
  process.env.FORGE_HOME = command.home
  const memory = { ...command, options: { projectDir: command.project } }
  const capabilities = ['capture', 'search', 'stats', 'by-source']
  const { relay, rows, server } = await behindRelay(t, '', { capabilities }, memory)
  const { id } = captureMemory({ type: 'lesson', body: 'stored twice', tool: 'test' }, memory.options)
  await deliverTwice(memory, relay)
  relay.release()
  await until(() => rows.length === 2, 'the first request has arrived')
  await drainOpenBrain(memory.options)
  const { doubled } = await openBrainStatus(memory.options)
  assert.deepEqual(doubled, [{ id, copies: [rows[1].id] }])
  const { stdout } = await runBeside(command, ['status'])
  assert.match(stdout.replace(/\s+/g, ' '), new RegExp(`stored twice ${id}: delete ${rows[1].id} at the server`))
  server.brain.remove(rows[1].id)
  await drainOpenBrain(memory.options)
  assert.deepEqual((await openBrainStatus(memory.options)).doubled, [])
})

test(
  'a request is noted before it is sent, so that a process that dies in between leaves its trace',
  LONG,
  async (t) => {
    const { memory, relay } = await behindRelay(t)
    const { id } = captureMemory({ type: 'lesson', body: 'on its way', tool: 'test' }, memory.options)
    relay.hold(isCapture)
    const draining = drainOpenBrain(memory.options)
    await until(() => relay.held.length === 1, 'the request is on its way')
    const noted = () => new UncertainDeliveries(relay.url, memory.project).due(true)
    assert.deepEqual(noted(), [{ id, isGone: false }])
    relay.release()
    await draining
    await drainAll(memory)
  },
)

test('an answered request is not logged', LONG, async (t) => {
  const { memory, relay, rows } = await behindRelay(t)
  captureMemory({ type: 'lesson', body: 'quickly answered', tool: 'test' }, memory.options)
  await drainAll(memory)
  assert.equal(rows.length, 1)
  assert.deepEqual(new UncertainDeliveries(relay.url, memory.project).due(true), [])
})
