// Servers that repeat the key that they were shown, in their errors: nothing of it is stored, shown or logged.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { openaiEmbedder } from '../dist/openbrain/embedder/openai.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { RemoteStore } from '../dist/openbrain/remote/store.js'
import { freshCommand, runBeside } from './support/command.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { filesUnder } from './support/project.mjs'
import { storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'

const KEY = 'k3y-"of/our+own=4711%&\\xyz'
const OPTIONS = { textOnly: false, insecure: false, timeoutMs: 5000 }

const percent = (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const base64 = (text, form = 'base64') => Buffer.from(text).toString(form)

/** What a server may make of the key. */
const ECHOES = {
  'as it is': KEY,
  'in capitals': KEY.toUpperCase(),
  'percent-encoded': encodeURIComponent(KEY),
  'percent-encoded twice': encodeURIComponent(encodeURIComponent(KEY)),
  'every byte percent-encoded': percent(KEY),
  'a part percent-encoded': `${KEY.slice(0, 5)}${percent(KEY.slice(5, 9))}${KEY.slice(9)}`,
  'as JSON': JSON.stringify(KEY),
  'as JSON in JSON': JSON.stringify(JSON.stringify({ key: KEY })),
  'in escapes of Unicode': [...KEY].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'in base64': base64(KEY),
  'in base64 for addresses': base64(KEY, 'base64url'),
  'in base64 behind a scheme': base64(`Bearer ${KEY}`),
  'in base64 with a user': base64(`me:${KEY}!`),
  'in base64 with a longer user': base64(`users:${KEY}`),
  'in hexadecimal': base64(KEY, 'hex'),
  'as HTML': KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'in entities': [...KEY].map((c) => `&#${c.charCodeAt(0)};`).join(''),
  'over two lines': `${KEY.slice(0, 12)}\n   ${KEY.slice(12)}`,
  'with marks without width': [...KEY].join('\u200b'),
  'in an address': `https://me:${encodeURIComponent(KEY)}@127.0.0.1/x`,
  'where the excerpt is cut': `${'x'.repeat(285)} ${KEY}`,
  'over and over': `${KEY} `.repeat(60),
}

/** What must not be seen: pieces of the key that are long enough to matter, in any of the forms. */
const TRACES = [KEY.slice(4, 14), KEY.slice(14), encodeURIComponent(KEY).slice(5, 16), percent(KEY).slice(0, 24)]
  .concat([
    percent(KEY).slice(-24),
    base64(KEY).slice(0, 12),
    base64(KEY).slice(12, 24),
    base64(KEY, 'hex').slice(4, 20),
  ])
  .concat([
    base64(`Bearer ${KEY}`).slice(12, 24),
    base64(`me:${KEY}!`).slice(8, 20),
    base64(`users:${KEY}`).slice(12, 24),
  ])
  .concat(['\\u006f\\u0066', '&#111;&#102;', 'of&#', 'k\u200b3'])

function isClean(text, about) {
  for (const trace of TRACES)
    assert.ok(!text.toLowerCase().includes(trace.toLowerCase()), `${about}: ${trace} in ${text}`)
}

async function openedStore(t, door = 'rest') {
  const server = await startOpenBrain({ key: KEY })
  t.after(() => server.close())
  const store = new RemoteStore({ backend: 'remote', url: new URL(server[door]), key: KEY, isMcp: false }, OPTIONS)
  t.after(() => store.close())
  return { server, store }
}

test('an OpenBrain server over REST that repeats the key in an error gives nothing of it away', async (t) => {
  const { server, store } = await openedStore(t)
  await store.handshake()
  for (const [how, echo] of Object.entries(ECHOES)) {
    for (const status of [400, 401, 500, 502]) {
      server.fail({ on: /^POST \/memories$/, status, body: { error: `went wrong: ${echo}` } })
      const [{ kind, reason }] = await store.put(storing(thought(`one that is refused: ${how} ${status}`)))
      assert.notEqual(kind, 'delivered')
      assert.match(reason, /went wrong/, how)
      isClean(reason, `${how}, ${status}`)
    }
  }
})

test('an OpenBrain server over MCP that repeats the key in an error gives nothing of it away', async (t) => {
  const { server, store } = await openedStore(t, 'sse')
  await store.handshake()
  for (const [how, echo] of Object.entries(ECHOES)) {
    server.fail({ on: /^capture_thought$/, toolError: `Error: went wrong: ${echo}` })
    const [{ reason }] = await store.put(storing(thought(`one that is refused: ${how}`)))
    assert.match(reason, /went wrong/, how)
    isClean(reason, how)
  }
})

test('an embedder that repeats the key in an error gives nothing of it away', async (t) => {
  const server = await startEmbedder({ key: KEY })
  t.after(() => server.close())
  const embedder = openaiEmbedder(`${server.url}/v1`, 'small', KEY)
  for (const [how, echo] of Object.entries(ECHOES)) {
    server.state.fault = { status: 400, body: { error: { message: `went wrong: ${echo}` } } }
    const error = await embedder.embed(['x']).then(
      () => assert.fail('it embedded'),
      (failure) => failure,
    )
    assert.match(error.message, /went wrong/)
    isClean(error.message, how)
  }
})

/** A database that refuses everybody, and says a text of its own. */
async function startRefusingDatabase(t, text) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      const fields = Buffer.from(`SFATAL\0VFATAL\0C28P01\0M${text}\0\0`, 'utf8')
      const head = Buffer.alloc(5)
      head.write('E')
      head.writeInt32BE(fields.length + 4, 1)
      socket.end(Buffer.concat([head, fields]))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return server.address().port
}

test('a database that repeats the password in an error gives nothing of it away', async (t) => {
  for (const [how, echo] of Object.entries(ECHOES)) {
    const port = await startRefusingDatabase(t, `went wrong: ${echo}`)
    const url = new URL(`postgres://me@127.0.0.1:${port}/memory`)
    const store = new PostgresStore({ backend: 'postgres', url, password: KEY }, undefined, 5000)
    const error = await store.handshake().then(
      () => assert.fail('it was let in'),
      (failure) => failure,
    )
    assert.match(error.message, /went wrong/)
    isClean(error.message, how)
    await store.close()
  }
})

test('a password that is a word of every message is not looked for in messages', async (t) => {
  const port = await startRefusingDatabase(t, 'the database memory is not ready')
  const url = new URL(`postgres://me@127.0.0.1:${port}/memory`)
  for (const password of ['memory', 'Database', 'postgres']) {
    const store = new PostgresStore({ backend: 'postgres', url, password, passwordIn: 'PGPASSWORD' }, undefined, 5000)
    await assert.rejects(store.handshake(), {
      message: `postgres://127.0.0.1:${port}: the database memory is not ready (28P01): set the right password in PGPASSWORD`,
    })
    await store.close()
  }
})

test('a key of one or two letters is not removed from within words', async (t) => {
  const server = await startEmbedder({ key: 'ab' })
  t.after(() => server.close())
  const embedder = openaiEmbedder(`${server.url}/v1`, 'small', 'ab')
  server.state.fault = { status: 400, body: { error: { message: 'about the cable: (ab) is wrong, Bearer ab' } } }
  await assert.rejects(embedder.embed(['x']), ({ message }) => {
    assert.match(message, /about the cable: \(\[redacted:key\]\) is wrong/)
    assert.doesNotMatch(message, /\bab\b/)
    return true
  })
})

test('nothing of a key that a server repeats is in a file, a dead letter, a status or a drain', async (t) => {
  const server = await startOpenBrain({ key: KEY })
  t.after(() => server.close())
  const command = freshCommand(t)
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ openbrain: { url: server.rest } }))
  mkdirSync(join(command.project, '.forge'))
  writeFileSync(join(command.project, '.forge', 'secrets.json'), JSON.stringify({ openbrain: { key: KEY } }), {
    mode: 0o600,
  })
  command.run(['capture', '--type', 'lesson', 'Something that a server refuses.'])
  approveStores(command.project, command.home)
  const texts = []
  for (const args of [
    'drain',
    'dlq list',
    '--json dlq list',
    'status',
    '--json status',
    'doctor',
    'search x',
    'report',
  ]) {
    const body = { error: `no: ${KEY} ${encodeURIComponent(KEY)} ${base64(KEY)}` }
    server.fail({ times: 20, on: /^(POST|GET) \/(memories|stats)/, status: 400, body })
    texts.push(await runBeside(command, args.split(' ')))
  }
  for (const { stdout, stderr } of texts) isClean(stdout + stderr, 'a command')
  assert.ok(texts.some(({ stdout }) => stdout.includes('[redacted:key]')))
  for (const folder of [command.project, command.home]) {
    for (const file of filesUnder(folder)) {
      if (file.endsWith('secrets.json')) continue
      isClean(readFileSync(join(folder, file), 'latin1'), file)
    }
  }
})
