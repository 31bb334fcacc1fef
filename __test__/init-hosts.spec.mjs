// Each host's own files: fresh, with the settings of others, in odd layouts, broken, read-only and linked.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { applyPlan, HOSTS, planInit, planRemoval } from '../dist/init/index.js'
import { freshCommand, json } from './support/command.mjs'
import { APPS, CASES, inJson, inToml, inYaml } from './support/host-files.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'

/** A user with an empty home folder, on whose PATH no agent is. */
function freshUser(t) {
  const home = freshFolder(t)
  const moved = ['XDG_CONFIG_HOME', 'CODEX_HOME', 'COPILOT_HOME', 'CLAUDE_CONFIG_DIR', 'KIRO_HOME', 'JUNIE_HOME']
  const unset = Object.fromEntries([...moved, 'CLINE_DATA_DIR', 'CONTINUE_GLOBAL_DIR'].map((name) => [name, '']))
  const command = freshCommand(t, { ...unset, HOME: home, USERPROFILE: home, PATH: '/usr/bin:/bin' })
  return { ...command, userHome: home }
}

/** One host in one scope of a fresh user: its settings file, and what writes it, in this process. */
function siteOf(t, { agent, scope, path }) {
  const user = freshUser(t)
  const root = scope === 'user' ? user.userHome : user.project
  const file = join(root, path)
  const inPlace = (act) => {
    const before = { ...process.env }
    Object.assign(process.env, user.env())
    try {
      return act()
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
    }
  }
  const carryOut = (plan) => {
    const written = plan.changes.length > 0 || plan.mergeDriver !== 'none'
    if (written) applyPlan(plan)
    return { ...plan, written }
  }
  const must = () => inPlace(() => carryOut(planInit(user.project, [agent], scope)))
  const undo = () => inPlace(() => carryOut(planRemoval(user.project, scope)))
  const write = (text) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const snapshot = () =>
    Object.fromEntries(filesUnder(root).map((each) => [each, readFileSync(join(root, each), 'latin1')]))
  return { user, root, file, must, undo, write, snapshot, read: () => readFileSync(file, 'utf8') }
}

const LAYOUTS = {
  'as they are': (text) => text,
  'with the line ends of Windows': (text) => text.replaceAll('\n', '\r\n'),
  'after a byte order mark': (text) => `\ufeff${text}`,
}

for (const each of CASES) {
  const { agent, scope, path, read, place, wanted, others } = each
  const name = `${agent}, ${scope}: ${path}`

  test(`${name}: a fresh file starts the server, and goes with --remove`, (t) => {
    const site = siteOf(t, each)
    const before = site.snapshot()
    // The first of several names is only written where it is there.
    if (path.endsWith('c') || path === '.claude.json') site.write('{}')
    const done = site.must()
    assert.equal(done.written, true)
    const entry = place(read(site.read()))
    for (const [key, value] of Object.entries(wanted)) assert.deepEqual(entry[key], value, key)
    const words = [entry.cmd ?? entry.command, entry.args ?? []].flat()
    assert.deepEqual(words.slice(0, 3), [process.execPath, site.user.program, 'mcp'])
    assert.equal(site.must().written, false)
    site.undo()
    if (existsSync(site.file)) assert.equal(site.read(), '{}')
    else assert.deepEqual(site.snapshot(), before)
  })

  for (const [how, laidOut] of Object.entries(LAYOUTS)) {
    test(`${name}: settings of others ${how} keep every byte`, (t) => {
      const site = siteOf(t, each)
      const text = laidOut(others)
      site.write(text)
      const before = site.snapshot()
      site.must()
      const after = site.read()
      assert.ok(place(read(after)), after)
      const lines = text.split('\n').filter((line) => line.trim().length > 1)
      for (const line of lines) {
        // A comma may have been added after the last value of a line.
        const start = after.indexOf(line.replace(/\r?$/, '').replace(/[\s}\],]+$/, ''))
        assert.ok(start >= 0, `${line} is not in ${after}`)
      }
      if (text.includes('\r\n')) assert.doesNotMatch(after, /[^\r]\n/)
      assert.equal(after.startsWith('\ufeff'), text.startsWith('\ufeff'))
      const left = read(after)
      assert.equal(site.must().written, false)
      assert.deepEqual(read(site.read()), left)
      site.undo()
      assert.deepEqual(site.snapshot(), before)
    })
  }

  test(`${name}: a broken file is reported and left unchanged`, (t) => {
    for (const broken of [
      /json/.test(path) ? '{"a": ' : path.endsWith('toml') ? 'a = \n[b' : 'a: [1\nb: {',
      'ä\u0000',
    ]) {
      const site = siteOf(t, each)
      site.write(broken)
      const before = site.snapshot()
      assert.throws(site.must, (error) => error.code === 'CORRUPT' && error.message.includes(path.split('/').at(-1)))
      assert.deepEqual(site.snapshot(), before)
    }
  })

  test(`${name}: a read-only file is reported and left unchanged`, (t) => {
    const site = siteOf(t, each)
    site.write(others)
    chmodSync(site.file, 0o444)
    const before = site.snapshot()
    assert.throws(site.must, /is read-only; nothing was written/)
    chmodSync(site.file, 0o644)
    assert.deepEqual(site.snapshot(), before)
  })

  test(`${name}: a link is written through, and stays a link`, (t) => {
    const site = siteOf(t, each)
    // Users keep their settings in a repository of their own; in a project a link stays inside.
    const target = scope === 'user' ? join(freshFolder(t), 'dotfile') : join(site.root, 'shared/dotfile')
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, others)
    mkdirSync(dirname(site.file), { recursive: true })
    symlinkSync(target, site.file)
    site.must()
    assert.ok(lstatSync(site.file).isSymbolicLink())
    assert.ok(place(read(readFileSync(target, 'utf8'))))
    site.undo()
    assert.ok(lstatSync(site.file).isSymbolicLink())
    assert.equal(readFileSync(target, 'utf8'), others)
  })
}

