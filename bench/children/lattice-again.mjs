// Runs of the index over a tree that has not changed, and over one with one changed file, in one process.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { input, loadAddon, report } from './process.mjs'

const { latticeIndex } = loadAddon()
const options = { projectDir: input.dir }

async function timed(prepare) {
  const times = []
  for (let run = 0; run < input.runs; run += 1) {
    prepare(run)
    const started = performance.now()
    const before = process.cpuUsage()
    await latticeIndex(options)
    const { user, system } = process.cpuUsage(before)
    times.push({ wallMs: performance.now() - started, cpuMs: (user + system) / 1e3 })
  }
  return times
}

await latticeIndex(options)
const unchanged = await timed(() => undefined)
const changed = await timed((run) =>
  appendFileSync(join(input.dir, input.file), `\nfunction bench${run}() { return ${run} }\n`),
)
report({ unchanged, changed })
