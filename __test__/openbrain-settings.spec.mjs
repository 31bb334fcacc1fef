import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { withoutComments } from '../dist/openbrain/discovery.js'
import { secretOf } from '../dist/openbrain/secrets.js'
import { readSettings } from '../dist/openbrain/settings.js'
import { approve } from '../dist/openbrain/trust.js'
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
