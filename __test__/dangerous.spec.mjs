import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { hasTerminal, onTerminal } from './support/terminal.mjs'

test('the terminal of these tests is there', () => {
  assert.ok(hasTerminal || process.platform !== 'linux', 'the program `script` is missing')
})

test('every command that deletes has a dry run and --yes', (t) => {
  const command = freshCommand(t)
  for (const name of [
    ['compact'],
    ['doctor'],
    ['forget'],
    ['history', 'forget'],
    ['store', 'retain'],
    ['dlq', 'drop'],
    ['ralph', 'clear'],
    ['model', 'remove'],
    ['init'],
  ]) {
    const { stdout } = command.run(['help', ...name])
    assert.match(stdout, /--dry-run/, name.join(' '))
    assert.match(stdout, /--yes/, name.join(' '))
  }
})

function withRecords(t, ...texts) {
  const command = freshCommand(t)
  const ids = texts.map((text) => json(command, ['capture', '--type', 'lesson', text]).id)
  const left = () => json(command, ['list']).entries.map(({ text }) => text)
  const log = join(command.project, '.forge', 'memory-captures.jsonl')
  return { command, ids, left, log }
}

test('forget takes several ids, and shows them first on request', (t) => {
  const { command, ids, left } = withRecords(t, 'the first', 'another second', 'and a third')
  const dry = command.run(['forget', '--dry-run', ids[0], ids[1].slice(-8)])
  assert.equal(dry.status, 0, dry.stderr)
  assert.match(dry.stdout, /the first\n.*another second\n\n2 memories would be forgotten\. Nothing was written\.\n$/)
  assert.equal(left().length, 3)
  const { dryRun, entries } = json(command, ['forget', '--dry-run', ids[2], ids[2].slice(-8)])
  assert.deepEqual([dryRun, entries.map(({ id }) => id)], [true, [ids[2]]])
  // Scripts are not asked.
  const { status, stdout } = command.run(['forget', ids[0], ids[1]])
  assert.deepEqual([status, stdout], [0, 'Forgot 2 memories: no search will return them any more.\n'])
  assert.deepEqual(left(), ['and a third'])
})

test('an unknown id among several is refused before anything is forgotten', (t) => {
  const { command, ids, left } = withRecords(t, 'the first', 'another second')
  for (const args of [
    [ids[0], 'ffffffff'],
    ['ffffffff', ids[0]],
    ['--dry-run', ids[0], 'ffffffff'],
  ]) {
    const { status, stderr } = command.run(['forget', ...args])
    assert.equal(status, 1)
    assert.match(stderr, /^error: .*ffffffff.* \(NOT_FOUND\)/)
  }
  assert.equal(left().length, 2)
})

test('a terminal asks before several memories are forgotten, and --yes does not', (t) => {
  const { command, ids, left } = withRecords(t, 'the first', 'another second', 'and a third', 'the fourth of them')
  const no = onTerminal(command, ['forget', ids[0], ids[1]], 'no\n')
  assert.deepEqual([no.status, left().length], [1, 4])
  assert.match(no.screen, /the first[\s\S]*Forget these 2 memories\? \(y\/n\)[\s\S]*Nothing was forgotten\./)
  assert.equal(onTerminal(command, ['forget', ids[0], ids[1]], 'y\n').status, 0)
  assert.equal(left().length, 2)
  assert.equal(onTerminal(command, ['forget', '--yes', ids[2], ids[3]], '').status, 0)
  assert.equal(left().length, 0)
})

test('a terminal asks before compact, which shows what it would remove; a script is not asked', (t) => {
  const { command, ids, log } = withRecords(t, 'the first', 'another second')
  command.run(['forget', ids[0]])
  const before = readFileSync(log, 'utf8')
  const no = onTerminal(command, ['compact'], 'no\n')
  assert.deepEqual([no.status, readFileSync(log, 'utf8')], [1, before])
  assert.match(no.screen, /FORGOTTEN[\s\S]*Remove \d+ lines?, and with them their history\? \(y\/n\)/)
  const { status, stdout } = command.run(['compact'])
  assert.equal(status, 0)
  assert.match(stdout, /removed\. The originals are in /)
  // Nothing is left to ask about.
  assert.equal(onTerminal(command, ['compact'], '').status, 0)
})

