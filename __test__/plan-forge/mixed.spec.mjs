// The older tool and this package on one project at the same time. The stand-in of the older tool writes and rewrites its files as it
// does, in processes of its own and without locks; what its own races lose is not ours to keep, but nothing may be lost beyond that.
import assert from 'node:assert/strict'
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { migrateMemory, queueAgain, recall, trustForeignRecords } from 'forge-memory'
import { autoDrainOpenBrainQueue, buildMemoryReport, captureMemory } from 'forge-memory/plan-forge'
import { anvilDlqDrain, anvilDlqList } from '../../dist/plan-forge/anvil.js'
import { startOpenBrain } from '../support/openbrain-server/server.mjs'
import { ARCHIVE, CAPTURES, freshProject, OLDER_LOG, olderRecord, olderThought, QUEUE } from '../support/plan-forge.mjs'
import { shownOf } from '../support/plan-forge-readers.mjs'
import { runTogether, startChild } from '../support/processes.mjs'
import { approveStores } from '../support/trust.mjs'
import { until } from '../support/waiting.mjs'

const COUNT = 40
const contentOf = (name, n) => `${name}${n} one${name}${n} two${name}${n} three${name}${n}`
const contentsOf = (name, count = COUNT) => Array.from({ length: count }, (_, n) => contentOf(name, n))

/** A project with a store, as a file of deliveries. */
function mixed(t) {
  const project = freshProject(t)
  // The older tool queues only where some MCP file names OpenBrain.
  project.write('.vscode/mcp.json', { servers: { openbrain: { url: 'http://127.0.0.1:9/sse' } } })
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

test('the older tool delivers records that either tool queued, once', async (t) => {
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

for (const [first, second] of [
  ['older', 'ours'],
  ['ours', 'older'],
]) {
  test(`300 captures of each at once are in log, queue and store once each, drained by ${first} first`, async (t) => {
    const { project, older, ours, queued } = mixed(t)
    const server = await startOpenBrain()
    t.after(() => server.close())
    const store = server.sse
    project.write('.vscode/mcp.json', { servers: { openbrain: { url: store } } })
    approveStores(project.cwd)
    await runTogether([
      older({ job: 'capture', name: 'o', count: 300 }),
      ours({ job: 'capture', name: 'f', count: 300 }),
    ])
    const expected = [...contentsOf('o', 300), ...contentsOf('f', 300)].sort()
    const inLog = () => project.lines(OLDER_LOG).map(({ content }) => content)
    assert.deepEqual(inLog().sort(), expected)
    assert.deepEqual(queued().sort(), expected)
    trustForeignRecords(project.options)
    const drains = {
      older: () => runTogether([older({ job: 'drain', store })]),
      ours: () => runTogether([ours({ job: 'deliver' })]),
    }
    const before = shownOf(project)
    while (queued().length > 0) {
      await drains[first]()
      await drains[second]()
    }
    const stored = () => server.brain.rows.map(({ content }) => content).sort()
    assert.deepEqual(stored(), expected)
    // One has delivered what the other has captured, in both directions.
    const passes = project.lines('.forge/openbrain-stats.jsonl').map(({ source }) => source)
    assert.deepEqual([...new Set(passes)].sort(), ['cli-drain', 'ours'])
    migrateMemory(project.options)
    assert.deepEqual([queued(), shownOf(project)], [[], before])
    assert.deepEqual(
      project
        .lines(CAPTURES)
        .map(({ content }) => content)
        .sort(),
      expected,
    )
    await drains.ours()
    assert.deepEqual(stored(), expected)
  })
}

test('concurrent drains of both tools lose nothing, and each delivers a record at most once', async (t) => {
  const all = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: COUNT }),
    all.ours({ job: 'capture', name: 'f', count: COUNT }),
  ])
  // One pass of the older tool: it takes no lock, so a later one may meet lines again that were rewritten beside it.
  await runTogether([all.older({ job: 'drain' }), all.ours({ job: 'drain', passes: 5 })])
  // Its last rewrite may have brought back what was delivered meanwhile.
  await drainAll(all)
  const expected = [...contentsOf('o'), ...contentsOf('f')]
  assert.deepEqual([...all.counts().keys()].sort(), expected.sort())
  const older = all.deliveries().filter(({ by }) => by === 'older')
  assert.equal(new Set(older.map(({ content }) => content)).size, older.length)
})

