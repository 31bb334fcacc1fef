import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Worker } from 'node:worker_threads'
import { LocalEmbedder, modelStatus } from '../index.js'
import { installedModel } from './support/model.mjs'
import { freshFolder, root } from './support/project.mjs'

const folder = installedModel()
const references = JSON.parse(readFileSync(join(root, '__test__', 'data', 'embedding-reference.json'), 'utf8'))
const cosine = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0)
const furthest = (a, b) => a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at])), 0)

/** True if this processor rounds activations to eight bits; to seven where it adds products in 16 bits. */
function hasEightBits() {
  if (process.arch !== 'x64') return true
  return process.platform === 'linux' && readFileSync('/proc/cpuinfo', 'utf8').includes('avx512_vnni')
}

/** The same arithmetic in plain code has .9930 and .9975 at least with eight bits, .9708 and .9941 with seven. */
const LEAST = hasEightBits() ? { short: 0.99, others: 0.995 } : { short: 0.965, others: 0.993 }

/** A copy of the installed model that a test may damage. */
function copyOfModel(t) {
  const copy = join(freshFolder(t), 'model')
  mkdirSync(copy)
  for (const file of ['tokenizer.json', 'model.int8.safetensors']) copyFileSync(join(folder, file), join(copy, file))
  return copy
}

test('vectors are those of an independent implementation with weights in 32 bits, up to eight-bit rounding', async () => {
  const embedder = LocalEmbedder.open({ folder })
  assert.deepEqual([embedder.name, embedder.dimensions], ['all-MiniLM-L6-v2', 384])
  const vectors = await embedder.embed(references.map(({ text }) => text))
  for (const [at, { text, vector }] of references.entries()) {
    assert.ok(vectors[at] instanceof Float32Array)
    assert.equal(vectors[at].length, 384)
    assert.ok(Math.abs(Math.hypot(...vectors[at]) - 1) < 1e-5)
    // A text of very few tokens has little over which the rounding could even out.
    const isShort = text.length < 10 || !text.includes(' ')
    const least = isShort ? LEAST.short : LEAST.others
    const likeness = cosine(vectors[at], vector)
    assert.ok(likeness > least, `${likeness} for ${JSON.stringify(text.slice(0, 40))}`)
  }
})

test('near in meaning is near in direction', async () => {
  const [windows, same, money] = await LocalEmbedder.open({ folder }).embed(
    references.slice(0, 3).map(({ text }) => text),
  )
  assert.ok(cosine(windows, same) > cosine(windows, money) + 0.3)
})

test('a text has the same vector alone, in a batch and in another order', async () => {
  const embedder = LocalEmbedder.open({ folder })
  const texts = references.map(({ text }) => text)
  const together = await embedder.embed(texts)
  const backwards = (await embedder.embed(texts.toReversed())).reverse()
  for (const [at, text] of texts.entries()) {
    const [alone] = await embedder.embed([text])
    assert.ok(furthest(alone, together[at]) < 1e-5, text)
    assert.ok(furthest(alone, backwards[at]) < 1e-5, text)
  }
})

test('every text has a vector: empty, NUL, emoji, other scripts, a megabyte', async () => {
  const texts = [
    '',
    '\0',
    ' \n\t',
    '🚀',
    '\u{10ffff}',
    '教',
    'ا',
    'x'.repeat(1 << 20),
    'word '.repeat(300_000),
    '\u200d'.repeat(9),
  ]
  const vectors = await LocalEmbedder.open({ folder }).embed(texts)
  assert.equal(vectors.length, texts.length)
  for (const vector of vectors) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5)
  assert.deepEqual(await LocalEmbedder.open({ folder }).embed([]), [])
})

test('tokens after the first 256 do not count', async () => {
  const head = 'caches and locks '.repeat(90)
  const [a, b] = await LocalEmbedder.open({ folder }).embed([`${head} money`, `${head} weather`])
  assert.deepEqual(a, b)
})

test('concurrent calls get their own vectors', async () => {
  const embedder = LocalEmbedder.open({ folder })
  const texts = references.slice(0, 8).map(({ text }) => text)
  const expected = await embedder.embed(texts)
  const all = await Promise.all(Array.from({ length: 24 }, (_, at) => embedder.embed([texts[at % 8]])))
  for (const [at, [vector]] of all.entries()) assert.ok(furthest(vector, expected[at % 8]) < 1e-5)
})

