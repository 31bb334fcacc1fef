// Migrates 100,000 lines of the older tool, verifies them stamped, merges two branches of them; the best of some runs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureCall } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const { buildHallmark, mergeJournals, migrateMemory, verifyMemory } = loadAddon()
const { size, runs } = input
const WORDS = 'auth mocks jest cache queue retry timeout index parser build bundle token session path schema'.split(' ')
const TYPES = ['gotcha', 'lesson', 'decision', 'insight']

function thought(number) {
  const word = (at) => WORDS[(number * 7 + at * ((number % 5) + 1)) % WORDS.length]
  const content = `${Array.from({ length: 12 }, (_, at) => word(at)).join(' ')} ${number}`
  const type = TYPES[number % TYPES.length]
  return { content, project: 'shop', type, source: 'forge_sweep', captured_at: '2026-11-20T10:00:00.000Z' }
}

const thoughts = Array.from({ length: size }, (_, number) => thought(number))

function withProject(records, work) {
  const dir = mkdtempSync(join(tmpdir(), 'forge-memory-bench-'))
  mkdirSync(join(dir, '.forge'))
  writeFileSync(join(dir, '.forge', 'memory-captures.jsonl'), records.map((line) => `${line}\n`).join(''))
  try {
    return work({ projectDir: dir })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function best(work) {
  const times = Array.from({ length: runs }, work)
  return {
    wallMs: Math.min(...times.map((time) => time.wallUs)) / 1e3,
    cpuMs: Math.min(...times.map((time) => time.cpuUs)) / 1e3,
  }
}

const old = thoughts.map((record) => JSON.stringify(record))
const migrate = best(() => withProject(old, (options) => measureCall(() => migrateMemory(options))))
const stamped = thoughts.map((record, number) => {
  const whole = { _v: 1, id: `mem_${number.toString(16).padStart(32, '0')}`, ...record }
  return JSON.stringify({ ...whole, hallmark: buildHallmark({ toolName: 'bench', record: JSON.stringify(whole) }) })
})
const verify = withProject(stamped, (options) => best(() => measureCall(() => verifyMemory(options))))
const bytesOf = (lines) => Buffer.from(lines.map((line) => `${line}\n`).join(''))
const common = stamped.slice(0, size * 0.9)
const sides = [common, stamped.slice(0, size * 0.95), [...common, ...stamped.slice(size * 0.95)]].map(bytesOf)
const merge = best(() => measureCall(() => mergeJournals(...sides)))
report({ migrate, verify, merge })
