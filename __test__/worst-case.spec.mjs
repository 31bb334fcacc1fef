// Text from outside that patterns could take for ever to read: blanks, slashes, line ends and words without their end.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ProseServer } from '../dist/openbrain/remote/prose.js'
import { withoutLastSlashes } from '../dist/shared/slashes.js'
import { freshCommand } from './support/command.mjs'

/** Enough to keep a pattern that reads it with the square of its length busy for many minutes. */
const LONG = 2_000_000
/** Far more than reading it once takes. */
const HANG = { timeout: 120_000 }

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
