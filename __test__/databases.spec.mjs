// The library of the databases: who loads it, and what happens where it is missing, damaged or another one.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { KEY, talk } from './support/dialogue.mjs'
import { freshFolder, root } from './support/project.mjs'
import { hasTerminal } from './support/terminal.mjs'

const engine = readdirSync(root).find((name) => /^forge-memory\..+\.node$/.test(name))
const databases = engine.replace('forge-memory.', 'forge-memory-databases.')

/** A copy of the package, in which this file takes the place of the library, or nothing. */
function packageWith(t, library) {
  const folder = freshFolder(t)
  for (const name of ['index.js', 'package.json', engine]) copyFileSync(join(root, name), join(folder, name))
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  if (library !== undefined) copyFileSync(library, join(folder, databases))
  return folder
}

/** Runs a program in a project of its own, with the package as `memory`, and returns what it answers. */
function run(t, folder, program) {
  const project = freshFolder(t)
  writeFileSync(
    join(project, '.forge.json'),
    JSON.stringify({ projectName: 'shop', openbrain: { backend: 'embedded' } }),
  )
  const source = `
    const memory = require(${JSON.stringify(join(folder, 'dist', 'index.js'))})
    const failed = ({ code, message, hint }) => ({ code, message, hint })
    const isMapped = () => require('node:fs').readFileSync('/proc/self/maps', 'utf8').includes('forge-memory-databases.')
    const capture = () => memory.captureMemory({ type: 'lesson', body: 'pnpm vitest --run for CI' })
    Promise.resolve((async () => { ${program} })()).then((answer) => console.log(JSON.stringify(answer)))`
  const env = { ...process.env, FORGE_HOME: join(project, 'home') }
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', source], {
    cwd: project,
    env,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const whole = join(root, databases)

// Which libraries a process has mapped can only be read there.
if (process.platform === 'linux') {
  test('a start, a capture and a recall do not load it; the first search of the store does', (t) => {
    const answer = run(
      t,
      root,
      `const before = isMapped()
       capture()
       const found = memory.recall('vitest').hits.length
       memory.diagnose()
       const between = isMapped()
       await memory.EmbeddedStore.open().search({ text: 'vitest' })
       return { before, found, between, after: isMapped() }`,
    )
    assert.deepEqual(answer, { before: false, found: 1, between: false, after: true })
  })

  test('an import of all names does not load it either', (t) => {
    const names = `const names = Object.keys(await import(${JSON.stringify(join(root, 'dist', 'index.js'))}))`
    const answer = run(t, root, `${names}; return { isNamed: names.includes('backfill'), isLoaded: isMapped() }`)
    assert.deepEqual(answer, { isNamed: true, isLoaded: false })
  })
}

test('without it captures and recalls work, and its calls say which file is missing and what to do', (t) => {
  const answer = run(
    t,
    packageWith(t),
    `const { captured } = capture()
     const found = memory.recall('vitest').hits.length
     const errors = []
     const calls = [() => memory.backfill(), () => memory.EmbeddedStore.open(), () => memory.searchSessions('x'), () => memory.importMemory('x')]
     for (const call of calls) try { await call() } catch (error) { errors.push(failed(error)) }
     return { captured, found, errors }`,
  )
  assert.deepEqual([answer.captured, answer.found, answer.errors.length], [true, 1, 4])
  for (const { code, message, hint } of answer.errors) {
    assert.equal(code, 'LIBRARY_MISSING')
    assert.ok(message.includes(databases), message)
    assert.match(hint, /npm install forge-memory/)
  }
})

test('without it a project is served, with a code graph to be kept up to date as well', (t) => {
  const folder = packageWith(t)
  const answer = run(
    t,
    folder,
    `capture()
     const { serve } = require(${JSON.stringify(join(folder, 'dist', 'server', 'index.js'))})
     const answers = []
     for (const settings of [{}, { lattice: { watch: true } }]) {
       require('node:fs').writeFileSync('.forge.json', JSON.stringify({ projectName: 'shop', ...settings }))
       const server = await serve({ port: 0, projectDir: process.cwd() })
       const ask = async (path) => (await fetch(server.origin + path, { headers: { authorization: 'Bearer ' + server.token } })).json()
       const [{ hits }, { lattice }] = [await ask('/api/memory/recall?query=vitest'), await ask('/health')]
       answers.push({ hits: hits.length, problem: lattice.lastError })
       await server.close()
     }
     return answers`,
  )
  const [plain, kept] = answer
  assert.deepEqual(plain, { hits: 1 })
  assert.ok(kept.hits === 1 && kept.problem.includes(databases), kept.problem)
})

if (hasTerminal) {
  test('without it the first look around greets all the same, and says what could not be counted', async (t) => {
    const command = freshCommand(t)
    const program = join(packageWith(t), 'dist', 'cli', 'main.js')
    const place = { cwd: command.project, env: command.env() }
    const { status, screen } = await talk(
      [process.execPath, program],
      [['What would you like to do?', KEY.escape]],
      place,
    )
    assert.equal(status, 0, screen)
    // A path that is longer than the line is broken anywhere.
    assert.match(screen, /^past sessions +cannot be counted:/m)
    assert.match(screen.replace(/\s+/g, ''), /forge-memory-databases\.\S+?\.nodeismissing/)
    assert.match(screen, /Set up /)
  })
}

test('without it a delivery waits in the queue; with it, in the same process, it arrives', (t) => {
  const folder = packageWith(t)
  const copy = `require('node:fs').copyFileSync(${JSON.stringify(whole)}, ${JSON.stringify(join(folder, databases))})`
  const answer = run(
    t,
    folder,
    `capture()
     const refused = await memory.drainOpenBrain().catch(failed)
     const waiting = memory.queueStatus().queued
     ${copy}
     const { delivered, queued } = await memory.drainOpenBrain()
     return { code: refused.code, waiting, delivered, queued }`,
  )
  assert.deepEqual(answer, { code: 'LIBRARY_MISSING', waiting: 1, delivered: 1, queued: 0 })
})

test('a file that is no library, or another one, is refused and said so', (t) => {
  const damaged = join(freshFolder(t), 'damaged')
  writeFileSync(damaged, 'no library')
  // The system's loader would map what is missing, and the process would end when it is touched.
  const bytes = readFileSync(whole)
  const cut = [0.5, 0.99, 32 / bytes.length].map((share, at) => {
    const path = join(freshFolder(t), `cut-${at}`)
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)))
    return path
  })
  for (const library of [damaged, ...cut, join(root, engine)]) {
    const program = `capture(); try { memory.backfill() } catch (error) { return { ...failed(error), found: memory.recall('vitest').hits.length } }`
    const { code, message, hint, found } = run(t, packageWith(t, library), program)
    assert.deepEqual([code, found], ['LIBRARY_UNUSABLE', 1], message)
    assert.ok(message.includes(databases), message)
    assert.match(hint, /npm install forge-memory/)
  }
})