const MARKERS = (line) => `<<<<<<< ours\n${line}=======\n${line}>>>>>>> theirs\n`

test('doctor --fix heals what a merge left before it sets damaged lines aside', (t) => {
  const { command, log, left } = withRecords(t, 'the first', 'another second')
  const lines = readFileSync(log, 'utf8')
  const [last] = lines.trimEnd().split('\n').slice(-1)
  writeFileSync(log, `${lines.slice(0, -last.length - 1)}${MARKERS(`${last}\n`)}`)
  appendFileSync(log, '{"broken\n')
  const damaged = readFileSync(log, 'utf8')
  const dry = command.run(['doctor', '--fix', '--dry-run'])
  assert.equal(readFileSync(log, 'utf8'), damaged, dry.stdout)
  const { healed, repaired, findings } = json(command, ['doctor', '--fix', '--yes'])
  assert.equal(healed.files[0].markers, 1)
  assert.deepEqual(
    repaired.filter(({ quarantined }) => quarantined > 0).map(({ quarantined }) => quarantined),
    [1],
  )
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'problem'),
    [],
  )
  assert.deepEqual(left().sort(), ['another second', 'the first'])
  assert.equal(command.run(['verify']).status, 0)
  const asked = onTerminal(command, ['doctor', '--fix'], 'no\n')
  assert.match(asked.screen, /Heal what merges left[\s\S]*Nothing was written\./)
})

test('verify --repair still repairs, and help names doctor --fix in its place', (t) => {
  const { command, log } = withRecords(t, 'the first')
  appendFileSync(log, '{"broken\n')
  assert.equal(command.run(['verify']).status, 1)
  assert.equal(json(command, ['verify', '--repair']).repaired[0].quarantined, 1)
  const { stdout } = command.run(['verify', '--help'])
  assert.ok(!stdout.includes('--repair'))
  assert.match(stdout, /doctor --fix/)
})

test('doctor --redact shows the secrets, asks on a terminal, and removes them in a script', (t) => {
  const { command, log } = withRecords(t, 'the first')
  const secret = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`
  const [line] = readFileSync(log, 'utf8').split('\n')
  appendFileSync(log, `${line.replace('the first', `token ${secret}`).replace(/mem_\w{6}/, 'mem_aaaaaa')}\n`)
  const holds = () => readFileSync(log, 'utf8').includes(secret)
  const dry = command.run(['doctor', '--redact', '--dry-run'])
  assert.deepEqual([dry.status, holds()], [0, true])
  assert.match(dry.stdout, /secrets +1/)
  const no = onTerminal(command, ['doctor', '--redact'], 'no\n')
  assert.deepEqual([no.status, holds()], [1, true])
  assert.match(no.screen, /The originals are not kept\. \(y\/n\)/)
  assert.equal(command.run(['doctor', '--redact']).status, 0)
  assert.ok(!holds())
})

test('dlq drop and ralph clear have a dry run', (t) => {
  const command = freshCommand(t)
  assert.match(command.run(['dlq', 'drop', '--all', '--dry-run']).stdout, /^0 dead letters would be deleted/)
  command.run(['ralph', 'add', '--loop-id', 'one', 'a lesson of a loop'])
  const { status, stdout } = command.run(['ralph', 'clear', '--dry-run'])
  assert.equal(status, 0)
  assert.match(stdout, /This will permanently delete 1 memory entry\.[\s\S]*Nothing was deleted\.\n$/)
  assert.doesNotMatch(stdout, /confirm/)
  assert.equal(json(command, ['ralph', 'list']).entries.length, 1)
  assert.ok(existsSync(command.project) && readdirSync(command.project).length > 0)
})
