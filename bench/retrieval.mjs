#!/usr/bin/env node
// How well search finds things: by words, by meaning, and both fused, on sets with known answers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from './harness/machine.mjs'
import { figuresOf, putFigures } from './retrieval/page.mjs'
import { fuse, qualityOf, rankOf, sureness } from './retrieval/quality.mjs'
import { byMeaning, byStore, byWords } from './retrieval/searchers.mjs'
import { readSets } from './retrieval/sets.mjs'
import { vectorsOf } from './retrieval/vectors.mjs'

const USAGE = `usage: node bench/retrieval.mjs --data DIR [options]

  --data DIR    where the folders cosqa/ and commits/ are          (default FORGE_RETRIEVAL_DATA)
  --only NAME   one set only
  --model DIR   the folder of the installed model                  (default that of the user)
  --work DIR    where vectors and stores go                        (default a folder in the system's temporary one)
  --save        put the figures into docs/retrieval.md
  --json        one JSON document on standard output, no table
`
const PAGE = fileURLToPath(new URL('../docs/retrieval.md', import.meta.url))

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: process.env.FORGE_RETRIEVAL_DATA },
    only: { type: 'string' },
    model: { type: 'string' },
    work: { type: 'string', default: join(tmpdir(), 'forge-memory-retrieval') },
    save: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (options.help || options.data === undefined) {
  process.stderr.write(USAGE)
  process.exit(options.help ? 0 : 2)
}

async function ranksOf(queries, search) {
  const ranks = []
  for (const [at, query] of queries.entries()) ranks.push(rankOf(await search(query, at), query.answer))
  return ranks
}

async function evaluate(set) {
  process.stderr.write(`${set.title}\n`)
  const vectors = await vectorsOf(set, options.work, options.model)
  const words = byWords(set, options.work)
  const meaning = byMeaning(set, vectors)
  const both = (query, at) => fuse([words(query, at), meaning(query, at)])
  const ways = { 'recall, by words': words, 'by meaning': meaning, 'both, fused by rank': both }
  const storeByWords = await byStore(set, vectors, options.work, { semantic: false })
  if (storeByWords) {
    ways['embedded store, by words'] = storeByWords
    ways['embedded store, fused'] = await byStore(set, vectors, options.work, { semantic: true })
  }
  const rows = []
  for (const [way, search] of Object.entries(ways)) {
    const ranks = await ranksOf(set.queries, search)
    rows.push({ way, ranks, ...qualityOf(ranks) })
    process.stderr.write(`  ${way}: MRR ${rows.at(-1).mrr.toFixed(4)}\n`)
  }
  const of = (way) => rows.find((row) => row.way === way)
  const pairs = [['both, fused by rank', 'recall, by words']]
  if (storeByWords) pairs.push(['embedded store, fused', 'embedded store, by words'])
  const gains = pairs.map(([better, worse]) => ({
    better,
    worse,
    gain: of(better).mrr - of(worse).mrr,
    sureness: sureness(of(better).ranks, of(worse).ranks),
  }))
  return { name: set.name, title: set.title, rows: rows.map(({ ranks, ...row }) => row), gains }
}

mkdirSync(options.work, { recursive: true })
const results = []
for (const set of readSets(options.data))
  if (!options.only || options.only === set.name) results.push(await evaluate(set))
const machine = { ...describeMachine([]), command: 'node bench/retrieval.mjs --data DIR' }
if (options.save) writeFileSync(PAGE, putFigures(readFileSync(PAGE, 'utf8'), figuresOf(results, machine)))
process.stdout.write(options.json ? `${JSON.stringify({ machine, results }, null, 2)}\n` : figuresOf(results, machine))
// Fused search that is no better than words alone is a failure of the product, and of this run.
if (results.length === 0 || results.some(({ gains }) => gains.some(({ gain }) => gain <= 0))) process.exitCode = 1
