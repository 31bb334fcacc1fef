// The model of many languages beside the one that is built in: installed by the real command, used by searches, compared with a plain
// implementation.
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
import { model as known, runModel } from './support/model.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'
import { NOTES, publishedFiles, SMALL, tinyModel, vectorOf, writeModel } from './support/tiny-model.mjs'

const KNOWN = 'all-MiniLM-L6-v2'

/** A memory with a home that is there, in which commands can run. */
function freshMemory(t) {
  const memory = madeMemory(t)
  mkdirSync(memory.home, { recursive: true })
  return memory
}

/** Which of the notes is nearest to a text, as the plain implementation says. */
function nearestNote(model, text) {
  const query = vectorOf(model, `query: ${text}`)
  const cosines = NOTES.map((note) =>
    vectorOf(model, `passage: ${note}`).reduce((sum, value, at) => sum + value * query[at], 0),
  )
  return NOTES[cosines.indexOf(Math.max(...cosines))]
}

/** Asserts that a vector is the one that the plain implementation computes. */
function assertNear(found, wanted, what) {
  assert.equal(found.length, wanted.length)
  const most = found.reduce((largest, value, at) => Math.max(largest, Math.abs(value - wanted[at])), 0)
  assert.ok(most < 2e-4, `${what}: off by ${most}`)
}

/** Installs a small model by the command, and returns the document. */
async function install(t, home, model) {
  const from = writeModel(join(freshFolder(t), 'published'), model)
  return await installed(home, SMALL, from)
}

async function installed(home, name, from) {
  const { status, stderr, document } = await runModel(home, ['install', name, '--json', '--from', from])
  assert.deepEqual([status, stderr], [0, ''])
  return document
}

function memoryWithNotes(t) {
  const memory = freshMemory(t)
  for (const body of NOTES) captureMemory({ type: 'lesson', body }, memory.options)
  return memory
}

const settings = (memory, value) => writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(value))

test('the model of many languages is installed from a folder, listed, chosen, and removed', async (t) => {
  const memory = freshMemory(t)
  const { home } = memory
  const document = await install(t, home, tinyModel())
  assert.deepEqual([document.changed, document.name], [true, SMALL])
  const folder = join(home, 'models', SMALL)
  assert.deepEqual(filesUnder(folder), ['background.json', 'model.int8.safetensors', 'model.json', 'tokenizer.json'])
  const again = await runModel(home, ['install', SMALL, '--json'])
  assert.deepEqual(
    [again.status, again.document.changed],
    [0, false],
    'without a source nothing is fetched that is there',
  )

  const manifest = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))
  assert.deepEqual(
    [manifest.name, manifest.recipe.queryPrefix, manifest.files.map(({ name }) => name)],
    [SMALL, 'query: ', ['tokenizer.json', 'model.int8.safetensors']],
  )
  for (const { sha256 } of [...manifest.files, manifest.published]) assert.match(sha256, /^[0-9a-f]{64}$/)

  const status = await runModel(home, ['status', SMALL, '--json'])
  const { state, dimensions, maxTokens, isDefault } = status.document
  assert.deepEqual([status.status, state, dimensions, maxTokens, isDefault], [0, 'installed', 384, 512, false])
  // The one that is used is not installed, the other is shown beside it.
  const all = await runModel(home, ['status', '--json'])
  assert.deepEqual(
    [all.status, all.document.state, all.document.others.map(({ name }) => name)],
    [1, 'missing', [SMALL]],
  )
  assert.match(
    (await runModel(home, ['status'])).stdout,
    /multilingual-e5-small, 384 dimensions, the first 512\s+tokens/,
  )

  // Its weights are random numbers, which tell no question from another.
  const { at, ...measured } = status.document.measurement
  assert.deepEqual(measured, { state: 'unclear', questions: 26, texts: 100 })
  assert.ok(Date.parse(at) > 0)
  assert.match((await runModel(home, ['status', SMALL])).stdout, /measured .*by 26 questions and 100 texts/)
  const file = join(folder, 'background.json')
  const bytes = readFileSync(file)
  const measurementWith = async (change) => {
    change()
    return (await modelStatus({ name: SMALL })).measurement.state
  }
  assert.equal(await measurementWith(() => writeFileSync(file, '{}')), 'other')
  assert.equal(await measurementWith(() => rmSync(file)), 'missing')
  assert.match((await runModel(home, ['status', SMALL])).stdout, /not yet: .*forge-memory\s+embed\s+measures\s+it/s)
  assert.equal(await measurementWith(() => writeFileSync(file, bytes)), 'unclear')
  assert.equal((await modelStatus()).measurement, undefined, 'of a model that is not installed nothing is known')

  assert.equal((await runModel(home, ['use', SMALL])).status, 0)
  assert.deepEqual(
    (await listModels()).map(({ name, isDefault }) => [name, isDefault]),
    [
      ['all-MiniLM-L6-v2', false],
      [SMALL, true],
    ],
  )
  assert.deepEqual([(await modelStatus()).name, LocalEmbedder.open().name], [SMALL, SMALL])
  assert.equal((await runModel(home, ['use', KNOWN, '--json'])).document.error.code, 'MODEL_MISSING')

  const removed = await runModel(home, ['remove', SMALL, '--yes', '--json'])
  assert.deepEqual([removed.status, removed.document.changed, existsSync(folder)], [0, true, false])
  assert.equal((await modelStatus()).name, 'all-MiniLM-L6-v2', 'what was removed is no choice')
})

