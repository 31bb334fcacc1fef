// What a client of the MCP server may send: too much, no JSON, no JSON-RPC, the wrong door.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { EVERYTHING, startHttp } from './support/mcp.mjs'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
}
const CAPTURE = {
  jsonrpc: '2.0',
  id: 'last',
  method: 'tools/call',
  params: { name: 'capture_thought', arguments: { content: 'The server goes on.' } },
}
const LARGE = 5 * 1024 * 1024

/** Starts the server on pipes, and hands out its answers one by one. */
function startStdio(t, command) {
  const child = spawn(process.execPath, [command.program, 'mcp', ...EVERYTHING], {
    cwd: command.project,
    env: command.env(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  child.stderr.resume()
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    assert.ok(!done, 'the server has ended')
    return JSON.parse(value)
  }
  const send = (text) => child.stdin.write(`${typeof text === 'string' ? text : JSON.stringify(text)}\n`)
  return { child, next, send }
}

test('over stdio, an oversized or invalid message gets an error, and the server continues', async (t) => {
  const { child, next, send } = startStdio(t, freshCommand(t))
  send(INITIALIZE)
  assert.equal((await next()).id, 'first')
  const large = JSON.stringify({ ...CAPTURE, params: { name: 'x', arguments: { content: 'x'.repeat(LARGE) } } })
  for (const [text, code, id] of [
    ['this is no JSON', -32_700, null],
    ['{"jsonrpc":"2.0",', -32_700, null],
    ['\0\u00ff', -32_700, null],
    ['[', -32_700, null],
    ['7', -32_600, null],
    ['[]', -32_600, null],
    ['{}', -32_600, null],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', -32_600, 3],
    ['{"jsonrpc":"2.0","id":"four","method":4}', -32_600, 'four'],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600, null],
    [`${'['.repeat(1_000_000)}`, -32_700, null],
    [large, -32_000, CAPTURE.id],
    [large.replace('"method"', '"params":{"id":5},"method"').replace(/"id":"last",/, ''), -32_000, null],
    [large.replace('"method":', '"result":'), -32_000, null],
    [`{"params":{"content":"${'x'.repeat(LARGE)}"},"id":7,"method":"ping"}`, -32_000, null],
    ['x'.repeat(3 * LARGE), -32_000, null],
  ]) {
    send(text)
    const { jsonrpc, error, id: answered } = await next()
    assert.deepEqual([jsonrpc, error?.code, answered], ['2.0', code, id], text.slice(0, 60))
    assert.ok(error.message.length > 10)
  }
  send('')
  send(' \r')
  send(CAPTURE)
  const { id, result } = await next()
  assert.deepEqual([id, result.structuredContent.captured], ['last', true])
  const ended = once(child, 'exit')
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
})

/** Asks the server with a method and headers that `fetch` does not let through. */
function ask({ url, token }, { method = 'POST', headers = {}, body = '', path } = {}) {
  const { port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        path: path ?? pathname,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

test('over HTTP, an oversized or invalid message gets an error, and the server continues', async (t) => {
  const server = await startHttp(t, freshCommand(t))
  for (const [body, status, code, headers, id] of [
    ['this is no JSON', 400, -32_700],
    ['', 400, -32_700],
    ['{"jsonrpc":"2.0","id":1}', 400, -32_600],
    ['7', 400, -32_600],
    ['x'.repeat(LARGE), 413, -32_000],
    ['x'.repeat(LARGE), 413, -32_000, { 'transfer-encoding': 'chunked' }],
    [`{"id":8,"method":"ping","params":{"content":"${'x'.repeat(LARGE)}"}}`, 413, -32_000, {}, 8],
  ]) {
    const answer = await ask(server, { body, headers })
    const { jsonrpc, error, id: answered } = JSON.parse(answer.text)
    assert.deepEqual([answer.status, jsonrpc, error.code], [status, '2.0', code], body.slice(0, 40))
    if (id !== undefined) assert.equal(answered, id)
  }
  const numeric = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: 7 } }
  const refused = await ask(server, { body: JSON.stringify(numeric) })
  assert.match(refused.text, /"code":-32602,"message":"params\.protocolVersion: expected string, received number"/)
  const { status, text } = await ask(server, { body: JSON.stringify(CAPTURE) })
  assert.equal(status, 200)
  assert.match(text, /"captured":true/)
})

test('over HTTP, Host and Origin count with their port, and there are no other methods', async (t) => {
  const server = await startHttp(t, freshCommand(t))
  const { host, port } = new URL(server.url)
  const other = Number(port) === 3000 ? 3001 : 3000
  const body = JSON.stringify(CAPTURE)
  for (const [status, headers] of [
    [403, { host: `127.0.0.1:${other}` }],
    [403, { host: 'localhost' }],
    [403, { host: `evil.example:${port}` }],
    [403, { origin: `http://127.0.0.1:${other}` }],
    [403, { origin: 'http://localhost' }],
    [403, { origin: 'null' }],
    [403, { origin: `https://${host}` }],
    [200, { origin: `http://localhost:${port}` }],
    [200, { origin: `http://${host}`, host: `localhost:${port}` }],
  ]) {
    assert.equal((await ask(server, { body, headers })).status, status, JSON.stringify(headers))
  }
  for (const method of ['TRACE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
    const { status, headers } = await ask(server, { method })
    assert.deepEqual([status, headers.allow], [405, 'GET, POST, DELETE'], method)
  }
  for (const path of ['//', '//mcp', '//[', 'http://[/mcp'])
    assert.equal((await ask(server, { path, body })).status, 400)
  assert.equal((await ask(server, { body })).status, 200)
})

test('on another address of this machine, the server is reached under it and under no other name', async (t) => {
  const server = await startHttp(t, freshCommand(t), {}, ['--host', '127.0.0.2'])
  const { port, hostname } = new URL(server.url)
  assert.equal(hostname, '127.0.0.2')
  const statusOf = (host) =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${server.token}` }
      request({ host: '127.0.0.2', port, path: '/health', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  assert.equal(await statusOf(`127.0.0.2:${port}`), 404)
  assert.equal(await statusOf(`elsewhere:${port}`), 403)
  assert.equal(await statusOf(`127.0.0.2:${Number(port) + 1}`), 403)
  const everywhere = await startHttp(t, freshCommand(t), {}, ['--host', '0.0.0.0'])
  assert.equal(new URL(everywhere.url).hostname, '127.0.0.1')
  const refused = freshCommand(t).run(['mcp', '--host', '127.0.0.2'])
  assert.equal(refused.status, 2)
  assert.match(refused.stderr, /--host requires --http/)
})
