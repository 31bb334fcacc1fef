// The older server that many still run: what the store promises holds there too, without pgvector by words alone.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { execute, startPostgres } from './support/postgres.mjs'

const VERSION = '15'
const before15 = process.env.FORGE_TEST_POSTGRES

let server
before(async () => {
  process.env.FORGE_TEST_POSTGRES = VERSION
  server = await startPostgres()
})
after(async () => {
  if (before15 === undefined) delete process.env.FORGE_TEST_POSTGRES
  else process.env.FORGE_TEST_POSTGRES = before15
  await server?.close()
})

/** Runs a spec file by itself, as the runner of all tests does. */
async function runSpec(name) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const path = fileURLToPath(new URL(`./${name}.spec.mjs`, import.meta.url))
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', path], {
    env: { ...env, FORGE_TEST_POSTGRES: VERSION },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const status = await new Promise((resolve) => child.once('close', resolve))
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(said)?.[1])
  return { status, passed: count('pass'), failed: count('fail'), said }
}

test('the server is the version that it is taken for', async () => {
  const [{ version }] = await execute(await server.database(), 'select version()')
  assert.match(version, /^PostgreSQL 15\./)
})

test('a database without the extension gives a hint, and is searched by words', async (t) => {
  const url = await server.database()
  const embedder = { model: 'test:none', dimensions: async () => 3, embed: async (texts) => texts.map(() => [1, 0, 0]) }
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined }, embedder)
  t.after(() => store.close())
  const { semantic, negotiatedAway } = await store.handshake()
  assert.equal(semantic, false)
  assert.match(negotiatedAway.join('\n'), /search by meaning: .*pgvector.* is not installed on the server/)
})

for (const name of ['openbrain-postgres', 'openbrain-first-setup', 'search-cache-stores', 'store-people']) {
  test(`${name} passes on it`, { timeout: 600_000 }, async (t) => {
    const { status, passed, failed, said } = await runSpec(name)
    t.diagnostic(`${name} on PostgreSQL ${VERSION}: ${passed} passed, ${failed} failed`)
    assert.equal(status, 0, said)
    assert.ok(passed > 5)
  })
}
