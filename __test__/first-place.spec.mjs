// Which record comes first, through every door.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { drainOpenBrain, searchThoughts } from '../dist/index.js'
import { readNotes, readQuestions } from '../eval/sets/own.mjs'
import { captureMemory, memoryRecall, recall } from '../index.js'
import { freshCommand, json } from './support/command.mjs'
import { call, connectWithin } from './support/mcp.mjs'
import { freshMemory } from './support/memory.mjs'
import { callerOf, startServe } from './support/served.mjs'

const capture = (memory, body, fields) => captureMemory({ type: 'lesson', body, ...fields }, memory.options)
const find = (memory, query, options) => recall(query, { ...memory.options, ...options }).hits
const firstOf = (memory, query) => find(memory, query)[0]?.text

test('no note passes by its session one that has a word of the query that it lacks, nor one that has no session', (t) => {
  const topics = ['invoice', 'parcel', 'ticket', 'coupon', 'voucher']
  for (const [at, topic] of topics.entries()) {
    for (const sessionId of [undefined, 'alone']) {
      const memory = freshMemory(t)
      const answer = `The ${topic} cache is cleared by the nightly job`
      capture(memory, answer, { sessionId })
      capture(memory, `The ${topic} page is rendered on the server`, { sessionId: `s${at}` })
      capture(memory, `The ${topic} list is paginated by twenty`, { sessionId: `s${at}` })
      assert.equal(firstOf(memory, `${topic} cache`), answer)
      assert.equal(memoryRecall({ query: `${topic} cache` }, memory.options).matches[0].text, answer)
    }
  }
})

test('the exact version, date or address comes first', (t) => {
  const memory = freshMemory(t)
  const uses = ['1.0.0', '1.2.0', '1.3.0'].map((version) => `Use netkit-thirdparty ${version}.`)
  for (const text of uses) capture(memory, text)
  capture(memory, 'Upgrade to netkit-thirdparty 1.1.1.')
  capture(memory, 'Released on 2026-04-03: the index')
  capture(memory, 'Released on 2026-03-04: the flag')
  for (const address of ['10.0.0.12', '10.0.12.0', '12.0.0.10']) capture(memory, `The relay ${address} is drained`)
  for (const text of [
    'Chunk size 512 MB for the export',
    'Uploads go in pieces of 512 KB',
    'Meeting of 15 May about caching: keep redis',
    '14 May: agreed that etags are enough',
    'Timeout of 15 seconds in the client',
    'The stock query gives up after 1.5 seconds',
    'Customer 8821 special case with two currencies',
    'For 88213 the export is in latin1',
    'OPS-1347: the appliance leaves in summer',
    'DOPS-1347 was closed by the stale bot',
    'db-17 has a failing disk, keep the replica away',
    'The node db-71 is in good order',
    'C07 hangs on the battery and on the grid',
    'How the rack C70 gets its power is in the drawing',
  ])
    capture(memory, text)
  for (const [query, first] of [
    ['Use netkit-thirdparty 1.1.1', 'Upgrade to netkit-thirdparty 1.1.1.'],
    ['what was released on 2026-03-04', 'Released on 2026-03-04: the flag'],
    ['what was released on 2026-04-03', 'Released on 2026-04-03: the index'],
    ['relay 10.0.12.0', 'The relay 10.0.12.0 is drained'],
    ['netkit v1.3.0', 'Use netkit-thirdparty 1.3.0.'],
    ['chunk size 512 KB', 'Uploads go in pieces of 512 KB'],
    ['meeting of 14 May about caching', '14 May: agreed that etags are enough'],
    ['timeout of 1,5 seconds', 'The stock query gives up after 1.5 seconds'],
    ['customer 88213 special case', 'For 88213 the export is in latin1'],
    ['why was OPS-1347 closed', 'OPS-1347: the appliance leaves in summer'],
    ['is the node db-17 in good order', 'db-17 has a failing disk, keep the replica away'],
    ['how does the rack C07 get its power', 'C07 hangs on the battery and on the grid'],
  ]) {
    assert.equal(firstOf(memory, query), first, query)
  }
})

test('letters and digits of an identifier find nothing without it', (t) => {
  const memory = freshMemory(t)
  for (const text of ['Set in 1970s Lisbon', 'Plan B of 2', 'Version 2 of the API']) capture(memory, text)
  for (const query of ['k8s?', 'e2e', 'h2']) assert.deepEqual(find(memory, query), [], query)
  capture(memory, 'The h2 file of the tests is thrown away')
  assert.equal(firstOf(memory, 'h2 database'), 'The h2 file of the tests is thrown away')
})

