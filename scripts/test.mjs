// npm test: sets the checkout up as far as needed, then runs every test.
//   npm test                   both halves, the second even when the first failed
//   npm test -- --only rust    or: --only node
//   npm test -- --prebuilt     uses the addon that lies in the package root as it is, and needs no Rust for --only node
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './setup/launch.mjs'

launch(async ({ prepare, root }) => {
  const { spawnSync } = await import('node:child_process')
  const { specFiles } = await import('./spec-files.mjs')
  const { preparePostgres } = await import('./setup/postgres.mjs')
  const { requireBrowser } = await import('./setup/browser.mjs')
  const { requireCtags } = await import('./setup/ctags.mjs')
  const only = process.argv.indexOf('--only') < 0 ? undefined : process.argv[process.argv.indexOf('--only') + 1]
  const halves = [
    { name: 'rust', command: 'cargo', args: ['test', '--workspace', '--locked'] },
    { name: 'node', command: process.execPath, args: ['--test', '--test-reporter=spec', ...specFiles(root)] },
  ].filter((half) => only === undefined || half.name === only)
  if (halves.length === 0) throw Object.assign(new Error(`--only ${only} names no tests`), { hint: 'rust or node' })

  const isPrebuilt = process.argv.includes('--prebuilt')
  await prepare({ isPrebuilt, isRustNeeded: halves.some((half) => half.name === 'rust') })
  if (halves.some(({ name }) => name === 'node')) {
    requireCtags()
    preparePostgres(root)
    await (await import('./setup/model.mjs')).prepareModel(root)
    await requireBrowser(root)
  }
  // Whoever runs the tests has a memory of their own, which they leave alone.
  const home = mkdtempSync(join(tmpdir(), 'forge-memory-home-'))
  const results = halves.map(({ name, command, args }) => {
    const started = Date.now()
    const { status, error } = spawnSync(command, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, FORGE_HOME: home },
    })
    return { name, failed: error !== undefined || status !== 0, seconds: Math.round((Date.now() - started) / 1000) }
  })
  rmSync(home, { recursive: true, force: true })
  console.log('')
  for (const { name, failed, seconds } of results) {
    console.log(`${name} tests ${failed ? 'FAILED' : 'passed'} after ${seconds} s`)
  }
  return results.some(({ failed }) => failed) ? 1 : 0
})