test('records that the older tool drops while it drains are in our files, and can be queued again', async (t) => {
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

test('a killed drain loses nothing, and duplicates at most its leased records', async (t) => {
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
  // The store identifies each thought by its id, whichever tool queued it.
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

test('the older tool stops at a torn line and loses nothing, and ours delivers the rest', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([all.older({ job: 'capture', name: 'o', count: 3 })])
  project.write(QUEUE, `${project.text(QUEUE)}{"_v":1,"content":"half a rec\n`)
  await runTogether([all.older({ job: 'drain', reader: 'strict' })])
  assert.equal(all.deliveries().length, 0)
  await runTogether([all.ours({ job: 'drain' })])
  assert.deepEqual(sorted(all.counts()), sorted(once(contentsOf('o', 3))))
})

test('failed records of the older tool keep their back-off here, and are delivered once', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: 3 }),
    all.ours({ job: 'capture', name: 'f', count: 3 }),
  ])
  await runTogether([all.older({ job: 'drain', isDown: true })])
  await runTogether([all.ours({ job: 'drain' })])
  assert.equal(all.deliveries().length, 0)
  const waiting = project.lines(QUEUE)
  assert.deepEqual(
    waiting.map(({ _attempts, _lastError }) => [_attempts, _lastError]),
    waiting.map(() => [1, 'HTTP_503']),
  )
  assert.equal(buildMemoryReport(project.cwd).queue.pending, 0)
  const due = new Date(Date.now() - 1000).toISOString()
  const rewritten = waiting.map((record) => `${JSON.stringify({ ...record, _nextAttemptAt: due })}\n`)
  project.write(QUEUE, rewritten.join(''))
  await runTogether([all.ours({ job: 'drain' })])
  assert.deepEqual(sorted(all.counts()), sorted(once([...contentsOf('o', 3), ...contentsOf('f', 3)])))
  assert.deepEqual(all.queued(), [])
})

test('the older tool may retry our failed records at once, and delivers them once', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: 2 }),
    all.ours({ job: 'capture', name: 'f', count: 2 }),
  ])
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: () => ({ ok: false, error: 'HTTP_503' }) })
  assert.equal(buildMemoryReport(project.cwd).queue.deferred, 4)
  await runTogether([all.older({ job: 'drain' })])
  await drainAll({ project, ...all })
  assert.deepEqual(sorted(all.counts()), sorted(once([...contentsOf('o', 2), ...contentsOf('f', 2)])))
})

test('dead letters of the older tool are listed, and delivered once they are put back', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: 1 }),
    all.ours({ job: 'capture', name: 'f', count: 1 }),
  ])
  const last = project.lines(QUEUE).map((record) => `${JSON.stringify({ ...record, _attempts: 4 })}\n`)
  project.write(QUEUE, last.join(''))
  await runTogether([all.older({ job: 'drain', isDown: true })])
  const { items, total, setAside, hint } = anvilDlqList(project.cwd)
  assert.deepEqual(items.map(({ inputs }) => inputs.content).sort(), [contentOf('f', 0), contentOf('o', 0)])
  assert.deepEqual([total, setAside, [...new Set(items.map(({ error }) => error))]], [2, 1, ['HTTP_503']])
  assert.match(hint, /forge-memory drain --trust/)
  assert.equal(buildMemoryReport(project.cwd).queue.dlq, 2)
  // Foreign records are delivered again once the user has adopted them.
  assert.equal(anvilDlqDrain(project.cwd).drained, 1)
  trustForeignRecords(project.options)
  assert.deepEqual([anvilDlqList(project.cwd).setAside, anvilDlqDrain(project.cwd).drained], [undefined, 1])
  await drainAll({ project, ...all })
  assert.deepEqual(sorted(all.counts()), sorted(once([contentOf('f', 0), contentOf('o', 0)])))
})

