import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { filesUnder, freshFolder } from './support/project.mjs'

function write(command, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(command.project, path)), { recursive: true })
    writeFileSync(join(command.project, path), text)
  }
}

/** A PATH on which nothing is but what the tests need. */
const ALONE = { env: { PATH: '/usr/bin:/bin' } }

/** A machine on which no agent is installed. */
const bareMachine = (t) => freshCommand(t, { HOME: freshFolder(t), XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin' })

const read = (command, path) => readFileSync(join(command.project, path), 'utf8')
const snapshot = (command) => Object.fromEntries(filesUnder(command.project).map((path) => [path, read(command, path)]))
const git = (command, ...args) => execFileSync('git', args, { cwd: command.project, encoding: 'utf8', stdio: 'pipe' })

const USERS = {
  '.mcp.json': '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "other" } // stays\n  }\n}\n',
  '.claude/settings.json':
    '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }],\n\t},\n}\n',
  '.cursor/mcp.json': '{"mcpServers":{"y":{"command":"y"}}}',
  '.vscode/mcp.json': '{\r\n    "servers": {\r\n        "x": { "type": "stdio", "command": "x" }\r\n    }\r\n}\r\n',
  '.github/copilot-instructions.md': '# House rules\n\nBe kind.',
  '.gitignore': 'node_modules\n',
}

test('init merges with existing files, keeps comments and layout, and changes nothing the second time', (t) => {
  const command = freshCommand(t)
  write(command, USERS)
  git(command, 'init', '-q')
  const done = json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
  assert.equal(done.written, true)
  const mcp = read(command, '.mcp.json')
  assert.match(mcp, /\/\/ mine\n/)
  assert.ok(mcp.startsWith('{\n  // mine\n  "mcpServers": {\n    "other": { "command": "other" },'))
  assert.match(mcp, /\/\/ stays/)
  assert.match(mcp, /"forge-memory": \{\s+"command": ".+",\s+"args": \[[^\]]+"mcp"\s+\]/)
  const claude = read(command, '.claude/settings.json')
  assert.match(claude, /say done/)
  assert.match(claude, /\n\t\t"SessionStart"/)
  assert.match(claude, /hook SessionStart/)
  assert.match(read(command, '.vscode/mcp.json'), /"forge-memory": \{\r\n/)
  assert.doesNotMatch(read(command, '.vscode/mcp.json'), /[^\r]\n/)
  assert.ok(
    read(command, '.github/copilot-instructions.md').startsWith(
      '# House rules\n\nBe kind.\n\n<!-- forge-memory: begin',
    ),
  )
  assert.ok(read(command, '.gitignore').startsWith('node_modules\n\n# forge-memory: begin\n'))
  assert.match(git(command, 'check-attr', 'merge', '.forge/lessons.jsonl'), /merge: forge-memory\n$/)
  assert.match(git(command, 'config', 'merge.forge-memory.driver'), /merge-driver %O %A %B/)
  assert.ok(existsSync(join(command.project, '.claude/skills/forge-memory/SKILL.md')))
  const once = snapshot(command)
  const again = json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
  assert.deepEqual([again.changes, again.written], [[], false])
  assert.deepEqual(snapshot(command), once)
})

test('init --remove removes exactly what init added', (t) => {
  for (const files of [USERS, {}]) {
    const command = freshCommand(t)
    write(command, { 'package.json': '{}', ...files })
    git(command, 'init', '-q')
    const settings = git(command, 'config', '--local', '--list')
    const before = snapshot(command)
    json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
    assert.notDeepEqual(snapshot(command), before)
    json(command, ['init', '--remove', '--yes'])
    const after = snapshot(command)
    const users = (files) => Object.entries(files).filter(([path]) => !path.startsWith('.git/'))
    assert.deepEqual(users(after), users(before))
    assert.equal(git(command, 'config', '--local', '--list'), settings)
    assert.match(command.run(['init', '--remove']).stdout, /^forge-memory is not set up here/)
  }
})

const VARIANTS = {
  '.mcp.json': [
    '{}',
    '{ }\n',
    '{"mcpServers":{}}',
    '{\n  "mcpServers": {\n    // nothing yet\n  }\n}\n',
    '// mine\n{}\n',
  ],
  '.claude/settings.json': [
    '{"hooks":{"Stop":[]}}\n',
    '{"model":"x"}',
    '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t]\n\t}\n}',
  ],
  '.cursor/hooks.json': ['{"version":1}', '{"version":1,"hooks":{}}\n'],
  '.vscode/mcp.json': ['{"inputs":[]}', ''],
  '.github/copilot-instructions.md': ['# Rules\n\nBe kind.', '# A\r\n\r\nB', 'x\n\n\n', '\n', ''],
  '.gitignore': ['node_modules', 'a\r\nb\r\n', '\n\n', ''],
}

test('init --remove restores the files byte for byte', (t) => {
  for (let at = 0; at < 5; at++) {
    const command = freshCommand(t)
    const files = Object.entries(VARIANTS).flatMap(([path, texts]) =>
      texts[at] === undefined ? [] : [[path, texts[at]]],
    )
    write(command, Object.fromEntries(files))
    const before = snapshot(command)
    json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
    json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
    json(command, ['init', '--remove', '--yes'])
    assert.deepEqual(snapshot(command), before)
    assert.deepEqual(filesUnder(join(command.home, 'init')), [])
  }
})

test('changes that users made after init survive its removal', (t) => {
  const command = freshCommand(t)
  write(command, { '.mcp.json': '{}', '.github/copilot-instructions.md': 'Be kind.' })
  json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
  const mcp = JSON.parse(read(command, '.mcp.json'))
  mcp.mcpServers.mine = { command: 'mine' }
  write(command, { '.mcp.json': JSON.stringify(mcp) })
  const rules = read(command, '.github/copilot-instructions.md')
  write(command, { '.github/copilot-instructions.md': `${rules}\n\nBe quick.\n` })
  json(command, ['init', '--remove', '--yes'])
  assert.deepEqual(JSON.parse(read(command, '.mcp.json')), { mcpServers: { mine: { command: 'mine' } } })
  assert.match(read(command, '.github/copilot-instructions.md'), /^Be kind\.\s+Be quick\.\n$/)
})

test('Claude Code is told of its memory in CLAUDE.md, unless that is not wanted, and the text of people stays', (t) => {
  const BLOCK = /<!-- forge-memory: begin[^\n]*\n## Memory\n.*`memory_recall`.*<!-- forge-memory: end -->/s
  const home = freshFolder(t)
  const command = freshCommand(t, { HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: '' })
  const users = join(home, '.claude/CLAUDE.md')
  mkdirSync(dirname(users))
  for (const [scope, path] of Object.entries({ project: join(command.project, 'CLAUDE.md'), user: users })) {
    const init = ['init', '--scope', scope, '--agent', 'claude', '--yes']
    writeFileSync(path, '# Mine\n')
    json(command, [...init, '--no-instructions'])
    assert.equal(readFileSync(path, 'utf8'), '# Mine\n', scope)
    json(command, init)
    assert.match(readFileSync(path, 'utf8'), BLOCK, scope)
    assert.deepEqual(json(command, init).changes, [], scope)
    writeFileSync(path, `${readFileSync(path, 'utf8')}\nBe kind.\n`)
    json(command, [...init, '--remove'])
    assert.match(readFileSync(path, 'utf8'), /^# Mine\n\s*Be kind\.\n$/, scope)
  }
  write(command, { '.claude/CLAUDE.md': '# Here\n' })
  assert.ok(
    json(command, ['init', '--scope', 'project', '--agent', 'claude', '--dry-run']).changes.some(
      ({ path }) => path === '.claude/CLAUDE.md',
    ),
  )
})

test('the skill is about the memory, the one about loops comes where loops are, and both go', (t) => {
  const command = freshCommand(t)
  const init = ['init', '--scope', 'project', '--agent', 'claude', '--yes']
  const skills = () => filesUnder(join(command.project, '.claude')).filter((path) => path.startsWith('skills/'))
  json(command, init)
  assert.deepEqual(skills(), ['skills/forge-memory/SKILL.md'])
  const text = read(command, '.claude/skills/forge-memory/SKILL.md')
  for (const tool of ['memory_recall', 'capture_thought', 'memory_replace']) assert.ok(text.includes(tool))
  mkdirSync(join(command.project, '.aiwg'))
  json(command, init)
  assert.deepEqual(skills(), ['skills/forge-memory/SKILL.md', 'skills/ralph-memory/SKILL.md'])
  rmdirSync(join(command.project, '.aiwg'))
  json(command, ['init', '--remove', '--yes'])
  assert.deepEqual(filesUnder(command.project), [])
})

test('the skill about past sessions is for the user whose sessions they are, and goes', (t) => {
  const home = freshFolder(t)
  const command = freshCommand(t, { HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: '' })
  const init = ['init', '--scope', 'user', '--agent', 'claude', '--yes']
  const skills = () => filesUnder(home).filter((path) => path.includes('/skills/'))
  json(command, init)
  assert.deepEqual(skills(), ['.claude/skills/forge-memory/SKILL.md', '.claude/skills/memory-backfill/SKILL.md'])
  json(command, [...init, '--remove'])
  assert.deepEqual(skills(), [])
})

test('AGENTS.md names the file of Copilot only where Copilot was chosen', (t) => {
  const command = freshCommand(t)
  const init = (...agents) => json(command, ['init', '--scope', 'project', '--agent', ...agents, '--yes'])
  init('codex', 'zed')
  assert.match(read(command, 'AGENTS.md'), /^What earlier sessions learned is behind the MCP server/m)
  init('codex', 'copilot')
  for (const path of ['AGENTS.md', '.github/copilot-instructions.md'])
    assert.match(read(command, path), /`\.github\/copilot-memory-hints\.md`/)
})

test('init finds the agents that a project uses and writes for no other', (t) => {
  const command = bareMachine(t)
  assert.equal(command.run(['init', '--scope', 'project', '--yes']).status, 1)
  assert.deepEqual(filesUnder(command.project), [])
  mkdirSync(join(command.project, '.cursor'))
  const { agents, changes } = json(command, ['init', '--scope', 'project', '--dry-run'])
  assert.deepEqual(agents, ['cursor'])
  assert.deepEqual(changes.map(({ path }) => path).sort(), [
    '.cursor/hooks.json',
    '.cursor/mcp.json',
    '.gitattributes',
    '.gitignore',
    'AGENTS.md',
  ])
  assert.deepEqual(filesUnder(command.project), [])
})

test('init takes several agents after one option, as backfill does', (t) => {
  const command = freshCommand(t)
  for (const named of [
    ['--agent', 'claude', 'cursor'],
    ['--agent', 'claude', '--agent', 'cursor'],
  ])
    assert.deepEqual(json(command, ['init', ...named, '--dry-run']).agents, ['claude', 'cursor'])
})

test('the diff is shown before anything is asked, and without an answer nothing is written', (t) => {
  const command = freshCommand(t)
  write(command, USERS)
  const before = snapshot(command)
  const { stdout } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--dry-run'])
  assert.match(stdout, /^--- a\/\.mcp\.json\n\+\+\+ b\/\.mcp\.json\n@@ .*\n/m)
  assert.match(stdout, /^--- \/dev\/null\n\+\+\+ b\/\.claude\/skills\/forge-memory\/SKILL\.md/m)
  assert.match(stdout, /^\+.*"forge-memory": \{$/m)
  const refused = command.run(['init', '--scope', 'project', '--agent', 'claude'])
  assert.deepEqual([refused.status, /\(INVALID_INPUT\)/.test(refused.stderr)], [2, true])
  assert.deepEqual(snapshot(command), before)
})

test('--yes says one line for each file, and how to see the rest', (t) => {
  const command = freshCommand(t)
  write(command, USERS)
  const named = ['init', '--scope', 'project', '--agent', 'claude', 'cursor', 'copilot', '--yes']
  const { changes } = json(command, [...named, '--dry-run'])
  const { stdout } = command.run(named)
  for (const { path, before } of changes) {
    const said = stdout.split('\n').filter((line) => line.startsWith(`${path} `))
    assert.equal(said.length, 1, path)
    assert.match(said[0], before === undefined ? / new, \d+ lines? / : / changed, \+\d+ -\d+ /)
  }
  assert.doesNotMatch(stdout, /^(\+|@@|--- )/m)
  assert.match(stdout, new RegExp(`^Written: ${changes.length} files; --diff shows every line, --dry-run before`, 'm'))
  assert.ok(stdout.split('\n').length < changes.length + 20, stdout)
  json(command, ['init', '--remove', '--yes'])
  assert.match(command.run([...named, '--diff']).stdout, /^\+.*"forge-memory": \{$/m)
})

test('the configuration of each agent is valid for its schema', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'], ALONE)
  const parsed = (path) => JSON.parse(read(command, path))
  // Neither the test's project nor its PATH has the package: what runs now is what is written.
  const launch = { command: process.execPath, args: [command.program, 'mcp'] }
  assert.deepEqual(parsed('.mcp.json'), { mcpServers: { 'forge-memory': launch } })
  assert.deepEqual(parsed('.cursor/mcp.json'), { mcpServers: { 'forge-memory': launch } })
  assert.deepEqual(parsed('.vscode/mcp.json'), { servers: { 'forge-memory': { type: 'stdio', ...launch } } })
  const claude = parsed('.claude/settings.json').hooks
  for (const event of [
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUse',
    'PreCompact',
    'Stop',
    'SubagentStop',
    'SessionEnd',
  ]) {
    assert.equal(claude[event].length, 1)
    const [{ hooks }] = claude[event]
    assert.deepEqual([hooks[0].type, hooks[0].timeout], ['command', 5])
    assert.match(hooks[0].command, new RegExp(`hook ${event} .*; exit 0$`))
  }
  const cursor = parsed('.cursor/hooks.json')
  assert.equal(cursor.version, 1)
  for (const [event, [{ command: line }]] of Object.entries(cursor.hooks))
    assert.match(line, new RegExp(`hook ${event} .*; exit 0$`))
  const copilot = parsed('.github/hooks/forge-memory.json')
  assert.equal(copilot.version, 1)
  for (const [event, [hook]] of Object.entries(copilot.hooks)) {
    assert.deepEqual(Object.keys(hook).sort(), ['bash', 'powershell', 'timeoutSec', 'type'])
    assert.match(
      hook.bash,
      new RegExp(`^"[^"]+forge-memory-hook" ${event} 2>/dev/null \\|\\| .* hook ${event} 2>/dev/null; exit 0$`),
    )
  }
})

test('a hook of an older form is replaced, not doubled', (t) => {
  const command = freshCommand(t)
  write(command, {
    '.cursor/hooks.json':
      '{"version":1,"hooks":{"stop":[{"command":"npx forge-memory hook stop --old"},{"command":"mine"}]}}',
  })
  json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  const { stop } = JSON.parse(read(command, '.cursor/hooks.json')).hooks
  assert.deepEqual([stop.length, stop[0].command], [2, 'mine'])
})

test('a file that is not JSON is named and not changed, and neither are all others', (t) => {
  const command = freshCommand(t)
  for (const broken of ['{ "mcpServers": ', '[]', 'null', '<<<<<<< ours']) {
    write(command, { '.mcp.json': broken })
    const before = snapshot(command)
    const { status, stderr } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
    assert.equal(status, 1)
    assert.match(stderr, /\.mcp\.json cannot be read as JSON: .*\(CORRUPT\)/)
    assert.deepEqual(snapshot(command), before)
  }
})
