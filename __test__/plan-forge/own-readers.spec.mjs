// What Plan Forge's own readers find (its search, timeline, SDK and checks): the files that they read are read here as they do it.
import assert from 'node:assert/strict'
import test from 'node:test'
import { compactMemory, editMemory, forget, migrateMemory, recall, verifyMemory } from 'forge-memory'
import {
  buildMemoryReport,
  captureMemory,
  createHub,
  readLocalThoughts,
  searchLocalThoughts,
} from 'forge-memory/plan-forge'
import { CAPTURES, freshProject, OLDER_LOG, olderThought, warnings } from '../support/plan-forge.mjs'
import { shownOf } from '../support/plan-forge-readers.mjs'

const EVENTS = '.forge/hub-events.jsonl'
const contentsIn = (project) => project.lines(OLDER_LOG).map(({ content }) => content)
const capture = (project, content, fields = {}) =>
  captureMemory({ content, type: 'gotcha', source: 'forge_sweep', cwd: project.cwd, ...fields })
const foundIn = async (project, query) =>
  (await searchLocalThoughts(query, { cwd: project.cwd })).hits.map(({ snippet }) => snippet)

test('a capture stands in the log of the older tool as well, once, with its fields', (t) => {
  const project = freshProject(t)
  project.write('.forge.json', { projectName: 'shop' })
  const { thought } = capture(project, 'Gate needs --runInBand on Windows')
  assert.equal(capture(project, 'Gate needs --runInBand on Windows').deduped, true)
  const {
    _v,
    content,
    project: name,
    type,
    source,
    created_by,
    captured_at,
    expiresAt,
    id,
    ...rest
  } = project.lines(OLDER_LOG)[0]
  assert.equal(project.lines(OLDER_LOG).length, 1)
  assert.deepEqual(
    [_v, content, name, type, source, created_by],
    [1, 'Gate needs --runInBand on Windows', 'shop', 'gotcha', 'forge_sweep', 'liveguard-auto'],
  )
  assert.deepEqual([captured_at, expiresAt, id, rest], [thought.captured_at, thought.expiresAt, thought.id, {}])
  assert.equal(project.text(OLDER_LOG).endsWith('}\n'), true)
})

test('search, timeline, SDK and check of the older tool lose nothing by a capture, a migration and a broadcast', async (t) => {
  const project = freshProject(t)
  const at = (minute) => `2026-11-20T10:0${minute}:00.000Z`
  project.append(OLDER_LOG, ...[2, 1].map((n) => olderThought(`Gate ${n} is slow`, { captured_at: at(n) })))
  // Its guard writes lines of another shape into the same log.
  project.append(OLDER_LOG, {
    _v: 1,
    capturedAt: at(3),
    type: 'gotcha',
    source: 'teardown-guard',
    content: 'Gate 3 tore',
    tags: [],
  })
  const events = [1, 2].map((n) => ({ version: '1.0', timestamp: at(n), type: `slice-${n}` }))
  project.append(EVENTS, ...events)
  const before = shownOf(project, 'Gate')
  assert.deepEqual(before.search, ['mem-0 Gate 2 is slow', 'mem-1 Gate 1 is slow', 'mem-2 Gate 3 tore'])

  capture(project, 'Gate 4 needs a lock')
  const captured = shownOf(project, 'Gate')
  const more = (list, ...last) => [...list, ...last]
  assert.deepEqual(captured.search, more(before.search, 'mem-3 Gate 4 needs a lock'))
  assert.deepEqual(captured.thoughts, more(before.thoughts, 'Gate 4 needs a lock'))
  assert.deepEqual(captured.memory.slice(0, -1), before.memory)
  assert.equal(captured.checked, before.checked + 1)
  assert.deepEqual(
    captured.events.map(([, type]) => type),
    ['slice-1', 'slice-2', 'memory-captured'],
  )

  migrateMemory(project.options)
  assert.deepEqual(shownOf(project, 'Gate'), captured)
  const hub = await createHub({ port: 0, cwd: project.cwd })
  t.after(() => hub.close())
  hub.broadcast({ type: 'slice-5' })
  const { events: all, ...rest } = shownOf(project, 'Gate')
  assert.deepEqual({ ...rest, events: all.slice(0, -1) }, captured)
  assert.equal(all.at(-1)[1], 'slice-5')
})

