// P12: the live stream. Clients are another process on the other core; every event is stored as well.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const SERVER = fileURLToPath(new URL('../../dist/server/index.js', import.meta.url))
const EVENTS = 60_000
const EVENTS_TO_ALL = 6_000
const CLIENTS = 100
const HANDLERS = 5
const RECORDS = 100_000
const STALLED = { events: 20_000, eventBytes: 20_000 }

function broadcasts(bench, name, events, groups) {
  const rates = []
  bench.eachRound(name, (round) => {
    const dir = bench.newProject(`hub-${name.replaceAll(' ', '-')}-${round}`)
    const { seconds, frames, dropped, unsaved } = bench.children.run('hub-broadcast', {
      dir,
      events,
      groups,
      type: 'a',
    })
    if (dropped > 0 || unsaved > 0) throw new Error(`${dropped} clients dropped, ${unsaved} events not stored`)
    rates.push({ events: events / seconds, frames: frames / seconds })
  })
  return rates
}

function starts(bench) {
  const dir = bench.written(RECORDS)
  const code = `require(${JSON.stringify(SERVER)}).serve({ port: 0, projectDir: ${JSON.stringify(dir)} }).then(() => process.exit(0))`
  const times = { node: [], serve: [] }
  bench.eachRound('start of serve', () => {
    times.node.push(bench.children.milliseconds(process.execPath, ['-e', '0']))
    times.serve.push(bench.children.milliseconds(process.execPath, ['-e', code]))
  })
  return times
}

export function measure(bench) {
  if (!existsSync(SERVER)) return bench.skip('P12', 'the server is not built')
  const some = broadcasts(bench, 'some handle', EVENTS, [
    { count: HANDLERS, handles: 'a' },
    { count: CLIENTS - HANDLERS, handles: 'b' },
  ])
  const all = broadcasts(bench, 'all handle', EVENTS_TO_ALL, [{ count: CLIENTS }])
  const stalled = bench.children.run('hub-stalled', { dir: bench.newProject('hub-stalled'), ...STALLED })
  const { times: delays } = bench.children.run('hub-latency', { dir: bench.newProject('hub-latency'), captures: 300 })
  const { node, serve } = starts(bench)
  const sorted = delays.sort((a, b) => a - b)
  const row = (what, unit, ours, target, more = {}) => makeRow({ measure: 'P12', what, unit, ours, target, ...more })
  return [
    row('broadcasts a second, 5 of 100 clients handle them', 'per s', median(some.map(({ events }) => events)), {
      atLeast: 20_000,
    }),
    row('frames a second, all of 100 clients handle them', 'per s', median(all.map(({ frames }) => frames)), {
      atLeast: 100_000,
    }),
    row(
      'held for a client that does not read',
      'KiB',
      stalled.bytes / 1024,
      { atMost: 1024 },
      {
        note: `dropped after ${stalled.droppedAfter} events`,
      },
    ),
    row('capture in one process to subscriber of another, p99', 'ms', sorted[Math.floor(sorted.length * 0.99)], {
      atMost: 50,
    }),
    row('capture in one process to subscriber of another, p50', 'ms', sorted[Math.floor(sorted.length / 2)]),
    row(
      'start of serve, whole process, minimum',
      'ms',
      Math.min(...serve),
      { overAtMost: 300 },
      {
        size: RECORDS,
        reference: { name: 'node -e 0', value: Math.min(...node) },
        note: `${(Math.min(...serve) - Math.min(...node)).toFixed(0)} ms over`,
      },
    ),
  ]
}
