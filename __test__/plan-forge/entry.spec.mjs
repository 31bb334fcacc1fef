// The entry as a whole: its names for `import` and `require`, its types, and a server that is made of nothing else.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'

import WebSocket from 'ws'
import { parsePage } from '../support/pages.mjs'
import { freshProject } from '../support/plan-forge.mjs'
import { childEnvironment } from '../support/processes.mjs'
import { root } from '../support/project.mjs'
import { until } from '../support/waiting.mjs'

const NAMES = {
  memory: `captureMemory autoDrainOpenBrainQueue buildMemoryReport validateSourceFormat stampThoughtExpiry filterUnexpiredThoughts
    buildCacheEntry isCacheEntryFresh buildWatcherSearchPrompt buildPlanBootContext`,
  helpers: `shapeQueueRecord nextBackoffTimestamp applyDeliveryFailure partitionByBackoff buildDrainStatsRecord drainOpenBrainQueue
    tokenize cosineSimilarity dedupeThoughtsBySimilarity loadKeywordSearchMap loadProjectContext isOpenBrainConfigured
    buildMemorySearchBlock buildMemoryCaptureBlock buildRunSummaryThought buildCostAnomalyThought shapeWatcherAnomalyThought
    dedupeWatcherAnomalies buildCaptureTelemetry`,
  hub: 'createHub Hub readHubPort',
  lattice: `latticeIndex latticeStat latticeQuery latticeCallers latticeCallees latticeBlast tokenizeForSearch scoreChunk
    _resetChunkerForTesting`,
  localRecall: `searchLocalThoughts readLocalThoughts isNeuralEmbeddingAvailable _resetNeuralProbeCache buildIdf tfIdfVector
    vecCosineSimilarity buildCorpusIndex persistIndex loadCachedIndex clearPersistedIndex getIndexStatus`,
  sync: `syncMemories SyncMemoriesError sha256 collectTrajectories collectAutoSkills collectBrainDecisions renderMemoryHints
    parseAutoSkillFrontmatter`,
  hallmark: 'HALLMARK_SCHEMA_VERSION validateProvenance buildProvenance mergeProvenance',
}
const entry = await import('forge-memory/plan-forge')
const required = createRequire(import.meta.url)('forge-memory/plan-forge')

for (const [part, names] of Object.entries(NAMES)) {
  for (const name of names.split(/\s+/)) {
    test(`${part}: ${name} can be imported and required`, () => {
      assert.ok(entry[name] !== undefined && required[name] === entry[name])
      assert.equal(typeof entry[name], name === 'HALLMARK_SCHEMA_VERSION' ? 'string' : 'function')
    })
  }
}

/** A third-party program with the package installed. */
function consumer(t) {
  const project = freshProject(t)
  mkdirSync(project.at('node_modules'))
  symlinkSync(root, project.at('node_modules', 'forge-memory'), 'junction')
  const run = (file, source) => {
    writeFileSync(project.at(file), source)
    return spawnSync(process.execPath, [file], { cwd: project.cwd, encoding: 'utf8', env: childEnvironment(project) })
  }
  return { ...project, run }
}

const PAGE = parsePage('', readFileSync(join(root, 'docs/plan-forge.md'), 'utf8'))
const FACADES = PAGE.blocks
  .filter(({ language }) => language === 'mjs')
  .map(({ lines }) => ({ name: /^\/\/ (.+)\.mjs$/.exec(lines[0])?.[1], text: lines.join('\n') }))