test('an entry of ours keeps what people added to it, and another one is replaced and restored, in TOML and YAML', (t) => {
  const cases = [
    [
      'codex',
      '.codex/config.toml',
      inToml,
      'mcp_servers',
      '[mcp_servers.forge-memory] # ours\ncommand = "npx"\nargs = ["-y", "forge-memory", "mcp", "--tools", "full"]\nstartup_timeout_sec = 40\n[mcp_servers.forge-memory.env]\nA = "1"\n\n[tools]\nx = 1\n',
    ],
    [
      'goose',
      '.config/goose/config.yaml',
      inYaml,
      'extensions',
      'extensions:\n    forge-memory:\n        cmd: npx # old\n        args:\n            - -y\n            - forge-memory\n            - mcp\n            - --tools\n            - full\n        startup_timeout_sec: 40\n        env:\n            A: "1"\ntools:\n    x: 1\n',
    ],
  ]
  for (const [agent, path, read, key, text] of cases) {
    const site = siteOf(t, { agent, scope: 'user', path })
    site.write(text)
    site.must()
    const file = read(site.read())
    const entry = file[key]['forge-memory']
    assert.deepEqual([entry.cmd ?? entry.command, entry.args.slice(1)], [process.execPath, ['mcp', '--tools', 'full']])
    assert.deepEqual([entry.startup_timeout_sec, entry.env, file.tools], [40, { A: '1' }, { x: 1 }])
    assert.equal(site.must().written, false)
  }
  const foreign = [
    [
      'codex',
      '.codex/config.toml',
      '[mcp_servers.forge-memory]\ncommand = "docker" # theirs\n\n[z]\na = 1\n',
      '\n[later]\nb = 2\n',
    ],
    [
      'goose',
      '.config/goose/config.yaml',
      'extensions:\n  forge-memory: # theirs\n    cmd: docker\nz: 1\n',
      'later: 2\n',
    ],
  ]
  for (const [agent, path, text, later] of foreign) {
    const site = siteOf(t, { agent, scope: 'user', path })
    site.write(text)
    const { replaces } = site.must()
    assert.match(replaces[0].text, /docker/)
    assert.doesNotMatch(site.read(), /docker/)
    writeFileSync(site.file, site.read() + later)
    site.undo()
    assert.equal(site.read(), text + later)
  }
})

test('an entry that is written in another way is refused by name, and the file stays', (t) => {
  for (const [agent, path, text] of [
    ['codex', '.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n'],
    ['codex', '.codex/config.toml', '[mcp_servers]\nforge-memory = { command = "x" }\n'],
    ['codex', '.codex/config.toml', 'mcp_servers = 3\n'],
    ['goose', '.config/goose/config.yaml', 'extensions: {a: {cmd: x}}\n'],
    ['goose', '.config/goose/config.yaml', 'extensions: [a]\n'],
    ['goose', '.config/goose/config.yaml', 'a: 1\n---\nb: 2\n'],
    ['goose', '.config/goose/config.yaml', 'a: 1\na: 2\n'],
    ['goose', '.config/goose/config.yaml', '- a\n'],
    ['continue', '.continue/config.yaml', 'mcpServers: {a: 1}\n'],
  ]) {
    const site = siteOf(t, { agent, scope: 'user', path })
    site.write(text)
    assert.throws(site.must, { code: 'CORRUPT' }, text)
    assert.equal(site.read(), text)
  }
})

