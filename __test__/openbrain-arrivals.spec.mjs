import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { captureMemory, editMemory, forget, queueStatus } from '../dist/index.js'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { startPostgres } from './support/postgres.mjs'
import { startChild } from './support/processes.mjs'
import { subscribe } from './support/subscriber.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

let database
before(async () => {
  database = await startPostgres()
})
after(() => database?.close())

/** Starts the server of a project with a home of its own, as on another machine, and listens to its hub. */
async function machine(t, url) {
  const memory = freshMemory(t)
  const settings = { projectName: 'shop', openbrain: { url }, embedder: { kind: 'none' } }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings))
  approveStores(memory.project, memory.home)
  const server = startChild(t, 'server', memory, { drain: true })
  await server.ready()
  server.go()
  const address = await server.said('address')
  const subscriber = await subscribe(t, address)
  await subscriber.live()
  const stop = async () => {
    server.tell('stop')
    await server.result()
  }
  return { memory, subscriber, address, stop }
}

test('a hub announces what another machine stored, edited and forgot, without storing it', async (t) => {
  if (database.kind !== 'postgres') return t.diagnostic('PGlite hands on no notices')
  const url = await database.database()
  const [here, there] = [await machine(t, url), await machine(t, url)]
  let captured
  // The first quiet moment of a drain is the one in which it begins to listen.
  for (let round = 0; there.subscriber.of('memory-arrived').length === 0; round += 1) {
    assert.ok(round < 400, 'nothing was told')
    const body = `known elsewhere ${sentenceOf(round)}`
    // As the other machine does, which has a key of its own.
    process.env.FORGE_HOME = here.memory.home
    captured = captureMemory({ type: 'gotcha', body, tool: 'test', tags: ['far'] }, here.memory.options)
    const isTold = () => there.subscriber.of('memory-arrived').length > 0
    await until(() => isTold() || queueStatus(here.memory.options).queued === 0, 'a delivery')
  }
  assert.equal(captured.captured, true)
  const { thought, version, timestamp } = await there.subscriber.first('memory-arrived')
  assert.match(thought.content, /^known elsewhere /)
  const { type, source, created_by, tags, project } = thought
  assert.deepEqual([type, source, tags, project], ['gotcha', 'test', ['far'], captured.thought.project])
  assert.ok(created_by !== '' && Date.parse(thought.captured_at) <= Date.parse(timestamp) && version !== undefined)
  assert.deepEqual(here.subscriber.of('memory-arrived'), [], 'a machine is not told of its own')
  process.env.FORGE_HOME = here.memory.home
  const { id: revision } = editMemory(thought.id, { body: 'known elsewhere, and corrected' }, here.memory.options)
  const arrived = () => there.subscriber.of('memory-arrived').map((event) => event.thought)
  await until(() => arrived().some(({ id }) => id === revision), 'the revision')
  const revised = arrived().find(({ id }) => id === revision)
  assert.match(revised.content, /and corrected/)
  assert.equal(revised.supersedes, thought.id)
  forget(revision, here.memory.options)
  const isGone = (wanted) => there.subscriber.of('memory-gone').some(({ thought: { id } }) => id === wanted)
  await until(() => isGone(revision), 'the forgetting')
  const { thought: gone } = there.subscriber.of('memory-gone').find(({ thought: { id } }) => id === revision)
  assert.deepEqual(gone, { id: revision, project: captured.thought.project })
  assert.deepEqual(here.subscriber.of('memory-gone'), [], 'a machine is not told of its own')
  const late = await subscribe(t, there.address)
  await late.live()
  assert.deepEqual(late.of('memory-arrived'), [], 'what belongs to other projects is not written into this one')
  await Promise.all([here.stop(), there.stop()])
})
