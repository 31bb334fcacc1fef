import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, memoryRecall, memorySave, recall } from '../index.js'
import { freshMemory, sentenceOf, treeOf } from './support/memory.mjs'

const DAY_MS = 86_400_000
const save = (memory, pattern, fields) => memorySave({ pattern, category: 'convention', ...fields }, memory.options)
const capture = (memory, body, fields) => captureMemory({ type: 'lesson', body, ...fields }, memory.options)
const textsOf = ({ hits }) => hits.map(({ text }) => text)
const find = (memory, query, options) => textsOf(recall(query, { ...memory.options, ...options }))

function writePatterns(path, patterns) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, patterns.map((pattern) => `${JSON.stringify(pattern)}\n`).join(''))
}

const oldPattern = (pattern, fields) => ({
  id: `mem_1763632000000_${pattern.replace(/\W/g, '').slice(0, 8)}`,
  timestamp: '2026-11-20T10:00:00.000Z',
  pattern,
  category: 'test_command',
  confidence: 0.9,
  ...fields,
})

test('the scope says whether project, global or all memory is searched, and is all when none is given', (t) => {
  const memory = freshMemory(t)
  save(memory, 'cache of the project')
  save(memory, 'cache of everybody', { scope: 'global' })
  capture(memory, 'cache that was captured')
  const found = [undefined, 'all', 'project', 'global'].map((scope) => find(memory, 'cache', { scope }).sort())
  const [project, global] = [['cache of the project', 'cache that was captured'], ['cache of everybody']]
  assert.deepEqual(found, [[...global, ...project], [...global, ...project], project, global])
})

test('words are looked for in the text, in the name of the category or type, and in the tags', (t) => {
  const memory = freshMemory(t)
  save(memory, 'alpha one')
  save(memory, 'alpha two', { category: 'test_command' })
  save(memory, 'alpha three', { tags: ['docker-compose'] })
  capture(memory, 'alpha four', { type: 'gotcha' })
  capture(memory, 'alpha five', { tags: ['nightly'] })
  for (const [query, expected] of [
    ['one', 'alpha one'],
    ['test command', 'alpha two'],
    ['test_command', 'alpha two'],
    ['docker', 'alpha three'],
    ['docker-compose', 'alpha three'],
    ['gotcha', 'alpha four'],
    ['NIGHTLY', 'alpha five'],
  ]) {
    assert.deepEqual([query, find(memory, query)], [query, [expected]])
  }
})

test('the block of text has the project first, the surest of equals first in each group, and one line for each entry', (t) => {
  const memory = freshMemory(t)
  writePatterns(memory.patterns, [
    oldPattern('avoid npm test, use pnpm test instead', { confidence: 0.8 }),
    oldPattern('pnpm vitest --run (watch mode hangs in CI)'),
  ])
  const { text, matches } = memoryRecall({ query: 'test command', scope: 'project' }, memory.options)
  const expected = [
    'Found 2 matches in project memory:',
    // It has a word of the query in its text as well: no confidence moves another one before it.
    '[test_command] 0.8 \u2014 avoid npm test, use pnpm test instead (2026-11-20T10:00:00.000Z)',
    '[test_command] 0.9 \u2014 pnpm vitest --run (watch mode hangs in CI) (2026-11-20T10:00:00.000Z)',
  ]
  assert.equal(text, expected.join('\n'))
  assert.deepEqual(
    matches.map(({ scope, confidence }) => [scope, confidence]),
    [
      ['project', 0.8],
      ['project', 0.9],
    ],
  )
  writePatterns(memory.globalPatterns, [oldPattern('a test\nover lines', { confidence: 1 })])
  const all = memoryRecall({ query: 'test command' }, memory.options)
  assert.equal(
    all.text,
    [
      ...expected,
      '',
      'Found 1 match in global memory:',
      '[test_command] 1 \u2014 a test over lines (2026-11-20T10:00:00.000Z)',
    ].join('\n'),
  )
})

test('a confident global entry comes after an uncertain one of the project', (t) => {
  const memory = freshMemory(t)
  save(memory, 'deploy from main', { confidence: 0.1 })
  save(memory, 'deploy from main', { confidence: 0.9, scope: 'global' })
  save(memory, 'deploy from main always', { confidence: 0.5 })
  const { matches } = memoryRecall({ query: 'deploy' }, memory.options)
  assert.deepEqual(
    matches.map(({ scope, confidence }) => [scope, confidence]),
    [
      ['project', 0.5],
      ['project', 0.1],
      ['global', 0.9],
    ],
  )
})

