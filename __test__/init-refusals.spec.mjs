// What `init` leaves alone: files that it cannot edit without loss, and paths that lead somewhere else.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder, freshFolder } from './support/project.mjs'

function write(command, path, content) {
  mkdirSync(dirname(join(command.project, path)), { recursive: true })
  writeFileSync(join(command.project, path), content)
}

const bytes = (command, path) => readFileSync(join(command.project, path))
const read = (command, path) => bytes(command, path).toString('utf8')
const snapshot = (command) =>
  Object.fromEntries(filesUnder(command.project).map((path) => [path, bytes(command, path).toString('latin1')]))
const utf16 = (text) => Buffer.from(text, 'utf16le')
const BOM = '\ufeff'
const MCP = '{"mcpServers":{"other":{"command":"ä"}}}'
const deep = (levels) => `{"mcpServers":${'['.repeat(levels)}${']'.repeat(levels)}}`

/** Files by path: what they hold, and what the refusal says of them. */
const REFUSED = [
  ['.mcp.json', Buffer.from(MCP, 'latin1'), /is not UTF-8 text/],
  ['.mcp.json', utf16(BOM + MCP), /contains zero bytes \(is it UTF-16\?\)/],
  ['.mcp.json', utf16(MCP), /contains zero bytes/],
  ['.mcp.json', utf16(MCP).swap16(), /contains zero bytes/],
  ['.gitignore', Buffer.from('Größe/\n', 'latin1'), /is not UTF-8 text/],
  ['.github/copilot-instructions.md', utf16(`${BOM}# Rules\n`), /zero bytes/],
  ['.mcp.json', '{"mcpServers":null}', /"mcpServers": expected an object, found null/],
  ['.mcp.json', '{"mcpServers":[]}', /"mcpServers": expected an object, found a list/],
  ['.mcp.json', '{"mcpServers":"x"}', /"mcpServers": expected an object, found a string/],
  ['.mcp.json', '{"mcpServers":{},"mcpServers":{"a":{}}}', /"mcpServers" occurs in it twice/],
  ['.mcp.json', '{"mcpServers":{"forge-memory":{},"forge-memory":1}}', /"mcpServers.forge-memory" occurs in it twice/],
  ['.mcp.json', deep(5000), /more than 200 levels deep/],
  ['.mcp.json', deep(500_000), /more than 200 levels deep/],
  ['.claude/settings.json', '{"hooks":null}', /"hooks": expected an object, found null/],
  ['.claude/settings.json', '{"hooks":[]}', /"hooks": expected an object, found a list/],
  ['.claude/settings.json', '{"hooks":{"Stop":{}}}', /"hooks.Stop": expected a list, found an object/],
  ['.claude/settings.json', '{"hooks":{"Stop":null}}', /"hooks.Stop": expected a list, found null/],
  ['.cursor/hooks.json', '{"hooks":5}', /"hooks": expected an object, found a number/],
  ['.gitignore', 'a\n# forge-memory: begin\nmine\n', /has the line "# forge-memory: begin" without the one that ends/],
  ['.gitignore', '# forge-memory: end\n# forge-memory: begin\nmine\n', /without the one that ends/],
  [
    '.gitignore',
    '# forge-memory: begin\nmine\n# forge-memory: begin\n# forge-memory: end\n',
    /without the one that ends/,
  ],
  [
    '.gitignore',
    '# forge-memory: begin\n# forge-memory: end\nmine\n# forge-memory: begin\n# forge-memory: end\n',
    /twice/,
  ],
]

for (const [path, content, message] of REFUSED) {
  test(`${path} is named and nothing is written: ${message.source}, ${content.length} bytes`, (t) => {
    const command = freshCommand(t)
    write(command, path, content)
    const before = snapshot(command)
    const { status, stderr } = command.run(['init', '--scope', 'project', '--agent', 'all', '--yes'])
    assert.equal(status, 1)
    assert.match(stderr, message)
    assert.match(stderr, /\(CORRUPT\)/)
    assert.ok(stderr.includes(path))
    assert.deepEqual(snapshot(command), before)
  })
}

test('--remove skips files without an entry of ours, whatever they contain', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  write(command, '.vscode/mcp.json', utf16(MCP))
  write(command, '.cursor/hooks.json', '{"hooks":')
  json(command, ['init', '--remove', '--yes'])
  assert.deepEqual(filesUnder(command.project).sort(), ['.cursor/hooks.json', '.vscode/mcp.json'])
})