test('empty lists of servers in YAML are filled, and emptied again', (t) => {
  for (const text of [
    'extensions:\n',
    'extensions: {}\nx: 1\n',
    'extensions: null # none\n',
    'x: 1',
    'extensions:',
    '',
  ]) {
    const site = siteOf(t, { agent: 'goose', scope: 'user', path: '.config/goose/config.yaml' })
    site.write(text)
    site.must()
    assert.equal(inYaml(site.read()).extensions['forge-memory'].type, 'stdio', site.read())
    site.undo()
    assert.equal(site.read(), text)
  }
})

test('AGENTS.md gets one block of at most 15 lines for all agents that read it, after the existing text', (t) => {
  const user = freshUser(t)
  writeFileSync(join(user.project, 'AGENTS.md'), '# House rules\n')
  for (const agent of ['codex', 'cursor', 'zed', 'junie', 'amp'])
    json(user, ['init', '--scope', 'project', '--agent', agent, '--yes'])
  const text = readFileSync(join(user.project, 'AGENTS.md'), 'utf8')
  assert.ok(text.startsWith('# House rules\n\n<!-- forge-memory: begin'))
  assert.equal(text.match(/forge-memory: begin/g).length, 1)
  const part = text.slice(text.indexOf('<!-- forge-memory: begin'), text.indexOf('forge-memory: end -->'))
  assert.ok(part.split('\n').length <= 15)
  json(user, ['init', '--remove', '--yes'])
  assert.equal(readFileSync(join(user.project, 'AGENTS.md'), 'utf8'), '# House rules\n')
})

test('the block is written to the file that a host reads instead of AGENTS.md', (t) => {
  for (const [agent, path] of [
    ['zed', '.rules'],
    ['junie', '.junie/AGENTS.md'],
    ['codex', 'AGENTS.override.md'],
    ['qwen', 'QWEN.md'],
  ]) {
    const user = freshUser(t)
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), 'Be kind.\n')
    json(user, ['init', '--scope', 'project', '--agent', agent, '--yes'])
    assert.match(readFileSync(join(user.project, path), 'utf8'), /^Be kind\.\n\n<!-- forge-memory: begin/)
    assert.ok(!existsSync(join(user.project, 'AGENTS.md')))
    json(user, ['init', '--remove', '--yes'])
    assert.equal(readFileSync(join(user.project, path), 'utf8'), 'Be kind.\n')
  }
})

test('rules of Windsurf are not made longer than it reads', (t) => {
  const site = siteOf(t, { agent: 'windsurf', scope: 'user', path: '.codeium/windsurf/memories/global_rules.md' })
  site.write('x'.repeat(5900))
  site.must()
  assert.equal(site.read().length, 5900)
})

test('a host is found by its files, its folder in the home and its program on the PATH', (t) => {
  const user = freshUser(t)
  const found = (scope, env) => json(user, ['init', '--dry-run', '--scope', scope], { env }).agents
  mkdirSync(join(user.userHome, '.codex'))
  mkdirSync(join(user.userHome, '.config/zed'), { recursive: true })
  assert.deepEqual(found('user'), ['codex', 'zed'])
  mkdirSync(join(user.project, '.kiro'))
  assert.deepEqual(found('project'), ['codex', 'zed', 'kiro'])
  const bin = freshFolder(t)
  writeFileSync(join(bin, isWindows ? 'goose.cmd' : 'goose'), '#!/bin/sh\n')
  chmodSync(join(bin, isWindows ? 'goose.cmd' : 'goose'), 0o755)
  assert.deepEqual(found('user', { PATH: `${bin}:/usr/bin:/bin` }), ['codex', 'zed', 'goose'])
})

test('Gemini CLI and Antigravity are told apart by what is installed, and init says where it cannot', (t) => {
  const user = freshUser(t)
  const told = (scope, env) => {
    const { stdout, stderr } = user.run(['--json', 'init', '--dry-run', '--scope', scope], { env })
    return [JSON.parse(stdout).agents, /may be of Gemini CLI or of Antigravity, and neither/.test(stderr)]
  }
  assert.deepEqual(told('user'), [[], false])
  mkdirSync(join(user.userHome, '.gemini'))
  assert.deepEqual(told('user'), [[], true])
  writeFileSync(join(user.project, 'GEMINI.md'), 'Be kind.\n')
  assert.deepEqual(told('project'), [['gemini'], true])
  const bin = freshFolder(t)
  const installed = (name) => {
    writeFileSync(join(bin, isWindows ? `${name}.cmd` : name), '#!/bin/sh\n', { mode: 0o755 })
    return { PATH: `${bin}:/usr/bin:/bin` }
  }
  const withAgy = installed('agy')
  assert.deepEqual(
    [told('project', withAgy), told('user', withAgy)],
    [
      [['antigravity'], false],
      [['antigravity'], false],
    ],
  )
  assert.deepEqual(told('project', installed('gemini')), [['gemini', 'antigravity'], false])
  mkdirSync(join(user.userHome, '.gemini/antigravity-cli'))
  assert.deepEqual(told('project'), [['antigravity'], false])
  writeFileSync(join(user.userHome, '.gemini/settings.json'), '{}')
  assert.deepEqual(told('project'), [['gemini', 'antigravity'], false])
})

