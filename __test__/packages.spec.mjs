// What hosts install at once: up to date, one version and one command in all of them, and as the rules of each host say.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Ajv } from 'ajv'
import { unzipSync } from 'fflate'
import { parse as parseYaml } from 'yaml'
import { LIBRARIES } from '../scripts/addons/libraries.mjs'
import { buildBundle, librariesIn } from '../scripts/packages/bundle.mjs'
import { committedFiles, serverJson } from '../scripts/packages/trees.mjs'
import { freshCommand, json } from './support/command.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'

const SCHEMAS = fileURLToPath(new URL('data/schemas/packages/', import.meta.url))
const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))
const { version, mcpName } = readJson(root, 'package.json')
const validatorOf = (schema) =>
  new Ajv({ strict: false, validateFormats: false }).compile(readJson(SCHEMAS, `${schema}.json`))

/** Files by schema, each with changes that the schema must refuse: one that refuses nothing proves nothing. */
const FILES = [
  [
    'claude-marketplace',
    '.claude-plugin/marketplace.json',
    [(file) => delete file.owner, (file) => (file.plugins[0].source = '../x')],
  ],
  [
    'claude-plugin',
    'packages/claude/.claude-plugin/plugin.json',
    [(file) => (file.name = 'Forge Memory'), (file) => (file.author = 'me')],
  ],
  ['mcp-servers', 'packages/claude/.mcp.json', [(file) => delete file.mcpServers['forge-memory'].command]],
  ['claude-marketplace', '.github/plugin/marketplace.json', [(file) => (file.plugins = [])]],
  [
    'copilot-plugin',
    'packages/copilot/.plugin/plugin.json',
    [(file) => (file.name = 'x'.repeat(65)), (file) => (file.hooks = 'hooks.json')],
  ],
  ['mcp-servers', 'packages/copilot/.mcp.json', [(file) => delete file.mcpServers['forge-memory'].type]],
  ['codex-marketplace', '.agents/plugins/marketplace.json', [(file) => delete file.plugins[0].policy]],
  ['codex-plugin', 'packages/codex/.codex-plugin/plugin.json', [(file) => (file.mcpServers = '.mcp.json')]],
  ['codex-servers', 'packages/codex/.mcp.json', [(file) => (file['forge-memory'].type = 'stdio')]],
  ['cursor-marketplace', '.cursor-plugin/marketplace.json', [(file) => delete file.plugins[0].source]],
  ['cursor-plugin', 'packages/cursor/.cursor-plugin/plugin.json', [(file) => (file.name = 'a_b')]],
  ['mcp-servers', 'packages/cursor/mcp.json', [(file) => (file.servers = {})]],
  [
    'gemini-extension',
    'packages/gemini/gemini-extension.json',
    [
      (file) => (file.mcpServers['forge-memory'].trust = true),
      (file) => (file.mcpServers.forge_memory = { command: 'x' }),
    ],
  ],
  [
    'agent-plugin',
    'packages/agent-plugin/plugin.json',
    [(file) => delete file.$schema, (file) => (file.hooks = './hooks')],
  ],
  [
    'agent-plugin-servers',
    'packages/agent-plugin/mcp.json',
    [(file) => (file.mcpServers['forge-memory'].command = '../x'), (file) => (file.more = 1)],
  ],
]

test('the committed packages are those that the script builds', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/packages.mjs'), '--check'], {
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  assert.equal(status, 0)
})

for (const [schema, path, spoils] of FILES) {
  test(`${path} is as its host says`, () => {
    const validate = validatorOf(schema)
    const file = readJson(root, path)
    assert.ok(validate(file), JSON.stringify(validate.errors))
    for (const spoil of spoils) {
      const copy = structuredClone(file)
      spoil(copy)
      assert.equal(validate(copy), false, String(spoil))
    }
  })
}

test('every package has one version, one name of the server and one command, and none fetches a program', () => {
  const files = committedFiles()
  for (const [path, text] of Object.entries(files)) {
    assert.doesNotMatch(text, /npx|dlx|npm exec/, path)
    if (!path.endsWith('.json')) continue
    const file = JSON.parse(text)
    if (/plugin\.json$|extension\.json$/.test(path))
      assert.deepEqual([file.name, file.version], ['forge-memory', version], path)
    if (!/mcp\.json$|extension\.json$/.test(path)) continue
    const servers = file.mcpServers ?? file
    assert.deepEqual(Object.keys(servers), ['forge-memory'])
    assert.deepEqual([servers['forge-memory'].command, servers['forge-memory'].args], ['forge-memory', ['mcp']], path)
  }
})

test('hooks of a package are those that init writes where the program is installed', (t) => {
  const home = freshFolder(t)
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin/forge-memory'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(home, 'bin/forge-memory.cmd'), '')
  const PATH = [join(home, 'bin'), process.env.PATH].join(delimiter)
  // A package is for every machine: it knows no path of the native program.
  const unset = {
    CLAUDE_CONFIG_DIR: '',
    CODEX_HOME: '',
    COPILOT_HOME: '',
    XDG_CONFIG_HOME: '',
    FORGE_MEMORY_HOOK: 'node',
  }
  const command = freshCommand(t, { HOME: home, USERPROFILE: home, PATH, ...unset })
  for (const [agent, file, folder] of [
    ['claude', '.claude/settings.json', 'claude'],
    ['codex', '.codex/hooks.json', 'codex'],
    ['gemini', '.gemini/settings.json', 'gemini'],
    ['cursor', '.cursor/hooks.json', 'cursor'],
    ['copilot-cli', '.copilot/hooks/forge-memory.json', 'copilot'],
  ]) {
    json(command, ['init', '--agent', agent, '--scope', 'user', '--yes'])
    const text = readFileSync(join(root, 'packages', folder, 'hooks/hooks.json'), 'utf8')
    assert.deepEqual(JSON.parse(text).hooks, readJson(home, file).hooks, agent)
  }
})

