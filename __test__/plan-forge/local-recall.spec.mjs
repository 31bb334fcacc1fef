// Local recall and the hints for agents, by the older tool's names.
import assert from 'node:assert/strict'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { forget, importMemory } from 'forge-memory'
import {
  _resetNeuralProbeCache,
  buildCorpusIndex,
  buildIdf,
  captureMemory,
  clearPersistedIndex,
  getIndexStatus,
  isNeuralEmbeddingAvailable,
  loadCachedIndex,
  persistIndex,
  readLocalThoughts,
  searchLocalThoughts,
  tfIdfVector,
  tokenize,
  vecCosineSimilarity,
} from 'forge-memory/plan-forge'
import {
  ARCHIVE,
  DEAD_LETTERS,
  freshProject,
  OLDER_LOG,
  olderRecord,
  olderThought,
  QUEUE,
} from '../support/plan-forge.mjs'

const IDF = buildIdf(['alpha beta', 'alpha gamma', 'delta'].map(tokenize))
const capture = (cwd, content) => captureMemory({ content, type: 'lesson', source: 'forge_sweep', cwd })
const contents = (thoughts) => thoughts.map(({ content }) => content)

test('a word that many texts have weighs less', () => {
  assert.ok(Math.abs(IDF.get('alpha') - 1.287_682_072_451_780_8) < 1e-12)
  for (const word of ['beta', 'gamma', 'delta']) assert.ok(Math.abs(IDF.get(word) - 1.693_147_180_559_945_4) < 1e-12)
})

test('no texts weigh no words', () => assert.equal(buildIdf([]).size, 0))

test('a vector is count by different words by weight, 1 for words that are unknown', () => {
  const vector = tfIdfVector('alpha alpha zeta', IDF)
  assert.ok(Math.abs(vector.get('alpha') - 1.287_682_072_451_780_8) < 1e-12)
  assert.equal(vector.get('zeta'), 0.5)
})

for (const value of [undefined, null, 7, '']) {
  test(`${JSON.stringify(value)} has an empty vector`, () => assert.equal(tfIdfVector(value, IDF).size, 0))
}

test('the cosine of vectors is 1 for the same and 0 for the empty', () => {
  const vector = tfIdfVector('alpha beta', IDF)
  assert.ok(Math.abs(vecCosineSimilarity(vector, vector) - 1) < 1e-12)
  assert.equal(vecCosineSimilarity(vector, new Map()), 0)
  assert.equal(vecCosineSimilarity(new Map([['a', 0]]), vector), 0)
})

for (const path of [OLDER_LOG, QUEUE, ARCHIVE, DEAD_LETTERS]) {
  test(`thoughts of ${path} are read`, (t) => {
    const project = freshProject(t)
    project.append(path, olderRecord('an older thought'))
    assert.deepEqual(contents(readLocalThoughts(project.cwd)), ['an older thought'])
  })
}

test('captures of this package are read', (t) => {
  const { cwd } = freshProject(t)
  capture(cwd, 'a capture of ours')
  assert.deepEqual(contents(readLocalThoughts(cwd)), ['a capture of ours'])
})

test('a thought that is in the log, the queue and the archive is read once', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('one'))
  for (const path of [QUEUE, ARCHIVE]) project.append(path, olderRecord('one'))
  capture(project.cwd, 'ours')
  assert.equal(readLocalThoughts(project.cwd).length, 2)
})

test('forgotten thoughts are not read', (t) => {
  const project = freshProject(t)
  const { thought } = capture(project.cwd, 'a mistake')
  forget(thought.id, project.options)
  assert.deepEqual(readLocalThoughts(project.cwd), [])
})

test('expired thoughts are not read', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('old', { expiresAt: '2020-01-01T00:00:00.000Z' }))
  assert.deepEqual(readLocalThoughts(project.cwd), [])
})

test('delete records are not thoughts', (t) => {
  const project = freshProject(t)
  project.append(QUEUE, { _v: 1, _action: 'delete', key: 'a.b', content: 'x' })
  assert.deepEqual(readLocalThoughts(project.cwd), [])
})

for (const line of ['null', '[1]', '7', '{torn', '{"content":7}', '{}']) {
  test(`the line ${line} is passed over`, (t) => {
    const project = freshProject(t)
    project.write(OLDER_LOG, `${line}\n${JSON.stringify(olderThought('good'))}\n`)
    assert.deepEqual(contents(readLocalThoughts(project.cwd)), ['good'])
  })
}

