import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { MessageChannel, Worker } from 'node:worker_threads'
import { freshCommand, json } from './support/command.mjs'
import { freshFolder, root } from './support/project.mjs'
import { openTerminal } from './support/terminal.mjs'
import { until } from './support/waiting.mjs'

const isLinux = process.platform === 'linux'

/** The thread that draws, on a file in place of a terminal. */
function drawing(t, { width, ...data }) {
  const file = join(freshFolder(t), 'terminal')
  const descriptor = openSync(file, 'w')
  const words = new Int32Array(new SharedArrayBuffer(8))
  const { port1, port2 } = new MessageChannel()
  const workerData = { words, delayMs: 1, descriptor, width, project: {}, port: port2, ...data }
  const env = { ...process.env, NO_COLOR: '1', LANG: 'C.UTF-8', WT_SESSION: 'test' }
  const options = { workerData, transferList: [port2], env }
  const thread = new Worker(join(root, 'dist', 'cli', 'waiting-thread.js'), options)
  const exited = once(thread, 'exit')
  const drawn = () => readFileSync(file, 'utf8')
  return {
    show: (progress) => port1.postMessage(progress),
    until: (pattern) => until(() => pattern.test(drawn())),
    frames: () =>
      drawn()
        .split('\r')
        .map((frame) => frame.replace('\u001b[K', '')),
    drawn,
    async stop() {
      Atomics.store(words, 0, 1)
      Atomics.notify(words, 0)
      await exited
      port1.close()
      closeSync(descriptor)
    },
  }
}

test('progress is one line with bar, share, amounts, time left and rate', async (t) => {
  const screen = drawing(t, { width: 100, verb: 'importing', unit: 'records' })
  screen.show({ done: 0, total: 20_000 })
  await screen.until(/ 0 %/)
  screen.show({ done: 5000, total: 20_000 })
  await screen.until(/left {2}[\d,]+\/s/)
  await screen.stop()
  const [line] = screen.frames().filter((frame) => / left /.test(frame))
  assert.match(line, /^importing {2}█████ {15} 25 % {2}5,000 of 20,000 records {2}\d+ s left {2}[\d,]+\/s$/)
  assert.ok(screen.drawn().endsWith('\r\u001b[2K'), 'the line is erased at the end')
  // Each frame is written over the one before, which is not erased first.
  assert.equal(screen.drawn().split('\u001b[2K').length, 2)
  assert.ok(!screen.drawn().includes('\n'))
})

test('progress fits every width, with what matters most', async (t) => {
  for (const width of [40, 60, 80]) {
    const screen = drawing(t, { width, verb: 'reading sessions', unit: 'KiB' })
    screen.show({ done: 0, total: 4_000_000 })
    await screen.until(/ 0 %/)
    screen.show({ done: 1_000_000, total: 4_000_000 })
    await screen.until(/ 25 %/)
    await screen.stop()
    for (const frame of screen.frames()) assert.ok(frame.length < width, `${width}: ${frame}`)
  }
})

/** Takes the lock that every write waits for, as another program would. */
async function holdLock(t, command) {
  const script =
    'use Fcntl ":flock"; $| = 1; open(F, ">>", $ARGV[0]) or die; flock(F, LOCK_EX) or die; print "held"; <STDIN>'
  const folder = join(command.project, '.forge', 'locks')
  mkdirSync(folder, { recursive: true })
  const keeper = spawn('perl', ['-e', script, join(folder, 'memory-captures.lock')])
  t.after(() => keeper.kill())
  await once(keeper.stdout, 'data')
}

function withRecord(t) {
  const command = freshCommand(t)
  command.run(['capture', '--type', 'lesson', 'The gate takes 8 s'])
  return command
}

test('on a terminal, progress appears, and Ctrl-C says what is kept and exits with 130', async (t) => {
  if (!isLinux) return
  const command = withRecord(t)
  await holdLock(t, command)
  const terminal = openTerminal(command, ['compact', '--yes'])
  await terminal.shows(/\rcompacting {2}/)
  terminal.type('\u0003')
  const { status, screen } = await terminal.ended
  assert.equal(status, 130)
  assert.match(
    screen.replaceAll('\r\u001b[2K', '<erased>'),
    /<erased>interrupted: every file is whole: compacted already, or as it was; run it again to continue\r\n$/,
  )
})

test('doctor says which check is at work, and afterwards which one took long', async (t) => {
  if (!isLinux) return
  const command = withRecord(t)
  const [bin, go] = ['bin', 'go'].map((name) => join(command.folder, name))
  mkdirSync(bin)
  // Answers about attributes when it is told to.
  const { stdout: git } = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' })
  const script = `#!/bin/sh\ncase "$*" in *check-attr*) while [ ! -e '${go}' ]; do sleep 0.05; done;; esac\nexec ${git.trim()} "$@"\n`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  const terminal = openTerminal(command, ['doctor'], { PATH: `${bin}:${process.env.PATH}` })
  // What took a second is named afterwards, and the clock of the line may be ahead of that by a little.
  await terminal.shows(/\rchecking git {2}[2-9] s/)
  writeFileSync(go, '')
  const { status, screen } = await terminal.ended
  assert.equal(status, 0, screen)
  assert.match(screen, /All is well\.\r\nChecking git took \d+\.\d s\.\r\n$/)
})

/** Waits until a process has opened the lock that it waits for. */
function waitsForLock(pid) {
  const folder = `/proc/${pid}/fd`
  const target = (name) => {
    try {
      return readlinkSync(join(folder, name))
    } catch {
      return ''
    }
  }
  return until(() => readdirSync(folder).some((name) => target(name).endsWith('memory-captures.lock')))
}

for (const [args, kept] of [
  [['compact'], 'every file is whole: compacted already'],
  [['import', 'lessons.jsonl'], 'records that were stored stay'],
  [['doctor', '--redact'], 'every file is whole'],
]) {
  test(`in a pipe, ${args[0]} shows no progress, and says what is kept when it is interrupted`, async (t) => {
    if (!isLinux) return
    const command = withRecord(t)
    writeFileSync(join(command.project, 'lessons.jsonl'), '{"content":"Store money as cents","type":"lesson"}\n')
    await holdLock(t, command)
    const child = spawn(process.execPath, [command.program, ...args], { cwd: command.project, env: command.env() })
    let stderr = ''
    child.stderr.on('data', (text) => (stderr += text))
    await waitsForLock(child.pid)
    child.kill('SIGINT')
    const [status] = await once(child, 'close')
    assert.equal(status, 130)
    assert.match(stderr, new RegExp(`^interrupted: ${kept}[^\\n]*\\n$`))
  })
}

test('an import that was interrupted is finished by the same import', (t) => {
  const command = withRecord(t)
  const lines = ['one of them', 'another of them'].map((content) => JSON.stringify({ content, type: 'lesson' }))
  const file = join(command.project, 'lessons.jsonl')
  // What an interrupted import has stored is the beginning of what it reads.
  writeFileSync(file, `${lines[0]}\n`)
  json(command, ['import', file])
  writeFileSync(file, `${lines.join('\n')}\n`)
  assert.deepEqual(json(command, ['import', file]).imported, 1)
})