test('embedding does not block the event loop', async () => {
  const embedder = LocalEmbedder.open({ folder })
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  await embedder.embed(Array.from({ length: 20 }, () => references[0].text))
  clearInterval(timer)
  assert.ok(turns > 5, `${turns} turns`)
})

test('worker threads embed as well', async () => {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { LocalEmbedder } = require(workerData.addon)
    LocalEmbedder.open({ folder: workerData.folder }).embed(['Store money as integer cents'])
      .then(([vector]) => parentPort.postMessage(vector))`
  const workerData = { addon: join(root, 'index.js'), folder }
  const vectors = await Promise.all(
    [1, 2].map(() => {
      const worker = new Worker(code, { eval: true, workerData })
      return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    }),
  )
  assert.deepEqual(vectors[0], vectors[1])
})

test('an argument that is not a string is refused with its index', () => {
  const embedder = LocalEmbedder.open({ folder })
  for (const [texts, where] of [
    ['one', 'texts'],
    [undefined, 'texts'],
    [['a', 1], 'texts[1]'],
    [['\ud800'], 'texts[0]'],
  ]) {
    assert.throws(
      () => embedder.embed(texts),
      (error) => error.code === 'INVALID_INPUT' && error.message.startsWith(`${where}:`),
    )
  }
  for (const options of [{ folder: '' }, { folder: 'a\0b' }, { folder: 1 }, 'x'])
    assert.throws(() => LocalEmbedder.open(options), { code: 'INVALID_INPUT' })
})

test('a closed embedder accepts no more texts, but finishes pending ones', async () => {
  const embedder = LocalEmbedder.open({ folder })
  const pending = embedder.embed(['Store money as integer cents'])
  embedder.close()
  embedder.close()
  assert.equal((await pending).length, 1)
  assert.throws(() => embedder.embed(['x']), { code: 'INVALID_INPUT' })
})

test('opening without a model fails with MODEL_MISSING', (t) => {
  const empty = freshFolder(t)
  assert.throws(
    () => LocalEmbedder.open({ folder: empty }),
    (error) => error.code === 'MODEL_MISSING' && error.message.includes(empty),
  )
  // Half of it is none.
  copyFileSync(join(folder, 'tokenizer.json'), join(empty, 'tokenizer.json'))
  assert.throws(() => LocalEmbedder.open({ folder: empty }), { code: 'MODEL_MISSING' })
})

test('a file that was cut off is noticed when the model is opened', async (t) => {
  const copy = copyOfModel(t)
  truncateSync(join(copy, 'model.int8.safetensors'), 1_000_000)
  assert.throws(
    () => LocalEmbedder.open({ folder: copy }),
    (error) => error.code === 'CORRUPT' && /has 1000000 bytes, expected 22879840/.test(error.message),
  )
  assert.equal((await modelStatus({ folder: copy })).state, 'damaged')
})

test('a single changed bit is noticed before a vector is made', async (t) => {
  const copy = copyOfModel(t)
  for (const file of ['model.int8.safetensors', 'tokenizer.json']) {
    const path = join(copy, file)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1] ^= 1
    writeFileSync(path, bytes)
    const embedder = LocalEmbedder.open({ folder: copy })
    await assert.rejects(embedder.embed(['x']), (error) => {
      return error.code === 'CORRUPT' && error.message.includes(file) && /SHA-256/.test(error.message)
    })
    assert.equal((await modelStatus({ folder: copy })).state, 'damaged')
    bytes[bytes.length >> 1] ^= 1
    writeFileSync(path, bytes)
    // After a repair, the same embedder works again.
    assert.equal((await embedder.embed(['x'])).length, 1)
  }
})

test('a model that goes away between opening and the first text is an error, not a crash', async (t) => {
  const copy = copyOfModel(t)
  const embedder = LocalEmbedder.open({ folder: copy })
  rmSync(copy, { recursive: true })
  await assert.rejects(embedder.embed(['x']), { code: 'MODEL_MISSING' })
  assert.equal((await modelStatus({ folder: copy })).state, 'missing')
})

test('opening reads no weights', () => {
  const code = `
    const { LocalEmbedder } = require(${JSON.stringify(join(root, 'index.js'))})
    const before = process.memoryUsage().rss
    LocalEmbedder.open({ folder: ${JSON.stringify(folder)} })
    console.log(process.memoryUsage().rss - before)`
  const { stdout } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' })
  assert.ok(Number(stdout) < 4 * 1024 * 1024, stdout)
})