test('at most 500 are read, the newest of them', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, ...Array.from({ length: 510 }, (_, n) => olderThought(`n${n}`)))
  const found = readLocalThoughts(project.cwd)
  assert.deepEqual([found.length, found[0].content], [500, 'n10'])
  assert.equal(readLocalThoughts(project.cwd, { max: 3 }).length, 3)
})

test('more than a thousand captures are read when they are asked for', (t) => {
  const { cwd, options } = freshProject(t)
  for (let n = 0; n < 3; n += 1) capture(cwd, `thing${n} number${n} other${n}`)
  assert.deepEqual(
    contents(readLocalThoughts(cwd, { max: 5000 })),
    [0, 1, 2].map((n) => `thing${n} number${n} other${n}`),
  )
  const lines = Array.from({ length: 1200 }, (_, n) =>
    JSON.stringify({ type: 'lesson', content: `imported${n} line${n}` }),
  )
  writeFileSync(join(cwd, 'many.jsonl'), `${lines.join('\n')}\n`)
  importMemory(join(cwd, 'many.jsonl'), options)
  const found = contents(readLocalThoughts(cwd, { max: 5000 }))
  assert.deepEqual([found.length, new Set(found).size], [1203, 1203])
})

test('a full archive does not keep the thoughts of the log out', (t) => {
  const project = freshProject(t)
  project.append(ARCHIVE, ...Array.from({ length: 600 }, (_, n) => olderRecord(`archived ${n}`)))
  project.append(OLDER_LOG, olderThought('the present one'))
  assert.ok(contents(readLocalThoughts(project.cwd)).includes('the present one'))
})

test('files can be named', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('log'))
  project.append(QUEUE, olderRecord('queue'))
  assert.deepEqual(contents(readLocalThoughts(project.cwd, { sources: ['openbrain-queue.jsonl'] })), ['queue'])
})

for (const source of ['../secret.jsonl', '/etc/passwd', 'other.jsonl']) {
  test(`the file ${source} is not read`, (t) => {
    const project = freshProject(t)
    project.append('secret.jsonl', olderThought('secret'))
    project.append('.forge/other.jsonl', olderThought('other'))
    assert.deepEqual(readLocalThoughts(project.cwd, { sources: [source] }), [])
  })
}

test('a link out of the project is not followed', (t) => {
  const project = freshProject(t)
  project.append('../outside.jsonl', olderThought('outside'))
  project.write('.forge/x', '')
  symlinkSync(project.at('../outside.jsonl'), project.at(OLDER_LOG))
  assert.deepEqual(readLocalThoughts(project.cwd), [])
})

test('a project without .forge has no thoughts', (t) => assert.deepEqual(readLocalThoughts(freshProject(t).cwd), []))

test('a search returns hits with source, project, type, snippet, score and time', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('database migration needs a lock'), olderThought('frontend button colour'))
  const answer = await searchLocalThoughts('database migration', { cwd: project.cwd })
  assert.deepEqual(
    [answer.total, answer.corpusSize, answer.backend, answer.query, answer.truncated],
    [1, 2, 'tfidf', 'database migration', false],
  )
  const [{ source, project: name, type, snippet, score, createdAt }] = answer.hits
  assert.deepEqual([source, name, type, snippet], ['forge_sweep', 'shop', 'gotcha', 'database migration needs a lock'])
  assert.ok(score > 0 && score <= 1 && Number(score.toFixed(4)) === score)
  assert.ok(Date.parse(createdAt) > 0)
})

test('a hit out of a capture of this package has its project too', async (t) => {
  const project = freshProject(t)
  project.write('.forge.json', { projectName: 'shop' })
  capture(project.cwd, 'the gate is slow')
  const [hit] = (await searchLocalThoughts('gate', { cwd: project.cwd })).hits
  assert.deepEqual([hit.project, hit.type, hit.source], ['shop', 'lesson', 'forge_sweep'])
  const [thought] = readLocalThoughts(project.cwd)
  assert.deepEqual([thought._v, thought.project, thought.content], [1, 'shop', 'the gate is slow'])
  assert.ok(Date.parse(thought.captured_at) > 0)
})

test('a search has five hits unless more are asked for', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, ...Array.from({ length: 8 }, (_, n) => olderThought(`gate number${n}`)))
  assert.equal((await searchLocalThoughts('gate', { cwd: project.cwd })).hits.length, 5)
  assert.equal((await searchLocalThoughts('gate', { cwd: project.cwd, limit: 7 })).hits.length, 7)
})

test('a search says when the corpus was cut at 500', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, ...Array.from({ length: 510 }, (_, n) => olderThought(`gate number${n}`)))
  const { truncated, corpusSize } = await searchLocalThoughts('gate', { cwd: project.cwd })
  assert.deepEqual([truncated, corpusSize], [true, 500])
})

