// What people use instead: the reference memory server of the Model Context Protocol, over the same protocol, on the same lessons.
import { closeSync, openSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readLessons, readQueries } from '../data/dataset.mjs'
import { CLI, installReferences } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const CALLS = 20
const SERVER = fileURLToPath(
  new URL('../references/node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url),
)

/** The reference server: its entities are lines of one file, which every call reads, and every addition writes again. */
function referenceServer(bench, size, lessons) {
  const file = bench.path(`server-memory-${size}.json`)
  const handle = openSync(file, 'w')
  for (const [at, { content, type }] of lessons.entries()) {
    writeSync(
      handle,
      `${JSON.stringify({ type: 'entity', name: `lesson-${at}`, entityType: type, observations: [content] })}\n`,
    )
  }
  closeSync(handle)
  const entity = { name: '$text', entityType: 'lesson', observations: ['$text'] }
  return {
    args: [SERVER],
    env: { MEMORY_FILE_PATH: file },
    add: { name: 'create_entities', arguments: { entities: [entity] } },
    // It finds what contains the whole query.
    search: { name: 'search_nodes', arguments: { query: '$text' } },
  }
}

function ownServer(bench, size) {
  return {
    args: [CLI, 'mcp', '--tools', 'full', '--project', bench.written(size)],
    env: bench.children.environment,
    add: { name: 'forge_memory_capture', arguments: { content: '$text', type: 'lesson', source: 'bench' } },
    search: { name: 'memory_recall', arguments: { query: '$text' } },
  }
}

export function measure(bench) {
  installReferences()
  return bench.options.sizes.flatMap((size) => {
    const { corpus: path, queries } = bench.dataset(size)
    const lessons = readLessons(path)
    // The rarest word of a query: the reference server would find nothing for several.
    const words = readQueries(queries)
      .slice(0, CALLS + 1)
      .map(({ text }) => text.split(' ').sort((a, b) => b.length - a.length)[0])
    const servers = { ours: ownServer(bench, size), theirs: referenceServer(bench, size, lessons) }
    const times = { ours: [], theirs: [] }
    bench.eachRound(`peers at ${size}`, (round) => {
      const texts = Array.from(
        { length: CALLS },
        (_, at) => `Deploys of service ${round}-${at} wait for the lock of shard ${at}`,
      )
      for (const [name, server] of Object.entries(servers)) {
        times[name].push(bench.children.run('peer-calls', { ...server, texts, queries: words }))
      }
    })
    const row = (what, field) =>
      makeRow({
        measure: 'peers',
        what,
        size,
        unit: 'ms',
        ours: median(times.ours.map((run) => run[field])),
        reference: { name: 'server-memory', value: median(times.theirs.map((run) => run[field])) },
      })
    return [
      row('adding one record over MCP, p50 on the clock', 'added'),
      row('a search for one word over MCP, p50 on the clock', 'searched'),
    ]
  })
}