test('init reports limitations of hosts', (t) => {
  const user = freshUser(t)
  const { lacks, changes } = json(user, ['init', '--scope', 'project', '--agent', 'claude-desktop', '--yes'])
  assert.deepEqual(changes, [])
  assert.match(lacks[0].text, /reads no file of a project: .*--scope user/)
  assert.deepEqual(filesUnder(user.project), [])
  const { stdout } = user.run(['init', '--scope', 'project', '--agent', 'zed', '--dry-run'])
  assert.match(stdout, /^Zed: has no hooks/m)
})

test('Antigravity has its hooks of tools in groups, and all others plain; one that was written without them gets them', (t) => {
  const user = freshUser(t)
  const file = join(user.project, '.agents/hooks.json')
  const init = (...more) => json(user, ['init', '--scope', 'project', '--agent', 'antigravity', '--yes', ...more])
  const read = () => JSON.parse(readFileSync(file, 'utf8'))
  init()
  const written = read()
  const { PostToolUse, ...plain } = written['forge-memory']
  const [{ matcher, hooks }] = PostToolUse
  assert.deepEqual([PostToolUse.length, matcher, hooks.length], [1, '*', 1])
  for (const [event, [handler]] of Object.entries({ ...plain, PostToolUse: hooks }))
    assert.ok(handler.command.includes(` hook ${event} --host=antigravity 2>`), handler.command)
  assert.deepEqual(Object.keys(plain), ['SessionStart', 'PreInvocation', 'Stop'])
  writeFileSync(file, JSON.stringify({ 'forge-memory': plain, mine: { enabled: false } }))
  init()
  assert.deepEqual(read(), { ...written, mine: { enabled: false } })
  init('--remove')
  assert.deepEqual(read(), { mine: { enabled: false } })
})

test('a file relocated by a variable is written there', (t) => {
  const user = freshUser(t)
  const elsewhere = freshFolder(t)
  json(user, ['init', '--agent', 'codex', '--scope', 'user', '--yes'], { env: { CODEX_HOME: elsewhere } })
  assert.deepEqual(filesUnder(elsewhere), ['AGENTS.md', 'config.toml', 'hooks.json'])
  assert.deepEqual(filesUnder(user.userHome), [])
  json(user, ['init', '--remove', '--scope', 'user', '--yes'], { env: { CODEX_HOME: elsewhere } })
  assert.deepEqual(filesUnder(elsewhere), [])
})

test('Claude Desktop serves the project from which it was set up last, by absolute paths', (t) => {
  const site = siteOf(t, { agent: 'claude-desktop', scope: 'user', path: `${APPS}/Claude/claude_desktop_config.json` })
  site.must()
  const args = () => inJson(site.read()).mcpServers['forge-memory'].args
  assert.deepEqual(args(), [site.user.program, 'mcp', '--project', site.user.project])
  const other = join(site.user.folder, 'with a space')
  mkdirSync(other)
  site.user.run(['init', '--agent', 'claude-desktop', '--scope', 'user', '--yes'], { cwd: other })
  assert.deepEqual(args(), [site.user.program, 'mcp', '--project', other])
})

// Windows has no rights of this kind.
if (!isWindows) {
  test('files of the user are written by one rename each, with the rights that they have', keepsRights)
}

function keepsRights(t) {
  const site = siteOf(t, { agent: 'codex', scope: 'user', path: '.codex/config.toml' })
  site.write('a = 1\n')
  chmodSync(site.file, 0o600)
  const inode = statSync(site.file).ino
  site.must()
  assert.equal(statSync(site.file).mode & 0o777, 0o600)
  assert.notEqual(statSync(site.file).ino, inode)
}

test('the documents name every host and every file that is written for it', () => {
  const page = readFileSync(join(root, 'docs/reference/agents.md'), 'utf8')
  for (const [agent, { title, server, hooks }] of Object.entries(HOSTS)) {
    assert.ok(page.includes(`| ${title} | \`${agent}\` |`), title)
    for (const scope of ['project', 'user']) {
      const paths = [server[scope]?.paths.at(-1), ...(hooks[scope] ?? []).map(({ path }) => path)]
      for (const path of paths.filter((each) => each !== undefined)) {
        assert.ok(page.includes(path.replace(/^<\w+>\//, '')), `${agent}: ${path}`)
      }
    }
  }
})
