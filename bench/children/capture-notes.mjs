// Captures fresh notes of certain lengths into a filled store.
import { makeNote } from '../data/prose.mjs'
import { Random } from '../data/random.mjs'
import { measureCall, summarize } from '../harness/statistics.mjs'
import { captureOf, input, loadAddon, report } from './process.mjs'

const WARM_UP = 5

const { captureMemory, settleIndex } = loadAddon()
const options = { projectDir: input.dir }
const random = new Random(1000 + input.round)
const times = {}
for (const [bytes, count] of input.lengths) {
  const notes = Array.from({ length: count + WARM_UP }, () => ({ type: 'lesson', content: makeNote(random, bytes) }))
  const samples = notes.map((note) => measureCall(() => captureMemory(captureOf(note), options)))
  times[bytes] = summarize(samples.slice(WARM_UP))
}
settleIndex(options)
report(times)
