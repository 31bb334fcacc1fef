// The older tool and this package on one project at the same time. The stand-in of the older tool writes and rewrites its files as it
// does, in processes of its own and without locks; what its own races lose is not ours to keep, but nothing may be lost beyond that.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { migrateMemory, queueAgain, recall } from 'forge-memory'
import { autoDrainOpenBrainQueue, buildMemoryReport, captureMemory } from 'forge-memory/plan-forge'
import { ARCHIVE, freshProject, OLDER_LOG, olderThought, QUEUE } from '../support/plan-forge.mjs'
import { runTogether, startChild } from '../support/processes.mjs'
import { until } from '../support/waiting.mjs'

const COUNT = 40
const contentOf = (name, n) => `${name}${n} one${name}${n} two${name}${n} three${name}${n}`
const contentsOf = (name, count = COUNT) => Array.from({ length: count }, (_, n) => contentOf(name, n))

/** A project with a store, as a file of deliveries. */
function mixed(t) {
  const project = freshProject(t)
  const store = join(project.folder, 'store.jsonl')
  const older = (input) => startChild(t, 'older-tool', project, { store, ...input })
  const ours = (input) => startChild(t, 'plan-forge-tool', project, { store, ...input })
  const deliveries = () =>
    existsSync(store)
      ? readFileSync(store, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : []
  const counts = () => {
    const found = new Map()
    for (const { content } of deliveries()) found.set(content, (found.get(content) ?? 0) + 1)
    return found
  }
  const queued = () => project.lines(QUEUE).map(({ content }) => content)
  return { project, store, older, ours, deliveries, counts, queued }
}

/** Drains with this package until nothing is left. */
async function drainAll({ ours, project }) {
  for (let passes = 0; passes < 20 && project.lines(QUEUE).length > 0; passes += 1)
    await runTogether([ours({ job: 'drain' })])
  assert.deepEqual(project.lines(QUEUE), [])
}

/** Starts children at once without waiting for their ends. */
async function begin(...children) {
  await Promise.all(children.map((child) => child.ready()))
  for (const child of children) child.go()
}

const once = (contents) => new Map(contents.map((content) => [content, 1]))
const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

test('both capture, ours drains meanwhile: everything that reaches the queue is delivered, and once', async (t) => {
  const all = mixed(t)
  const writers = [
    all.older({ job: 'capture', name: 'oa', count: COUNT, pauseMs: 2 }),
    all.older({ job: 'capture', name: 'ob', count: COUNT, pauseMs: 3 }),
    all.ours({ job: 'capture', name: 'fa', count: COUNT, pauseMs: 2 }),
    all.ours({ job: 'capture', name: 'fb', count: COUNT, pauseMs: 3 }),
  ]
  const drainers = [all.ours({ job: 'drain', passes: 15 }), all.ours({ job: 'drain', passes: 15 })]
  await runTogether([...writers, ...drainers])
  await drainAll(all)
  const counts = all.counts()
  const expected = ['oa', 'ob', 'fa', 'fb'].flatMap((name) => contentsOf(name))
  // A line that the older tool writes into a file which it opened before that was replaced is in its log and not in the queue: it takes
  // no lock. No other may be missing, and none may come twice.
  const missing = expected.filter((content) => !counts.has(content))
  assert.ok(missing.length <= 2 && missing.every((content) => content.startsWith('o')), missing.join(', '))
  assert.deepEqual(sorted(counts), sorted(once(expected.filter((content) => !missing.includes(content)))))
})

test('the older tool drains what both have queued, ours as well as its own, once', async (t) => {
  const all = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: COUNT }),
    all.ours({ job: 'capture', name: 'f', count: COUNT }),
  ])
  await runTogether([all.older({ job: 'drain', passes: 2 })])
  assert.deepEqual(sorted(all.counts()), sorted(once([...contentsOf('o'), ...contentsOf('f')])))
  assert.deepEqual(all.queued(), [])
  await runTogether([all.ours({ job: 'drain' })])
  assert.equal(all.deliveries().length, 2 * COUNT)
})

test('they drain in turns: what one has delivered the other does not deliver again', async (t) => {
  const all = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: 150 }),
    all.ours({ job: 'capture', name: 'f', count: 150 }),
  ])
  for (let turn = 0; turn < 3; turn += 1) {
    await runTogether([all.ours({ job: 'drain' })])
    await runTogether([all.older({ job: 'drain' })])
  }
  assert.deepEqual(sorted(all.counts()), sorted(once([...contentsOf('o', 150), ...contentsOf('f', 150)])))
  assert.deepEqual([...new Set(all.deliveries().map(({ by }) => by))].sort(), ['older', 'ours'])
})

test('they drain at once: nothing is lost, and nothing comes more than once from each', async (t) => {
  const all = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: COUNT }),
    all.ours({ job: 'capture', name: 'f', count: COUNT }),
  ])
  await runTogether([all.older({ job: 'drain', passes: 3 }), all.ours({ job: 'drain', passes: 5 })])
  // Its last rewrite may have brought back what was delivered meanwhile.
  await drainAll(all)
  const expected = [...contentsOf('o'), ...contentsOf('f')]
  assert.deepEqual([...all.counts().keys()].sort(), expected.sort())
  const older = all.deliveries().filter(({ by }) => by === 'older')
  assert.equal(new Set(older.map(({ content }) => content)).size, older.length)
})