test('memory_recall has the records of recall; only about equal ones are put in the order of their confidence', async (t) => {
  const memory = freshMemory(t)
  const texts = [
    'relay restart order',
    'relay restart order, with the long list of hosts that have to be told before',
    'relay',
  ]
  for (const [at, body] of texts.entries()) capture(memory, body, { confidence: [0.5, 0.6, 0.95][at] })
  capture(memory, 'relay restart plan', { confidence: 0.9 })
  const order = find(memory, 'relay restart order').map(({ text }) => text)
  const { matches } = memoryRecall({ query: 'relay restart order' }, memory.options)
  assert.deepEqual(matches.map(({ text }) => text).toSorted(), order.toSorted())
  assert.equal(matches[0].text, 'relay restart order', 'no confidence makes a worse match the first')
  const client = await connectWithin(t, memory)
  const { text } = await call(client, 'memory_recall', { query: 'relay restart order' })
  for (const each of texts) assert.ok(text.includes(each), `the ten best are shown: ${each}`)
  const equals = freshMemory(t)
  capture(equals, 'relay port is eight', { confidence: 0.5 })
  capture(equals, 'relay host is seven', { confidence: 0.9 })
  assert.equal(memoryRecall({ query: 'relay' }, equals.options).matches[0].confidence, 0.9)
})

const OVER = [
  ['queue of the mailer', 'Deprecated: the queue of the mailer is Kafka', 'The queue of the mailer is SQS'],
  [
    'queue of the mailer',
    'The mailer no longer uses the queue Kafka of old',
    'The mailer uses the queue SQS of the cloud',
  ],
  ['where do builds run', 'Until March the builds ran on Jenkins', 'The builds run on Buildkite'],
  ['wie heißt die Warteschlange', 'Früher hieß die Warteschlange Kafka', 'Die Warteschlange heißt SQS'],
  ['qué cola usa el correo', 'Antiguamente el correo usaba la cola Kafka', 'El correo usa la cola SQS'],
  [
    'quelle file utilise le courrier',
    'Auparavant le courrier utilisait la file Kafka',
    'Le courrier utilise la file SQS',
  ],
  ['que fila o correio usa', 'Antigamente o correio usava a fila Kafka', 'O correio usa a fila SQS da nuvem'],
  ['какую очередь использует почта', 'Раньше почта использовала очередь Kafka', 'Почта использует очередь SQS'],
  ['メールのキューは何ですか', '以前はメールのキューはKafkaだった', 'メールのキューはSQSです'],
  ['邮件服务用什么队列', '邮件服务以前用Kafka队列', '邮件服务用SQS队列'],
]

test('what says of itself that it is over is marked, and comes after what holds, unless the past is asked for', (t) => {
  for (const [query, over, holds] of OVER) {
    for (const texts of [
      [over, holds],
      [holds, over],
    ]) {
      const memory = freshMemory(t)
      for (const [at, text] of texts.entries()) capture(memory, text, { tags: [`t${at}`] })
      const hits = find(memory, query, { mode: 'words' })
      assert.equal(hits[0].text, holds, query)
      assert.deepEqual([hits[0].over, hits.find(({ text }) => text === over)?.over], [undefined, true], query)
    }
  }
  const memory = freshMemory(t)
  capture(memory, 'Until March the builds ran on Jenkins')
  capture(memory, 'The nightly builds run on Buildkite')
  assert.equal(firstOf(memory, 'where did the builds run before March'), 'Until March the builds ran on Jenkins')
  const { text } = memoryRecall({ query: 'builds Jenkins' }, memory.options)
  assert.match(text, /\[says that it is over\]/)
})

test('the same words in another order are two records, and the other one is offered first', (t) => {
  for (const [one, other] of [
    ['Use tabs, not spaces', 'Use spaces, not tabs'],
    ['Merge main into release', 'Merge release into main'],
    ['Format before the commit', 'Format after the commit'],
    ['Rows move from orders to archive', 'Rows move from archive to orders'],
    ['The gateway calls the ledger', 'The ledger calls the gateway'],
    ['The bot token is in Vault under bots/ci', 'The bot token is in Vault under ci/bot'],
  ]) {
    const memory = freshMemory(t)
    const before = capture(memory, one).thought.id
    for (const more of ['The ledger is a service', 'Spaces are for guests']) capture(memory, more)
    const { deduped, related, retired, conflicts } = capture(memory, other, { related: true })
    assert.equal(deduped, false, other)
    const noticed = [...(retired ?? []), ...(conflicts ?? []), ...(related ?? [])]
    if (!one.startsWith('Format')) assert.equal(noticed[0]?.id, before, other)
  }
})

test('odd queries are answered', (t) => {
  const memory = freshMemory(t)
  capture(memory, 'The relay is restarted 🚀 with 版本 1.4.2')
  for (const query of [
    'relay '.repeat(10_000),
    Array.from({ length: 10_000 }, (_, at) => `w${at}`).join(' '),
    '1 2 3 1.4.2 2026-01-01 0.0.0.0',
    '&& || -> != ++ :: //',
    '🚀',
    'relay версия 版本 バージョン größe',
    '1.'.repeat(9000),
  ]) {
    assert.ok(Array.isArray(find(memory, query)), query.slice(0, 20))
  }
  assert.equal(find(memory, '🚀').length, 1)
  assert.equal(find(memory, '版本 1.4.2').length, 1)
})