for (const [field, record] of [
  ['content', { content: 'gate one' }],
  ['message', { message: 'gate one' }],
  ['text', { text: 'gate one' }],
]) {
  test(`the text of a record may be in ${field}`, async (t) => {
    const project = freshProject(t)
    project.append(OLDER_LOG, { _v: 1, ...record })
    assert.equal((await searchLocalThoughts('gate', { cwd: project.cwd })).hits[0].snippet, 'gate one')
  })
}

test('the best hit is first, and a limit cuts', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('the queue is slow when retry storms come'), olderThought('retry queue'))
  const { hits } = await searchLocalThoughts('retry queue', { cwd: project.cwd, limit: 1 })
  assert.deepEqual(
    hits.map(({ snippet }) => snippet),
    ['retry queue'],
  )
})

test('a snippet has at most 120 characters, and one that is cut ends with an ellipsis', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought(`retry ${'x'.repeat(300)}`), olderThought('drain it'))
  const snippetOf = async (query) => (await searchLocalThoughts(query, { cwd: project.cwd })).hits[0].snippet
  assert.equal(await snippetOf('retry'), `retry ${'x'.repeat(113)}…`)
  assert.equal(await snippetOf('drain'), 'drain it')
})

test('a threshold excludes distant thoughts', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('retry the queue of the drain when it is slow'))
  assert.equal((await searchLocalThoughts('retry', { cwd: project.cwd, threshold: 0.99 })).total, 0)
})

test('captures of both tools are found together', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('the gate is slow on windows'))
  capture(project.cwd, 'the gate is quick on linux')
  assert.equal((await searchLocalThoughts('gate', { cwd: project.cwd })).total, 2)
})

test('texts of other scripts are found', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('Ключи кэша нуждаются в версии'))
  assert.equal((await searchLocalThoughts('кэша', { cwd: project.cwd })).total, 1)
})

test('only named files are searched, regardless of the cache', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('database migration'))
  project.append(QUEUE, olderRecord('frontend button colour'))
  persistIndex(project.cwd, buildCorpusIndex(readLocalThoughts(project.cwd)))
  const { total } = await searchLocalThoughts('database migration', {
    cwd: project.cwd,
    sources: ['openbrain-queue.jsonl'],
  })
  assert.equal(total, 0)
})

for (const query of ['', '   ', undefined, null, 7]) {
  test(`a search for ${JSON.stringify(query)} has no backend, and says why`, async (t) => {
    const { hits, backend, message } = await searchLocalThoughts(query, { cwd: freshProject(t).cwd })
    assert.deepEqual([hits, backend], [[], 'none'])
    assert.ok(message.length > 0)
  })
}

test('a project without thoughts has no backend, and says why', async (t) => {
  const { backend, corpusSize, message } = await searchLocalThoughts('x', { cwd: freshProject(t).cwd })
  assert.deepEqual([backend, corpusSize], ['none', 0])
  assert.ok(message.length > 0)
})

test('a search keeps the index file of the older tool, unless it must not or reads only some files', async (t) => {
  const project = freshProject(t)
  const [cwd, INDEX] = [project.cwd, '.forge/local-recall-index.json']
  assert.equal((await searchLocalThoughts('one', { cwd })).corpusSize, 0)
  project.append(OLDER_LOG, olderThought('one'))
  for (const options of [{ noCache: true }, { sources: ['liveguard-memories.jsonl'] }]) {
    await searchLocalThoughts('one', { cwd, ...options })
    assert.equal(getIndexStatus(cwd).exists, false)
  }
  await searchLocalThoughts('_warm_', { cwd, limit: 1, noCache: false })
  const { exists, corpusSize, stale, builtAt } = getIndexStatus(cwd)
  assert.deepEqual([exists, corpusSize, stale, typeof builtAt], [true, 1, false, 'string'])
  const before = project.text(INDEX)
  await searchLocalThoughts('one', { cwd })
  assert.equal(project.text(INDEX), before)
  // One that is older than its files is made again, and so is one of other files.
  project.write(INDEX, { ...JSON.parse(before), builtAt: 1 })
  assert.equal(getIndexStatus(cwd).stale, true)
  await searchLocalThoughts('one', { cwd })
  assert.ok(JSON.parse(project.text(INDEX)).builtAt > 1)
  project.append(OLDER_LOG, olderThought('two'))
  await searchLocalThoughts('one', { cwd })
  assert.equal(getIndexStatus(cwd).corpusSize, 2)
  clearPersistedIndex(cwd)
  assert.equal(project.has(INDEX), false)
})

