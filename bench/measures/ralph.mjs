// ralph: lists and queries of a loop's memory from the command line, from nothing to exit, against `node -e 0`; and the
// memory that takes, against the size of the file.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLI } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const ENTRIES = 100_000
const RUNS_A_ROUND = 3
/**
 * What the command may take beyond Node's own start, in milliseconds, and hold beyond what Node itself holds, as a multiple of the file.
 * A list of everything hands every entry to JavaScript, which lays out the table: about 10 us an entry. A query hands over ten.
 */
const LIMITS = {
  list: { milliseconds: 1000, memory: 12 },
  query: { milliseconds: 150, memory: 4 },
}

const WORDS =
  'auth mocks jest cache queue retry timeout index parser build bundle token session path flaky deploy schema migrate lock worker stream buffer config beforeEach resetAllMocks isolatedModules'.split(
    ' ',
  )
const TYPES = ['lesson_learned', 'failure_pattern', 'success_pattern']

/** A generator whose seed decides every number (mulberry32). */
function makeDice(seed) {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

/** Writes a store as loops do: pretty-printed, each entry a little younger than the one before it. */
function writeRalphStore(dir, count) {
  const roll = makeDice(7)
  const word = () => WORDS[roll(WORDS.length)]
  const words = (length) => Array.from({ length }, word).join(' ')
  const entries = Array.from({ length: count }, (_, at) => ({
    id: `mem_${at.toString(36).padStart(6, '0')}`,
    loopId: `loop-${Math.floor(at / 40)}`,
    iteration: 1 + (at % 9),
    createdAt: new Date(Date.UTC(2026, 0, 1) + at * 97_000).toISOString().replace('.000', ''),
    type: TYPES[roll(TYPES.length)],
    lesson: `When the ${words(6)} fails, ${words(5)} first (${at})`,
    context: `src/${word()}/${word()}.test.ts iteration ${1 + (at % 9)}`,
    tags: [word(), word()],
    confidence: roll(101) / 100,
  }))
  const folder = join(dir, '.aiwg', 'ralph')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'memory.json')
  writeFileSync(path, `${JSON.stringify(entries, null, 2)}\n`)
  return statSync(path).size
}

/** The most memory a command holds, in bytes; without one, what Node itself holds. */
function peakBytes(bench, args) {
  const tell = `process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));`
  const start = `process.argv.splice(1, 0, ${JSON.stringify(CLI)}); require(${JSON.stringify(CLI)})`
  const code = args === undefined ? tell : tell + start
  const options = { env: bench.children.environment, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] }
  const { status, stderr } = spawnSync(process.execPath, ['-e', code, '--', ...(args ?? [])], options)
  if (status !== 0) throw new Error(`ralph ended with ${status}: ${stderr}`)
  return Number(stderr) * 1024
}

export function measure(bench) {
  if (!existsSync(CLI)) return bench.skip('ralph', 'the command line is not built')
  const dir = bench.newProject('ralph')
  const fileBytes = writeRalphStore(dir, ENTRIES)
  const commands = {
    list: ['list'],
    'list --json': ['list', '--json'],
    query: ['query', '--query', 'auth mocks'],
    'query --since': ['query', '--query', 'isolatedModules', '--since', '2026-03-01'],
  }
  const asArguments = (args) => ['ralph', ...args, '--project', dir]
  const times = { node: [], ...Object.fromEntries(Object.keys(commands).map((name) => [name, []])) }
  bench.eachRound('ralph', () => {
    for (let run = 0; run < RUNS_A_ROUND; run++) {
      times.node.push(bench.children.milliseconds(process.execPath, ['-e', '0']))
      for (const [name, args] of Object.entries(commands)) {
        times[name].push(bench.children.milliseconds(process.execPath, [CLI, ...asArguments(args)]))
      }
    }
  })
  const nodeBytes = peakBytes(bench)
  return Object.entries(commands).flatMap(([name, args]) => {
    const peak = peakBytes(bench, asArguments(args))
    return [...timeRows(name, times[name], times.node), memoryRow(name, peak, nodeBytes, fileBytes)]
  })
}

function limitsOf(name) {
  return name.startsWith('list') ? LIMITS.list : LIMITS.query
}

function memoryRow(name, peak, nodeBytes, fileBytes) {
  return makeRow({
    measure: 'ralph',
    what: `forge-memory ralph ${name}, most memory beyond Node's own`,
    note: `${(peak / 2 ** 20).toFixed(0)} MiB with it`,
    size: ENTRIES,
    unit: 'MiB',
    ours: (peak - nodeBytes) / 2 ** 20,
    reference: { name: 'the file', value: fileBytes / 2 ** 20 },
    target: { ratioAtMost: limitsOf(name).memory },
  })
}

function timeRows(name, ours, node) {
  return Object.entries({ minimum: (list) => Math.min(...list), median }).map(([statistic, pick]) =>
    makeRow({
      measure: 'ralph',
      what: `forge-memory ralph ${name}, whole process, ${statistic}`,
      note: `${(pick(ours) - pick(node)).toFixed(1)} ms over`,
      size: ENTRIES,
      unit: 'ms',
      ours: pick(ours),
      reference: { name: 'node -e 0', value: pick(node) },
      // Other work only lengthens a process, so the least of several says most about ours.
      target: statistic === 'minimum' ? { overAtMost: limitsOf(name).milliseconds } : undefined,
    }),
  )
}
