import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { runOffline, runPlain } from './support/isolation.mjs'
import { freshMemory, isWindows } from './support/memory.mjs'
import { root } from './support/project.mjs'

const SOCKET_FUNCTIONS = ['socket', 'connect', 'getaddrinfo', 'sendto', 'bind', 'listen']

const ANSWERS = {
  captureMemory: true,
  memorySave: 'saved',
  recall: 2,
  memoryRecall: 2,
  listMemories: 2,
  sessionNotes: 1,
  promptNotes: 2,
  showMemory: 1,
  editMemory: 'lesson',
  forget: true,
  buildMemoryReport: 4,
  buildCaptureTelemetry: 2,
  memoryStatus: 1,
  diagnose: false,
  settleIndex: 'done',
  findProject: true,
  memoryDir: true,
  projectAt: 'memory',
  projectNames: 'project',
  validateSourceFormat: true,
  stampThoughtExpiry: '1971-01-01T00:00:00.000Z',
  filterUnexpiredThoughts: 1,
  buildCacheEntry: 3_600_000,
  isCacheEntryFresh: true,
  ralphAdd: true,
  ralphList: 1,
  ralphQuery: 1,
  ralphClear: 1,
  queueStatus: 0,
  queueAgain: 2,
  countAgain: 2,
  listDeadLetters: 0,
  retryDeadLetters: 0,
  dropDeadLetters: 0,
  OpenBrainDrain: 'closed',
  EmbeddedStore: 'closed',
}

test('every function works in a process that has no network, and none of them looks for one', (t) => {
  // Where a process cannot be cut off, the doors that it would go through are still watched.
  const answer = runOffline('tour', freshMemory(t), {})
  assert.deepEqual(answer, { answers: ANSWERS, tried: [], failed: [], notCalled: [] })
})

test('the network monitor of this test detects connections', (t) => {
  const { tried } = runPlain('tour', freshMemory(t), { isNosy: true })
  assert.deepEqual(tried, ['fetch'])
})

function isLinkedToNoSocket() {
  const libraries = readdirSync(root).filter(
    (name) => /^forge-memory\..+\.node$/.test(name) && name.includes(process.platform),
  )
  assert.equal(libraries.length, 1)
  for (const name of libraries) checkLinks(join(root, name))
}

function checkLinks(library) {
  const bytes = readFileSync(library)
  // What a shared library asks the system for is named in it, between zero bytes; macOS puts an underscore before.
  const isLinked = (name) => ['', '_'].some((prefix) => bytes.includes(`\0${prefix}${name}\0`, 'latin1'))
  assert.ok(isLinked('getenv') && isLinked('rename'), 'the names of functions are where they are looked for')
  assert.deepEqual(SOCKET_FUNCTIONS.filter(isLinked), [])
}

// On Windows the runtime of Rust itself is linked to them.
if (!isWindows) test('the libraries are linked to no function of the network', isLinkedToNoSocket)
