// Which project an MCP server works in: what was named, the client's roots, variables of the host, the working directory.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { freshCommand, json } from './support/command.mjs'
import { call, EVERYTHING, refused } from './support/mcp.mjs'
import { filesUnder, readLines } from './support/project.mjs'
import { until } from './support/waiting.mjs'

/** A home folder with two repositories in it. */
function machine(t) {
  const command = freshCommand(t)
  const home = join(command.folder, 'me')
  const [shop, bank] = ['shop', 'bank'].map((name) => {
    const folder = join(home, 'code', name)
    mkdirSync(join(folder, '.git'), { recursive: true })
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/pay.ts'), 'export {}\n')
    return folder
  })
  const env = (more) => ({ ...command.env({ HOME: home, USERPROFILE: home, ...more }) })
  return { ...command, home, shop, bank, env }
}

/** Starts the real server for a client that names these roots, if any. */
async function connect(t, { program, env }, cwd, { variables = {}, roots, words = EVERYTHING } = {}) {
  const args = [program, 'mcp', ...words]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd,
    env: env(variables),
    stderr: 'pipe',
  })
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } }
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities })
  const named = { roots, asked: 0 }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => {
      named.asked += 1
      return { roots: named.roots.map((path) => ({ uri: /^\w+:/.test(path) ? path : pathToFileURL(path).href })) }
    })
  }
  await client.connect(transport)
  t.after(() => client.close())
  return { client, named }
}

