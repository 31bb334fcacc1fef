// npm run test:busy: runs JavaScript tests again and again beside as many busy loops as there are processors, and tells which failed.
//   npm run test:busy -- --times 10 watcher hub-processes     these specifications; all of them when none is named
// The checkout must have been set up, as `npm test` does it.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { launch } from './setup/launch.mjs'

launch(async ({ root }) => {
  const { specFiles } = await import('./spec-files.mjs')
  const { testEnvironment } = await import('./setup/test-environment.mjs')
  const { values, positionals } = parseArgs({ options: { times: { type: 'string' } }, allowPositionals: true })
  const times = Number(values.times ?? 3)
  const nameOf = (path) => basename(path, '.spec.mjs')
  const wanted = specFiles(root).filter((path) => positionals.length === 0 || positionals.includes(nameOf(path)))
  if (wanted.length === 0) throw new Error(`no specification is called ${positionals.join(' or ')}`)

  const loops = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']))
  const { env, strayed, remove } = testEnvironment(root)
  const failures = new Map()
  try {
    for (let round = 1; round <= times; round += 1) {
      for (const path of wanted) {
        const started = Date.now()
        const { status, text } = await run(path, { cwd: root, env })
        const seconds = Math.round((Date.now() - started) / 1000)
        console.log(`${round}/${times} ${nameOf(path)}: ${status === 0 ? 'passed' : 'FAILED'} after ${seconds} s`)
        if (status === 0) continue
        console.log(text)
        failures.set(nameOf(path), (failures.get(nameOf(path)) ?? 0) + 1)
      }
    }
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
  const elsewhere = strayed()
  remove()
  for (const [name, count] of failures) console.log(`${name} failed ${count} of ${times} times`)
  if (elsewhere.length > 0) console.log(`tests FAILED to stay on this machine:\n${elsewhere.join('\n')}`)
  if (failures.size === 0) console.log(`all ${wanted.length} passed ${times} times`)
  return failures.size > 0 || elsewhere.length > 0 ? 1 : 0
})

/** Runs one specification and resolves with its exit code and what it printed. */
function run(path, options) {
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', path], options)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more))
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, text })))
}
