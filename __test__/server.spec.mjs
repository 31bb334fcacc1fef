import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, editMemory, listMemories, publishEvents, recall } from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { freshCommand } from './support/command.mjs'
import { freshMemory, isWindows } from './support/memory.mjs'
import { readLines } from './support/project.mjs'
import { callerOf, startServe } from './support/served.mjs'
import { subscribe } from './support/subscriber.mjs'
import { until } from './support/waiting.mjs'

async function freshServer(t, options = {}) {
  const memory = freshMemory(t)
  const server = await serve({ port: 0, projectDir: memory.project, ...options })
  t.after(() => server.close())
  return { memory, server, call: callerOf(server) }
}

/** Asks with headers that `fetch` does not let through. */
function raw({ port }, path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, code: JSON.parse(text).error?.code }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

test('an edit without a change stores nothing, and says so', async (t) => {
  const { memory, call } = await freshServer(t)
  const text = 'Vitest hangs in watch mode'
  const { id } = captureMemory({ type: 'lesson', body: text, tags: ['ci'] }, memory.options)
  const before = readLines(join(memory.project, '.forge', 'memory-captures.jsonl'))
  const same = [{}, { body: null }, { body: text }, { content: text, type: 'lesson', tags: ['ci'] }]
  for (const changes of same) {
    const { status, body } = await call('PATCH', `/api/memory/entry/${id}`, changes)
    assert.deepEqual([status, body.error.code], [400, 'INVALID_INPUT'], JSON.stringify(changes))
    assert.match(body.error.message, /expected at least one change/)
    assert.throws(() => editMemory(id, changes, memory.options), { code: 'INVALID_INPUT' })
  }
  const tagged = await call('POST', '/api/memory/many', { action: 'tag', ids: [id], tags: ['ci'] })
  assert.deepEqual([tagged.body.changed, tagged.body.refused], [1, []])
  assert.deepEqual(readLines(join(memory.project, '.forge', 'memory-captures.jsonl')), before)
  assert.equal((await call('PATCH', `/api/memory/entry/${id}`, { tags: [] })).status, 200)
})

test('a memory is captured, found, shown, edited and forgotten over HTTP', async (t) => {
  const { memory, server, call } = await freshServer(t)
  const subscriber = await subscribe(t, server.hub)
  await subscriber.live()
  const captured = await call('POST', '/api/memory/capture', {
    type: 'lesson',
    body: 'Vitest hangs in watch mode',
    tags: ['ci'],
  })
  assert.deepEqual([captured.status, captured.body.captured, captured.body.source], [201, true, 'api/memory'])
  const again = await call('POST', '/api/memory/capture', {
    type: 'lesson',
    body: 'Vitest hangs in watch mode',
    tool: 'dashboard',
  })
  assert.deepEqual([again.status, again.body.deduped], [200, true])
  const { body: found } = await call('GET', '/api/memory/recall?query=vitest&type=lesson&tag=ci&limit=5')
  assert.deepEqual(found, JSON.parse(JSON.stringify(recall('vitest', { ...memory.options, limit: 5 }))))
  const { id } = found.hits[0]
  const { body: entry } = await call('GET', `/api/memory/entry/${id}`)
  assert.deepEqual(
    [entry.entry.id, entry.state, entry.confirmations, entry.hallmark.state],
    [id, 'current', 1, 'verified'],
  )
  assert.equal(entry.hallmark.stamp.schemaVersion, 'hallmark/v1')
  const edited = await call('PATCH', `/api/memory/entry/${id}`, { body: 'Vitest hangs in watch mode: use --run' })
  assert.deepEqual([edited.status, edited.body.supersedes], [200, id])
  assert.deepEqual((await call('DELETE', `/api/memory/entry/${edited.body.id}`)).body, { removed: true })
  assert.deepEqual((await call('GET', '/api/memory/recall?query=vitest')).body.hits, [])
  await subscriber.first('memory-forgotten')
  assert.deepEqual(
    subscriber.events.map(({ type }) => type).filter((type) => type.startsWith('memory-')),
    ['memory-captured', 'memory-captured', 'memory-edited', 'memory-forgotten'],
  )
})

