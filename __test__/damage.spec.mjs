import assert from 'node:assert/strict'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import {
  buildMemoryReport,
  captureMemory,
  diagnose,
  editMemory,
  forget,
  listMemories,
  memoryRecall,
  memorySave,
  recall,
  settleIndex,
  showMemory,
} from '../index.js'
import { freshCommand, json } from './support/command.mjs'
import { copied, freshMemory, isWindows, physicalLines, reopened, sentenceOf, wordOf } from './support/memory.mjs'

const thought = (number, fields) => ({
  _v: 1,
  id: `mem_${number}`,
  content: sentenceOf(number),
  project: 'shop',
  type: 'convention',
  source: 'forge_sweep',
  captured_at: '2026-01-20T10:00:00.000Z',
  ...fields,
})
const lineOf = (number, fields) => JSON.stringify(thought(number, fields))

/** Writes the raw log like another program. */
function writeRaw(memory, content) {
  mkdirSync(dirname(memory.raw), { recursive: true })
  writeFileSync(memory.raw, content)
}

const textsOf = (outcome) => (outcome.hits ?? outcome.entries).map((hit) => hit.text)
const finds = (memory, number) => textsOf(recall(`${wordOf(number)}aw`, memory.options))

test('a torn tail of any length is not joined to the next capture, and complete records around it are found', (t) => {
  const memory = freshMemory(t)
  const [before, torn] = [`${lineOf(1)}\n`, lineOf(2)]
  for (let length = 1; length <= torn.length; length++) {
    const project = join(memory.folder, `torn-${length}`)
    const options = { projectDir: project }
    const path = join(project, '.forge', 'memory-captures.jsonl')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, before + torn.slice(0, length))
    // Furnished already: making this file safely costs more than all the rest.
    writeFileSync(join(project, '.forge', '.gitignore'), '')
    const outcome = captureMemory({ type: 'convention', body: sentenceOf(3) }, options)
    assert.equal(outcome.captured, true)
    const lines = physicalLines(path)
    assert.equal(lines.length, 3, `cut after ${length}`)
    assert.deepEqual([lines[0], lines[1]], [before.trimEnd(), torn.slice(0, length)])
    assert.equal(JSON.parse(lines[2]).id, outcome.id)
    // Without its line end alone, the record is whole.
    const expected = length === torn.length ? [1, 2, 3] : [1, 3]
    const found = [1, 2, 3].filter((number) => textsOf(recall(`${wordOf(number)}aw`, options)).length === 1)
    assert.deepEqual(found, expected, `cut after ${length}`)
  }
})

test('a byte order mark, CRLF and blank lines are not part of a record', (t) => {
  const memory = freshMemory(t)
  writeRaw(memory, `\ufeff${lineOf(1)}\r\n\r\n\n   \n${lineOf(2)}\r\n`)
  assert.deepEqual([finds(memory, 1), finds(memory, 2)], [[sentenceOf(1)], [sentenceOf(2)]])
  const again = captureMemory({ type: 'convention', body: sentenceOf(1), project: 'shop' }, memory.options)
  assert.deepEqual([again.deduped, again.duplicateOf], [true, 'mem_1'])
})

test('invalid lines are skipped and kept, and do not hide other lines', (t) => {
  const memory = freshMemory(t)
  const bad = [
    'null',
    '42',
    '"text"',
    '[1,2]',
    'true',
    '{"content":"ha',
    '{}',
    '{"content":7}',
    '{"_action":"paint","id":"x"}',
  ]
  const garbage = Buffer.from(
    Array.from({ length: 4096 }, (_, at) => (at * 7919 + 128) % 256).filter((byte) => byte !== 10),
  )
  const pieces = [lineOf(1), ...bad, lineOf(2), garbage, lineOf(3)].flatMap((piece) => [
    Buffer.from(piece),
    Buffer.from('\n'),
  ])
  const content = Buffer.concat(pieces)
  writeRaw(memory, content)
  const outcome = listMemories(memory.options)
  assert.deepEqual([outcome.total, textsOf(outcome).sort()], [3, [1, 2, 3].map(sentenceOf).sort()])
  captureMemory({ type: 'lesson', body: sentenceOf(4) }, memory.options)
  assert.deepEqual(readFileSync(memory.raw).subarray(0, content.length), content)
  for (const number of [1, 2, 3, 4]) assert.deepEqual(finds(memory, number), [sentenceOf(number)])
})

