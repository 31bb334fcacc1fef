// A server reads its whole table to find a thought by its source, so that only what may be stored already is looked up.
import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { captureMemory, drainOpenBrain, queueAgain, trustForeignRecords } from '../dist/index.js'
import { RemoteStore } from '../dist/openbrain/remote/store.js'
import { forgetSent, sentFile } from '../dist/shared/sent-file.js'
import { freshMemory } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { kinds, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

const OPTIONS = { textOnly: false, insecure: false, timeoutMs: 5000 }

/** A server, and stores of a project on it. */
async function opened(t, door) {
  const memory = freshMemory(t)
  const server = await startOpenBrain()
  t.after(() => server.close())
  const open = (projectDir = memory.project) => {
    const target = { backend: 'remote', url: new URL(server[door]), key: undefined, isMcp: false }
    const store = new RemoteStore(target, { ...OPTIONS, projectDir })
    t.after(() => store.close())
    return store
  }
  const isLookUp = ({ name }) => /by-source|list_thoughts|search/.test(name)
  const looked = () => server.state.requests.filter(isLookUp).length
  const origins = () => server.brain.rows.map(({ metadata }) => metadata.provenance.origin)
  return { memory, server, open, looked, origins }
}

/** A batch that was captured some seconds ago. */
const captured = (count, secondsAgo) =>
  storing(
    ...Array.from({ length: count }, (_, at) =>
      thought(`captured ${secondsAgo} s ago, number ${at}`, {
        capturedAt: new Date(Date.now() - secondsAgo * 1000 + at).toISOString(),
      }),
    ),
  )

const allDelivered = async (store, batch) =>
  assert.deepEqual(new Set(kinds(await store.put(batch))), new Set(['delivered']))

for (const door of ['rest', 'sse']) {
  test(`${door}: what was never sent is not looked up, and what a crash left unsettled is`, async (t) => {
    const { open, looked, origins } = await opened(t, door)
    const [first, second, third] = [captured(20, 60), captured(20, 40), captured(20, 20)]
    const store = open()
    for (const batch of [first, second]) await allDelivered(store, batch)
    assert.equal(looked(), 0)
    await allDelivered(open(), third)
    assert.equal(looked(), 0, 'nor by the next process')
    // Its process ended after the delivery, and before that was settled.
    await allDelivered(open(), second)
    assert.equal(looked(), 20)
    assert.equal(new Set(origins()).size, origins().length, 'nothing is doubled')
    assert.equal(origins().length, 60)
  })

  test(`${door}: where what is sent cannot be noted, all is looked up, also when it can be noted again`, async (t) => {
    const { open, looked, origins, memory } = await opened(t, door)
    const [first, second] = [captured(5, 60), captured(5, 40)]
    await allDelivered(open(), first)
    const folder = dirname(sentFile(memory.project))
    renameSync(folder, `${folder}.away`)
    writeFileSync(folder, 'no folder')
    await allDelivered(open(), second)
    assert.equal(looked(), 5)
    // Its process ended before the delivery was settled, and there is room again.
    rmSync(folder)
    await allDelivered(open(), second)
    assert.equal(looked(), 10)
    assert.equal(new Set(origins()).size, origins().length, 'nothing is doubled')
  })

  test(`${door}: records of the same millisecond are told apart`, async (t) => {
    const { open, looked, origins } = await opened(t, door)
    const capturedAt = new Date(Date.now() - 1000).toISOString()
    const [one, two] = [thought('one', { capturedAt }), thought('two', { capturedAt })]
    const store = open()
    await allDelivered(store, storing(one))
    await allDelivered(store, storing(two))
    assert.equal(looked(), 0)
    for (const again of [one, two]) await allDelivered(store, storing(again))
    assert.deepEqual([looked(), origins()], [2, [one.id, two.id]])
  })

  test(`${door}: what is older than anything that is known of the server is looked up`, async (t) => {
    const { open, looked, origins, memory } = await opened(t, door)
    const batch = captured(5, 60)
    await allDelivered(open(), batch)
    // Another folder of this project, as after a move, and a clock that is ahead.
    await allDelivered(open(`${memory.project}-moved`), batch)
    assert.deepEqual([looked(), origins().length], [5, 5])
    const [ahead] = captured(1, -86_400)
    const store = open()
    for (const times of [6, 7]) {
      await allDelivered(store, [ahead])
      assert.deepEqual([looked(), origins().length], [times, 6])
    }
  })
}

test('what another machine wrote is looked up, once it is trusted', async (t) => {
  const { open, looked, origins, memory, server } = await opened(t, 'rest')
  await allDelivered(open(), captured(1, 60))
  const [theirs] = captured(1, 30)
  await allDelivered(open(`${memory.project}-of-another`), [theirs])
  const before = looked()
  forgetSent(memory.project)
  await allDelivered(open(), [theirs])
  assert.equal(looked() - before, 1)
  assert.equal(new Set(origins()).size, server.brain.rows.length)
})

test('a capture is not looked up; queued again, it is', async (t) => {
  const { looked, origins, memory, server } = await opened(t, 'rest')
  writeFileSync(
    join(memory.project, '.forge.json'),
    JSON.stringify({ projectName: 'shop', openbrain: { url: server.rest } }),
  )
  approveStores(memory.project)
  const { id } = captureMemory({ type: 'lesson', body: 'the gate is red', tool: 'test' }, memory.options)
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1)
  assert.deepEqual([looked(), origins()], [0, [id]])
  assert.ok(existsSync(sentFile(memory.project)))
  queueAgain(null, memory.options)
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1)
  assert.deepEqual([looked(), origins()], [1, [id]])
  trustForeignRecords(memory.options)
  assert.equal(existsSync(sentFile(memory.project)), false)
})