test('--remove reports an unreadable file with an entry of ours, and removes nothing', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
  write(command, '.mcp.json', utf16(read(command, '.mcp.json')))
  const before = snapshot(command)
  const { status, stderr } = command.run(['init', '--remove', '--yes'])
  assert.equal(status, 1)
  assert.match(stderr, /\.mcp\.json contains zero bytes/)
  assert.deepEqual(snapshot(command), before)
})

test('a byte order mark stays, and so do the bytes of everything else', (t) => {
  const command = freshCommand(t)
  write(command, '.mcp.json', `${BOM}{\r\n "mcpServers": {\r\n  "ä": {"command": "x"}\r\n }\r\n}`)
  json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  const after = read(command, '.mcp.json')
  assert.ok(after.startsWith(`${BOM}{\r\n "mcpServers": {\r\n  "ä": {"command": "x"},\r\n  "forge-memory": {`))
  assert.doesNotMatch(after, /[^\r]\n/)
})

test('a group of hooks keeps the other commands that it has', (t) => {
  const command = freshCommand(t)
  const others = [
    { type: 'command', command: 'say done', timeout: 7 },
    { type: 'command', command: 'forge-memory hook Stop && say done' },
  ]
  const mixed = {
    matcher: '',
    hooks: [others[0], { type: 'command', command: 'npx forge-memory hook Stop' }, others[1]],
  }
  write(command, '.claude/settings.json', JSON.stringify({ hooks: { Stop: [mixed] } }))
  json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  const { Stop } = JSON.parse(read(command, '.claude/settings.json')).hooks
  assert.deepEqual([Stop.length, Stop[0]], [2, { matcher: '', hooks: others }])
  Stop[0].hooks.push(Stop[1].hooks[0])
  write(command, '.claude/settings.json', JSON.stringify({ hooks: { Stop: [Stop[0]] } }))
  json(command, ['init', '--remove', '--yes'])
  const left = JSON.parse(read(command, '.claude/settings.json'))
  assert.deepEqual(left, { hooks: { Stop: [{ matcher: '', hooks: others }] } })
})

test('a foreign entry with our name is replaced on confirmation only, and restored by --remove', (t) => {
  const theirs = '{ "command": "docker", "args": ["run", "forge-memory", "mcp"] }'
  for (const isEdited of [false, true]) {
    const command = freshCommand(t)
    const file = `{\n  "mcpServers": {\n    "forge-memory": ${theirs}, // ours\n    "x": {}\n  }\n}\n`
    write(command, '.mcp.json', file)
    write(command, '.claude/skills/forge-memory/SKILL.md', 'our own skill\n')
    const { replaces } = json(command, ['init', '--scope', 'project', '--agent', 'claude', '--dry-run'])
    assert.deepEqual(replaces, [
      { path: '.mcp.json', text: theirs },
      { path: '.claude/skills/forge-memory/SKILL.md', text: 'our own skill\n' },
    ])
    const { stdout } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
    assert.match(stdout, /\.mcp\.json: what was there is kept; init --remove restores it/)
    assert.doesNotMatch(read(command, '.mcp.json'), /docker/)
    const edited = isEdited ? '// later\n' : ''
    write(command, '.mcp.json', edited + read(command, '.mcp.json'))
    json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
    json(command, ['init', '--remove', '--yes'])
    assert.equal(read(command, '.mcp.json'), edited + file)
    assert.equal(read(command, '.claude/skills/forge-memory/SKILL.md'), 'our own skill\n')
  }
})

test('a foreign entry is not replaced when it could not be saved', (t) => {
  const command = freshCommand(t)
  write(command, '.mcp.json', '{"mcpServers":{"forge-memory":{"command":"docker"}}}')
  rmSync(command.home, { recursive: true })
  writeFileSync(command.home, 'a file where the folder belongs')
  const before = snapshot(command)
  const { status, stderr } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  assert.deepEqual([status, /\.mcp\.json contains an entry of something else/.test(stderr)], [1, true])
  assert.deepEqual(snapshot(command), before)
})