test('a field of the wrong type costs that field and not the record', (t) => {
  const memory = freshMemory(t)
  writeRaw(memory, `${lineOf(1, { tags: 'a', confidence: 'high', captured_at: 5, type: null, id: {} })}\n`)
  const [hit] = recall(`${wordOf(1)}aw`, memory.options).hits
  assert.deepEqual([hit.text, hit.tags, hit.confidence], [sentenceOf(1), [], 0.7])
})

test('a file that an editor rewrites is read again, whether in place or by another file of its name', (t) => {
  const memory = freshMemory(t)
  let time = Date.now()
  const write = {
    'in place': (content) => {
      writeFileSync(memory.raw, content)
      // A while later: the clock of a file system may be coarse, and a change within seconds may be our own.
      time += 3_600_000
      utimesSync(memory.raw, time / 1000, time / 1000)
    },
    'by rename': (content) => {
      writeFileSync(`${memory.raw}.swp`, content)
      renameSync(`${memory.raw}.swp`, memory.raw)
    },
  }
  let number = 10
  const add = () => captureMemory({ type: 'convention', body: sentenceOf(++number) }, memory.options)
  const edits = {
    'with another length': (content, from, to) => content.replace(sentenceOf(from), `${sentenceOf(to)} and more`),
    'with the same length': (content, from, to) => content.replace(sentenceOf(from), sentenceOf(to)),
    'without a line': (content, from) =>
      content
        .split('\n')
        .filter((line) => !line.includes(sentenceOf(from)))
        .join('\n'),
    'with nothing left': () => '',
  }
  // Windows refuses to replace an open file.
  if (isWindows) delete write['by rename']
  for (const [way, rewrite] of Object.entries(write)) {
    for (const [what, edit] of Object.entries(edits)) {
      for (const isRead of [true, false]) {
        add()
        const old = number
        add()
        // Right after a capture of its own, and after a look at the file.
        if (isRead) assert.equal(finds(memory, old).length, 1)
        number++
        rewrite(edit(readFileSync(memory.raw, 'utf8'), old, number))
        const name = `${way}, ${what}, ${isRead ? 'read before' : 'not read before'}`
        const copy = copied(memory)
        for (const wanted of [old, old + 1, number]) {
          assert.deepEqual([name, wanted - old, finds(memory, wanted)], [name, wanted - old, finds(copy, wanted)])
        }
        assert.deepEqual([name, finds(memory, old)], [name, []])
      }
    }
  }
})

test('readers and writers skip an unterminated line of a gigabyte', (t) => {
  const memory = freshMemory(t)
  writeRaw(memory, `${lineOf(1)}\n`)
  const wide = statSync(memory.raw).size + 2 ** 30
  // A hole in the file: no byte of it is written.
  truncateSync(memory.raw, wide)
  assert.deepEqual(finds(memory, 1), [sentenceOf(1)])
  assert.deepEqual(textsOf(listMemories(memory.options)), [sentenceOf(1)])
  const outcome = captureMemory({ type: 'convention', body: sentenceOf(2) }, memory.options)
  assert.equal(outcome.captured, true)
  assert.deepEqual([finds(memory, 1), finds(memory, 2)], [[sentenceOf(1)], [sentenceOf(2)]])
  assert.equal(showMemory(outcome.id, memory.options).state, 'current')
  const [file] = buildMemoryReport(memory.options).files
  assert.deepEqual([file.name, file.records, file.unparsable], ['memory-captures.jsonl', 2, 1])
  // The record follows the gigabyte on a line of its own.
  assert.equal(
    statSync(memory.raw).size,
    wide + 1 + Buffer.byteLength(`${showMemory(outcome.id, memory.options).record}\n`),
  )
})

