// Adds records to a memory over MCP and searches it, one call after the other. What the server answers is timed, not the client. The
// same loop serves this package and the protocol's own reference server, each on a store that holds the same lessons.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { median } from '../harness/statistics.mjs'
import { input, report } from './process.mjs'

const { args, env, add, search, texts, queries } = input
const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, ...env } })
const waiting = new Map()
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result, error } = JSON.parse(line)
  waiting.get(id)?.(result ?? { isError: true, error })
})

let last = 0
function ask(method, params) {
  const id = ++last
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** Puts a text where the arguments of a tool say `$text`. */
function filled(template, text) {
  return JSON.parse(JSON.stringify(template).replaceAll('"$text"', () => JSON.stringify(text)))
}

async function time(tool, list) {
  const times = []
  for (const text of list) {
    const begun = performance.now()
    const answer = await ask('tools/call', { name: tool.name, arguments: filled(tool.arguments, text) })
    if (answer.isError) throw new Error(`${tool.name} failed: ${JSON.stringify(answer).slice(0, 500)}`)
    times.push(performance.now() - begun)
  }
  return median(times)
}

await ask('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
})
server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
// The first call of a server loads what the others use.
await time(search, queries.slice(0, 1))
const added = await time(add, texts)
const searched = await time(search, queries.slice(1))
server.stdin.end()
report({ added, searched })