test('the older tool sends our captures as its own: text, project, source, author, the rest as metadata', async (t) => {
  const { project, ...all } = mixed(t)
  project.write('.forge.json', { projectName: 'shop' })
  await runTogether([
    all.older({ job: 'capture', name: 'o', count: 1 }),
    all.ours({ job: 'capture', name: 'f', count: 1 }),
  ])
  await runTogether([all.older({ job: 'drain' })])
  const [theirs, own] = all.deliveries().sort((a, b) => (a.id === undefined ? -1 : b.id === undefined ? 1 : 0))
  for (const { project: name, source, created_by, metadata } of [theirs, own]) {
    assert.deepEqual([name, source, created_by], ['shop', 'forge_sweep', 'liveguard-auto'])
    assert.deepEqual(
      [metadata.type, typeof metadata.captured_at, typeof metadata.expiresAt],
      ['gotcha', 'string', 'string'],
    )
    assert.ok(Object.keys(metadata).every((field) => !field.startsWith('_')))
  }
})

test('the report counts the captures of both', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([
    all.older({ job: 'capture', contents: ['one two three', 'one two three', 'four five six'] }),
    all.ours({ job: 'capture', name: 'f', count: 2 }),
  ])
  const { telemetry, queue, l2Files } = buildMemoryReport(project.cwd)
  assert.deepEqual([telemetry.total, telemetry.dedupedCount, queue.pending], [5, 1, 4])
  // The log that the older tool reads has those of both.
  assert.equal(l2Files.find(({ name }) => name === 'liveguard-memories.jsonl').records, 4)
})

test('captures that the older tool loses by its own race stay in our files and can be queued again', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([all.older({ job: 'capture', name: 'o', count: 1 })])
  const drainer = all.older({ job: 'drain', hold: true })
  await begin(drainer)
  await drainer.said('read')
  await runTogether([
    all.older({ job: 'capture', name: 'p', count: 1 }),
    all.ours({ job: 'capture', name: 'f', count: 1 }),
  ])
  assert.deepEqual(all.queued().sort(), [contentOf('f', 0), contentOf('o', 0), contentOf('p', 0)])
  drainer.tell({ rewrite: true })
  await drainer.result()
  // Both are gone from the queue, its own as well as ours.
  assert.deepEqual(all.queued(), [])
  assert.deepEqual([...all.counts().keys()], [contentOf('o', 0)])
  queueAgain(null, project.options)
  assert.deepEqual(all.queued(), [contentOf('f', 0)])
  // Its own are in its log: once they are taken over, they can be queued again too.
  migrateMemory(project.options)
  queueAgain(null, project.options)
  assert.ok(all.queued().includes(contentOf('p', 0)))
})

test('a line that is written into a queue which was replaced after it was opened is in the log, and can be queued again', async (t) => {
  const { project, ...all } = mixed(t)
  await runTogether([all.older({ job: 'capture', name: 'o', count: 2 })])
  // Its append opens and writes without a lock: in between, any drain may replace the file, its own as well as ours.
  const opened = openSync(project.at(QUEUE), 'a')
  project.append(OLDER_LOG, olderThought(contentOf('late', 0)))
  await runTogether([all.ours({ job: 'drain' })])
  writeSync(opened, `${JSON.stringify(olderRecord(contentOf('late', 0)))}\n`)
  closeSync(opened)
  assert.deepEqual(sorted(all.counts()), sorted(once(contentsOf('o', 2))))
  assert.deepEqual(all.queued(), [])
  migrateMemory(project.options)
  queueAgain(null, project.options)
  assert.ok(all.queued().includes(contentOf('late', 0)))
})

test('with an older tool in the project, delivered records leave the queue', async (t) => {
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

test('captures of the older tool are reported and migrated, also while it keeps capturing', async (t) => {
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