let captures = 0
/** Captures, and returns which of the folders was written, relative to the home folder; or the text of the error. */
async function captureAt(machine, client, args = {}) {
  const files = () =>
    filesUnder(machine.folder)
      .filter((path) => path.endsWith('.forge/memory-captures.jsonl'))
      .map((path) => `${path} ${readLines(machine.folder, path).length}`)
  const before = files()
  const content = `Thing ${'abcdefghij'[captures % 10].repeat(5)}${captures++} is settled.`
  const result = await client.callTool({ name: 'capture_thought', arguments: { content, ...args } })
  const written = files().filter((file) => !before.includes(file))
  if (result.isError) {
    assert.deepEqual(written, [])
    return result.content.map(({ text }) => text).join('\n')
  }
  assert.equal(written.length, 1)
  return written[0].replace(/^me\//, '').replace(/\/\.forge\/.*/, '')
}

test('a project that is named comes first, then roots, variables and the working directory', async (t) => {
  const m = machine(t)
  const plugin = join(m.home, '.claude/plugins/cache/forge-memory')
  mkdirSync(plugin, { recursive: true })
  symlinkSync(m.shop, join(m.home, 'link'), 'junction')
  const variables = (name, value) => ({ variables: { [name]: value } })
  for (const [what, cwd, options, expected] of [
    ['named', m.home, { words: [...EVERYTHING, '--project', m.shop], roots: [m.bank] }, 'code/shop'],
    ['roots before variables', m.home, { roots: [m.bank], ...variables('CLAUDE_PROJECT_DIR', m.shop) }, 'code/bank'],
    ['a folder of a repository as root', m.home, { roots: [join(m.bank, 'src')] }, 'code/bank'],
    ['a root through a link', '/', { roots: [join(m.home, 'link')] }, 'code/shop'],
    ['no roots', m.home, { roots: [], ...variables('CLAUDE_PROJECT_DIR', m.shop) }, 'code/shop'],
    [
      'roots that are none',
      m.home,
      { roots: [m.home, 'https://example.com/x', 'file:///no/such'], ...variables('CLAUDE_PROJECT_DIR', m.shop) },
      'code/shop',
    ],
    ['Claude', m.home, variables('CLAUDE_PROJECT_DIR', m.shop), 'code/shop'],
    ['Cursor', '/', variables('WORKSPACE_FOLDER_PATHS', `${m.bank},${m.shop}`), 'code/bank'],
    ['Cursor, as a list', '/', variables('WORKSPACE_FOLDER_PATHS', JSON.stringify([m.bank])), 'code/bank'],
    ...['CURSOR', 'QWEN', 'GEMINI', 'DEVIN'].map((host) => [
      host,
      m.home,
      variables(`${host}_PROJECT_DIR`, m.bank),
      'code/bank',
    ]),
    [
      'the first variable counts',
      m.home,
      { variables: { DEVIN_PROJECT_DIR: m.shop, CLAUDE_PROJECT_DIR: m.bank } },
      'code/bank',
    ],
    [
      'a placeholder that no host filled in',
      m.shop,
      { words: [...EVERYTHING, '--project', '$' + '{workspaceFolder}'] },
      'code/shop',
    ],
    ['a variable that leads nowhere', m.shop, variables('CLAUDE_PROJECT_DIR', '/no/such'), 'code/shop'],
    ['a dot', m.bank, { words: [...EVERYTHING, '--project', '.'] }, 'code/bank'],
    ['the working directory', join(m.bank, 'src'), {}, 'code/bank'],
    [
      'a plug-in folder with a project',
      plugin,
      { variables: { CLAUDE_PLUGIN_ROOT: plugin, CLAUDE_PROJECT_DIR: m.shop } },
      'code/shop',
    ],
  ]) {
    await t.test(what, async (t) => {
      const { client } = await connect(t, m, cwd, options)
      assert.equal(await captureAt(m, client), expected)
      const { projectDir } = await call(client, 'forge_memory_report')
      assert.equal(projectDir, join(m.home, expected), 'the report names it')
    })
  }
})

test('without a project every tool says how to name one, and nothing is read or stored', async (t) => {
  const m = machine(t)
  mkdirSync(join(m.home, '.git'))
  const before = filesUnder(m.folder)
  const plugin = join(m.home, 'plug-ins/forge-memory')
  mkdirSync(join(plugin, '.git'), { recursive: true })
  for (const [cwd, options] of [
    [m.home, {}],
    ['/', {}],
    [plugin, { variables: { CLAUDE_PLUGIN_ROOT: plugin } }],
    [m.home, { roots: [m.home] }],
    [m.home, { words: [...EVERYTHING, '--project', '.'] }],
  ]) {
    const { client } = await connect(t, m, cwd, options)
    assert.match(client.getInstructions(), /Project: that of your roots/)
    assert.match(await captureAt(m, client), /\(NO_PROJECT\)\nhint: .*mcp --project DIR/)
    for (const [name, args] of [
      ['memory_recall', { query: 'x' }],
      ['list_thoughts', {}],
      ['forge_memory_report', {}],
    ])
      assert.match(await refused(client, name, args), /\(NO_PROJECT\)$/)
    await assert.rejects(client.readResource({ uri: 'memory://project/decisions' }))
  }
  assert.deepEqual(filesUnder(m.folder), before)
})

test('roots are followed, and the one that holds the file of a call counts', async (t) => {
  const m = machine(t)
  const { client, named } = await connect(t, m, m.home, { roots: [m.shop] })
  assert.equal(await captureAt(m, client), 'code/shop')
  named.roots = [m.bank, m.shop]
  const { asked } = named
  await client.sendRootsListChanged()
  await until(() => named.asked > asked)
  assert.equal(await captureAt(m, client), 'code/bank')
  assert.equal(await captureAt(m, client, { source_file: join(m.shop, 'src/pay.ts') }), 'code/shop', 'an absolute path')
  assert.equal(await captureAt(m, client, { source_file: 'src/pay.ts' }), 'code/bank', 'a path that both have')
  writeFileSync(join(m.shop, 'only.ts'), '')
  assert.equal(await captureAt(m, client, { source_file: 'only.ts' }), 'code/shop', 'a path that one of them has')
  rmSync(m.bank, { recursive: true })
  assert.equal(await captureAt(m, client), 'code/shop', 'a root that has gone')
})

test('the instructions name the project in use', async (t) => {
  const m = machine(t)
  for (const words of [[], ['--tools', 'core'], ['--tools', 'full']]) {
    const { client } = await connect(t, m, join(m.shop, 'src'), { words })
    assert.ok(client.getInstructions().endsWith(`\nProject: ${m.shop}`))
    const named = await connect(t, m, m.home, { words: [...words, '--project', m.bank] })
    assert.ok(named.client.getInstructions().endsWith(`\nProject: ${m.bank}`))
  }
})

test('values that a host sends as text are read as what they say', async (t) => {
  const m = machine(t)
  const { client } = await connect(t, m, m.shop)
  const { id } = await call(client, 'capture_thought', {
    content: '["The API listens on 8080"]',
    tags: '["api", "ports"]',
    confidence: '0.9',
  })
  const [stored] = json({ run: (args) => m.run(args, { cwd: m.shop }) }, ['show', id]).history ?? [{}]
  const [record] = readLines(m.shop, '.forge/memory-captures.jsonl')
  assert.deepEqual(
    [record.content, record.tags, record.confidence],
    ['["The API listens on 8080"]', ['api', 'ports'], 0.9],
    JSON.stringify(stored),
  )
  const { id: next } = await call(client, 'capture_thought', { content: 'true', supersedes: `["${id}"]` })
  assert.notEqual(next, id)
  const found = await call(client, 'memory_recall', { query: 'true', explain: 'true', all: 'false', budget: '500' })
  assert.deepEqual(
    found.notes.map(({ id }) => id),
    [next],
    'a text that is a text stays one, and the other one was replaced',
  )
  const line = { byte_range: 1 }
  for (const [name, args, says] of [
    ['capture_thought', { content: 'x', confidence: 'high' }, /confidence: .*\(INVALID_INPUT\)$/],
    ['capture_thought', { content: 'x', tags: '[1]' }, /tags.*\(INVALID_INPUT\)$/],
    ['capture_thought', { content: 'x', tags: '[1,2]' }, /tags.*\(INVALID_INPUT\)$/],
    ['memory_recall', { query: 'x', explain: 'yes' }, /explain: .*\(INVALID_INPUT\)$/],
    ['memory_recall', { query: 'x', ...line }, /byte_range: unknown argument/],
  ]) {
    assert.match(await refused(client, name, args), says)
  }
})
