// Arguments that no program means, for every function of the entry: what goes wrong is an answer, never an exception. The few functions
// that reject by their contract do so with a code.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import test from 'node:test'
import fc from 'fast-check'
import * as entry from 'forge-memory/plan-forge'
import { freshProject, olderRecord, olderThought, warnings } from '../support/plan-forge.mjs'
import { bareHub, runLine } from '../support/plan-forge-hub.mjs'

const circular = { type: 'circular' }
circular.self = circular
let deep = []
for (let level = 0; level < 20_000; level += 1) deep = [deep]
const throwing = () => {
  throw new Error('no')
}

/** What is a value, and no text: a text could lead to a folder that a test must not touch. */
const VALUES = {
  nothing: undefined,
  null: null,
  notANumber: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  negative: -1,
  half: 0.5,
  unsafe: 2 ** 53,
  lateTime: 9e15,
  bigint: 1n,
  true: true,
  symbol: Symbol('s'),
  noDate: new Date(Number.NaN),
  map: new Map([['content', 1]]),
  set: new Set(['content']),
  bytes: new Uint8Array(3),
  bare: Object.create(null),
  empty: [],
  holes: [undefined, null, [[]], Array(3)],
  circular,
  deep,
  idle: () => undefined,
  throwing,
  rejecting: async () => throwing(),
  promise: Promise.resolve(1),
  error: new Error('x'),
  pattern: /x/g,
}
/** Objects that answer every question about them with an exception. */
const EXOTIC = {
  proxy: new Proxy({}, { get: throwing, ownKeys: throwing, has: throwing, getPrototypeOf: throwing }),
  getters: {
    get content() {
      throw new Error('no')
    },
    get type() {
      throw new Error('no')
    },
  },
  conversions: { toString: throwing, toJSON: throwing, [Symbol.toPrimitive]: throwing },
}
const TEXTS = {
  noText: '',
  blank: ' ',
  zero: '\0',
  surrogate: '\ud800',
  zeroWithin: 'a\u0000b',
  prototype: '__proto__',
  constructor: 'constructor',
  override: '\u202e',
  option: '--output=x',
  long: 'x'.repeat(70_000),
  bracket: '[',
  gate: 'gate',
  number: '9e9',
}
const FIELDS =
  `content type source cwd project created_by opts onCapture key query limit results ttlMs cachedAt now overrides code message
  severity name title slices number plan status results cost sweep analyze sliceResults _status _attempts _nextAttemptAt expiresAt
  maxHints maxBatch maxAttempts timeoutMs error threshold sources max forceBackend paths since deps kind language filePath chunkId
  direction depth dryRun force output trajectories autoSkills decisions tokenMaps idf index toolName byteRange schemaVersion timestamp
  version data auth port host token targetPath runId runState runs average`.split(/\s+/)

// Values are made from descriptions, which a report of a failure can show.
const value = fc.constantFrom(...Object.keys(VALUES)).map((name) => ({ value: name }))
const text = fc.constantFrom(...Object.keys(TEXTS)).map((name) => ({ text: name }))
const fields = (of) => fc.dictionary(fc.constantFrom(...FIELDS), of).map((described) => ({ fields: described }))
const record = fields(fc.oneof(value, text, fields(value)))
const list = fc.array(fc.oneof(value, text, record), { maxLength: 4 }).map((described) => ({ list: described }))
const anything = fc.oneof(value, text, record, list)
const exotic = fc.oneof(
  anything,
  fc.constantFrom(...Object.keys(EXOTIC)).map((name) => ({ exotic: name })),
)

/** Makes what is described. */
function made(described) {
  if ('value' in described) return VALUES[described.value]
  if ('text' in described) return TEXTS[described.text]
  if ('exotic' in described) return EXOTIC[described.exotic]
  if ('list' in described) return described.list.map(made)
  return Object.fromEntries(Object.entries(described.fields).map(([name, of]) => [name, fieldOf(name, of)]))
}

/** A hostile host is a name of nobody, which no name server is asked for. */
function fieldOf(name, described) {
  return name === 'host' && 'text' in described ? `${TEXTS[described.text]}.invalid` : made(described)
}

/** A project with something in it, and the process within: no hostile name leads further than to its folders. */
function within(t) {
  const project = freshProject(t)
  project.append('.forge/liveguard-memories.jsonl', olderThought('an older thought'))
  project.append('.forge/openbrain-queue.jsonl', olderRecord('an older record'))
  const here = process.cwd()
  mkdirSync(project.at('a/b/c/d'), { recursive: true })
  process.chdir(project.at('a/b/c/d'))
  t.after(() => process.chdir(here))
  return project
}

/** Asks for the same of many arguments. What they say on the console is of no interest. */
const always = (arbitrary, holds, numRuns = 150) =>
  warnings(() => fc.assert(fc.asyncProperty(arbitrary, holds), { numRuns }))

const args = fc.array(anything, { maxLength: 4 })
/** Functions that nothing makes throw. */
const SOFT =
  `captureMemory autoDrainOpenBrainQueue buildMemoryReport validateSourceFormat stampThoughtExpiry filterUnexpiredThoughts
  buildCacheEntry isCacheEntryFresh buildWatcherSearchPrompt buildPlanBootContext shapeQueueRecord nextBackoffTimestamp
  applyDeliveryFailure partitionByBackoff buildDrainStatsRecord drainOpenBrainQueue tokenize cosineSimilarity
  dedupeThoughtsBySimilarity loadKeywordSearchMap loadProjectContext isOpenBrainConfigured buildMemorySearchBlock
  buildMemoryCaptureBlock buildRunSummaryThought buildCostAnomalyThought shapeWatcherAnomalyThought dedupeWatcherAnomalies
  buildCaptureTelemetry readHubPort latticeStat latticeQuery latticeCallers latticeCallees latticeBlast tokenizeForSearch scoreChunk
  _resetChunkerForTesting searchLocalThoughts readLocalThoughts isNeuralEmbeddingAvailable _resetNeuralProbeCache buildIdf tfIdfVector
  vecCosineSimilarity buildCorpusIndex persistIndex loadCachedIndex clearPersistedIndex getIndexStatus collectTrajectories
  collectAutoSkills collectBrainDecisions renderMemoryHints parseAutoSkillFrontmatter validateProvenance buildProvenance
  mergeProvenance`.split(/\s+/)
