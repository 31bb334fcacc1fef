// One run of the index in a process of its own: time, processor time, and the largest amount of memory.
import { input, loadAddon, report } from './process.mjs'

const { latticeIndex } = loadAddon()
const before = process.cpuUsage()
const started = performance.now()
const outcome = await latticeIndex({ projectDir: input.dir })
const wallMs = performance.now() - started
const { user, system } = process.cpuUsage(before)
report({ ...outcome, wallMs, cpuMs: (user + system) / 1e3, peakKiB: process.resourceUsage().maxRSS })
