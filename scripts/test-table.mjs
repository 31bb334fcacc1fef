// Writes the table of `npm test -- --changed`: runs every specification by itself, and notes what its processes touch.
//   node scripts/test-table.mjs                 all of them, as long as npm test -- --only node takes
//   node scripts/test-table.mjs --missing       those that the table does not have yet
//   node scripts/test-table.mjs watcher hub     these; the lines of the others stay
// The checkout must have been set up, as `npm test` does it. What fails beside the recorder is named, and noted as far as it came.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { launch } from './setup/launch.mjs'

launch(async ({ root }) => {
  const { availableParallelism } = await import('node:os')
  const { specFiles } = await import('./spec-files.mjs')
  const { testEnvironment } = await import('./setup/test-environment.mjs')
  const { memoryFolder } = await import('./setup/memory-folder.mjs')
  const { readTable, shortName, writeTable } = await import('./changed/table.mjs')
  const { touchedIn } = await import('./test-table/touched.mjs')
  const named = process.argv.slice(2)
  const nameOf = (path) => shortName(relative(root, path).replaceAll('\\', '/'))
  const all = specFiles(root).map(nameOf)
  const table = new Map([...readTable(root)].filter(([name]) => all.includes(name)))
  const missing = named.includes('--missing') ? all.filter((name) => !table.has(name)) : []
  const wanted = named.length === 0 ? all : [...named.filter((name) => all.includes(name)), ...missing]
  if (wanted.length === 0) throw new Error(`no specification is called ${named.join(' or ')}`)

  const touched = await touchedIn(root)
  const memory = memoryFolder()
  const { env, remove } = testEnvironment(root, memory.variables.TMPDIR)
  const recorder = join(root, 'scripts', 'test-table', 'recorder.cjs')
  const options = `${env.NODE_OPTIONS} --require=${JSON.stringify(recorder)}`
  const failed = []
  const left = [...wanted]
  const worker = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const folder = mkdtempSync(join(tmpdir(), 'forge-memory-noted-'))
      // Some tests start processes as another user.
      chmodSync(folder, 0o777)
      const started = Date.now()
      const recorded = { ...env, ...memory.variables, NODE_OPTIONS: options, NODE_V8_COVERAGE: folder }
      const status = await run(join(root, '__test__', `${name}.spec.mjs`), root, recorded)
      const seconds = Math.round((Date.now() - started) / 100) / 10
      if (status !== 0) failed.push(name)
      const files = touched(folder)
      rmSync(folder, { recursive: true, force: true })
      table.set(name, { seconds, files })
      writeTable(root, table)
      console.log(`${name}: ${files.length} files, ${seconds} s${status === 0 ? '' : ', FAILED'}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  remove()
  memory.remove()
  if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
})

function run(path, root, env) {
  const child = spawn(process.execPath, ['--test', '--test-reporter=dot', path], { cwd: root, env, stdio: 'ignore' })
  return new Promise((done) => child.once('exit', done).once('error', done))
}