test('vectors are those of a plain implementation, with the prefixes of the model', async (t) => {
  const { home } = freshMemory(t)
  const model = tinyModel()
  await install(t, home, model)
  const embedder = LocalEmbedder.open({ name: SMALL })
  assert.match(embedder.key, /^local:multilingual-e5-small@[0-9a-f]{12}$/)
  for (const text of ['rotate key', ...NOTES]) {
    const [passage] = await embedder.embed([text])
    assertNear(passage, vectorOf(model, `passage: ${text}`), text)
    const [query] = await embedder.embed([text], 'query')
    assertNear(query, vectorOf(model, `query: ${text}`), text)
  }
  assert.throws(() => embedder.embed(['x'], 'neither'), { code: 'INVALID_INPUT' })
})

test('without a name, the model is the one that the folder is named after', async (t) => {
  const { home } = freshMemory(t)
  const from = writeModel(join(freshFolder(t), SMALL), tinyModel())
  const { document } = await runModel(home, ['install', '--json', '--from', from])
  assert.deepEqual([document.changed, document.name], [true, SMALL])
  const unnamed = writeModel(join(freshFolder(t), 'mine'), tinyModel())
  const refused = await runModel(home, ['install', '--json', '--from', unnamed])
  assert.deepEqual([refused.status, refused.document.error.code], [1, 'CORRUPT'])
})

test('no other model is installed, and the folder of one that was is left alone', async (t) => {
  const memory = memoryWithNotes(t)
  const { home } = memory
  const from = writeModel(join(freshFolder(t), 'e5-small-v2'), tinyModel())
  for (const name of ['e5-small-v2', 'someone/multilingual-e5-small', 'cross-encoder/ms-marco-MiniLM-L6-v2', '../x']) {
    for (const args of [
      ['install', name, '--from', from],
      ['status', name],
      ['use', name],
      ['remove', name, '--yes'],
    ]) {
      const { status, document } = await runModel(home, [...args, '--json'])
      assert.deepEqual([status, document.error.code], [2, 'INVALID_INPUT'], args.join(' '))
      assert.match(document.error.message, /expected all-MiniLM-L6-v2 or multilingual-e5-small/)
      assert.match(document.error.hint, /forge-memory model install/)
    }
  }
  // One that an earlier version installed, which the user and the settings have chosen.
  const folder = join(home, 'models', 'e5-small-v2')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'model.json'), '{"format": 1, "name": "e5-small-v2"}')
  writeFileSync(join(home, 'models', '.default.json'), '{"model":"e5-small-v2"}')
  assert.deepEqual(
    (await listModels()).map(({ name, isDefault }) => [name, isDefault]),
    [[KNOWN, true]],
  )
  assert.equal(recall('rotate key', memory.options).hits[0].text, NOTES[2])
  settings(memory, { embedder: { kind: 'local', model: 'e5-small-v2' } })
  assert.equal(recall('rotate key', memory.options).hits[0].text, NOTES[2])
  assert.deepEqual(filesUnder(folder), ['model.json'])
})

