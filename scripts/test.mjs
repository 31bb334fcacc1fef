// npm test: sets the checkout up as far as needed, then runs every test.
//   npm test                   both halves side by side: tests wait for processes, files and compilers more than they compute
//   npm test -- --only rust    or: --only node
//   npm test -- --changed [COMMIT]   only what the change since a commit (HEAD) needs, as far as it fits into a minute
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
  const { runSpecs } = await import('./changed/run.mjs')
  const { halves, isPrebuilt, changed } = testArguments(process.argv.slice(2))
  const { specs, cargo, isAddonKept = false } = changed === undefined ? everything() : await needed(changed)
  if (specs.length + cargo.length === 0) return 0
  await prepare({ isPrebuilt: isPrebuilt || isAddonKept, isRustNeeded: cargo.length > 0 })
  const memory = memoryFolder()
  const { env: outside, strayed, remove } = testEnvironment(root, memory.variables.TMPDIR)
  const env = { ...outside, ...memory.variables }
  const clean = () => {
    remove()
    memory.remove()
  }
  const stop = new AbortController()
  const running = []
  if (cargo.length > 0) {
    const calls = cargo.map((args) => ['test', ...args, '--no-fail-fast', ...engineOptions(root)])
    const log = specs.length > 0 ? join(root, 'target', 'rust-tests.log') : undefined
    const { signal } = stop
    running.push(run('rust', 'cargo', calls, { root, env, log, signal }))
  }
  if (specs.length > 0) {
    // Meanwhile the Rust tests are compiled.
    await prepareNode(root).catch(async (error) => {
      stop.abort()
      await Promise.all(running)
      clean()
      throw error
    })
    running.unshift(changed === undefined ? runAll() : runSpecs(root, specs, { env }))
  }
  const results = await Promise.all(running)
  const elsewhere = strayed()
  clean()
  // Of what passed, the lines would only push what failed in the other half out of sight.
  for (const { log, failed } of results) if (log !== undefined && failed) process.stdout.write(readFileSync(log))
  console.log('')
  for (const { name, failed, seconds } of results) {
    console.log(`${name} tests ${failed ? 'FAILED' : 'passed'} after ${seconds} s`)
  }
  if (elsewhere.length > 0) console.log(`tests FAILED to stay on this machine:\n${elsewhere.join('\n')}`)
  return elsewhere.length > 0 || results.some(({ failed }) => failed) ? 1 : 0

  function runAll() {
    // Much of what a specification does is waiting for processes that it has started.
    const nodeTest = ['--test', '--test-reporter=spec', `--test-concurrency=${2 * availableParallelism()}`]
    return run('node', process.execPath, [[...nodeTest, ...specs]], { root, env })
  }

  function everything() {
    const cargo = [allCrates(root), samplesOfLargeCrates(root)]
    return { specs: halves.includes('node') ? specFiles(root) : [], cargo: halves.includes('rust') ? cargo : [] }
  }

  /** What a change needs, of the halves that are asked for. It says so. */
  async function needed(commit) {
    const { planFor } = await import('./changed/plan.mjs')
    const { lines, ...plan } = planFor(root, commit)
    console.log(`${lines.join('\n')}\n`)
    return {
      ...plan,
      specs: halves.includes('node') ? plan.specs : [],
      cargo: halves.includes('rust') ? plan.cargo : [],
    }
  }
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

/** Runs the calls of one half, one after the other. With `log`, what they print is kept in that file, and shown at the end if one has failed. */
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
