import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  buildHallmark,
  captureMemory,
  compactMemory,
  editMemory,
  exportMemory,
  forget,
  hallmark,
  hallmarkProblems,
  importMemory,
  listMemories,
  migrateMemory,
  verifyHallmark,
  verifyMemory,
  workProgress,
} from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshMemory, isWindows, physicalLines, sentenceOf, treeOf } from './support/memory.mjs'
import { runTogether, startChild } from './support/processes.mjs'
import { filesUnder, readLines } from './support/project.mjs'

const log = (command) => join(command.project, '.forge', 'memory-captures.jsonl')

test('verify tells intact, edited, drifted, unstamped and damaged, and its exit code is for CI', (t) => {
  const command = freshCommand(t)
  writeFileSync(join(command.project, 'pool.js'), 'export const size = 4\n')
  const options = { projectDir: command.project }
  captureMemory({ type: 'lesson', body: 'The pool has four', sourceFile: 'pool.js', byteRange: [0, 21] }, options)
  captureMemory({ type: 'lesson', body: 'Something else' }, options)
  const sound = json(command, ['verify'])
  assert.deepEqual([sound.ok, sound.records, sound.intact, sound.coverage], [true, 2, 2, 1])
  writeFileSync(join(command.project, 'pool.js'), 'export const size = 9\n')
  const [first, second] = physicalLines(log(command))
  const unstamped = '{"_v":1,"id":"mem_u","content":"Unstamped","type":"insight"}'
  writeFileSync(log(command), [first, second.replace('else', 'other'), unstamped, 'broken', ''].join('\n'))
  const { status, stdout } = command.run(['verify', '--json'])
  const found = JSON.parse(stdout)
  assert.equal(status, 1)
  assert.deepEqual([found.intact, found.edited, found.drifted, found.unstamped, found.damaged], [0, 1, 1, 1, 1])
  assert.deepEqual(
    found.suspects.map(({ standing, line }) => [standing, line]),
    [
      ['drifted', 1],
      ['edited', 2],
      ['damaged', 4],
    ],
  )
  writeFileSync(log(command), `${unstamped}\n`)
  assert.equal(command.run(['verify']).status, 0)
  assert.equal(command.run(['verify', '--strict']).status, 1)
})

test('hallmarks are made for objects and lines alike, and wrong ones are named', (t) => {
  const { options } = freshMemory(t)
  const record = { content: 'x', tags: [1.0, 'é'] }
  const made = buildHallmark({ toolName: 'forge_sweep', record, ...options })
  assert.deepEqual(hallmarkProblems(JSON.stringify(made)), [])
  assert.equal(
    hallmark.buildHallmark({ toolName: 'forge_sweep', record: JSON.stringify(record) }).contentHash,
    made.contentHash,
  )
  assert.deepEqual(verifyHallmark({ ...record, hallmark: made }, options), { ok: true, standing: 'intact' })
  assert.equal(verifyHallmark({ ...record, content: 'y', hallmark: made }, options).standing, 'edited')
  assert.throws(() => buildHallmark({ toolName: '' }), { code: 'INVALID_INPUT' })
  assert.throws(() => buildHallmark({ toolName: 't', sourceFile: '../x', ...options }), { code: 'INVALID_INPUT' })
  assert.throws(() => captureMemory({ type: 'a', body: 'b', sourceFile: '/etc/x' }, options), { code: 'INVALID_INPUT' })
})

test('migrate-memory lists the changes, keeps the originals and finishes in one run', (t) => {
  const command = freshCommand(t)
  const forge = join(command.project, '.forge')
  mkdirSync(forge)
  writeFileSync(log(command), '\ufeff{"content":"Old","type":"lesson"}\r\n{"_v":1,"id":"mem_x","content":"Torn"}')
  writeFileSync(join(forge, 'drift-history.json'), JSON.stringify([{ score: 1 }, { score: 2 }], null, 2))
  writeFileSync(join(forge, 'lessons.jsonl'), '{"_v":7,"content":"From the future"}\n')
  const before = treeOf(forge)
  const dry = command.run(['migrate-memory', '--dry-run'])
  assert.equal(dry.status, 0)
  assert.match(dry.stdout, /drift-history\.json +moved to drift-history\.jsonl/)
  assert.match(dry.stdout, /memory-captures\.jsonl +migrated .*byte order mark, CRLF, no final newline/)
  assert.match(dry.stderr, /warning: lessons\.jsonl was not changed/)
  assert.deepEqual(treeOf(forge), before)
  const done = json(command, ['migrate-memory'])
  assert.equal(done.changed, 3)
  assert.equal(readFileSync(join(done.backup, 'memory-captures.jsonl'), 'utf8').charCodeAt(0), 0xfeff)
  assert.deepEqual(
    readLines(forge, 'drift-history.jsonl').map(({ score }) => score),
    [1, 2],
  )
  assert.equal(json(command, ['migrate-memory']).backup, undefined)
  assert.equal(listMemories({ projectDir: command.project }).total, 2)
})

