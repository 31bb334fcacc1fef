// Routes of the HTTP API that clients of the older tool ask.
import assert from 'node:assert/strict'
import test from 'node:test'
import { captureMemory } from 'forge-memory/plan-forge'
import { serve } from 'forge-memory/server'
import { freshProject } from '../support/plan-forge.mjs'

/** A server of a project, and a way to ask it. */
async function served(t) {
  const project = freshProject(t)
  const server = await serve({ projectDir: project.cwd, port: 0, watch: false, drain: false })
  t.after(() => server.close())
  const ask = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const response = await fetch(server.origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, body: await response.json() }
  }
  return { project, server, ask }
}

for (const [path, names] of [
  ['/api/memory', ['configured', 'endpoint', 'serverName']],
  ['/api/memory/presets', ['categories', 'recentFiles', 'projectContext']],
  ['/api/hub', ['running', 'port', 'clients']],
  ['/api/search?query=gate', ['hits', 'total', 'truncated', 'durationMs']],
  ['/api/timeline', ['events', 'total', 'truncated', 'windowFrom', 'windowTo', 'sourcesQueried']],
  [
    '/api/local-recall/status',
    ['ok', 'indexExists', 'version', 'builtAt', 'corpusSize', 'staleness', 'cacheFile', 'message'],
  ],
  [
    '/api/embedding/status',
    ['ok', 'backend', 'neuralAvailable', 'model', 'corpusSize', 'configuredBackend', 'installHint', 'message'],
  ],
]) {
  test(`GET ${path} answers ${names.join(', ')}`, async (t) => {
    const { ask } = await served(t)
    const { status, body } = await ask(path)
    assert.equal(status, 200)
    for (const name of names) assert.ok(name in body, name)
  })
}

test('GET /api/memory/presets knows the project', async (t) => {
  const { project, ask } = await served(t)
  project.write('.forge.json', { projectName: 'shop', preset: 'typescript' })
  project.write('docs/plans/Phase-1.md', '# Phase 1\n')
  project.write('.forge/runs/r1/summary.json', '{}')
  project.write('.forge/cost-history.json', '[]')
  const { categories, recentFiles, projectContext } = (await ask('/api/memory/presets')).body
  assert.deepEqual(projectContext, {
    projectName: 'shop',
    preset: 'typescript',
    hasRuns: true,
    hasCost: true,
    hasPlans: true,
  })
  assert.deepEqual(recentFiles, [{ dir: 'docs/plans', label: 'Phase-1.md' }])
  for (const { name, icon, queries } of categories)
    assert.ok(name.length > 0 && typeof icon === 'string' && queries.length > 0)
})

test('the routes ask for the token like every other one', async (t) => {
  const { server } = await served(t)
  for (const path of ['/api/memory', '/api/hub', '/api/timeline'])
    assert.equal((await fetch(server.origin + path)).status, 401)
})

test('the address of a store is shown without its key', async (t) => {
  const { project, ask } = await served(t)
  project.write('.mcp.json', { mcpServers: { openbrain: { url: 'http://127.0.0.1:8000/sse?key=secret' } } })
  const { body } = await ask('/api/memory')
  assert.equal(body.configured, true)
  assert.doesNotMatch(JSON.stringify(body), /secret/)
})

test('GET /api/hub has the port of the stream', async (t) => {
  const { server, ask } = await served(t)
  assert.deepEqual((await ask('/api/hub')).body, { running: true, port: server.port, clients: [] })
})

test('POST /api/memory/search finds captures', async (t) => {
  const { project, ask } = await served(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  const { results } = (await ask('/api/memory/search', { query: 'gate' })).body
  assert.equal(results.length, 1)
  assert.match(results[0].excerpt, /gate is slow/)
})

for (const body of [{}, { query: 7 }, { query: 'x', other: 1 }]) {
  test(`POST /api/memory/search with ${JSON.stringify(body)} is refused`, async (t) => {
    const { ask } = await served(t)
    assert.equal((await ask('/api/memory/search', body)).status, 400)
  })
}

test('POST /api/memory/capture takes created_by, and stores', async (t) => {
  const { project, ask } = await served(t)
  const { status } = await ask('/api/memory/capture', {
    content: 'we use cents',
    type: 'decision',
    created_by: 'openclaw',
  })
  assert.equal(status, 201)
  assert.equal(project.lines('.forge/memory-captures.jsonl')[0].created_by, 'openclaw')
})

for (const path of [
  '/api/search?query=x&since=soon',
  '/api/search',
  '/api/timeline?from=soon',
  '/api/timeline?groupBy=x',
  '/api/search?q=x',
  '/api/hub?x=1',
]) {
  test(`GET ${path} is refused with a reason`, async (t) => {
    const { ask } = await served(t)
    const { status, body } = await ask(path)
    assert.equal(status, 400)
    assert.ok(body.error.message.length > 0)
  })
}
