// What `serve` tells a monitor, in the text format of Prometheus.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory } from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory } from './support/memory.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

async function freshServer(t, { prepare, ...options } = {}) {
  const memory = freshMemory(t)
  prepare?.(memory)
  const server = await serve({ port: 0, projectDir: memory.project, watch: false, ...options })
  t.after(() => server.close())
  const get = (path, headers = { authorization: `Bearer ${server.token}` }, method = 'GET') =>
    fetch(server.origin + path, { headers, method })
  return { memory, server, get }
}

/** Reads a text of metrics, as strictly as a monitor does: every sample has its type before it, once. */
function parse(text) {
  const samples = new Map()
  const types = new Map()
  for (const line of text.trimEnd().split('\n')) {
    const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? []
    if (kind === 'TYPE') {
      assert.ok(!types.has(name), `${name} has two types`)
      assert.match(rest, /^(gauge|counter|histogram)$/)
      types.set(name, rest)
    }
    if (kind !== undefined) continue
    const [, sample, labels = '', value] =
      /^([a-z_]+)(\{(?:[a-z_]+="[^"\n]*",?)+\})? (-?[0-9.e+-]+|\+Inf)$/.exec(line) ?? []
    assert.ok(sample !== undefined, line)
    assert.ok(types.has(sample) || types.has(sample.replace(/_(bucket|sum|count)$/, '')), line)
    samples.set(sample + labels, Number(value))
  }
  return samples
}

test('metrics follow what happens, and need the token', async (t) => {
  const { memory, get } = await freshServer(t)
  const read = async () => parse(await (await get('/metrics')).text())
  const response = await get('/metrics')
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const before = parse(await response.text())
  assert.equal(before.get('forge_memory_records{state="project"}'), 0)
  assert.ok(before.get('process_resident_memory_bytes') > 1e6)
  captureMemory({ type: 'lesson', body: 'Vitest hangs in watch mode' }, memory.options)
  await until(async () => (await read()).get('forge_memory_deliveries_total{outcome="delivered"}') === 1, 'a delivery')
  await (await get('/api/memory/search?query=vitest')).json()
  const later = await read()
  assert.equal(later.get('forge_memory_records{state="project"}'), 1)
  assert.equal(later.get('forge_memory_queue_records{state="due"}'), 0)
  assert.ok(later.get('forge_memory_drain_passes_total') >= 1)
  assert.equal(later.get('forge_memory_searches_total{backend="embedded"}'), 1)
  assert.equal(later.get('forge_memory_search_seconds_count'), 1)
  assert.equal(later.get('forge_memory_search_seconds_bucket{le="+Inf"}'), 1)
  assert.equal((await get('/metrics', {})).status, 401)
  assert.equal((await get('/metrics', { authorization: 'Bearer wrong' })).status, 401)
  assert.equal((await get('/metrics', undefined, 'POST')).status, 405)
})

test('they say how many thoughts of the shared store have a vector', async (t) => {
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  const { memory, get } = await freshServer(t, {
    prepare: ({ project }) => {
      const settings = { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } }
      writeFileSync(join(project, '.forge.json'), JSON.stringify(settings))
      approveStores(project)
    },
  })
  captureMemory({ type: 'lesson', body: 'Vitest hangs in watch mode' }, memory.options)
  const counts = async () => {
    const samples = parse(await (await get('/metrics')).text())
    return ['covered', 'total'].map((of) => samples.get(`forge_memory_shared_vectors{of="${of}"}`))
  }
  await until(async () => (await counts()).every((count) => count === 1), 'one of one')
})

test('a server that does not drain has no figures about it', async (t) => {
  const { get } = await freshServer(t, { drain: false })
  const text = await (await get('/metrics')).text()
  assert.ok(parse(text).size > 5)
  assert.doesNotMatch(text, /drain|deliveries/)
})