test('every list, count and series of the dashboard is answered out of the real files', async (t) => {
  // Without a drain of its own: what it did would stand beside the pass below.
  const { memory, call } = await freshServer(t, { drain: false })
  for (const [tool, type, body] of [
    ['forge_sweep', 'lesson', 'Alpha bravo charlie'],
    ['forge_sweep', 'gotcha', 'Delta echo foxtrot'],
    ['forge_plan', 'lesson', 'Golf hotel india'],
    ['forge_plan', 'lesson', 'golf hotel india'],
  ]) {
    captureMemory({ tool, type, body }, memory.options)
  }
  const get = async (path) => {
    const { status, body } = await call('GET', path)
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    return body
  }
  assert.equal((await get('/api/memory/list?limit=2')).entries.length, 2)
  assert.equal((await get('/api/memory/list?limit=2&offset=2')).entries.length, 1)
  assert.deepEqual((await get('/api/memory/recall?query=')).hits.length, 3)
  assert.equal((await get('/api/memory/report')).telemetry.deduped, 1)
  assert.deepEqual((await get('/api/memory/moments')).byHook, [])
  assert.equal((await get('/api/memory/status')).counts.memories, 3)
  const series = await get('/api/memory/series?by=tool&bucket=hour&since=2h')
  assert.deepEqual([series.by, series.bucket, series.keys], ['tool', 'hour', ['forge_plan', 'forge_sweep']])
  const sums = series.points.reduce((sum, point) => [sum[0] + point.total, sum[1] + point.deduped], [0, 0])
  assert.deepEqual(sums, [4, 1])
  assert.ok(series.points.every(({ total, counts }) => total === Object.values(counts).reduce((a, b) => a + b, 0)))
  assert.deepEqual((await get('/api/memory/series')).keys, ['lesson', 'gotcha'])
  const hallmark = await get('/api/memory/hallmark')
  assert.deepEqual([hallmark.total, hallmark.stamped, hallmark.verified, hallmark.coverage], [3, 3, 3, 1])
  assert.deepEqual(await get('/api/memory/types'), {
    types: [
      { type: 'lesson', count: 3 },
      { type: 'gotcha', count: 1 },
    ],
    tools: [
      { tool: 'forge_plan', count: 2 },
      { tool: 'forge_sweep', count: 2 },
    ],
  })
  mkdirSync(memory.forge(), { recursive: true })
  const pass = {
    _v: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    attempted: 3,
    delivered: 2,
    deferred: 1,
    dlq: 0,
    durationMs: 7,
  }
  writeFileSync(memory.forge('openbrain-stats.jsonl'), `${JSON.stringify(pass)}\n`)
  const { passes } = await get('/api/memory/drains?limit=5')
  assert.deepEqual([passes.length, passes[0].at, passes[0].delivered], [1, pass.timestamp, 2])
  assert.equal((await get('/api/anvil/status')).deadLetters, 0)
})

test('a record that was edited by hand is distinguished from an intact one', async (t) => {
  const { memory, call } = await freshServer(t)
  for (const body of ['Alpha bravo charlie', 'Delta echo foxtrot'])
    captureMemory({ type: 'lesson', body }, memory.options)
  const first = await call('GET', '/api/memory/hallmark')
  assert.equal(first.body.changed, 0)
  const text = readFileSync(memory.raw, 'utf8').replace('Delta echo', 'Delta hotel')
  writeFileSync(memory.raw, `${text}{"_v":1,"id":"mem_x","content":"unstamped","type":"lesson","source":"other"}\n`)
  const { body } = await call('GET', '/api/memory/hallmark')
  assert.deepEqual([body.total, body.stamped, body.verified, body.changed, body.absent], [3, 2, 1, 1, 1])
  assert.equal(body.changedIds.length, 1)
})

