import assert from 'node:assert/strict'
import test from 'node:test'
import { RemoteStore } from '../dist/openbrain/remote/store.js'
import { conforms } from './support/conformance.mjs'
import { freshMemory } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'

const KEY = 'secret-key-4711'
/** Only what hangs reaches the time-out; on a busy machine an answer may take seconds. */
const OPTIONS = { textOnly: false, insecure: false, timeoutMs: 30_000 }

/** Starts a server, and opens stores on one of its doors. */
async function opened(t, door, { options, key = KEY, ...settings } = {}) {
  // What was sent is noted in the folder of the user.
  freshMemory(t)
  const server = await startOpenBrain({ key: KEY, ...settings })
  t.after(() => server.close())
  const open = async (more) => {
    const target = { backend: 'remote', url: new URL(server[door]), key, isMcp: false }
    const store = new RemoteStore(target, { ...OPTIONS, ...options, ...more })
    t.after(() => store.close())
    return store
  }
  return { server, store: await open(), again: open }
}

for (const door of ['rest', 'sse']) conforms(`remote by ${door}`, (t) => opened(t, door))

const reasons = (outcomes) => outcomes.map(({ reason }) => reason).join('\n')

for (const door of ['rest', 'sse']) {
  const capture = door === 'rest' ? /POST \/memories/ : /capture_thought/

  test(`${door}: a time-out after the insert does not double a thought when it is tried again`, async (t) => {
    const { server, store, again } = await opened(t, door)
    const impatient = await again({ timeoutMs: 2000 })
    for (const [after, client] of [
      ['drop', store],
      ['hang', impatient],
    ]) {
      await client.handshake()
      const batch = storing(thought(`stored, but nobody was told: ${after}`))
      server.fail({ on: capture, after })
      const [first] = await client.put(batch)
      assert.equal(first.kind, 'busy', first.reason)
      assert.equal(server.brain.rows.length, after === 'drop' ? 1 : 2, 'the server had stored it')
      assert.deepEqual(kinds(await store.put(batch.map((one) => ({ ...one, attempts: 1 })))), ['delivered'])
    }
    assert.equal(server.brain.rows.length, 2)
  })

  test(`${door}: a connection that is lost after the insert of a batch duplicates nothing`, async (t) => {
    const { server, store } = await opened(t, door)
    await store.handshake()
    const batch = storing(...Array.from({ length: 20 }, (_, at) => thought(`one of twenty, number ${at}`)))
    server.fail({ on: capture, after: 'drop' })
    assert.deepEqual(new Set(kinds(await store.put(batch))), new Set(['busy']))
    assert.equal(server.brain.rows.length, 20)
    assert.deepEqual(
      new Set(kinds(await store.put(batch.map((one) => ({ ...one, attempts: 1 }))))),
      new Set(['delivered']),
    )
    assert.equal(server.brain.rows.length, 20)
  })

  test(`${door}: one bad record of a batch is rejected with its reason, and the others arrive`, async (t) => {
    const { server, store } = await opened(t, door)
    const batch = storing(thought('good'), thought('   '), thought('better'))
    const outcomes = await store.put(batch)
    assert.deepEqual(kinds(outcomes), ['delivered', 'rejected', 'delivered'])
    assert.match(reasons(outcomes), /content is required/)
    assert.equal(server.brain.rows.length, 2)
  })

  test(`${door}: copies of a thought made by others are removed`, async (t) => {
    const { server, store } = await opened(t, door)
    const batch = storing(thought('doubled by an older tool'))
    await store.put(batch)
    server.brain.rows.push({ ...server.brain.rows[0], id: 'copy' })
    assert.deepEqual(kinds(await store.put(batch)), ['delivered'])
    assert.equal(server.brain.rows.length, 1)
  })

  test(`${door}: the next delivery removes the old text of a revision that a crash left`, async (t) => {
    const { server, store } = await opened(t, door)
    const old = thought('release on fridays')
    const revision = thought('release on mondays', { supersedes: old.id })
    await store.put(storing(revision))
    await store.put(storing(old))
    assert.equal(server.brain.rows.length, 2, 'as a death between storing and deleting leaves it')
    assert.deepEqual(kinds(await store.put(storing(revision))), ['delivered'])
    assert.deepEqual(
      server.brain.rows.map(({ content }) => content),
      ['release on mondays'],
    )
  })

  test(`${door}: an unreachable server counts as busy, and its key does not leak`, async (t) => {
    const { server, store } = await opened(t, door)
    await server.close()
    const outcomes = await store.put(storing(thought('x')))
    assert.deepEqual(kinds(outcomes), ['busy'])
    assert.match(reasons(outcomes), /cannot be reached \(ECONNREFUSED\)/)
    assert.doesNotMatch(reasons(outcomes), /secret-key/)
    // The test ends the server once more.
    server.close = () => undefined
  })
}