test('a model with another manifest under its name is damaged, and searches go on by words', async (t) => {
  const memory = memoryWithNotes(t)
  await install(t, memory.home, tinyModel())
  useModel(SMALL)
  await embedMemories(memory.options)
  const file = join(memory.home, 'models', SMALL, 'model.json')
  const manifest = readFileSync(file, 'utf8')
  // Prefixes could be given once.
  writeFileSync(file, manifest.replace('"query: "', '"ask: "'))
  const { state, problem, isDefault } = await modelStatus()
  assert.deepEqual([state, isDefault], ['damaged', true])
  assert.match(problem, /describes another model/)
  assert.match(
    (await runModel(memory.home, ['status'])).stdout,
    /forge-memory model install multilingual-e5-small repairs/,
  )
  assert.throws(() => LocalEmbedder.open(), { code: 'CORRUPT' })
  const { mode, hits } = recall('rotate key', memory.options)
  assert.deepEqual([mode, hits[0].text], ['words', NOTES[2]])
  await install(t, memory.home, tinyModel())
  assert.equal(readFileSync(file, 'utf8'), manifest)
  assert.equal(recall('rotate key', { ...memory.options, mode: 'meaning' }).mode, 'meaning')
})

test('the files of the model are downloaded from its publisher', async (t) => {
  const { home } = freshMemory(t)
  const files = publishedFiles(tinyModel())
  const asked = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    const bytes = files[request.url.split('/main/')[1]]
    if (bytes === undefined) return response.writeHead(404).end('no')
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections() ?? server.close())
  const env = { HF_ENDPOINT: `http://127.0.0.1:${server.address().port}` }
  for (const name of [SMALL, `intfloat/${SMALL}`]) {
    const { status, stderr, document } = await runModel(home, ['install', name, '--json'], env)
    assert.deepEqual([status, stderr, document.name], [0, '', SMALL])
    assert.deepEqual(
      asked.splice(0),
      ['tokenizer.json', 'model.safetensors'].map((file) => `/intfloat/${SMALL}/resolve/main/${file}`),
    )
    assert.deepEqual(filesUnder(join(home, 'models')).length, 4)
    assert.equal((await runModel(home, ['remove', name, '--yes'])).status, 0)
  }
  delete files['tokenizer.json']
  const lacking = await runModel(home, ['install', SMALL, '--json'], env)
  assert.deepEqual([lacking.status, lacking.document.error.code], [1, 'IO'])
  assert.match(lacking.document.error.message, /intfloat\/multilingual-e5-small\/resolve\/main\/tokenizer\.json.*404/)
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
  const { status, stderr } = await runModel(home, ['install', SMALL], env)
  assert.deepEqual([status, stderr], [0, ''])
  assert.ok(asked.slice(1).every(([range, condition]) => range === undefined || condition === '"one"'))
  const [vector] = await LocalEmbedder.open({ name: SMALL }).embed(['rotate key'])
  assertNear(vector, vectorOf(tinyModel({ seed: 9 }), 'passage: rotate key'), 'the version that is published now')
})

test('searches use the model that the settings name, and words find everything while its vectors are made', async (t) => {
  const memory = memoryWithNotes(t)
  const model = tinyModel()
  await install(t, memory.home, model)
  await installed(memory.home, KNOWN, known.unpacked)
  useModel(SMALL)
  assert.equal((await embedMemories(memory.options)).covered, NOTES.length)
  const asked = (mode) => recall('rotate key', { ...memory.options, mode })
  const byOne = asked('meaning')
  assert.deepEqual([byOne.mode, byOne.hits[0].text], ['meaning', nearestNote(model, 'rotate key')])

  settings(memory, { embedder: { kind: 'local', model: KNOWN } })
  const changed = asked('auto')
  assert.deepEqual([changed.mode, changed.hits[0].text, changed.hits[0].cosine], ['words', NOTES[2], undefined])
  assert.match(asked('meaning').message, /no vectors yet/)
  assert.equal(memoryStatus(memory.options).vectors.covered, 0)
  assert.equal((await embedMemories(memory.options)).covered, NOTES.length)
  const byTwo = asked('meaning')
  assert.equal(byTwo.hits[0].text, NOTES[2])
  assert.notEqual(byTwo.hits[0].cosine, byOne.hits.find(({ text }) => text === NOTES[2])?.cosine)

  // Going back costs nothing: the vectors of each model are kept apart.
  settings(memory, { embedder: { kind: 'local', model: SMALL } })
  assert.deepEqual(asked('meaning').hits, byOne.hits)
  const folders = readdirSync(join(memory.project, '.forge', 'index')).filter((name) => name.startsWith('vectors'))
  assert.equal(folders.length, 2)
  assert.equal((await runModel(memory.home, ['remove', SMALL, '--yes'])).status, 0)
  assert.match(asked('meaning').message, /the model multilingual-e5-small, which the settings name, is not installed/)
  assert.equal(asked('auto').hits[0].text, NOTES[2])
})

