// Imports records of 600 bytes that are years old into an empty project.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeNote } from '../data/prose.mjs'
import { Random } from '../data/random.mjs'
import { measureCall } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const TEXT_BYTES = 480
const FIRST_MS = Date.UTC(2024, 0, 1)

const { importMemory } = loadAddon()
const random = new Random(17)
const records = Array.from({ length: input.size }, (_, number) => ({
  content: makeNote(random, TEXT_BYTES),
  type: 'lesson',
  project: 'bench',
  source: 'older/tool',
  captured_at: new Date(FIRST_MS + number * 60_000).toISOString(),
}))
const file = join(input.dir, 'older.jsonl')
writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
let outcome
const { wallUs, cpuUs } = measureCall(() => {
  outcome = importMemory(file, { projectDir: input.dir })
})
if (outcome.imported !== input.size) throw new Error(`${outcome.imported} of ${input.size} records were imported`)
report({ wallMs: wallUs / 1e3, cpuMs: cpuUs / 1e3 })
