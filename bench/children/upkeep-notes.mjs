// What works on all lines of a memory, on notes of every length.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLessons } from '../data/dataset.mjs'
import { rawLogPath } from '../data/store.mjs'
import { measureCall } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const FORGOTTEN_SHARE = 0.1

const addon = loadAddon()
const options = { projectDir: input.dir }
const path = rawLogPath(input.dir)
const costs = {}
const measure = (name, work) => {
  const { wallUs, cpuUs } = measureCall(work)
  costs[name] = { wallMs: wallUs / 1e3, cpuMs: cpuUs / 1e3 }
}
const linesOf = (records) => records.map((record) => `${JSON.stringify(record)}\n`)

const older = readLessons(input.corpus).map(({ type, content }) => ({
  content,
  project: 'bench',
  type,
  source: 'forge_sweep',
  captured_at: '2026-11-20T10:00:00.000Z',
}))
mkdirSync(join(input.dir, '.forge'), { recursive: true })
writeFileSync(path, linesOf(older).join(''))
measure('migrate', () => addon.migrateMemory(options))
measure('verify', () => addon.verifyMemory(options))
measure('index', () => {
  rmSync(join(input.dir, '.forge', 'index'), { recursive: true, force: true })
  addon.recall('anything', options)
  addon.settleIndex(options)
})
measure('audit', () => addon.auditMemory(options))
measure('export', () => addon.exportMemory({ ...options, format: 'md' }))

const lines = readFileSync(path, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => `${line}\n`)
const common = lines.slice(0, lines.length * 0.9)
const ours = lines.slice(0, lines.length * 0.95)
const theirs = [...common, ...lines.slice(lines.length * 0.95)]
const sides = [common, ours, theirs].map((side) => Buffer.from(side.join('')))
measure('merge', () => addon.mergeJournals(...sides))

const gone = lines.slice(0, lines.length * FORGOTTEN_SHARE).map((line) => JSON.parse(line).id)
const at = '2026-11-21T10:00:00.000Z'
writeFileSync(path, [...lines, ...linesOf(gone.map((id) => ({ _v: 1, _action: 'delete', id, at })))].join(''))
measure('compact', () => addon.compactMemory(options))
report(costs)
