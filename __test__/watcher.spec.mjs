import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Hub } from '../dist/hub/index.js'
import { buildWatcherSearchPrompt, listMemories } from '../dist/index.js'
import { createWatcher } from '../dist/watcher/index.js'
import { freshMemory } from './support/memory.mjs'
import { until } from './support/waiting.mjs'

const DEBOUNCE_MS = 60
/** Windows has neither FIFOs nor links without a privilege. */
const NO_FIFO = process.platform === 'win32'

/** Makes a project with rules in its settings and a watcher at work. */
async function freshWatcher(t, rules, { prepare = () => undefined, ...options } = {}) {
  const memory = freshMemory(t)
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ watch: { rules } }))
  const put = (path, text) => {
    mkdirSync(join(memory.project, path, '..'), { recursive: true })
    writeFileSync(join(memory.project, path), text)
  }
  prepare(put, memory)
  const watcher = await createWatcher({ projectDir: memory.project, debounceMs: DEBOUNCE_MS, ...options })
  t.after(() => watcher.close())
  return { memory, watcher, put }
}

const textsOf = (memory) =>
  listMemories({ ...memory.options, limit: 100 })
    .entries.map(({ text }) => text)
    .sort()

test('a change that matches a rule is captured with the source of the rule', async (t) => {
  const rule = {
    name: 'adr',
    glob: 'docs/adr/**/*.md',
    type: 'decision',
    body: 'Decided in {file}: {content}',
    tags: ['adr'],
  }
  const { memory, watcher, put } = await freshWatcher(t, [rule])
  put('docs/adr/deep/0001-postgres.md', '# Use PostgreSQL')
  put('docs/other.md', 'no rule is about this')
  await until(() => watcher.state().captures === 1, 'a capture')
  const { entries } = listMemories(memory.options)
  assert.deepEqual(
    entries.map(({ text, type, source, tags }) => ({ text, type, source, tags })),
    [{ text: 'Decided in 0001-postgres.md: # Use PostgreSQL', type: 'decision', source: 'watcher/adr', tags: ['adr'] }],
  )
})

test('a burst of the same change becomes one record', async (t) => {
  const { memory, watcher, put } = await freshWatcher(t, [{ name: 'src', glob: '**/*.ts' }])
  put('src/a.ts', '0')
  for (let count = 1; count < 30; count += 1) {
    appendFileSync(join(memory.project, 'src/a.ts'), String(count))
    // The file system is heard in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
  // How many captures a burst makes depends on how long its pauses are on this machine; they are of one record.
  await until(() => watcher.state().captures >= 1, 'a capture')
  put('src/a.ts', 'later')
  await until(() => textsOf(memory).includes('change: src/a.ts'), 'a second record')
  const before = watcher.state().captures
  put('src/a.ts', 'and later')
  await until(() => watcher.state().captures > before, 'one more capture')
  assert.deepEqual(textsOf(memory), ['add: src/a.ts', 'change: src/a.ts'])
})

test('ignored files and the memory itself are not watched', async (t) => {
  const { memory, watcher, put } = await freshWatcher(t, [{ name: 'all', glob: '**' }], {
    prepare: (put, { project }) => {
      spawnSync('git', ['init', '-q'], { cwd: project })
      put('.gitignore', 'build/\n*.log\n!keep.log\n')
      put('src/.gitignore', 'generated.ts\n')
      put('.git/info/exclude', 'private.txt\n')
    },
  })
  for (const path of ['build/a.js', 'a.log', 'src/generated.ts', 'private.txt', 'node_modules/x/i.js', '.git/HEAD2']) {
    put(path, 'x')
  }
  put('keep.log', 'x')
  put('src/other.ts', 'x')
  await until(() => watcher.state().captures >= 2, 'two captures')
  // What was written before is handled before.
  put('src/last.ts', 'x')
  await until(() => textsOf(memory).includes('add: src/last.ts'), 'the last one')
  assert.deepEqual(textsOf(memory), ['add: keep.log', 'add: src/last.ts', 'add: src/other.ts'])
})

test('a rule only matches its events', async (t) => {
  const rules = [
    { name: 'gone', glob: 'docs/*.md', events: ['unlink'] },
    { name: 'seen', glob: 'docs/*.txt', events: ['add'] },
  ]
  const { memory, put } = await freshWatcher(t, rules, { prepare: (put) => put('docs/a.md', 'x') })
  put('docs/a.md', 'changed')
  put('docs/b.md', 'new')
  // What was written before is handled before.
  put('docs/last.txt', 'x')
  await until(() => textsOf(memory).includes('add: docs/last.txt'), 'the last one')
  rmSync(join(memory.project, 'docs/a.md'))
  await until(() => textsOf(memory).length > 1, 'a capture')
  assert.deepEqual(textsOf(memory), ['add: docs/last.txt', 'unlink: docs/a.md'])
})

test('the search prompt goes out with the event', async (t) => {
  // Made first: the events of a project count for the home that is set when they are written.
  const other = freshMemory(t)
  const { memory, put } = await freshWatcher(t, [])
  const hub = new Hub({ projectDir: memory.project })
  t.after(() => hub.close())
  const heard = []
  hub.on('watcher-captured', (event) => heard.push(event))
  const rules = [{ name: 'adr', glob: '*.md', body: '{prompt}' }]
  const watcher = await createWatcher({ projectDir: other.project, rules, hub, debounceMs: DEBOUNCE_MS })
  t.after(() => watcher.close())
  put('ignored.md', 'of another project')
  writeFileSync(join(other.project, 'a.md'), 'x')
  await until(() => heard.length === 1, 'an event')
  const [{ rule, path, event, id, prompt }] = heard
  assert.deepEqual([rule, path, event], ['adr', 'a.md', 'add'])
  assert.equal(prompt, buildWatcherSearchPrompt({ rule, event, path }, 'project'))
  assert.match(prompt, /search_thoughts with query "watcher adr add a\.md", project "project", limit 5/)
  const [entry] = listMemories(other.options).entries
  assert.deepEqual([entry.id, entry.text], [id, prompt])
})

test('rules are read again when the settings change, and a wrong one does not spoil the others', async (t) => {
  const { memory, watcher, put } = await freshWatcher(t, [])
  assert.deepEqual([watcher.state().running, watcher.state().rules], [false, 0])
  const rules = [{ name: 'Bad Name', glob: '*' }, { name: 'ok', glob: 'notes/*.md' }, { name: 'out', glob: '../x' }, 7]
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ watch: { rules } }))
  await until(() => watcher.state().running, 'the new rules')
  assert.deepEqual([watcher.state().rules, watcher.state().problems.length], [1, 3])
  put('notes/a.md', 'x')
  await until(() => watcher.state().captures === 1, 'a capture')
})