for (const [query, said] of [
  ['', 'non-empty string'],
  ['nothing', 'No local thoughts'],
]) {
  test(`a search for ${JSON.stringify(query)} in an empty project says ${said}`, async (t) => {
    assert.ok((await searchLocalThoughts(query, { cwd: freshProject(t).cwd })).message.includes(said))
  })
}

test('a search that matches nothing says so, and repeats the query', async (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('one'))
  assert.match((await searchLocalThoughts('zebra', { cwd: project.cwd })).message, /No thoughts matched.*zebra/)
})

test('without a model search is lexical, and a forced semantic search says so', async (t) => {
  const project = freshProject(t)
  _resetNeuralProbeCache()
  t.after(_resetNeuralProbeCache)
  assert.equal(await isNeuralEmbeddingAvailable(), false)
  project.append(OLDER_LOG, olderThought('one'))
  const { backend, message } = await searchLocalThoughts('one', { cwd: project.cwd, forceBackend: 'neural' })
  assert.equal(backend, 'tfidf')
  assert.match(message, /forge-memory model install/)
})

test('a stored index is loaded unchanged', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('retry queue'))
  persistIndex(project.cwd, buildCorpusIndex(readLocalThoughts(project.cwd)))
  const { tokenMaps, idf } = loadCachedIndex(project.cwd)
  assert.deepEqual(
    [...tokenMaps[0]],
    [
      ['retry', 1],
      ['queue', 1],
    ],
  )
  assert.ok(idf.has('retry'))
})

test('the file of the index has the layout of the older tool', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('retry queue'))
  persistIndex(project.cwd, buildCorpusIndex(readLocalThoughts(project.cwd)))
  const { version, builtAt, corpusSize, sourceMtimes, index } = JSON.parse(
    project.text('.forge/local-recall-index.json'),
  )
  assert.deepEqual([version, typeof builtAt, corpusSize, Object.keys(index)], [1, 'number', 1, ['tokenMaps', 'idf']])
  assert.ok(sourceMtimes['liveguard-memories.jsonl'] > 0 && sourceMtimes['openbrain-dlq.jsonl'] === 0)
})

test('an index is not loaded once a file has changed', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('one'))
  persistIndex(project.cwd, buildCorpusIndex(readLocalThoughts(project.cwd)))
  assert.equal(getIndexStatus(project.cwd).stale, false)
  utimesSync(project.at(OLDER_LOG), 1, 1)
  assert.equal(loadCachedIndex(project.cwd), null)
  assert.equal(getIndexStatus(project.cwd).stale, true)
})

test('an index of all files is not loaded for some of them', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('one'))
  persistIndex(project.cwd, buildCorpusIndex(readLocalThoughts(project.cwd)))
  assert.equal(loadCachedIndex(project.cwd, { sources: ['openbrain-queue.jsonl'] }), null)
})

for (const text of ['{', '{}', '{"version":2,"index":{}}']) {
  test(`the index ${text} is not loaded`, (t) => {
    const project = freshProject(t)
    project.write('.forge/local-recall-index.json', text)
    assert.equal(loadCachedIndex(project.cwd), null)
  })
}

test('a project without .forge keeps no index', (t) => {
  const project = freshProject(t)
  persistIndex(project.cwd, buildCorpusIndex([]))
  assert.equal(project.has('.forge'), false)
})

test('the status of an index: absent, present, corrupt, cleared', (t) => {
  const project = freshProject(t)
  const { cacheFile, ...absent } = getIndexStatus(project.cwd)
  assert.deepEqual(absent, { exists: false, version: null, builtAt: null, corpusSize: null, stale: null })
  assert.match(cacheFile, /local-recall-index\.json$/)
  project.append(OLDER_LOG, olderThought('one'))
  persistIndex(project.cwd, buildCorpusIndex(readLocalThoughts(project.cwd)))
  const { exists, version, builtAt, corpusSize } = getIndexStatus(project.cwd)
  assert.deepEqual([exists, version, corpusSize], [true, 1, 1])
  assert.equal(new Date(builtAt).toISOString(), builtAt)
  project.write('.forge/local-recall-index.json', '{')
  assert.deepEqual([getIndexStatus(project.cwd).exists, getIndexStatus(project.cwd).version], [true, null])
  clearPersistedIndex(project.cwd)
  clearPersistedIndex(project.cwd)
  assert.equal(getIndexStatus(project.cwd).exists, false)
})

test('invalid thoughts have no words in an index', () => {
  assert.deepEqual(buildCorpusIndex([null, { content: 'a' }]).tokenMaps, [[], [['a', 1]]])
})