test('a line that the older tool has left incomplete stays by itself', (t) => {
  const project = freshProject(t)
  project.write(OLDER_LOG, '{"torn":')
  capture(project, 'one')
  assert.match(project.text(OLDER_LOG), /^\{"torn":\n\{"_v":1,"content":"one"/)
})

test('a secret reaches neither log', (t) => {
  const project = freshProject(t)
  capture(project, 'my password for staging is Tr0ub4dor&3')
  for (const file of [OLDER_LOG, CAPTURES]) assert.doesNotMatch(project.text(file), /Tr0ub4dor/, file)
})

test('a log that cannot be written is a warning, and the thought is stored', async (t) => {
  const project = freshProject(t)
  project.write(`${OLDER_LOG}/inside`, 'a folder in its place')
  let answer
  const said = await warnings(() => {
    answer = capture(project, 'one')
  })
  assert.equal(answer.captured, true)
  assert.match(said.join('\n'), /liveguard-memories\.jsonl lacks a captured thought/)
})

test('our readers count such a thought once, and nothing has to be migrated', async (t) => {
  const project = freshProject(t)
  capture(project, 'Retry the queue after a minute')
  project.append(OLDER_LOG, olderThought('Their gate retries twice'))
  const texts = (sources) => readLocalThoughts(project.cwd, sources && { sources }).map(({ content }) => content)
  const both = ['Retry the queue after a minute', 'Their gate retries twice']
  assert.deepEqual(texts(undefined), both)
  assert.deepEqual(texts(['liveguard-memories.jsonl']), both)
  assert.deepEqual(await foundIn(project, 'retry queue minute'), ['Retry the queue after a minute'])
  assert.deepEqual(buildMemoryReport(project.cwd).unmigrated, ['liveguard-memories.jsonl'])
  const ours = freshProject(t)
  capture(ours, 'one')
  assert.deepEqual(buildMemoryReport(ours.cwd).unmigrated, [])
  assert.doesNotMatch(recall('nothing', ours.options).message, /Not searched/)
})

test('what was forgotten is in no answer of ours, and a compaction takes it from the log of the older tool', (t) => {
  const project = freshProject(t)
  const { thought } = capture(project, 'Retry the queue after a minute')
  capture(project, 'The gate is slow')
  forget(thought.id, project.options)
  assert.deepEqual(
    readLocalThoughts(project.cwd, { sources: ['liveguard-memories.jsonl'] }).map(({ content }) => content),
    ['The gate is slow'],
  )
  compactMemory(project.options)
  assert.deepEqual(contentsIn(project), ['The gate is slow'])
  // The tombstone is left: the copy of a backup is not imported again.
  project.append(OLDER_LOG, { ...olderThought('Retry the queue after a minute'), id: thought.id })
  migrateMemory(project.options)
  assert.deepEqual(recall('queue', project.options).hits, [])
})

test('a migration leaves the thoughts where the older tool finds them, and happens once', async (t) => {
  const project = freshProject(t)
  const texts = ['Cache keys need versions', 'Prices are cents', 'Gates run slowly']
  project.append(OLDER_LOG, ...texts.map((text) => olderThought(text)))
  const dry = migrateMemory({ ...project.options, dryRun: true })
  assert.equal(dry.files.find(({ name }) => name === 'liveguard-memories.jsonl').changed, 3)
  migrateMemory(project.options)
  assert.deepEqual(contentsIn(project), texts)
  assert.ok(project.lines(OLDER_LOG).every(({ id, project: name }) => /^mem_/.test(id) && name === 'shop'))
  const before = project.text(OLDER_LOG)
  const again = migrateMemory(project.options)
  assert.deepEqual([again.changed, again.backup], [0, undefined])
  assert.equal(project.text(OLDER_LOG), before)
  assert.deepEqual(buildMemoryReport(project.cwd).unmigrated, [])
  for (const text of texts) assert.deepEqual(await foundIn(project, text), [text])
  // The older tool goes on.
  project.append(OLDER_LOG, olderThought('Later'))
  assert.deepEqual(buildMemoryReport(project.cwd).unmigrated, ['liveguard-memories.jsonl'])
  migrateMemory(project.options)
  assert.deepEqual(contentsIn(project).sort(), [...texts, 'Later'].sort())
  assert.equal(project.lines(CAPTURES).length, 4)
})

test('a record that was revised is not brought back by the copy of its first text', (t) => {
  const project = freshProject(t)
  const { thought } = capture(project, 'Prices are stored as euros')
  editMemory(thought.id, { body: 'Prices are stored as cents' }, project.options)
  compactMemory(project.options)
  project.append(OLDER_LOG, { ...olderThought('Prices are stored as euros'), id: thought.id })
  migrateMemory(project.options)
  assert.deepEqual(
    recall('prices', project.options).hits.map(({ text }) => text),
    ['Prices are stored as cents'],
  )
})

test('a broadcast keeps the earlier events of the older tool in its timeline, and replays them to no client of ours', async (t) => {
  const project = freshProject(t)
  const theirs = [1, 2, 3].map((n) => ({
    version: '1.0',
    timestamp: '2026-11-20T10:00:00.000Z',
    type: 'slice-started',
    data: { n },
  }))
  project.append(EVENTS, ...theirs, { seq: 9007199254740000, type: 'hostile' })
  const hub = await createHub({ port: 0, cwd: project.cwd })
  t.after(() => hub.close())
  hub.broadcast({ type: 'slice-completed', data: { n: 4 } })
  const events = project.lines(EVENTS)
  assert.deepEqual(
    events.map(({ type, data }) => [type, data?.n]),
    [
      ['slice-started', 1],
      ['slice-started', 2],
      ['slice-started', 3],
      ['hostile', undefined],
      ['slice-completed', 4],
    ],
  )
  assert.ok(events.every(({ _v }) => _v === 1))
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [undefined, undefined, undefined, undefined, 1],
  )
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['slice-completed'],
  )
  const later = await createHub({ port: 0, cwd: project.cwd })
  t.after(() => later.close())
  assert.deepEqual(
    later.getHistory().map(({ type }) => type),
    ['slice-completed'],
  )
  assert.equal(project.lines('.forge/hub-events.foreign.jsonl').length, 4)
  assert.ok(project.lines('.forge/hub-events.mark.jsonl').every(({ _v, mark }) => _v === 1 && mark.length > 0))
  // A migration rewrites both kinds and keeps the file ours.
  migrateMemory(project.options)
  hub.broadcast({ type: 'run-completed' })
  assert.equal(project.lines(EVENTS).length, 6)
})

test('a capture is one event, with a listener that sends it and without one', (t) => {
  const project = freshProject(t)
  const types = () => project.lines(EVENTS).map(({ type }) => type)
  capture(project, 'one')
  assert.deepEqual(types(), ['memory-captured'])
  const sent = []
  capture(project, 'two', { opts: { onCapture: (thought) => sent.push(thought.content) } })
  assert.deepEqual([types(), sent], [['memory-captured'], ['two']])
})

test('repairs leave the log of the older tool alone', (t) => {
  const project = freshProject(t)
  capture(project, 'one')
  const before = project.text(OLDER_LOG)
  verifyMemory({ ...project.options, repair: true })
  assert.equal(project.text(OLDER_LOG), before)
})
