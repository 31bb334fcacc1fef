import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { captureMemory, drainOpenBrain, queueStatus } from '../dist/index.js'
import { freshMemory, physicalLines, sentenceOf } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { startChild } from './support/processes.mjs'
import { approveStores } from './support/trust.mjs'
import { rest } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

/** How long the captures beside the drains go on, for each kind of store. The long run: docs/reference/openbrain.md. */
const SOAK_MS = 1000 * Number(process.env.FORGE_TEST_SOAK_SECONDS ?? 5)
/** How long each of four processes rests between two captures. A server takes longer for each thought. */
const REST_MS = { embedded: 4, postgres: 4, remote: 12 }

let database
before(async () => {
  database = await startPostgres()
})
after(() => database?.close())

function configured(memory, url) {
  writeFileSync(
    join(memory.project, '.forge.json'),
    JSON.stringify({ openbrain: { url, timeoutMs: 10_000 }, embedder: { kind: 'none' } }),
  )
  approveStores(memory.project)
}

/** The kinds of store: how a project is set up for one, and which ids and texts are in it, counted in the store itself. */
const STORES = {
  embedded: async (_t, memory) => {
    configured(memory, 'file')
    return async (captured) => {
      const { EmbeddedStore } = await import('../index.js')
      const store = EmbeddedStore.open(join(memory.home, 'openbrain.db'))
      const isThere = await store.has(captured)
      const found = captured.filter((_id, at) => isThere[at]).map((id) => ({ id }))
      const others = Array.from({ length: (await store.count()) - found.length }, (_, at) => ({ id: `strange ${at}` }))
      store.close()
      return [...found, ...others]
    }
  },
  postgres: async (_t, memory) => {
    const url = await database.database()
    configured(memory, url)
    return () => execute(url, 'select id, content from forge_memory.thoughts')
  },
  remote: async (t, memory) => {
    const server = await startOpenBrain()
    t.after(() => server.close())
    configured(memory, server.rest)
    return async () => server.brain.rows.map(({ content, metadata }) => ({ id: metadata.provenance.origin, content }))
  },
}

/** Counts what was captured against what the store holds. */
function tally(captured, stored) {
  const ids = stored.map(({ id }) => id)
  const [held, known] = [new Set(ids), new Set(captured)]
  const lost = captured.filter((id) => !held.has(id)).length
  return { lost, doubled: ids.length - held.size, strange: ids.filter((id) => !known.has(id)).length }
}

function archived(memory) {
  const path = memory.forge('openbrain-queue.archive.jsonl')
  return existsSync(path) ? physicalLines(path).map((line) => JSON.parse(line).id) : []
}

const STEPS = ['resume', 'lease', 'handshake', 'put', 'settle'].flatMap((name) => [`${name}:before`, `${name}:after`])

for (const [name, open] of Object.entries(STORES)) {
  test(`${name}: a drain that is killed at any step neither loses nor duplicates records`, {
    timeout: 240_000,
  }, async (t) => {
    const memory = freshMemory(t)
    const stored = await open(t, memory)
    const captured = []
    for (const step of STEPS) {
      const call = /^(resume|handshake)/.test(step) ? 1 : 2
      for (let at = 0; at < 6; at += 1) {
        const body = sentenceOf(captured.length)
        captured.push(captureMemory({ type: 'lesson', body, tool: 'test' }, memory.options).id)
      }
      const child = startChild(t, 'drainer', memory, { step, call, maxBatch: 2 })
      await child.ready()
      child.go()
      await assert.rejects(child.result(), /SIGKILL/, step)
      const report = await drainOpenBrain(memory.options)
      assert.deepEqual([step, report.state, report.queued, report.deadLetters], [step, 'done', 0, 0])
      assert.deepEqual([step, tally(captured, await stored(captured))], [step, { lost: 0, doubled: 0, strange: 0 }])
    }
    const rows = archived(memory)
    assert.deepEqual([...new Set(rows)].sort(), [...captured].sort())
  })

  test(`${name}: 4 processes capture while 2 drain and are killed now and then: nothing is lost or duplicated`, {
    timeout: SOAK_MS * 12 + 240_000,
  }, async (t) => {
    const memory = freshMemory(t)
    const stored = await open(t, memory)
    const input = { milliseconds: SOAK_MS, pauseMs: REST_MS[name] }
    const writers = Array.from({ length: 4 }, (_, seed) => startChild(t, 'busy-capturer', memory, { ...input, seed }))
    await Promise.all(writers.map((writer) => writer.ready()))
    const results = Promise.all(writers.map((writer) => writer.result()))
    for (const writer of writers) writer.go()
    const drainers = keepDraining(t, memory)
    const captured = (await results).flat()
    const kills = await drainers.stop()
    for (let tries = 0; queueStatus(memory.options).queued > 0 && tries < 50; tries += 1) {
      const { state, reason } = await drainOpenBrain(memory.options)
      // On a machine that has too much to do, a server may not answer in time: then the drain goes again.
      assert.notEqual(state, 'misconfigured', reason)
    }
    const { lost, doubled, strange } = tally(captured, await stored(captured))
    const seconds = SOAK_MS / 1000
    t.diagnostic(
      `${name}: lost ${lost}, doubled ${doubled} of ${captured.length}; ${kills} drains killed in ${seconds} s`,
    )
    assert.deepEqual({ lost, doubled, strange }, { lost: 0, doubled: 0, strange: 0 })
    assert.equal(queueStatus(memory.options).deadLetters, 0)
    assert.ok(captured.length > 100 && kills > 0, `${captured.length} captures, ${kills} kills`)
  })
}

