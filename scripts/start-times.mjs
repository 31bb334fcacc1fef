// Measures how long the installed package takes to start: a `require`, and the MCP server until it has answered `initialize` and until it has
// listed its tools, which takes the library of the protocol. Each start is a process of its own, in turns with `node -e 0`, and what is
// printed is what it takes over that, with the load of the machine before and after.
//   node scripts/start-times.mjs [--candidate FOLDER] [--rounds 60]
// Without --candidate it makes one of what was built. Figures of a machine that does something else at the same time say little.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, percentile } from '../bench/harness/statistics.mjs'
import { benchIn } from './install/bench.mjs'
import { candidateIn } from './install/candidate.mjs'
import { installedDependencies } from './release/archives.mjs'
import { serveRegistry } from './release/registry.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { candidate: { type: 'string' }, rounds: { type: 'string', default: '60' } } })
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'start-times', version: '1.0.0' } },
}

const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

/** Starts Node with these words; with requests, the time ends with the answer to the last of them, and else with the process. */
async function milliseconds(place, words, ...requests) {
  const begun = performance.now()
  const child = spawn(process.execPath, words, { ...place, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  for (const request of requests) {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value } = await lines.next()
    if (JSON.parse(value).result === undefined) throw new Error(value)
  }
  const answered = performance.now() - begun
  child.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`node ${words.join(' ')} ended with ${code}`)
  return requests.length === 0 ? performance.now() - begun : answered
}

async function installedIn(folder) {
  const served = join(folder, 'served')
  const project = join(folder, 'project')
  for (const path of [served, join(project, '.git')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"private":true}\n')
  const candidate = candidateIn(root, folder, values.candidate)
  const registry = await serveRegistry(candidate, installedDependencies(root), served)
  try {
    benchIn(folder, { registry, root }).run(['npm', 'install', '--no-audit', '--no-fund', 'forge-memory'], project)
  } finally {
    await registry.close()
  }
  return project
}

const folder = mkdtempSync(join(tmpdir(), 'forge-memory-start-'))
try {
  const project = await installedIn(folder)
  // Node reads these at every start, which takes longer than the rest of it; few machines have them.
  const { NODE_EXTRA_CA_CERTS, ...inherited } = process.env
  const place = { cwd: project, env: { ...inherited, FORGE_HOME: join(folder, 'home', '.forge') } }
  const command = join('node_modules', 'forge-memory', 'dist', 'cli', 'main.js')
  const programs = {
    'node -e 0': [['-e', '0']],
    require: [['-e', "require('forge-memory')"]],
    'MCP initialize': [[command, 'mcp'], initialize],
    'MCP tools/list': [[command, 'mcp'], initialize, list],
  }
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]))
  const before = loadavg()[0]
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, [words, ...requests]] of Object.entries(programs)) {
      times[name].push(await milliseconds(place, words, ...requests))
    }
  }
  console.log(`load of the machine: ${before.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after`)
  const node = median(times['node -e 0'])
  for (const [name, taken] of Object.entries(times)) {
    const sorted = taken.toSorted((a, b) => a - b)
    const shown = { minimum: sorted[0], median: median(sorted), p95: percentile(sorted, 0.95) }
    const cells = Object.entries(shown).map(
      ([what, ms]) => `${what} ${ms.toFixed(1)} ms${name === 'node -e 0' ? '' : ` (${(ms - node).toFixed(1)} over)`}`,
    )
    console.log(`${name.padEnd(14)}  ${cells.join(', ')}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
