// The hub by the older tool's names: a soft and synchronous broadcast, the ring, and the runs of other tools.
import assert from 'node:assert/strict'
import test from 'node:test'
import { warnings } from '../support/plan-forge.mjs'
import { bareHub, EVENTS, runLine } from '../support/plan-forge-hub.mjs'
import { until } from '../support/waiting.mjs'

test('an event is one line of the file when broadcast returns', (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'slice-started', data: { n: 1 } })
  const [event] = project.lines(EVENTS)
  assert.deepEqual([event.type, event.data, event.version], ['slice-started', { n: 1 }, '1.0'])
  assert.ok(Date.parse(event.timestamp) > 0)
})

test('broadcast returns nothing', (t) => assert.equal(bareHub(t).hub.broadcast({ type: 'a' }), undefined))

test('broadcast creates a missing .forge', (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'a' })
  assert.ok(project.has('.forge'))
})

test('each event is one line, in order', (t) => {
  const { project, hub } = bareHub(t)
  for (let n = 0; n < 20; n += 1) hub.broadcast({ type: 'a', n })
  assert.deepEqual(
    project.lines(EVENTS).map(({ n }) => n),
    Array.from({ length: 20 }, (_, n) => n),
  )
})

test('an event is in the ring when broadcast returns', (t) => {
  const { hub } = bareHub(t)
  hub.broadcast({ type: 'a', n: 1 })
  assert.deepEqual(
    hub.eventHistory.map(({ type, n }) => [type, n]),
    [['a', 1]],
  )
})

test('the fields of the caller win over version and timestamp', (t) => {
  const { hub } = bareHub(t)
  hub.broadcast({ type: 'a', version: '9', timestamp: '2020-01-01T00:00:00.000Z' })
  assert.deepEqual([hub.eventHistory[0].version, hub.eventHistory[0].timestamp], ['9', '2020-01-01T00:00:00.000Z'])
})

test('the ring has the newest 500', (t) => {
  const { hub } = bareHub(t)
  for (let n = 0; n < 510; n += 1) hub.broadcast({ type: 'a', n })
  assert.deepEqual([hub.eventHistory.length, hub.eventHistory[0].n, hub.eventHistory.at(-1).n], [500, 10, 509])
})

test('a file that cannot be written affects neither the ring buffer nor the caller', (t) => {
  const { hub } = bareHub(t)
  hub._appendDurableEvent = () => {
    throw new Error('full')
  }
  for (let n = 0; n < 3; n += 1) hub.broadcast({ type: 'a', n })
  assert.equal(hub.eventHistory.length, 3)
  assert.equal(hub.unsaved, 3)
})

test('an event of another process enters the ring buffer once', async (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'ours' })
  project.append(EVENTS, { version: '1.0', timestamp: new Date().toISOString(), type: 'theirs' })
  await until(() => hub.eventHistory.some(({ type }) => type === 'theirs'), 'the event of the other process')
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['ours', 'theirs'],
  )
})

test('a starting run is in the ring buffer once, followed by its preload', async (t) => {
  const { hub } = bareHub(t)
  hub.broadcast({ type: 'run-started', plan: { name: 'Phase-1', slices: ['Add tests'] } })
  await until(() => hub.eventHistory.some(({ type }) => type === 'memory-preload'), 'the preload')
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['run-started', 'memory-preload'],
  )
})

const circular = { type: 'circular' }
circular.self = circular
for (const [what, event] of [
  ['without a type', { data: 1 }],
  ['with a type that is a number', { type: 7 }],
  ['with an empty type', { type: '' }],
  ['that is too large', { type: 'a', data: 'x'.repeat(600_000) }],
  ['that refers to itself', circular],
  ['with a number beyond JSON', { type: 'a', n: 1n }],
  ['that is null', null],
  ['that is nothing', undefined],
  ['that is a text', 'a'],
  ['with a time that is none', { type: 'a', timestamp: 'soon' }],
]) {
  test(`an event ${what} is warned of and not thrown at the caller`, async (t) => {
    const { project, hub } = bareHub(t)
    const said = await warnings(() => hub.broadcast(event))
    assert.match(said.join('\n'), /the event was not broadcast: ./)
    assert.deepEqual([hub.eventHistory.length, project.has(EVENTS)], [0, false])
  })
}

test('after close an event is warned of and not thrown', async (t) => {
  const { project, hub } = bareHub(t)
  await hub.close()
  const said = await warnings(() => hub.broadcast({ type: 'late' }))
  assert.match(said.join('\n'), /closed/)
  assert.equal(project.has(EVENTS), false)
})

test('getHistory returns the last entries of the ring buffer; 0 returns all', (t) => {
  const { hub } = bareHub(t)
  for (let n = 0; n < 5; n += 1) hub.broadcast({ type: 'a', n })
  assert.deepEqual(
    hub.getHistory(2).map(({ n }) => n),
    [3, 4],
  )
  assert.equal(hub.getHistory(0).length, 5)
  assert.equal(hub.getHistory().length, 5)
})

test('without runs there is nothing to read', (t) => {
  assert.deepEqual(bareHub(t).hub.rehydrateFromRuns(), { runsScanned: 0, eventsLoaded: 0 })
})

test('a run is read with its type, data, time and source', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/2026-11-20/events.log', runLine('slice-started', { n: 1 }))
  assert.deepEqual(hub.rehydrateFromRuns(), { runsScanned: 1, eventsLoaded: 1 })
  assert.deepEqual(hub.eventHistory, [
    {
      version: '1.0',
      type: 'slice-started',
      data: { n: 1 },
      timestamp: '2026-11-20T10:00:00.000Z',
      source: 'rehydrate',
    },
  ])
})

test('the newest runs are read, the oldest of them first', (t) => {
  const { project, hub } = bareHub(t)
  for (const run of ['r1', 'r2', 'r3', 'r4']) project.write(`.forge/runs/${run}/events.log`, runLine(run, {}))
  assert.equal(hub.rehydrateFromRuns(3).runsScanned, 3)
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['r2', 'r3', 'r4'],
  )
})

test('the number of runs is an option', (t) => {
  const { project, hub } = bareHub(t)
  for (const run of ['r1', 'r2']) project.write(`.forge/runs/${run}/events.log`, runLine(run, {}))
  hub.rehydrateFromRuns(1)
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['r2'],
  )
})

test('a run without a log counts as scanned', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/summary.json', '{}')
  assert.deepEqual(hub.rehydrateFromRuns(), { runsScanned: 1, eventsLoaded: 0 })
})

for (const line of ['garbage', '[time] type', '[time] type: {bad', '', '{"type":"a"}']) {
  test(`the line ${JSON.stringify(line)} of a log is passed over`, (t) => {
    const { project, hub } = bareHub(t)
    project.write('.forge/runs/r1/events.log', `${line}\n${runLine('good', {})}`)
    assert.equal(hub.rehydrateFromRuns().eventsLoaded, 1)
  })
}

test('types with dots are read', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/events.log', runLine('pforge.foundry.quota', {}))
  hub.rehydrateFromRuns()
  assert.equal(hub.eventHistory[0].type, 'pforge.foundry.quota')
})

test('of long logs the newest 500 are kept', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/events.log', Array.from({ length: 600 }, (_, n) => runLine('a', { n })).join(''))
  hub.rehydrateFromRuns()
  assert.deepEqual([hub.eventHistory.length, hub.eventHistory[0].data.n], [500, 100])
})

test('reading runs writes and broadcasts nothing', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/events.log', runLine('a', {}))
  hub.rehydrateFromRuns()
  assert.equal(project.has(EVENTS), false)
})
