// What colleagues decide holds on every machine, the author's first: the shared store sends it back, it is received into the own log, and every answer
// knows it, also without the store.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { runBeside } from './support/command.mjs'
import { configured } from './support/company.mjs'
import { execute, startPostgres } from './support/postgres.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

async function say(command, ...args) {
  const { status, stdout, stderr } = await runBeside(command, ['--json', ...args])
  assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

const add = async (command, text) => (await say(command, 'capture', '-t', 'decision', text)).thought.id
const drain = async (...commands) => {
  for (const command of commands) assert.equal((await say(command, 'drain')).state, 'done')
}
const linesOf = ({ project }) =>
  readFileSync(join(project, '.forge/memory-captures.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The ids that each surface of a machine shows as current, without asking a store. */
async function shown({ project, ...command }) {
  const machine = { project, ...command }
  const path = join(project, '.forge.json')
  const settings = readFileSync(path, 'utf8')
  writeFileSync(path, JSON.stringify({ projectName: 'shop', openbrain: { url: 'file' }, embedder: { kind: 'none' } }))
  const ids = async (...args) => JSON.stringify(await say(machine, ...args))
  const surfaces = {
    find: await ids('find', 'gateway port'),
    list: await ids('list'),
    recall: await ids('recall', 'gateway port'),
    export: (await runBeside(machine, ['export', '-'])).stdout,
    session: (
      await runBeside(
        machine,
        ['hook', 'SessionStart'],
        undefined,
        JSON.stringify({ cwd: project, session_id: 's', hook_event_name: 'SessionStart' }),
      )
    ).stdout,
  }
  writeFileSync(path, settings)
  return surfaces
}

async function machines(t, count = 2) {
  const url = await server.database()
  return { url, all: Array.from({ length: count }, () => configured(t, url)) }
}

const TEXT = 'The atlas gateway listens on port 8001'

for (const [how, change] of [
  [
    'replaces',
    async (b, id) =>
      void (await say(b, 'replace', id, '--by', await add(b, 'Nothing of atlas is reached from outside'))),
  ],
  ['retires', (b, id) => say(b, 'replace', id, '--why', 'the service is gone')],
  ['edits', (b, id) => say(b, 'edit', id, 'The atlas gateway listens on port 9001')],
  ['forgets', (b, id) => say(b, 'forget', id, '--yes')],
]) {
  test(`what a colleague ${how} is current on no surface of its author's machine`, async (t) => {
    const { all } = await machines(t)
    const [a, b] = all
    const id = await add(a, TEXT)
    await drain(a)
    await change(b, id)
    await drain(b, a)
    for (const [surface, text] of Object.entries(await shown(a))) {
      assert.ok(!text.includes(TEXT), `${surface}: ${text}`)
    }
    const lines = linesOf(a)
    await drain(a, b, a)
    assert.deepEqual(linesOf(a), lines, 'it is received once, and sent to the store by no one again')
  })
}

test('keep of what a colleague retired makes it current on every machine, and says so', async (t) => {
  const { all } = await machines(t, 3)
  const [a, b, c] = all
  const id = await add(a, TEXT)
  await drain(a)
  await say(b, 'replace', id, '--why', 'the service is gone')
  await drain(b, a)
  assert.deepEqual(await say(c, 'find', '--shared', 'atlas gateway').then(({ thoughts }) => thoughts), [])
  assert.equal((await say(a, 'keep', id)).kept, true)
  assert.ok((await shown(a)).find.includes(TEXT))
  await drain(a, b, c)
  for (const machine of all) {
    const { thoughts } = await say(machine, 'find', '--shared', 'atlas gateway')
    assert.deepEqual(
      thoughts.map((one) => one.id),
      [id],
    )
  }
})

test('two machines that retire each other’s record agree with the store', async (t) => {
  const { all } = await machines(t)
  const [a, b] = all
  const mine = await add(a, TEXT)
  const theirs = await add(b, 'Nothing of atlas is reached from outside the office')
  await drain(a, b, a)
  await say(a, 'replace', theirs, '--by', mine)
  await say(b, 'replace', mine, '--by', theirs)
  await drain(a, b, a, b)
  const inStore = (await say(a, 'find', '--shared', 'atlas gateway outside office')).thoughts.map(({ id }) => id)
  const own = [await shown(a), await shown(b)].map(({ list }) => [mine, theirs].filter((id) => list.includes(id)))
  assert.deepEqual(
    own.map((ids, at) => ids.includes([mine, theirs][at])),
    [mine, theirs].map((id) => inStore.includes(id)),
  )
})

test('a log that was replaced by an older one gets what it lacks again', async (t) => {
  const { all } = await machines(t)
  const [a, b] = all
  const id = await add(a, TEXT)
  await drain(a)
  const path = join(a.project, '.forge/memory-captures.jsonl')
  const before = readFileSync(path)
  await say(b, 'replace', id, '--why', 'the service is gone')
  await drain(b, a)
  rmSync(path)
  writeFileSync(path, before)
  assert.ok((await shown(a)).find.includes(TEXT))
  await drain(a)
  assert.ok(!(await shown(a)).find.includes(TEXT))
})

test('a decision whose transaction commits late is received, and one about records of others is not', async (t) => {
  const { url, all } = await machines(t, 1)
  const [a] = all
  const id = await add(a, TEXT)
  await drain(a)
  const rule = (of, project) => `insert into forge_memory.rulings (id, kind, said_at, project, xact)
    values ('${of}', 'retire', now() + interval '1 second', '${project}', '3'::xid8)`
  await execute(url, rule('mem_of_nobody_here', 'shop'))
  await execute(url, rule(id, 'bank'))
  await drain(a)
  assert.equal(linesOf(a).length, 1)
  await execute(url, rule(id, 'shop'))
  await drain(a)
  assert.deepEqual(
    linesOf(a)
      .slice(1)
      .map(({ _action, id: of }) => [_action, of]),
    [['retire', id]],
  )
})

/** Two records of two machines that contradict each other: neither may retire the other, so that a person decides. */
async function contradiction(t, count) {
  const { url, all } = await machines(t, count)
  const [a, b] = all
  const mine = await add(a, TEXT)
  await drain(a)
  const theirs = await add(b, 'The atlas gateway listens on port 9001')
  await drain(b)
  const conflict = `insert into forge_memory.rulings (id, kind, other, why, said_at, project)
    values ('${mine}', 'conflict', '${theirs}', 'number', now(), 'shop')`
  await execute(url, conflict)
  return { all, mine, theirs }
}

test('a contradiction between machines is listed on each of them with both texts, and settled on a third', async (t) => {
  const { all, mine, theirs } = await contradiction(t, 3)
  const [a, b, c] = all
  await drain(a, b)
  for (const machine of all) {
    const { conflicts } = await say(machine, 'review', '--list')
    assert.deepEqual(
      conflicts.map(({ newer, older }) => [newer.id, older.id]),
      [[theirs, mine]],
    )
    assert.deepEqual(
      [conflicts[0].newer.text, conflicts[0].older.text],
      ['The atlas gateway listens on port 9001', TEXT],
    )
  }
  assert.deepEqual((await say(c, 'review', '--resolve', mine, theirs, '--holds', 'newer')).retired, [mine])
  await drain(c, a, b)
  for (const machine of all) {
    assert.deepEqual((await say(machine, 'review', '--list')).conflicts, [])
    const { thoughts } = await say(machine, 'find', '--shared', 'atlas gateway port')
    assert.deepEqual(
      thoughts.map(({ id }) => id),
      [theirs],
    )
  }
  assert.ok(!(await shown(a)).find.includes(TEXT))
})

test('keep on a machine that has neither record makes it current everywhere; of a replaced revision it says that it cannot', async (t) => {
  const { all } = await machines(t, 3)
  const [a, b, c] = all
  const id = await add(a, TEXT)
  const revised = await add(a, 'The release is built on a tag')
  const { id: newer } = await say(a, 'edit', revised, 'The release is built on a signed tag')
  await drain(a)
  await say(b, 'replace', id, '--why', 'the service is gone')
  await drain(b)
  assert.equal((await say(c, 'keep', id)).kept, true)
  await drain(c, a, b)
  assert.deepEqual(
    (await say(b, 'find', '--shared', 'atlas gateway')).thoughts.map((one) => one.id),
    [id],
  )
  assert.ok((await shown(a)).find.includes(TEXT))
  const { status, stderr } = await runBeside(c, ['keep', revised])
  assert.notEqual(status, 0)
  assert.match(stderr, /has a newer revision in the shared store/)
  assert.ok(newer)
})

test('keep on the author’s machine asks the store, before what a colleague decided was received', async (t) => {
  const { all } = await machines(t)
  const [a, b] = all
  const id = await add(a, TEXT)
  await drain(a)
  await say(b, 'replace', id, '--why', 'the service is gone')
  await drain(b)
  assert.equal((await say(a, 'keep', id)).kept, true)
  await drain(a)
  assert.deepEqual(
    (await say(b, 'find', '--shared', 'atlas gateway')).thoughts.map((one) => one.id),
    [id],
  )
})

test('what a colleague has forgotten does not look like a store that was restored', async (t) => {
  const { all } = await machines(t)
  const [a, b] = all
  const id = await add(a, TEXT)
  await drain(a)
  await say(b, 'forget', id, '--yes')
  await drain(b)
  const report = await say(a, 'drain')
  assert.deepEqual([report.resent, report.attempted], [undefined, 0])
})
