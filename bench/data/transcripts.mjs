// Generates sessions in the formats of Claude Code and Codex. As in real stores, most bytes are tool output. A seed determines every byte.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from './random.mjs'

const WORDS =
  'auth cache queue retry timeout index parser build token session path schema migrate lock worker stream buffer config module handler route'.split(
    ' ',
  )
const SAID = [
  'run the tests',
  'fix the failing test',
  'from now on run make lint before you commit',
  'why does it fail?',
  'ok continue',
]
const BYTES_A_SESSION = 4 * 1024 * 1024

/** Writes sessions below a home folder until they have this many bytes. */
export function writeTranscripts(home, project, bytes, seed = 11) {
  const random = new Random(seed)
  let written = 0
  for (let at = 0; written < bytes; at++) {
    const isCodex = at % 3 === 2
    written += writeSession(home, project, at, isCodex, Math.min(BYTES_A_SESSION, bytes - written), random)
  }
  return written
}

function writeSession(home, project, at, isCodex, bytes, random) {
  const folder = isCodex
    ? join(home, '.codex', 'sessions', '2026', '08')
    : join(home, '.claude', 'projects', '-project')
  mkdirSync(folder, { recursive: true })
  const name = isCodex ? `rollout-${at}.jsonl` : `session-${at}.jsonl`
  const file = openSync(join(folder, name), 'w')
  const step = isCodex ? codexStep : claudeStep
  let written = 0
  if (isCodex)
    written += writeSync(file, line({ type: 'session_meta', payload: { id: `c${at}`, cwd: project, source: 'cli' } }))
  for (let turn = 0; written < bytes; turn++) written += writeSync(file, step(`s${at}`, project, turn, random))
  closeSync(file)
  return written
}

const line = (record) => `${JSON.stringify({ timestamp: '2026-08-01T09:00:00.000Z', ...record })}\n`
const pick = (random, list) => list[random.below(list.length)]

/** A page of output: lines of code and words. */
function output(random) {
  const words = () => Array.from({ length: 8 }, () => pick(random, WORDS)).join(' ')
  return Array.from(
    { length: 20 + random.below(200) },
    (_, at) => `${at}: const ${pick(random, WORDS)} = "${words()}"`,
  ).join('\n')
}

function claudeStep(session, cwd, turn, random) {
  const base = { sessionId: session, cwd, isSidechain: false }
  const call = `t${turn}`
  const said = {
    type: 'user',
    uuid: `${session}u${turn}`,
    ...base,
    message: { role: 'user', content: pick(random, SAID) },
  }
  const use = { type: 'tool_use', id: call, name: 'Bash', input: { command: `npm test -- ${pick(random, WORDS)}` } }
  const made = {
    type: 'assistant',
    uuid: `${session}a${turn}`,
    ...base,
    message: { role: 'assistant', content: [use] },
  }
  const text = output(random)
  const result = { type: 'tool_result', tool_use_id: call, content: text }
  const got = {
    type: 'user',
    uuid: `${session}r${turn}`,
    ...base,
    toolUseResult: { stdout: text },
    message: { role: 'user', content: [result] },
  }
  return line(said) + line(made) + line(got)
}

function codexStep(_session, _cwd, turn, random) {
  const item = (payload) => line({ type: 'response_item', payload })
  const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: pick(random, SAID) }] }
  const call = {
    type: 'function_call',
    name: 'exec_command',
    call_id: `c${turn}`,
    arguments: JSON.stringify({ cmd: 'make test' }),
  }
  const answer = `Process exited with code 0\nOutput:\n${output(random)}`
  return item(said) + item(call) + item({ type: 'function_call_output', call_id: `c${turn}`, output: answer })
}
