import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { rolldown } from 'rolldown'
import { cleanText } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { root } from './support/project.mjs'

/** The command line's and the dashboard's own part, as it is bundled. */
async function loadPrintable() {
  const bundle = await rolldown({ input: join(root, 'lib/text/printable.ts') })
  const { output } = await bundle.generate({ format: 'esm' })
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}

const CHARACTERS = 0x110000
/** All letters of living languages, pictographs and marks are below this, or tags. */
const isOfNote = (point) => point < 0x20000 || (point >= 0xe0000 && point < 0xe1000)
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u
/** What may stand on both sides: nothing of note, pictographs, letters that join, a virama, marks that are looked across. */
const NEIGHBOURS = [
  ['', ''],
  ['a', 'b'],
  ['\u{1f469}', '\u{1f4bb}'],
  ['\u{2764}\ufe0f\u200d', '\u200d\u{1f525}'],
  ['\u0645\u06cc', '\u062e'],
  ['\u0628\u200c', '\u200c\u0628'],
  ['\u0628\u200c\u064e', '\u064e\u200c\u0628'],
  ['\u0915\u094d', '\u0937'],
  ['', '\u200d\u0937'],
  ['', '\u200c\u0937'],
  ['', '\ufe0f'],
]

test('the engine and the command line show the same characters, of all that there are', async () => {
  const { printable } = await loadPrintable()
  let escaped = 0
  for (const [before, after] of NEIGHBOURS) {
    for (let first = 0; first < CHARACTERS; first += 0x4000) {
      const points = Array.from({ length: 0x4000 }, (_, at) => first + at)
      const characters = points
        .filter((point) => (before === after || isOfNote(point)) && (point < 0xd800 || point > 0xdfff))
        .map((point) => String.fromCodePoint(point))
        .filter((character) => !CONTROLS.test(character))
      const text = characters.map((character) => `${before}${character}${after}`).join('|')
      const [theirs, ours] = [cleanText(text), printable(text)]
      if (theirs !== ours) {
        const pair = [theirs.split('|'), ours.split('|')]
        const at = pair[0].findIndex((shown, place) => shown !== pair[1][place])
        assert.fail(
          `${JSON.stringify(characters[at])} within ${JSON.stringify([before, after])}: ${pair[0][at]}, ${pair[1][at]}`,
        )
      }
      escaped += ours.split('\\u{').length - 1
    }
  }
  assert.ok(escaped > 4000 * NEIGHBOURS.length, `${escaped}`)
})

/** Of each kind one: zero-width, filler, variation selector, direction, tag, joiner out of place, blank symbol. */
const HIDERS = [
  '\u200b',
  '\u3164',
  '\u{e0100}',
  '\ufe01',
  '\u202e',
  '\u2066',
  '\u{e0041}',
  '\u2060',
  '\u200d',
  '\u2800',
  '\u00ad',
  '\u034f',
  '\u180e',
  '\ufeff',
]
const HIDDEN = new RegExp(`[${HIDERS.join('')}]`, 'u')
const hostile = `Deploy${HIDERS.map((hider, at) => `${hider}${at}`).join('')} with care`
const shown = `Deploy${HIDERS.map((hider, at) => `\\u{${hider.codePointAt(0).toString(16)}}${at}`).join('')} with care`
const KEPT =
  'Family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f and \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'

test('invisible characters are shown as escapes by the command line, in frames, in hints and in exports', (t) => {
  const command = freshCommand(t)
  for (const text of [hostile, KEPT]) {
    const { status, stderr } = command.run(['capture', '--type', 'lesson', '--tag', 'x', text])
    assert.equal(status, 0, stderr)
  }
  for (const args of [
    ['recall', 'deploy care family'],
    ['list'],
    ['sync-memories', '--dry-run'],
    ['export', '--format', 'md'],
  ]) {
    const { stdout } = command.run(args)
    assert.doesNotMatch(stdout.replace(KEPT, ''), HIDDEN, args.join(' '))
  }
  command.run(['sync-memories'])
  const hints = readFileSync(join(command.project, '.github/copilot-memory-hints.md'), 'utf8')
  assert.ok(hints.includes(shown) && hints.includes(KEPT), hints)
  assert.doesNotMatch(hints.replace(KEPT, ''), HIDDEN)
  for (const [format, name] of [
    ['md', 'memory.md'],
    ['jsonl', 'memory.jsonl'],
  ]) {
    command.run(['export', '--format', format, '--output', name])
    const text = readFileSync(join(command.project, name), 'utf8')
    assert.ok(text.includes(KEPT), text)
    assert.doesNotMatch(text.replaceAll(KEPT, ''), HIDDEN)
    const other = freshCommand(t)
    writeFileSync(join(other.project, name), text)
    json(other, ['import', name])
    const texts = json(other, ['list']).entries.map((record) => record.text)
    assert.deepEqual(texts.sort(), [hostile, KEPT].sort(), `${format} keeps what was stored`)
  }
})
