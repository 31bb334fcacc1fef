// Drains a queue into a store that takes everything at once: the cost is the queue's own.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, thoughtLine } from '../data/store.mjs'
import { input, loadAddon, report } from './process.mjs'

const ENQUEUED = '"_status":"pending","_attempts":0,"_enqueuedAt":"2026-01-01T00:00:00.000Z"'
const BOOKKEEPING = `{"_v":1,${ENQUEUED},"_nextAttemptAt":"2026-01-01T00:00:00.000Z",`

const { OpenBrainDrain, trustForeignRecords } = loadAddon()
const options = { projectDir: input.dir }
const queue = join(input.dir, '.forge', 'openbrain-queue.jsonl')

/** The same lines again would be known as settled: every queue is the first of its project. */
function writeQueue(count) {
  rmSync(join(input.dir, '.forge'), { recursive: true, force: true })
  makeProject(input.dir)
  const lesson = { type: 'lesson', content: 'x'.repeat(150) }
  const lines = []
  for (let at = 0; at < count; at++) lines.push(thoughtLine(lesson, at).replace('{"_v":1,', BOOKKEEPING))
  mkdirSync(join(input.dir, '.forge'), { recursive: true })
  writeFileSync(queue, lines.join(''))
  trustForeignRecords(options)
}

async function drainPass(drain, batch) {
  const leased = await drain.lease(batch)
  if (leased.length > 0) await drain.settle(leased.map(({ key }) => ({ key, kind: 'delivered' })))
  return leased.length
}

async function timed(work) {
  const [start, before] = [process.hrtime.bigint(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wallMs: Number(process.hrtime.bigint() - start) / 1e6, cpuMs: (user + system) / 1e3 }
}

writeQueue(input.count)
let drained = 0
const first = await timed(async () => {
  const drain = OpenBrainDrain.open(options)
  drained += await drainPass(drain, 50)
  drain.close()
})
writeQueue(input.count)
drained = 0
const whole = await timed(async () => {
  const drain = OpenBrainDrain.open(options)
  for (let got = -1; got !== 0; drained += got) got = await drainPass(drain, input.batch)
  drain.close()
})
// For the reference, which drains the same queue.
writeQueue(input.count)
report({ first, whole, drained })
