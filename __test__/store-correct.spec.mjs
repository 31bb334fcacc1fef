// What a colleague stored is shown, rated, corrected and forgotten by its id, from every door, although no file of one's own has it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { freshCommand, runBeside } from './support/command.mjs'
import { configured, foundCompany } from './support/company.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const PATIENT = { openbrain: { recallTimeoutMs: 60_000 } }

/** Two people with homes of their own and one database. */
const onPostgres = async (t) => {
  const url = await server.database()
  return [1, 2].map(() => configured(t, url, { openbrain: { ...PATIENT.openbrain, url } }))
}
/** Makes a folder a clone of one repository. */
function clone(project) {
  for (const words of [
    ['init', '-q', '.'],
    ['remote', 'add', 'origin', 'https://github.com/acme/shop.git'],
  ])
    assert.equal(spawnSync('git', words, { cwd: project }).status, 0)
}

/** Two clones of one project of one user, who share the store of the home. */
const onEmbedded = async (t) => {
  const all = [1, 2].map(() => freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' }))
  for (const { project } of all) {
    clone(project)
    writeFileSync(join(project, '.forge.json'), JSON.stringify({ embedder: { kind: 'none' }, ...PATIENT }))
  }
  return all.map((one) => ({ ...one, env: (extra) => one.env({ FORGE_HOME: all[0].home, ...extra }) }))
}

const ANNA = { FORGE_CREATED_BY: 'anna@example.org' }

async function run(command, args, env) {
  const { status, stdout, stderr } = await runBeside(command, ['--json', ...args], env)
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

async function say(command, args, env) {
  const answer = await run(command, args, env)
  assert.equal(answer.status, 0, `${args.join(' ')}: ${JSON.stringify(answer)}`)
  return answer
}

const capture = async (command, text, ...more) =>
  (await say(command, ['capture', '-t', 'decision', text, ...more])).thought.id
const drain = async (command, env) => assert.equal((await say(command, ['drain'], env)).state, 'done')
const found = async (command, query) => (await say(command, ['search', query])).thoughts.map(({ id }) => id)
const own = async (command) => (await say(command, ['list'])).entries

const QUAY = 'The harbour API listens on port 8080'

/** Anna's record, which is in no file of Ben's. */
async function stored(machines, t, text = QUAY) {
  const [anna, ben] = await machines(t)
  const id = (await say(anna, ['capture', '-t', 'decision', text], ANNA)).thought.id
  await drain(anna, ANNA)
  assert.deepEqual(await own(ben), [])
  return { anna, ben, id }
}

for (const [name, machines] of [
  ['PostgreSQL', onPostgres],
  ['the embedded store', onEmbedded],
]) {
  test(`${name}: show has the text, the author and what became of it, also by a piece of the id`, async (t) => {
    const { anna, ben, id } = await stored(machines, t)
    for (const named of [id, id.slice(-8)]) {
      const shown = await say(ben, ['show', named])
      assert.deepEqual([shown.entry.id, shown.entry.text, shown.state], [id, QUAY, 'current'])
      assert.equal(shown.shared.createdBy, 'anna@example.org')
      assert.match(shown.shared.project, /shop$/)
    }
    assert.match((await runBeside(ben, ['show', id])).stdout, /8080[\s\S]*author\s+anna@example\.org/)
    await say(anna, ['replace', id, '--why', 'the harbour is closed'])
    await drain(anna)
    assert.equal((await say(ben, ['show', id])).state, 'retired')
    // Showing stores nothing.
    assert.deepEqual(await own(ben), [])
    assert.equal((await run(ben, ['show', 'mem_nothing'])).error.code, 'NOT_FOUND')
  })

  test(`${name}: rate counts for everybody, once a session`, async (t) => {
    const { anna, ben, id } = await stored(machines, t)
    assert.deepEqual((await say(ben, ['rate', 'useful', id.slice(-8)])).verdicts, { useful: 1, wrong: 0 })
    await drain(ben)
    const [hit] = (await say(anna, ['search', 'harbour port'])).thoughts
    assert.deepEqual([hit.id, hit.useful], [id, 1])
  })

  for (const [how, correct] of [
    ['edit', (ben, id) => say(ben, ['edit', id, 'The harbour API listens on port 9090'])],
    ['--supersedes', (ben, id) => capture(ben, 'The harbour API listens on port 9090', '--supersedes', id)],
    [
      'replace',
      async (ben, id) => {
        const by = await capture(ben, 'The harbour API listens on port 9090')
        await say(ben, ['replace', id, '--by', by])
      },
    ],
  ]) {
    test(`${name}: a correction by ${how} supersedes it for everybody, and forgetting the correction leaves the original`, async (t) => {
      const { anna, ben, id } = await stored(machines, t)
      await correct(ben, id)
      const [correction] = await own(ben)
      assert.match(correction.text, /9090/)
      // Also before it is delivered.
      assert.ok(!(await found(ben, 'harbour API port')).includes(id))
      await drain(ben)
      assert.deepEqual(await found(anna, 'harbour API port'), [correction.id])
      assert.equal((await say(anna, ['show', correction.id])).entry.text, correction.text)
      await say(ben, ['forget', correction.id])
      await drain(ben)
      const original = await say(ben, ['show', id])
      assert.deepEqual([original.entry.text, original.state], [QUAY, 'retired'])
      await say(ben, ['keep', id])
      await drain(ben)
      assert.deepEqual(await found(anna, 'harbour API port'), [id])
      // Anna's own file has it as ever.
      assert.equal((await say(anna, ['show', id])).state, 'current')
    })
  }

  test(`${name}: undo takes a correction back, and a retirement`, async (t) => {
    const { ben, id } = await stored(machines, t)
    await say(ben, ['edit', id, 'The harbour API listens on port 9090'])
    await say(ben, ['undo'])
    assert.deepEqual(await own(ben), [])
    assert.equal((await say(ben, ['show', id])).state, 'current')
    await say(ben, ['replace', id, '--why', 'closed'])
    assert.equal((await say(ben, ['show', id])).state, 'retired')
    await say(ben, ['undo'])
    assert.equal((await say(ben, ['show', id])).state, 'current')
  })

  test(`${name}: forget forgets it for everybody`, async (t) => {
    const { anna, ben, id } = await stored(machines, t)
    const other = await capture(ben, 'The ferry leaves at nine')
    const dry = await say(ben, ['forget', '--dry-run', id])
    assert.deepEqual(
      dry.entries.map((entry) => entry.id),
      [id],
    )
    await say(ben, ['forget', id, other])
    assert.deepEqual(await found(ben, 'harbour API port'), [])
    await drain(ben)
    assert.deepEqual(await found(anna, 'harbour API port'), [])
    assert.equal((await run(ben, ['forget', id])).error.code, 'NOT_FOUND')
  })

  test(`${name}: the tools of agents do the same, by the rules of the project`, async (t) => {
    const { anna, ben, id } = await stored(machines, t)
    const { client } = await connectStdio(t, ben)
    const shown = await call(client, 'memory_show', { ids: [id] })
    assert.deepEqual(
      shown.notes.map(({ id, state, author }) => [id, state, author]),
      [[id, 'current', 'anna@example.org']],
    )
    assert.match(shown.text, /8080.*anna@example\.org/)
    assert.equal((await call(client, 'memory_feedback', { id, verdict: 'useful' })).useful, 1)
    // A person said it: an agent's correction is in conflict with it, and both count.
    const corrected = await call(client, 'capture_thought', {
      content: 'The harbour API listens on port 9090',
      type: 'decision',
      supersedes: id,
    })
    assert.deepEqual(
      corrected.conflicts.map((one) => one.id),
      [id],
    )
    // The server delivers.
    await until(async () => (await found(anna, 'harbour API port')).length === 2, 'the correction arrives')
    assert.deepEqual((await found(anna, 'harbour API port')).sort(), [id, corrected.id].sort())
    const agents = (
      await say(anna, ['capture', '-t', 'decision', 'The crane needs a permit', '--source', 'bot'], {
        ...ANNA,
        CLAUDECODE: '1',
      })
    ).thought.id
    await drain(anna, ANNA)
    const replaced = await call(client, 'memory_replace', { old: [agents], why: 'no longer' })
    assert.deepEqual(
      replaced.retired.map((one) => one.id),
      [agents],
    )
    assert.equal((await call(client, 'memory_forget', { id: agents })).removed, true)
    await until(async () => (await found(anna, 'crane permit')).length === 0, 'the order to forget arrives')
  })

  test(`${name}: what agents ask for where captures wait for a person says who can do it`, async (t) => {
    const { ben, id } = await stored(machines, t)
    const settings = JSON.parse(readFileSync(join(ben.project, '.forge.json'), 'utf8'))
    writeFileSync(join(ben.project, '.forge.json'), JSON.stringify({ ...settings, review: 'agents' }))
    const agent = { CLAUDECODE: '1' }
    const { error } = await run(ben, ['replace', id, '--why', 'x'], agent)
    assert.equal(error.code, 'UNSUPPORTED')
    // A correction is a proposal, which a person accepts.
    await say(ben, ['capture', '-t', 'decision', 'The harbour API listens on port 9090', '--supersedes', id], agent)
    assert.equal((await say(ben, ['show', id])).state, 'current')
    const [waiting] = await say(ben, ['review', '--list']).then((answer) => Object.values(answer).find(Array.isArray))
    await say(ben, ['review', '--accept', waiting.id])
    assert.equal((await say(ben, ['show', id])).state, 'retired')
  })
}

test('what belongs to another project is shown, and changed there only', async (t) => {
  const { ben, id } = await stored(onPostgres, t)
  const settings = JSON.parse(readFileSync(join(ben.project, '.forge.json'), 'utf8'))
  writeFileSync(join(ben.project, '.forge.json'), JSON.stringify({ ...settings, projectName: 'bank' }))
  assert.equal((await say(ben, ['show', id])).shared.project, 'shop')
  for (const args of [
    ['rate', 'wrong', id],
    ['edit', id, 'x'],
    ['replace', id],
    ['forget', id],
  ]) {
    const { error } = await run(ben, args)
    assert.deepEqual([error.code, /belongs to the project shop/.test(error.message)], ['INVALID_INPUT', true], args[0])
  }
})

test('who may only read forgets nothing', async (t) => {
  if (server.kind !== 'postgres') return void t.diagnostic('PGlite has one user')
  const { url, addresses } = await foundCompany(t, server, {
    roles: [
      ['anna', 'forge_writer'],
      ['ben', 'forge_reader'],
    ],
  })
  const [anna, ben] = addresses.map((address) => configured(t, address))
  const id = await capture(anna, QUAY)
  await drain(anna)
  const { error } = await run(ben, ['forget', id])
  assert.match(error.message, /may only read/)
  assert.equal((await say(ben, ['show', id])).state, 'current')
  const rows = await execute(url, 'select id from forge_memory.thoughts where forgotten_at is null')
  assert.deepEqual(
    rows.map((row) => row.id),
    [id],
  )
})

test('without an answer of the store, an unknown id is not found, and why is said', async (t) => {
  const ben = configured(t, 'postgres://openbrain@127.0.0.1:1/memory')
  const { error } = await run(ben, ['show', 'mem_01a21f9a535875c4939df5fe00bc8d66'])
  assert.equal(error.code, 'NOT_FOUND')
  assert.match(error.hint, /the shared store was not asked: .*127\.0\.0\.1:1/)
})
