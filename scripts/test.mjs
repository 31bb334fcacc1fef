// npm test: sets the checkout up as far as needed, then runs every test.
//   npm test                   both halves side by side: tests wait for processes, files and compilers more than they compute
//   npm test -- --only rust    or: --only node
//   npm test -- --prebuilt     uses the addon that lies in the package root as it is, and needs no Rust for --only node
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launch } from './setup/launch.mjs'

launch(async ({ prepare, root }) => {
  const { availableParallelism } = await import('node:os')
  const { specFiles } = await import('./spec-files.mjs')
  const { allCrates, engineOptions, samplesOfLargeCrates } = await import('./setup/cargo.mjs')
  const { testEnvironment } = await import('./setup/test-environment.mjs')
  const { memoryFolder } = await import('./setup/memory-folder.mjs')
  const { testArguments } = await import('./setup/command-line.mjs')
  const { halves, isPrebuilt } = testArguments(process.argv.slice(2))
  await prepare({ isPrebuilt, isRustNeeded: halves.includes('rust') })
  const memory = memoryFolder()
  const { env: outside, strayed, remove } = testEnvironment(root, memory.variables.TMPDIR)
  const env = { ...outside, ...memory.variables }
  const clean = () => {
    remove()
    memory.remove()
  }
  const stop = new AbortController()
  const running = []
  if (halves.includes('rust')) {
    const calls = [allCrates(root), samplesOfLargeCrates(root)].map((args) => [
      'test',
      ...args,
      '--no-fail-fast',
      ...engineOptions(root),
    ])
    const log = halves.length > 1 ? join(root, 'target', 'rust-tests.log') : undefined
    const { signal } = stop
    running.push(run('rust', 'cargo', calls, { root, env, log, signal }))
  }
  if (halves.includes('node')) {
    // Meanwhile the Rust tests are compiled.
    await prepareNode(root).catch(async (error) => {
      stop.abort()
      await Promise.all(running)
      clean()
      throw error
    })
    // Much of what a specification does is waiting for processes that it has started.
    const nodeTest = ['--test', '--test-reporter=spec', `--test-concurrency=${2 * availableParallelism()}`]
    running.unshift(run('node', process.execPath, [[...nodeTest, ...specFiles(root)]], { root, env }))
  }
  const results = await Promise.all(running)
  const elsewhere = strayed()
  clean()
  for (const { log } of results) if (log !== undefined) process.stdout.write(readFileSync(log))
  console.log('')
  for (const { name, failed, seconds } of results) {
    console.log(`${name} tests ${failed ? 'FAILED' : 'passed'} after ${seconds} s`)
  }
  if (elsewhere.length > 0) console.log(`tests FAILED to stay on this machine:\n${elsewhere.join('\n')}`)
  return elsewhere.length > 0 || results.some(({ failed }) => failed) ? 1 : 0
})

/** Brings in what specifications need beyond the checkout: programs, databases, a model and a browser. */
async function prepareNode(root) {
  const { preparePostgres } = await import('./setup/postgres.mjs')
  const { requireBrowser } = await import('./setup/browser.mjs')
  const { requireCtags } = await import('./setup/ctags.mjs')
  const { offerShells } = await import('./setup/shells.mjs')
  const { prepareModel } = await import('./setup/model.mjs')
  requireCtags()
  offerShells()
  preparePostgres(root)
  await prepareModel(root)
  await requireBrowser(root)
}

/** Runs the calls of one half, one after the other. With `log`, what they print is kept in that file and shown when they have ended. */
async function run(name, command, calls, { root, env, log, signal }) {
  const started = Date.now()
  const to = log === undefined ? 'inherit' : openLog(log)
  if (log !== undefined) console.log(`${name} tests run beside the others: ${log}\n`)
  let failed = false
  for (const args of calls) {
    const child = spawn(command, args, { cwd: root, env, signal, stdio: ['ignore', to, to] })
    const status = await new Promise((done) => child.once('error', done).once('exit', done))
    failed ||= status !== 0
  }
  const seconds = Math.round((Date.now() - started) / 1000)
  return { name, failed, seconds, log }
}

function openLog(path) {
  mkdirSync(dirname(path), { recursive: true })
  return openSync(path, 'w')
}