const [, LACKING] = /Fifteen names[^:]*:([^.]+)\./.exec(readFileSync(join(root, 'docs/plan-forge.md'), 'utf8')) ?? []
const lacking = [...(LACKING ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)

/** The modules of Plan Forge as they are imported: each has our names and others. */
const THEIRS = {
  memory: [...`${NAMES.memory} ${NAMES.helpers}`.split(/\s+/), ...lacking],
  hub: NAMES.hub.split(' '),
  lattice: [...NAMES.lattice.split(/\s+/), 'augment'],
  'local-recall': NAMES.localRecall.split(/\s+/),
  'sync-memories': NAMES.sync.split(/\s+/),
}

test('the facades of the page have every name of their module, ours in the place of the same names', (t) => {
  assert.equal(lacking.length, 15)
  assert.deepEqual(
    FACADES.map(({ name }) => name),
    Object.keys(THEIRS),
  )
  const { write, run } = consumer(t)
  for (const { name, text } of FACADES) {
    write(`${name}.mjs`, text)
    write(`${name}.original.mjs`, THEIRS[name].map((each) => `export const ${each} = 'theirs'`).join('\n'))
  }
  for (const [name, theirs] of Object.entries(THEIRS)) {
    const program = `import { ${theirs.join(', ')} } from './${name}.mjs'
      console.log(JSON.stringify({ ${theirs.join(', ')} }, (_, value) => (typeof value === 'function' ? 'ours' : value)))`
    const { stdout, stderr } = run(`use-${name}.mjs`, program)
    assert.equal(stderr, '', name)
    const kept = Object.entries(JSON.parse(stdout)).flatMap(([each, whose]) => (whose === 'theirs' ? [each] : []))
    assert.deepEqual(
      kept,
      theirs.filter((each) => !(each in entry)),
      name,
    )
  }
  // To change the path of an import is not enough for a statement that names one of the fifteen.
  const { stderr } = run(
    'path.mjs',
    "import { captureMemory, buildReflexionBlock } from 'forge-memory/plan-forge'\ncaptureMemory()",
  )
  assert.match(
    stderr,
    /Named export 'buildReflexionBlock' not found|does not provide an export named 'buildReflexionBlock'/,
  )
  assert.ok(lacking.every((name) => !(name in entry)))
})

const CAPTURE = `console.log(captureMemory({ content: 'x y z', type: 'lesson', source: 'ci', cwd: process.cwd() }).captured)`

test('a program that imports names runs without a warning', (t) => {
  const { stdout, stderr } = consumer(t).run(
    'a.mjs',
    `import { captureMemory } from 'forge-memory/plan-forge'\n${CAPTURE}`,
  )
  assert.deepEqual([stdout, stderr], ['true\n', ''])
})

test('a program that requires names runs without a warning', (t) => {
  const { stdout, stderr } = consumer(t).run(
    'b.cjs',
    `const { captureMemory } = require('forge-memory/plan-forge')\n${CAPTURE}`,
  )
  assert.deepEqual([stdout, stderr], ['true\n', ''])
})

test('only functions that are asynchronous in the older tool are so here', () => {
  const names = Object.keys(entry).filter((name) => entry[name].constructor?.name === 'AsyncFunction')
  assert.deepEqual(names.sort(), [
    'autoDrainOpenBrainQueue',
    'createHub',
    'drainOpenBrainQueue',
    'latticeIndex',
    'searchLocalThoughts',
  ])
})

test('a program that only imports it exits', (t) => {
  assert.equal(consumer(t).run('c.mjs', `await import('forge-memory/plan-forge')`).status, 0)
})

/** Compiles sources of `support/plan-forge` as a module of a kind, and returns where the outcome is. */
function compiled(t, name, extension) {
  const { cwd, at } = consumer(t)
  copyFileSync(join(root, '__test__', 'support', 'plan-forge', `${name}.ts`), at(`${name}.${extension}`))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const types = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node']
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
  const options = [...strict, '--target', 'es2022', '--module', 'nodenext', ...types, '--outDir', 'out']
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...options, `${name}.${extension}`], {
    cwd,
    encoding: 'utf8',
  })
  assert.deepEqual([stdout, status], ['', 0])
  return at('out', `${name}.${extension.replace('ts', 'js')}`)
}