test('events are read page by page with a cursor', async (t) => {
  const { memory, call } = await freshServer(t)
  publishEvents(
    Array.from({ length: 25 }, (_, n) => JSON.stringify({ type: n % 2 ? 'odd' : 'even', n })),
    memory.options,
  )
  const numbers = []
  let cursor = 0
  for (let more = true; more; ) {
    const { body } = await call('GET', `/api/memory/events?since=${cursor}&limit=10`)
    numbers.push(...body.events.map(({ n }) => n))
    cursor = body.cursor
    more = body.more
  }
  assert.deepEqual(numbers, [...Array(25).keys()])
  const { body } = await call('GET', '/api/memory/events?type=odd&limit=3')
  assert.deepEqual(
    body.events.map(({ n }) => n),
    [19, 21, 23],
  )
  assert.deepEqual((await call('GET', `/api/memory/events?since=${cursor}`)).body.events, [])
})

test('nothing is answered without the token, for another host or for another page', async (t) => {
  const { server, memory } = await freshServer(t)
  const own = { host: `127.0.0.1:${server.port}` }
  const bearer = { authorization: `Bearer ${server.token}` }
  const write = { method: 'POST', body: '{"type":"lesson","body":"evil"}' }
  const json = { 'content-type': 'application/json' }
  for (const [path, options, status, code] of [
    ['/api/memory/report', { headers: own }, 401, 'UNAUTHORIZED'],
    ['/api/memory/report', { headers: { ...own, authorization: 'Bearer wrong' } }, 401, 'UNAUTHORIZED'],
    [`/api/memory/report?token=${server.token}`, { headers: own }, 401, 'UNAUTHORIZED'],
    ['/api/memory/report', { headers: { ...bearer, host: 'evil.example' } }, 403, 'FORBIDDEN'],
    ['/health', { headers: { host: 'evil.example' } }, 403, 'FORBIDDEN'],
    ['/', { headers: { host: `evil.example:${server.port}` } }, 403, 'FORBIDDEN'],
    [
      '/api/memory/capture',
      { ...write, headers: { ...own, ...bearer, ...json, origin: 'http://evil.example' } },
      403,
      'FORBIDDEN',
    ],
    ['/api/memory/capture', { ...write, headers: { ...own, ...json } }, 401, 'UNAUTHORIZED'],
    [
      '/api/memory/capture',
      { ...write, headers: { ...own, ...bearer, 'content-type': 'text/plain' } },
      415,
      'UNSUPPORTED_MEDIA',
    ],
  ]) {
    assert.deepEqual(await raw(server, path, options), { status, code }, `${path} ${JSON.stringify(options)}`)
  }
  assert.ok(!existsSync(memory.raw))
  const health = await fetch(`${server.origin}/health`)
  assert.deepEqual(Object.keys(await health.json()), ['ok', 'version', 'pid', 'uptimeMs'])
  const known = await (await fetch(`${server.origin}/health`, { headers: bearer })).json()
  assert.equal(known.projectDir, memory.project)
  assert.deepEqual(known.hub, { clients: 0, lastSeq: 0, eventsPerSecond: 0, unsaved: 0 })
  assert.deepEqual([known.watcher.running, known.watcher.standby, known.watcher.rules], [false, false, 0])
})