/** Two workers, of which one dies now and then without a word and is replaced. */
function keepDraining(t, memory) {
  let isOver = false
  let kills = 0
  const workers = [0, 1].map(() => newWorker(t, memory))
  const killing = (async () => {
    // At least one dies, however slow the machine is.
    while (!isOver || kills === 0) {
      const at = kills % 2
      // One that has not begun yet would prove nothing by its death.
      await workers[at].started
      // Killed at some moment of its work.
      await rest(200 + Math.random() * 400)
      if (isOver && kills > 0) return
      workers[at].kill()
      kills += 1
      workers[at] = newWorker(t, memory)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await killing
      await Promise.all(workers.map((worker) => worker.stop()))
      return kills
    },
  }
}

function newWorker(t, memory) {
  const child = startChild(t, 'worker', memory, { intervalMs: 100, maxBatch: 20 })
  const started = child.ready().then(
    () => child.go(),
    () => undefined,
  )
  return {
    started,
    kill: () => child.kill('SIGKILL'),
    stop: async () => {
      await started
      child.tell({ stop: true })
      await child.result()
    },
  }
}

test('a database that is stopped and started in the middle of a drain costs nothing', {
  timeout: 120_000,
}, async (t) => {
  const memory = freshMemory(t)
  const stored = await STORES.postgres(t, memory)
  const captured = Array.from({ length: 300 }, (_, at) => {
    return captureMemory({ type: 'lesson', body: sentenceOf(at), tool: 'test' }, memory.options).id
  })
  let stopping
  const report = await drainOpenBrain({
    ...memory.options,
    maxBatch: 20,
    onProgress: ({ batches }) => {
      if (batches !== 5 || stopping !== undefined) return
      stopping = database.stop('immediate')
    },
  })
  await stopping
  assert.deepEqual([report.state, report.deadLetters], ['busy', 0])
  assert.ok(report.queued > 0 && report.queued <= 200, String(report.queued))
  await database.start()
  const rest = await drainOpenBrain(memory.options)
  assert.deepEqual([rest.state, rest.queued, rest.deadLetters], ['done', 0, 0])
  assert.deepEqual(tally(captured, await stored(captured)), { lost: 0, doubled: 0, strange: 0 })
})

test('timeouts after an insert cause no duplicates', { timeout: 120_000 }, async (t) => {
  const memory = freshMemory(t)
  const server = await startOpenBrain()
  t.after(() => server.close())
  configured(memory, server.rest)
  const captured = Array.from({ length: 100 }, (_, at) => {
    return captureMemory({ type: 'lesson', body: sentenceOf(at), tool: 'test' }, memory.options).id
  })
  server.fail({ on: /batch/, after: 'drop', times: 3 }, { on: /by-source/, before: 'drop', times: 2 })
  for (let tries = 0; queueStatus(memory.options).queued > 0 && tries < 20; tries += 1)
    await drainOpenBrain(memory.options)
  const stored = server.brain.rows.map(({ content, metadata }) => ({ id: metadata.provenance.origin, content }))
  assert.deepEqual(tally(captured, stored), { lost: 0, doubled: 0, strange: 0 })
  assert.equal(
    server.state.faults.every(({ times }) => times === 0),
    true,
  )
  assert.equal(queueStatus(memory.options).deadLetters, 0)
})
