// npm test: sets the checkout up as far as needed, then runs every test.
//   npm test                   both halves, the second even when the first failed
//   npm test -- --only rust    or: --only node
//   npm test -- --prebuilt     uses the addon that lies in the package root as it is, and needs no Rust for --only node
import { launch } from './setup/launch.mjs'

launch(async ({ prepare, root }) => {
  const { spawnSync } = await import('node:child_process')
  const { availableParallelism } = await import('node:os')
  const { specFiles } = await import('./spec-files.mjs')
  const { engineOptions } = await import('./setup/cargo.mjs')
  const { testEnvironment } = await import('./setup/test-environment.mjs')
  const { preparePostgres } = await import('./setup/postgres.mjs')
  const { requireBrowser } = await import('./setup/browser.mjs')
  const { requireCtags } = await import('./setup/ctags.mjs')
  const { offerShells } = await import('./setup/shells.mjs')
  const only = process.argv.indexOf('--only') < 0 ? undefined : process.argv[process.argv.indexOf('--only') + 1]
  // Much of what a specification does is waiting for processes that it has started.
  const nodeTest = ['--test', '--test-reporter=spec', `--test-concurrency=${availableParallelism() + 1}`]
  const halves = [
    { name: 'rust', command: 'cargo', args: () => ['test', '--workspace', ...engineOptions(root)] },
    { name: 'node', command: process.execPath, args: () => [...nodeTest, ...specFiles(root)] },
  ].filter((half) => only === undefined || half.name === only)
  if (halves.length === 0) throw Object.assign(new Error(`--only ${only} names no tests`), { hint: 'rust or node' })

  const isPrebuilt = process.argv.includes('--prebuilt')
  await prepare({ isPrebuilt, isRustNeeded: halves.some((half) => half.name === 'rust') })
  if (halves.some(({ name }) => name === 'node')) {
    requireCtags()
    offerShells()
    preparePostgres(root)
    await (await import('./setup/model.mjs')).prepareModel(root)
    await requireBrowser(root)
  }
  const { env, strayed, remove } = testEnvironment(root)
  const results = halves.map(({ name, command, args }) => {
    const started = Date.now()
    const { status, error } = spawnSync(command, args(), { cwd: root, stdio: 'inherit', env })
    return { name, failed: error !== undefined || status !== 0, seconds: Math.round((Date.now() - started) / 1000) }
  })
  const elsewhere = strayed()
  remove()
  console.log('')
  for (const { name, failed, seconds } of results) {
    console.log(`${name} tests ${failed ? 'FAILED' : 'passed'} after ${seconds} s`)
  }
  if (elsewhere.length > 0) console.log(`tests FAILED to stay on this machine:\n${elsewhere.join('\n')}`)
  return elsewhere.length > 0 || results.some(({ failed }) => failed) ? 1 : 0
})
