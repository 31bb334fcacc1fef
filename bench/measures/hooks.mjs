// Hooks: the whole process that an agent waits for at each event, from start to exit, alone and beside a busy core.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readQueries } from '../data/dataset.mjs'
import { ROOT } from '../harness/bench.mjs'
import { besideBusyCore, percentilesOf, timeProcess } from '../harness/processes.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZES = [1000, 100_000]
const RUNS_A_ROUND = 20
/** The goals by event: the median alone by the number of records, and the slowest of a hundred beside a busy core. */
const GOALS = {
  PreToolUse: { p50: { 1000: 8, 100000: 15 }, p99: 30 },
  UserPromptSubmit: { p50: { 1000: 15, 100000: 15 }, p99: 30 },
  SessionStart: { p50: { 1000: 30, 100000: 30 } },
  PostToolUse: { p50: { 1000: 15, 100000: 15 } },
}
const EVENTS = Object.keys(GOALS)
const PROGRAM = readdirSync(ROOT).find((name) => name.startsWith('forge-memory-hook.'))

export async function measure(bench) {
  if (PROGRAM === undefined) return bench.skip('hooks', 'the program of hooks is not built')
  if (spawnSync('bash', ['-c', 'true']).status !== 0)
    return bench.skip('hooks', 'needs bash, whose `time` counts processor time')
  const rows = []
  for (const size of SIZES) {
    const dir = bench.written(size)
    const texts = readQueries(bench.dataset(size).queries).map(({ text }) => text)
    const alone = times(bench, () => runs(bench, dir, texts))
    const busy = times(bench, () => besideBusyCore(() => runs(bench, dir, texts)))
    rows.push(...rowsOf('alone', size, alone), ...rowsOf('beside a busy core', size, busy))
  }
  return rows
}

function times(bench, work) {
  const all = Object.fromEntries([...EVENTS, 'node'].map((name) => [name, []]))
  bench.eachRound('hooks', () => {
    for (const [name, list] of Object.entries(work())) all[name].push(...list)
  })
  return all
}

/** What hosts hand to a hook: an edit, a prompt, a start, and a failed test, which is learned from. */
function payloadsAbout(text) {
  const edit = {
    tool_name: 'Edit',
    tool_input: { file_path: 'src/auth/login.ts', new_string: `refreshSession(${text})` },
  }
  const failed = {
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_response: { exitCode: 1, stdout: `Error: ${text}` },
  }
  return { PreToolUse: edit, UserPromptSubmit: { prompt: text }, SessionStart: {}, PostToolUse: failed }
}

function runs(bench, dir, texts) {
  // Node would read these certificates at its start; no hook needs them.
  const { NODE_EXTRA_CA_CERTS, ...inherited } = bench.children.environment
  const env = { ...inherited, FORGE_MEMORY_HOOK_DEADLINE_MS: '10000' }
  const made = Object.fromEntries([...EVENTS, 'node'].map((name) => [name, []]))
  for (let run = 0; run < RUNS_A_ROUND; run += 1) {
    const text = texts[run % texts.length]
    const base = { session_id: `bench-${process.pid}-${Math.random()}`, cwd: dir }
    for (const [event, fields] of Object.entries(payloadsAbout(text)))
      made[event].push(
        timeProcess(join(ROOT, PROGRAM), [event], { env, input: JSON.stringify({ ...base, ...fields }) }),
      )
    made.node.push(timeProcess(process.execPath, ['-e', '0'], { env }))
  }
  return made
}

function rowsOf(how, size, times) {
  const node = percentilesOf(times.node)
  return EVENTS.flatMap((event) => {
    const { wall, cpu } = percentilesOf(times[event])
    const { p50, p99 } = GOALS[event]
    const isAlone = how === 'alone'
    const row = (what, ours, reference, atMost) =>
      makeRow({
        measure: 'hooks',
        what: `${event}, ${how}: ${what}`,
        size,
        unit: 'ms',
        ours,
        target: atMost === undefined ? undefined : { atMost },
        reference: { name: 'node -e 0', value: reference },
      })
    return [
      row('processor time, p50', cpu.p50, node.cpu.p50),
      row('processor time, p99', cpu.p99, node.cpu.p99),
      row('on the clock, p50', wall.p50, node.wall.p50, isAlone ? p50[size] : undefined),
      row('on the clock, p99', wall.p99, node.wall.p99, isAlone ? undefined : p99),
    ]
  })
}