test('sse: a wrong key is for a person to see to, and is not shown', async (t) => {
  const { store } = await opened(t, 'sse', { key: 'secret-key-wrong' })
  await assert.rejects(store.handshake(), {
    kind: 'misconfigured',
    message: /^http:\/\/127\.0\.0\.1:\d+ refuses the key/,
  })
  const outcomes = await store.put(storing(thought('x')))
  assert.deepEqual(kinds(outcomes), ['misconfigured'])
  assert.doesNotMatch(reasons(outcomes), /secret-key/)
})

test('sse: a session that the server has lost is opened again, and nothing is stored twice', async (t) => {
  const { server, store } = await opened(t, 'sse')
  await store.put(storing(thought('before')))
  server.forgetSessions()
  assert.deepEqual(kinds(await store.put(storing(thought('after')))), ['delivered'])
  assert.equal(server.brain.rows.length, 2)
})

test('sse: a tool that fails is not taken for a success', async (t) => {
  const { server, store } = await opened(t, 'sse')
  const cases = [
    ['expected 768 dimensions, not 384', 'misconfigured'],
    ['connect ECONNREFUSED 127.0.0.1:11434', 'busy'],
    ['something that nobody has seen before', 'busy'],
    ['insert or update violates foreign key constraint "thoughts_supersedes_fkey"', 'rejected'],
  ]
  for (const [toolError, kind] of cases) {
    server.fail({ on: /^capture_thought$/, toolError })
    const outcomes = await store.put(storing(thought('x')))
    assert.deepEqual(kinds(outcomes), [kind], toolError)
    assert.ok(reasons(outcomes).includes(toolError))
  }
  assert.equal(server.brain.rows.length, 0)
})

test('rest: every status is the class that the table says', async (t) => {
  const { server, store } = await opened(t, 'rest')
  const cases = [
    [400, { error: 'content is required' }, 'rejected'],
    [500, { error: 'Unexpected token } in JSON at position 4' }, 'rejected'],
    [500, { error: 'boom' }, 'busy'],
    [502, { detail: 'insert or update violates foreign key constraint "thoughts_supersedes_fkey"' }, 'rejected'],
    [502, { detail: 'expected 768 dimensions, not 384' }, 'misconfigured'],
    [502, { detail: 'connect ECONNREFUSED 127.0.0.1:5432' }, 'busy'],
    [502, { detail: 'Ollama embed failed: 500' }, 'busy'],
    [502, { detail: 'timeout' }, 'busy'],
    [502, { detail: 'LIMIT must not be negative' }, 'rejected'],
    [502, { detail: 'words that nobody has seen before' }, 'busy'],
    [401, { error: 'Unauthorized' }, 'misconfigured'],
    [503, { error: 'Unavailable' }, 'busy'],
    [429, {}, 'busy'],
    [413, {}, 'rejected'],
  ]
  for (const [status, body, kind] of cases) {
    server.fail({ on: /^POST \/memories$/, status, body })
    const outcomes = await store.put(storing(thought('x')))
    assert.deepEqual(kinds(outcomes), [kind], `${status} ${JSON.stringify(body)}`)
  }
})

test('rest: a redirect is not followed with the key', async (t) => {
  const { server, store } = await opened(t, 'rest')
  await store.handshake()
  server.fail({ on: /^POST \/memories$/, status: 302, headers: { location: 'http://127.0.0.1:9/steal' } })
  const outcomes = await store.put(storing(thought('x')))
  assert.deepEqual(kinds(outcomes), ['misconfigured'])
  assert.match(reasons(outcomes), /redirects to another address/)
})

test('rest: an answer that is huge, binary or no answer at all is a clear state', async (t) => {
  const { server, store } = await opened(t, 'rest', { options: { timeoutMs: 5000 } })
  const odd = [
    [{ raw: Buffer.alloc(1 << 20, 120), repeat: 64 }, /answered with more than 8388608 bytes/],
    [{ raw: Buffer.from([0xff, 0xfe, 0, 1, 2, 27, 91, 51, 49, 109]) }, /not JSON/],
    [{ raw: Buffer.from('<html>log in to the hotel network</html>'), type: 'text/html' }, /not JSON/],
  ]
  for (const [fault, message] of odd) {
    server.fail({ on: /by-source/, ...fault })
    // A retry is looked up first.
    const outcomes = await store.put(storing(thought('x')).map((one) => ({ ...one, attempts: 1 })))
    assert.deepEqual(kinds(outcomes), ['busy'])
    assert.match(reasons(outcomes), message)
    assert.match(reasons(outcomes), /^[\x20-\x7e]*$/)
  }
})

test('rest: fields that a server would drop travel in the metadata, and the key in a header only', async (t) => {
  const { server, store } = await opened(t, 'rest')
  await store.put(storing(thought('x', { expiresAt: '2099-01-01T00:00:00.000Z', tags: ['a'] })))
  const { body, headers, url } = server.state.requests.find(({ name }) => name === 'POST /memories')
  assert.deepEqual(Object.keys(body).sort(), ['content', 'created_by', 'metadata', 'project', 'source'])
  assert.deepEqual([body.metadata.expiresAt, body.metadata.tags], ['2099-01-01T00:00:00.000Z', ['a']])
  assert.deepEqual(body.metadata.provenance, {
    origin: server.brain.rows[0].metadata.provenance.origin,
    contentHash: 'sha256:0',
  })
  assert.equal(headers['x-brain-key'], KEY)
  assert.ok(server.state.requests.every((request) => !request.url.includes(KEY)) && !url.includes('key'))
})

