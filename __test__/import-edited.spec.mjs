// An export in Markdown that a person or an editor has changed: every line of it is accounted for, and nothing comes back unasked.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, exportMemory, forget, importMemory, listReview, verifyMemory } from '../dist/index.js'
import { freshCommand } from './support/command.mjs'
import { freshMemory, isWindows } from './support/memory.mjs'

const TEXTS = [
  'Redis is the cache',
  'Port 80\n\n  with blanks  \nat its ends',
  '<!-- x is kept as it is',
  'Tabs, not spaces',
]

/** A memory of these texts, and its export as Markdown. */
function filled(t, texts = TEXTS) {
  const memory = freshMemory(t)
  const ids = texts.map((body) => captureMemory({ type: 'decision', body }, person(memory)).id)
  return { ...memory, ids, page: exportMemory({ ...memory.options, format: 'md' }).text }
}

const person = ({ options }) => ({ ...options, author: 'person', session: 'person:ann' })

function take(memory, page, options = memory.options) {
  const path = join(memory.project, 'page.md')
  writeFileSync(path, page)
  return importMemory(path, options)
}

const counts = ({ read, imported, duplicates, lost }) => [read, imported, duplicates, lost]
const textsOf = ({ options }) =>
  exportMemory({ ...options, includeExpired: true })
    .text.trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line).content)

const rawLog = ({ project }) => readFileSync(join(project, '.forge', 'memory-captures.jsonl'), 'utf8')

test('line ends of another system and blanks that an editor removed are no edit', (t) => {
  const memory = filled(t)
  const before = rawLog(memory)
  for (const page of [
    memory.page.replaceAll('\n', '\r\n'),
    memory.page.replaceAll(/[ \t]+$/gm, ''),
    memory.page.replaceAll(/[ \t]*$/gm, ' \r'),
  ]) {
    assert.deepEqual(counts(take(memory, page)), [4, 0, 4, 0])
    const other = freshMemory(t)
    assert.deepEqual(counts(take(other, page, person(other))), [4, 4, 0, 0])
    assert.deepEqual(
      exportMemory({ ...other.options, format: 'md' })
        .text.split('\n')
        .slice(2),
      memory.page.split('\n').slice(2),
    )
    assert.equal(verifyMemory(other.options).coverage, 1)
  }
  assert.equal(rawLog(memory), before)
})

test('a text that was taken off the page is no record, and its line is named', (t) => {
  const memory = filled(t)
  const page = memory.page.replace(/^- Redis.*\n/m, '')
  const at = page.split('\n').findIndex((line) => line.includes(memory.ids[0])) + 1
  const outcome = take(memory, page)
  assert.deepEqual([counts(outcome), outcome.inConflict], [[3, 0, 3, 0], 0])
  assert.deepEqual([outcome.unreadable, outcome.unreadableLines], [1, [at]])
})

test('lines that were added to a text or removed from it are an edit of it, and of it alone', (t) => {
  const memory = filled(t, ['One\nTwo\nThree', 'Another'])
  assert.deepEqual(counts(take(memory, memory.page.replace('  Two\n', ''), person(memory))), [2, 1, 1, 0])
  assert.ok(textsOf(memory).includes('One\nThree'))
  const longer = memory.page.replace('  Two\n', '  Two\n  Two and a half\n')
  assert.deepEqual(counts(take(memory, longer, person(memory))), [2, 1, 1, 0])
  assert.ok(textsOf(memory).includes('One\nTwo\nTwo and a half\nThree'))
})

test('a text that a person adds to the page is stored, and prose is named', (t) => {
  const memory = filled(t)
  const added = memory.page
    .replace('- Redis is the cache\n', '- Redis is the cache\n- The queue is a file\n  of lines\n')
    .concat('\nRemember the milk.\n')
  const outcome = take(memory, added)
  assert.deepEqual(counts(outcome), [5, 1, 4, 0])
  assert.deepEqual(outcome.unreadableLines, [added.trimEnd().split('\n').length])
  const record = rawLog(memory)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ id }) => id === outcome.ids[0])
  assert.deepEqual(
    [record.content, record.type, record.author],
    ['The queue is a file\nof lines', 'decision', 'import'],
  )
  assert.deepEqual(counts(take(memory, added)), [5, 0, 5, 0])
})

test('a changed text brings nothing back that was ended here, unless a person imports it', (t) => {
  const memory = filled(t)
  const changed = memory.page.replace('- Redis is the cache', '- Redis is the best cache')
  forget(memory.ids[0], person(memory))
  const asked = take(memory, changed)
  assert.deepEqual([asked.imported, asked.proposed], [1, 1])
  assert.ok(!textsOf(memory).includes('Redis is the best cache'))
  assert.deepEqual(
    listReview(memory.options).map(({ id }) => id),
    asked.ids,
  )
  const again = memory.page.replace('- Redis is the cache', '- Redis is the only cache')
  assert.deepEqual(take(memory, again, person(memory)).proposed, 0)
  assert.ok(textsOf(memory).includes('Redis is the only cache'))
})

test('the text of a memory that a person has forgotten waits, whatever file brings it', (t) => {
  const memory = filled(t)
  forget(memory.ids[0], person(memory))
  const path = join(memory.folder, 'theirs.jsonl')
  writeFileSync(path, `${JSON.stringify({ id: 'theirs', content: TEXTS[0], type: 'decision' })}\n`)
  assert.deepEqual([importMemory(path, memory.options).proposed, textsOf(memory).includes(TEXTS[0])], [1, false])
})

test('every line of JSON Lines without a record is counted and named', (t) => {
  const command = freshCommand(t)
  const path = join(command.folder, 'odd.jsonl')
  const lines = [
    '{"content":"Ports are odd","type":"fact"}',
    '{"content":""}',
    '',
    '{"content":{"a":1}}',
    'no JSON',
    '[1]',
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  const { stdout } = command.run(['import', path])
  assert.match(stdout, /1 read, 1 new, 0 duplicates, 0 lost\.\n4 lines of the source contained no record: 2, 4, 5, 6\./)
})

test('what is no file is refused with what to do instead', (t) => {
  // It has no FIFOs.
  if (isWindows) return
  const command = freshCommand(t)
  const path = join(command.folder, 'pipe.jsonl')
  execFileSync('mkfifo', [path])
  const { status, stderr } = command.run(['import', path])
  assert.notEqual(status, 0)
  assert.match(stderr, /is neither a file nor a folder.*\n.*write what it contains to a file, and import that one/)
})
