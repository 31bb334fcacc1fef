// Other models than the one that is built in: installed by the real command, used by searches, compared with a plain implementation.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  drainOpenBrain,
  embedMemories,
  LocalEmbedder,
  listModels,
  memoryStatus,
  modelStatus,
  openBrainStatus,
  recall,
  searchThoughts,
  useModel,
} from '../dist/index.js'
import { fuseScores } from '../dist/internal.js'
import { freshMemory as madeMemory } from './support/memory.mjs'
import { runModel } from './support/model.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'
import { NOTES, publishedFiles, scoreOf, tinyModel, vectorOf, writeModel } from './support/tiny-model.mjs'

/** A memory with a home that is there, in which commands can run. */
function freshMemory(t) {
  const memory = madeMemory(t)
  mkdirSync(memory.home, { recursive: true })
  return memory
}

/** Which of the notes is nearest to a text, as the plain implementation says. */
function nearestNote(model, text) {
  const query = vectorOf(model, text)
  const cosines = NOTES.map((note) => vectorOf(model, note).reduce((sum, value, at) => sum + value * query[at], 0))
  return NOTES[cosines.indexOf(Math.max(...cosines))]
}

/** Asserts that a vector is the one that the plain implementation computes. */
function assertNear(found, wanted, what) {
  assert.equal(found.length, wanted.length)
  const most = found.reduce((largest, value, at) => Math.max(largest, Math.abs(value - wanted[at])), 0)
  assert.ok(most < 2e-5, `${what}: off by ${most}`)
}

/** Installs a model by the command, and returns the document. */
async function install(t, home, model, name, ...more) {
  const from = writeModel(join(freshFolder(t), name), model)
  const { status, stderr, document } = await runModel(home, ['install', name, '--json', '--from', from, ...more])
  assert.deepEqual([status, stderr], [0, ''])
  return document
}

function memoryWithNotes(t) {
  const memory = freshMemory(t)
  for (const body of NOTES) captureMemory({ type: 'lesson', body }, memory.options)
  return memory
}

const settings = (memory, value) => writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(value))

