// What a change costs where many servers follow many projects of one database: bytes and statements on the wire, counted, while one project changes once
// a second. A second and the pause between two looks are counted, not waited for.
//   node bench/followers.mjs [--servers 40] [--projects 5] [--thoughts 20000] [--seconds 60]
// What 400 servers of 50 projects cost is computed from what one server of the project that changes, and one of another, were counted to cost.
import { startPostgres } from '../__test__/support/postgres.mjs'
import { openWire } from '../__test__/support/wire.mjs'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { lessons } from './data/lessons.mjs'
import { option } from './harness/option.mjs'

/** As the replicas of hooks are read, and as a server without notifications of its own looks. */
const READ_MAX = 4000
const LOOK_S = 25
const HEARTBEAT_S = 15
const BATCH = 500
const servers = option('--servers', 40)
const projects = option('--projects', 5)
const thoughts = option('--thoughts', 20_000)
const seconds = option('--seconds', 60)

const nameOf = (at) => `project-${at % projects}`
const contents = [...lessons(thoughts + seconds, 1)]
function delivery(at, project = nameOf(at)) {
  const id = `mem_${String(at).padStart(32, '0')}`
  const { content, type } = contents[at]
  const capturedAt = new Date(1_767_225_600_000 + at * 1000).toISOString()
  const base = { id, content, project, type, source: 'bench', createdBy: 'bench', capturedAt }
  const thought = { ...base, tags: [], confidence: 0.7, metadata: '{}' }
  return { key: id, action: 'store', id, ids: [id], projects: [project], thought, attempts: 0, enqueuedAt: capturedAt }
}

const server = await startPostgres()
const url = await server.database()
const open = (port) => {
  const address = new URL(url.replace(`:${server.port}/`, `:${port}/`))
  return new PostgresStore({ backend: 'postgres', url: address, password: undefined }, undefined, 60_000)
}
const writer = open(server.port)
for (let at = 0; at < thoughts; at += BATCH) {
  await writer.put(Array.from({ length: Math.min(BATCH, thoughts - at) }, (_, next) => delivery(at + next)))
}

/** The servers of the project that changes, and those of the others, each behind a relay that counts. */
const wires = { own: await openWire(undefined, server.port), other: await openWire(undefined, server.port) }
const followers = []
const heard = { own: 0, other: 0 }
for (let at = 0; at < servers; at += 1) {
  const kind = nameOf(at) === nameOf(0) ? 'own' : 'other'
  const store = open(wires[kind].port)
  const stop = await store.listen(() => (heard[kind] += 1), undefined, [nameOf(at)])
  followers.push({ store, stop, kind, project: nameOf(at), known: undefined })
}
const look = async (one) => {
  const { state, thoughts: found } = await one.store.newest([one.project], READ_MAX, one.known)
  one.known = state
  // As whoever keeps a replica: what was decided is received with what is new.
  if (found !== undefined) one.upto = (await one.store.decisions([one.project], one.upto)).upto
}
for (const one of followers) await look(one)
const first = wires.own.counts.bytes + wires.other.counts.bytes
for (const wire of Object.values(wires)) wire.reset()

const own = followers.filter(({ kind }) => kind === 'own').length
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
for (let second = 0; second < seconds; second += 1) {
  await writer.put([delivery(thoughts + second, nameOf(0))])
  // Each hears of it by itself, as it does when there is a second between two changes.
  while (heard.own < own * (second + 1)) await pause(5)
  for (const [at, one] of followers.entries()) if (at % LOOK_S === second % LOOK_S) await look(one)
}
const counted = Object.fromEntries(Object.entries(wires).map(([kind, { counts }]) => [kind, { ...counts }]))
for (const wire of Object.values(wires)) wire.reset()
await pause(HEARTBEAT_S * 1000 + 500)
const idle = { bytes: wires.other.counts.bytes, statements: wires.other.counts.statements }
for (const { store, stop } of followers) {
  await stop()
  await store.close()
}
await writer.close()
for (const wire of Object.values(wires)) wire.close()
await server.close()

const others = servers - own
/** What a server costs a second: for the changes, and to see that its connection still lives. */
const each = (kind, what) =>
  counted[kind][what] / (kind === 'own' ? own : others) / seconds + idle[what] / others / HEARTBEAT_S
const line = (text) => process.stdout.write(`${text}\n`)
line(
  `${servers} servers, ${projects} projects, ${thoughts} thoughts; one project changes once a second, ${seconds} times`,
)
line(`all that a server reads at first: ${(first / servers / 1e6).toFixed(2)} MB`)
for (const [kind, what] of [
  ['own', 'of the project that changes'],
  ['other', 'of another project'],
]) {
  line(
    `each server ${what}: ${each(kind, 'bytes').toFixed(0)} bytes and ${each(kind, 'statements').toFixed(2)} statements a second, told ${heard[kind]} times`,
  )
}
for (const [many, of] of [
  [servers, projects],
  [400, 50],
]) {
  const share = many / of
  const total = (what) => each('own', what) * share + each('other', what) * (many - share)
  line(
    `${many} servers of ${of} projects, computed: ${(total('bytes') / 1e6).toFixed(3)} MB and ${total('statements').toFixed(0)} statements a second`,
  )
}
line(
  `of that, to see that its connection lives: ${(idle.bytes / others / HEARTBEAT_S).toFixed(0)} bytes a second and server`,
)
