import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  buildCaptureTelemetry,
  buildMemoryReport,
  captureMemory,
  diagnose,
  editMemory,
  forget,
  listMemories,
  memoryRecall,
  memorySave,
  memoryStatus,
  recall,
  settleIndex,
  showMemory,
} from '../index.js'
import { freshMemory, treeOf } from './support/memory.mjs'

const HALF = 'half \ud83d of a pair'
const HUGE = 'x'.repeat(5 * 1024 * 1024)
const NO_TEXT = [7, true, {}, ['text'], () => 'text', Symbol('text'), 7n, new Date(0), Buffer.from('text')]
const NO_NUMBER = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '0.5', '', true, {}, [0.5], 1n]
const NO_OBJECT = [null, undefined, 'text', 7, true, [], [{}], () => ({}), Symbol('object'), 7n]
const PATHS = [
  '../../../x',
  '/etc/passwd',
  '..',
  '.',
  'a/b',
  'C:\\x',
  '\\\\host\\share',
  'project/',
  'project\0',
  ' project',
]

const names = (bad, values) => values.map((value) => [bad, value])

/** What a text that is stored refuses, besides other types. */
const badText = (field, limit) => [
  ...names(field, NO_TEXT),
  ...names(field, [
    '',
    ' ',
    '\n\t ',
    '\u3000',
    'nul \0 in it',
    HALF,
    '\udc00',
    HUGE,
    'x'.repeat(limit + 1),
    'é'.repeat(limit / 2 + 1),
  ]),
]
const badName = (field) => [
  ...names(field, NO_TEXT),
  ...names(field, [HALF, 'line\nend', 'nul\0', '\u001b[31m', 'x'.repeat(129), 'é'.repeat(65), HUGE]),
]
const badTags = [
  ...names('tags', [
    'a,b',
    {},
    7,
    true,
    'a',
    new Set(['a']),
    Array(33).fill('a'),
    [''],
    [' '],
    ['x'.repeat(129)],
    ['a\nb'],
    ['\0'],
  ]),
  ...names('tags[1]', [
    ['a', 7],
    ['a', null],
    ['a', ['b']],
    ['a', undefined],
    ['a', HALF],
    ['a', {}],
  ]),
]
const badConfidence = names('confidence', [...NO_NUMBER, -0.1, 1.1, -1, 2, 99, -1e-9, 1.0000001])
const badTime = (field) =>
  names(field, [...NO_TEXT, '', 'tomorrow', '2026-13-01', '2026-02-30', '-1d', '7x', HALF, HUGE])

const CAPTURES = [
  ...badText('body', 64 * 1024),
  ...names('type', [...NO_TEXT, '', ' ', 'two words', '../gotcha', 'a/b', 'a\nb', 'a\0', HALF, 'x'.repeat(129), HUGE]),
  ...badTags,
  ...badConfidence,
  ...names('source', [...NO_TEXT, HALF]),
  ...badName('tool'),
  ...badName('project'),
  ...badName('createdBy'),
  ...names('project', ['', ' ']),
  ...names('createdBy', ['']),
  ...names('expiresAt', [...NO_TEXT, '', 'tomorrow', '2026-13-01', '2026-02-30', HALF]),
  ...names('supersedes', [
    ...NO_TEXT.filter((value) => !Array.isArray(value)),
    '',
    '../x',
    'a b',
    'a/b',
    'x'.repeat(129),
    'a\n',
    HALF,
  ]),
  ...names('supersedes[0]', [[1]]),
  ...names('supersedes', [['mem_1', ''], Array.from({ length: 101 }, () => 'mem_1')]),
]

const SAVES = [
  ...badText('pattern', 1024),
  ...names('category', [
    ...NO_TEXT,
    '',
    'NOT_A_CATEGORY',
    'convention ',
    'lesson',
    HALF,
    HUGE,
    'constructor',
    '__proto__',
  ]),
  ...badConfidence,
  ...names('scope', [...NO_TEXT, ...PATHS, '', 'all', 'Project', 'PROJECT', 'global ', HALF, HUGE]),
  ...badTags,
]

