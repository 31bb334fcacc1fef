// Another program appends lines to the raw log while this process has the store open: what does the next recall cost?
import { appendFileSync } from 'node:fs'
import { readLessons } from '../data/dataset.mjs'
import { rawLogPath, thoughtLine } from '../data/store.mjs'
import { measureCall } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const SEEN_MIN = 0.98

const { recall } = loadAddon()
const options = { projectDir: input.dir }
recall('warm up', options)
const before = recall('warm up', options).searched

const lines = readLessons(input.fresh).slice(0, input.count)
appendFileSync(rawLogPath(input.dir), lines.map((lesson, at) => thoughtLine(lesson, input.firstPosition + at)).join(''))
let searched
const { wallUs, cpuUs } = measureCall(() => {
  searched = recall('foreign lines', options).searched
})
const seen = searched - before
// What says the same as another is counted once.
if (seen < SEEN_MIN * lines.length) throw new Error(`${seen} of ${lines.length} foreign lines are seen`)
report({ wallPerRecordUs: wallUs / lines.length, cpuPerRecordUs: cpuUs / lines.length })