test('captures made while the memory is migrated and compacted all survive', async (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'convention', body: 'The first of all' }, memory.options)
  const writers = Array.from({ length: 4 }, (_, writer) =>
    startChild(t, 'captures', memory, {
      captures: Array.from({ length: 150 }, (_, at) => ({ type: 'convention', body: sentenceOf(writer * 1000 + at) })),
    }),
  )
  const upkeep = startChild(t, 'upkeep', memory, { rounds: 15 })
  const results = await runTogether([...writers, upkeep])
  const { migrated } = results.pop()
  assert.equal(migrated, 15)
  const captured = results.flat()
  assert.ok(captured.every((result) => result.captured))
  for (const path of [memory.raw, memory.forge('conventions.jsonl')]) {
    const ids = physicalLines(path)
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).id)
    assert.ok(
      captured.every(({ id }) => ids.filter((known) => known === id).length === 1),
      path,
    )
  }
  assert.equal(listMemories({ ...memory.options, limit: 1000 }).total, 600 + 1 + 15)
})

test('compact removes dead records and reports them', (t) => {
  const memory = freshMemory(t)
  const { id } = captureMemory({ type: 'convention', body: 'An early text' }, memory.options)
  const edited = editMemory(id, { body: 'A later text' }, memory.options)
  captureMemory({ type: 'convention', body: 'Something that stays' }, memory.options)
  assert.equal(compactMemory({ ...memory.options, dryRun: true }).removed, 2)
  const report = compactMemory(memory.options)
  assert.deepEqual([report.removed, existsSync(report.backup)], [2, true])
  assert.deepEqual(
    physicalLines(memory.raw).map((line) => JSON.parse(line).content),
    ['A later text', 'Something that stays'],
  )
  forget(edited.id, memory.options)
  assert.equal(listMemories(memory.options).total, 1)
})

test('a folder that may not be written stops a migration before anything changes', (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.forge())
  writeFileSync(memory.raw, '{"content":"Old","type":"lesson"}\n')
  if (isWindows || process.getuid?.() === 0) {
    // Permissions bind neither; a file where a folder has to be binds everybody.
    writeFileSync(memory.forge('locks'), '')
  } else {
    chmodSync(memory.forge(), 0o500)
    t.after(() => chmodSync(memory.forge(), 0o700))
  }
  assert.throws(() => migrateMemory(memory.options), { code: 'IO' })
  assert.equal(readFileSync(memory.raw, 'utf8'), '{"content":"Old","type":"lesson"}\n')
})