test('wrong requests are answered with a code and change nothing', async (t) => {
  const { call, memory } = await freshServer(t)
  for (const [method, path, body, status, code] of [
    ['GET', '/api/nothing', undefined, 404, 'NOT_FOUND'],
    ['GET', '/api/memory/entry/mem_ffffffffffffffffffffffffffffffff', undefined, 404, 'NOT_FOUND'],
    ['GET', '/api/memory/entry/%E0%A4%A', undefined, 404, 'NOT_FOUND'],
    ['GET', '/api/memory/entry/..%2F..%2Fetc', undefined, 404, 'NOT_FOUND'],
    ['PUT', '/api/memory/report', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/', {}, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/api/memory/recall?query=x&limit=many', undefined, 400, 'INVALID_INPUT'],
    ['GET', '/api/memory/recall?query=x&limit=-1', undefined, 400, 'INVALID_INPUT'],
    ['GET', '/api/memory/recall?query=x&lmit=3', undefined, 400, 'INVALID_INPUT'],
    ['GET', '/api/memory/recall?query=x&scope=moon', undefined, 400, 'INVALID_INPUT'],
    ['GET', '/api/memory/series?by=colour', undefined, 400, 'INVALID_INPUT'],
    ['GET', '/api/memory/series?bucket=hour&since=1970-01-01', undefined, 400, 'INVALID_INPUT'],
    ['POST', '/api/memory/capture', '{"type":', 400, 'INVALID_INPUT'],
    ['POST', '/api/memory/capture', '[]', 400, 'INVALID_INPUT'],
    ['POST', '/api/memory/capture', { type: 'lesson' }, 400, 'INVALID_INPUT'],
    ['POST', '/api/memory/capture', { type: 'lesson', body: 'x', bdoy: 'y' }, 400, 'INVALID_INPUT'],
    ['POST', '/api/memory/capture', { type: 7, body: 'x' }, 400, 'INVALID_INPUT'],
    ['POST', '/api/memory/capture', `{"type":"lesson","body":"${'x'.repeat(2 << 20)}"}`, 413, 'TOO_LARGE'],
    ['POST', '/api/dlq', { action: 'burn' }, 400, 'INVALID_INPUT'],
    ['POST', '/api/dlq', { action: 'drop' }, 400, 'INVALID_INPUT'],
  ]) {
    const answer = await call(method, path, body)
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], `${method} ${path}`)
    assert.ok(answer.body.error.message.length > 5)
    const { hint } = answer.body.error
    if (method === 'GET') assert.doesNotMatch(hint, /nothing was written/, path)
  }
  assert.ok(!existsSync(memory.raw))
})

test('an endless body is cut off, and the server continues', async (t) => {
  const { server, call } = await freshServer(t)
  const socket = connect(server.port, '127.0.0.1')
  t.after(() => socket.destroy())
  const head = `POST /api/memory/capture HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
  socket.on('error', () => undefined)
  const ended = once(socket, 'close')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  for (let count = 0; count < 40 && !socket.destroyed; count += 1) {
    socket.write(chunk)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await ended
  assert.match(answer, /^HTTP\/1.1 413 /)
  assert.equal((await call('GET', '/api/status')).status, 200)
})

test('pages come with headers that keep them to themselves, and no path leads out of their folder', async (t) => {
  const memory = freshMemory(t)
  const folder = join(memory.folder, 'pages')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>x</title>')
  writeFileSync(join(folder, 'assets', 'a-1.js'), 'export {}')
  writeFileSync(join(memory.folder, 'secret.txt'), 'secret')
  process.env.FORGE_MEMORY_DASHBOARD = folder
  t.after(() => delete process.env.FORGE_MEMORY_DASHBOARD)
  const server = await serve({ port: 0, projectDir: memory.project })
  t.after(() => server.close())
  const page = await fetch(server.origin)
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('cache-control'), 'no-cache')
  const csp = page.headers.get('content-security-policy')
  assert.match(csp, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
  assert.ok(csp.includes(`connect-src 'self' ws://127.0.0.1:${server.port};`), csp)
  assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
  const asset = await fetch(`${server.origin}/assets/a-1.js`)
  assert.match(asset.headers.get('cache-control'), /immutable/)
  assert.match(asset.headers.get('content-type'), /^text\/javascript/)
  const accept = { accept: 'text/html' }
  assert.equal((await fetch(`${server.origin}/records/1`, { headers: accept })).status, 200)
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/%00',
    '/no',
  ]) {
    assert.equal((await raw(server, path, { headers: { host: `127.0.0.1:${server.port}` } })).status, 404, path)
  }
})

