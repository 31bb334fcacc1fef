// The first recall of a process, in milliseconds of its processor, and what it leaves for the next one.
import { input, loadAddon, report } from './process.mjs'

const { recall } = loadAddon()
const before = process.cpuUsage()
const { hits } = recall(input.query, { projectDir: input.dir })
const { user, system } = process.cpuUsage(before)
// The work on the index goes on behind the answer, until the process ends.
report({ ms: (user + system) / 1000, hits: hits.length })
