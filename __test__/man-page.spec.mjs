// The manual page says what the help says, and every formatter reads it without a warning.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { described } from '../scripts/cli-reference.mjs'
import { PAGE, renderManPage } from '../scripts/man-page.mjs'
import { root } from './support/project.mjs'

const page = readFileSync(PAGE, 'utf8')
const isThere = (program) => spawnSync(program, ['--version']).error === undefined
const withProgram = (program) => (isThere(program) ? test : () => {})

test('the page is what the commands say', () => {
  assert.equal(page, renderManPage(), 'node scripts/man-page.mjs writes it')
})

test('every command, every option and every example is on the page', () => {
  const plain = page
    .replace(/\\f[BIR]/g, '')
    .replaceAll('\\-', '-')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\(dq', '"')
  const check = ({ path, options, examples, commands }) => {
    if (path.length > 0) assert.ok(plain.includes(`.SS "${path.join(' ')}"`), path.join(' '))
    for (const { long } of options) assert.ok(plain.includes(long), long)
    for (const example of examples) assert.ok(plain.includes(example.replaceAll('~', '\\(ti')), example)
    for (const each of commands) check(each)
  }
  check(described())
})

test('no text of a command is taken for a request of roff', () => {
  const hostile = { path: ['x'], usage: 'x', description: ".so /etc/passwd\n'br \\fBx", arguments: [] }
  const program = {
    description: '',
    options: [],
    commands: [{ ...hostile, options: [], examples: [], commands: [], summary: '.ex' }],
  }
  const lines = renderManPage(program).split('\n')
  const requests = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0])
  for (const request of requests)
    assert.ok(
      ['.\\"', '.TH', '.SH', '.SS', '.TP', '.PP', '.nf', '.fi', '.RS', '.RE', '.nh', '.ad'].includes(request),
      request,
    )
})

withProgram('groff')('groff formats it without a warning', () => {
  const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z', PAGE], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})

withProgram('mandoc')('mandoc finds nothing but the date, which is left out', () => {
  const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning', PAGE], { encoding: 'utf8' })
  const found = stdout.split('\n').filter((line) => line !== '' && !/missing date/.test(line))
  assert.deepEqual(found, [])
})

withProgram('man')('man shows it without a warning', () => {
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8', MANROFFOPT: '' }
  const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', PAGE], { encoding: 'utf8', env })
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /forge-memory - durable memory for coding agents/)
  // A copied example can be run: no typographic dashes and quotes.
  assert.doesNotMatch(stdout, /[\u2010-\u2015\u2018-\u201d]/)
})

test('the package names the page, and has it', () => {
  const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual(man, ['./man/forge-memory.1'])
  assert.ok(files.includes('man') && files.includes('completions'))
  assert.ok(existsSync(join(root, man[0])))
})