test('without a match there are no entries, and the message names the query', (t) => {
  const memory = freshMemory(t)
  assert.equal(memoryRecall({ query: 'anything' }, memory.options).text, 'No memories found.')
  save(memory, 'pnpm vitest --run')
  const { text, matches } = memoryRecall({ query: 'kubernetes "quoted"' }, memory.options)
  assert.deepEqual([text, matches], ['No matches for "kubernetes "quoted"".', []])
  const outcome = recall('kubernetes', memory.options)
  const message = 'No matches for "kubernetes".'
  assert.deepEqual(outcome, { query: 'kubernetes', hits: [], searched: 1, mode: 'words', message })
})

test('no query is an error', (t) => {
  const memory = freshMemory(t)
  const long = 'word '.repeat(100_000)
  const queries = [
    '',
    ' \t\n ',
    '...',
    '\0',
    '\ud800',
    'x'.repeat(1_000_000),
    long,
    '(((',
    '\\',
    '*',
    undefined,
    null,
    7,
  ]
  for (const isEmpty of [true, false]) {
    if (!isEmpty) save(memory, 'word of advice')
    for (const query of queries) {
      const outcome = recall(query, memory.options)
      assert.deepEqual(textsOf(outcome), !isEmpty && query === long ? ['word of advice'] : [])
      assert.equal(typeof memoryRecall({ query }, memory.options).text, 'string')
    }
  }
  assert.equal(recall('...', memory.options).message, 'The query has no words to search for.')
})

test('short words and words of other scripts are found', (t) => {
  const memory = freshMemory(t)
  const texts = {
    CI: 'use CI for the gate',
    go: 'Go modules need a proxy',
    db: 'reset the DB first',
    ß: 'ß is one letter',
    größe: 'die Größe prüfen',
    キャッシュ: 'ビルド前にキャッシュを消す',
    消す: 'ビルド前にキャッシュを消す',
    кэш: 'перед сборкой очистить кэш',
    캐시: '빌드 전에 캐시 삭제',
    缓存: '构建前清除缓存',
  }
  for (const text of new Set(Object.values(texts))) capture(memory, text)
  for (const [query, text] of Object.entries(texts)) {
    assert.deepEqual([query, find(memory, query)], [query, [text]])
    assert.deepEqual([query, find(memory, query.toUpperCase())], [query, [text]])
  }
})

test('a word is not found inside another one', (t) => {
  const memory = freshMemory(t)
  for (const text of ['start the server', 'the latest release', 'a contestant page']) capture(memory, text)
  for (const query of ['art', 'test', 'erver']) assert.deepEqual([query, find(memory, query)], [query, []])
  assert.deepEqual(find(memory, 'latest.'), ['the latest release'])
})

test('an unknown word is completed or corrected, and the answer says so', (t) => {
  const memory = freshMemory(t)
  for (const text of ['start the server', 'the latest release', 'a contestant page']) capture(memory, text)
  const ask = (query) => recall(query, memory.options)
  for (const [query, word, text] of [
    ['con', 'contestant', 'a contestant page'],
    ['sevrer', 'server', 'start the server'],
  ]) {
    const { hits, corrected, message } = ask(query)
    assert.deepEqual([hits.map((hit) => hit.text), corrected], [[text], [{ word: query, takenFor: [word] }]])
    assert.match(message, new RegExp(word))
  }
  assert.equal('corrected' in ask('server'), false)
})

test('parts of identifiers and inflections are found, ranked after the word itself', (t) => {
  const memory = freshMemory(t)
  capture(memory, 'resetAllMocks goes into beforeEach')
  capture(memory, 'queries are retried with backoff')
  assert.deepEqual(find(memory, 'mocks'), ['resetAllMocks goes into beforeEach'])
  assert.deepEqual(find(memory, 'retry query'), ['queries are retried with backoff'])
})