const RECALLS = [
  ...names('scope', [...NO_TEXT, ...PATHS, '', 'Project', HALF]),
  ...names('limit', [...NO_NUMBER, 0, -1, 1.5, 1001, 2 ** 32, 2 ** 53]),
  ...names('minConfidence', [...NO_NUMBER, -0.1, 1.1]),
  ...badTime('since'),
  ...badTime('at'),
  ...names('types', ['lesson', {}, 7]),
  ...names('types[0]', [[7], [null], [HALF]]),
  ...names('tags', ['a', {}]),
  ...names('tags[0]', [[7]]),
  ...names('includeExpired', ['yes', 1, 0, {}, '']),
]

const EDITS = [
  ...badText('body', 64 * 1024),
  ...badTags,
  ...badConfidence,
  ...names('type', ['', 'two words', '../x', 7]),
  ...names('expiresAt', ['', 'tomorrow', 7]),
]

const shown = (value) => {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
  return `${typeof value} ${text.slice(0, 40)}`
}

/** Makes every call, and lists the ones that were not refused with the code and the name of the field. */
function notRefused(cases, call) {
  return cases.flatMap(([field, value]) => {
    try {
      call(field.replace(/\[.*/, ''), value)
      return [`${field}: ${shown(value)} was taken`]
    } catch (error) {
      const isRight = error instanceof Error && error.code === 'INVALID_INPUT' && error.message.startsWith(`${field}: `)
      return isRight ? [] : [`${field}: ${shown(value)}: ${error.code} ${error.message.slice(0, 80)}`]
    }
  })
}

/** A memory with something in it, that must be the same tree when the test is done. */
function settledMemory(t) {
  const memory = freshMemory(t)
  memory.id = captureMemory({ type: 'lesson', body: 'something that is there' }, memory.options).id
  memorySave({ pattern: 'a pattern that is there', category: 'convention' }, memory.options)
  memorySave({ pattern: 'a pattern that is there', category: 'convention', scope: 'global' }, memory.options)
  const before = treeOf(memory.folder)
  memory.assertUntouched = () => assert.deepEqual(treeOf(memory.folder), before)
  return memory
}

test('a capture with a wrong field is refused by the name of the field, and nothing is written', (t) => {
  const memory = settledMemory(t)
  const good = { type: 'lesson', body: 'a good text' }
  const wrong = notRefused(CAPTURES, (field, value) => captureMemory({ ...good, [field]: value }, memory.options))
  assert.deepEqual(wrong, [])
  memory.assertUntouched()
})

test('a save with a wrong field is refused by the name of the field, and nothing is written', (t) => {
  const memory = settledMemory(t)
  const good = { pattern: 'a good text', category: 'convention' }
  const wrong = notRefused(SAVES, (field, value) => memorySave({ ...good, [field]: value }, memory.options))
  assert.deepEqual(wrong, [])
  memory.assertUntouched()
})

test('an edit with a wrong field is refused by the name of the field, and nothing is written', (t) => {
  const memory = settledMemory(t)
  const wrong = notRefused(EDITS, (field, value) => editMemory(memory.id, { [field]: value }, memory.options))
  assert.deepEqual(wrong, [])
  memory.assertUntouched()
})

test('a wrong option of recall and list is refused by its name', (t) => {
  const memory = settledMemory(t)
  for (const call of [(options) => recall('text', options), listMemories]) {
    const wrong = notRefused(RECALLS, (field, value) => call({ ...memory.options, [field]: value }))
    assert.deepEqual(wrong, [])
  }
  const scopes = RECALLS.filter(([field]) => field === 'scope')
  assert.deepEqual(
    notRefused(scopes, (scope, value) => memoryRecall({ query: 'text', [scope]: value }, memory.options)),
    [],
  )
  memory.assertUntouched()
})

test('a required field that is missing, or null, is refused', (t) => {
  const memory = settledMemory(t)
  for (const nothing of [undefined, null]) {
    const capture = { type: 'lesson', body: 'a good text' }
    const save = { pattern: 'a good text', category: 'convention' }
    const missing = ['type', 'body', 'pattern', 'category'].map((field) => [field, nothing])
    const wrong = [
      ...notRefused(missing.slice(0, 2), (field, value) =>
        captureMemory({ ...capture, [field]: value }, memory.options),
      ),
      ...notRefused(missing.slice(2), (field, value) => memorySave({ ...save, [field]: value }, memory.options)),
    ]
    assert.deepEqual(wrong, [])
  }
  memory.assertUntouched()
})

test('a value that is not an object is refused where an object is expected', (t) => {
  const memory = settledMemory(t)
  const calls = {
    capture: (value) => captureMemory(value, memory.options),
    input: (value) => memorySave(value, memory.options),
    changes: (value) => editMemory(memory.id, value, memory.options),
  }
  for (const [name, call] of Object.entries(calls)) {
    const cases = names(name, NO_OBJECT)
    assert.deepEqual(
      notRefused(cases, (_, value) => call(value)),
      [],
    )
  }
  assert.deepEqual(
    notRefused(names('input', NO_OBJECT), (_, value) => memoryRecall(value, memory.options)),
    [],
  )
  memory.assertUntouched()
})

test('options that are not an object, or name no folder, are refused by every function', (t) => {
  const memory = settledMemory(t)
  const file = join(memory.folder, 'file')
  writeFileSync(file, '')
  const calls = [
    (options) => captureMemory({ type: 'lesson', body: 'text' }, options),
    (options) => memorySave({ pattern: 'text', category: 'convention' }, options),
    (options) => memoryRecall({ query: 'text' }, options),
    (options) => editMemory(memory.id, { body: 'text' }, options),
    (options) => forget(memory.id, options),
    (options) => showMemory(memory.id, options),
    (options) => recall('text', options),
    listMemories,
    buildMemoryReport,
    buildCaptureTelemetry,
    memoryStatus,
    diagnose,
    settleIndex,
  ]
  const noObject = names(
    'options',
    NO_OBJECT.filter((value) => value !== undefined),
  )
  const noFolder = names('projectDir', [
    ...NO_TEXT,
    '',
    'a\0b',
    HALF,
    file,
    join(memory.folder, 'none'),
    join(file, 'x'),
  ])
  // A text is the folder there.
  const isFolder = ([, value]) => typeof value === 'string'
  const ofReport = names(
    'projectDir',
    noObject.filter(isFolder).map(([, value]) => value),
  )
  assert.deepEqual(
    notRefused(ofReport, (_, value) => buildMemoryReport(value)),
    [],
  )
  for (const call of calls) {
    const cases = noObject.filter((each) => call !== buildMemoryReport || !isFolder(each))
    assert.deepEqual(
      notRefused(cases, (_, value) => call(value)),
      [],
    )
    assert.deepEqual(
      notRefused(noFolder, (_, value) => call({ projectDir: value })),
      [],
    )
  }
  assert.deepEqual(readdirSync(memory.folder).sort(), ['file', 'home', 'project'])
})

test('an id that is not a text is refused', (t) => {
  const memory = settledMemory(t)
  const cases = names('id', [...NO_TEXT, null, undefined, HALF])
  const calls = [
    (value) => forget(value, memory.options),
    (value) => showMemory(value, memory.options),
    (value) => editMemory(value, { body: 'text' }, memory.options),
  ]
  for (const call of calls) {
    assert.deepEqual(
      notRefused(cases, (_, value) => call(value)),
      [],
    )
  }
  memory.assertUntouched()
})

test('a getter that throws is an error of the call and not of the process', (t) => {
  const memory = settledMemory(t)
  const input = {
    type: 'lesson',
    get body() {
      throw new RangeError('from the getter')
    },
  }
  // Again and again: fields are read in another way from the second call on.
  for (let call = 0; call < 4; call++) assert.throws(() => captureMemory(input, memory.options))
  memory.assertUntouched()
  assert.ok(captureMemory({ type: 'lesson', body: 'after the getter' }, memory.options).captured)
})

test('inherited fields count, however often the object is captured', (t) => {
  const memory = freshMemory(t)
  const kept = { tags: ['nightly'], confidence: 0.25, createdBy: 'tester' }
  class Lesson {
    constructor(body) {
      this.body = body
    }
    get type() {
      return 'lesson'
    }
  }
  const makers = [
    (body) => ({ type: 'lesson', body, ...kept }),
    (body) => Object.assign(Object.create({ type: 'lesson', body }), kept),
    (body) => Object.assign(new Lesson(body), kept),
    (body) => new Proxy({ type: 'lesson', body, ...kept }, {}),
    (body) => Object.assign(Object.create(null), { type: 'lesson', body, ...kept }),
    (body) => Object.freeze({ toolVersion: null, source: undefined, type: 'lesson', content: body, ...kept }),
  ]
  for (let round = 0; round < 3; round++) {
    for (const [at, make] of makers.entries()) {
      const body = `round${round} maker${at}`
      const { thought } = captureMemory(make(body), memory.options)
      const { content, type, tags, confidence, created_by: createdBy } = thought
      assert.deepEqual({ content, type, tags, confidence, createdBy }, { content: body, type: 'lesson', ...kept })
    }
  }
})

test('a text of any length and script is read to its last character', (t) => {
  const memory = freshMemory(t)
  // Each takes the place of the one before, so that none is a repetition of another.
  let before = []
  for (const character of ['a', 'é', '数', '🦀', '\ufffd']) {
    const bytes = Buffer.byteLength(character)
    for (let length = Math.floor(1010 / bytes); length * bytes <= 1034; length++) {
      for (const lead of ['', 'x', 'xy', 'xyz']) {
        const body = lead + character.repeat(length)
        const { id, thought } = captureMemory({ type: 'note', body, supersedes: before }, memory.options)
        assert.equal(thought.content, body)
        before = [id]
      }
    }
  }
})

test('every limit is the first length that is refused, and the one before is taken', (t) => {
  const memory = freshMemory(t)
  const capture = (fields) => captureMemory({ type: 'lesson', body: 'text', ...fields }, memory.options).thought
  assert.equal(Buffer.byteLength(capture({ body: 'é'.repeat(32 * 1024) }).content), 64 * 1024)
  assert.equal(capture({ body: 'tags', tags: Array.from({ length: 32 }, (_, at) => `tag ${at}`) }).tags.length, 32)
  assert.equal(capture({ body: 'long tag', tags: ['x'.repeat(128)] }).tags[0].length, 128)
  assert.equal(capture({ body: 'long type', type: 'x'.repeat(128) }).type.length, 128)
  for (const limit of [1, 1000]) assert.ok(recall('tags', { ...memory.options, limit }).hits.length >= 1)
})

test('absent and null are the same for every field that may be absent', (t) => {
  const memory = freshMemory(t)
  const optional = [
    'source',
    'project',
    'tags',
    'confidence',
    'createdBy',
    'expiresAt',
    'supersedes',
    'tool',
    'content',
  ]
  const nulls = Object.fromEntries(optional.map((field) => [field, null]))
  const { captured, thought } = captureMemory({ type: 'lesson', body: 'text', ...nulls }, memory.options)
  assert.deepEqual([captured, thought.confidence, thought.tags, thought.source], [true, 0.7, [], 'agent'])
  const none = {
    scope: null,
    types: null,
    tags: null,
    limit: null,
    since: null,
    minConfidence: null,
    includeExpired: null,
    at: null,
  }
  assert.equal(recall('text', { ...memory.options, ...none }).hits.length, 1)
})

test('names of the prototype are data like any other', (t) => {
  const memory = freshMemory(t)
  const odd = ['valueOf', 'constructor', 'toString', 'hasOwnProperty']
  for (const type of odd) captureMemory({ type, body: `about ${type}`, tool: type, tags: [type] }, memory.options)
  const { byType } = buildCaptureTelemetry(memory.options)
  for (const type of odd) {
    assert.deepEqual([type, Object.hasOwn(byType, type) && byType[type]], [type, 1])
    assert.equal(recall(type, { ...memory.options, types: [type] }).hits.length, 1)
  }
})