/** Runs git without the settings of the user who runs the tests. */
function git(command, ...args) {
  const env = { ...command.env(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const settings = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false']
  const { status, stdout, stderr } = spawnSync('git', [...settings, ...args], {
    cwd: command.project,
    env,
    encoding: 'utf8',
  })
  return { status, text: `${stdout}${stderr}` }
}

test('git merges two branches of a memory by record, with the driver and without', (t) => {
  for (const withDriver of [true, false]) {
    const command = freshCommand(t)
    const options = { projectDir: command.project }
    const inGit = (...args) => {
      const { status, text } = git(command, ...args)
      assert.equal(status, 0, text)
    }
    inGit('init', '-q', '-b', 'main')
    if (withDriver) {
      writeFileSync(join(command.project, '.gitattributes'), '.forge/*.jsonl merge=forge-memory\n')
      const driver = `"${process.execPath}" "${command.program}" merge-driver %O %A %B`
      inGit('config', 'merge.forge-memory.driver', driver)
    }
    const { id } = captureMemory({ type: 'convention', body: 'Common ground' }, options)
    inGit('add', '-A')
    inGit('commit', '-qm', 'base')
    inGit('checkout', '-qb', 'other')
    editMemory(id, { body: 'Common ground, edited elsewhere' }, options)
    captureMemory({ type: 'convention', body: 'Learned on the branch' }, options)
    inGit('commit', '-qam', 'other')
    inGit('checkout', '-q', 'main')
    forget(id, options)
    captureMemory({ type: 'convention', body: 'Learned meanwhile' }, options)
    inGit('commit', '-qam', 'main')
    const merged = git(command, 'merge', '-q', 'other')
    if (withDriver) {
      assert.equal(merged.status, 0, merged.text)
    } else {
      assert.notEqual(merged.status, 0)
      assert.match(readFileSync(log(command), 'utf8'), /^<<<<<<< /m)
      assert.match(command.run(['doctor']).stdout, /CONFLICT_MARKERS/)
      const fixed = json(command, ['doctor', '--fix'])
      assert.equal(fixed.healed.files.length, 2)
    }
    const texts = json(command, ['list']).entries.map(({ text }) => text)
    assert.deepEqual(texts.sort(), ['Learned meanwhile', 'Learned on the branch'], `driver: ${withDriver}`)
    assert.equal(json(command, ['verify']).ok, true)
  }
})

test('the driver keeps our version when it cannot read the others', (t) => {
  const command = freshCommand(t, { FORGE_AS: '' })
  const ours = join(command.folder, 'ours')
  writeFileSync(ours, '{"id":"mem_a","content":"a"}\n')
  const { status } = command.run(['merge-driver', join(command.folder, 'none'), ours, ours])
  assert.equal(status, 1)
  assert.equal(readFileSync(ours, 'utf8'), '{"id":"mem_a","content":"a"}\n')
  assert.deepEqual(filesUnder(command.folder), ['ours'])
})

test('export and import by command count what they did', (t) => {
  const command = freshCommand(t)
  for (const body of ['Close the pool', 'Mind the gap\non two lines']) {
    command.run(['capture', '--type', 'lesson', '-'], { input: body })
  }
  assert.match(command.run(['export']).stdout, /^\{"_export":"forge-memory\/1".*\n(\{.*\}\n){2}$/)
  assert.equal(json(command, ['export', '--format', 'md', '--output', 'memory.md']).records, 2)
  assert.match(readFileSync(join(command.project, 'memory.md'), 'utf8'), /\n- Mind the gap\n {2}on two lines\n/)
  for (const path of ['../out.jsonl', '.forge/out.jsonl', 'memory.md']) {
    const { status, stderr } = command.run(['export', '--output', path])
    assert.equal(status, 2, stderr)
  }
  const elsewhere = join(command.folder, 'elsewhere')
  mkdirSync(elsewhere)
  const source = join(command.project, 'memory.md')
  const into = (...more) => command.run(['import', source, '--project', elsewhere, ...more]).stdout
  assert.equal(into('--dry-run'), 'forge-memory: 2 read, 2 new, 0 duplicates, 0 lost.\nNothing was written.\n')
  assert.equal(existsSync(join(elsewhere, '.forge')), false)
  assert.equal(into(), 'forge-memory: 2 read, 2 new, 0 duplicates, 0 lost.\n')
  assert.equal(into(), 'forge-memory: 2 read, 0 new, 2 duplicates, 0 lost.\n')
  writeFileSync(source, readFileSync(source, 'utf8').slice(0, 600))
  const cut = command.run(['import', source, '--project', elsewhere])
  assert.deepEqual([cut.status, /\(CORRUPT\)/.test(cut.stderr)], [1, true])
  assert.throws(() => importMemory('', {}), { code: 'INVALID_INPUT' })
  assert.equal(exportMemory({ projectDir: elsewhere }).records, 2)
})

test('verify --repair rebuilds derived files and quarantines bad lines', (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'Close the pool' }, memory.options)
  const lessons = readFileSync(memory.forge('lessons.jsonl'), 'utf8')
  writeFileSync(memory.forge('lessons.jsonl'), 'broken\n')
  const found = verifyMemory({ ...memory.options, repair: true })
  assert.equal(readFileSync(memory.forge('lessons.jsonl'), 'utf8'), lessons)
  const [repaired] = found.repaired
  assert.deepEqual([repaired.name, repaired.added, repaired.quarantined], ['lessons.jsonl', 1, 1])
  assert.equal(readFileSync(repaired.quarantine, 'utf8'), 'broken\n')
  const { done, total } = workProgress(memory.options)
  assert.ok(total > 0 && done === total)
})

test('doctor --audit gives one score with its parts, and --redact fixes the findings', (t) => {
  const command = freshCommand(t)
  const token = `gh${'p_'}0123456789abcdefghijklmnopqrstuvwxyzAB`
  mkdirSync(join(command.project, '.forge'))
  writeFileSync(log(command), `{"_v":1,"id":"mem_s","content":"The token is ${token}","type":"lesson"}\n`)
  const { stdout } = command.run(['doctor', '--audit'])
  assert.match(stdout, /secrets +1 +100\.0 % +-30\.0 +mem_s/)
  assert.match(stdout, /1 record, score 70\.0 of 100\./)
  const { redacted, score } = json(command, ['doctor', '--redact'])
  assert.deepEqual([redacted.secrets, score], [1, 100])
  assert.equal(readFileSync(log(command), 'utf8').includes(token), false)
})