test('every door has the same record first', async (t) => {
  const memory = freshMemory(t)
  const command = freshCommand(t)
  const notes = readNotes().slice(0, 400)
  for (const { text, type } of notes) {
    const fields = { ...(type === undefined ? {} : { type }), confidence: 0.7 }
    capture(memory, text, fields)
    captureMemory({ type: 'lesson', body: text, ...fields }, { projectDir: command.project })
  }
  await drainOpenBrain(memory.options)
  const ids = new Set(notes.map(({ id }) => id))
  const asked = readQuestions('notes').filter(
    ({ held, answers }) => !held && Object.keys(answers).some((id) => ids.has(id)),
  )
  const questions = asked.slice(0, 100).map(({ text }) => text)
  assert.equal(questions.length, 100)
  const client = await connectWithin(t, memory)
  const { document, token } = await startServe(t, [], command)
  const page = callerOf({ origin: new URL(document.url).origin, token })
  const differing = []
  for (const [at, query] of questions.entries()) {
    const hits = find(memory, query, { mode: 'words' })
    const shown = new Set(hits.filter(({ score }) => score >= 0.95 * (hits[0]?.score ?? 0)).map(({ text }) => text))
    const tool = await call(client, 'memory_recall', { query, mode: 'words' })
    // The tool has the beginning of a long text.
    const begun = tool.notes?.[0]?.text ?? tool.matches?.[0]?.text
    const store = await searchThoughts(query, { ...memory.options, limit: 10 })
    const path = `/api/memory/recall?mode=words&query=${encodeURIComponent(query)}`
    const answers = {
      memoryRecall: memoryRecall({ query, mode: 'words' }, memory.options).matches[0]?.text,
      memory_recall:
        [...shown].find((text) =>
          begun === undefined ? tool.text.includes(text.slice(0, 40)) : text.startsWith(begun),
        ) ?? begun,
      searchThoughts: store.thoughts[0]?.content,
      page: (await page('GET', path)).body.hits?.[0]?.text,
      ...(at < 5 ? { find: json(command, ['find', '--mode', 'words', '--', query]).hits[0]?.text } : {}),
    }
    for (const [door, first] of Object.entries(answers))
      if (hits.length > 0 ? !shown.has(first) : first !== undefined)
        differing.push({ door, query, first, wanted: hits[0]?.text })
  }
  assert.deepEqual(differing, [])
})

/** Cases by somebody who had not seen the rules: of each kind, how many have the wanted text first. */
function firstOfCases(t, name) {
  const cases = readFileSync(new URL(`../eval/data/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(JSON.parse)
  const counts = {}
  for (const { notes, question, wanted } of cases) {
    const memory = freshMemory(t)
    for (const { text } of notes) capture(memory, text)
    const { kind, text } = notes[wanted]
    counts[kind] = (counts[kind] ?? 0) + Number(firstOf(memory, question) === text)
  }
  return counts
}

/** How many of each kind are first at least. The later sets were written after the rules, which were extended with them at hand. */
const FIRST = {
  'exact-1.jsonl': { exact: 76 },
  'exact-2.jsonl': { exact: 65 },
  'exact-3.jsonl': { exact: 61 },
  'exact-4.jsonl': { exact: 45 },
  'exact-5.jsonl': { exact: 56 },
  'exact-6.jsonl': { exact: 54 },
  'exact-7.jsonl': { exact: 42 },
  'over-1.jsonl': { current: 117, over: 31, holds: 37 },
  'over-2.jsonl': { current: 90, over: 15, holds: 29 },
  'over-3.jsonl': { current: 39, over: 5, holds: 8 },
  'over-4.jsonl': { current: 40, over: 5, holds: 8 },
  'over-5.jsonl': { current: 31, over: 6, holds: 17 },
  // Without both rules 93 of 201: somebody looked for what they lead astray.
  'astray-1.jsonl': { wanted: 92 },
  // Without the rule about newer notes 2 of 20 and 11 of 60. What is left says in other words that something has changed.
  'changed-1.jsonl': { changed: 17 },
  'changed-2.jsonl': { changed: 17, over: 19, other: 20, past: 4 },
  'changed-3.jsonl': { changed: 10, old: 47 },
}

for (const [name, least] of Object.entries(FIRST)) {
  test(`cases of others, ${name}: the exact number comes first, and what holds before what is over`, (t) => {
    const counts = firstOfCases(t, name)
    for (const [kind, count] of Object.entries(least)) assert.ok(counts[kind] >= count, JSON.stringify(counts))
  })
}
