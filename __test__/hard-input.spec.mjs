// The commands of every day, at the edges: nothing, one memory, 20,000, texts that are hard to lay out, and a narrow terminal.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { fits as fitsWidth } from './support/width.mjs'

const COLUMNS = 40
const HARD = {
  'right to left': 'השרת מאזין בפורט 8080 ולא בפורט 9090, מאז שעברנו',
  Arabic: 'الخادم يستمع على المنفذ 8080 منذ الترحيل',
  emoji: '👩‍👩‍👧‍👦 deploys are frozen 🚀🚀🚀 until 🎄, says the 🏳️‍🌈 team',
  Chinese: '数据库的连接池最多二十个连接，超过会排队等待处理，不要增加',
  'one word': 'x'.repeat(300),
  'combining marks': 'e\u0301'.repeat(60),
  lines: 'tab\there\nand a second line\r\nand a third',
  '60 KB': `The ledger ${'is exact and '.repeat(5000)}`.slice(0, 60_000),
}

const line = (number, content, more = {}) =>
  JSON.stringify({
    _v: 1,
    id: `mem_${number.toString(16).padStart(32, '0')}`,
    content,
    project: 'x',
    type: ['lesson', 'gotcha', 'decision'][number % 3],
    source: 's',
    captured_at: new Date(Date.now() - number * 1000).toISOString(),
    tags: [],
    confidence: 0.7,
    ...more,
  })

function withLines(t, lines) {
  const command = freshCommand(t, { COLUMNS: String(COLUMNS) })
  mkdirSync(join(command.project, '.forge'))
  writeFileSync(join(command.project, '.forge', 'memory-captures.jsonl'), lines.map((one) => `${one}\n`).join(''))
  return command
}

/** Runs a command that must end well, on a page that nobody has to scroll for long. */
function shown(command, ...args) {
  const { status, stdout, stderr } = command.run(args)
  assert.deepEqual([args, status, stderr], [args, 0, ''])
  assert.ok(stdout.split('\n').length < 250, `${args.join(' ')}: ${stdout.split('\n').length} lines`)
  return stdout
}

/** What is laid out fits; a word that is wider stays whole, and is left to the terminal. */
function fits(text, what) {
  const wide = text.split('\n').filter((one) => !fitsWidth(one, COLUMNS))
  assert.deepEqual(wide, [], what)
}

test('with nothing stored, every command says so, and nothing fails but what needs a memory', (t) => {
  const command = freshCommand(t, { COLUMNS: String(COLUMNS) })
  assert.match(shown(command, 'list'), /^Nothing is stored yet/)
  // An empty answer says how to begin.
  assert.match(shown(command, 'find', 'ledger'), /^No memories found.\n\nNothing is stored yet: forge-memory add /)
  assert.match(shown(command, 'review'), /^Nothing waits for a review/)
  assert.match(shown(command, 'status', '--today'), /^Learned: nothing/)
  assert.match(shown(command, 'doctor'), /^0 problems, \d warnings?\.$/m)
  for (const args of [['show', 'abcdef'], ['edit', 'abcdef', 'x'], ['forget', 'abcdef'], ['undo']]) {
    const { status, stdout, stderr } = command.run(args)
    assert.deepEqual([args, status, stdout], [args, 1, ''])
    assert.match(stderr, /^error: [\s\S]*\(NOT_FOUND\)\nhint: forge-memory /)
  }
})

test('one memory is one memory', (t) => {
  const command = withLines(t, [line(1, 'The only one there is')])
  assert.match(shown(command, 'find', 'only'), /1 hit in 1 memory\n$/)
  assert.match(shown(command, 'doctor').replace(/\s+/g, ' '), /1 memory, 0 of them/)
  assert.match(shown(command, 'list'), /The only one th…/)
})

test('texts in every script and of every length are added, found, listed, shown, edited, forgotten and back', (t) => {
  const command = freshCommand(t, { COLUMNS: String(COLUMNS) })
  const texts = () =>
    json(command, ['list'])
      .entries.map(({ text }) => text)
      .sort()
  for (const [what, text] of Object.entries(HARD)) {
    const { id } = json(command, ['add', '-t', 'lesson', '-'], { input: text })
    const query = text.split(/\s/).slice(0, 3).join(' ')
    fits(shown(command, 'find', query), `find ${what}`)
    assert.equal(json(command, ['find', query]).hits[0].id, id, what)
    const { status, stdout } = command.run(['show', id])
    assert.equal(status, 0)
    fits(stdout, `show ${what}`)
    assert.equal(json(command, ['show', id]).entry.text, text.trim(), what)
    const before = texts()
    const edited = json(command, ['edit', id, `${text.slice(0, 30)} and something else`]).id
    shown(command, 'forget', edited)
    shown(command, 'undo')
    shown(command, 'undo')
    assert.deepEqual(texts(), before, what)
  }
  for (const args of [['list'], ['status'], ['status', '--today'], ['doctor'], ['report']])
    fits(shown(command, ...args), args.join(' '))
  assert.equal(json(command, ['list']).total, Object.keys(HARD).length)
})

test('what waits for a review is laid out as well', (t) => {
  const command = freshCommand(t, { COLUMNS: String(COLUMNS) })
  writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
  for (const input of Object.values(HARD)) {
    const { status, stderr } = command.run(['add', '-t', 'lesson', '-'], { input, env: { CLAUDECODE: '1' } })
    assert.deepEqual([status, stderr], [0, ''])
  }
  fits(shown(command, 'review', '--list'), 'review')
  assert.match(shown(command, 'review', '--list'), /more lines; forge-memory show ID/)
})

test('among 20,000 memories the pages stay short, and what expires soon is found among the oldest', (t) => {
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const reasons = ['timeouts', 'locks', 'retries', 'quotas']
  const command = withLines(
    t,
    Array.from({ length: 20_000 }, (_, at) =>
      line(at + 1, `Service s${at % 97} failed at step k${at} because of ${reasons[at % 4]}`, {
        // The oldest one of all.
        ...(at === 19_999 ? { expiresAt: soon } : {}),
      }),
    ),
  )
  for (const args of [['list'], ['find', 'service', 'quotas'], ['status'], ['doctor'], ['report']])
    fits(shown(command, ...args), args.join(' '))
  const today = shown(command, 'status', '--today')
  assert.match(today, /^Learned: 20000\n/)
  assert.match(today, /and 19980 more; --json lists all/)
  assert.match(today, /Expiring within 14 days: 1 \(forge-memory keep --expiring renews them\)\n/)
  assert.match(shown(command, 'show', '1'.padStart(32, '0')), /Service s0 failed at step k0 /)
})
