// What a package has to do on a machine of its platform.

const LOADED = `
const memory = require('forge-memory')
const { header, sharedObjects } = process.report.getReport()
const libraries = sharedObjects.filter((file) => /\\.node$|libc[.-]|ld-/.test(file))
console.log(JSON.stringify({ node: process.version, processor: process.arch, glibc: header.glibcVersionRuntime ?? 'none', libraries }))
`

const MEMORY = `
const { captureMemory, recall } = require('forge-memory')
const { captured } = captureMemory({ type: 'lesson', body: 'pnpm vitest --run for CI' })
console.log(JSON.stringify({ captured, found: recall('vitest').hits.length }))
`

const IMPORTED = `
import { recall } from 'forge-memory'
console.log(JSON.stringify({ found: recall('vitest').hits.length }))
`

const GRAPH = `
const { latticeCallers, latticeIndex } = require('forge-memory')
latticeIndex().then(({ filesIndexed }) => {
  console.log(JSON.stringify({ filesIndexed, callers: latticeCallers({ name: 'sum' }) }))
})
`

const STORE = `
const { EmbeddedStore } = require('forge-memory')
EmbeddedStore.open().count().then((stored) => console.log(JSON.stringify({ stored })))
`

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } },
}

const command = (...args) => ['node_modules/forge-memory/dist/cli/main.js', ...args]

/**
 * The programs, in their order: each with what it shows, the words after `node`, what has to be in its output, and what it reads. What the
 * first one prints is shown.
 */
export const PROBES = [
  { what: 'require', words: ['loaded.cjs'], has: 'forge-memory.linux-', isShown: true },
  { what: 'capture and recall', words: ['memory.cjs'], has: '"found":1' },
  { what: 'import', words: ['imported.mjs'], has: '"found":1' },
  { what: 'the shared store', words: ['store.cjs'], has: '"stored":0' },
  { what: 'the code graph', words: ['graph.cjs'], has: '"total"' },
  { what: 'the command', words: command('recall', 'vitest', '--json'), has: 'pnpm vitest' },
  {
    what: 'a model is installed',
    words: command('model', 'install', 'tiny', '--from', 'model', '--json'),
    has: 'tiny',
  },
  { what: 'and chosen', words: command('model', 'use', 'tiny', '--json'), has: 'tiny' },
  { what: 'vectors are computed', words: command('embed', '--json'), has: '"made": 1' },
  { what: 'MCP initialize', words: command('mcp'), has: '"serverInfo"', input: `${JSON.stringify(INITIALIZE)}\n` },
]

/** The files of the programs, by their names. */
export const PROGRAMS = {
  'loaded.cjs': LOADED,
  'memory.cjs': MEMORY,
  'imported.mjs': IMPORTED,
  'graph.cjs': GRAPH,
  'store.cjs': STORE,
}
