// What a hundred million thoughts in ten thousand projects need, by the sizes that were measured, and how evenly the hash of a project's name
// spreads them: a simulation with projects of very different sizes, no measurement.
//   node bench/scale-model.mjs [--thoughts 100000000] [--projects 10000] [--databases 64] [--servers 4]
import { createHash } from 'node:crypto'
import { Random } from './data/random.mjs'
import { option } from './harness/option.mjs'

/** Bytes for each thought with 384 dimensions, of docs/reference/teams.md. */
const BYTES = { texts: 1685, vectors: 1719, hnsw: 2048, audit: 249 }
/** The exponent of the sizes of projects: the largest ones have most of the thoughts. */
const SKEWS = [0, 0.5, 0.8, 1]
const GB = 1e9
const thoughts = option('--thoughts', 100_000_000)
const projects = option('--projects', 10_000)
const databases = option('--databases', 64)
const servers = option('--servers', 4)

/** The same number as that of the shell command in docs/reference/teams.md. */
const databaseOf = (name) => Number.parseInt(createHash('md5').update(name).digest('hex').slice(0, 8), 16) % databases

function sizesOf(skew) {
  const random = new Random(7)
  const shares = Array.from({ length: projects }, (_, rank) => (rank + 1) ** -skew)
  const sum = shares.reduce((total, share) => total + share, 0)
  return shares.map((share) => ({ name: `project-${random.below(1e9)}`, count: (thoughts * share) / sum }))
}

function spread(skew) {
  const [inDatabase, onServer] = [new Array(databases).fill(0), new Array(servers).fill(0)]
  const sizes = sizesOf(skew)
  for (const { name, count } of sizes) {
    const at = databaseOf(name)
    inDatabase[at] += count
    onServer[at % servers] += count
  }
  return { largest: sizes[0].count, database: Math.max(...inDatabase), server: Math.max(...onServer) }
}

const each = Object.values(BYTES).reduce((total, bytes) => total + bytes, 0)
const millions = (count) => (count / 1e6).toFixed(2)
console.log('skew | largest project | largest database | its HNSW index | largest server: disk, HNSW index')
for (const skew of SKEWS) {
  const { largest, database, server } = spread(skew)
  const gb = (count, bytes) => `${((count * bytes) / GB).toFixed(1)} GB`
  console.log(
    `${skew} | ${millions(largest)} million | ${millions(database)} million | ${gb(database, BYTES.hnsw)} | ${gb(server, each)}, ${gb(server, BYTES.hnsw)}`,
  )
}
