import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import * as main from '../dist/index.js'
import * as internal from '../dist/internal.js'
import { freshFolder, root } from './support/project.mjs'

/** What asks for the network, a download or the end of the process: those are for callers who mean it. */
const LEFT_OUT = new Set(['endProcess'])

const functions = Object.entries({ ...main, ...internal })
  .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name) && !LEFT_OUT.has(name))
  .map(([name]) => name)

test('no argument of any kind or position ends the process', async (t) => {
  const folder = freshFolder(t)
  const results = await Promise.all(split(functions, 2).map((names) => attack(names, folder)))
  const answers = results.flat()
  assert.deepEqual(
    new Set(answers.map(({ name }) => name)),
    new Set(functions),
    'every function that is exported is attacked',
  )
  // An exception of a getter is the caller's; a defect of ours would be reported as `INTERNAL`.
  const odd = answers.filter(({ outcome }) => outcome === 'INTERNAL')
  assert.deepEqual(odd, [])
})

test('what is no object of options is refused, and not copied element by element', async () => {
  for (const wrong of ['text', [], new Uint8Array(4), null])
    await assert.rejects(main.restoreFromStore(wrong), { code: 'INVALID_INPUT' })
})

function split(names, parts) {
  return Array.from({ length: parts }, (_, part) => names.filter((_, at) => at % parts === part))
}

/** Calls them in a process of its own, and hears of each call how it ended. */
async function attack(names, folder) {
  const child = spawn(
    process.execPath,
    [join(root, '__test__/support/children/hostile-arguments.mjs'), folder, ...names],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FORGE_HOME: join(folder, 'home'), FORGE_OPENBRAIN: 'off' },
    },
  )
  const texts = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (chunk) => (texts[stream] += chunk))
  const [code, signal] = await new Promise((resolve) => child.on('close', (...ended) => resolve(ended)))
  const lines = texts.stdout.split('\n').filter((line) => line !== '')
  assert.deepEqual([code, signal], [0, null], `${lines.at(-1)}\n${texts.stderr.slice(-2000)}`)
  return lines.map((line) => JSON.parse(line)).filter(({ outcome }) => outcome !== undefined)
}