/** Functions whose contract has exceptions: each has a code. */
const STRICT = ['syncMemories', 'latticeIndex', 'createHub']
const OTHERS = ['Hub', 'SyncMemoriesError', 'sha256', 'HALLMARK_SCHEMA_VERSION', 'THOUGHT_SOURCES']

/** They are called by their names here, which static imports are not. */
const functions = { ...entry }

test('every name of the entry is in one of these lists', () => {
  const names = Object.keys(entry).filter((name) => !['default', 'module.exports', '__esModule'].includes(name))
  assert.deepEqual(
    names.filter((name) => ![...SOFT, ...STRICT, ...OTHERS].includes(name)),
    [],
  )
})

for (const name of SOFT) {
  test(`${name} never throws`, async (t) => {
    within(t)
    await always(args, async (given) => void (await functions[name](...given.map(made))))
  })
}

for (const name of STRICT) {
  test(`${name} rejects with a code and a message, or not at all`, async (t) => {
    const { cwd } = within(t)
    const asked = fc.tuple(record, fc.boolean())
    const call = async ([options, isHere]) => {
      const place = isHere ? { cwd, projectRoot: cwd, deps: { cwd } } : {}
      try {
        const answer = await functions[name]({ ...made(options), ...place })
        await answer.close?.()
      } catch (error) {
        assert.ok(error instanceof Error && error.message.length > 0, String(error))
        assert.match(String(error.code), /^[A-Z_]+$/)
      }
    }
    await always(asked, call, 60)
  })
}

test('captureMemory returns why nothing was captured for any input', async (t) => {
  const { cwd } = within(t)
  const asked = fc.oneof(fc.tuple(exotic), fc.tuple(exotic, exotic, exotic))
  await always(asked, async (described) => {
    const [content, type, source] = described.map(made)
    const input = described.length === 1 ? content : { content, type, source, cwd }
    const { captured, deduped, openBrainQueued, thought, error } = entry.captureMemory(input)
    if (captured || deduped) return
    assert.deepEqual([captured, deduped, openBrainQueued, thought], [false, false, false, null])
    assert.match(error.code, /^[A-Z_]+$/)
    assert.ok(error.message.length > 0)
  })
})

test('a callback of a capture may do anything', async (t) => {
  const { cwd } = within(t)
  let count = 0
  await always(exotic, async (described) => {
    const onCapture = made(described)
    count += 1
    const content = `thing${count} number${count} other${count}`
    const { captured } = entry.captureMemory({ content, type: 'lesson', source: 'ci', cwd, opts: { onCapture } })
    assert.equal(captured, true)
  })
})

test('broadcast neither throws nor returns a value, and the hub continues', async (t) => {
  const { hub } = bareHub(t)
  await always(fc.oneof(fc.tuple(exotic), fc.tuple(text, exotic)), async (described) => {
    const [first, data] = described.map(made)
    assert.equal(hub.broadcast(described.length === 1 ? first : { type: first, data }), undefined)
  })
  for (const event of hub.eventHistory) JSON.stringify(event)
  hub.broadcast({ type: 'after' })
  assert.equal(hub.eventHistory.at(-1).type, 'after')
})

for (const name of ['getHistory', 'rehydrateFromRuns', 'removeAskHandler', 'listResponders', 'getClients']) {
  test(`${name} of the hub never throws`, async (t) => {
    const { project, hub } = bareHub(t)
    project.write('.forge/runs/r1/events.log', runLine('a', {}))
    await always(anything, async (given) => void hub[name](made(given)))
  })
}

test('a question rejects with an error, or is answered', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('gate', (payload) => payload)
  await always(
    fc.tuple(fc.oneof(fc.constant({ text: 'gate' }), anything), anything, record),
    async ([topic, payload, options]) => {
      const answer = await hub.ask(made(topic), made(payload), made(options)).catch((error) => error)
      assert.ok(answer instanceof Error || typeof answer.ok === 'boolean')
    },
  )
})

test('errors of callbacks and dispatchers are reported, not thrown', async (t) => {
  const { cwd } = within(t)
  let count = 0
  const outcome = async (described) => {
    count += 1
    const content = `thing${count} number${count} other${count}`
    const throwIt = () => {
      throw made(described)
    }
    entry.captureMemory({ content, type: 'lesson', source: 'ci', cwd, opts: { onCapture: throwIt } })
    const { deferred } = await entry.drainOpenBrainQueue([{ content }], throwIt)
    assert.equal(typeof deferred[0]._lastError, 'string')
  }
  await always(exotic, outcome)
})

test('a dispatcher may answer anything', async (t) => {
  const { cwd } = within(t)
  let count = 0
  await always(
    exotic,
    async (described) => {
      const answer = made(described)
      count += 1
      const content = `thing${count} number${count} other${count}`
      entry.captureMemory({ content, type: 'lesson', source: 'ci', cwd })
      const told = await entry.autoDrainOpenBrainQueue(cwd, { dispatcher: () => answer, timeoutMs: 1000 })
      assert.equal(told.ok, true, JSON.stringify(told))
    },
    50,
  )
})