test('while the older tool drains, what it drops from the queue is in our files, and can be queued again', async (t) => {
  const all = mixed(t)
  await runTogether([
    all.older({ job: 'drain', passes: 30 }),
    all.ours({ job: 'capture', name: 'f', count: COUNT, pauseMs: 2 }),
    all.older({ job: 'capture', name: 'o', count: COUNT, pauseMs: 2 }),
  ])
  const captured = all.project.lines('.forge/memory-captures.jsonl').map(({ content }) => content)
  assert.deepEqual(captured.sort(), contentsOf('f').sort())
  const before = new Set([...all.counts().keys(), ...all.queued()])
  const lost = contentsOf('f').filter((content) => !before.has(content))
  queueAgain(null, all.project.options)
  for (const content of lost) assert.ok(all.queued().includes(content), content)
})

test('a process of ours that is killed while it drains loses nothing, and doubles at most what it had in hand', async (t) => {
  const all = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: 60 }),
    all.ours({ job: 'capture', name: 'f', count: 60 }),
  ])
  let kills = 0
  for (; kills < 4; kills += 1) {
    const drainer = all.ours({ job: 'drain', passes: 5 })
    const before = all.deliveries().length
    await begin(drainer)
    await until(() => all.deliveries().length >= before + 5, 'a few deliveries')
    drainer.kill('SIGKILL')
    await until(
      () =>
        drainer.said('never').then(
          () => true,
          () => true,
        ),
      'its end',
    )
  }
  await drainAll(all)
  const counts = all.counts()
  assert.deepEqual([...counts.keys()].sort(), [...contentsOf('o', 60), ...contentsOf('f', 60)].sort())
  const doubled = [...counts.values()].reduce((sum, count) => sum + count - 1, 0)
  assert.ok(doubled <= kills, `${doubled} doubled by ${kills} kills`)
  // The store knows each thought by its id, whoever queued it.
  assert.equal(new Set(all.deliveries().map(({ id }) => id)).size, 120)
})

test('processes of both that are killed while they capture cost no capture that was acknowledged', async (t) => {
  const all = mixed(t)
  const children = [
    all.older({ job: 'capture', name: 'o', count: 10_000 }),
    all.ours({ job: 'capture', name: 'f', count: 10_000 }),
    all.ours({ job: 'drain', passes: 10_000 }),
  ]
  await begin(...children)
  await Promise.all([children[0].said('captured-30'), children[1].said('captured-30'), children[2].said('pass-1')])
  for (const child of children) child.kill('SIGKILL')
  for (const child of children) await child.said('never').catch(() => undefined)
  await drainAll(all)
  const counts = all.counts()
  for (const name of ['o', 'f']) for (const content of contentsOf(name, 31)) assert.ok(counts.has(content), content)
  const doubled = [...counts.values()].reduce((sum, count) => sum + count - 1, 0)
  assert.ok(doubled <= 1, `${doubled} doubled`)
})

test('a torn line of the older tool is kept, and swallows no record of ours', async (t) => {
  const { project, ...all } = mixed(t)
  project.append(OLDER_LOG, olderThought('older'))
  project.write(QUEUE, '{"_v":1,"content":"half a rec')
  const { captured } = captureMemory({ content: 'one of ours', type: 'gotcha', source: 'ci', cwd: project.cwd })
  assert.equal(captured, true)
  await runTogether([all.ours({ job: 'drain' })])
  assert.deepEqual(
    all.deliveries().map(({ content }) => content),
    ['one of ours'],
  )
  assert.match(project.text(QUEUE), /half a rec/)
})

test('where an older tool works as well, nothing that is delivered stays in the queue', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('older'))
  for (let n = 0; n < 400; n += 1)
    captureMemory({ content: contentOf('f', n), type: 'gotcha', source: 'ci', cwd: project.cwd })
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: () => ({ ok: true }), maxBatch: 10 })
  assert.deepEqual([project.lines(QUEUE).length, project.lines(ARCHIVE).length], [390, 10])
})

test('a record that the older tool has rewritten is still ours', async (t) => {
  const { project, ...all } = mixed(t)
  captureMemory({ content: 'Schlüssel "mit" \\ Zeichen \u{1f9e0}', type: 'gotcha', source: 'ci', cwd: project.cwd })
  const [record] = project.lines(QUEUE)
  project.write(QUEUE, { ...record, _attempts: 1, _nextAttemptAt: new Date(0).toISOString(), _lastError: 'HTTP_503' })
  project.write('.forge.json', { openbrain: { url: 'file' } })
  const answer = await autoDrainOpenBrainQueue(project.cwd)
  assert.deepEqual([answer.delivered, answer.setAside, all.queued()], [1, undefined, []])
})

test('what the older tool captures is reported, and taken over by a migration, also when it goes on capturing', async (t) => {
  const { project, older } = mixed(t)
  await runTogether([older({ job: 'capture', name: 'o', count: 5 })])
  assert.deepEqual(buildMemoryReport(project.cwd).unmigrated, ['liveguard-memories.jsonl'])
  const found = (name) =>
    recall(`one${name}3`, project.options).hits.filter(({ text }) => text === contentOf(name, 3)).length
  migrateMemory(project.options)
  assert.equal(found('o'), 1)
  await runTogether([older({ job: 'capture', name: 'p', count: 5 })])
  assert.deepEqual(buildMemoryReport(project.cwd).unmigrated, ['liveguard-memories.jsonl'])
  migrateMemory(project.options)
  assert.deepEqual([found('o'), found('p')], [1, 1])
})
