// Starts the MCP server on a store and talks to it over standard input and output, by hand: the answers are timed, not a client.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { median, percentile } from '../harness/statistics.mjs'

const { dir, cli, calls, queries, pause } = JSON.parse(process.argv[2])
const started = performance.now()
const server = spawn(process.execPath, [cli, 'mcp', '--project', dir], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line)
  waiting.get(id)?.(result)
})

let last = 0
function ask(method, params) {
  const id = ++last
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  return new Promise((resolve) => waiting.set(id, resolve))
}

await ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
})
const initialized = performance.now() - started
server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
if (pause !== undefined) {
  await ask('tools/list')
  await setTimeout(pause)
}
const times = []
for (let call = 0; call < calls; call++) {
  const query = queries[call % queries.length]
  const begun = performance.now()
  const { isError } = await ask('tools/call', { name: 'memory_recall', arguments: { query } })
  if (isError) throw new Error(`recall of ${query} failed`)
  times.push(performance.now() - begun)
}
server.stdin.end()
console.log(
  JSON.stringify({
    initialized,
    first: times[0],
    p50: median(times),
    p99: percentile(
      times.sort((a, b) => a - b),
      0.99,
    ),
  }),
)
