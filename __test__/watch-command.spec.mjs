import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { commandLine } from '../scripts/setup/command-line.mjs'
import { freshCommand } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { root } from './support/project.mjs'
import { until } from './support/waiting.mjs'

/** Starts the live tail and collects what it prints. */
function startWatch(t, command, args) {
  const child = spawn(process.execPath, [command.program, 'watch', ...args], {
    cwd: command.project,
    env: command.env(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const printed = { text: '' }
  child.stdout.on('data', (chunk) => {
    printed.text += chunk
  })
  const prints = (pattern) =>
    until(
      () => pattern.test(printed.text),
      () => `no ${pattern} in ${printed.text}`,
    )
  return { child, printed, prints }
}

function capture(command, tool, type, body) {
  const { status, stderr } = command.run(['capture', '--tool', tool, '--type', type, body])
  assert.deepEqual([status, stderr], [0, ''])
}

test('watch shows stored events, follows those of other processes, and ends cleanly', async (t) => {
  const command = freshCommand(t)
  capture(command, 'forge_sweep', 'lesson', 'there before')
  const { child, printed, prints } = startWatch(t, command, [])
  await prints(/there before/)
  capture(command, 'forge_plan', 'gotcha', 'came later\u001b[31m')
  await prints(/came later/)
  assert.match(printed.text, /^\d\d:\d\d:\d\d {2}memory-captured {2}lesson forge_sweep {2}there before$/m)
  assert.match(printed.text, /gotcha forge_plan {2}came later\\u\{1b\}/)
  if (isWindows) return
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('filters by type, tool, time and number hold, and --json prints one event a line', async (t) => {
  const command = freshCommand(t)
  for (const [tool, type, body] of [
    ['forge_sweep', 'lesson', 'one'],
    ['forge_plan', 'gotcha', 'two things'],
    ['forge_sweep', 'gotcha', 'three more'],
  ]) {
    capture(command, tool, type, body)
  }
  const shown = (...args) => {
    const { status, stdout, stderr } = command.run(['watch', '--no-follow', '--json', ...args])
    assert.deepEqual([status, stderr], [0, ''])
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).thought.content)
  }
  assert.deepEqual(shown(), ['one', 'two things', 'three more'])
  assert.deepEqual(shown('--type', 'gotcha'), ['two things', 'three more'])
  assert.deepEqual(shown('--type', 'memory-captured', '--tool', 'forge_plan'), ['two things'])
  assert.deepEqual(shown('--type', 'gotcha', '--tool', 'forge_sweep'), ['three more'])
  assert.deepEqual(shown('--since', '1'), ['two things', 'three more'])
  assert.deepEqual(shown('--since', '1h', '--count', '2'), ['one', 'two things'])
  assert.deepEqual(shown('--since', '2100-01-01'), [])
  const { status, stdout, stderr } = command.run(['watch', '--since', 'yesterday'])
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(stderr, /^error: since: yesterday is not a date, an age or a number \(INVALID_INPUT\)\n/)
})

test('the tail ends after the given number of events', async (t) => {
  const command = freshCommand(t)
  capture(command, 'x', 'lesson', 'there before')
  const { child, prints, printed } = startWatch(t, command, ['--count', '3', '--json'])
  const ended = once(child, 'exit')
  await prints(/there before/)
  for (const body of ['first one', 'another second', 'and a third']) capture(command, 'x', 'lesson', body)
  await ended
  assert.match(printed.text, /another second/)
  assert.equal(printed.text.trim().split('\n').length, 3)
})

test('npm start serves the folder that was named, or takes the tour', () => {
  assert.deepEqual(commandLine([], root), { program: 'main', args: ['serve'], dir: undefined })
  assert.deepEqual(commandLine(['--dir', 'x', '--open'], root), {
    program: 'main',
    args: ['serve', '--open'],
    dir: 'x',
  })
  assert.deepEqual(commandLine(['--tour', '--dir', 'x'], root), {
    program: 'tour',
    args: ['--dir', 'x'],
    dir: undefined,
  })
})

test('npm start refuses a wrong argument before anything is built', () => {
  for (const [args, message] of [
    [['--no-such'], 'npm start does not know --no-such'],
    [['extra'], 'npm start does not know extra'],
    [['--port', 'x'], '--port needs a number, not x'],
    [['--port'], '--port needs a number'],
    [['--dir'], '--dir needs a folder'],
    [['--tour', '--no-such'], 'npm start does not know --no-such'],
    [['--tour', '--dir'], '--dir needs a folder'],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'start.mjs'), ...args], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout, stderr.split('\n')[0]], [1, '', `error: ${message}`])
  }
  assert.deepEqual(commandLine(['--port=4000', '--no-drain'], root).args, ['serve', '--port=4000', '--no-drain'])
})

test('watch ends when its output is closed, even without further events', async (t) => {
  if (isWindows) return
  const command = freshCommand(t)
  capture(command, 'forge_sweep', 'lesson', 'there before')
  const piped = `exec 3>&1; { ${quoted(process.execPath)} ${quoted(command.program)} watch; echo "ended $?" >&3; } | head -n 1`
  const shell = spawn('sh', ['-c', piped], {
    cwd: command.project,
    env: command.env(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  t.after(() => {
    try {
      process.kill(-shell.pid, 'SIGKILL')
    } catch {
      // It has ended, which is what it should.
    }
  })
  let text = ''
  shell.stdout.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(shell, 'close')
  assert.equal(code, 0)
  assert.match(text, /there before\nended 0\n$/)
})

test('the tail ends when its reader went before the first line', async (t) => {
  if (isWindows) return
  const command = freshCommand(t)
  const { child } = startWatch(t, command, [])
  const ended = once(child, 'exit')
  child.stdout.destroy()
  assert.deepEqual(await ended, [0, null])
})

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

test('the dashboard is opened by the program of the system, when it is asked for', async (t) => {
  if (process.platform !== 'linux') return
  const command = freshCommand(t)
  const [bin, opened] = ['bin', 'opened'].map((name) => join(command.folder, name))
  mkdirSync(bin)
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`, { mode: 0o755 })
  const child = spawn(process.execPath, [command.program, '--json', 'dashboard', '--open', '--port', '0'], {
    cwd: command.project,
    env: command.env({ PATH: `${bin}:${process.env.PATH}` }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (text) => (printed += text))
  await until(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '' && printed.endsWith('}\n'))
  assert.equal(readFileSync(opened, 'utf8'), JSON.parse(printed).url)
})
