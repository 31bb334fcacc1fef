// Which tools a client is shown, and what reading about them costs it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { encode } from 'gpt-tokenizer'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio, refused, TOOLS } from './support/mcp.mjs'
import { root } from './support/project.mjs'

/** What a client is given before the first question. */
const tokensOf = ({ tools, instructions = '' }) => encode(JSON.stringify(tools) + instructions).length

/** Without the path of the project, whose length is that of the folder for temporary files. */
async function shown(t, args) {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command, { args })
  const instructions = client.getInstructions().replaceAll(command.project, '/home/ann/shop')
  return { ...(await client.listTools()), instructions }
}

test('the default profile has six tools, for at most 1,300 tokens and 6,000 bytes', async (t) => {
  const core = await shown(t, [])
  assert.deepEqual(core.tools.map(({ name }) => name).sort(), [
    'capture_thought',
    'memory_forget',
    'memory_recall',
    'memory_replace',
    'memory_show',
    'search_thoughts',
  ])
  const tokens = tokensOf(core)
  t.diagnostic(`${tokens} tokens`)
  assert.ok(tokens <= 1300, String(tokens))
  assert.ok(Buffer.byteLength(JSON.stringify(core.tools)) <= 6000)
  for (const { name, outputSchema, description } of core.tools) {
    assert.equal(outputSchema, undefined, name)
    assert.match(description, /USE FOR: .+\nDO NOT USE FOR: .+/, name)
  }
})

test('what agents are told names tools that every session has', async (t) => {
  const { client } = await connectStdio(t, freshCommand(t), { args: [] })
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  const asked = ['start-of-session', 'memory-backfill'].map((name) => client.getPrompt({ name }))
  const files = ['skills/forge-memory/SKILL.md', 'packages/gemini/GEMINI.md'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  const told = JSON.stringify([tools, await Promise.all(asked), files])
  assert.ok(told.includes('capture_thought'))
  assert.deepEqual(
    TOOLS.filter((name) => told.includes(name) && !names.includes(name)),
    [],
  )
})

test('output schemas and structured content are returned only on request', async (t) => {
  const command = freshCommand(t)
  const { client: plain } = await connectStdio(t, command, { args: [] })
  const { client: structured } = await connectStdio(t, command, { args: ['--structured'] })
  const { tools } = await structured.listTools()
  assert.ok(tools.every(({ outputSchema }) => outputSchema.type === 'object'))
  const args = { name: 'memory_recall', arguments: { query: 'anything' } }
  const [one, other] = [await plain.callTool(args), await structured.callTool(args)]
  assert.equal(one.structuredContent, undefined)
  assert.equal(other.structuredContent.shown, 0)
  assert.deepEqual(one.content, other.content)
})

test('a profile, a tool, or a list of them is served by name', async (t) => {
  const names = async (list) => (await shown(t, ['--tools', list])).tools.map(({ name }) => name)
  assert.equal((await names('full')).length, TOOLS.length)
  assert.ok((await names('plan-forge')).includes('forge_anvil_stat'))
  assert.deepEqual(await names('memory_recall'), ['memory_recall'])
  assert.deepEqual(await names('memory_recall, forge_anvil_stat'), ['memory_recall', 'forge_anvil_stat'])
  const both = await names('core,list_thoughts,memory_recall')
  assert.deepEqual([both.length, both.at(-1)], [7, 'list_thoughts'])
  for (const list of ['nonsense', 'core,', 'core,__proto__', '']) {
    const { status, stderr } = freshCommand(t).run(['mcp', '--tools', list])
    assert.equal(status, 2, list)
    assert.match(stderr, /^error: tools: unknown profile .*core, full, plan-forge.*\(INVALID_INPUT\)/)
  }
})

test('recall gives the texts where they fit, else one line each, and the rest by their short ids', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command, { args: [] })
  const long = (name) =>
    `The ${name} worker ${'keeps its connection open while the queue has rows '.repeat(6)}of ${name}.`
  const topics = ['mail', 'billing', 'search', 'export', 'import', 'audit']
  for (const each of topics) command.run(['capture', '--type', 'lesson', long(each)])
  const recalled = (args) => call(client, 'memory_recall', { query: 'worker connection', ...args })
  const { text: whole } = await recalled({})
  for (const each of topics) assert.ok(whole.includes(`of ${each}.`), each)
  assert.doesNotMatch(whole, /:\d\d\.\d|mem_/)
  const { text: index } = await recalled({ budget: 400 })
  const lines = index.split('\n').filter((line) => / lesson new /.test(line))
  assert.equal(lines.length, topics.length, index)
  for (const line of lines) assert.match(line, /^ +[0-9a-f]{8} lesson new \u2014 The \w+ worker keeps .{20,90}\u2026$/)
  assert.match(index, /memory_show gives the whole text/)
  const ids = lines.slice(0, 2).map((line) => line.trim().slice(0, 8))
  const { text } = await call(client, 'memory_show', { ids })
  assert.equal(text.match(/connection open/g).length, 12)
  const { text: partly } = await call(client, 'memory_show', { ids: [ids[0], 'ffffffff'] })
  assert.match(partly, /\nffffffff: .+/)
  assert.match(await refused(client, 'memory_show', { ids: ['ffffffff'] }), /NOT_FOUND/)
  const { entry } = json(command, ['show', ids[0]])
  assert.ok(entry.id.endsWith(ids[0]))
})