test('rest: a search requests a low similarity threshold and limits by rank', async (t) => {
  const { server, store } = await opened(t, 'rest')
  const wanted = thought('a very long note on many things in which retries are named once among the other words')
  await store.put(storing(wanted))
  assert.equal((await store.search(asking('retries'))).thoughts[0]?.id, wanted.id)
  assert.ok(server.state.requests.some(({ body }) => body?.threshold <= 0.2))
})

test('rest: missing capabilities of a server are reported before they are needed', async (t) => {
  const { store } = await opened(t, 'rest', { capabilities: ['capture', 'search', 'stats', 'by-source'] })
  const capabilities = await store.handshake()
  assert.deepEqual([capabilities.batch, capabilities.delete, capabilities.supersedes], [false, false, false])
  assert.deepEqual(capabilities.negotiatedAway, [
    'batches: thoughts are sent one at a time',
    'deletes: what is forgotten here stays there',
    'revisions: the old text stays there',
    'expiry: a memory that is captured again expires there as it was first captured',
    'rulings: what is retired here stays there, and is found',
  ])
  assert.deepEqual(kinds(await store.put(storing(thought('one'), thought('two')))), ['delivered', 'delivered'])
  assert.deepEqual(kinds(await store.remove(deleting('mem_x'))), ['rejected'])
})

test('a server that stores only the text is refused with a hint', async (t) => {
  const { server, store } = await opened(t, 'ob1')
  const message = /keeps only the text of a thought; .* set openbrain\.textOnly to true/
  await assert.rejects(store.handshake(), { kind: 'misconfigured', message })
  assert.deepEqual(kinds(await store.put(storing(thought('x')))), ['misconfigured'])
  assert.equal(server.brain.rows.length, 0)
})

test('a server that keeps only the text is used on request, and the loss is reported', async (t) => {
  const { server, store, again } = await opened(t, 'ob1', { options: { textOnly: true } })
  const { dialect, negotiatedAway, scope } = await store.handshake()
  assert.deepEqual([dialect, scope, negotiatedAway.length], ['ob1', false, 7])
  const [mine, theirs] = [
    thought('cache keys need a version', { tags: ['cache'] }),
    thought('cache the keys', { project: 'bank' }),
  ]
  const batch = storing(mine, theirs)
  await store.put(batch)
  assert.deepEqual(kinds(await (await again()).put(batch)), ['delivered', 'delivered'])
  assert.equal(server.brain.rows.length, 2)
  const { thoughts } = await store.search(asking('cache keys', { project: 'shop' }))
  assert.deepEqual(
    thoughts.map(({ id, content, tags }) => ({ id, content, tags })),
    [{ id: mine.id, content: mine.content, tags: ['cache'] }],
  )
  assert.equal(await store.count(), 2)
})

test('the other dialect says in a success that the key is wrong, and is understood', async (t) => {
  const { store } = await opened(t, 'ob1', { key: 'secret-key-wrong' })
  await assert.rejects(store.handshake(), { kind: 'misconfigured', message: /refuses the key/ })
})

test('an unknown kind of server is reported as a setting to fix', async (t) => {
  const { server, store } = await opened(t, 'rest')
  server.fail({ times: 100, status: 404, body: { error: 'Not Found' } })
  await assert.rejects(store.handshake(), { kind: 'misconfigured', message: /is not an OpenBrain server/ })
})

test('a key does not travel unencrypted to another machine', async () => {
  const target = { backend: 'remote', url: new URL('http://openbrain.example:8000'), key: KEY, isMcp: false }
  const store = new RemoteStore(target, OPTIONS)
  await assert.rejects(store.handshake(), { kind: 'misconfigured', message: /would travel unencrypted/ })
})

for (const door of ['rest', 'sse']) {
  test(`${door}: a delete and a revision reach no thought of another project`, async (t) => {
    const { server, store } = await opened(t, door)
    const ours = thought('a text of the shop')
    await store.put(storing(ours, thought('a forged revision', { project: 'bank', supersedes: ours.id })))
    assert.equal(server.brain.rows.length, 2, 'the revision took nothing away')
    const [deletion] = deleting(ours.id)
    const refused = await store.remove([{ ...deletion, projects: ['bank'] }])
    assert.deepEqual(kinds(refused), ['rejected'])
    assert.match(reasons(refused), /belongs to the project shop/)
    assert.equal(server.brain.rows.length, 2)
    assert.deepEqual(kinds(await store.remove([deletion])), ['gone'])
    assert.equal(server.brain.rows.length, 1)
  })
}