for (const [kind, extension] of [
  ['an ES module', 'mts'],
  ['CommonJS', 'cts'],
]) {
  test(`every name has its type in ${kind}, under strict TypeScript`, (t) => {
    const text = readFileSync(compiled(t, 'names', extension), 'utf8')
    const names = Object.values(NAMES).join(' ').split(/\s+/)
    assert.deepEqual(
      names.filter((name) => !text.includes(`entry.${name}`)),
      [],
    )
  })

  test(`a server built only from these names, as ${kind}, starts, answers, and exits`, async (t) => {
    const project = freshProject(t)
    project.write('a.js', 'export function alpha() { return beta() }\nfunction beta() {}\n')
    const child = spawn(process.execPath, [compiled(t, 'server', extension), project.cwd], {
      env: childEnvironment(project),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const said = { out: '', err: '' }
    child.stdout.on('data', (text) => (said.out += text))
    child.stderr.on('data', (text) => (said.err += text))
    await until(
      () => said.out.includes('\n'),
      () => `the server: ${said.err}`,
    )
    const { http, ws } = JSON.parse(said.out)
    assert.match(said.err, /needs no token/)
    const ask = async (method, path, body) => {
      const sent = body && { body: JSON.stringify(body) }
      return (await fetch(`http://127.0.0.1:${http}${path}`, { method, ...sent })).json()
    }
    const dashboard = new WebSocket(`ws://127.0.0.1:${ws}/?label=dashboard`)
    t.after(() => dashboard.terminate())
    const events = []
    dashboard.on('message', (data) => events.push(JSON.parse(data)))
    await until(() => events.some(({ type }) => type === 'connected'), 'the stream')

    const capture = { content: 'the gate is slow', type: 'gotcha', source: 'forge_sweep' }
    assert.equal((await ask('POST', '/api/memory/capture', capture)).captured, true)
    assert.equal((await ask('POST', '/api/memory/capture', capture)).deduped, true)
    assert.equal((await ask('POST', '/api/memory/capture', { content: 7 })).error.code, 'INVALID_INPUT')
    await until(
      () => events.some(({ type, thought }) => type === 'memory-captured' && thought?.content === capture.content),
      'the capture',
    )
    assert.equal((await ask('GET', '/api/memory/report')).telemetry.total, 2)
    assert.equal((await ask('POST', '/api/run')).captured, true)
    const anomaly = { code: 'stalled', message: 'no event for 6 min', severity: 'warn' }
    const [watched, ...more] = await ask('POST', '/api/watch', { anomalies: [anomaly, anomaly] })
    assert.deepEqual([watched.captured, more], [true, []])
    assert.match(watched.prompt, /watcher anomaly stalled/)
    assert.equal((await ask('POST', '/api/memory/drain')).delivered, 3)
    assert.deepEqual(await ask('GET', '/api/memory'), { configured: false, map: 9 })
    const hub = await ask('GET', '/api/hub')
    assert.deepEqual([hub.port, hub.clients[0].label], [ws, 'dashboard'])
    assert.ok((await ask('GET', '/api/history')).includes('memory-captured'))
    assert.equal((await ask('POST', '/api/search', { query: 'gate' })).total, 1)
    assert.deepEqual(await ask('GET', '/api/embedding/status'), { neural: false })
    // The search has left the index that other programs read.
    assert.equal((await ask('GET', '/api/local-recall/status')).exists, true)
    assert.equal((await ask('POST', '/api/lattice/index')).filesIndexed, 1)
    assert.equal((await ask('GET', '/api/lattice/stat')).languages.javascript, 3)
    assert.ok((await ask('POST', '/api/lattice/query', { query: 'alpha' })).total >= 1)
    const calls = await ask('POST', '/api/lattice/calls', { name: 'beta' })
    assert.deepEqual([calls.callers, calls.callees, calls.reach], [['alpha'], [], 2])
    // The summary of the run names another project, shop.
    assert.equal((await ask('POST', '/api/sync')).sections.thoughts, 2)
    assert.equal((await ask('GET', '/api/boot')).hints.length, 2)
    assert.equal((await ask('POST', '/api/provenance', { record: {} })).ok, false)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
}