test('what it refuses arrives with code and hint, and in every thread', (t) => {
  const answer = run(
    t,
    root,
    `const { Worker } = require('node:worker_threads')
     const ask = "require('node:worker_threads').parentPort.postMessage(require(" + JSON.stringify(${JSON.stringify(join(root, 'index.js'))}) + ").countTranscripts().length)"
     const here = memory.countTranscripts().length
     const there = await new Promise((done) => new Worker(ask, { eval: true }).once('message', done))
     let refused
     try { memory.backfill({ accept: 2 }) } catch (error) { refused = failed(error) }
     return { same: here === there, code: refused.code, hint: typeof refused.hint, steps: memory.workProgress() }`,
  )
  assert.deepEqual(answer, {
    same: true,
    code: 'INVALID_INPUT',
    hint: 'string',
    steps: { done: 0, total: 0 },
  })
})

test('the engine stands in for everything that the library declares', () => {
  const exported = createRequire(import.meta.url)(join(root, 'index.js'))
  const names = [...readFileSync(join(root, 'index.js'), 'utf8').matchAll(/^module\.exports\.(\w+) =/gm)].map(
    ([, name]) => name,
  )
  assert.ok(names.length > 50)
  assert.deepEqual(
    names.filter((name) => exported[name] === undefined),
    [],
  )
})