test('a model is installed from a folder, listed, chosen, and removed', async (t) => {
  const memory = freshMemory(t)
  const { home } = memory
  const model = tinyModel({ pooling: 'cls', query: 'query ', passage: 'passage ' })
  const document = await install(t, home, model, 'tiny')
  assert.deepEqual([document.changed, document.name], [true, 'tiny'])
  const folder = join(home, 'models', 'tiny')
  assert.deepEqual(filesUnder(folder), ['background.json', 'model.int8.safetensors', 'model.json', 'tokenizer.json'])
  const again = await runModel(home, ['install', 'tiny', '--json'])
  assert.deepEqual(
    [again.status, again.document.changed],
    [0, false],
    'without a source nothing is fetched that is there',
  )

  const manifest = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))
  assert.deepEqual(
    [manifest.name, manifest.recipe.pooling, manifest.recipe.queryPrefix, manifest.files.map(({ name }) => name)],
    ['tiny', 'cls', 'query ', ['tokenizer.json', 'model.int8.safetensors']],
  )
  for (const { sha256 } of [...manifest.files, manifest.published]) assert.match(sha256, /^[0-9a-f]{64}$/)

  const status = await runModel(home, ['status', 'tiny', '--json'])
  const { state, dimensions, maxTokens, pooling, isDefault } = status.document
  assert.deepEqual(
    [status.status, state, dimensions, maxTokens, pooling, isDefault],
    [0, 'installed', 32, 64, 'cls', false],
  )
  // The one that is used is not installed, the other is shown beside it.
  const all = await runModel(home, ['status', '--json'])
  assert.deepEqual(
    [all.status, all.document.state, all.document.others.map(({ name }) => name)],
    [1, 'missing', ['tiny']],
  )
  assert.match((await runModel(home, ['status'])).stdout, /tiny, 32 dimensions, the first 64 tokens/)
  assert.match((await runModel(home, ['status', 'tiny'])).stdout, /"query " before a query, "passage " before a text/)

  // Its weights are random numbers, which tell no question from another.
  const { at, ...measured } = status.document.measurement
  assert.deepEqual(measured, { state: 'unclear', questions: 26, texts: 100 })
  assert.ok(Date.parse(at) > 0)
  assert.match((await runModel(home, ['status', 'tiny'])).stdout, /measured .*by 26 questions and 100 texts/)
  const file = join(folder, 'background.json')
  const bytes = readFileSync(file)
  const measurementWith = async (change) => {
    change()
    return (await modelStatus({ name: 'tiny' })).measurement.state
  }
  assert.equal(await measurementWith(() => writeFileSync(file, '{}')), 'other')
  assert.equal(await measurementWith(() => rmSync(file)), 'missing')
  assert.match((await runModel(home, ['status', 'tiny'])).stdout, /not yet: .*forge-memory\s+embed\s+measures\s+it/s)
  assert.equal(await measurementWith(() => writeFileSync(file, bytes)), 'unclear')
  assert.equal((await modelStatus()).measurement, undefined, 'of a model that is not installed nothing is known')

  assert.equal((await runModel(home, ['use', 'tiny'])).status, 0)
  assert.deepEqual(
    (await listModels()).map(({ name, isDefault }) => [name, isDefault]),
    [
      ['all-MiniLM-L6-v2', false],
      ['tiny', true],
    ],
  )
  assert.deepEqual([(await modelStatus()).name, LocalEmbedder.open().name], ['tiny', 'tiny'])
  assert.equal((await runModel(home, ['use', 'nothing', '--json'])).document.error.code, 'MODEL_MISSING')

  const removed = await runModel(home, ['remove', 'tiny', '--yes', '--json'])
  assert.deepEqual([removed.status, removed.document.changed, existsSync(folder)], [0, true, false])
  assert.equal((await modelStatus()).name, 'all-MiniLM-L6-v2', 'what was removed is no choice')
})

test('vectors have the prefixes and the pooling of the configuration, or the prefixes that were given', async (t) => {
  const { home } = freshMemory(t)
  const model = tinyModel({ pooling: 'cls', query: 'query ', passage: 'passage ' })
  await install(t, home, model, 'tiny')
  const embedder = LocalEmbedder.open({ name: 'tiny' })
  assert.match(embedder.key, /^local:tiny@[0-9a-f]{12}$/)
  const [passage] = await embedder.embed(['rotate key'])
  assertNear(passage, vectorOf(model, 'passage rotate key', 'cls'), 'passage')
  const [query] = await embedder.embed(['rotate key'], 'query')
  assertNear(query, vectorOf(model, 'query rotate key', 'cls'), 'query')
  assert.throws(() => embedder.embed(['x'], 'neither'), { code: 'INVALID_INPUT' })

  const other = tinyModel({ hidden: 48, heads: 6, seed: 4 })
  await install(t, home, other, 'other', '--query-prefix', 'key ', '--passage-prefix', '')
  const [given] = await LocalEmbedder.open({ name: 'other' }).embed(['disk again'], 'query')
  assertNear(given, vectorOf(other, 'key disk again'), 'given')
  const changed = await runModel(home, ['install', 'other', '--json', '--query-prefix', 'lock '])
  assert.deepEqual([changed.status, changed.document.error.code], [2, 'INVALID_INPUT'])
  assert.match(changed.document.error.hint, /model remove/)
  // The model that is built in was trained without.
  const known = await runModel(home, ['install', '--json', '--from', '/nowhere', '--query-prefix', 'x'])
  assert.match(known.document.error.message, /without prefixes/)
})