test('one of two watchers of a project is active, and the other takes over', async (t) => {
  const { memory, watcher, put } = await freshWatcher(t, [{ name: 'src', glob: '*.txt' }])
  const second = await createWatcher({ projectDir: memory.project, debounceMs: DEBOUNCE_MS })
  t.after(() => second.close())
  assert.deepEqual([watcher.state().running, second.state().standby], [true, true])
  put('a.txt', 'x')
  await until(() => watcher.state().captures === 1, 'a capture')
  await watcher.close()
  await until(() => second.state().running, 'the second one')
  put('b.txt', 'x')
  await until(() => second.state().captures === 1, 'another capture')
  assert.deepEqual(textsOf(memory), ['add: a.txt', 'add: b.txt'])
})

test('patterns and ignore files with exponential backtracking are matched at once', async (t) => {
  const stars = `${'*a'.repeat(20)}b`
  const rules = [
    { name: 'endless', glob: `${stars}.txt` },
    { name: 'all', glob: '**/*.txt' },
  ]
  const { memory, put } = await freshWatcher(t, rules, {
    prepare: (put) => put('.gitignore', `${'*a'.repeat(40)}b\nignored*\n`),
  })
  put(`${'a'.repeat(200)}.txt`, 'new')
  put('ignored.txt', 'new')
  await until(() => textsOf(memory).length === 1, 'a capture')
  assert.deepEqual(textsOf(memory), [`add: ${'a'.repeat(200)}.txt`])
})

test('the content of a link or a FIFO is not captured, and reading it does not block', async (t) => {
  if (NO_FIFO) return
  const outside = freshMemory(t)
  writeFileSync(join(outside.project, 'secret'), 'outside of the project')
  const rule = { name: 'notes', glob: '*.txt', body: '{file}: {content}.' }
  const { memory, put } = await freshWatcher(t, [rule])
  symlinkSync(join(outside.project, 'secret'), join(memory.project, 'link.txt'))
  execFileSync('mkfifo', [join(memory.project, 'pipe.txt')])
  put('large.txt', 'x'.repeat(64 * 1024))
  put('plain.txt', 'words')
  await until(() => textsOf(memory).includes('plain.txt: words.'), 'a capture')
  const large = textsOf(memory).find((text) => text.startsWith('large'))
  assert.ok(large === undefined || large.length <= 8 * 1024 + 20)
  assert.ok(textsOf(memory).every((text) => !text.includes('outside')))
})

test('patterns that would be read in another way than they are meant are refused', async (t) => {
  const { project } = freshMemory(t)
  for (const glob of ['+(a|b).md', '!(a).md', 'a[', `${'a'.repeat(2000)}`])
    await assert.rejects(createWatcher({ projectDir: project, rules: [{ name: 'x', glob }] }), {
      code: 'INVALID_INPUT',
    })
})

test('rules that are handed in must be right', async (t) => {
  const { project: projectDir } = freshMemory(t)
  for (const rule of [
    null,
    {},
    { name: 'a' },
    { name: 'A', glob: '*' },
    { name: 'a/b', glob: '*' },
    { name: 'a', glob: [] },
    { name: 'a', glob: '/etc/*' },
    { name: 'a', glob: '../*' },
    { name: 'a', glob: 'x/../../y' },
    { name: 'a', glob: '*', events: ['rename'] },
    { name: 'a', glob: '*', body: '' },
    { name: 'a', glob: '*', tags: 'x' },
  ]) {
    await assert.rejects(createWatcher({ projectDir, rules: [rule] }), { code: 'INVALID_INPUT' }, JSON.stringify(rule))
  }
})
