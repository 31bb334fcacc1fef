// Text from outside that patterns could take for ever to read: blanks, slashes, line ends and words without their end.
import assert from 'node:assert/strict'
import test from 'node:test'
import { findCommandMarks, findMarks } from '../dist/hooks/marks.js'
import { ProseServer } from '../dist/openbrain/remote/prose.js'
import { withoutLastSlashes } from '../dist/shared/slashes.js'
import { freshCommand } from './support/command.mjs'

/** Enough to keep a pattern that reads it with the square of its length busy for many minutes. */
const LONG = 2_000_000
/** Far more than reading it once takes. */
const HANG = { timeout: 120_000 }

test('marks are found after any number of blanks', HANG, async () => {
  const blanks = ' '.repeat(LONG)
  assert.deepEqual(await findMarks(`${blanks}x\n- [remember:gotcha] one\n${blanks}[remember] two`), [
    { type: 'gotcha', body: 'one' },
    { type: 'lesson', body: 'two' },
  ])
  assert.deepEqual(await findMarks(`[remember] ${blanks}\r${blanks}`), [])
})

test('marks are found in Markdown that never ends a thing', HANG, async () => {
  const mark = '\n\n[remember] found'
  for (const part of [
    '> ',
    '- ',
    '[',
    '*a **b ',
    '`a``b',
    '<a ',
    '<!-- ',
    '```\n',
    '[a]: b\n',
    '<div>\n',
    '| ',
    '&#',
    '\\',
  ]) {
    const marks = await findMarks(part.repeat(LONG / 10 / part.length) + mark)
    assert.ok(marks.length <= 1, part)
    assert.ok((await findMarks(`${mark}${part.repeat(LONG / 10 / part.length)}`)).length <= 1, part)
  }
  const deep = Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')
  assert.ok((await findMarks(`${deep}${mark}`)).length <= 1)
  const lists = Array.from({ length: 40 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')
  assert.deepEqual(await findMarks(`${lists}\n\n# x${mark}`), [{ type: 'lesson', body: 'found' }])
  assert.deepEqual(findCommandMarks(`${'"'.repeat(LONG)}\n# [remember] found`), [{ type: 'lesson', body: 'found' }])
})

test('prose of a server is read once', HANG, async () => {
  const ends = '\n'.repeat(LONG)
  const trailer = '[forge-memory {"project":"shop"}]'
  const answers = [
    `--- Result 1 ---\nfact\n\nfirst${ends}x ${trailer}\n--- Result 2 ${'-'.repeat(LONG)}x\n--- Result 2 ---\nfact\n\nsecond${ends}${trailer}`,
    'total '.repeat(LONG / 4),
    'Total thoughts: 41 of 50',
  ]
  const server = new ProseServer({ call: async () => answers.shift(), close: async () => undefined }, [])
  const found = await server.search({ text: 'x', limit: 2 })
  assert.equal(found.length, 2)
  assert.deepEqual([found[1].content, found[1].project], ['second', 'shop'])
  assert.equal(await server.count(), 0)
  assert.equal(await server.count(), 41)
})

test('slashes and line ends within a text are passed once', HANG, (t) => {
  assert.equal(withoutLastSlashes(`${'/'.repeat(LONG)}x//`), `${'/'.repeat(LONG)}x`)
  const command = freshCommand(t)
  const input = `${'\n'.repeat(LONG / 4)}x\r\n\n`
  const { status, stderr } = command.run(['capture', '-', '--type', 'lesson'], { input })
  assert.equal(status, 2)
  assert.match(stderr, /65536 are allowed/)
})