test('unknown files and folders under .forge are not changed', (t) => {
  const memory = freshMemory(t)
  const foreign = {
    'liveguard-memories.jsonl': `${lineOf(1)}\n{"torn":`,
    'runs/2026-01-01/brain-state.json': '{"session.context":1}',
    'anvil/stats.json': 'not json',
    'notes.txt': 'mine',
    'memory/other.jsonl': 'null\n',
    '.gitignore': '# mine\n',
    'openbrain-stats.jsonl': '{"_v":1,"attempted":"many"}\n[]\n',
    'memory-search-cache.jsonl': '\u0000\n{"key":1}\n',
    'openbrain-dlq.jsonl': '{"_status":"failed"}\n',
  }
  for (const [name, content] of Object.entries(foreign)) {
    mkdirSync(dirname(memory.forge(name)), { recursive: true })
    writeFileSync(memory.forge(name), content)
  }
  const { id } = captureMemory({ type: 'lesson', body: sentenceOf(2) }, memory.options)
  memorySave({ category: 'convention', pattern: sentenceOf(3) }, memory.options)
  editMemory(id, { body: sentenceOf(4) }, memory.options)
  forget(id, memory.options)
  recall('anything', memory.options)
  buildMemoryReport(memory.options)
  diagnose(memory.options)
  settleIndex(memory.options)
  for (const [name, content] of Object.entries(foreign)) {
    assert.deepEqual([name, readFileSync(memory.forge(name), 'utf8')], [name, content])
  }
})

test('folders with the names of files are mentioned by recall, refused by list, and reported', (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.raw, { recursive: true })
  mkdirSync(memory.patterns, { recursive: true })
  const outcome = recall('anything', memory.options)
  assert.deepEqual(outcome.hits, [])
  assert.match(outcome.message, /Not searched: .*memory-captures\.jsonl/)
  assert.match(outcome.message, /project\.jsonl/)
  assert.throws(() => listMemories(memory.options), { code: 'UNSAFE_PATH', message: /memory-captures\.jsonl/ })
  assert.equal(typeof memoryRecall({ query: 'anything' }, memory.options).text, 'string')
  assert.equal(buildMemoryReport(memory.options).forgeDirExists, true)
  assert.ok(diagnose(memory.options).some(({ severity }) => severity === 'problem'))
})

test('a search of a memory that cannot be read does not say that nothing is stored', (t) => {
  const command = freshCommand(t)
  json(command, ['add', '-t', 'lesson', 'The gate needs a key'])
  const raw = join(command.project, '.forge', 'memory-captures.jsonl')
  renameSync(raw, join(command.folder, 'elsewhere.jsonl'))
  symlinkSync(join(command.folder, 'elsewhere.jsonl'), raw)
  const { stdout, stderr } = command.run(['find', 'gate'])
  assert.match(stdout + stderr, /Not searched: .*memory-captures\.jsonl/)
  assert.doesNotMatch(stdout + stderr, /Nothing is stored/)
})

function beginsAnew(t) {
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: sentenceOf(1) }, memory.options)
  memorySave({ category: 'convention', pattern: sentenceOf(2) }, memory.options)
  rmSync(memory.forge(), { recursive: true })
  assert.deepEqual([finds(memory, 1), finds(memory, 2)], [[], []])
  const outcome = captureMemory({ type: 'lesson', body: sentenceOf(1) }, memory.options)
  assert.deepEqual(
    [outcome.captured, ...Object.values(outcome.tiers)],
    [true, { ok: true }, { ok: true }, { ok: true }],
  )
  assert.equal(memorySave({ category: 'convention', pattern: sentenceOf(2) }, memory.options).status, 'saved')
  for (const name of ['memory-captures.jsonl', 'lessons.jsonl', 'openbrain-queue.jsonl', 'hub-events.jsonl']) {
    assert.deepEqual([name, physicalLines(memory.forge(name)).length], [name, 1])
  }
  for (const options of [memory.options, reopened(memory)]) assert.equal(listMemories(options).total, 2)
}

function locksAnew(t) {
  const memory = freshMemory(t)
  const write = (number) => {
    captureMemory({ type: 'lesson', body: sentenceOf(number) }, memory.options)
    memorySave({ category: 'convention', pattern: sentenceOf(number) }, memory.options)
    memorySave({ category: 'convention', pattern: sentenceOf(number), scope: 'global' }, memory.options)
  }
  const folders = [memory.forge('locks'), join(memory.home, 'locks')]
  const lockFiles = () =>
    folders.map((folder) =>
      readdirSync(folder)
        .filter((name) => !name.startsWith('index-') && name !== 'machine-key.lock')
        .sort(),
    )
  write(1)
  const before = lockFiles()
  assert.ok(before.every((names) => names.length > 0))
  for (const folder of folders) rmSync(folder, { recursive: true })
  write(2)
  // On a file without a name, two processes would lock two different ones.
  assert.deepEqual(lockFiles(), before)
}

// Windows refuses to delete a folder with open files.
if (!isWindows) {
  test('a memory that is deleted under a running process is created again', beginsAnew)
  test('a lock file that is deleted under a running process is opened again by its path', locksAnew)
}