test('a foreign merge driver is restored', (t) => {
  const command = freshCommand(t)
  const git = (...args) => execFileSync('git', args, { cwd: command.project, encoding: 'utf8', stdio: 'pipe' })
  git('init', '-q')
  git('config', 'merge.forge-memory.driver', 'our-own %A %B')
  const { replaces } = json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  assert.deepEqual(replaces, [{ path: '.git/config', text: 'our-own %A %B' }])
  assert.match(git('config', 'merge.forge-memory.driver'), /merge-driver/)
  json(command, ['init', '--remove', '--yes'])
  assert.equal(git('config', '--get-regexp', 'merge.forge'), 'merge.forge-memory.driver our-own %A %B\n')
})

test('lines that people add to our part of .gitignore stay', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  const mine = read(command, '.gitignore').replace('# forge-memory: end', 'mine/\n# forge-memory: end')
  write(command, '.gitignore', mine)
  assert.equal(json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes']).written, false)
  json(command, ['init', '--remove', '--yes'])
  assert.match(read(command, '.gitignore'), /^mine\/$/m)
})

test('an existing empty folder is kept', (t) => {
  const command = freshCommand(t)
  mkdirSync(join(command.project, '.cursor'))
  json(command, ['init', '--scope', 'project', '--yes'])
  json(command, ['init', '--remove', '--yes'])
  assert.ok(lstatSync(join(command.project, '.cursor')).isDirectory())
})