test('the shared memory keeps the vectors of each model apart as well', async (t) => {
  const memory = memoryWithNotes(t)
  await install(t, memory.home, tinyModel())
  await installed(memory.home, KNOWN, known.unpacked)
  settings(memory, { embedder: { kind: 'local', model: KNOWN } })
  await drainOpenBrain(memory.options)
  const first = await searchThoughts('rotate key', memory.options)
  assert.deepEqual([first.semantic, first.thoughts[0].content], [true, NOTES[2]])
  settings(memory, { embedder: { kind: 'local', model: SMALL } })
  assert.equal((await searchThoughts('rotate key', memory.options)).thoughts[0].content, NOTES[2])
  await drainOpenBrain(memory.options)
  const second = await searchThoughts('rotate key', memory.options)
  assert.deepEqual([second.semantic, second.thoughts[0].content], [true, NOTES[2]])
  assert.notEqual(second.thoughts[0].cosine, first.thoughts[0].cosine)
  const { vectors } = await openBrainStatus(memory.options)
  assert.match(vectors.model, /^local:multilingual-e5-small@[0-9a-f]{12}$/)
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
  await install(t, memory.home, tinyModel({ seed: 3 }))
  useModel(SMALL)
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
  for (const name of ['../x', 'a/b/c', '', '.', 'evil']) {
    assert.throws(() => LocalEmbedder.open({ name }), { code: 'INVALID_INPUT' }, name)
    assert.throws(() => useModel(name), { code: 'INVALID_INPUT' }, name)
  }
})

test('what is not the model is refused with a reason and leaves no files', async (t) => {
  const { home } = freshMemory(t)
  const sources = freshFolder(t)
  const make = (name, model, change = () => undefined) => {
    const folder = writeModel(join(sources, name), model)
    change(folder)
    return folder
  }
  const wrong = tinyModel()
  wrong['encoder.layer.0.output.dense.bias'].numbers[0] = Number.NaN
  const lacking = tinyModel()
  delete lacking['encoder.layer.0.output.dense.weight']
  const other = tinyModel()
  other['encoder.relative_attention_bias.weight'] = { shape: [1, 1], numbers: new Float32Array(1) }
  const weights = 'model.safetensors'
  const cases = [
    [make('other', other), /has the tensor encoder\.relative_attention_bias\.weight/],
    [make('short', tinyModel(), (folder) => truncateSync(join(folder, weights), 9000)), /9000 bytes/],
    [make('large', tinyModel(), (folder) => truncateSync(join(folder, weights), 2 ** 31)), /2147483648/],
    [
      make('header', tinyModel(), (folder) =>
        writeFileSync(join(folder, weights), Buffer.from([0, 0, 0, 128, 0, 0, 0, 0])),
      ),
      /2147483648/,
    ],
    [make('nan', wrong), /finite/],
    [make('lacking', lacking), /no tensor encoder\.layer\.0\.output\.dense\.weight/],
    [writeModel(join(sources, 'words'), tinyModel(), ['beyond']), /tokenizer\.json.*tokens, and the table/],
    [make('text', tinyModel(), (folder) => writeFileSync(join(folder, 'tokenizer.json'), 'no')), /not a tokenizer/],
  ]
  for (const [from, message] of cases) {
    const { status, document } = await runModel(home, ['install', SMALL, '--json', '--from', from])
    assert.deepEqual([from, status, document.error?.code], [from, 1, 'CORRUPT'], JSON.stringify(document))
    assert.match(document.error.message, message)
    assert.ok(document.error.hint.length > 0)
    assert.equal(existsSync(join(home, 'models')), false, from)
  }
  const pip = await runModel(home, ['install', SMALL, '--json', '--from', 'pip'])
  assert.deepEqual([pip.status, pip.document.error.code], [2, 'INVALID_INPUT'])
})

test('the evaluation says when the model to compare is not installed', (t) => {
  const env = { ...process.env, FORGE_HOME: freshFolder(t) }
  const args = [join(root, 'eval', 'run.mjs'), '--model', SMALL]
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  assert.equal(status, 2)
  assert.match(
    stderr,
    /there is no model multilingual-e5-small; forge-memory model install multilingual-e5-small fetches it/,
  )
})
