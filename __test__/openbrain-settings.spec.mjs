import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { withoutComments } from '../dist/openbrain/discovery.js'
import { secretOf } from '../dist/openbrain/secrets.js'
import { readSettings } from '../dist/openbrain/settings.js'
import { approve } from '../dist/openbrain/trust.js'
import { writeUserStore } from '../dist/openbrain/user-settings.js'
import { mayNameStore } from '../dist/shared/named-store.js'
import { useHome } from './support/home.mjs'
import { isWindows } from './support/memory.mjs'
import { freshFolder } from './support/project.mjs'

delete process.env.OPENBRAIN_KEY

function project(t, files = {}) {
  const folder = freshFolder(t)
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    const mode = path.endsWith('secrets.json') ? 0o600 : 0o644
    writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value), { mode })
  }
  return folder
}

const forge = (openbrain, rest) => ({ '.forge.json': { openbrain, ...rest } })

test("the default store is the user's own file", (t) => {
  for (const files of [
    {},
    forge({ url: 'file' }),
    forge({ url: '' }),
    { '.forge.json': '{ broken' },
    { '.forge.json': '[]' },
  ]) {
    assert.deepEqual(readSettings(project(t, files)).target, { backend: 'embedded' })
  }
})

test('what has no settings of a store is known without them, and every name of one is seen', (t) => {
  useHome(t, freshFolder(t))
  const named = (files) => mayNameStore({ projectDir: project(t, files) })
  const servers = (name, more = '') => `${more}{ "servers": { "${name}": { "url": "http://127.0.0.1:9" } } }`
  for (const files of [
    {},
    { '.forge.json': { redact: false } },
    { '.forge.json': '{ broken' },
    { '.mcp.json': servers('db') },
  ])
    assert.equal(named(files), false, JSON.stringify(files))
  const names = ['openbrain', 'My Open-Brain', '\\u006fpenbrain']
  const paths = ['.mcp.json', '.vscode/mcp.json', '.claude/mcp.json']
  const ofServers = paths.flatMap((path) => names.map((name) => ({ [path]: servers(name, '// a comment\n') })))
  for (const files of [...ofServers, forge({ url: 'https://h' }), forge({ endpoint: 'https://h' })]) {
    assert.equal(readSettings(project(t, files)).target.backend, 'remote')
    assert.equal(named(files), true, JSON.stringify(files))
  }
  process.env.FORGE_OPENBRAIN_URL = 'https://h'
  t.after(() => delete process.env.FORGE_OPENBRAIN_URL)
  assert.equal(named({}), true)
  delete process.env.FORGE_OPENBRAIN_URL
  writeUserStore('https://h')
  assert.equal(named({}), true)
})

test('the address may be named endpoint, as in the documents of Plan Forge; url takes precedence', (t) => {
  const hostOf = (openbrain) => readSettings(project(t, forge(openbrain))).target.url?.host
  assert.equal(hostOf({ endpoint: 'https://brain.example/' }), 'brain.example')
  assert.equal(hostOf({ endpoint: 'https://brain.example/', url: 'https://other.example/' }), 'other.example')
  const { storeAddress } = readSettings(project(t, forge({ endpoint: 'https://brain.example/' })))
  assert.match(storeAddress, /brain\.example/, 'it needs the same approval')
})

test('the scheme of the address decides about the store', (t) => {
  const backendOf = (url) => readSettings(project(t, forge({ url }))).target.backend
  assert.deepEqual(['postgres://h/d', 'postgresql://u@h', 'https://h', 'http://127.0.0.1:8000'].map(backendOf), [
    'postgres',
    'postgres',
    'remote',
    'remote',
  ])
})

test('an address with a password or a key in it is refused without being repeated', (t) => {
  for (const url of [
    'postgres://me:hunter2@host/db',
    'https://host/mcp?key=hunter2',
    'hunter2 is no address',
    'ftp://hunter2@h',
  ]) {
    const error = (() => {
      try {
        return readSettings(project(t, forge({ url })))
      } catch (failure) {
        return failure
      }
    })()
    assert.equal(error.kind, 'misconfigured', url)
    assert.doesNotMatch(`${error.message}${error.stack}`, /hunter2/)
  }
})

test('the key comes from the environment, else from a file that only its owner can read', (t) => {
  const folder = project(t, { '.forge/secrets.json': { openbrain: { key: ' from-file ' } } })
  assert.equal(secretOf('openbrain', folder, {}), 'from-file')
  assert.equal(secretOf('openbrain', folder, { OPENBRAIN_KEY: 'from-env' }), 'from-env')
  assert.equal(secretOf('embedder', folder, {}), undefined)
  assert.equal(secretOf('openbrain', project(t), {}), undefined)
})

test('a file of secrets that others can read, or that is not JSON, is refused without quoting it', (t) => {
  const open = project(t, { '.forge/secrets.json': { openbrain: { key: 'hunter2' } } })
  if (!isWindows) {
    chmodSync(join(open, '.forge', 'secrets.json'), 0o644)
    assert.throws(() => secretOf('openbrain', open, {}), { kind: 'misconfigured', message: /chmod 600/ })
  }
  const broken = project(t, { '.forge/secrets.json': '{"openbrain": {"key": "hunter2"' })
  assert.throws(
    () => secretOf('openbrain', broken, {}),
    (error) => error.kind === 'misconfigured' && !/hunter2/.test(error.message),
  )
})

