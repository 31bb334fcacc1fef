// What an older version of this program does to the files that it derives, for as long as it runs: it deletes what it does not know in its
// own folder of the index, and writes its own counts and states of the queue, without the marks that later versions demand.
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const forge = join(process.argv[2], '.forge')
const folder = join(forge, 'index', 'memory-captures')
mkdirSync(folder, { recursive: true })

function replace(path, text) {
  writeFileSync(`${path}.tmp`, text)
  renameSync(`${path}.tmp`, path)
}

function sizeOf(name) {
  return statSync(join(forge, name), { throwIfNoEntry: false })?.size ?? 0
}

let round = 0
function rewrite() {
  round += 1
  const end = sizeOf('memory-captures.jsonl')
  const own = `${round}.seg`
  writeFileSync(join(folder, own), `a segment of ${end} bytes`)
  const segments = [{ name: own, start: 0, end, docs: 1, source_hash: 1, tail_hash: 2, hash: 3 }]
  replace(join(folder, 'manifest.json'), JSON.stringify({ format: 1, threshold: 0.9, source: {}, segments }))
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.seg') && name !== own) rmSync(join(folder, name), { force: true })
  }
  replace(join(forge, 'index', 'tallies.json'), JSON.stringify({ format: 1, files: {} }))
  // As if everything in the queue were delivered.
  const from = sizeOf('openbrain-queue.jsonl')
  const state = { queue: { volume: 1, index: 2 }, from, tail: 1, doneBytes: from, done: round, waiting: 0 }
  appendFileSync(
    join(forge, 'openbrain-settled.jsonl'),
    `${JSON.stringify({ _v: 1, at: new Date().toISOString(), state })}\n`,
  )
  process.stdout.write(`${JSON.stringify({ round })}\n`)
  setImmediate(rewrite)
}
rewrite()
