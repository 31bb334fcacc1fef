// What agents wait for: the first answer of the MCP server, a recall over it, a hook from nothing to exit.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readQueries } from '../data/dataset.mjs'
import { CLI } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const SIZE = 100_000
const CALLS = 200
const RUNS_A_ROUND = 5
/** What the server may take beyond Node's own start, until it has answered `initialize`. */
const INITIALIZE_MS = 150
const RECALL_MS = 2
/** What a hook may take beyond Node's own start. */
const HOOK_MS = 100

export function measure(bench) {
  if (!existsSync(CLI)) return bench.skip('agents', 'the command line is not built')
  const dir = bench.written(SIZE)
  const queries = readQueries(bench.dataset(SIZE).queries).map(({ text }) => text)
  const times = { node: [], initialize: [], recall: [], SessionStart: [], UserPromptSubmit: [], PreToolUse: [] }
  bench.eachRound('agents', () => {
    for (let run = 0; run < RUNS_A_ROUND; run++) {
      times.node.push(bench.children.milliseconds(process.execPath, ['-e', '0']))
      const { initialized, p50 } = bench.children.run('mcp-calls', { dir, cli: CLI, calls: CALLS, queries })
      times.initialize.push(initialized)
      times.recall.push(p50)
      for (const event of ['SessionStart', 'UserPromptSubmit']) {
        times[event].push(runHook(bench, event, { cwd: dir, session_id: 'bench', prompt: queries[run] }))
      }
      const edit = { tool_name: 'Edit', tool_input: { file_path: 'src/auth/login.ts', new_string: queries[run] } }
      times.PreToolUse.push(runHook(bench, 'PreToolUse', { cwd: dir, session_id: 'bench', ...edit }))
    }
  })
  const node = Math.min(...times.node)
  const over = (name) => `${(Math.min(...times[name]) - node).toFixed(1)} ms over`
  const row = (what, name, target) =>
    makeRow({
      measure: 'agents',
      what,
      note: name === 'recall' ? undefined : over(name),
      size: SIZE,
      unit: 'ms',
      ours: Math.min(...times[name]),
      reference: name === 'recall' ? undefined : { name: 'node -e 0', value: node },
      target,
    })
  return [
    row('MCP server, from its start to the answer to initialize, minimum', 'initialize', { overAtMost: INITIALIZE_MS }),
    row('memory_recall over standard input and output, p50, best run', 'recall', { atMost: RECALL_MS }),
    makeRow({ measure: 'agents', what: 'the same, median run', size: SIZE, unit: 'ms', ours: median(times.recall) }),
    row('hook SessionStart, whole process, minimum', 'SessionStart', { overAtMost: HOOK_MS }),
    row('hook UserPromptSubmit, whole process, minimum', 'UserPromptSubmit', { overAtMost: HOOK_MS }),
    row('hook PreToolUse before an edit, whole process, minimum', 'PreToolUse', { overAtMost: HOOK_MS }),
  ]
}

function runHook(bench, event, payload) {
  // Without its deadline: how long it really takes is the question.
  const env = { ...bench.children.environment, FORGE_MEMORY_HOOK_DEADLINE_MS: '10000' }
  const options = { env, input: JSON.stringify(payload), encoding: 'utf8' }
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'hook', event], options)
  const elapsed = performance.now() - start
  if (status !== 0) throw new Error(`hook ${event} ended with ${status}: ${stderr}`)
  if (event === 'SessionStart' && stdout === '') throw new Error(`hook ${event} had nothing to say: ${stderr}`)
  return elapsed
}