test('two servers share a project: one is found, both show everything, and ports fall back', async (t) => {
  const { memory, server } = await freshServer(t, { drain: false })
  const second = await serve({ port: server.port, projectDir: memory.project, drain: false })
  t.after(() => second.close())
  assert.ok(second.port > server.port)
  const [one, two] = [await subscribe(t, server.hub), await subscribe(t, second.hub)]
  await Promise.all([one.live(), two.live()])
  await callerOf(server)('POST', '/api/memory/capture', { type: 'lesson', body: 'by the first' })
  await callerOf(second)('POST', '/api/memory/capture', { type: 'lesson', body: 'the second one captures this' })
  for (const subscriber of [one, two]) {
    await subscriber.until((events) => events.filter(({ type }) => type === 'memory-captured').length === 2)
    assert.deepEqual(
      subscriber.of('memory-captured').map(({ seq, thought }) => [seq, thought.content]),
      [
        [1, 'by the first'],
        [2, 'the second one captures this'],
      ],
    )
  }
})

test('the command prints an address with a valid token, and SIGTERM completes requests in flight', async (t) => {
  if (isWindows) return
  const { command, child, document } = await startServe(t)
  assert.match(document.url, /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/)
  assert.deepEqual([document.pid, document.projectDir], [child.pid, command.project])
  const token = new URL(document.url).hash.slice('#token='.length)
  const body = '{"type":"lesson","body":"in flight"}'
  const asked = request({
    port: document.port,
    host: '127.0.0.1',
    path: '/api/memory/capture',
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  const answered = once(asked, 'response')
  asked.flushHeaders()
  await once(asked, 'continue')
  asked.write(body.slice(0, 10))
  child.kill('SIGTERM')
  // From then on it takes no other connection.
  await until(() => isRefused(document.port), 'the server ends')
  asked.end(body.slice(10))
  const [response] = await answered
  assert.equal(response.statusCode, 201)
  response.resume()
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  assert.equal(readLines(join(command.project, '.forge', 'memory-captures.jsonl')).length, 1)
  assert.ok(!existsSync(join(command.project, '.forge', 'server-ports.json')))
})

test('a killed server does not prevent the next one from starting', async (t) => {
  const { command, child } = await startServe(t)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const path = join(command.project, '.forge', 'server-ports.json')
  assert.ok(existsSync(path))
  const before = JSON.parse(readFileSync(path, 'utf8'))
  const server = await serve({ port: 0, projectDir: command.project })
  t.after(() => server.close())
  const after = JSON.parse(readFileSync(path, 'utf8'))
  assert.deepEqual([after.http, after.pid], [server.port, process.pid])
  assert.notEqual(after.token, before.token)
  assert.deepEqual(listMemories({ projectDir: command.project }).entries, [])
})

test('wrong options of serve are refused', async (t) => {
  const command = freshCommand(t)
  for (const args of [['--port', 'x'], ['--port', '99999'], ['--host', 'no.such.host.invalid'], ['extra']]) {
    const { status, stderr } = command.run(['serve', ...args])
    assert.equal(status, 2, stderr)
    assert.match(stderr, /\(INVALID_INPUT\)/)
  }
})

/** Returns whether a port is free. */
function isRefused(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })
}

test('a server that listens everywhere prints addresses that answer', async (t) => {
  const { document } = await startServe(t, ['--host', '0.0.0.0', '--no-watch', '--no-drain'])
  const outward = Object.values(networkInterfaces())
    .flat()
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => `http://${address}:${document.port}`)
  const origins = document.urls.map((url) => new URL(url).origin)
  assert.deepEqual(origins, [document.origin, ...outward])
  assert.equal(document.url, document.urls[0])
  assert.ok(!document.urls.some((url) => url.includes('0.0.0.0')))
  // Tests connect to the loopback only. On Linux that has more addresses than one, which stand for the others: a request is let in under
  // the address that it came to.
  const { hash } = new URL(document.url)
  for (const address of process.platform === 'linux' ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.1']) {
    const origin = `http://${address}:${document.port}`
    const headers = { authorization: `Bearer ${hash.slice('#token='.length)}`, origin }
    const { status } = await fetch(`${origin}/api/status`, { headers })
    assert.equal(status, 200, origin)
  }
})
