// A typing error in the name of an argument must not be taken for no wish at all, nor the name of a project for this one.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { createHub, Hub } from '../dist/hub/index.js'

import { createMcpServer } from '../dist/mcp/index.js'
import { serve } from '../dist/server/index.js'
import { createWatcher } from '../dist/watcher/index.js'
import { freshCommand } from './support/command.mjs'
import { argumentsOf, fieldsOf } from './support/declarations.mjs'
import { call, connectStdio, refused } from './support/mcp.mjs'
import { freshMemory, rejection, treeOf } from './support/memory.mjs'

const load = createRequire(import.meta.url)
const api = { ...load('../index.js'), ...(await import('../dist/index.js')) }

const CAPTURE = { type: 'lesson', body: 'A lesson of this project.' }
const SAVE = { pattern: 'A pattern of this project.', category: 'convention' }

/** The functions of the library around the engine that take options, with what else they need. */
const FUNCTIONS = {
  searchThoughts: ['x'],
  captureThought: [{ content: 'x' }],
  drainOpenBrain: [],
  openBrainStatus: [],
  untrustedOpenBrain: [],
  trustOpenBrain: [],
  createDrainWorker: [],
  preloadPlan: ['plan', undefined],
}

test('every function refuses an option that it does not know, names those that it does, and does nothing', async (t) => {
  const memory = freshMemory(t)
  const before = treeOf(memory.project)
  const around = Object.entries(FUNCTIONS).map(([name, given]) => ({ name, call: (it) => api[name](...given, it) }))
  const engine = argumentsOf(api).filter(({ type }) => fieldsOf(type).includes('projectDir'))
  assert.ok(engine.length > 70)
  for (const { name, call } of [...around, ...engine]) {
    const typo = await rejection(() => call({ ...memory.options, lmit: 3 }))
    assert.equal(typo?.code, 'INVALID_INPUT', `${name}: ${typo}`)
    assert.match(typo.message, /^lmit: unknown option; expected one of .*projectDir/, name)
    for (const other of ['cwd', 'path', 'targetPath']) {
      if (other === 'path' && name === 'exportMemory') continue
      const error = await rejection(() => call({ [other]: memory.project }))
      assert.equal(error?.code, 'INVALID_INPUT', `${name} with ${other}`)
      assert.match(error.message, new RegExp(`^${other}: unknown option; projectDir names`), name)
    }
  }
  assert.deepEqual(treeOf(memory.project), before)
})

test('unknown fields of stored records are refused', (t) => {
  const memory = freshMemory(t)
  for (const [name, given, typo] of [
    ['captureMemory', { ...CAPTURE, confidense: 1 }, 'confidense'],
    ['captureMemory', { ...CAPTURE, cwd: memory.project }, 'cwd'],
    ['memorySave', { ...SAVE, tag: ['x'] }, 'tag'],
    ['memoryRecall', { query: 'x', limit: 3 }, 'limit'],
    ['ralphAdd', { type: 'x', lesson: 'y', loop: 'z' }, 'loop'],
  ]) {
    for (let round = 0; round < 3; round += 1) {
      assert.throws(
        () => api[name](given, memory.options),
        ({ code, message }) =>
          code === 'INVALID_INPUT' && message.startsWith(`${typo}: unknown field; expected one of `),
      )
    }
  }
  assert.throws(() => api.editMemory('mem_0', { text: 'x' }, memory.options), /^\w*Error: text: unknown field/)
  assert.throws(() => api.frameNotes(['x'], { tokens: 200 }), /tokens: unknown field/)
  assert.ok(!existsSync(memory.forge()))
  const { captured } = api.captureMemory({ ...CAPTURE, tags: undefined }, { ...memory.options, limit: undefined })
  assert.equal(captured, true)
})

test('servers, hubs and watchers refuse options that they do not know', async (t) => {
  const memory = freshMemory(t)
  for (const start of [
    (options) => serve({ port: 0, ...options }),
    (options) => createWatcher({ rules: [], ...options }),
    (options) => createMcpServer(options),
    (options) => new Hub(options),
    (options) => createHub({ port: 0, ...options }),
  ]) {
    const error = await rejection(() => start({ ...memory.options, prot: 1 }))
    assert.deepEqual([error?.code, /^prot: unknown option/.test(error?.message)], ['INVALID_INPUT', true])
  }
  const other = join(memory.folder, 'other')
  mkdirSync(other)
  const error = await rejection(() => createHub({ port: 0, cwd: other, projectDir: memory.project }))
  assert.match(error.message, /^cwd: /)
  const hub = await createHub({ port: 0, cwd: other })
  t.after(() => hub.close())
  assert.equal(hub.projectDir, other)
})

test('every tool of the MCP server refuses arguments that it does not know, and says whose project it serves', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  const other = join(command.folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'file.ts'), 'export const x = 1\n')
  const { tools } = await client.listTools()
  for (const { name, inputSchema } of tools) {
    assert.equal(inputSchema.additionalProperties, false, name)
    assert.match(
      await refused(client, name, { lmit: 3 }),
      /lmit: unknown argument; (expected one of |the tool takes no ).*\(INVALID_INPUT\)$/s,
      name,
    )
    for (const path of ['path', 'targetPath', 'cwd', 'projectDir']) {
      const said = await refused(client, name, { [path]: other })
      assert.match(said, new RegExp(`${path}: unknown argument; this server serves the project that it was`), name)
    }
  }
  assert.ok(!existsSync(join(other, '.forge')))
  assert.equal((await call(client, 'capture_thought', { content: 'It goes on.' })).captured, true)
})
