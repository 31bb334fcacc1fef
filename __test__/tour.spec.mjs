import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { filesUnder, readLines, root } from './support/project.mjs'

const tour = join(root, 'dist', 'cli', 'tour.js')

/** Takes what was printed apart: what each command line answered, in order. */
function answersOf(stdout) {
  return stdout
    .split('\n$ forge-memory ')
    .slice(1)
    .map((part) => {
      const [line, ...answer] = part.split('\n')
      return { line, answer: answer.join('\n') }
    })
}

test('the tour shows a duplicate, a reversal, a removed secret and hits, and all of it is true', (t) => {
  const command = freshCommand(t)
  const folder = join(command.folder, 'a tour')
  const options = { cwd: command.folder, encoding: 'utf8', input: '', env: command.env({ INIT_CWD: command.folder }) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [tour, '--dir', 'a tour'], options)
  assert.deepEqual([status, stderr], [0, ''])
  assert.ok(stdout.startsWith(`The memory of this tour is in ${folder}\n`), stdout.slice(0, 200))

  const answers = answersOf(stdout)
  const answerTo = (pattern) => answers.filter(({ line }) => pattern.test(line)).map(({ answer }) => answer)
  assert.match(answerTo(/^add .*auth mocks/)[0], /^Already known as /)
  assert.match(answerTo(/^add .*No longer run/)[0], /^lesson \w{8} stored/)
  assert.match(answerTo(/^add .*Staging/)[0], /\n1 secret removed /)
  assert.match(answerTo(/^add .*route handlers/)[0], /^Already known as /)
  assert.equal(answerTo(/^find /).filter((answer) => answer.startsWith('1. ')).length, 3)

  const stored = filesUnder(folder).map((path) => readFileSync(join(folder, path), 'utf8'))
  assert.ok(stored.every((text) => !text.includes('hunter2')))
  const log = readLines(folder, '.forge', 'memory-captures.jsonl')
  assert.deepEqual(log.filter((line) => line._action === 'confirm').length, 2)
  assert.ok(log.some((line) => line.content === 'No longer run npm audit before every release'))
  assert.ok(!existsSync(join(command.home, 'memory')), 'the tour wrote into the home of the person')
})

test('the tour prints no JSON, and says so before it does anything', (t) => {
  const command = freshCommand(t)
  const { status, stdout, stderr } = command.run(['tour', '--json', '--dir', join(command.folder, 'tour')])
  assert.equal(status, 1)
  const { error } = JSON.parse(stdout || stderr)
  assert.deepEqual([error.code, error.message], ['UNSUPPORTED', 'the tour prints no JSON'])
  assert.match(error.hint, /leave --json out/)
  assert.ok(!existsSync(join(command.folder, 'tour')))
})

test('the tour ends at the first command that fails', (t) => {
  const command = freshCommand(t)
  const options = { cwd: command.folder, encoding: 'utf8', input: '', env: command.env({ INIT_CWD: command.folder }) }
  const { status, stderr } = spawnSync(process.execPath, [tour, '--dir', process.execPath], options)
  assert.equal(status, 1)
  assert.match(stderr, /^error: .+ \(IO\)\n$/)
})