test('a link to another file of the project is written through', (t) => {
  const command = freshCommand(t, { HOME: freshFolder(t), XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin' })
  write(command, 'AGENTS.md', '# Rules\n')
  mkdirSync(join(command.project, '.github'))
  symlinkSync('../AGENTS.md', join(command.project, '.github/copilot-instructions.md'))
  symlinkSync('AGENTS.md', join(command.project, 'CLAUDE.md'))
  assert.deepEqual(json(command, ['init', '--scope', 'project', '--dry-run']).agents, ['claude', 'copilot'])
  json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
  assert.ok(lstatSync(join(command.project, '.github/copilot-instructions.md')).isSymbolicLink())
  assert.match(read(command, 'AGENTS.md'), /^# Rules\n\n<!-- forge-memory: begin/)
  json(command, ['init', '--remove', '--yes'])
  assert.equal(read(command, 'AGENTS.md'), '# Rules\n')
  assert.ok(lstatSync(join(command.project, 'CLAUDE.md')).isSymbolicLink())
})

test('two paths that are one file are written once', (t) => {
  const command = freshCommand(t)
  write(command, '.mcp.json', MCP)
  mkdirSync(join(command.project, '.cursor'))
  symlinkSync('../.mcp.json', join(command.project, '.cursor/mcp.json'))
  json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
  assert.equal(json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes']).written, false)
  json(command, ['init', '--remove', '--yes'])
  assert.equal(read(command, '.mcp.json'), MCP)
})

/** Creates something at a path that is not a regular file of the project. */
const TRAPS = {
  'a link that leads out': (path, outside) => symlinkSync(join(outside, 'file'), path),
  'a dangling link': (path) => symlinkSync('nowhere', path),
  'a dangling link that leads out': (path, outside) => symlinkSync(join(outside, 'new'), path),
  'a link into .git': (path) => symlinkSync('../.git/hooks/post-checkout', path),
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
  'a folder': (path) => mkdirSync(path),
}
const TARGETS = [
  '.cursor/mcp.json',
  '.cursor/hooks.json',
  '.github/copilot-instructions.md',
  '.claude/skills/forge-memory/SKILL.md',
  '.gitignore',
]

for (const [what, make] of Object.entries(TRAPS)) {
  test(`${what} in the place of a file is refused by its name, and nothing is written`, (t) => {
    if (isWindows) return
    for (const path of TARGETS) {
      const command = freshCommand(t)
      const outside = join(command.folder, 'outside')
      mkdirSync(outside)
      writeFileSync(join(outside, 'file'), '{}')
      execFileSync('git', ['init', '-q'], { cwd: command.project })
      mkdirSync(dirname(join(command.project, path)), { recursive: true })
      make(join(command.project, path), outside)
      const settings = read(command, '.git/config')
      for (const args of [['--agent', 'all'], ['--remove']]) {
        const { status, stderr } = command.run(['init', '--scope', 'project', ...args, '--yes'])
        assert.equal(status, 1, stderr)
        assert.ok(stderr.includes(join(command.project, path)), stderr)
        assert.match(stderr, /\(UNSAFE_PATH\)/)
      }
      assert.deepEqual(
        filesUnder(command.project).filter((each) => !each.startsWith('.git/')),
        [],
      )
      assert.equal(read(command, '.git/config'), settings)
      assert.deepEqual([filesUnder(outside), readFileSync(join(outside, 'file'), 'utf8')], [['file'], '{}'])
    }
  })
}

test('a folder that is a link out of the project is refused, and so is one that leads nowhere', (t) => {
  for (const target of ['outside', 'nowhere']) {
    const command = freshCommand(t)
    const outside = join(command.folder, 'outside')
    mkdirSync(outside)
    symlinkSync(join(command.folder, target), join(command.project, '.cursor'), 'junction')
    const { status, stderr } = command.run(['init', '--scope', 'project', '--yes'])
    assert.deepEqual([status, /\.cursor.*\(UNSAFE_PATH\)/.test(stderr)], [1, true], stderr)
    assert.deepEqual(filesUnder(outside), [])
  }
})

test('control sequences in project files never reach a terminal', (t) => {
  const command = freshCommand(t)
  write(command, '.gitignore', '\u001b[2Jgone\n')
  const { stdout } = command.run(['init', '--scope', 'project', '--agent', 'cursor', '--dry-run'])
  assert.ok(!stdout.includes('\u001b[2J'))
  assert.match(stdout, /\\u\{1b\}\[2Jgone/)
})

test('init reports only what it wrote', (t) => {
  const command = freshCommand(t)
  const unasked = command.run(['init', '--scope', 'project', '--agent', 'cursor'])
  assert.equal(unasked.status, 2)
  assert.match(unasked.stderr, /this command asks for confirmation before it writes/)
  assert.doesNotMatch(unasked.stderr, /delete/)
  json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  execFileSync('git', ['init', '-q'], { cwd: command.project })
  const { stdout } = command.run(['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  assert.match(stdout, /\ngit: the merge driver "forge-memory" was set\.\n/)
  assert.doesNotMatch(stdout, /Written|Restart|delete/)
})

test('--remove keeps a plug-in file that was edited, and says so', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'opencode', '--yes'])
  json(command, ['init', '--scope', 'project', '--agent', 'amp', '--yes'])
  const [edited, own] = ['.opencode/plugins/forge-memory.js', '.amp/plugins/forge-memory.ts']
  const text = `${readFileSync(join(command.project, edited), 'utf8')}\n// my own addition\n`
  writeFileSync(join(command.project, edited), text)
  const { notes } = json(command, ['init', '--remove', '--yes'])
  assert.deepEqual(
    notes.map((note) => note.includes(edited)),
    [true],
  )
  assert.equal(readFileSync(join(command.project, edited), 'utf8'), text)
  assert.ok(!existsSync(join(command.project, own)))
  const again = command.run(['init', '--remove', '--yes'])
  assert.match(again.stderr, /opencode\/plugins\/forge-memory\.js is not as init writes it, and is kept/)
})

test('a plug-in file as it was written is removed, whichever release wrote it', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'opencode', '--yes'])
  const path = join(command.project, '.opencode/plugins/forge-memory.js')
  // The project is set up for an installed program now, which is written in another way.
  const bin = join(command.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'forge-memory'), '', { mode: 0o755 })
  json(command, ['init', '--remove', '--yes'], { env: { PATH: `${bin}:/usr/bin:/bin` } })
  assert.ok(!existsSync(path))
})

test('a kill leaves no temporary file beside a file that init writes', (t) => {
  const command = freshCommand(t)
  const trap = join(command.folder, 'trap.cjs')
  // The process dies where the file is written and not yet moved.
  writeFileSync(
    trap,
    `const fs = require('fs'); const move = fs.renameSync
fs.renameSync = (from, to) => { if (String(to).startsWith(${JSON.stringify(command.project)})) process.kill(process.pid, 'SIGKILL'); return move(from, to) }\n`,
  )
  writeFileSync(join(command.project, '.mcp.json'), '{}')
  const env = { NODE_OPTIONS: `--require ${trap}` }
  const { status } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'], { env })
  assert.equal(status, null)
  assert.deepEqual(filesUnder(command.project), ['.mcp.json'])
  json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  assert.ok(!filesUnder(command.project).some((path) => path.endsWith('.tmp')))
})
