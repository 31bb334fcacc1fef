// Whether a command has what the team knows on a machine that is busy: `find` with a store on this machine, beside so many processes that do nothing but
// count. Counted are the answers that the store gave, those of the replica, and those without either; and the processor time beside a `find` without a store.
//   node bench/busy-find.mjs [--busy 20] [--finds 30]
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../__test__/support/postgres.mjs'
import { root } from '../__test__/support/project.mjs'
import { approveStores } from '../__test__/support/trust.mjs'
import { option } from './harness/option.mjs'
import { timeProcess } from './harness/processes.mjs'

/** How many finds are timed before anything else is busy. */
const QUIET = 15
const busy = option('--busy', 20)
const finds = option('--finds', 30)

const folder = mkdtempSync(join(tmpdir(), 'forge-memory-busy-'))
const server = await startPostgres()
const url = await server.database()

function machine(name, settings) {
  const [project, home] = [join(folder, name), join(folder, `${name}-home`)]
  mkdirSync(project)
  writeFileSync(
    join(project, '.forge.json'),
    JSON.stringify({ projectName: 'shop', embedder: { kind: 'none' }, ...settings }),
  )
  approveStores(project, home)
  const env = { ...process.env, FORGE_HOME: home, FORGE_CREATED_BY: `${name}@example.org` }
  return (...args) =>
    timeProcess(process.execPath, [join(root, 'dist', 'cli', 'main.js'), '--json', '--project', project, ...args], {
      env,
    })
}
const [anna, ben, alone] = [
  machine('anna', { openbrain: { url } }),
  machine('ben', { openbrain: { url } }),
  machine('alone', {}),
]
anna('capture', '-t', 'gotcha', 'The payment gateway refuses cards without a postcode')
anna('drain')
// Ben delivers nothing: what he has of the team without the store, his finds have kept.
for (const one of [ben, alone]) one('capture', '-t', 'gotcha', 'The payment gateway has a sandbox for cards')

const counts = { live: 0, replica: 0, none: 0 }
const times = { store: { wall: [], cpu: [] }, alone: { wall: [], cpu: [] }, busy: { wall: [], cpu: [] } }
function note(name, run) {
  for (const kind of ['wall', 'cpu']) times[name][kind].push(run[kind])
}
const find = (one) => one('find', 'payment', 'gateway', 'cards')
for (let at = 0; at < QUIET; at += 1) {
  note('store', find(ben))
  note('alone', find(alone))
}
const processes = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
try {
  for (let at = 0; at < finds; at += 1) {
    const found = find(ben)
    const { team = [] } = JSON.parse(found.stdout)
    counts[team.length === 0 ? 'none' : found.said.includes('without the shared store') ? 'replica' : 'live'] += 1
    note('busy', found)
  }
} finally {
  for (const child of processes) child.kill('SIGKILL')
}
const load = loadavg()[0]
await server.close()
rmSync(folder, { recursive: true, force: true })

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)].toFixed(0)
const line = (text) => process.stdout.write(`${text}\n`)
line(`${finds} finds beside ${busy} busy processes on ${availableParallelism()} cores, load ${load.toFixed(1)}`)
line(`answered by the store ${counts.live}, by the replica ${counts.replica}, by neither ${counts.none}`)
const both = (name) => `${median(times[name].cpu)} ms of the processor, took ${median(times[name].wall)} ms`
line(`before, a find with a store: ${both('store')}; without: ${both('alone')}; beside the busy ones: ${both('busy')}`)