test('the skills are as strict readers take them, and named as their folders', () => {
  const validate = validatorOf('skill')
  for (const folder of readdirSync(join(root, 'packages'))) {
    for (const path of filesUnder(join(root, 'packages', folder)).filter((each) => each.endsWith('SKILL.md'))) {
      const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(readFileSync(join(root, 'packages', folder, path), 'utf8')) ?? []
      // Strict readers are strict about colons as well.
      const meta = parseYaml(head)
      assert.ok(validate(meta), `${folder}/${path}: ${JSON.stringify(validate.errors)}`)
      assert.equal(meta.name, path.split('/').at(-2))
    }
  }
})

test('server.json is valid for the registry, and names the package on npm', () => {
  const validate = validatorOf('server')
  const file = JSON.parse(serverJson({ file: 'forge-memory.mcpb', sha256: 'a'.repeat(64) }))
  assert.ok(validate(file), JSON.stringify(validate.errors))
  assert.deepEqual([file.name, file.version, file.packages[0].identifier], [mcpName, version, 'forge-memory'])
  for (const spoil of [
    (each) => (each.description = 'x'.repeat(101)),
    (each) => (each.version = '^1.0.0'),
    (each) => (each.website_url = 'x'),
    (each) => (each.name = 'no-namespace'),
    (each) => delete each.packages[1].fileSha256,
    (each) => delete each.packages[0].version,
  ]) {
    const copy = structuredClone(file)
    spoil(copy)
    assert.equal(validate(copy), false, String(spoil))
  }
})

test('the bundle for Claude Desktop is as its schema says, and its server starts from where it is unpacked', async (t) => {
  const folder = freshFolder(t)
  // Libraries of a debug build take minutes to compress: stand-ins are bundled, and the real ones put in their places.
  const libraries = Object.keys(librariesIn(root))
  const standIns = Object.fromEntries(libraries.map((name) => [name, join(root, 'LICENSE')]))
  const { bytes: archive, sha256 } = buildBundle(standIns)
  assert.equal(createHash('sha256').update(archive).digest('hex'), sha256)
  assert.deepEqual(buildBundle(standIns).sha256, sha256)
  for (const [path, bytes] of Object.entries(unzipSync(archive))) {
    assert.ok(!path.startsWith('/') && !path.includes('..'), path)
    mkdirSync(dirname(join(folder, 'unpacked', path)), { recursive: true })
    writeFileSync(join(folder, 'unpacked', path), bytes)
  }
  // Copies: what a link leads to would find the addons of this checkout.
  for (const name of libraries) copyFileSync(join(root, name), join(folder, 'unpacked/server', name))
  const manifest = readJson(folder, 'unpacked/manifest.json')
  const validate = validatorOf('mcpb-manifest')
  assert.ok(validate(manifest), JSON.stringify(validate.errors))
  assert.equal(validate({ ...manifest, server: { type: 'node' } }), false)
  assert.deepEqual([manifest.version, manifest.compatibility.platforms], [version, [process.platform]])
  const command = freshCommand(t)
  const filled = (word) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the variables of a bundle
    word.replace('${__dirname}', join(folder, 'unpacked')).replace('${user_config.project}', command.project)
  const { command: program, args } = manifest.server.mcp_config
  const client = new Client({ name: 'test', version: '1' })
  const launch = { command: program, args: args.map(filled), cwd: '/', env: command.env(), stderr: 'ignore' }
  await client.connect(new StdioClientTransport(launch))
  t.after(() => client.close())
  const { tools } = await client.listTools()
  assert.equal(tools.length, 6)
  const saved = { name: 'capture_thought', arguments: { content: 'Bundles carry their program' } }
  assert.ok(!(await client.callTool(saved)).isError)
  assert.match(command.run(['recall', 'bundles program']).stdout, /Bundles carry their program/)
  writeFileSync(join(command.project, 'cart.js'), 'function sum() {}\n')
  const index = ['--json', '--project', command.project, 'lattice', 'index']
  const indexed = spawnSync(program, [args.map(filled)[0], ...index], { env: command.env(), encoding: 'utf8' })
  assert.equal(JSON.parse(indexed.stdout).filesIndexed, 1, indexed.stderr)
})

test('a bundle has the libraries of the engine and both addons of a platform, or does not have the platform', (t) => {
  const folder = freshFolder(t)
  const put = (...names) => names.map((name) => writeFileSync(join(folder, name), ''))
  assert.throws(() => librariesIn(folder), /no libraries in/)
  const filesOf = (platform) => LIBRARIES.map(({ name }) => `${name}.${platform}.node`)
  const whole = filesOf('darwin-arm64')
  put(...whole, 'forge-memory-hook.darwin-arm64', ...filesOf('win32-x64-msvc').slice(1))
  put(...filesOf('linux-x64-gnu'))
  assert.deepEqual(Object.keys(librariesIn(folder)), whole)
})