test('the server that an agent uses is found among comments, and its key is removed from the address', (t) => {
  const text = `{
    // where the memory is
    "servers": { /* one */ "other": { "url": "https://other" },
      "my-OpenBrain": { "url": "https://brain.example/sse?key=hunter2", },
    },
  }`
  const { target } = readSettings(project(t, { '.vscode/mcp.json': text }))
  assert.deepEqual(
    [target.backend, target.url.href, target.key, target.isMcp],
    ['remote', 'https://brain.example/sse', 'hunter2', true],
  )
  const variable = {
    mcpServers: { openbrain: { url: 'https://b/sse', headers: { 'X-Brain-Key': ['$', '{env:MY_KEY}'].join('') } } },
  }
  process.env.MY_KEY = 'from-variable'
  t.after(() => delete process.env.MY_KEY)
  const folder = project(t, { '.mcp.json': variable })
  const found = readSettings(folder)
  assert.equal(found.target.key, undefined, 'nobody has approved that it is read')
  assert.deepEqual(found.variableUses, [
    'https://b/sse with the header x-brain-key from the environment variable MY_KEY',
  ])
  approve(found)
  assert.equal(readSettings(folder).target.key, 'from-variable')
  const local = readSettings(project(t, { '.mcp.json': variable, ...forge({ url: 'file' }) }))
  assert.equal(local.target.backend, 'embedded')
})

test('files of agents without such a server, or that are broken, are passed over', (t) => {
  const files = [
    '{ "servers": { "openbrain": { "command": "node" } } }',
    '{ nonsense openbrain',
    '{"servers": []}',
    'null',
  ]
  for (const text of files) {
    assert.equal(readSettings(project(t, { '.mcp.json': text })).target.backend, 'embedded', text)
  }
})

test('comment markers inside of a string are not comments', () => {
  const value = { url: 'https://a//b', text: '/* no */ // "quoted", }', list: [1, 2] }
  assert.deepEqual(JSON.parse(withoutComments(`// top\n${JSON.stringify(value, null, 1)}\n/* end */`)), value)
  assert.deepEqual(JSON.parse(withoutComments('{"a": [1, /* x */ ], "b": ",}" , }')), { a: [1], b: ',}' })
})

const HOSTILE = {
  '.forge.json': {
    openbrain: {
      insecure: true,
      textOnly: true,
      timeoutMs: 600_000,
      reachTimeoutMs: 600_000,
      searchTimeoutMs: 600_000,
      efSearch: 10,
    },
  },
  '.forge/secrets.json': { openbrain: { key: 'key-of-the-clone' }, embedder: { key: 'key-of-the-clone' } },
}

/** A user with settings and keys of their own, until the test ends. */
function asUser(t, config, { secrets, env = {} } = {}) {
  const home = freshFolder(t)
  writeFileSync(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  if (secrets) writeFileSync(join(home, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 })
  const before = { ...process.env }
  Object.assign(process.env, { FORGE_HOME: home, ...env })
  t.after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  })
}

const DEFAULTS = [false, false, 10_000, 1500, 5000, undefined]
const sending = ({ insecure, textOnly, timeoutMs, reachTimeoutMs, searchTimeoutMs, efSearch }) => [
  insecure,
  textOnly,
  timeoutMs,
  reachTimeoutMs,
  searchTimeoutMs,
  efSearch,
]

test("a clone decides neither about the key nor about the sending to the user's own address", (t) => {
  const secrets = { openbrain: { key: 'key-of-the-user' }, embedder: { key: 'key-of-the-user' } }
  const embedder = { kind: 'openai', url: 'http://machine.example/v1' }
  asUser(t, { openbrain: { url: 'https://own.example/', timeoutMs: 2000 }, embedder }, { secrets })
  const hostile = (openbrain, rest) => ({
    ...HOSTILE,
    '.forge.json': { openbrain: { ...HOSTILE['.forge.json'].openbrain, ...openbrain }, ...rest },
  })
  for (const files of [
    HOSTILE,
    hostile({ url: 'https://own.example/' }),
    hostile({}, { embedder: { kind: 'openai', url: 'http://machine.example/v1', model: 'x' } }),
  ]) {
    const found = readSettings(project(t, files))
    assert.deepEqual([found.target.key, found.embedder.key], ['key-of-the-user', 'key-of-the-user'])
    assert.deepEqual(sending(found), [false, false, 2000, ...DEFAULTS.slice(3)])
    assert.deepEqual(
      [found.embedder.insecure, found.storeAddress, found.embedderAddress],
      [undefined, undefined, undefined],
    )
  }
  // What it says about an address of its own holds there, and the user's keys are not for that.
  const own = readSettings(
    project(
      t,
      hostile({ url: 'https://clone.example/' }, { embedder: { kind: 'openai', url: 'http://127.0.0.1:1/v1' } }),
    ),
  )
  assert.deepEqual([own.target.key, own.embedder.key], ['key-of-the-clone', 'key-of-the-clone'])
  assert.deepEqual([own.storeAddress, own.embedderAddress], ['https://clone.example/', 'http://127.0.0.1:1/v1'])
  assert.deepEqual(sending(own), [true, true, 600_000, 600_000, 600_000, 10])
})

test("a clone decides neither about the key nor about the sending to an address in the user's environment", (t) => {
  asUser(t, {}, { env: { FORGE_OPENBRAIN_URL: 'http://other-machine/' } })
  const found = readSettings(project(t, HOSTILE))
  assert.equal(found.target.key, undefined)
  assert.deepEqual(sending(found), DEFAULTS)
  assert.equal(found.storeAddress, undefined)
})
