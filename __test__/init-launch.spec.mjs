// What `init` writes starts a program that is installed, and never one that is fetched by its name.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { filesUnder, root } from './support/project.mjs'

const OWN = 'node_modules/forge-memory'
const GUARD = ' 2>$' + '{null-/dev/null}; exit 0'
const read = (command, path) => readFileSync(join(command.project, path), 'utf8')
const git = (command, ...args) => execFileSync('git', args, { cwd: command.project, encoding: 'utf8', stdio: 'pipe' })

function write(command, path, text) {
  mkdirSync(dirname(join(command.project, path)), { recursive: true })
  writeFileSync(join(command.project, path), text)
}

/** Everything that was written, in files and in the settings of git. */
function written(command, options) {
  git(command, 'init', '-q')
  const { notes } = json(command, ['init', '--agent', 'all', '--yes'], options)
  const driver = git(command, 'config', '--local', 'merge.forge-memory.driver')
  const texts = filesUnder(command.project)
    .filter((path) => !path.startsWith('.git/') && !path.startsWith('node_modules/'))
    .map((path) => read(command, path))
  return { all: [...texts, driver].join('\n'), driver, notes }
}

const server = (command) => JSON.parse(read(command, '.mcp.json')).mcpServers['forge-memory']
const hook = (command) => JSON.parse(read(command, '.cursor/hooks.json')).hooks.stop[0].command

/** A PATH with nothing of ours on it. */
const bare = (command) => {
  const folder = join(command.folder, 'bin')
  mkdirSync(folder)
  const search = process.env.PATH.split(delimiter)
  for (const name of ['git', 'node', 'sh']) {
    const found = search
      .map((dir) => join(dir, name))
      .find((path) => {
        try {
          readFileSync(path)
          return true
        } catch {
          return false
        }
      })
    if (found) symlinkSync(found, join(folder, name))
  }
  return folder
}

test('nothing that is written fetches a program by its name', (t) => {
  const command = freshCommand(t)
  const { all, driver, notes } = written(command, { env: { PATH: bare(command) } })
  assert.doesNotMatch(all, /npx|npm exec|dlx/)
  assert.deepEqual(server(command), { command: process.execPath, args: [command.program, 'mcp'] })
  assert.equal(hook(command), `${process.execPath} ${command.program} hook stop${GUARD}`)
  assert.ok(driver.includes(command.program))
  assert.match(notes.join(), /npm install --save-dev forge-memory/)
})

test('an installed command is named, so that the files work on other machines', (t) => {
  const command = freshCommand(t)
  const bin = bare(command)
  writeFileSync(join(bin, 'forge-memory'), '#!/bin/sh\n')
  chmodSync(join(bin, 'forge-memory'), 0o755)
  const { all, driver, notes } = written(command, { env: { PATH: bin } })
  assert.doesNotMatch(all, /npx/)
  assert.deepEqual(server(command), { command: 'forge-memory', args: ['mcp'] })
  assert.equal(hook(command), `forge-memory hook stop${GUARD}`)
  assert.match(driver, /^forge-memory merge-driver %O %A %B \|\| /)
  assert.deepEqual(notes, [])
})

test("the project's own copy comes first, unless the repository brought it along", (t) => {
  for (const tracked of [undefined, OWN, 'evil']) {
    const command = freshCommand(t)
    mkdirSync(join(command.project, 'node_modules'), { recursive: true })
    const isTracked = tracked !== undefined
    if (isTracked) {
      write(command, `${tracked}/dist/cli/main.js`, 'steal()')
      if (tracked === 'evil') symlinkSync('../evil', join(command.project, OWN), 'junction')
      git(command, 'init', '-q')
      git(command, 'add', '-f', 'node_modules')
    } else symlinkSync(root, join(command.project, OWN), 'junction')
    const { all, driver } = written(command, { env: { PATH: bare(command) } })
    assert.equal(all.includes(`${OWN}/dist/cli/main.js`), !isTracked)
    assert.equal(driver.includes(join(command.project, OWN)), !isTracked)
    if (isTracked) continue
    assert.deepEqual(server(command).args, [`\${CLAUDE_PROJECT_DIR:-.}/${OWN}/dist/cli/main.js`, 'mcp'])
    assert.equal(hook(command), `node ./${OWN}/dist/cli/main.js hook stop${GUARD}`)
    const line = JSON.parse(read(command, '.claude/settings.json')).hooks.Stop[0].hooks[0].command
    const env = command.env({ CLAUDE_PROJECT_DIR: command.project })
    assert.equal(execFileSync('sh', ['-c', line], { env, cwd: command.folder, input: '{}', encoding: 'utf8' }), '')
  }
})

test('the written hook runs as it is', (t) => {
  const command = freshCommand(t)
  written(command, { env: { PATH: bare(command) } })
  const input = JSON.stringify({ conversation_id: 'c', text: '[remember] Written hooks run.' })
  const line = JSON.parse(read(command, '.cursor/hooks.json')).hooks.afterAgentResponse[0].command
  execFileSync('sh', ['-c', line], { env: command.env(), cwd: command.project, input })
  assert.equal(json(command, ['recall', 'written hooks']).hits.length, 1)
})

test('entries of an earlier release are replaced, and additions of users are kept', (t) => {
  const command = freshCommand(t)
  const old = { command: 'npx', args: ['-y', 'forge-memory', 'mcp'], env: { FORGE_PLAN: 'x' } }
  write(command, '.mcp.json', JSON.stringify({ mcpServers: { 'forge-memory': old } }))
  git(command, 'init', '-q')
  git(command, 'config', 'merge.forge-memory.driver', 'npx -y forge-memory merge-driver %O %A %B')
  const { replaces } = json(command, ['init', '--agent', 'claude', '--yes'], { env: { PATH: bare(command) } })
  assert.deepEqual(replaces, [])
  assert.deepEqual(server(command), { command: process.execPath, args: [command.program, 'mcp'], env: old.env })
  assert.doesNotMatch(git(command, 'config', 'merge.forge-memory.driver'), /npx/)
})
