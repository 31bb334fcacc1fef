// The parts that are loaded later: when they are missing, when they are others, and that nobody loads them before they are needed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshFolder, root } from './support/project.mjs'

const engine = readdirSync(root).find((name) => name.startsWith('forge-memory.') && name.endsWith('.node'))
const platform = engine.slice('forge-memory.'.length)
const lattice = `forge-memory-lattice.${platform}`
const embed = `forge-memory-embed.${platform}`

/** A copy of the engine, with these files beside it in the place of the addons. */
function engineWith(t, addons = {}) {
  const folder = freshFolder(t)
  for (const name of ['index.js', engine]) copyFileSync(join(root, name), join(folder, name))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'forge-memory', version: '0.0.0' }))
  for (const [name, from] of Object.entries(addons)) copyFileSync(from, join(folder, name))
  return folder
}

/** Runs a program in a project of its own, with the engine as `memory`, and returns what it prints. */
function run(t, folder, program) {
  const project = freshFolder(t)
  writeFileSync(join(project, 'cart.js'), 'function sum() {}\nfunction total() { return sum() }\n')
  const source = `
    const memory = require(${JSON.stringify(join(folder, 'index.js'))})
    const failed = ({ code, message, hint }) => ({ code, message, hint })
    Promise.resolve((async () => { ${program} })()).then((answer) => console.log(JSON.stringify(answer)))`
  const env = { ...process.env, FORGE_HOME: join(project, 'home') }
  const options = { cwd: project, env, encoding: 'utf8' }
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', source], options)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const INDEX = 'memory.latticeIndex().then(({ filesIndexed }) => filesIndexed, failed)'

test('both addons of this platform were built', () => {
  for (const name of [lattice, embed]) assert.ok(existsSync(join(root, name)), `npm run build makes ${name}`)
})

test('without the grammars an index is refused with what to install, and everything else works', (t) => {
  const answer = run(
    t,
    engineWith(t),
    `memory.captureMemory({ type: 'lesson', body: 'pnpm vitest --run for CI' })
     const found = memory.recall('vitest').hits.length
     return { found, asked: memory.latticeQuery({ query: 'sum' }).chunks.length, index: await ${INDEX} }`,
  )
  assert.deepEqual([answer.found, answer.asked, answer.index.code], [1, 0, 'ADDON_MISSING'])
  assert.match(answer.index.message, /forge-memory-lattice/)
  assert.match(answer.index.hint, /install the addon of the code graph beside forge-memory/)
})

test('an index that was made with the grammars is read without them', (t) => {
  const [whole, poor] = [engineWith(t, { [lattice]: join(root, lattice) }), engineWith(t)]
  const answer = run(
    t,
    whole,
    `await memory.latticeIndex()
     const { execFileSync } = require('node:child_process')
     const asked = 'console.log(require(process.argv[1]).latticeCallers({ name: "sum" }).chunks[0].name)'
     return execFileSync(process.execPath, ['-e', asked, ${JSON.stringify(join(poor, 'index.js'))}], { encoding: 'utf8' }).trim()`,
  )
  assert.equal(answer, 'total')
})

test('a file that is no addon, or another one, is refused and said so', (t) => {
  const [text, cut] = ['text', 'cut'].map((name) => join(freshFolder(t), name))
  writeFileSync(text, 'no library')
  const whole = readFileSync(join(root, lattice))
  writeFileSync(cut, whole.subarray(0, whole.length / 2))
  for (const from of [text, cut, join(root, engine), join(root, embed)]) {
    const { code, message } = run(t, engineWith(t, { [lattice]: from }), `return ${INDEX}`)
    assert.equal(code, 'ADDON_UNUSABLE', from)
    assert.match(message, /forge-memory-lattice/)
  }
})

test('an addon that is added while the process runs is found by the next call', (t) => {
  const folder = engineWith(t)
  const copy = `require('node:fs').copyFileSync(${JSON.stringify(join(root, lattice))}, ${JSON.stringify(join(folder, lattice))})`
  const answer = run(t, folder, `const before = await ${INDEX}; ${copy}; return [before.code, await ${INDEX}]`)
  assert.deepEqual(answer, ['ADDON_MISSING', 1])
})

test('a model is not downloaded where nothing could compute with it', (t) => {
  const answer = run(
    t,
    engineWith(t),
    `const installation = memory.ModelInstallation.begin()
     try { installation.files() } catch (error) { return failed(error) } finally { installation.close() }`,
  )
  assert.equal(answer.code, 'ADDON_MISSING')
  assert.match(answer.hint, /install the addon of search by meaning beside forge-memory/)
})

// Which libraries a process has mapped can only be read there.
if (process.platform === 'linux')
  test('no addon is loaded before it is needed', (t) => {
    const folder = engineWith(t, { [lattice]: join(root, lattice), [embed]: join(root, embed) })
    const answer = run(
      t,
      folder,
      `const mapped = () => ['lattice', 'embed'].filter((name) =>
       require('node:fs').readFileSync('/proc/self/maps', 'utf8').includes('forge-memory-' + name + '.'))
     memory.captureMemory({ type: 'lesson', body: 'pnpm vitest --run for CI' })
     memory.recall('vitest')
     memory.latticeStat()
     await memory.embedMemories().catch(() => undefined)
     const before = mapped()
     await memory.latticeIndex()
     return { before, after: mapped() }`,
    )
    assert.deepEqual(answer, { before: [], after: ['lattice'] })
  })
