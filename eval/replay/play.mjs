// Plays sessions against the real hook command, one process per step, and collects the injected notes.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callOf, kindOf } from './hosts.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(
  root,
  readdirSync(root).find((name) => name.startsWith('forge-memory-hook.') && !name.endsWith('.tmp')),
)
const require = createRequire(import.meta.url)

/** Creates a temporary folder for projects and the state of hooks; `close` removes it. */
export function openStage() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-replay-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  return { folder, home, close: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Creates a project with its files and records. Returns the keys of the records by their short ids. */
export function makeProject({ folder, home }, { id, files, memories }) {
  const cwd = join(folder, id)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  mkdirSync(join(cwd, '.forge'), { recursive: true })
  process.env.FORGE_HOME = home
  const { captureMemory } = require(join(root, 'dist/index.js'))
  const keys = new Map()
  for (const { key, type, text } of memories) {
    const { id: stored } = captureMemory({ type, body: text, source: 'replay' }, { projectDir: cwd })
    keys.set(stored.slice(-8), key)
  }
  return { cwd, keys }
}

/** Plays one session. Returns for each step the injected notes, their evidence, tokens, and the duration. */
export async function playSession(stage, { cwd, keys }, { id: session, host, steps }) {
  const played = []
  for (const [at, step] of steps.entries()) {
    const call = callOf(host, step, { session, cwd, id: `${session}-${at}` })
    const before = injectionsIn(stage.home).length
    const started = performance.now()
    const { status, stdout, stderr } = await runHook(stage, cwd, call)
    const ms = performance.now() - started
    const [entry] = injectionsIn(stage.home, session).slice(-1)
    const isInjected = stdout !== ''
    const lines =
      isInjected && injectionsIn(stage.home).length > before
        ? entry.ids.map((one, n) => [keys.get(one.slice(-8)) ?? one, entry.why[n]])
        : []
    played.push({
      session,
      step,
      kind: kindOf(step),
      status,
      stderr,
      stdout,
      ms,
      tokens: isInjected ? entry.tokens : 0,
      notes: lines.map(([key, why]) => ({ key, why, isExact: /^(file|command) /.test(why) })),
    })
  }
  return played
}

function runHook({ home }, cwd, { args, payload }) {
  const env = {
    ...process.env,
    FORGE_HOME: home,
    FORGE_MEMORY_HOOK_DEADLINE_MS: process.env.FORGE_MEMORY_HOOK_DEADLINE_MS ?? '20000',
  }
  const child = spawn(program, args, { cwd, env })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  child.stdin.end(JSON.stringify(payload))
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (status) => resolve({ status, stdout, stderr }))
  })
}

/** Reads the injections from the journal of the hooks. */
function injectionsIn(home) {
  const folder = join(home, 'moments')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'told')
    .sort((a, b) => (a.at < b.at ? -1 : 1))
}
