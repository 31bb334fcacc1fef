// Captures fresh lessons into a filled store: in a loop, or "between" other work.
import { readLessons } from '../data/dataset.mjs'
import { makeCacheWalk } from '../harness/cold.mjs'
import { measureCall, summarize } from '../harness/statistics.mjs'
import { captureOf, input, loadAddon, report } from './process.mjs'

const WARM_UP = 50

const { captureMemory, settleIndex } = loadAddon()
const options = { projectDir: input.dir }
const lessons = readLessons(input.fresh).slice(input.skip, input.skip + input.count + WARM_UP)
const first = measureCall(() => captureMemory(captureOf(lessons[0]), options))
for (const lesson of lessons.slice(1, WARM_UP)) captureMemory(captureOf(lesson), options)

const walk = input.between ? makeCacheWalk() : () => {}
const times = []
for (const lesson of lessons.slice(WARM_UP)) {
  walk()
  const capture = captureOf(lesson)
  times.push(measureCall(() => captureMemory(capture, options)))
}
settleIndex(options)
report({ ...summarize(times), firstUs: first.cpuUs })