test('the records with more and rarer words of the query come first, with the words that matched', (t) => {
  const memory = freshMemory(t)
  for (let number = 0; number < 20; number++) capture(memory, `jest runs module ${number} of the suite`)
  capture(memory, 'jest on windows needs a flag')
  capture(memory, 'windows paths are long and want a prefix of their own')
  const { hits } = recall('jest windows', memory.options)
  assert.equal(hits.length, 10)
  assert.deepEqual([hits[0].text, hits[0].matched], ['jest on windows needs a flag', ['jest', 'windows']])
  assert.equal(hits[1].text, 'windows paths are long and want a prefix of their own')
  for (let at = 1; at < hits.length; at++) assert.ok(hits[at - 1].score >= hits[at].score)
})

test('the options limit, types, tags, since and minConfidence each filter', (t) => {
  const memory = freshMemory(t)
  const at = (days) => new Date(Date.now() - days * DAY_MS).toISOString()
  writePatterns(memory.patterns, [
    oldPattern('gate one', { timestamp: at(1), confidence: 0.2 }),
    oldPattern('gate two', { timestamp: at(10), confidence: 0.5, tags: ['a b', 'c'] }),
    oldPattern('gate three', { timestamp: at(100), confidence: 0.9, category: 'tool_usage', tags: ['c'] }),
  ])
  for (const [options, expected] of [
    [{}, ['one', 'two', 'three']],
    [{ types: ['tool_usage'] }, ['three']],
    [{ types: ['tool_usage', 'test_command'] }, ['one', 'two', 'three']],
    [{ types: ['tool'] }, []],
    [{ tags: ['c'] }, ['two', 'three']],
    [{ tags: ['c', 'A B'] }, ['two']],
    [{ tags: ['a'] }, []],
    [{ since: '7d' }, ['one']],
    [{ since: '2w' }, ['one', 'two']],
    [{ since: at(50) }, ['one', 'two']],
    [{ minConfidence: 0.5 }, ['two', 'three']],
    [{ minConfidence: 0.5, since: '2w' }, ['two']],
  ]) {
    const found = find(memory, 'gate', options).map((text) => text.slice(5))
    assert.deepEqual([options, found.sort()], [options, expected.sort()])
  }
  assert.equal(find(memory, 'gate', { limit: 2 }).length, 2)
})

test('a record is kept for a bound in time that it is exactly at', (t) => {
  const memory = freshMemory(t)
  writePatterns(memory.patterns, [
    oldPattern('gate early', { timestamp: '2026-03-31T23:59:59.999Z' }),
    oldPattern('gate exact', { timestamp: '2026-04-01T00:00:00.000Z' }),
  ])
  assert.deepEqual(find(memory, 'gate', { since: '2026-04-01' }), ['gate exact'])
  assert.deepEqual(find(memory, 'gate', { since: '2026-04-01T01:00:00+01:00' }), ['gate exact'])
})

test('copies left by a race of the older tool count as one entry', (t) => {
  const memory = freshMemory(t)
  const copies = ['a1', 'b2', 'c3'].map((end, at) => {
    return oldPattern(at === 1 ? 'PNPM TEST' : 'pnpm test', { id: `mem_1763632000000_${end}` })
  })
  writePatterns(memory.patterns, copies)
  assert.equal(recall('pnpm', memory.options).hits.length, 1)
  assert.equal(memoryRecall({ query: 'pnpm' }, memory.options).matches.length, 1)
})

test('the file that the older tool calls global has the scope global', (t) => {
  const memory = freshMemory(t)
  writePatterns(memory.forge('memory', 'global.jsonl'), [oldPattern('from the older tool')])
  assert.deepEqual(recall('older', { ...memory.options, scope: 'project' }).hits, [])
  const [hit] = recall('older', { ...memory.options, scope: 'global' }).hits
  assert.deepEqual(
    [hit.text, hit.scope, hit.type, hit.source],
    ['from the older tool', 'global', 'test_command', 'memory_save'],
  )
})

test('equal queries get equal answers, and a query changes nothing', (t) => {
  const memory = freshMemory(t)
  assert.deepEqual([recall('vitest', memory.options).hits, treeOf(memory.folder).length], [[], 1])
  save(memory, 'pnpm vitest --run')
  capture(memory, 'vitest hangs in watch mode')
  const ask = () => [
    recall('vitest', memory.options),
    memoryRecall({ query: 'vitest' }, memory.options),
    listMemories(memory.options),
  ]
  const before = treeOf(memory.folder)
  assert.deepEqual(ask(), ask())
  assert.deepEqual(treeOf(memory.folder), before)
})

