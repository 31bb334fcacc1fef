// Hooks: the whole process that an agent waits for before each tool call, from start to exit, alone and beside a busy core.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readQueries } from '../data/dataset.mjs'
import { CLI } from '../harness/bench.mjs'
import { besideBusyCore, percentilesOf, timeProcess } from '../harness/processes.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZES = [1000, 100_000]
const RUNS_A_ROUND = 20
const P99_MS = 90
/** The timeout until hooks find a started server. */
const SERVER_MS = 20_000

export async function measure(bench) {
  if (!existsSync(CLI)) return bench.skip('hooks', 'the command line is not built')
  if (spawnSync('bash', ['-c', 'true']).status !== 0)
    return bench.skip('hooks', 'needs bash, whose `time` counts processor time')
  const rows = []
  for (const size of SIZES) {
    const dir = bench.written(size)
    const texts = readQueries(bench.dataset(size).queries).map(({ text }) => text)
    const alone = times(bench, () => runs(bench, dir, texts))
    const busy = times(bench, () => besideBusyCore(() => runs(bench, dir, texts)))
    rows.push(...rowsOf('alone', size, alone), ...rowsOf('beside a busy core', size, busy))
    const server = await serve(bench, dir)
    try {
      rows.push(
        ...rowsOf(
          'beside a busy core, answered by serve',
          size,
          times(bench, () => besideBusyCore(() => runs(bench, dir, texts))),
        ),
      )
    } finally {
      server.kill('SIGTERM')
    }
  }
  return rows
}

function times(bench, work) {
  const all = { PreToolUse: [], UserPromptSubmit: [], node: [] }
  bench.eachRound('hooks', () => {
    for (const [name, list] of Object.entries(work())) all[name].push(...list)
  })
  return all
}

function runs(bench, dir, texts) {
  // Node would read these certificates at its start; no hook needs them.
  const { NODE_EXTRA_CA_CERTS, ...inherited } = bench.children.environment
  const env = { ...inherited, FORGE_MEMORY_HOOK_DEADLINE_MS: '10000' }
  const made = { PreToolUse: [], UserPromptSubmit: [], node: [] }
  for (let run = 0; run < RUNS_A_ROUND; run += 1) {
    const text = texts[run % texts.length]
    const base = { session_id: `bench-${process.pid}-${Math.random()}`, cwd: dir }
    const edit = {
      tool_name: 'Edit',
      tool_input: { file_path: 'src/auth/login.ts', new_string: `refreshSession(${text})` },
    }
    for (const [event, fields] of [
      ['PreToolUse', edit],
      ['UserPromptSubmit', { prompt: text }],
    ])
      made[event].push(
        timeProcess(process.execPath, [CLI, 'hook', event], { env, input: JSON.stringify({ ...base, ...fields }) }),
      )
    made.node.push(timeProcess(process.execPath, ['-e', '0'], { env }))
  }
  return made
}

function rowsOf(how, size, times) {
  const node = percentilesOf(times.node)
  return ['PreToolUse', 'UserPromptSubmit'].flatMap((event) => {
    const { wall, cpu } = percentilesOf(times[event])
    const row = (what, ours, reference, target) =>
      makeRow({
        measure: 'hooks',
        what: `${event}, ${how}: ${what}`,
        size,
        unit: 'ms',
        ours,
        target,
        reference: { name: 'node -e 0', value: reference },
      })
    return [
      row('processor time, p50', cpu.p50, node.cpu.p50),
      row('processor time, p99', cpu.p99, node.cpu.p99, { atMost: P99_MS }),
      row('on the clock, p50', wall.p50, node.wall.p50),
      row('on the clock, p99', wall.p99, node.wall.p99, how === 'alone' ? undefined : { atMost: P99_MS }),
    ]
  })
}

function serve(bench, dir) {
  const args = [CLI, 'serve', '--port', '0', '--project', dir]
  const child = spawn(process.execPath, args, { env: bench.children.environment, stdio: ['ignore', 'pipe', 'ignore'] })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server does not start')), SERVER_MS)
    child.stdout.once('data', () => {
      clearTimeout(timer)
      resolve(child)
    })
  })
}