test('without a name, a folder that holds another model gives its own', async (t) => {
  const { home } = freshMemory(t)
  const from = writeModel(join(freshFolder(t), 'my-model'), tinyModel())
  const { document } = await runModel(home, ['install', '--json', '--from', from])
  assert.deepEqual([document.changed, document.name], [true, 'my-model'])
  const unnamed = writeModel(join(freshFolder(t), 'two words'), tinyModel())
  const refused = await runModel(home, ['install', '--json', '--from', unnamed])
  assert.deepEqual([refused.status, refused.document.error.code], [2, 'INVALID_INPUT'])
  assert.match(refused.document.error.message, /give another/)
})

test('the files of a named model are downloaded, and optional ones may be missing', async (t) => {
  const { home } = freshMemory(t)
  const files = publishedFiles(tinyModel({ pooling: 'cls' }))
  const asked = []
  const server = createServer((request, response) => {
    const [, publisher, name, , , ...path] = request.url.split('/')
    asked.push(`${publisher}/${name}/${path.join('/')}`)
    const bytes = files[path.join('/')]
    if (bytes === undefined) return response.writeHead(404).end('no')
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections() ?? server.close())
  const env = { HF_ENDPOINT: `http://127.0.0.1:${server.address().port}` }
  const { status, stderr, document } = await runModel(home, ['install', 'someone/tiny', '--json'], env)
  assert.deepEqual([status, stderr, document.name], [0, '', 'tiny'])
  assert.deepEqual(new Set(asked.map((path) => path.split('/').slice(0, 2).join('/'))), new Set(['someone/tiny']))
  assert.deepEqual(asked.at(0), 'someone/tiny/config.json')
  assert.equal((await modelStatus({ name: 'tiny' })).pooling, 'cls')
  assert.deepEqual(filesUnder(join(home, 'models')).length, 4)

  delete files['tokenizer.json']
  const lacking = await runModel(home, ['install', 'plain', '--json'], env)
  assert.deepEqual([lacking.status, lacking.document.error.code], [1, 'IO'])
  assert.match(lacking.document.error.message, /sentence-transformers\/plain\/resolve\/main\/tokenizer\.json.*404/)
})

test('an interrupted download resumes only with the same version', async (t) => {
  const { home } = freshMemory(t)
  const files = publishedFiles(tinyModel())
  const other = publishedFiles(tinyModel({ seed: 9 }))['model.safetensors']
  const asked = []
  const server = createServer((request, response) => {
    const name = request.url.split('/main/')[1]
    const bytes = files[name]
    if (bytes === undefined) return response.writeHead(404).end()
    if (name !== 'model.safetensors') return response.end(bytes)
    asked.push([request.headers.range, request.headers['if-range']])
    if (asked.length === 1) {
      response.writeHead(200, { 'content-length': bytes.length, etag: '"one"' })
      response.write(bytes.subarray(0, 5000), () => setImmediate(() => response.destroy()))
      return
    }
    // A new version was published meanwhile, so the whole file is sent.
    response.writeHead(200, { 'content-length': other.length, etag: '"two"' }).end(other)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections() ?? server.close())
  const env = { HF_ENDPOINT: `http://127.0.0.1:${server.address().port}` }
  const { status, stderr } = await runModel(home, ['install', 'tiny'], env)
  assert.deepEqual([status, stderr], [0, ''])
  assert.ok(asked.slice(1).every(([range, condition]) => range === undefined || condition === '"one"'))
  const [vector] = await LocalEmbedder.open({ name: 'tiny' }).embed(['rotate key'])
  assertNear(vector, vectorOf(tinyModel({ seed: 9 }), 'rotate key'), 'the version that is published now')
})

test('searches use the model that the settings name, and words find everything while its vectors are made', async (t) => {
  const memory = memoryWithNotes(t)
  const [one, two] = [tinyModel({ seed: 1 }), tinyModel({ hidden: 48, heads: 6, seed: 2 })]
  await install(t, memory.home, one, 'one')
  await install(t, memory.home, two, 'two')
  useModel('one')
  assert.equal((await embedMemories(memory.options)).covered, NOTES.length)
  const asked = (mode) => recall('rotate key', { ...memory.options, mode })
  const byOne = asked('meaning')
  assert.deepEqual([byOne.mode, byOne.hits[0].text], ['meaning', nearestNote(one, 'rotate key')])

  settings(memory, { embedder: { kind: 'local', model: 'two' } })
  const changed = asked('auto')
  assert.deepEqual([changed.mode, changed.hits[0].text, changed.hits[0].cosine], ['words', NOTES[2], undefined])
  assert.match(asked('meaning').message, /no vectors yet/)
  assert.equal(memoryStatus(memory.options).vectors.covered, 0)
  assert.equal((await embedMemories(memory.options)).covered, NOTES.length)
  const byTwo = asked('meaning')
  assert.equal(byTwo.hits[0].text, nearestNote(two, 'rotate key'))
  assert.notEqual(byTwo.hits[0].cosine, byOne.hits[0].cosine)

  // Going back costs nothing: the vectors of each model are kept apart.
  settings(memory, { embedder: { kind: 'local', model: 'one' } })
  assert.deepEqual(asked('meaning').hits, byOne.hits)
  const folders = readdirSync(join(memory.project, '.forge', 'index')).filter((name) => name.startsWith('vectors'))
  assert.equal(folders.length, 2)
  settings(memory, { embedder: { kind: 'local', model: 'nowhere' } })
  assert.match(asked('meaning').message, /the model nowhere, which the settings name, is not installed/)
  assert.equal(asked('auto').hits[0].text, NOTES[2])
})

test('the shared memory keeps the vectors of each model apart as well', async (t) => {
  const memory = memoryWithNotes(t)
  await install(t, memory.home, tinyModel({ seed: 1 }), 'one')
  await install(t, memory.home, tinyModel({ hidden: 48, heads: 6, seed: 2 }), 'two')
  settings(memory, { embedder: { kind: 'local', model: 'one' } })
  await drainOpenBrain(memory.options)
  const first = await searchThoughts('rotate key', memory.options)
  assert.deepEqual([first.semantic, first.thoughts[0].content], [true, NOTES[2]])
  settings(memory, { embedder: { kind: 'local', model: 'two' } })
  assert.equal((await searchThoughts('rotate key', memory.options)).thoughts[0].content, NOTES[2])
  await drainOpenBrain(memory.options)
  const second = await searchThoughts('rotate key', memory.options)
  assert.deepEqual([second.semantic, second.thoughts[0].content], [true, NOTES[2]])
  assert.notEqual(second.thoughts[0].cosine, first.thoughts[0].cosine)
  const { vectors } = await openBrainStatus(memory.options)
  assert.match(vectors.model, /^local:two@[0-9a-f]{12}$/)
})

test('the scores of a store outside are fused by what its model knows of languages', () => {
  const evidence = Array.from({ length: 12 }, (_, at) => ({ words: 5, cosine: at / 12 }))
  const weightOf = (model) => {
    const scores = fuseScores('почему сборка так долго идёт', model, evidence)
    return scores.at(-1) - scores[0]
  }
  assert.ok(weightOf('local:many+languages@0123456789ab') > weightOf('local:one@0123456789ab'))
})

test('the scores of a store outside are fused on the scale that its texts say', () => {
  const evidence = Array.from({ length: 12 }, (_, at) => ({ words: 5, cosine: 0.8 + at / 200 }))
  const scale = { pairs: 400, quartiles: [0.81, 0.82, 0.83] }
  const apart = (model, ...more) => {
    const scores = fuseScores('why is the report so slow', model, evidence, ...more)
    return scores.at(-1) - scores[0]
  }
  assert.ok(apart('local:one@0123456789ab', scale) > 5 * apart('local:one@0123456789ab'))
  assert.equal(apart('local:one@0123456789ab', { ...scale, pairs: 20 }), apart('local:one@0123456789ab'), 'too few')
  const measured = 'local:all-MiniLM-L6-v2'
  assert.equal(apart(measured, scale), apart(measured))
  assert.throws(() => apart(measured, { ...scale, quartiles: ['near'] }), { code: 'INVALID_INPUT' })
})

test('a model that was not measured keeps nothing back', async (t) => {
  const memory = freshMemory(t)
  await install(t, memory.home, tinyModel({ seed: 3 }), 'tiny')
  useModel('tiny')
  const words = 'jest needs windows runner backup fills disk replica rotate key twice year webhook again'.split(' ')
  for (let at = 0; at < 60; at += 1) {
    const body = [1, 3, 5, 7].map((step) => words[(at * step + step) % words.length]).join(' ')
    captureMemory({ type: 'lesson', body: `${body} ${at}` }, memory.options)
  }
  await embedMemories(memory.options)
  for (const query of ['symptoms of iron deficiency in horses', '富士山的高度', 'history of the ottoman navy']) {
    const { hits, mode } = recall(query, { ...memory.options, mode: 'meaning' })
    assert.ok(hits.length > 0, query)
    assert.equal(mode, 'meaning')
  }
})

test('a clone can name an installed model and nothing else', (t) => {
  const memory = memoryWithNotes(t)
  // What a path in the settings would lead to: a whole model in the clone itself.
  writeModel(join(memory.project, 'models', 'evil'), tinyModel())
  for (const model of ['../../x', join(memory.project, 'models', 'evil'), '..', 'a/b', 'a\\b', '', 7, null, ['a']]) {
    settings(memory, { embedder: { kind: 'local', model } })
    const { mode, hits } = recall('rotate key', memory.options)
    assert.deepEqual([mode, hits[0].text], ['words', NOTES[2]], JSON.stringify(model))
    assert.equal(memoryStatus(memory.options).vectors, undefined)
  }
  for (const name of ['../x', 'a/b/c', '', '.']) {
    assert.throws(() => LocalEmbedder.open({ name }), { code: 'INVALID_INPUT' }, name)
    assert.throws(() => useModel(name), { code: 'INVALID_INPUT' }, name)
  }
})

test('an unsupported model is refused with a reason and leaves no files', async (t) => {
  const { home } = freshMemory(t)
  const sources = freshFolder(t)
  const make = (name, model, change = () => undefined) => {
    const folder = writeModel(join(sources, name), model)
    change(folder)
    return folder
  }
  const wrong = tinyModel()
  wrong.tensors['encoder.layer.0.output.dense.bias'].numbers[0] = Number.NaN
  const lacking = tinyModel()
  delete lacking.tensors['encoder.layer.1.output.dense.weight']
  const weights = 'model.safetensors'
  const cases = [
    [make('other', tinyModel({ model_type: 'llama' })), 1, 'UNSUPPORTED', /llama.*supported are bert/],
    [make('labels', tinyModel({ labels: 3 })), 1, 'UNSUPPORTED', /3 labels/],
    [make('short', tinyModel(), (folder) => truncateSync(join(folder, weights), 9000)), 1, 'CORRUPT', /9000 bytes/],
    [
      make('large', tinyModel(), (folder) => truncateSync(join(folder, weights), 2 ** 31)),
      1,
      'UNSUPPORTED',
      /2147483648/,
    ],
    [
      make('header', tinyModel(), (folder) =>
        writeFileSync(join(folder, weights), Buffer.from([0, 0, 0, 128, 0, 0, 0, 0])),
      ),
      1,
      'CORRUPT',
      /2147483648/,
    ],
    [make('nan', wrong), 1, 'CORRUPT', /finite/],
    [make('lacking', lacking), 1, 'CORRUPT', /no tensor encoder\.layer\.1\.output\.dense\.weight/],
    [make('heads', tinyModel({ num_attention_heads: 5 })), 2, 'INVALID_INPUT', /multiple/],
    [make('words', tinyModel({ vocab_size: 50 })), 1, 'CORRUPT', /tokenizer\.json.*token/],
    [
      make('text', tinyModel(), (folder) => writeFileSync(join(folder, 'tokenizer.json'), 'no')),
      1,
      'CORRUPT',
      /not a tokenizer/,
    ],
    [
      make('config', tinyModel(), (folder) => writeFileSync(join(folder, 'config.json'), '[')),
      2,
      'INVALID_INPUT',
      /config\.json/,
    ],
  ]
  for (const [from, exitCode, code, message] of cases) {
    const { status, document } = await runModel(home, ['install', 'tiny', '--json', '--from', from])
    assert.deepEqual([from, status, document.error?.code], [from, exitCode, code], JSON.stringify(document))
    assert.match(document.error.message, message)
    assert.ok(document.error.hint.length > 0)
    assert.equal(existsSync(join(home, 'models')), false, from)
  }
  const pip = await runModel(home, ['install', 'tiny', '--json', '--from', 'pip'])
  assert.deepEqual([pip.status, pip.document.error.code], [2, 'INVALID_INPUT'])
})

test('a cross-encoder reranks the first hits on request', async (t) => {
  const memory = memoryWithNotes(t)
  const asked = (options = {}) => recall('windows disk report', { ...memory.options, mode: 'words', ...options })
  const before = asked()
  assert.ok(before.hits.length >= 3)
  const without = asked({ rerank: true })
  assert.match(without.message, /no cross-encoder is installed \(forge-memory model install/)
  assert.deepEqual(without.hits, before.hits)

  const model = tinyModel({ labels: 1, seed: 11 })
  const document = await install(t, memory.home, model, 'scorer')
  assert.equal(document.reranks, true)
  assert.match((await runModel(memory.home, ['status', 'scorer'])).stdout, /a cross-encoder for recall --rerank/)
  assert.deepEqual(asked().hits, before.hits, 'nothing changes unless it is asked for')
  const after = asked({ rerank: true })
  const texts = before.hits.map(({ text }) => text)
  const wanted = texts.map((text) => [scoreOf(model, 'windows disk report', text), text]).sort(([a], [b]) => b - a)
  assert.deepEqual(
    after.hits.map(({ text }) => text),
    wanted.map(([, text]) => text),
  )
  for (const [at, hit] of after.hits.entries()) assert.ok(Math.abs(hit.reranked - wanted[at][0]) < 1e-3)
  assert.deepEqual(asked({ rerank: true, limit: 1 }).hits, after.hits.slice(0, 1))
  assert.deepEqual(asked({ rerank: true }).hits, after.hits)
  // It is not an embedding model.
  assert.throws(() => LocalEmbedder.open({ name: 'scorer' }), { code: 'INVALID_INPUT' })
  assert.throws(() => useModel('scorer'), { code: 'INVALID_INPUT' })
  settings(memory, { embedder: { kind: 'local', model: 'scorer' } })
  assert.equal(asked({ mode: 'auto' }).hits.length, before.hits.length)
  rmSync(join(memory.home, 'models', 'scorer', 'model.int8.safetensors'))
  assert.deepEqual(asked({ rerank: true }).hits, before.hits)
})

test('the evaluation says which models there are to compare', (t) => {
  const home = freshFolder(t)
  const run = (...args) => {
    const env = { ...process.env, FORGE_HOME: home }
    return spawnSync(process.execPath, [join(root, 'eval', 'run.mjs'), ...args], { env, encoding: 'utf8' })
  }
  const none = run('--model', 'e5-small-v2')
  assert.equal(none.status, 2)
  assert.match(none.stderr, /no model besides the default one is installed; forge-memory model install e5-small-v2/)
  mkdirSync(join(home, 'models', 'mine'), { recursive: true })
  writeFileSync(join(home, 'models', 'mine', 'model.json'), '{}')
  assert.match(run('--model', 'e5-small-v2').stderr, /installed are mine/)
})