test('the list has the newest first and says how many there are', (t) => {
  const memory = freshMemory(t)
  writePatterns(
    memory.patterns,
    Array.from({ length: 30 }, (_, at) =>
      oldPattern(`gate ${at}`, {
        id: `mem_${at}`,
        timestamp: new Date(Date.UTC(2026, 0, 1 + ((at * 7) % 30))).toISOString(),
      }),
    ),
  )
  const { entries, total } = listMemories({ ...memory.options, limit: 5 })
  assert.deepEqual(
    [entries.map(({ createdAt }) => createdAt.slice(0, 10)), total],
    [['30', '29', '28', '27', '26'].map((day) => `2026-01-${day}`), 30],
  )
})

test('pages of a list make up the whole of it, without a gap or a repetition', (t) => {
  const memory = freshMemory(t)
  for (let at = 0; at < 60; at += 1) captureMemory({ type: 'lesson', body: sentenceOf(at) }, memory.options)
  for (let at = 0; at < 20; at += 1)
    memorySave({ pattern: sentenceOf(100 + at), category: 'architecture' }, memory.options)
  const whole = listMemories({ ...memory.options, limit: 1000 })
  const pages = Array.from({ length: 9 }, (_, at) => listMemories({ ...memory.options, limit: 10, offset: at * 10 }))
  assert.deepEqual(
    pages.flatMap(({ entries }) => entries.map(({ id }) => id)),
    whole.entries.map(({ id }) => id),
  )
  assert.deepEqual([...new Set(pages.map(({ total }) => total))], [80])
  for (const offset of [-1, 1.5, Number.NaN, 2 ** 33]) {
    assert.throws(() => listMemories({ ...memory.options, offset }), { code: 'INVALID_INPUT' })
  }
})

test('a hit that repeats a better one comes after distinct hits', (t) => {
  const memory = freshMemory(t)
  capture(memory, 'The cache of the gateway must be cleared after every deploy', { type: 'lesson' })
  capture(memory, 'The cache of the gateway must be cleared after every deploy.', { type: 'gotcha' })
  save(memory, 'the cache of the gateway must be cleared after every deploy', { scope: 'global' })
  capture(memory, 'The gateway reads its cache from a volume that the deploy mounts', { type: 'lesson' })
  const query = 'cache of the gateway cleared after deploy'
  const all = recall(query, memory.options).hits
  assert.equal(all.length, 4, 'none is lost')
  assert.match(all[1].text, /volume/)
  assert.ok(all[1].score < all[2].score, 'scores stay what they are')
  const two = find(memory, query, { limit: 2 })
  assert.match(two[0], /cleared/)
  assert.match(two[1], /volume/, 'another record takes the place of the repeated one')
  assert.deepEqual(
    recall(query, memory.options).hits.map(({ id }) => id),
    all.map(({ id }) => id),
  )
})

test('both sides of a contradiction are returned, however similar they are', (t) => {
  const memory = freshMemory(t)
  save(memory, 'The cache of the gateway must be cleared after every deploy')
  save(memory, 'The cache of the gateway must not be cleared after every deploy', { scope: 'global' })
  save(memory, 'The gateway keeps its cache for 20 minutes after a deploy', { category: 'architecture' })
  save(memory, 'The gateway keeps its cache for 30 minutes after a deploy', {
    scope: 'global',
    category: 'architecture',
  })
  save(memory, 'Another fact about the gateway')
  const cleared = find(memory, 'cache of the gateway cleared after deploy', { limit: 2 })
  assert.deepEqual(cleared.map((text) => text.includes(' not ')).sort(), [false, true])
  const minutes = find(memory, 'gateway keeps its cache for minutes after a deploy', { limit: 2 })
  assert.deepEqual(minutes.map((text) => /\d+/.exec(text)[0]).sort(), ['20', '30'])
})

test('highlights are the words of the query in UTF-16 units, and there only when they are asked for', (t) => {
  const memory = freshMemory(t)
  capture(memory, '\u{1f680} Mocking fetchUser in the gateway: mocks of `user_id` leak')
  const [{ text, highlights }] = recall('mocks of the user', { ...memory.options, highlights: true }).hits
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['Mocking', 'User', 'mocks', 'user'],
  )
  assert.equal(recall('mocks', memory.options).hits[0].highlights, undefined)
  assert.throws(() => recall('mocks', { ...memory.options, highlights: 'yes' }), { code: 'INVALID_INPUT' })
})
