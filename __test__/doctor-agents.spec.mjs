// Whether `doctor --agents` finds out what a host would find out, and starts nothing that a project merely names.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { freshFolder, root } from './support/project.mjs'

function freshUser(t) {
  const home = freshFolder(t)
  return {
    ...freshCommand(t, { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', PATH: '/usr/bin:/bin' }),
    userHome: home,
  }
}

function write(folder, path, text, mode) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  if (mode !== undefined) chmodSync(join(folder, path), mode)
}

function ask(user, ...more) {
  const { status, stdout, stderr } = user.run(['--json', 'doctor', '--agents', ...more])
  assert.ok(stdout !== '', stderr)
  return { status, findings: JSON.parse(stdout) }
}

const entry = (command, args, more = {}) =>
  JSON.stringify({ mcpServers: { 'forge-memory': { command, args, ...more } } })

test('the configuration that init wrote works: the command runs, prints its version, and answers initialize of MCP', (t) => {
  const user = freshUser(t)
  json(user, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  json(user, ['init', '--agent', 'codex', '--scope', 'user', '--yes'])
  json(user, ['init', '--agent', 'goose', '--scope', 'user', '--yes'])
  const { status, findings } = ask(user)
  assert.deepEqual(
    findings.map(({ code, subject }) => [code, subject]),
    [
      ['AGENT_READY', 'Claude Code, .mcp.json'],
      ['AGENT_READY', 'Codex, ~/.codex/config.toml'],
      ['AGENT_READY', 'Goose, ~/.config/goose/config.yaml'],
      ['AGENT_REACH', 'Claude Code'],
      ['AGENT_REACH', 'Codex'],
      ['AGENT_REACH', 'Goose'],
      ['HOOK_READY', 'hooks of Claude Code, .claude/settings.json'],
      ['HOOK_READY', 'hooks of Codex, ~/.codex/hooks.json'],
      ['HOOK_READY', 'hooks of Goose, ~/.agents/plugins/forge-memory/hooks/hooks.json'],
    ],
  )
  for (const { message } of findings.slice(6)) assert.match(message, /^answer in \d+ ms, by the native program$/)
  assert.equal(status, 0)
  assert.match(findings[0].message, /^starts, version \d+\.\d+\.\d+, 6 tools after [\d.]+ s of 30$/)
  // The limit is that of the entry.
  assert.match(findings[1].message, / of 20$/)
  assert.match(user.run(['doctor', '--agents']).stdout, /^ok +Claude Code, \.mcp\.json: starts/m)
})

test('a command that is missing, disabled or another program is reported with a hint', (t) => {
  const user = freshUser(t)
  const codes = (text, path = '.cursor/mcp.json', folder = user.userHome) => {
    write(folder, path, text)
    const { status, findings } = ask(user)
    return [status, findings.find(({ subject }) => subject.startsWith('Cursor'))]
  }
  const [status, missing] = codes(entry('forge-memory', ['mcp']))
  assert.deepEqual([status, missing.code], [1, 'AGENT_COMMAND'])
  assert.match(missing.message, /forge-memory, which is not on the PATH/)
  assert.match(missing.hint, /npm install --global/)
  const gone = codes(entry(process.execPath, ['/nowhere/dist/cli/main.js', 'mcp']))[1]
  assert.match(gone.message, /main\.js, which does not exist/)
  const off = codes(entry(process.execPath, [user.program, 'mcp'], { disabled: true }))[1]
  assert.deepEqual([off.severity, off.code], ['warning', 'AGENT_SWITCHED_OFF'])
  const other = codes(entry('docker', ['run', 'x']))[1]
  assert.deepEqual([other.code, /docker run x/.test(other.message)], ['AGENT_FOREIGN', true])
  const broken = codes('{"mcpServers": ')[1]
  assert.deepEqual([broken.code, /cannot be read as JSON/.test(broken.message)], ['AGENT_CONFIG', true])
})

test('a server that does not answer in time is reported', (t) => {
  const user = freshUser(t)
  const silent = '#!/bin/sh\nif [ "$1" = --version ]; then echo 0.0.1; else exec sleep 600; fi\n'
  write(user.userHome, 'bin/forge-memory', silent, 0o755)
  const toml = `[mcp_servers.forge-memory]\ncommand = "${user.userHome}/bin/forge-memory"\nargs = ["mcp"]\nstartup_timeout_sec = 1\n`
  write(user.userHome, '.codex/config.toml', toml)
  const { findings } = ask(user, '--yes')
  assert.deepEqual([findings[0].code, findings[0].severity], ['AGENT_START', 'problem'])
  assert.match(findings[0].message, /initialize of MCP within 1 s/)
})

test('a file of the project starts nothing but an installation', (t) => {
  const user = freshUser(t)
  const trace = join(user.folder, 'ran')
  const evil = `#!/bin/sh\ntouch ${trace}\n`
  write(user.project, 'bin/forge-memory', evil, 0o755)
  write(user.project, 'evil/dist/cli/main.js', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`)
  for (const text of [
    entry(join(user.project, 'bin/forge-memory'), ['mcp']),
    entry('./bin/forge-memory', ['mcp']),
    entry('node', ['./evil/dist/cli/main.js', 'mcp']),
    entry('sh', ['-c', `touch ${trace}`]),
  ]) {
    write(user.project, '.mcp.json', text)
    const { status, findings } = ask(user)
    assert.equal(status, 1, text)
    assert.match(findings[0].code, /^AGENT_(COMMAND|FOREIGN)$/)
    assert.ok(!existsSync(trace), text)
  }
  // Variables of such an entry could load code into ours.
  write(user.project, 'preload.js', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`)
  const more = { env: { NODE_OPTIONS: `--require ${join(user.project, 'preload.js')}` } }
  write(user.project, '.mcp.json', entry(process.execPath, [user.program, 'mcp'], more))
  const [{ code, message }] = ask(user).findings
  assert.deepEqual([code, /env\.NODE_OPTIONS: /.test(message)], ['AGENT_FOREIGN', true])
  assert.ok(!existsSync(trace))
})

test('a command of the user that is not the running program is started only after a person has said so', (t) => {
  const user = freshUser(t)
  const trace = join(user.folder, 'ran')
  write(user.userHome, 'bin/forge-memory', `#!/bin/sh\necho ran >> ${trace}\necho 0.0.1\n`, 0o755)
  write(user.userHome, '.cursor/mcp.json', entry(join(user.userHome, 'bin/forge-memory'), ['mcp']))
  write(user.userHome, '.codeium/windsurf/mcp_config.json', entry(process.execPath, [user.program, 'mcp']))
  const { findings } = ask(user)
  assert.deepEqual(
    findings.map(({ code, severity }) => [code, severity]),
    [
      ['AGENT_NOT_STARTED', 'warning'],
      ['AGENT_READY', 'ok'],
      ['AGENT_REACH', 'ok'],
    ],
  )
  assert.match(findings[0].hint, /--yes starts it/)
  assert.ok(!existsSync(trace))
  ask(user, '--yes')
  assert.ok(existsSync(trace))
})

test('nothing below the project is started, whoever names it', (t) => {
  const user = freshUser(t)
  const trace = join(user.folder, 'ran')
  write(user.project, 'bin/forge-memory', `#!/bin/sh\ntouch ${trace}\n`, 0o755)
  write(user.project, 'node_modules/forge-memory/dist/cli/main.js', `require('fs').writeFileSync('${trace}', '')`)
  for (const text of [
    entry(join(user.project, 'bin/forge-memory'), ['mcp']),
    entry('node', ['node_modules/forge-memory/dist/cli/main.js', 'mcp']),
    entry('forge-memory', ['mcp']),
  ]) {
    for (const [folder, path] of [
      [user.userHome, '.cursor/mcp.json'],
      [user.project, '.mcp.json'],
    ]) {
      write(folder, path, text)
      const PATH = `${join(user.project, 'bin')}:/usr/bin:/bin`
      const { stdout } = user.run(['--json', 'doctor', '--agents', '--yes'], { env: { PATH } })
      assert.ok(
        JSON.parse(stdout).every(({ code }) => code === 'AGENT_COMMAND'),
        stdout,
      )
      assert.ok(!existsSync(trace), text)
    }
  }
})

test('a hook is started where its host starts it, and so nothing beside the project', (t) => {
  const user = freshUser(t)
  const trace = join(user.folder, 'ran')
  mkdirSync(join(user.project, 'node_modules'))
  symlinkSync(root, join(user.project, 'node_modules/forge-memory'), 'junction')
  json(user, ['init', '--scope', 'project', '--agent', 'antigravity', '--yes'])
  const beside = join(dirname(user.project), 'node_modules/forge-memory')
  write(beside, 'dist/cli/main.js', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`)
  assert.deepEqual(
    ask(user).findings.flatMap(({ code, subject }) => (code.startsWith('HOOK') ? [[code, subject]] : [])),
    [['HOOK_READY', 'hooks of Antigravity, .agents/hooks.json']],
  )
  assert.ok(!existsSync(trace))
})

test('an agent that is here and has no entry is named', (t) => {
  const user = freshUser(t)
  mkdirSync(join(user.project, '.kiro'))
  mkdirSync(join(user.userHome, '.codeium/windsurf'), { recursive: true })
  const { status, findings } = ask(user)
  assert.equal(status, 0)
  assert.deepEqual(
    findings.map(({ code, hint }) => [code, hint]),
    [
      ['AGENT_NOT_SET_UP', 'forge-memory init --agent windsurf --scope user'],
      ['AGENT_NOT_SET_UP', 'forge-memory init --agent kiro'],
    ],
  )
})
